# SPDX-License-Identifier: Apache-2.0
"""Paper 002 done again: what its library precomputes, its operations on polynomials, and relinearisation.

Every operation's result is checked, by Python's integers or FLINT. Relinearisation runs with a key without noise, to 1
in place of f, so that what comes out has to be what went in; it has the size of a real one. On a GPU operations are
those of the arithmetic's CUDA twin, of several polynomials at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome.errors import ArgumentError
from cyclotome.reporting import Task
from cyclotome_study import ltv
from cyclotome_study.ltv_arithmetic import Arithmetic, memory_plan

from cyclotome_bench.applications.applications import measure_application
from cyclotome_bench.applications.ltv_plans import Cell, LtvPlan
from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.timing import Timing, alternate
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.cells import compared, no_times, timed
from cyclotome_bench.reports.report import Record, key_fields

__all__ = ["measure_ltv"]

_Polynomial = _core.LtvPolynomial


def measure_ltv(plan: LtvPlan, known: set[tuple[Any, ...]] | None = None) -> Iterator[Record]:
    """Measures the cells that `known` (`Report.keys`) does not hold yet, and gives the records of each when it is done.

    Raises:
        WrongResultError: an operation is wrong.

    Reports progress as `cyclotome.progress` describes, in cells.
    """
    known = known or set()
    task = Task("measuring paper 002", len(plan.cells) + len(plan.applications))
    for cell in plan.cells:
        params = ltv.Parameters.preset(cell.preset)
        bits = params.native.arithmetic.modulus(cell.primes or params.levels).bit_length()
        if not any((key[0], key[2], key[6]) == (f"002-{cell.table}", cell.preset, bits) for key in known):
            yield from _measured(cell, params, plan)
        task.advance()
    for application in plan.applications:
        own = ("002-6", application.scheme, application.chain, application.job)
        if not any(key[:4] == own for key in known):
            yield measure_application(application, plan.device)
        task.advance()


def _measured(cell: Cell, params: ltv.Parameters, plan: LtvPlan) -> Iterator[Record]:
    if plan.device.startswith("cuda"):
        yield from _on_device(cell, params, plan)
    elif cell.table == "3":
        for row in memory_plan(params):
            yield _record(cell, params, row.item, None, paper_bytes=row.formula_bytes, bytes=row.allocated)
    elif cell.table == "5":
        yield from _operations(cell, params, plan)
    else:
        yield from _relinearization(cell, params, plan)


# --- on a GPU ---------------------------------------------------------------------------------------------------------
#: Polynomials at once: as many of Table 5's largest set as fit beside its keys.
_AT_ONCE, _FEW_AT_ONCE, _LARGE = 16, 4, 32768
_REPETITIONS = 10
#: Samples of each time, each a mean over the repetitions by the card's events.
_RUNS = 5


def _on_device(cell: Cell, params: ltv.Parameters, plan: LtvPlan) -> Iterator[Record]:
    ring, native, index = Arithmetic.of(params), params.native.arithmetic, int(plan.device.partition(":")[2])
    at_once = _FEW_AT_ONCE if params.degree == _LARGE else _AT_ONCE
    common: dict[str, Any] = {"device": plan.device, "batch": at_once}
    if cell.table == "3":
        held = dict(_core.cuda_ltv_memory(params.native, index))
        for row in memory_plan(params):
            if row.item in held:
                sizes: dict[str, Any] = {"paper_bytes": row.formula_bytes, "bytes": held[row.item]}
                yield _record(cell, params, row.item, None, **sizes, **common)
        return
    if cell.table == "4":
        values, x = _random(ring, cell.primes, 3)
        runs = [_core.cuda_ltv_relinearization(params.native, x, at_once, _REPETITIONS, index) for _ in range(_RUNS)]
        _, _, result = runs[-1]
        _require("relinearisation", cell, ring.coefficients(result) == values)
        more: dict[str, Any] = {"primes": cell.primes, "digits": params.native.digits(cell.primes)}
        yield _record(cell, params, "relinearisation", Timing([us for _, us, _ in runs]), **more, **common)
        return
    values, x = _random(ring, params.levels, 1)
    others, y = _random(ring, params.levels, 2)
    # At once, which is throughput, and one by one, which is what the paper's latencies are of.
    several = [_core.cuda_ltv_operations(params.native, x, y, at_once, _REPETITIONS, index) for _ in range(_RUNS)]
    alone = [_core.cuda_ltv_operations(params.native, x, y, 1, _REPETITIONS, index) for _ in range(_RUNS)]
    results = {name: result for name, _, result in several[-1]}
    _require_all(cell, ring, results, values, others)
    _require("MULADD", cell, ring.coefficients(results["MULADD"]) == values)
    _require("NTT", cell, np.array_equal(results["NTT"].values(), native.to(x, "NTT").values()))
    for found, batch in ((several, at_once), (alone, 1)):
        for i, (name, _, _) in enumerate(found[0]):
            timing = Timing([run[i][1] for run in found])
            yield _record(cell, params, name, timing, device=plan.device, batch=batch)


def _random(ring: Arithmetic, primes: int, seed: int) -> tuple[list[int], _Polynomial]:
    q = ring.modulus(primes)
    rng = random.Random(seed)
    values = [rng.randrange(q) for _ in range(ring.degree)]
    return values, ring.polynomial(values, primes=primes)


def _require(what: str, cell: Cell, right: bool) -> None:
    if not right:
        raise WrongResultError(f"{what}, {cell.preset}: not what the polynomials give")


def _operations(cell: Cell, params: ltv.Parameters, plan: LtvPlan) -> Iterator[Record]:
    """The rows of Table 5: all primes each, as the paper's latencies do."""
    ring, native = Arithmetic.of(params), params.native.arithmetic
    d = params.levels
    values, x = _random(ring, d, 1)
    others, y = _random(ring, d, 2)
    raw, transform, other = native.to(x, "RAW"), native.to(x, "NTT"), native.to(y, "NTT")
    product = native.intt(native.dot(transform, other))
    total = native.ntt_zero(d)
    window = 16
    digit = native.digit_ntt(raw, 0, window)
    sums = [native.ntt_zero(d)]

    def multiply_add() -> Any:
        """One digit times one key, added; begun again before a sum could reach the carrier."""
        try:
            native.multiply_add(sums[0], digit, transform)
        except ArgumentError:
            sums[0] = native.ntt_zero(d)
            native.multiply_add(sums[0], digit, transform)
        return sums[0]

    actions: dict[str, Callable[[], Any]] = {
        "CRT": lambda: native.to(raw, "CRT"),
        "ICRT": lambda: native.to(x, "RAW"),
        "NTT": lambda: native.to(x, "NTT"),
        "INTT": lambda: native.intt(transform),
        "MULADD": multiply_add,
        "BARRETT": lambda: native.barrett(product),
        "ADD": lambda: native.add(x, y),
    }
    timings = dict(zip(actions, alternate(list(actions.values()), plan.budget), strict=True))
    results = {name: timing.result for name, timing in timings.items()}
    _require_all(cell, ring, results, values, others)
    _require("NTT", cell, np.array_equal(results["NTT"].values(), transform.values()))
    native.multiply_add(total, digit, transform)
    low = [value & ((1 << window) - 1) for value in values]
    _require("MULADD", cell, _is_product(ring, native.to(total, "CRT"), low, values))
    for name, timing in timings.items():
        yield _record(cell, params, name, timing)


def _require_all(
    cell: Cell, ring: Arithmetic, results: dict[str, _Polynomial], values: list[int], others: list[int]
) -> None:
    """What Python's integers and FLINT can say of all operations but NTT and MULADD."""
    q = ring.modulus()
    _require("CRT and ICRT", cell, ring.coefficients(results["CRT"]) == ring.coefficients(results["ICRT"]) == values)
    back = results["INTT"].words()[:, : ring.degree]
    _require("INTT", cell, np.array_equal(back, results["CRT"].words()))
    _require(
        "ADD", cell, ring.coefficients(results["ADD"]) == [(a + b) % q for a, b in zip(values, others, strict=True)]
    )
    _require("BARRETT", cell, _is_product(ring, results["BARRETT"], values, others))


def _is_product(ring: Arithmetic, product: _Polynomial, a: list[int], b: list[int]) -> bool:
    """Whether a polynomial is a b modulo Phi_m, by FLINT; without it, at a root of unity of order m."""
    try:
        import flint
    except ImportError:
        return _agrees_at_a_root(ring, product, a, b)

    phi = ring.native.modulus_polynomial
    for row, p in zip(product.words(), ring.primes, strict=True):
        want = flint.nmod_poly([v % p for v in a], p) * flint.nmod_poly([v % p for v in b], p)
        want %= flint.nmod_poly([c % p for c in phi], p)
        if flint.nmod_poly([int(v) for v in row], p) != want:
            return False
        if ring.degree > 10000:
            break  # of long polynomials one prime is enough: all go through the same code
    return True


def _agrees_at_a_root(ring: Arithmetic, product: _Polynomial, a: list[int], b: list[int]) -> bool:
    m, rows = ring.native.index, zip(product.words(), ring.primes, strict=True)
    row, p = next((row, p) for row, p in rows if p % m == 1)
    factors = [f for f in range(2, m + 1) if m % f == 0 and all(f % d for d in range(2, f))]
    root = next(r for h in range(2, p) if all(pow(r := pow(h, (p - 1) // m, p), m // f, p) != 1 for f in factors))

    def value(coefficients: Iterable[int]) -> int:
        return reduce(lambda total, c: (total * root + int(c)) % p, reversed(list(coefficients)), 0)

    return value(row) == value(a) * value(b) % p


def _relinearization(cell: Cell, params: ltv.Parameters, plan: LtvPlan) -> Iterator[Record]:
    """RAW conversion, digits, their transforms, MULADD with a key of full size, INTT and reduction."""
    ring, native = Arithmetic.of(params), params.native.arithmetic
    digits = params.native.digits(cell.primes)
    key = [
        native.to(ring.polynomial([1 << (params.window * digit)], primes=cell.primes), "NTT") for digit in range(digits)
    ]
    values, x = _random(ring, cell.primes, 3)

    def relinearize() -> _Polynomial:
        raw = native.to(x, "RAW")
        total = native.ntt_zero(cell.primes)
        for digit in range(digits):
            native.multiply_add(total, native.digit_ntt(raw, digit, params.window), key[digit])
        return native.barrett(native.intt(total))

    (timing,) = alternate([relinearize], plan.budget)
    _require("relinearisation", cell, ring.coefficients(timing.result) == values)
    yield _record(cell, params, "relinearisation", timing, primes=cell.primes, digits=digits)


def _record(
    cell: Cell,
    params: ltv.Parameters,
    operation: str,
    timing: Timing | None,
    device: str = "cpu:1",
    batch: int = 1,
    **more: Any,
) -> Record:
    """Times are those of one polynomial, of ``batch`` at once."""
    primes = cell.primes or params.levels
    sizes = (params.degree, 64, params.native.arithmetic.modulus(primes).bit_length())
    kind = Kind.THROUGHPUT if device.startswith("cuda") else None
    return {
        **key_fields(f"002-{cell.table}", None, operation, *sizes, chain=cell.preset, engine=device, batch=batch),
        "paper": "002",
        **(timed(timing, kind) if timing else no_times(0.0)),
        **compared(timing, None),
        **more,
    }
