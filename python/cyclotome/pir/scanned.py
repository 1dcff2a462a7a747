# SPDX-License-Identifier: Apache-2.0
"""What databases of every kind do on the server's side: they are scanned for queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

from .. import _core
from ..devices.contexts import engine_on
from ..errors import ArgumentError, FormatError
from .messages import QUERY_HEAD_BYTES, PartialAnswer, digest_of, query_body
from .stored import D, Stored

__all__ = ["Scanned"]


class Scanned(Generic[D]):
    """A database's file, mapped, and an engine that scans it. `cyclotome.pir.Database` and `cyclotome.search.Index` are
    some. Any number of threads and processes may answer from one file."""

    def __init__(self, stored: Stored[D], device: str) -> None:
        self._stored, self._device = stored, device
        self._engine = engine_on(device)
        self._lattice = _core.RetrievalLattice(self._engine)
        self._described: D = stored.description
        self._version = self._described.version

    @property
    def description(self) -> bytes:
        """What clients need, and everybody may know: sizes, the shape, public masks. Some hundred bytes and 13.6 KB for
        each output at least."""
        return self._described.to_bytes()

    @property
    def version(self) -> str:
        """The description's SHA-256, hexadecimal. Queries and answers name it."""
        return self._version.hex()

    @property
    def outputs(self) -> int:
        """How many outputs there are to answer; servers may share them."""
        return self._described.layout.outputs

    @property
    def query_bytes(self) -> int:
        """The size of a query."""
        body = _core.retrieval_request_bytes(self._described.layout.rows, self._described.request_bits)
        return QUERY_HEAD_BYTES + int(body)

    def answer(self, queries: bytes, *, outputs: range | None = None) -> bytes:
        """The answer to a query; or to several that stand one after another, whose answers do so too.

        Args:
            queries: the bytes that a client sent; what they may be is checked.
            outputs: those to answer, for servers that share a database; all of them by default. `cyclotome.pir.join`
                makes one answer of theirs.

        Raises:
            FormatError: no query, or not one of this database's size.
            MismatchError: a query to another database, or to one before a change.
            RangeError: a query with numbers that none has.
            ArgumentError: outputs that there are not.
        """
        return b"".join(self.answers(self._each(queries), outputs=outputs))

    def check(self, queries: bytes) -> int:
        """How many queries these are. Raises as `answer` does for what is none of this version's, but looks at no
        numbers."""
        return len(self._each(queries))

    def _each(self, queries: bytes) -> list[bytes]:
        if not isinstance(queries, bytes):
            raise ArgumentError(f"a query is bytes, not {type(queries).__name__}")
        query_body(queries, self._version)  # of which version, before of which size
        size = self.query_bytes
        if len(queries) % size:
            raise FormatError(f"queries of {len(queries)} bytes; each to this version has {size}")
        return [queries[i : i + size] for i in range(0, len(queries), size)]

    def answers(self, queries: Sequence[bytes], *, outputs: range | None = None) -> list[bytes]:
        """Answers to several queries at once, in order: the database is read from memory once for all of them. Raises
        as `answer` does, for any of them."""
        chosen = range(self.outputs) if outputs is None else outputs
        if chosen.step != 1 or not 0 <= chosen.start < chosen.stop <= self.outputs:
            raise ArgumentError(f"outputs {chosen} of a database that has {self.outputs}")
        requests = [self._opened(query) for query in queries]
        bits = self._described.answer_bits
        parts: list[list[bytes]] = [[] for _ in queries]
        for number in chosen if requests else ():
            output = self._stored.output(number)
            found = _core.retrieval_answers(self._engine, self._lattice, requests, *output, bits)
            for own, part in zip(parts, found, strict=True):
                own.append(part)
        return [
            PartialAnswer(self._version, digest_of(query), chosen.start, bits, tuple(own)).to_bytes()
            for query, own in zip(queries, parts, strict=True)
        ]

    def _opened(self, query: bytes) -> _core.RetrievalRequest:
        if not isinstance(query, bytes):
            raise ArgumentError(f"a query is bytes, not {type(query).__name__}")
        body = query_body(query, self._version)
        layout, bits = self._described.layout, self._described.request_bits
        return _core.open_retrieval_request(self._lattice, body, layout.rows, bits, layout.word_bytes)

    def damaged_outputs(self) -> list[int]:
        """Outputs of the file whose bytes are not those that were written; reads all of it."""
        return self._stored.damaged()
