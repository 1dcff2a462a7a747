# SPDX-License-Identifier: Apache-2.0
"""Encryption and decryption, coefficient by coefficient, against textbook BFV in Python integers.

Specification 5.3 and 5.4; paper 001, Algorithms 4 and 5, with errata 001-4 ... 001-10, 001-13, 000-9 and 000-11.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe
from cyclotome.errors import NoiseError
from oracles.integers import centred, compose, integers, random_below, round_half_up, words
from oracles.sampling import Half, Purpose, derive
from oracles.textbook_bfv import negacyclic_product
from parties import Party, seed, small_literal
from residues import on

WORD = pytest.mark.parametrize("word", [32, 64])
SPECIAL = pytest.mark.parametrize("special", [0, 1, 2])
PLAIN_MODULI = {32: [2, 257, 1024, 65537, (1 << 20) - 3, (1 << 30) - 35], 64: [2, 257, 1024, 65537, (1 << 59) - 55]}
CASES = pytest.mark.parametrize(("word", "t"), [(word, t) for word in PLAIN_MODULI for t in PLAIN_MODULI[word]])


def derived(party: Party, master: bytes, purpose: Purpose, half: Half = Half.WHOLE) -> Any:
    """The seed of an encryption under the party's keys, for the first plaintext modulus, by the specification."""
    return testing.Seed(derive(master, party.parameters.fingerprint, purpose, half, key=party.secret.id))


def drawn(party: Party, ring: Any, parts: int, law: Any, from_seed: Any, stream: Any, item: int) -> list[Any]:
    """What the sampler draws at one batch item's address: the centred integers that all limbs agree on."""
    array = testing.PolyArray(party.engine, ring, 1, parts)
    on(party.engine).sample(array.view(), law, from_seed, stream, item)
    moduli = ring.basis.moduli
    return list(centred(compose(array.to_host()[0], moduli), math.prod(moduli)))


def random_messages(party: Party, rng: np.random.Generator, items: int) -> Any:
    messages = random_below(rng, party.t(), (items, party.n))
    messages[0, :4] = [0, party.t() - 1, party.t() // 2, (party.t() + 1) // 2 % party.t()]
    return messages


@CASES
@SPECIAL
def test_public_key_encryption_is_the_formula_of_the_corrected_algorithm(
    rng: np.random.Generator, word: int, t: int, special: int
) -> None:
    """c_b = round((pk_b u + e_b) / P*) + [b = 0] round(q m / t): 001-4 (errors are added to coefficients), 001-5
    (division with rounding), 001-6 (the message), 001-7 (u is ternary), 001-13 (no special prime: no division).
    Every batch item draws from its own address, so that a batch is what its items would be."""
    party = Party(small_literal(word, 32, t, 3, special))
    messages, master = random_messages(party, rng, 3), seed(int(rng.integers(1 << 60))).bytes
    ciphertext = deterministic.encrypt(party.plaintext(messages, slots=False), party.public, testing.Seed(master))
    encryption_seed = derived(party, master, Purpose.PUBLIC_ENCRYPTION)
    ring = rlwe.encryption_ring(party.context)
    dropped = math.prod(ring.basis.moduli) // party.q
    assert dropped == (party.parameters.special_moduli[-1] if special else 1)
    first = max(special - 1, 0)
    public = compose(rlwe.coefficients(party.public)[0][:, first:], ring.basis.moduli)
    for item, parts in enumerate(party.parts(ciphertext)):
        (u,) = drawn(party, ring, 1, testing.Law.ternary, encryption_seed, testing.Stream.encryption_ternary, item)
        errors = drawn(party, ring, 2, testing.Law.error, encryption_seed, testing.Stream.encryption_error, item)
        assert set(u) == {-1, 0, 1} and max(abs(e) for row in errors for e in row) <= 21
        for b in range(2):
            masked = (negacyclic_product(public[b], u) + errors[b]) % (party.q * dropped)
            expected = round_half_up(masked, dropped)
            if b == 0:
                expected = expected + round_half_up(party.q * messages[item], t)
            assert np.array_equal(parts[b], expected % party.q)


@CASES
def test_symmetric_encryption_is_the_formula(rng: np.random.Generator, word: int, t: int) -> None:
    """(round(q m / t) - (a s + e), a) with a from the seed that the ciphertext carries."""
    party = Party(small_literal(word, 32, t, 3, 1))
    messages, master = random_messages(party, rng, 3), seed(int(rng.integers(1 << 60))).bytes
    ciphertext = deterministic.encrypt(party.plaintext(messages, slots=False), party.secret, testing.Seed(master))
    uniform_seed = derived(party, master, Purpose.SYMMETRIC_ENCRYPTION, Half.UNIFORM)
    error_seed = derived(party, master, Purpose.SYMMETRIC_ENCRYPTION, Half.ERROR)
    ring, stream = rlwe.ciphertext_ring(party.context), testing.Stream
    assert rlwe.uniform_seed(ciphertext) is not None and rlwe.uniform_seed(ciphertext).bytes == uniform_seed.bytes
    for item, parts in enumerate(party.parts(ciphertext)):
        (a,) = drawn(party, ring, 1, testing.Law.uniform, uniform_seed, stream.symmetric_uniform, item)
        (e,) = drawn(party, ring, 1, testing.Law.error, error_seed, stream.symmetric_error, item)
        expected = party.textbook().encrypt(messages[item], party.s, a, e)
        assert np.array_equal(parts[0], expected[0]) and np.array_equal(parts[1], expected[1])


@CASES
def test_001_6_messages_are_scaled_with_rounding_and_ties_go_up(rng: np.random.Generator, word: int, t: int) -> None:
    """Adding a plaintext to zeros leaves round(q m / t) modulo q, with the special prime left out of q. The corrected
    formula m floor(q/t) + floor((m (q mod t) + floor((t+1)/2)) / t) is the same for even t; for odd t it also rounds
    the fraction (t-1)/(2t) up, 1/(2t) below the half, so that exact rounding adds floor(t/2)."""
    party = Party(small_literal(word, 32, t, 3, 1))
    messages, q = random_messages(party, rng, 2), party.q
    zeros = party.crafted(np.zeros((1, 2, party.n), dtype=object))
    result = party.parts(testing.scheme.add_plain(zeros, party.plaintext(messages, slots=False)))
    for item in range(2):
        m = messages[item]
        assert np.array_equal(result[item][0], round_half_up(q * m, t) % q)
        assert np.array_equal(result[item][0], (m * (q // t) + (m * (q % t) + t // 2) // t) % q)
        formula = m * (q // t) + (m * (q % t) + (t + 1) // 2) // t
        just_below_half = (2 * m * q) % (2 * t) == t - 1
        assert np.array_equal((formula - result[item][0]) % q, just_below_half.astype(int))
        assert not result[item][1].any()
    if t % 2 == 0:  # an exact half occurs at m = t/2, since q is odd, and is rounded up
        assert result[0][0][2] == (q * (t // 2) * 2 + t) // (2 * t) and (2 * q * (t // 2)) % (2 * t) == t
    negative = party.parts(testing.scheme.subtract_plain(zeros, party.plaintext(messages, slots=False)))
    assert np.array_equal(negative[0][0], -result[0][0] % q)


@CASES
@pytest.mark.parametrize("parts", [2, 3])
def test_decryption_of_any_residues_equals_the_textbook(
    rng: np.random.Generator, word: int, t: int, parts: int
) -> None:
    """001-8, 001-9, 001-10, 000-11: uniform residues have every possible phase; round(t phase / q) is exact except
    where the fraction comes within k/gamma of a half."""
    party = Party(small_literal(word, 64, t, 4, 1))
    textbook = party.textbook()
    ciphertext = party.crafted(random_below(rng, party.q, (3, parts, party.n)))
    decrypted = rlwe.coefficients(testing.scheme.decrypt_unchecked(ciphertext, party.secret))[:, 0, 0]
    slack = Fraction(party.slack)
    for item, c in enumerate(party.parts(ciphertext)):
        noise = textbook.scaled_noise(c, party.s)
        certain = [2 * abs(int(w)) < party.q * (1 - 2 * slack) for w in noise]
        assert sum(certain) >= party.n - 1
        expected = textbook.decrypt(c, party.s)
        assert np.array_equal(integers(decrypted[item])[certain], expected[certain])


@CASES
def test_000_9_decryption_is_exact_up_to_the_stated_threshold(rng: np.random.Generator, word: int, t: int) -> None:
    """Noise up to (q/t)(1/2 - k/gamma) is removed, noise of a little more than q/(2t) gives a neighbour; without a
    whole-word gamma (and centring: 000-11) the last bits before the threshold would be lost."""
    party = Party(small_literal(word, 32, t, 3))
    messages, q, slack = random_messages(party, rng, 1)[0], party.q, Fraction(party.slack)
    body = round_half_up(q * messages, t)
    most = math.floor(Fraction(q, t) * (Fraction(1, 2) - slack)) - 1
    signs = rng.choice([-1, 1], party.n).astype(object)

    def decrypted(noise: int) -> Any:
        ciphertext = party.crafted([body + signs * noise, 0 * body])
        return integers(rlwe.coefficients(testing.scheme.decrypt_unchecked(ciphertext, party.secret))[0, 0, 0])

    assert np.array_equal(decrypted(most), messages)
    assert np.array_equal(decrypted(most * 99 // 100), messages)
    beyond = math.ceil(Fraction(q, t) * (Fraction(1, 2) + slack)) + 1
    assert np.array_equal(decrypted(beyond), (messages + signs) % t)


@CASES
def test_decryption_refuses_exactly_when_the_bound_exceeds_the_threshold(
    rng: np.random.Generator, word: int, t: int
) -> None:
    party = Party(small_literal(word, 32, t, 3))
    messages = random_messages(party, rng, 1)
    limit = math.log2(party.q) - math.log2(t) + math.log2(0.5 - party.slack) + math.log2(15 / 16)
    body = [round_half_up(party.q * messages[0], t), 0 * messages[0]]
    within = party.crafted(body, log2_max=limit - 0.001)
    assert np.array_equal(party.decrypt(within, slots=False), messages)
    assert within.noise_headroom == pytest.approx(0.001, abs=1e-6)
    beyond = party.crafted(body, log2_max=limit + 2.5)
    assert beyond.noise_headroom == pytest.approx(-2.5, abs=1e-6)
    with pytest.raises(NoiseError, match=r"3 bits beyond.*log q.*depth"):
        _core.decrypt(beyond, party.secret)
    assert np.array_equal(
        rlwe.coefficients(testing.scheme.decrypt_unchecked(beyond, party.secret))[:, 0, 0], words(messages)
    )


@WORD
@SPECIAL
@pytest.mark.parametrize("symmetric", [False, True])
def test_fresh_ciphertexts_decrypt_by_library_and_textbook(
    rng: np.random.Generator, word: int, special: int, symmetric: bool
) -> None:
    for t in PLAIN_MODULI[word]:
        party = Party(small_literal(word, 64, t, 3, special))
        messages = random_messages(party, rng, 2)
        ciphertext = party.encrypt(messages, int(rng.integers(1 << 60)), slots=False, symmetric=symmetric)
        assert np.array_equal(party.decrypt(ciphertext, slots=False), messages)
        for item, c in enumerate(party.parts(ciphertext)):
            assert np.array_equal(party.textbook().decrypt(c, party.s), messages[item])
            assert np.array_equal(
                centred(compose(rlwe.phase(party.secret, ciphertext)[item, 0], party.moduli), party.q),
                party.textbook().phase(c, party.s),
            )
