# SPDX-License-Identifier: Apache-2.0
"""A thousand products in a row: x -> x^2 + c on encrypted numbers, exactly, with a refresh where noise asks for one.

Usage: python example/recurrence.py [--steps 1000] [--degree 256]

The default degree, 256, is a test size: far below 128 bits of security, as the parameters say. 32768 and 65536 are
secure by the library's tables (refreshing is experimental: doc/bootstrapping.md); a step takes seconds there.
"""

from __future__ import annotations

import argparse
import time

import cyclotome as cy


def main() -> None:
    parser = argparse.ArgumentParser(description="A recurrence on encrypted numbers.")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--degree", type=int, default=256)
    arguments = parser.parse_args()

    # The owner's side.
    params = cy.Parameters.bootstrappable(arguments.degree, allow_insecure=arguments.degree < 32768)
    print(params.summary())
    secret, public, evaluation = cy.keygen(params, bootstrap=True, rotations=[])
    modulus = params.plain_moduli[0]
    numbers = list(range(arguments.degree))  # one in each slot
    x = cy.encrypt(numbers, public, wrap=True)

    # Whoever computes has evaluation keys and no secret. What could not be refreshed any more is computed from a
    # refreshed number instead.
    needed = evaluation.refreshing.headroom_needed
    refreshes, start = 0, time.process_time()
    for step in range(arguments.steps):
        y = x * x + step
        if y.noise_headroom < needed:
            x = x.refreshed()
            refreshes += 1
            y = x * x + step
        x = y
    spent = time.process_time() - start

    # The owner's side again, and the same integers in the clear.
    for step in range(arguments.steps):
        numbers = [(number * number + step) % modulus for number in numbers]
    assert cy.decrypt(x, secret).tolist() == numbers
    print(f"{arguments.steps} steps of {len(numbers)} numbers, {refreshes} refreshes, {spent:.1f} s of processor")


if __name__ == "__main__":
    main()
