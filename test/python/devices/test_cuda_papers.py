# SPDX-License-Identifier: Apache-2.0
"""What papers 000 and 001 time on a GPU beside transforms: the same numbers as on a core, and times by events."""

from __future__ import annotations

import random
import secrets

import numpy as np
import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError
from cyclotome.parameters.parameters import find_primes
from cyclotome_study.crt import Crt
from cyclotome_study.laws import BINARY, TERNARY, ZERO_ONE, box_muller, inverse_cdf
from devices import needs_gpu

PRIME = 984481793


@needs_gpu
@pytest.mark.parametrize("limbs", [1, 3, 25, 64])
def test_integers_come_back_every_way(limbs: int) -> None:
    seed = secrets.randbits(64)
    print("seed", seed)
    rng, n = random.Random(seed), 1024
    step = Crt(find_primes(n, [30] * limbs), n, "cuda")
    integers = [rng.randrange(step.modulus) for _ in range(n)]
    integers[:4] = [step.modulus - 1, 0, step.moduli[0] % step.modulus, step.modulus // 2]
    residues = step.decompose(integers)
    assert residues.tolist() == [[x % p for x in integers] for p in step.moduli]
    for how in ("garner", "division", "subtraction"):
        assert step.reconstruct(residues, how) == integers, how  # type: ignore[arg-type]
        assert 0 < step.nanoseconds(how) < 1e9  # type: ignore[arg-type]
    assert 0 < step.nanoseconds("decompose") < 1e9


@needs_gpu
def test_reductions_equal_pythons_remainder() -> None:
    rng = random.Random(7)
    integers = [rng.getrandbits(62) for _ in range(5000)] + [0, PRIME - 1, PRIME, (1 << 62) - 1]
    step = _core.WordReductions(_core.cuda_engine(0), integers, PRIME)
    for how in ("division", "nfllib", "barrett"):
        assert step.reduced(how) == [x % PRIME for x in integers]
        assert step.nanoseconds(how, 20) > 0


@needs_gpu
def test_numbers_are_those_of_a_core() -> None:
    """Single precision rounds a number in some hundred thousand the other way."""
    seed, count = bytes(range(32)), 100_003
    engine = _core.cuda_engine(0)
    for law in (BINARY, ZERO_ONE, inverse_cdf(3.2), box_muller(8), box_muller(8, 48), box_muller(8, 8)):
        here = law.draw(count, seed=seed)
        there = np.array(_core.draw_on(engine, law.name, law.deviation, law.bound, seed, count), np.int32)
        if law.bound == 8:  # what is drawn again comes from elsewhere
            assert np.abs(there).max() == 8
            assert there.std() == pytest.approx(here.std(), rel=0.02)
            continue
        assert (here != there).mean() < (1e-3 if law.deviation else 1e-9), law
        assert law.nanoseconds(1 << 16, 5, "cuda:0") > 0
    with pytest.raises(ArgumentError, match="Engine::sample"):
        _core.draw_on(engine, TERNARY.name, 0, 0, seed, 10)
    with pytest.raises(ArgumentError, match="deviation"):
        _core.draw_on(engine, "box-muller", 0, 0, seed, 10)


@needs_gpu
def test_event_times_leave_launches_out() -> None:
    """A transform of 2^11 takes less on the card than a launch takes the host, and more of them take longer."""
    engine = _core.cuda_engine(0)
    small = _core.transform_nanoseconds(engine, 32, find_primes(2048, [30]), 2048, False, 100)
    large = _core.transform_nanoseconds(engine, 64, find_primes(65536, [60] * 8), 65536, True, 100)
    assert 0 < small < 20_000 and small < large
    with pytest.raises(ArgumentError, match="repetitions"):
        _core.transform_nanoseconds(engine, 32, find_primes(2048, [30]), 2048, False, 0)


@needs_gpu
def test_a_profile_on_a_gpu_counts_every_kind_of_work() -> None:
    from cyclotome_bench.machine.timing import Budget
    from cyclotome_bench.papers.kernels import shares

    key, encrypt, decrypt = shares("cuda:0", Budget(fewest=1), ("001-8192-218",))
    assert key["share_uniform"] > 0 and encrypt["share_gaussian"] > 0 and decrypt["share_polynomials"] > 0
