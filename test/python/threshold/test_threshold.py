# SPDX-License-Identifier: Apache-2.0
"""Joint keys of several parties: exact results by all and by any t of n, bounds that hold against the joint secret, and
flooding of the stated size."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome._core.testing import rlwe, shapes, threshold
from cyclotomic_party import smallest_primes
from joint_keys import BITS, Joint, gaps, parameters, product, secret_of
from oracles.integers import centred, compose

SCHEMES = ("bfv", "bgv")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("parties", "degree"), [(2, 16), (3, 16), (5, 16), (2, 64), (3, 64), (2, 1024)])
def test_all_parties_decrypt_what_a_joint_key_computes(
    scheme: str, parties: int, degree: int, rng: np.random.Generator
) -> None:
    """Products, sums, rotations and products with plaintexts, with every value at its bound; every step's exact noise
    is below its bound in all three norms."""
    joint = Joint(parameters(scheme, degree, parties))
    bound = math.isqrt(786433 // 2 // degree)  # sums of all products reach what values may be
    a = np.full(degree, bound) * rng.choice([-1, 1], degree)
    b = np.full(degree, -bound)
    x, y = joint.encrypt(a, bound=bound), joint.encrypt(b, bound=bound)
    steps = [
        (x, a),
        (x * y, a * b),
        (x * x - y * y, a * a - b * b),
        (x.sum(), a.sum()),
        (x * 7, a * 7),
        (x * np.resize([3, -3], degree), a * np.resize([3, -3], degree)),
        ((x * y).sum(), (a * b).sum()),
    ]
    for result, expected in steps:
        gaps(joint, result)
        assert np.array_equal(joint.decrypt(result), expected)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_products_in_a_row_and_lower_levels(scheme: str) -> None:
    joint = Joint(parameters(scheme, 64, 3))
    values = np.array([15, -15, 1, 0] * 16)
    x = joint.encrypt(values, bound=15)
    cube = x * x * x
    gaps(joint, cube)
    assert np.array_equal(joint.decrypt(cube), values**3)
    low = (x * x).switch_to_level(3)
    gaps(joint, low)
    assert np.array_equal(joint.decrypt(low, bits=40), values**2)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("special", [0, 1, 2])
def test_keys_with_every_number_of_special_primes(scheme: str, special: int) -> None:
    """Without any, switching keys' errors are multiplied by whole primes: the bound says so, and holds."""
    joint = Joint(parameters(scheme, 64, 3, special=special, primes=6))
    values = np.array([-100, 100] * 32)
    x = joint.encrypt(values, bound=100)
    for result, expected in [(x * x, values**2), (x.sum(), 0), (x, values)]:
        gaps(joint, result)
        assert np.array_equal(joint.decrypt(result, bits=16), expected)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_several_plaintext_moduli_and_narrow_words(scheme: str) -> None:
    wide = Joint(parameters(scheme, 16, 3, (40961, 65537)))
    values = np.array([10**4, -(10**4)] * 8)
    x = wide.encrypt(values, bound=10**4)
    assert np.array_equal(wide.decrypt(x * x), values**2)
    gaps(wide, x * x)
    narrow = Joint(parameters(scheme, 16, 2, (257,), width=28, primes=8))
    y = narrow.encrypt([3, -3, 5], bound=5)
    assert np.array_equal(narrow.decrypt(y * y, bits=40), [9, 9, 25])
    gaps(narrow, y * y)


@pytest.mark.parametrize("strict", [False, True])
def test_rotations_and_matrices_by_joint_keys(strict: bool, rng: np.random.Generator) -> None:
    joint = Joint(parameters("bfv", 64, 3, strict=strict))
    values, matrix = rng.integers(-9, 10, 16), rng.integers(-3, 4, (8, 16))
    x = joint.encrypt(values, bound=9)
    y = matrix @ x
    gaps(joint, y)
    assert np.array_equal(joint.decrypt(y), matrix @ values)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("needed", "parties"), [(2, 3), (3, 5)])
def test_any_subset_that_is_large_enough_decrypts(scheme: str, needed: int, parties: int) -> None:
    joint = Joint(parameters(scheme, 16, parties), needed, rotations=[])
    values = np.array([300, -300, 7])
    x = joint.encrypt(values, bound=300)
    y = x * x
    for size in range(needed, parties + 1):
        for active in itertools.combinations(joint.session.parties, size):
            assert np.array_equal(joint.decrypt(y, *active), values**2), active


@pytest.mark.parametrize("scheme", SCHEMES)
def test_parties_may_have_any_numbers(scheme: str) -> None:
    joint = Joint(parameters(scheme, 16, 3), 2, parties=[7, 300, 65535], rotations=[])
    x = joint.encrypt([1, 2, 3], bound=3)
    for active in itertools.combinations(joint.session.parties, 2):
        assert np.array_equal(joint.decrypt(x, *active), [1, 2, 3])


def test_shares_of_the_secret_are_points_of_a_polynomial() -> None:
    """Any t sums give the joint secret at 0 by Lagrange's formula in Python integers; t - 1 give something else."""
    joint = Joint(parameters("bfv", 16, 5), 3, rotations=[])
    moduli = joint.session.parameters.moduli
    shares = {
        number: np.array(threshold.secret_share_residues(party.share.native), dtype=object).reshape(len(moduli), -1)
        for number, party in joint.parties.items()
        if party.share is not None
    }
    for active in itertools.combinations(joint.session.parties, 3):
        for limb, q in enumerate(moduli):
            factors = {i: math.prod(j * pow(j - i, -1, q) for j in active if j != i) % q for i in active}
            for i in active:
                assert threshold.lagrange_coefficients(list(moduli), list(active), i)[limb] == factors[i]
            total = sum(factors[i] * shares[i][limb] for i in active) % q
            assert np.array_equal(total, joint.secret % q)
    two = sum(shares[i][0] * factor for i, factor in ((1, 2), (2, -1))) % moduli[0]
    assert not np.array_equal(two, joint.secret % moduli[0])


def flooding_of(joint: Joint, number: int, share: cy.threshold.DecryptionShare, x: cy.EncryptedArray) -> Any:
    """What a share holds besides c1 times its part of the secret: centred integers, one row for each ciphertext."""
    channel = x.native.channels[0]
    moduli = list(joint.session.parameters.moduli)[: channel.limbs]
    q, n = math.prod(moduli), joint.session.parameters.degree
    residues = np.array(threshold.decryption_share_residues(share.native, 0), dtype=object)
    rows = compose(residues.reshape(-1, len(moduli), n), moduli)
    party = joint.parties[number]
    if joint.session.shares_secrets:
        assert party.share is not None
        whole = np.array(threshold.secret_share_residues(party.share.native), dtype=object)
        part = compose(whole.reshape(-1, n)[: len(moduli)], moduli)
        factors = [math.prod(j * pow(j - number, -1, m) for j in share.active if j != number) % m for m in moduli]
        part = part * int(compose(np.array(factors, dtype=object)[:, None], moduli)[0]) % q
    else:
        part = secret_of(party)
    c1 = compose(rlwe.coefficients(channel), moduli)[:, 1]
    return np.array([centred((row - product(c, part)) % q, q) for row, c in zip(rows, c1, strict=True)], dtype=object)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("needed", [3, 2])
def test_every_share_is_flooded_as_stated(scheme: str, needed: int) -> None:
    """Uniform in [-F, F] (times t in BGV), F such that all shares' errors and the noise stay below the limit, and each
    alone exceeds the noise by the stated bits. Each of at most 40 assertions fails by chance below 2.5e-11."""
    joint = Joint(parameters(scheme, 64, 3), needed, rotations=[])
    x = joint.encrypt(np.resize([9, -9], (50, 64)), bound=9)
    y = x * x
    chance = 2.5e-11
    for active in [joint.session.parties, joint.session.parties[:needed]]:
        bits = BITS + 6  # 50 ciphertexts
        text, log2_noise, log2_flooded = threshold.share_flooding(y.native, 0, bits, len(active))
        largest = int(text)
        multiple = joint.session.parameters.plain_moduli[0] if scheme == "bgv" else 1
        assert y.native.channels[0].noise[0] <= log2_noise
        # Distance of the flooded noise from one without: at most n noise / (2 F), for each ciphertext.
        assert log2_noise + 6 - math.log2(2 * largest * multiple) <= -BITS + 0.01
        total = len(active) * largest * multiple + 2**log2_noise
        assert log2_flooded - math.log2(total) >= -0.02
        for share in joint.shares(y, *active):
            found = flooding_of(joint, share.party, share, y)
            assert all(value % multiple == 0 for value in found.flat)
            parts = np.array([float(value // multiple) / largest for value in found.flat])
            assert np.abs(parts).max() <= 1
            assert np.abs(parts).max() >= 1 - math.log(1 / chance) / parts.size
            hoeffding = math.sqrt(math.log(2 / chance) / (2 * parts.size))
            assert abs(parts.mean()) <= 2 * hoeffding
            assert abs(np.abs(parts).mean() - 0.5) <= hoeffding
            assert abs((parts**2).mean() - 1 / 3) <= hoeffding


def test_shares_are_the_same_when_asked_twice_and_no_others(tmp_path: Path) -> None:
    """Nothing can be averaged away: the same question has the same answer, and any other has another flooding."""
    joint = Joint(parameters("bfv", 16, 3), 2, tmp_path, rotations=[])
    x = joint.encrypt([1, 2], bound=9)
    one = joint.parties[1]

    def residues(**options: Any) -> list[int]:
        share = one.decryption_share(x, **{"active": [1, 2], "flooding_bits": 64, **options})
        return list(flooding_of(joint, 1, share, x).flat)

    first = residues()
    assert residues() == first
    assert residues(active=[1, 3]) != first
    assert residues(flooding_bits=60) != first
    again = cy.threshold.Party(joint.session, 1, file=tmp_path / "1.party", share=one.share)
    assert cy.to_bytes(again.first_share(joint.coins)) == cy.to_bytes(joint.first[0])
    assert cy.to_bytes(again.second_share(joint.first)) == cy.to_bytes(joint.second[0])
    assert list(flooding_of(joint, 1, again.decryption_share(x, active=[1, 2]), x).flat) == first


def test_arrays_of_every_layout_and_bits() -> None:
    joint = Joint(parameters("bgv", 16, 2))
    for shape in [(), (1,), (16,), (3, 5), (40,)]:
        values = np.arange(math.prod(shape)).reshape(shape)
        x = joint.encrypt(values, bound=50)
        found = joint.decrypt(x + 1)
        assert np.array_equal(found, values + 1)
        assert np.shape(found) == shape
    modulo_two = Joint(parameters("bgv", 16, 2, (2,)), rotations=[])
    x = modulo_two.encrypt([True, False, True])
    found = modulo_two.decrypt(x)
    assert list(found) == [True, False, True]


def test_planned_parameters_serve_their_parties() -> None:
    """`suggest` leaves the room that flooding by all parties takes, at full size and security."""
    params = cy.Parameters.suggest(depth=1, value_bits=8, terms=4, parties=3, flooding_bits=64)
    assert params.parties == 3
    assert not params.insecure
    assert "3 parties" in params.summary()
    joint = Joint(params, rotations=[])
    values = np.array([255, -255, 3])
    x = joint.encrypt(values, bound=255)
    assert np.array_equal(joint.decrypt(x * x), values**2)


def test_bounds_grow_with_the_parties() -> None:
    alone, many = parameters("bfv", 64, 1), parameters("bfv", 64, 8)
    assert alone.fingerprint != many.fingerprint
    assert alone != many
    single = cy.encrypt([1], cy.keygen(alone).public, bound=1)
    joint = Joint(many, rotations=[]).encrypt([1], bound=1)
    assert 2 < single.noise_headroom - joint.noise_headroom < 3.5  # log2(8)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("threshold", [2, 3])
def test_joint_keys_of_bits_over_other_cyclotomics(scheme: str, threshold: int, rng: np.random.Generator) -> None:
    """m = 105: products, rotations of slots and any two of three, or all, decrypt bits exactly."""
    primes = smallest_primes(shapes.cyclotomic(105).transform_step, 6, 1 << 48)
    params = cy.Parameters(
        cyclotomic=105,
        plain_moduli=[2],
        moduli=primes[:5],
        special_moduli=primes[5:],
        security=0,
        allow_insecure=True,
        scheme=scheme,
        parties=3,
        word=64,
    )
    joint = Joint(params, threshold)
    slots = params.slots
    a, b = rng.integers(0, 2, (2, slots)).astype(bool)
    x, y = joint.encrypt(a), joint.encrypt(b)
    who = joint.session.parties[-threshold:]
    for result, expected in ((x, a), (x ^ y, a ^ b), (x & y, a & b), (~(x & y) & x, ~(a & b) & a)):
        found = joint.decrypt(result, *who, bits=20)
        assert found.dtype == bool and np.array_equal(found, expected)
