# SPDX-License-Identifier: Apache-2.0
"""Papers 000's and 001's tables of kernels and studies. A cell is measured in the run that made the records, typed from
the paper, which its column says, or a dash whose reason stands below."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from cyclotome import _core

from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration

__all__ = ["PAPER", "study_tables"]

_MICROSECONDS = {"us": 1.0, "ms": 1000.0}
_DASH = "–"
#: What the columns of typed figures are called.
PAPER = "paper: "

#: Why there is no figure, by the operation, and by the chain where that decides.
_REASONS = {
    "design_ntt": "not part of this run, or a degree that the design does not do, as D3 above n = 8192 (30 bits)",
    "design_intt": "not part of this run, or a degree that the design does not do, as D3 above n = 8192 (30 bits)",
    "power": "no NVIDIA driver that tells power here",
    "decrypt": "textbook FV was not run: python-flint is not installed, or the set is left out by --quick",
    "multiply_relinearize": "textbook FV was not run: python-flint is not installed, or the set is left out by --quick",
}
_NOT_RUN = "not part of this run"


def study_tables(paper: str, records: Sequence[Record]) -> list[Table]:
    """Those of a paper, whatever of them the records hold; none if they hold nothing of them."""
    studied = {
        (r["operation"], r["chain"], r["degree"], r["log_q"]): r for r in records if r["set"] == f"study-{paper}"
    }
    if not studied:
        return []
    facts = json.loads(files("cyclotome_bench").joinpath("paper_studies.json").read_text(encoding="utf-8"))
    tables = [_table(paper, table, studied, records) for table in facts[paper]]
    if paper == "001":
        tables.insert(1, _stages())
    return [*tables, *_laws(paper, records)]


def _table(
    paper: str, table: Mapping[str, Any], studied: Mapping[tuple[Any, ...], Record], records: Sequence[Record]
) -> Table:
    show, missing, rows = _shown(table["unit"]), dict[str, None](), []
    for row in table["rows"]:
        ours = []
        for wanted in row["ours"]:
            figure = None if wanted is None else _measured(wanted, studied, records)
            ours.append(_DASH if figure is None else show(figure, wanted))
            if wanted is not None and figure is None:
                missing[_reason(wanted, studied)] = None
        typed = [_typed(figure, table["unit"]) for figure in row["paper"]]
        rows.append((*row["labels"], *typed, *ours, _code(row, studied)))
    columns = (*table["labels"], *(PAPER + name for name in table["paper"]), *table["ours"], "code")
    note = table["what"] + ("; " + "; ".join(f"{_DASH}: {reason}" for reason in missing) if missing else "")
    return Table(f"paper {paper}, {table['table']}", columns, tuple(rows), note, left=len(table["labels"]))


def _code(row: Mapping[str, Any], studied: Mapping[tuple[Any, ...], Record]) -> str:
    """The file that made a row's figures: its record's, or the usual one."""
    keys = (tuple(wanted[:4]) for wanted in row["ours"] if wanted is not None and not isinstance(wanted, Mapping))
    found = next((studied[key] for key in keys if key in studied), None)
    return str(row["code"] if found is None else found.get("code", row["code"]))


def _typed(figure: float | str | None, unit: str) -> str:
    if figure is None or isinstance(figure, str):
        return figure or _DASH
    return duration(figure * _MICROSECONDS[unit]) if unit in _MICROSECONDS else f"{figure:g} {unit}"


def _shown(unit: str) -> Callable[[float, Any], str]:
    if unit in _MICROSECONDS:
        return lambda figure, _: duration(figure)
    return lambda figure, wanted: f"{figure:.1f} {'W' if wanted[-1] == 'watts' else '%'}"


def _measured(
    wanted: Sequence[Any] | Mapping[str, str], studied: Mapping[tuple[Any, ...], Record], records: Sequence[Record]
) -> float | None:
    """The figure of a study's record, by (operation, chain, n, log q) and perhaps a field; or of a scheme's, by set and
    operation, of its first chain."""
    if isinstance(wanted, Mapping):
        own = (r for r in records if r["set"] == wanted["set"] and r["operation"] == wanted["operation"])
        found = next((r for r in own if r["batch"] == 1 and r["threads"] == 1), None)
        return None if found is None else float(found["median_us"])
    record = studied.get(tuple(wanted[:4]))
    value = None if record is None else record.get(wanted[4] if len(wanted) > 4 else "median_us")
    return None if value is None else float(value)


def _reason(wanted: Sequence[Any] | Mapping[str, str], studied: Mapping[tuple[Any, ...], Record]) -> str:
    if isinstance(wanted, Mapping):
        return _NOT_RUN
    record = studied.get(tuple(wanted[:4]))
    if record is not None:
        return str(record.get("reason", _NOT_RUN))
    return _REASONS.get(wanted[0], _NOT_RUN)


#: 001, Table 3: stages outside and inside shared memory, for NTT and INTT, with 30 bits and with 61.
_TABLE_3 = {
    2048: (0, 11, 0, 11, 0, 11, 0, 11),
    4096: (0, 12, 0, 12, 0, 12, 1, 11),
    8192: (0, 13, 1, 12, 1, 12, 2, 11),
    16384: (1, 13, 2, 12, 2, 12, 3, 11),
    32768: (2, 13, 3, 12, 3, 12, 4, 11),
}


def _stages() -> Table:
    """Counted from the plan that the rebuilt design's launches follow."""
    rows = []
    for degree, printed in _TABLE_3.items():
        ours = [n for bits in (30, 61) for inverse in (False, True) for n in _design_stages(degree, bits, inverse)]
        pairs = [f"{p[0]} + {p[1]}" for p in zip(printed[::2], printed[1::2], strict=True)]
        here = [f"{p[0]} + {p[1]}" for p in zip(ours[::2], ours[1::2], strict=True)]
        rows.append((str(degree), *pairs, *here, "src/cyclotome/study/transform/design.cpp"))
    names = ("NTT, 30 bits", "INTT, 30 bits", "NTT, 61 bits", "INTT, 61 bits")
    columns = ("n", *(PAPER + name for name in names), *names, "code")
    what = "stages of the hybrid design outside + inside shared memory; ours: of the plan that its launches follow"
    return Table("paper 001, Table 3", columns, tuple(rows), what)


def _design_stages(degree: int, bits: int, inverse: bool) -> tuple[int, int]:
    return _core.cuda_design_stages("D5", degree, bits, inverse)


def _laws(paper: str, records: Sequence[Record]) -> list[Table]:
    own = [r for r in records if r["set"] == f"study-{paper}"]
    drawn = [r for r in own if r["operation"] == "draw"]
    costs = [
        (
            r["chain"],
            r["use"],
            f"{1000 * r['median_us'] / r['degree']:.3g} ns",
            f"{r['deviation']:.3f}",
            str(r["largest"]),
            r["code"],
        )
        for r in drawn
    ]
    noisy = [r for r in own if r["operation"] == "multiply_relinearize" and "fresh_noise" in r]
    noises = [
        (
            r["chain"].removeprefix("textbook, "),
            f"{r['degree']}",
            f"{r['log_q']}",
            *(f"2^{r[name]:.2f}" for name in ("fresh_noise", "fresh_noise_by_law", "product_noise", "noise_limit")),
            r["code"],
        )
        for r in noisy
    ]
    cost = (
        "one number: CPU time of one thread, of 2^14, or on a GPU by CUDA events, of 2^20; deviation and largest of "
        "2^18. "
        "Rows with engine are what this library draws with; the others are FOR STUDY, NOT FOR DATA"
    )
    noise = (
        "root mean square of a fresh ciphertext's noise and of a relinearised product's, in textbook FV with t = 2 and "
        "w = 2^32 (FLINT), beside what the laws' variances make of the fresh one; decryption fails above the limit; "
        "every product was decrypted and compared. In BGV, which 004 has: of the whole phase, products in three parts"
    )
    tables = [
        Table(
            f"paper {paper}, laws, cost", ("law", "for", "ours", "deviation", "largest", "code"), tuple(costs), cost, 2
        ),
        Table(
            f"paper {paper}, laws, noise",
            ("laws of", "n", "log q", "fresh", "by the laws", "product", "limit", "code"),
            tuple(noises),
            noise,
        ),
    ]
    return [table for table in tables if table.rows]
