# SPDX-License-Identifier: Apache-2.0
"""k nearest neighbours: squared distances, and which of them are least.

|r - q|^2 up to |q|^2 is |r|^2 - 2 r.q, a public linear function of the encrypted row q, so which references are nearest
is a `Ranking`. Comparisons grow with the square of the number of references, so answers in labels are for few of them;
answers in distances for any number, and whoever decrypts looks for the least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.array import EncryptedArray
from ..functions.functions import argmax
from ..numbers.values import IntArray
from .model import Model, combined
from .ranking import Ranking

__all__ = ["MOST_RANKED", "Neighbours"]

#: References that are ranked by comparisons of all pairs.
MOST_RANKED = 64


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours(Model):
    """Labels by the vote of the k nearest references, of equal votes the first label; numbers as the mean of theirs; or
    the distances themselves. Of references equally near, the first in the model's order counts."""

    #: Encoded, of shape (references, features).
    references: IntArray
    #: Of shape (outputs or labels, references): what a chosen reference adds to each; None: answers are distances.
    votes: IntArray | None
    ranking: Ranking | None
    #: Largest magnitude of a sum of votes.
    largest: int
    #: Of the grid, in units of the metric.
    step: float
    rounding: float

    @property
    def error_bound(self) -> tuple[float, float]:
        """(step, rounding): references and rows are both rounded to a grid of this step, in units of the metric, half a
        step off for each feature at most; numbers are off by ``rounding`` where the neighbours are the same."""
        return self.step, self.rounding

    @property
    def _distances(self) -> tuple[IntArray, IntArray]:
        return -2 * self.references, (self.references.astype(object) ** 2).sum(axis=1).astype(np.int64)

    def _compute(self, x: EncryptedArray) -> EncryptedArray:
        if self.ranking is None or self.votes is None:
            return combined(*self._distances, x, self.features)
        counts = self.ranking.weighted(self.ranking.selected(x, self.features), self.votes).assume_bound(self.largest)
        if self.labels is None or len(self.votes) == 1:
            single: EncryptedArray = counts[0]
            return single
        return argmax(counts)

    def _compute_clear(self, q: IntArray) -> IntArray:
        if self.ranking is None or self.votes is None:
            matrix, offsets = self._distances
            distances: IntArray = matrix.astype(object) @ q + offsets[:, None]
            return distances
        counts: IntArray = self.ranking.weighted(self.ranking.selected_clear(q), self.votes)
        if self.labels is None or len(self.votes) == 1:
            return np.asarray(counts[0])
        return np.asarray(counts.argmax(axis=0))
