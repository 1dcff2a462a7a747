# SPDX-License-Identifier: Apache-2.0
"""Circuits on encrypted bits, beside NumPy and PRINCE's published vectors."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import cyclotome as cy
import numpy as np
from hypothesis import strategies as st

from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]
#: Products one after the other that keys carry.
DEPTH = 9


@cache
def _keys(scheme: str, modulus: int) -> cy.Keys:
    """Keys of a ring that hides nothing: modulo 2, or modulo a prime with slots."""
    width = 29 if modulus == 2 else 55
    primes = api.bgv.find_primes(degree=1024, bits=[width] * (DEPTH + 2))
    parameters = (api.bgv if scheme == "bgv" else api.bfv).Parameters(
        degree=1024,
        plain_moduli=[modulus],
        moduli=primes[1:],
        special_moduli=primes[:1],
        word=32 if width < 30 else 64,
        security=0,
        allow_insecure=True,
    )
    return api.keygen(parameters, rotations=[])


def _lists(draw: Draw, bits: int, signed: bool, shape: tuple[int, ...]) -> Any:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    size = int(np.prod(shape))
    return np.array(draw(st.lists(st.integers(low, high), min_size=size, max_size=size))).reshape(shape)


def _out_and_in(draw: Draw, x: Any) -> Any:
    """Through a file's bytes or pickle, or not."""
    way = draw(st.sampled_from(["", "bytes", "pickle"]))
    if way == "bytes":
        return api.from_bytes(api.to_bytes(x), allow_insecure=True).with_keys(*_rings(x))
    return pickle.loads(pickle.dumps(x)).with_keys(*_rings(x)) if way else x


def _rings(x: Any) -> tuple[Any, ...]:
    return tuple(x.digits.keyring.keys())


def sorted_lists(draw: Draw) -> None:
    """`sort`, `top_k` and `argmax` of lists, with numbers that they take along."""
    scheme, modulus = draw(st.sampled_from([("bgv", 2), ("bgv", 65537), ("bfv", 65537)]))
    keys = _keys(scheme, modulus)
    count, bits, signed = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.booleans())
    lists = _lists(draw, bits, signed, (1 if modulus == 2 else draw(st.integers(1, 3)), count))
    carried = _lists(draw, 2, False, lists.shape)
    secret, circuit = keys.secret, api.circuit
    x = _out_and_in(draw, circuit.encrypt_lists(lists, keys.public, bits=bits, signed=signed, progress=None))
    assert isinstance(x, circuit.EncryptedNumbers.target) and x.shape == lists.shape
    assert (x.count, x.lanes) == (count, len(lists)) and x.level > 0 and x.parameters == secret.parameters
    devices = draw(st.sampled_from([None, ["cpu:1"], ["cpu:1", "cpu:1"]]))
    along = draw(st.sampled_from([None, circuit.encrypt_lists(carried, keys.public, bits=2)]))
    descending, k = draw(st.booleans()), draw(st.integers(1, count))
    order = np.argsort(-lists if descending else lists, axis=-1, kind="stable")
    largest = np.argsort(-lists, axis=-1, kind="stable")[..., :k]
    calls = {
        "sort": (lambda: circuit.sort(x, descending=descending, carry=along, progress=None, devices=devices), order),
        "top_k": (lambda: circuit.top_k(x, k, carry=along, progress=None, devices=devices), largest),
    }
    for name, (call, wanted) in calls.items():
        found = call()
        first, rest = (found, None) if along is None else found
        story = f"{name} of {lists.tolist()}, {bits} bits, signed {signed}, {scheme} modulo {modulus}"
        assert np.array_equal(circuit.decrypt(first, secret), np.take_along_axis(lists, wanted, -1)), story
        if rest is not None:
            assert np.array_equal(circuit.decrypt(rest, secret), np.take_along_axis(carried, wanted, -1)), story
    if count > 1:
        place = circuit.decrypt(circuit.argmax(x, progress=None, devices=devices), secret)
        assert np.array_equal(place.reshape(-1), lists.argmax(-1)), lists


def compared_numbers(draw: Draw) -> None:
    """`less` and `equal`, number by number; and files of them with keys of another secret."""
    scheme, modulus = draw(st.sampled_from([("bgv", 2), ("bgv", 65537), ("bfv", 65537)]))
    keys, circuit = _keys(scheme, modulus), api.circuit
    bits, signed = draw(st.integers(1, 5)), draw(st.booleans())
    shape = (1,) if modulus == 2 else (draw(st.integers(1, 5)),)
    a, b = (_lists(draw, bits, signed, shape) for _ in range(2))
    x, y = (circuit.encrypt(each, keys.public, bits=bits, signed=signed, progress=None) for each in (a, b))
    x, y = _out_and_in(draw, x), _out_and_in(draw, y)
    devices = draw(st.sampled_from([None, ["cpu:1", "cpu:1"]]))
    for name, wanted in (("less", a < b), ("equal", a == b)):
        found = getattr(circuit, name)(x, y, progress=None, devices=devices)
        assert np.array_equal(circuit.decrypt(found, keys.secret), wanted.astype(int)), (name, a, b, bits, signed)


def circuits_in_the_clear(draw: Draw) -> None:
    """What circuits say of themselves holds of what they then do: levels, noise, sections, keys."""
    Circuit = api.circuit.Circuit
    count, bits, signed = draw(st.integers(2, 4)), draw(st.integers(1, 3)), draw(st.booleans())
    kept, carried = draw(st.integers(0, count)), draw(st.integers(0, 2))
    modulus = draw(st.sampled_from([2, 65537]))
    made = {
        "sort": Circuit.sort(
            count=count,
            bits=bits,
            carried=carried,
            kept=kept,
            signed=signed,
            descending=draw(st.booleans()),
            modulus=modulus,
        ),
        "argmax": Circuit.argmax(count=count, bits=bits, signed=signed, modulus=modulus),
        "less": Circuit.less(bits=bits, signed=signed, modulus=modulus),
        "equal": Circuit.equal(bits=bits, modulus=modulus),
    }
    name = draw(st.sampled_from(sorted(made)))
    circuit = made[name]
    assert circuit.modulus == modulus and circuit.products >= circuit.depth >= 0
    assert circuit.relinearizations >= 0
    scheme, word = draw(st.sampled_from(["bgv", "bfv"])), draw(st.sampled_from([32, 64]))
    try:
        parameters = circuit.parameters(
            scheme=scheme,
            degree=1024,
            cyclotomic=None,
            security=0,
            word=word,
            table="guidelines-2024",
            also=[made["less"]],
        )
    except api.errors.ParameterError as error:  # primes below 2^30 leave little beside a plaintext modulus of 2^16
        assert word == 32 and modulus > 2 and "word=64" in str(error), error
        return
    lanes, devices = draw(st.integers(1, 9)), draw(st.integers(1, 2))
    plan = circuit.plan(
        parameters, lanes=lanes, devices=devices, memory=draw(st.sampled_from([None, 1 << 20, 1 << 40]))
    )
    assert isinstance(plan, api.circuit.Plan.target) and plan.carried and plan.headroom > 0, name
    assert 1 <= plan.devices <= devices and plan.sections >= 1 and plan.peak_bytes > 0 and plan.key_bytes >= 0
    assert all(isinstance(layer, api.circuit.Layer.target) for layer in plan.layers)
    assert sum(layer.products for layer in plan.layers) == circuit.products
    assert 1 <= plan.level <= len(parameters.moduli) and str(plan)
    assert not plan.by_lanes or devices > 1
    assert not plan.keys_spread or devices > 1
    if devices == 1 and modulus == 2 and name in ("less", "equal"):
        keys = api.keygen(parameters, rotations=[])
        low = -(1 << bits - 1) if signed and name == "less" else 0
        a, b = (np.array([draw(st.integers(low, low + (1 << bits) - 1))]) for _ in range(2))
        signs = signed and name == "less"
        x, y = (api.circuit.encrypt(each, keys.public, bits=bits, signed=signs) for each in (a, b))
        found = getattr(api.circuit, name)(x, y)
        wanted = a < b if name == "less" else a == b
        assert api.circuit.decrypt(found, keys.secret).tolist() == wanted.astype(int).tolist(), (name, a, b)
        assert found.noise_headroom >= plan.headroom - 1e-6 or found.level != plan.level


def prince_plans(draw: Draw) -> None:
    """The cipher's circuit in both directions; its blocks take minutes and are in test_circuits.py, but for what its
    key is refused for."""
    backwards = draw(st.booleans())
    circuit = api.circuit.Circuit.prince(decrypt=backwards)
    assert (circuit.depth, circuit.modulus) == (24, 2) and circuit.products > 1000
    keys = _keys("bgv", 2)
    halves = draw(st.integers(0, (1 << 64) - 1)), draw(st.integers(0, (1 << 64) - 1))
    key = api.circuit.prince_key(*halves, keys.public)
    assert [int(half) for half in api.circuit.decrypt(key, keys.secret).reshape(-1)] == list(halves)
    blocks = draw(st.lists(st.integers(0, (1 << 64) - 1), min_size=1, max_size=1))
    try:
        api.circuit.prince(blocks, key, decrypt=backwards, progress=None, devices=None)
    except (api.errors.NoiseError, api.errors.MissingKeyError):
        return
    raise AssertionError(f"{DEPTH} levels carry no 24 products")


SCENARIOS = (sorted_lists, compared_numbers, circuits_in_the_clear, prince_plans)
