# SPDX-License-Identifier: Apache-2.0
"""SEAL's encryption parameters, the primes of its levels, and what names them.

SEAL has one list of primes. Keys live over all of it; the last is the special prime of key switching, and fresh
ciphertexts have the others. Each level has one prime fewer, from the end, as here. A level's name is the BLAKE2b-256 of
scheme, degree, its primes and the plaintext modulus, each a word of 64 bits. A list of one prime has no special one.
"""

from __future__ import annotations

import functools
import hashlib
import struct
from dataclasses import dataclass

from ..errors import FormatError, ParameterError, UnsupportedError
from ..parameters.parameters import Parameters
from .seal_frame import Body, Writer

__all__ = ["SCHEMES", "Chain"]

#: By SEAL's number. CKKS is 2.
SCHEMES = {1: "bfv", 3: "bgv"}
_CKKS = 2

#: SEAL's own limits.
MOST_PRIMES, MOST_DEGREE, WIDEST_PRIME = 64, 131072, 61


@dataclass(frozen=True)
class Chain:
    """Encryption parameters as SEAL has them."""

    scheme: str
    degree: int
    primes: tuple[int, ...]
    plain_modulus: int

    @property
    def moduli(self) -> tuple[int, ...]:
        """The primes of a fresh ciphertext."""
        return self.primes[:-1] if len(self.primes) > 1 else self.primes

    @functools.cached_property
    def levels(self) -> dict[bytes, int]:
        """How many primes each name stands for, those of keys and of all ciphertexts."""
        return {self.name_of(count): count for count in range(1, len(self.primes) + 1)}

    def name_of(self, count: int) -> bytes:
        """The 32 bytes that name the level of the first ``count`` primes."""
        number = next(number for number, name in SCHEMES.items() if name == self.scheme)
        words = (number, self.degree, *self.primes[:count], self.plain_modulus)
        return hashlib.blake2b(struct.pack(f"<{len(words)}Q", *words), digest_size=32).digest()

    @property
    def key_name(self) -> bytes:
        """The name of the level of keys."""
        return self.name_of(len(self.primes))

    # --- SEAL's bytes -------------------------------------------------------------------------------------------------
    @classmethod
    def read(cls, body: Body) -> Chain:
        """From the body of EncryptionParameters.

        Raises:
            FormatError: counts or numbers that SEAL has not.
            UnsupportedError: CKKS, or a scheme that SEAL has not.
        """
        number, degree, count = body.numbers("BQQ")
        if number == _CKKS:
            raise UnsupportedError(
                "the parameters are for CKKS, whose values are approximate; BFV and BGV are here. Scale the numbers to "
                "integers, or keep them in SEAL"
            )
        if number not in SCHEMES:
            raise FormatError(f"the parameters are for scheme {number}; SEAL has 1 (BFV) and 3 (BGV)")
        if not 1 <= count <= MOST_PRIMES or not 2 <= degree <= MOST_DEGREE:
            raise FormatError(
                f"the parameters have degree {degree} and {count} primes; SEAL has degrees up to {MOST_DEGREE} and 1 "
                f"to {MOST_PRIMES} primes: the data is damaged or no SEAL object"
            )
        primes = tuple(_read_modulus(body) for _ in range(count))
        plain = _read_modulus(body)
        body.finish()
        return cls(SCHEMES[number], degree, primes, plain)

    def write(self, writer: Writer) -> bytes:
        """The object EncryptionParameters."""
        number = next(number for number, name in SCHEMES.items() if name == self.scheme)
        body = bytearray(struct.pack("<BQQ", number, self.degree, len(self.primes)))
        for modulus in (*self.primes, self.plain_modulus):
            body += writer.inner(struct.pack("<Q", modulus))
        return bytes(writer.outer(body))

    # --- this library's parameters ------------------------------------------------------------------------------------
    @classmethod
    def of(cls, parameters: Parameters) -> Chain:
        """The same parameters for SEAL.

        Raises:
            ParameterError: they have no shape that SEAL knows; the message says how to make some that have.
        """
        why = _why_not(parameters)
        if why:
            raise ParameterError(
                f"SEAL can't have {parameters.summary()}: {why}. "
                "cyclotome.interop.seal.make_parameters(degree, ...) makes parameters for both"
            )
        primes = (*parameters.moduli, *parameters.special_moduli)
        return cls(parameters.scheme, parameters.degree, primes, parameters.plain_moduli[0])

    def parameters(self, security: int, table: str, allow_insecure: bool, value_bits: int | None = None) -> Parameters:
        """The same parameters for this library: key switching with one digit for each prime.

        Raises:
            ParameterError: special primes that are narrower than others, or whatever else the constructor refuses.
            SecurityError: below ``security`` by ``table``, unless ``allow_insecure``.
        """
        return Parameters(
            scheme=self.scheme,
            degree=self.degree,
            plain_moduli=[self.plain_modulus],
            moduli=self.moduli,
            special_moduli=self.primes[len(self.moduli) :],
            digits=len(self.moduli),
            word=64,
            security=security,
            table=table,
            allow_insecure=allow_insecure,
            value_bits=value_bits,
        )


def _read_modulus(body: Body) -> int:
    size = body.nested("modulus")
    if size != 8:
        raise FormatError(f"a modulus takes {size} bytes, and is one word of 8: the data is damaged or no SEAL object")
    (modulus,) = body.numbers("Q")
    if not 2 <= modulus < 1 << WIDEST_PRIME:
        raise FormatError(
            f"the modulus {modulus} is not in [2, 2^{WIDEST_PRIME}): the data is damaged or no SEAL object"
        )
    return int(modulus)


def _why_not(p: Parameters) -> str:
    """What SEAL lacks for these parameters; empty if it has all of it."""
    special, count = len(p.special_moduli), len(p.moduli)
    if p.scheme not in SCHEMES.values():
        return f"it has no scheme {p.scheme}"
    if p.cyclotomic is not None:
        return "its ring is that of x^n + 1 only"
    if len(p.plain_moduli) != 1:
        return f"they have {len(p.plain_moduli)} plaintext moduli, and it has one"
    if special > 1 or (special == 0 and count > 1):
        return f"they have {special} special primes, and it has one"
    if p.digits != count:
        return f"they have {p.digits} digits of key switching, and it has one for each of the {count} ciphertext primes"
    if p.word != 64:
        return f"they keep residues in words of {p.word} bits, and keys for it take 64"
    widest = max((*p.moduli, *p.special_moduli)).bit_length()
    if widest > 60:
        return f"they have a prime of {widest} bits, and its have 60 at most"
    if p.plain_moduli[0].bit_length() > 60:
        return "their plaintext modulus has more than 60 bits"
    return ""
