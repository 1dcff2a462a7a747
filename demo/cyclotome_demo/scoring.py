# SPDX-License-Identifier: Apache-2.0
"""Private scoring: models in the clear at the server, samples encrypted."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import cyclotome as cy
import numpy as np

from cyclotome_demo import datasets, models
from cyclotome_demo.task import Array, Arrays, Task


class LinearScoring(Task):
    """Logistic regression: the sign of weights · x + bias, for all samples in one ciphertext."""

    key = "linear"
    title = "Private scoring: logistic regression"
    asks = "Is this tumour benign?"
    client_holds = "30 measurements of each tumour"
    server_holds = "the weights of a model trained on its own tumours"
    bound = models.LEVELS

    def parameters(self) -> cy.Parameters:
        # Scores: 255 * 2^14 and a bias of the same size.
        return cy.Parameters.suggest(
            depth=0, value_bits=8, result_bits=24, terms=models.LINEAR_BUDGET, plain_products=0
        )

    def client_data(self, quick: bool) -> dict[str, Array]:
        split = datasets.tumours()
        count = 40 if quick else len(split.client)
        levels = models.quantise_measurements(split.client[:count])
        return {"questions": levels.T, "labels": split.client_labels[:count]}

    def server_data(self, quick: bool) -> dict[str, Array]:
        model = models.train_linear()
        return {
            **models.quantise_linear(model),
            "float_weights": model.weights,
            "float_bias": np.array(model.bias),
        }

    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        return cast(cy.EncryptedArray, held["weights"] @ questions + int(held["bias"]))

    def expected(self, questions: Array, held: Arrays) -> Array:
        weights = [int(weight) for weight in held["weights"]]
        scores = [sum(w * int(x) for w, x in zip(weights, sample, strict=True)) for sample in questions.T]
        return np.array(scores) + int(held["bias"])

    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        floats = held["float_weights"] @ client["questions"] + held["float_bias"] > 0
        return {
            "queries": int(answers.size),
            "accuracy": float(np.mean((answers > 0) == client["labels"])),
            "float_accuracy": float(np.mean(floats == client["labels"])),
            "same_decision": int(np.sum(floats == (answers > 0))),
        }


class SquareScoring(Task):
    """A network with one hidden layer of squares: one product of ciphertexts deep; the largest logit wins."""

    key = "squares"
    title = "Private scoring: a network of squares"
    asks = "Which digit is this?"
    client_holds = "images of handwritten digits, 64 pixels each"
    server_holds = f"the weights of a network with {models.HIDDEN} squared hidden units"
    bound = models.PIXEL_MAX
    products = True
    scheme: ClassVar[str] = "bfv"
    noise_growth: ClassVar[int] = models.HIDDEN_BUDGET * models.OUTPUT_BUDGET

    def parameters(self) -> cy.Parameters:
        # Hidden sums below 2^14, squares below 2^28, times at most 2^10; noise: 2^9 before the squares, 2^10 after.
        return cy.Parameters.suggest(
            depth=1,
            value_bits=5,
            result_bits=38,
            terms=self.noise_growth,
            plain_products=0,
            scheme=self.scheme,
        )

    def client_data(self, quick: bool) -> dict[str, Array]:
        split = datasets.digits()
        count = 40 if quick else len(split.client)
        return {"questions": split.client[:count].T, "labels": split.client_labels[:count]}

    def server_data(self, quick: bool) -> dict[str, Array]:
        model = models.train_network()
        floats = {f"float_{name}": value for name, value in model._asdict().items()}
        return {**models.quantise_network(model), **floats}

    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        sums = held["hidden"] @ questions + held["hidden_bias"][:, None]
        return cast(cy.EncryptedArray, held["output"] @ (sums * sums) + held["output_bias"][:, None])

    def expected(self, questions: Array, held: Arrays) -> Array:
        whole = {name: held[name].astype(object) for name in models.SquareNetwork._fields}
        return models.SquareNetwork(**whole).logits(questions.astype(object))

    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        network = models.SquareNetwork(*(held[f"float_{name}"] for name in models.SquareNetwork._fields))
        floats = network.logits(client["questions"]).argmax(axis=0)
        decisions = answers.argmax(axis=0)
        return {
            "queries": int(decisions.size),
            "accuracy": float(np.mean(decisions == client["labels"])),
            "float_accuracy": float(np.mean(floats == client["labels"])),
            "same_decision": int(np.sum(floats == decisions)),
        }


class LevelledScoring(SquareScoring):
    """The same network in BGV, whose ciphertexts shrink as it is computed."""

    key = "levels"
    title = "Private scoring: the network of squares in BGV"
    scheme = "bgv"
    noise_growth = models.HIDDEN_BUDGET**2 * models.OUTPUT_BUDGET  # a product multiplies the noise of its factors
