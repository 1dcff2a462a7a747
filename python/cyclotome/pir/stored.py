# SPDX-License-Identifier: Apache-2.0
"""A database's file: its description, then of each output the tiles that scans read. It is mapped into memory, never
read as a whole; a new one takes its name when it is complete. What kind of database it is says its description."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import FileError, FormatError
from ..whole_files import path_text, write_whole
from .shape import COLUMNS, Words

__all__ = ["Described", "Layout", "Output", "Stored", "head_of", "replacing"]

_MAGIC = b"cyPIRf01"
_HEAD = struct.Struct("<8sQ")
_PAGE = 4096
_FLIP_BYTES = 3 * COLUMNS * 4
_DIGEST_BYTES = 32


class Layout(NamedTuple):
    """What of a database's shape its file depends on; words have one byte or two."""

    rows: int
    outputs: int
    word_bytes: int


class Described(Protocol):
    """What clients know of a database, whatever it is for."""

    @property
    def layout(self) -> Layout:
        """Of its file."""

    @property
    def version(self) -> bytes:
        """SHA-256 of `to_bytes`."""

    @property
    def request_bits(self) -> int:
        """That requests keep of each row's integer."""

    @property
    def answer_bits(self) -> int:
        """Of each number of an answer."""

    def to_bytes(self) -> bytes:
        """For clients."""


D = TypeVar("D", bound=Described)


class Output(NamedTuple):
    """Of one output: words and packing matrix as tiles, digits of the flipping switch."""

    words: npt.NDArray[np.uint8]
    matrix: npt.NDArray[np.uint8]
    flip: npt.NDArray[np.int32]

    def digest(self) -> bytes:
        """SHA-256 of all three."""
        state = hashlib.sha256()
        for part in self:
            state.update(np.ascontiguousarray(part).view(np.uint8).data)
        return state.digest()


def _word_bytes(layout: Layout) -> int:
    return layout.rows * COLUMNS * layout.word_bytes


def _output_bytes(layout: Layout) -> int:
    size = _word_bytes(layout) + int(_core.retrieval_matrix_bytes) + _FLIP_BYTES
    return -(-size // _PAGE) * _PAGE


def _first(description_bytes: int, outputs: int) -> int:
    return -(-(_HEAD.size + description_bytes + outputs * _DIGEST_BYTES) // _PAGE) * _PAGE


def _mapped(path: str) -> tuple[npt.NDArray[np.uint8], bytes]:
    """A file's bytes, and the description in it."""
    try:
        content: npt.NDArray[np.uint8] = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:  # an empty file can't be mapped
        raise FileError(f"the database {path!r} can't be read: {error}") from None
    magic, length = _HEAD.unpack(content[: _HEAD.size].tobytes().ljust(_HEAD.size, b"\0"))
    if magic != _MAGIC or length > len(content) - _HEAD.size:
        raise FormatError(f"{path!r} is no database for private look-ups")
    return content, content[_HEAD.size : _HEAD.size + length].tobytes()


def head_of(path: object) -> bytes:
    """The description in a database's file.

    Raises:
        FileError: it can't be read.
        FormatError: it is no database.
    """
    return _mapped(path_text(path))[1]


class Stored(Generic[D]):
    """A database's file, mapped: what is scanned is read from it, or from the system's cache of it.

    Args:
        path: of the file.
        described: reads the description.
    """

    def __init__(self, path: object, described: Callable[[bytes], D]) -> None:
        self.path = path_text(path)
        self._bytes, head = _mapped(self.path)
        length = len(head)
        self.description = described(head)
        layout = self.layout = self.description.layout
        self._start = _first(length, layout.outputs)
        if len(self._bytes) != self._start + layout.outputs * _output_bytes(layout):
            raise FormatError(f"the database {self.path!r} has {len(self._bytes)} bytes, which is not all of it")
        table = self._bytes[_HEAD.size + length :][: layout.outputs * _DIGEST_BYTES].tobytes()
        self._digests = [table[i : i + _DIGEST_BYTES] for i in range(0, len(table), _DIGEST_BYTES)]

    def output(self, number: int) -> Output:
        """A view of the file."""
        start = self._start + number * _output_bytes(self.layout)
        middle = start + _word_bytes(self.layout)
        end = middle + int(_core.retrieval_matrix_bytes)
        flip = np.frombuffer(self._bytes[end : end + _FLIP_BYTES].tobytes(), "<i4")
        return Output(np.asarray(self._bytes[start:middle]), np.asarray(self._bytes[middle:end]), flip)

    def words(self, number: int) -> Words:
        """An output's words of two bytes again, rows x 2048."""
        rows = self.layout.rows
        tiles = self.output(number).words.view("<u2").reshape(COLUMNS // 32, rows // 2, 32, 2)
        return np.ascontiguousarray(tiles.transpose(1, 3, 0, 2).reshape(rows, COLUMNS))

    def damaged(self) -> list[int]:
        """Outputs whose bytes are not those that were written."""
        return [i for i, digest in enumerate(self._digests) if self.output(i).digest() != digest]


class _Writer:
    """Writes outputs one after another, the head at last."""

    def __init__(self, file: IO[bytes], layout: Layout, description_bytes: int) -> None:
        self._file = file
        self._digests: list[bytes] = []
        file.seek(_first(description_bytes, layout.outputs))

    def add(self, output: Output) -> None:
        """The next one."""
        for part in output:
            self._file.write(np.ascontiguousarray(part).data)
        self._file.write(bytes(-self._file.tell() % _PAGE))
        self._digests.append(output.digest())

    def finish(self, description: bytes) -> None:
        """The head, when all outputs are there."""
        self._file.seek(0)
        self._file.write(_HEAD.pack(_MAGIC, len(description)) + description + b"".join(self._digests))


@contextlib.contextmanager
def replacing(path: object, layout: Layout, description_bytes: int) -> Iterator[_Writer]:
    """A writer of what becomes the file at ``path`` when all of it is there, by `write_whole`, with what that refuses.
    Until then it is in a file of that folder without a name, which nobody's end leaves behind. Who has mapped the file
    that was there goes on reading that one."""
    name = Path(path_text(path))
    try:
        with tempfile.TemporaryFile(dir=name.parent) as file:
            yield _Writer(file, layout, description_bytes)
            file.flush()
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                write_whole(path, data)
    except OSError as error:  # of the folder, or a FileError of the place
        why = error if isinstance(error, FileError) else error.strerror
        raise FileError(f"the database {str(name)!r} can't be written: {why}") from None
