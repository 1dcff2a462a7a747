# SPDX-License-Identifier: Apache-2.0
"""Values as bytes on their way between processes and machines: encrypted arrays lie beside the pickle, uncopied, and
whoever passes a value on need not open it."""

from __future__ import annotations

import copyreg
import hashlib
import io
import pickle
from typing import Any, NamedTuple

import numpy as np

from ..errors import CyclotomeError, FunctionError, MemoryLimitError, UnsupportedError
from ..files import reduced, to_view
from ..pickling import is_pickled_as_file

__all__ = ["Packed", "packed", "unpacked"]


class Packed(NamedTuple):
    """A pickle of protocol 5, and the bytes of the arrays in it, one after the other, as arrays of bytes, which pipes
    copy once."""

    pickle: bytes
    buffers: tuple[Any, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of all of it."""
        return len(self.pickle) + sum(len(each) for each in self.buffers)

    def digest(self) -> bytes:
        """SHA-256 of all of it, and of where each part ends."""
        found = hashlib.sha256()
        for part in (self.pickle, *self.buffers):
            found.update(len(part).to_bytes(8, "little"))
            found.update(part)
        return found.digest()


class _Pickler(pickle.Pickler):
    """Of what is pickled as a file, the file's bytes are lent."""

    dispatch_table = copyreg.dispatch_table

    def reducer_override(self, obj: Any) -> Any:
        """As the base class asks for it."""
        if is_pickled_as_file(type(obj)):
            return reduced(obj, lambda x: pickle.PickleBuffer(to_view(x)))
        return NotImplemented


def packed(value: Any, what: str) -> Packed:
    """A value as bytes.

    Args:
        value: whatever can be pickled.
        what: it is, for errors.

    Raises:
        UnsupportedError: it can't be pickled; errors of this library, `SecrecyError` above all, come as they are.
        MemoryLimitError: there is no memory for it.
    """
    stream = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    try:
        _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(value)
    except CyclotomeError:
        raise
    except MemoryError:
        raise MemoryLimitError(f"there is no memory to send {what}; send less at a time") from None
    except Exception as error:
        raise UnsupportedError(f"{what} can't be sent between processes: {type(error).__name__}: {error}") from error
    return Packed(stream.getvalue(), tuple(np.frombuffer(each.raw(), np.uint8) for each in buffers))


def unpacked(value: Packed) -> Any:
    """What was packed; arrays of the library in it know the keys that this process holds, if they knew some.

    Raises:
        FunctionError: it can't be read in this process; errors of this library come as they are.
    """
    try:
        return pickle.loads(value.pickle, buffers=value.buffers)
    except CyclotomeError:
        raise
    except MemoryError:
        raise MemoryLimitError("there is no memory to read what was sent; send less at a time") from None
    except Exception as error:
        raise FunctionError(f"what was sent can't be read in this process: {type(error).__name__}: {error}") from error
