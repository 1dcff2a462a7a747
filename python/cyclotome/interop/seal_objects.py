# SPDX-License-Identifier: Apache-2.0
"""SEAL's plaintexts, ciphertexts and keys as arrays of residues: their bytes, and nothing of what they mean.

Every count is compared with the encryption parameters before anything is read for it, every residue with its modulus.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError, UnsupportedError
from .seal_chain import Chain
from .seal_frame import Body, Writer
from .seal_random import SEED_BYTES, uniform_polynomial

__all__ = [
    "Ciphertext",
    "read_ciphertext",
    "read_key_list",
    "read_plaintext",
    "read_secret",
    "write_ciphertext",
    "write_key_list",
    "write_plaintext",
    "write_secret",
]

Residues = NDArray[np.uint64]

_NO_LEVEL = bytes(32)
_DAMAGED = "the data is damaged or no such object of SEAL"
#: Parts that are known here. SEAL has up to 16.
_LEAST_PARTS, _MOST_PARTS = 2, 3


@dataclass(frozen=True)
class Ciphertext:
    """A ciphertext or a public key: residues[part][limb][coefficient]."""

    residues: Residues
    transformed: bool
    correction: int

    @property
    def limbs(self) -> int:
        """Its number of primes."""
        return int(self.residues.shape[1])


def _level(chain: Chain, name: bytes, what: str, keys: bool) -> int:
    """The number of primes of a named level; of keys all of them, else fewer if there is a special one."""
    count = chain.levels.get(name)
    if count is None:
        raise FormatError(
            f"the {what} is for other encryption parameters (parms_id {name[:4].hex()}…); read it with its own"
        )
    most = len(chain.primes) if keys else len(chain.moduli)
    if count > most or (keys and count != most):
        raise FormatError(f"the {what} has {count} primes, which is the level of {'ciphertexts' if keys else 'keys'}")
    return count


def _words(body: Body, what: str, counts: tuple[int, ...]) -> Residues:
    """A DynArray of so many words, one of ``counts``."""
    size = body.nested(what)
    (words,) = body.numbers("Q")
    if words not in counts or size != 8 + 8 * words:
        raise FormatError(f"the {what} holds {words} words in {size} bytes, where {counts[0]} are needed: {_DAMAGED}")
    return np.frombuffer(body.take(8 * words), dtype="<u8").astype(np.uint64)


def _require_below(residues: Residues, moduli: tuple[int, ...], what: str) -> None:
    """Residues[...][limb][coefficient] below their moduli. Tells which limb, not which value: it may be secret."""
    limits = np.array(moduli, dtype=np.uint64)[:, None]
    wrong = (residues >= limits).any(axis=-1)
    if wrong.any():
        limb = int(np.argwhere(wrong)[0][-1])
        raise FormatError(f"a residue of the {what} is not below its modulus {moduli[limb]}: {_DAMAGED}")


# --- ciphertexts and public keys --------------------------------------------------------------------------------------
def read_ciphertext(body: Body, chain: Chain, what: str = "ciphertext", keys: bool = False) -> Ciphertext:
    """The members of a Ciphertext, or of a PublicKey (``keys``). What a seed stands for is expanded.

    Raises:
        FormatError: of other parameters, or damaged.
        UnsupportedError: more than 3 parts.
    """
    name = body.take(32)
    transformed, parts, degree, limbs, scale, correction = body.numbers("BQQQdQ")
    count = _level(chain, name, what, keys)
    if degree != chain.degree or limbs != count or transformed > 1 or scale != 1.0:
        raise FormatError(
            f"the {what} says that it has degree {degree}, {limbs} primes and scale {scale}, where its parameters have "
            f"degree {chain.degree}, {count} primes and scale 1: {_DAMAGED}"
        )
    most = _LEAST_PARTS if keys else _MOST_PARTS
    if _MOST_PARTS < parts <= 16 and not keys:
        raise UnsupportedError(f"a ciphertext of {parts} parts; 2 and 3 are known here: relinearise it in SEAL first")
    if not _LEAST_PARTS <= parts <= most:
        raise FormatError(f"the {what} has {parts} parts, where {_LEAST_PARTS} to {most} are known: {_DAMAGED}")
    if keys and (not transformed or correction != 1):
        raise FormatError(f"the {what} is not transformed, or has correction factor {correction}: {_DAMAGED}")
    one = chain.degree * count
    words = _words(body, what, (one * parts, one) if parts == 2 else (one * parts,))
    moduli = chain.primes[:count]
    residues = words.reshape(-1, count, chain.degree)
    if len(residues) == 1:
        residues = np.stack([residues[0], _expanded(body, chain.degree, moduli)])
    _require_below(residues, moduli, what)
    return Ciphertext(residues, bool(transformed), int(correction))


def _expanded(body: Body, degree: int, moduli: tuple[int, ...]) -> Residues:
    size = body.nested("seed")
    if size != 1 + SEED_BYTES:
        raise FormatError(f"a seed takes {size} bytes, and has {1 + SEED_BYTES}: {_DAMAGED}")
    (generator,) = body.numbers("B")
    return uniform_polynomial(generator, body.take(SEED_BYTES), degree, moduli)


def write_ciphertext(writer: Writer, chain: Chain, ciphertext: Ciphertext) -> bytearray:
    """The members of a Ciphertext or PublicKey."""
    parts, limbs, degree = ciphertext.residues.shape
    body = bytearray(chain.name_of(limbs))
    body += struct.pack("<BQQQdQ", ciphertext.transformed, parts, degree, limbs, 1.0, ciphertext.correction)
    body += _dyn_array(writer, ciphertext.residues)
    return body


def _dyn_array(writer: Writer, words: Residues) -> bytearray:
    data = np.ascontiguousarray(words, dtype="<u8")
    body = bytearray(struct.pack("<Q", data.size))
    body += data.tobytes()
    result = writer.inner(body)
    body[:] = bytes(len(body))  # it may have been a secret
    return result


# --- plaintexts and secret keys ---------------------------------------------------------------------------------------
def read_plaintext(body: Body, chain: Chain) -> Residues:
    """The coefficients of a Plaintext, n of them below the plaintext modulus.

    Raises:
        FormatError: damaged.
        UnsupportedError: a plaintext that SEAL has transformed.
    """
    name = body.take(32)
    count, scale = body.numbers("Qd")
    if name != _NO_LEVEL:
        raise UnsupportedError("the plaintext is transformed (in NTT form); save it in SEAL before transform_to_ntt")
    if count > chain.degree or scale != 1.0:
        raise FormatError(
            f"the plaintext has {count} coefficients and scale {scale}, where there are at most {chain.degree}, "
            f"and scale 1: {_DAMAGED}"
        )
    words = _words(body, "plaintext", (count,))
    body.finish()
    if (words >= np.uint64(chain.plain_modulus)).any():
        raise FormatError(
            f"a coefficient of the plaintext is not below the plaintext modulus {chain.plain_modulus}: {_DAMAGED}"
        )
    return np.concatenate([words, np.zeros(chain.degree - count, dtype=np.uint64)])


def write_plaintext(writer: Writer, coefficients: Residues) -> bytearray:
    """The members of a Plaintext."""
    body = bytearray(_NO_LEVEL + struct.pack("<Qd", len(coefficients), 1.0))
    body += _dyn_array(writer, coefficients)
    return body


def read_secret(body: Body, chain: Chain) -> Residues:
    """The residues [limb][coefficient] of a SecretKey, transformed.

    Raises:
        FormatError: of other parameters, or damaged.
    """
    name = body.take(32)
    count, scale = body.numbers("Qd")
    limbs = _level(chain, name, "secret key", True)
    if count != limbs * chain.degree or scale != 1.0:
        raise FormatError(
            f"the secret key has {count} residues and scale {scale}, where {limbs * chain.degree} are needed, "
            f"and scale 1: {_DAMAGED}"
        )
    residues = _words(body, "secret key", (count,)).reshape(limbs, chain.degree)
    body.finish()
    _require_below(residues, chain.primes, "secret key")
    return residues


def write_secret(writer: Writer, chain: Chain, residues: Residues) -> bytearray:
    """The members of a SecretKey."""
    body = bytearray(chain.key_name + struct.pack("<Qd", residues.size, 1.0))
    body += _dyn_array(writer, residues)
    return body


# --- relinearisation and Galois keys ----------------------------------------------------------------------------------
def read_key_list(body: Body, chain: Chain, what: str, most: int) -> Iterator[tuple[int, Residues]]:
    """The keys of RelinKeys or GaloisKeys one by one, each with its number: residues[digit][part][limb][coefficient].

    Raises:
        FormatError: of other parameters, or damaged; while it is iterated.
    """
    name, (count,) = body.take(32), body.numbers("Q")
    _level(chain, name, what, True)
    if not 1 <= count <= most:
        raise FormatError(f"the {what} have {count} places, where 1 to {most} are known: {_DAMAGED}")
    digits, found = len(chain.moduli), 0
    for number in range(count):
        (length,) = body.numbers("Q")
        if length not in (0, digits):
            raise FormatError(f"key {number} of the {what} has {length} digits, and there are {digits}: {_DAMAGED}")
        if length:
            found += 1
            yield number, np.stack([_nested_key(body, chain, what) for _ in range(digits)])
    body.finish()
    if not found:
        raise FormatError(f"the {what} hold no key")


def _nested_key(body: Body, chain: Chain, what: str) -> Residues:
    size, start = body.nested(what), body.offset
    key = read_ciphertext(body, chain, what, keys=True)
    if body.offset - start != size:
        raise FormatError(f"a key of the {what} has {body.offset - start} bytes and says {size}: {_DAMAGED}")
    return key.residues


def write_key_list(writer: Writer, chain: Chain, places: int, keys: Mapping[int, Callable[[], Any]]) -> bytearray:
    """The members of RelinKeys or GaloisKeys with keys at some of so many places. Each key is a function that gives
    residues[digit][part][limb][coefficient], called when its turn comes."""
    body = bytearray(chain.key_name + struct.pack("<Q", places))
    for number in range(places):
        if number not in keys:
            body += bytes(8)
            continue
        digits = keys[number]()
        body += struct.pack("<Q", len(digits))
        for pair in digits:
            body += writer.inner(write_ciphertext(writer, chain, Ciphertext(pair, True, 1)))
    return body
