# SPDX-License-Identifier: Apache-2.0
"""Memory is announced: work that does not fit is refused before it begins, with what it would take and a way out."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError, EngineError, MemoryLimitError, PaddingWarning
from small import DEGREE, NARROW, keys, parameters
from stopwatch import Stopwatch

MIB = 1 << 20


@pytest.fixture(autouse=True)
def unlimited() -> Iterator[None]:
    yield
    cy.set_memory_limit(None)


@pytest.fixture(scope="module")
def large() -> cy.Keys:
    return cy.keygen(cy.Parameters.preset("seal-8192"), rotations=[], device="cpu:1")


def held(made: cy.Keys) -> int:
    """Bytes of the engine, which other tests use too: what they left in cycles goes first."""
    gc.collect()
    return int(_core.engine_memory(made.secret.context.engine)[0])


def test_the_error_is_what_readers_expect() -> None:
    assert issubclass(MemoryLimitError, (EngineError, MemoryError))
    assert issubclass(MemoryLimitError, MemoryError) and issubclass(PaddingWarning, UserWarning)


@pytest.mark.parametrize(
    "text, number",
    [("0", 0), ("123", 123), ("2K", 2048), ("3m", 3 * MIB), ("8GiB", 8 << 30), ("1TB", 1 << 40), (77, 77)],
)
def test_limits_are_numbers_of_bytes(text: int | str, number: int) -> None:
    cy.set_memory_limit(text)
    assert cy.memory_limit() == number
    cy.set_memory_limit(None)
    assert cy.memory_limit() is None


@pytest.mark.parametrize("text", ["", "G", "-1", "1.5G", "8 EiB", -1, 1 << 63, True, 1.5, "1GG"])
def test_what_is_no_number_of_bytes_is_refused(text: object) -> None:
    with pytest.raises(ArgumentError, match="number of bytes"):
        cy.set_memory_limit(text)  # type: ignore[arg-type]


class TestEncryption:
    def test_says_what_it_takes_and_how_to_take_less(self, large: cy.Keys) -> None:
        values, before = np.ones((20000, 8), dtype=np.int64), held(large)
        cy.set_memory_limit(256 * MIB)
        watch = Stopwatch()
        with pytest.raises(MemoryLimitError) as refused:
            cy.encrypt(values, large.public, bound=1)
        assert watch.seconds < 0.1 and held(large) == before
        message = str(refused.value)
        each = 2 * large.public.context.native.polynomial_bytes
        for part in ("(20000, 8)", "20000 ciphertexts", "99.9 % of which is padding", "values.T", "256.0 MiB"):
            assert part in message
        stated = re.search(r"takes ([\d.]+) GiB", message)
        assert stated is not None and float(stated[1]) == pytest.approx(2 * 20000 * each / 2**30, rel=0.02)
        transposed = cy.encrypt(values.T, large.public, bound=1)  # the way out
        np.testing.assert_array_equal(cy.decrypt(transposed, large.secret), values.T)

    @pytest.mark.parametrize("which", ["public", "secret"])
    def test_estimates_cover_what_is_taken(self, large: cy.Keys, which: str) -> None:
        engine = large.secret.context.engine
        key = getattr(large, which)
        for shape in ((40, 8192), (64, 3000), (3, 100000)):
            _core.reset_engine_memory_peak(engine)
            before = held(large)
            x = cy.encrypt(np.ones(shape, dtype=np.int64), key, bound=1)
            taken = int(_core.engine_memory(engine)[1]) - before
            result = x.nbytes
            announced = result * (2.5 if which == "secret" else 2)
            assert result <= taken <= announced * 1.25 + 200 * MIB  # tiles of scratch have a size of their own

    def test_replicated_values_are_better_packed(self, large: cy.Keys) -> None:
        cy.set_memory_limit(256 * MIB)
        with pytest.raises(MemoryLimitError, match=r'layout="packed"\) takes'):
            cy.encrypt(np.ones(20000, dtype=np.int64), large.public, bound=1, layout="replicated")

    def test_full_ciphertexts_have_no_better_layout(self, large: cy.Keys) -> None:
        cy.set_memory_limit(64 * MIB)
        with pytest.raises(MemoryLimitError, match="fewer values at a time"):
            cy.encrypt(np.ones((1000, 8192), dtype=np.int64), large.public, bound=1)

    def test_more_than_the_machine_has_is_refused_without_any_limit(self) -> None:
        made, free = keys(), _core.free_main_memory()
        assert free is not None and free > 0
        rows = free // (2 * len(NARROW) * made.public.context.native.polynomial_bytes) + 1
        values = np.broadcast_to(np.int64(1), (rows, 1))  # of no memory itself
        with pytest.raises(MemoryLimitError, match="are free, of which a fifth is left alone"):
            cy.encrypt(values, made.public, bound=1)


class TestWarning:
    def test_comes_once_for_each_call_that_wastes(self, large: cy.Keys) -> None:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("default")
            for _ in range(3):
                cy.encrypt(np.ones((250, 8), dtype=np.int64), large.public, bound=1)
        assert [warning.category for warning in seen] == [PaddingWarning]
        assert seen[0].filename == __file__ and "values.T" in str(seen[0].message)

    def test_does_not_come_for_little_memory_or_little_waste(self, large: cy.Keys) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cy.encrypt(np.ones((20, 8), dtype=np.int64), large.public, bound=1)
            cy.encrypt(np.ones((250, 2000), dtype=np.int64), large.public, bound=1)


def test_keys_are_announced(large: cy.Keys) -> None:
    before = held(large)
    cy.set_memory_limit(before + 64 * MIB)
    with pytest.raises(MemoryLimitError, match=r"keygen: 1\d\d evaluation keys at n = 8192 takes .* sum_rotations"):
        cy.keygen(large.secret.parameters, rotations=range(1, 150), device="cpu:1")
    assert held(large) == before


def test_results_of_operations_are_announced(large: cy.Keys) -> None:
    column = cy.encrypt(np.ones((120, 1), dtype=np.int64), large.public, bound=1)
    row = cy.encrypt(np.ones((40, 8192), dtype=np.int64), large.public, bound=1)
    before = held(large)
    cy.set_memory_limit(before + 100 * MIB)
    for work in (
        lambda: row[:, None, :] * np.ones((40, 40, 8192), dtype=np.int64),
        lambda: np.ones((2000, 40), dtype=np.int64) @ row,
        lambda: column.reshape((120, 1, 1)) + column.reshape((1, 120, 1)),
        lambda: [row * row for _ in range(6)],
    ):
        with pytest.raises(MemoryLimitError, match=r"MiB|GiB"):
            work()
        assert held(large) <= before + 100 * MIB
    cy.set_memory_limit(None)
    np.testing.assert_array_equal(cy.decrypt(row[:2] * row[:2], large.secret), np.ones((2, 8192)))


def test_the_environment_sets_a_limit() -> None:
    script = "import cyclotome as cy; print(cy.memory_limit())"
    for text, expected in {"": "None", "3G": str(3 << 30)}.items():
        result = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "CYCLOTOME_MEMORY_LIMIT": text},
            capture_output=True,
            text=True,
        )
        assert result.stdout.strip() == expected
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "CYCLOTOME_MEMORY_LIMIT": "much"},
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0 and "CYCLOTOME_MEMORY_LIMIT" in result.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="address space is limited on Linux")
def test_a_limit_of_address_space_ends_in_the_typed_error_everywhere() -> None:
    """With less and less of it, every refusal is the library's; the smallest parts of it work again afterwards."""
    script = """
import resource, numpy as np, cyclotome as cy
made = cy.keygen(cy.Parameters.preset("seal-8192"), rotations=[], device="cpu:1")
x = cy.encrypt(np.ones((30, 8192), dtype=np.int64), made.public, bound=1)
data = cy.to_bytes(x)
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
refused = set()
for room, device in [(room, device) for room in (8, 24, 60, 90, 150, 250) for device in ("cpu:1", "cpu:40")]:
    resource.setrlimit(resource.RLIMIT_AS, (taken + (room << 20), resource.RLIM_INFINITY))
    for name, work in {
        "multiply": lambda: x * x,
        "load": lambda: cy.from_bytes(data, device=device, security_table="he-standard-2018"),
        "bytes": lambda: cy.to_bytes(x),
        "decrypt": lambda: cy.decrypt(x, made.secret),
        "take": lambda: cy.stack([x, x, x]),
        "keys": lambda: cy.keygen(made.secret.parameters, rotations=range(1, 40), device="cpu:1"),
    }.items():
        try:
            work()
        except cy.errors.EngineError as error:
            assert any(digit in str(error) for digit in "0123456789") or "no memory left" in str(error), error
            refused.add(name if isinstance(error, MemoryError) else "threads")
        except MemoryError:
            refused.add("numpy")  # Python's own bytes and arrays
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
assert (cy.decrypt((x * x)[0], made.secret) == 1).all()
print(sorted(refused))
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert all(name in result.stdout for name in ("multiply", "keys", "threads"))


def test_small_things_need_no_look_at_the_machine() -> None:
    """Below 64 MiB nothing is asked: a product of small arrays costs what it did."""
    engine = keys().secret.context.engine
    watch = Stopwatch()
    for _ in range(1000):
        engine.require_memory("test", 1000)
    assert watch.seconds < 0.1
    assert parameters().degree == DEGREE
