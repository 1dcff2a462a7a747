# SPDX-License-Identifier: Apache-2.0
"""Runs programs of arrays by the package, and holds every result to what Python integers say."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome.errors import CyclotomeError

from .programs import VERBS, Program, Step, World, largest_row, world
from .recording import api


@dataclass
class Result:
    """An array, what it holds, and whether its bits are the same in every run."""

    array: cy.EncryptedArray
    clear: Any
    random: bool


@dataclass
class Tried:
    """A step that was tried: its operands' places among results, and its result's, or the error that refused it."""

    step: Step
    operands: list[int]
    place: int | None
    refusal: str = ""


@dataclass
class Run:
    """A program's course: results, those of inputs first, and the steps that NumPy has results for."""

    program: Program
    world: World
    results: list[Result] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)

    def counts(self) -> Counter[str]:
        """What became of the steps, by verb and by refusal."""
        return Counter(each.refusal or each.step.verb for each in self.tried)


#: Arrays that grow beyond this are no operands: programs shall stay small.
MOST_VALUES = 200


def run(program: Program) -> Run:
    """Runs a program. AssertionError: a result that is not the oracle's, or facts of it that do not hold."""
    where = world(program.setting)
    course = Run(program, where)
    for given in program.inputs:
        try:
            array = where.encrypted(given)
        except CyclotomeError as error:
            assert max(map(abs, given.interval)) > where.capacity or "l1" in str(error), f"{given}: {error}"
            continue
        course.results.append(Result(array, given.clear(), True))
        _check(course, program.text())
    for step in program.steps if course.results else []:
        _try(course, step)
    return course


def _try(course: Run, step: Step) -> None:
    verb = VERBS[course.program.encoding][step.verb]
    places = [place % len(course.results) for place in step.operands]
    operands = [course.results[place] for place in places]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's remarks on shapes
            clear = np.asarray(verb.clear(*(each.clear for each in operands), **step.options), dtype=object)
    except (ValueError, IndexError, TypeError):
        return  # NumPy has no such result
    if not 0 < clear.size <= MOST_VALUES:
        return
    tried = Tried(step, places, None)
    course.tried.append(tried)
    try:
        array = verb.python(course.world, *(each.array for each in operands), **step.options)
    except CyclotomeError as error:
        tried.refusal = type(error).__name__
        return
    tried.place = len(course.results)
    course.results.append(Result(array, clear, verb.random or bool(array.is_transformed)))
    _check(course, f"{course.program.text()}\nstep {len(course.tried)}: {step.verb} of {places} {step.options}")


def _check(course: Run, story: str) -> None:
    result, where = course.results[-1], course.world
    x, clear = result.array, result.clear
    found = np.asarray(api.decrypt(x, where.keys.secret), dtype=object)
    assert x.shape == found.shape == clear.shape, f"{story}\nshape {x.shape}, not {clear.shape}"
    assert (found == clear).all(), f"{story}\n{found.tolist()}, not {clear.tolist()}"
    assert x.interval is not None and x.l1_bound is not None, story
    assert x.interval[0] <= clear.min() and clear.max() <= x.interval[1], f"{story}\nbeyond {x.interval}"
    assert largest_row(clear) <= x.l1_bound, f"{story}\na row beyond {x.l1_bound}"
    assert max(map(abs, x.interval)) <= where.capacity, story
    assert x.noise_headroom <= api.noise_budget(x, where.keys.secret) + 1, story
