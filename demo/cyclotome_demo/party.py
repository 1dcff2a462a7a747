# SPDX-License-Identifier: Apache-2.0
"""What both parties need: their folders, the exchange folder, and telling what they do."""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome.whole_files import write_whole

from cyclotome_demo.intersection import Intersection
from cyclotome_demo.neighbours import Neighbours
from cyclotome_demo.retrieval import Retrieval
from cyclotome_demo.scoring import LevelledScoring, LinearScoring, SquareScoring
from cyclotome_demo.statistics import Statistics
from cyclotome_demo.task import Array, Task

#: Every task of the main job, in the order in which it is done.
TASKS: tuple[Task, ...] = (Neighbours(), Statistics(), LinearScoring(), SquareScoring(), LevelledScoring())
#: Protocols of their own right, which `cyclotome demo --full` runs after the main job.
PROTOCOLS: tuple[Task, ...] = (Retrieval(), Intersection())
EVERY_TASK = TASKS + PROTOCOLS


def questions_file(task: Task) -> str:
    """Name, in the exchange folder, of the encrypted questions."""
    return f"{task.key}.questions.ct"


def evaluation_file(task: Task) -> str:
    """Name, in the exchange folder, of the evaluation keys."""
    return f"{task.key}.evaluation.key"


def public_file(task: Task) -> str:
    """Name, in the exchange folder, of the public key, where the server needs it."""
    return f"{task.key}.public.key"


def answers_file(task: Task) -> str:
    """Name, in the exchange folder, of the encrypted answers."""
    return f"{task.key}.answers.ct"


def save_arrays(path: Path, arrays: dict[str, Array]) -> None:
    """Arrays in the clear, to a party's own folder; replaces an older file."""
    plain = {name: array.astype(str) if array.dtype == object else array for name, array in arrays.items()}
    archive = io.BytesIO()
    np.savez(archive, **plain)  # type: ignore[arg-type]
    write_whole(path, archive.getbuffer())


def load_arrays(path: Path) -> dict[str, Array]:
    """What `save_arrays` saved; integers wider than 64 bits come back as text."""
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


class Journal:
    """Tells whoever started this process what it does: JSON lines on stdout, or text on stderr."""

    def __init__(self, party: str, events: bool) -> None:
        self._party = party
        self._events = events

    def _tell(self, event: dict[str, Any], text: str = "") -> None:
        if self._events:
            print(json.dumps({"party": self._party, **event}), flush=True)
        elif text:
            print(text, file=sys.stderr)

    @contextmanager
    def step(self, task: Task, what: str) -> Iterator[dict[str, Any]]:
        """One timed step of a task. What is put into the dictionary is told along with its time."""
        facts: dict[str, Any] = {}
        self._tell({"event": "begin", "task": task.key, "what": what})
        start = time.perf_counter()
        with cy.progress(self._progress(task)):
            yield facts
        seconds = time.perf_counter() - start
        self._tell(
            {"event": "end", "task": task.key, "what": what, "seconds": seconds, "facts": facts},
            f"{self._party}: {task.title}: {what}: {seconds:.2f} s",
        )

    def _progress(self, task: Task) -> Callable[[int, int, str], None]:
        last = 0.0

        def tell(done: int, total: int, what: str) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last >= 0.05 or done == total:
                last = now
                self._tell({"event": "progress", "task": task.key, "what": what, "done": done, "total": total})

        return tell


def arguments(party: str, description: str, actions: tuple[str, ...] = ()) -> argparse.Namespace:
    """The command line that both parties have; `actions` is the choice of what to do, if there is one."""
    parser = argparse.ArgumentParser(prog=f"python -m cyclotome_demo.{party}", description=description)
    if actions:
        parser.add_argument("action", choices=actions)
    parser.add_argument("--home", type=Path, required=True, help=f"the {party}'s own folder")
    parser.add_argument("--exchange", type=Path, required=True, help="the folder through which files are sent")
    parser.add_argument("--quick", action="store_true", help="a small part of the data")
    parser.add_argument("--device", default="cpu", help='where to compute, for example "cpu" or "cpu:1"')
    parser.add_argument("--task", action="append", choices=[task.key for task in EVERY_TASK], help="only this task")
    parser.add_argument("--events", action="store_true", help="tell what happens as JSON lines on standard output")
    options = parser.parse_args()
    options.tasks = [task for task in EVERY_TASK if task.key in options.task] if options.task else list(TASKS)
    for folder in (options.home, options.exchange):
        folder.mkdir(parents=True, exist_ok=True)
    return options


def run(party: str, work: Callable[[], None]) -> int:
    """Exit status of a party's work: an error that the library raises is one line on stderr, and status 1."""
    try:
        work()
    except cy.CyclotomeError as error:
        print(f"{party}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0
