# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions as arrays, for plans, which know nothing of tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..arrays.array import EncryptedArray
from ..errors import UnsupportedError
from ..frames import descriptions
from ..frames.table import Table
from ..functions.digits import EncryptedDigits
from ..planning.plans import Plan, plan
from .messages import Encrypted

__all__ = ["planned", "signature"]

#: The device whose time plans state: one core.
_PLANNED_ON = "cpu:1"


def signature(arguments: Sequence[Encrypted]) -> Any:
    """What a plan depends on. Noise is not in it: what it refuses is refused when the function runs.

    Raises:
        UnsupportedError: circuits' numbers, which have plans of their own.
    """
    return tuple(_signature(each) for each in arguments)


def _signature(x: Encrypted) -> Any:
    if isinstance(x, Table):
        facts, arrays = descriptions.described(x)
        return (json.dumps(facts, sort_keys=True), *map(_signature, arrays))
    if isinstance(x, EncryptedDigits):
        return "digits", x.base, _signature(x.digits)
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError("plans are of arrays and tables; circuits' numbers have plans of their own")
    return x.shape, x.layout, x.encoding, x.interval, x.l1_bound, x.level, x.dtype, x.native.parts


def planned(function: Callable[..., Any], arguments: Sequence[Encrypted]) -> Plan:
    """`plan` of a function whose arguments and results may be tables.

    Raises:
        Whatever the function does.
    """
    described = [descriptions.described(each) if isinstance(each, Table) else None for each in arguments]
    arrays: list[Any] = []
    for each, table in zip(arguments, described, strict=True):
        arrays += table[1] if table is not None else [each.digits if isinstance(each, EncryptedDigits) else each]

    def compute(*moved: EncryptedArray) -> Any:
        left = iter(moved)
        given: list[Any] = []
        for each, table in zip(arguments, described, strict=True):
            if isinstance(each, EncryptedDigits):
                given.append(replace(each, digits=next(left)))
            elif table is None:
                given.append(next(left))
            else:
                given.append(descriptions.rebuilt(table[0], [next(left) for _ in table[1]]))
        return _flat(function(*given))

    return plan(compute, inputs=arrays, device=_PLANNED_ON)


def _flat(result: Any) -> Any:
    """The arrays of tables in their place."""
    if isinstance(result, Table):
        return [array for column in result.columns.values() for array in column.arrays()]
    if isinstance(result, (list, tuple)):
        return [_flat(each) for each in result]
    return result
