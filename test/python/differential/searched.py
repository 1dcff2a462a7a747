# SPDX-License-Identifier: Apache-2.0
"""Private search beside the same integers in the clear, and databases that a server answers from."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from small import HOME

from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]


@cache
def _index(metric: str, clusters: int) -> tuple[Any, Any]:
    """A file of vectors, kept for this process."""
    vectors = np.random.default_rng(5).normal(size=(30, 6))
    path = Path(tempfile.mkdtemp(prefix="cyclotome-search-")) / "vectors"
    return path, api.search.Index.build(
        vectors=vectors, path=path, metric=metric, clusters=clusters, seed=1, device=HOME
    )


def searches(draw: Draw) -> None:
    """The best are those of the rounded vectors, wherever the index is."""
    metric = draw(st.sampled_from(["cosine", "inner product"]))
    path, index = _index(metric, 1)
    vectors = np.random.default_rng(5).normal(size=(30, 6))
    assert (index.dimensions, index.clusters, len(index)) == (6, 1, 30) and index.damaged_outputs() == []
    index = api.search.Index.target.open(path=path, device=HOME)
    client = api.search.Client(index.description, device=HOME)
    assert (client.dimensions, client.clusters, client.metric) == (6, 1, metric) and client.version == index.version
    wanted = np.random.default_rng(draw(st.integers(0, 999))).normal(size=(draw(st.integers(1, 2)), 6))
    k = draw(st.integers(1, 5))
    if draw(st.booleans()):
        query = client.query(vectors=wanted, probes=1)
        assert isinstance(query, api.search.Query.target) and b"".join(query.parts) == query.data
        index.check(query.data)
        with tempfile.TemporaryDirectory() as folder:
            query.save(path=Path(folder) / "query", overwrite=draw(st.booleans()))
            answer = index.answer(queries=query.data, outputs=None)
            found = client.load(path=Path(folder) / "query").open(answer=answer, k=k)
    else:
        with tempfile.TemporaryDirectory() as folder:
            server = api.Server(databases={"vectors": path}, device=HOME)
            served = api.sessions.ServedDatabase(
                server=server, name="vectors", cache=draw(st.sampled_from([None, Path(folder) / "description"]))
            )
            source = draw(st.sampled_from([index, served]))
            searcher = api.search.Searcher(source, device=HOME)
            assert searcher.client.version == client.version and len(searcher) == 30
            found = searcher.search(vectors=wanted, k=k, probes=1)
            served.close()
    assert isinstance(found, api.search.Results.target)
    small = client.rounded(vectors=wanted)
    assert small.shape == wanted.shape
    assert (np.diff(found.integers, axis=1) <= 0).all() and found.certain.shape == (len(wanted), k - 1)
    if metric == "cosine":
        wanted = wanted / np.linalg.norm(wanted, axis=1)[:, None]
        vectors = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    exact = wanted @ vectors.T
    for row, (indices, scores, error) in enumerate(zip(found.indices, found.scores, found.errors, strict=True)):
        assert np.abs(exact[row, indices] - scores).max() <= error * (1 + 1e-9)
        surely = k - 1 if found.certain[row].all() else 0  # before the last, which those left out may come near to
        assert set(np.argsort(-exact[row])[:surely]) == set(indices[:surely])


def served_records(draw: Draw) -> None:
    """A list's records from a server, and from shards of one database."""
    records = draw(st.lists(st.binary(max_size=9), min_size=1, max_size=9))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records"
        database = api.pir.Database.build(records, path, rows=2048, device=HOME)
        server = api.Server(databases={"records": path}, device=HOME)
        served = api.sessions.ServedDatabase(server, "records")
        assert served.description == database.description
        source = draw(st.sampled_from([database, served]))
        assert source is not None and api.pir.Source
        reader = api.pir.Reader(source, device=HOME)
        asked = draw(st.lists(st.integers(0, len(records) - 1), min_size=1, max_size=3))
        assert reader.read(records=asked) == [records[number] for number in asked] and len(reader) == len(records)
        assert reader.get(record=asked[0]) == records[asked[0]]
        query = reader.client.query(asked[0])
        shares = [database.answer(query.data, outputs=range(i, i + 1)) for i in range(database.outputs)]
        assert query.open(api.pir.join(*shares)) == records[asked[0]]
        whole = database.answer(query.data)
        assert served.answer(queries=query.data) == whole
        assert server.look_up(database="records", queries=query.data, client="somebody") == whole
        assert server.describe(database="records", version="another") == database.description
        assert server.describe("records", database.version) == b""


SCENARIOS = (searches, served_records)
