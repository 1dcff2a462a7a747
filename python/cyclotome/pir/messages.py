# SPDX-License-Identifier: Apache-2.0
"""Queries and answers as bytes: who reads them knows whose they are before anything is computed."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from ..errors import ArgumentError, FormatError, MismatchError
from .shape import COLUMNS

__all__ = ["QUERY_HEAD_BYTES", "PartialAnswer", "digest_of", "join", "query_body", "query_bytes", "version_of"]

_QUERY_MAGIC, _ANSWER_MAGIC = b"cyPIRq01", b"cyPIRa01"
_ANSWER = struct.Struct("<8s32s32sIIB")
#: Before what a query encrypts.
QUERY_HEAD_BYTES = len(_QUERY_MAGIC) + 32


def query_bytes(version: bytes, body: bytes) -> bytes:
    """A query to the database of this version."""
    return _QUERY_MAGIC + version + body


def query_body(data: bytes, version: bytes) -> bytes:
    """What the server computes with; its length is checked where it is read.

    Raises:
        FormatError: no query.
        MismatchError: to another database, or to one that has changed.
    """
    if len(data) < QUERY_HEAD_BYTES or not data.startswith(_QUERY_MAGIC):
        raise FormatError("these bytes are no query of a private look-up")
    if version_of(data) != version:
        raise MismatchError(
            f"a query to version {data[8:16].hex()} of a database; this is version {version[:8].hex()}: "
            "get its description, and ask again"
        )
    return data[QUERY_HEAD_BYTES:]


def version_of(query: bytes) -> bytes:
    """Of the database that a query is for; of what is no query, anything."""
    return query[len(_QUERY_MAGIC) : QUERY_HEAD_BYTES]


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
    def from_bytes(cls, data: bytes, expected: int | None = None) -> PartialAnswer:
        """Raises FormatError for what is no answer, or has numbers of other than the ``expected`` bits."""
        if len(data) < _ANSWER.size or not data.startswith(_ANSWER_MAGIC):
            raise FormatError("these bytes are no answer of a private look-up")
        _, version, query, first, count, bits = _ANSWER.unpack_from(data)
        size = COLUMNS * bits // 8
        if bits != (expected or bits) or not 0 < bits <= 64 or len(data) != _ANSWER.size + count * size:
            raise FormatError(f"an answer of {len(data)} bytes, {count} outputs of {bits} bits: it was cut or altered")
        outputs = tuple(data[_ANSWER.size + i * size : _ANSWER.size + (i + 1) * size] for i in range(count))
        return cls(version, query, first, bits, outputs)


def join(*answers: bytes) -> bytes:
    """One answer of those of servers that shared a database's outputs; the same bytes as of one that answers all.

    Args:
        answers: to one query, or to as many queries in the same order, of outputs that follow each other.

    Raises:
        FormatError: what is no answer.
        MismatchError: answers to different queries, or of different versions.
        ArgumentError: no answers, what is no bytes, or outputs that are missing between them.
    """
    if not answers:
        raise ArgumentError("no answers to join")
    for answer in answers:
        if not isinstance(answer, bytes):
            raise ArgumentError(f"an answer is bytes, not {type(answer).__name__}; several are join(first, second)")
    joined: list[list[PartialAnswer]] = [_parsed(answer) for answer in answers]
    if len({len(each) for each in joined}) != 1:
        raise MismatchError("answers to different numbers of queries: these are not of one request")
    return b"".join(_joined(sorted(parts, key=lambda part: part.first)) for parts in zip(*joined, strict=True))


def _parsed(answers: bytes) -> list[PartialAnswer]:
    if len(answers) < _ANSWER.size or not answers.startswith(_ANSWER_MAGIC):
        raise FormatError("these bytes are no answer of a private look-up")
    *_, count, bits = _ANSWER.unpack_from(answers)
    size = _ANSWER.size + count * (COLUMNS * bits // 8)
    return [PartialAnswer.from_bytes(answers[i : i + size]) for i in range(0, len(answers), size)]


def _joined(parts: list[PartialAnswer]) -> bytes:
    first, outputs = parts[0], parts[0].outputs
    for part in parts[1:]:
        if (part.version, part.query, part.bits) != (first.version, first.query, first.bits):
            raise MismatchError("answers to different queries, or of different versions, are not of one request")
        if part.first != first.first + len(outputs):
            raise ArgumentError(f"between the answers outputs are missing or twice, at {first.first + len(outputs)}")
        outputs += part.outputs
    return PartialAnswer(first.version, first.query, first.first, first.bits, outputs).to_bytes()
