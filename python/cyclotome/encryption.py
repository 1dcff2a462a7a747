# SPDX-License-Identifier: Apache-2.0
"""Numbers in: encryption."""

from __future__ import annotations

import numpy as np

from . import _core
from .array import EncryptedArray
from .bounds import Bound
from .channels import in_pieces
from .errors import ArgumentError, RangeError, UnsupportedError
from .keyring import Keyring
from .keys import PublicKey, SecretKey
from .layout import Layout
from .memory import announce
from .parameters import Parameters
from .reporting import Callback
from .text import integer
from .values import IntArray, integers, magnitude, residues

__all__ = ["encrypt"]


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
        MemoryLimitError: the ciphertexts don't fit into memory, or not within `set_memory_limit`.

    Warns:
        PaddingWarning: more than 64 MiB of ciphertexts, and more than nine tenths of them padding.

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
    moduli = parameters.plain_moduli
    # Pieces are joined, one channel after the other; under the secret key a channel is masked as a whole.
    announce("encrypt", key._context, chosen, len(moduli), 1.5 if isinstance(key, SecretKey) else 1.0, stacklevel=2)
    rows = chosen.rows(numbers) if chosen.packed else numbers.reshape((-1, 1))
    native = key._context.native

    def encrypted(channel: int, start: int, stop: int) -> _core.Ciphertext:
        numbers = residues(rows[start:stop], moduli[channel])
        plaintext = _core.encode(native, channel, chosen.packed and chosen.slots, numbers)
        return _core.encrypt(plaintext, key._native)

    # Under the secret key in one piece, so that a single seed stands for all uniform halves.
    secret = isinstance(key, SecretKey)
    channels = in_pieces(
        "encrypting", key._context.engine, chosen.batch, len(moduli), encrypted, progress, whole=secret
    )
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
