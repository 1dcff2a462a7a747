# SPDX-License-Identifier: Apache-2.0
"""All of paper 004's tables: products and BGV on this machine's processor, then on simulated circuits, and what those
cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cyclotome.devices.contexts import device_name
from cyclotome.errors import EngineError

from cyclotome_bench.applications.circuit_tables import circuit_plots, circuit_tables
from cyclotome_bench.applications.circuits import CASES, Case, measure_circuits
from cyclotome_bench.kinds import Kind
from cyclotome_bench.products.bgv_products import encryption_plots, encryption_tables, measure_encryption
from cyclotome_bench.products.plans import ProductPlan
from cyclotome_bench.products.products import measure_products
from cyclotome_bench.products.tables import product_plots, product_tables
from cyclotome_bench.reports.cells import no_times
from cyclotome_bench.reports.charts import Plot
from cyclotome_bench.reports.report import Record, Report, key_of
from cyclotome_bench.reports.tables import Table
from cyclotome_bench.resources import measure_resources, resource_plots, resource_tables

__all__ = ["METHOD", "measure_paper_004", "plots_of_paper_004", "tables_of_paper_004"]

#: How the records are made.
METHOD = (
    "products and BGV: CPU time of one thread, rows of a block in alternation, medians, results compared with FLINT's; "
    "circuits: ticks counted in simulation, times at a stated clock; resources: estimates by open synthesis"
)
#: Where a checkout keeps records, from its root.
_RECORDS = "bench/results"
#: N of BGV on the processor.
_DEGREE = 32768


def measure_paper_004(
    plan: ProductPlan, peer: bool, known: set[tuple[Any, ...]] | None, tell: Callable[[str], None]
) -> Iterator[Record]:
    """Measures the plan's products and BGV, then its circuits, without what `known` holds. A quick plan simulates and
    synthesises nothing, whose models take minutes to build: it reads what the checkout has recorded.

    Args:
        plan: what to measure.
        peer: whether FLINT and NTL run too.
        known: keys (`Report.keys`) of records that an earlier run made.
        tell: told what comes next, and why circuits are left out where a tool for them is missing.

    Raises:
        WrongResultError: a product or a decryption is wrong.
    """
    known = known or set()
    yield from measure_products(plan, peer, known, tell)
    if plan.encryption:
        tell("Table 6.12: BGV on the processor")
        yield from measure_encryption(plan.degree or _DEGREE, plan.quick, plan.budget, known)
    if plan.quick:
        yield from _recorded_circuits(plan, known, tell)
    try:
        for case in () if plan.quick else CASES:
            if case.table in plan.circuits and not _done(case, known):
                tell(f"Table {case.table}: {case.name}, {case.device}")
                for record in measure_circuits(False, [case]):
                    yield _completed(record)
        yield from measure_resources(plan.resources, known, tell, recorded=plan.quick)
    except EngineError as error:
        tell(f"circuits are left out: {error}")


def _recorded_circuits(plan: ProductPlan, known: set[tuple[Any, ...]], tell: Callable[[str], None]) -> Iterator[Record]:
    """The circuits of the checkout's newest record of this paper, at full size, with the file that has them."""
    reports = ((Report.load(path), path) for path in sorted(Path(_RECORDS).glob("paper-004-*.json")))
    found = [each for each in reports if any("table" in record for record in each[0].records)]
    if not found:
        tell(f"circuits are left out: no record of this paper in {_RECORDS} here; without --quick they are simulated")
        return
    report, path = max(found, key=lambda each: str(each[0].facts.get("date")))
    tell(f"circuits: as {path} has them, of {report.facts['date']} at {report.facts['commit'] or 'no known commit'}")
    for record in report.records:
        if record.get("table") in plan.circuits and key_of(record) not in known:
            yield {**record, "recorded": path.name}


def _chain(case: str, device: str) -> str:
    return f"{case}, {device}"


def _done(case: Case, known: set[tuple[Any, ...]]) -> bool:
    """Whether an earlier run came to the last operation of a case."""
    chain = _chain(case.name, device_name(case.device))
    wanted = (f"004-{case.table}", None, chain, case.operations[-1], case.degree)
    return any(key[: len(wanted)] == wanted for key in known)


def _completed(record: Record) -> Record:
    """A circuit's record with the fields that every record has: its time is that of the ticks at the stated clock."""
    microseconds = round(record["circuit_us"] + record["transfer_us"], 3)
    common = {
        "set": f"004-{record['table']}",
        "scheme": None,
        "chain": _chain(record["case"], record["engine"]),
        "word": 64,
        "threads": 1,
        "batch": 1,
        **no_times(microseconds, Kind.ASSUMED),
        "samples": 1,
    }
    return {**common, **record}


def tables_of_paper_004(records: Sequence[Record]) -> list[Table]:
    """The paper's tables with ours beside them: products, then circuits."""
    circuits = [r for r in records if "table" in r]
    encryption = encryption_tables(records)
    return [*product_tables(records), *encryption, *circuit_tables(circuits), *resource_tables(records)]


def plots_of_paper_004(records: Sequence[Record]) -> list[Plot]:
    """Figure 6.1 and ratios of products, then times of BGV and circuits, and what circuits cost."""
    circuits = [r for r in records if "table" in r]
    encryption = encryption_plots(records)
    return [*product_plots(records), *encryption, *circuit_plots(circuits), *resource_plots(records)]
