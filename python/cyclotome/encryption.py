# SPDX-License-Identifier: Apache-2.0
"""Numbers in, numbers out: encryption, decryption and what the key's owner can measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .array import EncryptedArray
from .bounds import Bound
from .channels import Channels, in_pieces, part, pieces
from .errors import ArgumentError, MismatchError, RangeError, UnsupportedError
from .keyring import Keyring
from .keys import PublicKey, SecretKey
from .layout import Layout
from .parameters import Parameters
from .reporting import Callback, Task
from .text import integer
from .values import IntArray, combine, integers, magnitude, residues

__all__ = ["decrypt", "encrypt", "noise_budget"]


def encrypt(
    values: object,
    key: PublicKey | SecretKey,
    *,
    bound: int | None = None,
    wrap: bool = False,
    layout: str = "packed",
    encoding: str | None = None,
    progress: Callback | None = None,
) -> EncryptedArray:
    """Encrypts integers.

    Args:
        values: a Python or NumPy integer, an array of integers or booleans, or nested lists of integers of any width.
        key: a public key, which anybody may have, or the secret key: then noise is lower and files take half the space.
        bound: the largest magnitude that the values may have, for this and any other data in their place. It is public
            and travels with the array. None: ``parameters.default_bound``. A tighter bound lets longer computations
            pass.
        wrap: values and results are meant modulo T, in [0, T); nothing has a bound, and ``decrypt`` gives residues. For
            circuits over small moduli such as T = 2.
        layout: "packed": the last axis goes into the slots of ceil(length / n) ciphertexts; "replicated": one
            ciphertext for each value. Scalars are always replicated.
        encoding: "slots" or "coefficients" for packed arrays; None: slots if the parameters have them.
        progress: called as ``progress(done, total, what)``.

    Returns:
        `EncryptedArray` of the same shape. With a public key fresh from `keygen` it knows the evaluation keys.

    Raises:
        RangeError: a value beyond the bound, or a bound beyond what the parameters hold.
        UnsupportedError: values that are no integers; evaluation keys in place of a public one.
        ArgumentError: no values.

    Example:
        >>> import cyclotome as cy, numpy as np
        >>> secret, public, evaluation = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=7, terms=16))
        >>> x = cy.encrypt(np.array([[1, 2, 3], [4, 5, 6]]), public)
        >>> cy.decrypt(x * x + 3 * x, secret)
        array([[ 4, 10, 18],
               [28, 40, 54]])
    """
    if not isinstance(key, (PublicKey, SecretKey)):
        raise UnsupportedError(f"encrypt takes a public or secret key, not {type(key).__name__}")
    if isinstance(values, EncryptedArray):
        raise UnsupportedError("encrypt: the values are encrypted already")
    parameters = key.parameters
    numbers = integers(values, "encrypt")
    if numbers.size == 0:
        raise ArgumentError(f"encrypt: shape {numbers.shape} holds no values")
    numbers, stated = _bounded(numbers, parameters, bound, wrap)
    chosen = _layout(numbers, parameters, layout, encoding)
    rows = chosen.rows(numbers) if chosen.packed else numbers.reshape((-1, 1))
    moduli = parameters.plain_moduli
    native = key._context.native

    def encrypted(channel: int, start: int, stop: int) -> _core.Ciphertext:
        numbers = residues(rows[start:stop], moduli[channel])
        plaintext = _core.encode(native, channel, chosen.packed and chosen.slots, numbers)
        return _core.encrypt(plaintext, key._native)

    # Under the secret key in one piece, so that a single seed stands for all uniform halves.
    secret = isinstance(key, SecretKey)
    channels = in_pieces("encrypting", chosen.batch, len(moduli), encrypted, progress, whole=secret)
    keys = Keyring() if secret else Keyring.of(key)
    return EncryptedArray(parameters, key._context, channels, chosen, stated, keys)


def _bounded(values: IntArray, parameters: Parameters, bound: int | None, wrap: bool) -> tuple[IntArray, Bound]:
    """The values as they are encrypted, and their bound."""
    if wrap:
        if bound is not None:
            raise ArgumentError(
                "encrypt: bound= and wrap=True exclude each other: values that wrap around have no bound"
            )
        return values % parameters.plain_product if magnitude(values) >= parameters.plain_product else values, None
    if bound is None:
        bound = parameters.default_bound
    elif isinstance(bound, bool) or not hasattr(bound, "__index__") or int(bound) < 0:
        raise ArgumentError(f"encrypt: bound {bound!r} is no whole number of at least 0")
    bound = int(bound)
    if bound > parameters.capacity:
        raise RangeError(
            f"encrypt: bound {integer(bound)} is more than these parameters hold, {integer(parameters.capacity)} in "
            f"either direction; take wider ones: Parameters.suggest(value_bits={bound.bit_length()}, ...)"
        )
    if magnitude(values) > bound:
        position = np.unravel_index(int(np.argmax((values > bound) | (values < -bound))), values.shape)
        where = f" at index {tuple(map(int, position))}" if values.ndim else ""
        raise RangeError(
            f"encrypt: value {integer(int(values[position]))}{where} is beyond the bound {integer(bound)}; pass bound= "
            f"for larger values (these parameters hold up to {integer(parameters.capacity)}), or take wider "
            f"parameters: Parameters.suggest(value_bits={magnitude(values).bit_length()}, ...)"
        )
    return values, bound


def _layout(values: IntArray, parameters: Parameters, layout: str, encoding: str | None) -> Layout:
    if layout not in ("packed", "replicated"):
        raise ArgumentError(f"encrypt: layout {layout!r}; there are 'packed' and 'replicated'")
    if encoding not in (None, "slots", "coefficients"):
        raise ArgumentError(f"encrypt: encoding {encoding!r}; there are 'slots' and 'coefficients'")
    if encoding == "slots" and not parameters.has_slots:
        raise ArgumentError(
            f"encrypt: plaintext moduli {parameters.plain_moduli} have no slots at degree {parameters.degree}; they "
            f"must be primes congruent to 1 modulo {2 * parameters.degree}. Use encoding='coefficients' or other "
            "parameters"
        )
    slots = parameters.has_slots if encoding is None else encoding == "slots"
    return Layout(values.shape, parameters.degree, packed=layout == "packed" and values.ndim > 0, slots=slots)


def decrypt(x: EncryptedArray, key: SecretKey, *, progress: Callback | None = None) -> Any:
    """Decrypts: exact values, or a typed error.

    What comes out, and whether it fails, is for the key's owner alone. BFV is secure against whoever sees ciphertexts
    and public keys (IND-CPA), not against whoever also learns decryptions of ciphertexts of their own choice: do not
    hand results or failures to the side that computed without thinking about what they tell of the key.

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
        RangeError: the values are beyond the array's own bound, so it is not what it claims to be.
    """
    _require_own_key("decrypt", x, key)
    layout, moduli = x._layout, x.parameters.plain_moduli
    task = Task("decrypting", layout.batch * len(moduli), progress)
    decoded = []
    for channel in _on_key_device(x, key):
        rows = _decrypted_rows(channel, key, layout, task)
        decoded.append(np.concatenate(rows) if len(rows) > 1 else rows[0])
    values = layout.values(combine(decoded, moduli, wrap=x.wrap))
    if x.bound is not None and magnitude(values) > x.bound:
        raise RangeError(
            f"decrypt: a value has magnitude {integer(magnitude(values))}, beyond the array's stated bound "
            f"{integer(x.bound)}; the ciphertexts were altered, or their description is wrong"
        )
    if values.dtype == object and (x.bound is not None and x.bound < 2**63):
        values = values.astype(np.int64)
    return values if values.ndim else int(values[()])


def _decrypted_rows(channel: _core.Ciphertext, key: SecretKey, layout: Layout, task: Task) -> list[NDArray[np.int64]]:
    rows = []
    for start, stop in pieces(layout.batch):
        plaintext = _core.decrypt(part(channel, start, stop), key._native)
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
    return min(min(_core.noise_budget(channel, key._native)) for channel in _on_key_device(x, key))


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
