# SPDX-License-Identifier: Apache-2.0
"""Arrays of residues in and out of an engine, so that a test is one line of mathematics per step."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.devices import cuda
from numpy.typing import NDArray
from oracles.integers import some_primes

Residues = NDArray[np.uint64]
# Every way to compute: the CPU engine with each instruction set of this machine, and an engine that computes no
# composite at once, but its verbs one by one; and a GPU, where there is one. All must give the same bits.
ENGINES = {name: _core.CpuEngine(2, name) for name in _core.instruction_sets()}
ENGINES["reference"] = testing.ReferenceEngine(2)
if cuda.usable():
    ENGINES["cuda"] = _core.cuda_engine(0)
#: Those of them whose memory is not the host's.
DEVICES = [engine for name, engine in ENGINES.items() if name == "cuda"]
COEFFICIENT, TRANSFORM = testing.Domain.coefficient, testing.Domain.transform


def ring_of(word: int, degree: int, moduli: Sequence[int]) -> Any:
    return testing.Ring.negacyclic(degree, testing.Basis(word, list(moduli)))


def transform_primes(word: int, degree: int, count: int, skip: int = 0) -> list[int]:
    """The largest primes that have a transform in this word."""
    return some_primes(30 if word == 32 else 61, 2 * degree, count, skip)


def random_residues(rng: np.random.Generator, ring: Any, batch: int = 1, parts: int = 1) -> Residues:
    """Uniform residues[batch][part][limb][coefficient]."""
    moduli = np.array(ring.basis.moduli, dtype=np.uint64)[:, None]
    return rng.integers(0, moduli, (batch, parts, ring.limbs, ring.degree), dtype=np.uint64)


def extreme_residues(ring: Any, batch: int = 1, parts: int = 1) -> Residues:
    """All residues at their largest value q - 1, which is where sums overflow first."""
    top = np.array(ring.basis.moduli, dtype=np.uint64)[:, None] - np.uint64(1)
    return np.ascontiguousarray(np.broadcast_to(top, (batch, parts, ring.limbs, ring.degree)))


def put(engine: Any, ring: Any, residues: Any, domain: Any = COEFFICIENT, secret: bool = False) -> Any:
    """An array with these residues: [limb][coefficient], or with batch and part in front."""
    values = np.ascontiguousarray(np.asarray(residues, dtype=np.uint64))
    values = values.reshape((1,) * (4 - values.ndim) + values.shape)
    array = testing.PolyArray(engine, ring, values.shape[0], values.shape[1], domain, secret)
    array.from_host(values)
    return array


class Verbs:
    """An engine's verbs as methods: `on(engine).add(out, a, b)`."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def __getattr__(self, name: str) -> Any:
        return functools.partial(getattr(testing.verbs, name), self.engine)


on = Verbs


def call(
    verb: functools.partial[None], ring: Any, shape: tuple[int, int], *arguments: Any, domain: Any = COEFFICIENT
) -> Residues:
    """What a verb `on` an engine writes into a fresh array of `shape` = (batch, parts); arrays are passed as views."""
    (engine,) = verb.args
    out = testing.PolyArray(engine, ring, *shape, domain)
    verb(out.view(), *(operand(engine, a) for a in arguments))
    return out.to_host()


def in_host_memory(engine: Any) -> bool:
    """Whether arrays of any CPU engine are operands for this one."""
    return not engine.name.startswith("cuda")


def operand(engine: Any, argument: Any) -> Any:
    """A verb's argument; arrays as views, of a copy in the engine's own memory if it has such."""
    if not isinstance(argument, testing.PolyArray):
        return argument
    return (argument if in_host_memory(engine) else argument.to(engine)).view()


def everywhere(verb: str, ring: Any, shape: tuple[int, int], *arguments: Any, domain: Any = COEFFICIENT) -> Residues:
    """`call` on every engine; the engines must agree. Views, as operands, lie in host memory: for engines there."""
    views = any(isinstance(a, testing.View) for a in arguments)
    engines = [e for e in ENGINES.values() if in_host_memory(e) or not views]
    first, *others = (call(getattr(on(e), verb), ring, shape, *arguments, domain=domain) for e in engines)
    for result in others:
        np.testing.assert_array_equal(result, first)
    return first
