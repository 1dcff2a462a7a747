# SPDX-License-Identifier: Apache-2.0
"""Files that are written completely or not at all, and what a path is."""

from __future__ import annotations

import os

from . import _core
from .errors import ArgumentError

__all__ = ["is_stream", "path_text", "write_whole"]


def path_text(path: object) -> str:
    """A path's text, with surrogates for bytes that are no UTF-8, as `os.fsdecode` has it.

    Raises:
        ArgumentError: neither text, bytes nor a path; a zero byte in it, where the system would cut it off; text that
            no file's name can be, as it has other surrogates.
    """
    try:
        text = os.fsdecode(path)  # type: ignore[arg-type]
        encoded = os.fsencode(text)
    except TypeError:
        raise ArgumentError(f"a path is text or a pathlib.Path, not {type(path).__name__} {path!r:.60}") from None
    except UnicodeError:
        raise ArgumentError(f"the path {path!r:.200} has characters that no file's name can have here") from None
    if b"\0" in encoded:
        raise ArgumentError(f"the path {text!r:.200} has a zero byte, and what follows it would be lost")
    return text


def is_stream(path: object) -> bool:
    """Whether what is written to this path goes through, so that nothing is replaced: a pipe, or an open file by its
    name, as ``/dev/stdout``.

    Raises:
        ArgumentError: see `path_text`.
    """
    return _core.names_stream(path_text(path))


def write_whole(path: object, data: object, *, secret: bool = False, overwrite: bool = True) -> None:
    """Writes a file completely or not at all: it gets its name when all of it has reached the disk, and its folder is
    flushed after that. A process that is killed leaves nothing else (doc/secrets.md has the limits of that).

    A file that was there passes its mode on, one behind a symbolic link is replaced where it lies. Pipes and open files
    (`is_stream`) get the bytes as they are; other devices are refused, since a file would take their place.

    Args:
        path: text, bytes, or a path.
        data: anything with the buffer protocol, in one piece.
        secret: for its owner only, whatever was there: mode 0600 from the first moment; no stream.
        overwrite: whether a file may be there already.

    Raises:
        FileError: it can't be written; a file that was there is as it was.
        ArgumentError: see `path_text`.
    """
    _core.write_bytes(path_text(path), data, secret, overwrite)
