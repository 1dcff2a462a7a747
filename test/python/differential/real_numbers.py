# SPDX-License-Identifier: Apache-2.0
"""Arrays of real numbers: programs beside NumPy, every result as near as it says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, NoiseError, RangeError
from hypothesis import strategies as st
from small import HOME

from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]
DEGREE = 128


@cache
def _keys(strict: bool) -> cy.Keys:
    parameters = api.Parameters.from_scale_bits(
        degree=DEGREE,
        scale_bits=38,
        depth=8,
        bound=2.0,
        result_bound=32.0,
        security=0,
        table="guidelines-2024",
        allow_insecure=True,
        strict=strict,
        name="reals",
    )
    assert parameters.holds_reals and parameters.real_bound == 2.0 and len(parameters.scales) == 9
    return api.keygen(parameters, device=HOME)


def _numbers(draw: Draw, shape: tuple[int, ...]) -> Any:
    """From a seed: hypothesis would look for odd floats, of which one bound says all."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = rng.uniform(-1, 1, shape)
    return values * np.exp(1j * rng.uniform(0, 7, shape)) if draw(st.booleans()) else values


def _check(x: Any, wanted: Any, keys: cy.Keys) -> None:
    wanted = np.asarray(wanted)
    assert x.shape == wanted.shape and x.ndim == wanted.ndim and x.size == wanted.size
    found = api.decrypt(x, keys.secret, progress=None)
    assert np.shape(found) == wanted.shape
    assert np.abs(found - wanted).max() <= x.error.max + 1e-13, (x, found, wanted)
    assert np.abs(wanted).max() <= x.bound * (1 + 1e-9) + 1e-13
    assert x.dtype == ("complex" if np.iscomplexobj(found) else "float") and x.ciphertexts >= 1 and x.level >= 0


def real_programs(draw: Draw) -> None:
    """Sums, products, powers, quotients, conjugates, moves, reductions and matrices."""
    keys = _keys(draw(st.booleans()))
    shape = draw(st.sampled_from([(), (1,), (5,), (8,), (DEGREE // 2,), (DEGREE,), (2, 1), (2, 5), (3, 2, 4)]))
    a, b = _numbers(draw, shape), _numbers(draw, shape[-1:])
    key = draw(st.sampled_from([keys.public, keys.secret]))
    x = api.RealArray.target.encrypt(values=a, key=key, bound=1.0 + 1e-12, progress=None).with_keys(keys.public)
    y: Any = api.encrypt(b, keys.public, bound=1.5)
    assert isinstance(y, api.RealArray.target)
    _check(x, a, keys)
    for step in draw(st.lists(st.integers(0, 12), min_size=1, max_size=5)):
        with suppress(NoiseError, RangeError):
            x, a = _stepped(draw, step, x, a, y, b)
            _check(x, a, keys)


def _stepped(draw: Draw, step: int, x: Any, a: Any, y: Any, b: Any) -> tuple[Any, Any]:
    if step < 3 and np.shape(a)[-1:] not in ((), (1,), np.shape(b)) and np.shape(b) not in ((), (1,)):
        return x, a  # an index before it left another length, which does not meet b
    if step == 0:
        return x + y, a + b
    if step == 1:
        return x - b, a - b
    if step == 2:
        return x * y, a * b
    if step == 3:
        return 0.5 - x, 0.5 - a
    if step == 4:
        return x / 3, a / 3
    if step == 5:
        exponent = draw(st.integers(1, 4))
        return x**exponent, a**exponent
    if step == 6:
        return x.conj(), np.conj(a)
    if step in (7, 10) and a.shape[-1:] > (DEGREE // 2,):
        with pytest.raises(ArgumentError, match="slots of one ciphertext"):
            _ = x.roll(1) if step == 7 else x[:2]
        return x, a
    if step == 7 and a.ndim:
        shift = draw(st.integers(-3, 3))
        return x.roll(shift=shift), np.roll(a, shift, -1)
    if step == 8 and a.ndim:
        axis, keepdims = draw(st.sampled_from([None, 0, -1])), draw(st.booleans())
        if draw(st.booleans()):
            return x.mean(axis=axis, keepdims=keepdims), np.mean(a, axis=axis, keepdims=keepdims)
        return x.sum(axis=axis, keepdims=keepdims), np.sum(a, axis=axis, keepdims=keepdims)
    if step == 9 and a.ndim and a.shape[-1] <= 8:
        columns = draw(st.integers(1, 9))
        w = _numbers(draw, (a.shape[-1], columns)) / 4
        return (x @ w, a @ w) if draw(st.booleans()) else (x.dot(other=w[:, 0]), a @ w[:, 0])
    if step == 10 and a.ndim:
        index = draw(st.sampled_from([0, -1, (Ellipsis, 0), (Ellipsis, slice(None, None, 2))]))
        return x[index], a[index]
    if step == 11:
        level = draw(st.integers(0, x.level))
        return x.switch_to_level(level=level), a
    return x.assume_bound(bound=float(np.abs(a).max()) + 1e-9), a


def real_functions(draw: Draw) -> None:
    """Polynomials and functions of real numbers within an interval."""
    keys = _keys(False)
    low = draw(st.sampled_from([-1.0, 0.25, 0.5]))
    high = draw(st.sampled_from([1.0, 1.5]))
    precision = draw(st.sampled_from([1e-2, 1e-3]))
    values = np.linspace(low, high, draw(st.integers(1, 9)))
    x = api.RealArray.target.encrypt(values, keys.public)
    c = np.random.default_rng(draw(st.integers(0, 99))).uniform(-1, 1, draw(st.integers(1, 7)))
    _check(x.polynomial(coefficients=c), np.polynomial.polynomial.polyval(values, c), keys)
    t = (values - (low + high) / 2) / ((high - low) / 2)
    _check(x.polynomial(coefficients=c, interval=(low, high)), np.polynomial.chebyshev.chebval(t, c), keys)
    made: dict[str, Callable[[Any], Any]] = {
        "exp": np.exp,
        "tanh": np.tanh,
        "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
        "log": np.log,
        "sqrt": np.sqrt,
        "inverse": lambda v: 1 / v,
    }
    for name, function in made.items():
        if low < 0 and name in ("log", "sqrt", "inverse"):
            continue
        y = getattr(x, name)(interval=(low, high), precision=precision)
        _check(y, function(values), keys)
        assert y.error.max <= 2.1 * precision
    with suppress(ArgumentError, NoiseError):
        x.exp((low, high), 1e-12)


def stored_reals(draw: Draw) -> None:
    """Files and devices, and what an array says of itself."""
    keys = _keys(False)
    a = _numbers(draw, (2, 3))
    x = api.RealArray.target.encrypt(a, keys.public)
    y = api.from_bytes(api.to_bytes(x * x), allow_insecure=True, kind=cy.RealArray).with_keys(keys.evaluation)
    _check(y * y, a**4, keys)
    moved = x.to(device=draw(st.sampled_from(["cpu:1", "cpu:2"])))
    assert moved.device.startswith("cpu") and moved.key_id == keys.secret.key_id and moved.nbytes == x.nbytes
    assert moved.parameters == x.parameters and moved.parameters.slots == DEGREE // 2
    _check(moved - 1, a - 1, keys)
    with pytest.raises(ArgumentError, match="precision"):
        api.reveal(x, keys.secret)
    shown = api.reveal(x=x, key=keys.secret, precision=0.25, flooding_bits=draw(st.integers(1, 4)), progress=None)
    assert np.abs(shown - a).max() <= 0.25


def decided_reals(draw: Draw) -> None:
    """Signs, what follows from them, and sums with weights: as near as they say, whatever NumPy's names for them."""
    keys = _keys(False)
    a = np.array([-0.9, -0.5, 0.5, 0.75]) * draw(st.sampled_from([1, -1]))
    b = np.roll(a, draw(st.integers(0, 3))) / 2
    x, y = (api.RealArray.target.encrypt(each, keys.public, bound=1.0).with_keys(keys.evaluation) for each in (a, b))
    kernel, mode = _numbers(draw, (2,)), draw(st.sampled_from(["full", "valid", "same"]))
    _check(x.convolve(kernel=kernel, mode=mode), np.convolve(a, kernel, mode), keys)
    _check(np.add(x, b), a + b, keys)
    rough: dict[str, Callable[[], tuple[Any, Any]]] = {
        "sign": lambda: (x.sign(gap=0.4, precision=0.1), np.sign(a)),
        "greater": lambda: (x.greater(other=y, gap=0.1, precision=0.1), a > b),
        "relu": lambda: (x.relu(precision=0.2), np.maximum(a, 0)),
        "absolute": lambda: (x.absolute(precision=0.3), np.abs(a)),
        "maximum": lambda: (x.maximum(other=y, precision=0.3), np.maximum(a, b)),
        "minimum": lambda: (np.minimum(x, y), np.minimum(a, b)),
        "minimum to": lambda: (x.minimum(other=y, precision=0.3), np.minimum(a, b)),
        "softmax": lambda: (x.softmax(interval=(-1.0, 1.0), precision=0.05), np.exp(a) / np.exp(a).sum()),
    }
    with suppress(NoiseError, RangeError):
        found, wanted = rough[draw(st.sampled_from(sorted(rough)))]()
        _check(found, wanted, keys)


@cache
def _suggested(precision: float, depth: int) -> cy.Keys:
    parameters = api.Parameters.suggest(
        scheme="ckks", precision=precision, bound=1.25, result_bound=8.0, depth=depth, min_degree=0, strict=False
    )
    assert not parameters.insecure
    return api.keygen(parameters, rotations=[], device=HOME)


@cache
def _suggested_to_compute(precision: float) -> tuple[Any, Any, cy.Keys]:
    def compute(x: Any) -> Any:
        return x * x + 0.5 * x

    inputs = [api.Operand(shape=(7,), bound=1.5)]
    assert inputs[0].magnitude() == 1.5
    parameters = api.suggest(compute=compute, inputs=inputs, precision=precision, measure=False)
    plan = api.plan(compute, parameters, inputs)
    assert plan.error <= precision and plan.seconds > 0
    return compute, plan, api.keygen(parameters, **plan.keygen(), device=HOME)


def suggested_reals(draw: Draw) -> None:
    """What was suggested is as right as it was asked to be."""
    compute, plan, made = _suggested_to_compute(draw(st.sampled_from([1e-2, 1e-4])))
    b = _numbers(draw, (7,))
    y = compute(api.RealArray.target.encrypt(b, made.public, bound=1.5).with_keys(made.evaluation))
    assert y.error.max <= plan.error
    _check(y, b * b + 0.5 * b, made)
    precision, depth = draw(st.sampled_from([(1e-2, 1), (1e-3, 2)]))
    keys = _suggested(precision, depth)
    a = _numbers(draw, (7,))
    x = api.RealArray.target.encrypt(a, keys.public) ** (2**depth)
    assert x.error.max <= precision
    _check(x, a ** (2**depth), keys)


SCENARIOS = (real_programs, real_functions, decided_reals, stored_reals, suggested_reals)
