# SPDX-License-Identifier: Apache-2.0
"""Integers as residues and back, and paper 000's reductions, against Python's integers."""

from __future__ import annotations

import doctest
import random
import secrets

import numpy as np
import pytest
from cyclotome import _core, errors
from cyclotome.parameters.parameters import find_primes
from cyclotome_study import crt
from cyclotome_study.crt import Crt

PRIME = 984481793


def seeded() -> random.Random:
    seed = secrets.randbits(64)
    print("seed", seed)
    return random.Random(seed)


@pytest.mark.parametrize("limbs", [1, 2, 3, 7, 25, 64])
def test_integers_come_back_every_way(limbs: int) -> None:
    """The largest integer, those next to multiples of each modulus, and those the paper's code gets wrong (000-7)."""
    rng, n = seeded(), 256
    step = Crt(find_primes(n, [30] * limbs), n)
    q = step.modulus
    integers = [rng.randrange(q) for _ in range(n)]
    worst = [0, 1, q - 1, q // 2, q // 2 + 1, q - step.moduli[0], step.moduli[0] * rng.randrange(q // step.moduli[0])]
    integers[: len(worst)] = worst
    integers[20:30] = [rng.randrange(q) >> 32 << 32 for _ in range(10)]
    integers[30:40] = [q // p * rng.randrange(p) for p in rng.choices(step.moduli, k=10)]
    residues = step.decompose(integers)
    assert residues.tolist() == [[x % p for x in integers] for p in step.moduli]
    for how in ("garner", "division", "subtraction"):
        assert step.reconstruct(residues, how) == integers, how  # type: ignore[arg-type]


def test_moduli_of_mixed_sizes_and_wide_words() -> None:
    """The top word of the product full, nearly empty, and one bit long: what normalisation shifts."""
    rng, n = seeded(), 64
    for moduli in ([2147483647, 4, 2147483629, 9, 2147483587], [3, 5], [2147483647], [65537, 65539, 9], [2**31 - 1, 8]):
        step = Crt(moduli, n)
        integers = [rng.randrange(step.modulus) for _ in range(n)]
        integers[:2] = [step.modulus - 1, 0]
        residues = step.decompose(integers)
        for how in ("garner", "division", "subtraction"):
            assert step.reconstruct(residues, how) == integers, (moduli, how)  # type: ignore[arg-type]
    wide = Crt(find_primes(n, [61, 61, 40]), n)
    integers = [rng.getrandbits(700) for _ in range(n)]
    residues = wide.decompose(integers)
    assert residues.tolist() == [[x % p for x in integers] for p in wide.moduli]
    assert wide.reconstruct(residues) == [x % wide.modulus for x in integers]
    with pytest.raises(errors.ParameterError, match="32-bit words"):
        wide.reconstruct(residues, "division")


def test_bad_input_is_refused() -> None:
    step = Crt([40961, 65537], 4)
    with pytest.raises(errors.ArgumentError, match="4 are needed"):
        step.decompose([1, 2, 3])
    with pytest.raises(errors.ArgumentError, match="none below 0"):
        step.decompose([1, 2, 3, -1])
    with pytest.raises(errors.ArgumentError, match="shape"):
        step.reconstruct(np.zeros((2, 3), np.uint64))
    with pytest.raises(errors.RangeError):
        step.reconstruct(np.full((2, 4), 65537, np.uint64))
    with pytest.raises(errors.ArgumentError, match="no reconstruction"):
        step.reconstruct(np.zeros((2, 4), np.uint64), "euclid")  # type: ignore[arg-type]
    with pytest.raises(errors.ParameterError, match="up to 64"):
        many = Crt(find_primes(64, [30] * 65), 64)
        many.reconstruct(np.zeros((65, 64), np.uint64), "subtraction")
    with pytest.raises(errors.ArgumentError, match="repetitions"):
        step.nanoseconds("decompose", 0)
    assert "2 moduli, 32 bits" in repr(step)
    with pytest.raises(errors.ArgumentError, match="8 bytes"):
        _core.Residues(_core.CpuEngine(1), 32, [40961], 4).set_integers(bytes(9))


def test_reductions_equal_pythons_remainder() -> None:
    """Integers next to multiples of p from 0 to 2^62, where an estimate is off by one if anywhere."""
    rng = seeded()
    near = [k * PRIME + d for k in (0, 1, 2, 2**32, (1 << 62) // PRIME - 1) for d in (-2, -1, 0, 1, 2)]
    integers = [x for x in near if x >= 0] + [(1 << 62) - 1, (1 << 32) - 1, ((1 << 30) - 1) << 32]
    integers += [rng.getrandbits(62) for _ in range(5000)]
    for p in (PRIME, 1073741789, 858993461):  # NFLlib's, and the ends of what its algorithm takes
        step = _core.WordReductions(_core.CpuEngine(1), integers, p)
        for how in ("division", "nfllib", "barrett"):
            assert step.reduced(how) == [x % p for x in integers], (p, how)
    with pytest.raises(errors.ArgumentError, match="62 bits"):
        _core.WordReductions(_core.CpuEngine(1), [1 << 62], PRIME)
    for p in (1 << 30, 858993457 - 2, 1073741824):
        with pytest.raises(errors.ArgumentError, match=f"{p}"):
            _core.WordReductions(_core.CpuEngine(1), [1], p)
    with pytest.raises(errors.ArgumentError, match="no reduction"):
        step.reduced("montgomery")


def test_the_documented_example_runs() -> None:
    result = doctest.testmod(crt)
    assert result.failed == 0 < result.attempted
