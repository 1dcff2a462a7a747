# SPDX-License-Identifier: Apache-2.0
"""Private nearest neighbour: whose image is closest to mine?"""

from __future__ import annotations

from typing import Any, cast

import cyclotome as cy
import numpy as np

from cyclotome_demo import datasets
from cyclotome_demo.task import Array, Arrays, Task


class Neighbours(Task):
    """Squared distances ‖r − q‖² of every query q to every reference r, up to the client's own ‖q‖².

    Pixel-major: ciphertext p holds pixel p of all queries, one a slot, so that ‖r‖² − 2 r·q for all references and
    queries is one plain matrix times an array of 64 ciphertexts.
    """

    key = "neighbours"
    title = "Private nearest neighbour"
    asks = "Which of your images looks most like mine?"
    client_holds = "images of handwritten digits, 64 pixels each"
    server_holds = "labelled reference images, in the clear"
    bound = 16

    def parameters(self) -> cy.Parameters:
        # |r|^2 - 2 r.q lies in (-2^15, 2^15): at most 64 pixels of 16. Noise grows by sum |2 r_p|, at most 2^11.
        return cy.Parameters.suggest(depth=0, value_bits=5, result_bits=16, terms=1 << 11, plain_products=0)

    def client_data(self, quick: bool) -> dict[str, Array]:
        split = datasets.digits()
        count = 60 if quick else len(split.client)
        return {"questions": split.client[:count].T, "labels": split.client_labels[:count]}

    def server_data(self, quick: bool) -> dict[str, Array]:
        split = datasets.digits()
        count = 150 if quick else len(split.server)
        return {"references": split.server[:count], "labels": split.server_labels[:count]}

    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        references = held["references"]
        norms = (references**2).sum(axis=1)
        return cast(cy.EncryptedArray, (-2 * references) @ questions + norms[:, None])

    def expected(self, questions: Array, held: Arrays) -> Array:
        differences = held["references"][:, :, None] - questions[None, :, :]
        squared: Array = (differences**2).sum(axis=1) - (questions**2).sum(axis=0)
        return squared

    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        nearest = answers.argmin(axis=0)
        right = held["labels"][nearest] == client["labels"]
        return {
            "distances": int(answers.size),
            "queries": int(right.size),
            "accuracy": float(np.mean(right)),
        }
