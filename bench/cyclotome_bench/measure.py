# SPDX-License-Identifier: Apache-2.0
"""Measuring a plan, cell by cell; every time is that of a result that was decrypted and compared with NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cyclotome import _core
from cyclotome.reporting import Task

from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.timing import Budget, Clock, Timing, alternate, beside
from cyclotome_bench.peers.foreign import ForeignPeers
from cyclotome_bench.peers.ours import Ours
from cyclotome_bench.peers.peer_process import PeerProcesses, peer_memory
from cyclotome_bench.peers.seal import Seal
from cyclotome_bench.plans import BATCHED, Plan
from cyclotome_bench.reports.cells import compared, timed
from cyclotome_bench.reports.report import Record, key_fields, key_of
from cyclotome_bench.sets import Chain, Problem
from cyclotome_bench.transforms import Transform, measure_transform

__all__ = ["head_of", "measure", "times", "transform_head"]

#: Whose peak memory is told.
_MEASURED_MEMORY = ("multiply", "multiply_relinearize")
#: Work of the peer's processes in one sample, against the pipes' latency.
_BATCH_SAMPLE_SECONDS = 0.02

_Known = set[tuple[Any, ...]]
_Cell = Callable[[], list[Record]]


def measure(plan: Plan, peer: bool, known: _Known | None = None, programs: Sequence[Path] = ()) -> Iterator[Record]:
    """Measures what `known` does not hold yet, and gives each record when it is done.

    Args:
        plan: what to measure.
        peer: whether to run SEAL too (`seal_available`).
        known: keys (`Report.keys`) of records that an earlier run made.
        programs: of other libraries (`ForeignPeer`), asked for single ciphertexts on one thread.

    Raises:
        WrongResultError: a timed operation gave a wrong result.
        PeerError: a program can't be started, or ended early. One that refuses a problem has that in the records.

    Reports progress as `cyclotome.progress` describes, in cells.
    """
    known = known or set()
    engines = {threads: _core.CpuEngine(threads) for threads in {1, plan.threads}}
    stages = [stage for problem in plan.problems for stage in _stages(plan, problem)]
    task = Task("measuring", sum(len(stage.operations) for stage in stages) + len(plan.transforms))
    for transform in plan.transforms:
        if not {key_of(record) for record in _transform_heads(transform)} <= known:
            yield from _transform_records(transform, peer, plan.budget)
        task.advance()
    for stage in stages:
        missing = [op for op in stage.operations if any(key_of(h) not in known for h in stage.heads(op))]
        task.advance(len(stage.operations) - len(missing))
        if not missing:
            continue
        for records in stage.run(missing, engines[stage.threads], peer, plan.budget, programs):
            yield from (record for record in records if key_of(record) not in known)
            task.advance()


def head_of(problem: Problem, chain: Chain, operation: str, engine: str, threads: int, batch: int) -> Record:
    """What is known of a record before it is measured."""
    return {
        "operation": operation,
        "scheme": problem.scheme,
        "set": problem.name,
        "paper": problem.paper,
        "degree": problem.degree,
        "log_q": problem.log_q,
        "plain_modulus": problem.plain_modulus,
        "secure": problem.secure,
        "chain": chain.name,
        "primes": len(chain.moduli),
        "special_primes": len(chain.special_moduli),
        "log_q_ciphertext": round(chain.modulus_bits, 1),
        "log_q_key": round(chain.key_modulus_bits, 1),
        "engine": engine,
        "word": chain.word,
        "threads": threads,
        "batch": batch,
    }


class _Stage:
    """One problem on some threads: all its operations share keys and operands."""

    def __init__(
        self, problem: Problem, chains: Sequence[Chain], operations: Sequence[str], threads: int, batch: int
    ) -> None:
        self.problem, self.chains, self.operations = problem, chains, operations
        self.threads, self.batch = threads, batch

    def head(self, chain: Chain, operation: str) -> Record:
        """What is known of a record before it is measured."""
        return head_of(self.problem, chain, operation, "cpu", self.threads, self.batch)

    def heads(self, operation: str) -> list[Record]:
        return [self.head(chain, operation) for chain in self.chains]

    def run(
        self, operations: Sequence[str], engine: _core.CpuEngine, peer: bool, budget: Budget, programs: Sequence[Path]
    ) -> Iterator[list[Record]]:
        """The records of each operation, one for each chain; of several threads or processes by the wall."""
        budget = replace(budget, clock=Clock.THREAD if self.threads == 1 else Clock.WALL)
        budget = beside(budget) if peer or programs else budget
        ours = [Ours(self.problem, chain, engine, self.batch) for chain in self.chains]
        if self.batch == 1:
            seal = Seal(self.problem) if peer else None
            with ForeignPeers(programs if self.threads == 1 else (), self.problem) as others:
                for operation in operations:
                    yield self._alternated(operation, ours, seal, others, budget)
        elif not peer:
            for operation in operations:
                timings = alternate([o.operations[operation] for o in ours], budget)
                yield self._records(operation, ours, timings, None, {})
        else:
            with PeerProcesses(self.problem, self.batch) as processes:
                for operation in operations:
                    yield self._batched(operation, ours, processes, budget)

    def _alternated(
        self, operation: str, ours: list[Ours], seal: Seal | None, others: ForeignPeers, budget: Budget
    ) -> list[Record]:
        asked = others.doing(operation)
        actions: list[Any] = [contestant.operations[operation] for contestant in ours]
        actions += [contestant.operations[operation] for contestant in asked]
        in_seal = seal is not None and operation in seal.operations
        if seal is not None and in_seal:
            actions.append(seal.operations[operation])
        timings = alternate(actions, budget)
        theirs: Timing | None = None
        extra: Record = {}
        if seal is not None and in_seal:
            theirs = timings.pop()
            facts = {**seal.verify(operation, theirs.result), **seal.sizes()}
            extra = {f"peer_{name}": value for name, value in facts.items()}
            extra["peer_threads"] = 1
            if self.threads == 1 and operation in _MEASURED_MEMORY:
                extra["peer_peak_bytes"] = peer_memory(self.problem, operation)
        if asked or others.refusals:
            pairs = zip(asked, timings[len(ours) :], strict=True)
            extra["others"] = others.refusals | {
                peer.library: {**timed(timing), **peer.facts(operation)} for peer, timing in pairs
            }
        return self._records(operation, ours, timings[: len(ours)], theirs, extra)

    def _batched(self, operation: str, ours: list[Ours], processes: PeerProcesses, budget: Budget) -> list[Record]:
        """One call on a batch against as many processes of the peer at once."""
        actions = [o.operations[operation] for o in ours]
        once = alternate(actions[:1], Budget(seconds=0, fewest=1, clock=budget.clock))[0].median / 1e6
        loops = max(1, math.ceil(_BATCH_SAMPLE_SECONDS / max(once, 1e-6)))

        def theirs() -> None:
            processes.run(operation, loops)

        def repeated(action: Callable[[], Any]) -> Callable[[], Any]:
            def run() -> Any:
                for _ in range(loops - 1):
                    action()
                return action()

            return run

        *timings, peer = alternate([*map(repeated, actions), theirs], replace(budget, sample_seconds=0))
        for timing in (*timings, peer):
            timing.samples = [sample / loops for sample in timing.samples]
        return self._records(operation, ours, timings, peer, {"peer_threads": self.batch})

    def _records(
        self, operation: str, ours: list[Ours], timings: Sequence[Timing], theirs: Timing | None, extra: Record
    ) -> list[Record]:
        records = []
        for contestant, timing in zip(ours, timings, strict=True):
            record = {**self.head(contestant.chain, operation), **times(timing, theirs)}
            record |= contestant.verify(operation, timing.result) | contestant.sizes() | extra
            if self.threads == 1 and operation in _MEASURED_MEMORY:
                record |= contestant.memory(operation)
            records.append(record)
        return records


def _stages(plan: Plan, problem: Problem) -> list[_Stage]:
    stages = [_Stage(problem, problem.chains, problem.operations, 1, 1)]
    if plan.threads > 1 and problem.paper is None:
        first = problem.chains[:1]
        batched = [operation for operation in BATCHED if operation in problem.operations]
        stages.append(_Stage(problem, first, problem.operations, plan.threads, 1))
        stages.append(_Stage(problem, first, batched, plan.threads, plan.threads))
    return stages


def times(ours: Timing, theirs: Timing | None, kind: Kind | None = None) -> Record:
    """The fields of a record that hold times; ratio > 1 means that ours is faster. `kind`: where the clock alone does
    not tell."""
    return {**timed(ours, kind), **compared(ours, theirs)}


def transform_head(transform: Transform, operation: str, engine: str, limbs: int = 1) -> Record:
    """The same of a transform of so many polynomials at once."""
    name, sizes = f"transform-{transform.bits}", (transform.degree, transform.word, transform.bits)
    return key_fields(name, None, operation, *sizes, chain="same", engine=engine, batch=limbs)


def _transform_heads(transform: Transform) -> list[Record]:
    return [transform_head(transform, operation, "cpu") for operation in ("ntt", "intt")]


def _transform_records(transform: Transform, peer: bool, budget: Budget) -> list[Record]:
    budget = replace(budget, seconds=budget.seconds / 2, clock=Clock.THREAD)
    timings = measure_transform(transform, peer, beside(budget) if peer else budget)
    return [{**head, **times(*timings[head["operation"]])} for head in _transform_heads(transform)]
