# SPDX-License-Identifier: Apache-2.0
"""The server's side: an index is built once, stored, mapped, and asked without an end."""

from __future__ import annotations

import numpy as np

from .. import _core
from ..devices.contexts import engine_on
from ..errors import ArgumentError
from ..pir import building
from ..pir.certificate import Norms
from ..pir.scanned import Scanned
from ..pir.shape import COLUMNS, Words
from ..pir.stored import Stored
from .bounds import bits_for, score_bound
from .clusters import Places, placed, shape_for
from .description import MAGIC, Description
from .rounding import METRICS, Rounded, as_vectors, rounded

__all__ = ["Index"]

_HALF = 1 << 15


class Index(Scanned[Description]):
    """Vectors for others to search in private: who has this answers queries, and learns nothing of what they look for
    or find.

    A file on disk, mapped into memory. `build` makes one, `open` takes one that was made; `answer` and the like are
    those of `cyclotome.pir.Database`, whose protocol this is.

        >>> import cyclotome as cy, numpy as np, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "vectors.index"
        >>> index = cy.search.Index.build(np.eye(4), path)
        >>> query = cy.search.Client(index.description).query([0, 0, 5, 0])
        >>> query.open(index.answer(query.data), k=1).indices
        array([[2]])
    """

    #: What the description of an index begins with.
    MAGIC = MAGIC

    @classmethod
    def build(
        cls,
        vectors: object,
        path: object,
        *,
        metric: str = "cosine",
        clusters: int | str = 1,
        seed: int = 0,
        device: str = "cpu",
    ) -> Index:
        """Makes an index of vectors, and its file.

        Args:
            vectors: vectors x coordinates, floats or integers.
            path: of the file; one that is there is replaced. It takes a byte for each coordinate of clusters as large
                as the largest may be, and 48 MiB for each 2048 vectors of a cluster.
            metric: "cosine" or "inner product", larger is nearer.
            clusters: 1: every query is compared with all vectors. More: with those of one cluster for each probe, whose
                centres clients know. That is what makes a million vectors cheap, and misses those that lie elsewhere.
                "auto": as many as make answers cheap.
            seed: of where centres begin.
            device: where to compute, "cpu" or "cpu:<threads>".

        Returns:
            The index, opened.

        Raises:
            ArgumentError: no such array, metric or number of clusters; too many vectors.
            RangeError: numbers that are not finite; with "cosine", vectors of zeros.
            FileError: the file can't be written.
            EngineError: a device that does not scan.
        """
        if metric not in METRICS:
            raise ArgumentError(f"metric {metric!r}; there are {' and '.join(map(repr, METRICS))}")
        given = as_vectors(vectors, "vectors")
        count, outputs = shape_for(given.shape[0], given.shape[1], clusters)
        engine = engine_on(device)
        modulus, words = _core.RetrievalLattice(engine).modulus, outputs * COLUMNS
        small = rounded(given, metric, score_bound(modulus, words))
        rng = np.random.default_rng(seed)
        places = placed(small.values, count, outputs, cosine=metric == "cosine", rng=rng)
        norms = _norms(small, places, words)
        certificate = bits_for(norms, modulus=modulus, words=words)
        draft = Description(
            metric, certificate, given.shape[1], outputs, small.squares, norms.words_squares, norms.words_sum,
            small.scale, small.residual, places, bytes(32), bytes(32), (),
        )  # fmt: skip
        draft.query_scale(modulus)  # refuses too many dimensions
        rows = draft.layout.rows
        building.build(draft, lambda output: _block(small, places, rows, output), path, engine)
        return cls.open(path, device=device)

    @classmethod
    def open(cls, path: object, *, device: str = "cpu") -> Index:
        """An index from its file, which is mapped: nothing is read but its head.

        Raises:
            FileError: it can't be read.
            FormatError: it is no index, or not all of one.
            EngineError: a device that does not scan.
        """
        return cls(Stored(path, Description.from_bytes), device)

    @property
    def clusters(self) -> int:
        """How many clusters vectors are in."""
        return self._described.clusters

    @property
    def dimensions(self) -> int:
        """Coordinates of a vector."""
        return self._described.dimensions

    def __len__(self) -> int:
        return self._described.vectors

    def __repr__(self) -> str:
        return f"<Index of {len(self)} vectors of {self.dimensions} coordinates, version {self.version[:16]}>"


def _block(small: Rounded, places: Places, rows: int, output: int) -> Words:
    """The words of an output, rows x 2048, each more by 2^15: of each cluster the coordinates of up to 2048 vectors."""
    dimensions = small.values.shape[1]
    block = np.full((rows, COLUMNS), _HALF, np.uint16)
    for cluster in range(len(places.counts)):
        own = places.of(cluster)[output * COLUMNS : (output + 1) * COLUMNS]
        coordinates = small.values[own].T.astype(np.int32) + _HALF
        block[cluster * dimensions : (cluster + 1) * dimensions, : len(own)] = coordinates
    return block


def _norms(small: Rounded, places: Places, columns: int) -> Norms:
    """Of columns, which have a vector of each cluster: the largest sum of squares, and magnitude of a sum."""
    squares, sums = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    for cluster in range(len(places.counts)):
        own = small.values[places.of(cluster)].astype(np.int64)
        squares[: len(own)] += (own**2).sum(axis=1)
        sums[: len(own)] += own.sum(axis=1)
    return Norms(int(squares.max()), int(np.abs(sums).max()), 0)
