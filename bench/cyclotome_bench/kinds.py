# SPDX-License-Identifier: Apache-2.0
"""What kind of figure a record holds: a time that somebody measured is not one that a simulation suggests."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

__all__ = ["ABOUT", "Kind", "kind_of_old", "kinds_note", "marked"]

#: As in `report`, which stands above this module.
_Record = dict[str, Any]


class Kind(str, Enum):
    """The type of a record's times, as its field "kind" holds it."""

    MEASURED = "measured"
    WALL = "wall clock"
    LATENCY = "latency"
    THROUGHPUT = "throughput"
    SIMULATED = "simulated"
    ASSUMED = "assumed clock"
    ESTIMATED = "estimated"
    NONE = "no time"

    def __str__(self) -> str:
        return self.value


#: What each says below a table or on a page.
ABOUT = {
    Kind.MEASURED: "processor time of the one thread that computed, or of all threads of a process where that is said",
    Kind.WALL: "by the clock on the wall, of several threads or processes, others' turns included",
    Kind.LATENCY: "by the host's clock, from one call to the end of the wait for it",
    Kind.THROUGHPUT: "of one among many in a row or at once, by the device's or the host's clock",
    Kind.SIMULATED: "counted in a simulation: ticks, not time",
    Kind.ASSUMED: "ticks counted in a simulation, at a clock that nobody measured here, and bytes at an assumed rate",
    Kind.ESTIMATED: "estimated by open synthesis: cells, not time",
    Kind.NONE: "bytes or counts, no time",
}


def marked(text: str, record: _Record | None, plain: Kind = Kind.MEASURED) -> str:
    """A cell's text with the record's kind behind it, unless that is what the table's plain cells are, or there is no
    figure."""
    if record is None or text == "–":
        return text
    kind = Kind(record["kind"])
    return text if kind is plain else f"{text} ({kind})"


def kinds_note(records: Iterable[_Record]) -> str:
    """Which kinds there are among records, how often, and what they mean; "" for none."""
    found: dict[Kind, int] = {}
    for record in records:
        kind = Kind(record["kind"])
        found[kind] = found.get(kind, 0) + 1
    return "; ".join(f"{count} {kind}: {ABOUT[kind]}" for kind, count in found.items())


#: Sets that took thread time before records said of what kind they are.
_BY_THREAD = ("functions", "depth", "matrix", "002-", "003-", "seal-")
#: Sets that a device's own clock timed, over many calls.
_BY_EVENTS = ("study-", "002-4", "002-5", "002-6", "003-1", "003-3", "003-4")


def kind_of_old(record: _Record, facts: dict[str, Any], plan: str) -> Kind:
    """The kind of a record of schema 1, which did not say: by what measured it then."""
    name, engine = str(record["set"]), str(record["engine"])
    if name.startswith("004-") and record["operation"] in ("resources", "board"):
        return Kind.ESTIMATED
    if engine.startswith("fpga"):
        return Kind.ASSUMED
    if not record["samples"]:
        return Kind.NONE
    if "gpu" in facts and engine != "flint":
        events = name.startswith(_BY_EVENTS) and not str(record["operation"]).startswith(("share_", "power"))
        return Kind.THROUGHPUT if events else Kind.LATENCY
    by_thread = name.startswith(_BY_THREAD[:-1]) or (name.startswith("seal-") and plan.startswith("instruction-sets"))
    return Kind.MEASURED if by_thread and record["threads"] == 1 else Kind.WALL
