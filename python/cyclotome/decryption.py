# SPDX-License-Identifier: Apache-2.0
"""Numbers out: decryption, for the key's owner or for others to see, and what the key's owner can measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .array import EncryptedArray
from .channels import Channels, part, pieces
from .errors import ArgumentError, MismatchError, RangeError, UnsupportedError
from .keys import SecretKey
from .layout import Layout
from .reporting import Callback, Task
from .sharding import ShardedArray
from .text import integer
from .values import combine, index, magnitude

__all__ = ["decrypt", "noise_budget", "reveal"]


def decrypt(x: EncryptedArray | ShardedArray, key: SecretKey, *, progress: Callback | None = None) -> Any:
    """Decrypts: exact values, or a typed error.

    What comes out, and whether it fails, is for the key's owner alone. BFV and BGV are secure against whoever sees
    ciphertexts and public keys (IND-CPA), not against whoever also learns decryptions of ciphertexts that they
    influenced: results that others shall see are decrypted with `reveal`.

    Args:
        x: an encrypted array; ciphertexts that were not relinearised too.
        key: the secret key that belongs to it.
        progress: called as ``progress(done, total, what)``.

    Returns:
        A NumPy array of the same shape (a scalar for shape ()): int64, or Python integers where the bound is 2^63 or
        more.

    Raises:
        MismatchError: the key is another one, or of other parameters.
        NoiseError: too many operations for the parameters: the result could be wrong.
        ContradictionError: more noise than the array's bound states: it was altered.
        RangeError: the values are beyond the array's own bound, so it is not what it claims to be.
    """
    return _opened("decrypt", x, key, _core.decrypt, progress)


def reveal(
    x: EncryptedArray | ShardedArray, key: SecretKey, *, flooding_bits: int = 64, progress: Callback | None = None
) -> Any:
    """Decrypts for others to see: the values that `decrypt` gives, or a refusal that may be told.

    Results of an exact scheme tell of the secret key only where noise comes near the limit, and whoever chooses the
    computation can steer it there (IND-CPA-D). So an error far larger than the noise is added before rounding (noise
    flooding): what comes out of the whole call then depends on the key with probability below 2^-flooding_bits. How
    large the error is depends on the parameters alone, whatever bound a file states. It takes about log2(n) +
    flooding_bits + log2(ciphertexts) bits of ``x.noise_headroom``; ``Parameters.suggest(flooding_bits=...)`` provides
    them for up to 1024 ciphertexts of each plaintext modulus.

    It does not help against ciphertexts that were forged rather than computed (chosen-ciphertext attacks): reveal what
    came from a side that follows the protocol. Nor does it hide the values themselves, or what they tell of the inputs.

    Args:
        x: an encrypted array.
        key: the secret key that belongs to it.
        flooding_bits: the statistical security of the call, 1 to 128; after k calls, log2(k) fewer.
        progress: called as ``progress(done, total, what)``.

    Returns:
        As `decrypt`.

    Raises:
        ArgumentError: ``flooding_bits`` out of range.
        MismatchError, RangeError: as `decrypt`.
        NoiseError: too little headroom for this flooding, by the public bound. May be told.
        ContradictionError: more noise than the bound states. Must not be told.

    Example:
        >>> import cyclotome as cy
        >>> parameters = cy.Parameters.suggest(depth=0, value_bits=8, terms=4, flooding_bits=64)
        >>> secret, public, _ = cy.keygen(parameters, rotations=[], relinearization=False)
        >>> cy.reveal(cy.encrypt([1, 2, 3], public) * 2, secret)
        array([2, 4, 6])
    """
    bits = index(flooding_bits, "reveal: flooding_bits")
    if not 1 <= bits <= 128:
        raise ArgumentError(f"reveal: flooding_bits {bits} must lie in [1, 128]; 64 is usual")
    whole = bits + _core.flooding_bits_of(x.ciphertexts)  # the distances of all ciphertexts add up
    return _opened("reveal", x, key, lambda channel, native: _core.reveal(channel, native, whole), progress)


def _opened(
    operation: str,
    x: EncryptedArray | ShardedArray,
    key: SecretKey,
    opened: Callable[[_core.Ciphertext, _core.SecretKey], _core.Plaintext],
    progress: Callback | None,
) -> Any:
    """The values of ``x`` by a native function that decrypts."""
    if isinstance(x, ShardedArray):
        return x.decrypted(lambda piece: _opened(operation, piece, key, opened, progress))
    _require_own_key(operation, x, key)
    layout, moduli = x._layout, x.parameters.plain_moduli
    task = Task("decrypting", layout.batch * len(moduli), progress)
    decoded = []
    for channel in _on_key_device(x, key):
        rows = _decrypted_rows(channel, key, layout, task, opened)
        decoded.append(np.concatenate(rows) if len(rows) > 1 else rows[0])
    values = layout.values(combine(decoded, moduli, wrap=x.wrap))
    if x.bound is not None and magnitude(values) > x.bound:
        raise RangeError(
            f"{operation}: a value has magnitude {integer(magnitude(values))}, beyond the array's stated bound "
            f"{integer(x.bound)}; the ciphertexts were altered, or their description is wrong"
        )
    if values.dtype == object and (x.bound is not None and x.bound < 2**63):
        values = values.astype(np.int64)
    return values if values.ndim else int(values[()])


def _decrypted_rows(
    channel: _core.Ciphertext,
    key: SecretKey,
    layout: Layout,
    task: Task,
    opened: Callable[[_core.Ciphertext, _core.SecretKey], _core.Plaintext],
) -> list[NDArray[np.int64]]:
    rows = []
    for start, stop in pieces(layout.batch, channel.context.engine):
        plaintext = opened(part(channel, start, stop), key._native)
        values = _core.decode(plaintext, layout.packed and layout.slots)
        rows.append(values if layout.packed else values[:, :1])
        task.advance(stop - start)
    return rows


def noise_budget(x: EncryptedArray, key: SecretKey) -> int:
    """The exact noise budget in bits, the smallest of all ciphertexts: how often the noise may double before decryption
    fails.

    For the key's owner: measuring it takes the secret key, is not constant-time, and the result tells of the key.
    ``x.noise_headroom`` is the public lower bound, which never exceeds it by more than rounding.

    Raises:
        MismatchError: the key is another one, or of other parameters.
    """
    _require_own_key("noise_budget", x, key)
    return min(
        min(_core.noise_budget(part(channel, start, stop), key._native))
        for channel in _on_key_device(x, key)
        for start, stop in pieces(x._layout.batch, channel.context.engine)
    )


def _require_own_key(operation: str, x: EncryptedArray, key: SecretKey) -> None:
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError(f"{operation} takes an EncryptedArray, not {type(x).__name__}")
    if not isinstance(key, SecretKey):
        raise UnsupportedError(f"{operation} takes the secret key, not {type(key).__name__}")
    if x.parameters != key.parameters:
        raise MismatchError(
            f"{operation}: the array was encrypted under {x.parameters.summary()}, the key is of "
            f"{key.parameters.summary()}"
        )
    if x.key_id != key.key_id:
        raise MismatchError(
            f"{operation}: the array was encrypted under key {x.key_id[:8]}, this is key {key.key_id[:8]}; take the "
            "secret key that was generated with the array's public key"
        )


def _on_key_device(x: EncryptedArray, key: SecretKey) -> Channels:
    if x.device == key.device:
        return x._channels
    return tuple(channel.to(key._context.native) for channel in x._channels)
