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
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ..arrays.array import EncryptedArray
from ..errors import CyclotomeError, FormatError
from ..numbers import labels
from ..numbers.scales import MOST_SCALE_BITS
from .columns import EncryptedCategories, EncryptedColumn
from .frame import EncryptedFrame
from .kinds import NUMBER
from .masks import Mask, public_mask
from .statistics.deferred import EncryptedStatistics
from .table import Table

__all__ = ["described", "rebuilt"]

_T = TypeVar("_T")


def _read_labels(given: object, what: str) -> tuple[Any, ...]:
    pairs = [_list(each, f"{what}: a label") for each in _list(given, what)]
    try:
        return tuple(labels.read(pair[0], pair[1]) if len(pair) == 2 else labels.read(None, None) for pair in pairs)
    except ValueError as error:
        raise FormatError(f"{what}: {error}") from None


def _made(make: Callable[[], _T], what: str) -> _T:
    """What its class takes; what it refuses was written by something else."""
    try:
        return make()
    except CyclotomeError as error:
        raise FormatError(f"{what}: {error}") from None


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


def described(frame: Table) -> tuple[dict[str, Any], list[EncryptedArray]]:
    """What its file says, but for ``arrays``, and the arrays in their order.

    A frame that there is can be described: its class holds columns and labels to what files can say."""
    arrays, masks = _Numbered(), _Numbered()
    columns = [_column(name, column, arrays, masks) for name, column in frame.columns.items()]
    facts: dict[str, Any] = {
        "rows": frame.rows,
        "index": None if frame.index is None else [labels.written(label) for label in frame.index],
        "masks": [_mask(mask, arrays) for mask in masks.things],
        "columns": columns,
    }
    if isinstance(frame, EncryptedStatistics):
        facts["statistics"] = dict(frame.recipe)
    return facts, arrays.things


def _column(
    name: str, column: EncryptedColumn | EncryptedCategories, arrays: _Numbered, masks: _Numbered
) -> dict[str, Any]:
    found: dict[str, Any]
    if isinstance(column, EncryptedCategories):
        names = [labels.written(label) for label in column.labels]
        found = {"name": name, "selectors": arrays.of(column.selectors), "labels": names}
        return found if column.kept is None else {**found, "kept": masks.of(column.kept)}
    found = {
        "name": name,
        "values": arrays.of(column.values),
        "scale": str(column.scale),
        "mask": None if column.mask is None else masks.of(column.mask),
        "cleared": column.cleared,
    }
    if column.kind != NUMBER:
        found["kind"] = column.kind
    return found if column.kept is None else {**found, "kept": masks.of(column.kept)}


def _mask(mask: Any, arrays: _Numbered) -> str | int:
    if isinstance(mask, EncryptedArray):
        return arrays.of(mask)
    return base64.b64encode(np.packbits(np.asarray(mask) != 0, bitorder="little").tobytes()).decode()


# --- reading ----------------------------------------------------------------------------------------------------------
def _list(value: object, what: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise FormatError(f"{what}: a {type(value).__name__}, not a list")
    return value


def rebuilt(facts: Mapping[str, Any], stored: Sequence[EncryptedArray]) -> Table:
    """The table that a description and its arrays make. Zeros and ones were written as within ±1 once.

    Raises:
        FormatError: they contradict each other, or are not what `described` would have written.
    """
    columns: dict[str, EncryptedColumn | EncryptedCategories] = {}
    rows = facts.get("rows")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise FormatError(f"a table of {str(rows)[:20]} rows; it has at least one")
    ones = _places_of_ones(facts)
    arrays = [_ones(array) if number in ones else array for number, array in enumerate(stored)]
    masks = [_read_mask(given, rows, arrays) for given in _list(facts.get("masks"), "masks")]
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
    frame = _table(columns, index, facts)
    _require_one_spelling(frame, facts, arrays)
    return frame


def _table(columns: Mapping[str, Any], index: tuple[Any, ...] | None, facts: Mapping[str, Any]) -> Table:
    if "statistics" not in facts:
        return _made(lambda: EncryptedFrame(columns, index), "the table")
    recipe = facts["statistics"]
    if not isinstance(recipe, dict) or index is not None:
        raise FormatError("statistics that are no object, or whose rows have names")
    return _made(lambda: EncryptedStatistics(columns, None, recipe), "the statistics")


def _require_one_spelling(frame: Table, facts: Mapping[str, Any], arrays: Sequence[EncryptedArray]) -> None:
    again, used = described(frame)
    stated = {name: value for name, value in facts.items() if name != "arrays"}
    same = json.dumps(again, sort_keys=True) == json.dumps(stated, sort_keys=True)
    if not same or len(used) != len(arrays) or any(x is not y for x, y in zip(used, arrays, strict=True)):
        raise FormatError("the table's description is not spelled as this library writes it, or leaves arrays unused")


def _array(number: object, arrays: Sequence[EncryptedArray], what: str) -> EncryptedArray:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(arrays):
        raise FormatError(f"{what}: array {str(number)[:20]}, of {len(arrays)}")
    return arrays[number]


def _places_of_ones(facts: Mapping[str, Any]) -> set[int]:
    """Numbers of the arrays that are masks or categories."""
    columns = [each for each in _list(facts.get("columns"), "columns") if isinstance(each, dict)]
    named = [*_list(facts.get("masks"), "masks"), *(each.get("selectors") for each in columns)]
    return {number for number in named if isinstance(number, int) and not isinstance(number, bool)}


def _ones(array: EncryptedArray) -> EncryptedArray:
    return array.assume_bound((0, 1)) if array.interval == (-1, 1) else array


def _read_mask(given: object, rows: int, arrays: Sequence[EncryptedArray]) -> Mask:
    if not isinstance(given, str):
        return _array(given, arrays, "a mask")
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
        names = _read_labels(given.get("labels"), what)
        selectors = _array(given["selectors"], arrays, what)
        return _made(lambda: EncryptedCategories(selectors, names, kept=_known(given, "kept", masks, what)), what)
    values, scale = _array(given.get("values"), arrays, what), given.get("scale")
    if not isinstance(scale, str) or not labels.WHOLE.fullmatch(scale):
        raise FormatError(f"{what}: a scale that is no whole number from 1 to 2^{MOST_SCALE_BITS}")
    if not isinstance(given.get("cleared"), bool):
        raise FormatError(f"{what}: it does not say by true or false whether missing values are 0")
    mask, kept = (_known(given, name, masks, what) for name in ("mask", "kept"))
    kind = given.get("kind", NUMBER)
    return _made(lambda: EncryptedColumn(values, int(scale), mask, given["cleared"], None, kind, kept), what)


def _known(given: dict[str, Any], name: str, masks: Sequence[Mask], what: str) -> Mask:
    """A mask of a column by its number; None where it has none."""
    number = given.get(name)
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(masks):
        raise FormatError(f"{what}: {name} {str(number)[:20]}, of {len(masks)}")
    return masks[number]
