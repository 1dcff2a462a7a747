# SPDX-License-Identifier: Apache-2.0
"""What it costs to find out servers that cheat: bytes, and the processor's time of one thread, beside plain evaluation.

Usage: python example/checked_results.py [--values 8000] [--few 400]
"""

import argparse
import time

import cyclotome as cy
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--values", type=int, default=8000)
parser.add_argument("--few", type=int, default=400)
parser.add_argument("--repeat", type=int, default=5)
options = parser.parse_args()


def least(work):
    """The result, and the least processor time of a thread, of several tries: others use the machine, too."""
    times, result = [], work()
    for _ in range(options.repeat):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return result, min(times) * 1e3


def compared(name, function, degree, values, **how):
    """One function of some values, plain and checked."""
    x, encrypted = least(lambda: cy.encrypt(values, public, bound=255))
    y, computed = least(lambda: function(x).relinearized())
    found, opened = least(lambda: cy.decrypt(y, secret))
    key = cy.integrity.IntegrityKey(params, degree=degree)
    (sent, receipt), encrypted_too = least(lambda: key.encrypt(values, public, bound=255, **how))
    answer, computed_too = least(lambda: function(sent).relinearized())
    checked, opened_too = least(lambda: key.decrypt(answer, secret, function, receipt))
    assert np.array_equal(found, checked)
    print(f"{name}: {len(values)} values, {key.copies} copies, a wrong one passes with 2^-{key.bits}")
    print(f"  sent {x.nbytes} bytes, checked {sent.nbytes}")
    print(f"  encrypt {encrypted:.1f} ms, checked {encrypted_too:.1f}")
    print(f"  server {computed:.1f} ms, checked {computed_too:.1f}: {computed_too / computed:.1f} times")
    print(f"  decrypt {opened:.1f} ms, checked {opened_too:.1f}")


params = cy.Parameters.suggest(depth=1, value_bits=8, terms=16)
print(params.summary())
secret, public, _ = cy.keygen(params, rotations=[], device="cpu:1")
rng = np.random.default_rng(1)
many, few = (rng.integers(0, 256, count) for count in (options.values, options.few))
compared("3 x + 7", lambda x: 3 * x + 7, 1, many)
compared("x x + 3 x", lambda x: x * x + 3 * x, 2, many)
compared("x x + 3 x, side by side", lambda x: x * x + 3 * x, 2, few, side_by_side=True)

matrix = rng.integers(-9, 10, (64, 64))
check, made = least(lambda: cy.integrity.LinearCheck(matrix))
row = rng.integers(0, 256, 64)
_, checked = least(lambda: check.require(row, row @ matrix))
print(f"a matrix of 64 x 64: made in {made:.2f} ms, each result checked in {checked:.3f} ms, the server as before")
