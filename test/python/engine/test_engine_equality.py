# SPDX-License-Identifier: Apache-2.0
"""All engines give the same bits: every instruction set, every number of threads, and the reference compositions.

Where a result may be one of two (a centred conversion next to q/2, a BEHZ product's small error) they must agree too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from oracles.integers import decompose, random_below, some_primes
from residues import ENGINES, TRANSFORM, call, extreme_residues, on, put, random_residues, ring_of, transform_primes

ALL = {**ENGINES, "one thread": _core.CpuEngine(1), "five threads": _core.CpuEngine(5)}
HOST = _core.CpuEngine(1)
# Degrees below, at and above a tile and a vector register, and one that is worth several threads.
CASES = [(word, degree) for word in (32, 64) for degree in (2, 4, 8, 32, 128, 256, 8192)]
EACH = pytest.mark.parametrize(("word", "degree"), CASES)


def agree(
    verb: str, ring: Any, shape: tuple[int, int], *arguments: Any, domain: Any = testing.Domain.coefficient
) -> None:
    results = {name: call(getattr(on(e), verb), ring, shape, *arguments, domain=domain) for name, e in ALL.items()}
    for name, result in results.items():
        assert np.array_equal(result, results["reference"]), name


def near_halves(rng: np.random.Generator, q: int, shape: tuple[int, ...]) -> Any:
    """Integers around q/2, many of them closer than a fixed-point estimate can tell, and some anywhere."""
    x = (q // 2 + random_below(rng, 2 * (q >> 20) + 3, shape) - (q >> 20) - 1) % q
    x.reshape(-1)[::3] = random_below(rng, q, shape).reshape(-1)[::3]
    x.reshape(-1)[::7] = (q // 2 + random_below(rng, 5, shape).reshape(-1)[::7]) % q
    return x


@EACH
def test_transforms_and_products(rng: np.random.Generator, word: int, degree: int) -> None:
    # 49-bit primes have a path of their own in 64-bit words.
    moduli = transform_primes(word, degree, 2) + (some_primes(49, 2 * degree, 2) if word == 64 else [])
    ring = ring_of(word, degree, moduli)
    a = random_residues(rng, ring, 3, 2)
    a[0] = extreme_residues(ring, 1, 2)[0]
    results = []
    for engine in ALL.values():
        x = put(engine, ring, a)
        x.to_transform()
        forward = x.to_host()
        on(engine).multiply(x.view(), x.view(), x.view())
        x.to_coefficient()
        results.append((forward, x.to_host()))
    for forward, back in results[1:]:
        assert np.array_equal(forward, results[0][0]) and np.array_equal(back, results[0][1])
    for domain in (testing.Domain.coefficient, TRANSFORM):
        agree("automorphism", ring, (3, 2), put(HOST, ring, a, domain), 2 * degree - 1, domain=domain)
    transformed = put(HOST, ring, a, TRANSFORM)
    agree("tensor_product", ring, (3, 3), transformed, put(HOST, ring, a[1:2], TRANSFORM), domain=TRANSFORM)
    key = put(HOST, ring, random_residues(rng, ring, 2, 2), TRANSFORM)
    agree("key_switch_product", ring, (3, 2), transformed, key, domain=TRANSFORM)
    agree("linear_combination", ring, (2, 2), transformed, [1, -2, 3, -1, 0, 1 << 40], domain=TRANSFORM)


@EACH
def test_steps_across_limbs(rng: np.random.Generator, word: int, degree: int) -> None:
    moduli = transform_primes(word, degree, 5)
    q, p = ring_of(word, degree, moduli[:3]), ring_of(word, degree, moduli[3:])
    q_product, p_product = math.prod(moduli[:3]), math.prod(moduli[3:])
    x = put(HOST, q, decompose(near_halves(rng, q_product, (2, 2, degree)), q.basis.moduli))
    rest = put(HOST, p, decompose(near_halves(rng, p_product, (2, 2, degree)), p.basis.moduli))
    agree("divide_and_round", q, (2, 2), x, rest, testing.DivideAndRound(q, p))
    for lift in (testing.Lift.fast, testing.Lift.centred):
        agree("convert", p, (2, 2), x, testing.BaseConversion(q.basis, p.basis, lift))

    m_tilde, t = testing.behz_m_tilde(word), 65537
    plain = ring_of(word, degree, [t])
    gamma = (1 << 31) - 1 if word == 32 else (1 << 61) - 1
    agree("scale_to_plain", plain, (2, 2), x, testing.PlainScale(q, plain, gamma))
    auxiliary = testing.behz_auxiliary_basis(q.basis, degree, t, m_tilde, moduli[:3])
    b_sk = ring_of(word, degree, auxiliary.moduli)
    agree("behz_lift", b_sk, (2, 2), x, testing.BehzLift(q, b_sk, m_tilde))
    scale = testing.BehzScale(q, b_sk, t)
    agree("behz_scale", q, (2, 2), put(HOST, scale.joined, random_residues(rng, scale.joined, 2, 2)), scale)


@EACH
def test_key_switches(rng: np.random.Generator, word: int, degree: int) -> None:
    """Digits of one and of two primes, no, one and two special primes; operands and results in both domains."""
    moduli = transform_primes(word, degree, 6)
    if word == 64 and degree > 8:
        moduli[1] = some_primes(40, 2 * degree, 1)[0]  # a prime that is much shorter than the others
    q = ring_of(word, degree, moduli[:4])
    c, addend = random_residues(rng, q, 3, 1), random_residues(rng, q, 3, 2)
    c[0] = extreme_residues(q, 1, 1)[0]
    for special, per_digit, preserved in [(0, 1, 1), (1, 1, 1), (1, 1, 65537), (2, 2, 1), (2, 3, 257)]:
        p = ring_of(word, degree, moduli[4 : 4 + special]) if special else None
        step = testing.KeySwitchConstants(q, p, per_digit, preserved)
        key = put(HOST, step.key_ring, random_residues(rng, step.key_ring, step.digits, 2), TRANSFORM)
        for domain in (testing.Domain.coefficient, TRANSFORM):
            for operand in (testing.Domain.coefficient, TRANSFORM):
                x = put(HOST, q, c, operand)
                agree("key_switch", q, (3, 2), x, key, step, domain=domain)
            for parts in (1, 2):
                extra = put(HOST, q, addend[:, :parts], domain)
                agree("key_switch", q, (3, 2), x, key, step, extra, domain=domain)
