# SPDX-License-Identifier: Apache-2.0
"""Parameters and keys of LTV/DHS, which is BROKEN."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from cyclotome import _core

from cyclotome_study.study_keys import StudyKey, StudyParameters, StudyPublicKey, StudySecretKey

__all__ = ["EvaluationKeys", "Keys", "Parameters", "Precomputation", "PublicKey", "SecretKey", "keygen"]


class Precomputation(NamedTuple):
    """What the paper's routine d -> n -> delta_q -> B_p -> w chose; bits."""

    primes: int
    cyclotomic: int
    level_bits: float
    prime_bits: int
    most_prime_bits: int
    window: int
    last_phase: float
    last_limit: float


class Parameters(StudyParameters):
    """What LTV/DHS needs. Immutable and checked; BROKEN whatever the numbers are, as `summary` says.

    Args:
        primes: d, the number of levels: level i computes modulo the first d - i primes.
        cyclotomic: m, odd and squarefree; polynomials have phi(m) = n coefficients.
        prime_bits: B_p, of every prime.
        window: w, bits of a digit of relinearisation; below B_p.
        name: of a preset; informative.

    Raises:
        ParameterError: n (p - 1)^2 or eta n (2^w - 1)(p - 1) reaches P = 2^64 - 2^32 + 1, w >= B_p, too few primes, m
            even or not squarefree; the message names the value, the limit and the way out.
    """

    _native: _core.LtvParameters

    def __init__(self, primes: int, cyclotomic: int, prime_bits: int, window: int = 16, *, name: str = "") -> None:
        self._native = _core.LtvParameters.create(primes, cyclotomic, prime_bits, window, name)

    @classmethod
    def of_native(cls, native: _core.LtvParameters) -> Parameters:
        """Of the library's."""
        parameters = cls.__new__(cls)
        parameters._native = native
        return parameters

    @classmethod
    def preset(cls, name: str) -> Parameters:
        """A set of the paper, such as "002-prince"; `preset_names` lists them.

        Raises:
            ParameterError: there is none of this name.
        """
        p = _core.LtvParameters.preset(name)
        return cls(p.primes, p.index, p.prime_bits, p.window, name=p.name)

    @staticmethod
    def preset_names() -> list[str]:
        """Names of all presets: PRINCE's, sorting's, and those of table 5."""
        return _core.LtvParameters.preset_names()

    @staticmethod
    def precompute(depth: int, *, cyclotomic: int = 0, fan_in: int = 2) -> Precomputation:
        """The paper's precomputation routine, for `depth` products in a row of sums of `fan_in` ciphertexts.

        Args:
            depth: products in a row; d is one more.
            cyclotomic: m; 0: of the paper's three rings the smallest whose sets look like the paper's.
            fan_in: ciphertexts in a sum before each product.

        Raises:
            ParameterError: nothing fits.
        """
        p = _core.LtvParameters.precompute(depth, cyclotomic, fan_in)
        s = p.literal
        return Precomputation(
            s.primes,
            s.index,
            p.level_bits,
            s.prime_bits,
            p.most_prime_bits,
            s.window,
            p.log2_last,
            p.log2_last_limit,
        )

    @property
    def native(self) -> _core.LtvParameters:
        """What the library computes with."""
        return self._native

    @property
    def degree(self) -> int:
        """n = phi(m)."""
        return self._native.degree

    @property
    def cyclotomic(self) -> int:
        """m."""
        return self._native.index

    @property
    def levels(self) -> int:
        """d."""
        return self._native.levels

    @property
    def prime_bits(self) -> int:
        """B_p."""
        return self._native.prime_bits

    @property
    def window(self) -> int:
        """w."""
        return self._native.window

    @property
    def name(self) -> str:
        """Of a preset, or empty."""
        return self._native.name

    @cached_property
    def slots(self) -> _core.LtvSlots:
        """How bits and elements of GF(2^r) lie in a polynomial modulo 2; made when it is first asked for.

        Raises:
            ParameterError: the order of 2 modulo m is above 31.
        """
        return _core.LtvSlots.of(self._native)


class SecretKey(StudySecretKey[Parameters]):
    """Decrypts. Never copied or pickled, though whoever has the public key can find it."""

    __slots__ = ()


class EvaluationKeys(StudyKey[Parameters]):
    """Relinearises, and moves slots. For the side that computes. `native` is the relinearisation key."""

    __slots__ = ("_galois",)

    def __init__(self, parameters: Parameters, native: Any, galois: Mapping[int, Any]) -> None:
        super().__init__(parameters, native)
        self._galois = MappingProxyType(dict(galois))

    @property
    def galois(self) -> Mapping[int, Any]:
        """The keys that move slots by x -> x^k, by k."""
        return self._galois

    @property
    def nbytes(self) -> int:
        """Bytes that all of them take."""
        return sum(int(key.nbytes) for key in (self._native, *self._galois.values()))


class PublicKey(StudyPublicKey[Parameters, EvaluationKeys]):
    """Encrypts. Fresh from `keygen` it knows the evaluation keys, and so does what it encrypts."""

    __slots__ = ()


class Keys(NamedTuple):
    """What `keygen` makes."""

    secret: SecretKey
    public: PublicKey
    evaluation: EvaluationKeys


def keygen(
    parameters: Parameters, *, acknowledge_broken: bool = False, rotations: Iterable[tuple[int, int]] = ()
) -> Keys:
    """A new secret key, and the keys that belong to it.

    Args:
        parameters: of the scheme.
        acknowledge_broken: has to be True: lattice reduction finds the secret key from the public one.
        rotations: pairs of a dimension and steps to the left that slots shall be moved by.

    Raises:
        SecurityError: `acknowledge_broken` is not said; the message says what to use instead.
        MemoryLimitError: the keys do not fit in memory.
    """
    secret = _core.LtvSecretKey.generate(parameters.native, acknowledge_broken is True)
    public = _core.LtvPublicKey.generate(secret)
    relinearization = _core.LtvSwitchingKey.relinearization(secret, public)
    elements = {parameters.slots.rotation(dimension, steps) for dimension, steps in rotations} - {1}
    galois = {k: _core.LtvSwitchingKey.galois(secret, public, k) for k in sorted(elements)}
    evaluation = EvaluationKeys(parameters, relinearization, galois)
    return Keys(SecretKey(parameters, secret), PublicKey(parameters, public, evaluation), evaluation)
