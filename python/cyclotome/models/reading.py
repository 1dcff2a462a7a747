# SPDX-License-Identifier: Apache-2.0
"""Fitted scikit-learn estimators, read by their attributes: scikit-learn itself is never imported here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, UnsupportedError
from .features import Features, real_rows
from .linear import LinearClassifier, LinearScores, Quantised
from .model import Model
from .neighbours import MOST_RANKED, Neighbours
from .ranking import Ranking
from .trees import Leaf, Tree, Trees, require_questions, simplified

__all__ = ["ESTIMATORS", "from_sklearn"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Given:
    """What is to be read, and how."""

    estimator: Any
    name: str
    ranges: Floats
    #: Of scalers before it: the estimator sees factor * x + shift.
    factor: Floats
    shift: Floats
    feature_bits: int | None
    score_bits: int | None
    scores: bool

    def features(self, bits: int, weighted: bool = False) -> Features:
        chosen = bits if self.feature_bits is None else self.feature_bits
        return Features.over(self.ranges, chosen, self.factor if weighted else None)

    def limit(self, bits: int) -> int:
        chosen = bits if self.score_bits is None else self.score_bits
        if isinstance(chosen, bool) or not isinstance(chosen, int) or not 2 <= chosen <= 48:
            raise ArgumentError(f"score_bits {chosen!r} must be a whole number from 2 to 48")
        return int(2**chosen - 1)

    def attribute(self, name: str) -> Any:
        """Raises ArgumentError where the estimator has none, because it is not fitted."""
        value = getattr(self.estimator, name, None)
        if value is None:
            raise ArgumentError(f"from_sklearn: the {self.name} has no {name}: fit it first")
        return value.toarray() if hasattr(value, "toarray") else value

    def labels(self) -> NDArray[Any]:
        labels = self.attribute("classes_")
        if isinstance(labels, list) or np.ndim(labels) != 1 or len(labels) < 2:
            raise UnsupportedError(f"from_sklearn: a {self.name} of one label, or of several outputs")
        return np.asarray(labels)


# --- linear models ----------------------------------------------------------------------------------------------------
def _coefficients(given: _Given) -> tuple[Floats, Floats]:
    """Weights (outputs, features) and offsets of the rows themselves, scalers folded in."""
    weights = np.atleast_2d(np.asarray(given.attribute("coef_"), dtype=np.float64))
    offsets = np.asarray(given.attribute("intercept_"), dtype=np.float64).reshape(-1)
    if weights.ndim != 2 or weights.shape[1] != len(given.factor) or len(offsets) not in (1, len(weights)):
        raise ArgumentError(f"from_sklearn: weights of shape {weights.shape} for {len(given.factor)} features")
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with the scores
        shifted = np.broadcast_to(offsets, len(weights)) + weights @ given.shift
        return weights * given.factor, np.asarray(shifted, dtype=np.float64)


def _numbers(given: _Given) -> Model:
    features = given.features(8)
    weights = Quantised.of(*_coefficients(given), features, given.limit(24), differences=False)
    single = np.ndim(given.attribute("coef_")) == 1 or len(weights.matrix) == 1
    return LinearScores(features, None, weights.scale, weights, single)


def _classes(given: _Given) -> Model:
    if given.scores:
        return _numbers(given)
    labels, features = given.labels(), given.features(5)
    matrix, offsets = _coefficients(given)
    if len(matrix) != (1 if len(labels) == 2 else len(labels)):
        raise UnsupportedError(f"from_sklearn: {len(matrix)} scores for {len(labels)} labels of a {given.name}")
    weights = Quantised.of(matrix, offsets, features, given.limit(10), differences=len(matrix) > 1)
    ranking = None
    if len(matrix) > 1:
        ranking = _unsettled(Ranking.of(weights.matrix, weights.offsets, features.levels))
    return LinearClassifier(features, labels, weights.scale, weights, ranking)


def _unsettled(ranking: Ranking) -> Ranking:
    if ranking.settled:
        raise ArgumentError("the quantised model answers the same for every row within the ranges")
    return ranking


# --- trees ------------------------------------------------------------------------------------------------------------
def _tree(given: _Given, features: Features, estimator: Any, leaf: Callable[[Floats], tuple[int, ...]]) -> Tree:
    nodes = estimator.tree_

    def read(node: int, depth: int) -> Tree:
        if depth > 64:
            raise UnsupportedError("from_sklearn: a tree of more than 64 levels; limit max_depth")
        left, right = int(nodes.children_left[node]), int(nodes.children_right[node])
        if left < 0:
            return Leaf(leaf(np.asarray(nodes.value[node], dtype=np.float64)))
        feature = int(nodes.feature[node])
        cut = (float(nodes.threshold[node]) - given.shift[feature]) / given.factor[feature]
        # Integers up to `threshold` are at most half a step from the right side of the cut.
        steps = np.clip((cut - features.low[feature]) / features.step[feature], -1, features.levels[feature] + 1)
        threshold = int(np.rint(steps - 0.5))
        question = feature, threshold
        return simplified(question, read(left, depth + 1), read(right, depth + 1), int(features.levels[feature]))

    return read(0, 0)


def _trees_of(given: _Given) -> list[Any]:
    trees = [given.estimator] if hasattr(given.estimator, "tree_") else given.attribute("estimators_")
    for tree in trees:
        if not hasattr(tree, "tree_"):
            raise ArgumentError(f"from_sklearn: the {given.name} has no tree_: fit it first")
        if tree.tree_.n_outputs != 1:
            raise UnsupportedError("from_sklearn: trees of several outputs")
    return list(trees)


def _tree_numbers(given: _Given) -> Model:
    features, estimators = given.features(4), _trees_of(given)
    most = sum(float(np.abs(each.tree_.value).max()) for each in estimators)
    limit = given.limit(16) - len(estimators)  # rounding adds a half for each tree
    if not 0 < most < np.inf or limit < 1:
        raise ArgumentError("from_sklearn: trees whose leaves are all 0 or infinite, or too few score_bits for so many")
    scale = limit / most
    trees = tuple(_tree(given, features, each, lambda value: (round(value[0, 0] * scale),)) for each in estimators)
    rounding = 0.5 / scale
    return Trees(features, None, scale * len(trees), trees, require_questions(trees), "leaves", rounding)


def _tree_labels(given: _Given) -> Model:
    labels, features, estimators = given.labels(), given.features(4), _trees_of(given)
    if len(estimators) == 1:
        trees: tuple[Tree, ...] = (_tree(given, features, estimators[0], lambda value: (int(value[0].argmax()),)),)
        return Trees(features, labels, 1.0, trees, require_questions(trees), "leaves", 0.0)
    scale = given.limit(6) // len(estimators)
    if scale < 1:
        raise ArgumentError(f"from_sklearn: {len(estimators)} trees and too few score_bits; give more")

    def votes(value: Floats) -> tuple[int, ...]:
        shares = value[0] / value[0].sum()
        if len(labels) == 2:
            shares = shares[1:] - shares[:1]
        return tuple(np.rint(scale * shares).astype(int).tolist())

    trees = tuple(_tree(given, features, each, votes) for each in estimators)
    reading = "sign" if len(labels) == 2 else "largest"
    return Trees(features, labels, float(scale), trees, require_questions(trees), reading, len(trees) / (2 * scale))


# --- neighbours -------------------------------------------------------------------------------------------------------
def _neighbours(given: _Given) -> Model:
    estimator = given.estimator
    metric, power = given.attribute("effective_metric_"), (getattr(estimator, "effective_metric_params_", None) or {})
    if metric != "euclidean" and not (metric == "minkowski" and power.get("p") == 2 and len(power) == 1):
        raise UnsupportedError(f"from_sklearn: neighbours by the metric {metric!r}; Euclidean distances are computed")
    if getattr(estimator, "weights", "uniform") != "uniform" and not given.scores:
        raise UnsupportedError("from_sklearn: neighbours with weights; uniform ones, or answer='scores'")
    seen = real_rows("from_sklearn", given.attribute("_fit_X"))
    features = given.features(3, weighted=True)
    rows = (seen - given.shift) / given.factor
    references = np.rint((rows - features.low) / features.step).astype(np.int64)
    if np.abs(references).max() >= 1 << 20:
        raise ArgumentError("from_sklearn: references far outside the ranges; give ranges that fit them")
    if given.scores:
        step = _grid(given, features)
        return Neighbours(features, None, 1 / step**2, references, None, None, 0, step, 0.0)
    return _ranked(given, features, references)


def _grid(given: _Given, features: Features) -> float:
    """The grid's step in units of the metric, one for all features."""
    return float((features.step * given.factor).max())


def _ranked(given: _Given, features: Features, references: NDArray[np.int64]) -> Model:
    count, kept = len(references), int(given.estimator.n_neighbors)
    if count > MOST_RANKED:
        raise UnsupportedError(
            f"from_sklearn: {count} references; up to {MOST_RANKED} are ranked without decryption. Fit fewer, such as "
            "centroids, or say answer='scores' and look for the least distances after decryption"
        )
    step = _grid(given, features)
    squares = (references**2).sum(axis=1)
    ranking = _unsettled(Ranking.of(2 * references, -squares, features.levels, kept))
    targets = np.asarray(given.attribute("_y"))
    if targets.ndim != 1 and targets.shape[1:] != (1,):
        raise UnsupportedError("from_sklearn: neighbours of several outputs")
    targets = targets.reshape(-1)
    if given.name.endswith("Regressor"):
        scale = given.limit(16) / max(float(np.abs(targets).max()) * kept, np.finfo(float).tiny)
        votes = np.rint(targets * scale).astype(np.int64)[None, :]
        largest = int(np.abs(votes).max()) * kept
        return Neighbours(features, None, scale * kept, references, votes, ranking, largest, step, 0.5 / scale)
    labels = given.labels()
    if kept == 1:
        return Neighbours(features, labels, 1.0, references, targets[None, :], ranking, len(labels) - 1, step, 0.0)
    votes = (np.arange(len(labels))[:, None] == targets).astype(np.int64)
    return Neighbours(features, labels, 1.0, references, votes, ranking, kept, step, 0.0)


# --- which there are --------------------------------------------------------------------------------------------------
_READERS: Mapping[str, Callable[[_Given], Model]] = {
    **dict.fromkeys(("LinearRegression", "Ridge", "Lasso", "ElasticNet", "SGDRegressor", "LinearSVR"), _numbers),
    **dict.fromkeys(("LogisticRegression", "LinearSVC", "SGDClassifier", "Perceptron", "RidgeClassifier"), _classes),
    **dict.fromkeys(("DecisionTreeRegressor", "RandomForestRegressor", "ExtraTreesRegressor"), _tree_numbers),
    **dict.fromkeys(("DecisionTreeClassifier", "RandomForestClassifier", "ExtraTreesClassifier"), _tree_labels),
    **dict.fromkeys(("KNeighborsClassifier", "KNeighborsRegressor"), _neighbours),
}

#: Names of the estimators that `from_sklearn` takes, alone or behind scalers in a pipeline.
ESTIMATORS = tuple(_READERS)


def _scaled(scaler: Any, factor: Floats, shift: Floats) -> tuple[Floats, Floats]:
    """What a scaler makes of factor * x + shift."""
    name, count = type(scaler).__name__, len(factor)
    if scaler is None or (isinstance(scaler, str) and scaler == "passthrough"):
        return factor, shift
    if name == "StandardScaler" and hasattr(scaler, "n_samples_seen_"):
        mean = np.zeros(count) if getattr(scaler, "mean_", None) is None else np.asarray(scaler.mean_)
        wide = np.ones(count) if getattr(scaler, "scale_", None) is None else np.asarray(scaler.scale_)
        mean = mean if getattr(scaler, "with_mean", True) else np.zeros(count)
        if mean.shape == wide.shape == (count,) and (wide > 0).all():
            return factor / wide, (shift - mean) / wide
    elif name == "MinMaxScaler" and hasattr(scaler, "min_") and not getattr(scaler, "clip", False):
        wide = np.asarray(scaler.scale_)
        if wide.shape == (count,) and (wide > 0).all():
            return factor * wide, shift * wide + np.asarray(scaler.min_)
    raise UnsupportedError(
        f"from_sklearn: a pipeline with {name}; before the estimator there may be fitted StandardScaler and "
        "MinMaxScaler(clip=False)"
    )


def from_sklearn(
    estimator: object,
    *,
    ranges: object,
    feature_bits: int | None = None,
    score_bits: int | None = None,
    answer: str = "predict",
) -> Model:
    """A fitted estimator in integers, which answers encrypted rows.

    Args:
        estimator: one of `ESTIMATORS`, or a pipeline that ends in one behind StandardScaler and MinMaxScaler.
        ranges: rows such as the training data, of which the least and largest value of each feature are kept: rows to
            be answered lie within. Public.
        feature_bits: bits of a feature's integer. None: 8 for scores, 5 for labels of linear models, 4 for trees, 3 for
            neighbours. Comparisons get dearer with them.
        score_bits: bits of the largest score, or of what is compared to find a label. None: 24 for numbers of linear
            models, 16 of trees and neighbours, 10 for labels of linear models, 6 of forests.
        answer: "predict", labels of classifiers and numbers of others; "scores": the decision function of linear
            classifiers; for neighbours the squared distances to all references, less the row's own square, in units of
            the metric: nothing is compared.

    Raises:
        UnsupportedError: another estimator, which the message tells from those there are; a metric, outputs or scalers
            that are not computed.
        ArgumentError: not fitted; bits out of range; a model that answers the same for every row.
        RangeError: ranges that are no finite numbers.
    """
    if answer not in ("predict", "scores"):
        raise ArgumentError(f"from_sklearn: answer={answer!r}; there are 'predict' and 'scores'")
    rows = real_rows("ranges", ranges)
    factor, shift = np.ones(rows.shape[1]), np.zeros(rows.shape[1])
    steps = getattr(estimator, "steps", None) if type(estimator).__name__ == "Pipeline" else None
    if steps:
        for _, scaler in steps[:-1]:
            factor, shift = _scaled(scaler, factor, shift)
        estimator = steps[-1][1]
    name = next((each.__name__ for each in type(estimator).__mro__ if each.__name__ in _READERS), None)
    if name is None:
        raise UnsupportedError(
            f"from_sklearn: {type(estimator).__name__} is not computed on encrypted rows; there are "
            f"{', '.join(ESTIMATORS)}"
        )
    expected = getattr(estimator, "n_features_in_", rows.shape[1])
    if expected != rows.shape[1]:
        raise ArgumentError(f"from_sklearn: ranges of {rows.shape[1]} features, and an estimator of {expected}")
    reader = _READERS[name]
    if answer == "scores" and reader in (_tree_numbers, _tree_labels):
        raise UnsupportedError(f"from_sklearn: a {name} has no scores; its answers are labels or numbers")
    bounds = np.stack([rows.min(axis=0), rows.max(axis=0)])
    return reader(_Given(estimator, name, bounds, factor, shift, feature_bits, score_bits, answer == "scores"))
