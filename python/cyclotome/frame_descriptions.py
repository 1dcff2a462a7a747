# SPDX-License-Identifier: Apache-2.0
"""What the file of an encrypted table says about its arrays, as a JSON object; what is read is checked and untrusted.

``{"rows", "index", "masks", "columns", "arrays"}``: ``arrays`` holds the SHA-256 at the end of every array's container,
in order; ``masks`` base64 of bits (the lowest of a byte first), or the number of an array; ``index`` null or labels; a
column ``{"name", "values", "scale", "mask", "cleared"}`` or ``{"name", "selectors", "labels"}``, with numbers of arrays
and masks. A label is a type's name and a text. A table has exactly one description: arrays and masks are numbered as
columns first name them.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from .array import EncryptedArray
from .errors import FormatError, MismatchError, UnsupportedError
from .frame_columns import EncryptedCategories, EncryptedColumn, Mask, public_mask
from .frames import EncryptedFrame
from .scales import MOST_SCALE_BITS

__all__ = ["described", "rebuilt"]

_MOST_DIGITS = len(str(1 << MOST_SCALE_BITS))
_LONGEST_TEXT = 4096
_WHOLE = re.compile(rf"-?[0-9]{{1,{_MOST_DIGITS}}}")


# --- labels -----------------------------------------------------------------------------------------------------------
def _date(text: str) -> date:
    return date(*map(int, text.split("-")))


#: How labels of each type are written, and read again: as the same type, which `place_of` compares too.
_LABELS: Mapping[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "str": (str, str, str),
    "bool": (bool, str, {"True": True, "False": False}.__getitem__),
    "int": (int, str, lambda text: int(text) if _WHOLE.fullmatch(text) else _no_label()),
    "float": (float, float.hex, lambda text: _finite(float.fromhex(text))),
    "Decimal": (Decimal, str, lambda text: _finite(Decimal(text))),
    "date": (date, date.isoformat, _date),
}


def _no_label() -> Any:
    raise ValueError("it is no number of a length that is meant")


def _finite(number: Any) -> Any:
    return number if abs(number) < float("inf") else _no_label()  # comparisons with NaN are false, or raise


def _written(label: object) -> list[str]:
    for name, (kind, write, _) in _LABELS.items():
        if type(label) is kind:
            text = write(label)
            if len(text) <= _LONGEST_TEXT:
                return [name, text]
    raise UnsupportedError(
        f"a category or group {str(label)[:60]!r} of type {type(label).__name__} can't be stored: those of type "
        f"{', '.join(_LABELS)}, of at most {_LONGEST_TEXT} characters, can"
    )


def _read_labels(given: object, what: str) -> tuple[Any, ...]:
    labels = []
    for each in _list(given, what):
        pair = _list(each, f"{what}: a label")
        if len(pair) != 2 or pair[0] not in _LABELS or not isinstance(pair[1], str) or len(pair[1]) > _LONGEST_TEXT:
            raise FormatError(f"{what}: a label is a type of {', '.join(_LABELS)} and a text")
        try:
            labels.append(_LABELS[pair[0]][2](pair[1]))
        except (ValueError, TypeError, KeyError, ArithmeticError):
            raise FormatError(f"{what}: {pair[1][:40]!r} is no {pair[0]}") from None
    return tuple(labels)


# --- writing ----------------------------------------------------------------------------------------------------------
class _Numbered:
    """Things by the order in which they were first met; the same thing has one number."""

    def __init__(self) -> None:
        self.things: list[Any] = []

    def of(self, thing: object) -> int:
        """The number of a thing."""
        for number, known in enumerate(self.things):
            if known is thing:
                return number
        self.things.append(thing)
        return len(self.things) - 1


def described(frame: EncryptedFrame) -> tuple[dict[str, Any], list[EncryptedArray]]:
    """What its file says, but for ``arrays``, and the arrays in their order.

    Raises:
        MismatchError: columns of different parameters or keys.
        UnsupportedError: arrays that are no numbers in slots, or wrap around; labels that can't be stored.
    """
    arrays, masks = _Numbered(), _Numbered()
    columns = [_column(name, column, arrays, masks) for name, column in frame.columns.items()]
    facts = {
        "rows": frame.rows,
        "index": None if frame.index is None else [_written(label) for label in frame.index],
        "masks": [_mask(mask, arrays) for mask in masks.things],
        "columns": columns,
    }
    for array in arrays.things:
        _require_fit(array, arrays.things[0])
        if array.wrap or array.encoding != "slots":
            raise UnsupportedError("a table holds numbers within bounds in slots, not values modulo T or polynomials")
    return facts, arrays.things


def _column(
    name: str, column: EncryptedColumn | EncryptedCategories, arrays: _Numbered, masks: _Numbered
) -> dict[str, Any]:
    if isinstance(column, EncryptedCategories):
        labels = [_written(label) for label in column.labels]
        return {"name": name, "selectors": arrays.of(column.selectors), "labels": labels}
    return {
        "name": name,
        "values": arrays.of(column.values),
        "scale": str(column.scale),
        "mask": None if column.mask is None else masks.of(column.mask),
        "cleared": column.cleared,
    }


def _mask(mask: Any, arrays: _Numbered) -> str | int:
    if isinstance(mask, EncryptedArray):
        return arrays.of(mask)
    return base64.b64encode(np.packbits(np.asarray(mask) != 0, bitorder="little").tobytes()).decode()


def _require_fit(array: EncryptedArray, first: EncryptedArray) -> None:
    if array.parameters != first.parameters or array.key_id != first.key_id:
        raise MismatchError("the table's columns are of different parameters or secret keys; encrypt them alike")


# --- reading ----------------------------------------------------------------------------------------------------------
def _list(value: object, what: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise FormatError(f"{what}: a {type(value).__name__}, not a list")
    return value


def rebuilt(facts: Mapping[str, Any], arrays: Sequence[EncryptedArray]) -> EncryptedFrame:
    """The table that a description and its arrays make.

    Raises:
        FormatError: they contradict each other, or are not what `described` would have written.
    """
    columns: dict[str, EncryptedColumn | EncryptedCategories] = {}
    rows = facts.get("rows")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise FormatError(f"a table of {str(rows)[:20]} rows; it has at least one")
    masks: list[Mask] = []
    for given in _list(facts.get("masks"), "masks"):
        masks.append(_read_mask(given, rows, arrays))
    for given in _list(facts.get("columns"), "columns"):
        if not isinstance(given, dict) or not isinstance(given.get("name"), str):
            raise FormatError("a column that is no object with a name")
        name = given["name"]
        if name in columns:
            raise FormatError(f"two columns are named {name[:60]!r}")
        columns[name] = _read_column(given, f"column {name[:60]!r}", rows, arrays, masks)
    index = None if facts.get("index") is None else _read_labels(facts["index"], "the index")
    if not columns or (index is not None and len(index) != rows):
        raise FormatError(f"a table of {len(columns)} columns and {rows} rows, and an index that does not fit it")
    frame = EncryptedFrame(columns, index)
    _require_one_spelling(frame, facts, arrays)
    return frame


def _require_one_spelling(frame: EncryptedFrame, facts: Mapping[str, Any], arrays: Sequence[EncryptedArray]) -> None:
    try:
        again, used = described(frame)
    except (MismatchError, UnsupportedError) as error:
        raise FormatError(f"the table's arrays don't belong together: {error}") from None
    stated = {name: value for name, value in facts.items() if name != "arrays"}
    same = json.dumps(again, sort_keys=True) == json.dumps(stated, sort_keys=True)
    if not same or len(used) != len(arrays) or any(x is not y for x, y in zip(used, arrays, strict=True)):
        raise FormatError("the table's description is not spelled as this library writes it, or leaves arrays unused")


def _array(number: object, arrays: Sequence[EncryptedArray], what: str) -> EncryptedArray:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(arrays):
        raise FormatError(f"{what}: array {str(number)[:20]}, of {len(arrays)}")
    return arrays[number]


def _require_ones(array: EncryptedArray, shape: tuple[Any, ...], what: str) -> EncryptedArray:
    if array.shape != shape or array.bound is None or array.bound > 1:
        raise FormatError(f"{what}: an array of shape {array.shape} within ±{array.bound}, not of {shape} within ±1")
    return array


def _read_mask(given: object, rows: int, arrays: Sequence[EncryptedArray]) -> Mask:
    if not isinstance(given, str):
        return _require_ones(_array(given, arrays, "a mask"), (rows,), "a mask")
    # Rows are those of arrays that are there: what is unpacked below is no longer than what was sent.
    if not any(array.shape[-1:] == (rows,) for array in arrays):
        raise FormatError(f"a mask of {rows} rows, which no array has")
    try:
        data = base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        raise FormatError("a public mask that is no base64") from None
    if len(data) != -(-rows // 8):
        raise FormatError(f"a public mask of {len(data)} bytes for {rows} rows")
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=rows, bitorder="little")
    return public_mask(bits)


def _read_column(
    given: dict[str, Any], what: str, rows: int, arrays: Sequence[EncryptedArray], masks: Sequence[Mask]
) -> EncryptedColumn | EncryptedCategories:
    if "selectors" in given:
        labels = _read_labels(given.get("labels"), what)
        selectors = _array(given["selectors"], arrays, what)
        if len(set(map(repr, labels))) != len(labels):
            raise FormatError(f"{what}: a category twice")
        return EncryptedCategories(_require_ones(selectors, (len(labels), rows), what), labels)
    values, scale, mask = _array(given.get("values"), arrays, what), given.get("scale"), given.get("mask")
    if values.shape != (rows,) and (values.shape or rows != 1):
        raise FormatError(f"{what}: values of shape {values.shape} in a table of {rows} rows")
    if not isinstance(scale, str) or not _WHOLE.fullmatch(scale) or not 1 <= int(scale) < 1 << MOST_SCALE_BITS:
        raise FormatError(f"{what}: a scale that is no whole number from 1 to 2^{MOST_SCALE_BITS}")
    if mask is not None and (isinstance(mask, bool) or not isinstance(mask, int) or not 0 <= mask < len(masks)):
        raise FormatError(f"{what}: mask {str(mask)[:20]}, of {len(masks)}")
    if mask is not None and not values.shape:
        raise FormatError(f"{what}: a mask of a single number")
    if not isinstance(given.get("cleared"), bool):
        raise FormatError(f"{what}: it does not say by true or false whether missing values are 0")
    return EncryptedColumn(values, int(scale), None if mask is None else masks[mask], given["cleared"])
