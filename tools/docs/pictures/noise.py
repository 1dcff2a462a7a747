# SPDX-License-Identifier: Apache-2.0
"""Noise and levels along an expression, by running it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pictures.drawing import FIRST, INK, SECOND, canvas, finished

__all__ = ["STEPS", "Run", "noise", "run"]

STEPS = ("x", "x + x", "x²", "x⁴", "x⁸", "Σ x⁸")


@dataclass(frozen=True)
class Run:
    """What each step of the expression has left in one scheme, in bits, and its ciphertext primes."""

    parameters: Any
    headroom: list[float]
    budget: list[int]
    level: list[int]


def run(scheme: str) -> Run:
    """Three values through `STEPS`: the public bound's headroom, and the budget measured with the secret key."""
    import cyclotome as cy

    params = cy.Parameters.suggest(depth=4, value_bits=1, result_bits=16, scheme=scheme)
    secret, public, _ = cy.keygen(params)
    x = cy.encrypt([1, -1, 1], public, bound=1)
    x2 = x * x
    x4 = x2 * x2
    x8 = x4 * x4
    steps = [x, x + x, x2, x4, x8, x8.sum()]
    return Run(
        params,
        [each.noise_headroom for each in steps],
        [cy.noise_budget(each, secret) for each in steps],
        [each.level for each in steps],
    )


def noise() -> str:
    """A panel for each scheme: what the bound promises, what was measured, and the primes that are left."""
    figure, (left, right) = canvas(2.9, columns=2)
    for axes, scheme, colour in ((left, "bfv", FIRST), (right, "bgv", SECOND)):
        found = run(scheme)
        places = range(len(STEPS))
        axes.plot(places, found.budget, "--", color=colour, lw=1, marker="o", ms=3, label="measured")
        axes.plot(places, found.headroom, color=colour, lw=1.8, marker="o", ms=4, label="promised")
        for i, (bits, level) in enumerate(zip(found.headroom, found.level, strict=True)):
            axes.text(i, bits - 9, f"{bits:.0f}", ha="center", va="top", fontsize=8)
            axes.text(i, 8, str(level), ha="center", color=colour, fontsize=8.5)
        axes.text(-0.4, 24, "ciphertext primes:", fontsize=8, color=INK)
        axes.set_title(scheme.upper(), fontsize=9.5, color=INK)
        axes.set(xlim=(-0.5, len(STEPS) - 0.5), ylim=(0, 240))
        axes.set_xticks(list(places), STEPS)
        axes.legend(frameon=False, fontsize=8, loc="upper right")
    left.set_ylabel("bits left")
    figure.subplots_adjust(0.1, 0.1, 0.99, 0.91, wspace=0.15)
    return finished(figure, "noise", "Noise headroom and ciphertext primes along an expression")
