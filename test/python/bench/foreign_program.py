# SPDX-License-Identifier: Apache-2.0
"""A program that answers as bench/peers/peer.hpp does, with NumPy's results: what a benchmark asks over pipes. Its
first argument says how it misbehaves."""

from __future__ import annotations

import sys

import numpy as np


def main() -> None:
    fault = sys.argv[1] if len(sys.argv) > 1 else ""
    scheme, degree, modulus = sys.stdin.readline().split()
    moduli, x, y = (np.array(sys.stdin.readline().split()[1:], np.int64) for _ in range(3))
    assert scheme in ("bfv", "bgv") and len(moduli) > 1 and len(x) == len(y) == int(degree)
    if fault == "refuses":
        print("refused too many primes", flush=True)
        return
    if fault == "silent":
        return
    print("ready NumPy 0.1" if fault != "talks" else "hello", flush=True)
    print("operations add multiply")
    print("modulus" if fault != "own" else "modulus 60.04 90.06", flush=True)
    results = {"add": (x + y) % int(modulus), "multiply": x * y % int(modulus)}
    for line in sys.stdin:
        verb, operation, *_ = line.split()
        if fault == "dies":
            sys.exit(3)
        if verb == "run":
            print("time 5000 4000", flush=True)
        elif verb == "values":
            values = results[operation] + (fault == "wrong")
            print("values", *values.tolist(), flush=True)
        else:
            print("noise 17" if operation == "add" else "noise unknown", flush=True)


if __name__ == "__main__":
    main()
