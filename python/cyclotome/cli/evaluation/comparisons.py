# SPDX-License-Identifier: Apache-2.0
"""What `cyclotome eval` compares and selects, number by number: encrypted quantities with encrypted or public ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import cyclotome as cy
from cyclotome.cli.evaluation.arithmetic import at_one_scale
from cyclotome.cli.numbers import labels
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.errors import ArgumentError
from cyclotome.numbers.shapes import broadcast_shape

_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {"equal": cy.equal, "less": cy.less}
_SELECTIONS: Mapping[str, Callable[[Any, Any], Any]] = {"maximum": cy.maximum, "minimum": cy.minimum}


def _together(what: str, a: Quantity, b: Quantity, values: Any, scale: Fraction) -> Quantity:
    shape = broadcast_shape(what, a.shape, b.shape)
    return Quantity(values, scale).labelled(labels.elementwise(a.labels, a.shape, b.labels, b.shape, shape))


def compared(function: str, a: Quantity, b: Quantity) -> Quantity:
    """1 where it holds, else 0; or the larger or smaller number. Both are brought to one scale first."""
    if not (a.encrypted or b.encrypted):
        raise ArgumentError(f"{function}() takes an encrypted array; compute with plain ones before")
    left, right = at_one_scale(a, b)
    if function in _COMPARISONS:
        return _together(function, left, right, _COMPARISONS[function](left.values, right.values), Fraction(1))
    return _together(function, left, right, _SELECTIONS[function](left.values, right.values), left.scale)


def selected(mask: Quantity, a: Quantity, b: Quantity) -> Quantity:
    """a where the mask is 1, b where it is 0."""
    if not mask.encrypted or mask.scale != 1:
        raise ArgumentError("where() takes an encrypted mask of 0 and 1, such as less(a, b)")
    left, right = at_one_scale(a, b)
    values = cy.where(mask.values, left.values, right.values)
    shape = broadcast_shape("where", left.shape, right.shape)
    names = labels.elementwise(left.labels, left.shape, right.labels, right.shape, shape)
    whole = broadcast_shape("where", mask.shape, shape)
    return Quantity(values, left.scale).labelled(labels.elementwise(mask.labels, mask.shape, names, shape, whole))
