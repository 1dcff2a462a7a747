# SPDX-License-Identifier: Apache-2.0
"""How the benchmark times, what it takes for right, and which parameters compete."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from cyclotome.errors import ArgumentError, ParameterError
from cyclotome_bench.applications.ltv_plans import make_ltv_plan
from cyclotome_bench.depth import make_depth_plan
from cyclotome_bench.fermat.plans import make_fermat_plan
from cyclotome_bench.functions import make_functions_plan
from cyclotome_bench.instruction_sets import make_instruction_sets_plan
from cyclotome_bench.machine import machine
from cyclotome_bench.machine.timing import Budget, Clock, Timing, alternate, beside, clock_of
from cyclotome_bench.papers.device_plans import make_device_plan
from cyclotome_bench.peers.truth import Truth
from cyclotome_bench.plans import make_plan
from cyclotome_bench.products.matrix_products import make_matrix_plan
from cyclotome_bench.products.plans import make_product_plan
from cyclotome_bench.reports.cells import compared
from cyclotome_bench.sets import OPERATIONS, paper_problems, seal_problems, small_problem, spread
from oracles.negacyclic import automorphism, schoolbook

ONE_RUN = Budget(seconds=0, fewest=4, most=4, sample_seconds=0)


def test_contestants_take_turns_and_order_alternates() -> None:
    calls: list[str] = []
    timings = alternate([lambda: calls.append("a"), lambda: calls.append("b")], ONE_RUN)
    assert calls[:4] == ["a", "a", "b", "b"]  # warm-up, and how long one takes
    assert calls[4:] == ["a", "b", "b", "a", "a", "b", "b", "a"]
    assert [len(timing.samples) for timing in timings] == [4, 4]


def test_rounds_end_with_the_budget_but_not_before_the_fewest() -> None:
    slow = alternate([lambda: time.sleep(0.02)], Budget(seconds=0.01, fewest=3, most=50, clock=Clock.WALL))[0]
    assert len(slow.samples) == 3
    fast = alternate([lambda: None], Budget(seconds=10, fewest=1, most=5, sample_seconds=1e-5))[0]
    assert len(fast.samples) == 5


def test_times_are_microseconds_of_one_run() -> None:
    timing = alternate([lambda: time.sleep(0.004)], Budget(seconds=0.05, sample_seconds=0.01, clock=Clock.WALL))[0]
    assert 4000 <= timing.least <= timing.median <= timing.most
    assert Timing([3.0, 1.0, 2.0]).median == 2.0


def test_a_threads_clock_counts_what_it_computes_and_no_waiting() -> None:
    def waits() -> int:
        time.sleep(0.02)
        return sum(range(2000))

    budget = Budget(seconds=0, fewest=3, most=3, sample_seconds=0)
    (own,), (wall,) = alternate([waits], budget), alternate([waits], replace(budget, clock=Clock.WALL))
    assert (own.clock, wall.clock) == (Clock.THREAD, Clock.WALL)
    assert wall.least >= 20_000 and own.least < 10_000, "sleeping is others' time, as their turns are"


def busy(seconds: float) -> subprocess.Popen[bytes]:
    """A process that computes, and ends by itself."""
    code = f"import time\nend = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass"
    return subprocess.Popen([sys.executable, "-S", "-c", code])


def test_a_busy_machine_makes_no_other_ratio() -> None:
    """Work of which one side is four times the other, while five processes want each core."""
    others = [busy(20) for _ in range(5 * machine.cores())]
    try:
        actions = [lambda: sum(range(20_000)), lambda: sum(range(80_000))]
        ours, theirs = alternate(actions, Budget(seconds=0.5, fewest=15, most=15))
    finally:
        for other in others:
            other.kill()
            other.wait()
    found = compared(ours, theirs)
    assert found["ratio"] is None or 3 < found["ratio"] < 5.5, found


def test_what_times_each_device() -> None:
    assert clock_of("cpu:1") is Clock.THREAD
    assert {clock_of(device) for device in ("cpu", "cpu:2", "cuda:0", "fpga:sim")} == {Clock.WALL}
    assert [clock.kind.value for clock in Clock] == ["measured", "measured", "wall clock"]


def test_sides_of_a_ratio_get_more_samples() -> None:
    assert beside(Budget(fewest=2)).fewest == 5 and beside(Budget(fewest=7)).fewest == 7
    assert beside(Budget(fewest=1, most=2)).fewest == 2, "no more than there may be"


def test_percentiles_lie_between_samples() -> None:
    timing = Timing([5.0, 1.0, 2.0, 4.0, 3.0])
    assert [timing.percentile(p) for p in (0, 10, 25, 50, 90, 100)] == [1.0, 1.4, 2.0, 3.0, 4.6, 5.0]
    assert Timing([7.0]).percentile(90) == 7.0


def test_garbage_collection_is_off_while_timing_and_back_afterwards() -> None:
    seen: list[bool] = []
    alternate([lambda: seen.append(gc.isenabled())], ONE_RUN)
    assert seen and not any(seen) and gc.isenabled()


@pytest.mark.parametrize("slots", [True, False])
def test_expected_results_are_those_of_python_integers(slots: bool) -> None:
    problem = small_problem("bfv", slots)
    truth, n, t = Truth(problem), problem.degree, problem.plain_modulus
    x, y = truth.x.tolist(), truth.y.tolist()
    assert truth.expected("add").tolist() == [(a + b) % t for a, b in zip(x, y, strict=True)]
    if slots:
        product = [a * b % t for a, b in zip(x, y, strict=True)]
        rotated = x[1 : n // 2] + x[:1] + x[n // 2 + 1 :] + x[n // 2 : n // 2 + 1]
    else:
        product, rotated = schoolbook(x, y, t), automorphism(x, 3, t)
    for operation in ("multiply", "relinearize", "multiply_relinearize", "relinearization_key"):
        assert truth.expected(operation).tolist() == product
    assert truth.expected("rotate").tolist() == rotated
    assert np.abs(truth.centred(truth.x)).max() <= t // 2
    assert set(OPERATIONS) >= {"encrypt", "decrypt", "key_generation"}
    for operation in ("encrypt", "decrypt", "key_generation"):
        assert truth.expected(operation).tolist() == x


def test_chains_of_a_set_never_exceed_its_modulus_and_share_its_security() -> None:
    for problem in seal_problems(["bfv"], [4096, 8192, 16384, 32768]):
        same = problem.chains[0]
        assert same.moduli + same.special_moduli == problem.peer_moduli
        assert len({chain.name for chain in problem.chains}) == len(problem.chains) >= 2
        for chain in problem.chains:
            assert problem.log_q - 2 < chain.key_modulus_bits <= problem.log_q
            parameters = problem.parameters(chain)
            assert parameters.security_reached == 128
            assert max(chain.moduli).bit_length() <= (30 if chain.word == 32 else 60)


def test_sets_of_the_papers_have_their_degrees_and_moduli() -> None:
    table4 = [(p.degree, p.log_q, p.plain_modulus) for p in paper_problems("000")]
    assert table4 == [(2048, 62, 2), (4096, 186, 2), (8192, 372, 2), (16384, 744, 2)]
    for problem in paper_problems("000"):
        for chain in problem.chains:
            assert problem.log_q - 1 < chain.modulus_bits <= problem.log_q
    table7 = [(p.degree, p.log_q, p.plain_modulus) for p in paper_problems("001")]
    sizes = [(2048, 54), (4096, 109), (8192, 152), (8192, 218), (16384, 237), (32768, 496), (32768, 880)]
    assert table7 == [(n, bits, 1024) for n, bits in sizes]
    with pytest.raises(ParameterError, match="'002'"):
        paper_problems("002")


@pytest.mark.parametrize(
    ("bits", "widest", "expected"), [(62, 58, [31, 31]), (186, 50, [47, 47, 46, 46]), (37, 37, [37])]
)
def test_lengths_of_primes_are_even(bits: int, widest: int, expected: list[int]) -> None:
    assert spread(bits, widest) == expected


def test_plans_say_what_they_have() -> None:
    full = make_plan("full", threads=2)
    assert {p.name for p in full.problems} >= {"seal-4096", "seal-32768", "000-16384-744", "001-32768-880"}
    assert {t.degree for t in full.transforms} == {1 << i for i in range(11, 18)}
    assert [p.name for p in full.restricted(["seal-8192"], ["bfv"]).problems] == ["seal-8192"]
    assert full.restricted([], []) == full
    assert full.restricted(["transforms"], []).problems == ()
    assert full.restricted(["seal-8192"], ["bgv"]).name == "full (seal-8192, bgv only)"
    for wrong in (
        lambda: make_plan("fast"),
        lambda: make_plan("quick", seconds=0),
        lambda: make_plan("quick", threads=0),
        lambda: full.restricted(["seal-1"], []),
        lambda: full.restricted([], ["ckks"]),
    ):
        with pytest.raises(ArgumentError):
            wrong()


PLANS: dict[str, Callable[[float], object]] = {
    "quick": lambda seconds: make_plan("quick", seconds),
    "device": lambda seconds: make_device_plan("quick", "cpu:1", seconds),
    "depth": lambda seconds: make_depth_plan(True, seconds),
    "functions": lambda seconds: make_functions_plan(True, seconds),
    "instruction sets": lambda seconds: make_instruction_sets_plan(True, seconds),
    "matrices": lambda seconds: make_matrix_plan(True, seconds),
    "paper 002": lambda seconds: make_ltv_plan(True, seconds),
    "paper 003": lambda seconds: make_fermat_plan(True, seconds=seconds),
    "paper 004": lambda seconds: make_product_plan(True, seconds),
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seconds", [0, 0.0, -1, -0.5])
def test_every_plan_refuses_times_that_are_not_positive(name: str, seconds: float) -> None:
    assert PLANS[name](1e-9) is not None
    with pytest.raises(ArgumentError, match=f"{seconds} seconds for a cell"):
        PLANS[name](seconds)
