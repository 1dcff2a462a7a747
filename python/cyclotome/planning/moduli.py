# SPDX-License-Identifier: Apache-2.0
"""Plaintext moduli for a computation's values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from .. import _core
from ..errors import ParameterError, RangeError
from ..options import allow_undecryptable
from .trials import Kind, Search

__all__ = ["MOST_BITS", "fits", "narrow_moduli", "needed_bits", "plain_moduli"]

#: Of values.
MOST_BITS = 1024
#: Bits that errors about ranges say would do.
_ASKED = re.compile(r"(?:result_bits|value_bits)=(\d+)")


def _primes(bits: int, step: int, count: int, word: int, avoid: Sequence[int] = ()) -> list[int] | None:
    """The largest of so many bits, or of the next length that has enough."""
    for length in range(max(bits, step.bit_length()), 31 if word == 32 else 51):
        try:
            return _core.primes_congruent_to_one(length, step, count, list(avoid))
        except ParameterError:
            continue
    return None


def plain_moduli(search: Search, result_bits: int, degree: int, word: int) -> Iterator[list[int]]:
    """Plaintext moduli that hold results of so many bits: one, and where it would be wide, several."""
    if search.plain_moduli is not None:
        yield list(search.plain_moduli)
        return
    step = _core.negacyclic_ring(degree).transform_step if search.slots else 2
    widest = 29 if word == 32 else 49
    for count in range(1, 17):
        bits = (result_bits + count) // count + 1
        if bits > widest:
            continue
        found, avoid = _primes(bits, step, count, word), list[int]()
        while found is not None and not search.slots and _in_slots(found, degree):
            avoid.append(found[0])
            found = _primes(bits, step, count, word, avoid)
        if found is not None:
            yield found
        if bits <= 24 or (found is not None and found[0].bit_length() > bits):
            return


def needed_bits(search: Search, degree: int, kind: Kind) -> tuple[int, int]:
    """Bits of the largest value that occurs, by trying: noise is no matter. And of the modulus that noise took then; 0
    where it took more than there was."""
    bits, said = 2, ""
    while bits <= MOST_BITS:
        plain = next(plain_moduli(search, bits, degree, 64), None)
        if plain is None:
            raise ParameterError(f"suggest: no plaintext moduli hold values of {bits} bits at degree {degree}{said}")
        parameters = search.parameters(kind, degree, plain, 100 + plain[0].bit_length(), insecure=True)
        try:
            with allow_undecryptable():
                left = search.headroom(parameters)
            return bits, int(parameters.modulus_bits - left) if left > 0 else 0
        except RangeError as error:
            if search.plain_moduli is not None:
                raise
            asked = [int(number) for number in _ASKED.findall(str(error))]
            said = f"; with shorter ones: {error}"
            bits = max([bits + 1, *(number for number in asked if number <= MOST_BITS)])
    raise ParameterError(
        f"suggest: the computation has values of more than {MOST_BITS} bits; state tighter bounds{said}"
    )


def narrow_moduli(search: Search, degree: int, kind: Kind, least: int) -> list[int] | None:
    """The shortest prime that holds all values and has fewer slots than coefficients, though enough and at least so
    many; None where one with all slots is as short. It is for functions of small values, whose noise grows with the
    prime; what is spread over more ciphertexts is counted."""
    if not search.slots or search.plain_moduli is not None or any(each.wrap for each in search.inputs):
        return None
    shortest = _primes(2, _core.negacyclic_ring(degree).transform_step, 1, kind.word)
    for length in range(search.narrow.tried, 0 if shortest is None else shortest[0].bit_length()):
        plain = _with_most_slots(length, degree, max(least, _core.fewest_slots))
        if plain is None:
            continue
        if length == search.narrow.enough:  # at a smaller degree, where values are the same
            return plain
        parameters = search.parameters(kind, degree, plain, 100 + length, insecure=True)
        with suppress(RangeError), allow_undecryptable():
            search.headroom(parameters)
            search.narrow.enough = length
            return plain
        search.narrow.tried = length + 1
    return None


def _with_most_slots(length: int, degree: int, least: int) -> list[int] | None:
    """A prime of so many bits that has slots, as many as there are, but not one for each coefficient."""
    step = _core.negacyclic_ring(degree).transform_step // 2
    while step >= 2 * least:
        with suppress(ParameterError):
            return _core.primes_congruent_to_one(length, step, 1, [])
        step //= 2
    return None


def fits(search: Search, degree: int) -> bool:
    """Whether given plaintext moduli have slots at this degree, if they are to."""
    if search.plain_moduli is None or not search.slots:
        return True
    return _in_slots(search.plain_moduli, degree)


def _in_slots(plain: Sequence[int], degree: int) -> bool:
    """`Parameters.slots_by_default` of x^degree + 1."""
    ring = _core.negacyclic_ring(degree)
    return all(ring.slots(t) >= min(_core.fewest_slots, degree) for t in plain)
