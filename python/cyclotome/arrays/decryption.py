# SPDX-License-Identifier: Apache-2.0
"""Numbers out: decryption, for the key's owner or for others to see, and what the key's owner can measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from .. import _core
from ..errors import ArgumentError, UnsupportedError
from ..keys.kinds import SecretKey
from ..numbers.values import IntArray, from_native, index
from ..options import Callback, options
from ..reals.array import RealArray
from ..reals.values import from_native as from_native_reals
from ..reals.values import number
from ..reporting import Task
from .array import EncryptedArray
from .sharded import ShardedArray

if TYPE_CHECKING:
    from ..reals.values import NumberArray

__all__ = ["decrypt", "noise_budget", "reveal"]


@overload
def decrypt(x: RealArray, key: SecretKey, *, progress: Callback | None = None) -> NumberArray | Any: ...
# A type can't tell whether a shape is (), so that the number that such an array decrypts to is Any beside the array.
@overload
def decrypt(x: ShardedArray, key: SecretKey, *, progress: Callback | None = None) -> IntArray: ...
@overload
def decrypt(
    x: EncryptedArray | ShardedArray, key: SecretKey, *, progress: Callback | None = None
) -> IntArray | Any: ...
def decrypt(
    x: EncryptedArray | ShardedArray | RealArray, key: SecretKey, *, progress: Callback | None = None
) -> IntArray | NumberArray | Any:
    """Decrypts: exact values, or a typed error; of real numbers floats, each off by no more than ``x.error.max``.

    What comes out, and whether it fails, is for the key's owner alone. BFV and BGV are secure against whoever sees
    ciphertexts and public keys (IND-CPA), not against whoever also learns decryptions of ciphertexts that they
    influenced: results that others shall see are decrypted with `reveal`. Real numbers come with their errors, which
    tell of the secret key: whoever knows inputs and computation of some that were decrypted can find it (Li and
    Micciancio, Eurocrypt 2021). Keep them to yourself, and give others what `reveal` makes.

    Args:
        x: an encrypted array; ciphertexts that were not relinearised too.
        key: the secret key that belongs to it.
        progress: called as ``progress(done, total, what)``.

    Returns:
        A NumPy array of the same shape (a scalar for shape ()): int64, or Python integers where the bound is 2^63 or
        more. Of bits: booleans; of elements of GF(2^r): whole numbers from 0 to 2^r - 1. Of real numbers: float64, or
        complex128.

    Raises:
        MismatchError: the key is another one, or of other parameters.
        NoiseError: too many operations for the parameters: the result could be wrong.
        ContradictionError: more noise than the array's bound states: it was altered.
        RangeError: the values are beyond the array's own bound, so it is not what it claims to be.
    """
    if isinstance(x, RealArray):
        if not isinstance(key, SecretKey):
            raise UnsupportedError(f"decrypt takes the secret key, not {type(key).__name__}")
        task = Task("decrypting", 1, progress)
        numbers = from_native_reals(_core.decrypt(x.native, key.native))
        task.advance()
        return numbers if numbers.ndim else numbers[()].item()
    return _opened("decrypt", x, key, _core.decrypt, progress)


@overload
def reveal(
    x: ShardedArray, key: SecretKey, *, flooding_bits: int = 64, progress: Callback | None = None
) -> IntArray: ...
@overload
def reveal(
    x: EncryptedArray | ShardedArray, key: SecretKey, *, flooding_bits: int = 64, progress: Callback | None = None
) -> IntArray | Any: ...
@overload
def reveal(
    x: RealArray,
    key: SecretKey,
    *,
    flooding_bits: int = 64,
    precision: float,
    progress: Callback | None = None,
) -> NumberArray | Any: ...
def reveal(
    x: EncryptedArray | ShardedArray | RealArray,
    key: SecretKey,
    *,
    flooding_bits: int = 64,
    precision: float | None = None,
    progress: Callback | None = None,
) -> IntArray | NumberArray | Any:
    """Decrypts for others to see: the values that `decrypt` gives, or a refusal that may be told.

    Results of an exact scheme tell of the secret key only where noise comes near the limit, and whoever chooses the
    computation can steer it there (IND-CPA-D). So an error far larger than the noise is added before rounding (noise
    flooding): what comes out of the whole call then depends on the key with probability below 2^-flooding_bits +
    2^-178, for random bits as good as ideal ones; that ChaCha20's and HMAC-SHA-256's are is assumed. How large the
    error is depends on the parameters alone, whatever bound a file states. It takes about log2(n) + flooding_bits +
    log2(ciphertexts) bits of ``x.noise_headroom``; ``Parameters.suggest(flooding_bits=...)`` provides them for up to
    1024 ciphertexts of each plaintext modulus.

    Real numbers are given with an error, which tells of the key in every digit; so as much is added to it as
    ``precision`` allows, whatever bound a file states, and what comes out is within 2^-flooding_bits of what depends on
    the exact numbers alone. Scales of a word leave some 12 bits at a precision of 0.001 after one product
    (``Parameters.suggest(scheme="ckks", precision=0.001, flooding_bits=12)``), for few results. Where more are given
    away compute in exact integers.

    It does not help against ciphertexts that were forged rather than computed (chosen-ciphertext attacks): reveal what
    came from a side that follows the protocol. Nor does it hide the values themselves, or what they tell of the inputs.

    Args:
        x: an encrypted array.
        key: the secret key that belongs to it.
        flooding_bits: the statistical security of the call, 1 to 128; after k calls, log2(k) fewer. The key counts
            ciphertexts (`SecretKey.reveals`) in a file beside its own, and stops at what `keygen` planned: after all of
            2^20 it is 44 of 64 bits.
        precision: of real numbers, such as 0.001: how wrong any of them may be in the end. The same for all results of
            a kind, and never chosen by what they are.
        progress: called as ``progress(done, total, what)``.

    Returns:
        As `decrypt`.

    Raises:
        ArgumentError: ``flooding_bits`` out of range.
        ArgumentError: real numbers without ``precision``, or integers with it.
        MismatchError, RangeError: as `decrypt`.
        NoiseError: too little headroom for this flooding, by the public bound. Of real numbers: their error leaves less
            flooding than that at this precision. May be told.
        BudgetError: more ciphertexts than are left of what was planned for the key. May be told.
        FileError, FormatError: the file that counts can't be written, or is damaged. Nothing was decrypted.
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
    if isinstance(x, RealArray):
        return _revealed_reals(x, key, bits, precision, progress)
    if precision is not None:
        raise ArgumentError("reveal: a precision is of real numbers; integers are exact")
    # The library counts the ciphertexts of an array; the distances of several arrays add up too.
    whole = bits + (_core.flooding_bits_of(len(x.shards)) if isinstance(x, ShardedArray) else 0)
    return _opened("reveal", x, key, lambda array, native, how: _core.reveal(array, native, whole, how), progress)


def _revealed_reals(
    x: RealArray, key: SecretKey, bits: int, precision: float | None, progress: Callback | None
) -> NumberArray | Any:
    if not isinstance(key, SecretKey):
        raise UnsupportedError(f"reveal takes the secret key, not {type(key).__name__}")
    if precision is None:
        raise ArgumentError(
            "reveal: real numbers need precision=, such as 0.001, which says how much error may be added to theirs, "
            f"±{x.error.max:.2g}; the more, the less they tell of the secret key"
        )
    task = Task("revealing", 1, progress)
    numbers = from_native_reals(_core.reveal_reals(x.native, key.native, number(precision, "reveal: precision"), bits))
    task.advance()
    return numbers if numbers.ndim else numbers[()].item()


def _opened(
    operation: str,
    x: EncryptedArray | ShardedArray,
    key: SecretKey,
    opened: Callable[[_core.EncryptedArray, _core.SecretKey, _core.Options], _core.Integers],
    progress: Callback | None,
) -> IntArray | Any:
    """The values of ``x`` by a native function that decrypts."""
    if isinstance(x, ShardedArray):
        return x.decrypted(lambda piece: _opened(operation, piece, key, opened, progress))
    _require_pair(operation, x, key)
    values = from_native(opened(x.native, key.native, options(progress)))
    if x.is_bits:
        values = values.astype(bool)
        return values if values.ndim else bool(values[()])
    return values if values.ndim else int(values[()])


def noise_budget(x: EncryptedArray, key: SecretKey) -> int:
    """The exact noise budget in bits, the smallest of all ciphertexts: how often the noise may double before decryption
    fails.

    For the key's owner: measuring it takes the secret key, is not constant-time, and the result tells of the key.
    ``x.noise_headroom`` is the public lower bound, which never exceeds it by more than rounding.

    Raises:
        MismatchError: the key is another one, or of other parameters.
    """
    _require_pair("noise_budget", x, key)
    return _core.noise_budget(x.native, key.native)


def _require_pair(operation: str, x: EncryptedArray, key: SecretKey) -> None:
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError(f"{operation} takes an EncryptedArray, not {type(x).__name__}")
    if not isinstance(key, SecretKey):
        raise UnsupportedError(f"{operation} takes the secret key, not {type(key).__name__}")
