# SPDX-License-Identifier: Apache-2.0
"""Where vectors lie: in clusters of one size at most, around centres that clients know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..pir.shape import COLUMNS, MOST_OUTPUTS, MOST_ROWS

__all__ = ["Places", "placed", "shape_for"]

#: Bytes of vectors for each output that "auto" aims at; an output has 48 MiB beside them.
_BYTES_OF_AN_OUTPUT = 96 << 20
#: Room in clusters, as they can't be of one size without moving vectors away from their centres.
_ROOM = 1.15
#: Of Lloyd's algorithm; vectors that centres are found from, for each; centres that a vector may go to.
_ROUNDS, _SAMPLE, _NEAREST = 12, 128, 8
_CHUNK = 1 << 14

#: Of any type that single precision holds.
Numbers = npt.NDArray[np.integer] | npt.NDArray[np.floating]


@dataclass(frozen=True)
class Places:
    """Vectors' numbers, cluster after cluster, and how many each has."""

    numbers: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    #: clusters x dimensions; of one cluster none.
    centres: npt.NDArray[np.float32]

    def of(self, cluster: int) -> npt.NDArray[np.int64]:
        """A cluster's vectors, in the order of their columns."""
        end = int(self.counts[: cluster + 1].sum())
        return self.numbers[end - int(self.counts[cluster]) : end]


def shape_for(vectors: int, dimensions: int, clusters: int | str) -> tuple[int, int]:
    """How many clusters, and outputs that each takes.

    Raises:
        ArgumentError: no number of clusters; more than there are vectors or a query has room for.
    """
    most = MOST_ROWS // dimensions
    if not most:
        raise ArgumentError(f"vectors of {dimensions} coordinates; {MOST_ROWS} are the most")
    if clusters == "auto":
        outputs = max(1, round(vectors * dimensions / _BYTES_OF_AN_OUTPUT))
        wanted = -(-int(vectors * _ROOM) // (outputs * COLUMNS))
        clusters = max(1, min(most, wanted))
    if isinstance(clusters, bool) or not isinstance(clusters, (int, np.integer)) or clusters < 1:
        raise ArgumentError(f'clusters={clusters!r}: a whole number from 1 on, or "auto"')
    if clusters > most or clusters > vectors:
        raise ArgumentError(
            f"{clusters} clusters of {vectors} vectors of {dimensions} coordinates: {min(most, vectors)} are the most"
        )
    room = vectors if clusters == 1 else int(vectors * _ROOM)
    outputs = -(-room // (int(clusters) * COLUMNS))
    if outputs > MOST_OUTPUTS:
        raise ArgumentError(f"{vectors} vectors in {clusters} clusters are too many; take more clusters")
    return int(clusters), outputs


def placed(vectors: Numbers, clusters: int, outputs: int, *, cosine: bool, rng: np.random.Generator) -> Places:
    """Vectors, as their rounded integers, in clusters, none of which has more than its outputs hold."""
    count = len(vectors)
    if clusters == 1:
        return Places(np.arange(count), np.array([count]), np.empty((0, vectors.shape[1]), np.float32))
    centres = _centres(vectors, clusters, cosine=cosine, rng=rng)
    own = _within(*_nearest(vectors, centres, min(clusters, _NEAREST), cosine=cosine), clusters, outputs * COLUMNS)
    return Places(np.argsort(own, kind="stable"), np.bincount(own, minlength=clusters), centres)


def _directions(vectors: Numbers, *, cosine: bool) -> npt.NDArray[np.float32]:
    values = vectors.astype(np.float64)
    if cosine:
        values /= np.maximum(np.sqrt((values**2).sum(axis=1, keepdims=True)), 1e-300)
    return values.astype(np.float32)


def _centres(vectors: Numbers, clusters: int, *, cosine: bool, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Lloyd's algorithm on a sample; of cosines the centres have length 1."""
    chosen = rng.choice(len(vectors), min(len(vectors), _SAMPLE * clusters), replace=False)
    sample = _directions(vectors[np.sort(chosen)], cosine=cosine)
    centres = sample[rng.choice(len(sample), clusters, replace=False)]
    for _ in range(_ROUNDS):
        own = _nearest(sample, centres, 1, cosine=cosine)[0][:, 0]
        sums = np.zeros(centres.shape, np.float64)
        np.add.at(sums, own, sample)
        counts = np.bincount(own, minlength=clusters)
        empty = counts == 0
        sums[empty], counts[empty] = sample[rng.choice(len(sample), int(empty.sum()), replace=False)], 1
        centres = _directions(sums / counts[:, None], cosine=cosine)
    return centres


def _nearest(
    vectors: Numbers, centres: npt.NDArray[np.float32], count: int, *, cosine: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Of each vector the nearest centres, and how near: inner products less half of the centre's square."""
    half = (centres.astype(np.float64) ** 2).sum(axis=1).astype(np.float32) / 2
    best = np.empty((len(vectors), count), np.int64)
    near = np.empty((len(vectors), count), np.float32)
    for start in range(0, len(vectors), _CHUNK):
        part = _directions(vectors[start : start + _CHUNK], cosine=cosine)
        scores = part @ centres.T - half
        chosen = np.argpartition(-scores, count - 1, axis=1)[:, :count]
        values = np.take_along_axis(scores, chosen, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        best[start : start + len(part)] = np.take_along_axis(chosen, order, axis=1)
        near[start : start + len(part)] = np.take_along_axis(values, order, axis=1)
    return best, near


def _within(
    best: npt.NDArray[np.int64], near: npt.NDArray[np.float32], clusters: int, most: int
) -> npt.NDArray[np.int64]:
    """A cluster for each vector: the nearest, unless others are nearer to it and fill it; what finds no room among
    its choices goes where some is."""
    count, choices = best.shape
    turn = np.zeros(count, np.int64)
    while True:
        waiting = turn == choices
        own: npt.NDArray[np.int64] = best[np.arange(count), np.minimum(turn, choices - 1)]
        own[waiting] = clusters
        full = np.flatnonzero(np.bincount(own, minlength=clusters + 1)[:clusters] > most)
        if not len(full):
            break
        for cluster in full:
            members = np.flatnonzero(own == cluster)
            order = np.argsort(-near[members, turn[members]], kind="stable")
            turn[members[order[most:]]] += 1
    left = np.flatnonzero(waiting)
    room = most - np.bincount(own, minlength=clusters + 1)[:clusters]
    own[left] = np.repeat(np.arange(clusters), room)[: len(left)]
    return own
