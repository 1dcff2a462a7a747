# SPDX-License-Identifier: Apache-2.0
"""Pictures without figures: who holds which key, and what lies in slots."""

from __future__ import annotations

from pictures.drawing import FIRST, INK, SECOND, arrow, box, canvas, finished

__all__ = ["parties", "slots"]


def parties() -> str:
    """The client, the server, and what goes from one to the other."""
    figure, axes = canvas(2.7, plain=True)
    for x, title, colour in ((0.01, "client", FIRST), (0.66, "server", SECOND)):
        box(axes, (x, 0.04, 0.33, 0.88), "", colour, 0.07)
        axes.text(x + 0.165, 0.84, title, ha="center", weight="bold")
    box(axes, (0.05, 0.58, 0.25, 0.17), "secret key\nnever leaves", FIRST, 0.3)
    box(axes, (0.05, 0.35, 0.25, 0.17), "public key\nencrypts", FIRST)
    box(axes, (0.05, 0.10, 0.25, 0.19), "values in,\nresults out", INK, 0.05)
    box(axes, (0.70, 0.58, 0.25, 0.17), "evaluation keys\ndecrypt nothing", SECOND, 0.3)
    box(axes, (0.70, 0.35, 0.25, 0.17), "x * x + 3 * x", SECOND)
    box(axes, (0.70, 0.10, 0.25, 0.19), "its own data\nand model", INK, 0.05)
    arrow(axes, (0.34, 0.66), (0.66, 0.66), "evaluation keys, once", FIRST)
    arrow(axes, (0.34, 0.43), (0.66, 0.43), "encrypted values", FIRST)
    arrow(axes, (0.66, 0.19), (0.34, 0.19), "encrypted results", SECOND)
    return finished(figure, "parties", "Who holds which key, and what travels")


def slots() -> str:
    """A matrix in ciphertexts: the last axis inside, the others number them; a sum along either."""
    figure, axes = canvas(3.0, plain=True)
    values = [["1", "2", "3", "4"], ["10", "20", "30", "40"]]
    axes.text(0.02, 0.93, "x = cy.encrypt([[1, 2, 3, 4], [10, 20, 30, 40]], public)", family="monospace", fontsize=8.5)

    def row(y: float, name: str, cells: list[str], colour: str) -> None:
        axes.text(0.02, y + 0.05, name, va="center")
        for i, cell in enumerate([*cells, *["0"] * (8 - len(cells))]):
            used = i < len(cells)
            box(axes, (0.30 + i * 0.072, y, 0.066, 0.1), cell, colour if used else INK, 0.25 if used else 0.03)
        axes.text(0.885, y + 0.05, "… n slots", va="center")

    row(0.74, "ciphertext x[0]", values[0], FIRST)
    row(0.60, "ciphertext x[1]", values[1], FIRST)
    axes.text(0.02, 0.49, "along the first axis: an addition, no key", fontsize=8.5, style="italic")
    row(0.36, "x.sum(axis=0)", ["11", "22", "33", "44"], SECOND)
    axes.text(0.02, 0.25, "along the last axis: log₂ n rotations, with keys for them", fontsize=8.5, style="italic")
    row(0.12, "x.sum(axis=1)", ["10", "10", "10", "10", "10", "10", "10", "10"], SECOND)
    axes.text(0.30, 0.05, "and another ciphertext of 100 … : replicated, one for each sum", fontsize=8.5)
    return finished(figure, "slots", "What lies in the slots of ciphertexts")
