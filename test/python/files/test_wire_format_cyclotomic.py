# SPDX-License-Identifier: Apache-2.0
"""Files of objects over Phi_m (format version 3), written by the library and read by the second implementation of
doc/wire-format.md: keys hide what the page says; bits, field elements, integers and circuits' results decrypt by
Python's integers and FLINT."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cyclotome as cy
import flint
import numpy as np
import pytest
from cyclotomic_party import smallest_primes
from oracles import cyclotomic, wire_format
from oracles.integers import centred, compose, round_half_up

#: m, scheme, word, plaintext modulus. 21 leaves bits over behind limbs; 105 has three primes; 15 and 1155 integers.
CASES = [
    (15, "bgv", 32, 2), (21, "bgv", 64, 2), (105, "bgv", 32, 2), (15, "bfv", 64, 2), (105, "bfv", 32, 2),
    (15, "bgv", 64, 0), (15, "bfv", 32, 0),
]  # fmt: skip


class World:
    """A key set in files, and nothing of the library's but those."""

    def __init__(self, case: tuple[int, str, int, int], folder: Path) -> None:
        self.m, scheme, word, t = case
        some = cy.Parameters(
            cyclotomic=self.m, plain_moduli=[2], moduli=cy.bgv.find_primes(None, [28], cyclotomic=self.m), scheme="bgv",
            security=0, allow_insecure=True,
        )  # fmt: skip
        step = some.ring.transform_step
        self.t = t or smallest_primes(step, 1, 1 << 10)[0]
        primes = smallest_primes(step, 5, 1 << (28 if word == 32 else 40))
        self.parameters = cy.Parameters(
            cyclotomic=self.m, plain_moduli=[self.t], moduli=primes[:4], special_moduli=primes[4:], word=word,
            scheme=scheme, security=0, allow_insecure=True, name="test",
        )  # fmt: skip
        self.keys = cy.keygen(self.parameters)
        cy.save(folder / "secret", self.keys.secret)
        file = wire_format.read((folder / "secret").read_bytes())
        self.coefficients = wire_format.secret_key(file)
        assert len(self.coefficients) == file.parameters.degree and any(self.coefficients)
        self.key_id, self.p = file.key_id, file.parameters

    def secret(self, q: int) -> flint.nmod_poly:
        """Modulo Phi_m."""
        return cyclotomic.reduced(wire_format.coefficients_of_basis(self.coefficients, self.m), self.m, q)

    def read(self, obj: Any) -> wire_format.File:
        file = wire_format.read(cy.to_bytes(obj))
        assert file.version == 3 and file.parameters == self.p and file.key_id == self.key_id
        return file

    def phases(self, parts: list[wire_format.Polynomial], moduli: list[int], transforms: bool) -> list[dict[int, int]]:
        """c0 + c1 s + ... in every limb, in the normal basis."""
        result = []
        for limb, q in enumerate(moduli):
            total, power = flint.nmod_poly([0], q), flint.nmod_poly([1], q)
            for part in parts:
                values = (
                    wire_format.coefficients_of_transform(part[limb], self.m, q) if transforms
                    else wire_format.coefficients_of_basis(part[limb], self.m)
                )  # fmt: skip
                total += cyclotomic.reduced(values, self.m, q) * power
                power = power * self.secret(q) % cyclotomic.modulus(self.m, q)
            found = total % cyclotomic.modulus(self.m, q)
            normal = cyclotomic.normal({j: int(c) for j, c in enumerate(found.coeffs())}, self.m)
            result.append({j: c % q for j, c in normal.items()})
        return result

    def integers(self, phases: list[dict[int, int]], moduli: list[int]) -> dict[int, int]:
        units = cyclotomic.units(self.m)
        rows = compose(np.array([[limb[j] for j in units] for limb in phases], dtype=object), moduli)
        return dict(zip(units, (int(x) for x in centred(rows, math.prod(moduli))), strict=True))

    def messages(self, file: wire_format.File) -> list[dict[int, int]]:
        """Plaintext polynomials in the normal basis, by textbook decryption."""
        (tag, about), *rest = file.sections
        assert tag == "ARRY" and [tag for tag, _ in rest] == ["CIPH"]
        self.about = wire_format.description(about)
        c = wire_format.ciphertexts(rest[0][1], self.p, 3)
        moduli, found = self.p.moduli[: c.limbs], []
        for parts in c.polynomials:
            phase = self.integers(self.phases(parts, moduli, self.p.scheme == "bgv"), moduli)
            if self.p.scheme == "bgv":
                inverse = pow(c.correction, -1, self.t)
                found.append({j: x * inverse % self.t for j, x in phase.items()})
            else:
                scaled = round_half_up(np.array(list(phase.values()), dtype=object) * self.t, math.prod(moduli))
                found.append(dict(zip(phase, (int(x) % self.t for x in scaled), strict=True)))
            assert c.noise[0] >= self.noise(phase, found[-1], moduli)
        return found

    def noise(self, phase: dict[int, int], message: dict[int, int], moduli: list[int]) -> float:
        """log2 of the largest coefficient of what the stated bound is about."""
        q = math.prod(moduli)
        sizes = [
            abs(x) if self.p.scheme == "bgv" else abs((x * self.t - q * message[j] + q * self.t // 2) % (q * self.t)
                                                      - q * self.t // 2) / self.t
            for j, x in phase.items()
        ]  # fmt: skip
        return math.log2(max(*sizes, 1))

    def slots(self, message: dict[int, int]) -> list[int]:
        """Values at the roots that the page numbers slots by."""
        if self.t == 2:
            return wire_format.slots(self.m).values(message)
        primes = cyclotomic.prime_factors(self.m)
        zeta, values = cyclotomic.root(self.m, self.t), []
        for number in range(self.p.degree):
            exponents, rest = {}, number
            for p in reversed(primes):
                rest, exponents[p] = divmod(rest, p - 1)
            unit = next(
                u for u in cyclotomic.units(self.m)
                if all(u % p == pow(wire_format.least_primitive_root(p), exponents[p], p) for p in primes)
            )  # fmt: skip
            values.append(cyclotomic.evaluate(message, pow(zeta, unit, self.t), self.t))
        return values


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"Phi_{case[0]}-{case[1]}-{case[2]}-{case[3]}")
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(request.param, tmp_path_factory.mktemp("files"))


def test_parameters_are_read_back(world: World) -> None:
    file = wire_format.read(cy.to_bytes(world.parameters))
    p = file.parameters
    assert (file.version, p.index, p.degree, p.label) == (3, world.m, len(cyclotomic.units(world.m)), "INSECURE")
    assert (p.moduli, p.special_moduli) == (list(world.parameters.moduli), list(world.parameters.special_moduli))
    assert p.fingerprint().hex() == world.parameters.fingerprint
    ordinary = cy.Parameters.suggest(depth=0, value_bits=4, terms=4)
    assert wire_format.read(cy.to_bytes(ordinary)).version == 2


def test_keys_hide_what_the_page_says(world: World) -> None:
    p, moduli = world.p, world.p.key_moduli
    factor = 1 if p.scheme == "bfv" else world.t
    bound = 21 * 2 ** len(cyclotomic.prime_factors(world.m))

    def require_small(total: list[dict[int, int]]) -> None:
        values = list(world.integers(total, moduli).values())
        assert any(values) and all(x % factor == 0 and abs(x) <= factor * bound for x in values)

    [(tag, data)] = world.read(world.keys.public).sections
    assert tag == "PKEY"
    [(body, mask)] = wire_format.key_pairs(data, 1, p)
    require_small(world.phases([body, mask], moduli, True))
    special, per_digit = math.prod(p.special_moduli), -(-len(p.moduli) // p.digits)
    sections = world.read(world.keys.evaluation).sections
    elements = [int.from_bytes(data[:8], "little") for tag, data in sections if tag == "GALO"]
    assert elements == sorted(set(elements)) and all(math.gcd(g, world.m) == 1 for g in elements)
    assert world.t != 2 or any(g % 2 == 0 for g in elements)  # Frobenius: no odd numbers only, as in x^n + 1
    for tag, data in sections:
        element = 0 if tag == "RLIN" else int.from_bytes(data[:8], "little")
        pairs = wire_format.key_pairs(data if tag == "RLIN" else data[8:], p.digits, p)
        for digit, (body, mask) in enumerate(pairs):
            total = world.phases([body, mask], moduli, True)
            mine = p.moduli[digit * per_digit : (digit + 1) * per_digit]
            for limb, q in enumerate(moduli):
                if q not in mine:
                    continue
                secret = wire_format.coefficients_of_basis(world.coefficients, world.m)
                if element:
                    target = {j * element % world.m: c for j, c in secret.items()}
                else:
                    square = world.secret(q) ** 2 % cyclotomic.modulus(world.m, q)
                    target = cyclotomic.normal({j: int(c) for j, c in enumerate(square.coeffs())}, world.m)
                for j in total[limb]:
                    total[limb][j] = (total[limb][j] - special * target[j]) % q
            require_small(total)


def test_bits_elements_and_integers_decrypt(world: World, rng: np.random.Generator) -> None:
    slots = world.parameters.slots
    if world.t == 2:
        top = 1 << (world.parameters.field_degree or 0)
        elements, bits = rng.integers(0, top, slots), rng.integers(0, 2, slots).astype(bool)
        x = cy.encrypt(elements, world.keys.public, encoding="field")
        y = cy.encrypt(bits, world.keys.secret).with_keys(world.keys.evaluation)
        jobs = [(x, elements, False), (y, bits, True), (x ^ y, elements ^ bits, False), (y & y, bits, True)]
    else:
        values = rng.integers(-9, 10, slots)
        x = cy.encrypt(values, world.keys.public, bound=9)
        jobs = [(x, values, False), (x + x, 2 * values, False), (x * x, values * values, False)]
    for array, expected, bits in jobs:
        [message] = world.messages(world.read(array))
        assert world.slots(message) == [int(v) % (world.t if world.t > 2 else 1 << 62) for v in expected]
        about = world.about
        assert (about.placement, about.clean, about.shape, about.bits) == ("slots", True, (slots,), bits)
        assert (about.bounds is None) == (world.t == 2)
    sections = world.read(cy.encrypt(rng.integers(0, 2, slots), world.keys.secret)).sections
    assert wire_format.ciphertexts(sections[1][1], world.p, 3).seeded


def test_results_of_circuits_decrypt(tmp_path: Path, rng: np.random.Generator) -> None:
    """Sorted lists, from the file that `save` writes of them, digit by digit."""
    world = World.__new__(World)
    world.m, world.t = 105, 2
    world.parameters = cy.circuit.Circuit.sort(count=2, bits=2).parameters(cyclotomic=105, security=0)
    world.keys = cy.keygen(world.parameters, rotations=[])
    cy.save(tmp_path / "secret", world.keys.secret)
    file = wire_format.read((tmp_path / "secret").read_bytes())
    world.coefficients, world.key_id, world.p = wire_format.secret_key(file), file.key_id, file.parameters
    values = rng.integers(0, 4, (world.parameters.slots, 2))
    x = cy.circuit.encrypt_lists(values, world.keys.public, bits=2)
    for numbers, expected in ((x, values), (cy.circuit.sort(x), np.sort(values, axis=-1))):
        digits = np.array([world.slots(message) for message in world.messages(world.read(numbers))])
        digits = digits.reshape(2, 2, -1)  # numbers of a list, bits, lists
        assert set(digits.ravel().tolist()) <= {0, 1}
        assert np.array_equal((digits[:, 0] + 2 * digits[:, 1]).T, expected)
        assert world.about.shape == (2, 2, world.parameters.slots)


def test_the_page_agrees_with_the_library_on_large_rings() -> None:
    """Places, fields and slots' units of the rings that bits are computed in; 257 is split there."""
    from cyclotome._core import testing
    from cyclotome._core.testing import shapes

    for m in (4369, 21845):
        shape = shapes.cyclotomic(m)
        where = wire_format.places(m)
        assert sorted(where.values()) == list(range(shape.degree))
        assert all(shapes.slot(shape.galois, u) == where[u] for u in where)
        own, mine = testing.FieldSlots.of(shape, 2), wire_format.slots(m)
        assert own.polynomial == mine.field.polynomial and own.count == len(mine.units)
        rng = np.random.default_rng(m)
        coefficients = rng.integers(0, 2, shape.degree)
        by_exponent = {j: int(c) for j, c in wire_format.coefficients_of_basis(coefficients.tolist(), m).items() if c}
        chosen = [int(i) for i in rng.choice(own.count, 8, replace=False)]
        mine.units = [mine.units[i] for i in chosen]
        decoded = own.decode([int(c) for c in coefficients])
        assert mine.values(by_exponent) == [decoded[i] for i in chosen]
