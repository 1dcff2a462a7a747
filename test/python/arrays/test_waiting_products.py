# SPDX-License-Identifier: Apache-2.0
"""Products keep three parts until something else than a sum wants two: values are those of integers, bits those of the
expression alone, refusals those of products that are relinearised at once."""

from __future__ import annotations

import math
import operator
import os
import pickle
import threading
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import CyclotomeError, MissingKeyError, NoiseError, RangeError, TransparentError
from numpy.typing import NDArray
from small import DEGREE, HOME, keys, parameters

SCHEMES = pytest.mark.parametrize("scheme", ["bfv", "bgv"])
ROWS = 5


def fresh_seed() -> int:
    seed = int(os.environ.get("CYCLOTOME_TEST_SEED", str(int.from_bytes(os.urandom(4)))))
    print(f"CYCLOTOME_TEST_SEED={seed}")
    return seed


def operands(scheme: str, *shapes: tuple[int, ...], seed: int = 1) -> list[tuple[cy.EncryptedArray, NDArray[Any]]]:
    rng = np.random.default_rng(seed)
    values = [rng.integers(-9, 9, shape, endpoint=True) for shape in shapes]
    return [(cy.encrypt(v, keys(scheme=scheme).public, bound=9), v.astype(object)) for v in values]


def opened(x: cy.EncryptedArray, scheme: str) -> Any:
    return cy.decrypt(x, keys(scheme=scheme).secret)


def at_once(compute: Callable[..., cy.EncryptedArray], *arguments: Any) -> cy.EncryptedArray:
    with cy.relinearize_at_once():
        return compute(*arguments)


# --- values -----------------------------------------------------------------------------------------------------------

EXPRESSIONS: dict[str, Callable[..., Any]] = {
    "product": lambda x, y, z: x * y,
    "square": lambda x, y, z: x * x,
    "sum": lambda x, y, z: (x * y).sum(0),
    "all axes": lambda x, y, z: (x * y).sum(),
    "last axis": lambda x, y, z: (x * y).sum(-1),
    "no axis": lambda x, y, z: (x * y).sum(()),
    "plus": lambda x, y, z: x * y + z,
    "minus": lambda x, y, z: z - x * y,
    "two products": lambda x, y, z: x * y + z * x - y * y,
    "negated": lambda x, y, z: -(x * y) + 3,
    "scaled": lambda x, y, z: 5 * (x * y) - 2 * (z * z),
    "weighted": lambda x, y, z: (x * y) * np.arange(DEGREE + 1) + z,
    "factor by row": lambda x, y, z: (x * y * np.arange(ROWS)[:, None]).sum(0),
    "row": lambda x, y, z: (x * y)[1] + (z * z)[0],
    "reversed": lambda x, y, z: (x * y)[::-1] + z,
    "stacked": lambda x, y, z: cy.stack([x * y, z * z]).sum(0),
    "stacked with another": lambda x, y, z: cy.stack([x * y, z]).sum(0),
    "broadcast": lambda x, y, z: (x[0] * y[0]) + z,
    "deeper": lambda x, y, z: (x * y + z) * x - y * z,
    "used twice": lambda x, y, z: (lambda p: p * z + p)(x * y),
    "added to itself": lambda x, y, z: (lambda p: p + p)(x * y),
    "square of a sum": lambda x, y, z: (x * y + z * z) ** 2,
    "multiples": lambda x, y, z: (lambda p: (3 * p) * z - 2 * (2 * p) + (-p)[::-1] * x)(x * y),
    "multiple of a sum": lambda x, y, z: (-2 * (x * y - z * z) + x) * y,
    "larger and smaller": lambda x, y, z: (lambda d: (y + d) * z - (x - d) * z)(z * (x - y)),
    "terms around": lambda x, y, z: (lambda p: (2 * (z - p + 1) + z) * x + 3 * (p + z)[0])(x * y),
    "rows of a sum": lambda x, y, z: (1 - x * y + z[0])[1] * z[2] - (x * y + z).reshape(ROWS, 1, -1)[3, 0],
    "reshaped": lambda x, y, z: (x * y).reshape(ROWS, 1, DEGREE + 1).sum(0) + z[0],
    "power": lambda x, y, z: ((x - y) ** 2).sum(0),
}


def in_integers(name: str, x: NDArray[Any], y: NDArray[Any], z: NDArray[Any]) -> Any:
    if name.startswith("stacked"):
        return np.stack([x * y, z * z if name == "stacked" else z]).sum(0)
    return EXPRESSIONS[name](x, y, z)


@SCHEMES
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_of_products_are_those_of_integers(scheme: str, name: str) -> None:
    (x, a), (y, b), (z, c) = operands(scheme, *[(ROWS, DEGREE + 1)] * 3)
    result, eager = EXPRESSIONS[name](x, y, z), at_once(EXPRESSIONS[name], x, y, z)
    wanted = in_integers(name, a, b, c)
    for each in (result, eager, result.relinearized(), cy.from_bytes(cy.to_bytes(result), allow_insecure=True)):
        np.testing.assert_array_equal(opened(each, scheme), wanted)
    assert result.noise_headroom >= eager.noise_headroom - 1e-9
    assert (result.bound, result.level, result.nbytes) == (eager.bound, eager.level, eager.nbytes)
    assert result.noise_headroom == result.relinearized().noise_headroom


@SCHEMES
@pytest.mark.parametrize("layout", ["packed", "replicated"])
def test_single_products_have_the_bits_of_those_relinearised_at_once(scheme: str, layout: Any) -> None:
    public = keys(scheme=scheme).public
    x, y = (cy.encrypt(np.arange(2 * DEGREE + 3) % 7 - 3, public, bound=3, layout=layout) for _ in range(2))
    for compute in (lambda a, b: a * b, lambda a, _: a * a, lambda a, b: (a * b) * a, lambda a, b: (a * b) * (b * a)):
        assert cy.to_bytes(compute(x, y)) == cy.to_bytes(at_once(compute, x, y))
    for low in range(1, x.level + 1):
        a, b = x.switch_to_level(low), y
        with cy.allow_undecryptable():
            assert (a * b).relinearized().noise_headroom == at_once(operator.mul, a, b).noise_headroom
            assert cy.to_bytes(a * b) == cy.to_bytes(at_once(operator.mul, a, b))


@SCHEMES
def test_sums_of_one_product_have_the_bits_of_those_relinearised_at_once(scheme: str) -> None:
    (x, _), (y, _), (z, _) = operands(scheme, *[(ROWS, DEGREE + 1)] * 3)
    row = np.arange(DEGREE + 1)
    for compute in (
        lambda a, b, c: a * b + c,
        lambda a, b, c: c - 3 * (a * b),
        lambda a, b, c: 1 - a * b,
        lambda a, b, c: -2 * (a * b - row + c) + c[0],
        lambda a, b, c: (a * b + c)[1:3] + 7,
        lambda a, b, c: (c - a * b).reshape(ROWS, 1, -1) * c[0],
    ):
        found, wanted = compute(x, y, z), at_once(compute, x, y, z)
        a, b = (np.frombuffer(cy.to_bytes(each), dtype=np.uint8) for each in (found, wanted))
        # But for the checksum and the last digits of bounds, which are added up in another order.
        differing = np.flatnonzero(a != b)
        assert (differing < len(a) - 32).sum() <= 3 * 8 * len(found.native.channels)
        assert abs(found.noise_headroom - wanted.noise_headroom) < 1e-9


@pytest.mark.parametrize("method", cy.bfv.METHODS)
def test_methods_have_the_bits_of_products_relinearised_at_once(method: str) -> None:
    x, y = (x for x, _ in operands("bfv", (3, 9), (3, 9)))
    with cy.bfv.product_method(method):
        for low in range(2, x.level + 1):
            a, b = x.switch_to_level(low), y.switch_to_level(max(low - 1, 2))
            assert cy.to_bytes(a * b) == cy.to_bytes(at_once(operator.mul, a, b))
        assert cy.to_bytes(x.sum_of_products(y, 0)) == cy.to_bytes((x * y).sum(0).relinearized())


# --- how many relinearisations ----------------------------------------------------------------------------------------

#: Of x, y and z with ROWS ciphertexts of each plaintext modulus each.
COUNTS: list[tuple[Callable[..., Any], int]] = [
    (lambda x, y, z: (x * y).sum(0), 1),
    (lambda x, y, z: (x * y).sum(), 1),
    (lambda x, y, z: x.sum_of_products(y, 0), 1),
    (lambda x, y, z: (x * y + z).sum(0), 1),
    (lambda x, y, z: x * y + z, ROWS),
    (lambda x, y, z: x * y + z * x + y * z, ROWS),
    (lambda x, y, z: sum((x[i] * y[i] for i in range(ROWS)), z[0]), 1),
    (lambda x, y, z: sum(x[i] * y[i] * (i + 1) for i in range(ROWS)), 1),
    (lambda x, y, z: sum((x * y)[i] for i in range(ROWS)), 1),
    (lambda x, y, z: ((x - y) ** 2).sum(0), 1),
    (lambda x, y, z: cy.stack([x * y, z * z]).sum((0, 1)), 1),
    (lambda x, y, z: (x * y) * z, 2 * ROWS),
    (lambda x, y, z: [x * y, x * y + z], 2 * ROWS),  # two products
    (lambda x, y, z: (lambda p: [p, p + z, z - 2 * p, 1 - p])(x * y), ROWS),
    (lambda x, y, z: (lambda d: [(y + d) * z, (x - d) * z])(z * (x - y)), 3 * ROWS),  # the larger and the smaller
    (lambda x, y, z: (lambda p: [(p + z + i) * z for i in range(3)])(x * y), 4 * ROWS),
    (lambda x, y, z: (lambda p, q: [(p + q) * z, (p - q) * z])(x * y, z * y), 4 * ROWS),  # two sums of products
    (lambda x, y, z: (lambda p: [(p * w) * z for w in (np.arange(12), -np.arange(12))])(x * y), 4 * ROWS),
    (lambda x, y, z: (lambda p: [p * z, p * y])(x * y), 3 * ROWS),  # x * y once for both
    # Rows that are met again and again are relinearised with the whole, once.
    (lambda x, y, z: (lambda p: [p[i] * z[j] for i in range(2) for j in range(3)])(x * y), ROWS + 6),
    (lambda x, y, z: (lambda p: [p[i].relinearized() for _ in range(3) for i in range(ROWS)])(x * y), ROWS),
    (lambda x, y, z: x[0] * y[0] + z, 1),  # what is broadcast is relinearised first
    (lambda x, y, z: cy.concatenate([x[:1] * y[:1], z]), 1),
    (lambda x, y, z: x * y * 3 + 1, ROWS),
    # Multiples share the relinearisation of what they are multiples of.
    (lambda x, y, z: (lambda p: [3 * p * z, -p * y, (2 * p * -1)[0].relinearized()])(x * y), 3 * ROWS),
    (lambda x, y, z: (lambda p: [(3 * p)[i] * z[i] for i in range(3)])(x * y), ROWS + 3),
]


@SCHEMES
def test_sums_of_products_take_one_relinearisation(scheme: str) -> None:
    inputs = [cy.Operand((ROWS, 3 * DEGREE // 4), bound=9)] * 3
    channels = len(parameters().plain_moduli)
    for i, (compute, count) in enumerate(COUNTS):
        plan = cy.plan(compute, parameters(scheme=scheme), inputs)
        assert (i, plan.relinearizations) == (i, count * channels)
        assert plan.relinearization
        with cy.relinearize_at_once():
            eager = cy.plan(compute, parameters(scheme=scheme), inputs)
        assert (plan.products, plan.depth) == (eager.products, eager.depth)
        assert plan.noise_headroom >= eager.noise_headroom - 1e-9
        assert plan.result_bytes == eager.result_bytes


@SCHEMES
def test_plans_find_the_key_of_a_product_that_only_decryption_sees(scheme: str) -> None:
    def dropped(x: Any) -> Any:
        _ = x * x
        return x + 1

    plan = cy.plan(dropped, parameters(scheme=scheme), [cy.Operand((3,), bound=9)])
    assert plan.relinearization and plan.relinearizations == 0


def test_plans_name_what_is_relinearised_again_and_again() -> None:
    def compute(x: Any, y: Any) -> Any:
        p = x * y
        return [(p * (np.arange(7) + i)) * y for i in range(3)]

    inputs = [cy.Operand((7,), bound=3)] * 2
    assert "relinearized()" in str(cy.plan(compute, parameters(), inputs))
    assert "relinearized()" not in str(cy.plan(lambda x, y: (x * y).relinearized() * y, parameters(), inputs))


# --- bits -------------------------------------------------------------------------------------------------------------


def disturbed(rng: np.random.Generator, x: cy.EncryptedArray) -> None:
    """Uses an array, in no way that an expression has."""
    kind = rng.integers(0, 6)
    with cy.allow_undecryptable():
        if kind == 0:
            cy.to_bytes(x)
        elif kind == 1:
            x.relinearized()
        elif kind == 2:
            pickle.dumps(x)
        elif kind == 3:
            threads = [threading.Thread(target=x.relinearized) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        elif kind == 4 and x.bound is not None and x.bound < 2**14:
            x[:1] * x[:1] if x.ndim else x * x


def program(rng: np.random.Generator, arrays: list[Any], history: np.random.Generator | None) -> list[Any]:
    """Random sums and products; with a history, what was made is used in between."""
    made = list(arrays)
    for _ in range(7):
        x, y = (made[int(rng.integers(max(0, len(made) - 4), len(made)))] for _ in range(2))
        kind, number = int(rng.integers(0, 8)), int(rng.integers(-3, 4))
        try:
            made.append(
                x * y
                if kind < 3
                else x + y
                if kind == 3
                else x - y
                if kind == 4
                else x * number + 1
                if kind == 5
                else x[::-1]
                if kind == 6
                else x + x.sum(0)
            )
        except (RangeError, NoiseError, TransparentError):
            continue
        if history is not None and isinstance(made[-1], cy.EncryptedArray):
            disturbed(history, made[int(history.integers(len(made)))])
    return made


@SCHEMES
def test_bits_follow_from_the_expression_alone(scheme: str) -> None:
    seed = fresh_seed()
    ring = keys(scheme=scheme)
    for i in range(12):
        # Without a public key nothing is encrypted anew, which nobody does twice alike.
        values = np.random.default_rng(seed + i).integers(-9, 9, (2, 3, DEGREE + 1), endpoint=True)
        x = [cy.encrypt(each, ring.secret, bound=9).with_keys(ring.evaluation) for each in values]
        plain = program(np.random.default_rng(seed + i), x, None)
        used = program(np.random.default_rng(seed + i), x, np.random.default_rng(seed + i + 1))
        assert [cy.to_bytes(a) for a in plain] == [cy.to_bytes(a) for a in used]
        for a in plain[:2]:
            assert a.shape == values[0].shape


@SCHEMES
def test_threads_that_want_two_parts_of_one_array_get_the_same(scheme: str) -> None:
    (x, a), (y, b) = operands(scheme, (40, DEGREE + 1), (40, DEGREE + 1))
    wanted = cy.to_bytes((x * y).sum(0)), cy.to_bytes(x * y)
    for _ in range(5):
        p = x * y
        found: list[tuple[bytes, bytes]] = []
        barrier = threading.Barrier(4)

        def work(p: Any = p, found: Any = found, barrier: Any = barrier) -> None:
            barrier.wait()
            found.append((cy.to_bytes(p.sum(0)), cy.to_bytes(p)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [wanted] * 4
    np.testing.assert_array_equal(opened((x * y).sum(0), scheme), (a * b).sum(0))


@SCHEMES
def test_files_and_pickles_hold_two_parts_and_are_leaves(scheme: str) -> None:
    (x, a), (y, b) = operands(scheme, (ROWS, 9), (ROWS, 9))
    p = x * y
    stored = cy.to_bytes(p)
    assert stored == cy.to_bytes(p.relinearized()) == cy.to_bytes(at_once(operator.mul, x, y))
    loaded = pickle.loads(pickle.dumps(p))
    assert cy.to_bytes(loaded) == stored
    read = cy.from_bytes(stored, allow_insecure=True).with_keys(keys(scheme=scheme).public)
    assert cy.to_bytes(read.sum(0)) == cy.to_bytes(p.relinearized().sum(0))
    np.testing.assert_array_equal(opened(read.sum(0), scheme), (a * b).sum(0))
    assert p.native.parts == read.native.parts == 2 and p.native.waits and not p.relinearized().native.waits


@SCHEMES
def test_another_device_computes_the_same_bits(scheme: str) -> None:
    (x, _), (y, _) = operands(scheme, (ROWS, 9), (ROWS, 9))
    there = (x * y).to("cpu:2")
    assert there.native.waits
    assert cy.to_bytes(there.sum(0)) == cy.to_bytes((x * y).sum(0))
    assert cy.to_bytes(there.to(HOME) * x) == cy.to_bytes((x * y) * x)


@SCHEMES
def test_keys_that_come_later_relinearise(scheme: str) -> None:
    (x, a), (y, b) = operands(scheme, (2, 9), (2, 9))
    other = cy.keygen(x.parameters, rotations=[1])
    with pytest.raises(CyclotomeError):
        (x * y).with_keys(other.public)
    p = (x * y).with_keys(keys(scheme=scheme).evaluation)
    assert cy.to_bytes(p) == cy.to_bytes(x * y)
    np.testing.assert_array_equal(opened(p, scheme), a * b)


# --- refusals ---------------------------------------------------------------------------------------------------------


@SCHEMES
def test_a_missing_key_is_refused_where_the_product_is(scheme: str) -> None:
    secret, public, _ = cy.keygen(parameters(scheme=scheme), relinearization=False)
    x = cy.encrypt([1, 2], public, bound=3)
    with pytest.raises(MissingKeyError):
        x * x
    bare = cy.encrypt([1, 2], secret, bound=3)
    with pytest.raises(MissingKeyError):
        bare * bare


@SCHEMES
def test_a_product_or_sum_that_could_wrap_is_refused_where_it_is(scheme: str) -> None:
    x = cy.encrypt([1, 2], keys(scheme=scheme).public, bound=30000)
    y = x * x
    with pytest.raises(RangeError):
        y * x
    with pytest.raises(RangeError):
        y + y + y


@SCHEMES
def test_what_hides_nothing_is_refused_or_encrypted_anew(scheme: str) -> None:
    ring = keys(scheme=scheme)
    x = cy.encrypt([1, 2], ring.secret, bound=3).with_keys(ring.evaluation)
    with pytest.raises(TransparentError):
        x * x - x * x
    with pytest.raises(TransparentError):
        (x * x) * 0
    anew = (x.with_keys(ring.public) * x) * 0
    assert opened(anew, scheme).tolist() == [0, 0] and opened(anew + x * x, scheme).tolist() == [1, 4]


@SCHEMES
def test_no_refusal_appears_that_products_relinearised_at_once_have_not(scheme: str) -> None:
    """Random programs, both ways side by side, until noise refuses: whatever is computed at once is computed."""
    seed = fresh_seed()
    vanished = compared = 0
    for i in range(10):
        rng = np.random.default_rng(seed + i)
        bits = [int(b) for b in rng.integers(40, 56, 3)]
        primes = cy.bfv.find_primes(64, [*bits, 58], avoid=(40961,))
        made = cy.Parameters(
            degree=64,
            plain_moduli=(40961,),
            moduli=primes[:-1],
            special_moduli=primes[-1:],
            security=0,
            allow_insecure=True,
            scheme=scheme,
        )
        ring = cy.keygen(made)
        pairs: list[tuple[cy.EncryptedArray, cy.EncryptedArray, Any]] = []
        for values in rng.integers(-5, 5, (2, 3, 64)):
            x = cy.encrypt(values, ring.public, wrap=True)
            pairs.append((x, x, values.astype(object)))
        for _ in range(25):
            first, second = (pairs[int(rng.integers(max(0, len(pairs) - 6), len(pairs)))] for _ in range(2))
            kind, number = int(rng.integers(0, 7)), int(rng.integers(1, 4))

            def step(x: Any, y: Any, kind: int = kind, number: int = number) -> Any:
                if kind < 3:
                    return x * y
                if kind == 3:
                    return x + y
                if kind == 4:
                    return x * number - y
                return x[number % 3] + y if kind == 5 else x + x.sum(0)

            outcomes: list[Any] = []
            for way in (0, 1):
                try:
                    outcomes.append(at_once(step, first[1], second[1]) if way else step(first[0], second[0]))
                except (NoiseError, TransparentError) as error:
                    outcomes.append(error)
            lazy, eager = outcomes
            if isinstance(eager, Exception):
                vanished += not isinstance(lazy, Exception)
                continue
            assert isinstance(lazy, cy.EncryptedArray), (kind, lazy)
            assert lazy.noise_headroom >= eager.noise_headroom - 1e-6
            values = step(first[2], second[2])
            np.testing.assert_array_equal(cy.decrypt(lazy, ring.secret) % 40961, values % 40961)
            pairs.append((lazy, eager, values % 40961))
            compared += 1
    assert compared > 60


@SCHEMES
def test_headroom_may_end_within_a_hundredth_of_a_bit(scheme: str) -> None:
    """Factors that use the headroom of a sum of products up: the last that is allowed decrypts, the next is refused."""
    (x, a), (y, b) = operands(scheme, (16, DEGREE), (16, DEGREE))
    ring = keys((40961,), scheme=scheme)
    x, y = (cy.encrypt(v.astype(int), ring.public, wrap=True) for v in (a, b))
    total, scale = (x * y).sum(0), 1
    while total.noise_headroom >= 0.01 and scale < 2**400:
        factor = min(2 ** max(0.0, total.noise_headroom), 20000.0)
        step = max(int(factor), 2)
        try:
            grown = total * step
        except NoiseError:
            with cy.allow_undecryptable():
                grown = total * step
            assert grown.noise_headroom < 0
            with pytest.raises(NoiseError):
                cy.decrypt(grown, ring.secret)
            break
        total, scale = grown, scale * step
    wanted = (a * b).sum(0) * scale % 40961
    np.testing.assert_array_equal(cy.decrypt(total, ring.secret).astype(object) % 40961, wanted)
    assert total.noise_headroom >= 0 and math.isfinite(total.noise_headroom)


# --- what is said of them ---------------------------------------------------------------------------------------------


@SCHEMES
def test_sizes_are_those_of_two_parts_and_what_is_held_is_told(scheme: str) -> None:
    (x, _), (y, _) = operands(scheme, (ROWS, 9), (ROWS, 9))
    p = x * y
    assert p.nbytes == x.nbytes and p.native.held_bytes == p.nbytes // 2 * 3
    p.relinearized()
    assert p.nbytes == x.nbytes and p.native.held_bytes == p.nbytes // 2 * 5
    assert p.relinearized().native.held_bytes == p.nbytes
    assert repr(p) == repr(at_once(operator.mul, x, y))
