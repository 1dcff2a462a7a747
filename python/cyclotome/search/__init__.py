# SPDX-License-Identifier: Apache-2.0
"""Private search in embeddings: who asks gets the nearest of somebody's vectors, and their owner does not learn what
was asked for, nor what was found.

    >>> import cyclotome as cy, numpy as np, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "colours.index"
    >>> vectors = np.array([[1.0, 0.0, 0.1], [0.9, 0.4, 0.0], [0.0, 0.2, 1.0]])
    >>> index = cy.search.Index.build(vectors, path)
    >>> query = cy.search.Client(index.description).query([1.0, 0.1, 0.0])
    >>> query.open(index.answer(query.data), k=2).indices
    array([[0, 1]])

`Index` is the server's, `Client` the client's, `Searcher` a client of an index that is elsewhere. Scores are exact
inner products of vectors that are rounded to integers once, and every result says how far these may be from those of
the vectors themselves (doc/private-search.md).
"""

from __future__ import annotations

from .client import Client, Query
from .index import Index
from .results import Results
from .searcher import Searcher

__all__ = ["Client", "Index", "Query", "Results", "Searcher"]
