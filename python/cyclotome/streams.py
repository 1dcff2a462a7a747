# SPDX-License-Identifier: Apache-2.0
"""Stored objects in binary file objects, one after the other, and in memory that somebody else holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, runtime_checkable

from . import _core
from .errors import ArgumentError, FileError, FormatError

__all__ = [
    "Buffer",
    "Parts",
    "Readable",
    "Source",
    "Writable",
    "parts",
    "read_one",
    "view_of",
    "write_all",
]

#: What has the buffer protocol in one piece of bytes: `bytes`, `bytearray`, `memoryview`, `mmap.mmap`, NumPy arrays.
Buffer = Any

#: Gives the next stored object, of at most so many bytes; None at the end.
Source = Callable[[int], Buffer | None]

_PIECE = 1 << 20


@runtime_checkable
class Readable(Protocol):
    """A file object that gives bytes."""

    def read(self, size: int = ..., /) -> Any:
        """At most so many bytes; none at the end."""


@runtime_checkable
class Writable(Protocol):
    """A file object that takes bytes."""

    def write(self, data: Any, /) -> Any:
        """Takes bytes, perhaps not all of them, and says how many."""


def read_one(file: Readable, max_bytes: int) -> bytes | None:
    """The bytes of the next stored object: as many as its header announces, and no more; None at the end.

    Memory grows with what arrives, whatever the header says.

    Raises:
        FormatError: no such object, more bytes than the limit, or the stream ends within it.
        FileError: the stream can't be read, has nothing to give without waiting, or gives text.
    """
    header = _read(file, _core.header_bytes)
    if not header:
        return None
    length = _core.announced_bytes(header, max_bytes)
    whole = bytearray(header)
    while len(whole) < length:
        piece = _read(file, min(_PIECE, length - len(whole)))
        if not piece:
            raise FormatError(
                f"the stream ends after {len(whole)} of the {length} bytes that its header announces: it was cut off"
            )
        whole += piece
    return bytes(whole)


def _read(file: Readable, count: int) -> bytes:
    """So many bytes, or those that are left."""
    pieces, missing = [], count
    while missing:
        try:
            piece = file.read(missing)
        except OSError as error:
            raise FileError(f"can't read the stream: {error.strerror or error}") from error
        if not isinstance(piece, (bytes, bytearray, memoryview)):
            given = "nothing yet" if piece is None else type(piece).__name__
            raise FileError(f"the stream gave {given}, not bytes: open it with mode 'rb', and let it wait")
        if not piece:
            break
        pieces.append(bytes(piece))
        missing -= len(piece)
    return b"".join(pieces)


def write_all(file: Writable, data: Buffer) -> None:
    """Writes all of it, without a copy where the file object makes none.

    Raises:
        FileError: it can't be written, takes text, or takes nothing without waiting.
    """
    left = memoryview(data).cast("B")
    while left.nbytes:
        try:
            count = file.write(left[:_PIECE])
        except TypeError as error:
            raise FileError(f"the stream takes no bytes ({error}): open it with mode 'wb'") from error
        except OSError as error:
            raise FileError(f"can't write to the stream: {error.strerror or error}") from error
        if not isinstance(count, int) or not 0 < count <= left.nbytes:
            raise FileError(f"the stream took {count!r} of {left.nbytes} bytes: open it so that it waits")
        left = left[count:]


def view_of(data: Buffer) -> memoryview:
    """The bytes where they lie.

    Raises:
        ArgumentError: what lends none, or none in one piece.
    """
    try:
        return memoryview(data).cast("B")
    except (BufferError, TypeError, ValueError) as error:
        raise ArgumentError(f"bytes in one piece are wanted, not {type(data).__name__}: {error}") from None


class Parts:
    """Stored objects that lie in a buffer one after the other, taken from its front."""

    def __init__(self, data: Buffer) -> None:
        #: What was not taken yet.
        self.left = view_of(data)

    def following(self, max_bytes: int) -> memoryview | None:
        """The next one, as a view; None at the end.

        Raises:
            FormatError: something else, or one that is cut off or larger than the limit.
        """
        if not self.left.nbytes:
            return None
        length = _core.announced_bytes(bytes(self.left[: _core.header_bytes]), max_bytes)
        if length > self.left.nbytes:
            raise FormatError(
                f"a header announces {length} bytes where {self.left.nbytes} are left: the data is cut off"
            )
        part, self.left = self.left[:length], self.left[length:]
        return part


def parts(data: Buffer, max_bytes: int, most: int) -> Iterator[memoryview]:
    """The stored objects that lie in a buffer one after the other, at most so many, as views of it.

    Raises:
        FormatError: something else, more of them, or one that is cut off or larger than the limit.
    """
    lying = Parts(data)
    for _ in range(most):
        part = lying.following(max_bytes)
        if part is None:
            return
        yield part
    if lying.left.nbytes:
        raise FormatError(f"there are {lying.left.nbytes} bytes after {most} objects, which is as many as are taken")
