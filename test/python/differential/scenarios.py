# SPDX-License-Identifier: Apache-2.0
"""What is no program of arrays: each draws its own options and checks itself against an independent oracle."""

from __future__ import annotations

import io
import math
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
import session_jobs
from cyclotome.errors import CyclotomeError
from hypothesis import strategies as st
from small import HOME

from . import (
    checked,
    circuit_programs,
    facts,
    joint,
    lookups,
    quantised,
    real_numbers,
    refreshed,
    searched,
    served,
    table_statistics,
)
from .programs import world
from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]
SETTING = "bfv 40961 65537"
BGV = "bgv 40961 65537"
bits = st.integers(2, 6)


def _close(found: Any, wanted: Any, story: object) -> None:
    found, wanted = np.asarray(found, dtype=object), np.asarray(wanted, dtype=object)
    assert found.shape == wanted.shape and (found == wanted).all(), f"{story}: {found.tolist()}, not {wanted.tolist()}"


def _inspected(x: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        api.save(Path(folder) / "x.ct", x)
        return api.inspect(Path(folder) / "x.ct", max_bytes=1 << 20)


def kinds(draw: Draw) -> None:
    """Objects are of the classes that are named."""
    where = world(SETTING)
    x = api.encrypt([1, 2], where.keys.public, bound=3)
    frame = api.encrypt_frame({"a": [1], "s": ["u"]}, where.keys.public, categories={"s": ["u"]})
    for value, name in (
        (where.keys, "Keys"),
        (where.keys.secret, "SecretKey"),
        (where.keys.public, "PublicKey"),
        (where.keys.evaluation, "EvaluationKeys"),
        (x, "EncryptedArray"),
        (frame, "EncryptedFrame"),
        (frame["a"], "EncryptedColumn"),
        (frame["s"], "EncryptedCategories"),
        (api.plain([1, 2], where.parameters, device=HOME), "PlainArray"),
        (_inspected(x), "Inspection"),
    ):
        assert isinstance(value, getattr(api, name).target), name
    assert isinstance(where.there, api.rekeying.RekeyingKey.target)
    data = api.to_bytes(x)
    assert api.from_bytes(data, allow_insecure=True, kind=cy.EncryptedArray).shape == (2,)
    assert api.load(io.BytesIO(data), allow_insecure=True, kind=cy.EncryptedArray).shape == (2,)
    assert api.__version__.count(".") == 2 and issubclass(api.errors.RangeError, api.CyclotomeError.target)


@cache
def _suggested(depth: int, value_bits: int, scheme: str | None) -> cy.Keys:
    parameters = api.Parameters.suggest(
        depth=depth, value_bits=value_bits, terms=4, scheme=scheme, security=128, table="guidelines-2024", word=None
    )
    return api.keygen(
        parameters,
        rotations=api.sum_rotations(parameters),
        columns=True,
        relinearization=True,
        device=HOME,
        progress=None,
    )


def suggestions(draw: Draw) -> None:
    """Secure parameters carry what they were asked for, at the ends of their values."""
    depth, value_bits = draw(st.integers(1, 2)), draw(st.sampled_from([4, 7]))
    keys = _suggested(depth, value_bits, draw(st.sampled_from([None, "bfv", "bgv"])))
    end = 2**value_bits - 1
    values = draw(st.lists(st.sampled_from([-end, end, 0, 1]), min_size=4, max_size=4))
    x = api.encrypt(values, keys.public, progress=None)
    y = (x ** (2**depth)).sum()
    _close(api.decrypt(y, keys.secret, progress=None), sum(value ** (2**depth) for value in values), values)


def computed_suggestions(draw: Draw) -> None:
    """`suggest(compute=)` and `plan` promise what then happens."""
    count, bound = draw(st.sampled_from([1, 5, 70])), draw(st.sampled_from([1, 9, (0, 7)]))
    least, largest = (-bound, bound) if isinstance(bound, int) else bound
    coefficient = draw(st.integers(-3, 3))
    strict, flooding = draw(st.booleans()), draw(st.sampled_from([0, 40]))

    def compute(x: Any, y: Any) -> Any:
        return (x * y + coefficient * x).sum()

    inputs = [
        api.Operand(
            shape=(count,),
            bound=bound,
            l1_bound=None,
            wrap=False,
            layout="packed",
            encoding=None,
            digits=None,
            base=None,
        )
    ] * 2
    parameters = api.suggest(
        compute=compute,
        inputs=inputs,
        value_bits=None,
        security=128,
        table="guidelines-2024",
        word=draw(st.sampled_from([None, 32, 64])),
        min_degree=0,
        slots=True,
        scheme=draw(st.sampled_from([None, "bfv", "bgv"])),
        strict=strict,
        plain_moduli=None,
        flooding_bits=flooding,
        parties=1,
    )
    plan = api.plan(compute, parameters, inputs, device="cpu:1")
    assert isinstance(plan, api.Plan.target) and plan.depth == 1
    keys = api.keygen(parameters, **plan.keygen())
    a, b = (
        np.array(draw(st.lists(st.integers(least, largest), min_size=count, max_size=count)), dtype=object)
        for _ in range(2)
    )
    result = compute(*(api.encrypt(values, keys.public, bound=bound) for values in (a, b)))
    wanted = int((a * b + coefficient * a).sum())
    assert result.noise_headroom >= plan.noise_headroom - 1e-6
    if flooding:
        _close(api.reveal(result, keys.secret, flooding_bits=flooding, progress=None), wanted, "reveal")
    _close(api.decrypt(result, keys.secret), wanted, "decrypt")


def digits(draw: Draw) -> None:
    where, base, count = world(SETTING), draw(st.sampled_from([2, 4])), draw(st.integers(1, 3))
    numbers = st.lists(st.integers(0, base**count - 1), min_size=3, max_size=3)
    a, b = draw(numbers), draw(numbers)
    layout = draw(st.sampled_from(["packed", "replicated"]))
    x, y = (
        api.encrypt_digits(each, where.keys.public, base=base, digits=count, layout=layout, progress=None)
        for each in (a, b)
    )
    x, y = (api.EncryptedDigits(each.digits.with_keys(where.keys.evaluation), base=base) for each in (x, y))
    _close(api.decrypt_digits(x, where.keys.secret), a, "digits")
    for name, wanted in (("less", np.less(a, b)), ("equal", np.equal(a, b))):
        try:
            found = getattr(api, name)(x, y)
        except CyclotomeError:
            continue
        _close(api.decrypt(found, where.keys.secret), wanted.astype(int), (name, a, b))


def files(draw: Draw) -> None:
    """What is saved can be loaded, by every way, and tells of itself."""
    where = world(draw(st.sampled_from([SETTING, BGV])))
    values = draw(st.lists(st.integers(-9, 9), min_size=1, max_size=4))
    x = api.encrypt(values, where.keys.public, bound=9)
    passphrase = draw(st.sampled_from([None, "a passphrase"]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        api.save(folder / "x.ct", x, note={"n": draw(st.integers(0, 9))}, overwrite=draw(st.sampled_from([None, True])))
        again = api.load(
            folder / "x.ct",
            expect=where.parameters,
            keys=where.keys.public,
            device=HOME,
            allow_insecure=True,
            allow_unfit_key=False,
            security_table=None,
            max_bytes=1 << 20,
        )
        _close(api.decrypt(again, where.keys.secret), values, "load")
        written = api.save_keys(folder, where.keys, overwrite=False, passphrase=passphrase)
        assert isinstance(written, api.KeyFiles.target)
        secret = api.load(written.secret, allow_insecure=True, passphrase=passphrase)
        _close(api.decrypt(x, secret), values, "keys")
        api.save(folder / "s.key", where.keys.secret, passphrase=passphrase)
        assert api.inspect(folder / "x.ct").parameters == where.parameters
    data = bytes(api.to_view(x, note=None))
    assert data == api.to_bytes(x, note=None)
    again = api.from_bytes(data, allow_insecure=True, security_table=None, device=HOME, max_bytes=1 << 20)
    _close(api.decrypt(again, where.keys.secret), values, "from_bytes")


def held(draw: Draw) -> None:
    """Keys that a process holds are those of arrays that it unpickles."""
    where = world(SETTING)
    values = draw(st.lists(st.integers(-9, 9), min_size=1, max_size=4))
    stored = pickle.dumps(api.encrypt(values, where.keys.public, bound=9).with_keys(where.keys.evaluation))
    api.sessions.hold_keys(where.keys.evaluation, device=HOME)
    try:
        x = pickle.loads(stored)
        _close(api.decrypt(x * x, where.keys.secret), [value * value for value in values], "held keys")
    finally:
        api.sessions.release_keys()


def selections(draw: Draw) -> None:
    where, count = world(SETTING), draw(st.integers(1, 5))
    choice = draw(st.integers(0, count - 1))
    table = np.array(draw(st.lists(st.integers(-99, 99), min_size=count, max_size=count)), dtype=object)
    query = api.encrypt(api.one_hot(choice, count), where.keys.public, l1_bound=1, bound=(0, 1))
    query = query.with_keys(where.keys.evaluation)
    _close(api.decrypt((query * table).sum(), where.keys.secret), table[choice], (choice, table))


def wrapping(draw: Draw) -> None:
    """Values modulo T, without bounds."""
    where = world(draw(st.sampled_from([SETTING, BGV])))
    modulus = int(where.parameters.plain_product)
    ends = st.one_of(st.integers(0, modulus - 1), st.sampled_from([0, 1, modulus - 1]))
    a, b = (np.array(draw(st.lists(ends, min_size=3, max_size=3)), dtype=object) for _ in range(2))
    x, y = (api.encrypt(each, where.keys.public, wrap=True).with_keys(where.keys.evaluation) for each in (a, b))
    assert x.wrap and x.bound is None
    _close(api.decrypt(x * y - x, where.keys.secret), (a * b - a) % modulus, (a, b))


def fixed_points(draw: Draw) -> None:
    steps = api.FixedPoint(bits=draw(st.integers(0, 8)))
    value = draw(st.floats(-100, 100))
    found = steps.decode(steps.encode([value]))
    assert abs(float(found[0]) - value) <= steps.step / 2 + 1e-12
    wanted = Fraction(value) * 2**steps.bits
    assert abs(int(steps.encode([value])[0]) - wanted) <= Fraction(1, 2)


def convolutions(draw: Draw) -> None:
    """As networks mean it, by its definition."""
    height, width = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    kernel = np.array(draw(st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=1, max_size=2)))
    stride, mode = draw(st.integers(1, 2)), draw(st.sampled_from(["valid", "same"]))
    image = np.arange(height * width).reshape(height, width) ** 2 - 3
    try:
        matrix = api.convolution_matrix((height, width), kernel, mode=mode, stride=stride)
    except CyclotomeError:
        assert kernel.shape[0] > height or kernel.shape[1] > width
        return
    if mode == "same":
        before = [(size - 1) // 2 for size in kernel.shape]
        after = [size - 1 - first for size, first in zip(kernel.shape, before, strict=True)]
        padded = np.pad(image, list(zip(before, after, strict=True)))
    else:
        padded = image
    rows, columns = (padded.shape[i] - kernel.shape[i] + 1 for i in range(2))
    wanted = [
        int((padded[i : i + kernel.shape[0], j : j + kernel.shape[1]] * kernel).sum())
        for i in range(0, rows, stride)
        for j in range(0, columns, stride)
    ]
    assert (image.reshape(-1) @ matrix).tolist() == wanted, (image, kernel, mode, stride)


def extension_slots(draw: Draw) -> None:
    """Products of elements of GF(17^4), schoolbook."""
    slots, keys = _extension()
    values = st.lists(st.integers(0, slots.modulus - 1), min_size=slots.degree, max_size=slots.degree)
    a, b = (np.array([draw(values)] * slots.count) for _ in range(2))
    x, y = (slots.encrypt(each, keys.public) for each in (a, b))
    assert isinstance(x, api.extension_slots.ExtensionArray.target)
    product = [0] * (2 * slots.degree - 1)
    for i in range(slots.degree):
        for j in range(slots.degree):
            product[i + j] += int(a[0, i]) * int(b[0, j])
    for i in range(2 * slots.degree - 2, slots.degree - 1, -1):
        product[i - slots.degree] += slots.root * product[i]
    wanted = [each % slots.modulus for each in product[: slots.degree]]
    _close(slots.decrypt(x * y, keys.secret, progress=None)[0], wanted, (a[0], b[0]))
    _moved_elements(draw, slots, keys)


def _moved_elements(draw: Draw, slots: Any, keys: cy.Keys) -> None:
    """Rows of elements in circles, Frobenius maps by powers, traces by sums of conjugates, each multiplied out."""
    k, d, t = slots.count, slots.degree, slots.modulus
    assert slots.shape == (k, d) and k * d == slots.parameters.degree
    entries = draw(st.lists(st.integers(0, t - 1), min_size=k * d, max_size=k * d))
    values = np.array(entries, dtype=object).reshape(k, d)
    assert np.array_equal(slots.elements(slots.polynomials(values)), values)
    x = slots.of(slots.encrypt(values, keys.public, progress=None).polynomials)
    slots.require(slots.parameters, "a test")
    step, power = draw(st.integers(-9, 9)), draw(st.integers(0, 5))
    rows = values.reshape(2, k // 2, d)
    _close(slots.decrypt(x.rotate_rows(step), keys.secret), np.roll(rows, -step, axis=1).reshape(k, d), step)
    _close(slots.decrypt(x.rotate_columns(), keys.secret), rows[::-1].reshape(k, d), "columns")
    conjugates = [values]
    for _ in range(d - 1):
        conjugates.append(_power(conjugates[-1], t, slots))
    assert x.shape == (k, d)
    _close(slots.decrypt(x.frobenius(power), keys.secret), conjugates[power % d], power)
    _close(slots.decrypt(x.trace(), keys.secret), sum(conjugates) % t, "trace")
    _close(slots.decrypt(x * 2 + slots.constant(3), keys.secret), (2 * values + slots.constant(3)) % t, "constants")


def _power(values: Any, exponent: int, slots: Any) -> Any:
    """Elements to a power, by squares and products modulo z^d - zeta."""

    def product(a: Any, b: Any) -> Any:
        whole = np.zeros((slots.count, 2 * slots.degree - 1), dtype=object)
        for i in range(slots.degree):
            whole[:, i : i + slots.degree] += a[:, i : i + 1] * b
        whole[:, : slots.degree - 1] += slots.root * whole[:, slots.degree :]
        return whole[:, : slots.degree] % slots.modulus

    result = slots.constant(1)
    for bit in bin(exponent)[2:]:
        result = product(result, result)
        if bit == "1":
            result = product(result, values)
    return result


@cache
def _extension() -> tuple[Any, cy.Keys]:
    primes = api.bfv.find_primes(32, [50, 50, 50, 51], avoid=(17,))
    parameters = api.Parameters(
        degree=32,
        plain_moduli=[17],
        moduli=primes[:-1],
        special_moduli=primes[-1:],
        digits=0,
        word=64,
        security=0,
        table="guidelines-2024",
        allow_insecure=True,
        strict=False,
        name="test",
        value_bits=None,
        scheme="bfv",
        cyclotomic=None,
        parties=1,
    )
    slots = api.extension_slots.ExtensionSlots(parameters)
    return slots, api.keygen(parameters, galois_elements=slots.galois_elements, device=HOME)


def shards(draw: Draw) -> None:
    where = world(draw(st.sampled_from([SETTING, BGV])))
    values = np.array(draw(st.lists(st.integers(-9, 9), min_size=6, max_size=6)), dtype=object).reshape(3, 2)
    devices = draw(st.sampled_from([["cpu:1"], ["cpu:1", "cpu:1"]]))
    x = api.encrypt(values, where.keys.public, bound=9).with_keys(where.keys.evaluation)
    pieces = api.sharding.shard(x, devices=devices)
    assert isinstance(pieces, api.sharding.ShardedArray.target)
    _close(api.decrypt((pieces * pieces).sum(axis=0), where.keys.secret), (values * values).sum(axis=0), values)
    made = api.sharding.encrypt_sharded(values, where.keys.public, devices=devices, bound=9)
    _close(api.decrypt(made + made, where.keys.secret), values * 2, values)


def rotations(draw: Draw) -> None:
    """Rows of slots in circles, and the two rows swapped."""
    where, step = world(SETTING), draw(st.integers(-9, 9))
    assert api.sum_rotations(where.parameters)[0] == 1
    values = np.array(draw(st.lists(st.integers(-9, 9), min_size=16, max_size=16)), dtype=object)
    x = api.encrypt(values, where.keys.public, bound=9).with_keys(where.keys.evaluation)
    rows = values.reshape(2, 8)
    try:
        _close(api.decrypt(x.rotate_rows(step), where.keys.secret), np.roll(rows, -step, axis=1).reshape(-1), step)
    except CyclotomeError as error:
        assert type(error).__name__ == "MissingKeyError", error
    _close(api.decrypt(x.rotate_columns(), where.keys.secret), rows[::-1].reshape(-1), "columns")


def options(draw: Draw) -> None:
    """What holds within a context holds there alone."""
    where, steps = world(SETTING), []
    with api.progress(lambda done, total, what: steps.append((done, total))):
        api.keygen(where.parameters, rotations=[1], device=HOME, reveals=draw(st.integers(1, 9)))
    assert steps and steps[-1][0] == steps[-1][1]
    x = api.encrypt([1], where.keys.public, bound=1).with_keys(where.keys.evaluation)
    with api.allow_undecryptable():
        for _ in range(draw(st.integers(20, 30))):
            x = x * x
    assert x.noise_headroom < 0
    for refused in (lambda: x * x, lambda: api.decrypt(x, where.keys.secret)):
        try:
            refused()
        except CyclotomeError as error:
            assert type(error).__name__ == "NoiseError"
        else:
            raise AssertionError("what can't be decrypted was computed outside of the context")
    a, b = (np.array(draw(st.lists(st.integers(-9, 9), min_size=3, max_size=3)), dtype=object) for _ in range(2))
    y, z = (api.encrypt(each, where.keys.public, bound=9).with_keys(where.keys.evaluation) for each in (a, b))
    with api.relinearize_at_once():
        at_once = y * z
    assert api.to_bytes(at_once) == api.to_bytes(y * z)
    _close(api.decrypt(at_once - y * z + z * z, where.keys.secret), b * b, "products at once and later")
    limit = draw(st.sampled_from(["1G", 1 << 30]))
    api.set_memory_limit(limit=limit)
    try:
        assert api.memory_limit() == 1 << 30
    finally:
        api.set_memory_limit(None)


def tables_by_hand(draw: Draw) -> None:
    """Columns, categories and frames that are put together from arrays."""
    where = world(SETTING)
    values = draw(st.lists(st.integers(-9, 9), min_size=3, max_size=3))
    mask = draw(st.lists(st.integers(0, 1), min_size=3, max_size=3))
    zeroed = [value * one for value, one in zip(values, mask, strict=True)]
    cleared = draw(st.sampled_from([None, False, True]))
    x = api.encrypt(zeroed if cleared else values, where.keys.public, bound=9).with_keys(where.keys.evaluation)
    column = api.EncryptedColumn(
        values=x, scale=1, mask=mask, cleared=cleared, index=None, kind="number", kept=None, name="a"
    )
    _close(api.decrypt_frame(column.sum(), where.keys.secret, exact=True), sum(zeroed), (values, mask))
    frame = api.EncryptedFrame(columns={"a": column}, index=draw(st.sampled_from([None, ("x", "y", "z")])))
    found = api.decrypt_frame(frame, where.keys.secret)["a"]
    assert found.isna().tolist() == [not one for one in mask]
    assert [int(cell) for cell in found.dropna()] == [value for value, one in zip(values, mask, strict=True) if one]


def mapped(draw: Draw) -> None:
    """Nothing but the arguments: a pool of processes is started by tests of `map` (test_mapping.py)."""
    with suppress(CyclotomeError):
        api.map(
            session_jobs.FUNCTIONS["total"],
            [],
            engine=draw(st.sampled_from(["local", "elsewhere"])),
            workers=1,
            device="cpu:1",
            keys=None,
            retries=0,
        )
    with api.Pool(workers=1, device="cpu:1", keys=None, retries=draw(st.integers(0, 3))) as pool:
        for results in (
            pool.map(function=abs, batches=[], checkpoint=None),
            list(pool.imap(function=abs, batches=[], checkpoint=None)),
        ):
            assert results == []
        with pytest.raises(CyclotomeError, match="no batches"):
            pool.reduce(combine=max, batches=[], each=abs, checkpoint=None)
        with pytest.raises(CyclotomeError):
            pool.submit(function=lambda x: x, batch=draw(st.integers()))
    pool.close()


def products_by_method(draw: Draw) -> None:
    """Every way to multiply in BFV gives the same."""
    where, method = world(SETTING), draw(st.sampled_from(api.bfv.METHODS))
    a, b = (np.array(draw(st.lists(st.integers(-9, 9), min_size=3, max_size=3)), dtype=object) for _ in range(2))
    x, y = (api.encrypt(each, where.keys.public, bound=9).with_keys(where.keys.evaluation) for each in (a, b))
    _close(api.decrypt(api.bfv.multiply(x, y, method=method), where.keys.secret), a * b, method)
    with api.bfv.product_method(method):
        _close(api.decrypt(x * y, where.keys.secret), a * b, method)
    p, q = (api.encrypt(each, where.keys.public, bound=9, encoding="coefficients") for each in (a, b))
    p, q = (each.with_keys(where.keys.evaluation) for each in (p, q))
    found = api.bfv.negacyclic_product(p, q, method=method, relinearize=draw(st.booleans()))
    _close(api.decrypt(found, where.keys.secret)[:5], np.convolve(a, b), method)


def modules(draw: Draw) -> None:
    """The rooms that are public by themselves, by one call of each."""
    modulus = draw(st.sampled_from([20, 30]))
    for scheme in (api.bfv, api.bgv):
        found = scheme.find_primes(None, [40], avoid=(2,), cyclotomic=21845)
        assert found[0].bit_length() == 40 and (found[0] - 1) % 21845 == 0
        prime = scheme.find_primes(16, [modulus])[0]
        assert prime % 32 == 1 and prime.bit_length() == modulus and all(prime % k for k in range(2, math.isqrt(2**12)))
    assert api.interop.__name__.startswith("cyclotome") and api.study.__name__ and api.fpga.__name__


SCENARIOS: dict[str, Callable[[Draw], None]] = {
    each.__name__: each
    for each in (
        kinds,
        table_statistics.table_statistics,
        table_statistics.table_options,
        suggestions,
        computed_suggestions,
        digits,
        files,
        held,
        selections,
        wrapping,
        fixed_points,
        convolutions,
        extension_slots,
        shards,
        rotations,
        options,
        tables_by_hand,
        mapped,
        products_by_method,
        modules,
        lookups.lookups,
        *joint.SCENARIOS,
        *quantised.SCENARIOS,
        *real_numbers.SCENARIOS,
        *facts.SCENARIOS,
        *refreshed.SCENARIOS,
        *served.SCENARIOS,
        *checked.SCENARIOS,
        *searched.SCENARIOS,
        *circuit_programs.SCENARIOS,
    )
}
