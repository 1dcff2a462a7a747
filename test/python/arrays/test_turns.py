# SPDX-License-Identifier: Apache-2.0
"""Whose job computes next, and in how much memory: fair, bounded, and nothing is left behind."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from cyclotome import errors
from cyclotome.sessions import calls
from cyclotome.sessions.turns import Room, Turn, Turns


def granted(turns: list[Turn]) -> list[Turn]:
    return [turn for turn in turns if turn.future.done()]


def test_a_long_queue_of_one_client_delays_another_by_one_job() -> None:
    turns = Turns(2)
    many = [turns.ask("many") for _ in range(100)]
    assert granted(many) == many[:2] and turns.running == 2
    one = turns.ask("one")
    turns.leave(many[0])
    assert one.future.done() and not many[2].future.done()
    turns.leave(one)
    assert many[2].future.done()  # in the order in which they came


def test_a_client_that_comes_anew_with_each_job_does_not_keep_others_waiting() -> None:
    turns = Turns(1)
    patient = [turns.ask("patient") for _ in range(3)]
    turns.leave(patient[0])  # which gives the second one its place
    quick = {name: turns.ask(name) for name in "ab"}
    turns.leave(patient[1])
    for _ in range(4):
        running = next((name for name, turn in quick.items() if turn.future.done()), None)
        if running is None:
            break
        turns.leave(quick[running])
        quick[running] = turns.ask(running)
    assert patient[2].future.done()


def test_every_order_of_events_keeps_the_books(rng: np.random.Generator) -> None:
    """Random arrivals, ends and withdrawals: places are never more than there are nor idle while somebody waits, and no
    client runs two jobs more than one that waits."""
    for _ in range(50):
        places = int(rng.integers(1, 5))
        turns, running, waiting = Turns(places), [], []
        for _ in range(200):
            if rng.integers(2) or not running + waiting:
                waiting.append(turns.ask(str(rng.integers(4))))
            else:
                leaving = (running + waiting)[int(rng.integers(len(running + waiting)))]
                (running if leaving in running else waiting).remove(leaving)
                turns.leave(leaving)
            for turn in granted(waiting):
                mine = Counter(each.client for each in running)
                others = {each.client for each in waiting if each is not turn and not each.future.done()}
                assert all(mine[turn.client] <= mine[other] for other in others)
                waiting.remove(turn)
                running.append(turn)
            assert turns.running == len(running) <= places
            assert len(running) == places or not waiting
        for turn in running + waiting:
            turns.leave(turn)
        assert turns.running == 0 and not turns._last and not turns._waiting and not turns._running


def test_threads_get_places_and_give_them_back(rng: np.random.Generator) -> None:
    turns, at_once, most, lock = Turns(3), 0, 0, threading.Lock()

    def work(client: str) -> None:
        nonlocal at_once, most
        with turns.place(client):
            with lock:
                at_once += 1
                most = max(most, at_once)
            time.sleep(0.002)
            with lock:
                at_once -= 1

    threads = [threading.Thread(target=work, args=(str(i % 5),)) for i in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3 and turns.running == 0


def test_memory_is_never_more_than_there_is() -> None:
    room, most, lock = Room(100, 30), 0, threading.Lock()

    def work(wanted: int | None) -> None:
        nonlocal most
        with room.hold(wanted):
            with lock:
                most = max(most, room.held)
            time.sleep(0.001)

    threads = [threading.Thread(target=work, args=(wanted,)) for wanted in [30, 100, None, 1, 0, 60, 40] * 6]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 100 and room.held == 0


def test_jobs_that_find_no_memory() -> None:
    room = Room(100, 0.2)
    with pytest.raises(errors.QuotaError, match="more than the 100 B"), room.hold(101):
        pass
    with room.hold(60):
        with pytest.raises(errors.BusyError, match="try again later"), room.hold(41):
            pass
        with room.hold(40):  # who gave up is in nobody's way
            assert room.held == 100
    assert room.held == 0 and not room._queue


def test_a_large_job_is_not_overtaken_for_ever() -> None:
    room, order = Room(100, 30), []

    def work(name: str, wanted: int) -> None:
        with room.hold(wanted):
            order.append(name)

    with room.hold(50):
        threads = []
        for name, wanted in (("large", 90), ("small", 10)):
            threads.append(threading.Thread(target=work, args=(name, wanted)))
            threads[-1].start()
            while len(room._queue) < len(threads):
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == ["large", "small"]


def test_who_waits_for_memory_for_nobody_ends() -> None:
    room = Room(100, 30)

    def gone() -> None:
        raise calls.Stopped

    def wait(_: Any) -> None:
        with room.hold(1):
            pass

    with room.hold(100), pytest.raises(calls.Stopped):
        calls.attended(wait, None, gone, lambda: None)
    assert room.held == 0 and not room._queue
