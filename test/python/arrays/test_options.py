# SPDX-License-Identifier: Apache-2.0
"""Options hold for what runs within their ``with``, and for nothing else: generators, tasks, threads, exceptions."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import copy_context
from typing import Any

import cyclotome as cy
import pytest
from cyclotome.options import Options, current, product_method, progress
from small import keys


def reported(done: int, total: int, what: str) -> None:
    """A callback that can be told from others."""


#: Each option: what sets it, whether it holds.
OPTIONS: dict[str, tuple[Callable[[], AbstractContextManager[None]], Callable[[], bool]]] = {
    "allow_undecryptable": (cy.allow_undecryptable, lambda: current.get().allow_undecryptable),
    "progress": (lambda: progress(reported), lambda: current.get().progress is reported),
    "relinearize_products": (cy.relinearize_at_once, lambda: current.get().relinearize_products),
    "refresh_operands": (cy.bootstrap, lambda: current.get().refresh_operands),
    "product_method": (lambda: product_method("behz"), lambda: current.get().product_method == "behz"),
}

option = pytest.mark.parametrize("name", list(OPTIONS))


def test_every_option_is_tried() -> None:
    assert set(OPTIONS) == set(Options.__slots__) - {"native"}


@option
def test_it_holds_within_and_no_longer(name: str) -> None:
    told, holds = OPTIONS[name]
    assert not holds()
    with told():
        assert holds()
        with contextlib.suppress(KeyError), told():
            raise KeyError
        assert holds()
    assert not holds()

    @told()  # type: ignore[operator]
    def decorated() -> bool:
        return holds()

    assert decorated() and decorated() and not holds()


@option
def test_a_suspended_generator_keeps_it_to_itself(name: str) -> None:
    told, holds = OPTIONS[name]

    def generator() -> Iterator[bool]:
        with told():
            yield holds()
            yield from inner()
            yield holds()
        yield holds()

    def inner() -> Iterator[bool]:
        yield holds()

    steps = generator()
    for within in (True, True, True, False):
        assert next(steps) is within
        assert not holds()
    steps = generator()
    next(steps)
    with told():  # the caller's own, which begins later and ends earlier
        next(steps)
        assert holds()
    assert not holds() and next(steps)
    steps.close()
    assert not holds()


@option
def test_a_generator_that_is_dropped_leaves_nothing(name: str) -> None:
    told, holds = OPTIONS[name]

    def generator() -> Iterator[None]:
        with told():
            yield

    for _ in range(3):
        next(generator())
        gc.collect()
        assert not holds()
    steps = generator()
    next(steps)
    other = threading.Thread(target=steps.close)
    other.start()
    other.join()
    assert not holds()


@option
def test_context_managers_made_of_generators_pass_it_on(name: str) -> None:
    told, holds = OPTIONS[name]

    @contextlib.contextmanager
    def outer() -> Iterator[None]:
        with inner():
            yield

    @contextlib.contextmanager
    def inner() -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            stack.enter_context(told())
            yield

    with outer():
        assert holds()
    assert not holds()

    def generator() -> Iterator[bool]:
        with outer():
            yield holds()

    steps = generator()
    assert next(steps) and not holds()
    stack = contextlib.ExitStack()
    stack.enter_context(told())
    assert holds()
    stack.close()
    assert not holds()


@option
def test_tasks_do_not_share_it(name: str) -> None:
    told, holds = OPTIONS[name]

    async def within(entered: asyncio.Event, leave: asyncio.Event) -> None:
        with told():
            entered.set()
            await leave.wait()
            assert holds()
            assert await asyncio.gather(child(), child()) == [True, True]
        assert not holds()

    async def child() -> bool:
        await asyncio.sleep(0)
        return holds()

    async def agenerator() -> AsyncIterator[bool]:
        with told():
            await asyncio.sleep(0)
            yield holds()

    @contextlib.asynccontextmanager
    async def manager() -> AsyncIterator[None]:
        with told():
            yield

    async def everything() -> None:
        entered, leave = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(within(entered, leave))
        await entered.wait()
        assert not holds() and not await child()
        leave.set()
        await task
        async for held in agenerator():
            assert held and not holds()
        async with manager():
            assert holds() and await child()
        assert not holds()
        with told():  # a task that outlives it
            late = asyncio.create_task(later())
            await asyncio.sleep(0)
        assert await late == (True, False)

    async def later() -> tuple[bool, bool]:
        before = holds()
        await asyncio.sleep(0.01)
        return before, holds()

    asyncio.run(everything())
    assert not holds()


@option
def test_threads_do_not_share_it(name: str) -> None:
    told, holds = OPTIONS[name]
    seen: list[bool] = []
    with told():
        for work in (holds, lambda: copy_context().run(holds)):
            thread = threading.Thread(target=lambda work=work: seen.append(work()))
            thread.start()
            thread.join()
        copied = copy_context()
        assert copied.run(holds)
    assert seen == [False, False] and not copied.run(holds) and not holds()


def test_options_are_independent() -> None:
    first, second = cy.allow_undecryptable(), product_method("behz")
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert current.get().product_method == "behz" and not current.get().allow_undecryptable
    second.__exit__(None, None, None)
    assert current.get().product_method == ""


def test_what_a_generator_allows_its_caller_may_not() -> None:
    """The same by what it is for: noise."""
    made = keys()
    x = cy.encrypt([1], made.public, bound=1)

    def squares(z: Any) -> Iterator[Any]:
        with cy.allow_undecryptable():
            while True:
                z = z * z
                yield z

    def deep(z: Any) -> Any:
        for _ in range(16):
            z = z * z
        return z

    steps = squares(x)
    for _ in range(16):
        last = next(steps)
    assert last.noise_headroom < 0
    with pytest.raises(cy.errors.NoiseError):
        deep(x)


def test_shards_compute_with_a_generators_options() -> None:
    """They compute in threads, on whose stacks the generator is not."""
    made = keys()

    def squares() -> Iterator[Any]:
        z = cy.sharding.encrypt_sharded([[1], [1]], made.public, devices=["cpu:1", "cpu:1"], bound=1)
        with cy.allow_undecryptable():
            for _ in range(16):
                z = z * z
            yield z.gather()

    assert next(squares()).noise_headroom < 0
