# SPDX-License-Identifier: Apache-2.0
"""Names of columns through operations: they follow the axis they name, or go away.

A `Labels` belongs to an array. It says which axis numbers a table's columns and what they are called, or that the whole
array comes of one column, or nothing. Axes are counted from the end (-1 is the last), as broadcasting counts them.
Nothing is ever matched by name. But where numbers meet that the names say do not belong together, it is refused: the
same columns in another order, or the columns of one operand beside the rows of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cyclotome.cli.visible import visible
from cyclotome.errors import ArgumentError

Shape = tuple[int, ...]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Labels:
    """What is known about an array's columns.

    Attributes:
        columns: their names, all different, or None.
        axis: which they number, from the end: negative. 0 without columns.
        name: of the one column that the whole array comes of, or None; never beside columns.
    """

    columns: Names | None = None
    axis: int = 0
    name: str | None = None

    def place(self, shape: Shape) -> int | None:
        """The axis with names, from the front; None without names."""
        return None if self.columns is None else len(shape) + self.axis


NONE = Labels()


def listed(names: Sequence[str], limit: int = 6) -> str:
    """Names for a message."""
    shown = ", ".join(visible(name) for name in names[:limit])
    return shown + (", …" if len(names) > limit else "")


def _require_order(a: Names, b: Names) -> None:
    """Raises ArgumentError where a name stands at different places."""
    places = {name: place for place, name in enumerate(b)}
    for place, name in enumerate(a):
        if places.get(name, place) != place:
            raise ArgumentError(
                f"the columns {listed(a)} meet {listed(b)}: {visible(name)} stands at different places, so numbers of "
                "different columns would be combined; encrypt the tables with --columns in one order"
            )


def _require_place(named: Labels, other: Labels, shape: Shape) -> None:
    """Raises ArgumentError where `named`'s columns meet an axis of a table, of this shape, that numbers rows, however
    many there are; a single column may be broadcast."""
    if named.columns is None or len(named.columns) == 1 or -named.axis > len(shape):
        return
    if (other.columns is not None and other.axis != named.axis) or other.name is not None:
        what = visible(other.name) if other.name is not None else listed(other.columns or ())
        raise ArgumentError(
            f"the columns {listed(named.columns)} of one operand meet the rows of the other ({what}), so numbers that "
            "do not belong together would be combined; take columns by name first, as in x['a'] - mean(x['a'])"
        )


def elementwise(a: Labels, a_shape: Shape, b: Labels, b_shape: Shape, shape: Shape) -> Labels:
    """Labels of a result, value by value, of two arrays broadcast to ``shape``.

    Raises:
        ArgumentError: the names say that numbers meet that do not belong together.
    """
    _require_place(a, b, b_shape)
    _require_place(b, a, a_shape)
    # Where an axis of length 1 is stretched, its name would stand for several columns.
    fitting = [each for each in (a, b) if each.columns is not None and shape[each.axis] == len(each.columns)]
    if len(fitting) == 2 and fitting[0].axis == fitting[1].axis:
        first, second = (each.columns or () for each in fitting)
        _require_order(first, second)
        return fitting[0] if first == second else NONE
    if len(fitting) == 1:
        return Labels(fitting[0].columns, fitting[0].axis)
    if a.columns is not None or b.columns is not None:
        return NONE
    named = {each.name for each in (a, b) if each.name is not None}
    return Labels(name=named.pop()) if len(named) == 1 else NONE


def reduced(a: Labels, shape: Shape, axis: int | None) -> Labels:
    """Labels after a sum over an axis, counted from the front, or over all."""
    place = a.place(shape)
    if place is None:
        return a
    if axis is None or axis == place:
        return NONE
    return Labels(a.columns, a.axis + 1 if axis > place else a.axis)


def selected(a: Labels, shape: Shape, key: int | slice) -> Labels:
    """Labels of the items ``key`` along the first axis."""
    if a.columns is None or a.place(shape) != 0:
        return a
    if isinstance(key, slice):
        return Labels(a.columns[key], a.axis)
    return Labels(name=a.columns[key])


def matmul(a: Labels, a_shape: Shape, b: Labels, b_shape: Shape, shape: Shape) -> Labels:
    """Labels of ``a @ b``, whose shape is ``shape``: names of contracted axes go away, others follow their axis.

    Raises:
        ArgumentError: the same columns in another order along the contracted axes.
    """
    contracted = -2 if len(b_shape) > 1 else -1
    if a.axis == -1 and b.axis == contracted:
        _require_order(a.columns or (), b.columns or ())
    kept = []
    if a.columns is not None and a.axis != -1:  # a vector on the right takes the last axis away
        kept.append(Labels(a.columns, a.axis + (len(b_shape) == 1)))
    if b.columns is not None and b.axis != contracted:  # one on the left the axis before
        kept.append(Labels(b.columns, b.axis + (len(a_shape) == 1 and b.axis < contracted)))
    fitting = {each for each in kept if shape[each.axis] == len(each.columns or ())}
    return fitting.pop() if len(fitting) == 1 else NONE
