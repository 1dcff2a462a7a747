# SPDX-License-Identifier: Apache-2.0
"""Parameters by what they take on the machine at hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..options import allow_undecryptable, progress
from ..parameters.parameters import Parameters
from ..reporting import Task
from .dry_runs import DryRun, Operand
from .estimates import TIMES, estimated
from .kept_times import kept_in, read_times, write_times
from .trials import Search

__all__ = ["fastest", "fastest_of", "suggest_measured"]

#: How many sets are timed; how much more than the best they may cost by the model; and how much of the time of the
#: model's choice another one may take to be better.
_MOST, _WITHIN, _CLEARLY = 8, 4.0, 0.95
#: Seconds for the readings of one set, about.
_BUDGET = 2.0


def _make(parameters: Parameters) -> tuple[object, ...]:
    """What sets are alike in that take about the same time."""
    widest = max((*parameters.moduli, *parameters.special_moduli)).bit_length()
    counts = len(parameters.moduli), len(parameters.special_moduli), len(parameters.plain_moduli)
    return parameters.scheme, parameters.degree, parameters.word, counts, widest > 50


def _seconds(parameters: Parameters, compute: Callable[..., object], inputs: Sequence[Operand]) -> float:
    """Of the computation on one core of this machine, about."""
    dry = DryRun(parameters)
    dry.engine.remember(True)
    began = 0.0

    def begun() -> None:
        nonlocal began
        began = time.thread_time()

    with progress(None):
        dry.run(compute, inputs, begun)
    around = time.thread_time() - began
    return around + estimated(parameters, dry.engine.asked, dry.engine.account, "cpu:1", TIMES, _BUDGET).seconds


def fastest_of(every: Sequence[Parameters], compute: Callable[..., object], inputs: Sequence[Operand]) -> Parameters:
    """The set with which the computation takes least time on this machine; the first, unless another is clearly faster.
    Times of its kinds of work are kept for later processes."""
    kept = kept_in()
    read_times(kept, TIMES)
    task = Task("measuring parameters", len(every))
    taken: dict[Parameters, float] = {}
    for parameters in every:
        taken[parameters] = _seconds(parameters, compute, inputs)
        task.advance()
    write_times(kept, TIMES)
    best = min(every, key=taken.__getitem__)
    return best if taken[best] < _CLEARLY * taken[every[0]] else every[0]


def fastest(search: Search, best: Parameters) -> Parameters:
    """Of the sets that a search found to serve; best: by the model."""
    chosen = {_make(best): best}
    for parameters in search.serving():
        if len(chosen) >= _MOST or search.cost(parameters) > _WITHIN * search.cost(best):
            break
        chosen.setdefault(_make(parameters), parameters)
    return fastest_of(list(chosen.values()), search.compute, search.inputs)


def suggest_measured(
    *, word: int | None, scheme: str | None, depth: int, plain_products: int, **intent: Any
) -> Parameters:
    """`Parameters.suggest`, of either word and scheme, if they are left open, those with which so many products with
    public numbers, so many squarings and a sum take least time on this machine. Arguments are those of it.

    Raises:
        ParameterError: as `Parameters.suggest`, of the first that is tried.
    """
    asked = {"depth": depth, "plain_products": plain_products, **intent}
    every = [Parameters.suggest(word=word, scheme=scheme, **asked)]
    for each in ("bfv", "bgv") if scheme is None else (scheme,):
        for length in (32, 64) if word is None else (word,):
            with suppress(ParameterError):
                every.append(Parameters.suggest(word=length, scheme=each, **asked))
    every = list(dict.fromkeys(every))

    def compute(x: Any) -> Any:
        for _ in range(plain_products):
            x = x * np.arange(1, x.shape[0] + 1)
        for _ in range(depth):
            x = x * x
        return x.sum()

    size = min(parameters.slots for parameters in every)
    with allow_undecryptable():  # sums and products come in another order than the parameters are for
        return fastest_of(every, compute, [Operand((size,), wrap=True)])
