# SPDX-License-Identifier: Apache-2.0
"""Look-ups by key: every key's entry, None for every other key, and keys that are the same are refused."""

from __future__ import annotations

from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, UnsupportedError
from cyclotome.pir import filters
from small import HOME


def built(entries: dict[bytes | str, bytes], folder: Path, **options: object) -> tuple[cy.pir.Database, cy.pir.Client]:
    database = cy.pir.Database.build(entries, folder / "keyed.pir", device=HOME, **options)  # type: ignore[arg-type]
    return database, cy.pir.Client(database.description, device=HOME)


def looked_up(database: cy.pir.Database, client: cy.pir.Client, keys: list[bytes | str]) -> list[bytes | None]:
    queries = [client.query(key) for key in keys]
    answers = database.answers([query.data for query in queries])
    return [query.open(answer) for query, answer in zip(queries, answers, strict=True)]


def test_every_key_of_a_small_database_and_as_many_others(tmp_path: Path, rng: np.random.Generator) -> None:
    entries: dict[bytes | str, bytes] = {
        rng.bytes(int(rng.integers(0, 20))): rng.bytes(int(rng.integers(0, 30))) for _ in range(200)
    }
    database, client = built(entries, tmp_path)
    assert client.by_key and len(client) == len(entries)
    assert looked_up(database, client, list(entries)) == list(entries.values())
    others: list[bytes | str] = [key for key in (rng.bytes(21) for _ in range(200)) if key not in entries]
    assert looked_up(database, client, others) == [None] * len(others)


def test_a_miss_looks_like_a_hit(tmp_path: Path) -> None:
    database, client = built({"a": b"1", "b": b"22"}, tmp_path)
    hit, miss = client.query("a"), client.query("c")
    assert len(hit.data) == len(miss.data) == database.query_bytes
    answers = database.answers([hit.data, miss.data])
    assert len(answers[0]) == len(answers[1])
    assert (hit.open(answers[0]), miss.open(answers[1])) == (b"1", None)


def test_text_is_its_utf8_and_keys_that_are_the_same_are_refused(tmp_path: Path) -> None:
    database, client = built({"é": b"text", b"\xff": b"bytes", "": b"empty"}, tmp_path)
    assert looked_up(database, client, ["é".encode(), b"\xff", b"", "e"]) == [b"text", b"bytes", b"empty", None]
    with pytest.raises(ArgumentError, match="twice"):
        built({"é": b"1", "é".encode(): b"2"}, tmp_path)
    with pytest.raises(ArgumentError, match="without UTF-8"):
        built({"\ud800": b"1"}, tmp_path)
    with pytest.raises(ArgumentError, match="text or bytes"):
        built({5: b"1"}, tmp_path)  # type: ignore[dict-item]
    with pytest.raises(ArgumentError, match="no records"):
        built({}, tmp_path)
    with pytest.raises(ArgumentError, match="by key, not by index"):
        client.query(0)
    with pytest.raises(UnsupportedError, match="build the database anew"):
        database.replace({0: b"1"})


def test_many_keys_over_several_slots_and_outputs(tmp_path: Path, rng: np.random.Generator) -> None:
    entries: dict[bytes | str, bytes] = {f"{number}": rng.bytes(3000) for number in range(4000)}
    database, client = built(entries, tmp_path, rows=4096)
    assert database.outputs > 1
    keys: list[bytes | str] = [f"{number}" for number in rng.integers(0, 4000, 12)]
    assert looked_up(database, client, [*keys, "4000", "-1"]) == [*(entries[key] for key in keys), None, None]


@pytest.mark.parametrize("count", [1, 2, 50, 3000, 40000])
def test_sums_of_three_cells_are_the_entries(count: int, rng: np.random.Generator) -> None:
    keys = [b"%d" % number for number in range(count)]
    entries = rng.integers(0, 1 << 16, (count, 9), dtype=np.uint16)
    shape = filters.shape_for(9, count, 1 << 14)
    seed, table = filters.filled(entries, keys, shape, [rng.bytes(32) for _ in range(64)])
    table = table.reshape(shape.rows, shape.slots, 9)
    hashes = filters.Hashes(seed, keys, shape)
    assert (hashes.rows.max(axis=0) < shape.rows).all() and len({*hashes.rows[0]}) == 3
    found = sum(table[hashes.rows[:, i], hashes.slots].astype(int) for i in range(3)) % (1 << 16)
    assert (found == entries).all()
    assert entries[0, :4].astype("<u2").tobytes() == filters.tag_of(seed, keys[0])
    assert table.size <= 1.4 * entries.size + 2 * shape.slots * 2048 * 9


def test_keys_that_find_no_place_are_said(rng: np.random.Generator) -> None:
    """Twice as many keys as rows can't be placed with any hashes."""
    keys = [b"%d" % number for number in range(5000)]
    shape = filters.Shape(words=8, rows=2048, slots=1)
    with pytest.raises(ArgumentError, match="found no place"):
        filters.filled(np.zeros((5000, 8), np.uint16), keys, shape, [rng.bytes(32) for _ in range(3)])
