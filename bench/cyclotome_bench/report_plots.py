# SPDX-License-Identifier: Apache-2.0
"""What is plotted of reports about schemes and transforms, of processors and of GPUs."""

from __future__ import annotations

from collections.abc import Sequence

from cyclotome_bench.peers.public_libraries import PREFIX
from cyclotome_bench.reports.charts import Bars, Lines, Plot
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import fastest_chain, problems_of, single

__all__ = ["device_plots", "processor_plots", "time_plots"]

#: What the plots show; the tables have everything.
_PLOTTED = ("encrypt", "decrypt", "multiply_relinearize", "rotate")


def processor_plots(records: Sequence[Record]) -> list[Plot]:
    """Ratios to the peer, or times where none was measured; and transforms."""
    found = [_operations(records, scheme) for scheme in _schemes(records)]
    return [plot for plot in (*found, *_transforms(records)) if plot is not None]


def device_plots(records: Sequence[Record]) -> list[Plot]:
    """A ciphertext of operations and a polynomial of transforms, alone and in batches; ratios to public libraries."""
    found = [_batches(records, scheme) for scheme in _schemes(records)]
    return [plot for plot in (*_device_transforms(records), *found, _public(records)) if plot is not None]


def time_plots(title: str, records: Sequence[Record]) -> list[Plot]:
    """A bar for each record, whatever it is of, and one beside it for its peer's time where that was measured."""
    peer = next((record["peer"] for record in records if record["peer"]), None)
    rows = [
        (
            ", ".join(filter(None, (_named(record["scheme"].upper(), record["operation"]), record["chain"]))),
            [record["median_us"], *([record["peer_median_us"]] if peer else [])],
        )
        for record in records
    ]
    series = ("cyclotome", peer) if peer else ("cyclotome",)
    return [Bars(title, "microseconds", series, rows, logarithmic=True)] if rows else []


def _schemes(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(r["scheme"] for r in records if r["scheme"]))


def _named(name: str, operation: str) -> str:
    return f"{name} {operation.replace('_', ' ')}"


def _operations(records: Sequence[Record], scheme: str) -> Bars | None:
    """The comparable chain and the fastest one, on one thread."""
    compared = any(r["ratio"] is not None for r in records if r["scheme"] == scheme)
    field = "ratio" if compared else "median_us"
    rows: list[tuple[str, list[float | None]]] = []
    for name, _ in (key for key in problems_of(records) if key[1] == scheme):
        cells = single(records, name, scheme)
        chains = (next((chain for chain, _ in cells), None), fastest_chain(cells))
        for operation in _PLOTTED:
            values = [cells[c, operation][field] if c and (c, operation) in cells else None for c in chains]
            if any(value is not None for value in values):
                rows.append((_named(name, operation), values))
    if not rows:
        return None
    if compared:
        peer = next(r["peer"] for r in records if r["scheme"] == scheme and r["ratio"] is not None)
        title, name = f"{scheme.upper()}, one thread: time of {peer} / time of cyclotome", "ratio, more is faster here"
        return Bars(title, name, ("comparable primes", "fastest primes"), rows, reference=1)
    series = ("first primes", "fastest primes")
    return Bars(f"{scheme.upper()}, one thread", "microseconds", series, rows, logarithmic=True)


def _transforms(records: Sequence[Record]) -> list[Lines]:
    plots = []
    for operation, what in (("ntt", "forward"), ("intt", "inverse")):
        series: dict[str, list[tuple[float, float]]] = {}
        for r in records:
            if (r["scheme"], r["operation"], r["threads"], r["batch"]) != (None, operation, 1, 1):
                continue
            ours = f"{r['log_q']}-bit prime, {r['word']}-bit words"
            series.setdefault(ours, []).append((r["degree"], r["median_us"]))
            if r["peer_median_us"] is not None and r["word"] == 64:
                series.setdefault(f"{r['peer']}, {r['log_q']} bits", []).append((r["degree"], r["peer_median_us"]))
        if series:
            plots.append(Lines(f"one {what} transform, one thread", "n", "microseconds", series))
    return plots


def _device_transforms(records: Sequence[Record]) -> list[Lines]:
    """Microseconds for a polynomial: alone, and of the largest batch, each a line."""
    own = [r for r in records if r["set"].startswith("transform-")]
    plots = []
    for operation, what in (("ntt", "forward"), ("intt", "inverse")):
        cells = [r for r in own if r["operation"] == operation]
        batches = sorted({r["batch"] for r in cells})
        series: dict[str, list[tuple[float, float]]] = {}
        for batch in dict.fromkeys((*batches[:1], *batches[-1:])):
            for r in (r for r in cells if r["batch"] == batch):
                name = f"{r['log_q']}-bit prime, {'one alone' if batch == 1 else f'each of {batch}'}"
                series.setdefault(name, []).append((r["degree"], r["median_us"] if batch == 1 else r["us_each"]))
        if series:
            plots.append(Lines(f"{what} transforms", "n", "microseconds for a polynomial", series))
    return plots


def _batches(records: Sequence[Record], scheme: str) -> Bars | None:
    """The fastest chain of each set, by the number of ciphertexts at once."""
    shown = [name for name, which in problems_of(records) if which == scheme and not name.startswith(PREFIX)]
    cells = {(r["set"], r["chain"], r["operation"], r["batch"]): r for r in records if r["scheme"] == scheme}
    batches = sorted({batch for name, _, _, batch in cells if name in shown})
    rows: list[tuple[str, list[float | None]]] = []
    for name in shown:
        chain = fastest_chain(single(records, name, scheme))
        for operation in _PLOTTED:
            found = [cells.get((name, str(chain), operation, batch)) for batch in batches]
            if any(found):
                rows.append((_named(name, operation), [None if r is None else r["us_each"] for r in found]))
    if not rows:
        return None
    series = ["one after the other" if batch == 1 else f"{batch} at once" for batch in batches]
    title = f"{scheme.upper()}, the primes that multiply fastest"
    return Bars(title, "microseconds for a ciphertext", series, rows, logarithmic=True)


def _public(records: Sequence[Record]) -> Bars | None:
    best: dict[str, list[float | None]] = {}
    for r in records:
        ratios = [r.get("public_latency_ratio"), r.get("public_throughput_ratio")]
        if not r["set"].startswith(PREFIX) or not any(ratios):
            continue
        row = best.setdefault(f"{r['scheme'].upper()} {_named(r['set'], r['operation'])}", [None, None])
        for i, ratio in enumerate(ratios):
            row[i] = max((v for v in (row[i], ratio) if v is not None), default=None)
    if not best:
        return None
    title = "time of the best public GPU library / time of cyclotome, 128 bits of security"
    return Bars(
        title, "ratio, more is faster here", ("latency", "throughput, our best batch"), list(best.items()), reference=1
    )
