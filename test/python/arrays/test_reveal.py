# SPDX-License-Identifier: Apache-2.0
"""Results that others may see: the same values, from phases whose noise is drowned, or a refusal that may be told."""

from __future__ import annotations

import inspect
import math
from fractions import Fraction
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe
from cyclotome.errors import ArgumentError, ContradictionError, NoiseError
from oracles import sampling
from oracles.integers import centred, compose
from parties import Party, seed, small_literal
from small import keys

#: Decryption refuses beyond this part of the limit, and flooding goes that far.
MARGIN = math.log2(15 / 16)


def limit_of(ciphertext: Any) -> float:
    """log2 of the largest noise that decryption corrects."""
    return float(ciphertext.noise_headroom + ciphertext.noise[0] - MARGIN)


def parties(word: int, degree: int, t: int) -> list[Party]:
    """A BFV and a BGV party."""
    primes, bits = (9, 30) if word == 32 else (5, 55)
    return [
        Party(small_literal(word, degree, t, primes, 1, 0, bits)),
        BgvParty(bgv_literal(word, degree, t, primes, 1, 0, bits)),
    ]


@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("bits", [1, 20, 40, 100])
def test_revealed_values_are_the_decrypted_ones(rng: np.random.Generator, word: int, bits: int) -> None:
    for party in parties(word, 64, 12289):
        values = rng.integers(0, 12289, (3, 64))
        encrypted = party.encrypt(values, int(rng.integers(1 << 60)), slots=False)
        for number in range(5):
            opened = _core.decode_residues(deterministic.reveal(encrypted, party.secret, bits, seed(number, 9)), False)
            assert np.array_equal(opened % 12289, values)


@pytest.mark.parametrize("word", [32, 64])
def test_the_added_error_is_uniform_over_the_stated_range(rng: np.random.Generator, word: int) -> None:
    """Exactly a multiple of t in BGV, of 1 in BFV; within [-F, F], both signs, spread over it, other ones in other
    ciphertexts; and F is the largest that leaves room for the noise N = limit/(2^bits n): (15/16 limit - N)/multiple,
    whatever the bound says."""
    bits, n, t, items = 30, 64, 257, 64
    for party in parties(word, n, t):
        encrypted = party.encrypt(rng.integers(0, t, (items, n)), int(rng.integers(1 << 60)), slots=False)
        limit, multiple = limit_of(encrypted), t if isinstance(party, BgvParty) else 1
        flooded = rlwe.flooded_phase(party.secret, encrypted, limit, bits, multiple, seed(7, 9))
        added = (compose(flooded, party.moduli) - compose(rlwe.phase(party.secret, encrypted), party.moduli)) % party.q
        error = centred(added, party.q)
        assert all(int(e) % multiple == 0 for e in error.flat)
        shares = np.array([float(int(e) / multiple) for e in error.flat])
        wanted = 2.0**limit * (15 / 16 - 2.0 ** -(bits + 6)) / multiple
        largest = np.abs(shares).max()
        assert 0.99 * wanted <= largest <= wanted
        # Uniform: 4096 draws in 16 classes, chi-squared of 15 degrees of freedom below 60 (probability 2e-7 above).
        counts = np.histogram(shares / largest, bins=16, range=(-1, 1))[0]
        assert ((counts - 256) ** 2 / 256).sum() < 60
        assert len(set(shares)) == shares.size


@pytest.mark.parametrize("word", [32, 64])
def test_what_hides_is_the_sum_of_three_draws_of_the_stream(rng: np.random.Generator, word: int) -> None:
    """By ChaCha20's definition, item by item: draw d of item i is at item d items + i. One draw is floor(r q / 2^128),
    whose law is r (q - r) / (q 2^128) from uniform, r = 2^128 mod q; the sum of three at most four times its cube,
    which for all residues of an array stays below 2^-178."""
    party, items = parties(word, 64, 257)[0], 3
    raw = rng.bytes(32)
    drawn = rlwe.draw_to_hide(party.context, items, testing.Seed(raw))
    stream, distance = 10, Fraction(0)
    for limb, q in enumerate(party.moduli):
        for item in range(items):
            for i in range(64):
                draws = [sampling.uniform(raw, stream, 0, d * items + item, limb, i, q) for d in range(3)]
                assert int(drawn[item, 0, limb, i]) == sum(draws) % q
        rest = 2**128 % q
        distance = max(distance, 4 * Fraction(rest * (q - rest), q * 2**128) ** 3)
    assert distance * 2**26 < Fraction(1, 2**178)


def test_other_seeds_give_other_errors(rng: np.random.Generator) -> None:
    party, _ = parties(64, 64, 257)
    encrypted = party.encrypt(rng.integers(0, 257, (1, 64)), 5, slots=False)
    first, again, other = (
        rlwe.flooded_phase(party.secret, encrypted, 200.0, 20, 1, seed(number, 9)) for number in (1, 1, 2)
    )
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def with_noise(party: Party, ciphertext: Any, size: float, bound: float) -> Any:
    """``ciphertext`` with an error of this size, of both signs, added to its phase, and any stated bound."""
    factor = party.t() if isinstance(party, BgvParty) else 1
    whole = int(size) // factor * factor
    c0, c1 = party.parts(ciphertext)[0]
    parts = [(c0 + np.array([whole, -whole] * (party.n // 2), dtype=object)) % party.q, c1]
    if isinstance(party, BgvParty):
        return party.made(parts, party.top, log2_max=bound)
    return party.crafted(parts, log2_max=bound)


def largest_bound(ciphertext: Any, n: int, bits: int) -> float:
    """log2 of the noise that leaves exactly the headroom that flooding takes."""
    return limit_of(ciphertext) + MARGIN - rlwe.flooding_headroom(n, bits)


@pytest.mark.parametrize("word", [32, 64])
def test_it_refuses_exactly_when_the_public_bound_leaves_too_little(rng: np.random.Generator, word: int) -> None:
    """And just before, the flooded phase still decrypts, with noise as large as the bound says."""
    bits = 24
    for party in parties(word, 64, 257):
        message = rng.integers(0, 257, (1, 64))
        fresh = party.encrypt(message, int(rng.integers(1 << 60)), slots=False)
        limit = largest_bound(fresh, 64, bits)
        loud = with_noise(party, fresh, 0.9 * 2.0**limit, limit - 0.01)
        for number in range(10):
            opened = deterministic.reveal(loud, party.secret, bits, seed(number, 9))
            assert np.array_equal(_core.decode_residues(opened, False) % 257, message)
        beyond = with_noise(party, fresh, 0, limit + 0.01)
        assert beyond.noise_headroom > 0
        with pytest.raises(NoiseError, match=r"with 24 bits, .*, takes 30 bits of noise headroom, and 29"):
            deterministic.reveal(beyond, party.secret, bits, seed(1, 9))


def test_a_ciphertext_with_more_noise_than_it_states_is_not_revealed(rng: np.random.Generator) -> None:
    """Decryption still gives the message, which tells that the noise is below the limit; flooding by parameters makes
    the sum a matter of chance, and refuses."""
    bits = 10
    for party in parties(64, 64, 257):
        message = rng.integers(0, 257, (1, 64))
        fresh = party.encrypt(message, int(rng.integers(1 << 60)), slots=False)
        limit = largest_bound(fresh, 64, bits)
        room = 2.0 ** limit_of(fresh)
        dishonest = with_noise(party, fresh, 0.9 * room, limit - 0.01)
        assert np.array_equal(
            _core.decode_residues(testing.scheme.decrypt_unchecked(dishonest, party.secret), False) % 257, message
        )
        for part in (0.9, 0.5, 2.2 * 2.0**-bits / 64):  # N is room 2^-bits / 64
            forged = with_noise(party, fresh, part * room, limit - 0.01)
            for number in range(4):
                with pytest.raises(ContradictionError, match="reveal"):
                    deterministic.reveal(forged, party.secret, bits, seed(number, 9))


def test_a_ciphertext_without_noise_is_flooded_too(rng: np.random.Generator) -> None:
    """Its bound says no noise at all; what floods it is as large as for any other."""
    for party in parties(64, 64, 65537):
        zeros = np.zeros((2, 64), dtype=object)
        silent = party.made(zeros, party.top) if isinstance(party, BgvParty) else party.crafted(zeros)
        assert not _core.decode_residues(deterministic.reveal(silent, party.secret, 40, seed(3, 9)), False).any()
        if isinstance(party, BgvParty):  # at the lowest level nothing but silence is below 2^-64 of the limit
            assert not _core.decode_residues(
                deterministic.reveal(party.made(zeros, 1), party.secret, 64, seed(3, 9)), False
            ).any()
            with pytest.raises(NoiseError):
                deterministic.reveal(party.made(zeros, 1, log2_max=0.0), party.secret, 64, seed(3, 9))


@pytest.mark.parametrize("bits", [0, 161])
def test_flooding_has_limits(bits: int) -> None:
    party, _ = parties(64, 64, 257)
    with pytest.raises(ArgumentError, match=rf"flooding_bits {bits} must lie in \[1, 160\]"):
        deterministic.reveal(
            party.encrypt(np.zeros((1, 64), dtype=np.int64), 1, slots=False), party.secret, bits, seed(1)
        )


# --- the Python package -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_parameters_for_revealing_carry_what_they_were_asked_for(rng: np.random.Generator, scheme: str) -> None:
    """The same intent without flooding does not carry it."""
    intent: dict[str, Any] = {"depth": 1, "value_bits": 6, "terms": 4, "plain_products": 0, "scheme": scheme}
    parameters = cy.Parameters.suggest(**intent, flooding_bits=64)
    assert parameters.modulus_bits > cy.Parameters.suggest(**intent).modulus_bits
    secret, public, _ = cy.keygen(parameters, rotations=[])
    values = rng.integers(-63, 64, 100)
    x = cy.encrypt(values, public)
    y = (x * x) * 4
    assert np.array_equal(cy.reveal(y, secret, flooding_bits=64), values**2 * 4)
    assert np.array_equal(cy.reveal(x[...], secret), values)
    other = cy.keygen(cy.Parameters.suggest(**intent), rotations=[])
    z = cy.encrypt(values, other.public)
    with pytest.raises(cy.errors.NoiseError, match="suggest with flooding_bits"):
        cy.reveal((z * z) * 4, other.secret, flooding_bits=64)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_revealing_keeps_shapes_layouts_and_refusals(scheme: str) -> None:
    own, stranger = keys(scheme=scheme), cy.keygen(keys(scheme=scheme).public.parameters, rotations=[])
    for layout in ("packed", "replicated"):
        x = cy.encrypt([[1, -2, 3], [4, 5, -6]], own.public, bound=6, layout=layout)
        assert cy.reveal(x, own.secret).tolist() == [[1, -2, 3], [4, 5, -6]]
    assert cy.reveal(x.sum(), own.secret) == 5
    with pytest.raises(cy.errors.MismatchError):
        cy.reveal(x, stranger.secret)
    for bits in (0, 129):
        with pytest.raises(cy.errors.ArgumentError, match=f"flooding_bits {bits}"):
            cy.reveal(x, own.secret, flooding_bits=bits)
    with pytest.raises(cy.errors.ArgumentError):
        cy.reveal(x, own.secret, flooding_bits=1.5)  # type: ignore[arg-type]
    with pytest.raises(cy.errors.UnsupportedError):
        cy.reveal(x, own.public)  # type: ignore[arg-type]


def test_it_is_never_done_by_decrypt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole array is opened by the function that floods."""
    own = keys()
    x = cy.encrypt(np.arange(40).reshape(20, 2), own.public, bound=40)
    calls = []
    real = cy._core.reveal

    def counted(*arguments: Any) -> Any:
        calls.append(arguments[0].batch)
        return real(*arguments)

    def refused(*_: Any) -> Any:
        raise AssertionError("decrypt was called")

    monkeypatch.setattr(cy._core, "reveal", counted)
    monkeypatch.setattr(cy._core, "decrypt", refused)
    assert cy.reveal(x, own.secret).tolist() == np.arange(40).reshape(20, 2).tolist()
    assert calls == [20]


def test_the_least_and_the_most_flooding_are_taken_and_nothing_beyond() -> None:
    own = keys()
    x = cy.encrypt([3, -4], own.public, bound=9)
    assert inspect.signature(cy.reveal).parameters["flooding_bits"].default == 64  # what pages promise of it
    for bits in (1, 128):
        assert cy.reveal(x, own.secret, flooding_bits=bits).tolist() == [3, -4]
    for bits in (0, 129):
        with pytest.raises(ArgumentError, match="flooding_bits"):
            cy.reveal(x, own.secret, flooding_bits=bits)
