# SPDX-License-Identifier: Apache-2.0
"""The main job on a part of the real data: right answers, no secret at the server, and a referee that notices."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("sklearn")

import cyclotome as cy
from cli_runner import run
from cyclotome_demo import datasets, models, referee
from cyclotome_demo.party import TASKS, load_arrays, save_arrays
from cyclotome_demo.runner import Outcome, PartyError, Runner


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome, list[dict[str, Any]]]:
    """A folder in which the demo has run, its outcome, and everything the parties told."""
    folder = tmp_path_factory.mktemp("demo")
    events: list[dict[str, Any]] = []
    return folder, Runner(folder, quick=True, listener=events.append).run(), events


Finished = tuple[Path, Outcome, list[dict[str, Any]]]


@pytest.mark.slow
def test_every_answer_is_right(finished: Finished) -> None:
    _, outcome, _ = finished
    assert outcome.passed
    compared = {job.key: job.verdict.compared for job in outcome.jobs if job.verdict is not None}
    assert compared == {"neighbours": 64 * 512, "statistics": 3 + 6, "linear": 40, "squares": 400, "levels": 400}
    for job in outcome.jobs:
        assert job.fact("client", "make keys", "security") >= 128
        assert job.fact("client", "decrypt", "noise_headroom_bits") >= 0


def test_bgv_computes_the_same_network_and_sends_smaller_answers(finished: Finished) -> None:
    """The same decisions as BFV; and answers in the fewest primes that decrypt, which is fewer than questions have."""
    folder, outcome, _ = finished
    jobs = {job.key: job for job in outcome.jobs}
    squares, levels = jobs["squares"].verdict, jobs["levels"].verdict
    assert squares is not None and levels is not None and squares.findings == levels.findings
    questions = cy.load(folder / "exchange/levels.questions.ct")
    answers = cy.load(folder / "exchange/levels.answers.ct")
    assert answers.parameters.scheme == "bgv" and questions.level == len(questions.parameters.moduli)
    assert answers.level < questions.level and answers.noise_headroom >= 0
    if answers.level > 1:
        assert answers.switch_to_level(answers.level - 1).noise_headroom < 0


def test_client_and_server_are_processes_of_their_own(finished: Finished) -> None:
    _, outcome, _ = finished
    assert [(p.party, p.action) for p in outcome.processes] == [
        ("client", "encrypt"),
        ("server", "compute"),
        ("client", "decrypt"),
    ]
    assert len({p.pid for p in outcome.processes} | {os.getpid()}) == 4


def test_no_secret_key_leaves_the_client(finished: Finished) -> None:
    """Neither as a container of any name, nor as bytes inside another file."""
    folder, outcome, _ = finished
    assert outcome.server_blind
    secrets = [path.read_bytes() for path in (folder / "client").glob("*.secret.key")]
    assert len(secrets) == len(TASKS)
    outside = [path for part in ("server", "exchange") for path in (folder / part).iterdir()]
    assert {path.suffix for path in outside} == {".key", ".ct", ".npz"}
    for path in outside:
        if path.suffix != ".npz":
            assert cy.inspect(path).kind in ("evaluation keys", "encrypted array")
        content = path.read_bytes()
        for secret in secrets:
            assert secret[len(secret) // 2 : len(secret) // 2 + 64] not in content


def test_what_parties_tell_is_progress(finished: Finished) -> None:
    _, _, events = finished
    for event in events:
        if event["event"] == "progress":
            assert 0 <= event["done"] <= event["total"]
    assert {"process", "begin", "progress", "end", "judge"} == {event["event"] for event in events}


def copied(finished: Finished, tmp_path: Path) -> Path:
    shutil.copytree(finished[0], tmp_path / "demo")
    return tmp_path / "demo"


def party(folder: Path, name: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"cyclotome_demo.{name}", *words, "--home", str(folder / name)]
    command += ["--exchange", str(folder / "exchange"), "--quick", "--task", "linear"]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_referee_notices_one_wrong_answer(finished: Finished, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path)
    task = next(task for task in TASKS if task.key == "linear")
    file = folder / "client/linear.answers.npz"
    answers = load_arrays(file)["answers"]
    answers[7] += 1
    save_arrays(file, {"answers": answers})
    verdict = referee.judge(task, folder / "client", folder / "server")
    assert (verdict.equal, verdict.differing, verdict.compared) == (False, 1, 40)


def test_a_server_that_computes_something_else_is_found_out(finished: Finished, tmp_path: Path) -> None:
    """Files are swapped between server and client: a server's dishonest answer is of the right form, and decrypts."""
    folder = copied(finished, tmp_path)
    path = folder / "exchange/linear.answers.ct"
    cy.save(path, cy.load(path) + 1)
    assert party(folder, "client", "decrypt").returncode == 0
    task = next(task for task in TASKS if task.key == "linear")
    assert referee.judge(task, folder / "client", folder / "server").differing == 40


def test_the_server_refuses_to_see_a_secret_key(finished: Finished, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path)
    shutil.copy(folder / "client/linear.secret.key", folder / "exchange/harmless.ct")
    assert not referee.server_is_blind(folder / "server", folder / "exchange")
    done = party(folder, "server")
    assert done.returncode == 1 and "harmless.ct is a secret key" in done.stderr


def test_damaged_questions_end_in_one_message(finished: Finished, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path)
    path = folder / "exchange/linear.questions.ct"
    path.write_bytes(path.read_bytes()[:-100])
    done = party(folder, "server")
    assert done.returncode == 1 and "Traceback" not in done.stderr and "FormatError" in done.stderr


def test_a_party_that_fails_fails_the_demo(tmp_path: Path) -> None:
    with pytest.raises(PartyError, match="client encrypt ended with status 1: client: EngineError"):
        Runner(tmp_path, quick=True, device="cuda:999", tasks=TASKS[2:3]).run()


def test_the_command_shows_a_result(tmp_path: Path) -> None:
    shown = run("demo", "--quick", "--task", "linear", "--keep", tmp_path / "kept")
    assert shown.code == 0, shown.text
    assert "bit for bit equal" in shown.text and "Every answer is right" in shown.text
    assert (tmp_path / "kept/client/linear.secret.key").exists()
    assert run("demo", "--quick", "--keep", tmp_path / "kept").code == 2
    assert run("demo", "--task", "nonsense").code == 2


def test_the_command_fails_when_something_differs(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code and the text say so, and where."""
    _, outcome, _ = finished
    job = outcome.jobs[2]
    assert job.verdict is not None
    wrong = replace(job, verdict=replace(job.verdict, equal=False, differing=1))
    failed = replace(outcome, jobs=[*outcome.jobs[:2], wrong, *outcome.jobs[3:]])
    monkeypatch.setattr(Runner, "run", lambda _: failed)
    shown = run("demo", "--quick")
    assert shown.code == 1
    assert "Something is wrong" in shown.text and "1 of 40 answers differ" in shown.text
    monkeypatch.setattr(Runner, "run", lambda _: replace(outcome, server_blind=False))
    assert run("demo", "--quick", "--json").code == 1


def test_the_data_are_divided_as_documented() -> None:
    split = datasets.digits()
    assert (split.server.shape, split.client.shape) == ((1257, 64), (540, 64))
    distances = (split.server**2).sum(axis=1)[:, None] - 2 * split.server @ split.client.T
    accuracy = np.mean(split.server_labels[distances.argmin(axis=0)] == split.client_labels)
    assert round(100 * float(accuracy), 1) == 98.3


def test_weights_keep_their_budgets() -> None:
    """The parameters are chosen for these budgets, whatever training comes up with."""
    linear = models.quantise_linear(models.train_linear())
    assert np.abs(linear["weights"]).sum() <= models.LINEAR_BUDGET
    network = models.train_network(epochs=20)
    quantised = models.quantise_network(network)
    assert np.abs(quantised["hidden"]).sum(axis=1).max() <= models.HIDDEN_BUDGET
    assert np.abs(quantised["output"]).sum(axis=1).max() <= models.OUTPUT_BUDGET


def test_the_gradients_are_those_of_the_loss() -> None:
    """Against central differences of the loss itself."""
    random = np.random.default_rng(1)
    samples, labels = random.random((5, 6)), random.integers(0, 3, 5)
    weights = [random.normal(size=shape) for shape in ((6, 4), (4,), (4, 3), (3,))]

    def loss() -> float:
        logits = (samples @ weights[0] + weights[1]) ** 2 @ weights[2] + weights[3]
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        return float(-np.log(shares[np.arange(5), labels]).mean() + 0.05 * (weights[0] ** 2).sum() / 2)

    found = models.gradients(weights, samples, np.eye(3)[labels], 0.05)
    for weight, gradient in zip(weights, found, strict=True):
        for place in np.ndindex(weight.shape):
            kept = weight[place]
            weight[place] = kept + 1e-6
            above = loss()
            weight[place] = kept - 1e-6
            difference = (above - loss()) / 2e-6
            weight[place] = kept
            assert np.isclose(gradient[place], difference, atol=1e-6)


def test_json_of_an_outcome_is_json(finished: Finished) -> None:
    data = json.loads(json.dumps(finished[1].as_dict()))
    assert data["passed"] is True
    assert {job["key"] for job in data["jobs"]} == {task.key for task in TASKS}
