# SPDX-License-Identifier: Apache-2.0
"""What to do in place of pandas' methods that encrypted tables do not have, and what NumPy's functions do with them:
those that are operators, as ``array + column`` is ``numpy.add(array, column)``, go to the operators."""

from __future__ import annotations

from typing import Any

from ..arrays.refusals import unknown
from ..errors import UnsupportedError

__all__ = ["INSTEAD", "called", "instead"]

_OUT = "decrypt first, cyclotome.decrypt_frame(x, secret), and do it there"
_IN = "do it before encryption"
_PUBLIC = "select, drop, rename and assign are what there is"
_ORDER = "order is encrypted: decrypt first, or cyclotome.sort, top_k and argmax take arrays of up to 64 values"
_PAIRS = "columns have + - * **, division by a number, and comparisons; other quotients are taken after decryption"
_FILTER = "rows are chosen by conditions, x[x['a'] > 3], or by public names, x.loc[names]"
_SUMS = "sums, counts, means and variances are what sums give; decrypt first for others"

#: By name, what does instead.
INSTEAD: dict[str, str] = {
    **dict.fromkeys(("sort_values", "sort_index", "nlargest", "nsmallest", "rank", "argsort", "searchsorted"), _ORDER),
    **dict.fromkeys(("idxmax", "idxmin", "argmax", "argmin", "cummax", "cummin"), _ORDER),
    **dict.fromkeys(("cumsum", "cumprod", "rolling", "expanding", "ewm", "shift", "diff", "pct_change"), _IN),
    **dict.fromkeys(("pivot", "pivot_table", "crosstab", "melt", "stack", "unstack", "explode", "transpose", "T"), _IN),
    **dict.fromkeys(("apply", "map", "applymap", "pipe", "transform", "eval", "query"), _PAIRS),
    **dict.fromkeys(("div", "truediv", "divide", "rdiv", "floordiv", "mod", "rtruediv", "rfloordiv", "rmod"), _PAIRS),
    **dict.fromkeys(("add", "sub", "mul", "radd", "rsub", "rmul", "subtract", "multiply", "pow", "rpow"), _PAIRS),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), "comparisons are operators: x == y, x < y"),
    **dict.fromkeys(("drop_duplicates", "duplicated", "unique", "mode"), "value_counts of categories counts them"),
    **dict.fromkeys(("dropna", "filter", "mask", "take", "sample", "xs", "iat", "at"), _FILTER),
    **dict.fromkeys(("ffill", "bfill", "interpolate", "replace", "convert_dtypes", "infer_objects", "astype"), _IN),
    **dict.fromkeys(("round", "abs", "clip", "truncate"), "round before encryption; x.where(x >= 0, 0) clips"),
    **dict.fromkeys(("to_numpy", "to_list", "tolist", "to_dict", "to_csv", "to_parquet", "to_frame", "item"), _OUT),
    **dict.fromkeys(("plot", "hist", "boxplot", "style", "info", "memory_usage"), _OUT),
    **dict.fromkeys(("iterrows", "itertuples", "items", "iteritems"), "compute with all rows at once"),
    **dict.fromkeys(("skew", "kurt", "kurtosis", "autocorr", "prod", "product", "any", "all"), _SUMS),
    **dict.fromkeys(("append", "concat", "insert", "update", "combine", "combine_first", "align", "reindex"), _IN),
    **dict.fromkeys(("reset_index", "set_index", "set_axis", "rename_axis", "pop", "get"), _PUBLIC),
    **dict.fromkeys(("str", "cat", "sparse", "list", "struct"), _IN),
    "dt": "years, months and weekdays are columns of their own, made before encryption; dates have + - and comparisons",
    "dtype": "x.kind says what a column holds, x.scale and x.decimals at which scale",
    "dtypes": "frame['a'].kind says what a column holds",
    "tail": _FILTER,
    "first": _FILTER,
    "last": _FILTER,
    "nth": _FILTER,
    "isnull": "x.isna() does it",
    "notnull": "x.notna() does it",
    "join": "x.merge(right, on=column) joins by a column of categories",
    "dot": "(x * y).sum() does it",
    "product": "x * y is that of columns",
    "copy": "encrypted objects never change, so that none need be copied",
}


def instead(obj: object, name: str, otherwise: str = _SUMS) -> AttributeError:
    """The error for an attribute that there is not, with a way out."""
    return unknown(obj, name, INSTEAD.get(name, otherwise))


# --- NumPy's functions ------------------------------------------------------------------------------------------------
#: By the function of NumPy: the method of the left operand, and that of the right one.
_OPERATORS = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__"),
    "remainder": ("__mod__", "__rmod__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "power": ("__pow__", "__rpow__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
    **dict.fromkeys(("bitwise_and", "logical_and"), ("__and__", "__rand__")),
    **dict.fromkeys(("bitwise_or", "logical_or"), ("__or__", "__ror__")),
    **dict.fromkeys(("bitwise_xor", "logical_xor"), ("__xor__", "__rxor__")),
    **dict.fromkeys(("invert", "logical_not"), ("__invert__", "")),
    "negative": ("__neg__", ""),
    "positive": ("__pos__", ""),
}
_FUNCTIONS = {
    **dict.fromkeys(("sqrt", "exp", "log", "log1p", "sin", "tanh"), "decrypt first, or approximate it by a polynomial"),
    **dict.fromkeys(("absolute", "fabs", "sign"), "x.where(x >= 0, 0) and comparisons are what there is"),
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), "cyclotome.maximum and minimum take arrays, x.values"),
    **dict.fromkeys(("isnan", "isfinite"), "x.isna() and x.notna() are what there is"),
    "square": "x ** 2 does it",
}


def _method(kind: type, name: str) -> Any:
    """What a class or its bases define; classes themselves have operators too, ``int | str``."""
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)


def called(own: object, function: Any, method: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What a function of NumPy gives of a column or table and other operands.

    Raises:
        UnsupportedError: it is no operator.
    """
    name = function.__name__
    if options:
        raise UnsupportedError(
            f"numpy.{name} with {', '.join(options)} does not know {type(own).__name__}: write a new name, "
            "x = array + column"
        )
    if method == "__call__" and name in _OPERATORS:
        for place, operand in enumerate(operands[:2]):
            if isinstance(operand, type(own)):
                operator = _method(type(operand), _OPERATORS[name][place])
                if operator is not None:
                    result = operator(operand, *operands[1 - place : 2 - place][: len(operands) - 1])
                    if result is not NotImplemented:
                        return result
    advice = _FUNCTIONS.get(
        name, "it has operators and methods of its own; the rest is NumPy's, of what decrypt_frame gives"
    )
    raise UnsupportedError(f"numpy.{name} does not know {type(own).__name__}: {advice}")
