# SPDX-License-Identifier: Apache-2.0
"""Search finds the vectors that the same integers find in the clear, and says how far these are from the floats; what
is no vector, query or answer is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import numpy.typing as npt
import pytest
from cyclotome.errors import ArgumentError, FileError, FormatError, MismatchError, RangeError
from cyclotome.search.clusters import placed
from cyclotome.search.description import Description
from cyclotome.search.rounding import as_vectors, rounded, unit
from small import HOME

Ints = npt.NDArray[np.int64]


def built(vectors: object, folder: Path, **options: Any) -> tuple[cy.search.Index, cy.search.Client]:
    index = cy.search.Index.build(vectors, folder / "vectors.index", device=HOME, **options)
    return index, cy.search.Client(index.description, device=HOME)


def stored_integers(vectors: npt.NDArray[np.float64], described: Description) -> Ints:
    """What an index stores, by its scale; worked out here once more."""
    lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True)) if described.metric == "cosine" else 1.0
    return np.rint(vectors / lengths * described.scale).astype(np.int64)


def nearest(scores: Ints, k: int) -> tuple[Ints, Ints]:
    """Of queries x vectors the largest, those with smaller numbers first."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(scores, order, axis=1)


@pytest.fixture(scope="module")
def party(tmp_path_factory: pytest.TempPathFactory) -> tuple[cy.search.Index, cy.search.Client, Any]:
    vectors = np.random.default_rng(31).normal(size=(2100, 24))
    return *built(vectors, tmp_path_factory.mktemp("search")), vectors


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[cy.search.Index, cy.search.Client]:
    """Three clusters of few vectors, two of which are the same and two nearly so."""
    vectors = [[1, 0, 0], [0.8, 0.6, 0], [1, 0, 0], [0.8000001, 0.5999999, 0], [0, 0, 1], [-1, 0, 0.1], [0, 0.1, 1]]
    return built(vectors, tmp_path_factory.mktemp("small"), clusters=3)


@pytest.mark.parametrize("metric", ["cosine", "inner product"])
def test_the_nearest_are_those_of_the_same_integers_in_the_clear(
    tmp_path: Path, rng: np.random.Generator, metric: str
) -> None:
    """All scores of all vectors, and so every number of the answer."""
    vectors = rng.normal(size=(60, 17)) * rng.uniform(0.1, 30, (60, 1))
    queries = rng.normal(size=(3, 17)) * [[1], [1e-5], [1e5]]
    index, client = built(vectors, tmp_path, metric=metric)
    asked = client.query(queries)
    found = asked.open(index.answer(asked.data), k=60)
    described = Description.from_bytes(index.description)
    expected = nearest(client.rounded(queries) @ stored_integers(vectors, described).T, 60)
    assert (found.indices == expected[0]).all() and (found.integers == expected[1]).all()
    true = queries @ vectors.T
    if metric == "cosine":
        true /= np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(vectors, axis=1)
    off = np.abs(found.scores - np.take_along_axis(true, found.indices, axis=1)).max(axis=1)
    assert (off <= found.errors).all()
    size = np.linalg.norm(queries, axis=1) * np.linalg.norm(vectors, axis=1).max() if metric != "cosine" else 1
    assert (found.errors < 0.05 * size).all()


def test_several_outputs_and_vectors_that_are_the_same(party: Any) -> None:
    index, client, vectors = party
    assert index.outputs == 2 and len(index) == len(client) == 2100
    assert client.metric == "cosine" and client.dimensions == 24 and client.version == index.version
    asked = client.query(vectors[[0, 2047, 2048, 2099]])
    found = asked.open(index.answer(asked.data), k=3)
    assert found.indices[:, 0].tolist() == [0, 2047, 2048, 2099]
    assert np.abs(found.scores[:, 0] - 1).max() <= found.errors.max()


def test_equal_vectors_come_in_their_order_and_results_say_what_is_certain(small: Any) -> None:
    index, client = small
    asked = client.query([2, 0, 0], probes=3)
    found = asked.open(index.answer(asked.data), k=99)
    assert found.indices.shape == (1, 7) and found.indices[0, :4].tolist() == [0, 2, 1, 3]
    assert found.certain[0, :3].tolist() == [False, True, False]


@pytest.mark.parametrize("metric", ["cosine", "inner product"])
def test_clusters_answer_as_the_clear_does_with_the_same_clusters(
    tmp_path: Path, rng: np.random.Generator, metric: str
) -> None:
    vectors = rng.normal(size=(3000, 16)) + 4 * rng.normal(size=(9, 16))[rng.integers(0, 9, 3000)]
    index, client = built(vectors, tmp_path, metric=metric, clusters=9)
    described = Description.from_bytes(index.description)
    assert index.clusters == client.clusters == 9 and index.outputs == 1
    places = [described.places.of(cluster) for cluster in range(9)]
    assert sorted(np.concatenate(places)) == list(range(3000)) and max(map(len, places)) <= 2048
    queries = vectors[rng.integers(0, 3000, 2)] + 0.1 * rng.normal(size=(2, 16))
    asked = client.query(queries, probes=3)
    found = asked.open(index.answer(asked.data), k=10)
    whole = client.rounded(queries) @ stored_integers(vectors, described).T
    for i, query in enumerate(queries):
        near = np.argsort(-(described.places.centres.astype(float) @ (query / np.linalg.norm(query))), kind="stable")
        members = np.sort(np.concatenate([places[cluster] for cluster in near[:3]]))
        order, scores = nearest(whole[i : i + 1, members], 10)
        assert (found.indices[i] == members[order[0]]).all() and (found.integers[i] == scores[0]).all()
    every = client.query(queries, probes=9)
    assert (every.open(index.answer(every.data), k=10).indices == nearest(whole, 10)[0]).all()


def test_a_cluster_that_many_are_near_to_gives_some_away(rng: np.random.Generator) -> None:
    vectors = np.concatenate([np.eye(8)[:1] + 1e-3 * rng.normal(size=(3300, 8)), rng.normal(size=(20, 8))])
    for cosine in (True, False):
        places = placed(vectors, 2, 1, cosine=cosine, rng=rng)
        assert sorted(places.numbers) == list(range(3320)) and places.counts.max() <= 2048
        assert sorted(np.concatenate([places.of(0), places.of(1)])) == list(range(3320))
    # All the same: centres have nothing to tell apart.
    assert placed(np.ones((4096, 3)), 2, 1, cosine=False, rng=rng).counts.tolist() == [2048, 2048]


def test_fewer_vectors_than_asked_for(small: Any) -> None:
    index, client = small
    asked = client.query([0, 0, 1])
    found = asked.open(index.answer(asked.data), k=7)
    there = int((found.indices >= 0).sum())
    assert 0 < there < 7 and found.indices[0, there:].tolist() == [-1] * (7 - there)
    assert (found.scores[0, there:] == -np.inf).all() and not found.integers[0, there:].any()


def test_integers_and_single_precision_are_vectors() -> None:
    for kind in (np.float32, np.float16, np.int8, np.uint64, bool):
        assert rounded(as_vectors(np.eye(3, dtype=kind), "vectors"), "cosine", 10000).values.tolist() == [
            [100, 0, 0],
            [0, 100, 0],
            [0, 0, 100],
        ]


def test_vectors_of_extreme_lengths() -> None:
    """Squares of which would overflow, or vanish."""
    directions, lengths = unit(np.array([[3e200, 4e200], [0, 1e-300], [3e-310, 4e-310]]), "vectors")
    assert np.abs(directions - [[0.6, 0.8], [0, 1], [0.6, 0.8]]).max() < 1e-12
    assert np.allclose(lengths, [5e200, 1e-300, 5e-310], rtol=1e-12, atol=0)
    for extreme in (1e200, 1e-200):
        with pytest.raises(RangeError, match="scale them"):
            rounded(np.array([[extreme, 0]]), "inner product", 10000)
    assert not rounded(np.zeros((2, 2)), "inner product", 10000).values.any()


@pytest.mark.parametrize(
    ("error", "match", "vectors", "options"),
    [
        (ArgumentError, "vectors x coordinates", [1.0, 2.0], {}),
        (ArgumentError, "vectors x coordinates", np.empty((0, 3)), {}),
        (ArgumentError, "vectors x coordinates", [["a"]], {}),
        (ArgumentError, "vectors x coordinates", [[1j]], {}),
        (RangeError, "vector 1 has nan at coordinate 0", [[1.0], [np.nan]], {}),
        (RangeError, "vector 1 is all zeros", [[1.0, 2.0], [0.0, 0.0]], {}),
        (ArgumentError, "'cosine' and 'inner product'", [[1.0]], {"metric": "euclid"}),
        (ArgumentError, "from 1 on", [[1.0]], {"clusters": 0}),
        (ArgumentError, "from 1 on", [[1.0]], {"clusters": "many"}),
        (ArgumentError, "1 are the most", [[1.0]], {"clusters": 2}),
        (ArgumentError, "131072 are the most", np.ones((1, 131073)), {}),
    ],
)
def test_what_is_no_index_is_refused(
    tmp_path: Path, error: type[Exception], match: str, vectors: object, options: dict[str, Any]
) -> None:
    with pytest.raises(error, match=match):
        built(vectors, tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "match", "vectors", "options"),
    [
        (ArgumentError, "have 24", np.ones(23), {}),
        (ArgumentError, "vectors x coordinates", np.ones((1, 1, 24)), {}),
        (RangeError, "all zeros", np.zeros(24), {}),
        (RangeError, "inf", np.full(24, np.inf), {}),
        (ArgumentError, "from 1 to the 1 clusters", np.ones(24), {"probes": 2}),
        (ArgumentError, "from 1 to the 1 clusters", np.ones(24), {"probes": True}),
    ],
)
def test_what_is_no_query_is_refused(
    party: Any, error: type[Exception], match: str, vectors: object, options: dict[str, Any]
) -> None:
    with pytest.raises(error, match=match):
        party[1].query(vectors, **options)


def test_answers_that_were_altered_or_are_others(party: Any, small: Any) -> None:
    index, client, vectors = party
    asked, other = client.query(vectors[0]), client.query(vectors[0])
    answer = index.answer(asked.data)
    with pytest.raises(MismatchError, match="another query"):
        asked.open(index.answer(other.data))
    for cut in (answer[:-1], answer + b"x", b"", b"x" * len(answer), answer[:8] + bytes(len(answer) - 8)):
        with pytest.raises((FormatError, MismatchError)):
            asked.open(cut)
    with pytest.raises(ArgumentError, match="join"):
        asked.open(index.answer(asked.data, outputs=range(1, 2)))
    halves = [index.answer(asked.data, outputs=range(i, i + 1)) for i in (1, 0)]
    assert cy.pir.join(*halves) == answer
    for k in (0, True, 1.0, "2"):
        with pytest.raises(ArgumentError, match="k="):
            asked.open(answer, k=k)  # type: ignore[arg-type]
    with pytest.raises(MismatchError, match="get its description"):
        small[0].answer(asked.data)
    with pytest.raises(FormatError):
        index.answer(asked.data[:-1])
    with pytest.raises(ArgumentError):
        index.answer(bytearray(asked.data))  # type: ignore[arg-type]


def test_queries_have_secrets_of_their_own(party: Any) -> None:
    """Twice the same vector: nothing but the head is the same, and sizes do not depend on what is asked for."""
    _, client, vectors = party
    one, two, three = client.query(vectors[0]).data, client.query(vectors[0]).data, client.query(-vectors[7] * 99).data
    assert one[:40] == two[:40] and len(one) == len(two) == len(three) == party[0].query_bytes
    same = np.frombuffer(one[40:], np.uint8) == np.frombuffer(two[40:], np.uint8)
    assert same.mean() < 0.01
    assert len(set(client.query(vectors[[0, 0]]).parts)) == 2
    assert "0." not in repr(client.query(vectors[0])) and "bytes" not in repr(client)


def test_saved_queries_open_their_answers(party: Any, tmp_path: Path) -> None:
    index, client, vectors = party
    asked = client.query(vectors[[3, 4]])
    asked.save(tmp_path / "secret")
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileError):
        asked.save(tmp_path / "secret")
    answer = index.answer(asked.data)
    loaded = client.load(tmp_path / "secret")
    assert loaded.data == b"" and len(loaded) == 2
    found, again = asked.open(answer), loaded.open(answer)
    assert (found.indices == again.indices).all() and (found.scores == again.scores).all()
    assert (found.errors == again.errors).all()
    saved = (tmp_path / "secret").read_bytes()
    for damaged in (saved[:-1], b"x" + saved[1:], saved[:8], b"", saved[:40] + b"\xff" * 8 + saved[48:]):
        (tmp_path / "damaged").write_bytes(damaged)
        with pytest.raises(FormatError):
            client.load(tmp_path / "damaged")
    (tmp_path / "foreign").write_bytes(saved[:8] + bytes(32) + saved[40:])
    with pytest.raises(MismatchError):
        client.load(tmp_path / "foreign")
    with pytest.raises(FileError):
        client.load(tmp_path / "nowhere")


def test_forged_descriptions_are_refused(small: Any) -> None:
    index, _ = small
    good = index.description
    assert Description.from_bytes(good).to_bytes() == good
    head = 8 + 3 + 8 + 3 * 4
    forged = [good[:-1], good + b"x", good[:50], b"", b"cyPIRd01" + good[8:]]
    forged += [good[:8] + bytes([value]) + good[9:] for value in (2, 255)]
    forged += [good[:9] + bytes([0]) + good[10:], good[:10] + bytes([99]) + good[11:]]
    forged += [good[:11] + (1 << 60).to_bytes(8, "little") + good[19:], good[:11] + bytes(8) + good[19:]]
    forged += [good[:at] + value + good[at + 4 :] for at in (19, 23, 27) for value in (bytes(4), b"\xff" * 4)]
    forged += [good[:at] + value + good[at + 8 :] for at in (head + 24, head + 32) for value in (b"\xff" * 8,)]
    forged += [good[: head + 24] + bytes(8) + good[head + 32 :]]  # a scale of zero
    start = head + 40 + 64
    forged += [good[:start] + b"\x01\0\0\0" + good[start + 4 :], good[: start + 12] + b"\xff" * 4 + good[start + 16 :]]
    numbers = start + 12 + 3 * 3 * 4
    forged += [good[:numbers] + bytes(3) + good[numbers + 3 :], good[:numbers] + b"\xff" * 3 + good[numbers + 3 :]]
    forged += [good[:-32] + b"\xff" * 32]
    for number, data in enumerate(forged):
        with pytest.raises(FormatError):
            cy.search.Client(data, device=HOME)
            pytest.fail(f"forgery {number} was taken")
    with pytest.raises(ArgumentError):
        cy.search.Client("text", device=HOME)  # type: ignore[arg-type]


def test_files_of_other_kinds_are_refused(party: Any, tmp_path: Path) -> None:
    index = built(np.eye(2), tmp_path)[0]
    assert index.damaged_outputs() == [] and cy.search.Index.open(tmp_path / "vectors.index").version == index.version
    with pytest.raises(FormatError, match="describe no database for private look-ups"):
        cy.pir.Database.open(tmp_path / "vectors.index", device=HOME)
    with pytest.raises(FileError):
        cy.search.Index.open(tmp_path / "none", device=HOME)


def test_a_searcher_follows_an_index_that_changes(small: Any, tmp_path: Path) -> None:
    class Changing:
        """Another index after the first description was taken."""

        now: Any = small[0]

        @property
        def description(self) -> bytes:
            return bytes(self.now.description)

        def answer(self, queries: bytes) -> bytes:
            return bytes(self.now.answer(queries))

    source = Changing()
    searcher = cy.search.Searcher(source, device=HOME)
    found = searcher.search([[1, 0, 0], [0, 0, 1]], k=1, probes=3)
    assert found.indices.ravel().tolist() == [0, 4] and len(searcher) == 7
    source.now, _ = built(np.eye(3)[[2, 1, 0, 0]], tmp_path)
    assert searcher.search([0, 0, 1], k=1).indices == [[0]] and len(searcher) == 4
    assert searcher.client.version == source.now.version
