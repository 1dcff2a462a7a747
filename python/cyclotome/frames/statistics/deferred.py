# SPDX-License-Identifier: Apache-2.0
"""Statistics that are finished where they are decrypted: sums of encrypted values, quotients and roots in the clear."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NoReturn

from ...errors import ArgumentError, UnsupportedError
from ...numbers import labels
from ..kinds import checked_kind
from ..masks import RowsOfColumn
from ..table import Table

__all__ = ["ENDS", "MOMENTS", "PAIRS", "EncryptedStatistics", "Measure"]

#: What sums tell of a column, with how many parameters: ``ddof`` of variances.
MOMENTS = {"count": 0, "sum": 0, "mean": 0, "var": 1, "std": 1, "sem": 1}
#: What takes the column itself: quantiles have the probability and how they lie between two values.
ENDS = {"min": 0, "max": 0, "median": 0, "quantile": 2, "nunique": 0}
#: Of two columns.
PAIRS = {"cov": 1, "corr": 0}
_LAYOUTS = ("number", "series", "frame", "group", "groups", "counts", "solution")
#: A probability, of as many digits as the smallest float takes.
_SHARE = re.compile(r"[0-9]{1,400}/[0-9]{1,400}")
#: A function's name, the number of a column (two of a pair), and parameters.
Measure = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class EncryptedStatistics(Table):
    """Statistics of encrypted columns, made by ``mean``, ``var``, ``describe``, ``corr``, ``groupby`` and their like:
    encrypted sums, and what is to be done with them. `decrypt_frame` divides and takes roots, exactly until the result
    is rounded to a float once, and gives what pandas would. They are saved, sent and loaded as tables are.

    Whoever decrypts sees the sums, and where there are minima, maxima, medians or quantiles in it the columns
    themselves, as these are sorted there.

    Raises:
        ArgumentError: no recipe of this library, or one of other columns.
    """

    #: What is made of the columns, public: for the library itself, which writes and reads it.
    recipe: Mapping[str, Any] = field(default_factory=dict)

    INSTEAD = (
        "statistics are finished at decryption: cyclotome.decrypt_frame(x, secret); sums and counts to compute with "
        "are frame['a'].sum() and frame['a'].count()"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            _check(self.recipe, self.columns)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
            raise ArgumentError(f"statistics: no recipe that this library knows ({error!r:.80})") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return EncryptedStatistics, (dict(self.columns), self.index, self.recipe)

    def with_columns(self, columns: Mapping[str, Any]) -> EncryptedStatistics:
        """The same of other columns with as many rows: for the library itself."""
        return replace(self, columns=columns)

    def __len__(self) -> NoReturn:
        raise UnsupportedError("statistics have no rows before they are decrypted: cyclotome.decrypt_frame(x, secret)")

    def __repr__(self) -> str:
        wanted = [each[0] for each in self.recipe["measures"] if each]
        return f"<EncryptedStatistics: {', '.join(dict.fromkeys(wanted))}; {self.ciphertexts} ciphertexts>"


# --- recipes, which may come of a file --------------------------------------------------------------------------------
def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)


def _check(recipe: Mapping[str, Any], columns: Mapping[str, RowsOfColumn]) -> None:
    keys = {"layout", "title", "names", "kinds", "measures", "labels", "columns", "groups", "counts", "rows"}
    _require(set(recipe) == keys and recipe["layout"] in _LAYOUTS, "keys")
    names, measures, groups = recipe["names"], recipe["measures"], recipe["groups"]
    _require(isinstance(names, list) and all(each is None or isinstance(each, str) for each in names), "names")
    _require(
        len(recipe["kinds"]) == len(names) and all(kind == checked_kind(kind) for kind in recipe["kinds"]), "kinds"
    )
    _require(recipe["title"] is None or isinstance(recipe["title"], (str, float)), "a title")
    _require(isinstance(measures, list) and len(measures) > 0, "measures")
    rows = recipe["rows"]
    _require(isinstance(rows, bool), "rows")
    for each in measures:
        if each is not None:
            _check_measure(each, len(names), rows)
    for label in (*recipe["labels"], *recipe["columns"]):
        _require(isinstance(label, (str, float)) or _is_pair(label), "labels")
    lengths = {
        "number": (0, 0, 1),
        "series": (len(measures), 0, len(measures)),
        "frame": (len(recipe["labels"]), len(recipe["columns"]), len(recipe["labels"]) * len(recipe["columns"])),
        "group": (0, 0, 1),
        "groups": (0, len(measures), len(measures)),
        "counts": (0, 0, 1),
        "solution": (len(recipe["labels"]), 0, 1),
    }[recipe["layout"]]
    _require((len(recipe["labels"]), len(recipe["columns"]), len(measures)) == lengths, "lengths")
    _check_groups(groups, recipe["layout"], columns, rows)
    _check_counts(recipe["counts"], 1 if groups is None else len(groups["labels"]))
    if rows:
        _require(all(f"rows {j}" in columns for each in measures if each for j in _numbers(each)), "columns")


def _is_pair(label: Any) -> bool:
    return isinstance(label, list) and len(label) == 2 and all(isinstance(each, str) for each in label)


def _numbers(measure: Measure) -> list[int]:
    return list(measure[1]) if isinstance(measure[1], list) else [measure[1]]


def _check_measure(measure: Any, columns: int, rows: bool) -> None:
    name, parameters = measure[0], measure[2:]
    known = {**MOMENTS, **PAIRS, **(ENDS if rows else {}), "solve": 0, "value_counts": 1}
    _require(isinstance(measure, list) and len(parameters) == known[name], "a measure")
    numbers = _numbers(measure)
    _require(len(numbers) == 2 if name in PAIRS else isinstance(measure[1], int) or name == "solve", "columns")
    _require(all(type(number) is int and 0 <= number < columns for number in numbers), "columns")
    if name == "quantile":
        _require(bool(_SHARE.fullmatch(parameters[0])) and 0 <= Fraction(parameters[0]) <= 1, "a probability")
        _require(parameters[1] in ("linear", "lower", "higher", "midpoint", "nearest"), "an interpolation")
    elif name == "value_counts":
        _require(type(parameters[0]) is bool, "normalize")
    elif parameters:
        _require(type(parameters[0]) is int and abs(parameters[0]) < 2**31, "ddof")


def _check_groups(groups: Any, layout: str, columns: Mapping[str, RowsOfColumn], rows: bool) -> None:
    _require((groups is not None) == (layout in ("group", "groups", "counts")), "groups")
    if groups is None:
        return
    _require(set(groups) == {"labels", "name", "of", "categorical"}, "groups")
    _require(groups["name"] is None or isinstance(groups["name"], str), "a name")
    _require(type(groups["categorical"]) is bool, "a kind of groups")
    labels.labels_of([labels.read(*each) for each in groups["labels"]], "groups")
    length = next(iter(columns.values())).rows
    if not rows:
        _require(length == len(groups["labels"]), "as many groups as rows")
    elif groups["of"] is not None:
        known = [each for each in groups["of"] if type(each) is int and 0 <= each < len(groups["labels"])]
        _require(len(known) == len(groups["of"]) == length, "groups of rows")
    else:
        _require("groups" in columns, "groups of rows")


def _check_counts(counts: Any, groups: int) -> None:
    for name, values in counts.items():
        _require(isinstance(name, str) and len(values) == groups, "counts")
        _require(all(type(each) is int and each >= 0 for each in values), "counts")
