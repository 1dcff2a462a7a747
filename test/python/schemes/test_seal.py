# SPDX-License-Identifier: Apache-2.0
"""Microsoft SEAL (through tenseal) as an oracle: the same programs, and SEAL's own ciphertexts taken apart here.

SEAL computes BFV with BEHZ products as paper 000 does, and keeps parameters as paper 001 does, so that not only
results but noise budgets and even the residues of products must be the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, rlwe
from literals import ParametersLiteral
from oracles.integers import random_below
from parties import Party, galois_group
from seal_party import Seal, sealapi, seals, tenseal

PRESET, PROGRAMS = "seal-4096", "seal-8192"


@pytest.fixture
def seal() -> Seal:
    return seals(PRESET, "bfv")


@pytest.fixture(scope="module")
def party() -> Party:
    """This library's own keys with the same parameters, for the same programs."""
    literal = ParametersLiteral.of(_core.preset(PRESET, False))
    elements = [galois_group(4096).row_rotation(step) for step in (1, 5, -7)]
    return Party(literal, galois=[*elements, *rlwe.slot_sum_elements(galois_group(4096))])


@pytest.mark.parametrize("degree", [4096, 8192, 16384, 32768])
def test_presets_have_seals_primes_in_seals_places(degree: int) -> None:
    parameters = _core.preset(f"seal-{degree}", False)
    theirs = [m.value() for m in sealapi.CoeffModulus.BFVDefault(degree, sealapi.SEC_LEVEL_TYPE.TC128)]
    assert [*parameters.moduli, *parameters.special_moduli] == theirs and len(parameters.special_moduli) == 1
    assert sealapi.CoeffModulus.MaxBitCount(degree, sealapi.SEC_LEVEL_TYPE.TC128) == _core.max_modulus_bits(
        degree, 128, "he-standard-2018"
    )


@pytest.mark.parametrize("preset", [PRESET, PROGRAMS])
def test_batch_encoding_gives_the_same_polynomial(rng: np.random.Generator, preset: str) -> None:
    """Slot order and root of unity are SEAL's."""
    seal = seals(preset, "bfv")
    values = random_below(rng, seal.t, seal.n)
    theirs = seal.encoded(values)
    rows = np.where(values > seal.t // 2, values - seal.t, values).astype(np.int64)[None]
    ours = rlwe.coefficients(_core.encode_residues(seal.here, 0, True, rows))[0, 0, 0]
    assert theirs.coeff_count() == seal.n and [theirs[i] for i in range(seal.n)] == ours.tolist()


def test_seals_ciphertexts_decrypt_here_with_the_same_noise_budget(rng: np.random.Generator, seal: Seal) -> None:
    x, y = random_below(rng, seal.t, seal.n), random_below(rng, seal.t, seal.n)
    a, b = seal.encrypted(x), seal.encrypted(y)
    product = seal.call("multiply", a, b)
    cases = [
        (a, x),
        (seal.call("add", a, b), (x + y) % seal.t),
        (seal.call("sub", a, b), (x - y) % seal.t),
        (seal.call("add_plain", a, seal.encoded(y)), (x + y) % seal.t),
        (seal.call("multiply_plain", a, seal.encoded(y)), x * y % seal.t),
        (product, x * y % seal.t),
        (seal.call("relinearize", product, seal.relin), x * y % seal.t),
        (seal.call("rotate_rows", a, 3, seal.galois), np.roll(x.reshape(2, -1), -3, axis=1).reshape(-1)),
    ]
    budgets = set()
    for theirs, expected in cases:
        ours = seal.taken_over(theirs)
        assert np.array_equal(seal.read(ours), expected) and np.array_equal(seal.decrypted(theirs), expected)
        (budget,) = _core.noise_budget(ours, seal.imported)
        assert budget == seal.decryptor.invariant_noise_budget(theirs)
        budgets.add(budget)
    assert len(budgets) >= 3


def test_linear_operations_and_behz_products_have_seals_residues(rng: np.random.Generator, seal: Seal) -> None:
    """The same S0 ... S4 with m~ = 2^32: nothing in the result depends on the choice of the auxiliary primes. Sums,
    products with plaintexts and additions of plaintexts have only one right answer."""
    x, y = random_below(rng, seal.t, seal.n), random_below(rng, seal.t, seal.n)
    a, b = seal.encrypted(x), seal.encrypted(y)
    c, d = seal.taken_over(a), seal.taken_over(b)
    m = _core.encode_residues(seal.here, 0, True, np.where(y > seal.t // 2, y - seal.t, y).astype(np.int64)[None])
    behz = bfv.ProductMethod.behz
    pairs = [
        (seal.call("add", a, b), _core.add(c, d)),
        (seal.call("sub", a, b), testing.scheme.subtract(c, d)),
        (seal.call("negate", a), rlwe.negate(c)),
        (seal.call("multiply_plain", a, seal.encoded(y)), _core.multiply_plain(c, m)),
        (seal.call("multiply", a, b), bfv.multiply(c, d, behz)),
        (seal.call("square", a), bfv.square(c, behz)),
    ]
    for theirs, ours in pairs:
        assert np.array_equal(seal.residues(theirs), rlwe.coefficients(ours))


def test_rotations_move_slots_as_seals_do(rng: np.random.Generator, seal: Seal, party: Party) -> None:
    x = random_below(rng, seal.t, (1, seal.n))
    theirs, ours = seal.encrypted(x[0]), party.encrypt(x, 1, slots=True)
    for step in (1, 5, -7):
        rotated = rlwe.rotate_rows(ours, step, party.evaluation)
        expected = seal.decrypted(seal.call("rotate_rows", theirs, step, seal.galois))
        assert np.array_equal(party.decrypt(rotated, slots=True)[0], expected)
    swapped = seal.decrypted(seal.call("rotate_columns", theirs, seal.galois))
    assert np.array_equal(party.decrypt(rlwe.rotate_columns(ours, party.evaluation), slots=True)[0], swapped)


def test_vector_programs_give_tenseals_results(rng: np.random.Generator) -> None:
    """Sums, products, plaintext operands, dot products and totals of tenseal's BFV vectors."""
    literal = ParametersLiteral.of(_core.preset(PROGRAMS, False))
    party = Party(literal, galois=rlwe.slot_sum_elements(galois_group(literal.degree)))
    context = tenseal.context(tenseal.SCHEME_TYPE.BFV, poly_modulus_degree=8192, plain_modulus=party.t())
    context.generate_galois_keys()
    x, y = rng.integers(-50, 50, 100), rng.integers(-50, 50, 100)
    p, q = tenseal.bfv_vector(context, x.tolist()), tenseal.bfv_vector(context, y.tolist())
    padded = np.zeros((2, party.n), dtype=object)
    padded[0, :100], padded[1, :100] = x, y
    both = party.encrypt(padded, 1, slots=True)
    a, b = _core.take(both, [0]), _core.take(both, [1])
    plain, keys = party.plaintext(padded[1:], slots=True), party.evaluation

    def values(ciphertext: Any) -> list[int]:
        decoded = _core.decode_residues(_core.decrypt(ciphertext, party.secret), True)
        return [int(v) for v in decoded[0]]

    def product(c: Any, d: Any) -> Any:
        return _core.relinearize(_core.multiply(c, d), keys)

    assert values(_core.add(a, b))[:100] == (p + q).decrypt() == (x + y).tolist()
    assert values(testing.scheme.subtract(a, b))[:100] == (p - q).decrypt()
    assert values(product(a, b))[:100] == (p * q).decrypt() == (x * y).tolist()
    assert values(_core.multiply_plain(a, plain))[:100] == (p * y.tolist()).decrypt()
    assert values(testing.scheme.add_plain(a, plain))[:100] == (p + y.tolist()).decrypt()
    assert values(testing.scheme.subtract_plain(a, plain))[:100] == (p - y.tolist()).decrypt()
    assert values(product(product(a, a), b))[:100] == (p * p * q).decrypt()
    centred = (x.astype(object) * x * y + 32768) % 65537 - 32768
    assert values(product(product(a, a), b))[:100] == centred.tolist()
    assert [values(rlwe.sum_slots(product(a, b), keys))[0]] == p.dot(q).decrypt() == [int(x @ y)]
    assert [values(rlwe.sum_slots(a, keys))[7]] == p.sum().decrypt() == [int(x.sum())]
