# SPDX-License-Identifier: Apache-2.0
"""Microsoft SEAL's BGV (through tenseal) as an oracle: its ciphertexts, taken over under its own secret key, decrypt
here to the same values with the same noise budgets, and exact operations have the same residues."""

from __future__ import annotations

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe
from oracles.integers import random_below
from seal_party import Seal, seals


@pytest.fixture
def seal() -> Seal:
    return seals("seal-8192", "bgv")


def test_seals_ciphertexts_decrypt_here_with_the_same_budget(rng: np.random.Generator, seal: Seal) -> None:
    x, y = random_below(rng, seal.t, (2, seal.n))
    a, b = seal.encrypted(x), seal.encrypted(y)
    product = seal.call("multiply", a, b)
    small = seal.call("relinearize", product, seal.relin)
    cases = [
        (a, x),
        (seal.call("add", a, b), (x + y) % seal.t),
        (seal.call("multiply_plain", a, seal.encoded(y)), x * y % seal.t),
        (product, x * y % seal.t),
        (small, x * y % seal.t),
        (seal.call("rotate_rows", a, 3, seal.galois), np.roll(x.reshape(2, -1), -3, axis=1).reshape(-1)),
    ]
    for theirs, expected in cases:
        ours = seal.taken_over(theirs)
        assert np.array_equal(seal.read(ours), expected) and np.array_equal(seal.decrypted(theirs), expected)
        (budget,) = _core.noise_budget(ours, seal.imported)
        assert budget == seal.decryptor.invariant_noise_budget(theirs)


def test_seals_switched_ciphertexts_have_our_correction_factors(rng: np.random.Generator, seal: Seal) -> None:
    (x,) = random_below(rng, seal.t, (1, seal.n))
    theirs, factor = seal.encrypted(x), 1
    for level in range(len(seal.parameters.moduli) - 1, 1, -1):
        theirs = seal.call("mod_switch_to_next", theirs)
        factor = factor * pow(seal.parameters.moduli[level], -1, seal.t) % seal.t
        ours = seal.taken_over(theirs, factor)
        assert ours.limbs == level
        assert np.array_equal(seal.read(ours), x) and np.array_equal(seal.decrypted(theirs), x)


def test_exact_operations_have_seals_residues_and_programs_its_results(rng: np.random.Generator, seal: Seal) -> None:
    """Sums and tensor products modulo q have one right answer; centred rounding here costs less noise than SEAL's."""
    x, y = random_below(rng, seal.t, (2, seal.n))
    a, b = seal.encrypted(x), seal.encrypted(y)
    c, d = seal.taken_over(a), seal.taken_over(b)
    for theirs, ours in [
        (seal.call("add", a, b), _core.add(c, d)),
        (seal.call("sub", a, b), testing.scheme.subtract(c, d)),
        (seal.call("multiply", a, b), testing.bgv.multiply(c, d, automatic=False)),
        (seal.call("square", a), testing.bgv.square(c, automatic=False)),
    ]:
        assert np.array_equal(rlwe.coefficients(seal.taken_over(theirs)), rlwe.coefficients(ours))
    keys = deterministic.generate_evaluation_keys(seal.imported, True, [], testing.Seed(rng.bytes(32)))
    theirs = seal.call("mod_switch_to_next", seal.call("relinearize", seal.call("multiply", a, b), seal.relin))
    ours = testing.bgv.switch_modulus(_core.relinearize(testing.bgv.multiply(c, d, automatic=False), keys))
    assert np.array_equal(seal.decrypted(theirs), x * y % seal.t) and np.array_equal(seal.read(ours), x * y % seal.t)
    (budget,) = _core.noise_budget(ours, seal.imported)
    assert budget >= seal.decryptor.invariant_noise_budget(theirs)
