# SPDX-License-Identifier: Apache-2.0
"""Parameters: what a scheme computes with, and how secure that is."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Protocol

from . import _core
from .errors import ParameterError
from .pickling import pickled_as_file

__all__ = ["Parameters", "find_primes"]

#: Bits of ciphertext primes at most: words keep three to spare for sums.
WIDEST_PRIME = 61

_INSECURE_STYLE = "color:#b00020;font-weight:bold"


def _count(name: str, value: object, low: int, high: int = 2**63 - 1) -> int:
    try:
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(f"{name} is a whole number, not {value!r}") from None
    if not low <= count <= high:
        raise ParameterError(f"{name} = {count} must lie in [{low}, {high}]")
    return count


def _moduli(name: str, values: Sequence[int]) -> list[int]:
    try:
        items = list(values)
    except TypeError:
        raise ParameterError(f"{name} is a sequence of whole numbers, not {values!r}") from None
    return [_count(f"{name}[{i}]", value, 2) for i, value in enumerate(items)]


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ParameterError(f"{name} is a name, not {value!r}")
    return value


def _index(cyclotomic: object) -> int:
    """m of Phi_m; 0 for x^n + 1."""
    return 0 if cyclotomic is None else _count("cyclotomic", cyclotomic, 1, 1 << 60)


def _degree(degree: object, cyclotomic: object) -> int:
    if degree is None and cyclotomic is None:
        raise ParameterError("neither degree, n of x^n + 1, nor cyclotomic, m of Phi_m, was given; say one of them")
    return 0 if degree is None else _count("degree", degree, 0)


class Primes(Protocol):
    """What `Parameters.from_context` needs of a context."""

    @property
    def degree(self) -> int: ...

    @property
    def primes(self) -> Sequence[int]: ...


@pickled_as_file
class Parameters:
    """Checked, immutable parameters; five ways lead to them.

    - `suggest`: from what the computation needs. The ordinary way.
    - `from_modulus_bits`: degree and length of q by hand, the primes chosen.
    - `preset`: sets of the literature, by name.
    - `from_context`: the primes that were generated for circuits.
    - the constructor: every modulus by hand.

    Two parameters are equal if their fingerprints are: everything that decides whether keys and ciphertexts fit
    together. ``name`` and ``value_bits`` are no part of it.

    Args:
        degree: n, a power of two in [2^10, 2^17]; up to as many slots as there are coefficients. Left out where
            ``cyclotomic`` is given.
        plain_moduli: t_1, ..., 1 to 16 of them, pairwise coprime. Values live modulo their product T. For arithmetic
            value by value every t_i is a prime congruent to 1 modulo 2n; otherwise arrays are stored as coefficients.
        moduli: ciphertext primes, congruent to 1 modulo 2n, below 2^61 (2^30 for 32-bit words).
        special_moduli: primes of key switching and public-key encryption, as wide as the widest ciphertext prime or
            wider. None of them: key switching as in the BEHZ paper, noisier.
        digits: digits of key switching; 0 for as few as the special primes allow.
        word: 32 or 64, bits of the words that residues are kept in.
        security: 128, 192 or 256 demanded bits; 0 for none, which needs ``allow_insecure``.
        table: where the limits of the moduli come from, and what ``security`` means: "guidelines-2024" (Bossuat et
            al.) and "he-standard-2018", which SEAL follows and which grants more, count classical attacks;
            "quantum-guidelines-2024" counts those of quantum computers too, and has 128 bits only. Everything that
            shows parameters names a table that is not the first.
        allow_insecure: take parameters below ``security``. They say INSECURE wherever they are shown, and so do files.
        name: a label, informative.
        value_bits: encrypted values are meant to lie in (-2^value_bits, 2^value_bits): the default ``bound`` of
            ``encrypt``. None: whatever T holds.
        scheme: "bfv", or "bgv", whose ciphertexts shrink with every product.
        cyclotomic: m, odd and squarefree, up to 2^17: the ring is Z[x]/Phi_m, of degree phi(m), in place of x^n + 1.
            With the one plaintext modulus 2 values are bits, and elements of GF(2^r), ``slots`` of them in a
            ciphertext. All moduli with a transform are 1 modulo ``ring.transform_step``.
        parties: of a joint key (`threshold`), at most: noise bounds allow for a secret that is the sum of so many.

    Raises:
        ParameterError: contradictions; the message names the value, the limit and the way out.
        SecurityError: moduli too long for the degree at the demanded level.

    Example:
        >>> import cyclotome as cy
        >>> p = cy.bfv.Parameters(degree=4096, plain_moduli=[40961], moduli=cy.bfv.find_primes(4096, [36, 36]),
        ...                       special_moduli=cy.bfv.find_primes(4096, [34]))
        Traceback (most recent call last):
        cyclotome.errors.ParameterError: the special primes have 34 bits in all, fewer than the widest ciphertext \
prime; use wider special primes
    """

    __slots__ = ("_native", "_value_bits")

    def __init__(
        self,
        *,
        degree: int | None = None,
        plain_moduli: Sequence[int],
        moduli: Sequence[int],
        special_moduli: Sequence[int] = (),
        digits: int = 0,
        word: int = 64,
        security: int = 128,
        table: str = "guidelines-2024",
        allow_insecure: bool = False,
        strict: bool = False,
        name: str = "",
        value_bits: int | None = None,
        scheme: str = "bfv",
        cyclotomic: int | None = None,
        parties: int = 1,
    ) -> None:
        self._native = _core.Parameters(
            scheme=_text("scheme", scheme),
            degree=_degree(degree, cyclotomic),
            plain_moduli=_moduli("plain_moduli", plain_moduli),
            moduli=_moduli("moduli", moduli),
            special_moduli=_moduli("special_moduli", special_moduli),
            digits=_count("digits", digits, 0),
            word=_count("word", word, 0, 64),
            security=_count("security", security, 0, 256),
            table=_text("table", table),
            allow_insecure=bool(allow_insecure),
            strict=bool(strict),
            name=name,
            cyclotomic=_index(cyclotomic),
            parties=_count("parties", parties, 1),
        )
        self._value_bits = None if value_bits is None else _count("value_bits", value_bits, 1, 1024)

    @classmethod
    def of_native(cls, core: _core.Parameters, value_bits: int | None) -> Parameters:
        """For the library itself: parameters that it made or read."""
        parameters = cls.__new__(cls)
        parameters._native = core
        parameters._value_bits = value_bits
        return parameters

    @classmethod
    def suggest(
        cls,
        *,
        depth: int = 1,
        value_bits: int = 16,
        result_bits: int | None = None,
        terms: int | None = None,
        plain_products: int = 1,
        security: int = 128,
        table: str = "guidelines-2024",
        word: int | None = None,
        min_degree: int = 0,
        slots: bool = True,
        scheme: str | None = None,
        flooding_bits: int = 0,
        strict: bool = False,
        bits: bool = False,
        cyclotomic: int | None = None,
        parties: int = 1,
    ) -> Parameters:
        """The cheapest parameters that serve a computation.

        Args:
            depth: products of encrypted values in a row; ``x * x + 3 * x`` has depth 1, ``x ** 4`` depth 2.
            value_bits: encrypted values lie in (-2^value_bits, 2^value_bits). Also the default ``bound`` of
                ``encrypt``.
            result_bits: all values that ever occur, results included, lie in (-2^result_bits, 2^result_bits). None:
                value_bits 2^depth + log2(terms), enough for ``(x ** (2 ** depth)).sum()`` over ``terms`` values.
            terms: how many values are added up at most; None: 2^14, and 16 of bits.
            plain_products: products with plaintext vectors or matrices, in addition to ``depth``.
            security: 128, 192 or 256 bits.
            table: "guidelines-2024", "he-standard-2018" or "quantum-guidelines-2024"; see `Parameters`.
            word: 32 or 64 bits; None for whichever is cheaper.
            min_degree: at least this many slots.
            slots: False when values are only added and scaled, or the plaintext moduli need no slots.
            scheme: "bfv" or "bgv"; None: "bfv", and "bgv" for bits.
            flooding_bits: results of up to 1024 ciphertexts at once can be given to others with `reveal` and this
                flooding, up to 128 bits; 0: they cannot.
            strict: noise bounds that assume nothing, at the price of some bits of modulus; see doc/noise.md.
            bits: values are bits, or elements of GF(2^16): plaintext modulus 2 over Phi_m. ``depth`` counts ANDs in a
                row. ``value_bits``, ``result_bits`` and ``slots`` then have no meaning. "bgv" takes shorter moduli
                from a few ANDs in a row on.
            cyclotomic: of ``bits``, m; None: the smallest of 4369, 21845 and 65535 that serves, with 256, 1024 and 2048
                slots. Implies ``bits``.
            parties: of a joint key (`threshold`), at most. With ``flooding_bits`` all of them can decrypt together with
                this flooding.

        Raises:
            ParameterError: no supported degree suffices; the message says what was needed.

        Example:
            >>> import cyclotome as cy
            >>> cy.Parameters.suggest(depth=1, value_bits=10).value_bits
            10
            >>> cy.Parameters.suggest(bits=True, depth=4, cyclotomic=21845).slots
            1024
        """
        bits = bool(bits) or cyclotomic is not None
        if terms is None:
            terms = 16 if bits else 1 << 14
        value_bits = _count("value_bits", value_bits, 1, 1024)
        core = _core.suggest(
            depth=_count("depth", depth, 0, 64),
            value_bits=value_bits,
            result_bits=0 if result_bits is None else _count("result_bits", result_bits, 1, 1024),
            terms=_count("terms", terms, 1),
            plain_products=_count("plain_products", plain_products, 0, 64),
            security=_count("security", security, 0, 256),
            table=_text("table", table),
            word=None if word is None else _count("word", word, 0, 64),
            min_degree=_count("min_degree", min_degree, 0, 1 << 17),
            slots=bool(slots),
            scheme=None if scheme is None else _text("scheme", scheme),
            flooding_bits=_count("flooding_bits", flooding_bits, 0, 128),
            strict=bool(strict),
            bits=bits,
            cyclotomic=_index(cyclotomic),
            parties=_count("parties", parties, 1),
        )
        return cls.of_native(core, None if bits else value_bits)

    @classmethod
    def from_modulus_bits(
        cls,
        *,
        degree: int | None = None,
        modulus_bits: int,
        plain_moduli: Sequence[int],
        word: int = 64,
        security: int = 128,
        table: str = "guidelines-2024",
        allow_insecure: bool = False,
        strict: bool = False,
        name: str = "",
        value_bits: int | None = None,
        scheme: str = "bfv",
        cyclotomic: int | None = None,
        aim: str = "speed",
        parties: int = 1,
    ) -> Parameters:
        """Ciphertext primes of ``modulus_bits`` bits in all, about equally wide, and special primes, as many of both as
        make products cheapest within ``security``; no special ones if ``modulus_bits`` leaves no room. The rest as in
        the constructor.

        Args:
            aim: "speed": of one product. "depth": as many products one after the other as the modulus carries, which in
                BGV takes primes about as wide as a level: at n = 32768 and 700 bits 18 in place of 13, each slower.

        Raises:
            ParameterError: no primes of these widths; an unknown aim.
            SecurityError: ``modulus_bits`` is more than ``security`` allows at this degree.

        Example:
            >>> import cyclotome as cy
            >>> p = cy.Parameters.from_modulus_bits(degree=4096, modulus_bits=60, plain_moduli=[40961], scheme="bgv")
            >>> p.modulus_bits, len(p.moduli), len(p.special_moduli)
            (60, 2, 1)
        """
        if aim not in ("speed", "depth"):
            raise ParameterError(f"aim {aim!r}; there are 'speed' and 'depth'")
        core = _core.with_modulus_bits(
            scheme=_text("scheme", scheme),
            degree=_degree(degree, cyclotomic),
            modulus_bits=_count("modulus_bits", modulus_bits, 1, 1 << 16),
            plain_moduli=_moduli("plain_moduli", plain_moduli),
            word=_count("word", word, 0, 64),
            security=_count("security", security, 0, 256),
            table=_text("table", table),
            allow_insecure=bool(allow_insecure),
            strict=bool(strict),
            name=name,
            cyclotomic=_index(cyclotomic),
            for_depth=aim == "depth",
            parties=_count("parties", parties, 1),
        )
        return cls.of_native(core, None if value_bits is None else _count("value_bits", value_bits, 1, 1024))

    @classmethod
    def from_context(
        cls,
        context: Primes,
        *,
        plain_moduli: Sequence[int] = (2,),
        scheme: str = "bgv",
        security: int = 128,
        table: str = "guidelines-2024",
        allow_insecure: bool = False,
        name: str = "",
        value_bits: int | None = None,
    ) -> Parameters:
        """Ciphertext primes that were generated as paper 004 does, and no special ones, as its scheme has none.

        Args:
            context: `cyclotome_study.ProductContext`, or anything with its ``degree`` and ``primes``, below 2^61 and
                1 modulo twice the degree. The order of the primes is kept.
            plain_moduli, scheme, security, table, allow_insecure, name, value_bits: as in the constructor.

        Raises:
            ParameterError: primes that are too wide, or whatever else the constructor refuses.
            SecurityError: a modulus too long for the degree.

        Example:
            >>> import cyclotome as cy
            >>> from cyclotome_study import ProductContext
            >>> context = ProductContext.generate(degree=4096, modulus_bits=99, prime_bits=50, search="above")
            >>> cy.Parameters.from_context(context).moduli == tuple(context.primes)
            True
        """
        widest = max((p.bit_length() for p in context.primes), default=0)
        if widest > WIDEST_PRIME:
            raise ParameterError(
                f"the context has primes of {widest} bits; ciphertexts take {WIDEST_PRIME}. Generate one with "
                f"prime_bits={WIDEST_PRIME}; cyclotome_hdl.products.multiply takes up to 63, for products only"
            )
        return cls(
            degree=context.degree,
            plain_moduli=plain_moduli,
            moduli=context.primes,
            scheme=scheme,
            security=security,
            table=table,
            allow_insecure=allow_insecure,
            name=name,
            value_bits=value_bits,
        )

    @classmethod
    def preset(cls, name: str, *, allow_insecure: bool = False, value_bits: int | None = None) -> Parameters:
        """A named set of the literature; `presets` lists the names. They are made by table "he-standard-2018", on whose
        edge SEAL's stand; who reads such files names that table.

        Raises:
            ParameterError: an unknown name; the message lists the known ones.
            SecurityError: a set below 128 bits, unless ``allow_insecure``.
        """
        core = _core.preset(name, bool(allow_insecure))
        return cls.of_native(core, None if value_bits is None else _count("value_bits", value_bits, 1, 1024))

    @staticmethod
    def presets() -> list[str]:
        """The names that `preset` knows."""
        return _core.preset_names()

    @property
    def native(self) -> _core.Parameters:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def scheme(self) -> str:
        """ "bfv" or "bgv"."""
        return self._native.scheme

    @property
    def has_levels(self) -> bool:
        """Whether ciphertexts may have fewer primes than ``moduli``: those of "bgv" may."""
        return self._native.has_levels

    @property
    def degree(self) -> int:
        """n, the degree of the ring's polynomial: x^n + 1, or Phi_m where ``cyclotomic`` is m."""
        return self._native.degree

    @property
    def cyclotomic(self) -> int | None:
        """m of Phi_m; None: the ring is that of x^n + 1."""
        return self._native.cyclotomic or None

    @property
    def slots(self) -> int:
        """Values that a ciphertext holds in slots: n where every plaintext modulus is a prime congruent to 1 modulo 2n,
        k where that is so modulo 2k only, for the largest power of two k < n, and of bits and elements of GF(2^r) n/r.
        Without slots (`has_slots`) n, the coefficients."""
        return self._native.slots

    @property
    def slot_degree(self) -> int:
        """The degree of a slot: 1, or that of the extension of the residues modulo t, or of GF(2), that it is. Integers
        in slots of a degree n/k are its constants; `slots` times this is n."""
        return self._native.slot_degree

    @property
    def slots_by_default(self) -> bool:
        """Whether arrays go into slots unless told otherwise. Where there are fewer than 64 slots of integers, and more
        coefficients, they do not: so few hold little, and every 64th prime has them by accident."""
        return self._native.slots_by_default

    @property
    def slot_shape(self) -> tuple[int, ...] | None:
        """The box that bits and elements of GF(2^r) form in a ciphertext, whose dimensions `EncryptedArray.roll` rolls;
        None of integers."""
        return tuple(self._native.slot_shape) or None

    @property
    def field_degree(self) -> int | None:
        """r where values are bits and elements of GF(2^r): plaintext modulus 2 over Phi_m. None of integers."""
        return self._native.field_degree or None

    @property
    def holds_bits(self) -> bool:
        """True where values are bits unless told otherwise: the only plaintext modulus is 2. In slots over Phi_m they
        are elements of GF(2^r), in coefficients polynomials over GF(2), replicated ones bits by themselves."""
        return self.plain_moduli == (2,)

    @property
    def field_polynomial(self) -> int | None:
        """f of GF(2^r) = F_2[y]/(f), bit i the coefficient of y^i; elements are written likewise. None of integers."""
        return self._native.field_polynomial or None

    @property
    def ring(self) -> _core.RingShape:
        """The ring without its moduli: what automorphisms there are, and which primes have a transform."""
        return self._native.ring

    @property
    def slot_ring(self) -> _core.RingShape:
        """The ring whose transform holds slots of integers, and whose automorphisms rotate them: `ring`, or of k < n
        slots Z[y]/(y^k + 1) within it, y = x^(n/k)."""
        return self._native.slot_ring

    @property
    def plain_moduli(self) -> tuple[int, ...]:
        """The plaintext moduli t_1, ...; values live modulo their product."""
        return tuple(self._native.plain_moduli)

    @property
    def plain_product(self) -> int:
        """T, the product of the plaintext moduli."""
        return math.prod(self._native.plain_moduli)

    @property
    def capacity(self) -> int:
        """The largest magnitude (T - 1)//2 that a value can have, results included."""
        return (self.plain_product - 1) // 2

    @property
    def value_bits(self) -> int | None:
        """Bits of the values that are encrypted, without sign; None if they were not stated."""
        return self._value_bits

    @property
    def default_bound(self) -> int:
        """The bound that ``encrypt`` assumes for values: 2^value_bits - 1, or the capacity if value_bits is None."""
        return self.capacity if self._value_bits is None else min(2**self._value_bits - 1, self.capacity)

    @property
    def has_slots(self) -> bool:
        """True if sums and products can act value by value: every plaintext modulus is a prime congruent to 1 modulo 4,
        or 2 over Phi_m."""
        return self._native.has_slots

    @property
    def moduli(self) -> tuple[int, ...]:
        """The ciphertext primes."""
        return tuple(self._native.moduli)

    @property
    def special_moduli(self) -> tuple[int, ...]:
        """The special primes of key switching."""
        return tuple(self._native.special_moduli)

    @property
    def digits(self) -> int:
        """Digits of key switching."""
        return self._native.digits

    @property
    def word(self) -> int:
        """Bits of the words that residues are kept in."""
        return self._native.word

    @property
    def modulus_bits(self) -> int:
        """Bit length of q, the product of the ciphertext primes."""
        return self._native.modulus_bits

    @property
    def key_modulus_bits(self) -> int:
        """Bit length of q times the special primes, on which security depends."""
        return self._native.key_modulus_bits

    @property
    def security(self) -> int:
        """The demanded level in bits."""
        return self._native.security

    @property
    def security_reached(self) -> int:
        """The highest of 128, 192 and 256 bits that the table grants, or 0."""
        return self._native.security_reached

    @property
    def table(self) -> str:
        """The table of the security limits."""
        return self._native.table

    @property
    def attacks(self) -> str:
        """ "classical" or "quantum": the attacks that the table counts."""
        return "quantum" if self._native.counts_quantum_attacks else "classical"

    def security_by(self, table: str) -> int:
        """The highest of 128, 192 and 256 bits that this table grants, or a stricter one; 0 for none.

        Example:
            >>> import cyclotome as cy
            >>> p = cy.Parameters.preset("seal-8192")
            >>> p.security_by("he-standard-2018"), p.security_by("guidelines-2024")
            (128, 0)
        """
        return self._native.security_by(_text("table", table))

    @property
    def insecure(self) -> bool:
        """True below 128 bits of security by the parameters' own table."""
        return self._native.insecure

    @property
    def allow_insecure(self) -> bool:
        """Whether the check of the demanded level was waived."""
        return self._native.allow_insecure

    @property
    def strict(self) -> bool:
        """Noise bounds assume nothing about rounding errors (doc/noise.md)."""
        return self._native.strict

    @property
    def parties(self) -> int:
        """Parties of a joint key that noise bounds allow for; 1: keys of one owner."""
        return self._native.parties

    @property
    def name(self) -> str:
        """The label, often empty."""
        return self._native.name

    @property
    def fingerprint(self) -> str:
        """SHA-256 over everything but name and value_bits, in hexadecimal; every key and ciphertext carries it."""
        return self._native.fingerprint.hex()

    def summary(self) -> str:
        """One line; INSECURE parameters say so, and a table that is not the default is named."""
        return self._native.summary()

    def explain(self) -> str:
        """Several lines: primes, sizes of keys and ciphertexts, security and its limit, noise headroom by depth, and a
        table of the numbers of special primes and digits there were to choose from, with what each costs and why it was
        chosen or not."""
        return self._native.explain()

    def __repr__(self) -> str:
        values = "" if self._value_bits is None else f", values of {self._value_bits} bits"
        return f"Parameters({self.summary()}{values})"

    def _repr_html_(self) -> str:
        warning = f'<p style="{_INSECURE_STYLE}">INSECURE parameters: for experiments only</p>' if self.insecure else ""
        from html import escape  # notebooks alone need it

        return f"{warning}<pre>{escape(self.explain())}</pre>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parameters):
            return NotImplemented
        return self._native.fingerprint == other._native.fingerprint

    def __hash__(self) -> int:
        return hash(self._native.fingerprint)


def of_scheme(scheme: str, options: dict[str, Any]) -> Parameters:
    """`Parameters` of one scheme, which ``options`` may repeat but not contradict."""
    if options.setdefault("scheme", scheme) != scheme:
        raise ParameterError(
            f"cyclotome.{scheme}.Parameters are for {scheme}, not for {options['scheme']!r}; use cyclotome.Parameters"
        )
    return Parameters(**options)


def find_primes(
    degree: int | None, bits: Sequence[int], avoid: Sequence[int] = (), *, cyclotomic: int | None = None
) -> list[int]:
    """Distinct primes with a transform in a ring: of each bit length the largest not taken, nor in ``avoid``.

    Args:
        degree: n of x^n + 1, a power of two; None with ``cyclotomic``.
        bits: bit lengths, each in [2, 61].
        avoid: numbers that must not be among them, such as plaintext moduli.
        cyclotomic: m of Phi_m.

    Raises:
        ParameterError: there are too few primes of a length.

    Example:
        >>> find_primes(1024, [30, 30, 17])
        [1073707009, 1073698817, 120833]
    """
    ring = (
        _core.negacyclic_ring(_count("degree", degree, 1, 1 << 17))
        if cyclotomic is None
        else _core.cyclotomic_ring(_index(cyclotomic))
    )
    step = ring.transform_step
    primes: list[int] = []
    for length in bits:
        taken = [*map(int, avoid), *primes]
        primes += _core.primes_congruent_to_one(_count("bits", length, 2, 61), step, 1, taken)
    return primes
