# SPDX-License-Identifier: Apache-2.0
"""Logistic regression trained to convergence on encrypted rows, in exact fixed point: nobody decrypts on the way.

Usage: python example/training.py [--rows 64] [--degree 256] [--steps 60]

Weights are sixteenths. Each step is a product with the rows, a table of the logistic function, a sum over all rows, a
division by a public number and a table that clips: some thirty products one after the other, for as many steps as
weights take to stand still. Operations refresh what they take when there is no room left. The default degree is a test
size, far below 128 bits of security, as the parameters say. ``--degree 65536`` is secure by the library's tables
(refreshing is experimental: doc/bootstrapping.md), and a step takes many minutes there.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import cyclotome as cy
import numpy as np

FEATURE, WEIGHT, UNIT = 3, 63, 16  # the largest magnitudes; what is 1 in weights and probabilities
MOST = 3 * FEATURE * WEIGHT  # of a row times the weights
LOGISTIC = [round(UNIT / (1 + np.exp(-z / UNIT))) for z in range(-MOST, MOST + 1)]


def clipped(largest: int) -> list[int]:
    """A table of values within -largest ... largest."""
    return [min(max(v, -WEIGHT), WEIGHT) for v in range(-largest, largest + 1)]


def step(w: Any, x: Any, y: Any, rows: int, lookup: Any) -> Any:
    """One step of gradient descent; of encrypted arrays, or of NumPy's with ``np.take``."""
    z = w[0] * x[0] + w[1] * x[1] + w[2] * x[2]
    error = UNIT * y - lookup(LOGISTIC, z + MOST)
    slope = (x * error).sum(axis=-1)
    most = FEATURE * UNIT  # of a slope, per row
    moved = w + (slope + rows // 2) // rows  # to the nearest
    return lookup(clipped(WEIGHT + most), moved + WEIGHT + most)


def main() -> None:
    parser = argparse.ArgumentParser(description="Training on encrypted rows.")
    parser.add_argument("--rows", type=int, default=64, help="at most 170: quotients are a table")
    parser.add_argument("--degree", type=int, default=256)
    parser.add_argument("--steps", type=int, default=60, help="at most")
    arguments = parser.parse_args()
    rows, degree = arguments.rows, arguments.degree

    # The owner's side: rows with two features and a constant, and outcomes that a line parts, but for some.
    params = cy.Parameters.bootstrappable(degree, allow_insecure=degree < 32768)
    print(params.summary())
    secret, public, _ = cy.keygen(params, bootstrap=True)
    random = np.random.default_rng()
    x = random.integers(-FEATURE, FEATURE + 1, (3, rows))
    x[2] = FEATURE
    y = (2 * x[0] - x[1] + 1 + random.normal(scale=2, size=rows) > 0).astype(int)
    hidden, outcomes = cy.encrypt(x, public, bound=FEATURE), cy.encrypt(y, public, bound=(0, 1))
    weights = cy.encrypt([0, 0, 0], public, bound=WEIGHT, layout="replicated")

    # The same integers in the clear say how many steps it takes until the weights stand still.
    course = [np.zeros(3, dtype=int)]
    while len(course) <= arguments.steps and not any((course[-1] == old).all() for old in course[:-1]):
        course.append(step(course[-1], x, y, rows, np.take))

    # Whoever computes has evaluation keys and no secret.
    refreshes, start = 0, time.process_time()

    def told(done: int, _: int, what: str) -> None:
        nonlocal refreshes
        refreshes += done > 0 and what.startswith("refreshing")

    with cy.bootstrap("auto"), cy.progress(told):
        for _ in course[1:]:
            weights = step(weights, hidden, outcomes, rows, cy.lookup)
    spent = time.process_time() - start

    # The owner's side again.
    found = cy.decrypt(weights, secret)
    assert found.tolist() == course[-1].tolist()
    right = ((found @ x > 0) == y).mean()
    print(
        f"{len(course) - 1} steps to the weights {found.tolist()} / {UNIT}, which part {100 * right:.0f} % of {rows} "
        f"rows; {refreshes} refreshes, {spent:.1f} s of processor"
    )


if __name__ == "__main__":
    main()
