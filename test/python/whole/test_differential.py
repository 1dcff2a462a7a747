# SPDX-License-Identifier: Apache-2.0
"""Programs drawn by hypothesis over the whole public interface: exact by independent oracles, in Python, C++ and on the
command line alike, or refused by an error of the library (test/python/differential).

CYCLOTOME_FUZZ_PROGRAMS is how many programs of each kind are drawn (a long run: `make fuzz-programs`). That noise
exceeds its bound is rarer than 2^-128 (doc/noise.md), so right code does not fail.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

pytest.importorskip("typer")

from differential import cpp_runner, expressions, members, python_runner, recording, tables
from differential.programs import VERBS, Program, programs
from differential.scenarios import SCENARIOS

COUNT = int(os.environ.get("CYCLOTOME_FUZZ_PROGRAMS") or 60)
SEED = os.environ.get("CYCLOTOME_TEST_SEED")


def drawn(count: int = COUNT, turn: int = 0):  # type: ignore[no-untyped-def]
    """Decorates a test: so many examples, new ones in every run unless CYCLOTOME_TEST_SEED repeats one, and new ones in
    each turn."""

    def decorated(test):  # type: ignore[no-untyped-def]
        chosen = settings(max_examples=count, database=None)(test)
        return seed(int(SEED) + (turn << 64))(chosen) if SEED else chosen

    return decorated


@pytest.fixture(scope="module", autouse=True)
def watched() -> Iterator[None]:
    """Methods and properties of public classes note that a program of this file used them."""
    with members.watched():
        yield


def everywhere(program: Program, counts: Counter[str]) -> None:
    """A program in Python, C++ and on the command line."""
    course = python_runner.run(program)
    counts.update(course.counts())
    counts["(in C++)"] += cpp_runner.compare(course)
    counts["(as expressions)"] += expressions.compare(course)


@pytest.mark.skipif(cpp_runner.program_file() is None, reason="run_program is not built: make install-test")
def test_programs_of_arrays() -> None:
    counts: Counter[str] = Counter()

    @drawn()
    @given(programs())
    def check(program: Program) -> None:
        everywhere(program, counts)

    check()
    print(dict(counts))
    assert counts["(in C++)"] > COUNT // 2 and counts["(as expressions)"] > COUNT // 20, counts


@pytest.mark.parametrize(("encoding", "verb"), [(encoding, verb) for encoding in VERBS for verb in VERBS[encoding]])
def test_each_verb(encoding: str, verb: str) -> None:
    """Every verb computes something, and is right, in programs that begin with it."""
    counts: Counter[str] = Counter()

    def check(program: Program) -> None:
        counts.update(python_runner.run(program).counts())

    for turn in range(8):  # a verb that most operands refuse takes more programs
        drawn(8, turn)(given(programs(verb, encoding))(check))()
        if counts[verb]:
            break
    assert counts[verb] > 0, f"{verb} was never computed: {counts}"


def test_tables() -> None:
    pytest.importorskip("pandas")
    counts: Counter[str] = Counter()

    @drawn(max(10, COUNT // 3))
    @given(tables.frames())
    def check(table: dict[str, object]) -> None:
        tables.check(table, counts)

    check()
    print(dict(counts))
    assert counts["product"] and counts["by shop"] and counts["masked"], counts


def play(name: str, count: int, turn: int = 0) -> None:
    """A scenario, so many times."""

    @drawn(count, turn)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        SCENARIOS[name](data.draw)

    check()


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    play(name, max(3, COUNT // 10))
    recording.finished.add(name)


def test_every_public_name_option_method_and_property_is_drawn() -> None:
    """What the tests above called, and what they gave it; a few draws more where that is not all yet. Skipped where
    they did not all run in this process."""
    if len(recording.finished) < len(SCENARIOS):
        pytest.skip("counts what the whole file draws")
    for turn in range(1, 11):
        if not (recording.unused() or members.unused()):
            break
        for name in SCENARIOS:
            play(name, 4, turn)
    assert not recording.unused(), f"public, and never drawn: {recording.unused()}"
    assert not members.unused(), f"public, and never drawn: {members.unused()}"
    assert not set(members.LISTED) - {*members.members(), *members.every_option()}, "listed, and no longer there"
