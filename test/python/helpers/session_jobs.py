# SPDX-License-Identifier: Apache-2.0
"""Functions that servers of tests run: good ones and bad ones. A module of its own, which processes import."""

from __future__ import annotations

import os
import signal
import struct
import threading
import time
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome import errors
from cyclotome.options import current, product_method

WEIGHTS = np.array([[1, -2, 3, 0, 1], [0, 1, 1, -1, 2]])


def product(x: Any, y: Any) -> Any:
    return x * y


def total(x: Any) -> Any:
    return x.sum()


def scored(x: Any) -> Any:
    return WEIGHTS @ x


def several(x: Any, y: Any) -> Any:
    return [x + y, x - y]


def alone(x: Any) -> Any:
    return (x,)


def power(x: Any) -> Any:
    return x**32


def broken(x: Any) -> Any:
    return x * (1 // 0)


def plain(_x: Any) -> Any:
    return 7


def _real(x: Any) -> bool:
    """Whether this is the run that counts, not the plan."""
    return x.device != "dry"


def dies(x: Any) -> Any:
    if _real(x):
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def hangs(x: Any) -> Any:
    if _real(x):
        time.sleep(60)
    return x


_ALL = (product, total, scored, several, alone, power, broken, plain, dies, hangs)
FUNCTIONS = {function.__name__: function for function in _ALL}


def slow(x: Any) -> Any:
    if _real(x):
        time.sleep(3)
    return x


SLOW = {"slow": slow}


def loops(x: Any) -> Any:
    """For ever, in short calls of the library."""
    while _real(x):
        x + 1
    return x


_met = threading.Barrier(2)


def meets(x: Any) -> Any:
    """Ends only if it runs twice at a time in one process."""
    if _real(x):
        _met.wait(30)
    return x


_left: list[Any] = []


def options_left(x: Any) -> Any:
    """Leaves an option set, which no other call may see: 1 more for a call that does."""
    seen = current.get().product_method
    if _real(x):
        _left.append(product_method("left"))
        _left[-1].__enter__()
    return x + int(seen == "left")


def lost_its_own(x: Any) -> Any:
    """As a function whose own workers died."""
    if _real(x):
        raise errors.WorkerLostError("a worker of the function's own ended")
    return x


class Echo:
    """In a process: what it was asked, after so many seconds."""

    def __call__(self, message: tuple[Any, float]) -> Any:
        value, seconds = message
        time.sleep(seconds)
        return value


class Where:
    """In a process: which one this is, and which of its threads works on the message."""

    def __call__(self, _message: Any) -> tuple[int, int]:
        return os.getpid(), threading.get_ident()


def naps(x: Any) -> Any:
    if _real(x):
        time.sleep(0.5)
    return x


def income(table: Any, rate: Any) -> Any:
    """A column more, and what all of it is: a table and an array in, two tables out."""
    more = table.assign(income=table["price"] * table["sold"] + Decimal("0.5"))
    total = cy.EncryptedFrame({"total": cy.EncryptedColumn((more["sold"].values * rate).sum())})
    return [more, total]


def by_place(table: Any) -> Any:
    return table.groupby("where").sum()


def column_alone(table: Any) -> Any:
    return table["sold"]


TABLES = {function.__name__: function for function in (income, by_place, column_alone)}
TOGETHER = {
    **FUNCTIONS,
    **{function.__name__: function for function in (loops, meets, options_left, naps, lost_its_own)},
}


def refuses() -> Any:
    raise errors.ArgumentError("no such job")


def cut_off() -> None:
    """From now on this process ends in the middle of its next answer."""

    def half(line: Connection, data: Any) -> None:
        whole = bytes(data)
        os.write(line.fileno(), struct.pack("!i", len(whole)) + whole[: len(whole) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    Connection.send_bytes = half  # type: ignore[method-assign,assignment]


def dies_once(x: Any) -> Any:
    """Kills its process, unless the file that CYCLOTOME_TEST_MARK names is there."""
    if _real(x) and _first():
        os.kill(os.getpid(), signal.SIGKILL)
    return x + 1


def dies_answering_once(x: Any) -> Any:
    """Ends its process in the middle of the answer, unless that file is there."""
    if _real(x) and _first():
        cut_off()
    return x + 1


def _first() -> bool:
    mark = Path(os.environ["CYCLOTOME_TEST_MARK"])
    first = not mark.exists()
    mark.touch()
    return first


def computes(x: Any) -> Any:
    """For seconds, in the library and without Python's lock."""
    until = time.monotonic() + 20
    while _real(x) and time.monotonic() < until:
        cy.keygen(cy.Parameters.suggest(depth=6, value_bits=8), device="cpu:1")
    return x


LOST = {function.__name__: function for function in (total, dies, dies_once, dies_answering_once, naps, computes)}
CHAOS = {function.__name__: function for function in (total, product, several, dies_answering_once)}
