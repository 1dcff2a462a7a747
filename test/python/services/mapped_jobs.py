# SPDX-License-Identifier: Apache-2.0
"""Functions that `cyclotome.map` runs in tests. A module of its own, which processes import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
from session_jobs import cut_off


def squares(x: Any) -> Any:
    return (x * x).sum()


def mixed(batch: dict[str, Any]) -> Any:
    time.sleep(batch["wait"])  # later batches end first
    x, factor = batch["x"], batch["factor"]
    return {"product": x * factor, "where": (os.getpid(), [x + 1]), "device": x.device}


def dies_once(batch: tuple[str, Any]) -> Any:
    """Kills its worker the first time it sees this mark."""
    mark, x = batch
    if mark and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def always_dies(_batch: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def fails(batch: Any) -> Any:
    if batch == 3:
        raise ValueError("three is not served")
    if batch == 4:
        raise cy.errors.RangeError("four is out of range")
    return batch


def retrieved(batch: tuple[str, Any]) -> Any:
    """The part of a database that one worker has, and the selectors of its rows: Σ selector · row."""
    path, query = batch
    rows = np.load(path, mmap_mode="r")
    selectors = cy.polynomials.expand(query)
    return (selectors[:, None] * np.asarray(rows, dtype=np.int64)).sum(axis=0)


def least(pair: tuple[cy.EncryptedDigits, cy.EncryptedDigits]) -> cy.EncryptedDigits:
    return cy.minimum(*pair)


def dies_answering_once(batch: tuple[str, Any]) -> Any:
    """Ends its worker in the middle of the answer, the first time it sees this mark."""
    mark, x = batch
    if mark and not Path(mark).exists():
        Path(mark).touch()
        cut_off()
    return x * x


def same(batch: Any) -> Any:
    return batch


def unsendable(batch: Any) -> Any:
    return (lambda: batch) if batch else batch


class Unreadable:
    """Can be pickled, and not be unpickled but where it was made."""

    def __reduce__(self) -> Any:
        return _made, (os.getpid(), OSError)


class Disguised(Unreadable):
    """As if the line had ended."""

    def __reduce__(self) -> Any:
        return _made, (os.getpid(), EOFError)


def _made(pid: int, kind: type[Exception]) -> int:
    if os.getpid() != pid:
        raise kind("not readable here")
    return 0


def unreadable(batch: Any) -> Any:
    return [None, Unreadable(), Disguised()][batch]


class Called:
    """In a process: one of these functions, by name."""

    def __call__(self, message: tuple[str, Any]) -> Any:
        name, batch = message
        return globals()[name](batch)


def column_sum(table: Any) -> Any:
    return table["a"].sum()


def more_columns(table: Any) -> Any:
    return table.assign(b=table["a"] * table["a"])


def column_square(column: Any) -> Any:
    return column * column


def nested_table(batch: dict[str, Any]) -> Any:
    table, (column, [digits]) = batch["table"], batch["more"]
    return {"sum": table["a"].sum(), "both": (column * table["a"], [digits]), "categories": table["where"]}


def squared(x: Any) -> Any:
    return x * x


def slowly(batch: tuple[Any, float]) -> Any:
    x, seconds = batch
    time.sleep(seconds)
    return (x * x).sum()


class Wrapped:
    """An object of a program's own that has arrays."""

    def __init__(self, x: Any) -> None:
        self.x = x


def unwrapped(batch: Wrapped) -> Any:
    return batch.x * batch.x


def doubled(x: Any) -> Any:
    return x + x


def map_within(x: Any) -> Any:
    """A map within one, or within a served function."""
    first, second = cy.map(doubled, [x, x * x], workers=2)
    return first + second


def map_with_keys_within(batch: tuple[Any, Any]) -> Any:
    x, keys = batch
    return cy.map(squares, [x], keys=keys, workers=1)[0]


def map_that_fails_within(x: Any) -> Any:
    return cy.map(fails, [3], workers=1)


def service_within(x: Any) -> Any:
    """A pool of its own, which a process of one does not have."""
    with cy.Server({"doubled": doubled}, workers=1):
        return x


def unending(x: Any) -> Any:
    """More products in a row than any parameters of this size have."""
    with cy.bootstrap("auto"):
        for _ in range(60):
            x = x * x + 1
    return x


def dies_once_while_refreshing(batch: tuple[str, Any]) -> Any:
    """Kills its worker in the middle of the first refresh, when it sees this mark for the first time."""
    mark, x = batch

    def told(_done: int, _total: int, what: str) -> None:
        if what.startswith("refreshing") and not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    with cy.progress(told):
        return unending(x)


def who(batch: Any) -> tuple[int, Any]:
    """Which process has it."""
    return os.getpid(), batch


def total(x: Any, y: Any) -> Any:
    return x + y


def joined(x: str, y: str) -> str:
    """Associative, and not commutative; it shows its tree."""
    return f"({x}{y})"


def joined_dying_once(x: str, y: str) -> str:
    mark = os.environ["CYCLOTOME_TEST_MARK"]
    if "d" in x + y and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return f"({x}{y})"


def noted(batch: tuple[str, Any]) -> Any:
    """Leaves a line for each time that it is computed."""
    path, x = batch
    with open(path, "a") as file:
        file.write("computed\n")
    return x * 2


def noted_slowly(batch: tuple[str, Any]) -> Any:
    time.sleep(0.1)
    return noted(batch)


def begun_unending(batch: tuple[str, Any]) -> Any:
    """Goes on until somebody says that it may end."""
    path, x = batch
    Path(path).touch()
    while True:
        x * x


def begun_asleep(batch: tuple[str, Any]) -> Any:
    """The same, and does not ask the library for anything."""
    Path(batch[0]).touch()
    time.sleep(600)


def wrapped(x: Any) -> Any:
    return Wrapped(x)
