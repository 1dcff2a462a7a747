# SPDX-License-Identifier: Apache-2.0
"""Real numbers beside Microsoft SEAL (through tenseal), one thread each, by processor time, in pairs:
``python -m cyclotome_bench.real_numbers``.

Both have scale 2^40 and as many levels. SEAL's first and special primes have 60 bits; this library chooses its own,
within 128 bits of security by its default table. Encoding and decoding go through lists of Python on both sides.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np

#: Degrees, products in a row, and repetitions.
SIZES = ((8192, 2, 25), (16384, 7, 9), (32768, 18, 5))
SCALE = 40
PAIRS = 3


def milliseconds(work: Callable[[], object], repetitions: int) -> float:
    """The median of processor time, after one run to warm up."""
    work()
    spent = []
    for _ in range(repetitions):
        begin = time.process_time()
        work()
        spent.append((time.process_time() - begin) * 1e3)
    return statistics.median(spent)


def theirs(degree: int, depth: int, values: list[complex]) -> Callable[[], object]:
    """SEAL's product, relinearised and rescaled."""
    from tenseal import sealapi

    chosen = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE.CKKS)
    chosen.set_poly_modulus_degree(degree)
    chosen.set_coeff_modulus(sealapi.CoeffModulus.Create(degree, [60, *[SCALE] * depth, 60]))
    context = sealapi.SEALContext(chosen, True, sealapi.SEC_LEVEL_TYPE.NONE)
    generator = sealapi.KeyGenerator(context)
    public, relinearization = sealapi.PublicKey(), sealapi.RelinKeys()
    generator.create_public_key(public)
    generator.create_relin_keys(relinearization)
    plain, x, y = sealapi.Plaintext(), sealapi.Ciphertext(), sealapi.Ciphertext()
    sealapi.CKKSEncoder(context).encode(values, 2.0**SCALE, plain)
    encryptor = sealapi.Encryptor(context, public)
    encryptor.encrypt(plain, x)
    encryptor.encrypt(plain, y)
    evaluator = sealapi.Evaluator(context)

    def product() -> Any:
        z = sealapi.Ciphertext()
        evaluator.multiply(x, y, z)
        evaluator.relinearize_inplace(z, relinearization)
        evaluator.rescale_to_next_inplace(z)
        return z

    return product


def ours(degree: int, depth: int, values: Any) -> tuple[Callable[[], object], cy.RealArray]:
    """The same here, and a product."""
    parameters = cy.Parameters.from_scale_bits(degree=degree, scale_bits=SCALE, depth=depth, result_bound=2.0)
    keys = cy.keygen(parameters, rotations=[], device="cpu:1")
    x, y = (cy.RealArray.encrypt(values, keys.public) for _ in range(2))
    return lambda: x * y, x * y


def main() -> None:
    """Prints a line for each degree."""
    rng = np.random.default_rng(1)
    print("product, relinearised and rescaled; ms of processor time on one thread")
    for degree, depth, repetitions in SIZES:
        values = rng.uniform(-0.7, 0.7, degree // 2) + 1j * rng.uniform(-0.7, 0.7, degree // 2)
        here, made = ours(degree, depth, values)
        there = theirs(degree, depth, values.tolist())
        pairs = [(milliseconds(here, repetitions), milliseconds(there, repetitions)) for _ in range(PAIRS)]
        own, seal = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(
            f"n = {degree}, {depth} levels: {own:.2f}, SEAL {seal:.2f}, {seal / own:.1f} times; certified to "
            f"2^{np.log2(made.error.max):.1f} after the first product; {made.parameters.summary()}"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
