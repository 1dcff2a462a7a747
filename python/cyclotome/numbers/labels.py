# SPDX-License-Identifier: Apache-2.0
"""What columns, categories, groups and rows are called. One rule for tables that are made, computed and read, so that
what has been made can be stored, and read again as the same type, which `place_of` compares too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from ..errors import ArgumentError
from .scales import MOST_SCALE_BITS

__all__ = ["WHOLE", "different", "labels_of", "name_of", "place_of", "read", "written"]

_MOST_DIGITS = len(str(1 << MOST_SCALE_BITS))
_LONGEST_TEXT = 4096
#: Integers of a length that is meant: a short file does not become gigabytes, nor the other way round.
WHOLE = re.compile(rf"-?[0-9]{{1,{_MOST_DIGITS}}}")


def _date(text: str) -> date:
    return date(*map(int, text.split("-")))


def _whole(text: str) -> int:
    if not WHOLE.fullmatch(text):
        raise ValueError("it is no number of a length that is meant")
    return int(text)


#: How labels of each type are written, and read again.
_KINDS: Mapping[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "str": (str, str, str),
    "bool": (bool, str, {"True": True, "False": False}.__getitem__),
    "int": (int, str, _whole),
    "float": (float, float.hex, float.fromhex),
    "Decimal": (Decimal, str, Decimal),
    "date": (date, date.isoformat, _date),
}
_NAMES = {kind: name for name, (kind, _, _) in _KINDS.items()}


def _fault(label: object) -> str | None:
    """What keeps it from being a label; None if nothing does."""
    if type(label) not in _NAMES:
        return f"of type {type(label).__name__}; labels are {', '.join(_NAMES.values())} (others as text: str(label))"
    if (isinstance(label, Decimal) and label.is_nan()) or (isinstance(label, float) and label != label):
        return "not a number, so that nothing is equal to it"
    if type(label) is int and abs(label) >= 10**_MOST_DIGITS:
        return f"an integer of more than {_MOST_DIGITS} digits"
    if isinstance(label, str) and not _is_text(label):
        return "text with half of a surrogate pair, which no encoding writes"
    if len(written(label)[1]) > _LONGEST_TEXT:
        return f"longer than {_LONGEST_TEXT} characters"
    return None


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(label: object) -> str:
    if type(label) is int and abs(label) >= 10**40:
        return f"of {label.bit_length()} bits"  # Python refuses to write long ones
    return repr(label)[:60]


def _plain(label: object) -> object:
    """Python's own value of one of NumPy's, where there is one."""
    if not isinstance(label, np.generic):
        return label
    value = label.item()
    days = isinstance(label, np.datetime64)  # those of nanoseconds would be integers
    return value if not days or type(value) is date else label


def labels_of(given: object, what: str) -> tuple[Any, ...]:
    """Checked labels, as Python's own values.

    Raises:
        ArgumentError: no labels; one that can't be stored.
    """
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ArgumentError(f"{what}: {ascii(given)[:60]} is no list of labels")
    labels = tuple(map(_plain, given))
    for label in labels:
        fault = _fault(label)
        if fault is not None:
            raise ArgumentError(f"{what}: the label {_shown(label)} is {fault}")
    return labels


def different(labels: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    """Raises ArgumentError where two of them are equal, as 1 and True are."""
    known: set[Any] = set()
    for label in labels:
        if label in known:
            raise ArgumentError(f"{what}: {_shown(label)} is there twice; labels are different, as 1 and True are not")
        known.add(label)
    return labels


def name_of(name: object, what: str) -> str:
    """The checked name of a column.

    Raises:
        ArgumentError: no text, or none that can be written.
    """
    if not isinstance(name, str):
        raise ArgumentError(f"{what}: column {name!r} is named by {type(name).__name__}; names are text")
    if not _is_text(name):
        raise ArgumentError(f"{what}: the name {_shown(name)} has half of a surrogate pair, which no encoding writes")
    return str(name)


def place_of(labels: Iterable[Any], label: object, where: str) -> int:
    """The number of a label.

    Raises:
        ArgumentError: there is no such label.
    """
    known, wanted = list(labels), _plain(label)
    for i, each in enumerate(known):
        if type(each) is type(wanted) and each == wanted:
            return i
    raise ArgumentError(f"{where}: {_shown(label)} is none of the categories {', '.join(map(_shown, known))}"[:400])


# --- in files ---------------------------------------------------------------------------------------------------------
def written(label: object) -> list[str]:
    """A checked label as files have it: a type's name and a text."""
    name = _NAMES[type(label)]
    return [name, _KINDS[name][1](label)]


def read(name: object, text: object) -> Any:
    """The label of a type's name and a text, not checked any further.

    Raises:
        ValueError: there is none.
    """
    if not isinstance(name, str) or name not in _KINDS or not isinstance(text, str) or len(text) > _LONGEST_TEXT:
        raise ValueError(f"a label is a type of {', '.join(_KINDS)} and a text")
    try:
        return _KINDS[name][2](text)
    except (ValueError, TypeError, KeyError, ArithmeticError):
        raise ValueError(f"{text[:40]!a} is no {name}") from None
