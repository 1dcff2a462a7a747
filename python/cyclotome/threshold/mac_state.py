# SPDX-License-Identifier: Apache-2.0
"""What has become of the numbers that joint decryptions are checked with; `threshold_checks` says why it matters."""

from __future__ import annotations

from ..errors import ContradictionError, FileError, FormatError, MismatchError
from ..whole_files import path_text, write_whole
from .party_files import Path

__all__ = ["MacState"]

_TITLE = "cyclotome mac state 1"
_FREE, _HELD, _SPENT = "free", "held", "spent"
#: More than such a file has.
_MOST = 4096


class MacState:
    """Free; held by one answer to one question; or spent. In a file, if there is one: written and synced before what
    it is about leaves. One process at a time.

    Args:
        key: what names the numbers.
        file: where; None: in this object.
    """

    __slots__ = ("_file", "_key", "_words")

    def __init__(self, key: bytes, file: Path | None = None) -> None:
        self._key, self._file = key.hex(), None if file is None else path_text(file)
        self._words: list[str] = [_FREE]
        self._read()

    @property
    def spent(self) -> bool:
        """Whether a check with these numbers failed."""
        return self._read() == [_SPENT]

    def require_fresh(self, question: bytes | None = None) -> None:
        """Raises ContradictionError if the numbers are spent, or held by another question than this one."""
        words = self._read()
        if words == [_SPENT]:
            raise ContradictionError("a check with these numbers failed, which tells of them: make another MacKey")
        if question is not None and words[0] == _HELD and words[1] != question.hex():
            raise ContradictionError(
                "another check with these numbers was answered and has given no values yet, and could tell of them: "
                "finish it, or make another MacKey"
            )

    def hold(self, question: bytes, answer: bytes) -> None:
        """From now on one answer to this question alone: what was answered has to be finished first."""
        self.require_fresh(question)
        words = [_HELD, question.hex(), answer.hex()]
        if self._words[0] == _HELD and self._words != words:
            raise ContradictionError(
                "this check was answered for other shares of the same decryption, which could tell of the numbers: "
                "make another MacKey"
            )
        self._write(words)

    def release(self, question: bytes) -> None:
        """The check that holds them gave nothing but 0. Of another question nothing happens."""
        if self._read()[:2] == [_HELD, question.hex()]:
            self._write([_FREE])

    def spend(self) -> None:
        """What a failed check does."""
        self._write([_SPENT])

    def _read(self) -> list[str]:
        if self._file is None:
            return self._words
        try:
            with open(self._file, encoding="ascii") as stream:
                lines = stream.read(_MOST).splitlines()
        except FileNotFoundError:
            return self._words
        except (OSError, ValueError) as error:
            raise FileError(f"{self._file}: {error}") from None
        if len(lines) != 3 or lines[0] != _TITLE or not _possible(lines[2].split(" ")):
            raise FormatError(f"{self._file}, which keeps what became of a MacKey, is damaged: make another MacKey")
        if lines[1] != self._key:
            raise MismatchError(f"{self._file} is about other numbers than these; name another file for this MacKey")
        self._words = lines[2].split(" ")
        return self._words

    def _write(self, words: list[str]) -> None:
        if self._file is not None:
            write_whole(self._file, "\n".join([_TITLE, self._key, " ".join(words), ""]).encode())
        self._words = words


def _possible(words: list[str]) -> bool:
    if words[0] != _HELD:
        return words in ([_FREE], [_SPENT])
    try:
        return len(words) == 3 and all(len(bytes.fromhex(word)) == 32 for word in words[1:])
    except ValueError:
        return False
