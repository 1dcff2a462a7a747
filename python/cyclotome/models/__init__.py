# SPDX-License-Identifier: Apache-2.0
"""Fitted models on encrypted rows: `from_sklearn` makes integers of a scikit-learn estimator, which answer them.

    >>> import cyclotome as cy, numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.arange(20.0).reshape(10, 2)
    >>> model = cy.models.from_sklearn(LinearRegression().fit(X, X.sum(axis=1)), ranges=X)
    >>> params = model.suggest(rows=10)
    >>> secret, public, evaluation = cy.keygen(params, **model.plan(params, rows=10).keygen())
    >>> answers = model.predict(model.encrypt(X, public))
    >>> bool(np.abs(model.decrypt(answers, secret) - X.sum(axis=1)).max() <= model.error_bound)
    True

The client needs `Model.interface` only, to encode rows and read answers; the model's weights stay with the server. What
is exact: the answer is that of the quantised model (`Model.predict_clear`), or the computation is refused. What is not:
the quantised model differs from the fitted one within `Model.error_bound`.

Public: kind and size of the model as far as operations show them (the number of outputs, nodes, references), its score
bits, and the features' ranges, which come of the data that `from_sklearn` was given.
"""

from __future__ import annotations

from .features import Features
from .interface import Interface
from .linear import LinearClassifier, LinearScores
from .model import Model
from .neighbours import Neighbours
from .reading import ESTIMATORS, from_sklearn
from .trees import Trees

__all__ = [
    "ESTIMATORS",
    "Features",
    "Interface",
    "LinearClassifier",
    "LinearScores",
    "Model",
    "Neighbours",
    "Trees",
    "from_sklearn",
]
