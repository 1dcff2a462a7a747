# SPDX-License-Identifier: Apache-2.0
"""Keys that belong to a lattice: of one secret for every plaintext modulus in BFV, and for no other parameters."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import MismatchError

DEGREE = 256


def parameters(plain_moduli: list[int], **changed: Any) -> cy.Parameters:
    options: dict[str, Any] = {
        "degree": DEGREE,
        "plain_moduli": plain_moduli,
        "moduli": cy.bfv.find_primes(DEGREE, [50, 50, 50]),
        "special_moduli": cy.bfv.find_primes(DEGREE, [55]),
        "security": 0,
        "allow_insecure": True,
    }
    return cy.Parameters(**{**options, **changed})


ONE, OTHER, SQUARE, BOTH = (parameters(t) for t in ([65537], [12289], [65537**2], [65537, 12289]))


@pytest.mark.parametrize("other", [OTHER, SQUARE, BOTH], ids=["prime", "square", "both"])
def test_keys_serve_every_plaintext_modulus(rng: np.random.Generator, other: cy.Parameters) -> None:
    keys = cy.keygen(ONE)
    assert other != ONE and ONE.lattice_fingerprint == other.lattice_fingerprint
    secret, public = keys.secret.for_parameters(other), keys.public.for_parameters(other)
    evaluation = keys.evaluation.for_parameters(other)
    assert {key.key_id for key in (secret, public, evaluation)} == {keys.secret.key_id}
    assert evaluation.nbytes == keys.evaluation.nbytes and evaluation.rotations == keys.evaluation.rotations
    values = rng.integers(-9, 10, 40)
    x = cy.encrypt(values, public, bound=9).with_keys(evaluation)
    if other is SQUARE:  # which has no slots
        np.testing.assert_array_equal(cy.decrypt(2 * x + x, secret), 3 * values)
    else:
        np.testing.assert_array_equal(cy.decrypt(x * x + 1, secret), values * values + 1)
    again = secret.for_parameters(ONE)
    y = cy.encrypt(values, keys.public, bound=9)
    np.testing.assert_array_equal(cy.decrypt(y, again), values)


def test_arrays_of_two_moduli_do_not_meet() -> None:
    keys = cy.keygen(ONE)
    x = cy.encrypt([1, 2, 3], keys.public, bound=9)
    y = cy.encrypt([1, 2, 3], keys.public.for_parameters(OTHER), bound=9)
    with pytest.raises(MismatchError):
        _ = x + y
    with pytest.raises(MismatchError):
        cy.decrypt(y, keys.secret)
    with pytest.raises(MismatchError):
        y.with_keys(keys.evaluation)


@pytest.mark.parametrize(
    "changed",
    [
        {"moduli": cy.bfv.find_primes(DEGREE, [50, 50, 49])},
        {"moduli": list(reversed(cy.bfv.find_primes(DEGREE, [50, 50, 50])))},
        {"special_moduli": cy.bfv.find_primes(DEGREE, [56])},
        {"degree": 512, "moduli": cy.bfv.find_primes(512, [50] * 3), "special_moduli": cy.bfv.find_primes(512, [55])},
        {"strict": True},
        {"parties": 2},
        {"scheme": "bgv"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_other_lattices_are_refused(changed: dict[str, Any]) -> None:
    keys, other = cy.keygen(ONE), parameters([12289], **changed)
    assert ONE.lattice_fingerprint != other.lattice_fingerprint
    for key in keys:
        with pytest.raises(MismatchError, match="lattice"):
            key.for_parameters(other)


def test_keys_of_bgv_know_their_modulus() -> None:
    one, other = (parameters([t], scheme="bgv") for t in (65537, 12289))
    assert one.lattice_fingerprint != other.lattice_fingerprint
    with pytest.raises(MismatchError, match="BGV"):
        cy.keygen(one).secret.for_parameters(other)


def test_files_of_either_parameters_are_read_as_before() -> None:
    """A key's file is one of its parameters', and serves others after it was read."""
    keys = cy.keygen(ONE)
    read = cy.from_bytes(cy.to_bytes(keys.evaluation.for_parameters(OTHER)), allow_insecure=True)
    assert read.parameters == OTHER
    assert cy.to_bytes(read.for_parameters(ONE)) == cy.to_bytes(keys.evaluation)
