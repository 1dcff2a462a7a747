# SPDX-License-Identifier: Apache-2.0
"""What paper 003 leaves open, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from cyclotome import text

from cyclotome_bench.fermat.records import FLINT
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration

__all__ = ["question_tables"]

_ALTERNATED = "time of one thread alone; all ways in alternation in one run"


def question_tables(records: Sequence[Record]) -> list[Table]:
    """A table for each question that `records` answer."""
    made = (_products(records), _relinearisation(records), _splits(records), _targets(records))
    return [table for table in made if table is not None]


def _of(name: str, records: Sequence[Record]) -> dict[tuple[int, int], dict[str, dict[str, Record]]]:
    """By (n, bits of q), by way, by operation."""
    found: dict[tuple[int, int], dict[str, dict[str, Record]]] = {}
    for r in records:
        if r["set"] == f"003-{name}":
            found.setdefault((r["degree"], r["log_q"]), {}).setdefault(r["chain"], {})[r["operation"]] = r
    return found


def _products(records: Sequence[Record]) -> Table | None:
    rows = []
    for (degree, bits), ways in _of("products", records).items():
        times = {way: of["product"]["median_us"] for way, of in ways.items()}
        fastest = min((way for way in times if way != FLINT), key=lambda way: times[way])
        cells = [duration(times[way]) for way in ("primes", "tree", "kronecker", "schoenhage")]
        rows.append((str(degree), str(bits), *cells, duration(times[FLINT]) if FLINT in times else "–", fastest))
    columns = ("n", "bits of q", "primes", "tree", "Kronecker", "Schönhage", "FLINT, integers", "fastest here")
    note = f"{_ALTERNATED}; modulo all limbs, from residues to residues; FLINT: fmpz_poly of coefficients below q"
    return Table("Ring products modulo Fermat limbs", columns, tuple(rows), note, left=2) if rows else None


def _relinearisation(records: Sequence[Record]) -> Table | None:
    rows = []
    for (degree, bits), ways in _of("relinearisation", records).items():
        for way, of in ways.items():
            r = of["multiply"]
            rows.append(
                (
                    *(f"({degree}, {bits})", way, duration(r["median_us"]), str(r["key_bits"])),
                    *(str(r["security"] or "none"), f"{r['headroom_fresh']:.0f}", f"{r['headroom_product']:.0f}"),
                    *(str(r["depth"]), str(r["depth_measured"]), text.byte_size(r["relinearization_key_bytes"])),
                )
            )
    columns = (
        *("(n, bits)", "relinearisation", "product", "bits of q P", "security", "headroom, fresh", "after a product"),
        *("squarings, bound", "squarings, measured", "key"),
    )
    note = (
        f"{_ALTERNATED}; t = 786433. Squarings: how many in a row the noise bound carries, and how many came out right"
    )
    return Table("Relinearisation on Fermat moduli", columns, tuple(rows), note, left=2) if rows else None


def _splits(records: Sequence[Record]) -> Table | None:
    rows = [
        (str(degree), str(bits), way, *(duration(of[name]["median_us"]) for name in ("decrypt", "multiply")))
        for (degree, bits), ways in _of("splits", records).items()
        for way, of in ways.items()
    ]
    columns = ("n", "bits of q", "limbs", "decryption", "product")
    return Table("How far q is split", columns, tuple(rows), f"{_ALTERNATED}; both", left=3) if rows else None


def _targets(records: Sequence[Record]) -> Table | None:
    rows = [
        (str(degree), str(bits), way, duration(of["FastBConv"]["median_us"]))
        for (degree, bits), ways in _of("targets", records).items()
        for way, of in ways.items()
    ]
    columns = ("n", "bits of q", "to", "FastBConv")
    return Table("Auxiliary moduli", columns, tuple(rows), f"{_ALTERNATED}; both", left=3) if rows else None
