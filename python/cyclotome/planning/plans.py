# SPDX-License-Identifier: Apache-2.0
"""What a computation takes, before anything is encrypted: it is run on an engine that only keeps account."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from .. import _core
from ..arrays.array import EncryptedArray
from ..devices.contexts import ACCOUNT, Context, device_name, engine_on
from ..errors import ArgumentError
from ..keys.generation import sum_rotations
from ..keys.keyring import Keyring
from ..keys.kinds import EvaluationKeys, PublicKey
from ..parameters.parameters import Parameters, required_parameters
from ..text import byte_size, plural
from .clocks import Clock
from .dry_runs import DryRun, Operand, arrays_in, results_of
from .estimates import estimated
from .refreshes import PlannedRefresh, refreshes_of

__all__ = ["Operation", "Plan", "PlannedKeys", "plan"]


class PlannedKeys(TypedDict):
    """Arguments of `keygen`."""

    relinearization: bool
    rotations: list[int]
    columns: bool
    galois_elements: list[int]
    bootstrap: bool


@dataclass(frozen=True)
class Operation:
    """How often something is done, and on how many ciphertexts in all."""

    name: str
    calls: int
    ciphertexts: int


@dataclass(frozen=True)
class Plan:
    """What a computation takes with some parameters; made by `plan`. ``print`` it."""

    parameters: Parameters
    #: Products of encrypted values one after the other.
    depth: int
    #: Products of ciphertexts, and relinearisations, in all, those of every plaintext modulus counted.
    products: int
    relinearizations: int
    #: Products that are made one by one and then summed, as ``(x * y).sum(0)`` has them, with one relinearisation for
    #: each sum: `sum_of_products`, ``@`` and `einsum` also prepare each factor once and round each sum once.
    summed_products: int
    #: Everything that is done to ciphertexts.
    operations: tuple[Operation, ...]
    #: What the keys must be able to do: arguments of `keygen`.
    relinearization: bool
    rotations: tuple[int, ...]
    columns: bool
    galois_elements: tuple[int, ...]
    #: Of the results, in their order: shapes, and the least noise headroom in bits.
    shapes: tuple[tuple[int, ...], ...]
    noise_headroom: float
    #: Bytes of the arguments, of the results and of the evaluation keys that are used (``nbytes``); and those that are
    #: held at most at one time, with the transforms that are kept beside arguments.
    input_bytes: int
    result_bytes: int
    key_bytes: int
    peak_bytes: int
    #: An estimate, of a processor for one core of it: work of each kind, at what that takes there, and what Python and
    #: the library do around it. Of other devices: transforms and products of residues, at what each takes by itself.
    seconds: float
    #: Whether the readings behind it agree: otherwise the machine had too much else to do, and it may be too long.
    steady: bool = True
    #: What is refreshed, in its order, and where; whose work is part of all other figures.
    refreshes: tuple[PlannedRefresh, ...] = ()

    def keygen(self) -> PlannedKeys:
        """Arguments for `keygen` that make the keys it takes and no others: ``cy.keygen(params, **plan.keygen())``."""
        return {
            "relinearization": self.relinearization,
            "rotations": list(self.rotations),
            "columns": self.columns,
            "galois_elements": list(self.galois_elements),
            "bootstrap": bool(self.refreshes),
        }

    def __str__(self) -> str:
        keys = ["relinearisation"] if self.relinearization else []
        keys += [f"rotations {list(self.rotations)}"] if self.rotations else []
        keys += ["columns"] if self.columns else []
        keys += [f"Galois elements {list(self.galois_elements)}"] if self.galois_elements else []
        lines = [
            self.parameters.summary(),
            f"depth            {self.depth}, {plural(self.products, 'product')}, "
            f"{plural(self.relinearizations, 'relinearisation')}",
            f"keys             {', '.join(keys) or 'none'}: {byte_size(self.key_bytes)}",
            f"results          {', '.join(map(str, self.shapes))}, {byte_size(self.result_bytes)}, noise headroom "
            f"{self.noise_headroom:.0f} bits",
            f"memory           arguments {byte_size(self.input_bytes)}, at most {byte_size(self.peak_bytes)}",
            f"time             about {self.seconds:.2g} s on one core (estimate)",
        ]
        if self.refreshes:
            lines.append(
                f"refreshes        {sum(each.ciphertexts for each in self.refreshes)} ciphertexts (experimental)"
            )
            counted = Counter((each.operation, each.line) for each in self.refreshes)
            lines += [
                f"                 {plural(times, 'time')} for {operation}" + (f", {line}" if line else "")
                for (operation, line), times in counted.items()
            ]
        if self.summed_products:
            lines.append(
                f"hint             {plural(self.summed_products, 'product')} made one by one before they are summed: "
                "x.sum_of_products(y, axis), x @ y and cy.einsum round each sum once"
            )
        if self.relinearizations > self.products:
            lines.append(
                "hint             some products are relinearised more than once, in several sums each: take "
                "x.relinearized() of a product that many sums have by itself"
            )
        width = max((len(each.name) for each in self.operations), default=0)
        lines += [
            f"  {each.name:<{width}}  {each.calls:>6} calls  {each.ciphertexts:>8} ciphertexts"
            for each in self.operations
        ]
        return "\n".join(lines)


def _operands(compute: Callable[..., object], inputs: object) -> list[Any]:
    if inputs is None:
        try:
            count = len(inspect.signature(compute).parameters)
        except (TypeError, ValueError):
            raise ArgumentError(
                "plan: what does compute take? Say inputs=[cy.Operand(shape, bound=...), ...]"
            ) from None
        return [Operand((1,)) for _ in range(count)]
    if isinstance(inputs, (Operand, EncryptedArray)):
        return [inputs]
    every = list(inputs) if isinstance(inputs, Sequence) else []
    if not every or not (
        all(isinstance(each, Operand) for each in every) or all(isinstance(each, EncryptedArray) for each in every)
    ):
        raise ArgumentError(f"plan: inputs {inputs!r}; they are cy.Operand(shape, bound=...), or encrypted arrays")
    return every


def _on_account(
    arrays: Sequence[EncryptedArray], known: _core.PlaintextMemory
) -> tuple[_core.DryEngine, list[EncryptedArray], EvaluationKeys | None]:
    """Encrypted arrays with their keys, as they are, on an engine that only keeps account."""
    head = arrays[0]
    engine = _core.DryEngine(engine_on("cpu:1"), known)
    engine.remember(True)
    context = Context(head.parameters.native, ACCOUNT, engine)
    keys = Keyring()
    for x in arrays:
        keys = keys.joined(x.keyring)
    evaluation = keys.evaluation
    if evaluation is not None:
        evaluation = EvaluationKeys(head.parameters, context, evaluation.native.to(context.native))
    public = keys.public
    if public is not None:
        public = PublicKey(head.parameters, context, public.native.to(context.native), evaluation)
    ring = Keyring(public, evaluation)
    moved = [EncryptedArray(x.parameters, context, x.native.to(context.native, ring.native()), ring) for x in arrays]
    engine.reset()
    return engine, moved, evaluation


def plan(
    compute: Callable[..., object],
    parameters: Parameters | None = None,
    inputs: object = None,
    *,
    device: str = "cpu:1",
) -> Plan:
    """What ``compute(*inputs)`` takes: depth, operations, keys, bytes, noise and time, before anything is encrypted.

    Args:
        compute: a function of encrypted arrays that returns some, alone or in lists and dicts. It is run
            once, and a few times more where it is short.
        parameters: those to compute with; None where ``inputs`` are encrypted arrays, which have some.
        inputs: for each argument an `Operand`, which says what `encrypt` will be told; or encrypted arrays, with the
            levels and the noise that they have. None: an array of one value for each argument, within the parameters'
            default bound.
        device: whose time is estimated.

    Raises:
        ArgumentError: inputs of other kinds, or not as many as ``compute`` takes; results that are no encrypted arrays.
        CyclotomeError: whatever the computation itself would raise: `RangeError`, `NoiseError`, `MissingKeyError`, ...

    Example:
        >>> import cyclotome as cy
        >>> params = cy.Parameters.suggest(depth=3, value_bits=8, result_bits=30)
        >>> plan = cy.plan(lambda x: (x * x * x).sum(), params, [cy.Operand((100,), bound=200)])
        >>> plan.depth, plan.relinearization, len(plan.rotations)
        (2, True, 12)
        >>> keys = cy.keygen(params, **plan.keygen())
    """
    operands = _operands(compute, inputs)
    known = _core.PlaintextMemory()
    clock = Clock(compute)
    if isinstance(operands[0], EncryptedArray):
        if parameters is not None and any(x.parameters != parameters for x in operands):
            raise ArgumentError("plan: the encrypted inputs are of other parameters")
        parameters = operands[0].parameters
        engine, arguments, evaluation = _on_account(operands, known)
        with refreshes_of() as refreshes:
            results = results_of(clock.compute, arguments)
    else:
        parameters = required_parameters("plan", parameters, "; suggest finds some")
        dry = DryRun(parameters, known)
        dry.engine.remember(True)
        with refreshes_of() as refreshes:
            arguments, results = dry.run(clock.compute, operands, refreshes.clear)
        engine, evaluation = dry.engine, dry.evaluation
    clock.note(engine)
    found = _made(parameters, engine, evaluation, arguments, results, refreshes)
    taken = estimated(parameters, engine.asked, engine.account, device)
    around = clock.least(engine, known, arguments, taken.seconds) if device_name(device).startswith("cpu") else 0.0
    return replace(found, seconds=taken.seconds + around, steady=taken.steady)


def _made(
    parameters: Parameters,
    engine: _core.DryEngine,
    evaluation: EvaluationKeys | None,
    arguments: Sequence[Any],
    results: Sequence[EncryptedArray],
    refreshes: Sequence[PlannedRefresh],
) -> Plan:
    account = engine.account
    read = [] if evaluation is None else engine.keys_read(evaluation.native)
    elements = {element for element in read if element}
    group = parameters.slot_ring.galois
    steps, columns = [], False
    if parameters.field_degree is None and parameters.cyclotomic is None:
        for step in sum_rotations(parameters):
            if group.row_rotation(step) in elements:
                steps.append(step)
                elements.discard(group.row_rotation(step))
        columns = group.column_rotation() in elements
        elements.discard(group.column_rotation())
    count = len(read)
    each = 0 if evaluation is None else _key_bytes(evaluation)
    operations = tuple(Operation(name, calls, items) for name, (calls, items, *_) in sorted(account.items()))
    by_name = {each.name: each for each in operations}

    def ciphertexts(*endings: str) -> int:
        return sum(each.ciphertexts for name, each in by_name.items() if name.endswith(endings))

    return Plan(
        parameters=parameters,
        depth=engine.depth,
        products=ciphertexts(".multiply", ".multiply_relinearized", "sum_products"),
        relinearizations=ciphertexts(".multiply_relinearized", "relinearize"),
        summed_products=engine.summed_products,
        operations=operations,
        relinearization=0 in read,
        rotations=tuple(steps),
        columns=columns,
        galois_elements=tuple(sorted(elements)),
        shapes=tuple(x.shape for x in results),
        noise_headroom=min((x.noise_headroom for x in results), default=math.inf),
        input_bytes=sum(x.nbytes for x in arrays_in(list(arguments))),
        result_bytes=sum(x.nbytes for x in results),
        key_bytes=count * each,
        peak_bytes=engine.peak_bytes,
        seconds=math.nan,
        refreshes=tuple(refreshes),
    )


def _key_bytes(evaluation: EvaluationKeys) -> int:
    native = evaluation.native
    count = len(native.galois_elements) + int(native.has_relinearization)
    return native.nbytes // max(count, 1)
