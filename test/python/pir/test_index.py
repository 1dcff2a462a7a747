# SPDX-License-Identifier: Apache-2.0
"""Look-ups by index give the record's bytes, whatever its size and place; what is no query or no answer is refused."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, EngineError, FormatError, MismatchError, RangeError
from cyclotome.pir.shape import COLUMNS, shape_of
from small import HOME


def built(records: object, folder: Path, **options: object) -> tuple[cy.pir.Database, cy.pir.Client]:
    database = cy.pir.Database.build(records, folder / "database.pir", device=HOME, **options)  # type: ignore[arg-type]
    return database, cy.pir.Client(database.description, device=HOME)


def looked_up(database: cy.pir.Database, client: cy.pir.Client, records: list[int]) -> list[bytes | None]:
    queries = [client.query(record) for record in records]
    answers = database.answers([query.data for query in queries])
    return [query.open(answer) for query, answer in zip(queries, answers, strict=True)]


def drawn(rng: np.random.Generator, count: int, most: int, least: int = 0) -> list[bytes]:
    return [rng.bytes(int(rng.integers(least, most + 1))) for _ in range(count)]


@pytest.fixture(scope="module")
def party(tmp_path_factory: pytest.TempPathFactory) -> tuple[cy.pir.Database, cy.pir.Client, list[bytes]]:
    records = [bytes([number]) * (1 + number % 7) for number in range(60)]
    return *built(records, tmp_path_factory.mktemp("pir")), records


def test_every_record_of_a_small_database_is_read(tmp_path: Path, rng: np.random.Generator) -> None:
    records = drawn(rng, 300, 40)
    database, client = built(records, tmp_path)
    assert looked_up(database, client, list(range(300))) == records
    assert len(database) == len(client) == 300 and not client.by_key
    assert client.record_bytes == max(map(len, records)) and client.version == database.version


def test_records_of_one_length_come_from_an_array(tmp_path: Path, rng: np.random.Generator) -> None:
    table = rng.integers(0, 256, (5000, 255), dtype=np.uint8)
    database, client = built(table, tmp_path)
    asked = [0, 4999, *rng.integers(0, 5000, 20).tolist()]
    assert looked_up(database, client, asked) == [table[i].tobytes() for i in asked]


@pytest.mark.parametrize("size", [1, 2, 3, 4094, 4095, 4096, 4097, 9000])
def test_any_size_of_record(tmp_path: Path, rng: np.random.Generator, size: int) -> None:
    records = [rng.bytes(size) for _ in range(5)]
    database, client = built(records, tmp_path)
    assert database.outputs == -(-size // 4096)
    assert looked_up(database, client, [0, 4, 2]) == [records[0], records[4], records[2]]


def test_several_outputs_and_full_rows(tmp_path: Path, rng: np.random.Generator) -> None:
    """Rows of two outputs of two records each; the last row is not full."""
    table = rng.integers(0, 256, (COLUMNS * 4 - 1, 2047), dtype=np.uint8)
    database, client = built(table, tmp_path, rows=COLUMNS)
    assert database.outputs == 2
    asked = [0, 1, 2, 3, 4, len(table) - 1, *rng.integers(0, len(table), 8).tolist()]
    assert looked_up(database, client, asked) == [table[i].tobytes() for i in asked]


def test_empty_records_are_records(tmp_path: Path) -> None:
    database, client = built([b"", b"", b""], tmp_path)
    assert looked_up(database, client, [0, 2]) == [b"", b""]
    database, client = built([b"", b"x"], tmp_path)
    assert looked_up(database, client, [0, 1]) == [b"", b"x"]


@pytest.mark.parametrize(("count", "size"), [(1, 1), (2048, 4096), (2049, 4096), (70000, 3), (100, 5000), (40000, 300)])
def test_every_record_has_a_place_of_its_own(count: int, size: int) -> None:
    words = -(-size // 2)
    shape = shape_of(words, count, 1 << 15)
    assert shape.rows % COLUMNS == 0 and shape.rows * shape.slots >= count
    seen = set()
    for slot in range(shape.slots):
        place = shape.place(slot)
        cells = {(o, place.first + c) for o in place.outputs for c in range(min(words, COLUMNS))}
        assert place.outputs.stop <= shape.outputs and place.first + min(words, COLUMNS) <= COLUMNS
        assert not seen & cells
        seen |= cells


def test_a_query_tells_nothing_by_its_size_and_never_repeats(
    party: tuple[cy.pir.Database, cy.pir.Client, list[bytes]],
) -> None:
    database, client, _ = party
    queries = [client.query(number).data for number in (0, 0, 59)]
    assert {len(query) for query in queries} == {database.query_bytes}
    # Under one secret, two queries' row parts would differ in few places only; and no seed comes twice.
    bodies = [np.frombuffer(query[40:], np.uint8) for query in queries]
    for i in range(3):
        for j in range(i):
            assert np.mean(bodies[i] == bodies[j]) < 0.02
    assert len({len(database.answer(query)) for query in queries}) == 1


def test_shards_answer_their_outputs_and_bits_are_the_same(tmp_path: Path, rng: np.random.Generator) -> None:
    records = [rng.bytes(9000) for _ in range(7)]
    database, client = built(records, tmp_path)
    query = client.query(3)
    whole = database.answer(query.data)
    parts = [
        cy.pir.Database.open(tmp_path / "database.pir", device=device).answer(query.data, outputs=outputs)
        for device, outputs in (("cpu:1", range(1)), ("cpu:2", range(1, 3)))
    ]
    assert query.open(*parts) == query.open(*reversed(parts)) == query.open(whole) == records[3]
    size = COLUMNS * 18 // 8
    assert parts[0][-size:] + parts[1][-2 * size :] == whole[-3 * size :]
    with pytest.raises(ArgumentError, match=r"nobody answered outputs \[0\]"):
        query.open(parts[1])
    for outputs in (range(4), range(2, 2), range(0, 3, 2), range(-1, 2)):
        with pytest.raises(ArgumentError, match="of a database that has 3"):
            database.answer(query.data, outputs=outputs)


def test_answers_in_a_batch_are_those_one_by_one(party: tuple[cy.pir.Database, cy.pir.Client, list[bytes]]) -> None:
    database, client, _ = party
    queries = [client.query(number).data for number in range(5)]
    assert database.answers(queries) == [database.answer(query) for query in queries]
    assert database.answers([]) == []


def test_what_is_no_query_is_refused(party: tuple[cy.pir.Database, cy.pir.Client, list[bytes]]) -> None:
    database, client, _ = party
    data = client.query(5).data
    for wrong in (b"", data[:39], b"x" + data[1:], data[:-1], data + b"\0"):
        with pytest.raises(FormatError):
            database.answer(wrong)
    with pytest.raises(MismatchError, match="get its description"):
        database.answer(data[:8] + bytes(32) + data[40:])
    with pytest.raises(RangeError, match="not below the modulus"):
        database.answer(data[:-14000] + b"\xff" * 14000)
    with pytest.raises(ArgumentError, match="a query is bytes"):
        database.answer(bytearray(data))  # type: ignore[arg-type]


def test_any_other_query_of_the_right_size_is_answered(
    party: tuple[cy.pir.Database, cy.pir.Client, list[bytes]], rng: np.random.Generator
) -> None:
    """Whatever numbers a client sends are some combination of rows: nothing breaks, nothing is remembered."""
    database, client, records = party
    query = client.query(5)
    head, body = query.data[:40], bytearray(query.data[40:])
    for position in rng.integers(0, 10000, 50):
        body[position] ^= int(rng.integers(1, 256))
    answer = database.answer(head + bytes(body))
    assert len(answer) == len(database.answer(query.data))
    assert query.open(database.answer(query.data)) == records[5]


def test_what_is_no_answer_is_refused(party: tuple[cy.pir.Database, cy.pir.Client, list[bytes]]) -> None:
    database, client, _ = party
    query, other = client.query(5), client.query(5)
    answer = database.answer(query.data)
    for wrong in (b"", answer[:-1], answer + b"\0", b"x" + answer[1:]):
        with pytest.raises(FormatError):
            query.open(wrong)
    with pytest.raises(MismatchError, match="another query"):
        other.open(answer)
    with pytest.raises(MismatchError, match="another database"):
        query.open(answer[:8] + bytes(32) + answer[40:])
    with pytest.raises(ArgumentError, match="an answer is bytes"):
        query.open("text")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="nobody answered"):
        query.open()


def test_what_is_no_record_is_refused(
    tmp_path: Path, party: tuple[cy.pir.Database, cy.pir.Client, list[bytes]]
) -> None:
    _, client, _ = party
    for wrong in (-1, 60, 1 << 70, "0", b"0", True, 1.0, None):
        with pytest.raises(ArgumentError):
            client.query(wrong)  # type: ignore[arg-type]
    for records in (
        [],
        ["text"],
        [b"a", 3],
        b"bytes",
        5,
        np.zeros(5, np.uint8),
        np.zeros((2, 2)),
        [bytes((1 << 24) + 1)],
    ):
        with pytest.raises(ArgumentError):
            built(records, tmp_path)
    for rows in (0, 100, 2049, 1 << 18, -2048, "many"):
        with pytest.raises(ArgumentError, match="rows"):
            built([b"a"], tmp_path, rows=rows)
    with pytest.raises(ArgumentError, match="make several databases"):
        shape_of(2048, 1 << 40, 1 << 15)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_description_is_refused(party: tuple[cy.pir.Database, cy.pir.Client, list[bytes]]) -> None:
    description = party[0].description
    for wrong in (b"", description[:-1], description + b"\0", b"x" * len(description)):
        with pytest.raises(FormatError):
            cy.pir.Client(wrong)
    with pytest.raises(FormatError, match="was altered"):
        cy.pir.Client(description[:-8] + b"\xff" * 8)
    with pytest.raises(ArgumentError, match="bytes"):
        cy.pir.Client(bytearray(description))  # type: ignore[arg-type]
    for position in range(8, 36):  # the numbers: refused or another description, never another error
        altered = bytearray(description)
        altered[position] ^= 0x81
        with suppress(FormatError):
            assert cy.pir.Client(bytes(altered)).version != party[0].version


def test_devices_that_do_not_scan_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        cy.pir.Database.build([b"a"], tmp_path / "a", device="gpu")
