# SPDX-License-Identifier: Apache-2.0
"""All of paper 004's times: products on this machine's processor, then on simulated circuits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cyclotome.contexts import device_name
from cyclotome.errors import EngineError

from cyclotome_bench.charts import Plot
from cyclotome_bench.circuits import CASES, QUICK_DEGREE, Case, circuit_plots, circuit_tables, measure_circuits
from cyclotome_bench.product_plans import ProductPlan
from cyclotome_bench.product_tables import product_plots, product_tables
from cyclotome_bench.products import measure_products
from cyclotome_bench.report import Record
from cyclotome_bench.tables import Table

__all__ = ["measure_paper_004", "plots_of_paper_004", "tables_of_paper_004"]


def measure_paper_004(
    plan: ProductPlan, peer: bool, known: set[tuple[Any, ...]] | None, leave_out: Callable[[str], None]
) -> Iterator[Record]:
    """Measures the plan's products, then its circuits, without what `known` holds.

    Args:
        plan: what to measure.
        peer: whether FLINT and NTL run too.
        known: keys (`Report.keys`) of records that an earlier run made.
        leave_out: told why circuits are left out, where a tool for simulating them is missing.

    Raises:
        WrongResultError: a product or a decryption is wrong.
    """
    known = known or set()
    yield from measure_products(plan, peer, known)
    for case in CASES:
        if case.table not in plan.circuits or _done(case, plan.quick, known):
            continue
        try:
            for record in measure_circuits(plan.quick, [case]):
                yield _completed(record)
        except EngineError as error:
            leave_out(f"circuits are left out: {error}")
            return


def _chain(case: str, device: str) -> str:
    return f"{case}, {device}"


def _done(case: Case, quick: bool, known: set[tuple[Any, ...]]) -> bool:
    """Whether an earlier run came to the last operation of a case."""
    chain = _chain(case.name, device_name(case.device))
    wanted = (f"004-{case.table}", None, chain, case.operations[-1], QUICK_DEGREE if quick else case.degree)
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
        "median_us": microseconds,
        "min_us": microseconds,
        "max_us": microseconds,
        "samples": 1,
        "peer": None,
        "peer_median_us": None,
        "ratio": None,
    }
    return {**common, **record}


def tables_of_paper_004(records: Sequence[Record]) -> list[Table]:
    """The paper's tables with ours beside them: products, then circuits."""
    circuits = [r for r in records if "table" in r]
    return [*product_tables(records), *circuit_tables(circuits)]


def plots_of_paper_004(records: Sequence[Record]) -> list[Plot]:
    """Figure 6.1 and ratios of products, then times of circuits."""
    circuits = [r for r in records if "table" in r]
    return [*product_plots(records), *circuit_plots(circuits)]
