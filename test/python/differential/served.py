# SPDX-License-Identifier: Apache-2.0
"""What a service answers, beside the same function called here and beside NumPy and pandas; and questions that it has
to refuse."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import cyclotome as cy
import numpy as np
import session_jobs
from cyclotome.errors import CyclotomeError
from hypothesis import strategies as st
from small import HOME

from .programs import world
from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]
SETTING = "bfv 40961 65537"


def _chosen_first(x: Any, y: Any) -> Any:
    """Of numbers in digits, which are compared."""
    return api.less(x, y)


def _digits_back(x: Any, y: Any) -> Any:
    return [api.maximum(x, y), x]


FUNCTIONS = {
    **{name: session_jobs.FUNCTIONS[name] for name in ("product", "total", "scored", "several", "alone", "broken")},
    **session_jobs.TABLES,
    "less": _chosen_first,
    "largest": _digits_back,
}
#: What each gives of arrays in the clear.
CLEAR: dict[str, Callable[..., list[Any]]] = {
    "product": lambda a, b: [a * b],
    "total": lambda a: [a.sum()],
    "scored": lambda a: [session_jobs.WEIGHTS.astype(object) @ a],
    "several": lambda a, b: [a + b, a - b],
    "alone": lambda a: [a],
}


def _server(draw: Draw, parameters: Any, folder: str) -> Any:
    quotas = {field.name: field.default for field in dataclasses.fields(cy.sessions.Quotas)}
    return api.Server(
        FUNCTIONS,
        parameters=parameters,
        workers=0,
        jobs=draw(st.sampled_from([None, 1])),
        device=HOME,
        retries=draw(st.integers(0, 2)),
        quotas=api.sessions.Quotas(**quotas),
        folder=draw(st.sampled_from([None, folder])),
        allow_insecure=True,
    )


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def served_arrays(draw: Draw) -> None:
    """A server's answers are what the function gives here, and what NumPy gives."""
    where, name = world(SETTING), draw(st.sampled_from(sorted(CLEAR)))
    values = st.lists(st.integers(-9, 9), min_size=5, max_size=5)
    count = 2 if name in ("product", "several") else 1
    given = [np.array(draw(values), dtype=object) for _ in range(count)]
    arrays = [api.encrypt(each, where.keys.public, bound=9).with_keys(where.keys.evaluation) for each in given]
    here = [api.decrypt(each, where.keys.secret) for each in _listed(FUNCTIONS[name](*arrays))]
    with tempfile.TemporaryDirectory() as folder, _server(draw, where.parameters, folder) as server:
        client = api.Client(server, where.keys)
        assert client.parameters == where.parameters and client.key_id == where.keys.secret.key_id
        if draw(st.booleans()):
            assert client.send_keys() == client.fingerprint
        encrypted = [client.encrypt(each, bound=9) if draw(st.booleans()) else each for each in given]
        found = _listed(client.call(name, *encrypted, bound=9))
        client.close()
    wanted = CLEAR[name](*given)
    for each in (here, found):
        assert len(each) == len(wanted), name
        for one, other in zip(each, wanted, strict=True):
            assert np.array_equal(np.asarray(one, dtype=object), other), f"{name} of {given}: {one}, not {other}"


def carried_bytes(draw: Draw) -> None:
    """The same with bytes that somebody carries: an answer is to its question alone, and a server that forgot the keys
    asks for them."""
    where = world(SETTING)
    a, b = (draw(st.lists(st.integers(-9, 9), min_size=3, max_size=3)) for _ in range(2))
    with tempfile.TemporaryDirectory() as folder, _server(draw, where.parameters, folder) as server:
        client = api.Client(None, where.keys)
        keys = server.add_keys(client.key_bytes(), "a client")
        assert keys == client.fingerprint
        first, second = (client.request(each, bound=9) for each in (a, b))
        answers = [server.call("total", each, keys, "a client") for each in (first, second)]
        assert client.read(answers[0], "total", first, keys=draw(st.sampled_from([None, keys]))) == sum(a)
        assert client.read(answers[1], unbound=True) == sum(b)
        crossed = [(answers[0], "total", second), (answers[0], "alone", first), (answers[0],)]
        for each in crossed:
            _refused(lambda each=each: client.read(*each), "MismatchError", "ArgumentError")  # type: ignore[misc]
        changed = bytearray(answers[0])
        changed[draw(st.integers(0, len(changed) - 1))] ^= 1 << draw(st.integers(0, 7))
        _refused(lambda: client.read(bytes(changed), "total", first), "")
        _refused(lambda: server.call("broken", first, keys, "a client"), "FunctionError")
        _refused(lambda: server.call("no such function", first, keys, "a client"), "ArgumentError")
        server.forget_keys(keys, "a client")
        _refused(lambda: server.call("total", first, keys, "a client"), "UnknownKeysError")
        server.close()


def _refused(call: Callable[[], Any], *kinds: str) -> None:
    """By an error of the library, of one of these kinds."""
    try:
        found = call()
    except CyclotomeError as error:
        assert kinds == ("",) or type(error).__name__ in kinds, repr(error)
        return
    raise AssertionError(f"answered {found!r:.200}")


def served_digits(draw: Draw) -> None:
    """Numbers wider than what is compared at once."""
    where, base, count = world(SETTING), draw(st.sampled_from([2, 4])), draw(st.integers(1, 2))
    numbers = st.lists(st.integers(0, base**count - 1), min_size=3, max_size=3)
    a, b = (np.array(draw(numbers), dtype=object) for _ in range(2))
    name = draw(st.sampled_from(["less", "largest"]))
    with tempfile.TemporaryDirectory() as folder, _server(draw, where.parameters, folder) as server:
        client = api.Client(server, where.keys)
        x, y = (client.encrypt_digits(each, base=base, digits=count) for each in (a, b))
        try:
            found = _listed(client.call(name, x, y))
        except CyclotomeError as error:
            assert type(error).__name__ in ("NoiseError", "MissingKeyError"), error
            return
    wanted = [np.less(a, b).astype(int)] if name == "less" else [np.maximum(a, b), a]
    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(np.asarray(one, dtype=object), other), f"{name} of {a}, {b}: {one}, not {other}"


def served_tables(draw: Draw) -> None:
    """A table in, tables out, beside fractions."""
    __import__("pytest").importorskip("pandas")
    where, rows = world(SETTING), draw(st.integers(1, 4))
    price = draw(st.lists(st.integers(-50, 50), min_size=rows, max_size=rows))
    sold = draw(st.lists(st.integers(0, 20), min_size=rows, max_size=rows))
    places = draw(st.lists(st.sampled_from(["x", "y"]), min_size=rows, max_size=rows))
    rate = draw(st.lists(st.integers(1, 5), min_size=rows, max_size=rows))
    table = {"price": [each / 10 for each in price], "sold": sold, "where": places}
    options = {
        "scales": {"price": 1, "sold": 0},
        "bounds": {"price": 5, "sold": 20},
        "categories": {"where": ["x", "y"]},
    }
    with tempfile.TemporaryDirectory() as folder, _server(draw, where.parameters, folder) as server:
        client = api.Client(server, where.keys)
        x = client.encrypt_frame(table, **options)
        more, total = client.call("income", x, client.encrypt(rate, bound=5))
        grouped = client.call("by_place", x)
        _refused(lambda: client.call("column_alone", x), "FunctionError", "ArgumentError")
    wanted = [Fraction(p, 10) * s + Fraction(1, 2) for p, s in zip(price, sold, strict=True)]
    assert [round(Fraction(float(each)), 6) for each in more["income"]] == [round(each, 6) for each in wanted], table
    assert int(total["total"].iloc[0]) == sum(s * r for s, r in zip(sold, rate, strict=True)), (table, rate)
    for place in ("x", "y"):
        own = sum(s for s, each in zip(sold, places, strict=True) if each == place)
        assert int(grouped["sold"][place]) == own, table


SCENARIOS = (served_arrays, carried_bytes, served_digits, served_tables)
