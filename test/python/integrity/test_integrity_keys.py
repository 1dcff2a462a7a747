# SPDX-License-Identifier: Apache-2.0
"""Results that honest servers send are right and pass; what can't be checked is refused, and so are altered files."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import (
    ArgumentError,
    BudgetError,
    ContradictionError,
    FileError,
    FormatError,
    MismatchError,
    RangeError,
    SecrecyError,
    SecretFileWarning,
    UnsupportedError,
)
from cyclotome.integrity import IntegrityKey, LinearCheck, Receipt, each
from cyclotome.integrity.lines import lines_for, require_primes
from small import HOME, NARROW, keys, parameters

#: Functions of one array of six values, their degrees, and whether they leave the first axis alone.
ONE: dict[str, tuple[Callable[[Any], Any], int, bool]] = {
    "itself": (lambda x: x, 1, True),
    "linear": (lambda x: 3 * x - 7, 1, True),
    "a sum": (lambda x: x.sum(axis=-1), 1, True),
    "all of it": (lambda x: x.sum(), 1, False),
    "reversed": (lambda x: x[::-1], 1, False),
    "a matrix": (lambda x: x @ np.arange(12).reshape(6, 2), 1, True),
    "squares": (lambda x: (x * x).sum() - x[2], 2, False),
    "fourth powers": (lambda x: (x * x) * (x * x), 4, True),
    "public factors": (lambda x: x * np.arange(6) + np.arange(6), 1, True),
}


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(name: str, scheme: str, rng: np.random.Generator) -> None:
    compute, degree, plain = ONE[name]
    secret, public, _ = keys(scheme=scheme)
    key = IntegrityKey(secret.parameters, degree=degree)
    values = rng.integers(-9, 10, 6)
    x, receipt = key.encrypt(values, public, bound=9)
    assert x.shape == (key.copies, 6) and x.wrap
    y = compute(x) if plain else each(compute, x)
    found = key.decrypt(y, secret, compute, receipt)
    np.testing.assert_array_equal(found, compute(values))
    assert key.refused == 0


def test_several_arrays_of_several_shapes(rng: np.random.Generator) -> None:
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=2)
    a, b = rng.integers(-50, 51, (2, 5)), rng.integers(0, 9, 5)
    x, first = key.encrypt(a, public, bound=50)
    y, second = key.encrypt(b, secret, bound=(0, 8))

    def compute(x: Any, y: Any) -> Any:
        return (x * y).sum(axis=-1) + x[:, 0]

    found = key.decrypt(each(compute, x, y), secret, compute, first, second)
    np.testing.assert_array_equal(found, compute(a, b))
    with pytest.raises(ContradictionError):  # the arguments the other way round
        key.decrypt(each(lambda x, y: (x * y).sum(axis=-1), x, y), secret, compute, first, second)


def test_side_by_side_shares_ciphertexts(rng: np.random.Generator) -> None:
    params = cy.Parameters.suggest(depth=1, value_bits=8, terms=4)
    secret, public, _ = cy.keygen(params, rotations=[], device=HOME)
    key = IntegrityKey(params, degree=2)
    values = rng.integers(0, 200, 100)
    x, receipt = key.encrypt(values, public, bound=200, side_by_side=True)
    assert x.shape == (100 * key.copies,) and x.shape[0] <= params.slots
    assert x.nbytes == cy.encrypt(values, public, wrap=True).nbytes

    def compute(x: Any) -> Any:
        return x * x + 5

    np.testing.assert_array_equal(key.decrypt(compute(x), secret, compute, receipt), values * values + 5)
    with pytest.raises(ContradictionError):
        key.decrypt(compute(x) + np.eye(100 * key.copies, dtype=int)[3], secret, compute, receipt)
    with pytest.raises(ArgumentError, match="no row"):
        key.encrypt(3, public, side_by_side=True)
    other, plain = key.encrypt(values, public, bound=200)
    with pytest.raises(MismatchError, match="shape"):
        key.decrypt(other, secret, lambda x: x, receipt)
    with pytest.raises(ArgumentError, match="either"):
        key.decrypt(other, secret, lambda x, y: x + y, plain, receipt)


def test_numbers_come_out_with_their_signs_and_width(rng: np.random.Generator) -> None:
    """Of scalars too, of two moduli whose product is 2^31 and more, and up to the last value that fits."""
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=1)
    modulus = math.prod(NARROW)
    half = modulus // 2
    for value in (half, -half, 0, -1):
        x, receipt = key.encrypt(value, public, bound=half)
        assert x.shape == (key.copies,)
        assert key.decrypt(x, secret, lambda x: x, receipt) == value
    x, receipt = key.encrypt([half], public, bound=half)
    with pytest.raises(RangeError):
        key.decrypt(2 * x, secret, lambda x: 2 * x, receipt)
    with pytest.raises(RangeError, match="not within the bound"):
        key.encrypt([0, -4], public, bound=3)
    with pytest.raises(RangeError):
        key.encrypt([0], public, bound=modulus)
    assert key.refused == 0


def test_who_has_the_function_answers_for_who_has_the_key(rng: np.random.Generator) -> None:
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=1)
    values, matrix = rng.integers(0, 9, 4), rng.integers(0, 9, (4, 3))
    x, receipt = key.encrypt(values, public, bound=9)
    expected = [(question @ matrix) for (question,) in key.questions(receipt)]
    y = x @ matrix
    found = key.decrypt(y, secret, None, receipt, expected=expected, bound=(0, 9 * 9 * 4))
    np.testing.assert_array_equal(found, values @ matrix)
    with pytest.raises(ContradictionError):
        key.decrypt(x @ (matrix + 1), secret, None, receipt, expected=expected, bound=1000)
    with pytest.raises(ArgumentError, match="questions"):
        key.decrypt(y, secret, None, receipt, expected=expected[:-1], bound=1000)
    for wrong in ({}, {"expected": expected, "clear": abs}):
        with pytest.raises(ArgumentError, match="expected="):
            key.decrypt(y, secret, None, receipt, **wrong)


def test_what_is_no_polynomial_of_its_degree_is_refused_before_anything_is_counted() -> None:
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=2)
    x, receipt = key.encrypt([1, 2, 3], public, bound=9)

    def cube(x: Any) -> Any:
        return x * x * x

    with pytest.raises(ArgumentError, match="degree may be 4"):
        key.decrypt(x, secret, cube, receipt)
    with pytest.raises(ArgumentError, match="no polynomial"):
        key.decrypt(x, secret, lambda x: x, receipt, clear=lambda x: x**3)
    with pytest.raises(ArgumentError, match="no polynomial"):
        key.decrypt(x, secret, lambda x: x, receipt, clear=lambda x: (x > 10**9).astype(int))
    with pytest.raises(ArgumentError, match="AttributeError"):
        key.decrypt(x, secret, lambda x: x.relinearized(), receipt)
    with pytest.raises(ArgumentError, match="clear="):
        key.decrypt(x, secret, lambda x: x, receipt, clear=lambda x: x.sum())
    with pytest.raises(ArgumentError, match="arrays; one can"):
        key.decrypt(x, secret, lambda x: [x, x], receipt)
    with pytest.raises(ArgumentError, match="no receipts"):
        key.decrypt(x, secret, lambda x: x)
    with pytest.raises(MismatchError, match="each"):
        key.decrypt(x.sum(), secret, lambda x: x.sum(), receipt)
    with pytest.raises(MismatchError, match="wrap"):
        key.decrypt(cy.encrypt([1, 2, 3], public), secret, lambda x: x, receipt)
    assert key.refused == 0
    # A function that only looks like another one in the clear is the caller's statement.
    assert key.decrypt(x, secret, lambda x: x, receipt, clear=lambda x: x.copy()).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"degree": 0}, ArgumentError),
        ({"degree": 1.5}, ArgumentError),
        ({"degree": 1, "bits": 0}, ArgumentError),
        ({"degree": 1, "bits": 257}, ArgumentError),
        ({"degree": 1, "failures": -1}, ArgumentError),
        ({"degree": 1, "failures": 1 << 19}, ArgumentError),  # more guesses than a small prime has numbers
    ],
)
def test_keys_of_wrong_numbers(wrong: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        IntegrityKey(parameters(), **wrong)


def test_moduli_that_find_too_little() -> None:
    for modulus in (4, 91, 65536, 3215031751, (1 << 61) - 3):
        with pytest.raises(ArgumentError, match="no prime"):
            require_primes((modulus,), "here")
    require_primes((2, 3, 37, 41, 65537, (1 << 61) - 1, 18446744073709551557), "here")
    with pytest.raises(ArgumentError, match="larger plaintext moduli"):
        lines_for(3, 1, 40, 3)
    with pytest.raises(UnsupportedError, match="real numbers"):
        IntegrityKey(cy.Parameters.suggest(scheme="ckks", depth=1, precision=1e-3), degree=1)
    other = cy.keygen(parameters((65537,)), rotations=[], relinearization=False)
    with pytest.raises(MismatchError, match="plaintext moduli"):
        IntegrityKey(parameters(), degree=1).encrypt([1], other.public)


@pytest.mark.parametrize("prime", [257, 65537, (1 << 30) - 35, (1 << 45) - 55])
@pytest.mark.parametrize("degree", [1, 2, 8])
@pytest.mark.parametrize("failures", [0, 3])
def test_the_count_of_lines_is_the_least_that_suffices(prime: int, degree: int, failures: int) -> None:
    count = lines_for(prime, degree, 40, failures)
    guess = math.log2((failures + 1) * degree / (prime - 1))
    assert guess * count <= -40 + 1e-9
    assert count == 1 or guess * (count - 1) > -40 - 1e-9


def test_files_keep_key_and_count(tmp_path: Path) -> None:
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=1, failures=2)
    x, receipt = key.encrypt([4, 5], public, bound=9)
    with pytest.raises(ContradictionError, match="2 more"):  # before it has a file: 1 of 2 planned
        pytest.raises(ContradictionError, key.decrypt, x + 1, secret, lambda x: x, receipt)
        raise ContradictionError("2 more")
    path = tmp_path / "integrity.key"
    key.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 or os.name == "nt"
    for again in (key, IntegrityKey.load(path)):
        assert again.refused == 1
        assert again.decrypt(x, secret, lambda x: x, Receipt.from_json(receipt.to_json())).tolist() == [4, 5]
    first, second = IntegrityKey.load(path), IntegrityKey.load(path)
    assert first.id == second.id == key.id and first.copies == key.copies
    with pytest.raises(ContradictionError):
        first.decrypt(x + 1, secret, lambda x: x, receipt)
    assert second.refused == key.refused == 2 and not key.spent
    with pytest.raises(ContradictionError, match="spent"):
        second.decrypt(x + 1, secret, lambda x: x, receipt)
    assert key.spent
    for each_one in (key, first, IntegrityKey.load(path)):
        with pytest.raises(BudgetError, match="refused 3 results, and 2"):
            each_one.decrypt(x, secret, lambda x: x, receipt)
    with pytest.raises(FileError):
        key.save(path)
    with pytest.raises(FileError, match="refused"):  # the count of a key that is gone
        path.unlink()
        key.save(path)


def test_a_count_that_cannot_be_written_stops_everything(tmp_path: Path) -> None:
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=1)
    x, receipt = key.encrypt([4, 5], public, bound=9)
    key.save(tmp_path / "k")
    (tmp_path / "k.refused").mkdir()
    with pytest.raises((FileError, BudgetError)):
        key.decrypt(x, secret, lambda x: x, receipt)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda facts: None,
        lambda facts: [],
        lambda facts: {**facts, "format": "cyclotome integrity key 2"},
        lambda facts: {**facts, "seed": facts["seed"][2:]},
        lambda facts: {**facts, "degree": True},
        lambda facts: {**facts, "degree": 0},
        lambda facts: {**facts, "moduli": [4]},
        lambda facts: {**facts, "moduli": []},
        lambda facts: {**facts, "moduli": "65537"},
        lambda facts: {**facts, "refused": -1},
        lambda facts: {**facts, "more": 1},
        lambda facts: {key: value for key, value in facts.items() if key != "bits"},
    ],
)
def test_spoiled_key_files(spoil: Callable[[dict[str, Any]], Any], tmp_path: Path) -> None:
    IntegrityKey(parameters(), degree=1).save(tmp_path / "a")
    facts = json.loads((tmp_path / "a").read_text())
    (tmp_path / "b").write_text(json.dumps(spoil(facts)))
    os.chmod(tmp_path / "b", 0o600)
    with pytest.raises(FormatError):
        IntegrityKey.load(tmp_path / "b")
    with pytest.raises(FormatError):
        LinearCheck.load(tmp_path / "b")
    with pytest.raises(FileError):
        IntegrityKey.load(tmp_path / "none")
    with pytest.raises(FileError):
        LinearCheck.load(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_a_key_that_others_may_read_is_told(tmp_path: Path) -> None:
    IntegrityKey(parameters(), degree=1).save(tmp_path / "a")
    os.chmod(tmp_path / "a", 0o644)
    with pytest.warns(SecretFileWarning, match="chmod 600"):
        IntegrityKey.load(tmp_path / "a")


def test_receipts_that_were_altered() -> None:
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=1)
    x, receipt = key.encrypt([[4, 5]], public, bound=(0, 9))
    facts = json.loads(receipt.to_json())
    again = Receipt.from_json(receipt.to_json())
    assert again == receipt and again.shape == (1, 2) and again.bound == (0, 9)
    changed: list[dict[str, Any]] = [
        {"shape": [2, 1]},
        {"bound": ["0", "8"]},
        {"side_by_side": True},
        {"nonce": "00" * 16},
        {"key": "0" * 16},
        {"proof": "00" * 32},
    ]
    for change in changed:
        altered = Receipt.from_json(json.dumps({**facts, **change}))
        with pytest.raises(MismatchError, match="receipt"):
            key.decrypt(x, secret, lambda x: x, altered)
    broken: list[Any] = [
        "",
        "[" * 100_000,
        "null",
        "{}",
        5,
        *(json.dumps({**facts, name: value}) for name in facts for value in (None, [], {}, 1, "x", [-1], ["y", "z"])),
        json.dumps({**facts, "shape": [True]}),
        json.dumps({**facts, "other": 1}),
    ]
    sound = (json.dumps({**facts, "key": "x"}), json.dumps({**facts, "shape": []}))  # of another key, or a number's
    for text in (one for one in broken if one not in sound):
        with pytest.raises(FormatError):
            Receipt.from_json(text)
    with pytest.raises(MismatchError, match="receipt"):
        IntegrityKey(secret.parameters, degree=1).decrypt(x, secret, lambda x: x, receipt)
    assert key.refused == 0


def test_keys_are_neither_copied_nor_shown() -> None:
    key, check = IntegrityKey(parameters(), degree=1), LinearCheck([[1, 2]])
    for one in (key, check):
        for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(SecrecyError):
                attempt(one)
    assert key._lines.seed.hex() not in repr(key) and str(check._weights[0]) not in repr(check)
    with pytest.raises(UnsupportedError):
        key.encrypt([1], key)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError):
        key.decrypt([1], keys().secret, abs)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="Receipt"):
        key.questions("receipt")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="copies"):
        each(lambda: None)  # type: ignore[arg-type,return-value]


def test_linear_checks(rng: np.random.Generator, tmp_path: Path) -> None:
    secret, public, _ = keys()
    matrix = rng.integers(-99, 100, (8, 5))
    check = LinearCheck(matrix)
    values = rng.integers(0, 9, (3, 8))
    y = cy.decrypt(cy.encrypt(values, public, bound=9) @ matrix, secret)
    check.save(tmp_path / "check")
    for one in (check, LinearCheck.load(tmp_path / "check")):
        assert one.shape == (8, 5)
        one.require(values, y)
        one.require(values[0], y[0])
        for wrong in (y + 1, y[:, ::-1], -y, y + np.eye(3, 5, dtype=int), values @ (matrix + np.eye(8, 5, dtype=int))):
            with pytest.raises(ContradictionError):
                one.require(values, wrong)
    with pytest.raises(ArgumentError, match="2\\^126"):  # what differs by the prime is no other residue
        check.require(values, y.astype(object) + (2**127 - 1))
    for x, results in ((values.T, y), (values, y.T), (3, y), (values, y[0])):
        with pytest.raises(ArgumentError, match="shape"):
            check.require(x, results)
    for nothing in (np.zeros((0, 3), dtype=int), [1, 2], 3):
        with pytest.raises(ArgumentError, match="matrix"):
            LinearCheck(nothing)
    with pytest.raises(UnsupportedError):
        LinearCheck([[0.5]])
