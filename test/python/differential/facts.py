# SPDX-License-Identifier: Apache-2.0
"""What objects say of themselves, held to what they were made with and to what they then do."""

from __future__ import annotations

import copy
import math
import pickle
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from small import HOME

from .programs import SETTINGS, world
from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]
SETTING = "bfv 40961 65537"


def facts_of_arrays(draw: Draw) -> None:
    """Of shapes, layouts and encodings."""
    where = world(draw(st.sampled_from(sorted(SETTINGS))))
    parameters, keys = where.parameters, where.keys
    shape = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    layout, encoding = draw(st.sampled_from([("packed", "slots"), ("replicated", "slots"), ("packed", "coefficients")]))
    low, high = draw(st.sampled_from([(-3, 9), (0, 1), (2, 2)]))
    values = np.full(shape, low)
    wraps = draw(st.booleans())
    options = {"wrap": True} if wraps else {"bound": (low, high)}
    x = api.encrypt(values, keys.public, layout=layout, encoding=encoding, **options)
    assert (x.shape, x.ndim, x.size, len(x)) == (shape, len(shape), math.prod(shape), shape[0])
    assert (x.layout, x.encoding, x.dtype, x.is_bits) == (layout, encoding, "int", False)
    assert x.parameters == parameters and x.device == HOME and x.key_id == keys.secret.key_id
    assert (x.wrap, x.bound) == (wraps, None if wraps else max(abs(low), abs(high)))
    batch = math.prod(shape) if layout == "replicated" else math.prod(shape[:-1])
    assert x.ciphertexts == batch * len(parameters.plain_moduli)
    assert x.level == len(parameters.moduli) and x.nbytes == x.ciphertexts * 2 * 16 * 8 * x.level
    assert x.held_bytes >= x.nbytes and x.noise_headroom > 0
    y = x.to("cpu:1")
    assert y.device == "cpu:1" and y.nbytes == x.nbytes
    assert copy.deepcopy(x).shape == shape and pickle.loads(pickle.dumps(x)).l1_bound == x.l1_bound
    for refused in (lambda: x.mean(), lambda: x / 2, lambda: bool(x), lambda: x == x, lambda: x.roll(1)):
        _refused(refused)


def _refused(call: Callable[[], Any]) -> None:
    try:
        found = call()
    except api.errors.CyclotomeError:
        return
    raise AssertionError(f"not refused: {found!r}")


def facts_of_keys(draw: Draw) -> None:
    """Ids, devices, what evaluation keys are for, and the count of reveals."""
    where = world(SETTING)
    parameters, rotations = where.parameters, sorted(draw(st.sets(st.integers(1, 3), max_size=2)))
    columns, relinearization = draw(st.booleans()), draw(st.booleans())
    reveals = draw(st.integers(1, 99))
    made = api.keygen(
        parameters,
        rotations=rotations,
        columns=columns,
        relinearization=relinearization,
        galois_elements=[],
        reveals=reveals,
        device=HOME,
    )
    secret, public, evaluation = made
    assert evaluation.relinearization == relinearization
    assert set(rotations) <= set(evaluation.rotations) and (evaluation.columns or not columns)
    row = parameters.slot_ring.galois
    assert {row.row_rotation(step) for step in rotations} <= set(evaluation.galois_elements)
    for key in made:
        assert key.parameters == parameters and key.device == HOME and key.key_id == secret.key_id
        assert key.to("cpu:1").device == "cpu:1"
    assert public.evaluation is evaluation and public.nbytes > 0 and evaluation.nbytes >= 0
    assert evaluation.joined(evaluation).nbytes == evaluation.nbytes
    more = api.keygen(parameters, rotations=[], device=HOME)
    _refused(lambda: evaluation.joined(more.evaluation))
    assert where.there.source_id == where.keys.secret.key_id and where.there.key_id == where.other.secret.key_id
    assert where.there.nbytes > 0 and where.there.to("cpu:1").device == "cpu:1"
    assert where.there.parameters == parameters and where.there.device == HOME
    assert (secret.reveals.planned, secret.reveals.spent, secret.reveals.left) == (reveals, 0, reveals)
    with tempfile.TemporaryDirectory() as folder:
        secret.keep_reveals(Path(folder) / "count")
        counted(draw, secret, public, reveals)


def counted(draw: Draw, secret: Any, public: Any, planned: int) -> None:
    """Each value that is revealed counts; beyond what was planned nothing is."""
    asked = draw(st.lists(st.integers(1, 4), max_size=3))
    spent, moduli = 0, len(secret.parameters.plain_moduli)
    for rows in asked:
        x = api.encrypt(np.ones((rows, 2), dtype=int), public, bound=1)
        cost = rows if moduli == 1 else None
        try:
            found = api.reveal(x, secret, flooding_bits=40)
        except api.errors.BudgetError:
            assert secret.reveals.spent == spent and spent + rows * moduli > planned
            continue
        assert found.tolist() == [[1, 1]] * rows
        now = secret.reveals.spent
        assert now - spent in ({cost} if cost else {rows, rows * moduli}) and now <= planned
        spent = now
    secret.plan_reveals(spent + 5)
    assert secret.reveals.left == 5


def facts_of_parameters(draw: Draw) -> None:
    """Made each way that there is; primes are primes of the ring, and what follows from them follows."""
    parameters = _parameters(draw)
    n = parameters.degree
    for prime in (*parameters.moduli, *parameters.special_moduli):
        assert prime % (2 * n) == 1 and pow(3, prime - 1, prime) == 1 and prime < 1 << parameters.word
    product = math.prod(parameters.moduli)
    assert parameters.modulus_bits == product.bit_length()
    assert parameters.key_modulus_bits == (product * math.prod(parameters.special_moduli)).bit_length()
    assert parameters.plain_product == math.prod(parameters.plain_moduli)
    assert parameters.capacity == (parameters.plain_product - 1) // 2
    stated = parameters.value_bits
    assert parameters.default_bound == (
        parameters.capacity if stated is None else min(2**stated - 1, parameters.capacity)
    )
    assert parameters.has_levels == (parameters.scheme == "bgv")
    assert parameters.has_slots == all(
        t % 4 == 1 and all(t % d for d in range(2, min(t, 1 + math.isqrt(t)))) for t in parameters.plain_moduli
    )
    assert parameters.slots * parameters.slot_degree == n or not parameters.has_slots
    assert parameters.slots_by_default in (parameters.has_slots, False) and parameters.digits >= 0
    assert (parameters.slot_shape, parameters.field_degree, parameters.field_polynomial) == (None, None, None)
    assert parameters.cyclotomic is None and parameters.ring.degree == n
    assert parameters.holds_bits == (parameters.plain_moduli == (2,))
    assert parameters.slot_ring.degree == parameters.slots or not parameters.has_slots
    assert parameters.insecure == (parameters.security_by(parameters.table) < 128)
    assert parameters.security_by(parameters.table) == parameters.security_reached
    assert parameters.security_reached >= parameters.security or parameters.allow_insecure
    assert parameters.attacks in ("classical", "quantum") and parameters.allow_insecure in (True, False)
    assert parameters.summary() in repr(parameters) and str(n) in parameters.explain()
    assert isinstance(parameters.strict, bool) and parameters.parties >= 1 and isinstance(parameters.name, str)
    again = pickle.loads(pickle.dumps(parameters))
    assert again == parameters and again.fingerprint == parameters.fingerprint


def _parameters(draw: Draw) -> Any:
    Parameters = api.Parameters
    way = draw(st.sampled_from(["suggest", "bits", "context", "preset", "primes"]))
    table, bits = draw(st.sampled_from(["guidelines-2024", "he-standard-2018"])), draw(st.sampled_from([None, 3]))
    scheme, word = draw(st.sampled_from(["bfv", "bgv"])), draw(st.sampled_from([32, 64]))
    if way == "suggest":
        return Parameters.suggest(
            depth=draw(st.integers(0, 2)),
            value_bits=draw(st.integers(1, 6)),
            result_bits=draw(st.sampled_from([None, 20])),
            terms=draw(st.integers(1, 9)),
            plain_products=draw(st.integers(0, 1)),
            security=draw(st.sampled_from([128, 192])),
            table=table,
            word=draw(st.sampled_from([None, word])),
            min_degree=draw(st.sampled_from([0, 4096])),
            slots=draw(st.booleans()),
            scheme=draw(st.sampled_from([None, scheme])),
            flooding_bits=draw(st.sampled_from([0, 30])),
            strict=draw(st.booleans()),
            bits=False,
            cyclotomic=None,
            parties=draw(st.integers(1, 3)),
        )
    if way == "bits":
        return Parameters.from_modulus_bits(
            degree=4096,
            modulus_bits=draw(st.integers(60, 75)),
            plain_moduli=[draw(st.sampled_from([257, 40961, 4096]))],
            word=word,
            security=128,
            table=table,
            allow_insecure=draw(st.booleans()),
            strict=draw(st.booleans()),
            name=draw(st.sampled_from(["", "mine"])),
            value_bits=bits,
            scheme=scheme,
            cyclotomic=None,
            aim=draw(st.sampled_from(["speed", "depth"])),
            parties=draw(st.integers(1, 2)),
        )
    if way == "context":
        primes = api.bgv.find_primes(degree=64, bits=[40, 40, 40])
        return Parameters.from_context(
            SimpleNamespace(degree=64, primes=primes),
            plain_moduli=(257,),
            scheme=scheme,
            security=0,
            table=table,
            allow_insecure=True,
            name="of a context",
            value_bits=bits,
        )
    if way == "preset":
        name = draw(st.sampled_from(sorted(Parameters.presets())))
        return Parameters.preset(name, allow_insecure=True, value_bits=bits)
    return world(draw(st.sampled_from(sorted(SETTINGS)))).parameters


def facts_of_operands(draw: Draw) -> None:
    """Public operands, matrices and steps give back what they were made of."""
    where = world(SETTING)
    rows = draw(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=3))
    plain = api.plain(np.array(rows), where.parameters, device=HOME)
    assert plain.shape == (len(rows), 3) and np.array_equal(plain.values, rows) and plain.nbytes >= 0
    assert plain.parameters == where.parameters
    matrix = api.Matrix(rows, where.parameters, device=HOME)
    assert (
        matrix.shape == (len(rows), 3) and np.array_equal(matrix.values, rows) and matrix.parameters == plain.parameters
    )
    assert matrix.prepared(right=draw(st.booleans())).nbytes > 0
    operand = api.Operand(shape=(3,), bound=9)
    x = operand.encrypted(where.keys.public)
    assert (x.shape, x.bound) == ((3,), 9)
    steps = api.FixedPoint(bits=draw(st.integers(0, 8)))
    whole = draw(st.lists(st.integers(-999, 999), min_size=1, max_size=3))
    factors = draw(st.integers(0, 3))
    assert steps.scale == 2**steps.bits
    exact = [Fraction(value, steps.scale**factors) for value in whole]
    assert list(steps.decode(whole, factors=factors, exact=True)) == exact
    assert list(steps.decode(whole, factors=factors, exact=False)) == [float(each) for each in exact]


def facts_of_digits(draw: Draw) -> None:
    where, base, count = world(SETTING), draw(st.sampled_from([2, 4])), draw(st.integers(1, 3))
    values = draw(st.lists(st.integers(0, base**count - 1), min_size=1, max_size=3))
    x = api.encrypt_digits(values, where.keys.public, base=base, digits=count)
    assert (x.count, x.shape, x.bound, x.base) == (count, (len(values),), base**count - 1, base)
    assert x.parameters == where.parameters and x.level == len(where.parameters.moduli) and x.noise_headroom > 0
    assert [each.shape for each in x.arrays()] == [(count, len(values))]
    moved = x.to("cpu:1").mapped(lambda array: array.with_keys(where.keys.evaluation))
    number = moved.number()
    assert api.decrypt(number, where.keys.secret).tolist() == values and number.interval[1] >= base**count - 1
    assert api.decrypt_digits(moved, where.keys.secret).tolist() == values


def facts_of_shards(draw: Draw) -> None:
    where, rows = world(SETTING), draw(st.integers(1, 5))
    values = np.array(draw(st.lists(st.integers(-9, 9), min_size=2 * rows, max_size=2 * rows))).reshape(rows, 2)
    x = api.encrypt(values, where.keys.public, bound=9)
    pieces = api.sharding.shard(x, devices=["cpu:1", "cpu:1", "cpu:2"])
    assert len(pieces.shards) == len(pieces.devices) == min(3, rows) and sum(map(len, pieces.shards)) == rows
    assert (pieces.shape, pieces.ndim, pieces.bound, len(pieces)) == (x.shape, 2, 9, rows)
    assert pieces.parameters == x.parameters and pieces.key_id == x.key_id
    assert (pieces.ciphertexts, pieces.nbytes) == (x.ciphertexts, x.nbytes) and pieces.held_bytes >= x.nbytes
    assert pieces.noise_headroom == x.noise_headroom
    pieces = pieces.with_keys(where.keys.public, where.keys.evaluation).map(lambda piece: piece * piece)
    assert np.array_equal(
        pieces.decrypted(lambda piece: api.decrypt(piece, where.keys.secret.to(piece.device))), values**2
    )
    whole = pieces.gather(draw(st.sampled_from([None, "cpu:1"])))
    assert whole.device == "cpu:1" and np.array_equal(api.decrypt(whole, where.keys.secret), values**2)


def facts_of_files(draw: Draw) -> None:
    """What `inspect` tells of a file is what the object says."""
    where = world(draw(st.sampled_from(sorted(SETTINGS))))
    x = api.encrypt(draw(st.lists(st.integers(-2, 9), min_size=1, max_size=4)), where.keys.public, bound=(-2, 9))
    with tempfile.TemporaryDirectory() as folder:
        api.save(Path(folder) / "x.ct", x)
        found = api.inspect(Path(folder) / "x.ct", max_bytes=1 << 20)
    told = found.asdict()
    assert told["kind"] == found.kind == "encrypted array" and tuple(found.shape) == x.shape
    assert (found.key_id, tuple(found.interval), found.layout) == (x.key_id, (-2, 9), "packed")
    assert x.key_id[:8] in str(found)


SCENARIOS = (
    facts_of_arrays,
    facts_of_keys,
    facts_of_parameters,
    facts_of_operands,
    facts_of_digits,
    facts_of_shards,
    facts_of_files,
)
