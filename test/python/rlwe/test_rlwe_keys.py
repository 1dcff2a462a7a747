# SPDX-License-Identifier: Apache-2.0
"""Keys: their equations, their seeds, and that strangers are refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, deterministic, rlwe
from cyclotome.errors import ArgumentError, FormatError, MismatchError, MissingKeyError
from oracles import noise, sampling
from oracles.integers import centred, compose, random_below
from oracles.sampling import Half, Purpose, derive
from oracles.textbook_bfv import negacyclic_product
from parties import Party, galois_group, seed, small_literal

WORD = pytest.mark.parametrize("word", [32, 64])


def bytes_of(party: Party) -> list[bytes]:
    keys = [
        rlwe.relinearization(party.evaluation),
        *(rlwe.galois(party.evaluation, g) for g in party.evaluation.galois_elements),
    ]
    return [rlwe.residues(party.public).tobytes(), *(rlwe.residues(key).tobytes() for key in keys)]


@WORD
def test_equal_seeds_give_equal_bytes_and_others_do_not(word: int) -> None:
    literal = small_literal(word, 64, 257, 3, 1)
    first, again, other = (Party(literal, number, galois=[3, 127]) for number in (7, 7, 8))
    assert bytes_of(first) == bytes_of(again) and first.secret.id == again.secret.id
    assert np.array_equal(first.s, again.s) and not np.array_equal(first.s, other.s)
    assert first.secret.id != other.secret.id and len(first.secret.id) == 16
    assert all(a != b for a, b in zip(bytes_of(first), bytes_of(other), strict=True))
    values = np.arange(64)[None]
    x, y = first.encrypt(values, 1, slots=False), again.encrypt(values, 1, slots=False)
    assert np.array_equal(rlwe.coefficients(x), rlwe.coefficients(y))
    assert not np.array_equal(rlwe.coefficients(x), rlwe.coefficients(first.encrypt(values, 2, slots=False)))
    # A public key generated again with the same seed differs only if its secret does.
    assert rlwe.residues(deterministic.generate_public_key(first.secret, seed(7, 2))).tobytes() == bytes_of(first)[0]
    assert rlwe.residues(deterministic.generate_public_key(first.secret, seed(7, 99))).tobytes() != bytes_of(first)[0]


@WORD
@pytest.mark.parametrize("special", [0, 1, 3])
def test_003_10_public_keys_are_minus_as_plus_e(rng: np.random.Generator, word: int, special: int) -> None:
    """(-(a s + e), a) over every prime, special ones included, with a from the public seed; printed without the minus
    sign decryption fails (003-10), and the phase's terms are c0 + c1 s + c2 s^2 (003-11)."""
    party = Party(small_literal(word, 64, 257, 4, special), int(rng.integers(1 << 60)))
    moduli = rlwe.key_ring(party.context).basis.moduli
    assert moduli == [*party.parameters.special_moduli, *party.parameters.moduli]
    coefficients = rlwe.coefficients(party.public)
    expanded = rlwe.expand_uniform(party.context, 1, rlwe.uniform_seed(party.public))
    assert np.array_equal(coefficients[0, 1], expanded[0, 0])
    body, a = compose(coefficients[0], moduli)
    q = math.prod(moduli)
    error = centred(-body - negacyclic_product(a, party.s), q)
    assert 2 < max(abs(int(e)) for e in error) <= 21
    printed = centred(body - negacyclic_product(a, party.s), q)
    assert max(abs(int(e)) for e in printed).bit_length() > q.bit_length() - 4


@WORD
def test_001_7_secrets_are_ternary_and_balanced(word: int) -> None:
    party = Party(small_literal(word, 4096, 257, 2, 1))
    counts = {value: int(np.count_nonzero(party.s == value)) for value in (-1, 0, 1)}
    assert sum(counts.values()) == 4096
    assert all(abs(count - 4096 / 3) < 6 * math.sqrt(4096 * 2 / 9) for count in counts.values())


@WORD
def test_a_secret_key_comes_back_from_its_coefficients(word: int) -> None:
    party = Party(small_literal(word, 64, 257, 3, 1))
    coefficients = rlwe.coefficients(party.secret)
    restored = rlwe.secret_key(party.context, coefficients, party.secret.id)
    assert rlwe.coefficients(restored) == coefficients and restored.id == party.secret.id
    x = party.encrypt(np.arange(64)[None], 1, slots=False)
    assert np.array_equal(
        rlwe.coefficients(_core.decrypt(x, restored)), rlwe.coefficients(_core.decrypt(x, party.secret))
    )
    assert (
        rlwe.residues(deterministic.generate_public_key(restored, seed(1, 2))).tobytes()
        == rlwe.residues(party.public).tobytes()
    )
    with pytest.raises(FormatError, match="has 64 coefficients, not 63"):
        rlwe.secret_key(party.context, coefficients[:-1], party.secret.id)
    for wrong in (2, -2, 127, -128):
        with pytest.raises(FormatError, match=r"outside \{-1, 0, 1\}"):
            rlwe.secret_key(party.context, [*coefficients[:-1], wrong], party.secret.id)


def test_derived_seeds_are_what_the_specification_says(rng: np.random.Generator) -> None:
    """Every field of the label counts: one changed at a time gives another seed, and the one of the specification."""
    parameters = small_literal(64, 16, 257, 3, 1).made()
    others = small_literal(64, 16, 1024, 3, 1).made()
    base: dict[str, Any] = {
        "master": seed(1).bytes,
        "parameters": parameters,
        "purpose": Purpose.GALOIS_KEY,
        "half": Half.ERROR,
        "key": rng.bytes(16),
        "element": int(rng.integers(1 << 63)),
        "plain": int(rng.integers(1, 16)),
    }
    changes: list[dict[str, Any]] = [
        {},
        {"master": seed(2).bytes},
        {"parameters": others},
        *({"purpose": purpose} for purpose in Purpose if purpose != Purpose.GALOIS_KEY),
        *({"half": half} for half in (Half.WHOLE, Half.UNIFORM)),
        *({"key": bytes(base["key"][j] ^ (j == i) for j in range(16))} for i in range(16)),
        *({"element": base["element"] ^ 1 << bit} for bit in range(64)),
        {"plain": 0},
    ]
    seen = {base["master"]}
    for change in changes:
        label = {**base, **change}
        derived = rlwe.derive_seed(testing.Seed(label["master"]), *list(label.values())[1:])
        expected = derive(
            label["master"],
            label["parameters"].fingerprint,
            label["purpose"],
            label["half"],
            key=label["key"],
            element=label["element"],
            plain=label["plain"],
        )
        assert derived.bytes == expected and expected not in seen
        seen.add(expected)


@WORD
def test_keys_are_drawn_from_the_seeds_of_the_specification(word: int) -> None:
    """Secret, id, and all published seeds and errors, from the 32 bytes that were given."""
    party = Party(small_literal(word, 16, 257, 3, 1), galois=[3, 31])
    mark, key = party.parameters.fingerprint, party.secret.id
    assert key == derive(seed(1, 1).bytes, mark, Purpose.KEY_ID)[:16]
    secret = derive(seed(1, 1).bytes, mark, Purpose.SECRET_KEY)
    stream = int(testing.Stream.secret.value)
    drawn = ([sampling.ternary(sampling.small_random(secret, stream, 0, i, c)) for c in range(16)] for i in range(64))
    assert list(party.s) == next(s for s in drawn if noise.secret_is_fit(s))

    special = party.parameters.special_moduli[0]
    for purpose, element, master, made in [
        (Purpose.PUBLIC_KEY, 0, seed(1, 2), party.public),
        (Purpose.RELINEARIZATION_KEY, 0, seed(1, 3), rlwe.relinearization(party.evaluation)),
        (Purpose.GALOIS_KEY, 3, seed(1, 3), rlwe.galois(party.evaluation, 3)),
        (Purpose.GALOIS_KEY, 31, seed(1, 3), rlwe.galois(party.evaluation, 31)),
    ]:
        halves = [derive(master.bytes, mark, purpose, half, key=key, element=element) for half in Half]
        assert rlwe.uniform_seed(made).bytes == halves[Half.UNIFORM]
        stream = int(testing.Stream.switching_key_error.value)
        for item, (body, a) in enumerate(rlwe.coefficients(made)[:, :, 0].astype(object)):
            # Modulo the special prime what is switched vanishes: -(a s + e) is left.
            found = centred(-body - negacyclic_product(a, party.s), special)
            drawn = (
                [sampling.error(sampling.small_random(halves[Half.ERROR], stream, 0, i, c)) for c in range(16)]
                for i in range(item, 64)
            )
            fit = noise.error_is_fit if purpose == Purpose.PUBLIC_KEY else lambda _: True
            assert list(found) == next(e for e in drawn if fit(e))


def test_a_spent_seed_is_refused() -> None:
    party = Party(small_literal(64, 16, 257, 3, 1))
    once = seed(1)
    deterministic.generate_public_key(party.secret, once)
    assert once.spent
    with pytest.raises(ArgumentError, match="used already"):
        deterministic.generate_public_key(party.secret, once)


@WORD
def test_evaluation_keys_hold_what_was_asked_for_once(word: int) -> None:
    party = Party(small_literal(word, 64, 257, 3, 1), galois=[3, 9, 3, 1, 127])
    assert party.evaluation.galois_elements == [3, 9, 127]  # no key is needed for the identity
    assert party.evaluation.has_galois(9) and not party.evaluation.has_galois(27)
    bare = deterministic.generate_evaluation_keys(party.secret, False, [], seed(3))
    assert not bare.has_relinearization and bare.galois_elements == []
    x = party.encrypt(np.arange(64)[None], 1, slots=False)
    with pytest.raises(MissingKeyError, match=r"no relinearisation key; generate them with"):
        _core.relinearize(bfv.square(x), bare)
    assert _core.relinearize(x, bare).parts == 2  # nothing to do, so no key is needed
    # The key for one element does not depend on which others were asked for.
    alone = deterministic.generate_evaluation_keys(party.secret, False, [9], seed(1, 3))
    assert rlwe.residues(rlwe.galois(alone, 9)).tobytes() == rlwe.residues(rlwe.galois(party.evaluation, 9)).tobytes()


def operations(a: Party, b: Party) -> dict[str, Callable[[], Any]]:
    """Every operation that meets two objects, one of each party."""
    values = np.arange(a.n)[None]
    x, y = a.encrypt(values, 1, slots=False), b.encrypt(values, 1, slots=False)
    return {
        "add": lambda: _core.add(x, y),
        "subtract": lambda: testing.scheme.subtract(x, y),
        "multiply": lambda: _core.multiply(x, y),
        "multiply by behz": lambda: bfv.multiply(x, y, bfv.ProductMethod.behz),
        "concatenate": lambda: testing.scheme.concatenate([x, y]),
        "decrypt": lambda: _core.decrypt(x, b.secret),
        "decrypt unchecked": lambda: testing.scheme.decrypt_unchecked(x, b.secret),
        "noise budget": lambda: _core.noise_budget(x, b.secret),
        "measured noise": lambda: _core.measured_noise(x, b.secret),
        "relinearize": lambda: _core.relinearize(bfv.square(x), b.evaluation),
        "relinearize two parts": lambda: _core.relinearize(x, b.evaluation),
        "rotate rows": lambda: rlwe.rotate_rows(x, 1, b.evaluation),
        "rotate columns": lambda: rlwe.rotate_columns(x, b.evaluation),
        "hoisted rotations": lambda: rlwe.apply_galois_hoisted(x, [3, 1], b.evaluation),
        "identity": lambda: _core.apply_galois(x, 1, b.evaluation),
        "sum slots": lambda: rlwe.sum_slots(x, b.evaluation),
        "rerandomize": lambda: deterministic.rerandomize(x, b.public, seed(1)),
    }


@WORD
def test_objects_of_another_key_are_refused(word: int) -> None:
    """One context, another secret: residues would fit and give garbage, so the ids are what refuses."""
    literal = small_literal(word, 16, 257, 3, 1)
    engine = _core.CpuEngine(1)
    elements = rlwe.slot_sum_elements(galois_group(16))
    mine, other = Party(literal, 1, engine, elements), Party(literal, 2, engine, elements)
    for name, operation in operations(mine, other).items():
        with pytest.raises(MismatchError, match=r"different (keys|devices)"):
            operation()
            pytest.fail(f"{name} took an object of another key")


def plain_operations(a: Party, b: Party) -> dict[str, Callable[[], Any]]:
    """Every operation of a ciphertext or key of one party and a plaintext of the other."""
    ones = np.ones((1, a.n), dtype=object)
    x, plaintext = a.encrypt(ones, 1, slots=False), b.plaintext(ones, slots=False)
    return {
        "add_plain": lambda: testing.scheme.add_plain(x, plaintext),
        "subtract_plain": lambda: testing.scheme.subtract_plain(x, plaintext),
        "multiply_plain": lambda: _core.multiply_plain(x, plaintext),
        "encrypt": lambda: deterministic.encrypt(plaintext, a.public, seed(1)),
        "encrypt symmetrically": lambda: deterministic.encrypt(plaintext, a.secret, seed(1)),
    }


@WORD
@pytest.mark.parametrize(("primes", "t"), [(4, 257), (3, 1024)])
def test_objects_of_other_parameters_are_refused(word: int, primes: int, t: int) -> None:
    elements = rlwe.slot_sum_elements(galois_group(16))
    mine = Party(small_literal(word, 16, 257, 3, 1), galois=elements)
    other = Party(small_literal(word, 16, t, primes, 1), engine=mine.engine, galois=elements)
    for name, operation in {**operations(mine, other), **plain_operations(mine, other)}.items():
        with pytest.raises(MismatchError, match="different parameters"):
            operation()
            pytest.fail(f"{name} took an object of other parameters")


@WORD
def test_equal_parameters_in_two_contexts_of_one_engine_are_the_same(word: int) -> None:
    literal = small_literal(word, 16, 257, 3, 1)
    literal.name = "one"
    mine = Party(literal)
    literal.name = "another"
    other = Party(literal, engine=mine.engine)
    x = mine.encrypt(np.arange(16)[None], 1, slots=False)
    total = _core.add(x, other.encrypt(np.arange(16)[None], 1, slots=False))
    assert np.array_equal(other.decrypt(total, slots=False)[0], 2 * np.arange(16))


@WORD
def test_arguments_that_do_not_fit_are_refused(rng: np.random.Generator, word: int) -> None:
    party = Party(small_literal(word, 16, 257, 3, 1))
    x = party.encrypt(random_below(rng, 257, (3, 16)), 1, slots=False)
    y = party.encrypt(random_below(rng, 257, (2, 16)), 1, slots=False)
    m = party.plaintext(random_below(rng, 257, (2, 16)), slots=False)
    for operation, b in [(_core.add, y), (testing.scheme.subtract, y), (_core.multiply, y), (_core.multiply_plain, m)]:
        with pytest.raises(ArgumentError, match=r"batches of 3 and 2 .*equal or 1"):
            operation(x, b)
    for operation in (testing.scheme.add_plain, testing.scheme.subtract_plain):
        with pytest.raises(ArgumentError, match=r"3 ciphertexts and 2 plaintexts .*equal or 1"):
            operation(x, m)
    for a, b in [(bfv.square(x), x), (x, bfv.square(x)), (bfv.square(x), bfv.square(x))]:
        with pytest.raises(ArgumentError, match="relinearise"):
            _core.multiply(a, b)
    with pytest.raises(ArgumentError, match=r"2 rows has 6 entries, not 5"):
        rlwe.linear_combination(x, [1] * 5, 2)
    with pytest.raises(ArgumentError):
        rlwe.linear_combination(x, [], 0)
    with pytest.raises(ArgumentError, match="ciphertext 3 of a batch of 3"):
        _core.take(x, [0, 3])
    with pytest.raises(ArgumentError):
        _core.take(x, [])
    with pytest.raises(ArgumentError, match="no ciphertexts"):
        testing.scheme.concatenate([])
    for group in (0, 2, 4):
        with pytest.raises(ArgumentError, match=f"a batch of 3 ciphertexts has no groups of {group}"):
            rlwe.sum_groups(x, group)


@WORD
@pytest.mark.parametrize(("degree", "primes"), [(8, 1), (8, 3), (16, 1), (64, 3)])
def test_transparent_ciphertexts_are_recognised(word: int, degree: int, primes: int) -> None:
    """All parts but c0 zero in some item: x - x, x * 0. Rerandomising hides it again."""
    party = Party(small_literal(word, degree, 2, primes, 1))
    x = party.encrypt([[1] * degree, [0] * degree], 1, slots=False)
    assert not _core.is_transparent(x) and not _core.is_transparent(bfv.square(x))
    zeros = testing.scheme.subtract(x, x)
    assert _core.is_transparent(zeros) and _core.is_transparent(rlwe.multiply_scalar(x, 0))
    assert _core.is_transparent(_core.add(testing.scheme.subtract(bfv.square(x), bfv.square(x)), zeros))
    assert _core.is_transparent(testing.scheme.concatenate([x, zeros]))
    assert _core.is_transparent(rlwe.linear_combination(x, [1, 0, 0, 0], 2))
    assert not _core.is_transparent(deterministic.rerandomize(zeros, party.public, seed(1)))
    # One residue at the very end is enough to hide by this measure, and must not be overlooked.
    lonely = party.crafted(np.zeros((2, degree), dtype=object))
    residues = rlwe.coefficients(lonely).copy()
    residues[0, 1, -1, -1] = 1
    assert _core.is_transparent(lonely)
    assert not _core.is_transparent(rlwe.crafted(party.context, party.secret.id, 0, residues, 0.0))
