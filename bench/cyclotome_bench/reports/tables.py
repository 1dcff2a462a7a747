# SPDX-License-Identifier: Apache-2.0
"""A report as tables of text, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cyclotome import text

from cyclotome_bench.kinds import Kind, marked
from cyclotome_bench.machine.timing import Clock
from cyclotome_bench.reports.cells import ratio_of, why_no_ratio
from cyclotome_bench.reports.report import Record
from cyclotome_bench.sets import BEHZ_OPERATIONS, OPERATIONS

__all__ = ["Table", "all_tables", "duration", "fastest_chain", "no_ratio_note", "problems_of", "single", "times"]

#: Longest loss of noise budget, in bits, that still counts as equal noise.
EQUAL_NOISE = 3


@dataclass(frozen=True)
class Table:
    """A title, column names, rows of text and a remark below; the first `left` columns are words, the rest numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    left: int = 1


def duration(microseconds: float | None) -> str:
    """Three digits and a unit: "12.3 us", "4.56 ms", "1.20 s"; "-" for None."""
    if microseconds is None:
        return "–"
    unit, size = next((u, s) for u, s in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)) if microseconds >= s or s == 1)
    amount = microseconds / size
    digits = 2 if amount < 10 else 1 if amount < 100 else 0
    return f"{amount:.{digits}f} {unit}"


def times(ratio: float | None) -> str:
    """ "3.2×"; "–" for None."""
    return "–" if ratio is None else f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.0f}×"


def problems_of(records: Sequence[Record]) -> list[tuple[str, str]]:
    """(set, scheme) of everything but transforms, in order."""
    return list(dict.fromkeys((r["set"], r["scheme"]) for r in records if r["scheme"]))


def single(records: Sequence[Record], name: str, scheme: str) -> dict[tuple[str, str], Record]:
    """The records of one set on one thread, one ciphertext, by (chain, operation)."""
    return {
        (r["chain"], r["operation"]): r
        for r in records
        if (r["set"], r["scheme"], r["threads"], r["batch"]) == (name, scheme, 1, 1)
    }


def fastest_chain(cells: dict[tuple[str, str], Record], equal_noise: bool = False) -> str | None:
    """The chain that multiplies and relinearises fastest; with equal_noise, among those that leave as much noise budget
    as the peer's result, up to `EQUAL_NOISE` bits."""
    found = {chain: r for (chain, operation), r in cells.items() if operation == "multiply_relinearize"}
    if equal_noise:
        found = {chain: r for chain, r in found.items() if r["noise_left"] >= r.get("peer_noise_left", 0) - EQUAL_NOISE}
    return min(found, key=lambda chain: float(found[chain]["median_us"]), default=None)


def _problem_table(records: Sequence[Record], name: str, scheme: str) -> Table:
    cells = single(records, name, scheme)
    if not cells:
        return Table(f"{scheme.upper()} {name}", ("operation",), ())
    first = next(chain for chain, _ in cells)
    best = fastest_chain(cells) or first
    some = next(iter(cells.values()))
    others = list(dict.fromkeys(name for r in cells.values() for name in r.get("others", {})))
    rows = []
    for operation in (*OPERATIONS, *BEHZ_OPERATIONS):
        ours, other = cells.get((first, operation)), cells.get((best, operation))
        if ours is None:
            continue
        row = [operation.replace("_", " "), duration(ours["median_us"]), duration(ours["peer_median_us"])]
        row += [times(ours["ratio"]), _bits(ours.get("noise_left")), _bits(ours.get("peer_noise_left"))]
        if best != first:
            row += (
                [duration(other["median_us"]), times(other["ratio"]), _bits(other.get("noise_left"))]
                if other
                else ["–", "–", ""]
            )
        for name in others:
            theirs = ours.get("others", {}).get(name, {})
            row += [duration(theirs.get("median_us")), times(_ratio_to(theirs, ours))]
        rows.append(tuple(row))
    columns = ["operation", f"ours, {first}", "SEAL", "ratio", "noise left", "SEAL's"]
    columns += [f"ours, {best}", "ratio", "noise left"] if best != first else []
    columns += [heading for name in others for heading in (name, "ratio")]
    security = "" if some["secure"] else ", INSECURE"
    title = f"{scheme.upper()} n = {some['degree']}, log q = {some['log_q']}, t = {some['plain_modulus']}{security}"
    fair = fastest_chain(cells, equal_noise=True)
    note = f"set {name}; one thread, {_how(some)}, median; noise left in bits of budget"
    note += no_ratio_note(cells.values())
    note += f"; fastest with SEAL's noise or less: {fair}" if fair is not None else ""
    for name in others:
        note += _about(name, next(r["others"][name] for r in cells.values() if name in r.get("others", {})))
    return Table(title, tuple(columns), tuple(rows), note)


def _ratio_to(theirs: Record, ours: Record) -> float | None:
    """Of a program of another library, whose older records say of no kind."""
    return ratio_of({"kind": ours["kind"], **theirs}, ours) if "samples" in theirs else None


def _how(record: Record) -> str:
    """What timed one thread."""
    return Clock.THREAD.note if record["kind"] == Kind.MEASURED else Clock.WALL.note


def no_ratio_note(records: Iterable[Record]) -> str:
    """What a dash in place of a ratio means, behind a table's note; "" where every peer's time has one."""
    lost = [r for r in records if r.get("no_ratio")]
    if not lost:
        return ""
    return f"; no ratio in {len(lost)} {'row' if len(lost) == 1 else 'rows'}: {lost[0]['no_ratio']}"


def _about(name: str, found: Record) -> str:
    """What a table of one set says of a program of another library."""
    if "refused" in found:
        return f"; {found['refused']}"
    if "log_q_key" in found:
        return f"; {name} with primes of its own, log2 q {found['log_q_ciphertext']}, QP {found['log_q_key']}"
    return ""


def _bits(value: int | None) -> str:
    return "" if value is None else str(value)


def _threads_table(records: Sequence[Record]) -> Table | None:
    """All threads: one ciphertext against one thread, and batches against as many processes of the peer."""
    alone = {
        (r["set"], r["scheme"], r["chain"], r["operation"]): r
        for r in records
        if r["threads"] == 1 and r["batch"] == 1 and r["scheme"]
    }
    wanted = ("encrypt", "decrypt", "multiply_relinearize", "rotate")
    rows, threads = [], 1
    for r in records:
        one = alone.get((r["set"], r["scheme"], r["chain"], r["operation"]))
        if r["threads"] == 1 or one is None or r["operation"] not in wanted:
            continue
        threads = r["threads"]
        faster = None if why_no_ratio(r, one) else r["batch"] * one["median_us"] / r["median_us"]
        row = [f"{r['scheme'].upper()} {r['set']}", r["operation"].replace("_", " "), str(r["batch"])]
        row += [marked(duration(r["median_us"]), r), times(faster), duration(r["peer_median_us"])]
        rows.append((*row, str(r.get("peer_threads", "")), times(r["ratio"])))
    if not rows:
        return None
    columns = ("set", "operation", "batch", "ours", "speed-up", "SEAL", "SEAL's processes", "ratio")
    note = (
        "wall clock, SEAL's too; speed-up: against one thread's own time of ours, by ciphertext; SEAL has no threads, "
        "so batches run in processes"
    )
    return Table(f"{threads} threads", columns, tuple(rows), note, left=2)


def _memory_table(records: Sequence[Record]) -> Table | None:
    def size(record: Record, name: str) -> str:
        value = record.get(name)
        return "–" if value is None else text.byte_size(value)

    kept = ("ciphertext_bytes", "peer_ciphertext_bytes", "relinearization_key_bytes", "peer_relinearization_key_bytes")
    rows = [
        (
            *(f"{r['scheme'].upper()} {r['set']}", r["chain"]),
            *(size(r, name) for name in (*kept, "peak_bytes")),
            f"{r['peak_bytes'] / (r['operands_bytes'] + r['result_bytes']):.1f}×",
            size(r, "peer_peak_bytes"),
        )
        for r in records
        if r["operation"] == "multiply" and "peak_bytes" in r
    ]
    columns = ("set", "primes", "ciphertext", "SEAL's", "relin. key", "SEAL's", "multiply", "share", "SEAL's")
    note = (
        "in memory, not in files; multiply: the most that operands, scratch and result take together, and its share of "
        "operands and result; SEAL's from resident memory, a lower bound"
    )
    return Table("bytes", columns, tuple(rows), note, left=2) if rows else None


def _transform_table(records: Sequence[Record]) -> Table | None:
    rows = [
        (
            r["operation"].upper(),
            f"2^{r['degree'].bit_length() - 1}",
            *(str(r["log_q"]), str(r["word"])),
            *(duration(r["median_us"]), duration(r["peer_median_us"]), times(r["ratio"])),
        )
        for r in sorted(records, key=lambda r: (r["operation"] != "ntt", r["degree"], r["log_q"], r["word"]))
        if r["operation"] in ("ntt", "intt")
    ]
    columns = ("transform", "n", "bits of prime", "word", "ours", "SEAL", "ratio")
    own = [r for r in records if r["operation"] in ("ntt", "intt")]
    note = f"one thread, {_how(own[0])}, one polynomial, one prime{no_ratio_note(own)}" if own else ""
    return Table("one transform", columns, tuple(rows), note) if rows else None


def all_tables(records: Sequence[Record]) -> list[Table]:
    """Everything: a table for each set and scheme, threads, bytes, transforms."""
    tables = [_problem_table(records, name, scheme) for name, scheme in problems_of(records)]
    others = (_threads_table(records), _memory_table(records), _transform_table(records))
    return [table for table in (*tables, *others) if table is not None and table.rows]
