# SPDX-License-Identifier: Apache-2.0
"""The expression language of ``cyclotome eval``: exact, and nothing outside its list."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("typer")

from cyclotome.cli.evaluation import expression
from cyclotome.cli.evaluation.expression import ExpressionError
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.errors import ArgumentError, RangeError

X = Quantity(np.array([[3, -1, 4], [10, 20, 30]]), Fraction(10), columns=("a", "b"))
V = Quantity(np.array([1, 2, 3]), Fraction(1))


def numbers(result: Quantity) -> list[Fraction]:
    """The numbers that a result means, in C order."""
    return [Fraction(int(v)) / result.scale for v in np.asarray(result.values, dtype=object).reshape(-1)]


def fractions(*values: str) -> list[Fraction]:
    return [Fraction(v) for v in values]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('x["a"] * x["a"] + 3 * x["a"]', fractions("0.99", "-0.29", "1.36")),
        ('-x["a"] / 4', fractions("-3/40", "1/40", "-4/40")),
        ('x["a"] / -0.5', fractions("-0.6", "0.2", "-0.8")),
        ('x["a"] + 0.25', fractions("0.55", "0.15", "0.65")),
        ('0.1 - x["a"]', fractions("-0.2", "0.2", "-0.3")),
        ('x["b"] ** 3', fractions("1", "8", "27")),
        ("sum(x)", fractions("0.6", "6")),
        ("sum(x, axis=0)", fractions("1.3", "1.9", "3.4")),
        ("sum(x, axis=None)", fractions("6.6")),
        ("mean(x)", fractions("1/5", "2")),
        ("var(x)", [Fraction(14, 300), Fraction(2, 3)]),
        ('cov(x["a"], x["b"])', [Fraction(1, 30)]),
        ('dot(x["a"], v)', fractions("1.3")),
        ("x @ v", fractions("1.3", "14")),
        ("x[1] - x[-2]", fractions("0.7", "2.1", "2.6")),
        ("x[0:1] * 1e-3", fractions("0.0003", "-0.0001", "0.0004")),
        ("0.1 + 0.2", fractions("0.3")),
    ],
)
def test_values_are_exact(text: str, expected: list[Fraction]) -> None:
    """Decimals are decimals: no float ever takes part."""
    assert numbers(expression.evaluate(text, {"x": X, "v": V})) == expected


def test_column_names_are_kept_where_they_still_mean_something() -> None:
    inputs = {"x": X, "v": V}
    assert expression.evaluate("x * x + x", inputs).columns == ("a", "b")
    assert expression.evaluate("mean(x)", inputs).columns == ("a", "b")
    assert expression.evaluate("x @ v", inputs).columns == ("a", "b")
    assert expression.evaluate("sum(x, axis=0)", inputs).columns is None
    assert expression.evaluate('x["b"] * 2', inputs).name == "b"
    assert expression.evaluate('x["a"] * x["b"]', inputs).name is None
    assert expression.evaluate("x[1]", inputs).name == "b"


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "x.__class__",
        "x.values",
        "(lambda: x)()",
        "[i for i in x]",
        "x if x else x",
        "x < x",
        "x == x",
        "not x",
        "~x",
        "x // 2",
        "x % 2",
        "x and x",
        "open('file')",
        "sum",
        "sum(x, 1)",
        "sum(x, start=1)",
        "sum(x, axis=x)",
        "sum(*x)",
        "cov(x)",
        "eval('x')",
        "x ** x",
        "x ** 2.0",
        "x ** -1",
        "x ** 100",
        "'text'",
        "True",
        "1j",
        "...",
        "x[x]",
        "x[()]",
        "(y := x)",
        "f'{x}'",
        "x = x",
        "x; x",
        "",
        "x +",
        "x\x00",
        "\ud800",
        "y",
        "(" * 500 + "x" + ")" * 500,
        "-" * 3000 + "x",
        "+".join(["x"] * 400),
        "x" * 5000,
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    """One typed error, whatever is tried; Python's own evaluator never sees the text."""
    with pytest.raises((ExpressionError, ArgumentError)):
        expression.evaluate(text, {"x": X, "v": V})


def test_no_expression_stands_for_endless_work() -> None:
    with pytest.raises(RangeError, match="4096"):
        expression.evaluate("(((9 ** 64) ** 64) ** 64) * x", {"x": X})
    with pytest.raises((RangeError, ExpressionError)):
        expression.evaluate("1e999999 * x", {"x": X})


def test_division_by_arrays_and_by_zero_is_refused() -> None:
    for text in ("x / v", "x / 0", "1 / x"):
        with pytest.raises(ArgumentError):
            expression.evaluate(text, {"x": X, "v": V})


def test_names_lists_inputs_and_not_functions() -> None:
    assert expression.names('sum(x) + y["sum"] * mean(z)') == {"x", "y", "z"}


def test_a_message_says_what_was_refused_and_what_there_is() -> None:
    with pytest.raises(ExpressionError, match=r"x % 2.*there are names of inputs"):
        expression.evaluate("x % 2", {"x": X})
    with pytest.raises(ExpressionError, match=r"no input 'y'; inputs: x \(add --input y=FILE\)"):
        expression.evaluate("x + y", {"x": X})
    with pytest.raises(ArgumentError, match="columns: a, b"):
        expression.evaluate('x["c"]', {"x": X})
