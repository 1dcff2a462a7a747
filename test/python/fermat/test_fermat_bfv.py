# SPDX-License-Identifier: Apache-2.0
"""BFV on Fermat moduli: decryption at its limit, products against python-flint, counts, bounds and refusals."""

from __future__ import annotations

import math
from typing import Any

import flint
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import fermat as internals
from cyclotome.errors import ArgumentError, ContradictionError, MismatchError, NoiseError, ParameterError, RangeError
from numpy.typing import NDArray
from oracles import fermat

VARIANTS = ["none", "multiplication", "reduction", "both"]
#: x, f, t of the paper's sizes; q = 2^(2^x) - 1.
SETS = [(7, 1, 1024), (8, 2, 1024), (9, 3, 40961)]


def parameters(degree: int, x: int, f: int | None, t: int, digit_bits: int = 30, one_bounded: bool = False) -> Any:
    errors = "one-bounded" if one_bounded else "standard"
    table = _core.default_security_table()
    return _core.FermatParameters(degree, x, f, t, digit_bits, errors, 128, table, True, False)


def context(degree: int, x: int, f: int | None, t: int, variant: str = "both", **other: Any) -> Any:
    return _core.FermatContext.create(parameters(degree, x, f, t, **other), _core.CpuEngine(1), variant)


class Party:
    """All keys of one secret; messages are rows of coefficients in [0, t), polynomial after polynomial."""

    def __init__(self, on: Any, n: int, t: int) -> None:
        self.context, self.n, self.t = on, n, t
        self.secret = _core.FermatSecretKey.generate(on)
        self.key = _core.FermatPublicKey.generate(self.secret)
        self.relinearization = _core.FermatRelinearizationKey.generate(self.secret)

    def rows(self, message: list[int]) -> NDArray[np.int64]:
        """As the library takes values: centred."""
        values = np.array(message, dtype=np.int64).reshape(-1, self.n)
        return np.where(values > self.t // 2, values - self.t, values)

    def encrypt(self, message: list[int]) -> Any:
        return self.key.encrypt(self.rows(message), False)

    def encrypt_symmetric(self, message: list[int]) -> Any:
        return self.secret.encrypt(self.rows(message), False)

    def decrypt(self, ciphertext: Any) -> list[int]:
        return [int(v) for v in self.secret.decrypt(ciphertext, False).ravel() % self.t]

    def multiply(self, a: Any, b: Any) -> Any:
        return a.multiply(b, self.relinearization)


def party_of(degree: int, x: int, f: int | None, t: int, variant: str = "both", **other: Any) -> Party:
    return Party(context(degree, x, f, t, variant, **other), degree, t)


def to_words(x: int, f: int, values: list[int]) -> list[int]:
    """words[word][coefficient] of integers modulo q."""
    moduli = fermat.moduli(x, f)
    counts = [limb.words for limb in testing.FermatBasis(x, f).limbs]
    return [int(w) for w in fermat.rows([[v % m for v in values] for m in moduli], counts).ravel()]


def to_integers(x: int, f: int, flat: list[int], degree: int) -> list[int]:
    """Back, by the Chinese remainder theorem."""
    moduli, q = fermat.moduli(x, f), (1 << (1 << x)) - 1
    limbs = testing.FermatBasis(x, f).limbs
    factors = [q // m * pow(q // m, -1, m) if m > 1 else 0 for m in moduli]
    columns = np.array(flat, dtype=object).reshape(-1, degree).T
    out = []
    for column in columns:
        residues = [fermat.number(column[limb.first_word : limb.first_word + limb.words]) for limb in limbs]
        assert all(0 <= r < m for r, m in zip(residues, moduli, strict=True))
        out.append(sum(r * g for r, g in zip(residues, factors, strict=True)) % q)
    return out


def centred(value: int, q: int) -> int:
    value %= q
    return value - q if value > q // 2 else value


def negacyclic(a: list[int], b: list[int]) -> list[int]:
    n = len(a)
    product = [int(c) for c in (flint.fmpz_poly(a) * flint.fmpz_poly(b)).coeffs()]
    product += [0] * (2 * n - len(product))
    return [product[i] - product[i + n] for i in range(n)]


def some_integers(count: int, bound: int, rng: np.random.Generator) -> list[int]:
    return [int.from_bytes(rng.bytes(bound.bit_length() // 8 + 9), "little") % bound for _ in range(count)]


def basis_of(variant: str, f: int) -> int:
    return 0 if variant == "positional" else f


@pytest.mark.parametrize(("x", "f", "t"), SETS)
@pytest.mark.parametrize("variant", [*VARIANTS, "positional"])
def test_decryption_is_exact_up_to_its_limit(x: int, f: int, t: int, variant: str, rng: np.random.Generator) -> None:
    """At noise 0.4 q/t, and just below the limit (1/2 - k/gamma) q/t; above it messages go wrong."""
    n, q, f = 64, (1 << (1 << x)) - 1, basis_of(variant, f)
    c = context(n, x, f, t, variant)
    limit = min(int(2 ** (internals.log2_noise_limit(c) - (1 << x) + 60) * q) >> 60, q // (2 * t))
    assert 0.4999 * q / t < limit
    for noise in (0, 1, 2 * q // (5 * t), limit - (limit >> 50) - 1):
        messages = [0, 1, t - 1, t // 2, *(int(v) for v in rng.integers(t, size=n - 4))]
        signs = rng.choice([-1, 1], size=n)
        phases = [(q * m + t // 2) // t + int(s) * noise for m, s in zip(messages, signs, strict=True)]
        got, peak = internals.to_plain(c, to_words(x, f, phases))
        assert got == messages
        assert abs(peak / 2**56 - noise * t / q) < internals.peak_error(c) + 2 * t / q
    over = q // (2 * t) + q // (2 * t) // 100
    got, _ = internals.to_plain(c, to_words(x, f, [(q * m + t // 2) // t + over for m in messages]))
    assert got == [(m + 1) % t for m in messages]


@pytest.mark.parametrize(("x", "f", "t"), [*SETS, (6, 0, 2), (6, 1, 3 * 19), (10, 2, (1 << 31) - 1)])
def test_messages_are_scaled_by_q_over_t(x: int, f: int, t: int, rng: np.random.Generator) -> None:
    if math.gcd(t, (1 << (1 << x)) - 1) > 1:
        with pytest.raises(ParameterError, match=f"plaintext modulus {t} shares the factor"):
            context(8, x, f, t)
        return
    n, q = 32, (1 << (1 << x)) - 1
    messages = [0, 1, t - 1, t // 2, *(int(v) for v in rng.integers(t, size=n - 4))]
    got = to_integers(x, f, internals.message(context(n, x, f, t), messages), n)
    assert got == [(q * m + t // 2) // t for m in messages]


@pytest.mark.parametrize(("x", "f", "t"), [*SETS, (6, 0, 11), (8, 4, 2), (10, 4, 163841), (11, 5, 1024)])
@pytest.mark.parametrize("edges", [False, True])
def test_products_against_flint(x: int, f: int, t: int, edges: bool, rng: np.random.Generator) -> None:
    """The tensor product times t/q: BEHZ's is off by less than k, positional's rounded."""
    n, q = 32, (1 << (1 << x)) - 1
    pair = [[some_integers(n, q, rng) for _ in range(2)] for _ in range(2)]
    if edges:
        pair[0][0][:4], pair[1][0][:4] = [0, 1, q - 1, q // 2], [q - 1, q // 2 + 1, 1, 0]
    a, b = ([[centred(v, q) for v in part] for part in factor] for factor in pair)
    exact = [
        negacyclic(a[0], b[0]),
        [u + v for u, v in zip(negacyclic(a[0], b[1]), negacyclic(a[1], b[0]), strict=True)],
        negacyclic(a[1], b[1]),
    ]
    results = {}
    for variant in [*VARIANTS, "positional"]:
        f_ = basis_of(variant, f)
        c = context(n, x, f_, t, variant)
        out = internals.multiply(c, *(to_words(x, f_, p[0]) + to_words(x, f_, p[1]) for p in pair))
        size = len(out) // 3
        results[variant] = [to_integers(x, f_, out[i * size : (i + 1) * size], n) for i in range(3)]
    assert results["positional"] == [[(2 * t * d + q) // (2 * q) % q for d in part] for part in exact]
    assert all(results[variant] == results["none"] for variant in VARIANTS)
    for part, want in zip(results["none"], exact, strict=True):
        errors = [centred(g - t * d // q, q) for g, d in zip(part, want, strict=True)]
        # BEHZ's lift of what is within k/m~ of q/2 may be q more or less: no edges for it here.
        assert edges or all(-f <= e <= 0 for e in errors)


@pytest.mark.parametrize(("x", "f"), [(7, 1), (8, 2), (9, 3)])
def test_conversions_are_counted_as_the_paper_counts_them(x: int, f: int, rng: np.random.Generator) -> None:
    """n k in a decryption, 7 n k in a product, n k in a relinearisation; none where integers are positional."""
    n, k = 64, f + 1
    for variant in VARIANTS:
        c = context(n, x, f, 1024, variant)
        party = Party(c, n, 1024)
        a = party.encrypt([1] * n)
        assert c.conversions == 0
        party.decrypt(a)
        assert c.conversions == n * k
        d = internals.tensor(a, a)
        assert c.conversions == 8 * n * k
        internals.relinearize(d, party.relinearization)
        assert c.conversions == 9 * n * k
    c = context(n, x, 0, 1024, "positional")
    party = Party(c, n, 1024)
    party.decrypt(internals.tensor(party.encrypt([1] * n), party.encrypt([2] * n)))
    assert c.conversions == 0


def norms(values: list[float], n: int) -> tuple[float, float, float]:
    """log2 of the largest value, of the root mean square, and of the largest value on roots of unity over sqrt(n)."""
    e = np.array(values, dtype=np.float64)
    roots = np.exp(1j * np.pi * np.arange(n) / n)
    spectrum = np.abs(np.fft.fft(e * roots)).max() / math.sqrt(n)
    return tuple(math.log2(max(v, 1e-300)) for v in (np.abs(e).max(), math.sqrt((e * e).mean()), spectrum))


def check_noise(party: Party, c: Any, message: list[int], x: int, f: int, t: int) -> None:
    """The exact noise, phase - (q/t) m, stays below its bound in all three norms."""
    n, q = len(message), (1 << (1 << x)) - 1
    phase = to_integers(x, f, internals.phase(c, 0, party.secret), n)
    noise = [centred(t * p - q * m, t * q) for p, m in zip(phase, message, strict=True)]
    shift = max(0, max(map(abs, noise)).bit_length() - 400)
    measured = norms([(v >> shift) / t for v in noise], n)
    for value, bound in zip(measured, internals.noise(c), strict=True):
        assert value + shift <= bound + 1e-9


@pytest.mark.parametrize(("x", "f", "t"), [(7, 1, 1024), (9, 3, 163841), (9, 1, 2), (8, 0, 1024)])
@pytest.mark.parametrize("digit_bits", [30, 7, 59, 0])
def test_programs_decrypt_and_noise_stays_below_its_bound(
    x: int, f: int, t: int, digit_bits: int, rng: np.random.Generator
) -> None:
    n = 64
    if f == 0 and digit_bits == 0:
        with pytest.raises(ParameterError, match=r"one digit a limb, of 256 bits, .*digit_bits in \[1, 59\]"):
            context(n, x, f, t, digit_bits=0)
        return
    party = party_of(n, x, f, t, "both" if f else "positional", digit_bits=digit_bits)

    def times(a: list[int], b: list[int]) -> list[int]:
        return [v % t for v in negacyclic(a, b)]

    m = [[int(v) for v in rng.integers(t, size=n)] for _ in range(3)]
    a, b, s = party.encrypt(m[0]), party.encrypt(m[1]), party.encrypt_symmetric(m[2])
    plain = [int(v) for v in rng.integers(t, size=n)]
    small = [v - t if v > t // 2 else v for v in plain]
    program = [
        (a, m[0]),
        (s, m[2]),
        (a.add(b), [(u + v) % t for u, v in zip(m[0], m[1], strict=True)]),
        (a.subtract(s), [(u - v) % t for u, v in zip(m[0], m[2], strict=True)]),
        (a.negate(), [-u % t for u in m[0]]),
        (a.add_plain(party.rows(plain), False), [(u + v) % t for u, v in zip(m[0], plain, strict=True)]),
        (internals.subtract_plain(a, plain), [(u - v) % t for u, v in zip(m[0], plain, strict=True)]),
        (a.multiply_plain(party.rows(plain), False), times(m[0], small)),
        (internals.tensor(a, b), times(m[0], m[1])),
        (party.multiply(a, b), times(m[0], m[1])),
        (internals.tensor(a, b).add(s), [(u + v) % t for u, v in zip(times(m[0], m[1]), m[2], strict=True)]),
        (s.subtract(internals.tensor(a, b)), [(v - u) % t for u, v in zip(times(m[0], m[1]), m[2], strict=True)]),
    ]
    square, value = party.multiply(a, b), times(m[0], m[1])
    while square.headroom >= -60:
        square, value = party.multiply(square, square), times(value, value)
        program.append((square, value))
    refused = 0
    for c, expected in program:
        check_noise(party, c, expected, x, f, t)
        if c.headroom >= 0:
            assert party.decrypt(c) == expected
        else:
            refused += 1
            with pytest.raises(NoiseError, match=r"may have grown \d+ bits beyond what fermat bfv n=64"):
                party.decrypt(c)
    assert refused > 0
    if digit_bits == 30:
        assert party.multiply(a, b).headroom > 0


def test_all_versions_decrypt_each_others_ciphertexts(rng: np.random.Generator) -> None:
    n, t = 64, 1024
    contexts = {variant: context(n, 8, 2, t, variant) for variant in VARIANTS}
    party = Party(contexts["none"], n, t)
    m = [[int(v) for v in rng.integers(t, size=n)] for _ in range(2)]
    a, b = (party.encrypt(v) for v in m)
    products = [party.multiply(internals.moved(a, c), internals.moved(b, c)) for c in contexts.values()]
    assert len({str((internals.items(p), internals.noise(p))) for p in products}) == 1
    for p in products:
        assert party.decrypt(p) == [v % t for v in negacyclic(*m)]
        assert party.decrypt(internals.moved(p, contexts["none"])) == [v % t for v in negacyclic(*m)]


def test_several_items_and_broadcasting(rng: np.random.Generator) -> None:
    n, t = 32, 1024
    party = party_of(n, 7, 1, t)
    m = [int(v) for v in rng.integers(t, size=3 * n)]
    one = [int(v) for v in rng.integers(t, size=n)]
    a, b = party.encrypt(m), party.encrypt(one)
    assert party.decrypt(a) == m
    want = [v % t for i in range(3) for v in negacyclic(m[i * n : (i + 1) * n], one)]
    assert party.decrypt(party.multiply(a, b)) == party.decrypt(party.multiply(b, a)) == want
    assert party.decrypt(a.multiply_plain(party.rows(one), False))[:n] == want[:n]
    assert party.decrypt(a.add(b)) == [(m[i] + one[i % n]) % t for i in range(3 * n)]
    with pytest.raises(ArgumentError, match="operands of 3 and 2 ciphertexts"):
        a.add(party.encrypt(m[: 2 * n]))


def test_slots_work_for_primes_that_divide_no_such_q(rng: np.random.Generator) -> None:
    n = 32
    party = party_of(n, 8, 2, 163841)
    values = [int(v) for v in rng.integers(-81920, 81921, size=n)]
    a, b = (key.encrypt(np.array([values]), True) for key in (party.key, party.secret))
    assert party.secret.decrypt(a, True).tolist() == party.secret.decrypt(b, True).tolist() == [values]
    product = party.multiply(a, b)
    want = [(v * v + 81920) % 163841 - 81920 for v in values]
    assert party.secret.decrypt(product, True).tolist() == [want]
    for t in (65537, 114689):
        with pytest.raises(ParameterError, match=f"plaintext modulus {t} shares the factor {t}"):
            context(n, 13, None, t)
    with pytest.raises(ParameterError, match=r"1024 has no slots at degree 32: .* 1 modulo 64 "):
        party_of(n, 7, 1, 1024).key.encrypt(np.array([[1]]), True)
    with pytest.raises(RangeError, match=r"value 81921 .* outside \[-81920, 81920\]"):
        party.key.encrypt(np.array([[81921]]), False)


def test_noise_beyond_the_stated_bound_is_a_contradiction(rng: np.random.Generator) -> None:
    n, t, x, f = 64, 1024, 8, 2
    q = (1 << 256) - 1
    for variant in ("both", "positional"):
        f_ = basis_of(variant, f)
        party = party_of(n, x, f_, t, variant)
        a = party.encrypt([5] * n)
        items = internals.items(a)
        (body,), bound = items, internals.noise(a)[0]
        half = len(body) // 2
        moved = [v + q * 2 // (5 * t) for v in to_integers(x, f_, body[:half], n)]
        forged = internals.altered(a, [to_words(x, f_, moved) + body[half:]], bound)
        assert internals.decrypt_unchecked(forged, party.secret) == [5] * n
        with pytest.raises(ContradictionError, match="more noise than the bound"):
            party.decrypt(forged)
        assert party.decrypt(internals.altered(a, items, bound)) == [5] * n


def test_other_parameters_and_other_keys_are_refused() -> None:
    party, other = (party_of(32, 7, 1, 1024) for _ in range(2))
    a, b = party.encrypt([1] * 32), other.encrypt([1] * 32)
    with pytest.raises(MismatchError, match="different keys"):
        a.add(b)
    with pytest.raises(MismatchError, match="different keys"):
        party.decrypt(b)
    wide = party_of(32, 8, 2, 1024).encrypt([1] * 32)
    with pytest.raises(MismatchError, match=r"q=2\^128-1 .* q=2\^256-1"):
        a.add(wide)
    with pytest.raises(ArgumentError, match="factors of 3 and 2 parts"):
        internals.tensor(internals.tensor(a, a), a)


def test_one_bounded_errors_are_labelled() -> None:
    summary = parameters(32, 7, 1, 1024, one_bounded=True).summary
    assert "INSECURE" in summary and "errors -1, 0, 1" in summary
    party = party_of(32, 7, 1, 1024, one_bounded=True)
    a = party.encrypt_symmetric([0] * 32)
    phase = [centred(v, (1 << 128) - 1) for v in to_integers(7, 1, internals.phase(a, 0, party.secret), 32)]
    assert set(phase) <= {-1, 0, 1}


def test_the_printed_relinearisation_costs_half_of_q(rng: np.random.Generator) -> None:
    """Specification 5.10: one digit a limb adds noise of about 2^(g/2); digits of 30 bits do not."""
    n, t, x, f = 64, 1024, 9, 3
    printed, narrow = (party_of(n, x, f, t, digit_bits=d) for d in (0, 30))
    room = [p.multiply(p.encrypt([1] * n), p.encrypt([1] * n)).headroom for p in (printed, narrow)]
    assert room[0] < 256 - 10 < 256 + 150 < room[1]


@pytest.mark.parametrize("x", [5, 0, 16])
def test_x_that_encrypts_nothing_is_refused(x: int) -> None:
    with pytest.raises(ParameterError, match=r"x = \d+.*x must lie"):
        context(32, x, 0, 2)


def test_positional_integers_have_one_limb() -> None:
    with pytest.raises(ParameterError, match=r"one limb of at least 64 bits, not 2 limbs"):
        context(32, 7, 1, 1024, "positional")


@pytest.mark.parametrize("x", [12, 13, 14])
@pytest.mark.parametrize("variant", ["none", "both", "positional"])
@pytest.mark.parametrize("digit_bits", [0, 59])
def test_moduli_of_thousands_of_bits(x: int, variant: str, digit_bits: int, rng: np.random.Generator) -> None:
    n, t = 16, 1024
    f = 0 if variant == "positional" else x - 6
    if f == 0 and digit_bits == 0:
        return  # refused: see above
    party = party_of(n, x, f, t, variant, digit_bits=digit_bits)
    m = [[int(v) for v in rng.integers(t, size=n)] for _ in range(2)]
    product = party.multiply(party.encrypt(m[0]), party.encrypt(m[1]))
    want = [v % t for v in negacyclic(*m)]
    check_noise(party, product, want, x, f, t)
    assert party.decrypt(product) == want
    # A product costs some thirty bits, the printed relinearisation half of q.
    left = (1 << x) // 2 if digit_bits == 0 else 1 << x
    assert left - 130 < product.headroom < left
