# SPDX-License-Identifier: Apache-2.0
"""The fields of a record that hold times, and ratios of times: only of samples that lie together."""

from __future__ import annotations

from typing import Any

from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.timing import Timing

__all__ = [
    "FEWEST",
    "MOST_SPREAD",
    "compared",
    "no_times",
    "ratio_of",
    "sides_of",
    "spread_of",
    "timed",
    "why_no_ratio",
]

#: Samples of each side, at least: of two nobody can tell which one was disturbed.
FEWEST = 3
#: How far a side's samples may lie apart. Thread time of undisturbed work stays within a tenth; where it doubles, the
#: median is a matter of luck, and a ratio of two such medians says nothing.
MOST_SPREAD = 2.0
#: From so many samples on, a tenth at either end is left out: what one interrupt does to one sample of sixty does not
#: move the median, and the longer a run, the surer there is one. Of fewer, the ends themselves count.
_PERCENTILES_FROM = 10

_Record = dict[str, Any]


def timed(timing: Timing, kind: Kind | None = None, digits: int = 3) -> _Record:
    """What is known of one contestant's samples; `kind` where the clock alone does not tell."""
    return {**_fields(timing, digits), "kind": str(kind or timing.clock.kind), "clock": timing.clock.value}


def _fields(timing: Timing, digits: int) -> _Record:
    return {
        "median_us": round(timing.median, digits),
        "min_us": round(timing.least, digits),
        "max_us": round(timing.most, digits),
        "p10_us": round(timing.percentile(10), digits),
        "p90_us": round(timing.percentile(90), digits),
        "samples": len(timing.samples),
    }


def no_times(value: float | None = None, kind: Kind = Kind.NONE) -> _Record:
    """The same fields where nothing was timed here: all of them `value`."""
    times = dict.fromkeys(("median_us", "min_us", "max_us"), value)
    return {**times, "samples": 0, "kind": str(kind), **compared(None, None)}


def compared(ours: Timing | None, theirs: Timing | None, peer: str = "SEAL", digits: int = 3) -> _Record:
    """The fields about a peer; a ratio above 1 means that ours is faster, None where samples spread too far, with the
    reason in "no_ratio"."""
    if ours is None or theirs is None:
        return {"peer": None, "peer_median_us": None, "ratio": None}
    sides = _fields(ours, digits), _fields(theirs, digits)
    reason = why_no_ratio(*sides)
    found: _Record = {"peer": peer, **{f"peer_{name}": value for name, value in sides[1].items()}}
    found["ratio"] = None if reason else round(theirs.median / ours.median, digits)
    found["min_ratio"] = None if reason else round(theirs.least / ours.least, digits)
    return {**found, "no_ratio": reason} if reason else found


def spread_of(side: _Record) -> float:
    """How far samples lie apart: the ninetieth percentile over the tenth, or the most over the least of few samples. Of
    many in an older record, which has no percentiles, the median over the least: its most may be one of them alone."""
    if side["samples"] < _PERCENTILES_FROM:
        names = ("min_us", "max_us")
    else:
        names = ("p10_us", "p90_us") if "p10_us" in side else ("min_us", "median_us")
    low, high = (float(side[name]) for name in names)
    return high / low if low > 0 else float("inf")


def why_no_ratio(*sides: _Record) -> str | None:
    """Why no ratio of the sides' medians is told, or None where it may be."""
    fewest, widest = min(side["samples"] for side in sides), max(map(spread_of, sides))
    if fewest < FEWEST:
        return f"{fewest} {'sample' if fewest == 1 else 'samples'}, and a ratio takes {FEWEST}"
    if widest > MOST_SPREAD:
        return f"samples spread by {widest:.1f}, and a ratio takes {MOST_SPREAD:g} at most"
    return None


def sides_of(record: _Record) -> tuple[_Record, ...]:
    """The samples of both sides of a record with a ratio, as far as it has them."""
    peer = {name.removeprefix("peer_"): value for name, value in record.items() if name.startswith("peer_")}
    return (record, peer) if {"min_us", "max_us", "samples"} <= peer.keys() else (record,)


def ratio_of(numerator: _Record | None, denominator: _Record | None) -> float | None:
    """The medians' ratio of two records, or None where one is absent, nothing was timed, kinds differ, or samples
    spread too far."""
    if numerator is None or denominator is None or not denominator.get("median_us") or not numerator.get("median_us"):
        return None
    if numerator["kind"] != denominator["kind"] or why_no_ratio(numerator, denominator):
        return None
    return float(numerator["median_us"] / denominator["median_us"])
