# SPDX-License-Identifier: Apache-2.0
"""Public matrices times packed encrypted vectors, beside TenSEAL's own product of the kind, in one process: what
`cyclotome bench --set matrix` measures, and for other shapes and devices

    python -m cyclotome_bench.products.matrix_products [ROWSxCOLUMNS ...]

TenSEAL has it for CKKS vectors only (`CKKSVector.matmul`, diagonals and one rotation each), so it computes approximate
numbers there, with SEAL's default moduli of the same degree; ours are exact. One thread, whose CPU time is taken, in
alternation; every result is compared with NumPy's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from cyclotome_bench.peers.functions_peer import SEAL_BITS, same_lengths
from cyclotome_bench.peers.seal import seal_available
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.plans import WholePlan
from cyclotome_bench.reports.cells import compared, timed
from cyclotome_bench.reports.report import Record, key_fields, key_of
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = [
    "MATRIX_SET",
    "SHAPES",
    "MatrixPlan",
    "Row",
    "main",
    "make_matrix_plan",
    "matrix_tables",
    "measure",
    "measure_matrices",
]

#: The set that holds them.
MATRIX_SET = "matrix"
_WAYS = ("prepared", "encoded each time")
_TENSEAL = "TenSEAL, CKKS"

#: Rows and columns.
SHAPES = ((256, 256), (1024, 1024), (1000, 384), (200, 384))
_DEGREE, _PLAIN = 8192, 65537
_TOLERANCE = 0.5


class Row(NamedTuple):
    """What was measured of one matrix."""

    shape: tuple[int, int]
    who: str
    timing: Timing
    ciphertexts: int
    prepared_bytes: int

    def text(self) -> str:
        """A line of the table."""
        rows, columns = self.shape
        cells = (f"{rows} x {columns}", self.who, f"{self.timing.median / 1e3:.1f}", self.ciphertexts)
        return "".join(f"| {cell} " for cell in (*cells, self.prepared_bytes >> 20)) + "|"


def parameters(scheme: str, degree: int = _DEGREE) -> cy.Parameters:
    """At n = 8192 of the lengths that SEAL's default moduli have, the last one special; else four primes of 40 bits."""
    secure = degree == _DEGREE
    return same_lengths(scheme, degree, _PLAIN, SEAL_BITS if secure else (40, 40, 40, 40, 41), secure=secure)


def measure(
    shape: tuple[int, int], budget: Budget, *, degree: int = _DEGREE, peer: bool = True, device: str = "cpu:1"
) -> list[Row]:
    """All ways to multiply one matrix, in alternation.

    Raises:
        WrongResultError: a result is not NumPy's.
    """
    rng = np.random.default_rng(shape)
    matrix, vector = rng.integers(-4, 5, shape), rng.integers(-4, 5, shape[1])
    contestants: list[_Contestant] = []
    for scheme in ("bfv", "bgv"):
        contestants += _ours(scheme, matrix, vector, degree, device)
    if peer:
        contestants.append(_tenseal(matrix, vector, degree))
    timings = alternate([awaited(c.act, device) for c in contestants], beside(budget) if peer else budget)
    rows = []
    for c, timing in zip(contestants, timings, strict=True):
        if np.abs(np.asarray(c.read(timing.result), dtype=float) - matrix @ vector).max() > _TOLERANCE:
            raise WrongResultError(f"{c.name}: a wrong product of shape {shape}")
        rows.append(Row(shape, c.name, timing, getattr(timing.result, "ciphertexts", 1), c.prepared_bytes))
    return rows


class _Contestant(NamedTuple):
    name: str
    act: Callable[[], Any]
    read: Callable[[Any], Any]
    prepared_bytes: int = 0


def _ours(scheme: str, matrix: Any, vector: Any, degree: int, device: str) -> list[_Contestant]:
    chosen = parameters(scheme, degree)
    keys = cy.keygen(chosen, matrices=[matrix.shape], device=device)
    x = cy.encrypt(vector, keys.public, bound=4)
    kept = cy.Matrix(matrix, chosen, device=device).prepared()

    def read(y: Any) -> Any:
        return cy.decrypt(y, keys.secret)

    name = f"cyclotome, {scheme}"
    return [
        _Contestant(f"{name}, {_WAYS[0]}", lambda: kept @ x, read, kept.nbytes),
        _Contestant(f"{name}, {_WAYS[1]}", lambda: matrix @ x, read),
    ]


def _tenseal(matrix: Any, vector: Any, degree: int) -> _Contestant:
    import tenseal as ts

    context = ts.context(ts.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=[60, 40, 40, 60], n_threads=1)
    context.global_scale = 2.0**40
    context.generate_galois_keys()
    encrypted, columns = ts.ckks_vector(context, vector.tolist()), matrix.T.tolist()
    return _Contestant(_TENSEAL, lambda: encrypted.matmul(columns), lambda y: y.decrypt())


@dataclass(frozen=True)
class MatrixPlan(WholePlan):
    """All shapes; or, quick, a small one on a small ring."""

    shapes: tuple[tuple[int, int], ...] = SHAPES
    ring_degree: int = _DEGREE
    device: str = "cpu:1"


def make_matrix_plan(quick: bool = False, seconds: float | None = None, device: str = "cpu:1") -> MatrixPlan:
    """A plan.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    budget = Budget(seconds=cell_seconds(seconds, 0.2 if quick else 20.0), fewest=2, most=15, clock=clock_of(device))
    shapes, degree = (((12, 20),), 64) if quick else (SHAPES, _DEGREE)
    return MatrixPlan(MATRIX_SET, (), (), 1, budget, shapes, degree, device)


def measure_matrices(plan: MatrixPlan, peer: bool, known: set[tuple[Any, ...]]) -> Iterator[Record]:
    """Measures what is not known yet; TenSEAL takes part where the ring is one that it has.

    Raises:
        WrongResultError: a result that is not NumPy's.
    """
    has_peer = peer and seal_available() and plan.ring_degree == _DEGREE and plan.device.startswith("cpu")
    for shape in plan.shapes:
        chosen = {scheme: parameters(scheme, plan.ring_degree) for scheme in ("bfv", "bgv")}
        heads = {
            (scheme, way): key_fields(
                MATRIX_SET,
                scheme,
                f"{shape[0]} x {shape[1]} {way}",
                *(plan.ring_degree, of.word, of.modulus_bits),
                engine=plan.device,
            )
            for scheme, of in chosen.items()
            for way in _WAYS
        }
        if all(key_of(head) in known for head in heads.values()):
            continue
        measured = measure(shape, plan.budget, degree=plan.ring_degree, peer=has_peer, device=plan.device)
        rows = {row.who: row for row in measured}
        theirs = rows.get(_TENSEAL)
        for (scheme, way), head in heads.items():
            ours = rows[f"cyclotome, {scheme}, {way}"]
            yield {
                **head,
                **timed(ours.timing, kind_on(plan.device), 1),
                **compared(ours.timing, theirs.timing if theirs else None, _TENSEAL, 2),
                "ciphertexts": ours.ciphertexts,
                "prepared_bytes": ours.prepared_bytes,
            }


def matrix_tables(records: Sequence[Record]) -> list[Table]:
    """What was measured of matrices; nothing if nothing was."""
    rows = tuple(
        (
            record["operation"],
            record["scheme"],
            duration(record["median_us"]),
            duration(record["peer_median_us"]),
            times(record["ratio"]),
            str(record["ciphertexts"]),
            str(record["prepared_bytes"] >> 20),
        )
        for record in records
        if record["set"] == MATRIX_SET
    )
    if not rows:
        return []
    columns = ("matrix", "scheme", "cyclotome", "TenSEAL", "times faster", "ciphertexts", "MiB prepared")
    note = (
        clock_note(records[0]["engine"])
        + "; TenSEAL has packed products for CKKS vectors only, whose results are approximate; ours are exact"
    )
    return [Table("Public matrices times encrypted vectors", columns, rows, note, 2)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="public matrices times packed encrypted vectors")
    parser.add_argument("shapes", nargs="*", help="such as 256x256; none: those of the documentation")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each shape")
    parser.add_argument("--degree", type=int, default=_DEGREE)
    parser.add_argument("--no-peer", action="store_true", help="without TenSEAL")
    parser.add_argument("--device", default="cpu:1", help='elsewhere than on "cpu:1" the clock is that of the wall')
    told = parser.parse_args(arguments)
    shapes = [tuple(int(length) for length in shape.split("x")) for shape in told.shapes] or list(SHAPES)
    clock = clock_of(told.device)
    budget = Budget(seconds=told.seconds, fewest=3, most=15, clock=clock)
    print("| matrix | | ms | ciphertexts of the result | MiB prepared |\n|---|---|---|---|---|")
    for rows, columns in shapes:
        shape = (rows, columns)
        for row in measure(shape, budget, degree=told.degree, peer=not told.no_peer, device=told.device):
            print(row.text(), flush=True)


if __name__ == "__main__":
    main()
