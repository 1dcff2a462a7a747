# SPDX-License-Identifier: Apache-2.0
"""Records of paper 003's cells, and the polynomials that all of them work on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import device_name

from cyclotome_bench.fermat.plans import Cell, FermatPlan
from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.timing import Timing, kind_on
from cyclotome_bench.reports.cells import compared, timed
from cyclotome_bench.reports.report import Record, key_fields

__all__ = ["FLINT", "polynomial", "records_of", "uniform"]

FLINT = "FLINT, integers of as many bits"


def polynomial(degree: int, t: int) -> np.ndarray[Any, Any]:
    """Coefficients or slots in [-t/2, t/2), the same in every run."""
    return np.random.default_rng([degree, t]).integers(-(t // 2), t // 2, degree, dtype=np.int64)


def uniform(cell: Cell, words: int, seed: int) -> np.ndarray[Any, Any]:
    """words[word][coefficient] of canonical residues: top words of 2^G + 1 are 0, no other is all ones."""
    basis = _core.FermatParameters(cell.degree, cell.x, None, 786433, 30, "standard", 0, "guidelines-2024", True, False)
    rows = np.random.default_rng([cell.degree, cell.x, seed]).integers(2**64 - 1, size=(words, cell.degree), dtype="u8")
    first = 0
    for i, count in enumerate(basis.limb_words):
        first += count
        if i < basis.splits:
            rows[first - 1] = 0
    return rows


def _kind(figure: str, device: str) -> Kind | None:
    """On a GPU conversions are timed by events over many calls, whole operations by the host's clock."""
    return Kind.THROUGHPUT if device.startswith("cuda") and figure in ("1", "3", "4") else kind_on(device)


def records_of(
    figure: str,
    cell: Cell,
    plan: FermatPlan,
    chains: Sequence[str],
    timings: Sequence[Timing],
    operation: str | None = None,
) -> Iterator[Record]:
    """A record for each way of a figure."""
    for chain, timing in zip(chains, timings, strict=True):
        yield {
            **key_fields(
                *(f"003-{figure}", None, operation or f"figure {figure}", cell.degree, 64, cell.bits),
                chain=chain,
                engine=device_name(plan.device),
                threads=plan.threads,
            ),
            "paper": "003",
            **timed(timing, _kind(figure, plan.device)),
            **compared(timing, None),
        }
