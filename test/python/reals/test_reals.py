# SPDX-License-Identifier: Apache-2.0
"""Arrays of real numbers against NumPy: every operation, shapes, levels, and what is refused."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import errors
from real_party import DEGREE, encrypted, keys, near, parameters
from small import HOME, insecure

SLOTS = DEGREE // 2
SHAPES = [(), (1,), (3,), (8,), (SLOTS,), (SLOTS + 5,), (2, 1), (2, 5), (2, SLOTS + 5), (3, 2, 4)]


@pytest.fixture
def party() -> cy.Keys:
    return keys()


@pytest.fixture
def random(rng: np.random.Generator) -> Callable[..., Any]:
    return lambda shape: rng.uniform(-1, 1, shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_encrypted_comes_back(party: cy.Keys, random: Any, shape: tuple[int, ...]) -> None:
    values = random(shape)
    for key in (party.public, party.secret):
        array: Any = cy.encrypt(np.asarray(values), key)
        assert array.shape == shape and array.ndim == len(shape) and array.size == math.prod(shape)
        assert array.dtype == "float" and array.level == 4 and array.bound == 1.0
        near(array, values, party)
    turned = values * np.exp(1j * random(shape))
    array = encrypted(turned, party)
    assert array.dtype == "complex"
    near(array, turned, party)


@pytest.mark.parametrize("shapes", [(a, b) for a in SHAPES for b in SHAPES if (a[-1:] in ((), (1,), b[-1:]))])
def test_sums_and_products_broadcast(party: cy.Keys, random: Any, shapes: Any) -> None:
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        pytest.skip("NumPy refuses these shapes, too")
    a, b = map(random, shapes)
    x, y = encrypted(a, party), encrypted(b, party)
    for left, right in ((x, y), (x, b), (a, y)):
        near(left + right, a + b, party, 1e-15)
        near(left - right, a - b, party, 1e-15)
        near(left * right, a * b, party, 1e-15)
        assert (left * right).level == 3 and (left + right).level == 4


def test_levels_meet_by_themselves(party: cy.Keys, random: Any) -> None:
    a, b = random(20), random(20)
    x, y = encrypted(a, party), encrypted(b, party)
    deep, value = x, a
    for level in (3, 2, 1, 0):
        deep, value = deep * y, value * b
        assert deep.level == level
        near(deep + x, value + a, party, 1e-15)
        near(x - deep, a - value, party, 1e-15)
        near(x.switch_to_level(level), a, party)
        if level:
            near(deep * x, value * a, party, 1e-15)
    with pytest.raises(errors.NoiseError, match="no level is left"):
        _ = deep * x
    with pytest.raises(errors.NoiseError, match="no level is left"):
        _ = deep * 0.5
    with pytest.raises(errors.NoiseError, match="no level is left"):
        _ = deep * b
    near(deep * 3, value * 3, party, 1e-15)
    with pytest.raises(errors.ArgumentError):
        deep.switch_to_level(1)
    with pytest.raises(errors.ArgumentError):
        deep.switch_to_level(-1)


def test_constants_powers_and_quotients(party: cy.Keys, random: Any) -> None:
    a = random((2, 7))
    x = encrypted(a, party)
    near(x * 3, a * 3, party, 1e-15)
    assert (x * 3).level == 4 and (x * 0.3).level == 3 and (x + 0.3).level == 4
    near(x * 0.3, a * 0.3, party, 1e-15)
    near(x * (0.3 - 0.2j), a * (0.3 - 0.2j), party, 1e-15)
    near(1 - x, 1 - a, party, 1e-15)
    near(-x, -a, party)
    near(+x, a, party)
    near(x / 4, a / 4, party, 1e-15)
    near(x / [1, 2, 3, 4, 5, 6, 7], a / [1, 2, 3, 4, 5, 6, 7], party, 1e-15)
    for exponent, level in ((1, 4), (2, 3), (3, 2), (5, 1), (16, 0)):
        near(x**exponent, a**exponent, party, 1e-15)
        assert (x**exponent).level == level


def test_sums_over_axes(party: cy.Keys, random: Any) -> None:
    for shape in [(7,), (8,), (SLOTS,), (SLOTS + 5,), (2, 5), (2, SLOTS + 5), (3, 2, 4), (1, 3), ()]:
        a = random(shape) / max(1, math.prod(shape))
        x = encrypted(a, party)
        axes: list[Any] = [None, *range(len(shape)), *range(-len(shape), 0), *([(0, -1)] if len(shape) > 1 else [])]
        for axis in axes:
            for keepdims in (False, True):
                near(x.sum(axis, keepdims=keepdims), a.sum(axis, keepdims=keepdims), party, 1e-14)
        near(x.mean(), a.mean(), party, 1e-14)
    # What is no zero beside the numbers goes before the sum, for a level.
    a, one = random(5) / 8, random(1) / 8
    unclean = encrypted(a, party) + encrypted(one, party)
    total = unclean.sum()
    near(total, (a + one).sum(), party, 1e-15)
    assert total.level == 3


def test_sums_without_their_last_axis_can_go_on(party: cy.Keys, random: Any) -> None:
    a, b = random((3, 8)) / 8, random(3)
    rows = encrypted(a, party).sum(-1)
    near(rows * b, a.sum(-1) * b, party, 1e-15)
    near(rows + encrypted(b, party), a.sum(-1) + b, party, 1e-15)
    near((rows * rows).sum(), (a.sum(-1) ** 2).sum(), party, 1e-14)


def test_matrices(party: cy.Keys, random: Any) -> None:
    for length, columns in [(8, 8), (5, 3), (3, 9), (7, 1), (1, 4), (16, 4), (4, 16), (20, 33)]:
        a, w = random((2, length)), random((length, columns)) / length
        x = encrypted(a, party)
        near(x @ w, a @ w, party, 1e-14)
        assert (x @ w).level == 3
        near((x @ w).sum(), (a @ w).sum(), party, 1e-13)
        near(x @ w[:, 0], a @ w[:, 0], party, 1e-14)
        near(w.T @ encrypted(a[0], party), w.T @ a[0], party, 1e-14)
        near(x.dot(w[:, 0]), a.dot(w[:, 0]), party, 1e-14)
    a, b = random(12) / 4, random(12) / 4
    near(encrypted(a, party).dot(encrypted(b, party)), a.dot(b), party, 1e-14)
    sparse = np.zeros((16, 16))
    sparse[3, 5] = 0.7
    near(encrypted(np.ones(16), party) @ sparse, np.ones(16) @ sparse, party, 1e-15)
    near(encrypted(np.ones(16), party) @ np.zeros((16, 4)), np.zeros(4), party)
    turned = random((6, 6)) * np.exp(1j * random((6, 6))) / 6
    near(encrypted(np.ones(6), party) @ turned, np.ones(6) @ turned, party, 1e-14)


def test_indices_and_rolls(party: cy.Keys, random: Any) -> None:
    a = random((3, 4, 6))
    x = encrypted(a, party)
    free: list[Any] = [0, -1, slice(1, 3), (slice(None), 2), ([2, 0], 1), (Ellipsis, slice(None)), (1, 2, slice(None))]
    for key in free:
        assert x[key].level == 4
        near(x[key], a[key], party)
    for key in [
        (Ellipsis, 3),
        (0, 1, 2),
        (Ellipsis, slice(1, 4)),
        (Ellipsis, [5, 0, 0]),
        (0, 1, slice(None, None, -1)),
    ]:
        assert x[key].level == 3
        near(x[key], a[key], party)
    for shift in (-2, 0, 1, 7):
        near(x.roll(shift), np.roll(a, shift, -1), party)
    full = random(SLOTS)
    near(encrypted(full, party).roll(5), np.roll(full, 5), party)
    for bad in [3, (0, 0, 0, 0), (Ellipsis, Ellipsis), None, (Ellipsis, 9), slice(2, 2), "a", (Ellipsis, [[0, 1]])]:
        with pytest.raises(errors.ArgumentError):
            _ = x[bad]
    assert len(x) == 3


def test_conjugates(party: cy.Keys, random: Any) -> None:
    a = random(9) * np.exp(1j * random(9))
    x = encrypted(a, party)
    near(x.conj(), a.conj(), party)
    near(x * x.conj(), a * a.conj(), party, 1e-15)
    real = encrypted(a.real, party)
    assert real.conj().error == real.error


def test_polynomials_and_functions(random: Any) -> None:
    party = cy.keygen(parameters(depth=9), device=HOME)
    a = random((2, 11))
    x = encrypted(a, party)
    for c in [[0.5], [0.25, -1.0], [0, 0, 1], [0.1, 0.2, 0.3, -0.4], list(random(12) / 4), list(random(26) / 8)]:
        near(x.polynomial(c), np.polynomial.polynomial.polyval(a, c), party, 1e-13)
        t = (a - 0.1) / 1.2
        near(x.polynomial(c, (-1.1, 1.3)), np.polynomial.chebyshev.chebval(t, c), party, 1e-13)
    near(x.exp((-1, 1), 1e-6), np.exp(a), party, 1e-15)
    near(x.sigmoid((-2, 2), 1e-4), 1 / (1 + np.exp(-a)), party, 1e-15)
    near(x.tanh((-2, 2), 1e-4), np.tanh(a), party, 1e-15)
    positive = encrypted(a / 4 + 0.75, party)
    near(positive.inverse((0.5, 1), 1e-5), 1 / (a / 4 + 0.75), party, 1e-15)
    near(positive.log((0.5, 1), 1e-5), np.log(a / 4 + 0.75), party, 1e-15)
    near(positive.sqrt((0.5, 1), 1e-5), np.sqrt(a / 4 + 0.75), party, 1e-15)
    with pytest.raises(errors.ArgumentError, match="not analytic"):
        x.inverse((-1, 1))
    with pytest.raises(errors.ArgumentError):
        x.exp((1, -1))
    with pytest.raises(errors.ArgumentError):
        x.exp((-1, 1), 0.0)
    with pytest.raises(errors.ArgumentError):
        x.exp((-1, 1), 1e-300)
    with pytest.raises(errors.UnsupportedError, match="complex"):
        encrypted(a * 1j, party).polynomial([1, 2])
    with pytest.raises(errors.NoiseError, match="no level is left"):
        x.switch_to_level(1).exp((-1, 1), 1e-6)


def test_certified_polynomials_hold() -> None:
    from cyclotome import _core

    cases: list[tuple[str, Callable[[Any], Any], float, float]] = [
        ("exp", np.exp, -3, 2),
        ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), -8, 8),
        ("tanh", np.tanh, -3, 3),
        ("inverse", lambda x: 1 / x, 0.1, 3),
        ("log", np.log, 0.2, 5),
        ("sqrt", np.sqrt, 0.05, 1),
    ]
    for name, function, low, high in cases:
        for precision in (1e-2, 1e-4, 1e-7):
            coefficients, error = _core.fit_function(name, float(low), float(high), precision)
            x = np.linspace(low, high, 20001)
            t = (x - (low + high) / 2) / ((high - low) / 2)
            found = np.abs(np.polynomial.chebyshev.chebval(t, coefficients) - function(x)).max()
            assert found <= error <= 2 * precision, name


def test_hidden_results_and_missing_keys(party: cy.Keys, random: Any) -> None:
    a = random(6)
    x = encrypted(a, party)
    near(x - x, np.zeros(6), party)
    near(x * 0, np.zeros(6), party)
    bare: Any = cy.encrypt(a, party.secret)
    for compute in (lambda: bare - bare, lambda: bare * 0):
        with pytest.raises(errors.TransparentError):
            compute()
    for compute in (lambda: bare * bare, lambda: bare.sum(), lambda: bare @ a, lambda: bare.roll(1)):
        with pytest.raises(errors.MissingKeyError):
            compute()
    near(bare.with_keys(party.evaluation) * bare, a * a, party, 1e-15)
    other = cy.keygen(parameters(), device=HOME)
    with pytest.raises(errors.MismatchError):
        bare.with_keys(other.evaluation)
    with pytest.raises(errors.UnsupportedError):
        bare.with_keys(party.secret)
    with pytest.raises(errors.MismatchError):
        cy.decrypt(x, other.secret)
    with pytest.raises(errors.MismatchError):
        _ = x + encrypted(a, other)


def test_values_that_are_no_numbers(party: cy.Keys) -> None:
    for bad, error in [
        ([math.nan], errors.RangeError),
        ([1.0, math.inf], errors.RangeError),
        ([complex(0, math.nan)], errors.RangeError),
        ([1.5], errors.RangeError),
        ([1e308], errors.RangeError),
        ([], errors.ArgumentError),
        ([[1.0], [1.0, 2.0]], errors.ArgumentError),
        (["a"], errors.UnsupportedError),
        ([None], errors.UnsupportedError),
        (np.ma.masked_array([1.0], [True]), errors.UnsupportedError),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), errors.UnsupportedError),
    ]:
        with pytest.raises(error):
            encrypted(bad, party)
    x = encrypted([0.5, 0.25], party)
    for bad in ([math.nan, 0.0], math.inf, "a", None, [1.0, 2.0, 3.0]):
        for compute in (lambda b: x + b, lambda b: x * b, lambda b: x - b):
            with pytest.raises(errors.CyclotomeError):
                compute(bad)
    with pytest.raises(errors.ArgumentError, match="zero"):
        _ = x / 0
    for refused in (lambda: 1 / x, lambda: x / x, lambda: x**0.5, lambda: x @ x, lambda: x == x, lambda: bool(x)):
        with pytest.raises(errors.UnsupportedError):
            refused()
    with pytest.raises(errors.UnsupportedError):
        np.asarray(x)
    for exponent in (0, -1):
        with pytest.raises(errors.ArgumentError):
            _ = x**exponent
    for options in ({"wrap": True}, {"layout": "replicated"}, {"l1_bound": 1}, {"bound": (0, 1)}):
        with pytest.raises(errors.UnsupportedError):
            encrypted([0.5], party, **options)
    for bound in (0.0, -1.0, math.nan, math.inf, 1e30):
        with pytest.raises(errors.RangeError):
            encrypted([0.0], party, bound=bound)
    with pytest.raises(errors.UnsupportedError):
        encrypted(x, party)


def test_overflow_is_refused_before_it_happens(party: cy.Keys) -> None:
    x = encrypted(np.ones(4), party)
    grown = x
    with pytest.raises(errors.RangeError, match="would leave"):
        for _ in range(64):
            grown = grown + grown
    near(grown, np.full(4, grown.bound), party)
    with pytest.raises(errors.RangeError):
        _ = x * 1e9
    tight = (x * 8).assume_bound(8)
    near(tight * tight, np.full(4, 64.0), party)
    with pytest.raises(errors.RangeError):
        x.assume_bound(0)
    assert x.assume_bound(5).bound == 1


def test_reals_and_integers_never_meet(party: cy.Keys) -> None:
    exact = cy.keygen(insecure([65537]), device=HOME)
    whole = cy.encrypt([1, 2], exact.public)
    x = encrypted([0.5, 0.25], party)
    for compute in (lambda: x + whole, lambda: whole + x, lambda: x * whole, lambda: whole * x, lambda: whole - x):
        with pytest.raises(errors.MismatchError):
            compute()
    with pytest.raises(errors.MismatchError):
        cy.decrypt(x, exact.secret)
    with pytest.raises(errors.ArgumentError, match="precision="):
        cy.reveal(x, party.secret)
    with pytest.raises(errors.ArgumentError, match="integers are exact"):
        cy.reveal(whole, exact.secret, precision=0.1)  # type: ignore[call-overload]
    frame: Any = {"a": [1, 2]}
    for refused in (
        lambda: cy.encrypt_frame(frame, party.public),
        lambda: cy.encrypt_digits([1, 2], party.public, base=4, digits=2),
        lambda: cy.plain([1, 2], party.public.parameters),
        lambda: cy.Matrix([[1, 2]], party.public.parameters),
        lambda: cy.stack([x, x]),
        lambda: cy.equal(x, x),
        lambda: cy.einsum("i->", x),
        lambda: cy.noise_budget(x, party.secret),
        lambda: cy.plan(lambda v: v * v, exact.public.parameters, [cy.Operand((2,), bound=0.5)]),
        lambda: cy.plan(lambda v: v * v, party.public.parameters, [cy.Operand((2,), l1_bound=1)]),
        lambda: cy.circuit.encrypt([1], party.public, bits=2),
        lambda: cy.threshold.Session.create(party.public.parameters, parties=2),
    ):
        with pytest.raises(errors.CyclotomeError) as caught:
            refused()
        print(caught.value)


def test_files_and_pickles(party: cy.Keys, random: Any, tmp_path: Any) -> None:
    a = random((2, 6))
    x = encrypted(a, party)
    arrays = [x, x * x, x + 0.5 + 0.25j, x.sum(-1), encrypted(a, party) + encrypted(a[0, :1], party)]
    arrays.append(cy.encrypt(a, party.secret))
    values = [a, a * a, a + 0.5 + 0.25j, a.sum(-1), a + a[0, 0], a]
    for array, value in zip(arrays, values, strict=True):
        path = tmp_path / "array.cyc"
        cy.save(path, array, note={"a": 1})
        back = cy.load(path, keys=party.evaluation, allow_insecure=True)
        assert (back.shape, back.dtype, back.error, back.level) == (array.shape, array.dtype, array.error, array.level)
        assert back.bound == array.bound
        near(back, value, party, 1e-15)
        near((back * back).sum(), (value * value).sum(), party, 1e-14)
        about = cy.inspect(path)
        assert about.kind == "encrypted array" and about.shape == array.shape and about.error == tuple(array.error)
        assert about.real_bound == array.bound and ("complex" in str(about)) == (array.dtype == "complex")
        assert cy.to_bytes(cy.from_bytes(cy.to_bytes(array), True)) == cy.to_bytes(array)
        near(pickle.loads(pickle.dumps(array)), value, party, 1e-15)
    for kept in (party.public, party.evaluation, party.public.parameters):
        assert cy.to_bytes(cy.from_bytes(cy.to_bytes(kept), True)) == cy.to_bytes(kept)
    cy.save(tmp_path / "secret.cyc", party.secret)
    near(x, cy.decrypt(x, cy.load(tmp_path / "secret.cyc", allow_insecure=True)), party)


def test_what_is_shown(party: cy.Keys) -> None:
    x = encrypted(np.ones((2, 3)), party)
    shown = repr(x)
    assert shown.startswith("RealArray(shape=(2, 3), float, up to 1, ±2^-") and "4 levels, 2 ciphertexts" in shown
    assert x.parameters.holds_reals and x.parameters.slots == SLOTS and x.parameters.real_bound == 1.0
    assert "ckks" in x.parameters.summary() and "scale 2^40" in x.parameters.explain()
    assert x.device == HOME and x.key_id == party.secret.key_id and x.nbytes > 0 and x.ciphertexts == 2
    exact = insecure([65537])
    assert not exact.holds_reals and exact.real_bound is None and exact.scales == ()
    assert len(x.parameters.scales) == 5 and x.parameters.scales[0] == 2.0**40


def test_suggested_parameters_are_as_right_as_they_were_asked_to_be() -> None:
    rng = np.random.default_rng(3)
    for depth, precision, bound in [(1, 1e-3, 1.0), (3, 1e-4, 1.0), (2, 1e-2, 4.0)]:
        own = cy.Parameters.suggest(scheme="ckks", precision=precision, depth=depth, bound=bound)
        assert not own.insecure
        party = cy.keygen(own, rotations=[], device="cpu:2")
        a = rng.uniform(-bound, bound, 100)
        power = encrypted(a, party) ** (2**depth)
        assert power.error.max <= precision and power.level == 0
        near(power, a ** (2**depth), party, 1e-10)
    with pytest.raises(errors.ParameterError, match="no parameters"):
        cy.Parameters.suggest(scheme="ckks", precision=1e-30)
    for options in ({}, {"precision": 0.0}, {"precision": math.nan}, {"precision": 1e-3, "value_bits": 8}):
        with pytest.raises(errors.ParameterError):
            cy.Parameters.suggest(scheme="ckks", **options)
    with pytest.raises(errors.ParameterError):
        cy.Parameters.suggest(precision=1e-3)


def test_parameters_that_would_not_do() -> None:
    with pytest.raises(errors.ParameterError, match="suggest"):
        insecure([65537], scheme="ckks")
    good: dict[str, Any] = {"degree": 1024, "scale_bits": 30, "depth": 2, "security": 0, "allow_insecure": True}
    cy.Parameters.from_scale_bits(**good)
    for change in [
        {"scale_bits": 19},
        {"scale_bits": 59},
        {"bound": 0.0},
        {"bound": math.nan},
        {"bound": 1e30},
        {"result_bound": 0.5},
        {"degree": 1000},
        {"depth": 101},
        {"bound": 2.0**20, "depth": 5},
    ]:
        with pytest.raises(errors.ParameterError):
            cy.Parameters.from_scale_bits(**{**good, **change})
    with pytest.raises(errors.SecurityError):
        cy.Parameters.from_scale_bits(degree=1024, scale_bits=40, depth=4)
