# SPDX-License-Identifier: Apache-2.0
"""What the noise bound costs: the smallest log2 q that carries d squarings in a row, by scheme and degree.

Fresh public-key encryptions, t of 17 bits for BFV and of 30 bits for BGV, special primes as the library chooses them.
The table of doc/noise.md. Needs the test module of a build: ``PYTHONPATH=build/dev/python python
tools/noise_price.py``."""

from __future__ import annotations

import importlib
import sys
from typing import Any

DEGREES = (4096, 8192, 16384, 32768)
DEPTHS = (1, 2, 4, 8)
PLAIN_BITS = {"bfv": 17, "bgv": 30}


def literal_of(core: Any, scheme: str, degree: int, strict: bool) -> Any:
    """Parameters without moduli, of any security."""
    literal = core.ParametersLiteral()
    literal.scheme = scheme
    literal.degree, literal.word, literal.strict = degree, 64, strict
    literal.security, literal.allow_insecure = 0, True
    literal.plain_moduli = core.primes_congruent_to_one(PLAIN_BITS[scheme], 2 * degree, 1)
    return literal


def depth_of(core: Any, literal: Any, bits: int) -> int:
    """How many squarings the bound lets decrypt; -1 if there are no such parameters."""
    try:
        parameters = core.with_modulus_bits(literal, bits)
    except core.Error:
        return -1
    return len(core.noise_by_depth(parameters)) - 1


def smallest(core: Any, scheme: str, degree: int, strict: bool) -> dict[int, int]:
    """Bits of the shortest modulus for each depth."""
    literal, found = literal_of(core, scheme, degree, strict), {}
    bits = PLAIN_BITS[scheme] + 10
    for depth in DEPTHS:
        while depth_of(core, literal, bits) < depth:
            bits += 1
        found[depth] = bits
    return found


def main() -> int:
    """Prints the table."""
    core = importlib.import_module("cyclotome_testing")

    print("| n | depth | BFV | BFV strict | BGV | BGV strict | 128-bit cap on log2 qP |")
    print("|---|---|---|---|---|---|---|")
    for degree in DEGREES:
        columns = [smallest(core, scheme, degree, strict) for scheme in PLAIN_BITS for strict in (False, True)]
        cap = core.max_modulus_bits(degree, 128, core.SecurityTable.guidelines_2024)
        for depth in DEPTHS:
            print(f"| {degree} | {depth} | " + " | ".join(str(column[depth]) for column in columns) + f" | {cap} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
