# SPDX-License-Identifier: Apache-2.0
"""The search for parameters: a computation is run, on an engine that only keeps account, with one set after another."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain

from .. import _core
from ..arrays.array import EncryptedArray
from ..errors import NoiseError, ParameterError, RangeError
from ..options import allow_undecryptable, current
from ..parameters.parameters import Parameters
from .dry_runs import DryRun, Operand

__all__ = ["MOST_BITS", "Search", "cheapest"]

_LARGEST_DEGREE = 1 << 17
#: Of values.
MOST_BITS = 1024
#: Bits of noise headroom left over: what encrypting a result anew that hides nothing adds, which depends on residues.
_KEPT = 2
#: Bits that errors about ranges say would do.
_ASKED = re.compile(r"(?:result_bits|value_bits)=(\d+)")


@dataclass(frozen=True)
class _Kind:
    """What parameters are of, besides sizes."""

    scheme: str
    word: int
    aim: str = "speed"


@dataclass(frozen=True)
class _Account:
    """What one run of the computation says."""

    headroom: float
    cost: float


@dataclass(frozen=True)
class Search:
    """What is asked for, and what has been tried."""

    compute: Callable[..., object]
    inputs: tuple[Operand, ...]
    value_bits: int | None
    security: int
    table: str
    strict: bool
    plain_moduli: tuple[int, ...] | None
    slots: bool
    flooding_bits: int
    parties: int
    _accounts: dict[Parameters, _Account] = field(default_factory=dict, compare=False)

    def parameters(
        self, kind: _Kind, degree: int, plain: Sequence[int], bits: int, *, insecure: bool = False
    ) -> Parameters:
        return Parameters.from_modulus_bits(
            degree=degree,
            modulus_bits=bits,
            plain_moduli=plain,
            word=kind.word,
            security=0 if insecure else self.security,
            table=self.table,
            allow_insecure=insecure,
            strict=self.strict,
            value_bits=self.value_bits,
            scheme=kind.scheme,
            aim=kind.aim,
            parties=self.parties,
        )

    def headroom(self, parameters: Parameters) -> float:
        """Bits that the computation leaves besides those that are kept; raises what it does.

        Raises:
            NoiseError: it leaves none.
        """
        left = self._account(parameters).headroom
        if left < 0 and not current.get().allow_undecryptable:
            raise NoiseError(f"suggest: {left + _KEPT:.1f} bits of noise headroom; {_KEPT} are kept")
        return left

    def cost(self, parameters: Parameters) -> float:
        """Of the computation by a model, the same on every machine: butterflies and products of residues; 32-bit words
        take half."""
        return self._account(parameters).cost

    def _account(self, parameters: Parameters) -> _Account:
        """Of a run, which is the same each time: neighbouring lengths of a modulus often are the same primes."""
        found = self._accounts.get(parameters)
        if found is None:
            dry = DryRun(parameters)
            _, results = dry.run(self.compute, self.inputs)
            left = float(min(x.noise_headroom - self._flooding(x) for x in results)) - _KEPT
            found = self._accounts[parameters] = _Account(left, self._work(dry))
        return found

    @staticmethod
    def _work(dry: DryRun) -> float:
        degree = dry.parameters.degree
        work = sum(
            transforms * degree * math.log2(degree) + products
            for _, _, transforms, products, _ in dry.engine.account.values()
        )
        return work * (0.5 if dry.parameters.word == 32 else 1)

    def _flooding(self, x: EncryptedArray) -> float:
        """Bits of headroom that revealing a result takes."""
        if self.flooding_bits == 0:
            return 0.0
        bits = self.flooding_bits + _core.flooding_bits_of(x.ciphertexts)
        return float(_core.flooding_headroom(x.parameters.degree, bits, self.parties))


def _primes(bits: int, step: int, count: int, word: int, avoid: Sequence[int] = ()) -> list[int] | None:
    """The largest of so many bits, or of the next length that has enough."""
    for length in range(max(bits, step.bit_length()), 31 if word == 32 else 51):
        try:
            return _core.primes_congruent_to_one(length, step, count, list(avoid))
        except ParameterError:
            continue
    return None


def _plain_moduli(search: Search, result_bits: int, degree: int, word: int) -> Iterator[list[int]]:
    """Plaintext moduli that hold results of so many bits: one, and where it would be wide, several."""
    if search.plain_moduli is not None:
        yield list(search.plain_moduli)
        return
    step = _core.negacyclic_ring(degree).transform_step if search.slots else 2
    widest = 29 if word == 32 else 49
    for count in range(1, 17):
        bits = (result_bits + count) // count + 1
        if bits > widest:
            continue
        found, avoid = _primes(bits, step, count, word), list[int]()
        while found is not None and not search.slots and _in_slots(found, degree):
            avoid.append(found[0])
            found = _primes(bits, step, count, word, avoid)
        if found is not None:
            yield found
        if bits <= 24 or (found is not None and found[0].bit_length() > bits):
            return


def _needed_bits(search: Search, degree: int, kind: _Kind) -> int:
    """Bits of the largest value that occurs, by trying: noise is no matter."""
    bits, said = 2, ""
    while bits <= MOST_BITS:
        plain = next(_plain_moduli(search, bits, degree, 64), None)
        if plain is None:
            raise ParameterError(f"suggest: no plaintext moduli hold values of {bits} bits at degree {degree}{said}")
        parameters = search.parameters(kind, degree, plain, 100 + plain[0].bit_length(), insecure=True)
        try:
            with allow_undecryptable():
                search.headroom(parameters)
            return bits
        except RangeError as error:
            if search.plain_moduli is not None:
                raise
            asked = [int(number) for number in _ASKED.findall(str(error))]
            said = f"; with shorter ones: {error}"
            bits = max([bits + 1, *(number for number in asked if number <= MOST_BITS)])
    raise ParameterError(
        f"suggest: the computation has values of more than {MOST_BITS} bits; state tighter bounds{said}"
    )


def _narrow(search: Search, degree: int, kind: _Kind, least: int) -> list[int] | None:
    """The shortest prime that holds all values and has fewer slots than coefficients, though enough and at least so
    many; None where one with all slots is as short. It is for functions of small values, whose noise grows with the
    prime; what is spread over more ciphertexts is counted."""
    if not search.slots or search.plain_moduli is not None or any(each.wrap for each in search.inputs):
        return None
    shortest = _primes(2, _core.negacyclic_ring(degree).transform_step, 1, kind.word)
    for length in range(2, 0 if shortest is None else shortest[0].bit_length()):
        plain = _with_most_slots(length, degree, max(least, _core.fewest_slots))
        if plain is None:
            continue
        parameters = search.parameters(kind, degree, plain, 100 + length, insecure=True)
        with suppress(RangeError), allow_undecryptable():
            search.headroom(parameters)
            return plain
    return None


def _with_most_slots(length: int, degree: int, least: int) -> list[int] | None:
    """A prime of so many bits that has slots, as many as there are, but not one for each coefficient."""
    step = _core.negacyclic_ring(degree).transform_step // 2
    while step >= 2 * least:
        with suppress(ParameterError):
            return _core.primes_congruent_to_one(length, step, 1, [])
        step //= 2
    return None


def _longest(search: Search, kind: _Kind, degree: int, plain: Sequence[int]) -> Parameters | None:
    """The longest modulus that security allows beside one special prime."""
    cap = _core.max_modulus_bits(degree, search.security or 128, search.table)
    for bits in range(cap - 18, max(cap // 2, 20), -8):
        try:
            return search.parameters(kind, degree, plain, bits)
        except ParameterError:  # a SecurityError, too
            continue
    return None


def _shortest(search: Search, kind: _Kind, degree: int, plain: Sequence[int]) -> Parameters | None:
    """The shortest modulus with which the computation decrypts; None if none that security allows does."""
    best = _longest(search, kind, degree, plain)
    if best is None:
        return None
    try:
        left = search.headroom(best)
    except NoiseError:
        return None

    def serves(bits: int) -> Parameters | None:
        try:
            found = search.parameters(kind, degree, plain, bits)
            search.headroom(found)
        except (NoiseError, ParameterError):
            return None
        return found

    high = best.modulus_bits
    low = max(plain[0].bit_length() + 2, 20) - 1
    guess = max(low + 1, int(high - left) + 2)  # without levels, what is left over can go
    while high - low > 4:
        found = serves(guess) if guess < high else None
        if found is None:
            low = max(low, min(guess, high - 1))
        else:
            best, high = found, min(guess, found.modulus_bits)
        guess = (low + high) // 2
    return best


def cheapest(search: Search, words: Sequence[int], min_degree: int, scheme: str | None) -> Parameters:
    """Of the first degree that carries the computation: those that take the least work.

    Args:
        search: what is asked for.
        words: lengths of machine words to try.
        min_degree: none below this is tried.
        scheme: "bfv" or "bgv"; None: both.

    Raises:
        ParameterError: no supported degree carries it.
        RangeError: values that no plaintext moduli hold.
    """
    schemes = ["bfv", "bgv"] if scheme is None else [scheme]
    # Only with levels does it matter how wide primes are.
    aims = {"bgv": ("speed", "depth")}
    kinds = [_Kind(name, word, aim) for name in schemes for word in words for aim in aims.get(name, ("speed",))]
    bits: int | None = None
    degree = 1024
    while degree <= _LARGEST_DEGREE:
        candidates = []
        if degree >= min_degree and _fits(search, degree):
            bits = _needed_bits(search, degree, _Kind(schemes[0], 64)) if bits is None else bits
            narrow = _narrow(search, degree, kinds[0], min_degree)
            for kind in kinds:
                further = [] if narrow is None else [narrow]
                for plain in chain(_plain_moduli(search, bits, degree, kind.word), further):
                    found = _shortest(search, kind, degree, plain)
                    candidates += [] if found is None else [found]
        if candidates:
            return min(candidates, key=search.cost) if len(candidates) > 1 else candidates[0]
        degree *= 2
    if bits is None:  # no degree was tried
        asked = f"at least {min_degree} slots"
        if search.plain_moduli is not None:
            asked += f" for the plaintext moduli {list(search.plain_moduli)}; a prime that is 1 modulo 2k has k"
        raise ParameterError(f"suggest: no degree up to {_LARGEST_DEGREE} has {asked}")
    raise ParameterError(
        f"suggest: no degree up to {_LARGEST_DEGREE} carries the computation at {search.security} bits of security, "
        f"with values of {bits} bits; state tighter bounds, or split it"
    )


def _fits(search: Search, degree: int) -> bool:
    """Whether given plaintext moduli have slots at this degree, if they are to."""
    if search.plain_moduli is None or not search.slots:
        return True
    return _in_slots(search.plain_moduli, degree)


def _in_slots(plain: Sequence[int], degree: int) -> bool:
    """`Parameters.slots_by_default` of x^degree + 1."""
    ring = _core.negacyclic_ring(degree)
    return all(ring.slots(t) >= min(_core.fewest_slots, degree) for t in plain)
