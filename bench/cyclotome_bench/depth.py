# SPDX-License-Identifier: Apache-2.0
"""Deep BFV programs as a whole: what `cyclotome bench --set depth` measures.

Fourteen products one after the other at n = 32768, squarings and products with fresh ciphertexts, in three ways in
turn: with every key switch over all primes, as operations do it, in as few as the noise allows, and so from the lowest
level that carries the program. One thread, whose CPU time is taken; every result is compared with NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import cyclotome as cy
import numpy as np
from cyclotome import _core

from cyclotome_bench.machine.timing import (
    Budget,
    alternate,
    awaited,
    beside,
    cell_seconds,
    clock_note,
    clock_of,
    kind_on,
)
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.plans import WholePlan
from cyclotome_bench.reports.cells import compared, timed
from cyclotome_bench.reports.report import Record, key_fields, key_of
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = ["DEPTH_SET", "DepthPlan", "depth_tables", "make_depth_plan", "measure_depth"]

#: The set that holds them.
DEPTH_SET = "depth"
_PLAIN = 65537
_WAYS = ("levelled", "levelled, from the lowest level")
_REFERENCE = "key switches over all primes"
#: The bits of noise bound that rounding a fresh ciphertext to a lower level may cost.
_SPARE = 2


@dataclass(frozen=True)
class DepthPlan(WholePlan):
    """All programs; or, quick, on a small ring that hides nothing."""

    depth: int = 14
    ring_degree: int = 32768
    #: Ciphertext bits of the set whose modulus is as long as its degree carries at 128 bits of security.
    longest: int = 810
    secure: bool = True
    device: str = "cpu:1"


def make_depth_plan(quick: bool = False, seconds: float | None = None, device: str = "cpu:1") -> DepthPlan:
    """A plan.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    budget = Budget(seconds=cell_seconds(seconds, 0.1 if quick else 20.0), fewest=2, most=15, clock=clock_of(device))
    size = (4, 1024, 300, False) if quick else (14, 32768, 810, True)
    return DepthPlan(DEPTH_SET, (), (), 1, budget, *size, device)


def _parameters(plan: DepthPlan) -> Iterator[tuple[str, cy.Parameters]]:
    """Sets by name: the longest modulus, and one that just carries the depth."""
    security: dict[str, Any] = {"security": 128} if plan.secure else {"security": 0, "allow_insecure": True}

    def made(bits: int) -> cy.Parameters:
        return cy.Parameters.from_modulus_bits(
            degree=plan.ring_degree, modulus_bits=bits, plain_moduli=[_PLAIN], word=32, **security
        )

    longest = made(plan.longest)
    yield "longest", longest
    inputs = [cy.Operand((plan.ring_degree,), wrap=True)]
    left = cy.plan(lambda x: x ** (1 << plan.depth), longest, inputs).noise_headroom
    yield "just enough", made(plan.longest - int(left) + _SPARE)


class _Program(NamedTuple):
    """One product after the other of an array, by a given product: with itself, or with the partners in turn."""

    name: str
    depth: int
    partners: Sequence[Any]

    def run(self, x: Any, product: Callable[[Any, Any], Any]) -> Any:
        for i in range(self.depth):
            x = product(x, self.partners[i % len(self.partners)] if self.partners else x)
        return x

    def expected(self, values: Any, partners: Sequence[Any]) -> Any:
        for i in range(self.depth):
            values = values * (partners[i % len(partners)] if self.partners else values) % _PLAIN
        return values


def _switched_over_all(x: Any, y: Any) -> Any:
    """The product of two arrays whose key switch runs over all primes."""
    factor = x.native.channels[0]
    partner = factor if y is x else y.native.channels[0]
    made = _core.multiply_switched_over_all(factor, partner, x.keyring.evaluation.native)
    array = _core.EncryptedArray([made], list(x.shape), x.native.placement, x.native.clean, None)
    return x.derived(array.with_keys(x.keyring.native()))


def _product(x: Any, y: Any) -> Any:
    return x * y


def measure_depth(plan: DepthPlan, known: set[tuple[Any, ...]]) -> Iterator[Record]:
    """Measures what is not known yet.

    Raises:
        WrongResultError: a result that is not NumPy's.
    """
    for chain, parameters in _parameters(plan):
        keys = cy.keygen(parameters, rotations=[], device=plan.device)
        rng = np.random.default_rng(20260101)
        values, *others = rng.integers(0, _PLAIN, (3, plan.ring_degree))
        x, *fresh = (cy.encrypt(v, keys.public, wrap=True) for v in (values, *others))
        for program in (
            _Program(f"{plan.depth} squarings", plan.depth, ()),
            _Program(f"{plan.depth} products with fresh ciphertexts", plan.depth, fresh),
        ):
            right = program.expected(values, others)

            def checked(result: Any, right: Any = right, keys: Any = keys, name: str = program.name) -> None:
                if not np.array_equal(cy.decrypt(result, keys.secret), right):
                    raise WrongResultError(f"{name}: not what it should be")

            yield from _measured(plan, chain, x, program, known, checked)


def _measured(
    plan: DepthPlan,
    chain: str,
    x: Any,
    program: _Program,
    known: set[tuple[Any, ...]],
    checked: Callable[[Any], None],
) -> Iterator[Record]:
    headroom = program.run(x, _product).noise_headroom
    low = x.switch_to_least_level(x.noise_headroom - headroom + _SPARE) if headroom > _SPARE else x
    starts = {_WAYS[0]: x, **({_WAYS[1]: low} if low.level < x.level else {})}
    sizes = (plan.ring_degree, x.parameters.word, x.parameters.modulus_bits)
    heads: dict[str, Record] = {
        way: key_fields(DEPTH_SET, "bfv", f"{program.name}, {way}", *sizes, chain=chain, engine=plan.device)
        for way in starts
    }
    if all(key_of(head) in known for head in heads.values()):
        return
    actions = [partial(program.run, start, _product) for start in starts.values()]
    actions.append(partial(program.run, x, _switched_over_all))
    timings = alternate([awaited(action, plan.device) for action in actions], beside(plan.budget))
    for timing in timings:
        checked(timing.result)
    over_all = timings.pop()
    kind = kind_on(plan.device)
    for (way, head), timing in zip(heads.items(), timings, strict=True):
        yield {
            **head,
            **timed(timing, kind, 1),
            **compared(timing, over_all, _REFERENCE, 1),
            "primes": starts[way].level,
            "headroom": round(float(timing.result.noise_headroom), 1),
        }


def depth_tables(records: Sequence[Record]) -> list[Table]:
    """What was measured of deep programs; nothing if nothing was."""
    rows = tuple(
        (
            record["operation"],
            record["chain"],
            str(record["log_q"]),
            str(record["primes"]),
            duration(record["median_us"]),
            duration(record["peer_median_us"]),
            times(record["ratio"]),
            f"{record['headroom']:.0f}",
        )
        for record in records
        if record["set"] == DEPTH_SET
    )
    if not rows:
        return []
    columns = ("program", "modulus", "log q", "primes", "time", _REFERENCE, "times faster", "headroom, bits")
    return [Table("Deep programs in BFV", columns, rows, clock_note(records[0]["engine"]), 2)]
