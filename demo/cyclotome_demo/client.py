# SPDX-License-Identifier: Apache-2.0
"""The client: makes keys, encrypts its questions, and later decrypts the answers. Its secret keys stay at home."""

from __future__ import annotations

import sys
from pathlib import Path

import cyclotome as cy
import numpy as np

from cyclotome_demo.party import (
    Journal,
    answers_file,
    arguments,
    evaluation_file,
    load_arrays,
    public_file,
    questions_file,
    run,
    save_arrays,
)
from cyclotome_demo.task import Task


def encrypt(task: Task, home: Path, exchange: Path, quick: bool, device: str, journal: Journal) -> None:
    """Makes keys for one task, encrypts the client's questions and sends both; the secret key is kept at `home`."""
    with journal.step(task, "make keys") as facts:
        parameters = task.parameters()
        secret, public, evaluation = task.keys(parameters, device)
        cy.save(home / f"{task.key}.secret.key", secret, overwrite=True)
        cy.save(exchange / evaluation_file(task), evaluation, overwrite=True)
        if task.rerandomized:
            cy.save(exchange / public_file(task), public, overwrite=True)
        facts["parameters"] = parameters.summary()
        facts["security"] = parameters.security_reached
        facts["bytes"] = (exchange / evaluation_file(task)).stat().st_size
    with journal.step(task, "load data"):
        data = task.client_data(quick)
        save_arrays(home / f"{task.key}.npz", data)
    with journal.step(task, "encrypt") as facts:
        questions = task.encrypt(data, public)
        cy.save(exchange / questions_file(task), questions, overwrite=True)
        facts["values"] = int(data["questions"].size)
        facts["bytes"] = (exchange / questions_file(task)).stat().st_size


def decrypt(task: Task, home: Path, exchange: Path, device: str, journal: Journal) -> None:
    """Decrypts the server's answers to one task into the client's own folder."""
    with journal.step(task, "decrypt") as facts:
        secret = cy.load(home / f"{task.key}.secret.key", device=device)
        answers = cy.load(exchange / answers_file(task), expect=secret.parameters, device=device)
        values = task.decrypt(answers, secret, load_arrays(home / f"{task.key}.npz"))
        save_arrays(home / f"{task.key}.answers.npz", {"answers": values})
        facts["values"] = int(np.size(values))
        facts["noise_headroom_bits"] = float(answers.noise_headroom)


def main() -> int:
    """Run the client; the exit status is 0 when all went well."""
    options = arguments("client", __doc__ or "", ("encrypt", "decrypt"))
    journal = Journal("client", options.events)

    def work() -> None:
        for task in options.tasks:
            if options.action == "encrypt":
                encrypt(task, options.home, options.exchange, options.quick, options.device, journal)
            else:
                decrypt(task, options.home, options.exchange, options.device, journal)

    return run("client", work)


if __name__ == "__main__":
    sys.exit(main())
