# SPDX-License-Identifier: Apache-2.0
"""Fitted models: encrypted rows are answered as the quantised model answers them in the clear, and the client's part
goes through JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]


def _rows(draw: Draw, least: int = 4) -> Any:
    pairs = st.lists(st.integers(-8, 8), min_size=2, max_size=2)
    return np.array(draw(st.lists(pairs, min_size=least, max_size=6)), float)


def models(draw: Draw) -> None:
    """A fitted model answers as its quantised self in the clear."""
    linear = __import__("pytest").importorskip("sklearn.linear_model")
    rows = _rows(draw)
    weights = np.array(draw(st.lists(st.integers(-3, 3), min_size=2, max_size=2)), float)
    fitted = linear.LinearRegression().fit(rows, rows @ weights)
    try:
        model = api.models.from_sklearn(fitted, ranges=rows)
        parameters = model.suggest(rows=len(rows))
    except api.errors.CyclotomeError:
        return
    keys = api.keygen(parameters, **model.plan(parameters, rows=len(rows), device="cpu:1").keygen())
    client = model.interface.from_json(model.interface.to_json())
    assert isinstance(client, api.models.Interface.target) and isinstance(model, api.models.LinearScores.target)
    x = client.encrypt(rows, keys.public, clip=draw(st.booleans()), progress=None)
    found = client.decrypt(model.predict(x), keys.secret)
    assert np.allclose(found, model.predict_clear(rows, clip=False)), (rows, weights)
    assert np.abs(found - fitted.predict(rows)).max() <= model.error_bound * (1 + 1e-9) + 1e-9
    assert x.shape == client.operand(len(rows)).shape and client.describe()


def models_in_the_clear(draw: Draw) -> None:
    """Of every kind: rows become integers within their levels, and answers are those of the integers."""
    pytest = __import__("pytest")
    linear, neighbours, trees = (pytest.importorskip(f"sklearn.{n}") for n in ("linear_model", "neighbors", "tree"))
    rows = _rows(draw)
    labels = draw(st.permutations([i % 2 for i in range(len(rows))]))
    kind, estimator, options = draw(
        st.sampled_from(
            [
                ("LinearClassifier", linear.LogisticRegression(), {"answer": "predict"}),
                ("LinearScores", linear.LogisticRegression(), {"answer": "scores"}),
                ("Trees", trees.DecisionTreeClassifier(max_depth=2, random_state=0), {}),
                ("Neighbours", neighbours.KNeighborsClassifier(1), {}),
            ]
        )
    )
    assert type(estimator).__name__ in api.models.ESTIMATORS
    bits = {"feature_bits": draw(st.sampled_from([None, 3])), "score_bits": draw(st.sampled_from([None, 12]))}
    try:
        model = api.models.from_sklearn(estimator.fit(rows, labels), ranges=rows, **bits, **options)
    except api.errors.CyclotomeError:
        return
    assert isinstance(model, getattr(api.models, kind).target) and isinstance(model, api.models.Model.target)
    features = model.features
    encoded = model.encode(rows, clip=False)
    assert np.array_equal(encoded, features.encode(rows, clip=False)) and features.count == rows.shape[1]
    assert (encoded >= 0).all() and (encoded <= features.levels[:, None]).all()
    assert np.array_equal(features.require(encoded), encoded) and features.bound == int(features.centre.max())
    back = features.low[:, None] + encoded * features.step[:, None]
    assert (np.abs(back - rows.T) <= features.step[:, None] * (0.5 + 1e-9)).all()
    answers = model.answers_clear(encoded)
    found = model.predict_clear(rows)
    assert len(found) == len(rows) and np.size(answers) >= len(rows)
    if model.labels is not None:
        assert set(found.tolist()) <= {0, 1}
    assert model.error_bound is not None  # what it promises is tested with each kind (test_models.py)
    whole = api.models.Features.target.over(rows, 3, weights=None)
    assert whole.count == 2 and (whole.levels <= 7).all()


SCENARIOS = (models, models_in_the_clear)
