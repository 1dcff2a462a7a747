# SPDX-License-Identifier: Apache-2.0
"""Just enough of protocol buffers to read and write messages of numbers, bytes and other messages.

The encoding: fields one after the other, each a key (number and wire type, a variable-length integer) and a value.
Fields that a reader does not know are skipped, as the format wants it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import FormatError

__all__ = ["Message", "field", "varint"]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10


class Message:
    """The fields of one message; slices of the bytes that it was read from.

    Raises:
        FormatError: bytes that are no such message.
    """

    def __init__(self, data: memoryview, what: str) -> None:
        self._what = what
        self._fields: dict[int, list[int | memoryview]] = {}
        at = 0
        while at < len(data):
            key, at = self._varint(data, at)
            number, wire = key >> 3, key & 7
            value: int | memoryview
            if wire == _VARINT:
                value, at = self._varint(data, at)
            elif wire in (_BYTES, _FIXED64, _FIXED32):
                size, at = self._varint(data, at) if wire == _BYTES else (8 if wire == _FIXED64 else 4, at)
                if size > len(data) - at:
                    raise self._wrong(f"field {number} has {size} bytes, and {len(data) - at} are left")
                value, at = data[at : at + size], at + size
            else:
                raise self._wrong(f"field {number} has wire type {wire}")
            if number == 0:
                raise self._wrong("there is a field 0")
            self._fields.setdefault(number, []).append(value)

    def _wrong(self, why: str) -> FormatError:
        return FormatError(f"the {self._what} is no message of TenSEAL: {why}; the data is damaged or something else")

    def _varint(self, data: memoryview, at: int) -> tuple[int, int]:
        value = 0
        for i in range(_LONGEST_VARINT):
            if at + i >= len(data):
                raise self._wrong("it ends within a number")
            value |= (data[at + i] & 0x7F) << 7 * i
            if data[at + i] < 0x80:
                if value >> 64:
                    break
                return value, at + i + 1
        raise self._wrong("it holds a number of more than 64 bits")

    def number(self, field: int) -> int:
        """A number, the last one; 0 if there is none."""
        found = self._fields.get(field, [0])[-1]
        if not isinstance(found, int):
            raise self._wrong(f"field {field} is no number")
        return found

    def bytes(self, field: int) -> memoryview:
        """Bytes, the last ones; none if there are none."""
        found = self.all_bytes(field)
        return found[-1] if found else memoryview(b"")

    def all_bytes(self, field: int) -> list[memoryview]:
        """All bytes of one field."""
        found = [value for value in self._fields.get(field, []) if not isinstance(value, int)]
        if len(found) != len(self._fields.get(field, [])):
            raise self._wrong(f"field {field} is no bytes")
        return found

    def has(self, field: int) -> bool:
        """Whether there is such a field."""
        return field in self._fields

    def numbers(self, field: int) -> list[int]:
        """Numbers of one field, packed or one by one."""
        return list(self._numbers(field))

    def _numbers(self, field: int) -> Iterator[int]:
        for value in self._fields.get(field, []):
            if isinstance(value, int):
                yield value
                continue
            at = 0
            while at < len(value):
                number, at = self._varint(value, at)
                yield number


def varint(value: int) -> bytes:
    """A number as it is stored."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, value: bytes | bytearray) -> bytes:
    """A field of bytes."""
    return varint(number << 3 | _BYTES) + varint(len(value)) + bytes(value)
