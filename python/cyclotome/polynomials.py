# SPDX-License-Identifier: Apache-2.0
"""Arrays in coefficients as polynomials: products, and what automorphisms bring apart and together.

The last axis holds coefficients a_0, a_1, ..., at most n; the axes before it number polynomials and broadcast as in
NumPy. Any plaintext modulus will do, since polynomials need no slots: ``encrypt(values, key,
encoding="coefficients")``, or no encoding where parameters have no slots.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from . import _core
from .arrays.array import Distributed, EncryptedArray
from .arrays.plain import public_integers
from .errors import UnsupportedError
from .keys.generation import trace_elements
from .numbers.values import native
from .options import current

__all__ = ["convolve", "expand", "negacyclic_product", "pack", "trace_elements"]


def negacyclic_product(x: object, y: object, *, relinearize: bool = True) -> EncryptedArray:
    """The product in Z[x]/(x^n + 1): n coefficients, where x^n is -1.

    Args:
        x, y: polynomials of at most n coefficients along the last axis, one of them or both encrypted; the other may be
            integers. The axes before the last broadcast.
        relinearize: False leaves a product of encrypted polynomials as it is, of ciphertexts with three parts, which
            add up, decrypt and `EncryptedArray.relinearized`: one relinearisation for a sum of products, and none for
            parameters whose key switching adds too much noise.

    Returns:
        An `EncryptedArray` in coefficients, whose last axis has length n. Exact: a coefficient is bounded by
        min(l1_bound of x times bound of y, bound of x times l1_bound of y).

    Raises:
        RangeError: a coefficient could wrap around modulo T. State tighter bounds (``bound=``, ``l1_bound=``), or
            encrypt with ``wrap=True`` if products are meant modulo T.
        UnsupportedError: arrays in slots or replicated ones; no operand is encrypted.
        ArgumentError: more than n coefficients; scalars; shapes that don't broadcast.
        MissingKeyError: a product of encrypted polynomials without a relinearisation key at hand.
        NoiseError: the result could not be decrypted.

    Example:
        >>> import cyclotome as cy
        >>> parameters = cy.bfv.Parameters(degree=4096, plain_moduli=[2], moduli=cy.bfv.find_primes(4096, [34, 34]),
        ...                                special_moduli=cy.bfv.find_primes(4096, [35]))
        >>> secret, public, _ = cy.keygen(parameters)
        >>> x = cy.encrypt([1, 1, 0, 1], public)  # 1 + x + x^3 over GF(2)
        >>> cy.decrypt(cy.polynomials.negacyclic_product(x, x), secret)[:8].astype(int)
        array([1, 0, 1, 0, 0, 0, 1, 0])
    """
    return _product("negacyclic_product", _core.negacyclic_product, x, y, relinearize)


def convolve(x: object, y: object, *, relinearize: bool = True) -> EncryptedArray:
    """The product in Z[x], as ``numpy.convolve`` along the last axis: a + b - 1 coefficients of a and b.

    Arguments and errors are those of `negacyclic_product`.

    Raises:
        ArgumentError: the product has more than n coefficients, and would wrap around.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=4, terms=16))
        >>> x = cy.encrypt([1, 2, 3], public, bound=5, encoding="coefficients")
        >>> cy.decrypt(cy.convolve(x, [0, 1, -1]), secret)
        array([ 0,  1,  1,  1, -3])
    """
    return _product("convolve", _core.convolve, x, y, relinearize)


def expand(x: EncryptedArray, *, scaled: bool = False) -> EncryptedArray:
    """Each coefficient as a ciphertext of its own: the same shape and values, replicated; one ciphertext becomes up to
    n. With it a client asks for a record of many in one ciphertext (SealPIR: Angel, Chen, Laine and Setty 2018).

    Args:
        x: polynomials, an array in coefficients. L coefficients take l = ceil(log2 L) steps and 2^l - 1 automorphisms,
            whose keys ``keygen(galois_elements=cy.polynomials.trace_elements(parameters))`` makes.
        scaled: the values come times 2^l. Without it 2^l is divided out modulo T, which costs noise: bits of
            T mod 2^l at best, of T at worst. Where T is even it can't be.

    Raises:
        MissingKeyError: an automorphism without its key.
        RangeError: with ``scaled``, a value could wrap around.
        UnsupportedError: an array in slots or a replicated one; an even plaintext modulus without ``scaled``.
        NoiseError: the result could not be decrypted.

    Example:
        >>> import cyclotome as cy
        >>> parameters = cy.Parameters.suggest(depth=1, value_bits=4, terms=16)
        >>> secret, public, _ = cy.keygen(parameters, galois_elements=cy.polynomials.trace_elements(parameters))
        >>> x = cy.encrypt([0, 0, 1, 0], public, bound=1, encoding="coefficients")
        >>> cy.decrypt(cy.polynomials.expand(x)[2] * 7, secret)
        7
    """
    how = current.get().native
    return _only("expand", x).derived(_core.expand(x.native, bool(scaled), how))


def pack(x: EncryptedArray, *, scaled: bool = False) -> EncryptedArray:
    """Many ciphertexts into one polynomial.

    A replicated array, shape (..., k) with k <= n: the same shape and values in coefficients, the inverse of `expand`.
    It takes no keys, only products with powers of x.

    Polynomials, an array in coefficients of shape (..., k, L): their constant terms, such as the inner products that
    products with reversed polynomials have there. The result has shape (..., n); the term of polynomial i is
    coefficient i * (n / K), K the power of two from k on, others are 0 (Chen, Dai, Kim and Song 2021). It takes
    ``keygen(galois_elements=cy.polynomials.trace_elements(parameters))`` and at most K - 1 + log2(n / K) automorphisms.

    Args:
        x: the array.
        scaled: of polynomials, the terms come times n; see `expand`.

    Raises:
        ArgumentError: more than n values or polynomials.
        MissingKeyError, RangeError, UnsupportedError, NoiseError: as `expand`.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=4, terms=16))
        >>> x = cy.encrypt([3, 1, 4, 1, 5], public, layout="replicated")
        >>> y = cy.polynomials.pack(x)
        >>> y.ciphertexts, y.encoding, cy.decrypt(y, secret)
        (1, 'coefficients', array([3, 1, 4, 1, 5]))
    """
    how = current.get().native
    if _only("pack", x).native.placement == _core.Placement.replicated:
        return x.derived(_core.packed_in_coefficients(x.native, how))
    return x.derived(_core.pack_constant_terms(x.native, bool(scaled), how))


def _product(
    operation: str, function: Callable[..., _core.EncryptedArray], x: object, y: object, relinearize: bool
) -> EncryptedArray:
    if not isinstance(x, EncryptedArray):
        x, y = y, x  # products of polynomials commute
    if not isinstance(x, EncryptedArray) or isinstance(y, Distributed):
        _refuse(operation, y)
    how = current.get().native
    if not isinstance(y, EncryptedArray):
        return x.derived(function(x.native, native(public_integers(y, operation)), how))
    keys = x.keyring if y.keyring is x.keyring else x.keyring.joined(y.keyring)
    return x.derived(function(x.native, y.native, bool(relinearize), how), keys)


def _only(operation: str, x: object) -> EncryptedArray:
    if not isinstance(x, EncryptedArray):
        _refuse(operation, x)
    return x


def _refuse(operation: str, operand: object) -> NoReturn:
    raise UnsupportedError(f"{operation} takes an encrypted array, not {type(operand).__name__}")
