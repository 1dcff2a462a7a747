# SPDX-License-Identifier: Apache-2.0
"""Searching in an index that is elsewhere, and may change."""

from __future__ import annotations

from ..errors import MismatchError
from ..pir.reader import Asking, Source
from .client import Client
from .results import Results

__all__ = ["Searcher"]


class Searcher(Asking[Client]):
    """Finds the nearest of an index's vectors by private queries, for as many vectors at once as there are.

    Where the index was replaced meanwhile, its description is taken anew and everything asked again, with new secrets.

        >>> import cyclotome as cy, numpy as np, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "vectors.index"
        >>> searcher = cy.search.Searcher(cy.search.Index.build(np.eye(3), path))
        >>> searcher.search([[0, 1, 0.1], [1, 0, 0]], k=1).indices.ravel()
        array([1, 0])

    Args:
        source: where the index is, such as `cyclotome.sessions.ServedDatabase`.
        device: where to compute, "cpu" or "cpu:<threads>".

    Raises:
        FormatError: the source describes no index.
    """

    def __init__(self, source: Source, *, device: str = "cpu") -> None:
        super().__init__(source, device)

    def _made(self, description: bytes) -> Client:
        return Client(description, device=self._device)

    def __len__(self) -> int:
        return len(self._client)

    def search(self, vectors: object, *, k: int = 10, probes: int = 1) -> Results:
        """The nearest vectors to each of some; arguments as those of `Client.query` and `Query.open`.

        Raises:
            ArgumentError, RangeError: what `Client.query` refuses.
            FormatError: what is no answer.
            MismatchError: answers to other queries; or the index has changed so often meanwhile that none of its
                versions answered.
            Whatever the source raises.
        """
        failures = 0
        while True:
            query = self._client.query(vectors, probes=probes)
            try:
                return query.open(b"".join(self._answered(query.parts)), k=k)
            except MismatchError as error:
                failures += 1
                self._renewed(failures, error)
