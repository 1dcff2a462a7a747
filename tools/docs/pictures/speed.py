# SPDX-License-Identifier: Apache-2.0
"""The speed page's chart: times as fast as SEAL with HEXL, from the committed record."""

from __future__ import annotations

import json

from repository import ROOT

from pictures.drawing import FIRST, INK, SECOND, canvas, finished

__all__ = ["RECORD", "SETS", "ratios", "speed"]

RECORD = ROOT / "bench" / "results" / "x86-64-2core-zen4.json"
PEER = "SEAL 4.4.3 with HEXL"
SETS = ("seal-4096", "seal-8192", "seal-16384", "seal-32768")
_BARS = (
    ("BFV multiply + relinearise", "bfv", "multiply_relinearize", FIRST, 1.0),
    ("BFV encrypt", "bfv", "encrypt", FIRST, 0.6),
    ("BFV decrypt", "bfv", "decrypt", FIRST, 0.3),
    ("BGV multiply + relinearise", "bgv", "multiply_relinearize", SECOND, 1.0),
)


def ratios(scheme: str, operation: str) -> list[float]:
    """Times as fast as SEAL with HEXL for each of `SETS`: one ciphertext, one thread, the same primes."""
    records = json.loads(RECORD.read_text(encoding="utf-8"))["records"]
    wanted = {"scheme": scheme, "operation": operation, "chain": "same", "threads": 1, "batch": 1}
    found = {r["set"]: r["others"][PEER]["median_us"] / r["median_us"] for r in records if wanted.items() <= r.items()}
    return [float(found[name]) for name in SETS]


def speed() -> str:
    """A group of bars for each set."""
    figure, axes = canvas(2.9)
    width = 0.2
    for k, (label, scheme, operation, colour, alpha) in enumerate(_BARS):
        for i, ratio in enumerate(ratios(scheme, operation)):
            x = i + (k - 1.5) * width
            axes.bar(x, ratio, width * 0.9, color=colour, alpha=alpha, label=label if i == 0 else None)
            axes.text(x, ratio + 0.2, f"{ratio:.1f}", ha="center", fontsize=7.5)
    axes.axhline(1, color=INK, lw=1, ls=":")
    axes.text(3.42, 1.12, PEER, ha="right", va="bottom", fontsize=8)
    axes.set(ylabel="times as fast as SEAL with HEXL", xlim=(-0.5, 3.45))
    axes.set_xticks(range(len(SETS)), [f"n = {name.removeprefix('seal-')}" for name in SETS])
    axes.legend(frameon=False, fontsize=8)
    figure.subplots_adjust(0.08, 0.1, 0.99, 0.98)
    return finished(figure, "speed", "Times as fast as SEAL with HEXL, one thread, same primes")
