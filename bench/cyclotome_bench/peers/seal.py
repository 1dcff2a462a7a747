# SPDX-License-Identifier: Apache-2.0
"""The peer: Microsoft SEAL, through the raw interface that the package tenseal has of it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np
from cyclotome.errors import CyclotomeError

from cyclotome_bench.peers.truth import Truth
from cyclotome_bench.sets import Problem

__all__ = ["PeerError", "Seal", "SealTransform", "seal_available", "seal_name"]

Values = np.ndarray[Any, np.dtype[np.int64]]
_BGV = 3  # seal::scheme_type::bgv, which tenseal's enumeration has no name for


class PeerError(CyclotomeError, RuntimeError):
    """The peer refuses a problem, or one of its processes ended early."""


def seal_available() -> bool:
    """Whether tenseal is installed for this interpreter."""
    return importlib.util.find_spec("tenseal") is not None


def seal_name() -> str:
    """The peer's name and version, for reports."""
    return f"SEAL (tenseal {version('tenseal')})"


def _api() -> Any:
    import tenseal.sealapi

    return tenseal.sealapi


def _context(problem: Problem) -> Any:
    api = _api()
    schemes = {"bfv": api.SCHEME_TYPE.BFV, "bgv": api.SCHEME_TYPE(_BGV)}
    if problem.scheme not in schemes:
        raise PeerError(f"SEAL is not asked for {problem.scheme!r}, only for {' and '.join(schemes)}")
    parameters = api.EncryptionParameters(schemes[problem.scheme])
    parameters.set_poly_modulus_degree(problem.degree)
    parameters.set_coeff_modulus([api.Modulus(prime) for prime in problem.peer_moduli])
    parameters.set_plain_modulus(problem.plain_modulus)
    level = api.SEC_LEVEL_TYPE.TC128 if problem.secure else api.SEC_LEVEL_TYPE.NONE
    context = api.SEALContext(parameters, True, level)
    if not context.parameters_set():
        raise PeerError(f"SEAL refuses {problem.name}: {context.parameters_error_message()}")
    return context


class Seal:
    """One problem in SEAL: keys, operands and the operations, ready to be timed. One thread: SEAL has no others.

    Encoding and decoding are left out: tenseal turns every value into an object of Python's, which takes longer.
    """

    library = "SEAL"

    def __init__(self, problem: Problem) -> None:
        self.problem, self.truth, self.api = problem, Truth(problem), _api()
        self.context = _context(problem)
        self.evaluator = self.api.Evaluator(self.context)
        self.generator = self.api.KeyGenerator(self.context)
        self.public = self.api.PublicKey()
        self.generator.create_public_key(self.public)
        self.encryptor = self.api.Encryptor(self.context, self.public)
        self.decryptor = self.api.Decryptor(self.context, self.generator.secret_key())
        self.plain, self.other = self._encoded(self.truth.x), self._encoded(self.truth.y)
        self.x, self.y = self.api.Ciphertext(), self.api.Ciphertext()
        self.encryptor.encrypt(self.plain, self.x)
        self.encryptor.encrypt(self.other, self.y)
        api, evaluator = self.api, self.evaluator
        self.operations: dict[str, Callable[[], Any]] = {
            "key_generation": self._keys,
            "relinearization_key": self._relinearization_key,
            "encrypt": self._into(api.Ciphertext(), lambda out: self.encryptor.encrypt(self.plain, out)),
            "decrypt": self._into(api.Plaintext(), lambda out: self.decryptor.decrypt(self.x, out)),
            "add": self._into(api.Ciphertext(), lambda out: evaluator.add(self.x, self.y, out)),
            "multiply_plain": self._into(
                api.Ciphertext(), lambda out: evaluator.multiply_plain(self.x, self.other, out)
            ),
            "multiply_plain_transformed": self._into(
                api.Ciphertext(), lambda out: evaluator.multiply_plain(self.transformed[0], self.transformed[1], out)
            ),
            "multiply": self._into(api.Ciphertext(), lambda out: evaluator.multiply(self.x, self.y, out)),
            "relinearize": self._into(
                api.Ciphertext(), lambda out: evaluator.relinearize(self.product, self.relinearization, out)
            ),
            "multiply_relinearize": self._into(api.Ciphertext(), self._multiply_relinearize),
            "rotate": self._into(api.Ciphertext(), lambda out: evaluator.apply_galois(self.x, 3, self.galois, out)),
        }
        # SEAL has one method, BEHZ.
        self.operations["multiply_behz"] = self.operations["multiply"]
        self.operations["multiply_relinearize_behz"] = self.operations["multiply_relinearize"]

    # What not every operation needs is made on first use.

    @cached_property
    def relinearization(self) -> Any:
        return self._relinearization_key()

    @cached_property
    def galois(self) -> Any:
        keys = self.api.GaloisKeys()
        self.generator.create_galois_keys([3], keys)
        return keys

    @cached_property
    def transformed(self) -> tuple[Any, Any]:
        if self.problem.scheme != "bfv":  # BGV's ciphertexts are, and its plaintexts may not be
            return self.x, self.other
        x, plain = self.api.Ciphertext(), self.api.Plaintext()
        self.evaluator.transform_to_ntt(self.x, x)
        self.evaluator.transform_to_ntt(self.other, self.context.first_parms_id(), plain)
        return x, plain

    @cached_property
    def product(self) -> Any:
        product = self.api.Ciphertext()
        self.evaluator.multiply(self.x, self.y, product)
        return product

    @staticmethod
    def _into(out: Any, action: Callable[[Any], Any]) -> Callable[[], Any]:
        """Runs into the same object every time, which is how SEAL is fastest."""

        def run() -> Any:
            action(out)
            return out

        return run

    def _multiply_relinearize(self, out: Any) -> None:
        self.evaluator.multiply(self.x, self.y, out)
        self.evaluator.relinearize_inplace(out, self.relinearization)

    def _keys(self) -> tuple[Any, Any]:
        generator, public = self.api.KeyGenerator(self.context), self.api.PublicKey()
        generator.create_public_key(public)
        return generator.secret_key(), public

    def _relinearization_key(self) -> Any:
        keys = self.api.RelinKeys()
        self.generator.create_relin_keys(keys)
        return keys

    def _encoded(self, values: Values) -> Any:
        plain = self.api.Plaintext()
        if self.problem.slots:
            self.api.BatchEncoder(self.context).encode(values.tolist(), plain)
            return plain
        terms = [f"{value:X}x^{i}" if i else f"{value:X}" for i, value in enumerate(values.tolist()) if value]
        return self.api.Plaintext(" + ".join(reversed(terms)) or "0")

    def _decoded(self, plain: Any) -> Values:
        if self.problem.slots:
            return np.array(self.api.BatchEncoder(self.context).decode_int64(plain), np.int64)
        values = [plain.data(i) for i in range(plain.coeff_count())]
        return np.array(values + [0] * (self.problem.degree - len(values)), np.int64)

    def verify(self, operation: str, result: Any) -> dict[str, int]:
        """As `Ours.verify`."""
        decryptor = self.decryptor
        if operation == "key_generation":
            secret, public = result
            decryptor, result = self.api.Decryptor(self.context, secret), self.api.Ciphertext()
            self.api.Encryptor(self.context, public).encrypt(self.plain, result)
        elif operation == "relinearization_key":
            keys, result = result, self.api.Ciphertext()
            self.evaluator.relinearize(self.product, keys, result)
        elif operation == "decrypt":
            self.truth.check(self.library, operation, self._decoded(result))
            return {}
        plain = self.api.Plaintext()
        if operation == "multiply_plain_transformed" and self.problem.scheme == "bfv":
            transformed, result = result, self.api.Ciphertext()
            self.evaluator.transform_from_ntt(transformed, result)
        decryptor.decrypt(result, plain)
        self.truth.check(self.library, operation, self._decoded(plain))
        if operation in ("key_generation", "relinearization_key"):
            return {}
        return {"noise_left": decryptor.invariant_noise_budget(result), "limbs": result.coeff_modulus_size()}

    def sizes(self) -> dict[str, int]:
        """Bytes in memory of a fresh ciphertext and of the keys."""
        primes = len(self.problem.peer_moduli)
        polynomial = 8 * self.problem.degree
        if primes == 1:  # no special one, and no keys that would take it
            return {"ciphertext_bytes": 2 * polynomial, "public_key_bytes": 2 * polynomial}
        return {
            "ciphertext_bytes": 2 * (primes - 1) * polynomial,
            "public_key_bytes": 2 * primes * polynomial,
            "relinearization_key_bytes": 2 * (primes - 1) * primes * polynomial,
            "galois_key_bytes": 2 * (primes - 1) * primes * polynomial,
        }


class SealTransform:
    """Both halves of an encryption of zero modulo one prime, transformed in place: two transforms a call."""

    transforms = 2

    def __init__(self, degree: int, modulus: int) -> None:
        api = _api()
        problem = Problem("transform", "bfv", degree, modulus.bit_length(), 2, (), (modulus,), False)
        context = _context(problem)
        generator, public = api.KeyGenerator(context), api.PublicKey()
        generator.create_public_key(public)
        self.polynomials = api.Ciphertext()
        api.Encryptor(context, public).encrypt_zero(self.polynomials)
        self.evaluator = api.Evaluator(context)
        self.decryptor = api.Decryptor(context, generator.secret_key())

    def forward(self) -> None:
        self.evaluator.transform_to_ntt_inplace(self.polynomials)

    def inverse(self) -> None:
        self.evaluator.transform_from_ntt_inplace(self.polynomials)

    def intact(self) -> bool:
        """After as many inverse as forward transforms: whether the encryption of zero still is one."""
        plain = _api().Plaintext()
        self.decryptor.decrypt(self.polynomials, plain)
        return bool(plain.is_zero())
