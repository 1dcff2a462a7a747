# SPDX-License-Identifier: Apache-2.0
"""A server that cheats in every way there is: what it sends is refused, and its chances are what the page says."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import BudgetError, ContradictionError, MismatchError
from cyclotome.integrity import IntegrityKey, Receipt, each
from cyclotome.integrity.lines import Lines
from small import keys

Array = cy.EncryptedArray


def asked(x: Any) -> Any:
    """What the server shall compute."""
    return x * x + 3 * x


class Case:
    """A key, an array with its copies, an older one, and what an honest server answers."""

    def __init__(self, rng: np.random.Generator, scheme: str = "bfv") -> None:
        self.secret, self.public, _ = keys(scheme=scheme)
        self.key = IntegrityKey(self.secret.parameters, degree=2, failures=40)
        self.rng = rng
        self.values, self.before = rng.integers(1, 99, 8), rng.integers(1, 99, 8)
        self.x, self.receipt = self.key.encrypt(self.values, self.public, bound=99)
        self.old, self.old_receipt = self.key.encrypt(self.before, self.public, bound=99)
        self.honest = asked(self.x)

    def opened(self, y: Array, *receipts: Receipt, compute: Any = asked) -> Any:
        return self.key.decrypt(y, self.secret, compute, *(receipts or (self.receipt,)))

    def one(self, copy: int | None = None, by: int = 1) -> Any:
        """A change of one value, of one copy or of all."""
        change = np.zeros(self.x.shape, dtype=np.int64)
        change[slice(None) if copy is None else copy, int(self.rng.integers(8))] = by
        return change

    def mine(self, values: Any) -> Array:
        """What the server encrypts by itself: it has the public key."""
        return cy.encrypt(values, self.public, wrap=True)


#: What it sends instead.
CHEATS: dict[str, Callable[[Case], Array]] = {
    "one value of the first copy": lambda c: c.honest + c.one(0),
    "one value of another copy": lambda c: c.honest + c.one(1 + int(c.rng.integers(c.key.copies - 1))),
    "one value of all copies, by as much": lambda c: c.honest + c.one(by=int(c.rng.integers(1, 40960))),
    # c (1 - z^(t-1)) is zero at every alpha there is, and changes nothing but z = 0; its degree is no function's.
    "a polynomial without a root elsewhere": lambda c: c.honest + c.one(0, 40960),
    "by one modulus of two": lambda c: c.honest + c.one(0, 40961),
    "by the other": lambda c: c.honest + c.one(by=65537),
    "values in another order": lambda c: each(lambda y: y[::-1], c.honest),
    "values moved by one": lambda c: each(lambda y: y[[7, *range(7)]], c.honest),
    "copies in another order": lambda c: c.honest[[0, *range(c.key.copies - 1, 0, -1)]],
    "copies moved": lambda c: c.honest[[*range(1, c.key.copies), 0]],
    "the first copy everywhere": lambda c: c.honest[[0] * c.key.copies],
    "the older answer": lambda c: asked(c.old),
    "the older first copy": lambda c: cy.concatenate([asked(c.old)[:1], c.honest[1:]]),
    "both answers mixed": lambda c: 2 * c.honest - asked(c.old),
    "the arguments mixed": lambda c: asked(2 * c.x - c.old),
    "another function": lambda c: c.x * c.x + 2 * c.x,
    "a function of lower degree": lambda c: 3 * c.x,
    "the argument": lambda c: c.x,
    "the square of the answer": lambda c: c.honest * c.honest,
    "a function that is right where values are 1": lambda c: c.honest + (c.x - 1),
    "a function that is right at some values": lambda c: c.honest + (c.x - 1) * (c.x - 2),
    "nothing": lambda c: c.mine(np.zeros(c.x.shape, dtype=np.int64)),
    "numbers of its own": lambda c: c.mine(c.rng.integers(0, 40961, c.x.shape)),
    # It knows the values: chosen by it, or leaked. Right copies need u, which it has under encryption only.
    "right first copy, its own line": lambda c: c.mine(
        np.stack([asked(c.values)] + [asked(c.values + z) for z in range(1, c.key.copies)])
    ),
    "one more on its own line": lambda c: c.honest + c.mine(np.ones(c.x.shape, dtype=np.int64)),
    # Along the line, by multiples of the slope that it has encrypted: what vanishes at a guess of alpha.
    "a multiple of the slope": lambda c: cy.concatenate([c.honest[:1] + 1, c.honest[1:] + (c.x[1:] - c.x[1:])]),
    "a guess at alpha": lambda c: c.honest + guessed(c, 12345),
}


def guessed(case: Case, alpha: int) -> Any:
    """What is 1 at z = 0 and vanishes at z = alpha on every line, at its points."""
    modulus = math.prod(case.secret.parameters.plain_moduli)
    turn = pow(alpha, -1, modulus)
    values = [1] + [(1 - z * turn) % modulus for _ in range(case.key._lines.count) for z in (1, 2)]
    return np.array(values)[:, None] * np.ones(8, dtype=np.int64)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_every_cheat_is_refused_and_the_right_answer_is_not(scheme: str, rng: np.random.Generator) -> None:
    case = Case(rng, scheme)
    for number, (name, cheat) in enumerate(CHEATS.items(), start=1):
        with pytest.raises(ContradictionError, match="not this function"):
            print(name, case.opened(cheat(case)))
        assert case.key.refused == number, name
        # Who cheated may still answer right.
        if number % 8 == 0:
            np.testing.assert_array_equal(case.opened(case.honest), asked(case.values))
    np.testing.assert_array_equal(case.opened(asked(case.old), case.old_receipt), asked(case.before))


def test_what_vanishes_at_alpha_would_pass(rng: np.random.Generator) -> None:
    """The attack is the right one: who knows every line's alpha forges. Nobody without the key does."""
    case = Case(rng)
    lines, modulus = case.key._lines, math.prod(case.secret.parameters.plain_moduli)
    shift = [1]
    for line in range(lines.count):
        turn = pow(lines.alpha(line), -1, modulus)
        shift += [(1 - z * turn) % modulus for z in (1, 2)]
    forged = case.honest + np.array(shift)[:, None] * np.ones(8, dtype=np.int64)
    np.testing.assert_array_equal(case.opened(forged), asked(case.values) + 1)
    # One line of the others is not enough.
    shift[1] += 1
    with pytest.raises(ContradictionError):
        case.opened(case.honest + np.array(shift)[:, None] * np.ones(8, dtype=np.int64))


def test_another_form_is_refused_and_costs_nothing(rng: np.random.Generator) -> None:
    case = Case(rng)
    forms = [case.honest[1:], case.honest[:, :4], case.honest.sum(axis=0), case.honest[0], case.honest.T]
    for y in forms:
        with pytest.raises(MismatchError):
            case.opened(y)
    with pytest.raises(MismatchError, match="wrap"):
        case.opened(cy.encrypt(np.zeros(case.x.shape, dtype=np.int64), case.public))
    assert case.key.refused == 0


def test_a_key_ends_before_feedback_tells_enough(rng: np.random.Generator) -> None:
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=1, failures=2)
    x, receipt = key.encrypt([1, 2, 3], public, bound=9)
    for _ in range(3):
        # It changes a line only, and no value: accepted or not, it would learn of alpha.
        change = np.zeros(x.shape, dtype=np.int64)
        change[1, 0] = int(rng.integers(1, 40961))
        with pytest.raises(ContradictionError):
            key.decrypt(x + change, secret, lambda x: x, receipt)
    assert key.spent
    with pytest.raises(BudgetError, match="Make a new one"):
        key.decrypt(x, secret, lambda x: x, receipt)


@pytest.mark.parametrize(("degree", "failures"), [(1, 0), (1, 3), (3, 0), (2, 2)])
def test_chances_are_what_they_are_said_to_be(degree: int, failures: int, rng: np.random.Generator) -> None:
    """The best strategy there is, against a line modulo 97, by a server that knows the values and u: what vanishes at
    ``degree`` guesses of alpha, other ones after each refusal. It gets through as often as is stated, and not more."""
    prime, runs, passed = 97, 3000, 0
    for _ in range(runs):
        lines = Lines(rng.bytes(32), (prime,), degree, 1)
        alpha = lines.alpha(0)
        guesses = rng.permutation(np.arange(1, prime))
        for attempt in range(failures + 1):
            roots = guesses[attempt * degree : (attempt + 1) * degree]
            # prod (1 - z / root): 1 at z = 0
            values = [math.prod(1 - z * pow(int(root), -1, prime) for root in roots) % prime for z in range(degree + 1)]
            difference = np.array([[value] for value in values], dtype=object)
            if lines.at_alpha(difference, 0)[0] == 0:
                assert alpha in roots
                passed += 1
                break
    expected = (failures + 1) * degree / (prime - 1)
    deviation = math.sqrt(expected * (1 - expected) / runs)
    assert abs(passed / runs - expected) < 5.5 * deviation


def test_what_is_sent_tells_nothing_of_alpha(rng: np.random.Generator) -> None:
    """For every alpha there is exactly one r: of each value and each slope, over all r, every slope once."""
    lines, values = Lines(bytes(32), (97,), 1, 1), np.array([5])
    for alpha in (1, 40, 96):
        turn = pow(alpha, -1, 97)
        assert sorted((r - 5) * turn % 97 for r in range(97)) == list(range(97))
    slopes = [int(lines.points(values, rng.bytes(16))[1, 0] - 5) % 97 for _ in range(4000)]
    counts = np.bincount(slopes, minlength=97)
    assert ((counts - 4000 / 97) ** 2).sum() / (4000 / 97) < 96 + 6 * math.sqrt(2 * 96)


def test_two_encryptions_of_the_same_values_have_nothing_in_common(rng: np.random.Generator) -> None:
    secret, public, _ = keys()
    key = IntegrityKey(secret.parameters, degree=1)
    values = rng.integers(0, 9, 8)
    (x, first), (y, second) = key.encrypt(values, public, bound=9), key.encrypt(values, public, bound=9)
    assert first.nonce != second.nonce
    assert not (cy.decrypt(x, secret)[1:] == cy.decrypt(y, secret)[1:]).any()
    with pytest.raises(ContradictionError):  # the same values, and another array
        key.decrypt(y, secret, lambda x: x, first)
