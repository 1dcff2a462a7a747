# SPDX-License-Identifier: Apache-2.0
"""Paper 003's figures and Table 1 as tables, with the claims of its text beside what was measured."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib.resources import files

from cyclotome import _core, text

from cyclotome_bench.fermat.plans import FIGURES, VERSIONS, WAYS
from cyclotome_bench.fermat.question_tables import question_tables
from cyclotome_bench.kinds import marked
from cyclotome_bench.reports.cells import ratio_of
from cyclotome_bench.reports.charts import Bars, Lines, Plot
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = ["fermat_plots", "fermat_tables", "paper_depth"]

_NOTE = (
    "CPU time of one thread, or of the kind that a cell says; all columns in alternation in one run; ratios are to "
    '"none", more is faster. The paper shows this figure as a plot, without numbers. –: not measured, or samples of a '
    "side lie too far apart for a ratio"
)
_ACROSS_DEGREES = ("6", "7", "8", "9")
#: t at equal security.
_PLAIN_MODULUS = 786433


def fermat_tables(records: Sequence[Record]) -> list[Table]:
    """Table 1, the claims, a table for each figure that `records` have, equal security and the job."""
    found = [_figure(figure, records) for figure in FIGURES]
    others = [_sizes(), _claims(records), *found, _equal(records), _job(records), *question_tables(records)]
    return [table for table in others if table is not None]


def fermat_plots(records: Sequence[Record]) -> list[Plot]:
    """Each figure that `records` have as a plot of ratios to "none", and equal security as bars."""
    plots: list[Plot] = []
    for figure, what in FIGURES.items():
        by_degree = figure in _ACROSS_DEGREES
        found = _rows(figure, records)
        several = len({key[by_degree] for key in found}) > 1
        series: dict[str, list[tuple[float, float]]] = {}
        for (degree, bits), row in found.items():
            other = (f", {bits} bits" if by_degree else f", n = {degree}") if several else ""
            for way in (*WAYS[1:], "ordinary primes"):
                ratio = ratio_of(row.get("none"), row.get(way))
                if ratio is not None:
                    series.setdefault(way + other, []).append((float(degree if by_degree else bits), ratio))
        if series:
            title = f"Paper 003, figure {figure}: {what}"
            plots.append(Lines(title, "n" if by_degree else "bits of q", 'times as fast as "none"', series))
    return plots + _more_plots(records)


def _more_plots(records: Sequence[Record]) -> list[Plot]:
    """What is measured beside the paper's figures: each set's times by version."""
    plots: list[Plot] = []
    sets = dict.fromkeys(r["set"] for r in records if r["set"].removeprefix("003-") not in FIGURES)
    for name in sets:
        own = [r for r in records if r["set"] == name]
        chains = list(dict.fromkeys(r["chain"] for r in own))
        cells: dict[str, dict[str, float]] = {}
        for r in own:
            label = f"{r['operation'].replace('_', ' ')} n = {r['degree']}, {r['log_q']} bits"
            cells.setdefault(label, {})[r["chain"]] = r["median_us"]
        rows = [(label, [row.get(chain) for chain in chains]) for label, row in cells.items()]
        title = f"Paper 003, {name.removeprefix('003-')}"
        plots.append(Bars(title, "microseconds", chains, rows, logarithmic=True))
    return plots


def _facts() -> dict[str, list[list[object]]]:
    facts: dict[str, list[list[object]]] = json.loads(
        files("cyclotome_bench").joinpath("papers.json").read_text(encoding="utf-8")
    )["003"]
    return facts


def _rows(figure: str, records: Sequence[Record]) -> dict[tuple[int, int], dict[str, Record]]:
    """The records of a figure by (n, bits of q), then by version."""
    rows: dict[tuple[int, int], dict[str, Record]] = {}
    for r in records:
        if r["set"] == f"003-{figure}":
            rows.setdefault((r["degree"], r["log_q"]), {})[r["chain"]] = r
    return rows


def _sizes() -> Table:
    """Numbers of moduli, of words and of ours: computed here, not measured."""
    rows = []
    for bits, regular, fewest in _facts()["table1"]:
        x = int(str(bits)).bit_length() - 1
        native = _core.FermatParameters(1024, x, None, 163841, 30, "standard", 0, "guidelines-2024", True, False)
        rows.append((str(bits), str(regular), str(-(-int(str(bits)) // 60)), str(fewest), str(native.splits + 1)))
    columns = ("bits of q", "k, words (paper)", "60-bit primes here", "k, Fermat (paper)", "limbs here")
    return Table("Paper 003, Table 1: how many moduli", columns, tuple(rows), "computed, not measured")


def _claims(records: Sequence[Record]) -> Table | None:
    """What the text states, all of it by "multiplication" alone, and what came out here."""
    rows = []
    for figure, degree, bits, what, stated in _facts()["claims"]:
        row = _rows(str(figure), records).get((int(str(degree)), int(str(bits))), {})
        ratios = [times(ratio_of(row.get("none"), row.get(way))) for way in VERSIONS[1:]]
        rows.append((f"{what}, figure {figure}", str(degree), str(bits), f"{stated}×", *ratios))
    columns = ("what", "n", "bits of q", "paper's text", *(f"here, {way}" for way in VERSIONS[1:]))
    note = "the paper: one thread of an AMD EPYC 7451 with NTL, by multiplication alone; –: not measured in this run"
    return Table("Paper 003, what its text states", columns, tuple(rows), note) if rows else None


def _figure(figure: str, records: Sequence[Record]) -> Table | None:
    rows = []
    found = _rows(figure, records)
    ways = [way for way in (*WAYS, "ordinary primes", "copying the words") if any(way in row for row in found.values())]
    for (degree, bits), row in found.items():
        base = row["none"]
        ratios = [times(ratio_of(base, row.get(way))) for way in ways[1:]]
        rows.append((str(degree), str(bits), marked(duration(base["median_us"]), base), *ratios))
    if not rows:
        return None
    title = f"Paper 003, figure {figure}: {FIGURES[figure]}"
    return Table(title, ("n", "bits of q", "none", *ways[1:]), tuple(rows), _NOTE, left=2)


def paper_depth(degree: int, bits: int, plain_modulus: int) -> int:
    """The largest L below the paper's bound of section 2.2, with log q = bits and its expansion factor δ = n:
    (log(q/4) + log t - log(δ + 1.25)) / (log δ + log(δ + 1.25) + log t). It takes errors of magnitude 1."""
    wide, t = math.log2(degree + 1.25), math.log2(plain_modulus)
    return max(0, math.ceil((bits - 2 + t - wide) / (math.log2(degree) + wide + t)) - 1)


def _equal(records: Sequence[Record]) -> Table | None:
    rows = []
    for (degree, bits), _ in _rows("equal", records).items():
        cells = [r for r in records if (r["set"], r["degree"], r["log_q"]) == ("003-equal", degree, bits)]
        by_way = {(r["chain"], r["operation"]): r for r in cells}
        for chain in dict.fromkeys(r["chain"] for r in cells):
            product, opened = by_way[chain, "multiply"], by_way[chain, "decrypt"]
            sizes = (text.byte_size(product[name]) for name in ("ciphertext_bytes", "relinearization_key_bytes"))
            both = (marked(duration(r["median_us"]), r) for r in (opened, product))
            cost = [*both, str(product["depth"]), str(paper_depth(degree, bits, _PLAIN_MODULUS))]
            rows.append((f"({degree}, {bits})", chain, *cost, *sizes))
    if not rows:
        return None
    columns = (
        "(n, bits)",
        "q in",
        "decrypt",
        "product",
        "squarings",
        "paper's bound",
        "ciphertext",
        "relinearisation key",
    )
    note = (
        f"one thread, t = {_PLAIN_MODULUS}, 30-bit digits; ordinary primes: the library's BFV with as many bits in "
        "all, one prime special. Squarings in a row that decrypt, by the noise bound; paper's bound: the most by its "
        "section 2.2, computed with n for δ"
    )
    return Table("Beside ordinary primes, at equal security", columns, tuple(rows), note, left=2)


def _job(records: Sequence[Record]) -> Table | None:
    rows = [
        (
            *(r["chain"], str(r["degree"]), str(r["depth"]), str(r["values"])),
            *(marked(duration(r["median_us"]), r), duration(r["median_us"] / r["values"])),
        )
        for r in records
        if r["set"] == "003-job"
    ]
    columns = ("q in", "n", "depth", "values", "whole", "a value")
    note = "((x^2 + 1)^2 + 1)^2 ... modulo 786433: encryption, all products, decryption; results compared with NumPy's"
    carried = next((r["printed_depth"] for r in records if r["set"] == "003-job" and "printed_depth" in r), None)
    if carried is not None:
        note += f". The printed relinearisation carries {carried} squarings, and is refused after more"
    return Table("A polynomial of an encrypted column", columns, tuple(rows), note) if rows else None
