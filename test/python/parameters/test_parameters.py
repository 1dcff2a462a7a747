# SPDX-License-Identifier: Apache-2.0
"""Parameters: every contradiction is refused by a message that names the value and the limit; fingerprints."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from cyclotome.errors import ArgumentError, ParameterError, SecurityError
from hypothesis import given
from hypothesis import strategies as st
from literals import ParametersLiteral
from oracles.integers import some_primes
from parties import small_literal

Change = Callable[[Any], None]


def valid() -> Any:
    """128-bit parameters of degree 8192 that every test spoils in one way."""
    literal = ParametersLiteral()
    literal.degree, literal.word, literal.plain_moduli = 8192, 64, [65537]
    literal.moduli, literal.special_moduli = some_primes(40, 1 << 14, 4)[1:], some_primes(40, 1 << 14, 1)
    return literal


def change(**fields: Any) -> Change:
    def apply(literal: Any) -> None:
        for name, value in fields.items():
            setattr(literal, name, value)

    return apply


LARGE = some_primes(40, 1 << 14, 8)
REFUSED: dict[str, tuple[Change, str]] = {
    "degree 0": (change(degree=0), r"degree 0 is not a power of two in \[1024, 131072\]"),
    "degree 8191": (change(degree=8191), "degree 8191 is not a power of two"),
    "degree 12288": (change(degree=12288), "degree 12288 is not a power of two"),
    "degree 512": (change(degree=512), r"degree 512 .*\[1024"),
    "degree 2^18": (change(degree=1 << 18), "degree 262144"),
    "degree 4, insecure": (change(degree=4, allow_insecure=True), r"degree 4 .*\[8, "),
    "no modulus": (change(moduli=[]), "no ciphertext modulus"),
    "even modulus": (
        change(moduli=[LARGE[1] - 1]),
        rf"{LARGE[1] - 1} must be a prime .*1 modulo 2n = 16384",
    ),
    "composite modulus": (change(moduli=[16385 * 32769]), r"must be a prime congruent to 1"),
    "modulus for another degree": (change(moduli=[some_primes(40, 2048, 1)[0]]), "congruent to 1 modulo 2n"),
    "modulus 1": (change(moduli=[1]), "modulus 1 must be a prime"),
    "modulus 0": (change(moduli=[0]), "modulus 0 must be a prime"),
    "wide modulus": (change(moduli=[(1 << 62) + 1]), r"below \d+ for 64-bit words"),
    "wide modulus for 32-bit words": (change(word=32), r"must be .* below 1073741824 for 32-bit words"),
    "wide special modulus": (change(special_moduli=[(1 << 63) + 1]), "ciphertext modulus 9223372036854775809"),
    "repeated modulus": (change(moduli=[LARGE[1], LARGE[1]]), rf"{LARGE[1]}"),
    "special modulus among the others": (change(special_moduli=[LARGE[1]]), rf"{LARGE[1]}"),
    "too many primes": (change(moduli=some_primes(40, 1 << 14, 128)), "129 primes were given; at most 128"),
    "no plaintext modulus": (change(plain_moduli=[]), "0 plaintext moduli were given; 1 to 16"),
    "17 plaintext moduli": (change(plain_moduli=some_primes(20, 2, 17)), "17 plaintext moduli"),
    "t = 0": (change(plain_moduli=[0]), r"plaintext modulus 0 must lie in \[2, "),
    "t = 1": (change(plain_moduli=[257, 1]), "plaintext modulus 1 must lie"),
    "t = 2^60": (change(plain_moduli=[1 << 60]), r"must lie in \[2, 1152921504606846976\) for 64-bit words"),
    "t = 2^30 in 32-bit words": (
        change(plain_moduli=[1 << 30], word=32, moduli=some_primes(30, 1 << 14, 2)[1:], special_moduli=[]),
        r"must lie in \[2, 1073741824\) for 32-bit words",
    ),
    "t divides q": (change(plain_moduli=[LARGE[2]]), rf"{LARGE[2]}"),
    "a multiple of a prime as t": (change(plain_moduli=[3 * LARGE[2]]), rf"{LARGE[2]}"),
    "t divides P": (change(plain_moduli=[LARGE[0]]), rf"{LARGE[0]}"),
    "t > q": (
        change(plain_moduli=[(1 << 59) - 1], moduli=LARGE[1:2]),
        r"plaintext modulus 576460752303423487 of 59 bits is too large for ciphertext moduli of 40 bits",
    ),
    "t > q in BGV": (
        change(plain_moduli=[(1 << 59) - 1], moduli=LARGE[1:2], scheme="bgv"),
        r"not even a fresh ciphertext could be decrypted, which takes at least 65; use more or wider",
    ),
    "one of several t > q": (
        change(plain_moduli=[257, (1 << 41) + 1], moduli=LARGE[1:2]),
        r"plaintext modulus 2199023255553 of 42 bits is too large",
    ),
    "t just below q": (change(plain_moduli=[LARGE[1] - 2], moduli=LARGE[1:2]), r"of 40 bits is too large"),
    "plaintext moduli with a common factor": (change(plain_moduli=[6, 9]), r"6.*9|9.*6"),
    "digits without special primes": (
        change(special_moduli=[], digits=2),
        r"2 digits .*one digit for each",
    ),
    "more digits than primes": (change(digits=4), "4 digits for 3 primes"),
    "digits too few": (change(digits=1), r"with 1 digits a digit of 3 primes is wider .* 40 bits"),
    "special prime too narrow": (
        change(special_moduli=some_primes(39, 1 << 14, 1)),
        r"special primes have 39 bits in all, fewer than the widest",
    ),
    "security 100": (change(security=100), r"security of 100 bits .*choose 128, 192 or 256"),
    "security 129": (change(security=129), r"129 bits"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_contradictions_are_refused_with_their_value_and_limit(name: str) -> None:
    spoil, message = REFUSED[name]
    valid().made()  # acceptable before it is spoilt
    literal = valid()
    spoil(literal)
    with pytest.raises(ParameterError, match=message):
        literal.made()


def largest_plain_modulus(primes: list[int]) -> int:
    """43 t < q: an error of up to 21 and a rounding of 1/2 stay below q/(2t)."""
    return (math.prod(primes) - 1) // 43


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize(("word", "bits"), [(32, 20), (32, 30), (64, 30), (64, 59)])
def test_the_largest_plaintext_modulus_passes_and_one_more_is_refused(scheme: Any, word: int, bits: int) -> None:
    literal = small_literal(word, 1024, 2, 1)
    literal.scheme, literal.special_moduli, literal.moduli = scheme, [], some_primes(bits, 2048, 1)
    largest = largest_plain_modulus(literal.moduli)
    literal.plain_moduli = [largest]
    assert literal.made().plain_moduli == [largest]
    literal.plain_moduli = [largest + 1]
    with pytest.raises(ParameterError, match=f"plaintext modulus {largest + 1} .* of {bits} bits in all"):
        literal.made()


def test_the_planner_names_the_plaintext_modulus_that_is_too_large() -> None:
    literal = ParametersLiteral()
    literal.degree, literal.plain_moduli = 4096, [some_primes(50, 8192, 1)[0]]
    with pytest.raises(ParameterError, match=r"a modulus of 55 bits holds nothing modulo .*at least 56"):
        literal.with_modulus_bits(55)
    assert literal.with_modulus_bits(57).modulus_bits >= 57


def test_switching_security_off_takes_saying_so() -> None:
    literal = valid()
    literal.security = 0
    with pytest.raises(SecurityError, match=r"security 0 .*allow_insecure=True"):
        literal.made()
    literal.allow_insecure = True
    parameters = literal.made()
    assert not parameters.insecure and parameters.security_reached == 128  # it is secure all the same
    literal.moduli = [*literal.moduli, *some_primes(41, 1 << 14, 2)]
    literal.special_moduli = some_primes(42, 1 << 14, 1)
    literal.security = 128
    assert literal.made().insecure and "INSECURE" in literal.made().summary()
    literal.allow_insecure = False
    with pytest.raises(SecurityError, match=r"log2\(QP\) = 244 bits .*8192.*at most 214 .*guidelines-2024"):
        literal.made()


def base() -> Any:
    """A set that stays acceptable when any one of its fields changes."""
    literal = valid()
    literal.degree, literal.moduli, literal.special_moduli = 16384, NARROW[1:4], NARROW[4:6]
    return literal


NARROW = some_primes(30, 1 << 15, 7)
ONE_FIELD: dict[str, Change] = {
    "scheme": change(scheme="bgv"),
    "degree": change(degree=8192),
    "plain_moduli": change(plain_moduli=[257]),
    "more plain_moduli": change(plain_moduli=[65537, 257]),
    "order of plain_moduli": change(plain_moduli=[257, 65537]),
    "moduli": change(moduli=[NARROW[1], NARROW[2], NARROW[6]]),
    "fewer moduli": change(moduli=NARROW[1:3]),
    "order of moduli": change(moduli=[NARROW[2], NARROW[1], NARROW[3]]),
    "special_moduli": change(special_moduli=[NARROW[4], NARROW[6]]),
    "fewer special_moduli": change(special_moduli=[NARROW[4]]),
    "no special_moduli": change(special_moduli=[]),
    "order of special_moduli": change(special_moduli=[NARROW[5], NARROW[4]]),
    "digits": change(digits=3),
    "word": change(word=32),
    "security": change(security=192),
    "highest security": change(security=256),
    "table": change(table="he-standard-2018"),
    "allow_insecure": change(allow_insecure=True),
    "no security": change(security=0, allow_insecure=True),
}


def test_fingerprints_differ_when_any_field_differs_and_ignore_the_name() -> None:
    unchanged = base().made().fingerprint
    seen = {unchanged}
    for name, apply in ONE_FIELD.items():
        literal = base()
        apply(literal)
        fingerprint = literal.made().fingerprint
        assert len(fingerprint) == 32 and fingerprint not in seen, name
        seen.add(fingerprint)
    named = base()
    named.name = "a name"
    assert named.made().fingerprint == unchanged
    assert named.made().name == "a name" and "'a name'" in named.made().summary()
    asked = base()
    asked.digits = 2  # what is chosen anyway: the same parameters
    assert asked.made().fingerprint == unchanged


def test_parameters_say_what_they_are() -> None:
    parameters = valid().made()
    assert parameters.modulus_bits == math.prod(parameters.moduli).bit_length() == 120
    assert parameters.key_modulus_bits == 160 and parameters.digits == 3 and testing.primes_per_digit(parameters) == 1
    assert parameters.summary() == "bfv n=8192 log q=120+40 t=65537 64-bit words, 128-bit classical security"
    literal = ParametersLiteral.of(parameters)
    literal.degree = 16  # a copy: what is checked stays
    assert parameters.degree == 8192


@given(
    widths=st.lists(st.integers(24, 60), min_size=1, max_size=12),
    special=st.lists(st.integers(24, 60), min_size=1, max_size=4),
    asked=st.integers(0, 12),
)
def test_digits_are_as_few_as_the_special_primes_cover(widths: list[int], special: list[int], asked: int) -> None:
    """No digit's product is longer than P, and a smaller number of digits that is would be taken instead."""
    literal = small_literal(64, 16, 2, 1)
    taken: dict[int, int] = {}

    def prime(bits: int) -> int:
        taken[bits] = taken.get(bits, -1) + 1
        return some_primes(bits, 32, 1, taken[bits])[0]

    literal.special_moduli, literal.moduli = [prime(b) for b in special], [prime(b) for b in widths]
    literal.digits = asked
    primes, p_bits = len(widths), math.prod(literal.special_moduli).bit_length()

    def fits(digits: int) -> bool:
        size = -(-primes // digits)
        groups = [literal.moduli[i : i + size] for i in range(0, primes, size)]
        return max(math.prod(group).bit_length() for group in groups) <= p_bits

    possible = [d for d in range(1, primes + 1) if fits(d)]
    if asked > primes or (asked and not fits(asked)) or not possible:
        with pytest.raises(ParameterError, match=r"digit|special primes"):
            literal.made()
        return
    parameters = literal.made()
    size = -(-primes // (asked or possible[0]))
    assert testing.primes_per_digit(parameters) == size and parameters.digits == -(-primes // size)


def test_contexts_have_special_primes_first_and_slots_where_t_allows() -> None:
    literal = small_literal(64, 64, [257, 1024, 7681, 65537], 3, 2)
    context = _core.Context(literal.made(), _core.CpuEngine(1))
    assert rlwe.key_ring(context).basis.moduli == [*literal.special_moduli, *literal.moduli]
    assert rlwe.ciphertext_ring(context).basis.moduli == literal.moduli and rlwe.special_limbs(context) == 2
    assert rlwe.encryption_ring(context).basis.moduli == [literal.special_moduli[1], *literal.moduli]
    assert [context.has_slots(i) for i in range(4)] == [True, False, True, True]
    for plain in (4, 1 << 40):
        with pytest.raises(ArgumentError, match=f"plaintext modulus number {plain} of 4"):
            rlwe.plain_ring(context, plain)
        with pytest.raises(ArgumentError):
            _core.encode_residues(context, plain, False, np.zeros((1, 1), dtype=np.int64))
