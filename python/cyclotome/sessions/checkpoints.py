# SPDX-License-Identifier: Apache-2.0
"""Results that outlive the program that asked for them: a file for each, named by what it is the result of."""

from __future__ import annotations

import datetime
import decimal
import fractions
import hashlib
import io
import pickle
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from ..errors import FileError, FormatError, UnsupportedError
from ..whole_files import path_text, write_whole
from .packing import Packed
from .tasks import Message

__all__ = ["Checkpoint", "code_of"]

_MAGIC = b"cyclotome result 1\n"
_DIGEST = 32


def _word(value: int) -> bytes:
    return value.to_bytes(8, "little")


def code_of(function: object) -> bytes:
    """A digest of a function's own code, as far as it is Python's; not of what it calls."""
    digest = hashlib.sha256()
    pending: list[object] = [getattr(getattr(function, "func", function), "__code__", None)]
    while pending:
        each = pending.pop()
        if isinstance(each, CodeType):
            digest.update(each.co_code + repr(each.co_names).encode())
            pending += each.co_consts
        else:
            text = sorted(map(repr, each)) if isinstance(each, frozenset) else each
            digest.update(repr(text).encode("utf-8", "surrogatepass"))
    return digest.digest()


class Checkpoint:
    """A folder of results, mode 0700. A result is found again by the digest of function, keys and batch, and by nothing
    else; files that are damaged are as if they were not there.

    Args:
        folder: made if it is not there.

    Raises:
        FileError: it can't be made.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(path_text(folder))
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"the folder of results {self._folder}: {error.strerror or error}") from None

    def place(self, message: Message) -> Path:
        """Where the result of this message lies, or would."""
        digest = hashlib.sha256(_MAGIC + message.function + message.keys + bytes([message.many]))
        for part in message.parts:
            digest.update(part.digest())
        return self._folder / f"{digest.hexdigest()}.result"

    def find(self, message: Message) -> Packed | None:
        """The result, if it is here.

        Raises:
            FileError: there is a file that can't be read.
            FormatError: it holds what no result does.
        """
        path = self.place(message)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FileError(f"{path}: {error.strerror or error}") from None
        head = len(_MAGIC) + _DIGEST
        if data[: len(_MAGIC)] != _MAGIC or hashlib.sha256(memoryview(data)[head:]).digest() != data[head - 32 : head]:
            return None
        try:
            value = _split(memoryview(data)[head:])
            _require_plain(value)
        except Exception as error:
            raise FormatError(f"{path} is no result that a pool has kept ({error}); remove it") from None
        return value

    def keeper(self, message: Message) -> Callable[[Packed], None]:
        """Keeps the result of this message. Raises UnsupportedError for what can't be read again without trusting
        whoever has written it, FileError where it can't be written."""
        return partial(self._keep, self.place(message))

    @staticmethod
    def _keep(path: Path, value: Packed) -> None:
        try:
            _require_plain(value)
        except Exception as error:
            raise UnsupportedError(
                f"a result can't be kept ({error}): arrays, numbers, tables and columns can, NumPy's arrays, and what "
                "Python has built in; return these, or map without checkpoint="
            ) from None
        parts = (value.pickle, *value.buffers)
        body = b"".join((_word(len(parts)), *(_word(len(each)) for each in parts), *(bytes(each) for each in parts)))
        write_whole(path, _MAGIC + hashlib.sha256(body).digest() + body)


def _split(body: memoryview) -> Packed:
    """The parts of a body whose digest is right."""
    lengths = np.frombuffer(body[8 : 8 + 8 * int.from_bytes(body[:8], "little")], "<u8").tolist()
    parts, place = [], 8 + 8 * len(lengths)
    for length in lengths:
        parts.append(body[place : place + length])
        place += length
    return Packed(bytes(parts[0]), tuple(np.frombuffer(each, np.uint8) for each in parts[1:]))


# --- reading pickles that others may have written ---------------------------------------------------------------------
def _nothing(*_: Any) -> None:
    """In place of an array or a table, where it only matters that it is one."""


#: All that the pickle of a result may name: what makes values and does nothing else.
_KEPT: dict[tuple[str, str], Any] = {
    ("cyclotome.files", "_restored"): _nothing,
    ("cyclotome.frames.column", "EncryptedColumn"): _nothing,
    ("cyclotome.frames.categories", "EncryptedCategories"): _nothing,
    ("cyclotome.frames.frame", "EncryptedFrame"): _nothing,
    ("cyclotome.frames.statistics.deferred", "EncryptedStatistics"): _nothing,
    ("builtins", "complex"): complex,
    ("datetime", "date"): datetime.date,
    ("datetime", "datetime"): datetime.datetime,
    ("datetime", "timedelta"): datetime.timedelta,
    ("decimal", "Decimal"): decimal.Decimal,
    ("fractions", "Fraction"): fractions.Fraction,
}
#: NumPy's, under the names that its versions have for them.
_NUMPY = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    **{
        (f"numpy.{core}.{module}", name): getattr(import_module(f"numpy.{core}.{module}"), name)
        for core in ("core" if np.lib.NumpyVersion(np.__version__) < "2.0.0" else "_core",)
        for module, name in (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
    },
}


class _Careful(pickle.Unpickler):
    """Of what a pickle names, only what is in the lists above; values of this library are looked at no further."""

    def find_class(self, module: str, name: str) -> Any:
        """As the base class."""
        found = _KEPT.get((module, name)) or _NUMPY.get((module, name))
        if found is None:
            raise pickle.UnpicklingError(f"it has a {module}.{name}")
        return found


def _require_plain(value: Packed) -> None:
    """Raises whatever is wrong with a pickle that could do more than make a result: which names it loads does not
    depend on what they are, so that it can be read as any other then."""
    _Careful(io.BytesIO(value.pickle), buffers=value.buffers).load()
