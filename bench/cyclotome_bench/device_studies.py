# SPDX-License-Identifier: Apache-2.0
"""What papers 000 and 001 time besides a scheme's operations, on a GPU: their kernels and transform designs."""

from __future__ import annotations

from collections.abc import Iterator

from cyclotome import _core
from cyclotome.contexts import device_name, engine_on
from cyclotome.errors import ArgumentError
from cyclotome.parameters import find_primes

from cyclotome_bench.measure import times
from cyclotome_bench.report import Record
from cyclotome_bench.timing import Budget, Timing

__all__ = ["study_records"]

#: (n, log2 q) of paper 000's Table 4, and of its Table 2 at one degree.
_SETS_000 = ((2048, 62), (4096, 186), (8192, 372), (16384, 744))
_RECONSTRUCTED_DEGREE = 8192
#: 000 computes with 31-bit primes; this library's transforms of 32-bit words take 30 bits.
_BITS_000 = 30
_REPETITIONS = 200


def study_records(paper: str, device: str, budget: Budget) -> Iterator[Record]:
    """Times the kernels behind Tables 2, 6 and 7 of paper 000, or Tables 5 and 6 of paper 001.

    Args:
        paper: "000" or "001".
        device: a GPU.
        budget: the fewest samples of each time; a sample is a mean over many calls, by CUDA events.

    Raises:
        ArgumentError: another paper.
        EngineError: no such GPU.
    """
    device = device_name(device)
    index = int(device.partition(":")[2])
    samples = max(3, budget.fewest)
    if paper == "000":
        yield from _kernels(device, index, samples)
    elif paper == "001":
        yield from _designs(index, samples)
    else:
        raise ArgumentError(f"paper {paper!r} has no kernels to time here; there are 000 and 001")


def _record(paper: str, operation: str, chain: str, degree: int, log_q: int, word: int, samples: list[float]) -> Record:
    head = {
        "operation": operation,
        "scheme": None,
        "set": f"study-{paper}",
        "paper": paper,
        "degree": degree,
        "log_q": log_q,
        "chain": chain,
        "engine": "cuda",
        "word": word,
        "threads": 1,
        "batch": 1,
    }
    return {**head, **times(Timing(samples), None)}


def _kernels(device: str, index: int, samples: int) -> Iterator[Record]:
    engine = engine_on(device)

    def record(operation: str, chain: str, degree: int, log_q: int, found: list[float]) -> Record:
        return _record("000", operation, chain, degree, log_q, 32, found)

    for degree, log_q in dict.fromkeys([*_SETS_000, *((_RECONSTRUCTED_DEGREE, log_q) for _, log_q in _SETS_000)]):
        limbs = -(-log_q // _BITS_000)
        found = [
            _core.cuda_reconstruction_time(degree, _BITS_000, limbs, repetitions=_REPETITIONS, device=index)
            for _ in range(samples)
        ]
        yield record("reconstruct", "Garner", degree, log_q, found)
        if (degree, log_q) not in _SETS_000:
            continue
        for name in ("DGT", "DGT multi-radix"):
            pairs = [
                _core.cuda_transform_times(name, degree, _BITS_000, limbs, 1, _REPETITIONS, True, index)
                for _ in range(samples)
            ]
            known = [pair for pair in pairs if pair is not None]
            if known:
                yield record("design_ntt", name, degree, log_q, [forward for forward, _ in known])
                yield record("design_intt", name, degree, log_q, [inverse for _, inverse in known])
        primes = find_primes(degree, [_BITS_000] * (2 * limbs + 1))
        q, auxiliary = primes[:limbs], primes[limbs:]
        bench = _core.TransformBench(engine, 32, q, degree, 1)
        for operation, run in (("engine_ntt", bench.forward), ("engine_intt", bench.inverse)):
            run(3)
            found = [run(_REPETITIONS) / _REPETITIONS / 1000 for _ in range(samples)]
            yield record(operation, "engine", degree, log_q, found)
        for operation, call in (("convert", _core.conversion_nanoseconds), ("divide", _core.division_nanoseconds)):
            bases = (q, auxiliary) if operation == "convert" else (auxiliary, q)
            found = [call(engine, 32, degree, *bases, _REPETITIONS) / 1000 for _ in range(samples)]
            yield record(operation, "engine", degree, log_q, found)


def _designs(index: int, samples: int) -> Iterator[Record]:
    """Every design of 001 with 30-bit primes, and the hybrid one with 55-bit primes too."""
    names = [name for name in _core.cuda_designs() if name[0] == "D" and name[1:].isdigit()]
    for log_degree in range(11, 17):
        for name, bits in [*((name, 30) for name in names), ("D5", 55)]:
            pairs = [
                _core.cuda_transform_times(name, 1 << log_degree, bits, 1, 1, _REPETITIONS, False, index)
                for _ in range(samples)
            ]
            known = [pair for pair in pairs if pair is not None]
            if known:
                word = 32 if bits < 32 else 64
                forward, inverse = [a for a, _ in known], [b for _, b in known]
                yield _record("001", "design_ntt", name, 1 << log_degree, bits, word, forward)
                yield _record("001", "design_intt", name, 1 << log_degree, bits, word, inverse)
