# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C: every call that takes long ends within half a second, and all goes on afterwards as if nothing had been."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome_study import ProductContext
from stopwatch import Stopwatch

#: Seconds within which Ctrl-C is answered.
PROMPT = 0.5

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")


class Handled(Exception):
    """What the tests' handler raises, so that no real Ctrl-C is mistaken for it."""


@contextmanager
def handler(function: Callable[..., object]) -> Iterator[None]:
    """SIGUSR1 calls ``function``."""
    previous = signal.signal(signal.SIGUSR1, function)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, previous)


def _raise(*_: object) -> None:
    raise Handled


def delay_until_answered(work: Callable[[], object], after: float) -> float:
    """Seconds between a signal that comes ``after`` seconds and the exception; skips if the work ended before."""
    sent: Stopwatch | None = None

    def send() -> None:
        nonlocal sent
        sent = Stopwatch()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)  # type: ignore[arg-type]

    timer = threading.Timer(after, send)
    with handler(_raise):
        try:
            timer.start()
            while sent is None or sent.seconds > PROMPT:
                work()  # the signal comes in the middle of this, or of one of the next
        except Handled:
            assert sent is not None
            return sent.seconds
        finally:
            timer.cancel()
            timer.join()
    pytest.fail("the signal was not answered")


class Party:
    """Keys and arrays that keep this machine busy for some seconds."""

    def __init__(self, device: str) -> None:
        self.parameters = cy.Parameters.suggest(depth=1, value_bits=10, result_bits=40)
        self.degree = self.parameters.degree
        self.keys = cy.keygen(self.parameters, device=device)
        self.values = np.arange(200 * self.degree, dtype=np.int64).reshape(200, -1) % 101
        self.x = cy.encrypt(self.values, self.keys.public, bound=100)
        self.device = device

    def check(self) -> None:
        """The engine, its pools, the context's tables and the keys are whole."""
        few, values = self.x[:3], self.values[:3]
        np.testing.assert_array_equal(cy.decrypt(few * few + few, self.keys.secret), values * values + values)
        weights = np.arange(6).reshape(2, 3)
        np.testing.assert_array_equal(cy.decrypt(weights @ few, self.keys.secret), weights @ values)
        total = cy.decrypt(few.sum(axis=1), self.keys.secret)
        np.testing.assert_array_equal(total, values.sum(axis=1))


@pytest.fixture(scope="module", params=["cpu:1", "cpu:3"])
def party(request: pytest.FixtureRequest) -> Party:
    return Party(request.param)


def matrix_product(party: Party, _: Path) -> object:
    return np.ones((4000, 200), dtype=np.int64) @ party.x


def product_over_slots(party: Party, _: Path) -> object:
    return party.x[:2] @ np.ones((party.degree, 40), dtype=np.int64)


def product(party: Party, _: Path) -> object:
    return party.x * party.x


def encryption(party: Party, _: Path) -> object:
    return cy.encrypt(party.values, party.keys.public, bound=100)


def encryption_under_the_secret_key(party: Party, _: Path) -> object:
    return cy.encrypt(party.values, party.keys.secret, bound=100)


def decryption(party: Party, _: Path) -> object:
    return cy.decrypt(party.x, party.keys.secret)


def product_with_plaintext(party: Party, _: Path) -> object:
    return party.x * party.values


def measured_noise(party: Party, _: Path) -> object:
    return cy.noise_budget(party.x, party.keys.secret)


def key_generation(party: Party, _: Path) -> object:
    return cy.keygen(party.parameters, rotations=range(1, 300), device=party.device)


def planning(party: Party, _: Path) -> object:
    return cy.Parameters.suggest(depth=40, value_bits=8, result_bits=30)


def tables_of_the_largest_degree(party: Party, _: Path) -> object:
    large = cy.Parameters.from_modulus_bits(degree=131072, modulus_bits=1500, plain_moduli=[786433])
    return cy.keygen(large, rotations=[], device=party.device)


def writing(party: Party, folder: Path) -> object:
    return cy.save(folder / "x", party.x)


def reading(party: Party, folder: Path) -> object:
    if not (folder / "whole").exists():
        cy.save(folder / "whole", party.x)
    return cy.load(folder / "whole", device=party.device)


def bytes_and_back(party: Party, _: Path) -> object:
    return cy.from_bytes(cy.to_bytes(party.x), device=party.device)


def prime_search(party: Party, _: Path) -> object:
    return ProductContext.generate(1 << 14, 8000, (900, 1000))


LONG = [
    matrix_product,
    product_over_slots,
    product,
    encryption,
    encryption_under_the_secret_key,
    decryption,
    product_with_plaintext,
    measured_noise,
    key_generation,
    planning,
    tables_of_the_largest_degree,
    writing,
    reading,
    bytes_and_back,
    prime_search,
]


@pytest.mark.parametrize("work", LONG, ids=lambda work: work.__name__)
def test_is_answered_in_every_call(party: Party, work: Callable[..., Any], tmp_path: Path) -> None:
    # The second answer decides where the first was late: other programs use this machine too.
    delays = []
    for after in (0.35, 0.6):
        delays.append(delay_until_answered(lambda: work(party, tmp_path), after))
        if delays[-1] < PROMPT:
            break
    assert delays[-1] < PROMPT, f"answered after {delays} s"
    assert not [file for file in tmp_path.iterdir() if file.name not in ("x", "whole")]  # no temporary file stays
    party.check()


@pytest.mark.slow
def test_handlers_that_return_do_not_end_the_work(party: Party) -> None:
    seen = []
    timers = [threading.Timer(delay, os.kill, (os.getpid(), signal.SIGUSR1)) for delay in (0.05, 0.1, 0.2)]
    with handler(lambda *_: seen.append(cy.decrypt(party.x[:1], party.keys.secret))):  # it may use the library itself
        for timer in timers:
            timer.start()
        weights = np.ones((600, 200), dtype=np.int64)
        result = weights @ party.x
        for timer in timers:
            timer.join()
    assert 1 <= len(seen) <= 3  # signals that wait together are one
    assert all(np.array_equal(value, party.values[:1]) for value in seen)
    np.testing.assert_array_equal(cy.decrypt(result[-2:], party.keys.secret), (weights @ party.values)[-2:])


def test_other_threads_are_not_disturbed(party: Party, tmp_path: Path) -> None:
    """Two threads go on using everything while the main thread is interrupted; nobody waits for anybody for ever."""
    wrong: list[BaseException] = []
    busy = True

    def use(number: int) -> None:
        path, key = tmp_path / f"{number}", tmp_path / f"{number}.key"
        few, values = party.x[:2], party.values[:2]
        try:
            while busy:
                cy.save(path, few)
                cy.save(key, party.keys.secret, overwrite=True)
                cy.inspect(path)
                again = cy.from_bytes(cy.to_bytes(cy.load(path, device=party.device)), device=party.device)
                assert again.noise_headroom > 0
                np.testing.assert_array_equal(cy.decrypt(again + 1, party.keys.secret), values + 1)
                party.parameters.explain()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    try:
        for after in (0.2, 0.5, 0.8):
            assert delay_until_answered(lambda: matrix_product(party, tmp_path), after) < 2  # threads take turns
    finally:
        busy = False
        for thread in threads:
            thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong
    party.check()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_nobody_writes_to(party: Party, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert delay_until_answered(lambda: cy.load(tmp_path / "pipe"), 0.2) < PROMPT
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        os.write(writer, b"CYCLO")
        assert delay_until_answered(lambda: cy.load(tmp_path / "pipe"), 0.2) < PROMPT
    finally:
        os.close(writer)


def processor_seconds(pid: int) -> float:
    """What a process has worked so far; 0 where the system doesn't say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def children_seconds() -> float:
    """What children that ended have worked."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
def test_a_command_says_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    command = [sys.executable, "-m", "cyclotome"]
    subprocess.run(
        [*command, "params", "--depth", "20", "--value-bits", "8", "--result-bits", "30", "-o", "p"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    for delay in (2.5, 1.7, 1.2, 0.9):  # a machine that makes the keys sooner is asked sooner
        before = children_seconds()
        process = subprocess.Popen(
            [*command, "keygen", "p", "--out", "keys"],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # shells have it ignored in the background
        )
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        worked = processor_seconds(process.pid)
        _, said = process.communicate(timeout=60)
        if process.returncode != 0:
            break
        shutil.rmtree(tmp_path / "keys")
    assert process.returncode == 130, said
    assert children_seconds() - before - worked < 2  # Python's own end included
    assert said.count("\n") == 1 and "interrupted" in said
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["p"]
