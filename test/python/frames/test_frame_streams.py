# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables in file objects, memory views, mapped files and pickles: read to their end and no further."""

from __future__ import annotations

import copy
import io
import mmap
import os
import pickle
import tracemalloc
from decimal import Decimal
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import pytest
from cyclotome import errors
from dripping import Dripping
from forged_tables import split
from small import encrypted as encrypted_array
from small import keys, same

MADE = keys((40961, 65537, 114689), value_bits=20)
OTHER = keys((40961, 65537))
TABLE = {"price": [1.5, -2.25, 1000, 0], "sold": [3, 0, 7, 1], "where": ["n", "s", "n", "n"]}


def encrypted(rows: int = 1) -> cy.EncryptedFrame:
    table = {name: values * rows for name, values in TABLE.items()}
    return cy.encrypt_frame(table, MADE.public, missing={"sold": "encrypted"}, categories={"where": ["n", "s"]})


def equal(x: cy.EncryptedFrame, y: cy.EncryptedFrame) -> None:
    assert isinstance(x, cy.EncryptedFrame)
    pd.testing.assert_frame_equal(cy.decrypt_frame(x, MADE.secret), cy.decrypt_frame(y, MADE.secret))


def test_tables_stand_among_other_objects_of_a_stream() -> None:
    x, array = encrypted(), encrypted_array(np.arange(5), 20)
    stream = io.BytesIO()
    everything = (x, x.parameters, x, array, MADE.evaluation, x.select("price"))
    ends = []
    for obj in everything:
        cy.save(stream, obj, note={"n": 1})
        ends.append(stream.tell())
    stream.seek(0)
    found = []
    for end in ends:
        found.append(cy.load(stream, allow_insecure=True))
        assert stream.tell() == end
    for i in (0, 2):
        equal(found[i], x)
    equal(found[5], x.select("price"))
    assert found[1] == x.parameters and isinstance(found[4], cy.EvaluationKeys)
    same(found[3], np.arange(5))
    with pytest.raises(errors.FileError, match="at its end"):
        cy.load(stream, allow_insecure=True)


def test_parameters_and_an_array_are_two_objects_of_a_stream_and_none_of_a_file(tmp_path: Path) -> None:
    array = encrypted_array(np.arange(5), 20)
    data = cy.to_bytes(array.parameters, note={"frame": {"arrays": ["00" * 32]}}) + cy.to_bytes(array)
    stream = io.BytesIO(data)
    assert cy.load(stream, allow_insecure=True) == array.parameters
    same(cy.load(stream, allow_insecure=True), np.arange(5))
    (tmp_path / "x").write_bytes(data)
    for read in (lambda: cy.load(tmp_path / "x", allow_insecure=True), lambda: cy.from_bytes(memoryview(data), True)):
        with pytest.raises(errors.FormatError, match="bytes follow"):
            read()


def test_keys_that_are_given_reach_all_columns_of_a_stream() -> None:
    x, stream = encrypted(), io.BytesIO()
    cy.save(stream, x)
    stream.seek(0)
    y = cy.load(stream, keys=(MADE.public, MADE.evaluation))
    assert cy.decrypt_frame((y["price"] * y["sold"]).sum(), MADE.secret) == Decimal("7004.5")
    stream.seek(0)
    with pytest.raises(errors.MismatchError):
        cy.load(stream, keys=OTHER.evaluation)
    stream.seek(0)
    with pytest.raises(errors.SecurityError):
        cy.load(stream)


@pytest.mark.parametrize("step", [1000, 4097, 1 << 30])
def test_streams_that_give_and_take_little_at_a_time(step: int, tmp_path: Path) -> None:
    x, narrow = encrypted(), Dripping(step=step)
    cy.save(narrow, x)
    cy.save(tmp_path / "x", x)
    data = bytes(narrow.taken)
    assert data == cy.to_bytes(x) == bytes(cy.to_view(x)) == (tmp_path / "x").read_bytes()
    behind = Dripping(data + b"behind", step)
    equal(cy.load(behind, allow_insecure=True), x)
    assert behind.at == len(data)
    assert cy.to_view(x).readonly and isinstance(cy.to_view(x), memoryview)


@pytest.mark.parametrize("lend", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_tables_are_taken_from_whoever_lends_bytes(lend: Any) -> None:
    x = encrypted()
    data = lend(cy.to_bytes(x))
    equal(cy.from_bytes(data, True), x)
    if isinstance(data, bytearray):
        data.clear()  # nobody holds it
    for wrong in (memoryview(cy.to_bytes(x))[::2], memoryview(cy.to_bytes(x))[:-1], memoryview(cy.to_bytes(x) + b"x")):
        with pytest.raises((errors.ArgumentError, errors.FormatError)):
            cy.from_bytes(wrong, True)
    gone = memoryview(cy.to_bytes(x))
    gone.release()
    with pytest.raises(errors.ArgumentError, match="bytes in one piece"):
        cy.from_bytes(gone, True)


def test_a_mapped_table_is_read_where_it_is(tmp_path: Path) -> None:
    x, path = encrypted(20000), tmp_path / "x"
    cy.save(path, x)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        tracemalloc.start()
        y = cy.from_bytes(mapped, True)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < path.stat().st_size / 8
    equal(y, x)


def test_a_table_is_written_to_a_stream_array_by_array() -> None:
    x = encrypted(20000)
    with open(os.devnull, "wb") as nowhere:
        tracemalloc.start()
        cy.save(nowhere, x)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < len(cy.to_bytes(x)) / 8


def test_tables_of_streams_that_are_cut_off_or_put_together(tmp_path: Path) -> None:
    x = encrypted()
    data = cy.to_bytes(x)
    head, *arrays = split(data)
    alien = cy.to_bytes(encrypted_array(np.arange(4), 20))
    ends = [
        1,
        24,
        56,
        len(head) - 1,
        len(head),
        len(head) + 1,
        len(head) + 56,
        len(data) - len(arrays[-1]),
        len(data) - 1,
    ]
    wrong = [data[:end] for end in ends]
    wrong += [head + alien + b"".join(arrays[1:]), head + b"".join(reversed(arrays)), head + data]
    for each in wrong:
        (tmp_path / "wrong").write_bytes(each)
        for read in (
            lambda each=each: cy.load(io.BytesIO(each), allow_insecure=True),
            lambda: cy.load(tmp_path / "wrong", allow_insecure=True),
            lambda each=each: cy.from_bytes(memoryview(each), True),
        ):
            with pytest.raises(errors.FormatError):
                read()


def test_every_limit_counts_all_of_a_table() -> None:
    data = cy.to_bytes(encrypted())
    head, first, *_ = split(data)
    cy.load(io.BytesIO(data), max_bytes=len(data), allow_insecure=True)
    for limit in (len(data) - 1, len(head) + len(first), len(head) - 1):
        for read in (
            lambda limit=limit: cy.load(io.BytesIO(data), max_bytes=limit, allow_insecure=True),
            lambda limit=limit: cy.from_bytes(memoryview(data), True, max_bytes=limit),
        ):
            with pytest.raises(errors.FormatError, match="limit"):
                read()
    huge = head + first[:16] + (1 << 31).to_bytes(8, "little") + first[24:]
    stream = Dripping(huge)
    with pytest.raises(errors.FormatError, match="cut off"):
        cy.load(stream, allow_insecure=True)
    assert stream.asked <= 1 << 20  # nobody asked for the 2 GiB that a header announces


def test_flipped_bytes_are_found_in_streams_and_views(rng: np.random.Generator) -> None:
    data = cy.to_bytes(encrypted())
    for place in rng.integers(0, len(data), 60).tolist():
        wrong = bytearray(data)
        wrong[place] ^= 1 << int(rng.integers(8))
        for read in (
            lambda wrong=wrong: cy.load(io.BytesIO(wrong), allow_insecure=True),
            lambda wrong=wrong: cy.from_bytes(memoryview(wrong), True),
        ):
            with pytest.raises(errors.CyclotomeError):
                read()


def test_a_passphrase_protects_no_table() -> None:
    for path in (io.BytesIO(), "never-written"):
        with pytest.raises(errors.ArgumentError, match="passphrase"):
            cy.save(path, encrypted(), passphrase="x")
    assert not Path("never-written").exists()


def test_pickled_tables_have_keys_where_these_are_held() -> None:
    x = encrypted().with_keys(MADE.public, MADE.evaluation)
    x = x.assign(again=x["price"])
    stored, bare = pickle.dumps(x), pickle.dumps(cy.from_bytes(cy.to_view(x), True))
    equal(pickle.loads(stored), x)
    y = pickle.loads(stored)
    assert y["again"].values is y["price"].values
    with pytest.raises(errors.MissingKeyError):
        y["price"] * y["sold"]
    cy.sessions.hold_keys(MADE.evaluation)
    try:
        for y in (pickle.loads(stored), copy.deepcopy(x)):
            assert all(array.keyring.keys() for column in y.columns.values() for array in column.arrays())
            assert cy.decrypt_frame((y["price"] * y["sold"]).sum(), MADE.secret) == Decimal("7004.5")
        y = pickle.loads(bare)  # it knew none
        assert not any(array.keyring.keys() for column in y.columns.values() for array in column.arrays())
    finally:
        cy.sessions.release_keys()
