# SPDX-License-Identifier: Apache-2.0
"""Quantised models on encrypted rows: equal to other computations of the same integers, and close to scikit-learn's."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import models
from cyclotome.errors import ArgumentError, FormatError, RangeError, UnsupportedError
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

sklearn = pytest.importorskip("sklearn")

from sklearn import datasets, ensemble, linear_model, neighbors, svm, tree  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler  # noqa: E402
from small import HOME, insecure  # noqa: E402

ROWS = 60


@cache
def keys() -> cy.Keys:
    """Of 64 slots, insecure, deep enough for every model here: a product takes a millisecond."""
    parameters = insecure((65537,), 64, [50] * 24, scheme="bgv")
    return cy.keygen(parameters, rotations=[], device=HOME)


@cache
def data(name: str) -> tuple[Any, Any]:
    rows, targets = getattr(datasets, f"load_{name}")(return_X_y=True)
    return rows, targets


def some(name: str, step: int) -> tuple[Any, Any]:
    rows, targets = data(name)
    return rows[::step], targets[::step]


def fitted(estimator: Any, rows: Any, targets: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(rows, targets)


def answered(model: models.Model, rows: Any) -> Any:
    made = keys()
    answers = model.predict(model.encrypt(rows, made.public))
    assert answers.noise_headroom > 0
    opened = model.decrypt(answers, made.secret)
    np.testing.assert_array_equal(opened, model.predict_clear(rows))
    return np.asarray(cy.decrypt(answers, made.secret))


# --- linear models ----------------------------------------------------------------------------------------------------
SCALED = make_pipeline(StandardScaler(), linear_model.LogisticRegression())
LINEAR = {
    "linear regression": (linear_model.LinearRegression(), data("diabetes"), {"score_bits": 13}),
    "ridge": (make_pipeline(MinMaxScaler(), linear_model.Ridge()), data("diabetes"), {"score_bits": 13}),
    "lasso": (linear_model.Lasso(alpha=0.1), data("diabetes"), {"score_bits": 12, "feature_bits": 6}),
    "SGD regression": (linear_model.SGDRegressor(random_state=0), data("diabetes"), {"score_bits": 13}),
    "decision function": (SCALED, data("breast_cancer"), {"score_bits": 12, "answer": "scores"}),
    "three scores": (linear_model.RidgeClassifier(), data("iris"), {"score_bits": 12, "answer": "scores"}),
    "several outputs": (
        linear_model.LinearRegression(),
        (data("iris")[0][:, :2], data("iris")[0][:, 2:]),
        {"score_bits": 12},
    ),
}


def float_scores(estimator: Any, rows: Any) -> Any:
    scores = estimator.decision_function(rows) if hasattr(estimator, "decision_function") else estimator.predict(rows)
    return scores if np.ndim(scores) == 1 else scores.T


@pytest.mark.parametrize("case", list(LINEAR))
def test_linear_scores(case: str, rng: np.random.Generator) -> None:
    estimator, (rows, targets), options = LINEAR[case]
    fitted(estimator, rows, targets)
    model = models.from_sklearn(estimator, ranges=rows, **options)
    assert isinstance(model, models.LinearScores)
    sample = rows[rng.permutation(len(rows))[:ROWS]]
    encoded = model.encode(sample).tolist()
    wanted = [
        [sum(w * column[i] for w, column in zip(row, encoded, strict=True)) + offset for i in range(ROWS)]
        for row, offset in zip(model.weights.matrix.tolist(), model.weights.offsets.tolist(), strict=True)
    ]
    assert answered(model, sample).tolist() == (wanted[0] if model.single else wanted)
    # Not only on the sample: the bound holds for all rows within the ranges.
    difference = np.abs(float_scores(estimator, rows) - model.predict_clear(rows)).T
    assert (difference <= np.asarray(model.error_bound) * (1 + 1e-9)).all()
    assert abs(np.asarray(wanted)).max() < 2 ** options["score_bits"]


CLASSIFIERS = {
    "logistic regression": (SCALED, data("breast_cancer"), {}),
    "linear SVC": (svm.LinearSVC(), data("iris"), {}),
    "SGD": (make_pipeline(StandardScaler(), linear_model.SGDClassifier(random_state=0)), data("breast_cancer"), {}),
    "perceptron": (linear_model.Perceptron(), some("digits", 4), {"feature_bits": 3, "score_bits": 9}),
    "ridge": (linear_model.RidgeClassifier(), data("iris"), {"score_bits": 8}),
    "words": (
        linear_model.LogisticRegression(max_iter=500),
        (data("iris")[0], np.array(["setosa", "versicolor", "virginica"])[data("iris")[1]]),
        {},
    ),
}


@pytest.mark.parametrize("case", list(CLASSIFIERS))
def test_linear_classifiers(case: str, rng: np.random.Generator, record_property: Any) -> None:
    estimator, (rows, targets), options = CLASSIFIERS[case]
    fitted(estimator, rows, targets)
    model = models.from_sklearn(estimator, ranges=rows, **options)
    assert isinstance(model, models.LinearClassifier)
    sample = rows[rng.permutation(len(rows))[:ROWS]]
    encoded = model.encode(sample).tolist()
    wanted = []
    for i in range(ROWS):
        scores = [
            sum(w * column[i] for w, column in zip(row, encoded, strict=True)) + offset
            for row, offset in zip(model.weights.matrix.tolist(), model.weights.offsets.tolist(), strict=True)
        ]
        wanted.append(int(scores[0] > 0) if len(scores) == 1 else scores.index(max(scores)))
    assert answered(model, sample).tolist() == wanted
    same = model.predict_clear(rows) == estimator.predict(rows)
    record_property("agreement", float(same.mean()))
    assert same.mean() > 0.8
    # Where scores are further apart than the error, labels are the fitted model's.
    scores = np.atleast_2d(float_scores(estimator, rows))
    if len(scores) == 1:
        sure = np.abs(scores[0]) > model.error_bound
    else:
        best, second = np.sort(scores, axis=0)[[-1, -2]]
        sure = best - second > 2 * np.max(model.error_bound)
    assert same[sure].all()


# --- trees ------------------------------------------------------------------------------------------------------------
TREES = {
    "tree": (tree.DecisionTreeClassifier(max_depth=5, random_state=0), data("iris"), {}),
    "scaled tree": (
        make_pipeline(StandardScaler(), tree.DecisionTreeClassifier(max_depth=4, random_state=0)),
        data("breast_cancer"),
        {},
    ),
    "fine tree": (tree.DecisionTreeClassifier(max_depth=4, random_state=0), data("breast_cancer"), {"feature_bits": 6}),
    "regression": (tree.DecisionTreeRegressor(max_depth=3, random_state=0), data("diabetes"), {"score_bits": 14}),
    "forest": (ensemble.RandomForestClassifier(5, max_depth=3, random_state=0), data("iris"), {}),
    "forest of two": (ensemble.ExtraTreesClassifier(4, max_depth=3, random_state=0), data("breast_cancer"), {}),
    "forest regression": (
        ensemble.RandomForestRegressor(3, max_depth=3, random_state=0),
        data("diabetes"),
        {"score_bits": 14},
    ),
}


def on_the_grid(estimator: Any, model: models.Model) -> list[Any]:
    """scikit-learn's own trees, whose thresholds lie between the integers of rows."""
    low, step = model.features.low, model.features.step
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    trees = copy.deepcopy(getattr(last, "estimators_", None) or [last])
    for each in trees:
        thresholds, features = each.tree_.threshold, each.tree_.feature
        for node in np.flatnonzero(features >= 0):
            cut, feature = thresholds[node], features[node]
            if hasattr(estimator, "steps"):
                cut = cut * estimator[0].scale_[feature] + estimator[0].mean_[feature]
            thresholds[node] = np.rint((cut - low[feature]) / step[feature] - 0.5) + 0.5
    return trees


@pytest.mark.parametrize("case", list(TREES))
def test_trees(case: str, rng: np.random.Generator, record_property: Any) -> None:
    estimator, (rows, targets), options = TREES[case]
    fitted(estimator, rows, targets)
    model = models.from_sklearn(estimator, ranges=rows, **options)
    assert isinstance(model, models.Trees)
    sample = rows[rng.permutation(len(rows))[:ROWS]]
    encoded = model.encode(sample).T.astype(np.float32)
    grid = on_the_grid(estimator, model)
    got = answered(model, sample)
    if model.labels is None:
        leaves = [np.rint(each.predict(encoded) * (model.scale / len(grid))) for each in grid]
        np.testing.assert_array_equal(got, np.sum(leaves, axis=0))
    elif len(grid) == 1:
        np.testing.assert_array_equal(got, grid[0].predict(encoded))
    else:
        shares = [each.predict_proba(encoded) for each in grid]
        if len(model.labels) == 2:
            wanted = np.sum([np.rint(model.scale * (p[:, 1] - p[:, 0])) for p in shares], axis=0) > 0
        else:
            wanted = np.sum([np.rint(model.scale * p) for p in shares], axis=0).argmax(axis=1)
        np.testing.assert_array_equal(got, wanted)
    if model.labels is not None:
        agreement = float((model.predict_clear(rows) == estimator.predict(rows)).mean())
        record_property("agreement", agreement)
        assert agreement > 0.9


def test_comparisons_differ_near_thresholds_only() -> None:
    rows, targets = data("diabetes")
    estimator = tree.DecisionTreeRegressor(max_depth=3, random_state=0).fit(rows, targets)
    model = models.from_sklearn(estimator, ranges=rows)
    near, rounding = model.error_bound
    nodes = estimator.tree_
    inner = np.flatnonzero(nodes.feature >= 0)
    gaps = np.abs(rows[:, nodes.feature[inner]] - nodes.threshold[inner])
    sure = (gaps > near[nodes.feature[inner]] * (1 + 1e-6)).all(axis=1)
    assert sure.sum() > 20
    difference = np.abs(model.predict_clear(rows) - estimator.predict(rows))[sure]
    assert difference.max() <= rounding * (1 + 1e-9)


# --- neighbours -------------------------------------------------------------------------------------------------------
NEIGHBOURS = {
    "nearest": (neighbors.KNeighborsClassifier(1), some("iris", 8), {}),
    "three": (neighbors.KNeighborsClassifier(3), some("iris", 8), {}),
    "scaled": (make_pipeline(StandardScaler(), neighbors.KNeighborsClassifier(2)), some("iris", 11), {}),
    "digits": (neighbors.KNeighborsClassifier(1), some("digits", 150), {"feature_bits": 1}),
    "two labels": (neighbors.KNeighborsClassifier(5), (data("iris")[0][::7], data("iris")[1][::7] > 0), {}),
    "numbers": (neighbors.KNeighborsRegressor(3), some("iris", 10), {"score_bits": 9}),
}


def nearest(model: models.Neighbours, query: list[int], count: int) -> list[int]:
    references = model.references.tolist()
    far = [sum((r - q) ** 2 for r, q in zip(row, query, strict=True)) for row in references]
    return sorted(range(len(references)), key=lambda i: (far[i], i))[:count]


@pytest.mark.parametrize("case", list(NEIGHBOURS))
def test_neighbours(case: str, rng: np.random.Generator, record_property: Any) -> None:
    estimator, (rows, targets), options = NEIGHBOURS[case]
    fitted(estimator, rows, targets)
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    model = models.from_sklearn(estimator, ranges=rows, **options)
    assert isinstance(model, models.Neighbours)
    sample = rng.uniform(rows.min(axis=0), rows.max(axis=0), (ROWS, rows.shape[1]))
    wanted = []
    for query in model.encode(sample).T.tolist():
        chosen = nearest(model, query, last.n_neighbors)
        if model.labels is None:
            wanted.append(sum(int(np.rint(last._y[i] * (model.scale / last.n_neighbors))) for i in chosen))
        else:
            votes = [sum(last._y[i] == label for i in chosen) for label in range(len(model.labels))]
            wanted.append(votes.index(max(votes)))
    assert answered(model, sample).tolist() == wanted
    if model.labels is not None:
        record_property("agreement", float((model.predict_clear(sample) == estimator.predict(sample)).mean()))


def test_distances_to_many_references(rng: np.random.Generator) -> None:
    rows, targets = some("digits", 10)
    estimator = neighbors.KNeighborsClassifier(3).fit(rows, targets)
    with pytest.raises(UnsupportedError, match="180 references"):
        models.from_sklearn(estimator, ranges=rows)
    model = models.from_sklearn(estimator, ranges=np.full((2, 64), [[0], [16]]), feature_bits=4, answer="scores")
    assert isinstance(model, models.Neighbours) and model.references.shape == (180, 64)
    sample = rng.integers(0, 17, (9, 64))
    distances = answered(model, sample)
    encoded = model.encode(sample).T
    squares = ((model.references[:, None] - encoded) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distances + (encoded**2).sum(axis=1), squares)


# --- random models, which need no scikit-learn ------------------------------------------------------------------------
def imitation(name: str, **attributes: Any) -> Any:
    """An object of a class of this name: estimators are known by their attributes."""
    return type(name, (SimpleNamespace,), {})(**attributes)


@settings(max_examples=25, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 5), st.integers(1, 4))
def test_random_linear_classifiers(seed: int, features: int, outputs: int, bits: int) -> None:
    rng = np.random.default_rng(seed)
    outputs += outputs == 2
    # Small integers: equal scores and scores of 0 are common.
    weights = rng.integers(-3, 4, (outputs, features)).astype(float)
    offsets = rng.integers(-4, 5, outputs).astype(float)
    labels = np.arange(max(outputs, 2)) * 10
    estimator = imitation("LogisticRegression", coef_=weights, intercept_=offsets, classes_=labels)
    most = 2**bits - 1
    ranges = np.array([[0] * features, [most] * features])
    try:
        model = models.from_sklearn(estimator, ranges=ranges, feature_bits=bits)
    except ArgumentError as error:
        assert "same for every row" in str(error) or "rounded to 0" in str(error)
        return
    sample = rng.integers(0, most + 1, (ROWS, features))
    got = answered(model, sample)
    scores = model.weights.matrix @ sample.T + model.weights.offsets[:, None]  # type: ignore[attr-defined]
    wanted = scores.argmax(axis=0) if outputs > 1 else (scores[0] > 0).astype(int)
    np.testing.assert_array_equal(got, wanted)


@settings(max_examples=15, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(2, 9), st.integers(1, 4))
def test_random_neighbours(seed: int, features: int, references: int, kept: int) -> None:
    """Equal references and equal distances are common; the first counts."""
    rng = np.random.default_rng(seed)
    kept = min(kept, references)
    estimator = imitation(
        "KNeighborsClassifier",
        _fit_X=rng.integers(0, 4, (references, features)).astype(float),
        _y=rng.integers(0, 3, references),
        classes_=np.arange(3),
        n_neighbors=kept,
        effective_metric_="euclidean",
    )
    try:
        model = models.from_sklearn(estimator, ranges=[[0] * features, [3] * features], feature_bits=2)
    except ArgumentError as error:
        assert "same for every row" in str(error)
        return
    assert isinstance(model, models.Neighbours)
    sample = rng.integers(0, 4, (ROWS, features))
    wanted = []
    for query in sample.tolist():
        votes = [0, 0, 0]
        for i in nearest(model, query, kept):
            votes[estimator._y[i]] += 1
        wanted.append(votes.index(max(votes)))
    assert answered(model, sample).tolist() == wanted


# --- plans, files, secure parameters ----------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_service_with_parameters_that_were_suggested(tmp_path: Path) -> None:
    rows, targets = data("iris")
    estimator = tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(rows, targets)
    model = models.from_sklearn(estimator, ranges=rows)
    parameters = model.suggest(rows=len(rows))
    assert parameters.security_reached >= 128
    plan = model.plan(parameters, rows=len(rows))
    secret, public, evaluation = cy.keygen(parameters, **plan.keygen())
    # The client has the interface, which does not hold the model.
    client = models.Interface.from_json(model.interface.to_json())
    assert not hasattr(client, "predict") and not hasattr(client, "trees")
    cy.save(tmp_path / "rows.ct", client.encrypt(rows, public))
    # The server has the model, the evaluation keys, and the file.
    answers = model.predict(cy.load(tmp_path / "rows.ct", keys=evaluation, expect=parameters))
    cy.save(tmp_path / "answers.ct", answers)
    opened = client.decrypt(cy.load(tmp_path / "answers.ct"), secret)
    np.testing.assert_array_equal(opened, model.predict_clear(rows))
    assert plan.shapes == (answers.shape,) and plan.depth >= 3


def test_nothing_imports_scikit_learn() -> None:
    code = "import sys, cyclotome; assert not {'sklearn', 'pandas'} & set(sys.modules); cyclotome.models.ESTIMATORS"
    subprocess.run([sys.executable, "-c", code], check=True)


# --- refusals ---------------------------------------------------------------------------------------------------------
def refused(estimator: Any, **options: Any) -> Any:
    return models.from_sklearn(estimator, **{"ranges": data("iris")[0], **options})


def test_estimators_that_are_not_computed() -> None:
    rows, targets = data("iris")
    with pytest.raises(UnsupportedError, match=r"SVC is not computed .* LinearRegression, .*KNeighborsRegressor"):
        refused(svm.SVC().fit(rows, targets))
    with pytest.raises(UnsupportedError, match="int is not computed"):
        refused(5)
    with pytest.raises(UnsupportedError, match="RobustScaler"):
        refused(make_pipeline(RobustScaler(), linear_model.Perceptron()).fit(rows, targets))
    with pytest.raises(UnsupportedError, match="StandardScaler"):
        refused(make_pipeline(StandardScaler(), linear_model.Perceptron()))
    with pytest.raises(UnsupportedError, match="MinMaxScaler"):
        refused(make_pipeline(MinMaxScaler(clip=True), linear_model.Perceptron()).fit(rows, targets))
    with pytest.raises(UnsupportedError, match="weights"):
        refused(neighbors.KNeighborsClassifier(weights="distance").fit(rows[::9], targets[::9]))
    with pytest.raises(UnsupportedError, match="manhattan"):
        refused(neighbors.KNeighborsClassifier(p=1).fit(rows[::9], targets[::9]))
    with pytest.raises(UnsupportedError, match="several outputs"):
        refused(tree.DecisionTreeRegressor().fit(rows, rows))
    with pytest.raises(UnsupportedError, match="no scores"):
        refused(tree.DecisionTreeClassifier().fit(rows, targets), answer="scores")


def test_models_that_are_not_ready() -> None:
    rows, targets = data("iris")
    for estimator in (
        linear_model.LinearRegression(),
        linear_model.LogisticRegression(),
        tree.DecisionTreeClassifier(),
        ensemble.RandomForestRegressor(),
        neighbors.KNeighborsClassifier(),
    ):
        with pytest.raises(ArgumentError, match="fit it first"):
            refused(estimator)
    constant = tree.DecisionTreeRegressor().fit(rows, np.ones(len(rows)))
    with pytest.raises(ArgumentError, match="same for every row"):
        refused(constant)
    with pytest.raises(ArgumentError, match="same for every row"):
        refused(imitation("Lasso", coef_=np.zeros(4), intercept_=0.0))
    linear = linear_model.LinearRegression().fit(rows, targets)
    for options, message in (
        ({"feature_bits": 0}, "feature_bits"),
        ({"feature_bits": 17}, "feature_bits"),
        ({"feature_bits": 2.5}, "feature_bits"),
        ({"score_bits": 1}, "score_bits"),
        ({"score_bits": True}, "score_bits"),
        ({"answer": "both"}, "answer"),
        ({"ranges": rows[:, :3]}, "3 features"),
        ({"ranges": rows[0]}, "two axes"),
        ({"ranges": np.empty((0, 4))}, "two axes"),
    ):
        with pytest.raises(ArgumentError, match=message):
            refused(linear, **options)
    with pytest.raises(RangeError, match="row 0"):
        refused(linear, ranges=np.full((1, 4), np.nan))
    with pytest.raises(RangeError, match="wide"):
        refused(linear, ranges=[[-1e308] * 4, [1e308] * 4])
    with pytest.raises(UnsupportedError, match="real numbers"):
        refused(linear, ranges=[["a", "b", "c", "d"]])
    with pytest.raises(ArgumentError, match=r"same for every row|beyond floats"):
        refused(imitation("Ridge", coef_=np.array([np.inf, 0, 0, 0]), intercept_=0.0))


def test_rows_that_do_not_fit() -> None:
    rows, targets = data("iris")
    model = models.from_sklearn(linear_model.LinearRegression().fit(rows, targets), ranges=rows, score_bits=12)
    high = rows.copy()
    high[3, 2] = 70
    with pytest.raises(RangeError, match=r"row 3 .*feature 2 is 70"):
        model.encode(high)
    assert model.encode(high, clip=True)[2, 3] == 255
    with pytest.raises(RangeError, match=r"row 3 .*nan"):
        model.encode(np.where(high == 70, np.nan, high), clip=True)
    with pytest.raises(ArgumentError, match="3 features"):
        model.encode(rows[:, :3])
    public = keys().public
    for wrong, error in (
        (rows, UnsupportedError),
        (cy.encrypt(np.zeros((3, 5), dtype=int), public, bound=128), ArgumentError),
        (cy.encrypt(np.zeros((4, 5), dtype=int), public, bound=129), ArgumentError),
        (cy.encrypt(np.zeros((4, 5), dtype=int), public, wrap=True), ArgumentError),
        (cy.encrypt(np.zeros(4, dtype=int), public, bound=128), ArgumentError),
    ):
        with pytest.raises(error):
            model.predict(wrong)
    with pytest.raises(ArgumentError, match="levels"):
        model.answers_clear(np.full((4, 1), 256))
    labelled = models.from_sklearn(svm.LinearSVC().fit(rows, targets), ranges=rows)
    with pytest.raises(RangeError, match="another model"):
        labelled.decrypt(cy.encrypt([3], public), keys().secret)


def test_interfaces_are_sent_and_checked() -> None:
    rows, targets = CLASSIFIERS["words"][1]
    model = models.from_sklearn(fitted(svm.LinearSVC(), rows, targets), ranges=rows)
    text = model.interface.to_json()
    again = models.Interface.from_json(text)
    assert again.to_json() == text
    np.testing.assert_array_equal(again.encode(rows), model.encode(rows))
    assert again.labels is not None and again.labels.tolist() == ["setosa", "versicolor", "virginica"]
    facts = json.loads(text)
    lies: list[dict[str, Any]] = [
        {"low": facts["low"][:-1]},
        {"low": ["x"] * 4},
        {"low": [float("1e999")] * 4},
        {"low": 5},
        {"step": [0.0] * 4},
        {"step": [-1.0] * 4},
        {"levels": [1.5] * 4},
        {"levels": [-1] * 4},
        {"levels": [2**16] * 4},
        {"levels": [True] * 4},
        {"levels": None},
        {"labels": ["a"]},
        {"labels": ["a", 1]},
        {"labels": [[1], [2]]},
        {"labels": [1, 2**63]},
        {"labels": "ab"},
        {"scale": 0},
        {"scale": -1},
        {"scale": "many"},
        {"scale": None},
    ]
    for lie in lies:
        with pytest.raises(FormatError):
            models.Interface.from_json(json.dumps({**facts, **lie}))
    for wrong in ("", "[]", "5", "{}", "[" * 100000, text[:-1]):
        with pytest.raises(FormatError):
            models.Interface.from_json(wrong)
    odd = models.Interface(model.features, np.array([1.5, 2.5]), 1.0)
    with pytest.raises(UnsupportedError, match="labels"):
        odd.to_json()


def test_constant_features_and_ends_of_ranges() -> None:
    ranges = np.array([[0.0, 5.0, -1.0], [10.0, 5.0, 1.0]])
    features = models.Features.over(ranges, 3)
    assert features.levels.tolist() == [7, 0, 7]
    assert features.encode(ranges).tolist() == [[0, 7], [0, 0], [0, 7]]
    assert features.encode([[9.99, 5.0, -0.99]]).tolist() == [[7], [0], [0]]
