# SPDX-License-Identifier: Apache-2.0
"""Paper 003 done again: FastBConv, D_RNS, decryption and products on q = 2^(2^x) - 1, in its four versions.

Beside them stands what the paper does not have: one positional integer, ordinary primes, and the library's own BFV at
equal security. All ways of a figure work on the same residues or ciphertexts, in alternation, in one run; conversions
are compared with Python's integers, ciphertexts decrypt to the product of the polynomials.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome.errors import NoiseError
from cyclotome.parameters.parameters import find_primes
from cyclotome.reporting import Task
from cyclotome_study import fermat

from cyclotome_bench.fermat.plans import VERSIONS, WAYS, Cell, FermatPlan
from cyclotome_bench.fermat.questions import QUESTIONS
from cyclotome_bench.fermat.records import polynomial, records_of
from cyclotome_bench.machine.timing import Timing, alternate
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.report import Record

__all__ = ["measure_fermat"]

#: t of the paper's figures and gamma of BEHZ decryption.
_PLAIN_MODULUS, _GAMMA = 1024, 2147483647
#: A t with slots at every degree and in no q, for the comparison with ordinary primes.
_SLOTTED = 786433
_PRINTED = 0  # digit_bits: one digit a limb
_DIGITS = {"positional": 59}  # positional integers split without loss at any length
_JOB_DEPTH = 10

#: A sample on a GPU is a mean over so many calls of a kernel, by events.
_REPETITIONS = 20

_Action = Callable[[], Any]
_WORDS = "ordinary primes"


def measure_fermat(plan: FermatPlan, known: set[tuple[Any, ...]] | None = None) -> Iterator[Record]:
    """Measures the cells that `known` (`Report.keys`) does not hold yet, and gives the records of each when it is done.

    Raises:
        WrongResultError: a conversion, a decomposition or a decryption is wrong.

    Reports progress as `cyclotome.progress` describes, in cells.
    """
    known = known or set()
    task = Task("measuring paper 003", len(plan.cells))
    for cell in plan.cells:
        missing = [f for f in cell.figures if not any(key[0] == f"003-{f}" and _at(cell, key) for key in known)]
        if missing:
            yield from _measured(Cell(tuple(missing), cell.degree, cell.x), plan)
        task.advance()


def _at(cell: Cell, key: tuple[Any, ...]) -> bool:
    return (key[4], key[6]) == (cell.degree, cell.bits)


def _measured(cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    for figure in cell.figures:
        if figure in ("1", "3"):
            yield from _conversions(figure, cell, plan)
    if any(figure in ("2", "4", "5", "6", "7", "8", "9") for figure in cell.figures):
        yield from _operations(cell, plan)
    if "equal" in cell.figures:
        yield from _equal(cell, plan)
    if "job" in cell.figures:
        yield from _job(cell, plan)
    for name, measure in QUESTIONS.items():
        if name in cell.figures:
            yield from measure(cell, plan)


# Conversions


def limb_moduli(x: int, limbs: int) -> list[int]:
    """q = 2^(2^x) - 1 in `limbs` factors, the widest first: all but the last are 2^e + 1 (specification 1.3)."""
    bits = [1 << (x - i) for i in range(1, limbs)]
    return [2**b + 1 for b in bits] + [2 ** (bits[-1] if bits else 1 << x) - 1]


class _Residues:
    """One polynomial's random residues modulo some moduli, and what FastBConv makes of a coefficient."""

    def __init__(self, moduli: Sequence[int], words: Sequence[int], degree: int) -> None:
        rng = random.Random(moduli[0] + len(moduli))  # the same numbers in every run
        self.moduli = moduli
        self.values = [[rng.randrange(m) for _ in range(degree)] for m in moduli]
        rows = []
        for values, count in zip(self.values, words, strict=True):
            wide = b"".join(value.to_bytes(8 * count, "little") for value in values)
            rows.append(np.frombuffer(wide, "<u8").reshape(degree, count).T)
        self.rows = np.ascontiguousarray(np.concatenate(rows))

    def converted(self, coefficient: int, targets: Sequence[int]) -> list[int]:
        """Sum of |x_i (q/q_i)^-1|_(q_i) q/q_i, modulo each target."""
        q, total = 1, 0
        for m in self.moduli:
            q *= m
        for m, values in zip(self.moduli, self.values, strict=True):
            total += values[coefficient] * pow(q // m, -1, m) % m * (q // m)
        return [total % target for target in targets]


def _timed(steps: Sequence[Any], plan: FermatPlan, copied: Any = None) -> list[Timing]:
    """Of `run` of each, and of one's `copy`, in alternation; on a GPU by events, so that no launch counts."""
    if not plan.device.startswith("cuda"):
        return alternate([step.run for step in steps] + ([copied.copy] if copied else []), plan.budget)
    actions = [step.microseconds for step in steps] + ([copied.copy_microseconds] if copied else [])
    timings = [Timing() for _ in actions]
    for step in steps:
        step.run()  # for the result
    for _ in range(max(plan.budget.fewest, 5)):
        for timing, action in zip(timings, actions, strict=True):
            timing.samples.append(action(_REPETITIONS))
    return timings


def _conversion_targets(figure: str, cell: Cell) -> list[int]:
    if figure == "1":
        return [_PLAIN_MODULUS, _GAMMA]
    # B_sk holds (n t/2 + 1) q, as the study's products have it, and m~ = 2^32.
    count = (cell.bits + 20) // 59 + 1
    q = 2**cell.bits - 1
    coprime = [p for p in find_primes(cell.degree, [60] * (count + 8)) if q % p]
    return [*coprime[:count], 2**32]


def _residues(version: str, conversion: _core.FermatConversion, cell: Cell) -> _Residues:
    if version == _WORDS:
        primes = find_primes(cell.degree, [60] * conversion.limbs)
        return _Residues(primes, [1] * conversion.limbs, cell.degree)
    moduli = limb_moduli(cell.x, conversion.limbs)
    return _Residues(moduli, [-(-m.bit_length() // 64) for m in moduli], cell.degree)


def _conversions(figure: str, cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    targets = _conversion_targets(figure, cell)
    chains: list[str] = []
    checks = []
    engine = engine_on(plan.device)
    for version in (*WAYS, _WORDS):
        name = "words" if version == _WORDS else version
        conversion = _core.FermatConversion(cell.x, name, targets, cell.degree, engine)
        residues = _residues(version, conversion, cell)
        conversion.load(residues.rows)
        chains.append(version)
        checks.append((version, conversion, residues))
    chains.append("copying the words")
    timings = _timed([step for _, step, _ in checks], plan, checks[VERSIONS.index("both")][1])
    for version, conversion, residues in checks:
        result = conversion.result()
        for coefficient in (0, 1, cell.degree - 1):
            if list(map(int, result[:, coefficient])) != residues.converted(coefficient, targets):
                raise WrongResultError(
                    f"FastBConv, {version}, q of {cell.bits} bits: coefficient {coefficient} differs from the integers'"
                )
    yield from records_of(figure, cell, plan, chains, timings)


# Whole operations


class _Party:
    """Keys of one basis, and a ciphertext of a known polynomial in each version that the basis has."""

    def __init__(self, parameters: Sequence[fermat.Parameters], values: np.ndarray[Any, Any], slots: bool) -> None:
        self.keys = fermat.keygen(parameters[0])
        kind = "slots" if slots else "coefficients"
        text = fermat.encrypt(values, self.keys.secret, wrap=True, encoding=kind)  # type: ignore[arg-type]
        self.texts = {p.version: (p, text.native.in_context(p.context)) for p in parameters}
        self.slots = slots

    def decrypt(self, version: str) -> _Action:
        """Decryption with its checks, to NumPy."""
        secret, text = self.keys.secret.native, self.texts[version][1]
        return lambda: secret.decrypt(text, self.slots)

    def multiply(self, version: str) -> _Action:
        """A square, relinearised."""
        key, text = self.keys.evaluation.native, self.texts[version][1]
        return lambda: text.multiply(text, key)

    def opened(self, version: str, ciphertext: Any) -> np.ndarray[Any, Any]:
        """The values modulo t."""
        native = ciphertext.in_context(self.keys.secret.parameters.context)
        p = self.texts[version][0]
        return np.asarray(self.keys.secret.native.decrypt(native, self.slots)[0]).view(np.int64) % p.plain_modulus


def _parties(cell: Cell, t: int, digit_bits: int, device: str, slots: bool) -> dict[str, _Party]:
    """By version: versions of one basis share keys."""
    common = {"plain_modulus": t, "security": 0, "allow_insecure": True, "device": device}
    values = polynomial(cell.degree, t)
    shared = [
        fermat.Parameters(cell.degree, cell.x, digit_bits=digit_bits, version=version, **common)  # type: ignore[arg-type]
        for version in VERSIONS
    ]
    alone = fermat.Parameters(cell.degree, cell.x, splits=0, digit_bits=_DIGITS["positional"], **common)  # type: ignore[arg-type]
    first, last = _Party(shared, values, slots), _Party([alone], values, slots)
    return {**dict.fromkeys(VERSIONS, first), "positional": last}


def _negacyclic_square(values: np.ndarray[Any, Any], t: int) -> np.ndarray[Any, Any]:
    """Modulo x^n + 1 and t, by Python's integers: coefficients as digits of one."""
    n = len(values)
    packed = int.from_bytes(b"".join(int(v % t).to_bytes(8, "little") for v in values), "little")
    square = (packed * packed).to_bytes(n * 16, "little")
    digits = np.frombuffer(square, "<u8")
    return np.asarray((digits[:n].astype(object) - digits[n:].astype(object)) % t, dtype=np.int64)


def _operations(cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    parties = _parties(cell, _PLAIN_MODULUS, _PRINTED, plan.device, slots=False)
    values = polynomial(cell.degree, _PLAIN_MODULUS)
    for figure in cell.figures:
        if figure in ("2", "6", "8"):
            actions = [parties[version].decrypt(version) for version in WAYS]
            timings = alternate(actions, plan.budget)
            for version, timing in zip(WAYS, timings, strict=True):
                _require_equal(f"decryption, {version}", cell, timing.result[0].view(np.int64), values, _PLAIN_MODULUS)
            yield from records_of(figure, cell, plan, WAYS, timings)
        elif figure in ("5", "7", "9"):
            timings = alternate([parties[version].multiply(version) for version in WAYS], plan.budget)
            square = _negacyclic_square(values, _PLAIN_MODULUS)
            for version, timing in zip(WAYS, timings, strict=True):
                opened = parties[version].opened(version, timing.result)
                _require_equal(f"multiplication, {version}", cell, opened, square, _PLAIN_MODULUS)
            yield from records_of(figure, cell, plan, WAYS, timings)
        elif figure == "4":
            yield from _decompositions(cell, plan, parties)


def _decompositions(cell: Cell, plan: FermatPlan, parties: dict[str, _Party]) -> Iterator[Record]:
    made = {v: _core.FermatDecomposition(parties[v].texts[v][0].context, parties[v].texts[v][1]) for v in WAYS}
    timings = _timed([made[version] for version in WAYS], plan)
    first = made[VERSIONS[0]].result()
    for version in VERSIONS[1:]:
        if not np.array_equal(made[version].result(), first):
            raise WrongResultError(f"D_RNS, {version}, q of {cell.bits} bits: differs from {VERSIONS[0]}'s")
    yield from records_of("4", cell, plan, WAYS, timings)


def _require_equal(what: str, cell: Cell, values: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], t: int) -> None:
    if not np.array_equal(values % t, expected % t):
        raise WrongResultError(f"{what}, n = {cell.degree}, q of {cell.bits} bits: not what the polynomials give")


# Beside ordinary primes


def _own(cell: Cell) -> cy.Parameters:
    """The library's BFV with as many bits in all, in primes of one size, one of them special."""
    count = -(-cell.bits // 60)
    special, *moduli = find_primes(cell.degree, [cell.bits // count] * count)
    return cy.bfv.Parameters(
        degree=cell.degree,
        plain_moduli=[_SLOTTED],
        moduli=moduli,
        special_moduli=[special],
        value_bits=8,
        security=0,
        allow_insecure=True,
    )


def _equal(cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    """Products and decryptions in slots at as many bits in all, with the depth and the bytes of each way."""
    values = polynomial(cell.degree, _SLOTTED)
    parties = _parties(cell, _SLOTTED, 30, plan.device, slots=True)
    ways = ("none", "both", "positional")
    own = _own(cell)
    keys = cy.keygen(own, rotations=[], columns=False, device=plan.device)
    text = cy.encrypt(values, keys.public, wrap=True)
    products: list[_Action] = [parties[way].multiply(way) for way in ways] + [lambda: text * text]
    decryptions: list[_Action] = [parties[way].decrypt(way) for way in ways] + [lambda: cy.decrypt(text, keys.secret)]
    chains = (*ways, _WORDS)
    facts = [_wide_facts(parties[way], way) for way in ways] + [_own_facts(text, keys)]
    for operation, actions in (("decrypt", decryptions), ("multiply", products)):
        timings = alternate(actions, plan.budget)
        for chain, timing in zip(chains, timings, strict=True):
            wanted = values if operation == "decrypt" else values * values
            opened = _opened(chain, operation, timing.result, parties, keys)
            _require_equal(f"{operation}, {chain}", cell, opened, wanted, _SLOTTED)
        for record, fact in zip(records_of("equal", cell, plan, chains, timings, operation), facts, strict=True):
            yield {**record, **fact}


def _opened(chain: str, operation: str, result: Any, parties: dict[str, _Party], keys: Any) -> np.ndarray[Any, Any]:
    if chain == _WORDS:
        return np.asarray(result if operation == "decrypt" else cy.decrypt(result, keys.secret))
    if operation == "decrypt":
        return np.asarray(result[0]).view(np.int64)
    return parties[chain].opened(chain, result)


def _wide_facts(party: _Party, way: str) -> Record:
    p = party.texts[way][0]
    words = p.native.words
    return {
        "depth": p.depth,
        "ciphertext_bytes": 16 * words * p.degree,
        "relinearization_key_bytes": party.keys.evaluation.native.bytes,
    }


def _own_facts(text: Any, keys: Any) -> Record:
    power, depth = text, 0
    try:
        while depth < 64:
            power = power * power
            cy.decrypt(power, keys.secret)
            depth += 1
    except NoiseError:
        pass
    return {
        "depth": depth,
        "ciphertext_bytes": text.nbytes,
        "relinearization_key_bytes": keys.evaluation.nbytes,
    }


def _job(cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    """A polynomial of ten squarings of an encrypted column, whole: ((x^2 + 1)^2 + 1)^2 ..., modulo t.

    Where q carries fewer squarings, as many as it does. The library has its default parameters for that depth.
    """
    common: dict[str, Any] = {"security": 0, "allow_insecure": True, "device": plan.device}
    wide = fermat.Parameters(cell.degree, cell.x, _SLOTTED, **common)
    special = cell.bits // 2 + 2
    hybrid = fermat.Parameters(cell.degree, cell.x, _SLOTTED, digit_bits=_PRINTED, special_bits=special, **common)
    printed = fermat.Parameters(cell.degree, cell.x, _SLOTTED, digit_bits=_PRINTED, **common)
    depth = min(_JOB_DEPTH, wide.depth, hybrid.depth)
    column = polynomial(cell.degree, _SLOTTED)
    expected = column % _SLOTTED
    for _ in range(depth):
        expected = (expected * expected + 1) % _SLOTTED
    own = cy.Parameters.suggest(depth=depth, value_bits=18, result_bits=18, plain_products=0)
    bits = own.modulus_bits
    default = cy.Parameters.from_modulus_bits(degree=own.degree, modulus_bits=bits, plain_moduli=[_SLOTTED])
    _require_refusal(printed, column, depth)
    for chain, job in (
        ("both", _wide_job(wide, column, depth)),
        ("both, special primes", _wide_job(hybrid, column, depth)),
        (_WORDS, _own_job(default, column[: default.degree], depth, plan.device)),
    ):
        timing = alternate([job], plan.budget)[0]
        result = np.asarray(timing.result)
        _require_equal(f"the job, {chain}", cell, result, expected[: len(result)], _SLOTTED)
        (record,) = records_of("job", cell, plan, [chain], [timing], "polynomial")
        yield {**record, "depth": depth, "values": len(result), "printed_depth": printed.depth}


def _require_refusal(printed: fermat.Parameters, column: np.ndarray[Any, Any], depth: int) -> None:
    """The printed relinearisation does not carry the job: it is refused, never wrong."""
    if printed.depth >= depth:
        return
    try:
        _wide_job(printed, column, depth)()
    except NoiseError:
        return
    raise WrongResultError(f"the printed relinearisation decrypts after {depth} squarings; {printed.depth} were stated")


def _wide_job(parameters: fermat.Parameters, column: np.ndarray[Any, Any], depth: int) -> _Action:
    keys = fermat.keygen(parameters)

    def job() -> Any:
        x = fermat.encrypt(column, keys.public, wrap=True)
        for _ in range(depth):
            x = x * x + 1
        return fermat.decrypt(x, keys.secret)

    return job


def _own_job(parameters: cy.Parameters, column: np.ndarray[Any, Any], depth: int, device: str) -> _Action:
    keys = cy.keygen(parameters, device=device)

    def job() -> Any:
        x = cy.encrypt(column, keys.public, wrap=True)
        for _ in range(depth):
            x = x * x + 1
        return cy.decrypt(x, keys.secret)

    return job
