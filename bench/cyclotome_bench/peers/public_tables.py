# SPDX-License-Identifier: Apache-2.0
"""A device's records beside the best public GPU libraries, as tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from cyclotome_bench.peers.public_libraries import PREFIX, Figure, conditions, figures, transform_figures
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = ["public_tables"]


def public_tables(records: Sequence[Record]) -> list[Table]:
    """A row for each figure that one of these records stands beside: first operations, then transforms."""
    return [table for table in (_operations(records), _transforms(records)) if table.rows]


def _operations(records: Sequence[Record]) -> Table:
    cells = {(r["set"], r["scheme"], r["operation"], r["batch"]): r for r in records if r["set"].startswith(PREFIX)}
    batches = sorted({batch for *_, batch in cells})
    rows = []
    for figure in sorted(figures(), key=lambda f: (f.scheme, f.operation, f.degree, f.log_q, f.kind, f.us)):
        found = [cells.get((figure.set_name, figure.scheme, figure.operation, batch)) for batch in batches]
        one = found[0] if found else None
        if one is not None:
            rows.append(_row(figure, one, found))
    theirs = ("operation", "n", "log q", "special", "public library", "theirs")
    ours = ("ours: log q", "special", "digits", "latency", *(f"each of {batch}" for batch in batches))
    columns = (*theirs, *ours, "ratio", "noise left")
    note = (
        "ratio: theirs to our latency, or to the fastest of ours among many; noise left: our bits of budget after it; "
        f"log q of theirs: lengths of their primes; ours: log2, which is no less. {conditions()}"
    )
    return Table("beside public GPU libraries, 128 bits of security by the HE Standard", columns, tuple(rows), note)


def _row(figure: Figure, one: Record, found: Sequence[Record | None]) -> tuple[str, ...]:
    latency = figure.kind == "latency"
    each = [None if r is None else float(r["us_each"]) for r in found]
    ours = float(one["median_us"]) if latency else min(us for us in each if us is not None)
    return (
        f"{figure.scheme.upper()} {figure.operation.replace('_', ' ')}, {figure.kind}",
        *(str(figure.degree), str(figure.log_q), str(figure.special_primes), figure.library, duration(figure.us)),
        *(f"{one['log_q_ciphertext']:.0f}", str(one["special_primes"]), str(one["digits"])),
        duration(one["median_us"]) if latency else "",
        *("" if latency else duration(us) for us in each),
        *(times(figure.us / ours), str(one["noise_left"])),
    )


def _transforms(records: Sequence[Record]) -> Table:
    """Forward transforms of as many polynomials as were measured, by bits of modulus."""
    own = [r for r in records if r["operation"] == "ntt" and r["set"].startswith("transform-")]
    rows: list[tuple[str, ...]] = []
    for r in sorted(own, key=lambda r: (r["degree"], r["log_q"], r["word"], -r["batch"])):
        theirs = transform_figures(r["degree"], r["batch"])
        which = (f"2^{r['degree'].bit_length() - 1}", str(r["log_q"]))
        if not theirs or any(row[:2] == which for row in rows):
            continue
        ours = 1000 * r["us_each"] / r["log_q"]
        row = [*which, str(r["batch"]), f"{ours:.2f}"]
        for word in (32, 64):
            each, library = theirs.get(word, (None, "–"))
            row += [library, "–" if each is None else f"{each:.2f}", times(None if each is None else each / ours)]
        rows.append(tuple(row))
    head = ("n", "bits of prime", "polynomials", "ours")
    columns = (*head, "32-bit words", "theirs", "ratio", "64-bit words", "theirs", "ratio")
    note = (
        "forward transforms: nanoseconds for each bit of modulus; a library's 32-bit words count as 30 bits, 64-bit "
        f"ones as 60; the fastest of their batches up to ours. {conditions()}"
    )
    return Table("beside public GPU libraries: transforms, ns per bit of modulus", columns, tuple(rows), note, left=2)
