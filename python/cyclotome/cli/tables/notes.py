# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables in files: the ciphertexts, and a note that says what their integers mean.

A result's note is written by whoever computed, so nothing in it is trusted: its numbers are bounded before they are
numbers, its names are text that can be shown, and everything fits the array.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import cyclotome as cy
from cyclotome.cli import kinds
from cyclotome.cli.numbers.quantity import MAX_PLAIN_BITS, Quantity
from cyclotome.cli.visible import name_fault, shortened
from cyclotome.errors import FormatError, UnsupportedError

#: Decimal digits of each part of a scale.
_MAX_DIGITS = len(str(1 << MAX_PLAIN_BITS))

_SCALE = re.compile(rf"[0-9]{{1,{_MAX_DIGITS}}}(?:/[0-9]{{1,{_MAX_DIGITS}}})?")


def note_of(quantity: Quantity) -> dict[str, Any]:
    """What to write beside the ciphertexts. Public: whoever has the file reads it."""
    note: dict[str, Any] = {"scale": str(quantity.scale)}
    if quantity.columns is not None:
        note["columns"] = list(quantity.columns)
    if quantity.axis != 0:
        note["axis"] = quantity.axis
    if quantity.name is not None:
        note["name"] = quantity.name
    return note


def read_note(note: Mapping[str, Any], shape: tuple[int, ...], where: str) -> dict[str, Any]:
    """Checked fields for a Quantity of this shape: scale, columns, name and axis.

    Raises:
        FormatError: a note that makes no sense.
    """
    columns, name = note.get("columns"), note.get("name")
    axis = 0 if columns is None else _read_axis(note.get("axis", 0), shape, where)
    if columns is not None:
        texts = isinstance(columns, list) and all(isinstance(column, str) for column in columns)
        if not texts or not shape or len(columns) != shape[axis] or len(set(columns)) != len(columns):
            raise FormatError(f"{where}: the note's column names do not fit axis {axis} of an array of shape {shape}")
    if name is not None and not isinstance(name, str):
        raise FormatError(f"{where}: the note's name is no text")
    for text in [*(columns or ()), *([] if name is None else [name])]:
        fault = "it is empty" if not text else name_fault(text)
        if fault is not None:
            raise FormatError(f"{where}: the note's column name {shortened(text)} can't be used: {fault}")
    return {
        "scale": _read_scale(note.get("scale", "1"), where),
        "columns": None if columns is None else tuple(columns),
        "name": None if columns is not None else name,
        "axis": axis,
    }


def _read_scale(text: object, where: str) -> Fraction:
    if isinstance(text, str) and _SCALE.fullmatch(text):
        top, _, bottom = text.partition("/")
        numerator, denominator = int(top), int(bottom or "1")
        if numerator > 0 and denominator > 0 and max(numerator, denominator).bit_length() <= MAX_PLAIN_BITS:
            return Fraction(numerator, denominator)
    shown = shortened(text) if isinstance(text, str) else f"a {type(text).__name__}"
    raise FormatError(
        f"{where}: the note's scale is {shown}, not a positive whole number, or two with a slash between them, of at "
        f"most {MAX_PLAIN_BITS} bits each"
    )


def _read_axis(axis: object, shape: tuple[int, ...], where: str) -> int:
    if isinstance(axis, bool) or not isinstance(axis, int) or not 0 <= axis < max(len(shape), 1):
        shown = shortened(repr(axis) if not isinstance(axis, int) or axis.bit_length() < 64 else "a huge number")
        raise FormatError(f"{where}: the note's axis {shown} is none of an array of shape {shape}")
    return axis


def save_quantity(path: Path, quantity: Quantity, force: bool) -> None:
    """Writes an encrypted quantity, in a form that `load_quantity` reads.

    Raises:
        FormatError: names that nobody could read.
        UnsupportedError: fractions of values that wrap around.
    """
    note = note_of(quantity)
    read_note(note, quantity.shape, str(path))
    if quantity.values.wrap and quantity.scale != 1:
        raise UnsupportedError(
            "the values are known modulo T only (wrap=True), so there are no fractions of them: encrypt with a bound"
        )
    cy.save(path, quantity.values, note=note, overwrite=force)


def load(path: Path, *others: type[Any], **options: Any) -> Any:
    """An encrypted array, or a table of columns, or one of ``others``; options as for `cyclotome.load`.

    Raises:
        FormatError: the file holds something else.
    """
    loaded = cy.load(path, **options)
    kinds.require(loaded, (cy.EncryptedArray, cy.EncryptedFrame, *others), path)
    return loaded


def load_quantity(path: Path, **options: Any) -> Quantity:
    """Reads an encrypted quantity; options as for `cyclotome.load`.

    Raises:
        FormatError: the file holds no array, or its note makes no sense.
    """
    loaded = load(path, **options)
    kinds.require(loaded, cy.EncryptedArray, path)
    assert isinstance(loaded, cy.EncryptedArray)
    return quantity_of(path, loaded)


def quantity_of(path: Path, loaded: cy.EncryptedArray) -> Quantity:
    """The quantity that an array and its file's note make. Raises FormatError where the note makes no sense."""
    fields = read_note(cy.inspect(path).note, loaded.shape, str(path))
    if loaded.wrap and fields["scale"] != 1:
        raise FormatError(
            f"{path}: the note's scale is for numbers, but the values are known modulo T only (wrap=True)"
        )
    return Quantity(loaded, **fields)
