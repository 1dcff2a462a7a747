# SPDX-License-Identifier: Apache-2.0
"""`cyclotome.Pool`: workers that stay, trees of sums, tasks that are cancelled, results that outlive whoever asked."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import cyclotome as cy
import mapped_jobs
import numpy as np
import pytest
from cyclotome import errors
from small import encrypted, keys, parameters, same


@pytest.fixture(scope="module")
def pool() -> Iterator[cy.Pool]:
    with cy.Pool(workers=2) as made:
        yield made


def until(condition: Any, seconds: float = 60) -> None:
    """Waits for it."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_workers_stay_and_are_sent_keys_and_functions_once(pool: cy.Pool, rng: np.random.Generator) -> None:
    first = {pid for pid, _ in pool.map(mapped_jobs.who, range(8))}
    values = rng.integers(-20, 21, (5, 3))
    for _ in range(2):
        for y, row in zip(pool.map(mapped_jobs.squares, [encrypted(r, 20) for r in values]), values, strict=True):
            same(y, (row**2).sum())
            same(y * y, (row**2).sum() ** 2)  # it knows the keys
    again = {pid for pid, _ in pool.map(mapped_jobs.who, range(8))}
    assert len(first | again) <= 2 and os.getpid() not in first
    # Those of several owners, more than a worker keeps: each is computed with under its own.
    owners = [cy.keygen(parameters(), device="cpu:1") for _ in range(6)]
    for owner in owners + owners:
        (y,) = pool.map(mapped_jobs.squared, [cy.encrypt([3], owner.public, bound=5)])
        assert cy.decrypt(y, owner.secret).tolist() == [9]
    functions = [partial(mapped_jobs.joined, str(i)) for i in range(20)]  # more than a worker keeps
    assert [pool.map(f, ["x"]) for f in functions + functions] == [[f"({i}x)"] for i in range(20)] * 2


def test_keys_that_are_given_hold_for_all_calls() -> None:
    x = encrypted([1, 2], 20).with_keys()
    bare = cy.from_bytes(cy.to_bytes(x), allow_insecure=True)
    with cy.Pool(workers=1, keys=keys().evaluation) as own:
        for _ in range(2):
            same(own.map(mapped_jobs.squared, [bare])[0], [1, 4])
        same(own.submit(mapped_jobs.unwrapped, mapped_jobs.Wrapped(x)).result(), [1, 4])
    with pytest.raises(errors.UnsupportedError, match="SecretKey"):
        cy.Pool(keys=keys().secret)


def test_results_come_as_they_are_asked_for(pool: cy.Pool) -> None:
    taken = []

    def batches() -> Iterator[int]:
        for i in range(100):
            taken.append(i)
            yield i

    found = pool.imap(mapped_jobs.same, batches())
    assert not taken
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    assert len(taken) <= 8
    found.close()  # type: ignore[attr-defined]
    assert pool.map(mapped_jobs.same, []) == []
    with pytest.raises(errors.RangeError, match="four"):
        list(pool.imap(mapped_jobs.fails, [1, 4, 2]))
    assert pool.map(mapped_jobs.same, [7]) == [7]


def tree(values: list[str], fan: int = 8) -> str:
    """What the tree of `Pool.reduce` is, written another way: whole groups of eight on each level, and what is left of
    each before what is left of those below it."""

    def folded(group: list[str]) -> str:
        while len(group) > 1:
            half = [f"({a}{b})" for a, b in zip(group[::2], group[1::2], strict=False)]
            group = half + group[2 * len(half) :]
        return group[0]

    left = []
    while values:
        whole = len(values) - len(values) % fan
        left.append(values[whole:])
        values = [folded(values[i : i + fan]) for i in range(0, whole, fan)]
    last: list[str] = []
    for level in left:
        last = [folded([*level, *last])] if level or last else []
    return last[0]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 16, 23, 64, 65, 75])
def test_a_reduction_is_the_tree_of_its_length(pool: cy.Pool, count: int) -> None:
    letters = [chr(65 + i) for i in range(count)]
    found = pool.reduce(mapped_jobs.joined, iter(letters))
    assert found == tree(letters)
    assert found.replace("(", "").replace(")", "") == "".join(letters)  # all of them, in their order


def test_sums_of_ciphertexts_have_the_same_bits_each_time(pool: cy.Pool, rng: np.random.Generator) -> None:
    values = rng.integers(-3, 4, (19, 4))
    batches = [encrypted(row, 3) for row in values]
    found = [pool.reduce(mapped_jobs.total, batches, each=mapped_jobs.squared) for _ in range(2)]
    with cy.Pool(workers=1) as alone:
        found.append(alone.reduce(mapped_jobs.total, batches, each=mapped_jobs.squared))
    for y in found:
        same(y, (values**2).sum(0))
        assert cy.to_bytes(y) == cy.to_bytes(found[0])
        assert y.keyring.evaluation is not None
    same(pool.reduce(mapped_jobs.total, batches[:1]), values[0])
    with pytest.raises(errors.ArgumentError, match="no batches"):
        pool.reduce(mapped_jobs.total, [])
    with pytest.raises(errors.FunctionError):
        pool.reduce(mapped_jobs.fails, [1, 2])


def test_a_worker_that_dies_in_a_reduction_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CYCLOTOME_TEST_MARK", str(tmp_path / "mark"))
    letters = list("abcdefghijklmnopqrstu")
    with cy.Pool(workers=2, retries=1) as own:
        assert own.reduce(mapped_jobs.joined_dying_once, letters) == tree(letters)
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("function", [mapped_jobs.begun_unending, mapped_jobs.begun_asleep])
def test_tasks_are_cancelled_while_they_are_computed(function: Any, tmp_path: Path) -> None:
    with cy.Pool(workers=1) as own:
        task = own.submit(function, (str(tmp_path / "begun"), encrypted([1], 5)))
        waits = own.submit(mapped_jobs.same, 5)
        until((tmp_path / "begun").exists)
        assert task.cancel() and task.cancelled() and task.done()
        assert not wait([task], timeout=5).not_done
        assert waits.result(60) == 5  # the worker, or another one, goes on
        assert not waits.cancel() and task.cancel()
        left = own.submit(function, (str(tmp_path / "again"), encrypted([1], 5)))
        until((tmp_path / "again").exists)
    assert left.cancelled()  # by the end of the pool
    for call in (own.submit, own.map):
        with pytest.raises(errors.BusyError, match="closed"):
            call(mapped_jobs.same, [1])
    own.close()
    assert "closed" in repr(own)


def test_several_threads_may_share_a_pool(pool: cy.Pool) -> None:
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda i: pool.map(mapped_jobs.same, [i, i + 1, i + 2]), range(12)))
    assert found == [[i, i + 1, i + 2] for i in range(12)]


def test_how_far_it_is_is_told(pool: cy.Pool) -> None:
    told: list[tuple[int, int, str]] = []
    with cy.progress(lambda *steps: told.append(steps)):
        pool.map(mapped_jobs.same, [1, 2, 3])
        pool.map(mapped_jobs.same, iter([1, 2]))
        pool.reduce(mapped_jobs.joined, "abc")
    assert told[:4] == [(i, 3, "mapping batches") for i in range(4)]
    assert told[6] == (2, 2, "mapping batches") and told[-1] == (3, 3, "reducing batches")
    assert all(0 <= done <= total for done, total, _ in told)

    def enough(done: int, _total: int, _what: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), cy.progress(enough):
        pool.map(mapped_jobs.same, range(50))
    assert pool.map(mapped_jobs.same, [7]) == [7]


def lines(path: Path) -> int:
    return path.read_text().count("\n") if path.exists() else 0


def test_results_that_are_kept_are_not_computed_again(pool: cy.Pool, tmp_path: Path) -> None:
    seen, folder = tmp_path / "seen", tmp_path / "kept" / "here"
    batches = [(str(seen), encrypted([i, 1], 20)) for i in range(5)]
    first = pool.map(mapped_jobs.noted, batches[:3], checkpoint=folder)
    found = pool.map(mapped_jobs.noted, batches, checkpoint=folder)
    assert lines(seen) == 5  # each once
    for i, y in enumerate(found):
        same(y, [2 * i, 2])
        same(y * y, [4 * i * i, 4])
    assert [cy.to_bytes(y) for y in first] == [cy.to_bytes(y) for y in found[:3]]
    # Other ciphertexts, another function, other keys: other results.
    other = cy.keygen(parameters(), device="cpu:1")
    for more in ((str(seen), encrypted([0, 1], 20)), (str(seen), cy.encrypt([0, 1], other.public, bound=20))):
        pool.map(mapped_jobs.noted, [more], checkpoint=folder)
    pool.map(mapped_jobs.noted_slowly, batches[:1], checkpoint=folder)
    assert lines(seen) == 8
    for path in folder.iterdir():  # damaged in whatever way: as if it were not there
        data = path.read_bytes()
        path.write_bytes(data[:40] if path.name < "8" else data[:-1] + bytes([data[-1] ^ 1]))
    assert [cy.to_bytes(y) for y in pool.map(mapped_jobs.noted, batches, checkpoint=folder)] == [
        cy.to_bytes(y) for y in found
    ]
    assert lines(seen) == 13


def test_values_between_are_kept_too(pool: cy.Pool, tmp_path: Path) -> None:
    batches = [encrypted([i], 100) for i in range(17)]
    options: dict[str, Any] = {"each": mapped_jobs.squared, "checkpoint": tmp_path / "kept"}
    y = pool.reduce(mapped_jobs.total, batches, **options)
    same(y, [sum(i * i for i in range(17))])
    assert len(list((tmp_path / "kept").iterdir())) == 17 + 2 + 1
    assert cy.to_bytes(pool.reduce(mapped_jobs.total, batches, **options)) == cy.to_bytes(y)


def test_tables_columns_and_plain_values_can_be_kept(pool: cy.Pool, tmp_path: Path) -> None:
    owner = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=6, terms=4))
    cells = {"a": [1, None, 3], "where": ["x", "y", "x"]}
    table = cy.encrypt_frame(cells, owner.public, missing={"a": "public"}, categories={"where": ["x", "y"]})
    plain = [np.arange(5), np.float64(2.5), 1 + 2j, {"a": (None, True, b"x")}, np.array(["x"]), {3, 4}]
    batch = {"table": table, "column": table["a"], "plain": plain}
    for _ in range(2):
        (found,) = pool.map(mapped_jobs.same, [batch], checkpoint=tmp_path)
        assert cy.decrypt_frame(found["table"], owner.secret)["where"].tolist() == ["x", "y", "x"]
        column = found["column"]
        assert column.name == "a" and cy.decrypt((column * column).values, owner.secret).tolist()[::2] == [1, 9]
        assert str(found["plain"]) == str(plain)
    with pytest.raises(errors.UnsupportedError, match=r"mapped_jobs\.Wrapped.*without checkpoint="):
        pool.map(mapped_jobs.wrapped, [1], checkpoint=tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(errors.FileError):
        pool.map(mapped_jobs.same, [1], checkpoint=tmp_path / "file")


class Forged:
    """Does something when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["code", "file", "cut", "short", "empty", "no parts", "longer"])
def test_a_forged_result_is_refused_and_does_nothing(pool: cy.Pool, tmp_path: Path, name: str) -> None:
    pool.map(mapped_jobs.same, [1], checkpoint=tmp_path / "kept")
    (path,) = (tmp_path / "kept").iterdir()
    value: Any = Forged(tmp_path / "done") if name == "code" else cy.Parameters.suggest(depth=0, value_bits=4)
    made = pickle.dumps(value, 5)[: -1 if name == "cut" else None]
    if name == "file":  # a function of the library itself
        made = b"ccyclotome.whole_files\nwrite_whole\n(V" + str(tmp_path / "done").encode() + b"\nC\x01xtR."
    body = (1).to_bytes(8, "little") + len(made).to_bytes(8, "little") + made
    word = (2**60).to_bytes(8, "little")
    body = {"short": b"abc", "empty": b"", "no parts": bytes(8), "longer": word + word + made}.get(name, body)
    path.write_bytes(path.read_bytes()[:19] + sha256(body).digest() + body)
    with pytest.raises(errors.FormatError, match="remove it"):
        pool.map(mapped_jobs.same, [1], checkpoint=tmp_path / "kept")
    assert not (tmp_path / "done").exists()


def test_a_driver_that_is_killed_goes_on(tmp_path: Path) -> None:
    """With kill -9 in the middle, and no result is computed twice but those that were being computed."""
    program, seen = tmp_path / "program.py", tmp_path / "seen"
    program.write_text(
        "import sys; sys.path[:0] = [" + ", ".join(repr(p) for p in sys.path if p) + "]\n"
        "import cyclotome as cy, mapped_jobs\n"
        "if __name__ == '__main__':\n"
        f"    batches = [({str(seen)!r}, i) for i in range(20)]\n"
        "    with cy.Pool(workers=2) as pool:\n"
        f"        print(pool.map(mapped_jobs.noted_slowly, batches, checkpoint={str(tmp_path / 'kept')!r}))\n"
    )
    with subprocess.Popen([sys.executable, program], stdout=subprocess.DEVNULL) as running:
        until(lambda: lines(seen) >= 6, 120)
        running.send_signal(signal.SIGKILL)
    before = lines(seen)
    assert before < 20
    kept = len([path for path in (tmp_path / "kept").iterdir() if path.suffix == ".result"])
    assert kept >= before - 4
    text = subprocess.run([sys.executable, program], stdout=subprocess.PIPE, check=True, text=True, timeout=120).stdout
    assert text.strip() == str([2 * i for i in range(20)])
    assert lines(seen) <= 20 + 4


def test_what_is_no_pool_or_no_batch_is_refused(pool: cy.Pool) -> None:
    for options in ({"workers": 0}, {"workers": 1.5}, {"retries": -1}, {"device": []}):
        with pytest.raises(errors.ArgumentError):
            cy.Pool(**options)  # type: ignore[arg-type]
    for call in (pool.map, pool.imap, pool.reduce):
        with pytest.raises(errors.UnsupportedError, match="functions, not int"):
            call(7, [1])  # type: ignore[arg-type]
    with pytest.raises(errors.UnsupportedError, match="stands by its name in a module"):
        pool.submit(lambda x: x, 1)
    with pytest.raises(errors.SecrecyError):
        pool.submit(mapped_jobs.same, keys().secret)
    with pytest.raises(errors.SecrecyError):
        pool.map(mapped_jobs.same, [1, keys().secret])
    assert pool.map(mapped_jobs.same, [7]) == [7]
