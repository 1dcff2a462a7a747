# SPDX-License-Identifier: Apache-2.0
"""A study's record: one kernel or step of a paper, and the file whose code made its figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.timing import Clock, Timing
from cyclotome_bench.measure import times
from cyclotome_bench.reports.report import Record, key_fields

__all__ = ["study_record"]


def study_record(
    paper: str,
    operation: str,
    chain: str,
    degree: int,
    log_q: int,
    samples: Sequence[float],
    *,
    code: str,
    engine: str,
    word: int = 32,
    kind: Kind | None = None,
    **extra: Any,
) -> Record:
    """A record of the set "study-PAPER".

    Args:
        paper: whose.
        operation, chain: what was done, and how.
        degree, log_q: n and the length of the modulus.
        samples: microseconds.
        code: the file of this project that computed it.
        engine: "cpu", "cuda" or the library that computed.
        word: bits of a residue's word.
        kind: what the samples are; None: processor time of one thread, or on a GPU that of one call among many, by the
            card's events.
        extra: further fields.
    """
    head = key_fields(f"study-{paper}", None, operation, degree, word, log_q, chain=chain, engine=engine)
    on_gpu = engine == "cuda"
    timing = Timing(list(samples), clock=Clock.WALL if on_gpu else Clock.THREAD)
    found = kind or (Kind.THROUGHPUT if on_gpu else None)
    return {**head, "paper": paper, **times(timing, None, found), "code": code, **extra}
