# SPDX-License-Identifier: Apache-2.0
"""Operations on encrypted arrays that act on values: in Python, in C++, as an expression of the command line, and on
arrays of Python integers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from cyclotome.errors import PreparedWarning
from hypothesis import strategies as st

from .recording import api

if TYPE_CHECKING:
    from .programs import World

#: Magnitudes of public operands, and of coefficients and entries of tables.
SMALL = 5
numbers = st.integers(-SMALL, SMALL)
axes = st.sampled_from([0, -1, 1])


@dataclass(frozen=True)
class Verb:
    """An operation. ``clear`` and ``python`` take operands and options, the latter after its `World`; ``cpp`` gives
    what follows the operands in a line for run_program.cpp, ``cli`` an expression of operands that are expressions.
    ``random``: results have fresh randomness, so bits are not compared."""

    arity: int
    clear: Callable[..., Any]
    python: Callable[..., Any]
    options: Mapping[str, st.SearchStrategy[Any]] = field(default_factory=dict)
    cpp: Callable[..., str] | None = None
    cli: Callable[..., str] | None = None
    random: bool = False


def integers_text(values: Any) -> str:
    """Integers as run_program.cpp reads them: shape, colon, values."""
    array = np.asarray(values, dtype=object)
    return "x".join(map(str, array.shape)) + ":" + ",".join(map(str, array.flat))


def table_of(width: int | None, least: int = -SMALL, largest: int = SMALL) -> st.SearchStrategy[list[int]]:
    entries = st.integers(least, largest)
    return st.lists(entries, min_size=width or 1, max_size=width or 9)


def _square(width: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(table_of(width), min_size=1, max_size=3)


def _objects(values: Any) -> Any:
    return np.asarray(values, dtype=object)


def _plainly(way: str, w: Any, world: World) -> Any:
    """A public operand as users give it: a list, an array, encoded once."""
    values = np.asarray(w)
    return (
        {"list": w, "array": values, "plain": None}[way]
        if way != "plain"
        else api.plain(values, world.parameters, device=world.device)
    )


_ways = st.sampled_from(["list", "array", "plain"])
_rows = st.one_of(numbers, table_of(3))


def _with_plain(symbol: str, python: Callable[[Any, Any], Any], swapped: bool = False) -> Verb:
    def written(x: str, w: Any, way: str) -> str:
        return f"({w} {symbol} {x})" if swapped else f"({x} {symbol} {w})"

    def clear(x: Any, w: Any, way: str) -> Any:
        return python(_objects(w), x) if swapped else python(x, _objects(w))

    def encrypted(world: World, x: Any, w: Any, way: str) -> Any:
        plain = _plainly(way, w, world)
        with warnings.catch_warnings():  # shapes are drawn, and not all meet what is prepared
            warnings.simplefilter("ignore", PreparedWarning)
            return python(plain, x) if swapped else python(x, plain)

    return Verb(1, clear, encrypted, {"w": _rows, "way": _ways}, lambda w, way: integers_text(w), _scalar_only(written))


def _scalar_only(written: Callable[..., str]) -> Callable[..., str]:
    """Expressions have numbers, no arrays."""

    def text(*operands: str, **options: Any) -> str:
        if isinstance(options.get("w"), list):
            raise LookupError("an array has no literal")
        return written(*operands, **options)

    return text


def _both(name: str, symbol: str, python: Callable[[Any, Any], Any]) -> Verb:
    return Verb(2, python, lambda world, x, y: python(x, y), cpp=lambda: "", cli=lambda x, y: f"({x} {symbol} {y})")


def _compared(name: str, clear: Callable[[Any, Any], Any]) -> Verb:
    return Verb(
        2,
        lambda x, y: _objects(clear(x, y)).astype(int).astype(object) if name in ("less", "equal") else clear(x, y),
        lambda world, x, y: getattr(api, name)(x, y),
        cpp=lambda: "",
        cli=lambda x, y: f"{name}({x}, {y})",
    )


def _compared_with(name: str, clear: Callable[[Any, Any], Any]) -> Verb:
    def bits(x: Any, c: int, swapped: bool) -> Any:
        found = _objects(clear(c, x) if swapped else clear(x, c))
        return found.astype(int).astype(object) if name in ("less", "equal") else found

    def encrypted(world: World, x: Any, c: int, swapped: bool) -> Any:
        return getattr(api, name)(*((c, x) if swapped else (x, c)))

    return Verb(
        1,
        bits,
        encrypted,
        {"c": numbers, "swapped": st.booleans()},
        lambda c, swapped: f"{int(swapped)} {integers_text(c)}",
        lambda x, c, swapped: f"{name}({c}, {x})" if swapped else f"{name}({x}, {c})",
    )


def _summed(x: Any, axis: Any, keepdims: bool) -> Any:
    chosen = None if axis is None else tuple(axis)
    return np.asarray(x.sum(axis=chosen, keepdims=keepdims), dtype=object)


def _sum_text(x: str, axis: Any, keepdims: bool) -> str:
    if keepdims or (axis is not None and len(axis) != 1):
        raise LookupError("sum() takes one axis or none")
    return f"sum({x}, axis={None if axis is None else axis[0]})"


def _ordered(name: str, clear: Callable[..., Any]) -> Verb:
    return Verb(
        1,
        lambda x, axis: _objects(clear(x, axis=axis)),
        lambda world, x, axis: getattr(api, name)(x, axis=axis),
        {"axis": axes},
        lambda axis: str(axis),
    )


def _sorted(x: Any, axis: int, descending: bool) -> Any:
    ordered = np.sort(x, axis=axis)
    return np.flip(ordered, axis) if descending else ordered


def _first(x: Any, k: int, axis: int) -> Any:
    return np.take(_sorted(x, axis, True), range(k), axis)  # IndexError beyond the axis


def _looked_up(x: Any, table: list[int]) -> Any:
    places = x.astype(int)
    if places.size and not (-len(table) <= places.min() and places.max() < len(table)):
        raise IndexError("beyond the table")
    return _objects(table)[places]


def _where(m: Any, a: Any, b: Any) -> Any:
    """The documented formula, which is NumPy's where of a mask of zeros and ones."""
    return b + m * (a - b)


def _numpys_where(m: Any, a: Any, b: Any) -> Any:
    return np.where(m != 0, a, b).astype(object)


def _matmul(x: Any, w: Any, left: bool) -> Any:
    return _objects(w) @ x if left else x @ _objects(w)


def _matmul_of(world: World, x: Any, w: Any, left: bool, kept: bool) -> Any:
    matrix = api.Matrix(w, world.parameters, device=world.device).prepared(right=not left) if kept else np.asarray(w)
    return matrix @ x if left else x @ matrix


ARITHMETIC: dict[str, Verb] = {
    "add": _both("add", "+", lambda x, y: x + y),
    "subtract": _both("subtract", "-", lambda x, y: x - y),
    "multiply": _both("multiply", "*", lambda x, y: x * y),
    "negate": Verb(1, lambda x: -x, lambda world, x: -x, cpp=lambda: "", cli=lambda x: f"(-{x})"),
    "power": Verb(
        1,
        lambda x, exponent: x**exponent,
        lambda world, x, exponent: x**exponent,
        {"exponent": st.integers(0, 5)},
        lambda exponent: str(exponent),
        lambda x, exponent: f"({x} ** {exponent})",
    ),
    "add_plain": _with_plain("+", lambda x, w: x + w),
    "subtract_plain": _with_plain("-", lambda x, w: x - w),
    "subtract_from": _with_plain("-", lambda w, x: w - x, swapped=True),
    "multiply_plain": _with_plain("*", lambda x, w: x * w),
    "sum": Verb(
        1,
        _summed,
        lambda world, x, axis, keepdims: x.sum(axis=None if axis is None else tuple(axis), keepdims=keepdims),
        {"axis": st.one_of(st.none(), st.lists(axes, min_size=1, max_size=2, unique=True)), "keepdims": st.booleans()},
        lambda axis, keepdims: f"{int(keepdims)} {'all' if axis is None else ','.join(map(str, axis))}",
        _sum_text,
    ),
    "sum_of_products": Verb(
        2,
        lambda x, y, axis: np.asarray(np.asarray(x * y).sum(axis=axis), dtype=object),
        lambda world, x, y, axis: x.sum_of_products(y, axis=axis),
        {"axis": axes},
        lambda axis: str(axis),
        lambda x, y, axis: f"dot({x}, {y}, axis={axis})",
    ),
    "einsum": Verb(
        2,
        lambda x, y, subscripts: np.asarray(np.einsum(subscripts, x, y), dtype=object),
        lambda world, x, y, subscripts: api.einsum(subscripts, x, y),
        {"subscripts": st.sampled_from(["i,i->i", "i,i->", "ij,ij->i", "ij,j->i", "i,ij->ij", "...j,...j->..."])},
    ),
    "matmul_plain": Verb(
        1,
        lambda x, w, left, kept: _matmul(x, w, left),
        _matmul_of,
        {"w": _square(3), "left": st.booleans(), "kept": st.booleans()},
        lambda w, left, kept: f"{int(left)} {int(kept)} {integers_text(w)}",
    ),
    "dot": Verb(2, lambda x, y: x * y if 0 in (x.ndim, y.ndim) else x @ y, lambda world, x, y: x.dot(y)),
    "matmul": Verb(2, lambda x, y: x @ y, lambda world, x, y: x @ y, cpp=lambda: "", cli=lambda x, y: f"({x} @ {y})"),
}

FUNCTIONS: dict[str, Verb] = {
    "polyval": Verb(
        1,
        lambda x, coefficients: np.polyval(_objects(coefficients), x),
        lambda world, x, coefficients: api.polyval(coefficients, x),
        {"coefficients": table_of(None)},
        lambda coefficients: integers_text(coefficients),
    ),
    "lookup": Verb(
        1,
        _looked_up,
        lambda world, x, table: api.lookup(table, x),
        {"table": table_of(None)},
        lambda table: integers_text(table),
    ),
    "is_zero": Verb(1, lambda x: (x == 0).astype(int).astype(object), lambda world, x: api.is_zero(x), cpp=lambda: ""),
    "less": _compared("less", lambda x, y: x < y),
    "equal": _compared("equal", lambda x, y: x == y),
    "maximum": _compared("maximum", np.maximum),
    "minimum": _compared("minimum", np.minimum),
    "less_than": _compared_with("less", lambda x, y: x < y),
    "equal_to": _compared_with("equal", lambda x, y: x == y),
    "maximum_with": _compared_with("maximum", np.maximum),
    "minimum_with": _compared_with("minimum", np.minimum),
    "where": Verb(
        3,
        _where,
        lambda world, m, a, b: api.where(m, a, b),
        cpp=lambda: "",
        cli=lambda m, a, b: f"where({m}, {a}, {b})",
    ),
    "numpy_where": Verb(3, _numpys_where, lambda world, m, a, b: np.where(m, a, b)),
    "sort": Verb(
        1,
        _sorted,
        lambda world, x, axis, descending: api.sort(x, axis=axis, descending=descending),
        {"axis": axes, "descending": st.booleans()},
        lambda axis, descending: f"{axis} {int(descending)} 0",
    ),
    "numpy_sort": Verb(
        1,
        lambda x, axis: np.sort(x, axis=axis),
        lambda world, x, axis: np.sort(x, axis=axis),
        {"axis": axes},
    ),
    "top_k": Verb(
        1,
        _first,
        lambda world, x, k, axis: api.top_k(x, k, axis=axis),
        {"k": st.integers(1, 3), "axis": axes},
    ),
    "argmax": _ordered("argmax", np.argmax),
    "argmin": _ordered("argmin", np.argmin),
}
