# SPDX-License-Identifier: Apache-2.0
"""Progress of long work, drawn in notebooks and terminals by whichever package is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from .errors import MissingPackageError

__all__ = ["bars"]

_Show = Callable[[int, int, str], None]


@contextmanager
def bars() -> Iterator[_Show]:
    """A callback that draws a bar for each kind of work: by tqdm, which knows notebooks, or else by rich.

    Raises:
        MissingPackageError: neither is installed.
    """
    if find_spec("tqdm") is not None:
        drawn = _by_tqdm()
    elif find_spec("rich") is not None:
        drawn = _by_rich()
    else:
        raise MissingPackageError("progress is drawn by tqdm or rich: pip install tqdm, or give progress() a callback")
    with drawn as show:
        yield show


@contextmanager
def _by_tqdm() -> Iterator[_Show]:
    from tqdm.auto import tqdm

    lines: dict[str, Any] = {}

    def show(done: int, total: int, what: str) -> None:
        line = lines.get(what)
        if line is None:
            line = lines[what] = tqdm(desc=what, total=total, leave=False)
        if done < line.n or total != line.total:  # the same kind of work again
            line.reset(total)
        line.update(done - line.n)

    try:
        yield show
    finally:
        for line in lines.values():
            line.close()


@contextmanager
def _by_rich() -> Iterator[_Show]:
    from rich.progress import Progress

    with Progress(transient=True) as drawn:
        lines: dict[str, Any] = {}

        def show(done: int, total: int, what: str) -> None:
            if what not in lines:
                lines[what] = drawn.add_task(what, total=total)
            drawn.update(lines[what], completed=done, total=total)

        yield show
