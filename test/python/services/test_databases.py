# SPDX-License-Identifier: Apache-2.0
"""A server's databases: the same bytes whoever shares the work, files that others replace, readers that notice, and
what is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import (
    ArgumentError,
    BusyError,
    FileError,
    FormatError,
    MismatchError,
    QuotaError,
    RangeError,
)
from cyclotome.sessions import databases
from cyclotome.sessions.databases import Databases, Followed, Scan
from small import HOME

RECORDS = [b"%d" % number * 900 for number in range(8)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two outputs: records of 900 bytes, four of a row."""
    place = tmp_path_factory.mktemp("databases") / "records.pir"
    table = np.frombuffer(b"".join(record[:900].ljust(900, b".") for record in RECORDS), np.uint8).reshape(8, 900)
    many = np.tile(table, (2048, 1))[: 2048 * 8]
    assert cy.pir.Database.build(many, place, rows=2048, device=HOME).outputs == 2
    return place


def record(number: int) -> bytes:
    return RECORDS[number % 8][:900].ljust(900, b".")


def queries(path: Path, numbers: list[int]) -> tuple[cy.pir.Client, list[cy.pir.Query], bytes]:
    client = cy.pir.Client(cy.pir.Database.open(path, device=HOME).description, device=HOME)
    made = [client.query(number) for number in numbers]
    return client, made, b"".join(query.data for query in made)


@pytest.fixture(scope="module")
def server(path: Path) -> Any:
    with cy.Server(databases={"records": path}, workers=2, device="cpu:1") as made:
        yield made


def test_answers_are_the_same_bytes_whoever_shares_them(path: Path, server: cy.Server) -> None:
    _, made, data = queries(path, [0, 16383, 9])
    database = cy.pir.Database.open(path, device=HOME)
    whole = database.answer(data)
    assert whole == b"".join(database.answers([query.data for query in made]))
    assert server.look_up("records", data) == whole
    assert cy.Server(databases={"records": path}, device=HOME).look_up("records", data) == whole
    with pytest.raises(ArgumentError, match="an answer is bytes, not list"):
        cy.pir.join([whole])  # type: ignore[arg-type]
    halves = [database.answer(data, outputs=range(i, i + 1)) for i in range(2)]
    assert cy.pir.join(*halves) == cy.pir.join(*halves[::-1]) == cy.pir.join(whole) == whole
    size = len(whole) // 3
    opened = [query.open(whole[i * size : (i + 1) * size]) for i, query in enumerate(made)]
    assert opened == [record(0), record(16383), record(9)]


@pytest.mark.parametrize("shares", [1, 2, 3, 7])
def test_any_number_of_shares(path: Path, shares: int) -> None:
    _, _, data = queries(path, [5])
    followed = Followed(str(path), HOME)
    asked: list[tuple[Any, ...]] = []

    def ask(message: tuple[Any, ...]) -> Scan:
        asked.append(message)
        return Scan(followed.current().answer(message[2], outputs=range(*message[3:])), 0.25)

    found = Databases({"records": path}, shares).answer("records", data, ask)
    assert found == (followed.current().answer(data), 0.25)
    assert sorted(number for each in asked for number in range(*each[3:])) == [0, 1]


def test_answers_that_do_not_belong_together_are_not_joined(path: Path) -> None:
    database = cy.pir.Database.open(path, device=HOME)
    _, _, data = queries(path, [1])
    _, _, other = queries(path, [1])
    first, second = (database.answer(data, outputs=range(i, i + 1)) for i in range(2))
    with pytest.raises(MismatchError, match="of one request"):
        cy.pir.join(first, database.answer(other, outputs=range(1, 2)))
    for parts in ((first, first), (database.answer(data), second)):
        with pytest.raises(ArgumentError, match="missing or twice"):
            cy.pir.join(*parts)
    with pytest.raises(MismatchError, match="numbers of queries"):
        cy.pir.join(first, database.answer(data + other, outputs=range(1, 2)))
    with pytest.raises(ArgumentError, match="no answers"):
        cy.pir.join()
    for damaged in (b"", first[:-1], first[:80], b"x" + first[1:], first[:-1] * 2):
        with pytest.raises(FormatError):
            cy.pir.join(damaged)


def test_a_reader_reads_several_records_in_one_request(path: Path, server: cy.Server) -> None:
    there = cy.sessions.ServedDatabase(server, "records")
    reader = cy.pir.Reader(there, device=HOME)
    assert len(reader) == 16384
    assert reader.read([3, 16000, 3]) == [record(3), record(16000), record(3)]
    assert reader.read([]) == [] and reader.get(7) == record(7)
    with pytest.raises(ArgumentError, match="no record 16384"):
        reader.get(16384)
    with pytest.raises(ArgumentError, match="by a list"):
        reader.read("abc")
    there.close()


def test_the_description_is_fetched_once(path: Path, server: cy.Server, tmp_path: Path) -> None:
    fetched = []

    class Counting:
        def describe(self, database: str, version: str = "") -> bytes:
            found = server.describe(database, version)
            fetched.append(len(found))
            return found

        def look_up(self, database: str, queries: bytes) -> bytes:
            return server.look_up(database, queries)

    cache = tmp_path / "description"
    for _ in range(2):
        reader = cy.pir.Reader(cy.sessions.ServedDatabase(Counting(), "records", cache=cache), device=HOME)
        assert reader.get(11) == record(11)
    assert fetched == [len(cache.read_bytes()), 0]
    cache.write_bytes(b"something else")
    reader = cy.pir.Reader(cy.sessions.ServedDatabase(Counting(), "records", cache=cache), device=HOME)
    assert reader.get(12) == record(12) and fetched[2] == fetched[0]


def test_a_file_that_takes_the_name_is_answered_from_at_once(tmp_path: Path) -> None:
    path, clock = tmp_path / "a.pir", [0.0]
    first = cy.pir.Database.build([b"one", b"two"], path, device=HOME)
    followed = Followed(str(path), HOME, lambda: clock[0])
    client = cy.pir.Client(first.description, device=HOME)
    before = client.query(1)
    second = first.replace({1: b"new"})
    assert followed.current().version == second.version and (followed.replaced, followed.refused) == (1, 0)
    assert before.open(followed.of(before.data).answer(before.data)) == b"two"  # the old version, for its queries
    clock[0] = 601
    with pytest.raises(MismatchError, match="get its description"):
        followed.of(before.data).answer(before.data)
    # What is no database, or gone, changes nothing.
    path.unlink()
    assert followed.current().version == second.version
    (tmp_path / "b").write_bytes(b"no database")
    os.replace(tmp_path / "b", path)
    assert followed.current().version == second.version and (followed.replaced, followed.refused) == (1, 1)
    after = cy.pir.Client(second.description, device=HOME).query(1)
    assert after.open(followed.of(after.data).answer(after.data)) == b"new"


def test_readers_go_on_when_the_database_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when nobody answers the version before any more."""
    monkeypatch.setattr(databases, "_KEPT_SECONDS", -1.0)
    path = tmp_path / "a.pir"
    database = cy.pir.Database.build({"a": b"1", "b": b"2"}, path, device=HOME)
    with cy.Server(databases={"letters": path}, device=HOME) as server:
        reader = cy.pir.Reader(cy.sessions.ServedDatabase(server, "letters"), device=HOME)
        assert reader.read(["a", "c"]) == [b"1", None]
        cy.pir.Database.build({"a": b"3", "c": b"4"}, path, device=HOME)
        assert reader.read(["a", "b", "c"]) == [b"3", None, b"4"]
        assert reader.client.version != database.version
        assert server.databases.counts == {"letters": (1, 0)}


def test_a_source_that_always_refuses_is_told(path: Path) -> None:
    asked = []

    class Refusing:
        description = cy.pir.Database.open(path, device=HOME).description

        def answer(self, queries: bytes) -> bytes:
            asked.append(queries)
            raise MismatchError("another version")

    with pytest.raises(MismatchError, match="another version"):
        cy.pir.Reader(Refusing(), device=HOME).get(1)
    assert len(asked) == len(set(asked)) == 4  # new secrets each time


def test_what_is_no_query_is_refused(path: Path, server: cy.Server) -> None:
    _, _, data = queries(path, [1])
    for error, name, bad in (
        (ArgumentError, "none", data),
        (FormatError, "records", b""),
        (FormatError, "records", b"x" * 100),
        (FormatError, "records", data[:-1]),
        (FormatError, "records", data + data[:100]),
        (MismatchError, "records", data[:8] + bytes(32) + data[40:]),
        (MismatchError, "records", data + data[:8] + bytes(32) + data[40:]),
        (RangeError, "records", data[:-200] + b"\xff" * 200),
    ):
        with pytest.raises(error):
            server.look_up(name, bad)
    with pytest.raises(ArgumentError, match="there are records"):
        server.describe("none")
    assert len(server.look_up("records", data)) > 0


@pytest.mark.parametrize(
    ("quotas", "error", "match"),
    [
        ({"request_bytes": 1000}, QuotaError, "1000 B"),
        ({"answer_bytes": 1000}, QuotaError, "answers have"),
        ({"client_bytes": 1000}, BusyError, "1000 B together"),
    ],
)
def test_quotas_bound_queries_and_answers(
    path: Path, quotas: dict[str, int], error: type[Exception], match: str
) -> None:
    _, _, data = queries(path, [1])
    server = cy.Server(databases={"a": path}, device=HOME, quotas=cy.sessions.Quotas(**quotas))
    with server, pytest.raises(error, match=match):
        server.look_up("a", data)


def test_jobs_of_look_ups_are_counted(path: Path) -> None:
    _, _, data = queries(path, [1])
    server = cy.Server(databases={"a": path}, device=HOME, quotas=cy.sessions.Quotas(all_jobs=1))
    with server, server.admission.job("x"), pytest.raises(BusyError):
        server.look_up("a", data)


def test_a_process_that_dies_is_replaced_and_the_answer_whole(path: Path, server: cy.Server) -> None:
    _, _, data = queries(path, [2])
    whole = server.look_up("records", data)
    assert server.processes is not None
    for pid in server.processes.pids:
        os.kill(pid, 9)
    assert server.look_up("records", data) == whole


@pytest.mark.parametrize(
    ("error", "given"),
    [
        (ArgumentError, {"no name": "x"}),
        (ArgumentError, {"": "x"}),
        (ArgumentError, {3: "x"}),
        (ArgumentError, ["x"]),
        (ArgumentError, {"x": 5}),
        (FileError, {"x": "/nowhere/x.pir"}),
        (FormatError, {"x": __file__}),
        (ArgumentError, {}),
    ],
)
def test_what_is_no_database_is_no_servers(error: type[Exception], given: Any) -> None:
    with pytest.raises(error):
        cy.Server(databases=given)


def test_an_index_is_served_as_a_database_is(tmp_path: Path, rng: np.random.Generator) -> None:
    vectors = rng.normal(size=(2050, 6))
    index = cy.search.Index.build(vectors, tmp_path / "a.index", device=HOME)
    with cy.Server(databases={"vectors": tmp_path / "a.index"}, device=HOME) as server:
        searcher = cy.search.Searcher(cy.sessions.ServedDatabase(server, "vectors"), device=HOME)
        found = searcher.search(vectors[[2049, 5]], k=2)
        assert found.indices[:, 0].tolist() == [2049, 5]
        assert searcher.client.version == index.version
        with pytest.raises(FormatError, match="describe no database for private look-ups"):
            cy.pir.Reader(cy.sessions.ServedDatabase(server, "vectors"), device=HOME)
