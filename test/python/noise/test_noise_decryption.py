# SPDX-License-Identifier: Apache-2.0
"""Decryption looks at the noise that it removes: beyond 15/16 of the limit, or beyond the stated bound, it refuses with
ContradictionError; what an honest ciphertext can hold it never refuses. Peaks are the same numbers on every engine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from cyclotome.errors import ContradictionError, NoiseError
from oracles.integers import centred, compose, integers, random_below, some_primes
from parties import Party, seed, slot_prime, small_literal
from residues import ENGINES, on, put, ring_of

WORD = pytest.mark.parametrize("word", [32, 64])
#: An errors' size as part of the limit, and whether decryption lets it pass. Twice the limit and a bit is a neighbour.
PARTS = [
    (Fraction(1, 1000), True),
    (Fraction(8, 16), True),
    (Fraction(14, 16), True),
    (Fraction(15, 16) * Fraction(999, 1000), True),
    (Fraction(15, 16) * Fraction(1001, 1000), False),
    (Fraction(31, 32), False),
    (Fraction(1), False),
    (Fraction(17, 16) * Fraction(999, 1000), False),
]
MARGIN = math.log2(15 / 16)


def bfv_cases(word: int) -> Iterator[tuple[Party, Any, Any]]:
    """Parties, and a ciphertext's parts as a function of its error, with c_1 = 0 and with a random one."""
    for t in (2, 257, 65537, (1 << 29) - 3):
        party = Party(small_literal(word, 64, t, 4, 1))
        rng = np.random.default_rng(t)
        message = random_below(rng, t, 64)
        for mask in (np.zeros(64, dtype=object), random_below(rng, party.q, 64)):
            yield party, message, lambda e, p=party, m=message, a=mask: p.textbook().encrypt(m, p.s, a, -e)


def limit_of(party: Party, level: int = 0) -> Fraction:
    """The largest noise that decryption corrects: (q/t)(1/2 - k/gamma), q/2 in BGV."""
    if isinstance(party, BgvParty):
        return Fraction(party.book(level).q, 2)
    return Fraction(party.q, party.t()) * (Fraction(1, 2) - Fraction(party.slack))


def outcomes(rng: np.random.Generator, n: int, size: int) -> Iterator[Any]:
    """Errors with a largest coefficient of this size: one, all of both signs, and among smaller ones."""
    single = np.zeros(n, dtype=object)
    single[int(rng.integers(n))] = size * int(rng.choice([-1, 1]))
    yield single
    yield rng.choice([-1, 1], n).astype(object) * size
    mixed = random_below(rng, max(size, 1), n) * rng.choice([-1, 1], n)
    mixed[int(rng.integers(n))] = -size
    yield mixed


@WORD
def test_bfv_decrypts_up_to_fifteen_sixteenths_and_not_beyond(rng: np.random.Generator, word: int) -> None:
    for party, message, encrypted in bfv_cases(word):
        limit = limit_of(party)
        stated = math.log2(limit) + MARGIN - 1e-6
        for part, passes in PARTS:
            for error in outcomes(rng, party.n, int(limit * part)):
                ciphertext = party.crafted(encrypted(error), log2_max=stated)
                assert 0 <= ciphertext.noise_headroom < 1e-5
                if passes:
                    assert np.array_equal(party.decrypt(ciphertext, slots=False)[0], message)
                else:
                    with pytest.raises(ContradictionError, match="more noise than the bound"):
                        _core.decrypt(ciphertext, party.secret)
                    testing.scheme.decrypt_unchecked(
                        ciphertext, party.secret
                    )  # whoever asks for it gets whatever there is


@WORD
def test_bgv_decrypts_up_to_fifteen_sixteenths_and_not_beyond(rng: np.random.Generator, word: int) -> None:
    """The whole phase, at every level and with other correction factors."""
    for t in (2, 257, 65537):
        party = BgvParty(bgv_literal(word, 64, t, 4, 1))
        for level in (1, 2, 4):
            book, limit = party.book(level), limit_of(party, level)
            for part, passes in PARTS:
                for phase in outcomes(rng, 64, int(limit * part)):
                    message = phase % t
                    mask = random_below(rng, book.q, 64)
                    parts = book.encrypt(centred(message, t), party.s, mask, (phase - centred(message, t)) // t)
                    ciphertext = party.made(parts, level, log2_max=math.log2(limit) + MARGIN - 1e-6)
                    assert np.array_equal(party.phases(ciphertext)[0], centred(phase, book.q))
                    if passes:
                        party.reads(ciphertext, False, message)
                        continue
                    with pytest.raises(ContradictionError, match="more noise than the bound"):
                        _core.decrypt(ciphertext, party.secret)


@WORD
def test_more_noise_than_the_stated_bound_is_refused_and_less_is_not(rng: np.random.Generator, word: int) -> None:
    """Wherever the bound lies, down to what shows beside gamma: the smallest noise that is told from none is about
    2^-24 of the limit with 32-bit words."""
    for party, message, encrypted in bfv_cases(word):
        limit = math.log2(limit_of(party))
        for below in (1, 3, 8, 16):
            size = int(Fraction(2) ** int(limit - below))
            stated = math.log2(size)
            for error in outcomes(rng, party.n, size):
                honest = party.crafted(encrypted(error), log2_max=stated + 0.01)
                assert np.array_equal(party.decrypt(honest, slots=False)[0], message)
                forged = party.crafted(encrypted(error), log2_max=stated - 0.05)
                with pytest.raises(ContradictionError):
                    _core.decrypt(forged, party.secret)
    for t in (2, 257, 65537):
        bgv = BgvParty(bgv_literal(word, 64, t, 4, 1))
        for level in (1, 4):
            book = bgv.book(level)
            for below in (2, 9, 20):
                for phase in outcomes(rng, 64, book.q >> below):
                    m = centred(phase % t, t)
                    parts = book.encrypt(m, bgv.s, random_below(rng, book.q, 64), (phase - m) // t)
                    stated = math.log2(book.q >> below)
                    bgv.reads(bgv.made(parts, level, log2_max=stated + 0.01), False, m)
                    with pytest.raises(ContradictionError):
                        _core.decrypt(bgv.made(parts, level, log2_max=stated - 0.05), bgv.secret)


@WORD
@pytest.mark.parametrize("bgv", [False, True], ids=["bfv", "bgv"])
def test_forged_bounds_never_give_garbage(rng: np.random.Generator, word: int, bgv: bool) -> None:
    """Residues of nothing at all, overflowed products and one bad item among good ones, with every bound somebody may
    write beside them."""
    n = 512  # garbage passes with (15/16)^512 < 2^-47
    literal = (bgv_literal if bgv else small_literal)(word, n, slot_prime(n, 14), 6, 2)
    party = (BgvParty if bgv else Party)(literal, int(rng.integers(1 << 60)))
    scheme: Any = testing.bgv if bgv else testing.bfv
    good = party.encrypt(random_below(rng, party.t(), (1, n)), 1, slots=False)
    overflowed = good
    while overflowed.noise_headroom > -60:
        overflowed = _core.relinearize(scheme.square(overflowed), party.evaluation)
        if bgv and overflowed.limbs == 1:
            overflowed = rlwe.multiply_scalar(overflowed, 1 << 62)
    level = overflowed.limbs
    moduli = party.moduli[:level]

    def made(parts: Any, bound: float) -> Any:
        return (
            party.made(parts, level, log2_max=bound) if isinstance(party, BgvParty) else party.crafted(parts, 0, bound)
        )

    noisy = compose(rlwe.coefficients(overflowed), moduli)
    random = random_below(rng, math.prod(moduli), (1, 2, n))
    quiet = made(np.zeros((1, 2, n), dtype=object), 0.0)
    limit = quiet.noise_headroom + quiet.noise[0]
    mixed = np.concatenate([np.zeros((3, 2, n), dtype=object), noisy])
    with pytest.raises(NoiseError):
        _core.decrypt(overflowed, party.secret)
    for parts in (noisy, random, mixed):
        for bound in (-1e9, 0.0, 10.0, limit - 30, limit - 1e-6):
            forged = made(parts, bound)
            assert forged.noise_headroom >= 0
            with pytest.raises(ContradictionError):
                _core.decrypt(forged, party.secret)
            with pytest.raises((ContradictionError, NoiseError)):
                testing.deterministic.reveal(forged, party.secret, 20, seed(1, 9))
        for bound in (limit + 0.001, limit + 100, 1e9):  # and upwards: refused, whatever is there
            with pytest.raises(NoiseError):
                _core.decrypt(made(parts, bound), party.secret)
            with pytest.raises(NoiseError):
                testing.deterministic.reveal(made(parts, bound), party.secret, 20, seed(1, 9))
    assert not integers(rlwe.coefficients(_core.decrypt(quiet, party.secret))).any()
    assert ContradictionError is not NoiseError and not issubclass(ContradictionError, NoiseError)


@WORD
@pytest.mark.parametrize("bgv", [False, True], ids=["bfv", "bgv"])
def test_what_floods_depends_on_parameters_alone(rng: np.random.Generator, word: int, bgv: bool) -> None:
    """The same seed adds the same error whatever the bound states, if it is low enough at all."""
    literal = (bgv_literal if bgv else small_literal)(word, 64, 257, 6, 1)
    party = (BgvParty if bgv else Party)(literal, int(rng.integers(1 << 60)))
    fresh = party.encrypt(random_below(rng, 257, (2, 64)), 1, slots=False)
    limit = fresh.noise_headroom + fresh.noise[0] - MARGIN
    parts = np.array(party.parts(fresh), dtype=object)
    phases = compose(rlwe.phase(party.secret, fresh), party.moduli)
    added = []
    for bound in (-1e9, 0.0, 20.0, limit - 30 - 6 - 0.01):
        stated = (
            party.made(parts, party.top, log2_max=bound)
            if isinstance(party, BgvParty)
            else party.crafted(parts, 0, bound)
        )
        flooded = rlwe.flooded_phase(party.secret, stated, limit, 30, 257 if bgv else 1, seed(5, 9))
        added.append(centred(compose(flooded, party.moduli) - phases, party.q))
    assert all(np.array_equal(error, added[0]) for error in added)
    largest = max(abs(int(e)) for e in added[0].flat)
    assert 0.9 * 2.0**limit * 15 / 16 <= largest <= 2.0**limit * 15 / 16


# --- peaks ------------------------------------------------------------------------------------------------------------
def edges(rng: np.random.Generator, q: int, n: int) -> Any:
    """Items: uniform, near the middle, near zero, and at fractions where decryption decides."""
    rows = [random_below(rng, q, n), (q // 2 + random_below(rng, 9, n) - 4) % q, random_below(rng, 3, n)]
    for sixteenths in (14, 15, 16):
        rows.append((q * sixteenths // 32 + random_below(rng, 9, n) - 4) % q)
        rows.append((-q * sixteenths // 32 + random_below(rng, 9, n)) % q)
    rows.append(np.zeros(n, dtype=object))
    return np.array(rows, dtype=object)


@WORD
@pytest.mark.parametrize("limbs", [1, 2, 5, 9])
def test_peaks_are_one_number_on_every_engine_and_near_the_exact_one(
    rng: np.random.Generator, word: int, limbs: int
) -> None:
    n, one = 64, 1 << testing.fraction_bits
    primes = some_primes(30 if word == 32 else 61, 2 * n, limbs)
    ring, q = ring_of(word, n, primes), math.prod(primes)
    values = edges(rng, q, n)
    residues = np.stack([(values % p).astype(np.uint64) for p in primes], axis=1)[:, None]
    for t in (2, 257, 65537):
        plain = ring_of(word, n, [t])
        gamma = some_primes(30 if word == 32 else 61, 2, 1, skip=40)[0]
        conversion = testing.BaseConversion(ring.basis, plain.basis, testing.Lift.centred)
        scale = testing.PlainScale(ring, plain, gamma)
        found: dict[str, list[list[int]]] = {"convert": [], "scale": []}
        for engine in ENGINES.values():
            source = put(engine, ring, residues)
            for name, step in (("convert", conversion), ("scale", scale)):
                verb = on(engine).peaks_of_convert if name == "convert" else on(engine).peaks_of_scale_to_plain
                plainly = on(engine).convert if name == "convert" else on(engine).scale_to_plain
                with_peaks = testing.PolyArray(engine, plain, len(values), 1)
                without = testing.PolyArray(engine, plain, len(values), 1)
                found[name].append(verb(with_peaks.view(), source.view(), step))
                plainly(without.view(), source.view(), step)
                assert np.array_equal(with_peaks.to_host(), without.to_host())
        for peaks in found.values():
            assert all(other == peaks[0] for other in peaks)
        error = testing.peak_error(word, limbs) + 4 / one
        for item, row in enumerate(values):
            exact = max(abs(Fraction(int(x), q)) for x in centred(row, q))
            assert abs(Fraction(found["convert"][0][item], one) - exact) <= error
            fraction = max(abs(Fraction(int(x), q)) for x in centred(row * t, q))
            allowed = error + Fraction(limbs + 1, gamma) + testing.peak_error(word, 1)
            assert abs(Fraction(found["scale"][0][item], one) - fraction) <= allowed
    assert len(ENGINES) >= 2
