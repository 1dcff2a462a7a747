# SPDX-License-Identifier: Apache-2.0
"""Keys that lead through a sparse secret: what they hide, read from their file by the second implementation of the wire
format, and which sparse secrets there may be."""

from __future__ import annotations

import functools
import hashlib
import struct
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ArgumentError, FormatError, MismatchError, SecurityError, UnsupportedError
from oracles import wire_format
from oracles.integers import centred
from oracles.negacyclic import product
from refreshing import Refresher
from test_wire_format import coefficients

#: The largest error of the centred binomial law with 21 pairs.
ERROR_BOUND = 21
LEAST_RING_COST, LEAST_FLOOR_COST = 136, 120


@functools.cache
def refresher() -> Refresher:
    return Refresher(256, seed=b"a sparse secret that tests know.")


def sections() -> tuple[wire_format.File, dict[str, bytes]]:
    file = wire_format.read(cy.to_bytes(refresher().evaluation))
    assert [tag for tag, _ in file.sections][-2:] == ["ENCA", "RELE"]
    return file, dict(file.sections)


def owner_secret() -> list[int]:
    return testing.rlwe.coefficients(refresher().keys.secret.native)


def test_the_key_to_the_sparse_secret_is_over_two_primes_and_hides_the_usual_one() -> None:
    file, found = sections()
    p = file.parameters
    data, moduli = found["ENCA"], [p.special_moduli[0], p.moduli[0]]
    assert struct.unpack_from("<I", data) == (32,)
    seed, packed = data[4:36], wire_format.Packed(data[36:])
    body = packed.polynomial(p.degree, moduli)
    assert packed.data == b""
    uniform = wire_format.expand(seed, wire_format.KEY_STREAM, 0, p.degree, moduli)
    sparse = [int(s) for s in refresher().sparse]
    for limb, (b, a) in enumerate(zip(coefficients(body, moduli), coefficients(uniform, moduli), strict=True)):
        modulus = moduli[limb]
        rest = np.array(b, dtype=object) + product(a, sparse, modulus)
        hidden = moduli[0] * np.array(owner_secret(), dtype=object) if limb == 1 else 0
        error = centred((rest - hidden) % modulus, modulus)
        assert 0 < max(abs(int(e)) for e in error) <= ERROR_BOUND


def test_a_seed_makes_the_same_keys_and_another_one_others() -> None:
    party = refresher()
    again = testing.bfv.with_encapsulation(party.native, party.keys.secret.native, testing.Seed(party.seed))
    other = testing.bfv.with_encapsulation(party.native, party.keys.secret.native, testing.Seed(bytes(32)))
    as_bytes = [cy.to_bytes(cy.EvaluationKeys(party.parameters, party.evaluation.context, k)) for k in (again, other)]
    assert as_bytes[0] == cy.to_bytes(party.evaluation) != as_bytes[1]


def test_files_keep_them_and_others_are_as_before(tmp_path: Path) -> None:
    party = refresher()
    stored = cy.to_bytes(party.evaluation)
    read = cy.from_bytes(stored, allow_insecure=True)
    assert read.refreshes and cy.to_bytes(read) == stored
    path = tmp_path / "evaluation.key"
    cy.save(path, party.evaluation)
    about = cy.inspect(path)
    assert about.refreshes and "refresh (experimental)" in str(about)
    assert "refreshing (experimental)" in repr(read)
    usual = cy.keygen(party.parameters, rotations=[]).evaluation
    cy.save(path, usual)
    assert not usual.refreshes and cy.inspect(path).refreshes is False
    assert [tag for tag, _ in wire_format.read(cy.to_bytes(usual)).sections] == ["RLIN"]
    x = cy.encrypt([1, 2, 3], party.keys.public, bound=9)
    y = cy.from_bytes(cy.to_bytes(x), allow_insecure=True).with_keys(read)
    assert cy.decrypt(y.refreshed(), party.keys.secret).tolist() == [1, 2, 3]


def test_joined_keys_keep_them() -> None:
    party = refresher()
    rotations = cy.keygen(party.parameters)
    with pytest.raises(MismatchError):
        rotations.evaluation.joined(party.evaluation)
    assert party.evaluation.joined(party.keys.evaluation).refreshes
    with pytest.raises(MismatchError):
        rotations.evaluation.native.with_encapsulation(party.keys.secret.native)


def resealed(data: bytes) -> bytes:
    """With the checksum put right."""
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


@pytest.mark.parametrize("weight", [0, 6, 31, 33, 50, 1 << 31])
def test_weights_that_no_writer_writes_are_refused(weight: int) -> None:
    stored = bytearray(cy.to_bytes(refresher().evaluation))
    place = stored.index(b"ENCA") + 4 + 8
    assert struct.unpack_from("<I", stored, place) == (32,)
    struct.pack_into("<I", stored, place, weight)
    with pytest.raises(FormatError, match="weight of a sparse secret"):
        cy.from_bytes(resealed(bytes(stored)), allow_insecure=True)


def test_the_table_keeps_its_rules() -> None:
    """Every row is above what it must reach, and longer moduli take heavier secrets."""
    rows = _core.sparse_secret_rows()
    assert {row[0] for row in rows} == {32768, 65536}
    for degree, weight, bits, convention, ring, floor in rows:
        assert convention >= ring >= LEAST_RING_COST and floor >= LEAST_FLOOR_COST
        assert weight % 2 == 0 and 32 <= weight <= 48 and bits <= 120
        lighter = [row for row in rows if row[0] == degree and row[1] < weight]
        assert all(row[2] < bits for row in lighter)


def literal(degree: int, first: int, special: int, **changed: object) -> cy.Parameters:
    options: dict[str, object] = {
        "degree": degree,
        "plain_moduli": [65537],
        "moduli": cy.bfv.find_primes(degree, [first, 57, 57]),
        "special_moduli": cy.bfv.find_primes(degree, [special]),
    }
    return cy.Parameters(**{**options, **changed})  # type: ignore[arg-type]


def test_sparse_secrets_beyond_the_table_are_refused_by_construction() -> None:
    """Before any key is made: more bits, other degrees, more than classical security of 128 bits."""
    for parameters in (
        literal(32768, 51, 60),
        literal(32768, 57, 58),
        literal(16384, 50, 60),
        literal(32768, 50, 60, security=192),
        literal(32768, 50, 60, table="quantum-guidelines-2024"),
    ):
        secret = _core.SecretKey.generate(
            cy.keygen(parameters, rotations=[], relinearization=False).secret.context.native
        )
        with pytest.raises((SecurityError, UnsupportedError), match="sparse secret"):
            _core.EvaluationKeys.generate(secret, False, []).with_encapsulation(secret)
    with pytest.raises(UnsupportedError, match="owner"):
        party = literal(32768, 50, 60, parties=2)
        secret = _core.SecretKey.generate(cy.keygen(party, rotations=[], relinearization=False).secret.context.native)
        _core.EvaluationKeys.generate(secret, False, []).with_encapsulation(secret)


def test_only_what_is_at_one_prime_goes_through() -> None:
    party = refresher()
    a = party.on_small(party.encrypted([1, 2, 3]))
    low = party.steps.lowered(a, party.small)
    assert len(low.residues) == 2 * party.n
    three = testing.bfv.multiply(a, a, testing.bfv.ProductMethod.hps_over_q)
    with pytest.raises(ArgumentError):
        party.steps.lowered(three, party.small)
