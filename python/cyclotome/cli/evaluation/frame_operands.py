# SPDX-License-Identifier: Apache-2.0
"""Columns of encrypted tables as operands of ``cyclotome eval``."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import cyclotome as cy
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.cli.visible import visible
from cyclotome.errors import ArgumentError


def operand(frame: cy.EncryptedFrame, key: object, what: str = "value") -> Quantity:
    """A column as a quantity: its numbers, which none may lack; "filled": 0 where they are missing; "present": 1 where
    they are there. Categories are the table of their zeros and ones, with the categories as columns.

    Raises:
        ArgumentError: no such column; missing values.
    """
    if not isinstance(key, str):
        raise ArgumentError("a table's columns are taken by name, as in x['price']")
    column = frame[key]
    if isinstance(column, cy.EncryptedCategories):
        if what != "value":
            raise ArgumentError(f"{what}() takes a column of numbers; {visible(key)!r} holds categories")
        return Quantity(column.selectors, columns=tuple(map(str, column.labels)))
    if what == "filled":
        return Quantity(column.filled().values, Fraction(column.scale), name=key)
    if what == "present":
        ones = column.mask if column.mask is not None else np.ones(column.rows, dtype=np.int64)
        return Quantity(ones, name=key)
    if column.mask is not None:
        raise ArgumentError(
            f"column {visible(key)!r} has missing values: filled(x[...]) takes them as 0, and sum(present(x[...])) "
            "counts those that are there"
        )
    return Quantity(column.values, Fraction(column.scale), name=key)
