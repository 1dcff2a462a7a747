# SPDX-License-Identifier: Apache-2.0
"""Microsoft SEAL's BGV (through tenseal) as an oracle: its ciphertexts, taken over under its own secret key, decrypt
here to the same values with the same noise budgets, and exact operations have the same residues."""

from __future__ import annotations

from typing import Any

import cyclotome_testing as core
import numpy as np
import pytest
from oracles.integers import integers, random_below

pytest.importorskip("tenseal", reason="tenseal (Microsoft SEAL) has no wheel for this Python", exc_type=ImportError)
sealapi = pytest.importorskip("tenseal.sealapi", reason="this tenseal has no sealapi", exc_type=ImportError)

N, T = 8192, 65537


class Seal:
    """SEAL's BGV with its default primes, and the same set and secret key here."""

    def __init__(self) -> None:
        literal = core.preset("seal-8192").literal
        literal.scheme = core.SchemeKind.bgv
        self.parameters = core.Parameters(literal)
        chosen = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE(3))  # bgv: tenseal's enumeration has no name for it
        chosen.set_poly_modulus_degree(N)
        chosen.set_coeff_modulus([sealapi.Modulus(q) for q in (*literal.moduli, *literal.special_moduli)])
        chosen.set_plain_modulus(T)
        self.context = sealapi.SEALContext(chosen, True, sealapi.SEC_LEVEL_TYPE.TC128)
        if not self.context.parameters_set():
            pytest.skip("this SEAL has no BGV")
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
        self.here = core.Context(self.parameters, core.CpuEngine(2))
        moduli = [*literal.moduli, *literal.special_moduli]
        rows = self.coefficients(self.secret.data(), 1, moduli)[0, 0].astype(object)
        rows = np.where(rows > 1, rows - np.array(moduli, dtype=object)[:, None], rows)
        assert all(np.array_equal(row, rows[0]) for row in rows) and set(rows[0]) == {-1, 0, 1}
        self.imported = core.SecretKey.from_coefficients(self.here, [int(x) for x in rows[0]], bytes(16))

    def coefficients(self, stored: Any, parts: int, moduli: Any) -> Any:
        """[1][part][limb][coefficient] of what SEAL keeps transformed."""
        ring = core.Ring.negacyclic(N, core.Basis(64, list(moduli)))
        array = core.PolyArray(self.here.engine, ring, 1, parts, core.Domain.transform)
        words = np.array([stored[i] for i in range(parts * len(moduli) * N)], dtype=np.uint64)
        array.from_host(words.reshape(1, parts, len(moduli), N))
        array.to_coefficient()
        return array.to_host()

    def encrypted(self, values: Any) -> Any:
        ciphertext = sealapi.Ciphertext()
        self.encryptor.encrypt(self.encoded(values), ciphertext)
        return ciphertext

    def encoded(self, values: Any) -> Any:
        plaintext = sealapi.Plaintext()
        self.encoder.encode([int(x) for x in values], plaintext)
        return plaintext

    def call(self, operation: str, *operands: Any) -> Any:
        result = sealapi.Ciphertext()
        getattr(self.evaluator, operation)(*operands, result)
        return result

    def decrypted(self, ciphertext: Any) -> Any:
        plaintext = sealapi.Plaintext()
        self.decryptor.decrypt(ciphertext, plaintext)
        return np.array(self.encoder.decode_int64(plaintext), dtype=object) % T

    def taken_over(self, ciphertext: Any, correction: int = 1) -> Any:
        """SEAL's ciphertext as one of ours under SEAL's secret."""
        assert ciphertext.is_ntt_form()
        moduli = self.parameters.moduli[: ciphertext.coeff_modulus_size()]
        residues = self.coefficients(ciphertext, ciphertext.size(), moduli)
        return core.bgv.crafted(self.here, bytes(16), 0, np.ascontiguousarray(residues), 40.0, correction)

    def read(self, ciphertext: Any) -> Any:
        return integers(core.decode(core.bgv.decrypt_unchecked(ciphertext, self.imported), True))[0] % T


@pytest.fixture(scope="module")
def seal() -> Seal:
    return Seal()


def test_seals_ciphertexts_decrypt_here_with_the_same_budget(rng: np.random.Generator, seal: Seal) -> None:
    x, y = random_below(rng, T, (2, N))
    a, b = seal.encrypted(x), seal.encrypted(y)
    product = seal.call("multiply", a, b)
    small = seal.call("relinearize", product, seal.relin)
    cases = [
        (a, x),
        (seal.call("add", a, b), (x + y) % T),
        (seal.call("multiply_plain", a, seal.encoded(y)), x * y % T),
        (product, x * y % T),
        (small, x * y % T),
        (seal.call("rotate_rows", a, 3, seal.galois), np.roll(x.reshape(2, -1), -3, axis=1).reshape(-1)),
    ]
    for theirs, expected in cases:
        ours = seal.taken_over(theirs)
        assert np.array_equal(seal.read(ours), expected) and np.array_equal(seal.decrypted(theirs), expected)
        (budget,) = core.bgv.noise_budget(ours, seal.imported)
        assert budget == seal.decryptor.invariant_noise_budget(theirs)


def test_seals_switched_ciphertexts_have_our_correction_factors(rng: np.random.Generator, seal: Seal) -> None:
    (x,) = random_below(rng, T, (1, N))
    theirs, factor = seal.encrypted(x), 1
    for level in range(len(seal.parameters.moduli) - 1, 1, -1):
        theirs = seal.call("mod_switch_to_next", theirs)
        factor = factor * pow(seal.parameters.moduli[level], -1, T) % T
        ours = seal.taken_over(theirs, factor)
        assert core.bgv.level(ours) == level
        assert np.array_equal(seal.read(ours), x) and np.array_equal(seal.decrypted(theirs), x)


def test_exact_operations_have_seals_residues_and_programs_its_results(rng: np.random.Generator, seal: Seal) -> None:
    """Sums and tensor products modulo q have one right answer; centred rounding here costs less noise than SEAL's."""
    x, y = random_below(rng, T, (2, N))
    a, b = seal.encrypted(x), seal.encrypted(y)
    c, d = seal.taken_over(a), seal.taken_over(b)
    for theirs, ours in [
        (seal.call("add", a, b), core.bgv.add(c, d)),
        (seal.call("sub", a, b), core.bgv.subtract(c, d)),
        (seal.call("multiply", a, b), core.bgv.multiply(c, d, automatic=False)),
        (seal.call("square", a), core.bgv.square(c, automatic=False)),
    ]:
        assert np.array_equal(seal.taken_over(theirs).residues, ours.residues)
    keys = core.EvaluationKeys.generate(seal.imported, True, [], core.Seed(rng.bytes(32)))
    theirs = seal.call("mod_switch_to_next", seal.call("relinearize", seal.call("multiply", a, b), seal.relin))
    ours = core.bgv.switch_modulus(core.relinearize(core.bgv.multiply(c, d, automatic=False), keys))
    assert np.array_equal(seal.decrypted(theirs), x * y % T) and np.array_equal(seal.read(ours), x * y % T)
    (budget,) = core.bgv.noise_budget(ours, seal.imported)
    assert budget >= seal.decryptor.invariant_noise_budget(theirs)
