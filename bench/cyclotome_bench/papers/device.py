# SPDX-License-Identifier: Apache-2.0
"""Measuring on a device that computes asynchronously, such as a GPU; every time is that of a checked result.

*Latency*: the host's clock around one call that ends with a synchronisation. *Throughput*: many calls in a row, then
one synchronisation. Both are warm, and medians. A processor's one thread ("cpu:1") is timed by its own time instead.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome.parameters.parameters import find_primes
from cyclotome.reporting import Task

from cyclotome_bench.machine.timing import Budget, Clock, Timing, clock_of, kind_on, quiet
from cyclotome_bench.measure import head_of, times, transform_head
from cyclotome_bench.papers.device_plans import DevicePlan
from cyclotome_bench.papers.studies import measure_studies
from cyclotome_bench.peers.ours import Ours
from cyclotome_bench.peers.public_libraries import compared
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.report import Record, key_of
from cyclotome_bench.sets import Chain, Problem
from cyclotome_bench.transforms import Transform

__all__ = ["measure_on_device", "throughput"]

#: Primes of one array of polynomials; more polynomials are more items.
_LARGEST_BASIS = 16
#: One throughput sample takes about this long, within the two numbers of calls.
_SAMPLE_SECONDS = 0.01
_FEWEST_CALLS, _MOST_CALLS = 3, 2000
#: Keys are made one at a time.
_SINGLE = ("key_generation", "relinearization_key")


def measure_on_device(plan: DevicePlan, known: set[tuple[Any, ...]] | None = None) -> Iterator[Record]:
    """Measures what `known` does not hold yet, and gives each record when it is done.

    Records are those of `measure.measure` without a peer, and "throughput_us", the time of one call among many;
    "us_each" is that of one ciphertext or transform of it. For transforms "batch" counts polynomials, and "copy_share"
    and "product_share" compare them with what the device can do at most (`_core.cuda_ceilings`): one read and one write
    of every residue, and (n/2) log2(n) products modulo a prime. "digits" are those of key switching;
    `public_libraries.compared` says what stands beside other libraries.

    Raises:
        WrongResultError: a timed operation gave a wrong result.
        EngineError: the device is absent or has no memory left.
    """
    known = known or set()
    engine = engine_on(plan.device)
    kind, _, index = plan.device.partition(":")
    ceilings = _core.cuda_ceilings(int(index)) if kind == "cuda" else {}
    cells = [
        (problem, chain, batch)
        for problem in plan.problems
        for chain in problem.chains
        for batch in (plan.batches if problem.paper is None else plan.batches[:1])
    ]
    task = Task("measuring", len(plan.transforms) * len(plan.limbs) + len(cells))
    for transform in plan.transforms:
        for limbs in plan.limbs:
            records = [transform_head(transform, operation, kind, limbs) for operation in ("ntt", "intt")]
            if not {key_of(r) for r in records} <= known:
                yield from _transform_records(records, transform, limbs, engine, ceilings, plan)
            task.advance()
    for problem, chain, batch in cells:
        heads = [
            head_of(problem, chain, operation, kind, 1, batch)
            for operation in problem.operations
            if batch == 1 or operation not in _SINGLE
        ]
        missing = [head for head in heads if key_of(head) not in known]
        if missing:
            yield from _operation_records(missing, problem, chain, engine, batch, plan)
        task.advance()
    yield from measure_studies(plan, plan.device, known)


def latency(engine: _core.Engine, action: Callable[[], Any], budget: Budget, clock: Clock = Clock.WALL) -> Timing:
    """Samples of one call, each from an idle device to an idle device."""
    timing = Timing(clock=clock)
    for _ in range(2):
        action()
    with quiet():
        start = time.perf_counter()
        for done in range(budget.most):
            if done >= budget.fewest and time.perf_counter() - start >= budget.seconds / 2:
                break
            timing.result = None
            engine.synchronize()
            before = clock.now()
            result = action()
            engine.synchronize()
            timing.samples.append((clock.now() - before) / 1000)
            timing.result = result
    return timing


def throughput(
    engine: _core.Engine,
    action: Callable[[], Any],
    expected_us: float,
    seconds: float,
    clock: Clock = Clock.WALL,
) -> float:
    """Microseconds of one call among many that nobody waits for."""
    calls = min(_MOST_CALLS, max(_FEWEST_CALLS, math.ceil(_SAMPLE_SECONDS * 1e6 / max(expected_us, 0.1))))
    samples: list[float] = []
    with quiet():
        start = time.perf_counter()
        while len(samples) < 3 or time.perf_counter() - start < seconds:
            engine.synchronize()
            before = clock.now()
            for _ in range(calls):
                action()
            engine.synchronize()
            samples.append((clock.now() - before) / calls / 1000)
    return statistics.median(samples)


def _operation_records(
    heads: list[Record], problem: Problem, chain: Chain, engine: _core.Engine, batch: int, plan: DevicePlan
) -> Iterator[Record]:
    budget, clock, kind = plan.budget, clock_of(plan.device), kind_on(plan.device)
    ours = Ours(problem, chain, engine, batch)
    for head in heads:
        operation = head["operation"]
        action = ours.operations[operation]
        timing = latency(engine, action, budget, clock)
        each = throughput(engine, action, timing.median, budget.seconds / 2, clock)
        record = {
            **head,
            **times(timing, None, kind),
            "throughput_us": round(each, 3),
            "us_each": round(each / batch, 3),
        }
        record |= ours.verify(operation, timing.result, noise=batch == 1) | ours.sizes()
        yield record | {"digits": ours.parameters.digits} | compared(record)


def _transform_records(
    heads: list[Record],
    transform: Transform,
    limbs: int,
    engine: _core.Engine,
    ceilings: dict[str, float],
    plan: DevicePlan,
) -> Iterator[Record]:
    budget, kind = plan.budget, kind_on(plan.device)
    degree, count = transform.degree, min(limbs, _LARGEST_BASIS)
    moduli = find_primes(degree, [transform.bits] * count)
    bench = _core.TransformBench(engine, transform.word, moduli, degree, limbs // count)
    if not bench.agrees_with(_core.CpuEngine(1)):
        raise WrongResultError(
            f"{limbs} transforms of length {degree} modulo {transform.bits}-bit primes in {transform.word}-bit words "
            "are wrong; run `cyclotome doctor` and the tests"
        )
    for head, run in zip(heads, (bench.forward, bench.inverse), strict=True):
        run(2)
        timing = Timing([run(1) / 1000 for _ in range(max(budget.fewest, 15))], clock=clock_of(plan.device))
        calls = min(_MOST_CALLS, max(_FEWEST_CALLS, math.ceil(_SAMPLE_SECONDS * 1e6 / max(timing.median, 0.1))))
        each = statistics.median(run(calls) / calls / 1000 for _ in range(3))
        record = {**head, **times(timing, None, kind)}
        record |= {"throughput_us": round(each, 3), "us_each": round(each / limbs, 4)}
        if ceilings:
            moved = 2 * degree * limbs * transform.word / 8
            products = limbs * degree / 2 * math.log2(degree)
            rate = ceilings[f"products_per_second_{transform.word}"]
            record["copy_share"] = round(moved / (each / 1e6) / ceilings["copy_bytes_per_second"], 4)
            record["product_share"] = round(products / (each / 1e6) / rate, 4)
        yield record | compared(record)
