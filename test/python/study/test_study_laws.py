# SPDX-License-Identifier: Apache-2.0
"""The papers' laws: distributions, generators and labels; textbook FV over them; and that keys never draw so."""

from __future__ import annotations

import doctest
import math
import secrets
from statistics import NormalDist

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core, errors
from cyclotome_study import laws, textbook
from cyclotome_study.laws import BINARY, BINOMIAL, LAWS, TERNARY, ZERO_ONE, Law, box_muller, inverse_cdf
from cyclotome_study.textbook import TextbookBGV, TextbookFV

COUNT = 1 << 18

#: ECRYPT's verified vectors of Salsa20/20 with keys of 256 bits: key, IV, and blocks of the stream by their number.
ECRYPT = {
    "set 1, vector 0": (
        "80" + "00" * 31,
        "00" * 8,
        {
            0: "E3BE8FDD8BECA2E3EA8EF9475B29A6E7003951E1097A5C38D23B7A5FAD9F6844"
            "B22C97559E2723C7CBBD3FE4FC8D9A0744652A83E72A9C461876AF4D7EF1A117",
            3: "57BE81F47B17D9AE7C4FF15429A73E10ACF250ED3A90A93C711308A74C6216A9"
            "ED84CD126DA7F28E8ABF8BB63517E1CA98E712F4FB2E1A6AED9FDC73291FAA17",
        },
    ),
    "set 5, vector 0": (
        "00" * 32,
        "80" + "00" * 7,
        {
            0: "2ABA3DC45B4947007B14C851CD694456B303AD59A465662803006705673D6C3E"
            "29F1D3510DFC0405463C03414E0E07E359F1F1816C68B2434A19D3EEE0464873"
        },
    ),
    "set 6, vector 0": (
        "0053A6F94C9FF24598EB3E91E4378ADD3083D6297CCF2275C81B6EC11467BA0D",
        "0D74DB42A91077DE",
        {
            0: "F5FAD53F79F9DF58C4AEA0D0ED9A9601F278112CA7180D565B420A48019670EA"
            "F24CE493A86263F677B46ACE1924773D2BB25571E1AA8593758FC382B1280B71",
            1023: "B70C50139C63332EF6E77AC54338A4079B82BEC9F9A403DFEA821B83F7860791"
            "650EF1B2489D0590B1DE772EEDA4E3BCD60FA7CE9CD623D9D2FD5758B8653E70",
        },
    ),
}


def probabilities(law: Law) -> dict[int, float]:
    """Exact ones, from the definition."""
    if law.name == "binary":
        return {0: 0.5, 1: 0.5}
    if law.name == "zero-one":
        return {-1: 0.25, 0: 0.5, 1: 0.25}
    if law.name == "ternary":
        return dict.fromkeys((-1, 0, 1), 1 / 3)
    if law.name == "binomial":
        return {k: math.comb(42, 21 + k) / 2**42 for k in range(-21, 22)}
    bound, normal = law.bound or 60, NormalDist(0, law.deviation)
    found = {k: normal.cdf(k + 0.5) - normal.cdf(k - 0.5) for k in range(-bound, bound + 1)}
    total = sum(found.values())
    return {k: p / total for k, p in found.items()}


@pytest.mark.parametrize(
    "law",
    [BINARY, ZERO_ONE, TERNARY, BINOMIAL, box_muller(8, 48), box_muller(3.2), box_muller(8, 8), inverse_cdf(3.2)],
    ids=str,
)
def test_numbers_follow_their_law(law: Law) -> None:
    """Chi-square over all values that are expected ten times, the rest together; one failure in 10^7 by chance."""
    seed = secrets.token_bytes(32)
    print("seed", seed.hex())
    numbers, counts = np.unique(law.draw(COUNT, seed=seed), return_counts=True)
    found = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    expected = {k: COUNT * p for k, p in probabilities(law).items()}
    assert found.keys() <= expected.keys(), "a number that the law does not have"
    often = {k: e for k, e in expected.items() if e >= 10}
    rest = sum(expected.values()) - sum(often.values())
    square = sum((found.get(k, 0) - e) ** 2 / e for k, e in often.items())
    if rest >= 1:
        square += (sum(c for k, c in found.items() if k not in often) - rest) ** 2 / rest
    freedom = len(often)
    assert square < freedom + 6 * math.sqrt(2 * freedom) + 20, (square, freedom)
    drawn = law.draw(COUNT, seed=seed).astype(np.float64)
    if law != box_muller(8, 8):  # cut at one deviation
        assert drawn.var() == pytest.approx(law.variance, rel=0.03)
        assert (drawn**2).mean() == pytest.approx(law.mean_square, rel=0.03)


def test_the_chi_square_can_fail() -> None:
    """Numbers of a neighbouring law don't pass for this one."""
    counts = np.unique(box_muller(3.25).draw(COUNT), return_counts=True)
    expected = {k: COUNT * p for k, p in probabilities(box_muller(3.2)).items()}
    found = dict(zip(*(part.tolist() for part in counts), strict=True))
    often = {k: e for k, e in expected.items() if e >= 10}
    square = sum((found.get(k, 0) - e) ** 2 / e for k, e in often.items())
    assert square > len(often) + 6 * math.sqrt(2 * len(often)) + 20


def test_numbers_repeat_for_a_seed_and_only_for_it() -> None:
    for law in (BINARY, box_muller(8, 48), inverse_cdf(3.2)):
        first, second = bytes(32), bytes(31) + b"\1"
        assert (law.draw(1000, seed=first) == law.draw(1000, seed=first)).all()
        assert (law.draw(1000, seed=first) != law.draw(1000, seed=second)).any()
        assert (law.draw(1000) != law.draw(1000)).any()
        assert (law.draw(1000, seed=first) == law.draw(3000, seed=first)[:1000]).all()


@pytest.mark.parametrize("vector", ECRYPT)
def test_salsa20_equals_the_ecrypt_vectors(vector: str) -> None:
    key, nonce, blocks = ECRYPT[vector]
    number = int.from_bytes(bytes.fromhex(nonce), "little")
    stream = _core.salsa20_stream(bytes.fromhex(key), number, 0, 1024)
    for block, expected in blocks.items():
        assert stream[64 * block : 64 * block + 64].hex().upper() == expected
        assert _core.salsa20_stream(bytes.fromhex(key), number, block, 1).hex().upper() == expected


def test_inverse_cdf_is_salsa20_through_the_inverse_normal() -> None:
    """Number by number, from the stream's words: in single precision, moved off 0 and 1, times 3.2, rounded."""
    seed = secrets.token_bytes(32)
    words = np.frombuffer(_core.salsa20_stream(seed, 0, 0, 64), "<u4")
    numbers = inverse_cdf(3.2).draw(len(words), seed=seed)
    normal = NormalDist()
    for word, number in zip(words.tolist(), numbers.tolist(), strict=True):
        exact = 3.2 * normal.inv_cdf(float(np.float32(word) / np.float32(2**32)))
        assert number == round(exact) or abs(exact - math.floor(exact) - 0.5) < 1e-4
    for p in (1e-12, 1e-4, 0.02425, 0.3, 0.5, 0.7, 0.97575, 1 - 1e-7):
        assert _core.inverse_normal(p) == pytest.approx(normal.inv_cdf(p), rel=2e-9, abs=1e-8)
    for bits in (0, 1, 1 << 31, (1 << 32) - 129, (1 << 32) - 1):
        unit = _core.unit_interval(bits)
        assert 0 < unit < 1 and math.isfinite(_core.inverse_normal(unit))


def test_laws_that_make_no_sense_are_refused() -> None:
    for deviation in (0, -1, 1e9, math.nan, math.inf):
        for make in (box_muller, inverse_cdf):
            with pytest.raises(errors.ArgumentError, match="deviation"):
                make(deviation)
        with pytest.raises(errors.ArgumentError, match="deviation"):
            Law("box-muller", deviation).draw(1)
    with pytest.raises(errors.ArgumentError, match="bounded by 7"):
        box_muller(8, 7).draw(1)
    with pytest.raises(errors.ArgumentError, match="no law"):
        Law("uniform").draw(1)
    with pytest.raises(errors.ArgumentError, match="32 bytes"):
        BINARY.draw(1, seed=b"short")


def test_labels_say_what_they_are() -> None:
    for name, chosen in LAWS.items():
        assert (laws.WARNING in repr(chosen)) is (name != "library")
    scheme = TextbookFV(16, 2**40, 2, 2**8, laws.PAPER_004)
    key = scheme.generate_key()
    assert laws.WARNING in repr(scheme) and "ZO(1/2)" in repr(scheme)
    assert laws.WARNING in repr(key)
    secret = [int(c) for c in key.secret.coeffs()]
    assert str(secret)[1:-1] not in repr(key)


def test_nothing_that_encrypts_knows_them() -> None:
    """Neither `keygen` nor parameters take a law; only `cyclotome.study` leads here."""
    parameters = cy.Parameters.suggest(depth=1, value_bits=4)
    for name in ("laws", "law", "error", "secret_law"):
        with pytest.raises(TypeError):
            cy.keygen(parameters, **{name: laws.PAPER_000})  # type: ignore[arg-type]
    assert not hasattr(cy, "laws") and not hasattr(cy, "textbook")
    assert cy.study.laws is laws and cy.study.textbook is textbook


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("t", "base"), [(2, 2**32), (257, 2**7), (65537, 3)])
def test_textbook_fv_decrypts_right_with_every_law(name: str, t: int, base: int, rng: np.random.Generator) -> None:
    scheme = TextbookFV(64, (1 << 150) + 7, t, base, LAWS[name])
    key = scheme.generate_key()
    x, y = (rng.integers(0, t, 64).tolist() for _ in range(2))
    cipher_x, cipher_y = scheme.encrypt(x, key), scheme.encrypt(y, key)
    assert scheme.decrypt(cipher_x, key) == x
    assert scheme.decrypt(scheme.add(cipher_x, cipher_y), key) == [(a + b) % t for a, b in zip(x, y, strict=True)]
    product = [0] * 64
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            product[(i + j) % 64] += a * b if i + j < 64 else -a * b
    assert scheme.decrypt(scheme.multiply(cipher_x, cipher_y, key), key) == [c % t for c in product]
    other = scheme.generate_key()
    assert scheme.decrypt(cipher_x, other) != x, "any key decrypts"


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("t", [2, 3, 257])
def test_textbook_bgv_decrypts_right_with_every_law(name: str, t: int, rng: np.random.Generator) -> None:
    """With coefficients at their largest too: the printed sign of c2 (004-1) and a phase not centred (004-2) fail."""
    scheme = TextbookBGV(64, (1 << 89) - 1, t, LAWS[name])
    key = scheme.generate_key()
    for x in (rng.integers(0, t, 64).tolist(), [t - 1] * 64):
        y = rng.integers(0, t, 64).tolist()
        cipher_x, cipher_y = scheme.encrypt(x, key), scheme.encrypt(y, key)
        assert scheme.decrypt(cipher_x, key) == x
        product = [0] * 64
        for i, a in enumerate(x):
            for j, b in enumerate(y):
                product[(i + j) % 64] += a * b if i + j < 64 else -a * b
        assert scheme.decrypt(scheme.multiply(cipher_x, cipher_y), key) == [c % t for c in product]
    with pytest.raises(errors.ArgumentError, match="no relinearisation"):
        scheme.multiply(scheme.multiply(cipher_x, cipher_y), cipher_x)
    with pytest.raises(errors.ArgumentError, match="common factor"):
        TextbookBGV(64, 2**40, 2, LAWS[name])
    assert laws.WARNING in repr(scheme)


def test_noise_is_what_the_laws_make_it() -> None:
    """The mean square over keys, against that of e u + e1 + e2 s."""
    for chosen in LAWS.values():
        squares = []
        for _ in range(30):
            scheme = TextbookFV(256, 2**60, 2, 2**30, chosen)
            key = scheme.generate_key()
            squares.append(4 ** scheme.noise(scheme.encrypt([0] * 256, key), key)[0])
        assert math.log2(sum(squares) / len(squares)) / 2 == pytest.approx(scheme.fresh_noise(), abs=0.5)
        bgv = TextbookBGV(256, 2**61 - 1, 3, chosen)
        keys = [bgv.generate_key() for _ in range(30)]
        squares = [4 ** bgv.noise(bgv.encrypt([0] * 256, key), key)[0] for key in keys]
        assert math.log2(sum(squares) / len(squares)) / 2 == pytest.approx(bgv.fresh_noise(), abs=0.5)


def test_textbook_fv_refuses_what_makes_no_sense() -> None:
    for degree, q, t, base in ((3, 97, 2, 2), (16, 97, 97, 2), (16, 97, 1, 2), (16, 97, 2, 1), (16, 97, 2, 98)):
        with pytest.raises(errors.ArgumentError):
            TextbookFV(degree, q, t, base, laws.LIBRARY)
    scheme = TextbookFV(16, 2**40, 2, 2**8, laws.LIBRARY)
    with pytest.raises(errors.ArgumentError, match="n = 16"):
        scheme.encrypt([1], scheme.generate_key())


def test_the_documented_examples_run() -> None:
    for module in (laws, textbook):
        result = doctest.testmod(module)
        assert result.failed == 0 < result.attempted
