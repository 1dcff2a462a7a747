# SPDX-License-Identifier: Apache-2.0
"""Bounds on the noise of ciphertexts that SEAL made, which say nothing of it themselves.

A bound is on the largest coefficient of the error, as doc/noise.md has it: in BFV the phase's distance from (q/t) m, in
BGV the whole phase. The two other norms follow from it by their general inequalities.
"""

from __future__ import annotations

import math

from ..errors import ArgumentError
from .seal_chain import Chain

__all__ = ["Noise", "bounds_of", "fresh_bits", "of_budget"]

#: log2 of the three norms.
Noise = tuple[float, float, float]

#: The largest coefficient of an error that SEAL draws, binomial or cut-off Gaussian.
_LARGEST_ERROR = 21


def fresh_bits(chain: Chain) -> float:
    """log2 of the largest coefficient that the error of an encryption can have, whatever was drawn.

    It is that of one under a public key (e u + e_0 + e_1 s, divided by the special prime and rounded), and that of one
    under the secret key together.

    BFV rounds each part by at most a half, and (q/t) m by less than one. BGV keeps multiples of t: each part moves by
    less than t, as does the message. Ternary u and s have n coefficients."""
    n, t = chain.degree, chain.plain_modulus
    special = chain.primes[-1] if len(chain.primes) > 1 else 1
    drawn = _LARGEST_ERROR * (n + 1 + n) / special  # of e u, e_0 and e_1 s
    rounded = n + 1 if special > 1 else 0
    if chain.scheme == "bgv":
        return math.log2(t * (drawn + rounded + _LARGEST_ERROR + 1))
    return math.log2(drawn + rounded / 2 + _LARGEST_ERROR + 1)


def of_budget(chain: Chain, limbs: int, budget: int) -> float:
    """log2 of the largest coefficient that leaves SEAL's ``invariant_noise_budget`` at a level of so many primes.

    SEAL counts the bits of the error, in BFV times t, and takes them and one more from those of the modulus."""
    bits = math.prod(chain.primes[:limbs]).bit_length()
    if not 1 <= budget < bits:
        raise ArgumentError(
            f"noise_budget {budget}; SEAL's is between 1 and {bits - 1} here, and a ciphertext with none left does not "
            "decrypt"
        )
    largest = float(bits - 1 - budget)
    return largest if chain.scheme == "bgv" else largest - math.log2(chain.plain_modulus)


def bounds_of(chain: Chain, largest: float) -> Noise:
    """The norms of any polynomial whose coefficients are at most 2^largest."""
    return largest, largest, largest + math.log2(chain.degree) / 2
