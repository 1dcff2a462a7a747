# SPDX-License-Identifier: Apache-2.0
"""The server: has data or models in the clear, and computes on what it cannot read. It never holds a secret key."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cyclotome as cy

from cyclotome_demo.party import (
    Journal,
    answers_file,
    arguments,
    evaluation_file,
    public_file,
    questions_file,
    run,
    save_arrays,
)
from cyclotome_demo.task import Task


def secret_keys(*folders: Path) -> Iterator[Path]:
    """Files below `folders` that hold a secret key, whatever their name."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".key", ".ct"} and cy.inspect(path).kind == "secret key":
                yield path


def compute(task: Task, home: Path, exchange: Path, quick: bool, device: str, journal: Journal) -> None:
    """Answers one task's questions: from files in the exchange folder, to a file there."""
    with journal.step(task, "prepare"):
        held = task.server_data(quick)
        save_arrays(home / f"{task.key}.npz", held)
    with journal.step(task, "read"):
        evaluation = cy.load(exchange / evaluation_file(task), expect=task.parameters(), device=device)
        keys = [evaluation]
        if task.rerandomized:
            keys.append(cy.load(exchange / public_file(task), expect=task.parameters(), device=device))
        questions = cy.load(exchange / questions_file(task), expect=task.parameters(), keys=keys, device=device)
    with journal.step(task, "compute on ciphertexts") as facts:
        start = time.process_time()
        answers = task.answer(questions, held)
        facts["cpu_seconds"] = time.process_time() - start
        facts["values"] = int(answers.size)
    with journal.step(task, "write") as facts:
        path = exchange / answers_file(task)
        cy.save(path, answers, overwrite=True)
        facts["bytes"] = path.stat().st_size


def main() -> int:
    """Run the server; the exit status is 0 when all went well, and no secret key lies where it must not."""
    options = arguments("server", __doc__ or "")
    journal = Journal("server", options.events)

    def work() -> None:
        for path in secret_keys(options.home, options.exchange):
            raise cy.errors.SecrecyError(f"refusing to work: {path} is a secret key; it belongs to the client")
        for task in options.tasks:
            compute(task, options.home, options.exchange, options.quick, options.device, journal)

    return run("server", work)


if __name__ == "__main__":
    sys.exit(main())
