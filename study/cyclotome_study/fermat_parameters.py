# SPDX-License-Identifier: Apache-2.0
"""Parameters and keys of BFV on paper 003's moduli."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from cyclotome import _core
from cyclotome.devices.contexts import engine_on

from cyclotome_study.study_keys import StudyKey, StudyParameters, StudyPublicKey, StudySecretKey

__all__ = [
    "EvaluationKeys",
    "Keys",
    "Parameters",
    "Products",
    "PublicKey",
    "SecretKey",
    "Version",
    "keygen",
]

#: How the ring is divided by q and residues are decomposed; results agree.
Version = Literal["none", "multiplication", "reduction", "both", "positional"]
#: How ciphertexts are multiplied modulo wide limbs; results agree.
Products = Literal["primes", "tree", "kronecker", "schoenhage", "fastest"]

_BASELINE = " (for measurement: the time of decryption depends on secrets)"
_DIVIDES = dict.fromkeys(("none", "multiplication", "reduction"), _BASELINE)


class Parameters(StudyParameters):
    """What BFV on q = 2^(2^x) - 1 needs. Immutable and checked.

    Args:
        degree: n, a power of two from 1024 to 2^17; from 8 with `allow_insecure`.
        x: q has 2^x bits, x from 6 to 15.
        plain_modulus: t, below 2^31 and coprime to q. Primes 1 modulo 2n, such as 163841, give slots.
        splits: f, so that q has f + 1 limbs; None: as paper 003 chooses it, down to a last limb of one word. 0: q is
            one positional integer.
        digit_bits: relinearisation splits limbs into digits of so many bits, 1 to 59. 0: one digit a limb, as the paper
            prints it, which costs half of q without `special_bits`.
        special_bits: hybrid key switching: relinearisation keys are made modulo q P, P of so many bits, a product of
            special primes, and what keys add is divided by P. Security counts the bits of both. With digit_bits=0, the
            bits of the longest limb and one more keep all of q; 0: none.
        version: paper 003's "none", "multiplication", "reduction" or "both"; or "positional" (needs splits=0). None:
            "positional" for one limb, else "both". Not part of what keys and ciphertexts belong to. The first three
            are for measurement: the time of their decryption depends on secrets.
        products: how ciphertexts are multiplied modulo limbs: by transforms modulo many "primes", by the same with a
            "tree" of remainders, as two integers ("kronecker"), or by transforms with powers of two for roots
            ("schoenhage"), which use GMP where there is one; "fastest": for each limb what was measured to be. Not part
            of what keys belong to.
        errors: "standard"; "one-bounded" is the paper's, outside every standard: INSECURE.
        security: 128, 192 or 256 bits that the table has to grant; 0 for none (needs allow_insecure).
        table: "guidelines-2024", "he-standard-2018" or "quantum-guidelines-2024".
        allow_insecure: for experiments.
        strict: noise bounds that assume nothing of rounding errors.
        device: "cpu", "cpu:<threads>" or "cuda:<index>": where everything is computed. Ciphertexts lie on the host.

    Raises:
        ParameterError: contradictions; the message names the value, the limit and the way out.
        SecurityError: less security than demanded.
        EngineError: no such device, or one that computes no wide limbs, as circuits.
        MemoryLimitError: the relinearisation key would not fit into the device's memory.
    """

    __slots__ = ("_context", "_engine", "_native")

    _native: _core.FermatParameters

    def __init__(
        self,
        degree: int,
        x: int,
        plain_modulus: int,
        *,
        splits: int | None = None,
        digit_bits: int = 30,
        special_bits: int = 0,
        version: Version | None = None,
        products: Products = "fastest",
        errors: Literal["standard", "one-bounded"] = "standard",
        security: int = 128,
        table: str = "guidelines-2024",
        allow_insecure: bool = False,
        strict: bool = False,
        device: str = "cpu",
    ) -> None:
        native = _core.FermatParameters(
            degree,
            x,
            splits,
            plain_modulus,
            digit_bits,
            errors,
            security,
            table,
            allow_insecure,
            strict,
            special_bits,
        )
        self._take(native, version, device, products)

    def _take(
        self, native: _core.FermatParameters, version: str | None, device: str, products: Products = "fastest"
    ) -> None:
        self._native = native
        self._engine = engine_on(device)  # kept, so that `engine_on` finds it for the next parameters there
        self._context = _core.FermatContext.create(native, self._engine, version, products)

    @classmethod
    def preset(
        cls, name: str, *, allow_insecure: bool = False, version: Version | None = None, device: str = "cpu"
    ) -> Parameters:
        """A set that paper 003 measures, such as "003-32768-512"; `preset_names` lists them.

        Raises:
            ParameterError: there is none of this name.
            SecurityError: it hides nothing, and `allow_insecure` is not said.
        """
        parameters = cls.__new__(cls)
        parameters._take(_core.FermatParameters.preset(name, allow_insecure), version, device)
        return parameters

    @classmethod
    def of_context(cls, context: _core.FermatContext, engine: _core.Engine) -> Parameters:
        """Of what the library computes with, and the engine that it was made on."""
        parameters = cls.__new__(cls)
        parameters._native, parameters._context, parameters._engine = context.parameters, context, engine
        return parameters

    @staticmethod
    def preset_names() -> list[str]:
        """Names of all presets."""
        return _core.FermatParameters.preset_names()

    @property
    def native(self) -> _core.FermatParameters:
        """What the library computes with."""
        return self._native

    @property
    def context(self) -> _core.FermatContext:
        """The same with all constants."""
        return self._context

    @property
    def degree(self) -> int:
        """n."""
        return self._native.degree

    @property
    def ring(self) -> _core.RingShape:
        """x^n + 1, without its modulus: which primes give slots."""
        return self._native.ring

    @property
    def plain_modulus(self) -> int:
        """t: values and results lie in [-t/2, t/2)."""
        return self._native.plain_modulus

    @property
    def version(self) -> str:
        """How q is divided by."""
        return self._context.version

    @property
    def products(self) -> str:
        """How ciphertexts are multiplied modulo limbs."""
        return self._context.products

    @property
    def has_slots(self) -> bool:
        """Whether arrays multiply value by value."""
        return self._context.has_slots

    @property
    def default_bound(self) -> int:
        """Largest magnitude of values that a product of two still holds."""
        return math.isqrt((self.plain_modulus - 1) // 2)

    @property
    def depth(self) -> int:
        """How many squarings in a row the noise bound carries."""
        return self._context.depth()

    @property
    def conversions(self) -> int:
        """Pairs of a coefficient and a limb converted so far, as paper 003 counts them: n k in a decryption, 7 n k in a
        product, n k in a relinearisation."""
        return self._context.conversions

    def explain(self) -> str:
        """What the numbers mean, in sentences."""
        p = self._native
        limbs = ", ".join(map(str, p.limb_words))
        special = f", keys modulo q P of {p.key_bits} bits" if p.special_primes else ""
        security = f"{p.security_reached}-bit security" if p.security_reached else "INSECURE: for experiments only"
        return (
            f"{p.summary}\n"
            f"q = 2^{p.modulus_bits} - 1 in k = {p.splits + 1} limbs of {limbs} words: {p.words} words a coefficient, "
            f"{16 * p.words * p.degree} bytes a ciphertext.\n"
            f"Conversion: {self.version}{_DIVIDES.get(self.version, '')}. Ring products: {self.products}.\n"
            f"Relinearisation: {p.digits} {'digit' if p.digits == 1 else 'digits'}{special}. "
            f"Squarings in a row: {self.depth}.\n"
            f"{security}."
        )


class SecretKey(StudySecretKey[Parameters]):
    """Decrypts; encrypts with less noise. Never copied or pickled."""

    __slots__ = ()


class EvaluationKeys(StudyKey[Parameters]):
    """Multiplies. For the side that computes."""

    __slots__ = ()


class PublicKey(StudyPublicKey[Parameters, EvaluationKeys]):
    """Encrypts. Fresh from `keygen` it knows the evaluation keys, and so does what it encrypts."""

    __slots__ = ()


class Keys(NamedTuple):
    """What `keygen` makes."""

    secret: SecretKey
    public: PublicKey
    evaluation: EvaluationKeys


def keygen(parameters: Parameters) -> Keys:
    """A new secret key, and the keys that belong to it."""
    secret = _core.FermatSecretKey.generate(parameters.context)
    evaluation = EvaluationKeys(parameters, _core.FermatRelinearizationKey.generate(secret))
    public = PublicKey(parameters, _core.FermatPublicKey.generate(secret), evaluation)
    return Keys(SecretKey(parameters, secret), public, evaluation)
