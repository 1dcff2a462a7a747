# SPDX-License-Identifier: Apache-2.0
"""1024 encrypted numbers in order, in one ciphertext: Batcher's bitonic network of 55 steps, one after the other.

Usage: python example/sorting.py [--numbers 1024] [--largest 63] [--degree 2048]

Each step compares every number with its partner, at a distance that is a power of two: two rotations, a polynomial that
says which is less, and a selection. Some ten products one after the other in each of 55 steps: a depth that no
parameters have, so that operations refresh what they take when there is no room left. The default degree is a test
size, far below 128 bits of security, as the parameters say. ``--degree 65536`` is secure by the library's tables
(refreshing is experimental: doc/bootstrapping.md) and takes hours.
"""

from __future__ import annotations

import argparse
import time

import cyclotome as cy
import numpy as np


def step(x: cy.EncryptedArray, block: int, distance: int, largest: int) -> cy.EncryptedArray:
    """Each number and its partner, `distance` away, in order; of blocks of that length every second one falls."""
    place = np.arange(x.shape[0])
    upper = (place // distance) % 2
    partner = (1 - upper) * x.rotate_rows(distance) + upper * x.rotate_rows(-distance)
    partner = partner.assume_bound((0, largest))  # each is one of the numbers
    least = (upper == 0) == (place // block % 2 == 0)  # who keeps the lesser of both
    # 1 where the place keeps its number: a public choice of a comparison or its opposite.
    keeps = (2 * least - 1) * cy.less(x, partner) + (1 - least)
    return (partner + keeps * (x - partner)).assume_bound((0, largest))


def main() -> None:
    parser = argparse.ArgumentParser(description="Encrypted numbers in order.")
    parser.add_argument("--numbers", type=int, default=1024, help="a power of two, at most half the degree")
    parser.add_argument("--largest", type=int, default=63)
    parser.add_argument("--degree", type=int, default=2048)
    arguments = parser.parse_args()
    count, largest, degree = arguments.numbers, arguments.largest, arguments.degree

    # The owner's side: rows of numbers, repeated until they fill the slots, which turn as the rows do.
    params = cy.Parameters.bootstrappable(degree, allow_insecure=degree < 32768)
    print(params.summary())
    distances = [1 << k for k in range(count.bit_length() - 1)]
    secret, public, _ = cy.keygen(
        params, bootstrap=True, rotations=sorted({sign * each for each in distances for sign in (1, -1)})
    )
    numbers = np.random.default_rng().integers(0, largest + 1, count)
    x = cy.encrypt(np.tile(numbers, degree // count), public, bound=(0, largest))

    # Whoever computes has evaluation keys and no secret.
    refreshes, start = 0, time.process_time()

    def told(done: int, _: int, what: str) -> None:
        nonlocal refreshes
        refreshes += done > 0 and what.startswith("refreshing")

    with cy.bootstrap("auto"), cy.progress(told):
        block = 2
        while block <= count:
            distance = block // 2
            while distance > 0:
                x = step(x, block, distance, largest)
                distance //= 2
            block *= 2
    spent = time.process_time() - start

    # The owner's side again. Blocks of the last length fall in every second copy.
    assert cy.decrypt(x, secret)[:count].tolist() == sorted(numbers.tolist())
    print(f"{count} numbers from 0 to {largest}, {refreshes} refreshes, {spent:.1f} s of processor")


if __name__ == "__main__":
    main()
