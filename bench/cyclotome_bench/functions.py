# SPDX-License-Identifier: Apache-2.0
"""Functions of encrypted integers: what `cyclotome bench --set functions` measures.

Polynomials, comparisons and order with the parameters that `cyclotome.suggest` finds for each; a polynomial and plain
products also beside SEAL, with moduli of one length. One thread, whose CPU time is taken; every result is compared with
NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cyclotome as cy
import numpy as np

from cyclotome_bench.machine.timing import (
    Budget,
    Timing,
    alternate,
    awaited,
    beside,
    cell_seconds,
    clock_note,
    clock_of,
    kind_on,
)
from cyclotome_bench.peers.functions_peer import Peer, same_lengths
from cyclotome_bench.peers.functions_published import published_table
from cyclotome_bench.peers.seal import seal_available, seal_name
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.plans import WholePlan
from cyclotome_bench.reports.cells import compared, timed
from cyclotome_bench.reports.report import Record, key_fields, key_of
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = [
    "FUNCTIONS",
    "FUNCTIONS_SET",
    "FunctionsPlan",
    "functions_tables",
    "make_functions_plan",
    "measure_functions",
]

#: The set that holds them.
FUNCTIONS_SET = "functions"
#: Names of rows.
FUNCTIONS = (
    "polynomial of degree 7",
    "equality modulo 65537",
    "less of 16 bits",
    "less of 64 bits",
    "argmax of 10",
    "argmax of 10 in bits",
    "plain product",
    "plain product, encoded once",
    "dot product of 4096",
)
_DEGREE, _PLAIN = 8192, 65537
_COEFFICIENTS = (1, 2, 3, 4, 5, 6, 7, 8)


@dataclass(frozen=True)
class FunctionsPlan(WholePlan):
    """All rows; or, quick, on small rings that hide nothing. On a GPU without a peer, timed on the wall."""

    quick: bool = False
    device: str = "cpu:1"


def make_functions_plan(quick: bool = False, seconds: float | None = None, device: str = "cpu:1") -> FunctionsPlan:
    """A plan.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    budget = Budget(seconds=cell_seconds(seconds, 0.2 if quick else 3.0), fewest=2, clock=clock_of(device))
    return FunctionsPlan(FUNCTIONS_SET, (), (), 1, budget, quick, device)


@dataclass(frozen=True)
class _Case:
    """One row in one scheme: ours, perhaps the peer's, and what must come out."""

    function: str
    parameters: cy.Parameters
    values: int
    ours: Callable[[], Any]
    check: Callable[[Any], bool]
    products: int
    depth: int
    peer: Callable[[], Any] | None = None
    peer_check: Callable[[Any], bool] = lambda _: True


def _computed(
    function: str,
    compute: Callable[..., Any],
    inputs: Sequence[cy.Operand],
    values: Sequence[Any],
    expected: Any,
    parameters: cy.Parameters,
    device: str,
) -> _Case:
    plan = cy.plan(compute, parameters, list(inputs))
    keys = cy.keygen(parameters, **plan.keygen(), device=device)
    arrays = [_encrypted(operand, value, keys.public) for operand, value in zip(inputs, values, strict=True)]
    return _Case(
        function,
        parameters,
        int(np.asarray(expected).size),
        lambda: compute(*arrays),
        lambda result: np.array_equal(cy.decrypt(result, keys.secret), expected),
        plan.products,
        plan.depth,
    )


def _encrypted(operand: cy.Operand, values: Any, key: Any) -> Any:
    if operand.digits is not None and operand.base is not None:
        return cy.encrypt_digits(values, key, base=operand.base, digits=operand.digits)
    return cy.encrypt(values, key, bound=operand.bound, wrap=operand.wrap)


def _equality(quick: bool, scheme: str, rng: np.random.Generator, device: str) -> _Case:
    length, bound = (1024, 15) if quick else (32768, 65536)
    inputs = [cy.Operand((length,), bound=(0, bound)) if quick else cy.Operand((length,), wrap=True)] * 2
    a, b = rng.integers(0, bound + 1, length), rng.integers(0, bound + 1, length)
    b[::2] = a[::2]
    moduli = None if quick else [_PLAIN]
    parameters = cy.suggest(
        compute=cy.equal, inputs=inputs, plain_moduli=moduli, scheme=scheme, security=128, min_degree=length
    )
    return _computed("equality modulo 65537", cy.equal, inputs, [a, b], (a == b).astype(int), parameters, device)


def _less(quick: bool, scheme: str, rng: np.random.Generator, device: str, bits: int = 16) -> _Case:
    digits = 2 if quick else bits // 2
    length = 1024 if quick else 16384
    operand = cy.Operand((length,), base=4, digits=digits)
    a, b = (rng.integers(0, 4**digits, length, dtype=np.uint64, endpoint=False) for _ in range(2))
    parameters = cy.suggest(compute=cy.less, inputs=[operand] * 2, scheme=scheme, min_degree=length)
    return _computed(f"less of {bits} bits", cy.less, [operand] * 2, [a, b], (a < b).astype(int), parameters, device)


def _less_of_64_bits(quick: bool, scheme: str, rng: np.random.Generator, device: str) -> _Case:
    return _less(quick, scheme, rng, device, 64)


def _argmax(quick: bool, scheme: str, rng: np.random.Generator, device: str) -> _Case:
    count, bound, length = (3, 3, 1024) if quick else (10, 255, 16384)
    operand = cy.Operand((count, length), bound=(0, bound))
    scores = rng.integers(0, bound + 1, (count, length))
    parameters = cy.suggest(compute=cy.argmax, inputs=[operand], scheme=scheme, min_degree=length)
    return _computed("argmax of 10", cy.argmax, [operand], [scores], np.argmax(scores, axis=0), parameters, device)


def _argmax_of_bits(quick: bool, scheme: str, rng: np.random.Generator, device: str) -> _Case:
    count, digits, length = (3, 2, 1024) if quick else (10, 8, 16384)
    operand = cy.Operand((count, length), base=2, digits=digits)
    scores = rng.integers(0, 2**digits, (count, length))
    parameters = cy.suggest(compute=cy.argmax, inputs=[operand], scheme=scheme, min_degree=length)
    expected = np.argmax(scores, axis=0)
    return _computed("argmax of 10 in bits", cy.argmax, [operand], [scores], expected, parameters, device)


def _beside_seal(quick: bool, scheme: str, peer: bool, rng: np.random.Generator, device: str) -> Iterator[_Case]:
    parameters = same_lengths(scheme, 1024 if quick else _DEGREE, _PLAIN, secure=not quick)
    keys = cy.keygen(parameters, rotations=[], device=device)
    n = parameters.degree
    values, weights = rng.integers(0, _PLAIN, n), rng.integers(-30000, 30001, n)
    x = cy.encrypt(values, keys.public, wrap=True)
    seal = Peer(parameters, np.where(values > _PLAIN // 2, values - _PLAIN, values), weights) if peer else None

    def modulo(expected: Any) -> tuple[Callable[[Any], bool], Callable[[Any], bool]]:
        return (
            lambda result: np.array_equal(cy.decrypt(result, keys.secret), expected % _PLAIN),
            lambda result: seal is not None and np.array_equal(seal.opened(result) % _PLAIN, expected % _PLAIN),
        )

    total = np.zeros(n, dtype=object)
    for c in _COEFFICIENTS:
        total = (total * values + c) % _PLAIN
    ours, theirs = modulo(total)
    yield _Case(
        FUNCTIONS[0], parameters, n, lambda: cy.polyval(_COEFFICIENTS, x), ours, 4, 3,
        None if seal is None else lambda: seal.polynomial(_COEFFICIENTS), theirs,
    )  # fmt: skip
    ours, theirs = modulo(values * weights)
    encoded = cy.plain(weights, parameters, device=device)
    plain = None if seal is None else seal.plain_product
    yield _Case(FUNCTIONS[6], parameters, n, lambda: x * weights, ours, 0, 0, plain, theirs)
    yield _Case(FUNCTIONS[7], parameters, n, lambda: x * encoded, ours, 0, 0, plain, theirs)


def _dot(quick: bool, scheme: str, rng: np.random.Generator, device: str) -> _Case:
    length = 256 if quick else 4096
    operand = cy.Operand((length,), bound=100)
    a, b = rng.integers(-100, 101, length), rng.integers(-100, 101, length)

    def dot(x: Any, y: Any) -> Any:
        return x @ y

    parameters = cy.suggest(compute=dot, inputs=[operand] * 2, scheme=scheme)
    return _computed(FUNCTIONS[8], dot, [operand] * 2, [a, b], a @ b, parameters, device)


def _cases(plan: FunctionsPlan, peer: bool) -> Iterator[tuple[str, Callable[[], Iterator[_Case]]]]:
    rng = np.random.default_rng(20260101)
    for scheme in ("bfv", "bgv"):
        yield scheme, lambda scheme=scheme: _beside_seal(plan.quick, scheme, peer, rng, plan.device)  # type: ignore[misc]
    for make in (_equality, _less, _less_of_64_bits, _argmax, _argmax_of_bits, _dot):
        yield "bgv", lambda make=make: iter([make(plan.quick, "bgv", rng, plan.device)])  # type: ignore[misc]


def _checked(case: _Case, who: str, timing: Timing, check: Callable[[Any], bool]) -> Timing:
    if not check(timing.result):
        raise WrongResultError(f"{who}: {case.function} in {case.parameters.summary()} is not what it should be")
    return timing


def measure_functions(plan: FunctionsPlan, peer: bool, known: set[tuple[Any, ...]]) -> Iterator[Record]:
    """Measures what is not known yet.

    Raises:
        WrongResultError: a result, ours or the peer's, that is not what is right.
    """
    for scheme, cases in _cases(plan, peer and seal_available() and plan.device.startswith("cpu")):
        for case in cases():
            parameters = case.parameters
            sizes = (parameters.degree, parameters.word, parameters.modulus_bits)
            head = key_fields(FUNCTIONS_SET, scheme, case.function, *sizes, engine=plan.device)
            if key_of(head) in known:
                continue
            actions = [awaited(case.ours, plan.device), *([case.peer] if case.peer else [])]
            timings = alternate(actions, beside(plan.budget) if case.peer else plan.budget)
            ours = _checked(case, "cyclotome", timings[0], case.check)
            theirs = _checked(case, "SEAL", timings[1], case.peer_check) if case.peer else None
            yield {
                **head,
                **timed(ours, kind_on(plan.device), 1),
                **compared(ours, theirs, seal_name() if theirs else "", 2),
                "values": case.values,
                "products": case.products,
                "depth": case.depth,
                "parameters": parameters.summary(),
            }


def functions_tables(records: Sequence[Record]) -> list[Table]:
    """What was measured of functions; nothing if nothing was."""
    rows = tuple(
        (
            record["operation"],
            record["scheme"],
            str(record["degree"]),
            str(record["values"]),
            f"{record['products']}, {record['depth']} deep",
            duration(record["median_us"]),
            duration(record["peer_median_us"]),
            times(record["ratio"]),
        )
        for record in records
        if record["set"] == FUNCTIONS_SET
    )
    if not rows:
        return []
    columns = ("function", "scheme", "n", "values", "products", "cyclotome", "SEAL", "times faster")
    note = (
        clock_note(records[0]["engine"])
        + "; parameters beside SEAL have moduli of the same lengths, the others are suggested."
    )
    return [Table("Functions of encrypted integers", columns, rows, note, 2), published_table(records)]
