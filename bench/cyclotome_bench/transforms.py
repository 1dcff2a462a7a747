# SPDX-License-Identifier: Apache-2.0
"""The number-theoretic transform alone: one polynomial modulo one prime, forward and back."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from cyclotome import _core
from cyclotome.parameters.parameters import find_primes

from cyclotome_bench.machine.timing import Budget, Timing, quiet
from cyclotome_bench.peers.seal import SealTransform
from cyclotome_bench.peers.truth import WrongResultError

__all__ = ["Transform", "measure_transform", "transforms", "verify_transform"]

#: Evaluation points at which the transform is compared with Horner's rule in Python integers.
_CHECKED_POINTS = 2


@dataclass(frozen=True)
class Transform:
    """A transform of length n = `degree` modulo the largest suitable prime of `bits` bits, in words of `word` bits."""

    degree: int
    bits: int
    word: int

    @property
    def modulus(self) -> int:
        return find_primes(self.degree, [self.bits])[0]


def transforms(log_degrees: range) -> list[Transform]:
    """30-bit primes in 32-bit words, and 30-, 50- and 60-bit primes in 64-bit words, for each n = 2^log_degree."""
    return [
        Transform(1 << log_degree, bits, word)
        for log_degree in log_degrees
        for bits, word in ((30, 32), (30, 64), (50, 64), (60, 64))
    ]


def verify_transform(bench: _core.TransformBench, transform: Transform) -> None:
    """Compares a transform with its definition, and checks that the inverse undoes it.

    The transform of x lists the points of evaluation; they must be n different roots of x^n + 1. The transform of
    random coefficients must then be their values at these points.

    Raises:
        WrongResultError: it is wrong.
    """
    n, q = transform.degree, transform.modulus
    bench.load([0, 1] + [0] * (n - 2))
    bench.forward(1)
    points = bench.residues()
    right = len(set(points)) == n
    rng = np.random.default_rng(n)
    coefficients = rng.integers(0, q, n).tolist()
    bench.load(coefficients)
    bench.forward(1)
    values = bench.residues()
    for k in rng.integers(0, n, _CHECKED_POINTS).tolist():
        value = 0
        for coefficient in reversed(coefficients):
            value = (value * points[k] + coefficient) % q
        right &= pow(points[k], n, q) == q - 1 and values[k] == value
    bench.inverse(1)
    right &= bench.residues() == coefficients
    if not right:
        raise WrongResultError(
            f"the transform of length {n} modulo {q} in {transform.word}-bit words is wrong; run `cyclotome doctor` "
            "and the tests"
        )


def measure_transform(transform: Transform, peer: bool, budget: Budget) -> dict[str, tuple[Timing, Timing | None]]:
    """Times "ntt" and "intt", ours and the peer's in alternation, per transform in microseconds of one thread's time.

    Ours is timed inside C++. SEAL transforms two polynomials a call from Python, which costs it less than 1 us.

    Raises:
        WrongResultError: ours, or the peer's, is wrong.
    """
    bench = _core.TransformBench(_core.CpuEngine(1), transform.word, [transform.modulus], transform.degree)
    verify_transform(bench, transform)
    seal = SealTransform(transform.degree, transform.modulus) if peer else None
    ours = {"ntt": Timing(), "intt": Timing()}
    theirs = {"ntt": Timing(), "intt": Timing()}
    with quiet():
        once = bench.forward(3) / 3
        repetitions = max(1, round(budget.sample_seconds * 1e9 / max(once, 1)))
        pairs = max(1, repetitions // 8)
        start = time.perf_counter()
        for done in range(budget.most):
            if done >= budget.fewest and time.perf_counter() - start >= budget.seconds:
                break
            ours["ntt"].samples.append(bench.forward(repetitions) / repetitions / 1000)
            ours["intt"].samples.append(bench.inverse(repetitions) / repetitions / 1000)
            if seal is not None:
                _sample_pairs(seal, pairs, theirs)
    if seal is not None and not seal.intact():
        raise WrongResultError(f"SEAL's transform of length {transform.degree} modulo {transform.modulus} is wrong")
    return {name: (ours[name], theirs[name] if seal is not None else None) for name in ours}


def _sample_pairs(seal: SealTransform, pairs: int, timings: dict[str, Timing]) -> None:
    """One sample of each direction: a polynomial has to come back before it can be transformed again."""
    forward = inverse = 0
    for _ in range(pairs):
        start = time.thread_time_ns()
        seal.forward()
        middle = time.thread_time_ns()
        seal.inverse()
        inverse += time.thread_time_ns() - middle
        forward += middle - start
    timings["ntt"].samples.append(forward / pairs / seal.transforms / 1000)
    timings["intt"].samples.append(inverse / pairs / seal.transforms / 1000)
