# SPDX-License-Identifier: Apache-2.0
"""Microsoft SEAL (through tenseal) as a party: its keys and ciphertexts, and what they are under that secret here."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from literals import ParametersLiteral
from oracles.integers import integers

tenseal = pytest.importorskip(
    "tenseal", reason="tenseal (Microsoft SEAL) has no wheel for this Python", exc_type=ImportError
)
sealapi = pytest.importorskip("tenseal.sealapi", reason="this tenseal has no sealapi", exc_type=ImportError)

__all__ = ["Seal", "sealapi", "seals", "tenseal"]

#: tenseal's enumeration of schemes has no name for BGV.
_SCHEMES = {"bfv": 1, "bgv": 3}


class Seal:
    """SEAL with one of its default parameter sets, and the same set and secret key here.

    Skips the test if this SEAL does not have the scheme.
    """

    def __init__(self, preset: str, scheme: str) -> None:
        literal = ParametersLiteral.of(_core.preset(preset, False))
        literal.scheme = scheme
        self.scheme, self.parameters = scheme, literal.made()
        self.n, (self.t,) = self.parameters.degree, self.parameters.plain_moduli
        self.moduli = [*self.parameters.moduli, *self.parameters.special_moduli]
        chosen = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE(_SCHEMES[scheme]))
        chosen.set_poly_modulus_degree(self.n)
        chosen.set_coeff_modulus([sealapi.Modulus(q) for q in self.moduli])
        chosen.set_plain_modulus(self.t)
        self.context = sealapi.SEALContext(chosen, True, sealapi.SEC_LEVEL_TYPE.TC128)
        if not self.context.parameters_set():
            pytest.skip(f"this SEAL has no {scheme.upper()}")
        generator = sealapi.KeyGenerator(self.context)
        self.public, self.relin, self.galois = sealapi.PublicKey(), sealapi.RelinKeys(), sealapi.GaloisKeys()
        generator.create_public_key(self.public)
        generator.create_relin_keys(self.relin)
        generator.create_galois_keys(self.galois)
        self.secret = generator.secret_key()
        self.encoder = sealapi.BatchEncoder(self.context)
        self.encryptor = sealapi.Encryptor(self.context, self.public)
        self.decryptor = sealapi.Decryptor(self.context, self.secret)
        self.evaluator = sealapi.Evaluator(self.context)
        self.here = _core.Context(self.parameters, _core.CpuEngine(2))
        self.imported = rlwe.secret_key(self.here, self.secret_coefficients(), bytes(16))

    def secret_coefficients(self) -> list[int]:
        """SEAL stores s transformed; our inverse transform finds it only if roots and order are SEAL's."""
        rows = self.coefficients(self.secret.data(), 1, self.moduli)[0, 0].astype(object)
        rows = np.where(rows > 1, rows - np.array(self.moduli, dtype=object)[:, None], rows)
        assert all(np.array_equal(row, rows[0]) for row in rows) and set(rows[0]) == {-1, 0, 1}
        return [int(x) for x in rows[0]]

    def coefficients(self, stored: Any, parts: int, moduli: Any) -> Any:
        """[1][part][limb][coefficient] of what SEAL keeps transformed."""
        ring = testing.Ring.negacyclic(self.n, testing.Basis(64, list(moduli)))
        array = testing.PolyArray(self.here.engine, ring, 1, parts, testing.Domain.transform)
        array.from_host(self._words(stored, (1, parts, len(moduli), self.n)))
        array.to_coefficient()
        return array.to_host()

    @staticmethod
    def _words(stored: Any, shape: tuple[int, ...]) -> Any:
        return np.array([stored[i] for i in range(int(np.prod(shape)))], dtype=np.uint64).reshape(shape)

    def encoded(self, values: Any) -> Any:
        plaintext = sealapi.Plaintext()
        self.encoder.encode([int(x) for x in values], plaintext)
        return plaintext

    def encrypted(self, values: Any) -> Any:
        ciphertext = sealapi.Ciphertext()
        self.encryptor.encrypt(self.encoded(values), ciphertext)
        return ciphertext

    def call(self, operation: str, *operands: Any) -> Any:
        result = sealapi.Ciphertext()
        getattr(self.evaluator, operation)(*operands, result)
        return result

    def decrypted(self, ciphertext: Any) -> Any:
        plaintext = sealapi.Plaintext()
        self.decryptor.decrypt(ciphertext, plaintext)
        return np.array(self.encoder.decode_int64(plaintext), dtype=object) % self.t

    def residues(self, ciphertext: Any) -> Any:
        """[1][part][limb][coefficient]; SEAL keeps BGV's ciphertexts transformed."""
        limbs = ciphertext.coeff_modulus_size()
        assert ciphertext.is_ntt_form() == (self.scheme == "bgv")
        if self.scheme == "bgv":
            return self.coefficients(ciphertext, ciphertext.size(), self.parameters.moduli[:limbs])
        return self._words(ciphertext, (1, ciphertext.size(), limbs, self.n))

    def taken_over(self, ciphertext: Any, correction: int = 1) -> Any:
        """SEAL's ciphertext as one of ours under SEAL's secret."""
        residues = np.ascontiguousarray(self.residues(ciphertext))
        if self.scheme == "bgv":
            return rlwe.crafted(self.here, bytes(16), 0, residues, 40.0, correction)
        return rlwe.crafted(self.here, bytes(16), 0, residues, 10.0)

    def read(self, ciphertext: Any) -> Any:
        """The values of one of ours under SEAL's secret, whatever its noise bound says."""
        plaintext = testing.scheme.decrypt_unchecked(ciphertext, self.imported)
        return integers(_core.decode_residues(plaintext, True))[0] % self.t


@functools.cache
def seals(preset: str, scheme: str) -> Seal:
    """One party for each set and scheme, for all tests."""
    return Seal(preset, scheme)
