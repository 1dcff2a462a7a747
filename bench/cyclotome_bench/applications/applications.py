# SPDX-License-Identifier: Apache-2.0
"""Paper 002's Table 6 done again: PRINCE and sorting on encrypted bits, in BGV and in the paper's LTV, which is BROKEN.

All slots are used, and every result is compared: with NumPy's sort, and with PRINCE computed without encryption, the
first block of which is a published vector.
"""

from __future__ import annotations

import math
import os
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any, NamedTuple

import cyclotome as cy
import numpy as np
from cyclotome import _core
from cyclotome.circuit import Circuit
from cyclotome.devices.contexts import device_name, engine_on
from cyclotome_study import ltv, ltv_circuits

from cyclotome_bench.applications.ltv_plans import Application
from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.timing import Clock, Timing
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.cells import compared, no_times, timed
from cyclotome_bench.reports.report import Record

__all__ = ["measure_application"]

#: The fifth published vector of PRINCE.
_K0, _K1, _PLAIN, _CIPHER = 0, 0xFEDCBA9876543210, 0x0123456789ABCDEF, 0xAE25AD3CA8FA9CCF
#: Timed runs on a GPU, where a run is of a tenth of a second.
_RUNS = 5
#: Products modulo a prime that a transform over these rings takes for each coefficient, its 16 multiply-adds not
#: counted (src/cyclotome/ring/tables/prime_factor_tables.hpp): for a floor.
_TRANSFORM_PRODUCTS = {21845: 6.75, 65535: 6.75}


class _Run(NamedTuple):
    """What was computed."""

    parameters: Any
    lanes: int
    seconds: list[float]
    processor_seconds: float
    headroom: float
    facts: dict[str, Any]


def measure_application(application: Application, device: str) -> Record:
    """One job on all slots: on a processor once, by the time of all threads together; on a GPU by the wall's clock,
    several times after a first one, of which the median counts. Where there is not enough memory, or LTV's estimate
    refuses, a record without a time that says so.

    Raises:
        WrongResultError: the result is not what is right.
        EngineError: the device is absent.
    """
    try:
        run = _broken(application, device) if application.scheme == "ltv" else _secure(application, device)
    except (cy.errors.MemoryLimitError, cy.errors.NoiseError) as error:
        return {**_head(application), **_NOT_MEASURED, "engine": device_name(device), "reason": str(error)}
    circuit = _circuit(application)
    on_cpu = _on_cpu(device)
    spent = [run.processor_seconds] if on_cpu else run.seconds
    timing = Timing([1e6 * s / run.lanes for s in spent], clock=Clock.PROCESS if on_cpu else Clock.WALL)
    return {
        **_head(application),
        "degree": run.parameters.degree,
        "batch": run.lanes,
        **timed(timing, Kind.THROUGHPUT),
        "seconds": round(median(run.seconds), 4),
        "processor_seconds": round(run.processor_seconds, 2),
        "process_peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "depth": circuit.depth,
        "products": circuit.products,
        "relinearizations": circuit.relinearizations,
        "headroom_bits": round(run.headroom, 2),
        "parameters": run.parameters.summary(),
        **run.facts,
    }


def _head(application: Application) -> Record:
    return {
        "set": "002-6",
        "paper": "002",
        "scheme": application.scheme,
        "operation": application.job,
        "chain": application.chain,
        "word": 32,
        **compared(None, None),
    }


_NOT_MEASURED: Record = {
    "degree": 0,
    "batch": 0,
    "log_q": 0,
    "threads": 1,
    **no_times(0.0),
}


def _circuit(application: Application) -> Circuit:
    if application.count == 0:
        return Circuit.prince()
    return Circuit.sort(count=application.count, bits=application.bits)


def _timed(work: Callable[[], Any], device: str = "cpu") -> tuple[Any, float, float]:
    start, processor = time.perf_counter(), time.process_time()
    result = work()
    engine_on(device).synchronize()
    return result, time.perf_counter() - start, time.process_time() - processor


def _repeated(work: Callable[[], Any], device: str) -> tuple[Any, list[float], float]:
    """The last result, the seconds of each timed run, and the last one's processor time: one run on a processor; on a
    GPU `_RUNS` after one that makes tables."""
    result, seconds, processor = None, list[float](), 0.0
    for _ in range(1 if _on_cpu(device) else 1 + _RUNS):
        result = None  # the memory of the one before
        result, wall, processor = _timed(work, device)
        seconds.append(wall)
    return result, seconds[-_RUNS:], processor


def _lists(application: Application, lanes: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(0, 1 << application.bits, (lanes, application.count), dtype=np.int64)


def _blocks(lanes: int) -> list[int]:
    rest = np.random.default_rng(1).integers(0, 1 << 63, lanes - 1, dtype=np.int64)
    return [_PLAIN, *(int(value) for value in rest)]


def _require(application: Application, right: bool) -> None:
    if not right:
        raise WrongResultError(f"{application.job} in {application.scheme}, {application.chain}: a wrong result")


def _require_prince(application: Application, found: list[int], blocks: list[int]) -> None:
    lanes = len(blocks)
    bits = [
        [value >> (63 - i) & 1 for i in range(64) for value in some] for some in (blocks, [_K0] * lanes, [_K1] * lanes)
    ]
    (plain,) = Circuit.prince().native.compute_plain(bits, lanes)
    expected = [sum(plain[i * lanes + lane] << (63 - i) for i in range(64)) for lane in range(lanes)]
    _require(application, expected[0] == _CIPHER and found == expected)


# --- BGV --------------------------------------------------------------------------------------------------------------
def _secure(application: Application, device: str) -> _Run:
    circuit = _circuit(application)
    parameters = circuit.parameters(cyclotomic=application.ring, security=application.security)
    keys = cy.keygen(parameters, rotations=[], device=device)
    lanes = parameters.slots
    if application.count == 0:
        blocks = _blocks(lanes)
        key = cy.circuit.prince_key(_K0, _K1, keys.public)
        data = cy.circuit.encrypt(np.array(blocks, dtype=object), keys.public, bits=64)
        result, seconds, processor = _repeated(lambda: cy.circuit.prince(data, key), device)
        found = [int(value) for value in cy.circuit.decrypt(result, keys.secret)]
        _require_prince(application, found, blocks)
    else:
        values = _lists(application, lanes)
        numbers = cy.circuit.encrypt_lists(values, keys.public, bits=application.bits)
        result, seconds, processor = _repeated(lambda: cy.circuit.sort(numbers), device)
        opened = np.asarray(cy.circuit.decrypt(result, keys.secret)).astype(np.int64)
        _require(application, np.array_equal(opened, np.sort(values, axis=-1)))
    facts = {
        "log_q": parameters.modulus_bits,
        "threads": _threads(device),
        "engine": device_name(device),
        "key_bytes": keys.evaluation.nbytes,
        **_floor(circuit, parameters, lanes, device),
    }
    return _Run(parameters, lanes, seconds, processor, result.noise_headroom, facts)


def _threads(device: str) -> int:
    name, _, count = device_name(device).partition(":")
    return int(count or 1) if name == "cpu" else 1


def _floor(circuit: Circuit, parameters: cy.Parameters, lanes: int, device: str) -> dict[str, float]:
    """On a GPU, microseconds a unit below which this circuit can't go there: keys read once a layer at the rate of
    copies, or products modulo primes at the rate that the device reaches in registers; those of tensor products, key
    switches and their transforms, the latter's multiply-adds and all switches of level left out."""
    kind, _, index = device_name(device).partition(":")
    each = _TRANSFORM_PRODUCTS.get(parameters.cyclotomic or 0)
    if kind != "cuda" or each is None:
        return {}
    ceilings = _core.cuda_ceilings(int(index))
    n, special = parameters.degree, len(parameters.special_moduli)
    per_digit = math.ceil(len(parameters.moduli) / parameters.digits)
    products = key_bytes = transforms = 0.0
    for layer in circuit.plan(parameters, lanes=lanes).layers:
        level, digits = layer.level, math.ceil(layer.level / per_digit)
        transforms += layer.relinearizations * (digits * (level + special) + 2 * (level + special))
        products += n * (4 * level * layer.products + 2 * digits * (level + special) * layer.relinearizations)
        if layer.relinearizations:
            key_bytes += 2 * digits * (level + special) * n * parameters.word / 8
    products += transforms * n * each
    by_keys = key_bytes / ceilings["copy_bytes_per_second"]
    by_products = products / ceilings[f"products_per_second_{parameters.word}"]
    return {"floor_us": 1e6 * max(by_keys, by_products) / lanes, "transforms": transforms}


# --- LTV, which is BROKEN ---------------------------------------------------------------------------------------------
def _broken(application: Application, device: str) -> _Run:
    parameters = ltv.Parameters(*application.ltv)
    keys = ltv.keygen(parameters, acknowledge_broken=True)
    lanes = parameters.slots.count
    machine = ltv_circuits.Machine(keys.evaluation, device)
    circuit = _circuit(application)
    if application.count == 0:
        blocks = _blocks(lanes)
        ports = [bits[::-1] for bits in _encrypted([blocks, [_K0] * lanes, [_K1] * lanes], 64, keys.public)]
    else:
        values = _lists(application, lanes)
        ports = [[bit for bits in _encrypted(values.T.tolist(), application.bits, keys.public) for bit in bits]]
    placed, put_seconds, _ = _timed(lambda: [machine.put(port) for port in ports])
    (result,), seconds, processor = _repeated(lambda: machine.compute(circuit, placed), device)
    bits, get_seconds, _ = _timed(result.get)
    if application.count == 0:
        _require_prince(application, ltv_circuits.decrypt_numbers(bits[::-1], keys.secret), blocks)
    else:
        width = application.bits
        numbers = [bits[i : i + width] for i in range(0, len(bits), width)]
        with _pool() as pool:
            found = np.array(list(pool.map(lambda number: ltv_circuits.decrypt_numbers(number, keys.secret), numbers)))
        _require(application, np.array_equal(found.T, np.sort(values, axis=-1)))
    facts = {
        "log_q": parameters.native.arithmetic.modulus(parameters.levels).bit_length(),
        "threads": 1,
        "engine": "cpu:1" if _on_cpu(device) else machine.device,
        "key_bytes": keys.evaluation.nbytes,
        "transfer_seconds": round(put_seconds + get_seconds, 4),
        **_broken_floor(machine, circuit, placed, lanes),
    }
    headroom = min(bit.headroom for bit in bits)
    return _Run(parameters, lanes, seconds, processor, headroom, facts)


def _on_cpu(device: str) -> bool:
    return device_name(device).startswith("cpu")


def _pool() -> ThreadPoolExecutor:
    """What comes before a job and after it is not timed, so that it may take all threads."""
    return ThreadPoolExecutor(min(16, os.cpu_count() or 1))


def _encrypted(numbers: Sequence[Sequence[int]], bits: int, key: ltv.PublicKey) -> list[list[ltv.LtvArray]]:
    """Numbers of one bit length each, in slots, bit by bit."""
    rows = [np.array([int(v) >> i & 1 for v in values], dtype=np.uint8) for values in numbers for i in range(bits)]
    with _pool() as pool:
        all_bits = list(pool.map(lambda row: ltv.encrypt(row, key), rows))
    return [all_bits[i : i + bits] for i in range(0, len(all_bits), bits)]


def _broken_floor(
    machine: ltv_circuits.Machine, circuit: Circuit, placed: Sequence[ltv_circuits.Placed], lanes: int
) -> dict[str, float]:
    """As `_floor`: keys read once a call, or products modulo the carrier at the rate of 64-bit words."""
    counts = machine.plan(circuit, placed)
    if _on_cpu(machine.device):
        return {"transforms": counts.transforms}
    ceilings = _core.cuda_ceilings(int(machine.device.partition(":")[2]))
    by_keys = counts.key_bytes / ceilings["copy_bytes_per_second"]
    by_products = counts.products / ceilings["products_per_second_64"]
    return {"floor_us": 1e6 * max(by_keys, by_products) / lanes, "transforms": counts.transforms}
