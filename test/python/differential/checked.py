# SPDX-License-Identifier: Apache-2.0
"""Results of a server that may cheat: right ones are taken, others found out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclotome.errors import ContradictionError, MismatchError
from hypothesis import strategies as st

from .programs import world
from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]
SETTING = "bfv 40961 65537"


def _function(x: Any, y: Any) -> Any:
    return x * y + 3 * x


def _other(x: Any, y: Any) -> Any:
    return x * y + 2 * x


def checked_results(draw: Draw) -> None:
    """Products are taken from who computed them, from nobody else, and a spent key takes nothing."""
    where = world(SETTING)
    made = api.integrity.IntegrityKey(
        where.parameters, degree=2, bits=draw(st.sampled_from([20, 40])), failures=draw(st.integers(1, 3))
    )
    assert made.degree == 2 and made.bits in (20, 40) and made.copies >= 3 and not made.spent and made.refused == 0
    beside = draw(st.booleans())
    values = st.lists(st.integers(-20, 20), min_size=3, max_size=3)
    a, b = (np.array(draw(values), dtype=object) for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        if draw(st.booleans()):
            made.save(path=Path(folder) / "key")
            made = api.integrity.IntegrityKey.target.load(path=Path(folder) / "key")
        keys = where.keys
        (x, first), (y, second) = (
            made.encrypt(each, key=keys.public, bound=20, side_by_side=beside, progress=None) for each in (a, b)
        )
        first = api.integrity.Receipt.target.from_json(text=first.to_json())
        first.require(made._lines.seed, made.id)
        x, y = (each.with_keys(keys.evaluation) for each in (x, y))

        def answered(function: Callable[..., Any]) -> Any:
            return function(x, y) if beside else api.integrity.each(function, x, y)

        asked: dict[str, Any] = {"flooding_bits": draw(st.sampled_from([None, 8])), "progress": None}
        right = _function(a, b)
        found = made.decrypt(answered(_function), keys.secret, _function, first, second, clear=_function, **asked)
        np.testing.assert_array_equal(found, right)
        expected = [_function(*line) for line in made.questions(first, second)]
        found = made.decrypt(
            answered(_function), keys.secret, None, first, second, expected=expected, bound=(-1000, 1000), **asked
        )
        np.testing.assert_array_equal(found, right)
        with pytest.raises(ContradictionError):
            made.decrypt(answered(_other), keys.secret, _function, first, second)
        assert made.refused == 1
        with pytest.raises(MismatchError):
            other = api.integrity.IntegrityKey(where.parameters, degree=2)
            other.decrypt(answered(_function), keys.secret, _function, first, second)


def checked_matrices(draw: Draw) -> None:
    """Products with a matrix, by one inner product each."""
    terms, results = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    entry = st.integers(-(10**6), 10**6)
    matrix = np.array(draw(st.lists(entry, min_size=terms * results, max_size=terms * results))).reshape(terms, results)
    check = api.integrity.LinearCheck(matrix=matrix)
    assert check.shape == matrix.shape
    with tempfile.TemporaryDirectory() as folder:
        check.save(path=Path(folder) / "check")
        check = api.integrity.LinearCheck.target.load(path=Path(folder) / "check")
    x = np.array(draw(st.lists(entry, min_size=terms, max_size=terms)), dtype=object)
    y = x @ matrix.astype(object)
    check.require(x=x, y=y)
    y[draw(st.integers(0, results - 1))] += draw(st.sampled_from([1, -1, 10**12]))
    with pytest.raises(ContradictionError):
        check.require(x, y)


SCENARIOS = (checked_results, checked_matrices)
