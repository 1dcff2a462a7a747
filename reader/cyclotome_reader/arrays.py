# SPDX-License-Identifier: Apache-2.0
"""What plaintexts mean: an `ARRY` section's shape, bounds and layout, slots, and several plaintext moduli."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cyclotome_reader.files import Parameters, require
from cyclotome_reader.rings import Cyclotomic, Negacyclic, bit_reversed, is_prime, prime_factors


@dataclass(frozen=True)
class Description:
    """An `ARRY` section. `bound` and `row_bound` are None for values modulo T; `interval` where it is stated."""

    layout: str
    clean: bool
    shape: tuple[int, ...]
    bound: int | None
    row_bound: int | None
    interval: tuple[int, int] | None
    bits: bool


def description(data: bytes) -> Description:
    """One `ARRY` section."""
    require(len(data) >= 8, "ARRY has at least 8 bytes")
    place, clean, bounded, axes, *words = struct.unpack_from("<4B2H", data)
    require(place < 3 and clean < 2 and bounded < 4 and axes <= 32, "ARRY is not sound")
    require(len(data) >= 8 + 8 * (axes + sum(words)), "ARRY is too short")
    shape = struct.unpack_from(f"<{axes}Q", data, 8)
    require(all(shape), "an axis has no values")
    at, numbers = 8 + 8 * axes, []
    for count in words:
        numbers.append(int.from_bytes(data[at : at + 8 * count], "little"))
        at += 8 * count
    ends: list[int] = []
    while bounded == 3 and len(ends) < 2:
        require(len(data) >= at + 4, "an interval is cut off")
        count, sign = struct.unpack_from("<2H", data, at)
        require(sign < 2 and len(data) >= at + 4 + 8 * count, "an interval is not sound")
        ends.append((-1) ** sign * int.from_bytes(data[at + 4 : at + 4 + 8 * count], "little"))
        at += 4 + 8 * count
    require(at == len(data), "ARRY is longer than it says")
    stated = bounded in (1, 3)
    require(stated or not any(words), "ARRY states bounds of values that have none")
    interval = (ends[0], ends[1]) if ends else None
    layout = ("replicated", "slots", "coefficients")[place]
    bound, row_bound = (numbers[0], numbers[1]) if stated else (None, None)
    return Description(layout, clean == 1, shape, bound, row_bound, interval, bounded == 2)


def slot_count(p: Parameters) -> int:
    """Slots of a ciphertext, 0 without."""
    if isinstance(p.ring, Cyclotomic):
        if p.plain_moduli == (2,):
            return p.degree // len(_powers_of_two(p.index))
        return p.degree if all(is_prime(t) and t % p.index == 1 for t in p.plain_moduli) else 0
    k = p.degree
    while k > 1 and any(t % (2 * k) != 1 for t in p.plain_moduli):
        k //= 2
    return k if k > 1 and all(is_prime(t) for t in p.plain_moduli) else 0


def slots(message: Sequence[int], p: Parameters, t: int) -> list[int]:
    """Values of the slots of a plaintext."""
    if isinstance(p.ring, Cyclotomic):
        return _field_slots(message, p.ring) if t == 2 else _cyclotomic_slots(message, p.ring, t)
    k = slot_count(p)
    found = Negacyclic(k).values(message[:: p.degree // k], t)
    bits = k.bit_length() - 1
    at = {2 * bit_reversed(i, bits) + 1: i for i in range(k)}
    powers = [pow(3, i, 2 * k) for i in range(k // 2)]
    return [found[at[e]] for e in powers] + [found[at[2 * k - e]] for e in powers]


def _cyclotomic_slots(message: Sequence[int], ring: Cyclotomic, t: int) -> list[int]:
    """By exponents, that of the largest prime fastest."""
    by_unit = dict(zip(ring.units, ring.values(message, t), strict=True))
    return [by_unit[ring.unit(exponents)] for exponents in _counted(ring.lengths)]


def _counted(lengths: Sequence[int]) -> Iterator[list[int]]:
    """All exponents below the lengths, the last fastest."""
    for i in range(math.prod(lengths)):
        found = []
        for length in reversed(lengths):
            i, e = divmod(i, length)
            found.append(e)
        yield found[::-1]


def _powers_of_two(m: int) -> list[int]:
    powers = [1]
    while (following := 2 * powers[-1] % m) != 1:
        powers.append(following)
    return powers


def _field_slots(message: Sequence[int], ring: Cyclotomic) -> list[int]:
    """Of the plaintext modulus 2: elements of GF(2^r) as numbers."""
    reached = set(_powers_of_two(ring.index))
    r, steps, lengths = len(reached), [], []
    require(r <= 32, f"slots of GF(2^{r}) are not read here")
    for k, p in enumerate(ring.primes):
        generator = ring.unit([int(i == k) for i in range(len(ring.primes))])
        length = next(e for e in range(1, p) if pow(generator, e, ring.index) in reached)
        reached = {u * pow(generator, e, ring.index) % ring.index for u in reached for e in range(length)}
        coprime = math.gcd((p - 1) // length, length) == 1
        steps.append(pow(generator, (p - 1) // length if coprime else 1, ring.index))
        lengths.append(length)
    powers, found = _roots_in_field(ring.index, r), []
    odd = [pow(u, -1, ring.index) for u, c in zip(ring.units, message, strict=True) if c % 2]
    for exponents in _counted(lengths):
        u = math.prod(pow(g, e, ring.index) for g, e in zip(steps, exponents, strict=True)) % ring.index
        value = 0
        for j in odd:
            value ^= powers[j * u % ring.index]
        found.append(value)
    return found


@cache
def _roots_in_field(m: int, r: int) -> list[int]:
    """zeta^j = y^(j (2^r - 1) / m) for all j below m."""
    f = 0b1_0001_0000_0000_1011 if r == 16 else _least_primitive(r)
    zeta, powers = _power(2, (2**r - 1) // m, f, r), [1]
    for _ in range(m - 1):
        powers.append(_product(powers[-1], zeta, f, r))
    return powers


def _product(a: int, b: int, f: int, r: int) -> int:
    result = 0
    while b:
        result ^= a if b & 1 else 0
        a, b = a << 1, b >> 1
        a ^= f if a >> r else 0
    return result


def _power(a: int, exponent: int, f: int, r: int) -> int:
    result = 1
    while exponent:
        result = _product(result, a, f, r) if exponent & 1 else result
        a, exponent = _product(a, a, f, r), exponent >> 1
    return result


def _least_primitive(r: int) -> int:
    order, factors = 2**r - 1, prime_factors(2**r - 1)
    return next(
        f for f in range(2**r + 1, 2 ** (r + 1), 2)
        if _power(2, order, f, r) == 1 and all(_power(2, order // p, f, r) != 1 for p in factors)
    )  # fmt: skip


def values(about: Description, messages: Sequence[Sequence[Sequence[int]]], p: Parameters) -> list[Any]:
    """The array's values, flat in C order, from messages[channel][ciphertext]; residues in [0, T) without bounds."""
    packed = about.layout != "replicated"
    width = p.degree if about.layout == "coefficients" else slot_count(p)
    require(width > 0 or not packed, "these parameters have no slots")
    last = about.shape[-1] if packed and about.shape else 1
    require(not packed or bool(about.shape), "a scalar is never packed")
    chunks = -(-last // width) if packed else 1
    rows = math.prod(about.shape) // last
    channels = []
    for t, items in zip(p.plain_moduli, messages, strict=True):
        require(len(items) == rows * chunks, f"{rows * chunks} ciphertexts belong to this shape, not {len(items)}")
        read = [
            _single(m, p, t) if not packed else list(m) if about.layout == "coefficients" else slots(m, p, t)
            for m in items
        ]
        flat = [[x for chunk in read[i : i + chunks] for x in chunk][:last] for i in range(0, len(read), chunks)]
        channels.append([x for row in flat for x in row])
    return _joined(channels, p, about)


def _single(message: Sequence[int], p: Parameters, t: int) -> list[int]:
    if isinstance(p.ring, Cyclotomic):
        return slots(message, p, t)[:1] if t == 2 else [(-1) ** len(p.ring.primes) * message[0] % t]
    return [message[0]]


def _joined(channels: Sequence[Sequence[int]], p: Parameters, about: Description) -> list[int]:
    if len(p.plain_moduli) == 1 and about.bound is None:
        return list(channels[0])
    total = math.prod(p.plain_moduli)
    factors = [total // t * pow(total // t, -1, t) for t in p.plain_moduli]
    whole = [sum(map(int.__mul__, each, factors)) % total for each in zip(*channels, strict=True)]
    return whole if about.bound is None else [x - total if 2 * x > total - 1 else x for x in whole]


def broken_bounds(about: Description, found: Sequence[int]) -> list[str]:
    """Which of the bounds that an array states its values pass."""
    if about.bits:
        return [] if all(x in (0, 1) for x in found) else ["values that are said to be bits are none"]
    if about.bound is None or about.row_bound is None:
        return []
    least, largest = about.interval or (-about.bound, about.bound)
    faults = [f"the value {x} is outside of {least} … {largest}" for x in found if not least <= x <= largest][:1]
    last = about.shape[-1] if about.shape else 1
    sums = (sum(map(abs, found[i : i + last])) for i in range(0, len(found), last))
    return faults + [f"the row sum {x} is above {about.row_bound}" for x in sums if x > about.row_bound][:1]
