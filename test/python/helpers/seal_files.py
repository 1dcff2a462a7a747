# SPDX-License-Identifier: Apache-2.0
"""Microsoft SEAL (through tenseal) as somebody whose files go back and forth."""

from __future__ import annotations

import functools
import itertools
import struct
import zlib
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from seal_party import sealapi

zstandard = pytest.importorskip("zstandard", reason="zstandard, which SEAL compresses with, is not installed")

__all__ = ["TABLE", "Files", "SealUser", "body_of", "nested", "recompressed", "seeded", "users"]

TABLE = "he-standard-2018"
_SCHEMES = {"bfv": 1, "bgv": 3}
_NAMES = ("none", "zlib", "zstd")


def body_of(data: bytes) -> bytes:
    """What stands behind the header, decompressed."""
    kind, body = data[5], data[16:]
    if kind == 1:
        return zlib.decompress(body)
    return zstandard.ZstdDecompressor().decompressobj().decompress(body) if kind == 2 else body


def recompressed(data: bytes, compression: str, body: bytes | None = None) -> bytes:
    """The same object with its body, or another one, compressed as SEAL would have."""
    raw = body_of(data) if body is None else body
    packed = {
        "none": lambda: raw,
        "zlib": lambda: zlib.compress(raw),
        "zstd": lambda: zstandard.ZstdCompressor().compress(raw),
    }[compression]()
    header = data[:5] + bytes([_NAMES.index(compression)]) + data[6:8]
    return header + struct.pack("<Q", 16 + len(packed)) + packed


#: Bytes before the residues of a ciphertext or public key, in its body.
MEMBERS = 32 + 1 + 5 * 8


def nested(data: bytes, like: bytes) -> bytes:
    """An object within another one of the same SEAL."""
    return like[:5] + b"\0\0\0" + struct.pack("<Q", 16 + len(data)) + data


def seeded(whole: bytes, generator: int, seed: bytes) -> bytes:
    """A ciphertext or public key of 2 parts with a seed in place of the second."""
    body = body_of(whole)
    rest = body[MEMBERS + 24 :]
    half = rest[: len(rest) // 2]
    array = nested(struct.pack("<Q", len(half) // 8) + half, whole)
    return recompressed(whole, "none", body[:MEMBERS] + array + nested(bytes([generator]) + seed, whole))


class Files:
    """SEAL's objects as bytes: its Python interface has files only."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, itertools.count()

    def bytes_of(self, obj: Any) -> bytes:
        path = self._folder / f"object-{next(self._numbers)}"
        obj.save(str(path))
        data = path.read_bytes()
        path.unlink()
        return data

    def loaded(self, obj: Any, data: bytes, *context: Any) -> Any:
        """The object after it has loaded these bytes."""
        path = self._folder / f"object-{next(self._numbers)}"
        path.write_bytes(data)
        try:
            obj.load(*context, str(path))
        finally:
            path.unlink()
        return obj


class SealUser:
    """Somebody with SEAL's default parameters for a degree, or with given primes, and keys made there.

    Skips the test if this SEAL does not have the scheme.
    """

    def __init__(self, scheme: str, degree: int, folder: Path, primes: tuple[int, ...] = (), plain: int = 0) -> None:
        self.files, self.scheme, self.n = Files(folder), scheme, degree
        self.t = plain or sealapi.PlainModulus.Batching(degree, 20).value()
        chosen = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE(_SCHEMES[scheme]))
        chosen.set_poly_modulus_degree(degree)
        level = sealapi.SEC_LEVEL_TYPE.TC128
        moduli = [sealapi.Modulus(p) for p in primes] or sealapi.CoeffModulus.BFVDefault(degree, level)
        self.primes = [m.value() for m in moduli]
        chosen.set_coeff_modulus(moduli)
        chosen.set_plain_modulus(self.t)
        self.parameters = chosen
        self.context = sealapi.SEALContext(chosen, True, level)
        if not self.context.parameters_set():
            pytest.skip(f"this SEAL has no {scheme.upper()}, or not with these parameters")
        self.generator = sealapi.KeyGenerator(self.context)
        self.secret = self.generator.secret_key()
        self.public = sealapi.PublicKey()
        self.generator.create_public_key(self.public)
        self.encoder = sealapi.BatchEncoder(self.context)
        self.encryptor = sealapi.Encryptor(self.context, self.public)
        self.encryptor.set_secret_key(self.secret)
        self.decryptor = sealapi.Decryptor(self.context, self.secret)
        self.evaluator = sealapi.Evaluator(self.context)

    @functools.cached_property
    def relin(self) -> Any:
        keys = sealapi.RelinKeys()
        self.generator.create_relin_keys(keys)
        return keys

    def galois(self, steps: list[int]) -> Any:
        """For rotations by these steps, told as elements: those are what lists without a negative number are to it."""
        keys = sealapi.GaloisKeys()
        self.generator.create_galois_keys([pow(3, step, 2 * self.n) for step in steps], keys)
        return keys

    # --- what it sends ------------------------------------------------------------------------------------------------
    def sent(self, obj: Any) -> bytes:
        return self.files.bytes_of(obj)

    def encoded(self, values: Any) -> Any:
        plaintext = sealapi.Plaintext()
        self.encoder.encode([int(x) for x in values], plaintext)
        return plaintext

    def encrypted(self, values: Any, symmetric: bool = False) -> Any:
        ciphertext = sealapi.Ciphertext()
        encrypt = self.encryptor.encrypt_symmetric if symmetric else self.encryptor.encrypt
        encrypt(self.encoded(values), ciphertext)
        return ciphertext

    # --- what it gets -------------------------------------------------------------------------------------------------
    def got(self, kind: str, data: bytes) -> Any:
        return self.files.loaded(getattr(sealapi, kind)(), data, self.context)

    def decrypted(self, ciphertext: Any) -> Any:
        plaintext = sealapi.Plaintext()
        self.decryptor.decrypt(ciphertext, plaintext)
        return np.array(self.encoder.decode_int64(plaintext), dtype=object) % self.t

    def budget(self, ciphertext: Any) -> int:
        return int(self.decryptor.invariant_noise_budget(ciphertext))

    @functools.cached_property
    def version(self) -> str:
        return cy.interop.seal.version_of(self.sent(self.parameters))

    # --- the same here ------------------------------------------------------------------------------------------------
    @functools.cached_property
    def here(self) -> cy.Parameters:
        return cy.interop.seal.read_parameters(self.sent(self.parameters), security_table=TABLE)

    def owner(self, **options: Any) -> Any:
        """Without the secret key, as a server is."""
        return cy.interop.seal.Owner(self.here, allow_unfit_key=True, **options)

    def owner_with_key(self) -> Any:
        owner = self.owner()
        owner.read_secret_key(self.sent(self.secret))
        return owner


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One user for each scheme and degree, for all tests of a file."""
    folder = tmp_path_factory.mktemp("seal")
    return functools.cache(lambda scheme, degree: SealUser(scheme, degree, folder))
