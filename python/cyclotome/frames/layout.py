# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables in one file: containers one after the other, each of a kind that is stored by itself too.

The first holds the parameters, and in its metadata, as ``frame``, the table's description (`descriptions`); the
others are the encrypted arrays of columns and masks. Every container has its length and checksum, and the description
lists the checksums, so that arrays which were lost or changed places are found.

Public, as the description is in the clear: names of columns, categories and groups, scales, bounds, the number of rows,
and where values are missing if their mask is public.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

from .. import streams
from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, FileError, FormatError
from ..streams import Buffer, Parts, Source
from ..text import byte_size
from . import descriptions
from .table import Table

__all__ = [
    "containers",
    "describes_table",
    "description",
    "outline",
    "parts",
    "read",
    "require_end",
    "require_short",
    "table_in_buffer",
    "table_in_file",
]

_HEADER = 24
_MAGIC = b"CYCLOTOM"
_PARAMETERS = 1
_CHECKSUM = 32
#: What the format grants metadata.
_MOST_METADATA = 1 << 20
#: Shortest container there can be: header, an empty section, checksum.
_SHORTEST = 56 + 12 + _CHECKSUM


# --- writing ----------------------------------------------------------------------------------------------------------
def parts(frame: Table, stored: Callable[[EncryptedArray], memoryview]) -> tuple[dict[str, Any], list[memoryview]]:
    """What the first container's metadata say, and the other containers.

    Raises:
        NoiseError: see `to_bytes`.
    """
    facts, arrays = descriptions.described(frame)
    containers = [stored(array) for array in arrays]
    facts["arrays"] = [data[-_CHECKSUM:].hex() for data in containers]
    return {"frame": facts}, containers


def require_short(data: bytes) -> bytes:
    """The metadata. Raises ArgumentError where they are longer than files take."""
    if len(data) > _MOST_METADATA:
        raise ArgumentError(
            f"the table's names, labels and public masks, and the note, take {byte_size(len(data))}; the limit is "
            f"{byte_size(_MOST_METADATA)}: encrypt masks (missing='encrypted'), or save fewer columns at a time"
        )
    return data


# --- reading ----------------------------------------------------------------------------------------------------------
@contextmanager
def table_in_file(path: str) -> Iterator[Source | None]:
    """The containers of a table's file; None where a file is one container, or something else, or there is none.

    Raises:
        FileError: it can't be read; FormatError: parameters that are too long.
    """
    if not os.path.isfile(path):
        yield None
        return
    with _opened(path) as file:
        yield partial(streams.read_one, file) if _begins_more(*_front(file, path)) else None


def table_in_buffer(data: Buffer) -> Source | None:
    """The same of a buffer, as views of it. Raises ArgumentError where it lends no bytes in one piece."""
    lying = Parts(data)
    return lying.following if _begins_more(bytes(lying.left[:_HEADER]), lying.left.nbytes) else None


def _opened(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _front(file: BinaryIO, path: str) -> tuple[bytes, int]:
    """What a file begins with, and its length; it is at its beginning again."""
    try:
        header = file.read(_HEADER)
        file.seek(0)
        return header, os.fstat(file.fileno()).st_size
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _begins_more(header: bytes, size: int) -> bool:
    """Whether these bytes begin with parameters, and more follows, as in a table's file."""
    kind, length = int.from_bytes(header[10:12], "little"), int.from_bytes(header[16:24], "little")
    if header[:8] != _MAGIC or kind != _PARAMETERS or not _SHORTEST <= length < size:
        return False
    # Parameters are short: their metadata are limited, and so are lists of moduli.
    if length > 2 * _MOST_METADATA:
        raise FormatError(f"the file's first container has {length} bytes; no parameters are as long")
    return True


def describes_table(facts: dict[str, Any]) -> bool:
    """Whether metadata of parameters say that a table's arrays follow."""
    return "frame" in facts


def description(facts: dict[str, Any]) -> dict[str, Any]:
    """What the first container's metadata say of a table.

    Raises:
        FormatError: they say nothing of one, so that bytes follow where none should be.
    """
    about = facts.get("frame")
    if not isinstance(about, dict):
        raise FormatError("bytes follow after the end of the object; the file was put together by something else")
    listed = about.get("arrays")
    if not isinstance(listed, list) or not listed:
        raise FormatError("the table's description lists no arrays")
    return about


def outline(about: dict[str, Any]) -> tuple[int, tuple[str, ...]]:
    """The rows, and a line about each column, for people: nothing is compared with the arrays.

    Raises:
        FormatError: columns that are no objects with names.
    """
    columns, rows = about.get("columns"), about.get("rows")
    if not isinstance(columns, list) or isinstance(rows, bool) or not isinstance(rows, int):
        raise FormatError("the table's description lists no columns, or no number of rows")
    lines = []
    for each in columns:
        if not isinstance(each, dict):
            raise FormatError("a column that is no object")
        labels, mask = each.get("labels"), each.get("mask")
        about_it = f"scale {each.get('scale')}"
        if isinstance(labels, list):
            texts = [str(label[1]) for label in labels if isinstance(label, list) and len(label) == 2]
            about_it = f"categories {', '.join(texts)}"
        lines.append(f"{each.get('name')}: {about_it}{'' if mask is None else ', a mask of missing values'}"[:200])
    return rows, tuple(lines)


def containers(following: Source, about: dict[str, Any], left: int) -> Iterator[Buffer]:
    """The containers after the first, of ``left`` bytes at most in all, and no byte more.

    Raises:
        FormatError: others than the description lists.
    """
    for number, checksum in enumerate(about["arrays"]):
        try:
            data = following(left)
        except FormatError as error:
            raise FormatError(f"the table's array {number}: {error}") from None
        if data is None:
            raise FormatError(f"the table's array {number} is missing: the data is cut off")
        left -= len(data)
        if data[-_CHECKSUM:].hex() != checksum:
            raise FormatError(f"the table's array {number} is another one than its description names")
        yield data


def require_end(following: Source) -> None:
    """Raises FormatError where anything follows after a table."""
    try:
        ended = following(0) is None
    except FormatError:
        ended = False
    if not ended:
        raise FormatError("bytes follow after the table's last array; the file was put together by something else")


def read(about: dict[str, Any], arrays: Sequence[EncryptedArray]) -> Table:
    """The table. Raises FormatError: see `descriptions.rebuilt`."""
    return descriptions.rebuilt(about, arrays)
