# SPDX-License-Identifier: Apache-2.0
"""The best of what an answer says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Results", "best"]


@dataclass(frozen=True)
class Results:
    """Nearest vectors, the nearest first; of vectors that are as near the one with the smaller index.

    Where fewer vectors were looked at than asked for, the rest has index -1 and score -inf.
    """

    #: queries x k: numbers of the index's vectors.
    indices: npt.NDArray[np.int64]
    #: queries x k: cosines or inner products, of rounded vectors.
    scores: npt.NDArray[np.float64]
    #: queries: what a score is off by at most, from that of the vectors themselves.
    errors: npt.NDArray[np.float64]
    #: queries x k: the integers that scores come from; 0 where there is no vector.
    integers: npt.NDArray[np.int64]

    @property
    def certain(self) -> npt.NDArray[np.bool_]:
        """queries x (k - 1): whether a vector is nearer than the next one without rounding, too."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.scores[:, :-1] - self.scores[:, 1:] > 2 * self.errors[:, None])


def best(numbers: npt.NDArray[np.int64], integers: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int64]:
    """Where the k largest integers stand, those of smaller numbers first among equals."""
    if k < len(integers):
        least = np.partition(integers, len(integers) - k)[len(integers) - k]
        candidates = np.flatnonzero(integers >= least)
    else:
        candidates = np.arange(len(integers))
    order = np.lexsort((numbers[candidates], -integers[candidates]))[:k]
    return np.asarray(candidates[order])
