# SPDX-License-Identifier: Apache-2.0
"""Every instruction set of this machine beside SEAL: what `cyclotome bench --set instruction-sets` measures.

An engine is made for each set, the ones below the machine's best included, so that one run tells what other machines
get. All of them and SEAL take turns at one operation on one problem, on one thread, whose processor time is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cyclotome import _core
from cyclotome.errors import ArgumentError
from cyclotome.reporting import Task

from cyclotome_bench.machine.timing import Budget, alternate, beside, cell_seconds
from cyclotome_bench.measure import head_of, times
from cyclotome_bench.peers.ours import Ours
from cyclotome_bench.peers.seal import Seal
from cyclotome_bench.plans import Plan
from cyclotome_bench.reports.charts import Bars, Plot
from cyclotome_bench.reports.report import Record, key_of
from cyclotome_bench.reports.tables import Table, duration
from cyclotome_bench.reports.tables import times as times_text
from cyclotome_bench.sets import Chain, Problem, seal_problems, small_problem

__all__ = [
    "INSTRUCTION_SETS_SET",
    "InstructionSetsPlan",
    "instruction_set_plots",
    "instruction_set_tables",
    "make_instruction_sets_plan",
    "measure_instruction_sets",
]

#: The set that holds them.
INSTRUCTION_SETS_SET = "instruction-sets"
_OPERATIONS = ("encrypt", "decrypt", "multiply_relinearize")
#: The widest primes that narrow multipliers and doubles take.
_NARROW_BITS = 50


@dataclass(frozen=True)
class InstructionSetsPlan(Plan):
    """The problems, and the instruction sets that compete: those of this machine."""

    instruction_sets: tuple[str, ...] = ()

    def restricted(self, sets: Sequence[str], schemes: Sequence[str]) -> InstructionSetsPlan:
        """Of these schemes only; without any, of all.

        Raises:
            ArgumentError: other sets, or nothing is left.
        """
        if any(name != INSTRUCTION_SETS_SET for name in sets):
            raise ArgumentError(f"the set {INSTRUCTION_SETS_SET} is measured by itself: --set {INSTRUCTION_SETS_SET}")
        problems = tuple(problem for problem in self.problems if not schemes or problem.scheme in schemes)
        if not problems:
            raise ArgumentError(f"the set {INSTRUCTION_SETS_SET} has nothing of scheme {', '.join(schemes)}")
        return replace(self, problems=problems)


def make_instruction_sets_plan(quick: bool = False, seconds: float | None = None) -> InstructionSetsPlan:
    """SEAL's default sets, or, quick, a small one.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    seconds = cell_seconds(seconds, 0.02 if quick else 3.0)
    schemes = ("bfv", "bgv")
    problems = [small_problem(s) for s in schemes] if quick else seal_problems(schemes, [4096, 8192, 16384, 32768])
    budget = Budget(seconds=seconds, fewest=2 if quick else 5)
    chosen = tuple(replace(problem, operations=_OPERATIONS) for problem in problems)
    return InstructionSetsPlan(
        INSTRUCTION_SETS_SET, chosen, (), 1, budget, instruction_sets=tuple(_core.instruction_sets())
    )


def _chains(problem: Problem) -> list[Chain]:
    """The peer's primes; where these are too wide for doubles also primes of 50 bits at most, of the same length."""
    chains = problem.chains[:1]
    if max(prime.bit_length() for prime in problem.peer_moduli) > _NARROW_BITS:
        chains += tuple(chain for chain in problem.chains if chain.name == "50-bit primes")
    return list(chains)


def _heads(plan: InstructionSetsPlan, problem: Problem, operation: str) -> list[Record]:
    return [
        {**head_of(problem, chain, operation, f"cpu:{name}", 1, 1), "instruction_set": name}
        for chain in _chains(problem)
        for name in plan.instruction_sets
    ]


def measure_instruction_sets(plan: InstructionSetsPlan, peer: bool, known: set[tuple[object, ...]]) -> Iterator[Record]:
    """Measures what is not known yet, and gives each record when it is done.

    Raises:
        WrongResultError: a timed operation gave a wrong result, ours or the peer's.

    Reports progress as `cyclotome.progress` describes, in cells.
    """
    budget = beside(plan.budget) if peer else plan.budget
    task = Task("measuring", sum(len(problem.operations) for problem in plan.problems))
    for problem in plan.problems:
        missing = [op for op in problem.operations if any(key_of(h) not in known for h in _heads(plan, problem, op))]
        task.advance(len(problem.operations) - len(missing))
        if not missing:
            continue
        engines = [_core.CpuEngine(1, name) for name in plan.instruction_sets]
        ours = [Ours(problem, chain, engine) for chain in _chains(problem) for engine in engines]
        seal = Seal(problem) if peer else None
        for operation in missing:
            actions = [contestant.operations[operation] for contestant in ours]
            timings = alternate([*actions, *([seal.operations[operation]] if seal else [])], budget)
            theirs = timings[-1] if seal else None
            extra: Record = {}
            if seal and theirs:
                facts = seal.verify(operation, theirs.result)
                extra = {**{f"peer_{name}": value for name, value in facts.items()}, "peer_threads": 1}
            heads = _heads(plan, problem, operation)
            for head, contestant, timing in zip(heads, ours, timings[: len(ours)], strict=True):
                record = {**head, **times(timing, theirs), **contestant.verify(operation, timing.result), **extra}
                if key_of(record) not in known:
                    yield record
            task.advance()


def instruction_set_tables(records: Sequence[Record]) -> list[Table]:
    """A table for each operation: a row for each instruction set and chain, a column for each degree."""
    tables = []
    columns = sorted({record["degree"] for record in records})
    for scheme, operation in dict.fromkeys((record["scheme"], record["operation"]) for record in records):
        of_both = [r for r in records if (r["scheme"], r["operation"]) == (scheme, operation)]
        rows = []
        for name, chain in dict.fromkeys((r["instruction_set"], r["chain"]) for r in of_both):
            found = {r["degree"]: r for r in of_both if (r["instruction_set"], r["chain"]) == (name, chain)}
            rows.append((name, chain, *(_cell(found.get(degree)) for degree in columns)))
        heading = ("instruction set", "primes", *(f"n = {degree}" for degree in columns))
        note = "one thread's processor time, and how many times as fast as SEAL, all in turn in one run"
        tables.append(Table(f"{scheme.upper()}: {operation}", heading, tuple(rows), note, 2))
    return tables


def instruction_set_plots(records: Sequence[Record]) -> list[Plot]:
    """Bars of each scheme, modulo the peer's primes: ratios, or times where no peer was measured."""
    names = tuple(dict.fromkeys(record["instruction_set"] for record in records))
    plots: list[Plot] = []
    for scheme in dict.fromkeys(record["scheme"] for record in records):
        of_scheme = [r for r in records if (r["scheme"], r["chain"]) == (scheme, "same")]
        field = "ratio" if any(record["ratio"] is not None for record in of_scheme) else "median_us"
        rows: list[tuple[str, list[float | None]]] = []
        for name, operation in dict.fromkeys((r["set"], r["operation"]) for r in of_scheme):
            found = {
                r["instruction_set"]: r[field] for r in of_scheme if (r["set"], r["operation"]) == (name, operation)
            }
            rows.append((f"{name} {operation.replace('_', ' ')}", [found.get(each) for each in names]))
        if field == "ratio":
            title = f"{scheme.upper()}, one thread: time of SEAL / time of cyclotome"
            plots.append(Bars(title, "ratio, more is faster here", names, rows, reference=1))
        else:
            plots.append(Bars(f"{scheme.upper()}, one thread", "microseconds", names, rows, logarithmic=True))
    return plots


def _cell(record: Record | None) -> str:
    if record is None:
        return "–"
    ratio = record["ratio"]
    return duration(record["median_us"]) + (f" ({times_text(ratio)})" if ratio is not None else "")
