# SPDX-License-Identifier: Apache-2.0
"""Queries and answers as bytes: who reads them knows whose they are before anything is computed."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from ..errors import FormatError, MismatchError
from .certificate import Certificate
from .shape import COLUMNS

__all__ = ["PartialAnswer", "digest_of", "query_body", "query_bytes"]

_QUERY_MAGIC, _ANSWER_MAGIC = b"cyPIRq01", b"cyPIRa01"
_ANSWER = struct.Struct("<8s32s32sIIB")


def query_bytes(version: bytes, body: bytes) -> bytes:
    """A query to the database of this version."""
    return _QUERY_MAGIC + version + body


def query_body(data: bytes, version: bytes) -> bytes:
    """What the server computes with; its length is checked where it is read.

    Raises:
        FormatError: no query.
        MismatchError: to another database, or to one that has changed.
    """
    if len(data) < 40 or not data.startswith(_QUERY_MAGIC):
        raise FormatError("these bytes are no query of a private look-up")
    if data[8:40] != version:
        raise MismatchError(
            f"a query to version {data[8:16].hex()} of a database; this is version {version[:8].hex()}: "
            "get its description, and ask again"
        )
    return data[40:]


def digest_of(query: bytes) -> bytes:
    """By which an answer names its query."""
    return hashlib.sha256(query).digest()


@dataclass(frozen=True)
class PartialAnswer:
    """The answer of outputs ``first`` and after, to one query."""

    version: bytes
    query: bytes
    first: int
    bits: int
    outputs: tuple[bytes, ...]

    def to_bytes(self) -> bytes:
        """For the client."""
        head = _ANSWER.pack(_ANSWER_MAGIC, self.version, self.query, self.first, len(self.outputs), self.bits)
        return head + b"".join(self.outputs)

    @classmethod
    def from_bytes(cls, data: bytes, certificate: Certificate) -> PartialAnswer:
        """Raises FormatError for what is no answer."""
        if len(data) < _ANSWER.size or not data.startswith(_ANSWER_MAGIC):
            raise FormatError("these bytes are no answer of a private look-up")
        _, version, query, first, count, bits = _ANSWER.unpack_from(data)
        size = COLUMNS * bits // 8
        if bits != certificate.answer_bits or len(data) != _ANSWER.size + count * size:
            raise FormatError(f"an answer of {len(data)} bytes, {count} outputs of {bits} bits: it was cut or altered")
        outputs = tuple(data[_ANSWER.size + i * size : _ANSWER.size + (i + 1) * size] for i in range(count))
        return cls(version, query, first, bits, outputs)
