# SPDX-License-Identifier: Apache-2.0
"""The second reader on real numbers: the same numbers as the library's, within the errors that files certify; errors
that were made smaller, other numbers and other phases are found."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import with_changed
from cyclotome_reader import files, keys, reals
from cyclotome_reader.command import main
from real_party import encrypted, parameters
from small import HOME

DEGREE, DEPTH = 64, 3


@pytest.fixture(scope="module")
def party() -> cy.Keys:
    return cy.keygen(parameters(DEGREE, depth=DEPTH), device=HOME)


@pytest.fixture(scope="module")
def secret(party: cy.Keys, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("keys") / "secret.key"
    cy.save(path, party.secret)
    return path, files.secret_key(files.read(path.read_bytes()))


#: Of arrays x and y and of the numbers in them.
JOBS: dict[str, Callable[[Any, Any], Any]] = {
    "fresh": lambda x, y: x,
    "sum": lambda x, y: x - 3 * y,
    "product": lambda x, y: x * y,
    "deep": lambda x, y: (x * y + 0.5 * x) * (x - y),
    "mean": lambda x, y: (x * y).mean(),
    "row sums": lambda x, y: y.sum(axis=-1),
}
SHAPES = [(), (1,), (5,), (32,), (2, 7), (2, 40), (3, 1)]


@pytest.mark.parametrize("name", JOBS)
@pytest.mark.parametrize("is_complex", [False, True])
def test_numbers_are_as_near_as_certified(
    name: str, is_complex: bool, party: cy.Keys, secret: Any, rng: np.random.Generator
) -> None:
    for shape in SHAPES:
        if name == "row sums" and not shape:
            continue
        a, b = (rng.uniform(-0.7, 0.7, shape) + 1j * is_complex * rng.uniform(-0.7, 0.7, shape) for _ in range(2))
        a, b = (each if is_complex else each.real for each in (a, b))
        z, wanted = (JOBS[name](*each) for each in ((encrypted(a, party), encrypted(b, party)), (a, b)))
        found = reals.opened(files.read(cy.to_bytes(z)), secret[1])
        assert found.faults == [] and found.about.shape == z.shape and found.about.is_complex == is_complex
        assert found.error == pytest.approx(z.error.max, rel=1e-9) and found.about.bound == z.bound
        assert reals.distances(found, np.asarray(wanted).ravel().tolist()) == []
        theirs: Any = cy.decrypt(z, party.secret)
        mine = np.array(found.numbers) if is_complex else np.array(found.numbers).real
        np.testing.assert_allclose(mine, np.asarray(theirs).ravel(), rtol=0, atol=1e-12)


def test_keys_of_reals_hide_what_they_should(party: cy.Keys, secret: Any) -> None:
    public, evaluation = (files.read(cy.to_bytes(each)) for each in (party.public, party.evaluation))
    assert public.parameters.scheme == "ckks" and keys.secret_is_fit(secret[1], public.parameters)
    assert list(keys.public_key(public, secret[1])) == ["public key"]
    assert len(keys.evaluation_keys(evaluation, secret[1])) == len(evaluation.sections)


def changed(offset: int, by: Callable[[float], float]) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        (value,) = struct.unpack_from("<d", content, offset)
        return content[:offset] + struct.pack("<d", by(value)) + content[offset + 8 :]

    return change


def test_an_error_that_was_made_smaller_is_found(
    party: cy.Keys, secret: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], rng: np.random.Generator
) -> None:
    """The library reads such a file: nothing in it is wrong but the promise."""
    values = rng.uniform(-1, 1, 20)
    data = cy.to_bytes(encrypted(values, party) * 1.0)
    for offset in (20, 28, 36):  # behind one axis and the bound
        data = with_changed(data, "REAL", changed(offset, lambda x: x - 16))
    forged = cy.from_bytes(data, True)
    assert forged.error.max < 1e-8
    path, wanted = tmp_path / "x.ct", tmp_path / "numbers.json"
    path.write_bytes(data)
    wanted.write_text(json.dumps(values.tolist()))
    words = ["decrypt", str(path), "--secret", str(secret[0]), "--expected", str(wanted)]
    assert main(words) == 1
    assert "certified are" in capsys.readouterr().err
    honest = cy.to_bytes(encrypted(values, party) * 1.0)
    path.write_bytes(honest)
    assert main(words) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["shape"] == [20] and np.abs(np.array(shown["values"]) - values).max() <= shown["error"] < 1e-4
    assert main([*words[:-2], "--noise"]) == 0
    assert "off by at most" in capsys.readouterr().out
    wanted.write_text(json.dumps((values + 1e-3).tolist()))
    assert main(words) == 1
    for text in ("", "{}", "[[1, 2, 3]]", '["x"]', "[1]"):
        wanted.write_text(text)
        assert main(words) == 3


@pytest.mark.parametrize(
    ("tag", "change", "fault"),
    [
        ("REAL", changed(12, lambda x: x / 4), "contradicts"),
        ("REAL", changed(12, lambda x: x * 2**30), "larger than its level"),
        ("CIPH", changed(32, lambda x: x - 3), "of the phase is"),
        ("CIPH", changed(32, lambda x: x + 1e-4), "contradicts"),
    ],
)
def test_contradictions_are_told(
    tag: str, change: Callable[[bytes], bytes], fault: str, party: cy.Keys, secret: Any
) -> None:
    data = with_changed(cy.to_bytes(encrypted(np.full(20, 0.9), party)), tag, change)
    if fault == "larger than its level":
        for offset in (32, 40, 48):
            data = with_changed(data, "CIPH", changed(offset, lambda x: x + 30))
    try:
        found = reals.opened(files.read(data), secret[1]).faults
    except files.ReadError as error:
        found = [str(error)]
    assert any(fault in each or "contradict" in each for each in found), found


def test_other_numbers_beside_a_row_are_told(party: cy.Keys, secret: Any) -> None:
    """A row that is said to have zeros beside it, and has none: a sum over all slots would count them."""
    dirty = encrypted(np.full(8, 0.5), party)
    data = with_changed(cy.to_bytes(dirty), "REAL", lambda content: content[:4] + struct.pack("<Q", 5) + content[12:])
    assert any("beside" in each for each in reals.opened(files.read(data), secret[1]).faults)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c[:-1],
        lambda c: c + b"\0",
        lambda c: b"",
        lambda c: b"\2" + c[1:],
        lambda c: c[:1] + b"\2" + c[2:],
        lambda c: c[:3] + b"\x21" + c[4:],
        lambda c: c[:4] + struct.pack("<Q", 0) + c[12:],
        lambda c: c[:4] + struct.pack("<Q", 1) + c[12:],
        lambda c: c[:4] + struct.pack("<Q", 33) + c[12:],
        lambda c: c[:12] + struct.pack("<d", float("nan")) + c[20:],
        lambda c: c[:12] + struct.pack("<d", -1.0) + c[20:],
        lambda c: c[:20] + struct.pack("<d", float("inf")) + c[28:],
    ],
)
def test_descriptions_that_are_none(change: Callable[[bytes], bytes], party: cy.Keys, secret: Any) -> None:
    data = cy.to_bytes(encrypted(np.full(20, 0.9), party))
    with pytest.raises(files.ReadError):
        reals.opened(files.read(with_changed(data, "REAL", change)), secret[1])


def test_parameters_that_are_none(party: cy.Keys) -> None:
    data = cy.to_bytes(party.public)
    fields = [(28, 1 << 59), (36, 0), (36, 0x7FF0000000000000), (44, 0)]
    for offset, value in fields:
        with pytest.raises(files.ReadError):
            files.read(
                with_changed(data, "PARM", lambda c, o=offset, v=value: c[:o] + struct.pack("<Q", v) + c[o + 8 :])
            )  # type: ignore[misc]
