# SPDX-License-Identifier: Apache-2.0
"""The frame around every SEAL object: a header of 16 bytes, and a body that may be compressed.

The header: u16 magic, u8 its own size, u8 and u8 SEAL's version, u8 compression, u16 zero, u64 length of header and
body as they are stored. Numbers are little-endian. Objects within a body have frames of their own, which are never
compressed.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from ..errors import ArgumentError, FileError, FormatError
from ..extras import SEAL
from ..whole_files import path_text

__all__ = ["COMPRESSIONS", "VERSION", "Body", "Data", "Writer", "opened", "version_of", "view_of"]

#: What objects are read from: bytes, or the path of a file.
Data = bytes | bytearray | memoryview | str | os.PathLike[str]

COMPRESSIONS = ("none", "zlib", "zstd")
MAGIC = 0xA15E
#: Versions that are read and written.
MAJOR, NEWEST_MINOR = 4, 4
#: What is written unless something else is asked for.
VERSION = "4.1"

_HEADER = struct.Struct("<HBBBBHQ")
HEADER_BYTES = _HEADER.size

#: The most that a decompressor keeps of what it has given out.
_WINDOW = 1 << 27
#: What a body may expand to, by what is stored, and any body.
_EXPANSION, _ANYWAY = 16, 1 << 20
#: Bytes of a file that are read at once: no more is taken than it has.
_PIECE = 1 << 24
_DAMAGED = "the data is damaged or no SEAL object; get a fresh copy"


class _Stream(Protocol):
    def read(self, count: int) -> bytes: ...


class Body:
    """The bytes of an object after its header, decompressed as far as they are asked for.

    Nothing is decompressed, or allocated, beyond what a reader asks for after it has checked counts, and no more than
    16 times what is stored and a megabyte: residues are random, so that nothing honest is compressed further.
    """

    def __init__(self, stream: _Stream, stored: int) -> None:
        self._stream = stream
        self._most = _EXPANSION * stored + _ANYWAY
        self.offset = 0

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes. FormatError if there are fewer."""
        if count > self._most - self.offset:
            raise FormatError(
                f"the object expands beyond {self._most} bytes, more than random residues compress to: {_DAMAGED}"
            )
        data = self._stream.read(count)
        if len(data) != count:
            raise FormatError(
                f"the object ends after {self.offset + len(data)} bytes of its body, where {self.offset + count} are "
                f"needed: {_DAMAGED}"
            )
        self.offset += count
        return data

    def numbers(self, layout: str) -> tuple[Any, ...]:
        """Little-endian numbers, as `struct` names them."""
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def nested(self, what: str) -> int:
        """Reads the frame's header of an object within this one; the bytes of its body."""
        _, compression, size = _header(self.take(HEADER_BYTES), what)
        if compression != "none":
            raise FormatError(f"the {what} within the object is compressed, which SEAL never writes: {_DAMAGED}")
        return size - HEADER_BYTES

    def finish(self) -> None:
        """FormatError if anything is left."""
        if self._stream.read(1):
            raise FormatError(f"the object goes on after its end, {self.offset} bytes into its body: {_DAMAGED}")


def _header(data: bytes, what: str) -> tuple[tuple[int, int], str, int]:
    """Version, compression, and the length of header and body."""
    magic, header, major, minor, compression, reserved, size = _HEADER.unpack(data)
    if magic != MAGIC or header != HEADER_BYTES:
        raise FormatError(f"the {what} begins with {data[:3].hex()}, not with SEAL's 5ea110: {_DAMAGED}")
    if major != MAJOR or minor > NEWEST_MINOR:
        raise FormatError(
            f"the {what} is of SEAL {major}.{minor}, and 4.0 to 4.{NEWEST_MINOR} are read; load it with one of these "
            "versions and save it there"
        )
    if compression >= len(COMPRESSIONS) or reserved != 0:
        raise FormatError(f"the {what} has compression {compression} and {reserved} where 0 is reserved: {_DAMAGED}")
    if size < HEADER_BYTES:
        raise FormatError(f"the {what} says that it has {size} bytes, fewer than its header: {_DAMAGED}")
    return (major, minor), COMPRESSIONS[compression], size


def opened(data: Data, what: str, max_bytes: int) -> Body:
    """The body of the object that these bytes, or the file of this name, are, and nothing else.

    Raises:
        FileError: no such file.
        FormatError: too long, no SEAL object, or of a version that is not known.
        MissingPackageError: it is compressed by zstd, and the extra ``seal`` is not installed.
    """
    view = view_of(data, what, max_bytes)
    if len(view) < HEADER_BYTES:
        raise FormatError(f"the {what} has {len(view)} bytes, fewer than a header: {_DAMAGED}")
    _, compression, size = _header(bytes(view[:HEADER_BYTES]), what)
    if size != len(view):
        raise FormatError(f"the {what} says that it has {size} bytes, and has {len(view)}: {_DAMAGED}")
    return Body(_STREAMS[compression](view[HEADER_BYTES:]), size)


def view_of(data: Data, what: str, max_bytes: int) -> memoryview:
    """The bytes, or those of the file of this name.

    Raises:
        FileError: it can't be read.
        FormatError: more than ``max_bytes``.
        ArgumentError: something else.
    """
    if isinstance(data, (bytes, bytearray, memoryview)):
        view = memoryview(data).cast("B")
    elif isinstance(data, (str, os.PathLike)):
        view = _file(path_text(data), max_bytes)
    else:
        raise ArgumentError(f"the {what} is {type(data).__name__}, where bytes or the path of a file is needed")
    if len(view) > max_bytes:
        raise FormatError(
            f"the {what} has {len(view)} bytes or more, and max_bytes is {max_bytes}; if you trust it, raise max_bytes"
        )
    return view


def _file(name: str, max_bytes: int) -> memoryview:
    try:
        with open(name, "rb") as file:
            pieces, size = [], 0
            while size <= max_bytes and (piece := file.read(min(_PIECE, max_bytes + 1 - size))):
                pieces.append(piece)
                size += len(piece)
            return memoryview(b"".join(pieces))
    except OSError as error:
        raise FileError(f"can't read {name}: {error.strerror or error}") from None


# --- decompression ----------------------------------------------------------------------------------------------------
class _Plain:
    def __init__(self, data: memoryview) -> None:
        self._data, self._at = data, 0

    def read(self, count: int) -> bytes:
        piece = bytes(self._data[self._at : self._at + count])
        self._at += len(piece)
        return piece


class _Inflating:
    """zlib, at most ``count`` bytes at a time."""

    #: Compressed bytes that are handed over at once: what is not used of them is copied.
    _STEP = 1 << 16

    def __init__(self, data: memoryview) -> None:
        self._data, self._at, self._tail = data, 0, b""
        self._machine = zlib.decompressobj()

    def read(self, count: int) -> bytes:
        pieces, missing = [], count
        while missing and not self._machine.eof:
            if not self._tail:
                self._tail = bytes(self._data[self._at : self._at + self._STEP])
                self._at += len(self._tail)
            ended = not self._tail
            try:
                piece = self._machine.decompress(self._tail, missing)
            except zlib.error as error:
                raise FormatError(f"zlib can't decompress the object ({error}): {_DAMAGED}") from None
            self._tail = self._machine.unconsumed_tail
            if ended and not piece and not self._machine.eof:
                raise FormatError(f"the compressed object ends early: {_DAMAGED}")
            pieces.append(piece)
            missing -= len(piece)
        if missing and self._machine.eof and (self._machine.unused_data or self._at < len(self._data)):
            raise FormatError(f"there are bytes after the compressed object: {_DAMAGED}")
        return b"".join(pieces)


class _Zstd:
    """zstd; frames after the first are read on, so that nothing is hidden behind it."""

    def __init__(self, data: memoryview) -> None:
        self._library = _zstandard()
        machine = self._library.ZstdDecompressor(max_window_size=_WINDOW)
        self._reader = machine.stream_reader(data, read_across_frames=True)

    def read(self, count: int) -> bytes:
        try:
            return bytes(self._reader.read(count))
        except self._library.ZstdError as error:
            raise FormatError(f"zstd can't decompress the object ({error}): {_DAMAGED}") from None


_STREAMS: dict[str, Callable[[memoryview], _Stream]] = {"none": _Plain, "zlib": _Inflating, "zstd": _Zstd}


def _zstandard() -> Any:
    SEAL.require()
    return import_module("zstandard")


# --- writing ----------------------------------------------------------------------------------------------------------
class Writer:
    """How objects are written: compressed how, and for which SEAL. Until 4.3 each reads its own version only; later
    ones read those before them.

    Raises:
        ArgumentError: an unknown compression or version.
    """

    def __init__(self, compression: str, version: str) -> None:
        if compression not in COMPRESSIONS:
            raise ArgumentError(f"compression {compression!r}; there are {', '.join(COMPRESSIONS)}")
        versions = [f"{MAJOR}.{minor}" for minor in range(NEWEST_MINOR + 1)]
        if version not in versions:
            raise ArgumentError(f"version {version!r} of SEAL; there are {', '.join(versions)}")
        self._compression, self._minor = compression, versions.index(version)

    def inner(self, body: bytes | bytearray) -> bytearray:
        """An object within another one, whose body this is."""
        return self._framed(body, "none")

    def outer(self, body: bytes | bytearray) -> bytearray:
        """The whole object. MissingPackageError for zstd without the extra ``seal``."""
        if self._compression == "zlib":
            body = zlib.compress(body)
        elif self._compression == "zstd":
            body = _zstandard().ZstdCompressor().compress(body)
        return self._framed(body, self._compression)

    def _framed(self, body: bytes | bytearray, compression: str) -> bytearray:
        code, size = COMPRESSIONS.index(compression), HEADER_BYTES + len(body)
        return bytearray(_HEADER.pack(MAGIC, HEADER_BYTES, MAJOR, self._minor, code, 0, size)) + body


def version_of(data: Data) -> str:
    """The version of the SEAL that wrote an object, such as "4.1": what others of the same SEAL can read.

    Raises:
        FormatError: no object of SEAL 4.
        FileError: no such file.
    """
    bare = not isinstance(data, (str, os.PathLike))
    view = memoryview(data)[:HEADER_BYTES] if bare else _file(path_text(data), HEADER_BYTES - 1)  # type: ignore[arg-type]
    if len(view) < HEADER_BYTES:
        raise FormatError(f"the object has {len(view)} bytes, fewer than a header: {_DAMAGED}")
    (major, minor), _, _ = _header(bytes(view), "object")
    return f"{major}.{minor}"
