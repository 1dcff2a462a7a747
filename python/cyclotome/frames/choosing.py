# SPDX-License-Identifier: Apache-2.0
"""Rows of a column that are chosen by what they hold: comparisons, logic, filters, values in place of missing ones."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, RangeError, UnsupportedError
from ..numbers import scales
from ..numbers.cells import one_column
from ..numbers.operands import threshold_numbers
from ..numbers.row_labels import in_order_of, is_a
from ..numbers.values import IntArray
from . import kinds
from .comparing import compared, compared_with_public
from .masks import Mask, RowsOfColumn, alike, both, changed, common_rows, masked, public_mask
from .summaries import SummarizedColumn

__all__ = ["ChosenColumn", "condition"]

_C = TypeVar("_C", bound="ChosenColumn")


def condition(rows: RowsOfColumn, given: object, what: str) -> Mask:
    """A condition on rows as a mask: a column of booleans, or public ones, which a Series of pandas has in the order of
    its index.

    Raises:
        UnsupportedError: something else.
        ArgumentError: booleans of other rows, or some of which are missing.
    """
    if isinstance(given, ChosenColumn):
        if given.kind != kinds.BOOL or not given.values.shape:
            raise UnsupportedError(f"{what}: rows are chosen by a column of booleans, such as column > 3")
        if given.mask is not None and given.mask is not given.kept:
            raise UnsupportedError(f"{what}: booleans some of which are missing: say which they are, x.fillna(False)")
        if given.rows != rows.rows:
            raise ArgumentError(f"{what}: {given.rows} booleans for {rows.rows} rows")
        common_rows(what, rows, given)
        return given.values
    known = public_booleans(rows, given, what)
    if known is None:
        raise UnsupportedError(f"{what}: rows are chosen by a column of booleans or public ones, not {given!r:.40}")
    return known


def public_booleans(rows: RowsOfColumn, given: Any, what: str) -> IntArray | None:
    """Public booleans, one for each row; None of anything else. Raises ArgumentError: see `condition`."""
    if not (isinstance(given, (list, tuple, np.ndarray)) or is_a(given, "pandas", "Series") or _is_polars(given)):
        return None
    cells = one_column(what, in_order_of(given, rows.index, what))
    kind = cells.values.dtype.kind
    if kind != "b" and not (kind == "O" and all(isinstance(each, (bool, np.bool_)) for each in cells.values)):
        return None
    if cells.present.size != rows.rows or not cells.present.all():
        raise ArgumentError(
            f"{what}: {len(cells.values)} booleans that are there, of {cells.present.size}, for {rows.rows} rows"
        )
    return public_mask(cells.values.astype(np.int64))


def _is_polars(given: object) -> bool:
    return is_a(given, "polars", "Series")


class ChosenColumn(SummarizedColumn):
    """The part of `EncryptedColumn` that chooses rows."""

    if TYPE_CHECKING:  # what a column has

        def public_numbers(self, operation: str, other: object) -> Any: ...
        def at_scale(self, scale: int) -> EncryptedArray: ...
        def filled(self: _C) -> _C: ...

    # --- comparisons --------------------------------------------------------------------------------------------------
    def _bits(self: _C, bits: EncryptedArray, index: tuple[Any, ...] | None, kept: Mask) -> _C:
        return changed(self, values=bits, scale=1, mask=kept, cleared=True, index=index, kind=kinds.BOOL, kept=kept)

    def _relation(self: _C, operation: str, other: object) -> tuple[EncryptedArray, Any, Any]:
        """1 where values are in this relation, before masks, the other column if it is one, and its mask."""
        if isinstance(other, (EncryptedArray, SummarizedColumn)) and not isinstance(other, ChosenColumn):
            raise UnsupportedError(f"{operation}: columns are compared with columns and public values")
        if isinstance(other, EncryptedArray):
            raise UnsupportedError(f"{operation}: an encrypted array has no scale: cy.EncryptedColumn(array, scale=1)")
        if isinstance(other, ChosenColumn):
            _require_comparable(operation, self.kind, other.kind)
            if self.values.shape and other.values.shape and self.rows != other.rows:
                raise ArgumentError(f"{operation}: columns of {self.rows} and {other.rows} rows")
            scale = int(scales.common(self.scale, other.scale))
            right = other.at_scale(scale)
            apart = _apart(self.kind, other.kind) * scale
            return compared(operation, self.at_scale(scale), right - apart if apart else right), other, other.mask
        kind, steps = self._threshold(operation, other)
        _require_comparable(operation, self.kind, kind)
        if steps.shape and self.values.shape and steps.shape != self.values.shape:
            raise ArgumentError(f"{operation}: a column of {self.rows} rows and {steps.size} values")
        return compared_with_public(operation, self.values, steps), None, None

    def _threshold(self, operation: str, other: Any) -> tuple[str, Any]:
        """A public value to compare with, in steps of the column, as fractions; and its kind."""
        if isinstance(other, (bool, np.bool_)):
            other = int(other)
        dated = kinds.is_date(self.kind) and isinstance(other, str)
        if dated or kinds.is_time(other) or kinds.is_duration(other) or self.kind not in (kinds.NUMBER, kinds.BOOL):
            numbers, scale, kind = self.public_numbers(operation, other)
            apart = _apart(kind, self.kind)
            return kind, np.vectorize(lambda n: (Fraction(n, scale) + apart) * self.scale, otypes=[object])(numbers)
        names = self.index if self.values.shape else None
        numbers = threshold_numbers(operation, in_order_of(other, names, operation))
        return kinds.NUMBER, np.asarray(numbers * Fraction(self.scale))

    def _compare(self: _C, operation: str, other: object) -> _C:
        bits, column, mask = self._relation(operation, other)
        index, kept = self.index, self.kept
        if column is not None and column.values.shape:
            index = common_rows(operation, self, column) if self.values.shape else column.index
            if self.values.shape and not alike(self.kept, column.kept):
                raise ArgumentError(f"{operation}: columns of which filters kept other rows; filter both, or neither")
            kept = column.kept
        present = both(self.mask, mask)
        if operation == "!=" and present is not kept:  # what is missing differs from everything
            equal = masked((1 - bits).assume_bound((0, 1)), present)
            return self._bits(_less_bits(kept, equal), index, kept)
        return self._bits(masked(bits, present), index, kept)

    def __eq__(self: _C, other: object) -> _C:  # type: ignore[override]
        return self._compare("==", other)

    def __ne__(self: _C, other: object) -> _C:  # type: ignore[override]
        return self._compare("!=", other)

    def __lt__(self: _C, other: object) -> _C:
        return self._compare("<", other)

    def __le__(self: _C, other: object) -> _C:
        return self._compare("<=", other)

    def __gt__(self: _C, other: object) -> _C:
        return self._compare(">", other)

    def __ge__(self: _C, other: object) -> _C:
        return self._compare(">=", other)

    __hash__ = object.__hash__

    def between(self: _C, left: object, right: object) -> _C:
        """True from ``left`` to ``right``, both included: the product of two comparisons."""
        return (self >= left) & (self <= right)

    def isin(self: _C, values: object) -> _C:
        """True where the value is one of several public ones: a comparison each.

        Raises:
            ArgumentError: no list of values, or an empty one.
        """
        if isinstance(values, (str, bytes)) or not isinstance(values, (list, tuple, set, frozenset, np.ndarray)):
            raise ArgumentError(f"isin takes a list of values, not {type(values).__name__}")
        every = np.asarray(list(values), dtype=object).tolist()
        different = {self._threshold("isin", each)[1].item(): each for each in every}  # 1 and 1.0 are one value
        found: list[_C] = [self == each for each in different.values()]
        if not found:
            raise ArgumentError("isin: no values; it takes a list of at least one")
        total = found[0].values
        for each in found[1:]:
            total = total + each.values
        return changed(found[0], values=total.assume_bound((0, 1)))  # different values: one holds at most

    # --- logic --------------------------------------------------------------------------------------------------------
    def _logic(self: _C, operation: str, other: object) -> tuple[EncryptedArray, Any]:
        mine = condition(self, self, operation)
        return mine, condition(self, other, operation)  # type: ignore[return-value]

    def _both_kept(self, other: object) -> Mask:
        if isinstance(other, ChosenColumn) and not alike(other.kept, self.kept):
            raise ArgumentError(
                "columns of which filters kept other rows meet in no condition; filter both, or neither"
            )
        return self.kept

    def __and__(self: _C, other: object) -> _C:
        x, y = self._logic("&", other)
        return self._bits(x * y, self.index, self._both_kept(other))

    __rand__ = __and__

    def __or__(self: _C, other: object) -> _C:
        x, y = self._logic("|", other)
        return self._bits(
            masked((x + y - x * y).assume_bound((0, 1)), self._public_kept(y)), self.index, self._both_kept(other)
        )

    __ror__ = __or__

    def __xor__(self: _C, other: object) -> _C:
        x, y = self._logic("^", other)
        return self._bits(
            masked((x + y - 2 * (x * y)).assume_bound((0, 1)), self._public_kept(y)), self.index, self._both_kept(other)
        )

    __rxor__ = __xor__

    def _public_kept(self, other: object) -> Mask:
        """The rows that a public operand has too many."""
        return None if isinstance(other, EncryptedArray) else self.kept

    def __invert__(self: _C) -> _C:
        bits = condition(self, self, "~")
        assert isinstance(bits, EncryptedArray)
        return self._bits(_less_bits(self.kept, bits), self.index, self.kept)

    # --- filters ------------------------------------------------------------------------------------------------------
    def __getitem__(self: _C, rows: object) -> _C:
        """The rows in which a condition holds. What a row holds stays where it is: others have become missing, and
        decryption leaves them out. An encrypted condition on a column with an encrypted mask costs a product.

        Raises:
            UnsupportedError: no column of booleans, nor public ones.
            ArgumentError: booleans of other rows.
        """
        mask = condition(self, rows, "rows of a column")
        return self.chosen(mask, both(self.kept, mask))

    def chosen(self: _C, mask: Mask, kept: Mask) -> _C:
        """The rows of a mask, of which with those of earlier filters ``kept`` are left: for the library itself."""
        own = kept if self.mask is self.kept else both(self.mask, mask)
        return changed(self, mask=own, cleared=False, kept=kept)

    def where(self: _C, rows: object, other: object = None) -> _C:
        """Values where a condition holds; elsewhere ``other``, a public number or date, or missing where it is None.
        Errors: as of ``column[rows]``."""
        mask = condition(self, rows, "where")
        hidden = changed(self, mask=both(self.mask, mask), cleared=False)
        if other is None:
            return hidden
        steps, scaled = self._replacement(other)
        without: Any = 1 - mask  # type: ignore[operator]
        values = masked(scaled.values, mask) + steps * without
        present = self.mask
        if self.mask is not None and self.mask is not self.kept:  # where the condition fails, nothing is missing
            outside = _ones(without if self.kept is None else self.kept * without)
            here: Any = hidden.mask
            present = _ones(here + outside)
        values = values.assume_bound(_hull(scaled.values.interval, steps))
        return changed(scaled, values=values, mask=present, cleared=None)

    def fillna(self: _C, value: object) -> _C:
        """A public number or date where values are missing, which then no longer are.

        Raises:
            UnsupportedError, RangeError: no single number, or date of a column of dates.
        """
        steps, scaled = self._replacement(value)
        if self.mask is None or self.mask is self.kept:
            return scaled
        absent = (1 if self.kept is None else self.kept) - self.mask
        values = scaled.filled().values
        if steps:
            values = values + absent * steps
        values = values.assume_bound(_hull(scaled.values.interval, steps, 0))  # 0: where a filter left rows out
        return changed(scaled, values=values, mask=self.kept, cleared=True)

    def _replacement(self: _C, value: Any) -> tuple[int, _C]:
        """A public value in steps, and the column at a scale that has it."""
        kind, steps = self._threshold("a value in place of missing ones", value)
        if steps.shape:
            raise UnsupportedError("values in place of missing ones: one for all rows")
        if kind != self.kind and {kind, self.kind} != {kinds.NUMBER, kinds.BOOL}:
            _require_comparable("a value in place of missing ones", self.kind, kind)
        wanted = Fraction(steps.item())
        scale = self.scale * wanted.denominator
        if wanted.denominator > 10**30:
            raise RangeError(f"a value in place of missing ones: {value} has too many decimals; round it before")
        kind = kinds.NUMBER if self.kind == kinds.BOOL and wanted not in (0, 1) else self.kind
        scaled = changed(self, values=self.at_scale(scale), scale=scale, kind=kind)
        return int(wanted * wanted.denominator), scaled

    def isna(self: _C) -> _C | NDArray[np.bool_]:
        """True where the value is missing: public booleans for all rows, of NumPy, where the mask is public or there is
        none; they are False where a public filter left rows out."""
        if isinstance(self.mask, EncryptedArray):
            return ~self.notna()
        kept = np.ones(self.rows, dtype=np.int64) if self.kept is None else np.asarray(self.kept)
        return (kept if self.mask is None else kept - self.mask).astype(bool) & (self.mask is not None)

    def notna(self: _C) -> _C | NDArray[np.bool_]:
        """True where the value is there; as `isna`."""
        if isinstance(self.mask, EncryptedArray):
            return self._bits(self.mask, self.index, self.kept)
        return np.full(self.rows, True) if self.mask is None else self.mask.astype(bool)

    def __contains__(self, _: object) -> NoReturn:
        raise UnsupportedError(
            "whether a value is in an encrypted column is encrypted: (column == value).sum() counts it"
        )

    def __bool__(self) -> NoReturn:
        raise UnsupportedError(
            "whether an encrypted column is zero can't be told without the secret key. Conditions are joined by "
            "& | ~, with each comparison in brackets: (x > 3) & (y == 'A')"
        )

    def __iter__(self) -> NoReturn:
        raise UnsupportedError("rows of an encrypted column are not gone through one by one: compute with all at once")

    if not TYPE_CHECKING:

        def __rtruediv__(self, other: object) -> NoReturn:
            raise UnsupportedError(
                "division by encrypted columns: decrypt both and divide there; by public numbers there is x / 4"
            )

        def __abs__(self, *_: object) -> NoReturn:
            raise UnsupportedError(
                "abs and round of encrypted columns: round before encryption; x.where(x >= 0, 0) is what is above 0"
            )

        __round__ = __floor__ = __ceil__ = __trunc__ = __abs__

        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __rtruediv__

        def __array__(self, *_: object, **__: object) -> NoReturn:
            raise UnsupportedError("an encrypted column has no numbers to show; use cyclotome.decrypt_frame(x, secret)")


def _less_bits(kept: Mask, bits: EncryptedArray) -> EncryptedArray:
    """Rows that are kept, of which ``bits`` are some, and not among those."""
    rest: EncryptedArray = (1 if kept is None else kept) - bits
    return rest.assume_bound((0, 1))


def _apart(kind: str, other: str) -> int:
    """Days from the first day of the one to that of the other."""
    both_dates = kinds.is_date(kind) and kinds.is_date(other)
    return kinds.origin_days(kind) - kinds.origin_days(other) if both_dates else 0


def _require_comparable(operation: str, kind: str, other: str) -> None:
    names = ["date" if kinds.is_date(each) else each for each in (kind, other)]
    if names[0] != names[1] and not set(names) <= {kinds.NUMBER, kinds.BOOL}:
        raise UnsupportedError(f"{operation}: a column of kind {kind!r} meets {other!r}")


def _hull(interval: tuple[int, int] | None, *values: int) -> tuple[int, int]:
    ends = [*(interval or ()), *values]
    return min(ends), max(ends)


def _ones(bits: Any) -> Mask:
    return bits.assume_bound((0, 1)) if isinstance(bits, EncryptedArray) else public_mask(bits)
