# SPDX-License-Identifier: Apache-2.0
"""Stored objects in file objects, memory views and mapped files: whole, bounded, and not copied where they lie."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core, errors, streams
from dripping import Dripping
from small import encrypted, keys, same


def loaded(data: Any) -> Any:
    return cy.from_bytes(data, True)


def test_several_objects_make_a_stream_which_is_read_one_by_one() -> None:
    values = np.arange(12).reshape(3, 4)
    x, stream = encrypted(values, 20), io.BytesIO()
    for obj in (x.parameters, keys().public, keys().evaluation, x):
        cy.save(stream, obj, note={"n": 1})
    stream.seek(0)
    assert cy.load(stream, allow_insecure=True) == x.parameters
    assert cy.load(stream, allow_insecure=True).key_id == keys().public.key_id
    evaluation = cy.load(stream, allow_insecure=True)
    y = cy.load(stream, allow_insecure=True, keys=evaluation)
    same(y * y, values**2)
    with pytest.raises(errors.FileError, match="at its end"):
        cy.load(stream)


def test_a_stream_has_the_bytes_of_a_file(tmp_path: Path) -> None:
    x = encrypted(np.arange(5), 20)
    cy.save(tmp_path / "x.ct", x)
    stream = io.BytesIO()
    cy.save(stream, x)
    assert stream.getvalue() == (tmp_path / "x.ct").read_bytes() == cy.to_bytes(x) == bytes(cy.to_view(x))
    assert cy.to_view(x).readonly


@pytest.mark.parametrize("lend", [bytes, bytearray, memoryview, lambda b: np.frombuffer(b, np.uint8)])
def test_bytes_are_taken_from_whoever_lends_them(lend: Any) -> None:
    x = encrypted(np.arange(5), 20)
    same(loaded(lend(cy.to_bytes(x))), np.arange(5))


def test_what_lends_no_bytes_in_one_piece_is_refused() -> None:
    data = memoryview(cy.to_bytes(encrypted(np.arange(5), 20)))
    for wrong in (data[::2], "text", 7, None, [1, 2]):
        with pytest.raises(errors.ArgumentError, match="bytes in one piece"):
            loaded(wrong)


def test_a_mapped_file_is_read_where_it_is(tmp_path: Path) -> None:
    """Python allocates nothing of its size; and the map can be closed afterwards, so nobody holds it."""
    x = encrypted(np.arange(64 * 4096).reshape(64, -1) % 97, 100)
    path = tmp_path / "x.ct"
    cy.save(path, x)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        tracemalloc.start()
        y = loaded(mapped)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < path.stat().st_size / 8
    same(y, np.arange(64 * 4096).reshape(64, -1) % 97)


def test_a_view_is_not_copied_when_it_is_written() -> None:
    x = encrypted(np.arange(64 * 4096).reshape(64, -1) % 97, 100)
    with open(os.devnull, "wb") as nowhere:
        tracemalloc.start()
        cy.save(nowhere, x)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < len(cy.to_bytes(x)) / 8


def test_bytes_that_change_after_their_check_do_no_harm(rng: np.random.Generator) -> None:
    """As a mapped file can: what is read twice is checked twice. A typed refusal, or residues of other values."""
    data = cy.to_bytes(encrypted(np.arange(8), 20))
    limits = {"max_bytes": 1 << 30, "max_expanded_bytes": 1 << 32, "allow_insecure": True}
    fresh = encrypted(np.arange(8), 20)
    refused = taken = 0
    places = [*range(min(len(data), 1200)), *rng.integers(0, len(data), 200).tolist()]
    for place in places:
        lent = bytearray(data)
        container = _core.Container.from_bytes(lent, **limits, security_table=_core.default_security_table())
        lent[place] ^= int(rng.integers(1, 256))
        try:
            container.read_array(fresh.context.native)
            taken += 1
        except errors.CyclotomeError:
            refused += 1
    assert refused + taken == len(places) and refused > 0 and taken > 0


def test_a_lender_may_not_shrink_while_it_is_read() -> None:
    lent = bytearray(cy.to_bytes(encrypted(np.arange(8), 20)))
    container = _core.Container.from_bytes(
        lent,
        max_bytes=1 << 30,
        max_expanded_bytes=1 << 32,
        allow_insecure=True,
        security_table=_core.default_security_table(),
    )
    with pytest.raises(BufferError):
        lent.clear()
    del container
    lent.clear()


def test_streams_that_give_and_take_little_at_a_time() -> None:
    x = encrypted(np.arange(5), 20)
    narrow = Dripping(step=1000)
    cy.save(narrow, x)
    assert bytes(narrow.taken) == cy.to_bytes(x)
    same(cy.load(Dripping(cy.to_bytes(x), step=1000), allow_insecure=True), np.arange(5))


def test_a_pipe_and_a_socket_carry_objects() -> None:
    x = encrypted(np.arange(5), 20)
    left, right = socket.socketpair()
    with left, right, left.makefile("wb") as out, right.makefile("rb") as back:

        def send() -> None:
            cy.save(out, x)
            cy.save(out, x.parameters)
            out.flush()

        sender = threading.Thread(target=send)
        sender.start()
        same(cy.load(back, allow_insecure=True), np.arange(5))
        assert cy.load(back, allow_insecure=True) == x.parameters
        sender.join()


def test_reading_is_bounded_by_what_arrives_and_by_the_limit() -> None:
    data = cy.to_bytes(encrypted(np.arange(5), 20))
    with pytest.raises(errors.FormatError, match="limit of 1000"):
        cy.load(io.BytesIO(data), max_bytes=1000, allow_insecure=True)
    huge = data[:16] + (1 << 31).to_bytes(8, "little") + data[24:]
    stream = Dripping(huge, step=1 << 30)
    with pytest.raises(errors.FormatError, match="cut off"):
        cy.load(stream, allow_insecure=True)
    assert stream.asked <= 1 << 20  # nobody asked for the 2 GiB that the header announces
    for end in (1, 20, 55, 56, 1000, len(data) - 1):
        with pytest.raises(errors.FormatError):
            cy.load(io.BytesIO(data[:end]), allow_insecure=True)
    for small in (0, 1, 56, 87):
        with pytest.raises(errors.FormatError, match="fewer than the 88"):
            cy.load(io.BytesIO(data[:16] + small.to_bytes(8, "little") + data[24:]), allow_insecure=True)


def test_streams_that_are_none(tmp_path: Path) -> None:
    x = encrypted(np.arange(5), 20)
    (tmp_path / "x.txt").write_text("CYCLOTOM" * 20)
    with (tmp_path / "x.txt").open() as text, pytest.raises(errors.FileError, match="mode 'rb'"):
        cy.load(text)
    with (tmp_path / "y.txt").open("w") as text, pytest.raises(errors.FileError, match="mode 'wb'"):
        cy.save(text, x)
    with pytest.raises(errors.FormatError, match="CYCLOTOM"):
        cy.load(io.BytesIO(b"garbage, and more of it than any header has, so that all of it is looked at"))
    closed = os.open(tmp_path / "x.txt", os.O_RDONLY)
    with os.fdopen(closed, "rb", buffering=0) as file, pytest.raises(errors.FileError, match="write"):
        cy.save(file, x)


def test_a_disk_that_is_full_is_an_error() -> None:
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(errors.FileError, match="No space left"):
        cy.save(full, encrypted(np.arange(5), 20))


def test_secret_keys_are_written_to_paths_only() -> None:
    with pytest.raises(errors.SecrecyError):
        cy.save(io.BytesIO(), keys().secret)
    with pytest.raises(errors.SecrecyError):
        cy.to_view(keys().secret)
    with pytest.raises(errors.ArgumentError, match="passphrase"):
        cy.save(io.BytesIO(), keys().public, passphrase="x")


def test_parts_of_a_buffer() -> None:
    x = cy.to_bytes(encrypted(np.arange(5), 20))
    found = list(streams.parts(memoryview(x + x), 1 << 30, 2))
    assert [bytes(part) for part in found] == [x, x]
    assert list(streams.parts(b"", 1 << 30, 2)) == []
    for wrong in (x + x + x, x + b"tail", x[:-1]):
        with pytest.raises(errors.FormatError):
            list(streams.parts(wrong, 1 << 30, 2))


def test_pickled_arrays_have_keys_where_these_are_held() -> None:
    x = encrypted(np.arange(5), 20)
    stored, bare = pickle.dumps(x), pickle.dumps(cy.from_bytes(cy.to_bytes(x), True))
    with pytest.raises(errors.MissingKeyError):
        pickle.loads(stored) * pickle.loads(stored)
    cy.sessions.hold_keys(keys().evaluation)
    cy.sessions.hold_keys(keys().public)  # joined with what is held
    try:
        y = pickle.loads(stored)
        same(y * y, np.arange(5) ** 2)
        same(y - y, np.zeros(5, dtype=int))  # hidden anew with the public key
        assert not pickle.loads(bare).keyring.keys()  # it knew none
        assert keys().evaluation.key_id.encode() not in pickle.dumps(y)[:100]
    finally:
        cy.sessions.release_keys()
    with pytest.raises(errors.MissingKeyError):
        pickle.loads(stored) * pickle.loads(stored)
    for wrong in (keys().secret, 7):
        with pytest.raises(errors.UnsupportedError):
            cy.sessions.hold_keys(wrong)
    with pytest.raises(errors.UnsupportedError, match="none were given"):
        cy.sessions.hold_keys()


def test_a_pool_of_processes_is_given_keys_once() -> None:
    """Spawned workers, as every system has them: nothing is inherited."""
    program = """
import multiprocessing as mp, cyclotome as cy
def square(x): return x * x
if __name__ == "__main__":
    secret, public, evaluation = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=7), rotations=[])
    with mp.get_context("spawn").Pool(2, cy.sessions.hold_keys, (evaluation,)) as pool:
        results = pool.map(square, [cy.encrypt([i, 2], public) for i in range(4)])
    print([cy.decrypt(r, secret).tolist() for r in results])
"""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "squares.py"
        script.write_text(program)
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[[0, 4], [1, 4], [4, 4], [9, 4]]", done.stderr
