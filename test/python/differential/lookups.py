# SPDX-License-Identifier: Apache-2.0
"""Private look-ups beside a list and a dictionary."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cyclotome.errors import MismatchError
from hypothesis import strategies as st
from small import HOME

from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]
_records = st.binary(max_size=20)


def lookups(draw: Draw) -> None:
    """A record by index is the list's, one by key the dictionary's, also after a change, from shards, and from
    files."""
    keyed = draw(st.booleans())
    records: Any = draw(
        st.dictionaries(st.one_of(st.binary(max_size=4), st.text("abc", min_size=5)), _records, min_size=1)
        if keyed
        else st.lists(_records, min_size=1)
    )
    wanted = draw(st.sampled_from(list(records) if keyed else range(len(records))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "database"
        api.pir.Database.build(records, path, rows=draw(st.sampled_from([2048, 32768])), device=HOME)
        database = api.pir.Database.open(path, device=HOME)
        client = api.pir.Client(database.description, device=HOME)
        assert client.by_key == keyed and client.version == database.version
        assert client.record_bytes == max(map(len, records.values() if keyed else records))
        query = client.query(wanted)
        assert isinstance(query, api.pir.Query.target) and len(query.data) == database.query_bytes
        outputs = draw(st.sampled_from([None, range(database.outputs)]))
        answer = database.answer(query.data, outputs=outputs)
        assert database.answers([query.data, query.data], outputs=outputs) == [answer, answer]
        query.save(Path(folder) / "query", overwrite=draw(st.booleans()))
        assert query.open(answer) == client.load(Path(folder) / "query").open(answer) == records[wanted]
        assert database.damaged_outputs() == []
        if keyed:
            missed = client.query(b"not there")
            assert missed.open(database.answer(missed.data)) is None
            return
        longest = client.record_bytes
        other = database.replace(
            {wanted: bytes(longest)}, path=Path(folder) / draw(st.sampled_from(["database", "new"]))
        )
        again = api.pir.Client(other.description).query(wanted)
        assert again.open(other.answer(again.data)) == bytes(longest)
        try:
            other.answer(query.data)
            raise AssertionError("a query to another version was answered")
        except MismatchError:
            pass
