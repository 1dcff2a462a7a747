# SPDX-License-Identifier: Apache-2.0
"""Which parameters there are for computations without end."""

from __future__ import annotations

from ..errors import ParameterError

__all__ = ["DEGREES", "degree_for", "require_refreshable"]

#: Those of `Parameters.bootstrappable` that are secure, by the time of one product with its share of refreshes, and
#: the bits of magnitude that they hold.
_BITS = {32768: 15, 65536: 18}
DEGREES = tuple(_BITS)


def require_refreshable(
    *, security: int, table: str, word: int | None, slots: bool, scheme: str | None, strict: bool, parties: int
) -> None:
    """Refuses what no parameters are that can be refreshed.

    Raises:
        ParameterError: the option that goes too far, and what there is.
    """
    wrong = {
        f"security = {security}": security > 128,
        f"table = {table!r}": table != "guidelines-2024",
        f"word = {word}": word not in (None, 64),
        "slots = False": not slots,
        f"scheme = {scheme!r}": scheme not in (None, "bfv"),
        "strict = True": strict,
        f"parties = {parties}": parties > 1,
    }
    for option, asked in wrong.items():
        if asked:
            raise ParameterError(
                f"suggest: depth='unlimited' with {option}; what can be refreshed are BFV's slots of 128 bits by table "
                "'guidelines-2024', in words of 64 bits, under one owner's key (Parameters.bootstrappable)"
            )


def degree_for(bits: int, min_degree: int) -> int:
    """The first that holds values of so many bits of magnitude in so many slots.

    Raises:
        ParameterError: none does.
    """
    for degree, most in _BITS.items():
        if bits <= most and min_degree <= degree:
            return degree
    raise ParameterError(
        f"suggest: depth='unlimited' with values of {bits} bits in {max(min_degree, 1)} slots or more; there are "
        + " and ".join(f"{most} bits in {degree} slots" for degree, most in _BITS.items())
        + ". Wider numbers take several plaintext moduli, or digits (encrypt_digits)"
    )
