# SPDX-License-Identifier: Apache-2.0
"""Linear models: scores are public matrices times encrypted rows; classes are signs of scores, or of differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.array import EncryptedArray
from ..errors import ArgumentError
from ..functions.functions import less
from ..numbers.values import IntArray
from .features import Features
from .model import Model, combined, largest_scale
from .ranking import Ranking, extremes, largest_difference

__all__ = ["LinearClassifier", "LinearScores", "Quantised"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Quantised:
    """Integer weights V and offsets b with (V q + b) / scale close to the scores of rows encoded as q."""

    matrix: IntArray
    offsets: IntArray
    #: A float: answers are decoded with it.
    scale: float
    #: Largest difference to the fitted model's scores, for rows within the ranges.
    error: Floats

    @classmethod
    def of(
        cls, coefficients: Floats, intercepts: Floats, features: Features, limit: int, *, differences: bool
    ) -> Quantised:
        """Weights as fine as ``limit`` allows, the largest magnitude of a score, or of a difference of two."""
        with np.errstate(over="ignore", invalid="ignore"):
            steps = coefficients * features.step
            starts = intercepts + coefficients @ features.low
            reach = np.abs(steps) @ features.levels + np.abs(starts)
        if not np.isfinite(reach).all() or reach.max() == 0:
            raise ArgumentError("the model answers the same for every row, or with numbers beyond floats")

        def rounded(scale: float) -> tuple[IntArray, IntArray]:
            numbers = np.rint(steps * scale), np.rint(starts * scale)
            return numbers[0].astype(np.int64), numbers[1].astype(np.int64)

        def largest(scale: float) -> int:
            matrix, offsets = rounded(scale)
            if differences:
                return largest_difference(matrix, offsets, features.levels)
            low, high = extremes(matrix, offsets, features.levels)
            return max(int(-low.min()), int(high.max()))

        # Sizes of differences are at most twice those of scores, so this begins above what will fit.
        first = min(limit / float(reach.max()) * 2, 2.0**62 / float(reach.max()))
        scale = largest_scale(largest, limit, first)
        matrix, offsets = rounded(scale)
        if not matrix.any():
            raise ArgumentError(f"every weight is rounded to 0 within {limit}; give more score_bits")
        # Rounding of features: half a step each. Of weights and offset: half an integer each.
        error = np.abs(steps).sum(axis=1) / 2 + (features.levels.sum() + 1) / (2 * scale)
        return cls(matrix, offsets, scale, error)


@dataclass(frozen=True, eq=False, repr=False)
class LinearScores(Model):
    """Numbers: V q + b, divided by the scale. No products of encrypted values at all."""

    weights: Quantised
    #: Whether there is one output, so that answers have one axis.
    single: bool

    @property
    def error_bound(self) -> float | Floats:
        """Largest difference of an answer to the fitted model's, for rows within the ranges: of each output."""
        return float(self.weights.error[0]) if self.single else self.weights.error

    def _compute(self, x: EncryptedArray) -> EncryptedArray:
        scores = combined(self.weights.matrix, self.weights.offsets, x, self.features)
        return scores[0] if self.single else scores

    def _compute_clear(self, q: IntArray) -> IntArray:
        scores: IntArray = self.weights.matrix.astype(object) @ q + self.weights.offsets[:, None]
        return scores[0] if self.single else scores


@dataclass(frozen=True, eq=False, repr=False)
class LinearClassifier(Model):
    """Labels: of two, whether the score is above 0; of more, whose score is largest, of equal ones the first."""

    weights: Quantised
    #: Of more than two labels.
    ranking: Ranking | None

    @property
    def error_bound(self) -> float | Floats:
        """Largest difference of a score to the fitted model's: labels are the same where no two scores (of two labels:
        the score and 0) are as close as twice this (of two labels: once)."""
        return float(self.weights.error[0]) if self.ranking is None else self.weights.error

    def _compute(self, x: EncryptedArray) -> EncryptedArray:
        if self.ranking is None:
            scores = combined(self.weights.matrix, self.weights.offsets, x, self.features)
            return less(0, scores.assume_bound(self._largest)[0])
        ones, numbers = self.ranking.selected(x, self.features), np.arange(len(self.weights.matrix))
        labels: EncryptedArray = self.ranking.weighted(ones, numbers[None, :])[0].assume_bound(len(numbers) - 1)
        return labels

    @property
    def _largest(self) -> int:
        low, high = extremes(self.weights.matrix, self.weights.offsets, self.features.levels)
        return max(int(-low.min()), int(high.max()))

    def _compute_clear(self, q: IntArray) -> IntArray:
        if self.ranking is not None:
            ones = self.ranking.selected_clear(q)
            labels: IntArray = self.ranking.weighted(ones, np.arange(len(self.weights.matrix)))
            return labels
        scores: IntArray = self.weights.matrix.astype(object) @ q + self.weights.offsets[:, None]
        return np.asarray(scores[0] > 0, dtype=np.int64)
