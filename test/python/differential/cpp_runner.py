# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of a program that C++ has a name for by `run_program` (test/cpp/programs), from the same files: the
same values, bits and refusals as in Python."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .programs import VERBS
from .python_runner import Run, Tried
from .recording import api

ROOT = Path(__file__).resolve().parents[3]


def program_file() -> Path | None:
    """The built program: CYCLOTOME_RUN_PROGRAM, or where `make test` builds it."""
    named = os.environ.get("CYCLOTOME_RUN_PROGRAM")
    found = [Path(named)] if named else sorted(ROOT.glob("build/test-*/test/cpp/programs/run_program"))
    return next((path for path in found if path.is_file()), None)


def compare(course: Run) -> int:
    """Runs every step whose operands C++ can have, by itself. Returns how many there were. AssertionError: values, bits
    or refusals other than Python's."""
    program = program_file()
    assert program is not None, "run_program was not built: make install-test"
    wanted = [(tried, line) for tried in course.tried if (line := _line(course, tried)) is not None]
    if not wanted:
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [f"keys {course.world.folder / 'public.key'} {course.world.folder / 'evaluation.key'}"]
        for place in sorted({place for tried, _ in wanted for place in tried.operands}):
            api.save(folder / f"{place}.ct", course.results[place].array)
            lines.append(f"load {place} {folder / f'{place}.ct'}")
        for number, (_, line) in enumerate(wanted):
            lines.append(f"{line} > {folder / f'result-{number}.ct'}")
        done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{course.program.text()}\n{lines}\n{done.stderr}"
        answers = done.stdout.splitlines()[len(lines) - len(wanted) :]
        for number, ((tried, line), answer) in enumerate(zip(wanted, answers, strict=True)):
            _compare(course, tried, answer, folder / f"result-{number}.ct", line)
    return len(wanted)


def _line(course: Run, tried: Tried) -> str | None:
    """A step as a line of run_program: verb, operands' numbers, options. None: C++ has no such call."""
    verb = VERBS[course.program.encoding][tried.step.verb]
    operands = [course.results[place].array for place in tried.operands]
    if verb.cpp is None or any(each.is_transformed or each.native.waits for each in operands):
        return None  # files have arrays in their native domain, and products relinearised
    try:
        options = verb.cpp(**tried.step.options)
    except LookupError:
        return None
    return " ".join([tried.step.verb, *map(str, tried.operands), *options.split()])


def _compare(course: Run, tried: Tried, answer: str, path: Path, line: str) -> None:
    story = f"{course.program.text()}\nC++: {line}"
    if tried.place is None:
        assert answer == f"refused {tried.refusal}", f"{story}\nanswers {answer!r}, Python refuses by {tried.refusal}"
        return
    assert answer == "done", f"{story}\nanswers {answer!r}, Python computes"
    result, wanted = api.load(path, device=course.world.device, allow_insecure=True), course.results[tried.place]
    found = np.asarray(api.decrypt(result, course.world.keys.secret), dtype=object)
    assert found.shape == wanted.clear.shape and (found == wanted.clear).all(), f"{story}\n{found.tolist()}"
    assert result.interval == wanted.array.interval and result.l1_bound == wanted.array.l1_bound, story
    assert result.noise_headroom == wanted.array.noise_headroom or wanted.random, story
