# SPDX-License-Identifier: Apache-2.0
"""Private nearest neighbour: which digit do my images look like? The server finds the nearest itself."""

from __future__ import annotations

from itertools import combinations
from typing import Any, cast

import cyclotome as cy
import numpy as np

from cyclotome_demo import datasets, models
from cyclotome_demo.task import Array, Arrays, Task

#: A question: an image with pixels of 0, 1 and 2. All questions are one ciphertext, whose slots are BLOCKS blocks of
#: ROOM values: block p holds pixel p of every image.
BLOCKS, ROOM = 64, 512
#: Every pair (i, j) of digits with i < j, in the order of their blocks.
PAIRS = tuple(combinations(range(10), 2))


def repeated(blocks: Array) -> Array:
    """A number for each block, for every value of it."""
    return np.repeat(blocks, ROOM)


def mapped(x: cy.EncryptedArray, matrix: Array) -> cy.EncryptedArray:
    """Block k of the result is the sum of matrix[k, p] times block p: a public matrix times all images at once.

    Slots lie in two rows of BLOCKS/2 blocks, which turn by one block again and again, so that one rotation's key is
    enough: keys are the largest of what is sent (Horner's rule, with rotations for powers).
    """
    row, place = np.divmod(np.arange(BLOCKS), BLOCKS // 2)
    swapped = x.rotate_columns()
    total: cy.EncryptedArray | None = None
    for turns in reversed(range(BLOCKS // 2)):
        # What stands at `place` of a row and has yet to turn so often arrives here:
        target = row * (BLOCKS // 2) + (place - turns) % (BLOCKS // 2)
        straight = matrix[target, np.arange(BLOCKS)]
        across = matrix[target, (1 - row) * (BLOCKS // 2) + place]
        total = None if total is None else total.rotate_rows(ROOM)
        for source, factors in ((x, straight), (swapped, across)):
            if factors.any():
                term = source * repeated(factors)
                total = term if total is None else total + term
    return cast(cy.EncryptedArray, total)


def comparisons() -> tuple[Array, Array]:
    """How the comparisons of all pairs give ranks: a matrix and a vector, for blocks. The answer "j is nearer" counts
    against i, the other one against j; blocks that are no digits rank last."""
    signs, offsets = np.zeros((BLOCKS, BLOCKS), dtype=np.int64), np.full(BLOCKS, 9)
    offsets[:10] = 0
    for column, (i, j) in enumerate(PAIRS):
        signs[i, column], signs[j, column] = 1, -1
        offsets[j] += 1
    return signs, offsets


class Neighbours(Task):
    """The nearest of ten prototypes, one for each digit, which the server learned from its images: -|q - c|² up to |q|²
    is 2 c·q - |c|², so that two prototypes are compared by the sign of a linear function of the pixels.

    All pairs of digits, for all images, are compared at once. The nearest is the one against which nothing counts, and
    the answer says so in its block: the server sends which one it is, not how far all of them are.
    """

    key = "neighbours"
    title = "Private nearest neighbour"
    asks = "Which digit does my image look most like?"
    client_holds = "images of handwritten digits, 64 pixels each"
    server_holds = "labelled reference images, and a prototype of each digit learned from them"
    bound = models.SHADES
    products = True

    def parameters(self) -> cy.Parameters:
        # What cyclotome.suggest(compute=...) finds for this work, with the one plaintext modulus that has a slot for
        # each of 2^15 values; given here, since it searches for half a minute.
        return cy.Parameters.from_modulus_bits(
            scheme="bgv", degree=BLOCKS * ROOM, modulus_bits=696, plain_moduli=[65537], word=32
        )

    def keys(self, parameters: cy.Parameters, device: str) -> cy.Keys:
        return cy.keygen(parameters, rotations=[ROOM], columns=True, device=device)

    def client_data(self, quick: bool) -> dict[str, Array]:
        split = datasets.digits()
        count = 60 if quick else ROOM
        questions = np.zeros((BLOCKS, ROOM), dtype=np.int64)
        questions[:, :count] = models.shades(split.client[:count]).T
        return {"questions": questions.reshape(-1), "labels": split.client_labels[:count]}

    def server_data(self, quick: bool) -> dict[str, Array]:
        prototypes = models.quantise_prototypes(models.train_prototypes(epochs=20 if quick else 60))
        ahead, behind = zip(*PAIRS, strict=True)
        rows = np.zeros((BLOCKS, BLOCKS), dtype=np.int64)
        offsets = np.zeros(BLOCKS, dtype=np.int64)
        rows[: len(PAIRS)] = prototypes["weights"][list(behind)] - prototypes["weights"][list(ahead)]
        offsets[: len(PAIRS)] = prototypes["offsets"][list(behind)] - prototypes["offsets"][list(ahead)]
        return {"rows": rows, "offsets": offsets}

    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        differences = mapped(questions, held["rows"]) + repeated(held["offsets"])
        nearer = cy.less(0, differences.assume_bound(models.PROTOTYPE_BUDGET))
        signs, offsets = comparisons()
        ranks = (mapped(nearer, signs) + repeated(offsets)).assume_bound(9)
        return cy.less(ranks, 1)

    def expected(self, questions: Array, held: Arrays) -> Array:
        pixels = questions.reshape(BLOCKS, ROOM)
        nearer = held["rows"] @ pixels + held["offsets"][:, None] > 0
        signs, offsets = comparisons()
        first: Array = (signs @ nearer + offsets[:, None] == 0).astype(np.int64).reshape(-1)
        return first

    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        labels = client["labels"]
        nearest = answers.reshape(BLOCKS, ROOM)[:10, : labels.size]
        if not (nearest.sum(axis=0) == 1).all():
            raise ValueError("an image has no nearest digit, or several")
        right = nearest.argmax(axis=0) == labels
        return {
            "comparisons": int(labels.size * len(PAIRS)),
            "queries": int(labels.size),
            "accuracy": float(np.mean(right)),
        }
