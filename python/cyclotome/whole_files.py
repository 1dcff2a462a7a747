# SPDX-License-Identifier: Apache-2.0
"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from .errors import FileError

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file completely or not at all: under a temporary name first, renamed when it has reached the disk.

    A file that was there keeps its mode, and one behind a symbolic link is replaced where it lies.

    Raises:
        FileError: it can't be written; a file that was there is as it was.
    """
    target = Path(os.path.realpath(path))
    temporary = None
    try:
        mode = _mode(target)
        handle, temporary = tempfile.mkstemp(prefix=".cyclotome-", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FileError(f"can't write {path}: {error.strerror or error}; nothing was changed there") from None
        raise


def _mode(path: Path) -> int:
    """The mode of a file, or the one that a new file gets."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
