# SPDX-License-Identifier: Apache-2.0
"""Retrieval and set intersection by two parties, at small sizes, against the clear; and the hashing beneath."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("sklearn")

import cyclotome as cy
from cli_runner import run
from cyclotome_demo import command, hashing, referee
from cyclotome_demo.intersection import DEPTH, PLAIN_MODULUS, Intersection
from cyclotome_demo.party import EVERY_TASK, PROTOCOLS, TASKS
from cyclotome_demo.retrieval import IN_ROW, Retrieval
from cyclotome_demo.runner import Outcome, Runner

Arrays = dict[str, Any]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A folder in which both protocols have run, and their outcome."""
    folder = tmp_path_factory.mktemp("protocols")
    return folder, Runner(folder, quick=True, tasks=PROTOCOLS).run()


def test_every_answer_is_right(finished: tuple[Path, Outcome]) -> None:
    folder, outcome = finished
    assert outcome.passed and outcome.server_blind
    retrieved, common = (job.verdict for job in outcome.jobs)
    assert retrieved is not None and retrieved.compared == 2 * 128
    assert common is not None and common.compared == 160 and common.findings["found"] == 80
    for job in outcome.jobs:
        assert job.fact("client", "make keys", "security") >= 128
        assert job.fact("server", "compute on ciphertexts", "cpu_seconds") > 0
    kinds = {cy.inspect(path).kind for path in (folder / "exchange").iterdir()}
    assert kinds == {"public key", "evaluation keys", "encrypted array"}


def test_each_query_is_one_ciphertext(finished: tuple[Path, Outcome]) -> None:
    folder, _ = finished
    queries = cy.load(folder / "exchange/retrieval.questions.ct")
    assert queries.shape == (2, 1024 // IN_ROW) and queries.ciphertexts == 2
    assert cy.load(folder / "exchange/retrieval.answers.ct").ciphertexts == 2
    assert cy.load(folder / "exchange/intersection.answers.ct").ciphertexts == 1


@pytest.mark.parametrize("task", PROTOCOLS, ids=lambda task: task.key)
def test_the_referee_notices_another_answer(task: Any, finished: tuple[Path, Outcome], tmp_path: Path) -> None:
    """One that decrypts, but was computed from something else."""
    folder, _ = finished
    secret = cy.load(folder / f"client/{task.key}.secret.key")
    with np.load(folder / f"client/{task.key}.npz") as stored:
        data = {name: stored[name] for name in stored.files}
    wrong = task.decrypt(cy.load(folder / f"exchange/{task.key}.answers.ct") + 1, secret, data)
    for name in ("client", "server"):
        (tmp_path / name).mkdir()
        (tmp_path / f"{name}/{task.key}.npz").write_bytes((folder / f"{name}/{task.key}.npz").read_bytes())
    np.savez(tmp_path / f"client/{task.key}.answers.npz", answers=wrong)
    assert not referee.judge(task, tmp_path / "client", tmp_path / "server").equal


# --- retrieval --------------------------------------------------------------------------------------------------------
def test_any_record_can_be_retrieved_and_other_queries_only_combine_rows(rng: np.random.Generator) -> None:
    task = Retrieval()
    records = rng.integers(0, 1 << 16, (5 * IN_ROW, 128), dtype=np.uint16)
    records[-1] = 65535
    secret, public, _ = task.keys(task.parameters(), "cpu:1")
    chosen = np.array([0, IN_ROW - 1, IN_ROW, *rng.integers(0, len(records), 2), len(records) - 1])
    data = {"questions": chosen, "rows": np.array(5)}
    answers = task.answer(task.encrypt(data, public), {"records": records})
    assert np.array_equal(task.decrypt(answers, secret, data), records[chosen])

    cheating = cy.encrypt([[1, 0, 0, -3, 0]], public, encoding="coefficients", wrap=True)
    rows = records.astype(np.int64).reshape(5, -1)
    opened = np.asarray(cy.decrypt(task.answer(cheating, {"records": records}), secret))
    assert np.array_equal(opened[0] % 65537, (rows[0] - 3 * rows[3]) % 65537)
    for shape in ((1, 4), (1, 6), (5,)):
        queries = cy.encrypt(np.ones(shape, dtype=int), public, encoding="coefficients", wrap=True)
        with pytest.raises(cy.errors.ArgumentError, match="rows of 5 values"):
            task.answer(queries, {"records": records})


def test_answers_are_encrypted_anew() -> None:
    """With the public key, which answers take: the same question and records give other ciphertexts."""
    task = Retrieval()
    secret, public, evaluation = task.keys(task.parameters(), "cpu:1")
    data = {"questions": np.array([70]), "rows": np.array(2)}
    held = {"records": np.arange(2 * IN_ROW * 128, dtype=np.uint16).reshape(-1, 128)}
    question = task.encrypt(data, public)
    first, second = (task.answer(question, held) for _ in range(2))
    assert cy.to_bytes(first) != cy.to_bytes(second)
    assert np.array_equal(task.decrypt(first, secret, data), task.decrypt(second, secret, data))
    plain = cy.encrypt(np.array([[0, 1]]), secret, encoding="coefficients", wrap=True).with_keys(evaluation)
    with pytest.raises(cy.errors.MissingKeyError):
        task.answer(plain, held)


# --- intersection -----------------------------------------------------------------------------------------------------
def world(contacts: list[str], accounts: list[str], bins: int) -> tuple[Arrays, Arrays]:
    roots = hashing.filled(accounts, bins, DEPTH, PLAIN_MODULUS)
    return (
        {"questions": np.array(contacts), "bins": hashing.cuckoo(contacts, bins)},
        {"accounts": np.array(accounts), "coefficients": hashing.polynomials(roots, PLAIN_MODULUS)},
    )


@pytest.mark.parametrize("common", [0, 1, 100])
def test_intersections_of_any_size(common: int) -> None:
    task = Intersection()
    contacts = [f"ä{i}" for i in range(100)]
    client, server = world(contacts, contacts[:common] + [f"other {i}" for i in range(300)], 200)
    secret, public, _ = task.keys(task.parameters(), "cpu:1")
    found = task.decrypt(task.answer(task.encrypt(client, public), server), secret, client)
    assert found.tolist() == [1] * common + [0] * (100 - common)
    assert found.tolist() == task.expected(client["questions"], server).tolist()


def test_what_does_not_match_is_random() -> None:
    """Zero at matches and nowhere else; other values differ each time, and are spread over all residues."""
    task = Intersection()
    contacts = [f"a{i}" for i in range(1200)]
    client, server = world(contacts, contacts[::4], 2048)
    secret, public, _ = task.keys(task.parameters(), "cpu:1")
    questions = task.encrypt(client, public)
    first, second = (np.asarray(cy.reveal(task.answer(questions, server), secret)) % PLAIN_MODULUS for _ in range(2))
    matches = (client["bins"] >= 0) & (client["bins"] % 4 == 0)
    assert matches.sum() == 300
    for values in (first, second):
        assert np.array_equal(values == 0, matches)
    others = ~matches
    assert not np.any(first[others] == second[others])
    # 1748 values in 16 ranges: chi-square with 15 degrees of freedom, beyond 60 once in two million runs
    counts = np.bincount(first[others] * 16 // PLAIN_MODULUS, minlength=16).astype(float)
    expected = others.sum() / 16
    assert ((counts - expected) ** 2 / expected).sum() < 60


def test_questions_of_another_shape_are_refused() -> None:
    task = Intersection()
    _, server = world(["a"], ["b"], 16)
    _, public, _ = task.keys(task.parameters(), "cpu:1")
    for shape in ((DEPTH, 17), (DEPTH - 1, 16), (16,)):
        with pytest.raises(cy.errors.ArgumentError, match="24 powers in 16 bins"):
            task.answer(cy.encrypt(np.ones(shape, dtype=int), public, wrap=True), server)


def test_the_modulus_is_the_largest_of_its_length() -> None:
    assert cy.bfv.find_primes(8192, [45]) == [PLAIN_MODULUS]


# --- hashing ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("items", "bins"), [(1, 1), (5, 64), (5120, 8192), (6800, 8192)])
def test_every_item_has_a_bin_of_its_own(items: int, bins: int) -> None:
    names = [f"{items} {i}" for i in range(items)]
    table = hashing.cuckoo(names, bins)
    assert sorted(table[table >= 0]) == list(range(items))
    for place in np.flatnonzero(table >= 0):
        assert place in hashing.places(names[table[place]], bins)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(cy.errors.RangeError, match="take more bins"):
        hashing.cuckoo(["a", "b", "c"], 2)
    with pytest.raises(cy.errors.RangeError, match="more than 2 items in bin"):
        hashing.filled(["a", "b", "c"], 1, 2, PLAIN_MODULUS)
    assert np.count_nonzero(hashing.filled(["a"], 1, 2, PLAIN_MODULUS) == 1) == 1  # an item once in a bin


def test_polynomials_vanish_at_their_roots_alone(rng: np.random.Generator) -> None:
    """Against products of differences in Python's integers."""
    roots = rng.integers(0, PLAIN_MODULUS, (DEPTH, 7))
    roots[:, 0], roots[:, 1], roots[:, 2] = 1, PLAIN_MODULUS - 1, 0
    coefficients = hashing.polynomials(roots, PLAIN_MODULUS)
    assert coefficients.shape == (DEPTH + 1, 7) and np.all(coefficients[-1] == 1)
    for place in range(7):
        for x in [int(roots[3, place]), 0, 1, PLAIN_MODULUS - 1, int(rng.integers(PLAIN_MODULUS))]:
            value = sum(int(c) * pow(x, k, PLAIN_MODULUS) for k, c in enumerate(coefficients[:, place])) % PLAIN_MODULUS
            product = 1
            for root in roots[:, place]:
                product = product * (x - int(root)) % PLAIN_MODULUS
            assert value == product


def test_false_positives_are_as_rare_as_stated() -> None:
    """With a modulus small enough to see some: of absent items, about load / (T - 2), and at most 24 / (T - 2)."""
    modulus, bins = 1009, 256
    table = hashing.filled([f"here {i}" for i in range(600)], bins, DEPTH, modulus)
    asked = [f"absent {i}" for i in range(6000)]
    tries = [(table[:, hashing.places(item, bins)[0]], hashing.fingerprint(item, modulus)) for item in asked]
    found = sum(bool(np.any(bin_ == mark)) for bin_, mark in tries)
    expected = sum(np.count_nonzero(bin_ > 1) for bin_, _ in tries) / (modulus - 2)
    assert 20 < expected < DEPTH * len(asked) / (modulus - 2)
    assert abs(found - expected) < 6 * expected**0.5


# --- the command ------------------------------------------------------------------------------------------------------
def test_the_command_runs_one_of_them(tmp_path: Path) -> None:
    shown = run("demo", "--quick", "--task", "intersection")
    assert shown.code == 0, shown.text
    assert "80 of 160 are among" in shown.text and "false positives" in shown.text


def test_full_takes_every_task(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[list[str]] = []

    class Stopped(Runner):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            taken.append([task.key for task in options["tasks"]])
            raise cy.errors.ArgumentError("enough")

    monkeypatch.setattr(command, "Runner", Stopped)
    for words in (["--full"], [], ["--full", "--task", "retrieval"]):
        assert run("demo", *words).code != 0
    assert taken == [[task.key for task in EVERY_TASK], [task.key for task in TASKS], ["retrieval"]]
