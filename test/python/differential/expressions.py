# SPDX-License-Identifier: Apache-2.0
"""Runs what a program computes as one expression of `cyclotome eval`: the same numbers, or a refusal with an exit code
that says why."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from cli_runner import run as command

from .programs import VERBS
from .python_runner import Run
from .recording import api

#: Exit codes of refusals that an expression may end in: words without a meaning, a key, values or noise out of range.
REFUSALS = {2, 5, 6}


def texts(course: Run) -> dict[int, tuple[str, frozenset[int]]]:
    """The expressions of results that have one, by their places, and which inputs they name."""
    written = {place: (f"x{place}", frozenset([place])) for place in range(len(course.results) - _computed(course))}
    for tried in course.tried:
        verb = VERBS[course.program.encoding][tried.step.verb]
        if tried.place is None or verb.cli is None or not all(place in written for place in tried.operands):
            continue
        try:
            text = verb.cli(*(written[place][0] for place in tried.operands), **tried.step.options)
        except LookupError:
            continue
        written[tried.place] = text, frozenset().union(*(written[place][1] for place in tried.operands))
    return {place: each for place, each in written.items() if not each[0].startswith("x")}


def _computed(course: Run) -> int:
    return sum(tried.place is not None for tried in course.tried)


def compare(course: Run) -> int:
    """Evaluates the longest expression. Returns 1 if it was computed, 0 if there is none or it was refused."""
    every = texts(course)
    if not every:
        return 0
    place = max(every, key=lambda each: len(every[each][0]))
    text, names = every[place]
    story = f"{course.program.text()}\neval {text}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for each in names:
            api.save(folder / f"x{each}.ct", course.results[each].array)
        keys = course.world.folder
        inputs = [word for each in sorted(names) for word in ("-i", f"x{each}={folder / f'x{each}.ct'}")]
        options = "-k", keys / "evaluation.key", "--public", keys / "public.key", "--allow-insecure"
        done = command("eval", text, *inputs, *options, "-o", folder / "r.ct")
        assert "should not happen" not in done.text and "Traceback" not in done.text, f"{story}\n{done.text}"
        if done.code != 0:
            assert done.code in REFUSALS, f"{story}\n{done.text}"
            return 0
        shown = command("decrypt", folder / "r.ct", "-k", keys / "secret.key", "--allow-insecure", "--json")
        assert shown.code == 0, f"{story}\n{shown.text}"
        _compare(story, shown.data, course.results[place].clear)
    return 1


def _compare(story: str, shown: dict[str, Any], clear: Any) -> None:
    found = np.asarray(shown["integers"], dtype=object)
    assert found.shape == clear.shape, f"{story}\nshape {found.shape}, not {clear.shape}"
    assert (found == clear * int(shown["scale"])).all(), f"{story}\n{found.tolist()}, not {clear.tolist()}"
