# SPDX-License-Identifier: Apache-2.0
"""Arrays of real numbers (CKKS): what a `REAL` section says, the numbers in slots, and the error that is certified."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from cyclotome_reader import decryption, files
from cyclotome_reader.decryption import NORMS, TOLERANCE
from cyclotome_reader.files import Ciphertexts, File, Parameters, require

#: What sums of doubles here may be off by, of the largest number.
ROUNDING = 1e-12
#: Logarithms of two libraries, and what the page allows between the norms of message and phase.
NEAR = 1e-6


@dataclass(frozen=True)
class Description:
    """A `REAL` section. `error` is log2 of the three norms of the error alone, of a coefficient and at the scale."""

    is_complex: bool
    packed: bool
    clean: bool
    shape: tuple[int, ...]
    bound: float
    error: tuple[float, float, float]


@dataclass(frozen=True)
class Reals:
    """An array with its secret: its numbers, flat in C order, and what each is off by at most, as it certifies."""

    about: Description
    numbers: list[complex]
    error: float
    faults: list[str]


def description(data: bytes, p: Parameters) -> Description:
    """One `REAL` section."""
    require(len(data) >= 4, "REAL has at least 4 bytes")
    field, packed, clean, axes = data[:4]
    require(field < 2 and packed < 2 and clean < 2 and axes <= 32, "REAL is not sound")
    require(len(data) == 36 + 8 * axes, "REAL is not as long as its axes say")
    shape = struct.unpack_from(f"<{axes}Q", data, 4)
    require(all(shape), "an axis has no numbers")
    require(not packed or (bool(shape) and shape[-1] > 1), "a scalar, or an axis of length 1, is never packed")
    bound, *error = struct.unpack_from("<4d", data, 4 + 8 * axes)
    require(math.isfinite(bound) and bound >= 0, "the bound is no number of at least 0")
    require(not decryption.contradicting(error, p), "the three norms of the error contradict each other")
    return Description(field == 1, packed == 1, clean == 1, shape, bound, (error[0], error[1], error[2]))


def scale_of(p: Parameters, level: int) -> float:
    """The scale of so many primes."""
    scale = p.scale
    for q in p.moduli[1:level]:
        scale = math.sqrt(scale * float(q))
    return scale


def certified(about: Description, p: Parameters, level: int) -> float:
    """What a number may be off by: of the error at every root, and of a transform in doubles, whose root mean square
    is below 8 (log2 n + 1) 2^-53 of the numbers'."""
    root, scale = math.sqrt(p.degree), scale_of(p, level)
    mean = root * 2 ** about.error[1] / scale
    transform = 8 * (math.log2(p.degree) + 1) * 2**-53 * (about.bound + mean)
    return root * 2 ** about.error[2] / scale + math.sqrt(p.degree / 2) * transform


def slots(phase: Sequence[int], p: Parameters, scale: float) -> list[complex]:
    """Slot i is the value at zeta^(3^i)."""
    n = p.degree
    # The ring's values come at the conjugate roots, in the order of odd exponents.
    at_roots = p.ring.complex_values([c / scale for c in phase])
    return [at_roots[(pow(3, i, 2 * n) - 1) // 2].conjugate() for i in range(n // 2)]


def opened(file: File, secret: Sequence[int]) -> Reals:
    """The numbers of an array, and what in it its secret contradicts."""
    p = file.parameters
    about, c = description(file.section("REAL"), p), files.ciphertexts(file.section("CIPH"), p)
    rows, width = (math.prod(about.shape[:-1]), about.shape[-1]) if about.packed else (math.prod(about.shape), 1)
    chunks = -(-width // (p.degree // 2))
    require(len(c.polynomials) == rows * chunks, f"{rows * chunks} ciphertexts belong to this shape")
    scale, moduli = scale_of(p, c.level), p.moduli[: c.level]
    faults, numbers = _stated(about, c, p, scale), list[complex]()
    at_roots = decryption.values_at_roots(secret, p, moduli)
    for item, parts in enumerate(c.polynomials):
        phase = decryption.phase(parts, at_roots, p, moduli)
        for name, bound, measured in zip(NORMS, c.noise, decryption.norms(phase, p), strict=True):
            if measured > bound + TOLERANCE:
                faults.append(f"ciphertext {item}: {name} of the phase is 2^{measured:.3f}, stated is 2^{bound:.3f}")
        found = slots(phase, p, scale)
        faults += _repeats(found, about, item % chunks, certified(about, p, c.level))
        here = min(width - item % chunks * (p.degree // 2), p.degree // 2)
        numbers += found[:here]
    error = certified(about, p, c.level)
    largest = max(map(abs, numbers))
    if largest > about.bound + error + ROUNDING * (about.bound + 1):
        faults.append(
            f"a number is {largest:.6g} in magnitude, stated are {about.bound:.6g} and an error of {error:.3g}"
        )
    if not about.is_complex:
        imaginary = max(abs(x.imag) for x in numbers)
        if imaginary > error + ROUNDING * (about.bound + 1):
            faults.append(f"real numbers have imaginary parts of {imaginary:.3g}, beyond their error of {error:.3g}")
    return Reals(about, numbers, error, faults)


def distances(found: Reals, expected: Sequence[complex]) -> list[str]:
    """Which numbers are further from what they should be than is certified."""
    require(
        len(expected) == len(found.numbers), f"{len(found.numbers)} numbers are there, and {len(expected)} expected"
    )
    slack = found.error + ROUNDING * (found.about.bound + 1)
    worst = max((abs(x - y), i) for i, (x, y) in enumerate(zip(found.numbers, expected, strict=True)))
    return [f"number {worst[1]} is off by {worst[0]:.3g}, certified are {found.error:.3g}"] * (worst[0] > slack)


def _stated(about: Description, c: Ciphertexts, p: Parameters, scale: float) -> list[str]:
    """What the description and the ciphertexts beside it say of one phase, and whether its level holds it."""
    message = math.log2(scale * max(about.bound, 2.0**-900))
    own = (message, message - math.log2(p.degree) / 2, message - math.log2(p.degree) / 2)
    phase = [_sum(a, b) for a, b in zip(own, about.error, strict=True)]
    largest, mean, canonical = phase
    mean = min(mean, canonical, largest)
    phase = [
        min(largest, mean + math.log2(p.degree) / 2), mean, min(canonical, mean + (math.log2(p.degree) - 1) / 2)
    ]  # fmt: skip
    faults = []
    if any(abs(a - b) > NEAR for a, b in zip(phase, c.noise, strict=True)):
        faults.append("the description contradicts what the ciphertexts say of their phase")
    if c.noise[0] > min(math.log2(math.prod(p.moduli[: c.level])), 60) - 1 + TOLERANCE:
        faults.append("the phase is larger than its level holds")
    return faults


def _sum(a: float, b: float) -> float:
    return max(a, b) + math.log2(1 + 2 ** -abs(a - b))


def _repeats(found: Sequence[complex], about: Description, chunk: int, error: float) -> list[str]:
    """Rows of fewer numbers than slots come again after the next power of two; beside them zeros, where it says so."""
    width = about.shape[-1] if about.packed else 1
    left = width - chunk * len(found)
    if left >= len(found) or not about.clean:
        return []
    period = len(found) if about.packed and chunk else 1 << (left - 1).bit_length()
    slack = 2 * error + 2 * ROUNDING * (about.bound + 1)
    beside = max((abs(x) for x in found[left:period]), default=0.0)
    again = max((abs(x - found[i % period]) for i, x in enumerate(found)), default=0.0)
    return ["there is something beside the numbers of a row"] * (max(beside, again) > slack)
