# SPDX-License-Identifier: Apache-2.0
"""What the noise bound costs: the smallest log2 q that carries d squarings in a row, by scheme and degree.

Fresh public-key encryptions, t of 17 bits for BFV and of 30 bits for BGV, special primes as the library chooses them.
The table of doc/noise.md. Needs a build with CYCLOTOME_BUILD_TESTING: ``PYTHONPATH=python python
tools/noise_price.py``."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from cyclotome import _core
from cyclotome.errors import CyclotomeError

DEGREES = (4096, 8192, 16384, 32768)
DEPTHS = (1, 2, 4, 8)
PLAIN_BITS = {"bfv": 17, "bgv": 30}


def depth_of(wanted: dict[str, Any], bits: int) -> int:
    """How many squarings the bound lets decrypt; -1 if there are no such parameters."""
    testing = importlib.import_module("cyclotome._core.testing")
    try:
        parameters = _core.with_modulus_bits(modulus_bits=bits, **wanted)
    except CyclotomeError:
        return -1
    return len(testing.noise_by_depth(parameters)) - 1


def smallest(scheme: str, degree: int, strict: bool) -> dict[int, int]:
    """Bits of the shortest modulus for each depth, at any security."""
    wanted: dict[str, Any] = {
        "scheme": scheme,
        "degree": degree,
        "plain_moduli": _core.primes_congruent_to_one(PLAIN_BITS[scheme], 2 * degree, 1, []),
        "word": 64,
        "security": 0,
        "table": _core.default_security_table(),
        "allow_insecure": True,
        "strict": strict,
        "name": "",
    }
    found, bits = {}, PLAIN_BITS[scheme] + 10
    for depth in DEPTHS:
        while depth_of(wanted, bits) < depth:
            bits += 1
        found[depth] = bits
    return found


def main() -> int:
    """Prints the table."""
    print("| n | depth | BFV | BFV strict | BGV | BGV strict | 128-bit cap on log2 qP |")
    print("|---|---|---|---|---|---|---|")
    for degree in DEGREES:
        columns = [smallest(scheme, degree, strict) for scheme in PLAIN_BITS for strict in (False, True)]
        cap = _core.max_modulus_bits(degree, 128, "guidelines-2024")
        for depth in DEPTHS:
            print(f"| {degree} | {depth} | " + " | ".join(str(column[depth]) for column in columns) + f" | {cap} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
