# SPDX-License-Identifier: Apache-2.0
"""Arrays under another secret key, and arrays hidden anew."""

from __future__ import annotations

from typing import TypeVar

from . import _core
from .arrays.array import EncryptedArray
from .arrays.compounds import Compound, once
from .errors import MissingKeyError, UnsupportedError
from .keys.keyring import Keyring
from .keys.kinds import PublicKey, RekeyingKey, SecretKey
from .options import current

__all__ = ["RekeyingKey", "rekey", "rekeying_key", "rerandomize"]

#: Arrays, or what consists of them.
_E = TypeVar("_E", EncryptedArray, Compound)


def rekeying_key(source: SecretKey, target: SecretKey) -> RekeyingKey:
    """What turns arrays under ``source`` into arrays under ``target``: for an owner who changes keys, or who hands data
    on to somebody else.

    The key goes to whoever converts, who can read nothing with it alone. Think before you give it away:

    - With it and ``target``, everything under ``source`` can be read, what was encrypted before and what will be: give
      it to a party that does not collude with the holder of ``target``, or make ``source`` for this data alone.
    - It leads one way, from ``source`` to ``target``.
    - It can't be taken back. Destroying ``source`` does not make its old ciphertexts unreadable while this key and
      ``target`` exist.
    - It needs both secrets at one place. Parties who may not show each other their keys need another protocol.
    - Rekeyed arrays carry the noise of what was computed before. Whoever holds ``target`` sees it when decrypting; use
      `rerandomize` against those who only see ciphertexts, and `reveal` for results that others shall see.

    Args:
        source: the secret key whose arrays it shall take.
        target: the secret key that shall decrypt them; of the same parameters.

    Raises:
        UnsupportedError: something else than secret keys.
        MismatchError: keys of different parameters.
        ArgumentError: one and the same key.
    """
    for key in (source, target):
        if not isinstance(key, SecretKey):
            raise UnsupportedError(f"rekeying_key takes two secret keys, not {type(key).__name__}")
    here = target.to(source.device)
    return RekeyingKey(source.parameters, source.context, _core.RekeyingKey.generate(source.native, here.native))


def rekey(x: _E, key: RekeyingKey, *, keys: object = ()) -> _E:
    """The same values under the secret key that ``key`` leads to: one key switch for each ciphertext.

    Args:
        x: an encrypted array of any layout and level, numbers in digits, or a table or column. Its keys are left
            behind, since they belong to the other secret.
        key: made by `rekeying_key` for the secret key that ``x`` is under.
        keys: public or evaluation keys of the new secret that the result shall know, one or several.

    Raises:
        MismatchError: the key takes arrays of another secret key, or of other parameters.
        NoiseError: the result could not be decrypted: the key switch adds noise.
        MissingKeyError: products that were not relinearised, without a relinearisation key at hand.
        UnsupportedError: something else than an encrypted array, or than a rekeying key.

    Example:
        >>> import cyclotome as cy
        >>> params = cy.Parameters.suggest(depth=1, value_bits=8)
        >>> old, new = cy.keygen(params), cy.keygen(params)
        >>> key = cy.rekeying.rekeying_key(old.secret, new.secret)
        >>> handed_on = cy.rekeying.rekey(cy.encrypt([1, 2, 3], old.public), key)
        >>> cy.decrypt(handed_on, new.secret)
        array([1, 2, 3])
    """
    if isinstance(x, Compound):
        return x.mapped(once(lambda array: rekey(array, key, keys=keys)))
    if not isinstance(x, EncryptedArray) or not isinstance(key, RekeyingKey):
        raise UnsupportedError(
            f"rekey takes an encrypted array and a rekeying key, not {type(x).__name__} and {type(key).__name__}"
        )
    native = _core.rekey(x.native, key.to(x.device).native, current.get().native)
    moved = EncryptedArray(x.parameters, x.context, native, Keyring())
    given = keys if isinstance(keys, (tuple, list)) else (keys,)
    return moved.with_keys(*given) if given else moved


def rerandomize(x: _E, key: PublicKey | None = None) -> _E:
    """The same values in new ciphertexts: fresh encryptions of zero are added, so that nobody without the secret key
    can tell which ciphertexts these were.

    The holder of the secret key still sees the noise, which tells of what was computed; `reveal` floods it.

    Args:
        x: an encrypted array, numbers in digits, or a table or column.
        key: the public key of its secret; None for the one that the array carries.

    Raises:
        MissingKeyError: no public key is given, and the array carries none.
        MismatchError: another secret's public key.
        NoiseError: the result could not be decrypted.
    """
    if isinstance(x, Compound):
        return x.mapped(once(lambda array: rerandomize(array, key)))
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError(f"rerandomize takes an encrypted array, not {type(x).__name__}")
    public = x.keyring.public if key is None else key
    if public is None:
        raise MissingKeyError("rerandomize takes the public key, and the array carries none: rerandomize(x, public)")
    if not isinstance(public, PublicKey):
        raise UnsupportedError(f"rerandomize takes a public key, not {type(public).__name__}")
    return x.derived(_core.rerandomize(x.native, public.to(x.device).native, current.get().native))
