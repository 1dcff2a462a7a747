# SPDX-License-Identifier: Apache-2.0
"""The calculus of noise bounds: its inequalities on polynomials, exactly; monotone functions; equal to an independent
one in Python; and operations and planning that give the same numbers bit by bit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import flint
import joint_keys
import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, deterministic, rlwe
from oracles import negacyclic
from oracles.noise import Norms, Ring, Scheme, close
from oracles.textbook_bfv import negacyclic_product
from parties import Party, literal_of, small_literal

DEGREES = [4, 8, 32]
#: Enclosures of roots of unity and of what is computed with them are narrower than this part of themselves.
ENCLOSURE = flint.fmpq(1, 2**200)


def polynomials(rng: np.random.Generator, n: int) -> list[list[int]]:
    """Random ones, and those that reach the inequalities' ends: monomials, constants, peaks, alternating signs,
    sparse."""
    peaked = [round(1000 * math.cos(math.pi * 3 * j / n)) for j in range(n)]
    monomial = [0] * n
    monomial[int(rng.integers(n))] = int(rng.integers(1, 1000))
    sparse = (rng.integers(-9, 10, n) * (rng.random(n) < 0.2)).tolist()
    sparse[0] |= 1
    return [
        rng.integers(-50, 51, n).tolist(),
        rng.choice([-1, 1], n).tolist(),
        [(-1) ** bin(i & (i >> 1)).count("1") for i in range(n)],
        [7 * (-1) ** i for i in range(n)],
        [1] * n,
        [1 if i == 0 else 0 for i in range(n)],
        monomial,
        peaked,
        sparse,
    ]


def squares(a: Sequence[int]) -> int:
    return sum(int(x) ** 2 for x in a)


def embeddings(a: Sequence[int]) -> list[Any]:
    """|a(zeta)|^2 for one zeta of each conjugate pair, as enclosing intervals of 300 bits."""
    n = len(a)
    values = []
    for k in range(n // 2):
        real = imaginary = flint.arb(0)
        for j, x in enumerate(a):
            angle = flint.arb(flint.fmpq((2 * k + 1) * j % (2 * n), n))
            real += int(x) * angle.cos_pi()
            imaginary += int(x) * angle.sin_pi()
        values.append(real * real + imaginary * imaginary)
    return values


def canonical_square(a: Sequence[int]) -> Any:
    """max |a(zeta)|^2."""
    values = embeddings(a)
    largest = values[0]
    for value in values[1:]:
        largest = largest.max(value)
    return largest


def at_most(a: Any, b: Any) -> bool:
    """a <= b, where equality counts to within the width of enclosures."""
    return bool(a <= b + abs(b) * ENCLOSURE + ENCLOSURE)


@pytest.fixture(autouse=True)
def precision() -> Any:
    before = flint.ctx.prec
    flint.ctx.prec = 300
    yield
    flint.ctx.prec = before


# --- the inequalities -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", DEGREES)
def test_norms_of_one_polynomial(rng: np.random.Generator, n: int) -> None:
    """E <= I <= sqrt(n) E in integers; E <= C <= sqrt(n/2) E; the same norms after automorphisms."""
    for a in polynomials(rng, n):
        largest, total, canonical = max(abs(x) for x in a), squares(a), canonical_square(a)
        assert total <= n * largest**2 and largest**2 <= total
        assert at_most(flint.arb(total), canonical)  # E^2 = total / n, C^2 = canonical / n
        assert at_most(canonical, flint.arb(total) * n / 2)
        values = embeddings(a)
        doubled = 2 * sum(values[1:], values[0])
        assert doubled.overlaps(flint.arb(n * total))  # Parseval
        turned = [int(x) for x in negacyclic.automorphism([x % 10007 for x in a], 3, 10007)]
        turned = [x - 10007 if x > 5003 else x for x in turned]
        assert max(abs(x) for x in turned) == largest and squares(turned) == total
        assert canonical_square(turned).overlaps(canonical)


@pytest.mark.parametrize("n", DEGREES)
def test_sums_and_products_of_two(rng: np.random.Generator, n: int) -> None:
    """The triangle inequality; C(ab) <= sqrt(n) C C, E(ab) <= sqrt(n) min(C E, E C), I(ab) <= n E E; with a plain
    factor M: min(|M|_1 I, sqrt(n) |M|_2 E), min(|M(zeta)| E, |M|_2 C), |M(zeta)| C. Equal and conjugate operands among
    them."""
    several = polynomials(rng, n)
    for i, a in enumerate(several):
        conjugate = [a[0]] + [-x for x in a[:0:-1]]
        for b in [*several[i:], conjugate]:
            product = [int(x) for x in negacyclic_product(a, b)]
            total = [x + y for x, y in zip(a, b, strict=True)]
            ca, cb, ea, eb = canonical_square(a), canonical_square(b), squares(a), squares(b)
            assert at_most(canonical_square(product), ca * cb)
            assert at_most(flint.arb(squares(product)), ca * eb) and at_most(flint.arb(squares(product)), cb * ea)
            largest = max(abs(x) for x in product)
            assert largest**2 <= ea * eb
            assert largest <= sum(abs(x) for x in b) * max(abs(x) for x in a)
            # |M|_2 C: |M e|_2 <= |M|_2 max|e(zeta)| is the second of the line above, with a and b exchanged
            assert max(abs(x) for x in total) <= max(abs(x) for x in a) + max(abs(x) for x in b)
            cross = squares(total) - ea - eb
            assert cross <= 0 or cross**2 <= 4 * ea * eb
            assert at_most(canonical_square(total).sqrt(), ca.sqrt() + cb.sqrt())


def logarithms(a: Sequence[int]) -> tuple[float, float, float]:
    """log2 of the three norms of an integer polynomial."""
    n = len(a)
    canonical = float((canonical_square(a) / n).sqrt())
    return (
        math.log2(max(abs(x) for x in a)),
        math.log2(Fraction(squares(a), n)) / 2,
        math.log2(canonical),
    )


@pytest.mark.parametrize("n", DEGREES)
def test_the_librarys_calculus_is_never_below_what_polynomials_have(rng: np.random.Generator, n: int) -> None:
    calculus = testing.NoiseCalculus(n)

    def below(a: Sequence[int], bound: Sequence[float]) -> bool:
        return not any(a) or all(x <= y + 1e-12 for x, y in zip(logarithms(a), bound, strict=True))

    several = [[int(x) for x in a] for a in polynomials(rng, n)]
    for a in several:
        assert below(a, calculus.tidy((math.log2(max(map(abs, a))), 1e9, 1e9)))
        assert below(a, calculus.tidy((1e9, logarithms(a)[1], 1e9)))
        assert below(a, calculus.tidy((1e9, 1e9, logarithms(a)[2])))
        assert below(a, calculus.chosen(max(map(abs, a))))
        norms = testing.norms_of(a)
        assert norms[0] ** 2 >= float(canonical_square(a)) * (1 - 1e-12) and norms[2] >= sum(map(abs, a))
        for b in several:
            assert below([x + y for x, y in zip(a, b, strict=True)], calculus.sum(logarithms(a), logarithms(b)))
            product = [int(x) for x in negacyclic_product(a, b)]
            assert below(product, calculus.product(logarithms(a), logarithms(b)))
            assert below(product, calculus.times_plain(logarithms(a), testing.norms_of(b)))


# --- the functions ----------------------------------------------------------------------------------------------------
def random_bound(rng: np.random.Generator, calculus: Any) -> tuple[float, float, float]:
    size = float(rng.uniform(-20, 400))
    return tuple(calculus.tidy(tuple(size + rng.uniform(-8, 8, 3))))  # type: ignore[return-value]


@pytest.mark.parametrize("n", [8, 4096, 131072])
def test_every_function_is_monotone_in_each_argument(rng: np.random.Generator, n: int) -> None:
    """A larger norm of an operand never makes any norm of the result smaller, so that bounds of bounds are bounds."""
    calculus = testing.NoiseCalculus(n)
    other = random_bound(rng, calculus)
    factor = (2.0**9, 2.0**8, 2.0**12)
    functions: list[Callable[[Any], Any]] = [
        calculus.tidy,
        lambda a: calculus.sum(a, other),
        lambda a: calculus.sum(other, a),
        lambda a: calculus.product(a, other),
        lambda a: calculus.product(other, a),
        lambda a: calculus.product(a, a),
        lambda a: calculus.times_plain(a, factor),
        lambda f: calculus.times_plain(other, [2.0**x for x in f]),
    ]
    for _ in range(100):
        a = random_bound(rng, calculus)
        small = tuple(x % 30 for x in a)
        for function in functions:
            start = small if function is functions[-1] else a
            for norm in range(3):
                more = list(start)
                more[norm] += float(rng.uniform(0, 5))
                assert all(y >= x for x, y in zip(function(start), function(tuple(more)), strict=True))
    for strict in (False, True):
        calculus = testing.NoiseCalculus(n, strict)
        for digits in ([50.0], [50.0, 55.0], [50.0, 55.0, 60.0]):
            base = calculus.key_switch(digits, 60.0, 1.0)
            assert all(y >= x for x, y in zip(base, calculus.key_switch([*digits, 20.0], 60.0, 1.0), strict=True))
            assert all(y >= x for x, y in zip(base, calculus.key_switch(digits, 58.0, 1.0), strict=True))
            assert all(y > x for x, y in zip(base, calculus.key_switch(digits, 60.0, 257.0), strict=True))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("n", [8, 64, 1024, 4096, 8192, 16384, 32768, 131072])
def test_atoms_and_operations_equal_the_independent_calculus(rng: np.random.Generator, n: int, strict: bool) -> None:
    mine, theirs = Ring(n, strict), testing.NoiseCalculus(n, strict)
    assert close(mine.secret(), theirs.secret())
    assert close(mine.rounding(), theirs.rounding_of_polynomial())
    for parts in (1, 2, 3):
        assert close(mine.rounded(parts), theirs.rounding_of_ciphertext(parts))
    assert close(mine.drawn_error(), theirs.drawn_error())
    assert close(mine.public_encryption(), theirs.public_key_encryption())
    assert close(mine.chosen(12345), theirs.chosen(12345))
    for _ in range(30):
        a, b = random_bound(rng, theirs), random_bound(rng, theirs)
        x, y = (Norms(*(Decimal(2) ** Decimal(v) for v in bound)) for bound in (a, b))
        assert close(mine.sum(x, y), theirs.sum(a, b))
        assert close(mine.product(x, y), theirs.product(a, b))
        norms = sorted(float(v) for v in rng.uniform(1, 1e6, 3))
        two, canonical, one = norms
        assert close(mine.times_plain(x, canonical, two, one), theirs.times_plain(a, (canonical, two, one)))


def test_the_constants_of_the_page() -> None:
    """T = 15.9, B = 11.4, kappa = 3.4 and h(1) = 1.12 at n = 8192."""
    ring = Ring(8192)
    found = [ring.real_tail, ring.complex_tail, ring.check, ring.mean_square_tail(Decimal(1))]
    assert [float(x) for x in found] == pytest.approx([15.9, 11.4, 3.4, 1.12], rel=0.02)


# --- operations and planning ------------------------------------------------------------------------------------------
# word, degree, bits of t, ciphertext primes, special primes, digits, bits of the primes
SETS = [
    (64, 64, 17, 6, 2, 0, 50),
    (64, 64, 14, 8, 0, 0, 40),
    (32, 64, 17, 12, 3, 0, 30),
    (64, 1024, 20, 7, 2, 4, 55),
    (32, 256, 14, 9, 2, 5, 28),
]


@pytest.mark.parametrize("case", SETS, ids=str)
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("bgv", [False, True], ids=["bfv", "bgv"])
def test_operations_state_what_the_independent_calculus_and_planning_say(
    rng: np.random.Generator, case: Sequence[int], strict: bool, bgv: bool
) -> None:
    literal = literal_of(case, bgv_literal if bgv else small_literal, strict)
    party = (BgvParty if bgv else Party)(literal, int(rng.integers(1 << 60)), galois=[3])
    scheme, book = (testing.bgv if bgv else testing.bfv), Scheme(party.parameters, bgv, strict)
    values = rng.integers(0, 2, (1, party.n))
    x = party.encrypt(values, 1, slots=False)
    assert close(book.fresh(), x.noise)
    assert close(book.fresh(symmetric=True), party.encrypt(values, 2, slots=False, symmetric=True).noise)
    m = party.plaintext(values, slots=False)
    assert close(book.ring.sum(book.fresh(), book.message()), testing.scheme.add_plain(x, m).noise)
    assert close(book.ring.sum(book.fresh(), book.key_switch()), _core.apply_galois(x, 3, party.evaluation).noise)
    assert (
        rlwe.apply_galois_hoisted(x, [3], party.evaluation)[0].noise == _core.apply_galois(x, 3, party.evaluation).noise
    )
    assert close(book.fresh().times(1000), rlwe.multiply_scalar(x, -1000).noise)
    assert close(book.ring.times_plain(book.fresh(), *rlwe.norms(m)), _core.multiply_plain(x, m).noise)
    again = deterministic.rerandomize(x, party.public, testing.Seed(rng.bytes(32)))
    assert close(book.ring.sum(book.fresh(), book.public_zero()), again.noise)
    # Squares: planning's numbers bit by bit, the independent ones to 1e-9.
    planned = testing.noise_by_depth(party.parameters)
    power = x
    for (level, bound), (my_level, mine) in zip(planned, book.planned(len(planned) - 1), strict=True):
        assert power.noise == bound
        assert close(mine, bound) and my_level == level == (power.limbs if bgv else level)
        assert power.noise_headroom == pytest.approx(book.headroom(mine, level), abs=1e-9)
        power = _core.relinearize(scheme.square(power), party.evaluation)
    assert len(planned) >= 2 and power.noise_headroom < 0


@pytest.mark.parametrize("case", SETS, ids=str)
@pytest.mark.parametrize("method", ["behz", "hps_over_q", "hps_over_q_leveled"])
def test_bfv_products_of_every_method(rng: np.random.Generator, case: Sequence[int], method: str) -> None:
    """Operands of different sizes, crafted ones at every share of the modulus."""
    party = Party(literal_of(case), int(rng.integers(1 << 60)))
    book = Scheme(party.parameters, bgv=False)
    zeros = np.zeros((2, party.n), dtype=object)
    for share in (0.0, 0.2, 0.4, 0.6, 0.8):
        a = party.crafted(zeros, log2_max=share * math.log2(party.q))
        b = party.crafted(zeros, log2_max=3.0)
        x, y = (book.ring.chosen(Decimal(2) ** Decimal(c.noise[0])) for c in (a, b))
        product = bfv.multiply(a, b, getattr(bfv.ProductMethod, method))
        assert close(book.bfv_product(x, y, method), product.noise)
        assert bfv.multiply(b, a, getattr(bfv.ProductMethod, method)).noise == pytest.approx(product.noise, abs=1e-12)


@pytest.mark.parametrize("parts", [2, 3])
@pytest.mark.parametrize("strict", [False, True])
def test_bgv_switches(rng: np.random.Generator, parts: int, strict: bool) -> None:
    party = BgvParty(literal_of(SETS[0], bgv_literal, strict), int(rng.integers(1 << 60)))
    book = Scheme(party.parameters, True, strict)
    x = party.encrypt(rng.integers(0, 2, (1, party.n)), 1, slots=False)
    mine = book.fresh()
    if parts == 3:
        x, mine = testing.bgv.square(x, automatic=False), book.ring.product(mine, mine)
    for level in range(party.top - 1, 0, -1):
        low = testing.scheme.switch_to_level(x, level)
        assert close(book.switched(mine, party.top, level, parts), low.noise)


@pytest.mark.parametrize("special", [0, 1])
def test_several_plaintext_moduli_pay_for_their_own_alone(rng: np.random.Generator, special: int) -> None:
    """A key switch's noise is that of the array's own t, so that it is the same with one modulus."""
    moduli = [257, 65537, 12289]
    literal = bgv_literal(64, 64, moduli, 4, special, bits=50)
    party = BgvParty(literal, int(rng.integers(1 << 60)), galois=[3])
    for plain, t in enumerate(moduli):
        book = Scheme(party.parameters, True, plain=plain)
        x = party.encrypt(rng.integers(0, t, (1, 64)), 1, slots=False, plain=plain)
        assert close(book.fresh(), x.noise)
        assert close(book.ring.sum(book.fresh(), book.key_switch()), _core.apply_galois(x, 3, party.evaluation).noise)


# --- keys of several parties ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("parties", [1, 2, 3, 256])
@pytest.mark.parametrize("n", [8, 1024, 32768])
def test_atoms_of_joint_keys_equal_the_independent_calculus(n: int, parties: int) -> None:
    mine, theirs = Ring(n, parties=parties), testing.NoiseCalculus(n, parties=parties)
    assert close(mine.secret(), theirs.secret())
    assert close(mine.drawn_error(), theirs.drawn_error())
    assert close(mine.switching_key_error(), theirs.switching_key_error())
    assert close(mine.relinearization_key_error(), theirs.relinearization_key_error())
    assert close(mine.public_encryption(), theirs.public_key_encryption())
    for parts in (1, 2, 3):
        assert close(mine.rounded(parts), theirs.rounding_of_ciphertext(parts))
    alone = testing.NoiseCalculus(n)
    if parties == 1:
        assert theirs.secret() == alone.secret() and theirs.public_key_encryption() == alone.public_key_encryption()
        assert theirs.relinearization_key_error() == alone.drawn_error() == theirs.switching_key_error()


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("special", [0, 2])
def test_operations_under_joint_keys_state_what_the_calculus_and_planning_say(scheme: str, special: int) -> None:
    params = joint_keys.parameters(scheme, 64, 3, primes=6, special=special)
    joint = joint_keys.Joint(params, rotations=[1])
    book = Scheme(params, scheme == "bgv")
    x = joint.encrypt([1], wrap=True)
    [fresh] = x.native.channels
    assert close(book.fresh(), fresh.noise)
    element = joint.keys.evaluation.galois_elements[0]
    turned = _core.apply_galois(fresh, element, joint.keys.evaluation.native)
    assert close(book.ring.sum(book.fresh(), book.key_switch()), turned.noise)
    planned = testing.noise_by_depth(params.native)
    power = fresh
    for (level, bound), (_, mine) in zip(planned, book.planned(len(planned) - 1), strict=True):
        assert power.noise == bound and close(mine, bound)
        assert power.noise_headroom == pytest.approx(book.headroom(mine, level), abs=1e-9)
        power = _core.relinearize(getattr(testing, scheme).square(power), joint.keys.evaluation.native)
    assert len(planned) >= 2 and power.noise_headroom < 0
