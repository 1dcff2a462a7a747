# SPDX-License-Identifier: Apache-2.0
"""Reading from a database that is elsewhere, and may change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from ..errors import ArgumentError, FormatError, MismatchError
from .client import Client, Query

__all__ = ["Asking", "Reader", "Source", "several"]

#: Descriptions of versions that gave way to others while they were asked, before that is told.
_MOST_VERSIONS = 4
#: Of one request's queries.
_REQUEST_BYTES = 16 << 20

C = TypeVar("C")


class Source(Protocol):
    """Where a database is: a `Database` itself, an index of `cyclotome.search`, or one that is served
    (`cyclotome.sessions.ServedDatabase`)."""

    @property
    def description(self) -> bytes:
        """Of the version that is there now."""

    def answer(self, queries: bytes, /) -> bytes:
        """The answers to queries, one after another. Raises MismatchError where these are to another version."""


class Asking(Generic[C]):
    """A client for the description that a source has, made anew when the source has another one."""

    def __init__(self, source: Source, device: str) -> None:
        self._source, self._device = source, device
        self._client = self._made(source.description)

    def _made(self, description: bytes) -> C:
        raise NotImplementedError

    @property
    def client(self) -> C:
        """Of the version that was asked last."""
        return self._client

    def _answered(self, queries: Sequence[bytes]) -> list[bytes]:
        """Answers to queries of one size, in requests of some MiB.

        Raises:
            FormatError: not as many answers as queries.
        """
        step = max(1, _REQUEST_BYTES // max(1, len(queries[0])))
        found: list[bytes] = []
        for start in range(0, len(queries), step):
            asked = queries[start : start + step]
            found += several(self._source.answer(b"".join(asked)), len(asked))
        return found

    def _renewed(self, failures: int, error: MismatchError) -> None:
        """Takes the description anew after a version has gone."""
        if failures >= _MOST_VERSIONS:
            raise error
        self._client = self._made(self._source.description)


def several(answers: bytes, count: int) -> list[bytes]:
    """Answers that stand one after another, all of one size."""
    if not isinstance(answers, bytes):
        raise ArgumentError(f"an answer is bytes, not {type(answers).__name__}")
    if not answers or len(answers) % count:
        raise FormatError(f"{len(answers)} bytes are no answers to {count} queries of a private look-up")
    size = len(answers) // count
    return [answers[i : i + size] for i in range(0, len(answers), size)]


class Reader(Asking[Client]):
    """Reads records of a database by private queries, in one request as many as there are to read.

    Where the database was replaced meanwhile, its description is taken anew, and what was not answered asked again,
    with new secrets: who answers learns that somebody asked twice.

        >>> import cyclotome as cy, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.pir"
        >>> reader = cy.pir.Reader(cy.pir.Database.build({"FR": b"Paris", "IT": b"Rome"}, path))
        >>> reader.read(["IT", "XX", "FR"])
        [b'Rome', None, b'Paris']

    Args:
        source: where the database is, such as `cyclotome.sessions.ServedDatabase`.
        device: where to compute, "cpu" or "cpu:<threads>".

    Raises:
        FormatError: the source describes no database for look-ups.
    """

    def __init__(self, source: Source, *, device: str = "cpu") -> None:
        super().__init__(source, device)

    def _made(self, description: bytes) -> Client:
        return Client(description, device=self._device)

    def __len__(self) -> int:
        return len(self._client)

    def get(self, record: int | str | bytes) -> bytes | None:
        """A record by its index or key; None for a key that is not there. Raises as `read`."""
        return self.read([record])[0]

    def read(self, records: Sequence[int | str | bytes]) -> list[bytes | None]:
        """Records by their indices or keys, in order; None for a key that is not there.

        Raises:
            ArgumentError: what `Client.query` refuses.
            FormatError: what is no answer.
            MismatchError: answers to other queries; or the database has changed so often meanwhile that none of its
                versions answered.
            Whatever the source raises.
        """
        if isinstance(records, (str, bytes)) or not isinstance(records, Sequence):
            raise ArgumentError(f"records are asked for by a list of indices or keys, not {type(records).__name__}")
        failures = 0
        while records:
            queries: list[Query] = [self._client.query(record) for record in records]
            try:
                answers = self._answered([query.data for query in queries])
                return [query.open(answer) for query, answer in zip(queries, answers, strict=True)]
            except MismatchError as error:
                failures += 1
                self._renewed(failures, error)
        return []
