# SPDX-License-Identifier: Apache-2.0
"""Parameters for a computation with real numbers: the smallest degree, and then the smallest scale, at which its
results are right to what was asked for, found by running it on an engine that only keeps account."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..errors import ArgumentError, CyclotomeError, NoiseError, ParameterError, RangeError, UnsupportedError
from ..options import progress
from ..parameters.parameters import Parameters
from ..reporting import Task
from .dry_runs import DryRun, Operand

__all__ = ["RealSearch", "least_real_parameters"]

#: What `Parameters.from_scale_bits` allows, and what a word leaves for the size of results beside a scale.
_LEAST_SCALE, _MOST_SCALE, _ROOM = 20, 58, 55
_DEGREES = [1 << bits for bits in range(10, 18)]


@dataclass
class _Runs:
    """Progress of a search, whose runs nobody can count beforehand: most take 15 to 40."""

    most: int = 48
    done: int = 0
    task: Task = field(init=False)

    def __post_init__(self) -> None:
        self.task = Task("trying parameters", self.most)

    def step(self) -> None:
        if self.done < self.most - 1:
            self.done += 1
            self.task.advance()

    def finish(self) -> None:
        self.task.advance(self.most - self.done)


@dataclass(frozen=True)
class _Needs:
    """What the computation takes whatever the scale: levels, and log2 of the largest number that ever occurs."""

    levels: int
    result_bits: int


@dataclass(frozen=True)
class RealSearch:
    """What is asked for, and what has been tried."""

    compute: Callable[..., object]
    inputs: tuple[Operand, ...]
    precision: float
    security: int
    table: str
    strict: bool
    min_degree: int
    flooding_bits: int
    _runs: _Runs = field(default_factory=_Runs, compare=False)

    @property
    def bound(self) -> float:
        """The largest magnitude that is encrypted."""
        return max(1.0 if each.bound is None else each.magnitude() or 0.0 for each in self.inputs)

    def parameters(self, degree: int, scale_bits: int, needs: _Needs, *, insecure: bool = False) -> Parameters:
        return Parameters.from_scale_bits(
            degree=degree,
            scale_bits=scale_bits,
            depth=needs.levels,
            bound=self.bound,
            result_bound=max(self.bound, 2.0**needs.result_bits),
            security=0 if insecure else self.security,
            table=self.table,
            allow_insecure=insecure,
            strict=self.strict,
        )

    def results(self, parameters: Parameters) -> list[Any]:
        """Of a run; raises what the computation does."""
        self._runs.step()
        with progress(None):  # of operations that are not done
            return DryRun(parameters).run(self.compute, self.inputs)[1]

    def error(self, parameters: Parameters) -> float:
        """How wrong any result is at most, or what is given to others; infinity where something outgrows its error."""
        try:
            results = self.results(parameters)
        except (NoiseError, RangeError):
            return math.inf
        if self.flooding_bits:
            return float(max(_core.revealed_error(x.native, self.flooding_bits) for x in results))
        return float(max(x.error.max for x in results))

    def finished(self) -> None:
        """No other set will be tried."""
        self._runs.finish()


def _generous(search: RealSearch, degree: int) -> tuple[int, _Needs, list[Any]]:
    """A run with far more levels than most computations take, at a scale that leaves room for larger results where it
    has to: the scale, what was granted, and the results. Raises what the computation does."""
    refused: CyclotomeError | None = None
    for scale_bits, levels in ((40, 40), (30, 40), (25, 24), (40, 100)):
        granted = _Needs(levels, _ROOM - scale_bits)
        try:
            return scale_bits, granted, search.results(search.parameters(degree, scale_bits, granted, insecure=True))
        except (RangeError, NoiseError) as error:
            refused = refused or error
        except ParameterError:
            continue  # too few primes of this width
    raise refused or ParameterError(f"suggest: no parameters of degree {degree} carry this computation")


def _needs(search: RealSearch, degree: int) -> _Needs:
    """By runs without regard to security. Raises what the computation does."""
    scale_bits, granted, results = _generous(search, degree)
    levels = granted.levels - min(x.level for x in results)
    low, high = max(0, math.ceil(math.log2(search.bound))), granted.result_bits
    while low < high:
        middle = (low + high) // 2
        tried = search.parameters(degree, scale_bits, _Needs(levels, middle), insecure=True)
        if math.isinf(search.error(tried)):
            low = middle + 1
        else:
            high = middle
    return _Needs(levels, high)


def _allowed(search: RealSearch, degree: int, needs: _Needs) -> Iterator[tuple[int, Parameters]]:
    """Parameters that security and words allow, by scale."""
    for scale_bits in range(_LEAST_SCALE, min(_MOST_SCALE, _ROOM - needs.result_bits) + 1):
        try:
            yield scale_bits, search.parameters(degree, scale_bits, needs)
        except ParameterError:  # too few primes of this width, or too many bits in all
            continue


def least_real_parameters(search: RealSearch) -> Parameters:
    """The smallest degree, and then the smallest scale, that serve.

    Raises:
        ParameterError: none do; the message has the best that there is.
        ArgumentError: a precision or degree that is none.
        Whatever else the computation raises by itself.
    """
    if not (search.precision > 0 and math.isfinite(search.precision)):
        raise ParameterError(f"suggest: precision = {search.precision}; it is how wrong results may be, such as 0.001")
    if not 0 <= search.flooding_bits <= 128:
        raise ArgumentError(f"suggest: flooding_bits {search.flooding_bits} must lie in [0, 128]; 0 is none")
    if not 0 < search.bound < math.inf:
        raise ParameterError(f"suggest: numbers up to {search.bound}; a bound is above 0 and finite")
    best, needs = math.inf, None
    refused: CyclotomeError | None = None
    for degree in _DEGREES:
        if degree < search.min_degree:
            continue
        try:
            needs = _needs(search, degree) if needs is None else needs
        except (ArgumentError, UnsupportedError) as error:
            if str(error) == str(refused):
                raise
            refused = error  # as rows that don't fit a ciphertext: a larger one may hold them
            continue
        allowed = [parameters for _, parameters in _allowed(search, degree, needs)]
        if not allowed:
            continue
        least = search.error(allowed[-1])
        best = min(best, least)
        if not least <= search.precision:
            continue
        low, high = 0, len(allowed) - 1
        while low < high:
            middle = (low + high) // 2
            if search.error(allowed[middle]) <= search.precision:
                high = middle
            else:
                low = middle + 1
        search.finished()
        return allowed[high]
    if needs is None and refused is not None:
        raise refused
    took = "" if needs is None else f", which takes {needs.levels} levels and numbers up to 2^{needs.result_bits},"
    flooded = f" and {search.flooding_bits} bits of flooding" if search.flooding_bits else ""
    raise ParameterError(
        f"suggest: no parameters with {search.security} bits of security{flooded} make this computation{took} right to "
        f"{search.precision}"
        + (f"; the best that there are, to {best:.2g}" if math.isfinite(best) else "")
        + "; ask for less precision, tighter bounds, or fewer products one after the other"
    )
