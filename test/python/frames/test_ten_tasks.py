# SPDX-License-Identifier: Apache-2.0
"""Ten tasks that a stranger brings, on a table as it comes: each in at most six lines, and right.

`WORK` holds the lines of each task, which are counted; `pandas` and scikit-learn say what is right.
"""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

ROWS = 60


def table(rng: np.random.Generator) -> pd.DataFrame:
    """Raw floats, blanks, dates, cities, names: nothing is prepared."""
    data = pd.DataFrame(
        {
            "price": rng.normal(70, 20, ROWS),
            "visits": rng.integers(0, 12, ROWS),
            "city": rng.choice(["Aachen", "Bonn", "Celle"], ROWS),
            "member": rng.random(ROWS) < 0.4,
            "joined": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 100, ROWS), unit="D"),
            "name": [f"person {i}" for i in range(ROWS)],
        }
    )
    data.loc[rng.random(ROWS) < 0.1, "price"] = None
    data.loc[rng.random(ROWS) < 0.1, "city"] = None
    return data


#: Lines of each task, of a table `df`, an encrypted one `f`, and keys; the last says what is decrypted.
WORK = {
    "means by group": """
f.groupby("city")["price"].mean()
""",
    "filter and sum": """
f[(f["visits"] > 5) & (f["city"] == "Bonn")]["price"].sum()
""",
    "correlation": """
f[["price", "visits"]].corr()
""",
    "quantile": """
f["price"].quantile([0.1, 0.5, 0.9])
""",
    "join": """
rents = pd.DataFrame({"city": ["Aachen", "Bonn"], "rent": [9.5, 11]})
joined = f.merge(rents, on="city")
(joined["visits"] * joined["rent"]).sum()
""",
    "regression": """
f.fit("visits", ["price", "member"])
""",
    "dates": """
recent = f[f["joined"] >= "2024-03-01"]
recent.groupby("city").agg(visits=("visits", "sum"), last=("joined", "max"))
""",
    "missing values": """
f["price"].fillna(50).mean()
""",
}
#: The same for pandas.
RIGHT = {
    "means by group": lambda df: df.groupby("city")["price"].mean(),
    "filter and sum": lambda df: df[(df["visits"] > 5) & (df["city"] == "Bonn")]["price"].sum(),
    "correlation": lambda df: df[["price", "visits"]].corr(),
    "quantile": lambda df: df["price"].quantile([0.1, 0.5, 0.9]),
    "join": lambda df: (df["visits"] * df["city"].map({"Aachen": 9.5, "Bonn": 11})).sum(),
    "regression": lambda df: _lines(df.dropna(subset=["price"])),
    "dates": lambda df: (
        df[df["joined"] >= "2024-03-01"].groupby("city").agg(visits=("visits", "sum"), last=("joined", "max"))
    ),
    "missing values": lambda df: df["price"].fillna(50).mean(),
}


def _lines(df: pd.DataFrame) -> pd.Series:
    matrix = np.column_stack([df["price"], df["member"], np.ones(len(df))]).astype(float)
    found = np.linalg.lstsq(matrix, df["visits"].astype(float), rcond=None)[0]
    return pd.Series(found, index=["price", "member", "intercept"])


@pytest.fixture(scope="module")
def parameters() -> cy.Parameters:
    """Room for the deepest task: two comparisons, their product, and a sum."""
    return cy.Parameters.suggest(depth=10, value_bits=14, result_bits=44, terms=ROWS)


@pytest.fixture(scope="module")
def made(parameters: cy.Parameters) -> cy.Keys:
    return cy.keygen(parameters)


def _run(lines: str, names: dict[str, Any]) -> Any:
    """What the last line gives; there are six at most, as there are in the page that shows them."""
    *before, last = lines.strip().splitlines()
    assert len(before) + 1 <= 6
    exec("\n".join(before), names)
    return eval(last, names)


@pytest.mark.parametrize("task", WORK)
def test_tasks_on_tables_are_pandas(task: str, made: cy.Keys, rng: np.random.Generator) -> None:
    df = table(rng)
    with pytest.raises(cy.errors.CyclotomeError, match="leave_out=\\['name'\\]"):
        cy.encrypt_frame(df, made.public)
    f = cy.encrypt_frame(df, made.public, **cy.frame_options(df, made.public))
    step = f["price"].scale
    df["price"] = np.round(df["price"] * step) / step  # the steps that the options state
    got = cy.decrypt_frame(_run(WORK[task], {"f": f, "cy": cy, "pd": pd, "np": np}), made.secret, exact=False)
    wanted = RIGHT[task](df)
    if "groupby" in WORK[task]:  # groups are categories here
        got.index = got.index.astype(wanted.index.dtype)
    if isinstance(wanted, pd.DataFrame):
        pd.testing.assert_frame_equal(got, wanted, rtol=1e-9, check_index_type=False, check_dtype=False)
    elif isinstance(wanted, pd.Series):
        pd.testing.assert_series_equal(got, wanted, rtol=1e-7, check_index_type=False)
    else:
        assert got == pytest.approx(wanted, rel=1e-9)


#: Models are fitted in the clear, and answer encrypted rows of `X`.
MODELS = {
    "k nearest neighbours": """
fitted = KNeighborsClassifier(1).fit(X[::10], y[::10])
model = cy.models.from_sklearn(fitted, ranges=X, answer="scores")
params = model.suggest(rows=len(X))
keys = cy.keygen(params, **model.plan(params, rows=len(X)).keygen())
distances = model.interface.decrypt(model.predict(model.interface.encrypt(X, keys.public)), keys.secret)
y[::10][np.argmin(distances, axis=0)]
""",
    "a tree of a forest": """
fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
model = cy.models.from_sklearn(fitted, ranges=X)
params = model.suggest(rows=len(X))
keys = cy.keygen(params, **model.plan(params, rows=len(X)).keygen())
model.interface.decrypt(model.predict(model.interface.encrypt(X, keys.public)), keys.secret)
""",
}


@pytest.mark.parametrize("task", MODELS)
def test_models_answer_as_they_were_fitted(task: str) -> None:
    X, y = load_iris(return_X_y=True)
    names = {"KNeighborsClassifier": KNeighborsClassifier, "DecisionTreeClassifier": DecisionTreeClassifier}
    found: dict[str, Any] = {"X": X, "y": y, "cy": cy, "np": np, **names}
    got = _run(MODELS[task], found)
    assert (np.asarray(got) == found["fitted"].predict(X)).mean() > 0.9  # rounded to the bits that models.md states
