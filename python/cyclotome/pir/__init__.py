# SPDX-License-Identifier: Apache-2.0
"""Private look-ups: a client reads a record of somebody else's database, by index or by key, and the server does not
learn which.

    >>> import cyclotome as cy, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "phones.pir"
    >>> database = cy.pir.Database.build({"+33 1 23 45": b"pharmacy", "+39 6 55 11": b"florist"}, path)
    >>> client = cy.pir.Client(database.description)
    >>> query = client.query("+39 6 55 11")
    >>> query.open(database.answer(query.data))
    b'florist'
    >>> other = client.query("+44 20 7946")
    >>> other.open(database.answer(other.data)) is None
    True

`Database` is the server's, `Client` the client's. What the server learns: that somebody asked, when, and which
version. What the client learns: the record, and whatever else stands in its row; this hides queries, not the database
(doc/private-search.md).
"""

from __future__ import annotations

from .client import Client, Query
from .database import Database
from .messages import join
from .reader import Reader, Source

__all__ = ["Client", "Database", "Query", "Reader", "Source", "join"]
