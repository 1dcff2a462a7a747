# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables in files: the ciphertexts, and a note that says what their integers mean."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import cyclotome as cy
from cyclotome.cli.failures import UsageError
from cyclotome.cli.quantity import Quantity
from cyclotome.errors import FormatError

#: Names and scales in a note may have this many characters in all.
MAX_TEXT = 1 << 18


def note_of(quantity: Quantity) -> dict[str, Any]:
    """What to write beside the ciphertexts. Public: whoever has the file reads it."""
    note: dict[str, Any] = {"scale": str(quantity.scale)}
    if quantity.columns is not None:
        note["columns"] = list(quantity.columns)
    if quantity.name is not None:
        note["name"] = quantity.name
    return note


def read_note(note: Mapping[str, Any], shape: tuple[int, ...], where: str) -> dict[str, Any]:
    """Checked fields for a Quantity of this shape. Raises FormatError for a note that makes no sense."""
    scale_text, columns, name = note.get("scale", "1"), note.get("columns"), note.get("name")
    try:
        if not isinstance(scale_text, str) or len(scale_text) > MAX_TEXT:
            raise ValueError
        scale = Fraction(scale_text)
        if scale <= 0:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        raise FormatError(f"{where}: the note's scale is no positive number") from None
    if columns is not None:
        texts = isinstance(columns, list) and all(isinstance(column, str) for column in columns)
        if not texts or not shape or len(columns) != shape[0]:
            raise FormatError(f"{where}: the note's column names do not fit an array of shape {shape}")
        columns = tuple(columns)
    if name is not None and not isinstance(name, str):
        raise FormatError(f"{where}: the note's name is no text")
    return {"scale": scale, "columns": columns, "name": name}


def save_quantity(path: Path, quantity: Quantity, force: bool) -> None:
    """Writes an encrypted quantity."""
    cy.save(path, quantity.values, note=note_of(quantity), overwrite=force)


def load_quantity(path: Path, **options: Any) -> Quantity:
    """Reads an encrypted quantity; options as for `cyclotome.load`. Raises UsageError when the file holds no array."""
    loaded = cy.load(path, **options)
    if not isinstance(loaded, cy.EncryptedArray):
        raise UsageError(f"{path} holds {type(loaded).__name__}, where an encrypted array is needed")
    return Quantity(loaded, **read_note(cy.inspect(path).note, loaded.shape, str(path)))
