# SPDX-License-Identifier: Apache-2.0
"""Paper 004's tables of circuits (6.6, 6.10, 6.11, 6.12): the thesis's designs and ours, simulated tick by tick.

Ticks are counted by the simulated circuits; microseconds are those ticks at the clock that the thesis states for the
row, and bytes over a PCI Express gen2 x8 link. No clock of ours is measured here. Every product is compared with the
processor's, every decryption with the message.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from cyclotome import _core, fpga
from cyclotome.devices.contexts import device_name, engine_on
from cyclotome.devices.fpga import open_circuit, options_of
from cyclotome.parameters.parameters import Parameters, find_primes
from cyclotome_study import ProductContext

from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.report import Record

__all__ = ["CASES", "QUICK_DEGREE", "Case", "measure_circuits"]

#: The thesis's parameters: 1088 bits, as 18 primes of 60 and 61 bits in place of its 17 of 64 (see the preset).
PRESET = "004-32768-1088"
#: Circuits that fold take primes of 61 bits, 2^60 + c; as many.
FOLDED_BITS = (61,) * 18
#: What takes their place in a quick run.
QUICK_DEGREE, QUICK_BITS = 1024, (60, 60, 61)


@dataclass(frozen=True)
class Case:
    """One row of one of the thesis's tables, or one of ours that belongs beside them.

    Attributes:
        table: "6.6", "6.10", "6.11" or "6.12".
        name: the row's.
        degree: N.
        device: what computes.
        paper_us: the thesis's microseconds for each operation of the table; None where it has none.
        paper_latency: the ticks to the first result that the thesis prints.
        paper_unconverted_us: the thesis's microseconds without conversions of formats, where its table holds them and
            its text has both.
    """

    table: str
    name: str
    degree: int
    device: str
    paper_us: tuple[float | None, ...]
    paper_latency: int | None = None
    paper_unconverted_us: float | None = None

    @property
    def operations(self) -> tuple[str, ...]:
        return ("encrypt", "decrypt") if self.table == "6.12" else ("product",)


@dataclass(frozen=True)
class Cost:
    """What circuits did, and how long simulating them took: wall clock, and processor time of all threads."""

    spent: fpga.Statistics
    seconds: float
    processor_seconds: float


def _case(
    table: str,
    name: str,
    options: str,
    *paper_us: float | None,
    latency: int | None = None,
    unconverted: float | None = None,
) -> Case:
    degree = 16384 if table == "6.6" else 32768
    return Case(table, name, degree, f"fpga:sim:{options}", paper_us, latency, unconverted)


#: The thesis's multipliers reduce by its Algorithm 8, and so do those of its designs here.
_FOLD = "reduction=fold,bits=61"
_PEASE = f"design=pease,{_FOLD},clock=180"
_COOLEY = f"design=cooley-tukey,pipes=4,{_FOLD},clock=100"
_OURS = "design=iterative,pipes=4,clock=100"
_STREAMING = "design=streaming,clock=100"

#: Every row. The thesis's times of tables 6.11 and 6.12 hold conversions of formats on its processor.
CASES: tuple[Case, ...] = (
    _case("6.6", "Pease (thesis)", _PEASE, None, latency=178),
    _case("6.6", "iterative", "design=iterative,clock=180", None),
    _case("6.6", "streaming", "design=streaming,clock=180", None),
    _case("6.10", "Cooley–Tukey (thesis)", f"design=cooley-tukey,{_FOLD},clock=180", 4794, latency=106),
    _case("6.10", "Cooley–Tukey (thesis)", f"design=cooley-tukey,pipes=2,{_FOLD},clock=100", 3303, latency=93),
    _case("6.10", "Cooley–Tukey (thesis)", f"design=cooley-tukey,pipes=2,{_FOLD},clock=180", 2533, latency=93),
    _case("6.10", "Cooley–Tukey (thesis)", _COOLEY, 2029, latency=98),
    _case("6.10", "iterative", "design=iterative,clock=180", None),
    _case("6.10", "iterative", "design=iterative,pipes=2,clock=180", None),
    _case("6.10", "iterative", _OURS, None),
    _case("6.10", "streaming", _STREAMING, None),
    _case("6.11", "Pease (thesis)", _PEASE, 145972, unconverted=114920),
    _case("6.11", "Cooley–Tukey (thesis)", _COOLEY, 65545, unconverted=34493),
    _case("6.11", "iterative", _OURS, None),
    _case("6.11", "streaming", _STREAMING, None),
    _case("6.11", "Cooley–Tukey (thesis), a board for each prime", f"{_COOLEY},boards=18", 6989),
    _case("6.11", "iterative, a board for each prime", f"{_OURS},boards=18", None),
    _case("6.12", "Pease (thesis)", _PEASE, 327145, 153178),
    _case("6.12", "Cooley–Tukey (thesis)", _COOLEY, 166291, 72751),
    _case("6.12", "iterative", _OURS, None, None),
    _case("6.12", "iterative, operands kept transformed", f"{_OURS},mode=transform", None, None),
    _case("6.12", "iterative, the same with a board for each prime", f"{_OURS},mode=transform,boards=18", None, None),
    _case("6.12", "streaming", _STREAMING, None, None),
)


def measure_circuits(quick: bool = False, cases: Sequence[Case] = CASES) -> Iterator[Record]:
    """Runs every case and gives a record for each operation.

    Args:
        quick: N = 1024 and three primes in every case: seconds, once the models are built.

    Raises:
        EngineError: a tool for building models is missing.
        WrongResultError: a circuit gave a wrong result.
    """
    for case in cases:
        degree = QUICK_DEGREE if quick else case.degree
        parameters = _parameters(case, quick)
        device = device_name(case.device)
        engine = engine_on(device)
        assert isinstance(engine, _core.FpgaEngine)
        open_circuit(device, engine, degree)
        head = {"paper": "004", "table": case.table, "case": case.name, "degree": degree, "engine": device}
        if case.table == "6.12":
            yield from _encryption(head, engine, parameters)
        else:
            moduli = parameters.moduli if degree == parameters.degree else _moduli(case, degree, QUICK_BITS)
            yield _products(head, engine, moduli if case.table == "6.11" else moduli[-1:])


def _parameters(case: Case, quick: bool) -> Parameters:
    """Of 1088 bits, or a few primes: for circuits that fold made as the thesis made its own, else the largest."""
    folds = options_of(case.device).reduction == "fold"
    if not quick and not folds:
        return Parameters.preset(PRESET, allow_insecure=True)
    degree, bits = (QUICK_DEGREE, QUICK_BITS) if quick else (32768, FOLDED_BITS)
    return Parameters(
        degree=degree,
        plain_moduli=(2,),
        moduli=_moduli(case, degree, bits),
        security=0,
        allow_insecure=True,
        scheme="bgv",
    )


def _moduli(case: Case, degree: int, bits: Sequence[int]) -> tuple[int, ...]:
    """As many primes as there are lengths, which folding has all alike: 2^(length-1) + c."""
    options = options_of(case.device)
    if options.reduction == "fold":
        lengths = [options.bits] * len(bits)
        return tuple(ProductContext.of_lengths(degree, lengths, search="above").primes)
    return tuple(find_primes(degree, bits))


def _products(head: Record, engine: _core.FpgaEngine, moduli: Sequence[int]) -> Record:
    """One product modulo every prime, and how many ticks further ones take."""
    host = _core.CpuEngine(1)

    def several(batch: int) -> Cost:
        right, cost = _run(engine, lambda: engine.multiplies_as(host, head["degree"], list(moduli), batch))
        if not right:
            raise WrongResultError(f"{head['case']}: a product is not the processor's")
        return cost

    return _record(head, "product", moduli, several(1), several(2))


def _encryption(head: Record, engine: _core.FpgaEngine, parameters: Parameters) -> Iterator[Record]:
    """Keys, an encryption and a decryption of BGV with t = 2; then two encryptions and decryptions at once."""
    context = _core.Context(parameters.native, engine)

    def keys() -> tuple[_core.SecretKey, _core.PublicKey]:
        secret = _core.SecretKey.generate(context)
        return secret, _core.PublicKey.generate(secret)

    def both_ways(batch: int) -> tuple[Cost, Cost]:
        bits = np.random.default_rng().integers(0, 2, (batch, parameters.degree))
        plaintext = _core.encode_residues(context, 0, False, bits)
        encrypted, encryption = _run(engine, lambda: _core.encrypt(plaintext, public))
        decrypted, decryption = _run(engine, lambda: _core.decrypt(encrypted, secret))
        if not np.array_equal(_core.decode_residues(decrypted, False) % 2, bits):
            raise WrongResultError(f"{head['case']}: a decryption is not the message")
        return encryption, decryption

    (secret, public), made = _run(engine, keys)
    yield _record(head, "key_generation", parameters.moduli, made)
    for operation, one, two in zip(("encrypt", "decrypt"), both_ways(1), both_ways(2), strict=True):
        yield _record(head, operation, parameters.moduli, one, two)


def _run(engine: _core.FpgaEngine, work: Callable[[], Any]) -> tuple[Any, Cost]:
    with fpga.measure(engine.name) as spent:
        start, start_processor = time.perf_counter(), time.process_time()
        result = work()
        seconds, processor = time.perf_counter() - start, time.process_time() - start_processor
    return result, Cost(spent.statistics, seconds, processor)


def _record(head: Record, operation: str, moduli: Sequence[int], one: Cost, two: Cost | None = None) -> Record:
    """What one operation cost, and what a second one adds when both are asked for at once."""
    spent = one.spent
    return {
        **head,
        "operation": operation,
        "primes": len(moduli),
        "log_q": sum(p.bit_length() for p in moduli),
        "simulation_seconds": round(one.seconds, 3),
        "simulation_processor_seconds": round(one.processor_seconds, 3),
        "further_ticks": None if two is None else two.spent.critical_ticks - spent.critical_ticks,
        "products": spent.products,
        "transforms": spent.forwards + spent.inverses,
        "ticks": spent.ticks,
        "critical_ticks": spent.critical_ticks,
        "transfer_bytes": spent.transfer_bytes,
        "clock_mhz": spent.clock,
        "circuit_us": round(spent.circuit_us, 3),
        "transfer_us": round(spent.transfer_us, 3),
    }
