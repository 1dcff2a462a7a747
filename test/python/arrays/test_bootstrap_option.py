# SPDX-License-Identifier: Apache-2.0
"""Operations that refresh by themselves: exact for as long as anybody likes, as late as they can, and once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, MissingKeyError, NoiseError, UnsupportedError
from small import HOME

P = 65537


@functools.cache
def party(moduli: tuple[int, ...] = ()) -> cy.Keys:
    """An owner's keys at a test size; of several plaintext moduli where some are named."""
    parameters = cy.Parameters.bootstrappable(256, allow_insecure=True)
    if moduli:
        parameters = cy.Parameters(
            degree=256,
            plain_moduli=moduli,
            moduli=parameters.moduli,
            special_moduli=parameters.special_moduli,
            security=0,
            allow_insecure=True,
        )
    return cy.keygen(parameters, bootstrap=True, device=HOME)


@contextmanager
def refreshes() -> Iterator[list[str]]:
    """What is refreshed for which operation within, as progress tells it."""
    found: list[str] = []

    def told(done: int, _: int, what: str) -> None:
        if done == 0 and what.startswith("refreshing"):
            found.append(what)

    with cy.bootstrap("auto"), cy.progress(told):
        yield found


def spent(x: cy.EncryptedArray, left: int = 1) -> cy.EncryptedArray:
    """Squares, until one more would leave less than a refresh takes and `left` products more."""
    squares = [x]
    while (y := squares[-1] * squares[-1]).noise_headroom >= party().evaluation.refreshing.headroom_needed + 1:
        squares.append(y)
    return squares[-left]


def test_random_programs_never_end(rng: np.random.Generator) -> None:
    """Sums, products, public factors, sums over slots and powers, in any order, beside integers modulo p."""
    keys = party()
    rows = [rng.integers(0, P, 256) for _ in range(3)]
    pool = [(cy.encrypt(row, keys.public, wrap=True), row.astype(object)) for row in rows]
    factor = rng.integers(0, P, 256)
    prepared = cy.plain(factor, keys.secret.parameters)
    with refreshes() as found:
        for _ in range(80):
            (x, a), (y, b) = (pool[int(rng.integers(len(pool)))] for _ in range(2))
            made = [
                lambda x=x, y=y, a=a, b=b: (x * y, a * b),
                lambda x=x, y=y, a=a, b=b: (x * y + x, a * b + a),
                lambda x=x, y=y, a=a, b=b: (x - y, a - b),
                lambda x=x, a=a: (x * x - 3, a * a - 3),
                lambda x=x, a=a: (x * prepared, a * factor),
                lambda x=x, a=a: (x**5, a**5),
                lambda x=x, a=a: (x.rotate_rows(3), np.roll(a.reshape(2, 128), -3, axis=1).ravel()),
                lambda x=x, y=y, a=a, b=b: (x * (x * y).sum(keepdims=True), a * (a * b).sum()),
            ][int(rng.integers(8))]()
            pool[int(rng.integers(len(pool)))] = (made[0], made[1] % P)
    for x, a in pool:
        np.testing.assert_array_equal(cy.decrypt(x, keys.secret) % P, a % P)
    assert found


def test_it_refreshes_as_late_as_can_be() -> None:
    """A chain of squares refreshes where by hand it would be needed, and nowhere else."""
    keys = party()
    needed = keys.evaluation.refreshing.headroom_needed
    x = y = cy.encrypt([3, 5], keys.public, wrap=True)
    by_hand = 0
    with refreshes() as found:
        for _ in range(60):
            x = x * x
    for _ in range(60):
        z = y * y
        if z.noise_headroom < needed - 1:
            y, by_hand = y.refreshed(), by_hand + 1
            z = y * y
        y = z
    assert 0 < len(found) <= by_hand + 1
    assert cy.decrypt(x, keys.secret).tolist() == cy.decrypt(y, keys.secret).tolist()
    assert set(found) == {"refreshing for multiply"}


def test_what_is_used_twice_is_refreshed_once(rng: np.random.Generator) -> None:
    """And its refreshed form is what later operations take, the array's selections' and copies' apart."""
    keys = party()
    values = rng.integers(0, P, 4)
    x = spent(cy.encrypt(values, keys.public, wrap=True))
    a = cy.decrypt(x, keys.secret).astype(object)
    held = x.held_bytes
    with refreshes() as found:
        products = [x * x, x * x, x * 3 * x, x.with_keys(keys.public) * x]
        updated = x - products[0]
    assert len(found) == 1
    assert updated.noise_headroom > x.noise_headroom  # of the refreshed form
    for made, right in zip([*products, updated], [a * a, a * a, 3 * a * a, a * a, a - a * a], strict=True):
        np.testing.assert_array_equal(cy.decrypt(made, keys.secret) % P, right % P)
    assert x.held_bytes > held
    assert (x + 0).noise_headroom == pytest.approx(x.noise_headroom, abs=2)  # outside it is as it was


def test_only_the_operand_that_needs_it(rng: np.random.Generator) -> None:
    keys = party()
    fresh = cy.encrypt(rng.integers(0, P, 4), keys.public, wrap=True)
    used = spent(cy.encrypt(rng.integers(0, P, 4), keys.public, wrap=True))
    before = fresh.noise_headroom, cy.decrypt(used, keys.secret).astype(object)
    with refreshes() as found:
        product = fresh * used
    assert len(found) == 1 and fresh.noise_headroom == before[0]
    with refreshes() as again:
        _ = fresh * used, used * used
    assert again == []
    right = cy.decrypt(fresh, keys.secret).astype(object) * before[1]
    np.testing.assert_array_equal(cy.decrypt(product, keys.secret) % P, right % P)


OPERATIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "add": (lambda x: x + x + x + x, lambda a: 4 * a),
    "public": (
        lambda x: x * np.arange(1, 9) * 60000 * np.arange(8),
        lambda a: a * np.arange(1, 9) * 60000 * np.arange(8),
    ),
    "sum": (lambda x: x.sum(), lambda a: a.sum()),
    "dot": (lambda x: x @ x, lambda a: (a * a).sum()),
    "sum_of_products": (lambda x: x.sum_of_products(x, axis=-1), lambda a: (a * a).sum()),
    "matrix": (lambda x: np.arange(64).reshape(8, 8) @ x, lambda a: np.arange(64).reshape(8, 8) @ a),
    "from the right": (lambda x: x @ np.arange(64).reshape(8, 8), lambda a: a @ np.arange(64).reshape(8, 8)),
    "prepared": (
        lambda x: cy.Matrix(np.arange(64).reshape(8, 8), x.parameters) @ x,
        lambda a: np.arange(64).reshape(8, 8) @ a,
    ),
    "power": (lambda x: x**1000, lambda a: np.array([pow(int(v), 1000, P) for v in a], dtype=object)),
    "polynomial": (
        lambda x: cy.polyval(list(range(1, 400)), x),
        lambda a: np.array([functools.reduce(lambda s, c: (s * int(v) + c) % P, range(1, 400), 0) for v in a]),
    ),
    "is_zero": (lambda x: cy.is_zero(x), lambda a: (a == 0).astype(int)),
    "equal": (lambda x: cy.equal(x, x + 1), lambda a: 0 * a),
    "where": (lambda x: cy.where(cy.is_zero(x), 7, x * x), lambda a: np.where(a == 0, 7, a * a)),
    "stack": (lambda x: cy.stack([x, x * x]), lambda a: np.stack([a, a * a])),
    "turned": (
        lambda x: (x * x).padded().rotate_columns(),
        lambda a: np.r_[np.zeros(128, int), a * a, np.zeros(120, int)],
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_on_what_has_no_room(rng: np.random.Generator, name: str) -> None:
    keys, (compute, right) = party(), OPERATIONS[name]
    x = spent(cy.encrypt([0, *rng.integers(0, P, 7)], keys.public, wrap=True))
    values = cy.decrypt(x, keys.secret).astype(object) % P
    plans = []
    with cy.bootstrap("auto"):
        plans.append(cy.plan(compute, inputs=x, device=HOME))
    with refreshes() as found:
        y = compute(x)
        assert (y * y).noise_headroom >= 0  # it goes on
    np.testing.assert_array_equal(cy.decrypt(y, keys.secret) % P, right(values) % P)
    assert found or name == "add"
    with cy.bootstrap("auto"):  # what was refreshed is known
        later = cy.plan(compute, inputs=x, device=HOME)
    assert len(later.refreshes) <= len(plans[0].refreshes)


def test_tables_and_orders_of_bounded_values(rng: np.random.Generator) -> None:
    """Functions of few values state the bounds that they have without refreshes."""
    keys = party()
    numbers = rng.integers(0, 100, (4, 8))
    with refreshes() as found:
        x = cy.encrypt(numbers, keys.public, bound=(0, 99))
        for _ in range(4):
            x = cy.lookup([(7 * v + 3) % 100 for v in range(100)], x)
            numbers = (7 * numbers + 3) % 100
            assert x.bound == 99
            assert x.noise_headroom > keys.evaluation.refreshing.headroom_needed - 1  # deep functions leave room, too
        ordered, most = cy.sort(x, axis=0), cy.maximum(x[0], x[1])
    np.testing.assert_array_equal(cy.decrypt(ordered, keys.secret), np.sort(numbers, axis=0))
    np.testing.assert_array_equal(cy.decrypt(most, keys.secret), np.maximum(numbers[0], numbers[1]))
    assert any("lookup" in each or "polynomial" in each for each in found)


def test_a_plan_says_where_and_when(rng: np.random.Generator) -> None:
    """The same operations in the same order, and the lines that ask for them; its keys are those that it takes."""
    parameters = party().secret.parameters

    def compute(x: Any, y: Any) -> Any:
        for _ in range(30):
            x = x * y + 1  # the line
        return x.refreshed()

    inputs = [cy.Operand((5,), wrap=True)] * 2
    with cy.bootstrap("auto"):
        plan = cy.plan(compute, parameters, inputs, device=HOME)
    assert {each.operation for each in plan.refreshes} == {"multiply", "refreshed"}
    assert all("test_bootstrap_option.py:" in each.line and each.ciphertexts == 1 for each in plan.refreshes)
    assert "refreshes" in str(plan) and "for multiply" in str(plan)
    keys = cy.keygen(parameters, **plan.keygen(), device=HOME)
    numbers = [rng.integers(0, P, 5) for _ in inputs]
    arguments = [cy.encrypt(each, keys.public, wrap=True) for each in numbers]
    with refreshes() as found:
        result = compute(*arguments)
    assert [each.removeprefix("refreshing for ") for each in found[:-1]] == [
        each.operation for each in plan.refreshes[:-1]
    ]
    right = numbers[0].astype(object)
    for _ in range(30):
        right = (right * numbers[1] + 1) % P
    np.testing.assert_array_equal(cy.decrypt(result, keys.secret) % P, right)
    assert result.noise_headroom == pytest.approx(plan.noise_headroom)
    assert not cy.plan(lambda x: x * x, parameters, inputs[:1], device=HOME).keygen()["bootstrap"]


def test_several_plaintext_moduli(rng: np.random.Generator) -> None:
    """Each channel is refreshed, in one operation; integers modulo the product of both."""
    moduli = (7681, 12289)
    keys, total = party(moduli), 7681 * 12289
    values = rng.integers(0, total, (2, 6))
    x = cy.encrypt(values, keys.public, wrap=True)
    steps: list[tuple[int, int]] = []
    with (
        cy.bootstrap("auto"),
        cy.progress(lambda done, whole, what: steps.append((done, whole)) if what.startswith("refreshing") else None),
    ):
        for _ in range(40):
            x = x * x - 5
    right = values.astype(object)
    for _ in range(40):
        right = (right * right - 5) % total
    np.testing.assert_array_equal(cy.decrypt(x, keys.secret).astype(object) % total, right)
    assert {whole for _, whole in steps} == {4}  # two ciphertexts of two moduli, one by one


def test_refusals_say_the_way_out(rng: np.random.Generator) -> None:
    parameters = party().secret.parameters
    usual = cy.keygen(parameters, device=HOME)
    x = cy.encrypt(rng.integers(0, P, 3), usual.public, wrap=True)
    with cy.bootstrap("auto"), pytest.raises(MissingKeyError, match="bootstrap=True"):
        for _ in range(60):
            x = x * x
    assert x.noise_headroom >= 0
    levelled = cy.keygen(cy.Parameters.suggest(depth=2, value_bits=4, scheme="bgv"), device=HOME)
    y = cy.encrypt([1, 2], levelled.public, wrap=True)
    with cy.bootstrap("auto"), pytest.raises(UnsupportedError, match=r"BFV|bootstrappable"):
        for _ in range(60):
            y = y * y
    late = cy.encrypt([1, 2], party().public, wrap=True)
    while late.noise_headroom > 40:
        late = late * late
    with cy.bootstrap("auto"), pytest.raises(NoiseError, match="bits too late"):
        for _ in range(9):
            late = late * late
    with cy.bootstrap("auto"), cy.bootstrap("never"), pytest.raises(NoiseError, match="could not be decrypted"):
        for _ in range(60):
            late = late * late
    with pytest.raises(ArgumentError, match="auto"):
        cy.bootstrap("sometimes")  # type: ignore[arg-type]


def test_what_ends_in_the_middle_leaves_everything_as_it_was(rng: np.random.Generator) -> None:
    """As Ctrl-C does: an exception of the callback, at each of the steps of an operation that refreshes."""
    keys = party()
    x = spent(cy.encrypt(rng.integers(0, P, (3, 4)), keys.public, wrap=True))
    before = cy.to_bytes(x)
    values = cy.decrypt(x, keys.secret).astype(object)
    for last in range(4):

        def stopped(done: int, _: int, what: str, last: int = last) -> None:
            if what.startswith("refreshing") and done == last:
                raise KeyboardInterrupt

        with cy.bootstrap("auto"), cy.progress(stopped), pytest.raises(KeyboardInterrupt):
            _ = x * x
        assert cy.to_bytes(x) == before
    with refreshes() as found:
        y = x * x
    assert len(found) == 1
    np.testing.assert_array_equal(cy.decrypt(y, keys.secret) % P, values * values % P)
