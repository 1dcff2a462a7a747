# SPDX-License-Identifier: Apache-2.0
"""`cyclotome.map`: what processes compute, here and on a local Ray cluster, is what this one would; workers may die."""

from __future__ import annotations

import importlib.util
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cyclotome as cy
import mapped_jobs
import numpy as np
import pytest
import session_jobs
from cyclotome import errors
from cyclotome.errors import WorkerLostError
from cyclotome.extras import Needs
from small import encrypted, keys, parameters, same

RAY = importlib.util.find_spec("ray") is not None
ENGINES = [
    "local",
    pytest.param("ray", marks=pytest.mark.skipif(not RAY, reason="ray is not installed: pip install '.[ray]'")),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A Ray cluster of this machine, if there is Ray, for all tests here."""
    if not RAY:
        yield
        return
    import ray

    os.environ.setdefault("RAY_raylet_start_wait_time_s", "180")  # a machine that does other work too
    jobs = [str(Path(module.__file__).parent) for module in (mapped_jobs, session_jobs)]
    folders = os.pathsep.join([*jobs, os.environ.get("PYTHONPATH", "")])
    ray.init(
        "local",  # whatever cluster was left on this machine
        num_cpus=2,
        object_store_memory=200 << 20,
        include_dashboard=False,
        log_to_driver=False,
        configure_logging=False,
        runtime_env={"env_vars": {"PYTHONPATH": folders}},
    )
    yield
    ray.shutdown()


pytestmark = [pytest.mark.usefixtures("cluster"), pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.mark.parametrize("engine", ENGINES)
def test_results_are_those_of_one_process_in_their_order(engine: str, rng: np.random.Generator) -> None:
    values = rng.integers(-20, 21, (9, 5))
    batches = [encrypted(row, 20) for row in values]
    found = cy.map(mapped_jobs.squares, iter(batches), engine=engine, workers=2)
    for y, row, x in zip(found, values, batches, strict=True):
        same(y, (row**2).sum())
        assert cy.to_bytes(y) == cy.to_bytes(mapped_jobs.squares(x))  # the same bits
        assert y.keyring.evaluation is not None
        same(y * y, (row**2).sum() ** 2)  # and computed with on


@pytest.mark.parametrize("engine", ENGINES)
def test_a_map_within_a_map_is_computed_where_it_is(engine: str) -> None:
    x = encrypted([1, -2, 3], 20)
    plain = x.with_keys()
    for y in cy.map(mapped_jobs.map_within, [x, x], engine=engine, workers=1):
        same(y, [4, 4, 24])
        assert cy.to_bytes(y) == cy.to_bytes(mapped_jobs.map_within(x))
    public = keys().public, keys().evaluation
    same(cy.map(mapped_jobs.map_with_keys_within, [(plain, public)], engine=engine, workers=1)[0], 14)


def test_a_map_within_a_served_function_is_planned_and_computed() -> None:
    served = {"within": mapped_jobs.map_within}
    planned = cy.plan(mapped_jobs.map_within, parameters(), [cy.Operand((3,), bound=20)])
    assert planned.depth == 1
    for workers in (0, 1):
        with cy.Server(served, workers=workers, allow_insecure=True) as server:
            found = cy.Client(server, keys()).call("within", [1, -2, 3], bound=20)
            assert found.tolist() == [4, 4, 24]


def test_what_a_map_within_a_map_may_not_do_is_said() -> None:
    x = encrypted([1], 20)
    with pytest.raises(errors.FunctionError, match="three is not served"):
        cy.map(mapped_jobs.map_that_fails_within, [x], workers=1)
    with pytest.raises(errors.UnsupportedError, match="none of its own"):
        cy.map(mapped_jobs.service_within, [x], workers=1)


@pytest.mark.parametrize("engine", ENGINES)
def test_batches_may_hold_anything(engine: str) -> None:
    batches = [{"x": encrypted([i, 2], 20), "factor": np.array([i, 3]), "wait": 0.3 - i * 0.05} for i in range(5)]
    found = cy.map(mapped_jobs.mixed, batches, engine=engine, workers=2)
    for i, result in enumerate(found):
        same(result["product"], [i * i, 6])
        same(result["where"][1][0], [i + 1, 3])
        assert result["device"] == "cpu:1"
    pids = {result["where"][0] for result in found}
    assert os.getpid() not in pids and 1 <= len(pids) <= 2


@pytest.fixture(scope="module")
def tables() -> Any:
    """Keys, and how a table, a column, numbers and an array are encrypted by either key."""
    owner = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=6, terms=4))

    def made(key: Any) -> dict[str, Any]:
        cells = {"a": [1, None, 3], "where": ["x", "y", "x"]}
        frame = cy.encrypt_frame(cells, key, missing={"a": "public"}, categories={"where": ["x", "y"]})
        hidden = cy.encrypt_frame({"a": [1, None, 3]}, key, missing="encrypted")
        digits = cy.encrypt_digits([5, 6], key, base=4, digits=2)
        return {"frame": frame, "hidden": hidden, "digits": digits, "array": cy.encrypt([1, 2, 3], key)}

    return owner, made


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("given", ["public key", "secret key and keys=", "public key and keys="])
def test_tables_columns_and_what_holds_them_are_mapped(engine: str, given: str, tables: Any) -> None:
    """Whoever encrypted them: workers know the keys that are given, or those that the first batch knows."""
    owner, made = tables
    things = made(owner.secret if given.startswith("secret") else owner.public)
    options = {"keys": owner.evaluation} if "keys=" in given else {}
    frame, hidden = things["frame"], things["hidden"]
    work: list[tuple[Any, Any]] = [
        (mapped_jobs.column_sum, frame),
        (mapped_jobs.column_sum, hidden),
        (mapped_jobs.more_columns, frame),
        (mapped_jobs.column_square, frame["a"]),
        (mapped_jobs.column_square, hidden["a"]),
        (mapped_jobs.squared, things["array"]),
        (mapped_jobs.nested_table, {"table": frame, "more": (frame["a"], [things["digits"]])}),
    ]
    if given == "public key and keys=":  # in what no container is, only they find it
        work.append((mapped_jobs.unwrapped, mapped_jobs.Wrapped(things["array"])))
    found = [result for (result,) in (cy.map(f, [batch], engine=engine, workers=1, **options) for f, batch in work)]
    assert [cy.decrypt(column.values, owner.secret) for column in found[:2]] == [4, 4]
    assert cy.decrypt_frame(found[2], owner.secret)["b"].tolist()[::2] == [1, 9]
    for column in found[3:5]:
        assert cy.decrypt(column.values, owner.secret).tolist()[::2] == [1, 9]
    assert found[3].mask.tolist() == [1, 0, 1] and cy.decrypt(found[4].mask, owner.secret).tolist() == [1, 0, 1]
    assert cy.decrypt(found[5], owner.secret).tolist() == [1, 4, 9]
    nested = found[6]
    assert cy.decrypt(nested["sum"].values, owner.secret) == 4
    assert cy.decrypt(nested["both"][0].values, owner.secret).tolist()[::2] == [1, 9]
    assert cy.decrypt_digits(nested["both"][1][0], owner.secret).tolist() == [5, 6]
    assert cy.decrypt(nested["categories"].selectors, owner.secret).tolist() == [[1, 0, 1], [0, 1, 0]]
    # Results know the keys, and are computed with on; here the same bits as in this process.
    again = found[5].sum()
    assert cy.decrypt(again, owner.secret) == 14
    alone = things["array"].with_keys(owner.evaluation)
    assert cy.to_bytes(found[5]) == cy.to_bytes(alone * alone)


def test_pickled_tables_know_the_keys_that_are_held_if_they_knew_some(tables: Any) -> None:
    owner, made = tables
    knew, knew_none = (pickle.dumps(made(key)["frame"]) for key in (owner.public, owner.secret))
    cy.sessions.hold_keys(owner.evaluation)
    try:
        column = pickle.loads(knew)["a"]
        assert cy.decrypt((column * column).values, owner.secret).tolist()[::2] == [1, 9]
        column = pickle.loads(knew_none)["a"]
        with pytest.raises(errors.MissingKeyError):
            column * column
    finally:
        cy.sessions.release_keys()


@pytest.mark.parametrize("engine", ENGINES)
def test_keys_of_others_are_given_to_nobody(engine: str, tables: Any) -> None:
    owner, made = tables
    stranger = cy.keygen(owner.secret.parameters)
    with pytest.raises(errors.MissingKeyError):
        cy.map(mapped_jobs.squared, [made(stranger.secret)["array"]], engine=engine, workers=1, keys=owner.evaluation)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_no_worker_can_be_sent_is_refused(engine: str) -> None:
    with pytest.raises(errors.SecrecyError):
        cy.map(mapped_jobs.same, [keys().secret], engine=engine, workers=1)
    with pytest.raises(errors.CyclotomeError):
        cy.map(mapped_jobs.same, [mapped_jobs.Unreadable()], engine=engine, workers=1, retries=0)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_that_dies_costs_nothing(engine: str, tmp_path: Path) -> None:
    marks = ["", str(tmp_path / "one"), "", str(tmp_path / "two"), "", ""]
    batches = [(mark, encrypted([i, 3], 20)) for i, mark in enumerate(marks)]
    found = cy.map(mapped_jobs.dies_once, batches, engine=engine, workers=2, retries=3)
    for i, y in enumerate(found):
        same(y, [i * i, 9])
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two"}  # they did die


@pytest.mark.parametrize("engine", ENGINES)
def test_a_batch_that_kills_every_worker_ends_in_a_typed_error(engine: str) -> None:
    with pytest.raises(WorkerLostError):
        cy.map(mapped_jobs.always_dies, [1, 2], engine=engine, workers=1, retries=1)


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_of_the_function_come_as_they_are(engine: str) -> None:
    assert cy.map(mapped_jobs.fails, [1, 2], engine=engine, workers=1) == [1, 2]
    with pytest.raises(errors.FunctionError, match="ValueError: three is not served"):
        cy.map(mapped_jobs.fails, range(10), engine=engine, workers=1)
    with pytest.raises(errors.RangeError, match="four is out of range"):
        cy.map(mapped_jobs.fails, [4], engine=engine, workers=1)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_database_that_is_spread_over_workers(engine: str, tmp_path: Path) -> None:
    """Private retrieval as in the demo: each worker has a part of the rows, the answers are added up."""
    made = parameters(plain_moduli=(65537,), degree=64)
    owner = cy.keygen(made, rotations=[], galois_elements=cy.polynomials.trace_elements(made), relinearization=False)
    random = np.random.default_rng(3)
    database = random.integers(0, 1 << 16, (4, 8, 64))
    for part, rows in enumerate(database):
        np.save(tmp_path / f"{part}.npy", rows.astype(np.uint16))
    wanted = (2, 5)
    asked = np.zeros((4, 8), dtype=np.int64)
    asked[wanted] = 1
    query = cy.encrypt(asked, owner.public, encoding="coefficients", wrap=True)
    batches = ((str(tmp_path / f"{part}.npy"), query[part]) for part in range(4))
    parts = cy.map(mapped_jobs.retrieved, batches, engine=engine, workers=2, keys=owner.evaluation)
    answer = parts[0] + parts[1] + parts[2] + parts[3]
    assert (cy.decrypt(answer, owner.secret) % 65537 == database[wanted]).all()


@pytest.mark.slow
def test_the_demo_asks_a_database_that_no_worker_has_room_for(tmp_path: Path) -> None:
    """Whole, it is more than a worker may take; in four parts it is answered, within the same limit."""
    spread = pytest.importorskip("cyclotome_demo.spread_retrieval")
    retrieval = spread.Retrieval()
    made = cy.keygen(
        retrieval.parameters(),
        rotations=[],
        galois_elements=cy.polynomials.trace_elements(retrieval.parameters()),
        relinearization=False,
        device="cpu:1",
    )
    records = np.random.default_rng(5).integers(0, 1 << 16, (16384, spread.RECORD_WORDS), dtype=np.uint16)

    def ask(record: int, parts: int) -> Any:
        folder = tmp_path / str(parts)
        folder.mkdir()
        paths = spread.write_parts(records, parts, folder)
        asked = spread.queries(record, len(records) // spread.IN_ROW, parts, made.public)
        row = cy.decrypt(spread.retrieve(asked, paths, made.evaluation, "96M", workers=2), made.secret)
        return (row % spread.PLAIN_MODULUS).reshape(spread.IN_ROW, -1)[record % spread.IN_ROW]

    with pytest.raises(errors.MemoryLimitError):
        ask(10000, parts=1)
    assert (ask(10000, parts=4) == records[10000]).all()
    with pytest.raises(errors.ArgumentError, match="equal length"):
        spread.write_parts(records, 3, tmp_path)


def test_batches_are_taken_as_workers_get_free() -> None:
    taken = []

    def batches() -> Iterator[int]:
        for i in range(100):
            taken.append(i)
            yield 3 if i == 4 else 0

    with pytest.raises(errors.FunctionError):
        cy.map(mapped_jobs.fails, batches(), workers=1)
    assert len(taken) < 20


def test_workers_of_a_list_of_devices_have_each_its_own() -> None:
    batches = [{"x": encrypted([1, 2], 20), "factor": 1, "wait": 0.2} for _ in range(6)]
    found = cy.map(mapped_jobs.mixed, batches, device=["cpu:1", "cpu:2"])
    assert {result["device"] for result in found} == {"cpu:1", "cpu:2"}


def test_what_is_no_map(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cy.map(mapped_jobs.squares, []) == []
    x = encrypted([1], 5)
    for options in ({"engine": "spark"}, {"workers": 0}, {"workers": 1.5}, {"retries": -1}, {"device": []}):
        with pytest.raises(errors.ArgumentError):
            cy.map(mapped_jobs.squares, [x], **options)  # type: ignore[arg-type]
    with pytest.raises(errors.UnsupportedError, match="function"):
        cy.map(7, [x])  # type: ignore[arg-type]
    with pytest.raises(errors.UnsupportedError, match="SecretKey"):
        cy.map(mapped_jobs.squares, [x], keys=keys().secret)
    with pytest.raises(errors.SecrecyError):
        cy.map(mapped_jobs.fails, [keys().secret], workers=1)
    with pytest.raises(errors.UnsupportedError, match="stands by its name in a module"):
        cy.map(lambda x: x, [x], workers=1)
    monkeypatch.setattr(Needs, "missing", ["ray"])
    with pytest.raises(errors.MissingPackageError, match="pip install ray"):
        cy.map(mapped_jobs.squares, [x], engine="ray")
