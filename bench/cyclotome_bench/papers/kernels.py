# SPDX-License-Identifier: Apache-2.0
"""What papers 000 and 001 time beside a scheme's operations, on any device: each result is checked before its time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome.parameters.parameters import find_primes
from cyclotome_study.crt import Crt

from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.timing import Budget, clock_of
from cyclotome_bench.measure import head_of
from cyclotome_bench.papers.study_records import study_record
from cyclotome_bench.peers.ours import Ours
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.report import Record
from cyclotome_bench.sets import Problem, paper_problems

__all__ = ["SETS_000", "kernels_000", "reconstructions", "reductions", "shares", "transforms_by_events"]

#: (n, log2 q) of paper 000's Table 4, and the degree of its Table 2.
SETS_000 = ((2048, 62), (4096, 186), (8192, 372), (16384, 744))
_RECONSTRUCTED_DEGREE = 8192
#: 000 computes with 31-bit primes; this library's transforms of 32-bit words take 30 bits.
_BITS = 30
#: NFLlib's prime of Table 1, and how many integers it reduces.
NFLLIB_PRIME = 984481793
_COUNTS = (2048, 4096, 8192, 16384)

_GARNER = "src/cyclotome/ring/conversion/mixed_radix.hpp"
_CLASSIC = "src/cyclotome/study/classic_reconstruction.hpp"
_REDUCTION = "src/cyclotome/study/word_reduction.hpp"


def _samples(call: Callable[[int], float], budget: Budget) -> list[float]:
    """Microseconds of the engine's thread, or by a GPU's events: a sample takes about the budget's time for one, and
    there are at least three."""
    once = max(call(1), 1)
    repetitions = max(1, min(200, round(budget.sample_seconds * 1e9 / once)))
    return [call(repetitions) / 1000 for _ in range(max(3, budget.fewest))]


def _kind(device: str) -> str:
    return device.partition(":")[0]


def reductions(device: str, budget: Budget) -> Iterator[Record]:
    """Table 1: N integers of 62 bits modulo NFLlib's prime."""
    engine, rng = engine_on(device), random.Random(1)
    for count in _COUNTS:
        integers = [rng.getrandbits(62) for _ in range(count)]
        integers[:3] = [(1 << 62) - 1, 0, NFLLIB_PRIME]
        step = _core.WordReductions(engine, integers, NFLLIB_PRIME)
        for how in ("division", "nfllib", "barrett"):
            if step.reduced(how) != [x % NFLLIB_PRIME for x in integers]:
                raise WrongResultError(f"{count} integers are reduced wrongly by {how} on {device}")
            found = _samples(lambda r, s=step, h=how: s.nanoseconds(h, r), budget)  # type: ignore[misc]
            yield study_record("000", "reduce", how, count, 62, found, code=_REDUCTION, engine=_kind(device))


def reconstructions(device: str, budget: Budget, sets: tuple[tuple[int, int], ...] = SETS_000) -> Iterator[Record]:
    """Tables 2, 6 and 7: integers to residues, and the three ways back."""
    rng = random.Random(2)
    for degree, log_q in dict.fromkeys([*sets, *((_RECONSTRUCTED_DEGREE, log_q) for _, log_q in sets)]):
        crt = Crt(find_primes(degree, [_BITS] * -(-log_q // _BITS)), degree, device)
        integers = [rng.randrange(crt.modulus) for _ in range(degree)]
        integers[:3] = [crt.modulus - 1, 0, crt.moduli[0]]
        residues = crt.decompose(integers)
        if residues[:, :64].tolist() != [[x % q for x in integers[:64]] for q in crt.moduli]:
            raise WrongResultError(f"integers of {log_q} bits are decomposed wrongly on {device}")
        ways = [("Garner", "garner", _GARNER)]
        if degree == _RECONSTRUCTED_DEGREE:
            ways += [("MP-mod", "division", _CLASSIC), ("MP-sub", "subtraction", _CLASSIC)]
        found = _samples(lambda r, c=crt: c.nanoseconds("decompose", r), budget)  # type: ignore[misc]
        yield study_record("000", "decompose", "engine", degree, log_q, found, code=_GARNER, engine=_kind(device))
        for chain, how, code in ways:
            if crt.reconstruct(residues, how) != integers:  # type: ignore[arg-type]
                raise WrongResultError(f"integers of {log_q} bits come back wrong by {chain} on {device}")
            found = _samples(lambda r, c=crt, h=how: c.nanoseconds(h, r), budget)  # type: ignore[misc]
            yield study_record("000", "reconstruct", chain, degree, log_q, found, code=code, engine=_kind(device))


def kernels_000(device: str, budget: Budget, sets: tuple[tuple[int, int], ...] = SETS_000) -> Iterator[Record]:
    """Tables 6 and 7: this library's transforms, base conversion and division, on one polynomial, all primes."""
    engine, kind = engine_on(device), _kind(device)
    for degree, log_q in sets:
        limbs = -(-log_q // _BITS)
        primes = find_primes(degree, [_BITS] * (2 * limbs + 1))
        q, auxiliary = primes[:limbs], primes[limbs:]
        transform = "cpu/transform.hpp" if kind == "cpu" else "cuda/transform/transform.cuh"
        for operation, inverse in (("engine_ntt", False), ("engine_intt", True)):
            found = _samples(
                lambda r, d=degree, p=q, i=inverse: _core.transform_nanoseconds(engine, 32, p, d, i, r),  # type: ignore[misc]
                budget,
            )
            code = f"src/cyclotome/engine/{transform}"
            yield study_record("000", operation, "engine", degree, log_q, found, code=code, engine=kind)
        for operation, call, bases in (
            ("convert", _core.conversion_nanoseconds, (q, auxiliary)),
            ("divide", _core.division_nanoseconds, (auxiliary, q)),
        ):
            found = _samples(lambda r, f=call, d=degree, b=bases: f(engine, 32, d, *b, r), budget)  # type: ignore[misc]
            name = "base_conversion" if operation == "convert" else "divide_and_round"
            code = f"src/cyclotome/ring/conversion/{name}.hpp"
            yield study_record("000", operation, "engine", degree, log_q, found, code=code, engine=kind)


def transforms_by_events(device: str, budget: Budget) -> Iterator[Record]:
    """001, Tables 6 and 8: this library's own transforms, by the device's clock."""
    engine, kind = engine_on(device), _kind(device)
    code = f"src/cyclotome/engine/{'cpu/transform.hpp' if kind == 'cpu' else 'cuda/transform/transform.cuh'}"
    for log_degree in range(11, 17):
        for bits, word in ((30, 32), (55, 64), (60, 64)):
            primes = find_primes(1 << log_degree, [bits])
            for operation, inverse in (("engine_ntt", False), ("engine_intt", True)):
                found = _samples(
                    lambda r, w=word, p=primes, n=1 << log_degree, i=inverse: _core.transform_nanoseconds(  # type: ignore[misc]
                        engine, w, p, n, i, r
                    ),
                    budget,
                )
                yield study_record(
                    "001", operation, "engine", 1 << log_degree, bits, found, code=code, engine=kind, word=word
                )


#: Table 2's sets, and its operations.
_SHARED_SETS = ("001-2048-54", "001-8192-218", "001-32768-880")
_SHARED = ("key_generation", "encrypt", "decrypt")


def shares(device: str, budget: Budget, sets: tuple[str, ...] = _SHARED_SETS) -> Iterator[Record]:
    """001, Table 2: what share of key generation, encryption and decryption is which work. Each call to the engine
    waits for its work, so on a GPU the shares are those of calls, launches included."""
    for problem in (p for p in paper_problems("001") if p.name in sets):
        engine = _core.ProfilingEngine(engine_on(device))
        ours = Ours(problem, problem.chains[0], engine)
        for operation in _SHARED:
            yield _share(problem, ours, operation, engine, device, budget)


def _share(
    problem: Problem, ours: Ours, operation: str, engine: _core.ProfilingEngine, device: str, budget: Budget
) -> Record:
    clock = clock_of(device)
    action = ours.operations[operation]
    ours.verify(operation, action(), noise=False)
    samples, spent = [], dict.fromkeys(engine.profile(), 0.0)
    for _ in range(max(5, budget.fewest)):
        engine.reset()
        start = clock.now()
        action()
        samples.append((clock.now() - start) / 1000)
        spent = {name: spent[name] + microseconds for name, microseconds in engine.profile().items()}
    known = {f"share_{name}": round(100 * value / sum(samples), 1) for name, value in spent.items()}
    rest = round(100 - sum(known.values()) + known["share_conversions"], 1)
    head = head_of(problem, problem.chains[0], operation, _kind(device), 1, 1)
    return {
        **study_record(
            "001",
            f"share_{operation}",
            "engine",
            problem.degree,
            problem.log_q,
            samples,
            code="src/cyclotome/study/profiling_engine.hpp",
            engine=_kind(device),
            word=head["word"],
            kind=Kind.LATENCY if _kind(device) != "cpu" else None,
        ),
        **known,
        "share_other": rest,
    }
