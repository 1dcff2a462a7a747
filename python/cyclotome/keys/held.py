# SPDX-License-Identifier: Apache-2.0
"""Keys that a process holds, for arrays that come to it without: a pickle has no keys, which are larger than arrays."""

from __future__ import annotations

import threading

from ..devices.contexts import device_name
from ..errors import UnsupportedError
from .keyring import Keyring
from .kinds import EvaluationKeys, PublicKey

__all__ = ["held_for", "hold_keys", "release_keys", "unpickling_device"]

_lock = threading.Lock()
_held: dict[tuple[str, bytes], Keyring] = {}
_device = "cpu"


def hold_keys(*keys: PublicKey | EvaluationKeys, device: str | None = None) -> None:
    """From now on arrays under these keys that are unpickled in this process know them, if they knew keys when they
    were pickled; keys of one secret key are held together.

    A pickle of an array has its ciphertexts and no keys, which are larger and the same for all. So a pool of processes
    is given the keys once, as ``initializer=cy.sessions.hold_keys, initargs=(evaluation,)``, and arrays that are sent
    to it can be multiplied and summed there. What is held stays until `release_keys`. Whoever fills this process's
    memory with pickles can do anything in it; keys that strangers sent are for `Server`.

    Args:
        keys: public and evaluation keys; a public key fresh from `keygen` brings its evaluation keys.
        device: where all arrays that are unpickled in this process shall compute from now on; None: as before, which
            is "cpu" unless it was said.

    Raises:
        UnsupportedError: anything else, secret keys above all; neither keys nor a device.
        EngineError: no such device.

    Example:
        >>> import cyclotome as cy, pickle
        >>> secret, public, evaluation = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=7), rotations=[])
        >>> stored = pickle.dumps(cy.encrypt([1, 2, 3], public))
        >>> cy.sessions.hold_keys(evaluation)
        >>> x = pickle.loads(stored)
        >>> cy.decrypt(x * x, secret)
        array([1, 4, 9])
        >>> cy.sessions.release_keys()
    """
    global _device
    if not keys and device is None:
        raise UnsupportedError("hold_keys takes public and evaluation keys; none were given")
    rings = [(key, Keyring.of(key)) for key in keys]
    if device is not None:
        name = device_name(device)
        rings = [(key, ring.to(name)) for key, ring in rings]
    with _lock:
        _device = _device if device is None else name
        for key, ring in rings:
            place = key.key_id, key.parameters.native.fingerprint
            held = _held.get(place)
            _held[place] = ring if held is None else ring.joined(held.to(ring.keys()[0].device))


def release_keys() -> None:
    """Holds no keys any more; arrays that know them already keep them. Unpickled arrays compute on "cpu" again."""
    global _device
    with _lock:
        _held.clear()
        _device = "cpu"


def unpickling_device() -> str:
    """Where arrays are that come out of pickles."""
    return _device


def held_for(key_id: str, fingerprint: bytes) -> Keyring | None:
    """The keys held of a secret key and parameters, by their fingerprint."""
    with _lock:
        return _held.get((key_id, fingerprint))
