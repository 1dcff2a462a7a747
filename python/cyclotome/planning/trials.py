# SPDX-License-Identifier: Apache-2.0
"""What a search has asked for, and one run of the computation with a set of parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .. import _core
from ..arrays.array import EncryptedArray
from ..errors import NoiseError
from ..options import allow_undecryptable, current, progress
from ..parameters.parameters import Parameters
from ..reporting import Task
from .costs import modelled_seconds
from .dry_runs import DryRun, Operand

__all__ = ["Kind", "Search"]

#: Bits of noise headroom left over: what encrypting a result anew that hides nothing adds, which depends on residues.
_KEPT = 2


@dataclass(frozen=True)
class Kind:
    """What parameters are of, besides sizes."""

    scheme: str
    word: int
    aim: str = "speed"


@dataclass(frozen=True)
class _Account:
    """What one run of the computation says: bits of headroom besides those that are kept, and seconds by a model."""

    headroom: float
    cost: float


@dataclass
class Narrow:
    """Bits of one plaintext modulus: shorter ones hold not all values; and what was found to hold them."""

    tried: int = 2
    enough: int = 0


class _Trial:
    """Progress of a search, whose runs nobody can count beforehand: most take 20 to 70."""

    _RUNS = 64

    def __init__(self) -> None:
        self._task, self._done = Task("trying parameters", self._RUNS), 0

    def step(self) -> None:
        if self._done < self._RUNS - 1:
            self._done += 1
            self._task.advance()

    def finish(self) -> None:
        self._task.advance(self._RUNS - self._done)


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
    measure: bool = False
    narrow: Narrow = field(default_factory=Narrow, compare=False)
    _accounts: dict[Parameters, _Account] = field(default_factory=dict, compare=False)
    _loose: dict[Parameters, _Account] = field(default_factory=dict, compare=False)
    _trial: _Trial = field(default_factory=_Trial, compare=False)
    _known: _core.PlaintextMemory = field(default_factory=_core.PlaintextMemory, compare=False)
    _serving: dict[Parameters, float] = field(default_factory=dict, compare=False)

    def serves(self, parameters: Parameters) -> bool:
        """Whether the computation decrypts with them."""
        try:
            self.headroom(parameters)
        except NoiseError:
            return False
        self._serving[parameters] = self.cost(parameters)
        return True

    def serving(self) -> list[Parameters]:
        """Those that were found to serve, the cheapest first."""
        return sorted(self._serving, key=self._serving.__getitem__)

    def finished(self) -> None:
        """No other set will be tried."""
        self._trial.finish()

    def parameters(
        self, kind: Kind, degree: int, plain: Sequence[int], bits: int, *, insecure: bool = False
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

    def outlook(self, parameters: Parameters) -> float:
        """The same, but negative where the computation would be refused: about as many bits as are missing."""
        if parameters in self._accounts:
            return self._accounts[parameters].headroom
        if parameters not in self._loose:
            with allow_undecryptable():
                self._loose[parameters] = self._account(parameters, {})
        return self._loose[parameters].headroom

    def cost(self, parameters: Parameters) -> float:
        """Seconds of the computation by a model, the same on every machine (`modelled_seconds`)."""
        return (self._loose.get(parameters) or self._account(parameters)).cost

    def _account(self, parameters: Parameters, kept: dict[Parameters, _Account] | None = None) -> _Account:
        """Of a run, which is the same each time: neighbouring lengths of a modulus often are the same primes."""
        kept = self._accounts if kept is None else kept
        found = kept.get(parameters)
        if found is None:
            self._trial.step()
            with progress(None):  # of operations that are not done
                dry = DryRun(parameters, self._known)
                _, results = dry.run(self.compute, self.inputs)
            left = float(min(x.noise_headroom - self._flooding(x) for x in results)) - _KEPT
            found = kept[parameters] = _Account(left, modelled_seconds(parameters, dry.engine.account))
        return found

    def _flooding(self, x: EncryptedArray) -> float:
        """Bits of headroom that revealing a result takes."""
        if self.flooding_bits == 0:
            return 0.0
        bits = self.flooding_bits + _core.flooding_bits_of(x.ciphertexts)
        return float(_core.flooding_headroom(x.parameters.degree, bits, self.parties))
