# SPDX-License-Identifier: Apache-2.0
"""A database that a server answers private queries from, for `cyclotome.pir.Reader` and `cyclotome.search.Searcher`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Protocol

from ..errors import FileError, MismatchError
from ..whole_files import path_text, write_whole
from .remote import Remote

__all__ = ["ServedDatabase"]


class _Server(Protocol):
    def describe(self, database: str, version: str = "", /) -> bytes: ...
    def look_up(self, database: str, queries: bytes, /) -> bytes: ...


class ServedDatabase:
    """A database by its name at a server.

    The description is fetched once, and again only when a version has gone; with ``cache`` once for all runs.

    Args:
        server: a `Server`, or the address of one, "https://host:port" (extra "serve").
        name: the database's.
        cache: a file that keeps the description between runs. What it holds is public; who can write it can serve
            another version, as the server can.
        options: of the address's client, such as ``token`` and ``timeout``.

    Raises:
        MissingPackageError: an address, and the extra "serve" is not installed.
        ServiceError: no such address.

    Example:
        >>> import cyclotome as cy, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.pir"
        >>> database = cy.pir.Database.build({"FR": b"Paris", "IT": b"Rome"}, path)
        >>> server = cy.Server(databases={"capitals": path})
        >>> cy.pir.Reader(cy.sessions.ServedDatabase(server, "capitals")).get("IT")
        b'Rome'
    """

    def __init__(self, server: _Server | str, name: str, *, cache: object = None, **options: Any) -> None:
        self._own = Remote(server, **options) if isinstance(server, str) else None
        self._server: _Server = self._own if self._own is not None else server  # type: ignore[assignment]
        self._name = name
        self._cache = None if cache is None else Path(path_text(cache))
        self._known = self._cached()

    def _cached(self) -> bytes:
        if self._cache is None or not self._cache.exists():
            return b""
        try:
            return self._cache.read_bytes()
        except OSError as error:
            raise FileError(f"the description {str(self._cache)!r} can't be read: {error.strerror}") from None

    @property
    def description(self) -> bytes:
        """Of the version that the server answers now; fetched where another one is known.

        Raises:
            What the server refuses with; ServiceError: it can't be reached; FileError: the cache can't be written.
        """
        version = hashlib.sha256(self._known).hexdigest() if self._known else ""
        found = self._server.describe(self._name, version)
        if found:
            self._known = found
            if self._cache is not None:
                write_whole(self._cache, found)
        elif not self._known:
            raise MismatchError(f"the server describes the database {self._name} with nothing")
        return self._known

    def answer(self, queries: bytes) -> bytes:
        """Answers to queries, one after another. Raises as `Server.look_up`."""
        return self._server.look_up(self._name, queries)

    def close(self) -> None:
        """Closes its connections."""
        if self._own is not None:
            self._own.close()
