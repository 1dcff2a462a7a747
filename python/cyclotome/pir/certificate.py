# SPDX-License-Identifier: Apache-2.0
"""How many bits requests and answers have, so that every answer is right but with probability 2^-128: from a theorem,
and from numbers that are computed of each database (doc/private-search.md, Correctness)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import ArgumentError

__all__ = ["FAILURE_BITS", "MATRIX_LIMIT", "WORD_BITS", "Certificate", "Norms", "certificate_for", "words_worst"]

#: Of the modulus, of a stored word, of the request's dither and errors.
MODULUS_BITS = 53
WORD_BITS = 16
#: The variance of an error's coefficient, a centred binomial of 21 pairs, is also the one of its sub-Gaussian bound:
#: it is a sum of 42 independent halves.
ERROR_VARIANCE = 21 / 2
#: An answer is wrong in any of its words with probability 2^-128 at most.
FAILURE_BITS = 128
#: The largest sum of squares of a row of the packing matrix that a database is published with. Of random masks it is
#: about 2^55.7; masks are drawn anew where it is larger, whatever data caused it.
MATRIX_LIMIT = 1 << 57
#: Answers' words have two bits more than the database's at least.
_ANSWER_BITS = (18, 19, 20)
#: Sums in floating point below are off by less than this, relatively.
_ROUNDING = 1 + math.ldexp(1, -40)


@dataclass(frozen=True)
class Norms:
    """Of a database, the largest of any column: sum of squares and magnitude of the sum of its words, each less 2^15;
    sum of squares of a row of the packing matrix."""

    words_squares: int
    words_sum: int
    matrix_squares: int


@dataclass(frozen=True)
class Certificate:
    """Bits that a request keeps of each row's integer, and an answer of each word's."""

    request_bits: int
    answer_bits: int

    def noise(self, norms: Norms, *, modulus: int, words: int) -> float:
        """What the phase of an answer is off by at most, but with probability 2^-128 for all ``words`` together, beside
        what a message's scale is rounded by.

        The errors that a client draws and the bits that dither drops are independent, and drawn when the database is
        fixed; their sums with given coefficients are sub-Gaussian, with the sums of squares times the variances.
        """
        dropped = MODULUS_BITS - self.request_bits
        dither = (
            math.ldexp(1, 2 * dropped) - 1
        ) / 12  # of a uniform one of 2^dropped neighbouring integers: bits are independent
        variance = norms.words_squares * (ERROR_VARIANCE + dither) + norms.matrix_squares * ERROR_VARIANCE
        deviations = math.sqrt(2 * math.log(2) * (FAILURE_BITS + 1 + math.log2(words)))
        mean = norms.words_sum / 2 if dropped else 0  # dither's mean is one half
        rounding = modulus / (1 << (self.answer_bits + 1)) + 1
        return (deviations * math.sqrt(variance) + mean + rounding) * _ROUNDING

    def error(self, norms: Norms, *, modulus: int, words: int, weight: int) -> float:
        """The same of words that are read, with what their scale is rounded by: floor(q / 2^16) is off by less than 1.
        ``weight``: how many rows are asked for at once."""
        return (self.noise(norms, modulus=modulus, words=words) + (weight << (WORD_BITS - 1))) * _ROUNDING

    def holds(self, norms: Norms, *, modulus: int, words: int, weight: int) -> bool:
        """Whether every word is rounded to what was stored."""
        return self.error(norms, modulus=modulus, words=words, weight=weight) < modulus / (1 << (WORD_BITS + 1)) - 1


def words_worst(rows: int) -> Norms:
    """The norms that no database of so many rows exceeds, with any that may be published of its matrix."""
    half = 2 ** (WORD_BITS - 1)
    return Norms(words_squares=rows * half**2, words_sum=rows * half, matrix_squares=MATRIX_LIMIT)


def certificate_for(rows: int, *, modulus: int, words: int, weight: int) -> Certificate:
    """The fewest bits for requests of ``rows`` rows and answers of ``words`` words with which the worst database is
    read right.

    Raises:
        ArgumentError: there are too many rows for any.
    """
    worst = words_worst(rows)
    for answer_bits in _ANSWER_BITS:
        for request_bits in range(WORD_BITS + 2, MODULUS_BITS + 1):
            found = Certificate(request_bits, answer_bits)
            if found.holds(worst, modulus=modulus, words=words, weight=weight):
                return found
    raise ArgumentError(f"{rows} rows are too many for answers that are right by theorem; fewer rows make wider ones")
