# SPDX-License-Identifier: Apache-2.0
"""Public operands in files: what is read is what was written, and nothing else is taken."""

from __future__ import annotations

import io
import pickle
import struct
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
import small
from crafted_files import put_together, taken_apart
from oracles import wire_format

PARAMETERS = small.parameters((65537,))


def test_the_second_reader_agrees(tmp_path: Path, rng: np.random.Generator) -> None:
    for values in (rng.integers(-(2**63), 2**63 - 1, (3, 7)), np.arange(5).reshape(5, 1), np.int64(-9)):
        cy.save(tmp_path / "w", cy.plain(values, PARAMETERS), overwrite=True)
        file = wire_format.read((tmp_path / "w").read_bytes())
        assert (file.kind, file.key_id) == ("plain_array", b"")
        assert wire_format.plain_array(file) == (np.shape(values), np.ravel(values).tolist())


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_what_is_loaded_multiplies_as_what_was_saved(scheme: str, tmp_path: Path, rng: np.random.Generator) -> None:
    parameters = small.parameters((65537, 40961), scheme=scheme)
    keys = cy.keygen(parameters, rotations=[])
    values, weights = rng.integers(-9, 10, (3, 70)), rng.integers(-99, 100, (3, 70))
    x, w = cy.encrypt(values, keys.public, bound=9), cy.plain(weights, parameters)
    cy.save(tmp_path / "w", w, note={"of": "layer 3"})
    loaded = cy.load(tmp_path / "w", allow_insecure=True)
    assert isinstance(loaded, cy.PlainArray) and loaded.nbytes == w.nbytes and loaded.parameters == parameters
    for again in (loaded, pickle.loads(pickle.dumps(w)), cy.from_bytes(cy.to_view(w), allow_insecure=True)):
        assert np.array_equal(np.asarray(again), weights)
        assert cy.to_bytes(x * again) == cy.to_bytes(x * w)
        assert cy.to_bytes(again) == cy.to_bytes(w)
    assert cy.inspect(tmp_path / "w").note == {"of": "layer 3"}


def test_wide_integers_and_streams() -> None:
    values = np.array([[2**200, -(2**127), -(2**63), 2**63]], dtype=object)
    stream = io.BytesIO()
    for w in (cy.plain(values, PARAMETERS), cy.plain([1, 2], PARAMETERS)):
        cy.save(stream, w)
    stream.seek(0)
    first, second = (cy.load(stream, allow_insecure=True) for _ in range(2))
    assert first.values.tolist() == values.tolist() and second.values.tolist() == [1, 2]


def test_inspection(tmp_path: Path) -> None:
    cy.save(tmp_path / "w", cy.plain([[1, 2, 3]], PARAMETERS))
    facts = cy.inspect(tmp_path / "w")
    assert (facts.kind, facts.shape, facts.key_id, facts.ciphertexts) == ("plain array", (1, 3), None, None)
    assert "plain array" in str(facts) and "shape (1, 3), public integers" in str(facts)


def test_a_table_of_weights_that_is_too_large(tmp_path: Path) -> None:
    cy.save(tmp_path / "w", cy.plain(np.ones((40, 2), dtype=np.int64), PARAMETERS))
    with pytest.raises(cy.errors.FormatError, match="max_expanded_bytes"):
        cy.load(tmp_path / "w", allow_insecure=True, max_bytes=(tmp_path / "w").stat().st_size)


def test_lies_are_refused(rng: np.random.Generator) -> None:
    data = cy.to_bytes(cy.plain([[1, -2, 3], [4, 5, 6]], PARAMETERS))
    header, sections = taken_apart(data)
    [(parm, block), (tag, content)] = sections

    def read(changed: bytes, *more: tuple[str, bytes]) -> None:
        cy.from_bytes(put_together(header, [(parm, block), (tag, changed), *more]), allow_insecure=True)

    read(content)
    shapes = [(0, 3), (2**63, 2), (2**64 - 1, 2**64 - 1), (1, 3), (3, 3), (2**32, 2**32)]
    for changed in (
        b"",
        content[:-1],
        content + bytes(8),
        bytes([33]) + content[1:],
        bytes([2, 0]) + content[2:],
        content[:2] + b"\1" + content[3:],
        *(content[:8] + struct.pack("<2Q", *shape) + content[24:] for shape in shapes),
        bytes([2, 2]) + content[2:24] + b"".join(x.to_bytes(16, "little", signed=True) for x in (1, -2, 3, 4, 5, 6)),
    ):
        with pytest.raises(cy.errors.FormatError):
            read(changed)
    with pytest.raises(cy.errors.FormatError):
        read(content, (tag, content))
    for _ in range(300):
        spoilt = bytearray(data)
        spoilt[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        with pytest.raises(cy.errors.CyclotomeError):
            cy.from_bytes(bytes(spoilt), allow_insecure=True)


def test_what_is_not_stored() -> None:
    with pytest.raises(cy.errors.UnsupportedError, match="plain arrays"):
        cy.to_bytes(np.arange(3))  # type: ignore[arg-type]
