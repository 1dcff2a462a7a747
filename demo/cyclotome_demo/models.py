# SPDX-License-Identifier: Apache-2.0
"""The server's models: trained on its own data with floats, then quantised to integers within public budgets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cyclotome_demo import datasets

Array = np.ndarray[Any, Any]

#: Full scale of each tumour measurement: the service's public input format. A measurement is sent as an integer in
#: 0 … LEVELS, LEVELS standing for full scale. Mean, standard error and worst of ten measurements.
FULL_SCALE = np.ravel(
    [
        [30, 40, 200, 2600, 0.2, 0.4, 0.5, 0.25, 0.4, 0.1],
        [3, 5, 25, 550, 0.04, 0.15, 0.4, 0.06, 0.08, 0.03],
        [40, 50, 260, 4500, 0.25, 1.1, 1.3, 0.3, 0.7, 0.25],
    ]
)
LEVELS = 255

#: Largest sum of magnitudes of one row of integer weights.
LINEAR_BUDGET = 1 << 14
HIDDEN_BUDGET = 1 << 9
OUTPUT_BUDGET = 1 << 10

#: Shades that pixels keep for the nearest neighbour, beside 0; and the largest difference of two prototypes' scores.
SHADES = 2
PROTOTYPE_BUDGET = 127

HIDDEN = 32
PIXEL_MAX = 16


class Linear(NamedTuple):
    """weights · x + bias > 0 means class 1; float weights and bias, for integers x."""

    weights: Array
    bias: float


class SquareNetwork(NamedTuple):
    """Logits = output (hidden x + hidden_bias)² + output_bias, squares element by element."""

    hidden: Array
    hidden_bias: Array
    output: Array
    output_bias: Array

    def logits(self, columns: Array) -> Array:
        """Logits (classes, samples) of samples (features, samples)."""
        squares = (self.hidden @ columns + self.hidden_bias[:, None]) ** 2
        logits: Array = self.output @ squares + self.output_bias[:, None]
        return logits


def quantise_measurements(measurements: Array) -> Array:
    """Tumour measurements (samples, 30) as integers in 0 … LEVELS; larger ones are cut off at full scale."""
    levels: Array = np.rint(np.clip(measurements / FULL_SCALE, 0, 1) * LEVELS).astype(np.int64)
    return levels


def within_budget(weights: Array, budget: int) -> tuple[Array, float]:
    """Integer weights, cut towards zero, and their scale: no row's magnitudes add up to more than `budget`."""
    scale = budget / float(np.abs(weights).sum(axis=-1).max())
    return np.trunc(weights * scale).astype(np.int64), scale


def train_linear() -> Linear:
    """Logistic regression on the server's tumours."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    split = datasets.tumours()
    levels = quantise_measurements(split.server)
    scaler = StandardScaler().fit(levels)
    model = LogisticRegression(C=0.3, max_iter=1000).fit(scaler.transform(levels), split.server_labels)
    weights = model.coef_[0] / scaler.scale_
    return Linear(weights, float(model.intercept_[0] - weights @ scaler.mean_))


def quantise_linear(model: Linear) -> dict[str, Array]:
    """Integer weights and bias."""
    weights, scale = within_budget(model.weights, LINEAR_BUDGET)
    return {"weights": weights, "bias": np.array(round(model.bias * scale), dtype=np.int64)}


def quantise_network(model: SquareNetwork) -> dict[str, Array]:
    """Integer weights and biases: hidden units scale with s, their squares with s²."""
    hidden, inner = within_budget(model.hidden, HIDDEN_BUDGET)
    output, outer = within_budget(model.output, OUTPUT_BUDGET)
    return {
        "hidden": hidden,
        "hidden_bias": np.rint(model.hidden_bias * inner).astype(np.int64),
        "output": output,
        "output_bias": np.rint(model.output_bias * inner**2 * outer).astype(np.int64),
    }


def shades(pixels: Array) -> Array:
    """Pixels 0 … PIXEL_MAX in 0 … SHADES."""
    shaded: Array = np.rint(pixels * SHADES / PIXEL_MAX).astype(np.int64)
    return shaded


def train_prototypes(epochs: int = 60, rate: float = 0.02, sharpness: float = 0.3, decay: float = 1e-3) -> Array:
    """Ten prototypes, (10, pixels), so placed that the nearest tells the digit: soft nearest prototypes (Seo, Bode and
    Obermayer, 2003), from the mean images; a decay keeps them close to each other."""
    split = datasets.digits()
    samples, classes = shades(split.server).astype(np.float64), np.eye(10)[split.server_labels]
    random = np.random.default_rng(datasets.SEED)
    prototypes = np.array([samples[split.server_labels == digit].mean(axis=0) for digit in range(10)])
    optimiser = Adam([prototypes], rate)
    for _ in range(epochs):
        for batch in np.array_split(random.permutation(len(samples)), 20):
            some = samples[batch]
            logits = -sharpness * ((some[:, None] - prototypes) ** 2).sum(axis=2)
            probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
            probabilities /= probabilities.sum(axis=1, keepdims=True)
            error = (probabilities - classes[batch]) / len(batch)
            pull = error.T @ some - error.sum(axis=0)[:, None] * prototypes
            optimiser.step([2 * sharpness * pull + decay * (prototypes - prototypes.mean(axis=0))])
    return prototypes


def quantise_prototypes(prototypes: Array) -> dict[str, Array]:
    """Integers of the scores 2 c·q - |c|², at the finest scale at which no two of any image differ by more than
    PROTOTYPE_BUDGET: weights (10, pixels) and offsets (10,)."""
    for scale in np.arange(4, 0, -0.02):
        weights = np.rint(2 * scale * prototypes).astype(np.int64)
        offsets = -np.rint(scale * (prototypes**2).sum(axis=1)).astype(np.int64)
        steps = (weights[:, None] - weights)[..., None] * np.array([0, SHADES])
        between = offsets[:, None] - offsets
        if (steps.max(axis=3).sum(axis=2) + between).max() <= PROTOTYPE_BUDGET:
            return {"weights": weights, "offsets": offsets}
    raise ValueError("prototypes too far apart for any scale")


def train_network(epochs: int = 300, rate: float = 3e-3, decay: float = 1e-3) -> SquareNetwork:
    """A network with one hidden layer of squares on the server's digits; softmax loss, Adam, minibatches."""
    split = datasets.digits()
    samples, classes = split.server / PIXEL_MAX, np.eye(10)[split.server_labels]
    random = np.random.default_rng(datasets.SEED)
    weights = [random.normal(0, 0.15, (samples.shape[1], HIDDEN)), np.zeros(HIDDEN)]
    weights += [random.normal(0, 0.1, (HIDDEN, 10)), np.zeros(10)]
    optimiser = Adam(weights, rate)
    for _ in range(epochs):
        for batch in np.array_split(random.permutation(len(samples)), 20):
            optimiser.step(gradients(weights, samples[batch], classes[batch], decay))
    hidden, hidden_bias, output, output_bias = weights
    return SquareNetwork(hidden.T / PIXEL_MAX, hidden_bias, output.T, output_bias)


def gradients(weights: list[Array], samples: Array, classes: Array, decay: float) -> list[Array]:
    """Gradients of the mean softmax loss (and weight decay on the hidden layer) by every weight."""
    hidden, hidden_bias, output, output_bias = weights
    sums = samples @ hidden + hidden_bias
    logits = sums**2 @ output + output_bias
    probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    error = (probabilities - classes) / len(samples)
    back = error @ output.T * 2 * sums
    return [samples.T @ back + decay * hidden, back.sum(axis=0), (sums**2).T @ error, error.sum(axis=0)]


class Adam:
    """Adam (Kingma and Ba, 2015) with its usual constants, on a list of arrays that it changes in place."""

    def __init__(self, weights: list[Array], rate: float) -> None:
        self._weights = weights
        self._rate = rate
        self._first = [np.zeros_like(weight) for weight in weights]
        self._second = [np.zeros_like(weight) for weight in weights]
        self._steps = 0

    def step(self, slopes: list[Array]) -> None:
        """One step against the gradients `slopes`."""
        self._steps += 1
        for weight, first, second, slope in zip(self._weights, self._first, self._second, slopes, strict=True):
            first += 0.1 * (slope - first)
            second += 0.001 * (slope**2 - second)
            mean, square = first / (1 - 0.9**self._steps), second / (1 - 0.999**self._steps)
            weight -= self._rate * mean / (np.sqrt(square) + 1e-8)
