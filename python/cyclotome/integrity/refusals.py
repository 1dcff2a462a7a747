# SPDX-License-Identifier: Apache-2.0
"""How many results a key refused: in memory, or in a file that outlives the process."""

from __future__ import annotations

import os
import threading

from ..errors import BudgetError, FileError
from ..text import plural

__all__ = ["Refusals"]


class Refusals:
    """Counts refusals, one byte of a file for each, and says when there were more than planned.

    Args:
        most: how many the key outlives.
        path: the file; it need not be there yet. None: this object alone.
        before: refusals that the file does not have.
    """

    def __init__(self, most: int, path: str | None = None, before: int = 0) -> None:
        self.most, self.path = most, path
        self.lock = threading.RLock()
        self._before, self._here = before, 0

    @property
    def count(self) -> int:
        """So far. Raises FileError where the file can't be asked."""
        written = 0
        if self.path is not None:
            written = self._written(self.path)
        return self._before + max(self._here, written)

    @staticmethod
    def _written(path: str) -> int:
        try:
            return os.stat(path).st_size
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise FileError(f"{path}, which counts refused results, can't be read: {error.strerror}") from None

    @property
    def spent(self) -> bool:
        """Whether there were more than planned."""
        return self.count > self.most

    def require(self) -> None:
        """Raises BudgetError if the key is spent, and FileError if a refusal could not be counted."""
        if self.spent:
            raise BudgetError(
                f"the integrity key is spent: it refused {plural(self.count, 'result')}, and {self.most} were planned. "
                "Make a new one, encrypt the values anew with it, and ask another server"
            )
        if self.path is not None:
            self._write(b"")

    def add(self, why: str) -> str:
        """Counts one more, before anybody can know of it, and says so."""
        self._here = self.count - self._before + 1
        if self.path is not None:
            self._write(b"x")
        left = self.most - self.count
        rest = f"{left} more may be" if left >= 0 else "the key is spent"
        return (
            f"{why}: refused. The key has refused {plural(self.count, 'result')}; {rest}. Do not tell who sent it why"
        )

    def _write(self, data: bytes) -> None:
        assert self.path is not None
        try:
            opened = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                if os.write(opened, data) != len(data):
                    raise OSError(None, "nothing was written")
                if data:
                    os.fsync(opened)
            finally:
                os.close(opened)
        except OSError as error:
            raise FileError(f"{self.path}, which counts refused results, can't be written: {error.strerror}") from None
