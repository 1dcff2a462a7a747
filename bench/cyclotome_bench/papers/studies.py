# SPDX-License-Identifier: Apache-2.0
"""All that papers 000 and 001 measure beside a scheme's operations, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cyclotome.devices.contexts import device_name, engine_on
from cyclotome.errors import ArgumentError
from cyclotome.reporting import Task

from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.power import counter, measured_power
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.papers import kernels as paper_kernels
from cyclotome_bench.papers import laws as paper_laws
from cyclotome_bench.papers.device_studies import design_records
from cyclotome_bench.papers.kernels import SETS_000
from cyclotome_bench.papers.study_records import study_record
from cyclotome_bench.peers.ours import Ours
from cyclotome_bench.plans import Plan
from cyclotome_bench.reports.report import Record, key_of
from cyclotome_bench.sets import paper_problems

__all__ = ["Step", "measure_studies", "paper_steps"]

#: Products between two waits for the device.
_PRODUCTS = 50
#: Yields records.
Step = Callable[[], Iterator[Record]]


def measure_studies(plan: Plan, device: str, known: set[tuple[Any, ...]]) -> Iterator[Record]:
    """The records of a plan's studies that `known` does not hold, each when it is done. Reports progress in steps.

    Raises:
        WrongResultError: a timed step gave a wrong result.
    """
    steps = [step for paper in plan.studies for step in paper_steps(paper, device, plan.budget, plan.quick)]
    if not steps:
        return
    task = Task("studies", len(steps))
    for step in steps:
        yield from (r for r in step() if key_of(r) not in known)
        task.advance()


def paper_steps(paper: str, device: str, budget: Budget, quick: bool) -> list[Step]:
    """The steps of a paper's studies on a device.

    Args:
        paper: "000" or "001".
        device: as everywhere; power is a GPU's.
        budget: for each time.
        quick: without the longest runs of textbook FV, and without power.

    Raises:
        ArgumentError: another paper.
    """
    device = device_name(device)
    on_gpu = device.startswith("cuda")
    designs: list[Step] = [lambda: design_records(paper, device, budget)]
    laws: list[Step] = [lambda: paper_laws.draws(paper, device, budget), lambda: paper_laws.noises(paper, budget)]
    if paper == "000":
        return [
            lambda: paper_kernels.reductions(device, budget),
            lambda: paper_kernels.reconstructions(device, budget),
            lambda: paper_kernels.kernels_000(device, budget),
            *designs,
            *laws,
            lambda: paper_laws.textbook(budget, SETS_000[:3] if quick else SETS_000),
            *([lambda: _power(device)] if on_gpu and not quick else []),
        ]
    if paper == "001":
        return [
            lambda: paper_kernels.shares(device, budget),
            *designs,
            lambda: paper_kernels.transforms_by_events(device, budget),
            *laws,
        ]
    raise ArgumentError(f"paper {paper!r} has no studies here; there are 000 and 001")


def _power(device: str, sets: Sequence[tuple[int, int]] = SETS_000) -> Iterator[Record]:
    """000, Figure 4: products by BEHZ, relinearised, one after another."""
    read, how = counter(int(device.partition(":")[2]))
    for problem in (p for p in paper_problems("000") if (p.degree, p.log_q) in sets):
        ours = Ours(problem, problem.chains[0], engine_on(device))
        multiply = ours.operations["multiply_relinearize_behz"]
        ours.verify("multiply_relinearize_behz", multiply(), noise=False)

        def run(ours: Ours = ours, multiply: Callable[[], object] = multiply) -> None:
            for _ in range(_PRODUCTS):
                multiply()
            ours.engine.synchronize()

        # Without counters the products are timed all the same.
        draw = measured_power(read or (lambda: (0.0, 0.0)), run, 2.5 if read else 0)
        facts: dict[str, Any] = {"reason": how}
        if read is not None:
            facts = {"watts": round(draw.watts, 1), "utilization": round(draw.utilization, 1), "looks": draw.looks}
        yield study_record(
            "000",
            "power",
            "BEHZ",
            problem.degree,
            problem.log_q,
            [1e6 * draw.seconds_each / _PRODUCTS],
            code="bench/cyclotome_bench/machine/power.py",
            engine="cuda",
            kind=Kind.THROUGHPUT,
            counter=how,
            **facts,
        )
