# SPDX-License-Identifier: Apache-2.0
"""Which of several scores are the largest, where all are public linear functions of the same encrypted rows.

Two of them are compared by the sign of their difference, another public linear function, whose least and largest
values over all rows are known exactly: comparisons whose outcome is the same for every row are not computed, and
candidates that can't be among the wanted are left out. The others' differences are made and compared at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..arrays.array import EncryptedArray
from ..functions.functions import less
from ..numbers.values import IntArray, integers
from .features import Features
from .model import combined

__all__ = ["Ranking", "extremes", "largest_difference"]


def extremes(matrix: IntArray, offsets: IntArray, levels: IntArray) -> tuple[IntArray, IntArray]:
    """Least and largest values of ``matrix @ q + offsets`` for 0 <= q <= levels, exactly."""
    reached = matrix.astype(object) * levels.astype(object)
    low = np.minimum(reached, 0).sum(axis=1) + offsets
    high = np.maximum(reached, 0).sum(axis=1) + offsets
    return low, high


def largest_difference(matrix: IntArray, offsets: IntArray, levels: IntArray) -> int:
    """The largest magnitude of a difference of two scores."""
    largest = 0
    for i in range(len(matrix) - 1):  # row by row: all pairs at once would take memory by their number
        low, high = extremes(matrix[i + 1 :] - matrix[i], offsets[i + 1 :] - offsets[i], levels)
        largest = max(largest, int(-low.min()), int(high.max()))
    return largest


@dataclass(frozen=True, eq=False)
class Ranking:
    """The ``kept`` largest of the scores ``matrix @ q + offsets``, of equal ones the first."""

    matrix: IntArray
    offsets: IntArray
    kept: int
    #: Candidates that can be among them.
    candidates: tuple[int, ...]
    #: Pairs (i, j), i before j, whose order depends on the row; and the largest magnitude of their differences.
    pairs: tuple[tuple[int, int], ...]
    bound: int
    #: For each candidate, how many others are before it whatever the row.
    ahead: tuple[int, ...]

    @classmethod
    def of(cls, matrix: IntArray, offsets: IntArray, levels: IntArray, kept: int = 1) -> Ranking:
        """The ranking of scores of rows whose features lie in [0, levels]."""
        candidates = list(range(len(matrix)))
        while True:
            pairs, ahead, bound = [], dict.fromkeys(candidates, 0), 0
            for i, j in combinations(candidates, 2):
                low, high = extremes(matrix[[j]] - matrix[[i]], offsets[[j]] - offsets[[i]], levels)
                if low[0] > 0:
                    ahead[i] += 1
                elif high[0] <= 0:
                    ahead[j] += 1
                else:
                    pairs.append((i, j))
                    bound = max(bound, int(-low[0]), int(high[0]))
            left = [i for i in candidates if ahead[i] < kept]
            if len(left) == len(candidates):
                return cls(matrix, offsets, kept, tuple(left), tuple(pairs), bound, tuple(ahead[i] for i in candidates))
            candidates = left  # whoever is behind one that is out is out, so ranks of the others stay what they are

    @property
    def _signs(self) -> tuple[IntArray, IntArray]:
        """How comparisons make ranks: a pair counts against i where j's score is larger, else against j."""
        matrix = np.zeros((len(self.candidates), len(self.pairs)), dtype=np.int64)
        offsets = np.array(self.ahead, dtype=np.int64)
        place = {candidate: row for row, candidate in enumerate(self.candidates)}
        for column, (i, j) in enumerate(self.pairs):
            matrix[place[i], column] = 1
            matrix[place[j], column] = -1
            offsets[place[j]] += 1
        return matrix, offsets

    @property
    def settled(self) -> bool:
        """Whether the outcome is the same for every row."""
        return not self.pairs

    def selected(self, x: EncryptedArray, features: Features) -> EncryptedArray:
        """Of shape (candidates, rows): 1 where a candidate is among the largest, else 0. Not of a settled ranking."""
        ahead, behind = (list(numbers) for numbers in zip(*self.pairs, strict=True))
        differences = combined(
            self.matrix[behind] - self.matrix[ahead], self.offsets[behind] - self.offsets[ahead], x, features
        )
        larger = less(0, differences.assume_bound(self.bound))
        signs, offsets = self._signs
        ranks: EncryptedArray = signs @ larger + integers(offsets[:, None], "predict")
        ranks = ranks.assume_bound(len(self.candidates) - 1)
        if len(self.candidates) == 2 and self.kept == 1:
            return 1 - ranks
        return less(ranks, self.kept)

    def selected_clear(self, q: IntArray) -> IntArray:
        """The same of integers in the clear."""
        chosen = list(self.candidates)
        scores = self.matrix[chosen].astype(object) @ q + self.offsets[chosen][:, None]
        order = np.argsort(-scores, axis=0, kind="stable")[: self.kept]
        ones = np.zeros(scores.shape, dtype=np.int64)
        np.put_along_axis(ones, order, 1, axis=0)
        return ones

    def weighted(self, ones: Any, weights: IntArray) -> Any:
        """``weights[:, candidates] @ ones``."""
        return weights[..., list(self.candidates)] @ ones
