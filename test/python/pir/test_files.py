# SPDX-License-Identifier: Apache-2.0
"""A database's file: mapped, not read; changed without an interruption; damaged or cut ones are refused. Saved
queries."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, FileError, FormatError, MismatchError
from small import HOME


def ask(database: cy.pir.Database, record: int | str) -> bytes | None:
    query = cy.pir.Client(database.description, device=HOME).query(record)
    return query.open(database.answer(query.data))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    path = tmp_path_factory.mktemp("pir") / "database.pir"
    records = [b"%d" % number * 700 for number in range(10)]
    cy.pir.Database.build(records, path, device=HOME)
    return path, records


def test_a_file_is_opened_by_other_processes(stored: tuple[Path, list[bytes]]) -> None:
    path, records = stored
    program = (
        "import sys, cyclotome as cy; d = cy.pir.Database.open(sys.argv[1], device='cpu:1');"
        "q = cy.pir.Client(d.description).query(7); print(q.open(d.answer(q.data)) == b'7' * 700)"
    )
    said = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert said.stdout == "True\n" and records[7] == b"7" * 700


def test_queries_before_a_change_are_answered_by_the_old_version_only(tmp_path: Path, rng: np.random.Generator) -> None:
    path = tmp_path / "a.pir"
    records = [rng.bytes(3000) for _ in range(2500)]  # a record an output, two outputs
    old = cy.pir.Database.build(records, path, rows=2048, device=HOME)
    assert old.outputs == 2
    client = cy.pir.Client(old.description)
    before = client.query(3)
    new = old.replace({3: b"x" * 3000, 1: records[1]})
    with pytest.raises(MismatchError, match="get its description"):
        new.answer(before.data)
    assert before.open(old.answer(before.data)) == records[3]
    assert old.version != new.version == cy.pir.Database.open(path).version
    assert [ask(new, number) for number in (0, 1, 2, 3, 2499)] == [*records[:3], b"x" * 3000, records[2499]]
    # The output of even numbers was taken over as it was: its mask is the same.
    size = -(-2048 * 53 // 8)
    assert old.description[-2 * size : -size] == new.description[-2 * size : -size]
    assert old.description[-size:] != new.description[-size:]
    assert [path.name for path in tmp_path.iterdir()] == ["a.pir"]


def test_a_change_to_another_file_leaves_the_first(tmp_path: Path) -> None:
    old = cy.pir.Database.build([b"a", b"bb", b""], tmp_path / "a", device=HOME)
    new = old.replace({2: b"c"}, path=tmp_path / "b")
    assert (ask(cy.pir.Database.open(tmp_path / "a"), 2), ask(new, 2), ask(new, 1)) == (b"", b"c", b"bb")
    for wrong in ({3: b"a"}, {-1: b"a"}, {"0": b"a"}, {0: b"too long"}, {0: "a"}):
        with pytest.raises(ArgumentError):
            new.replace(wrong)  # type: ignore[arg-type]
    equal = cy.pir.Database.build([b"aa", b"bb"], tmp_path / "c", device=HOME)
    with pytest.raises(ArgumentError, match="1 bytes; those of this database have 2"):
        equal.replace({0: b"a"})


def test_threads_answer_from_one_database_while_it_is_changed(stored: tuple[Path, list[bytes]], tmp_path: Path) -> None:
    path, records = stored
    database = cy.pir.Database.open(path, device=HOME)
    failures: list[object] = []

    def work(number: int) -> None:
        try:
            for _ in range(3):
                if ask(database, number) != records[number]:
                    failures.append(number)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    database.replace({0: b"x" * 700}, path=tmp_path / "new")
    for thread in threads:
        thread.join()
    assert failures == []


def test_cut_and_foreign_files_are_refused(stored: tuple[Path, list[bytes]], tmp_path: Path) -> None:
    data = stored[0].read_bytes()
    wrong = tmp_path / "wrong"
    for content in (
        data[:-1],
        data[:5000],
        data[:100],
        data[:10],
        b"x" * 5000,
        data[:8] + b"\xff" * 8 + data[16:],
        data + b"\0",
    ):
        wrong.write_bytes(content)
        with pytest.raises(FormatError):
            cy.pir.Database.open(wrong)
    wrong.write_bytes(b"")
    for missing in (wrong, tmp_path / "none", tmp_path):
        with pytest.raises(FileError):
            cy.pir.Database.open(missing)
    with pytest.raises(FileError):
        cy.pir.Database.build([b"a"], tmp_path / "no folder" / "a", device=HOME)


def test_damage_is_found(stored: tuple[Path, list[bytes]], tmp_path: Path, rng: np.random.Generator) -> None:
    data = bytearray(stored[0].read_bytes())
    assert cy.pir.Database.open(stored[0]).damaged_outputs() == []
    data[int(rng.integers(1 << 20, len(data) - 4096))] ^= 1
    (tmp_path / "damaged").write_bytes(data)
    assert cy.pir.Database.open(tmp_path / "damaged").damaged_outputs() == [0]


def test_a_saved_query_opens_its_answer(stored: tuple[Path, list[bytes]], tmp_path: Path) -> None:
    path, records = stored
    database = cy.pir.Database.open(path, device=HOME)
    client = cy.pir.Client(database.description)
    query = client.query(4)
    query.save(tmp_path / "secret")
    assert stat.S_IMODE(os.stat(tmp_path / "secret").st_mode) == 0o600
    with pytest.raises(FileError):
        query.save(tmp_path / "secret")
    query.save(tmp_path / "secret", overwrite=True)
    answer = database.answer(query.data)
    loaded = cy.pir.Client(database.description).load(tmp_path / "secret")
    assert loaded.open(answer) == query.open(answer) == records[4] and loaded.data == b""
    other = client.query(4)
    with pytest.raises(MismatchError, match="another query"):
        loaded.open(database.answer(other.data))

    saved = (tmp_path / "secret").read_bytes()
    for content in (b"", saved[:-1], b"x" + saved[1:]):
        (tmp_path / "wrong").write_bytes(content)
        with pytest.raises(FormatError):
            client.load(tmp_path / "wrong")
    (tmp_path / "wrong").write_bytes(saved[:-16] + b"\xff" * 8 + saved[-8:])
    with pytest.raises(FormatError, match="slot"):
        client.load(tmp_path / "wrong")
    with pytest.raises(FileError):
        client.load(tmp_path / "none")
    changed = database.replace({0: b"x" * 700}, path=tmp_path / "changed")
    with pytest.raises(MismatchError, match="another database"):
        cy.pir.Client(changed.description).load(tmp_path / "secret")


def test_a_saved_query_with_a_key(tmp_path: Path) -> None:
    database = cy.pir.Database.build({"a": b"1"}, tmp_path / "keyed", device=HOME)
    client = cy.pir.Client(database.description)
    for key, entry in (("a", b"1"), ("b", None)):
        query = client.query(key)
        query.save(tmp_path / f"query {key}")
        assert client.load(tmp_path / f"query {key}").open(database.answer(query.data)) == entry


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts memory by Linux's /proc")
def test_answering_takes_little_memory_beside_the_file(tmp_path: Path, rng: np.random.Generator) -> None:
    """A database of 6 outputs, 352 MB, in an address space that could not hold half of it beside the map."""
    table = rng.integers(0, 256, (2048, 6 * 4096), dtype=np.uint8)
    database = cy.pir.Database.build(table, tmp_path / "wide", device=HOME)
    size = (tmp_path / "wide").stat().st_size
    assert database.outputs == 6 and size > 330 << 20
    program = (
        "import resource, sys, cyclotome as cy; d = cy.pir.Database.open(sys.argv[1], device='cpu:1');"
        "q = cy.pir.Client(d.description, device='cpu:1').query(1000);"
        f"used = int(open('/proc/self/statm').read().split()[0]) * {resource.getpagesize()};"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (128 << 20),) * 2);"
        "sys.stdout.buffer.write(q.open(d.answer(q.data)))"
    )
    said = subprocess.run([sys.executable, "-c", program, str(tmp_path / "wide")], capture_output=True, check=True)
    assert said.stdout == table[1000].tobytes()


def test_a_database_is_written_as_any_file_is(tmp_path: Path) -> None:
    """Through links, with the mode that was there, and over nothing but files; nothing else is left in the folder."""
    real, link = tmp_path / "real", tmp_path / "link"
    first = cy.pir.Database.build([b"a", b"b"], real)
    real.chmod(0o640)
    link.symlink_to(real)
    second = cy.pir.Database.build([b"c", b"dd"], link)
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]
    for database, record in ((first, b"b"), (second, b"dd")):  # who has mapped the old one goes on with it
        query = cy.pir.Client(database.description).query(1)
        assert query.open(database.answer(query.data)) == record
    for bad in ("/dev/null", tmp_path, tmp_path / "no" / "file"):
        with pytest.raises(FileError, match="can't be written"):
            cy.pir.Database.build([b"a"], bad)
    assert Path("/dev/null").is_char_device() and real.exists()
