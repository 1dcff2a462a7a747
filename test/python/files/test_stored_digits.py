# SPDX-License-Identifier: Apache-2.0
"""Numbers in digits wherever arrays go: files, streams, pickles, processes, services and the command line. What a file
says of them is held to its array."""

from __future__ import annotations

import copy
import io
import json
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import cyclotome as cy
import mapped_jobs
import numpy as np
import pytest
from crafted_files import as_version_1, with_metadata
from cyclotome.errors import ArgumentError, CyclotomeError, FormatError
from hypothesis import given, settings
from hypothesis import strategies as st
from small import keys
from stored_arrays import EXAMPLES, json_facts
from test_fuzzed_descriptions import mutated

BASE, DIGITS = 4, 5
#: Prime, with a slot for each coefficient.
T = 40961


@cache
def made() -> tuple[cy.Keys, cy.EncryptedDigits]:
    found = keys((T,))
    return found, cy.encrypt_digits(VALUES, found.public, base=BASE, digits=DIGITS)


VALUES = np.array([[999, 17, 500], [0, 1023, 512]])


def is_what_it_was(x: Any, values: Any = VALUES) -> None:
    assert isinstance(x, cy.EncryptedDigits)
    assert (x.base, x.count, x.shape, x.bound) == (BASE, DIGITS, np.shape(values), BASE**DIGITS - 1)
    assert np.array_equal(cy.decrypt_digits(x, made()[0].secret), values)


def test_they_come_back_from_wherever_they_were(tmp_path: Path) -> None:
    found, x = made()
    path = tmp_path / "digits"
    cy.save(path, x, note={"unit": "m"})
    is_what_it_was(cy.load(path, allow_insecure=True))
    with_keys = cy.load(path, keys=found.evaluation)
    is_what_it_was(with_keys)
    assert with_keys.digits.keyring.evaluation is not None
    is_what_it_was(cy.from_bytes(cy.to_bytes(x), True))
    is_what_it_was(cy.from_bytes(cy.to_view(x), True))
    assert cy.to_bytes(cy.from_bytes(cy.to_bytes(x), True)) == cy.to_bytes(x)
    stream = io.BytesIO()
    for obj in (x, x.digits, x):
        cy.save(stream, obj)
    stream.seek(0)
    is_what_it_was(cy.load(stream, allow_insecure=True))
    assert isinstance(cy.load(stream, allow_insecure=True), cy.EncryptedArray)
    is_what_it_was(cy.load(stream, allow_insecure=True))
    for other in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.to("cpu:2")):
        is_what_it_was(other)
    single = cy.encrypt_digits(777, found.public, base=BASE, digits=DIGITS)
    is_what_it_was(cy.from_bytes(cy.to_bytes(single), True), 777)
    with pytest.raises(cy.errors.MismatchError):
        cy.load(path, keys=keys().evaluation)


def test_inspection_says_what_they_are(tmp_path: Path) -> None:
    _, x = made()
    cy.save(tmp_path / "digits", x, note={"unit": "m"})
    found = cy.inspect(tmp_path / "digits")
    assert (found.kind, found.digits_base, found.shape, found.note) == (
        "encrypted array", BASE, (DIGITS, 2, 3), {"unit": "m"},
    )  # fmt: skip
    assert "numbers of shape (2, 3), each of 5 digits in base 4" in str(found)
    assert json.loads(json.dumps(found.asdict()))["digits_base"] == BASE
    cy.save(tmp_path / "array", x.digits)
    assert cy.inspect(tmp_path / "array").digits_base is None


def test_arrays_that_are_no_digits_are_refused() -> None:
    found, x = made()
    wrapped = cy.encrypt([[1, 2]], found.public, wrap=True)
    for array, base in (
        (x.digits, BASE - 1), (x.digits, 1), (x.digits, 1 << 15), (x.digits, True), (x.digits, "4"),
        (wrapped, 4), (x.digits - 1, BASE), (cy.encrypt(1, found.public, bound=(0, 1)), 2),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match="no EncryptedDigits"):
            cy.EncryptedDigits(array, base)  # type: ignore[arg-type]


FORGED: list[Any] = [
    0, [], "4", True, {}, {"base": None}, {"base": 3}, {"base": 1}, {"base": 0}, {"base": -4}, {"base": True},
    {"base": 4.0}, {"base": "4"}, {"base": (1 << 14) + 1}, {"base": 10**400}, {"base": [4]}, {"bases": 4},
]  # fmt: skip


@pytest.mark.parametrize("about", FORGED, ids=lambda about: str(about)[:20])
def test_forged_bases_are_refused(tmp_path: Path, about: Any) -> None:
    _, x = made()
    data = with_metadata(cy.to_bytes(x), json.dumps({"digits": about}).encode())
    (tmp_path / "forged").write_bytes(data)
    for read in (
        lambda: cy.from_bytes(data, True),
        lambda: cy.load(io.BytesIO(data), allow_insecure=True),
        lambda: cy.inspect(tmp_path / "forged"),
    ):
        with pytest.raises(FormatError) as error:
            read()
        assert len(str(error.value)) < 300


def test_digits_of_other_arrays_are_refused() -> None:
    found, x = made()
    digits = json.dumps({"digits": {"base": BASE}}).encode()
    is_what_it_was(cy.from_bytes(with_metadata(cy.to_bytes(x), digits), True))
    wider = json.dumps({"digits": {"base": BASE + 1}}).encode()  # its digits are such digits, too
    assert cy.from_bytes(with_metadata(cy.to_bytes(x), wider), True).base == BASE + 1
    many = cy.encrypt(np.zeros((1025, 1), dtype=int), found.public, bound=(0, 3))
    numbers = cy.circuit.encrypt_lists([[1, 2]], found.public, bits=2)
    for array in (
        x.digits - 1, x.digits + 1, cy.encrypt([1, 2], found.public, wrap=True),
        cy.encrypt(1, found.public, bound=(0, 3)), many, cy.encrypt([3, 2], found.public, bound=3),
    ):  # fmt: skip
        with pytest.raises(FormatError):
            cy.from_bytes(with_metadata(cy.to_bytes(array), digits), True)
    both = json.dumps({"digits": {"base": BASE}, "numbers": {"shape": [1, 2], "bits": 2}}).encode()
    with pytest.raises(FormatError, match="at once"):
        cy.from_bytes(with_metadata(cy.to_bytes(numbers), both), True)
    first = json.dumps({**json_facts(x.digits), "digits": {"base": BASE}}).encode()
    with pytest.raises(FormatError, match="-3 to 3"):  # format 1 has no interval, so that digits may be negative
        cy.from_bytes(as_version_1(cy.to_bytes(x), first), True)


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_mutated_metadata(data: st.DataObject) -> None:
    """A typed error, the array alone, or numbers whose digits are digits."""
    _, x = made()
    facts = {"digits": data.draw(st.sampled_from([*FORGED, {"base": BASE}])), "value_bits": 10}
    try:
        y = cy.from_bytes(with_metadata(cy.to_bytes(x), mutated(data, facts)), True, device="cpu:1")
    except CyclotomeError as error:
        assert isinstance(error, FormatError) and len(str(error)) < 1000
        return
    if isinstance(y, cy.EncryptedDigits):
        assert y.digits.interval == (0, BASE - 1) and y.base >= BASE
        y = y.digits
    assert np.array_equal(cy.decrypt(y, made()[0].secret), cy.decrypt(x.digits, made()[0].secret))


def smaller(x: cy.EncryptedDigits, y: cy.EncryptedDigits) -> Any:
    return [cy.less(x, y), cy.minimum(x, y)]


@pytest.mark.slow
def test_services_and_processes_take_them() -> None:
    keys_ = cy.keygen(cy.Parameters.suggest(depth=8, value_bits=2, result_bits=8), rotations=[])
    a, b = [999, 17, 500], [998, 18, 500]
    client = cy.Client(None, keys_)
    server = cy.Server({"smaller": smaller})
    try:
        name = server.add_keys(client.key_bytes())
        x, y = (client.encrypt_digits(values, base=BASE, digits=DIGITS) for values in (a, b))
        less, least = client.read(server.call("smaller", request := client.request(x, y), name), "smaller", request)
        assert np.array_equal(less, [0, 1, 0]) and np.array_equal(least, [998, 17, 500])
        forged = with_metadata(cy.to_bytes(x), b'{"digits":{"base":3}}')
        with pytest.raises(FormatError):
            server.call("smaller", forged + cy.to_bytes(y), name)
    finally:
        server.close()
    pairs = [tuple(cy.encrypt_digits(v, keys_.public, base=BASE, digits=DIGITS) for v in (a, b))]
    (found,) = cy.map(mapped_jobs.least, pairs, workers=1)
    assert np.array_equal(cy.decrypt_digits(found, keys_.secret), [998, 17, 500])


def test_the_command_line_inspects_and_decrypts_them(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from cli_runner import run, succeed

    found, x = made()
    cy.save(tmp_path / "digits.ct", x)
    cy.save(tmp_path / "secret.key", found.secret)
    cy.save(tmp_path / "evaluation.key", found.evaluation)
    assert "5 digits in base 4" in succeed("inspect", tmp_path / "digits.ct").text
    decrypt = "decrypt", tmp_path / "digits.ct", "-k", tmp_path / "secret.key", "--allow-insecure"
    assert "999,0\n17,1023\n500,512\n" in succeed(*decrypt).text
    succeed(*decrypt, "-o", tmp_path / "out.npy")
    assert np.array_equal(np.load(tmp_path / "out.npy"), VALUES)
    assert succeed(*decrypt, "--json").data["integers"] == VALUES.tolist()
    assert run(*decrypt, "--reveal").code == 2
    words = "eval", "x", "-i", f"x={tmp_path / 'digits.ct'}", "-k", tmp_path / "evaluation.key", "--allow-insecure"
    refused = run(*words, "-o", tmp_path / "new")
    assert (refused.code, "numbers encrypted digit by digit" in " ".join(refused.text.split())) == (3, True)
