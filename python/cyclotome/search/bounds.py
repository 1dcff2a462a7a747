# SPDX-License-Identifier: Apache-2.0
"""Which scores an answer can tell apart, so that all of them are right but with probability 2^-128: the theorem of
`cyclotome.pir`'s certificate for sums with many weights, whose messages are scores times a scale of their own."""

from __future__ import annotations

import math

from ..errors import ArgumentError
from ..pir.certificate import MATRIX_LIMIT, MODULUS_BITS, Certificate, Norms

__all__ = ["bits_for", "query_scale", "score_bound", "score_scale"]

#: Half of a step between scores is so much more than what keys' errors come to; the rest is for dropped bits.
_ROOM = 1.3
#: Of what keys' errors come to, what rounding an answer may add.
_ANSWER_PART = 0.15


def _keys_noise(modulus: int, words: int) -> float:
    """What errors of keys come to at most, with a packing matrix that may just be published."""
    exact = Certificate(MODULUS_BITS, MODULUS_BITS + 8)  # nothing is dropped
    return exact.noise(Norms(0, 0, MATRIX_LIMIT), modulus=modulus, words=words)


def score_scale(modulus: int, words: int) -> int:
    """What scores are multiplied by, of which an answer has ``words``."""
    return math.ceil(2 * _ROOM * _keys_noise(modulus, words))


def score_bound(modulus: int, words: int) -> int:
    """The largest magnitude of a score: those within it stay apart modulo q, and half a step around them."""
    return modulus // (2 * score_scale(modulus, words)) - 1


def query_scale(bound: int, squares: int, dimensions: int) -> float:
    """How fine a query of length 1 is, so that its integers' scores with vectors whose ``squares`` sum up to so much
    are within the bound: by Cauchy and Schwarz, as rounding makes it longer by half of the diagonal at most.

    Raises:
        ArgumentError: there are so many dimensions that nothing is left.
    """
    scale = math.floor(bound / (math.isqrt(max(1, squares) - 1) + 1) - math.sqrt(dimensions) / 2 - 1)
    if scale < 1:
        raise ArgumentError(f"vectors of {dimensions} coordinates are too many for scores within {bound}")
    return float(scale)


def bits_for(norms: Norms, *, modulus: int, words: int) -> Certificate:
    """The fewest bits of requests and answers with which the scores of vectors with these norms are right.

    Raises:
        ArgumentError: there are too many rows for any.
    """
    scale, keys = score_scale(modulus, words), _keys_noise(modulus, words)
    worst = Norms(norms.words_squares, norms.words_sum, MATRIX_LIMIT)
    answer_bits = next(bits for bits in range(2, 64) if modulus / (1 << (bits + 1)) < _ANSWER_PART * keys)
    for request_bits in range(MODULUS_BITS // 2, MODULUS_BITS + 1):
        found = Certificate(request_bits, answer_bits)
        if found.noise(worst, modulus=modulus, words=words) < scale / 2 - 1:
            return found
    raise ArgumentError("there are too many clusters for scores that are right by theorem; take fewer")
