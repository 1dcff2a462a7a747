# SPDX-License-Identifier: Apache-2.0
"""How large values may become. Bounds are public: made from stated limits and plaintext operands, never from
encrypted data."""

from __future__ import annotations

from .errors import MismatchError, RangeError
from .parameters import Parameters
from .text import integer

__all__ = ["combined", "within"]

#: The largest |value| that an array may hold, or None where values are meant to wrap around modulo T.
Bound = int | None


def within(bound: Bound, parameters: Parameters, operation: str) -> Bound:
    """``bound``, if the parameters hold such values without wrapping around.

    Raises:
        RangeError: they don't; the message says what would.
    """
    if bound is None or bound <= parameters.capacity:
        return bound
    raise RangeError(
        f"{operation}: values may reach {integer(bound)} ({bound.bit_length()} bits), but these parameters hold at "
        f"most {integer(parameters.capacity)} in either direction (plaintext modulus "
        f"{integer(parameters.plain_product)}), and larger values would wrap around. Encrypt with a tighter bound=, or "
        f"take parameters for wider results: Parameters.suggest(result_bits={bound.bit_length()}, ...)"
    )


def combined(operation: str, a: Bound, b: Bound) -> tuple[int, int] | None:
    """Both bounds, or None if both operands wrap around.

    Raises:
        MismatchError: one wraps around and the other does not.
    """
    if (a is None) != (b is None):
        raise MismatchError(
            f"{operation}: one operand was encrypted with wrap=True (values modulo the plaintext modulus), the other "
            "with a bound; encrypt both in the same way"
        )
    return None if a is None or b is None else (a, b)
