# SPDX-License-Identifier: Apache-2.0
"""The transform designs of papers 000 and 001, rebuilt, on a GPU and on one thread."""

from __future__ import annotations

from collections.abc import Iterator

from cyclotome import _core
from cyclotome.devices.contexts import device_name
from cyclotome.errors import ArgumentError, EngineError
from cyclotome.parameters.parameters import find_primes
from cyclotome_study import transforms

from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.papers.kernels import SETS_000
from cyclotome_bench.papers.study_records import study_record
from cyclotome_bench.reports.report import Record

__all__ = ["design_records"]

#: 000 computes with 31-bit primes; this library's transforms of 32-bit words take 30 bits.
_BITS_000 = 30
_REPETITIONS = 200
_CODE = "src/cyclotome/engine/cuda/study/kernels.cuh"
_HOST_CODE = "src/cyclotome/study/transform/transform_engine.cpp"
#: The designs by the papers' names, and as `cyclotome.study.transforms` has them.
_NAMES_000 = {"DGT": "dgt", "DGT multi-radix": "dgt-stockham"}
_NAMES_001 = {f"D{i}": f"d{i}" for i in range(1, 6)}
#: A sample on a processor.
_HOST_SAMPLE_US = 1000.0


def design_records(paper: str, device: str, budget: Budget) -> Iterator[Record]:
    """Times the DGT of paper 000's Tables 6 and 7, or the designs of Tables 5 and 6 of paper 001.

    Args:
        paper: "000" or "001".
        device: a GPU, or "cpu:1", whose thread's own time counts.
        budget: the fewest samples of each time; a sample is a mean over many calls, on a GPU by CUDA events.

    Raises:
        ArgumentError: another paper.
        EngineError: no such GPU.
    """
    if device_name(device).startswith("cpu"):
        yield from _on_host(paper, device_name(device), max(3, budget.fewest))
        return
    index = int(device_name(device).partition(":")[2])
    samples = max(3, budget.fewest)
    if paper == "000":
        names = [name for name in _core.cuda_designs() if name.startswith("DGT")]
        for degree, log_q in SETS_000:
            for name in names:
                yield from _design("000", name, degree, log_q, _BITS_000, -(-log_q // _BITS_000), samples, index)
    elif paper == "001":  # every design with 30-bit primes, and the hybrid one with 55-bit primes too
        names = [name for name in _core.cuda_designs() if name.startswith("D") and name[1:].isdigit()]
        for log_degree in range(11, 17):
            for name, bits in [*((name, 30) for name in names), ("D5", 55)]:
                yield from _design("001", name, 1 << log_degree, bits, bits, 1, samples, index)
    else:
        raise ArgumentError(f"paper {paper!r} has no designs to time here; there are 000 and 001")


def _design(
    paper: str, name: str, degree: int, log_q: int, bits: int, limbs: int, samples: int, index: int
) -> Iterator[Record]:
    pairs = [
        _core.cuda_transform_times(name, degree, bits, limbs, 1, _REPETITIONS, name.startswith("DGT"), index)
        for _ in range(samples)
    ]
    known = [pair for pair in pairs if pair is not None]
    if not known:
        return
    for operation, found in zip(("design_ntt", "design_intt"), zip(*known, strict=True), strict=True):
        word = 32 if bits < 32 else 64
        yield study_record(paper, operation, name, degree, log_q, found, code=_CODE, engine="cuda", word=word)


def _on_host(paper: str, device: str, samples: int) -> Iterator[Record]:
    """The same on a processor; designs that do not do a degree are left out."""
    cells: list[tuple[str, str, int, int, list[int]]] = []
    if paper == "000":
        for degree, log_q in SETS_000:
            primes = find_primes(degree, [_BITS_000] * -(-log_q // _BITS_000))
            cells += [(name, design, degree, log_q, primes) for name, design in _NAMES_000.items()]
    elif paper == "001":
        for degree in (1 << i for i in range(11, 17)):
            narrow, wide = find_primes(degree, [30]), find_primes(degree, [55])
            cells += [(name, design, degree, 30, narrow) for name, design in _NAMES_001.items()]
            cells.append(("D5", "d5", degree, 55, wide))
    else:
        raise ArgumentError(f"paper {paper!r} has no designs to time here; there are 000 and 001")
    for name, design, degree, log_q, primes in cells:
        try:
            made = [transforms.Transform(design, degree, prime, device) for prime in primes]
        except (ArgumentError, EngineError):
            continue
        for operation, inverse in (("design_ntt", False), ("design_intt", True)):
            found = _host_samples(made, inverse, samples)
            yield study_record(
                paper, operation, name, degree, log_q, found, code=_HOST_CODE, engine="cpu", word=made[0].word
            )


def _host_samples(made: list[transforms.Transform], inverse: bool, samples: int) -> list[float]:
    """Microseconds of one polynomial's transform modulo all primes, one after the other."""
    once = max(made[0].microseconds(inverse=inverse, repetitions=1), 0.1)
    repetitions = max(1, round(_HOST_SAMPLE_US / once / len(made)))
    return [sum(t.microseconds(inverse=inverse, repetitions=repetitions) for t in made) for _ in range(samples)]
