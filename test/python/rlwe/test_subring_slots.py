# SPDX-License-Identifier: Apache-2.0
"""Integers in fewer slots than coefficients: plaintext primes that are 1 modulo 2k, k < n, against python-flint."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import cyclotome as cy
import flint
import numpy as np
import pytest
from crafted_files import taken_apart, with_section
from cyclotome import _core
from cyclotome._core.testing import rlwe
from cyclotome.errors import ArgumentError, FormatError, MismatchError, RangeError
from oracles import wire_format
from oracles.integers import integers
from parties import slot_roots
from small import insecure
from test_wire_format import decrypt, sections

SCHEMES = ("bfv", "bgv")
#: Degree, modulus and slots: all of them, fewer, hardly any.
RINGS = [(1024, 12289, 1024), (1024, 257, 128), (4096, 257, 128), (2048, 7681, 256), (1024, 17, 8), (1024, 5, 2)]
#: Moduli without slots: 3 modulo 4, composite ones, even ones.
BARE = [7, 1023, 65539, 65, 257 * 641, 2, 1024]


def parameters(degree: int, plain: tuple[int, ...], scheme: str = "bfv", primes: int = 6) -> cy.Parameters:
    return insecure(plain, degree, [50] * primes, scheme=scheme)


class World:
    def __init__(self, degree: int, plain: tuple[int, ...], scheme: str, primes: int = 6, **keys: Any) -> None:
        self.parameters = parameters(degree, plain, scheme, primes)
        self.secret, self.public, self.evaluation = cy.keygen(self.parameters, **keys)
        self.slots, self.t = self.parameters.slots, self.parameters.plain_product

    def encrypted(self, values: Any, **how: Any) -> cy.EncryptedArray:
        how.setdefault("encoding", "slots")
        return cy.encrypt(values, self.public, **how)

    def opened(self, x: cy.EncryptedArray) -> Any:
        values = cy.decrypt(x, self.secret)
        if x.bound is not None:
            assert np.all(np.abs(np.asarray(values, dtype=object)) <= x.bound)
        return values

    def random(self, rng: np.random.Generator, *shape: int, bound: int | None = None) -> Any:
        """Values within a bound, or the capacity, both ends among them."""
        most = self.parameters.capacity if bound is None else bound
        values = rng.integers(-most, most + 1, shape)
        values.flat[0], values.flat[-1] = most, -most
        return values


@functools.cache
def world(scheme: str, degree: int = 64, plain: tuple[int, ...] = (97,), primes: int = 6) -> World:
    return World(degree, plain, scheme, primes)


#: 16 of 64 slots, 8, 2, 128 of 256, and 8 that two moduli of 16 and of 8 share.
WORLDS = [(64, (97,)), (64, (17,)), (64, (5,)), (256, (257,)), (64, (97, 17))]
EVERY_WORLD = pytest.mark.parametrize(("degree", "plain"), WORLDS)
EVERY_SCHEME = pytest.mark.parametrize("scheme", SCHEMES)


@pytest.mark.parametrize(("degree", "t", "slots"), RINGS)
def test_slots_are_the_factors_of_the_polynomial(degree: int, t: int, slots: int) -> None:
    p = parameters(degree, (t,))
    polynomial = flint.nmod_poly([1] + [0] * (degree - 1) + [1], t)
    _, factors = polynomial.factor()
    assert (p.slots, p.slot_degree) == (slots, degree // slots)
    assert len(factors) == slots and {(f.degree(), e) for f, e in factors} == {(p.slot_degree, 1)}
    assert p.has_slots and p.slots_by_default == (slots >= 64)
    assert (p.slot_ring.degree, p.ring.degree, p.slot_ring.galois.row_length) == (slots, degree, slots // 2)


@pytest.mark.parametrize("t", BARE)
def test_other_moduli_have_none(t: int) -> None:
    p = parameters(1024, (t,))
    assert (p.slots, p.slot_degree, p.has_slots, p.slots_by_default) == (1024, 1, False, False)
    assert p.slot_ring.degree == 1024
    public = cy.keygen(p, relinearization=False).public
    with pytest.raises(ArgumentError, match=r"no slots at degree 1024.* 1 modulo 2048, or modulo 2k"):
        cy.encrypt([0, 1], public, encoding="slots")
    assert cy.encrypt([0, 1], public).encoding == "coefficients"


def test_moduli_share_the_slots_of_the_poorest() -> None:
    assert parameters(1024, (12289, 257)).slots == 128
    assert parameters(1024, (257, 17)).slots == 8
    assert not parameters(1024, (12289, 7)).has_slots
    assert not parameters(1024, (12289, 65)).has_slots


@pytest.mark.parametrize(("degree", "t", "slots"), RINGS)
def test_values_are_constants_modulo_the_factors(degree: int, t: int, slots: int, rng: np.random.Generator) -> None:
    """Value i is what the polynomial leaves modulo x^d - zeta_i, and products of polynomials those of values."""
    context = _core.Context(parameters(degree, (t,)).native, _core.CpuEngine(1))
    rows = rng.integers(-(t // 2), t // 2 + 1, (2, slots))
    rows[0, :2] = [t // 2, -(t // 2)]
    encoded = _core.encode_residues(context, 0, True, rows)
    coefficients = integers(rlwe.coefficients(encoded))[:, 0, 0]
    d = degree // slots
    assert not np.delete(coefficients, np.s_[::d], axis=1).any()
    polynomials = [flint.nmod_poly([int(c) for c in row], t) for row in coefficients]
    product = polynomials[0] * polynomials[1] % flint.nmod_poly([1] + [0] * (degree - 1) + [1], t)
    factors = [flint.nmod_poly([-root % t] + [0] * (d - 1) + [1], t) for root in slot_roots(slots, t)]
    for values, polynomial in zip([*rows, rows[0] * rows[1]], [*polynomials, product], strict=True):
        assert [polynomial % factor for factor in factors] == [flint.nmod_poly([int(v) % t], t) for v in values]
    assert np.array_equal(_core.decode_residues(encoded, True), rows)
    with pytest.raises(ArgumentError, match=rf"rows hold at most (n = )?{slots}"):
        _core.encode_residues(context, 0, True, np.zeros((1, slots + 1), dtype=np.int64))


def test_rotations_are_automorphisms_of_the_polynomials() -> None:
    """The smallest exponents: modulo 2k, that is below it."""
    p = parameters(1024, (257,))
    group = p.slot_ring.galois
    assert group.index == 256 and group.column_rotation() == 255
    assert [group.row_rotation(s) for s in (1, 5, -1, 64)] == [3, pow(3, 5, 256), pow(3, 63, 256), 1]
    assert cy.sum_rotations(p) == [1, 2, 4, 8, 16, 32]
    keys = cy.keygen(p, rotations=[3, -1])
    assert keys.evaluation.galois_elements == tuple(sorted([27, pow(3, 63, 256)]))
    assert keys.evaluation.rotations == (-1, 3) and not keys.evaluation.columns
    with pytest.raises(ArgumentError, match="not multiples of 64"):
        cy.keygen(p, rotations=[64])


@EVERY_SCHEME
@EVERY_WORLD
def test_arithmetic_is_numpys(scheme: str, degree: int, plain: tuple[int, ...], rng: np.random.Generator) -> None:
    w = world(scheme, degree, plain)
    k = w.slots
    for shape in [(k,), (3, k), (2 * k + 1,), (2, 1), (1,), (3, k - 1)]:
        a, b = w.random(rng, *shape), w.random(rng, *shape)
        x, y = w.encrypted(a, wrap=True), w.encrypted(b, wrap=True)
        assert x.encoding == "slots" and x.layout == "packed"
        assert x.ciphertexts == len(plain) * int(np.prod(shape[:-1])) * -(-shape[-1] // k)
        for result, expected in [
            (x + y, a + b), (x - y, a - b), (x * y, a * b), (-x, -a), (x * b, a * b), (x + b, a + b), (b - x, b - a),
            (3 * x - 1, 3 * a - 1), (x * x, a * a), (x * y + x * b, a * b + a * b),
            (x * cy.plain(b, w.parameters), a * b),
        ]:  # fmt: skip
            assert np.array_equal(w.opened(result), np.asarray(expected) % w.t)


@EVERY_SCHEME
@EVERY_WORLD
def test_sums_and_rotations(scheme: str, degree: int, plain: tuple[int, ...], rng: np.random.Generator) -> None:
    w = world(scheme, degree, plain)
    k = w.slots
    a = w.random(rng, 2, 2 * k)
    x = w.encrypted(a, wrap=True)
    for axis in (None, 0, 1, -1, (0, 1)):
        assert np.array_equal(w.opened(x.sum(axis)), a.sum(axis) % w.t)
    short = w.encrypted(a[:, : k + 1], wrap=True) + 1  # what stands beside the values is no zero
    assert np.array_equal(w.opened(short.sum(-1)), (a[:, : k + 1] + 1).sum(-1) % w.t)
    halves = a.reshape(2, 2, 2, k // 2)
    assert np.array_equal(w.opened(x.rotate_columns()), halves[:, :, ::-1].reshape(2, 2 * k) % w.t)
    for step in (0, 1, -1, k // 2 - 1, k // 2, k // 2 + 1, 3 * k):
        expected = np.roll(halves, -step, axis=-1).reshape(2, 2 * k) % w.t
        assert np.array_equal(w.opened(x.rotate_rows(step)), expected), step
    several = w.opened(x.rotate_rows([0, 1, -1]))
    assert np.array_equal(several, np.stack([np.roll(halves, -s, axis=-1).reshape(2, 2 * k) for s in (0, 1, -1)]) % w.t)


@EVERY_SCHEME
@EVERY_WORLD
def test_matrices_and_rearrangements(
    scheme: str, degree: int, plain: tuple[int, ...], rng: np.random.Generator
) -> None:
    w = world(scheme, degree, plain)
    k = w.slots
    for rows, columns in [(1, k), (k, k), (3, k - 1 or 1), (k + 1, 2), (2, 2 * k + 1)]:
        matrix, a = w.random(rng, rows, columns, bound=2), w.random(rng, columns)
        x = w.encrypted(a, wrap=True)
        assert np.array_equal(w.opened(matrix @ x), matrix @ a % w.t)
        assert np.array_equal(w.opened(x @ matrix.T), a @ matrix.T % w.t)
    if k < 4:
        with pytest.raises(cy.errors.UnsupportedError, match="two rows of integers"):
            cy.Matrix(np.eye(k, dtype=int), w.parameters)
        return
    matrix, a = w.random(rng, 5, k), w.random(rng, 3, k)
    x = w.encrypted(a, wrap=True)
    prepared = cy.Matrix(matrix, w.parameters)
    assert np.array_equal(w.opened(prepared @ x[0]), matrix @ a[0] % w.t)
    assert np.array_equal(w.opened(x[:, 1 : k // 2]), a[:, 1 : k // 2] % w.t)
    assert np.array_equal(w.opened(x[1, [k - 1, 0, 2]]), a[1, [k - 1, 0, 2]] % w.t)
    assert np.array_equal(w.opened(x.reshape(k, 3)), a.reshape(k, 3) % w.t)
    assert np.array_equal(w.opened(x.T), a.T % w.t)
    assert np.array_equal(w.opened(x.padded().rotate_rows(1)[:, : k // 2 - 1]), a[:, 1 : k // 2] % w.t)


@EVERY_SCHEME
def test_layouts_meet_as_they_do_in_n_slots(scheme: str, rng: np.random.Generator) -> None:
    w = world(scheme)
    k, n = w.slots, w.parameters.degree
    a, b, c = w.random(rng, 2, k + 1, bound=3), w.random(rng, 2, 1, bound=3), w.random(rng, 2, n + 1, bound=3)
    packed, column = w.encrypted(a, bound=3), w.encrypted(b, bound=3)
    replicated = w.encrypted(b, bound=3, layout="replicated")
    coefficients = w.encrypted(c, bound=3, encoding="coefficients")
    assert (packed.ciphertexts, coefficients.ciphertexts) == (4, 4)  # two of k values, two of n
    for meeting in (packed * column, packed * replicated, column * packed):
        assert np.array_equal(w.opened(meeting), a * b)
    assert np.array_equal(w.opened(packed + column), a + b)
    assert np.array_equal(w.opened(replicated * coefficients), b * c)
    assert np.array_equal(w.opened(coefficients + coefficients), 2 * c)
    assert np.array_equal(w.opened(w.encrypted(b[0, 0], bound=3) * packed), b[0, 0] * a)
    assert np.array_equal(w.opened(w.encrypted(a, bound=3, layout="replicated").packed()), a)
    for refused in (lambda: packed + coefficients, lambda: packed * coefficients, lambda: coefficients * coefficients):
        with pytest.raises((ArgumentError, cy.errors.UnsupportedError)):
            refused()
    wide = w.encrypted(c[:, :n], bound=3, layout="replicated").packed()
    assert np.array_equal(w.opened(wide), c[:, :n])


@EVERY_SCHEME
def test_bounds_hold_at_their_ends(scheme: str, rng: np.random.Generator) -> None:
    w = world(scheme, 64, (97, 17))
    k = w.slots
    most = w.parameters.capacity
    assert most == (97 * 17 - 1) // 2
    for value in (most, -most):
        assert np.array_equal(w.opened(w.encrypted([value] * k, bound=most)), [value] * k)
    with pytest.raises(RangeError):
        w.encrypted([most + 1], bound=most)
    side = int(most**0.5)
    x, y = w.encrypted([side, -side] * (k // 2), bound=side), w.encrypted([side] * k, bound=side)
    assert np.array_equal(w.opened(x * y), [side * side, -side * side] * (k // 2))
    with pytest.raises(RangeError):
        x * y + 10 * x
    ones = w.encrypted([most // k] * k, bound=most // k)
    assert w.opened(ones.sum()) == most // k * k
    with pytest.raises(RangeError):
        w.encrypted([most // k + 1] * k, bound=most // k + 1).sum()


@EVERY_SCHEME
def test_functions_over_a_small_prime(scheme: str, rng: np.random.Generator) -> None:
    w = world(scheme, 64, (97,), 16)
    a, b = (rng.integers(0, 24, 9) for _ in range(2))
    a[:3], b[:3] = [0, 23, 5], [23, 0, 5]
    x, y = (w.encrypted(v, bound=(0, 23)) for v in (a, b))
    assert np.array_equal(w.opened(cy.less(x, y)), a < b)
    assert np.array_equal(w.opened(cy.equal(x, y)), a == b)
    table = rng.integers(-40, 41, 24)
    assert np.array_equal(w.opened(cy.lookup(table, x)), table[a])
    assert np.array_equal(w.opened(cy.polyval([1, 2, -1], w.encrypted(a % 5, bound=4))), np.polyval([1, 2, -1], a % 5))
    assert np.array_equal(w.opened(w.encrypted(a, wrap=True) ** 5), a**5 % w.t)
    z = w.encrypted(np.stack([a, b, (a + b) // 2]), bound=(0, 23))
    assert np.array_equal(w.opened(cy.argmax(z, axis=0)), np.argmax(np.stack([a, b, (a + b) // 2]), axis=0))


@EVERY_SCHEME
def test_files_keep_them(scheme: str, rng: np.random.Generator, tmp_path: Path) -> None:
    w = world(scheme)
    a = w.random(rng, 3, w.slots + 1)
    x = w.encrypted(a, bound=w.parameters.capacity)
    cy.save(tmp_path / "x", x)
    again = cy.load(tmp_path / "x", allow_insecure=True)
    assert again.encoding == "slots" and again.shape == a.shape
    assert np.array_equal(w.opened(again), a)
    assert np.array_equal(w.opened(again + x * 0), a)


def test_many_rows_are_encoded_a_part_at_a_time(rng: np.random.Generator) -> None:
    """Residues go through a staging buffer of 2^20 words."""
    context = _core.Context(parameters(4096, (257,)).native, _core.CpuEngine(1))
    rows = rng.integers(-128, 129, (300, 128))
    encoded = _core.encode_residues(context, 0, True, rows)
    assert np.array_equal(_core.decode_residues(encoded, True), rows)
    assert np.array_equal(_core.decode_residues(encoded, False)[:, ::32][:, 1:].any(), True)


def test_forged_descriptions_are_refused(rng: np.random.Generator) -> None:
    """k stands in no file: what a description says has to fit the k that parameters have, and the ciphertexts there."""
    w = world("bfv")  # 16 of 64 slots
    data = cy.to_bytes(w.encrypted(w.random(rng, 3, 17), wrap=True))  # two ciphertexts a row
    about = dict(taken_apart(data)[1])["ARRY"]
    assert about[:4] == bytes([1, 1, 0, 2])
    axes = len(about) - 16

    def described(placement: int, clean: int, *shape: int) -> bytes:
        return bytes([placement, clean]) + about[2:axes] + b"".join(n.to_bytes(8, "little") for n in shape)

    assert described(1, 1, 3, 17) == about
    for placement, clean, shape in [
        (2, 1, (3, 17)),  # n values in a ciphertext: three, not six
        (0, 1, (3, 17)), (1, 1, (3, 16)), (1, 1, (3, 33)), (1, 1, (6, 17)), (1, 1, (3, 64)), (3, 1, (3, 17)),
        (1, 0, (3, 32)),  # full, so that nothing stands beside the values
    ]:  # fmt: skip
        with pytest.raises(FormatError):
            cy.from_bytes(with_section(data, "ARRY", described(placement, clean, *shape)), allow_insecure=True)
    # What fits is what the bytes say, whoever wrote them: the same ciphertexts as other rows, or as polynomials.
    again = cy.from_bytes(with_section(data, "ARRY", described(2, 1, 6, 64)), allow_insecure=True)
    assert again.encoding == "coefficients" and not np.delete(w.opened(again), np.s_[::4], axis=1).any()
    bare = cy.keygen(parameters(64, (7,)), rotations=[]).public
    data = cy.to_bytes(cy.encrypt(np.ones((3, 17), dtype=int), bare, wrap=True))
    with pytest.raises(FormatError, match="layout"):
        cy.from_bytes(with_section(data, "ARRY", described(1, 1, 3, 17)), allow_insecure=True)


def test_arrays_of_other_parameters_do_not_meet() -> None:
    x = world("bfv", 64, (97,)).encrypted([1, 2], wrap=True)
    with pytest.raises(MismatchError):
        x + world("bfv", 64, (17,)).encrypted([1, 2], wrap=True)


@EVERY_SCHEME
def test_an_independent_reader_finds_the_values(scheme: str, rng: np.random.Generator, tmp_path: Path) -> None:
    """From the bytes of files alone, as doc/wire-format.md describes them."""
    w = world(scheme, 64, (97, 17))
    k, d = w.slots, w.parameters.slot_degree
    a = w.random(rng, 2, k + 3)
    file = wire_format.read(cy.to_bytes(w.encrypted(a, wrap=True)))
    cy.save(tmp_path / "secret", w.secret)
    secret = wire_format.secret_key(wire_format.read((tmp_path / "secret").read_bytes()))
    about = wire_format.description(file.sections[0][1])
    assert (about.placement, about.shape, about.clean) == ("slots", a.shape, True)
    rows = np.zeros((4, k), dtype=np.int64)  # chunk j of row i is ciphertext 2 i + j
    rows[::2], rows[1::2, :3] = a[:, :k], a[:, k:]
    for ciphertexts, t in zip(sections(file), w.parameters.plain_moduli, strict=True):
        for message, row in zip(decrypt(ciphertexts, file.parameters, secret), rows, strict=True):
            assert not any(c for i, c in enumerate(message) if i % d)
            y = message[::d]
            values = [sum(c * pow(root, i, t) for i, c in enumerate(y)) % t for root in slot_roots(k, t)]
            assert values == [int(v) % t for v in row]


def test_explanations_and_suggestions_know_them() -> None:
    assert "t = 257 (128 slots of degree 8)" in parameters(1024, (257,)).explain()
    assert "t = 7 (no slots)" in parameters(1024, (7,)).explain()
    operands = [cy.Operand((100,), bound=(0, 127))] * 2
    p = cy.suggest(compute=cy.equal, inputs=operands, scheme="bgv")
    assert p.plain_moduli == (257,) and p.slots == 128 and p.degree > 1024
    assert cy.suggest(compute=cy.equal, inputs=operands, scheme="bgv", min_degree=4096).slots >= 4096
    assert cy.suggest(compute=cy.equal, inputs=operands, scheme="bgv", plain_moduli=[257]).slots == 128
    for bits in range(2, 20):
        found = cy.Parameters.suggest(depth=0, value_bits=bits, slots=False)
        assert not found.slots_by_default and cy.encrypt([0, 1], cy.keygen(found).public).encoding == "coefficients"
