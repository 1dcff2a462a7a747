# SPDX-License-Identifier: Apache-2.0
"""Parameters: what a scheme computes with, and how secure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from .. import _core
from ..errors import ParameterError, UnsupportedError
from ..pickling import pickled_as_file
from .checks import count, degree_of, find_primes, index_of, moduli_of, real, text
from .facts import ParameterFacts
from .unlimited import degree_for, require_refreshable

__all__ = ["Parameters", "find_primes", "required_parameters"]

#: Bits of ciphertext primes at most: words keep three to spare for sums.
WIDEST_PRIME = 61


class Primes(Protocol):
    """What `Parameters.from_context` needs of a context."""

    @property
    def degree(self) -> int: ...

    @property
    def primes(self) -> Sequence[int]: ...


@pickled_as_file
class Parameters(ParameterFacts):
    """Checked, immutable parameters; seven ways lead to them.

    - `suggest`: from what the computation needs. The ordinary way.
    - `from_modulus_bits`: degree and length of q by hand, the primes chosen.
    - `from_scale_bits`: those for real numbers, by degree and scale.
    - `preset`: sets of the literature, by name.
    - `bootstrappable`: those whose arrays can be refreshed, for products without end.
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

    __slots__ = ()

    _native: _core.Parameters
    _value_bits: int | None

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
            scheme=text("scheme", scheme),
            degree=degree_of(degree, cyclotomic),
            plain_moduli=moduli_of("plain_moduli", plain_moduli),
            moduli=moduli_of("moduli", moduli),
            special_moduli=moduli_of("special_moduli", special_moduli),
            digits=count("digits", digits, 0),
            word=count("word", word, 0, 64),
            security=count("security", security, 0, 256),
            table=text("table", table),
            allow_insecure=bool(allow_insecure),
            strict=bool(strict),
            name=name,
            cyclotomic=index_of(cyclotomic),
            parties=count("parties", parties, 1),
        )
        self._value_bits = None if value_bits is None else count("value_bits", value_bits, 1, 1024)

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
        depth: int | Literal["unlimited"] = 1,
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
        precision: float | None = None,
        bound: float = 1.0,
        result_bound: float | None = None,
    ) -> Parameters:
        """The cheapest parameters that serve a computation.

        Args:
            depth: products of encrypted values in a row; ``x * x + 3 * x`` has depth 1, ``x ** 4`` depth 2.
                "unlimited": those of `bootstrappable` that hold the values, of value_bits or result_bits, with the
                least time for a product and its share of refreshes (`cyclotome.bootstrap`). EXPERIMENTAL.
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
            scheme: "bfv" or "bgv"; None: "bfv", and "bgv" for bits. "ckks" for real numbers, which ``depth``,
                ``precision``, ``bound``, ``result_bound``, ``flooding_bits``, ``security``, ``table``, ``min_degree``
                and ``strict`` are about, and nothing else here; EXPERIMENTAL (doc/reals.md).
            flooding_bits: results of up to 1024 ciphertexts at once can be given to others with `reveal` and this
                flooding, up to 128 bits; 0: they cannot. Of real numbers each result, right to ``precision``: some 12
                bits.
            strict: noise bounds that assume nothing, at the price of some bits of modulus: for programs of two or more
                products on a path that strangers choose after they saw ciphertexts; see doc/noise.md.
            bits: values are bits, or elements of GF(2^16): plaintext modulus 2 over Phi_m. ``depth`` counts ANDs in a
                row. ``value_bits``, ``result_bits`` and ``slots`` then have no meaning. "bgv" takes shorter moduli
                from a few ANDs in a row on.
            cyclotomic: of ``bits``, m; None: the smallest of 4369, 21845 and 65535 that serves, with 256, 1024 and 2048
                slots. Implies ``bits``.
            parties: of a joint key (`threshold`), at most. With ``flooding_bits`` all of them can decrypt together with
                this flooding.
            precision: of real numbers, such as 0.001: how wrong any result of ``depth`` products is at most, by the
                bounds that arrays carry.
            bound: of real numbers: the largest magnitude of what is encrypted.
            result_bound: of real numbers: the largest magnitude that ever occurs; None: bound^(2^depth), at least 1.

        Raises:
            ParameterError: no supported degree suffices; the message says what was needed. ``precision`` without
                ``scheme="ckks"``, or other options with it.

        Example:
            >>> import cyclotome as cy
            >>> cy.Parameters.suggest(depth=1, value_bits=10).value_bits
            10
            >>> cy.Parameters.suggest(bits=True, depth=4, cyclotomic=21845).slots
            1024
        """
        if scheme is not None and _core.scheme_holds_reals(text("scheme", scheme)):
            exact = (
                value_bits,
                result_bits,
                terms,
                plain_products,
                word,
                slots,
                bits,
                cyclotomic,
                parties,
            )
            if exact != (16, None, None, 1, None, True, False, None, 1) or precision is None:
                raise ParameterError(
                    "suggest: real numbers take depth, precision (such as 0.001), bound, result_bound, flooding_bits, "
                    "security, table, min_degree and strict"
                )
            return cls.of_native(
                _core.suggest_for_reals(
                    precision=real("precision", precision),
                    bound=real("bound", bound),
                    result_bound=0.0 if result_bound is None else real("result_bound", result_bound),
                    depth=count("depth", depth, 0, 64),
                    min_degree=count("min_degree", min_degree, 0, 1 << 17),
                    security=count("security", security, 0, 256),
                    table=text("table", table),
                    strict=bool(strict),
                    flooding_bits=count("flooding_bits", flooding_bits, 0, 128),
                ),
                None,
            )
        if precision is not None or bound != 1.0 or result_bound is not None:
            raise ParameterError(
                'suggest: precision, bound and result_bound are for real numbers, scheme="ckks"; integers have '
                "value_bits and result_bits"
            )
        bits = bool(bits) or cyclotomic is not None
        if terms is None:
            terms = 16 if bits else 1 << 14
        value_bits = count("value_bits", value_bits, 1, 1024)
        if depth == "unlimited":
            if bits or flooding_bits:
                raise ParameterError(
                    "suggest: depth='unlimited' with bits or flooding_bits; what can be refreshed are integers, and "
                    "`EvaluationKeys.refreshing` has the headroom that is left for flooding"
                )
            require_refreshable(
                security=security,
                table=table,
                word=word,
                slots=bool(slots),
                scheme=scheme,
                strict=bool(strict),
                parties=parties,
            )
            most = value_bits if result_bits is None else count("result_bits", result_bits, 1, 1024)
            degree = degree_for(max(value_bits, most), count("min_degree", min_degree, 0, 1 << 17))
            return cls.bootstrappable(degree, value_bits=value_bits)
        core = _core.suggest(
            depth=count("depth", depth, 0, 64),
            value_bits=value_bits,
            result_bits=0 if result_bits is None else count("result_bits", result_bits, 1, 1024),
            terms=count("terms", terms, 1),
            plain_products=count("plain_products", plain_products, 0, 64),
            security=count("security", security, 0, 256),
            table=text("table", table),
            word=None if word is None else count("word", word, 0, 64),
            min_degree=count("min_degree", min_degree, 0, 1 << 17),
            slots=bool(slots),
            scheme=None if scheme is None else text("scheme", scheme),
            flooding_bits=count("flooding_bits", flooding_bits, 0, 128),
            strict=bool(strict),
            bits=bits,
            cyclotomic=index_of(cyclotomic),
            parties=count("parties", parties, 1),
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
            scheme=text("scheme", scheme),
            degree=degree_of(degree, cyclotomic),
            modulus_bits=count("modulus_bits", modulus_bits, 1, 1 << 16),
            plain_moduli=moduli_of("plain_moduli", plain_moduli),
            word=count("word", word, 0, 64),
            security=count("security", security, 0, 256),
            table=text("table", table),
            allow_insecure=bool(allow_insecure),
            strict=bool(strict),
            name=name,
            cyclotomic=index_of(cyclotomic),
            for_depth=aim == "depth",
            parties=count("parties", parties, 1),
        )
        return cls.of_native(core, None if value_bits is None else count("value_bits", value_bits, 1, 1024))

    @classmethod
    def from_scale_bits(
        cls,
        *,
        degree: int,
        scale_bits: int,
        depth: int,
        bound: float = 1.0,
        result_bound: float | None = None,
        security: int = 128,
        table: str = "guidelines-2024",
        allow_insecure: bool = False,
        strict: bool = False,
        name: str = "",
    ) -> Parameters:
        """Parameters for real numbers (scheme "ckks", EXPERIMENTAL) by hand: numbers are multiplied by about
        2^scale_bits, and each of ``depth`` products takes a prime of about so many bits. Special primes and digits are
        the cheapest that ``security`` allows. The rest as in `suggest` and the constructor.

        Raises:
            ParameterError: no primes of these widths; results that don't fit a word.
            SecurityError: more bits than ``security`` allows at this degree.

        Example:
            >>> import cyclotome as cy
            >>> cy.Parameters.from_scale_bits(degree=8192, scale_bits=40, depth=2, bound=1).summary()
            'ckks n=8192 log q=126+60 scale 2^40, numbers up to 1 64-bit words, 128-bit classical security'
        """
        core = _core.parameters_with_scale(
            degree=count("degree", degree, 0),
            scale_bits=count("scale_bits", scale_bits, 0, 64),
            depth=count("depth", depth, 0, 128),
            bound=real("bound", bound),
            result_bound=0.0 if result_bound is None else real("result_bound", result_bound),
            security=count("security", security, 0, 256),
            table=text("table", table),
            allow_insecure=bool(allow_insecure),
            strict=bool(strict),
            name=name,
        )
        return cls.of_native(core, None)

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
    def bootstrappable(
        cls, degree: int = 32768, *, allow_insecure: bool = False, value_bits: int | None = None
    ) -> Parameters:
        """Parameters whose arrays `EncryptedArray.refreshed` gives fresh noise, of 128 bits of classical security by
        the tables; EXPERIMENTAL, since the sparse secret that it takes has not passed everything that is asked of it
        (doc/bootstrapping.md says what is missing).

        Args:
            degree: 32768, with values modulo 65537; or 65536, with values modulo 786433 and more products between two
                refreshes. Powers of two from 256 on for tests: far below 128 bits.
            allow_insecure: take those.
            value_bits: as above.

        Raises:
            ParameterError: another degree.
            SecurityError: a degree below 32768, unless ``allow_insecure``.
        """
        core = _core.bootstrappable_parameters(count("degree", degree, 1), bool(allow_insecure))
        return cls.of_native(core, None if value_bits is None else count("value_bits", value_bits, 1, 1024))

    @classmethod
    def preset(cls, name: str, *, allow_insecure: bool = False, value_bits: int | None = None) -> Parameters:
        """A named set of the literature; `presets` lists the names. They are made by table "he-standard-2018", on whose
        edge SEAL's stand; who reads such files names that table.

        Raises:
            ParameterError: an unknown name; the message lists the known ones.
            SecurityError: a set below 128 bits, unless ``allow_insecure``.
        """
        core = _core.preset(name, bool(allow_insecure))
        return cls.of_native(core, None if value_bits is None else count("value_bits", value_bits, 1, 1024))

    @staticmethod
    def presets() -> list[str]:
        """The names that `preset` knows."""
        return _core.preset_names()


def of_scheme(scheme: str, options: dict[str, Any]) -> Parameters:
    """`Parameters` of one scheme, which ``options`` may repeat but not contradict."""
    if options.setdefault("scheme", scheme) != scheme:
        raise ParameterError(
            f"cyclotome.{scheme}.Parameters are for {scheme}, not for {options['scheme']!r}; use cyclotome.Parameters"
        )
    return Parameters(**options)


def required_parameters(taker: str, given: object, advice: str = "") -> Parameters:
    """``given``, which must be `Parameters`: keys and arrays, which have some, are told so.

    Raises:
        UnsupportedError: anything else.
    """
    if isinstance(given, Parameters):
        return given
    has = "; give its .parameters" if hasattr(given, "parameters") else advice
    raise UnsupportedError(f"{taker} takes Parameters, not {type(given).__name__}{has}")
