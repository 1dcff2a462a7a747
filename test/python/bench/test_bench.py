# SPDX-License-Identifier: Apache-2.0
"""The benchmark at its smallest: what it times is right, and it fails when something is wrong."""

from __future__ import annotations

import doctest
from dataclasses import replace
from typing import Any

import cyclotome_bench
import pytest
from cyclotome import _core
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.measure import measure
from cyclotome_bench.peers.ours import Ours
from cyclotome_bench.peers.peer_process import PeerProcesses
from cyclotome_bench.peers.seal import PeerError, Seal, SealTransform, seal_available
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.plans import BATCHED, Plan, make_plan
from cyclotome_bench.reports.report import REQUIRED, Record, key_of
from cyclotome_bench.sets import OPERATIONS, Problem, scheme_available, small_problem
from cyclotome_bench.transforms import Transform, measure_transform, verify_transform

SCHEMES = [scheme for scheme in ("bfv", "bgv") if scheme_available(scheme)]
PROBLEMS = [*(small_problem(scheme) for scheme in SCHEMES), small_problem("bfv", slots=False)]
BUDGET = Budget(seconds=0, fewest=1, most=1, sample_seconds=0)

needs_seal = pytest.mark.skipif(not seal_available(), reason="tenseal has no wheel for this Python")


def tiny(problem: Problem, threads: int) -> Plan:
    return Plan("tiny", (problem,), (), threads, BUDGET)


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Every set and scheme of the quick plan, on one thread and two, and one transform of each kind."""
    plan = replace(make_plan("quick", threads=2), budget=BUDGET)
    return list(measure(plan, peer=seal_available()))


@pytest.mark.slow
def test_records_have_their_fields_and_consistent_times(records: list[Record]) -> None:
    assert len({key_of(record) for record in records}) == len(records)
    for record in records:
        assert set(REQUIRED) <= record.keys()
        assert 0 < record["min_us"] <= record["median_us"] <= record["max_us"]
        compared = seal_available() and record["operation"] not in ("encode", "decode")
        assert (record["peer"] == "SEAL") is compared
        assert (record["ratio"] is None) is (not compared or "no_ratio" in record)
        assert record["kind"] == ("measured" if record["threads"] == 1 else "wall clock")
        if record["ratio"] is not None:
            assert record["ratio"] == pytest.approx(record["peer_median_us"] / record["median_us"], rel=0.02, abs=1e-3)


@pytest.mark.slow
def test_all_operations_are_measured_in_every_scheme_chain_and_number_of_threads(records: list[Record]) -> None:
    for problem in PROBLEMS:
        for chain in problem.chains:
            found = {
                (r["operation"], r["threads"], r["batch"])
                for r in records
                if (r["set"], r["scheme"], r["chain"]) == (problem.name, problem.scheme, chain.name)
            }
            wanted = {(operation, 1, 1) for operation in OPERATIONS}
            if chain is problem.chains[0]:
                wanted |= {(operation, 2, 1) for operation in OPERATIONS} | {(op, 2, 2) for op in BATCHED}
            assert found == wanted
    single = {(r["operation"], r["log_q"], r["word"]) for r in records if r["scheme"] is None}
    assert single == {(op, bits, w) for op in ("ntt", "intt") for bits, w in ((30, 32), (30, 64), (50, 64), (60, 64))}


@pytest.mark.slow
@needs_seal
def test_both_sides_leave_about_the_same_noise_on_the_same_primes(records: list[Record]) -> None:
    compared = [r for r in records if r["chain"] == "same" and "noise_left" in r and "peer_noise_left" in r]
    assert compared
    for record in compared:
        assert abs(record["noise_left"] - record["peer_noise_left"]) <= 8, record


@pytest.mark.slow
def test_bytes_and_peak_memory_are_told(records: list[Record]) -> None:
    products = [r for r in records if r["operation"] == "multiply" and r["threads"] == 1]
    assert products
    for record in products:
        polynomial = record["degree"] * record["word"] // 8
        assert record["ciphertext_bytes"] == 2 * record["primes"] * polynomial
        assert record["public_key_bytes"] == 2 * (record["primes"] + record["special_primes"]) * polynomial
        assert record["operands_bytes"] == 2 * record["ciphertext_bytes"]
        together = record["operands_bytes"] + record["result_bytes"]
        assert together <= record["peak_bytes"] <= 4 * together
        assert record.get("peer_peak_bytes") is None or record["peer_peak_bytes"] >= record["peer_ciphertext_bytes"]


@pytest.mark.slow
def test_what_is_known_is_not_measured_again(records: list[Record]) -> None:
    plan = replace(make_plan("quick", threads=2), budget=BUDGET)
    assert list(measure(plan, False, {key_of(record) for record in records})) == []
    missing = [r for r in records if (r["set"], r["scheme"], r["operation"]) == ("small", "bfv", "add")]
    known = {key_of(record) for record in records} - {key_of(record) for record in missing}
    again = list(measure(plan, False, known))
    assert [key_of(record) for record in again] == [key_of(record) for record in missing]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: f"{problem.scheme}-{problem.name}")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_wrong_result_is_refused(problem: Problem, operation: str) -> None:
    contestants: list[Any] = [Ours(problem, problem.chains[0], _core.CpuEngine(1))]
    contestants += [Seal(problem)] if seal_available() else []
    for contestant in contestants:
        if operation not in contestant.operations:
            assert isinstance(contestant, Seal) and operation in ("encode", "decode")
            continue
        right = contestant.operations[operation]()
        contestant.verify(operation, right)
        contestant.truth.x = (contestant.truth.x + 1) % problem.plain_modulus  # so that the right result is wrong
        with pytest.raises(WrongResultError, match=operation):
            contestant.verify(operation, right)


def test_an_operation_that_computes_something_else_stops_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "add", lambda x, y: x)
    with pytest.raises(WrongResultError, match="cyclotome computed add wrongly on bfv small"):
        list(measure(tiny(PROBLEMS[0], 1), peer=False))


class Idle:
    """A transform that does nothing."""

    def __init__(self) -> None:
        self.values: list[int] = []

    def load(self, residues: list[int]) -> None:
        self.values = residues

    def residues(self) -> list[int]:
        return self.values

    def forward(self, repetitions: int) -> int:
        return repetitions

    inverse = forward


@pytest.mark.parametrize(("bits", "word"), [(30, 32), (30, 64), (50, 64), (60, 64)])
def test_transforms_are_checked_against_their_definition(bits: int, word: int) -> None:
    transform = Transform(1024, bits, word)
    verify_transform(_core.TransformBench(_core.CpuEngine(1), word, [transform.modulus], 1024), transform)
    idle: Any = Idle()
    with pytest.raises(WrongResultError, match="transform of length 1024"):
        verify_transform(idle, transform)


@needs_seal
def test_a_wrong_transform_of_the_peer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SealTransform, "intact", lambda self: False)
    with pytest.raises(WrongResultError, match="SEAL's transform of length 1024"):
        measure_transform(Transform(1024, 30, 64), True, BUDGET)
    other = SealTransform(1024, Transform(1024, 30, 64).modulus)
    monkeypatch.undo()
    assert other.intact()
    other.polynomials = SealTransform(1024, Transform(1024, 30, 64).modulus).polynomials  # of another key
    assert not other.intact()


@needs_seal
def test_peer_processes_work_and_end() -> None:
    problem = PROBLEMS[0]
    with PeerProcesses(problem, 2) as processes:
        processes.run("multiply_relinearize", 2)
        growth = processes.memory("multiply")
        running = list(processes.processes)
    assert growth is None or growth > 0
    assert [process.returncode for process in running] == [0, 0]
    refused = replace(problem, peer_moduli=(15,))
    with pytest.raises(PeerError, match="ended with code"), PeerProcesses(refused, 1):
        pass


def test_the_example_in_the_documentation_runs() -> None:
    failures, attempted = doctest.testmod(cyclotome_bench)
    assert failures == 0 < attempted
