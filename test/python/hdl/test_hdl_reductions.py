# SPDX-License-Identifier: Apache-2.0
"""Circuits for modular products give what Python's integers give, one result each tick, within stated ticks."""

from __future__ import annotations

import math

import kernels
import numpy as np
import pytest
from cyclotome.errors import ArgumentError
from cyclotome_hdl.kernels.butterfly import Butterfly
from cyclotome_hdl.kernels.division import shift_subtract
from cyclotome_hdl.kernels.flow import Kernel
from cyclotome_hdl.kernels.reduction import (
    REDUCTIONS,
    FoldMultiplier,
    MontgomeryMultiplier,
    constant_multiplier,
    multiplier_for,
)
from oracles.integers import random_below

#: The moduli of 004, Tables 6.2 to 6.4: pseudo-Mersenne, pseudo-Fermat, in between. Three of them are not prime.
MODULI = [
    0x439F0001,
    0x439F000000000001,
    0x40000003,
    0x4000000000000031,
    0x40008901,
    0x40000000809F0001,
    0x40000000039F0001,
]


def edges(p: int) -> list[int]:
    """Residues where reductions go wrong first."""
    power = 2 ** (p.bit_length() - 1)
    return [0, 1, 2, p // 2, p // 2 + 1, power - 1, power % p, p - 2, p - 1]


def pairs(rng: np.random.Generator, p: int, count: int = 100) -> list[tuple[int, int]]:
    drawn = random_below(rng, p, 2 * count)
    return [(a, b) for a in edges(p) for b in edges(p)] + list(zip(drawn[::2], drawn[1::2], strict=True))


def products(kernel: Kernel, factors: list[tuple[int, int]], static: dict[str, int] | None = None) -> list[int]:
    return [each["y"] for each in kernels.outputs(kernel, [{"a": a, "b": b} for a, b in factors], static)]


@pytest.mark.parametrize("p", MODULI, ids=hex)
@pytest.mark.parametrize("reduction", [*REDUCTIONS, "montgomery"])
def test_product_by_a_constant_modulus(reduction: str, p: int, rng: np.random.Generator) -> None:
    multiplier = constant_multiplier(reduction, p)
    factors = pairs(rng, p)
    scale = pow(2**multiplier.radix_bits, -1, p) if isinstance(multiplier, MontgomeryMultiplier) else 1
    assert multiplier.montgomery == isinstance(multiplier, MontgomeryMultiplier)
    assert products(multiplier, factors) == [a * b * scale % p for a, b in factors]


@pytest.mark.parametrize("reduction", ["modulus", "shift-subtract", "barrett", "montgomery"])
def test_product_by_any_odd_constant(reduction: str, rng: np.random.Generator) -> None:
    for bits in (5, 17, 33, 50, 64):
        p = 2 ** (bits - 1) + 2 * random_below(rng, 2 ** (bits - 2), 1)[0] + 1
        multiplier = constant_multiplier(reduction, p)
        factors = pairs(rng, p, 20)
        scale = pow(2**multiplier.radix_bits, -1, p) if isinstance(multiplier, MontgomeryMultiplier) else 1
        assert products(multiplier, factors) == [a * b * scale % p for a, b in factors], hex(p)


@pytest.mark.parametrize(
    ("bits", "ones"),
    [(63, 16), (63, 17), (63, 15), (62, 11), (64, 15), (32, 12), (32, 15), (30, 7), (30, 5), (63, None), (20, None)],
)
def test_montgomery_for_moduli_set_at_run_time(bits: int, ones: int | None, rng: np.random.Generator) -> None:
    multiplier = MontgomeryMultiplier(bits, ones)
    unit = 2 ** (ones or 1)
    for p in (
        2**bits - unit + 1,
        unit + 1 if unit > 2 else 7,
        unit * (1 + random_below(rng, 2**bits // unit - 1, 1)[0]) + 1,
        # Modulo 2^(ones + 1) these are 1 and 1 + 2^ones: in longer steps one of them turns a bit, the other none.
        2**bits - 2 * unit + 1,
        2**bits - 3 * unit + 1,
    ):
        multiplier.require_modulus(p)
        static = {"modulus": p} | ({"inverse": pow(p, -1, 2**multiplier.step)} if ones is None else {})
        factors = pairs(rng, p, 30)
        inverse = pow(2**multiplier.radix_bits, -1, p)
        assert products(multiplier, factors, static) == [a * b * inverse % p for a, b in factors], hex(p)


@pytest.mark.parametrize("bits", [8, 13, 35, 36, 61, 63, 64])
def test_folding_for_moduli_set_at_run_time(bits: int, rng: np.random.Generator) -> None:
    multiplier, streaming = FoldMultiplier(bits), FoldMultiplier(bits, streaming=True)
    largest = 2**multiplier.folded - 1
    vectors, expected = [], []
    for c in (1, 3, largest, largest - 2, 1 + 2 * random_below(rng, largest // 2, 1)[0]):
        p = 2 ** (bits - 1) + c
        multiplier.require_modulus(p)
        factors = pairs(rng, p, 20)
        right = [a * b % p for a, b in factors]
        assert products(multiplier, factors, {"modulus": p}) == right, hex(p)
        vectors += [{"a": a, "b": b, "modulus": p} for a, b in factors]
        expected += right
    order = rng.permutation(len(vectors))
    results = kernels.outputs(streaming, [vectors[i] for i in order])
    assert [each["y"] for each in results] == [expected[i] for i in order]


def test_montgomery_with_a_modulus_for_each_product(rng: np.random.Generator) -> None:
    multiplier = MontgomeryMultiplier(63, 16, streaming=True)
    vectors, expected = [], []
    for cofactor in random_below(rng, 2**47 - 1, 60):
        p = 2**16 * (1 + cofactor) + 1
        a, b = random_below(rng, p, 2)
        vectors.append({"a": a, "b": b, "modulus": p})
        expected.append(a * b * pow(2**multiplier.radix_bits, -1, p) % p)
    assert [each["y"] for each in kernels.outputs(multiplier, vectors)] == expected


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    ("kind", "scale"),
    [("forward", 0), ("inverse", -1), ("inverse", 0), ("inverse", 1), ("inverse", 4), ("unified", -1), ("unified", 0)],
)
def test_butterfly(kind: str, scale: int, streaming: bool, rng: np.random.Generator) -> None:
    p = 2**63 - 2**16 * 3 + 1
    multiplier = MontgomeryMultiplier(63, 16, streaming=streaming)
    butterfly = Butterfly(multiplier, 63, kind, scale=scale)  # type: ignore[arg-type]
    radix, scaled = 2 ** (multiplier.radix_bits + max(0, scale)), pow(2, scale, p)
    small = [0, 1, p // 2, p // 2 + 1, p - 2, p - 1]
    cases = [(u, v, w) for u in small for v in small for w in (0, 1, p - 1)]
    drawn = random_below(rng, p, 300)
    cases += list(zip(drawn[::3], drawn[1::3], drawn[2::3], strict=True))
    modes = [int(rng.integers(2)) if kind == "unified" else int(kind == "inverse") for _ in cases]
    vectors, expected = [], []
    for (u, v, w), inverse in zip(cases, modes, strict=True):
        vector = {"u": u, "v": v, "w": w * radix % p}
        vector |= {"modulus": p} if streaming else {}
        vectors.append(vector | ({"inverse": inverse} if kind == "unified" else {}))
        t = w * v if not inverse else 0
        x, y = ((u + v) * scaled, (u - v) * w * scaled) if inverse else (u + t, u - t)
        expected.append({"x": x % p, "y": y % p})
    assert kernels.outputs(butterfly, vectors, {} if streaming else {"modulus": p}) == expected


def test_shift_subtract_of_negative_numbers(rng: np.random.Generator) -> None:
    """The paper's Algorithm 7 gets these wrong: p shifted away, and -0 becomes p."""
    p = 0x40008901

    class Signed(Kernel):
        def __init__(self) -> None:
            super().__init__("signed")
            self.output("y", shift_subtract(self.input("x", -(p**2), p**2), p))

    numbers = [0, -1, -p, -2 * p, -(p**2), p**2, p - 1, -p - 1, *(x - p**2 for x in random_below(rng, 2 * p**2, 50))]
    results = kernels.outputs(Signed(), [{"x": x} for x in numbers])
    assert [each["y"] for each in results] == [x % p for x in numbers]


def test_latencies_and_tiles_stay_within_the_goals() -> None:
    """Run-time modulus: 24 ticks at most; special primes: 21; one bit each tick: one tick for each quotient bit."""
    assert MontgomeryMultiplier(63, 16).latency <= 24
    multiplier = MontgomeryMultiplier(63, 16)
    assert Butterfly(multiplier, 63).latency == multiplier.latency + 6
    # Words that are 1 modulo 2^15 are reduced in as few steps as those that are 1 modulo 2^16.
    assert MontgomeryMultiplier(63, 15).latency == multiplier.latency
    for p in (0x40000000809F0001, 0x40000000039F0001, 0x4000000000000031):
        assert constant_multiplier("fold-shift-add", p).latency <= 21
    for p in MODULI:
        product = 5 if p >> 32 else 3
        assert constant_multiplier("shift-subtract", p).latency == product + p.bit_length() + 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: constant_multiplier("solinas", 17), "no reduction 'solinas'"),
        (lambda: constant_multiplier("fold", 0x7FE00001), "does not end"),
        (lambda: constant_multiplier("barrett", 2**20), "must be odd"),
        (lambda: constant_multiplier("barrett", 2**64 + 13), "at most 64 bits"),
        (lambda: constant_multiplier("montgomery", 2**20), "p = 1 \\(mod 2\\^"),
        (lambda: MontgomeryMultiplier(65, 16), "65 bits"),
        (lambda: MontgomeryMultiplier(16, 16), "the exponent"),
        (lambda: MontgomeryMultiplier(63, 16).require_modulus(2**63 - 25), "does not fit"),
        (lambda: MontgomeryMultiplier(32, 16).require_modulus(2**40 + 1), "does not fit"),
        (lambda: Butterfly(MontgomeryMultiplier(63, 16), 63, "radix-4"), "radix-4"),  # type: ignore[arg-type]
        (lambda: Butterfly(MontgomeryMultiplier(63, 16), 63, scale=2), "scales by 2\\^2"),
        (lambda: FoldMultiplier(7), "8 to 64"),
        (lambda: FoldMultiplier(63).require_modulus(2**62 + 2**32), "c below 2\\^32"),
        (lambda: FoldMultiplier(63).require_modulus(2**61 + 1), "does not fit"),
        (lambda: constant_multiplier("fold", 0x40000003).require_modulus(0x40008901), "reduces by 0x40000003 only"),
        (lambda: multiplier_for("barrett", 63, 16), "made for a constant"),
    ],
)
def test_refusals(make: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()  # type: ignore[operator]


def test_moduli_are_the_papers() -> None:
    """Which of the tables' "primes" are prime, as doc/fpga.md says: p passes Fermat's test to base 2, or not."""
    assert [p for p in MODULI if pow(2, p - 1, p) != 1] == [0x439F000000000001, 0x4000000000000031, 0x40000000809F0001]
    assert all(math.gcd(p, 2) == 1 for p in MODULI)
