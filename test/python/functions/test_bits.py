# SPDX-License-Identifier: Apache-2.0
"""Encrypted bits and elements of GF(2^r), as people use them: arrays, operators, rolls, files and refusals."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import put_together, taken_apart
from cyclotomic_party import smallest_primes
from oracles.binary_field import Field

RINGS = (15, 105, 1105, 4369)
SMALL = cy.Parameters.suggest(depth=0, value_bits=4, terms=4)


def parameters_of(
    m: int, primes: int = 7, special: int = 3, word: int = 32, above: int = 0, scheme: str = "bgv"
) -> cy.Parameters:
    ring = cy.Parameters(
        cyclotomic=m, plain_moduli=[2], moduli=find(m, 1), scheme="bgv", security=0, allow_insecure=True
    ).ring
    chosen = smallest_primes(ring.transform_step, primes + special, above)
    return cy.Parameters(
        cyclotomic=m, plain_moduli=[2], moduli=chosen[:primes], special_moduli=chosen[primes:], word=word,
        scheme=scheme, security=0, allow_insecure=True,
    )  # fmt: skip


def find(m: int, count: int) -> list[int]:
    return cy.bgv.find_primes(None, [28] * count, cyclotomic=m)


class World:
    """Keys over one ring, and what slots are."""

    def __init__(self, m: int, scheme: str = "bgv") -> None:
        # Without levels depth takes length, and the narrowest primes of small rings have 8 bits.
        self.m, self.parameters = m, parameters_of(m, above=0 if scheme == "bgv" else 1 << 27, scheme=scheme)
        self.secret, self.public, self.evaluation = cy.keygen(self.parameters)
        self.slots, self.box = self.parameters.slots, self.parameters.slot_shape
        assert self.box is not None and self.parameters.field_polynomial is not None
        self.field = Field(self.parameters.field_polynomial)
        self.top = (1 << self.field.degree) - 1

    def bits(self, rng: np.random.Generator, *shape: int) -> Any:
        return rng.integers(0, 2, shape or (self.slots,)).astype(bool)

    def elements(self, rng: np.random.Generator, *shape: int) -> Any:
        return rng.integers(0, self.top + 1, shape or (self.slots,))

    def reads(self, x: cy.EncryptedArray, expected: Any) -> None:
        found = cy.decrypt(x, self.secret)
        assert np.array_equal(found, expected), (found, expected)
        assert np.asarray(found).dtype == (bool if x.is_bits else np.int64)

    def times(self, a: Any, b: Any) -> Any:
        return np.vectorize(self.field.multiply, otypes=[np.int64])(a, b)


@pytest.fixture(
    scope="module", params=[(m, s) for s in ("bgv", "bfv") for m in RINGS], ids=lambda case: f"Phi_{case[0]}-{case[1]}"
)
def world(request: pytest.FixtureRequest) -> World:
    return World(*request.param)


# --- arithmetic -------------------------------------------------------------------------------------------------------
def test_operators_of_bits(world: World, rng: np.random.Generator) -> None:
    """Every pair of bits in some slot, several rows, chunks that are not full, plain operands on both sides."""
    length = world.slots + world.slots // 2
    a, b = (world.bits(rng, 2, length) for _ in range(2))
    for i in range(min(4, length)):
        a[0, i], b[0, i] = i >= 2, i % 2 == 1
    x, y = cy.encrypt(a, world.public), cy.encrypt(b.tolist(), world.public)
    assert x.is_bits and x.dtype == "bool" and x.ciphertexts == 4
    world.reads(x, a)
    world.reads(x ^ y, a ^ b)
    world.reads(x & y, a & b)
    world.reads(x | y, a | b)
    world.reads(~x, ~a)
    world.reads(x ^ b, a ^ b)
    world.reads(b ^ x, a ^ b)
    world.reads(x & b, a & b)
    world.reads(True ^ x, ~a)
    world.reads(x - y, a ^ b)
    world.reads(1 - x, ~a)
    world.reads((x & y) ^ (y & x), np.zeros_like(a))
    world.reads(x & x, a)
    world.reads((x ^ y).sum(axis=0), (a ^ b).sum(axis=0) % 2 == 1)


def test_operators_of_elements(world: World, rng: np.random.Generator) -> None:
    a, b = world.elements(rng), world.elements(rng)
    a[0], b[0] = world.top, world.top
    x, y = (cy.encrypt(v, world.public, encoding="field") for v in (a, b))
    assert not x.is_bits and x.dtype == f"GF(2^{world.field.degree})"
    bits = world.bits(rng)
    z = cy.encrypt(bits, world.public)
    world.reads(x, a)
    world.reads(x + y, a ^ b)
    world.reads(x ^ y, a ^ b)
    world.reads(x * y, world.times(a, b))
    world.reads(x * x, world.times(a, a))
    world.reads(x * z, np.where(bits, a, 0))
    world.reads(z ^ x, a ^ bits)
    world.reads(x * b, world.times(a, b))
    world.reads(x * world.top, world.times(a, np.full_like(a, world.top)))
    world.reads(z * world.top, np.where(bits, world.top, 0))
    world.reads(x ^ 3, a ^ 3)
    assert (z * 1).is_bits and not (z ^ 2).is_bits


def test_frobenius_and_trace(world: World, rng: np.random.Generator) -> None:
    a = world.elements(rng)
    x = cy.encrypt(a, world.public, encoding="field")
    world.reads(x.frobenius(), world.times(a, a))
    back = np.vectorize(lambda v: world.field.power(v, 1 << (world.field.degree - 1)), otypes=[np.int64])
    world.reads(x.frobenius(-1), back(a))
    world.reads(x.frobenius(world.field.degree), a)
    trace = x.trace()
    assert trace.is_bits
    world.reads(trace, np.vectorize(world.field.trace, otypes=[bool])(a))
    bits = cy.encrypt(world.bits(rng), world.public)
    assert bits.frobenius(5) is not None and bits.frobenius(5).is_bits


def test_rolls_of_every_dimension(world: World, rng: np.random.Generator) -> None:
    a = world.elements(rng, 2, world.slots)
    x = cy.encrypt(a, world.public, encoding="field")
    box = a.reshape(2, *world.box)
    for dimension, length in enumerate(world.box):
        for steps in {1, -1, length - 1, length + 1, 3, 0}:
            world.reads(x.roll(steps, dimension), np.roll(box, -steps, axis=dimension + 1).reshape(a.shape))
    assert cy.decrypt(x.roll(1), world.secret).shape == a.shape
    with pytest.raises(cy.errors.ArgumentError, match="dimension"):
        x.roll(1, len(world.box))
    with pytest.raises(cy.errors.ArgumentError, match="padded"):
        cy.encrypt([True], world.public).roll(1)
    bits = world.bits(rng)
    rolled = cy.encrypt(bits, world.public).roll(1, 0)
    assert rolled.is_bits
    world.reads(rolled, np.roll(bits.reshape(world.box), -1, axis=0).ravel())


def test_sums_over_slots(world: World, rng: np.random.Generator) -> None:
    """Parity of bits, exclusive or of elements: exact, also where dimensions need masks and lengths are odd."""
    bits, elements = world.bits(rng, 3, world.slots), world.elements(rng)
    parity = cy.encrypt(bits, world.public).sum(axis=1)
    world.reads(parity, bits.sum(axis=1) % 2 == 1)
    total = cy.encrypt(elements, world.public, encoding="field").sum()
    world.reads(total, int(np.bitwise_xor.reduce(elements)))


def test_replicated_values_stand_in_every_slot(world: World, rng: np.random.Generator) -> None:
    a, b = world.elements(rng, 3), world.elements(rng, 3, world.slots)
    x = cy.encrypt(a, world.public, encoding="field", layout="replicated")
    y = cy.encrypt(b, world.public, encoding="field")
    world.reads(x, a)
    world.reads(x[:, None] * y, world.times(np.broadcast_to(a[:, None], b.shape), b))
    world.reads(x[:, None] + y, a[:, None] ^ b)
    scalar = cy.encrypt(True, world.public)
    world.reads(scalar, True)
    world.reads(scalar ^ cy.encrypt(world.bits(rng) & False, world.public), np.ones(world.slots, dtype=bool))
    world.reads(x.packed(), a)


def test_worst_operands_until_refusal(world: World) -> None:
    """All ones and equal operands: right at each depth, or a typed refusal."""
    x = cy.encrypt(np.full(world.slots, world.top), world.public, encoding="field")
    value, depth = world.top, 0
    with pytest.raises(cy.errors.NoiseError):
        for _ in range(80):
            x = x * x
            value, depth = world.field.multiply(value, value), depth + 1
            world.reads(x, np.full(world.slots, value))
    assert depth >= (3 if world.slots > 100 else 2)


def test_two_layers_of_an_s_box(rng: np.random.Generator) -> None:
    """Four bits through PRINCE's S-box twice, depth 4, every input in some of the 256 slots; and once more than the
    parameters carry is a refusal."""
    parameters = parameters_of(4369, 10, 3)
    secret, public, _ = cy.keygen(parameters, rotations=[])
    box = np.array([0xB, 0xF, 3, 2, 0xA, 0xC, 9, 1, 6, 7, 8, 0, 0xE, 5, 0xD, 4])
    values = rng.permutation(np.arange(parameters.slots) % 16)
    a, b, c, d = (cy.encrypt(values >> i & 1, public) for i in (3, 2, 1, 0))
    for _ in range(2):
        ab, ac, ad, bc, bd, cd = a & b, a & c, a & d, b & c, b & d, c & d
        abc, abd, acd, bcd = ab & c, ab & d, cd & a, cd & b
        outputs = (
            ~(a ^ c ^ ab ^ bc ^ abd ^ acd ^ bcd),
            a ^ d ^ ac ^ ad ^ cd ^ abc ^ acd,
            ~(ac ^ bc ^ bd ^ abc ^ bcd),
            ~(a ^ b ^ ab ^ ad ^ bc ^ cd ^ bcd),
        )
        values = box[values]
        found = sum(cy.decrypt(x, secret).astype(int) << i for x, i in zip(outputs, (3, 2, 1, 0), strict=True))
        assert np.array_equal(found, values)
        a, b, c, d = outputs
    assert a.noise_headroom > 0
    with pytest.raises(cy.errors.NoiseError):
        for _ in range(20):
            a = a & b


def test_matrices_of_bits(world: World, rng: np.random.Generator) -> None:
    matrix, rows = rng.integers(0, 2, (4, 3)), world.bits(rng, 3, world.slots)
    x = cy.encrypt(rows, world.public)
    world.reads(matrix @ x, matrix @ rows % 2 == 1)
    with pytest.raises(cy.errors.UnsupportedError, match="matrices"):
        (matrix + 1) @ x


# --- files ------------------------------------------------------------------------------------------------------------
def test_files_come_back(world: World, rng: np.random.Generator, tmp_path: Path) -> None:
    bits, elements = world.bits(rng), world.elements(rng)
    x = cy.encrypt(bits, world.public)
    y = cy.encrypt(elements, world.secret, encoding="field")
    for name, thing in {"p": world.parameters, "s": world.secret, "k": world.public, "e": world.evaluation,
                        "x": x, "y": y}.items():  # fmt: skip
        cy.save(tmp_path / name, thing)
    load = lambda name: cy.load(tmp_path / name, allow_insecure=True)  # noqa: E731
    parameters, secret = load("p"), load("s")
    assert parameters == world.parameters and parameters.cyclotomic == world.m
    again, elements_again = load("x"), load("y")
    assert again.is_bits and not elements_again.is_bits
    assert np.array_equal(cy.decrypt(again, secret), bits)
    with_keys = again.with_keys(load("e"))
    assert np.array_equal(cy.decrypt(with_keys & with_keys, secret), bits)
    assert np.array_equal(cy.decrypt(elements_again, secret), elements)
    assert np.array_equal(cy.decrypt(cy.encrypt(bits, load("k")), secret), bits)
    assert "bits" in str(cy.inspect(tmp_path / "x")) and f"m={world.m}" in str(cy.inspect(tmp_path / "x"))


def forged(x: object, edit: Callable[[bytes, dict[str, bytes]], bytes]) -> bytes:
    """A file with the checksum that fits it: ``edit`` changes sections and returns the header."""
    header, sections = taken_apart(cy.to_bytes(x))
    found = dict(sections)
    header = edit(header, found)
    return put_together(header, [(tag, found[tag]) for tag, _ in sections])


def test_forged_files_are_refused(world: World, rng: np.random.Generator) -> None:
    """Another index, other limbs, unused bits, versions that do not fit, and bits that are none."""
    elements = world.elements(rng)
    elements.flat[0] = 2  # no bit, whatever was drawn: of Phi_15's two slots both are bits once in 64 draws
    x = cy.encrypt(elements, world.public, encoding="field")
    load = lambda data: cy.from_bytes(data, allow_insecure=True)  # noqa: E731

    def index(m: int, fingerprint: bool) -> Callable[[bytes, dict[str, bytes]], bytes]:
        def edit(header: bytes, sections: dict[str, bytes]) -> bytes:
            block = sections["PARM"]
            sections["PARM"] = block[:16] + struct.pack("<I", m) + block[20:]
            return header[:24] + (bytes(32) if fingerprint else header[24:56])

        return edit

    for other in (world.m * 7 % 131072, 2 * world.m, 9, 45, 1 << 31, 0, 15 if world.m != 15 else 105):
        for fingerprint in (False, True):
            with pytest.raises(cy.errors.FormatError):
                load(forged(x, index(other, fingerprint)))

    def version(number: int) -> Callable[[bytes, dict[str, bytes]], bytes]:
        return lambda header, _: header[:8] + struct.pack("<H", number) + header[10:]

    for number in (1, 2, 4):
        with pytest.raises(cy.errors.FormatError, match="version"):
            load(forged(x, version(number)))

    def flags(header: bytes, sections: dict[str, bytes]) -> bytes:
        block = sections["PARM"]
        sections["PARM"] = block[:11] + bytes([block[11] & ~4]) + block[12:]
        return header

    def short(header: bytes, sections: dict[str, bytes]) -> bytes:
        sections["CIPH"] = sections["CIPH"][:-1]
        return header

    def large(header: bytes, sections: dict[str, bytes]) -> bytes:
        sections["CIPH"] = sections["CIPH"][:-8] + b"\xff" * 8
        return header

    for edit in (flags, short, large):
        with pytest.raises(cy.errors.FormatError):
            load(forged(x, edit))

    def claims(flag: int) -> Callable[[bytes, dict[str, bytes]], bytes]:
        def edit(header: bytes, sections: dict[str, bytes]) -> bytes:
            sections["ARRY"] = sections["ARRY"][:2] + bytes([flag]) + sections["ARRY"][3:]
            return header

        return edit

    for flag in (1, 3, 255):
        with pytest.raises(cy.errors.FormatError):
            load(forged(x, claims(flag)))
    with pytest.raises(cy.errors.RangeError, match="no bit"):
        cy.decrypt(load(forged(x, claims(2))), world.secret)
    integers = cy.encrypt([1], cy.keygen(SMALL, rotations=[]).public)
    with pytest.raises(cy.errors.FormatError):
        load(forged(integers, claims(2)))
    with pytest.raises(cy.errors.FormatError, match="version 3"):
        load(forged(integers, version(3)))


def test_bits_behind_the_last_coefficient_are_zero(tmp_path: Path) -> None:
    """n = 12 of Phi_21 is no multiple of 8 for odd residue lengths: limbs and secret keys end with zero bits."""
    parameters = parameters_of(21, 3, 1)
    secret, public, _ = cy.keygen(parameters)
    values = np.array([True, False])
    cy.save(tmp_path / "secret", secret)
    again = cy.load(tmp_path / "secret", allow_insecure=True)
    x = cy.from_bytes(cy.to_bytes(cy.encrypt(values, public)), allow_insecure=True)
    assert np.array_equal(cy.decrypt(x, again), values)
    widths = [(q - 1).bit_length() * 12 % 8 for q in parameters.moduli]
    assert any(widths)

    def set_bit(header: bytes, sections: dict[str, bytes]) -> bytes:
        content = bytearray(sections["CIPH"])
        end = len(content)
        for q in reversed(parameters.moduli):  # limbs of the last polynomial, from its end
            bits = 12 * (q - 1).bit_length()
            if bits % 8:
                content[end - 1] |= 0x80
                break
            end -= -(-bits // 8)
        sections["CIPH"] = bytes(content)
        return header

    with pytest.raises(cy.errors.FormatError, match="unused bits"):
        cy.from_bytes(forged(x, set_bit), allow_insecure=True)


# --- refusals ---------------------------------------------------------------------------------------------------------
def test_values_that_are_no_bits_or_elements(world: World) -> None:
    for wrong in ([2], [-1], [[0, 1], [1, 1 << 70]]):
        with pytest.raises(cy.errors.RangeError, match="no bit"):
            cy.encrypt(wrong, world.public)
    for wrong in ([world.top + 1], [-1]):
        with pytest.raises(cy.errors.RangeError, match="no element"):
            cy.encrypt(wrong, world.public, encoding="field")
    x = cy.encrypt([True, False], world.public)
    with pytest.raises(cy.errors.RangeError, match="no element"):
        x + (world.top + 1)
    with pytest.raises(cy.errors.RangeError, match="no element"):
        x * -1
    with pytest.raises(cy.errors.UnsupportedError):
        cy.encrypt([0.5], world.public)
    with pytest.raises(cy.errors.ArgumentError, match="no bound"):
        cy.encrypt([1], world.public, bound=1)
    with pytest.raises(cy.errors.ParameterError, match="powers of x"):
        cy.encrypt([1], world.public, encoding="coefficients")
    y = cy.encrypt([2, 3], world.public, encoding="field")
    for refused in (lambda: y & y, lambda: x & y, lambda: ~y):
        with pytest.raises(cy.errors.UnsupportedError, match="no bits"):
            refused()
    with pytest.raises(cy.errors.UnsupportedError, match=r"box of \d dimension"):
        x.padded().rotate_rows(1)


def test_other_keys_and_rings() -> None:
    one, two = World(15), World(15)
    x, y = cy.encrypt([True], one.public), cy.encrypt([True], two.public)
    with pytest.raises(cy.errors.MismatchError):
        x ^ y
    with pytest.raises(cy.errors.MismatchError):
        cy.decrypt(x, two.secret)
    other = World(105)
    with pytest.raises(cy.errors.MismatchError):
        x ^ cy.encrypt([True], other.public)
    with pytest.raises(cy.errors.MismatchError):
        cy.decrypt(x, other.secret)
    bare = cy.keygen(one.parameters, rotations=[])
    z = cy.encrypt(np.ones(one.slots, dtype=bool), bare.public)
    with pytest.raises(cy.errors.MissingKeyError):
        z.roll(1, 0)
    with pytest.raises(cy.errors.ArgumentError, match="box"):
        cy.keygen(one.parameters, rotations=[1])


def test_integers_have_none_of_it() -> None:
    parameters = cy.Parameters.suggest(depth=1, value_bits=4, terms=4)
    x = cy.encrypt([1, 2], cy.keygen(parameters, rotations=[]).public)
    for refused in (lambda: x ^ x, lambda: x & 1, lambda: ~x, lambda: x | x, x.trace, x.frobenius, lambda: x.roll(1)):
        with pytest.raises(cy.errors.UnsupportedError, match="encrypted integers"):
            refused()
    with pytest.raises(cy.errors.ArgumentError, match="hold integers"):
        cy.encrypt([1], cy.keygen(parameters, rotations=[]).public, encoding="field")
    assert parameters.slot_shape is None and parameters.cyclotomic is None and parameters.field_degree is None


# --- parameters -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("m", "why"),
    [(65536, "odd"), ((1 << 17) + 1, "131072"), (31775, r"5\^2.*6355"), (1, "odd"), (3, "degree 2, below")],
)
def test_rings_that_do_not_exist(m: int, why: str) -> None:
    with pytest.raises(cy.errors.ParameterError, match=why):
        cy.Parameters(cyclotomic=m, plain_moduli=[2], moduli=[97], scheme="bgv")


def test_primes_without_a_transform_and_other_contradictions() -> None:
    good = find(21845, 3)
    with pytest.raises(cy.errors.ParameterError, match="16m = 349520"):
        cy.Parameters(cyclotomic=21845, plain_moduli=[2], moduli=[good[0], 786433], scheme="bgv")
    with pytest.raises(cy.errors.ParameterError, match="16m = 349520"):
        cy.Parameters(cyclotomic=21845, plain_moduli=[2], moduli=[786433], scheme="bfv")
    with pytest.raises(cy.errors.ParameterError, match="degree 8192 is not that of Phi_21845"):
        cy.Parameters(cyclotomic=21845, degree=8192, plain_moduli=[2], moduli=good[:2], scheme="bgv")
    with pytest.raises(cy.errors.ParameterError, match="say one of them"):
        cy.Parameters(plain_moduli=[2], moduli=good[:2], scheme="bgv")
    p = cy.Parameters(cyclotomic=21845, degree=16384, plain_moduli=[2], moduli=good[:2], scheme="bgv")
    assert (p.degree, p.slots, p.slot_shape) == (16384, 1024, (4, 16, 16)) and p.security_reached == 256


def test_caps_between_the_tables_rows() -> None:
    """floor(n cap/row): this library's choice where no table has a row."""
    from cyclotome import _core

    assert _core.max_modulus_bits(8190, 128, "guidelines-2024") == 8190 * 106 // 4096 == 211
    assert _core.max_modulus_bits(42336, 128, "guidelines-2024") == 1121
    for n, cap in ((1024, 26), (16384, 430), (32768, 868), (1023, 0)):
        assert _core.max_modulus_bits(n, 128, "guidelines-2024") == cap
    assert _core.max_modulus_bits(65536, 128, "he-standard-2018") == 0
    with pytest.raises(cy.errors.SecurityError, match="211"):
        primes = smallest_primes(16384 * 8191, 5, 1 << 44)
        cy.Parameters(cyclotomic=8191, plain_moduli=[2], moduli=primes, scheme="bgv")


def test_suggestions_for_bits() -> None:
    """The smallest primes, ascending, special ones next; within the cap; PRINCE's depth fits 868 bits."""
    for depth, m in ((2, None), (9, 21845)):
        p = cy.Parameters.suggest(bits=True, depth=depth, cyclotomic=m)
        primes = list(p.moduli) + list(p.special_moduli)
        assert primes == smallest_primes(p.ring.transform_step, len(primes))
        assert p.security_reached >= 128 and p.scheme == "bgv" and p.plain_moduli == (2,)
        text = p.explain()
        assert "slots of bits" in text and f"Phi_{p.cyclotomic}" in text
    assert cy.Parameters.suggest(bits=True, depth=1).cyclotomic in (4369, 21845)
    for depth, m in ((1, None), (3, 21845)):
        p = cy.Parameters.suggest(bits=True, scheme="bfv", depth=depth, cyclotomic=m)
        assert p.scheme == "bfv" and p.plain_moduli == (2,) and p.security_reached >= 128
        assert p.slot_shape is not None and f"Phi_{p.cyclotomic}" in p.explain()
        widths = {q.bit_length() for q in p.moduli}
        assert len(widths) <= 2 and max(widths) <= (30 if p.word == 32 else 50)
        for word in (32, 64):  # the cheaper one, or the one that is asked for
            assert cy.Parameters.suggest(bits=True, scheme="bfv", depth=depth, cyclotomic=m, word=word).word == word
    with pytest.raises(cy.errors.ParameterError, match="Phi_21845 carries no 30"):
        cy.Parameters.suggest(scheme="bfv", cyclotomic=21845, depth=30)
    with pytest.raises(cy.errors.ParameterError, match="Phi_4369"):
        cy.Parameters.suggest(cyclotomic=4369, depth=30)
    with pytest.raises(cy.errors.ParameterError, match="odd"):
        cy.Parameters.suggest(cyclotomic=4370)
    for intent in ({"bits": True, "depth": 1}, {"cyclotomic": 4369, "depth": 1}, {"value_bits": 4, "depth": 1}):
        for security in (0, 64):
            with pytest.raises(cy.errors.ParameterError, match=f"security of {security} bits is not in the tables"):
                cy.Parameters.suggest(security=security, **intent)
    assert math.log2(math.prod(smallest_primes(16 * 65535, 25))) == pytest.approx(638.5, abs=0.1)
