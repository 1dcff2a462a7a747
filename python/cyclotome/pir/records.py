# SPDX-License-Identifier: Apache-2.0
"""Records as words of 16 bits: all of one length, or each after its own length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, FormatError
from .shape import Words

__all__ = ["LENGTH_BYTES", "MOST_RECORD_BYTES", "Records", "bytes_of", "record_bytes", "words_of"]

#: Of the length before a record, where lengths differ.
LENGTH_BYTES = 4
MOST_RECORD_BYTES = 1 << 24

#: What a database is built of: bytes for each record, or an array of records x bytes.
Records = Sequence[bytes] | npt.NDArray[np.uint8]
#: Or of entries by their keys, which are text, bytes, or some of both: types of keys are invariant.
Entries = Mapping[str, bytes] | Mapping[bytes, bytes] | Mapping[bytes | str, bytes]


def record_bytes(records: Records) -> tuple[int, bool]:
    """The most bytes that a record has, and whether all have as many.

    Raises:
        ArgumentError: no records; one that is empty in all, too long, or no bytes.
    """
    if isinstance(records, np.ndarray):
        if records.dtype != np.uint8 or records.ndim != 2 or not records.size:
            raise ArgumentError(
                f"records as an array are records x bytes of uint8, not {records.dtype} {records.shape}"
            )
        most, equal = int(records.shape[1]), True
    else:
        if not len(records):
            raise ArgumentError("a database of no records; it has one at least")
        for number, record in enumerate(records):
            if not isinstance(record, (bytes, bytearray, memoryview)):
                raise ArgumentError(f"record {number} is {type(record).__name__}, not bytes: encode it first")
        lengths = {memoryview(record).nbytes for record in records}
        most, equal = max(lengths), len(lengths) == 1 and 0 not in lengths
    if most > MOST_RECORD_BYTES:
        raise ArgumentError(f"a record of {most} bytes; {MOST_RECORD_BYTES} is the most")
    return most, equal


def words_of(records: Records, most: int, *, equal: bool, before: npt.NDArray[np.uint8] | None = None) -> Words:
    """records x words: what stands ``before`` each, the length if lengths differ, the record, zeros."""
    head = 0 if before is None else before.shape[1]
    start = head if equal else head + LENGTH_BYTES
    size = start + most
    padded = np.zeros((len(records), size + size % 2), np.uint8)
    if before is not None:
        padded[:, :head] = before
    if isinstance(records, np.ndarray):
        padded[:, start:size] = records
    elif equal:
        padded[:, start:size] = np.frombuffer(b"".join(records), np.uint8).reshape(len(records), most)
    else:
        for row, record in zip(padded, records, strict=True):
            content = np.frombuffer(record, np.uint8)
            row[head:start] = np.frombuffer(len(content).to_bytes(LENGTH_BYTES, "little"), np.uint8)
            row[start : start + len(content)] = content
    return padded.view("<u2").astype(np.uint16, copy=False)


def bytes_of(content: bytes, most: int, *, equal: bool) -> bytes:
    """A record again, of what follows what stood before it.

    Raises:
        FormatError: a length that no record has.
    """
    if equal:
        return content[:most]
    length = int.from_bytes(content[:LENGTH_BYTES], "little")
    if length > most:
        raise FormatError(f"a record of {length} bytes in a database whose longest has {most}: the answer was altered")
    return content[LENGTH_BYTES : LENGTH_BYTES + length]
