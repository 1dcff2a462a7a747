# SPDX-License-Identifier: Apache-2.0
"""Masks of rows, and what columns and their masks have to have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.compounds import Compound
from ..errors import ArgumentError, MismatchError, UnsupportedError
from ..numbers.labels import labels_of
from ..numbers.row_labels import shown
from ..numbers.values import IntArray, frozen, integers
from .advice import called, instead

_R = TypeVar("_R", bound="RowsOfColumn")

__all__ = [
    "Mask",
    "RowsOfColumn",
    "alike",
    "both",
    "changed",
    "checked_mask",
    "checked_rows",
    "common_rows",
    "masked",
    "public_mask",
    "require_alike",
    "require_numbers",
    "require_ones",
    "row_names",
    "same_mask",
]

#: For every row 1 where its value is there and 0 where it is missing; None where nothing is missing.
Mask = IntArray | EncryptedArray | None


class RowsOfColumn(Compound):
    """What every column has: rows, their names, and those that filters kept."""

    #: What the rows are called, public; None: numbers from 0.
    index: tuple[Any, ...] | None
    #: Rows that filters kept; None: all of them.
    kept: Mask
    #: The name that it has in its table.
    name: str | None

    # pandas leaves operations with such an operand to this class.
    __pandas_priority__ = 5000

    if not TYPE_CHECKING:

        def __array_ufunc__(self, function, method, *operands, **options):
            return called(self, function, method, operands, options)

        def __getattr__(self, name):
            raise instead(self, name, self.INSTEAD)

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows, those that filters left out counted."""


def require_numbers(array: object, what: str) -> None:
    if not isinstance(array, EncryptedArray):
        raise UnsupportedError(
            f"{what} takes an encrypted array, not {type(array).__name__}; tables are encrypted by cy.encrypt_frame"
        )
    if array.wrap or array.encoding != "slots":
        raise UnsupportedError(f"{what} takes numbers within bounds in slots, not values modulo T or polynomials")


def require_alike(arrays: list[EncryptedArray], what: str) -> None:
    """Raises MismatchError for arrays of different parameters or keys."""
    for array in arrays[1:]:
        if array.parameters != arrays[0].parameters or array.key_id != arrays[0].key_id:
            raise MismatchError(f"{what} of different parameters or secret keys; encrypt them alike")


def require_ones(array: EncryptedArray, what: str) -> None:
    interval = array.interval
    if interval is None or interval[0] < 0 or interval[1] > 1:
        raise ArgumentError(
            f"{what}: zeros and ones, and these may be {interval}; encrypt them with bound=(0, 1), or say what you "
            "know of them: array.assume_bound((0, 1))"
        )


def checked_rows(mask: object, selectors: EncryptedArray) -> IntArray | EncryptedArray:
    """A mask of rows of an array of shape (categories, rows). Errors: see `checked_mask`."""
    made = mask if isinstance(mask, EncryptedArray) else public_mask(mask)
    if made.shape != selectors.shape[1:]:
        raise ArgumentError(f"a mask of shape {made.shape} of {selectors.shape[1]} rows")
    if isinstance(made, EncryptedArray):
        require_numbers(made, "a mask")
        require_ones(made, "a mask")
        require_alike([selectors, made], "a column and its mask are")
    return made


def checked_mask(mask: object, values: EncryptedArray) -> IntArray | EncryptedArray:
    made = mask if isinstance(mask, EncryptedArray) else public_mask(mask)
    if made.shape != values.shape:
        raise ArgumentError(f"a mask of shape {made.shape} of a column of shape {values.shape}")
    if not values.shape:
        raise ArgumentError("a mask of a single number; columns of rows have masks")
    if isinstance(made, EncryptedArray):
        require_numbers(made, "a mask")
        require_ones(made, "a mask")
        require_alike([values, made], "a column and its mask are")
    return made


def public_mask(mask: object) -> IntArray:
    """A public mask that nobody can change, the same object if it is one already.

    Raises:
        ArgumentError: it has other values than 0 and 1.
        UnsupportedError: values that are no integers.
    """
    kept = isinstance(mask, np.ndarray) and mask.dtype == np.int64 and type(mask.base) is bytes  # as `frozen` made it
    copied: IntArray = mask if kept else integers(mask, "a mask")  # type: ignore[assignment]
    if not ((copied == 0) | (copied == 1)).all():
        wrong = copied[(copied != 0) & (copied != 1)].flat[0]
        raise ArgumentError(f"a mask has 1 where a value is there and 0 where it is missing, not {wrong}")
    return copied if kept else frozen(copied)


def row_names(names: object, rows: int) -> tuple[Any, ...]:
    found = labels_of(names, "names of rows")
    if len(found) != rows:
        raise ArgumentError(f"{len(found)} names of rows for {rows} rows")
    return found


def _named(names: tuple[Any, ...] | None) -> str:
    return "numbers from 0" if names is None else shown(names)


def common_rows(operation: str, left: RowsOfColumn, right: RowsOfColumn) -> tuple[Any, ...] | None:
    """What the rows of two columns of as many rows are called. Raises ArgumentError where they are called otherwise."""
    if left.index != right.index:
        numbers = tuple(range(left.rows))
        if (left.index or numbers) != (right.index or numbers):
            raise ArgumentError(
                f"{operation}: columns whose rows have other names, {_named(left.index)} and {_named(right.index)}: "
                "take those of one table, or of tables with the same rows in the same order"
            )
    return left.index


def changed(column: _R, **facts: Any) -> _R:
    """The column with other facts, as `dataclasses.replace`: every class of columns is a dataclass."""
    return replace(column, **facts)  # type: ignore[type-var]


def both(x: Mask, y: Mask) -> Mask:
    """Rows that are in both."""
    if x is None or y is None or x is y:
        return y if x is None else x
    product: IntArray | EncryptedArray = x * y
    return product if isinstance(product, EncryptedArray) else public_mask(product)


def alike(x: Mask, y: Mask) -> bool:
    """Whether two masks are known to hold the same: one object, or public ones."""
    return x is y or (isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and np.array_equal(x, y))


def same_mask(mask: Mask, kept: Mask) -> Mask:
    """``kept``, as the very object that ``mask`` is if both are known to be alike: that is how one knows that nothing
    but filters left rows out."""
    return mask if alike(mask, kept) else kept


def masked(values: EncryptedArray, mask: Mask) -> EncryptedArray:
    """Values where the mask is 1, and 0 elsewhere."""
    return values if mask is None else values * mask
