# SPDX-License-Identifier: Apache-2.0
"""What everybody may know of an index, and a client has to: sizes, scales and bounds, centres, masks."""

from __future__ import annotations

import hashlib
import math
import struct
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import FormatError
from ..pir.building import MASK_BYTES
from ..pir.certificate import MODULUS_BITS, Certificate, Norms
from ..pir.shape import COLUMNS, MOST_OUTPUTS, MOST_ROWS
from ..pir.stored import Layout
from .bounds import query_scale, score_bound, score_scale
from .clusters import Places
from .rounding import METRICS

__all__ = ["MAGIC", "Description"]

MAGIC = b"cySRCHd1"
#: metric, request bits, answer bits, vectors, dimensions, clusters, outputs; the largest sums of squares of a vector,
#: of a column and its sum; scale, residual; seed of masks, digest of the words.
_FIELDS = struct.Struct("<8sBBBQIIIQQQdd32s32s")
_MOST_VECTORS = 1 << 40


@dataclass(frozen=True)
class Description:
    """An index as clients see it. Its digest is the version that requests and answers name."""

    metric: str
    certificate: Certificate
    dimensions: int
    outputs: int
    #: Of a stored vector, squares of its integers at most; of a column, of its integers, and the magnitude of its sum.
    squares: int
    column_squares: int
    column_sum: int
    #: Integers are coordinates times so much, and off by so much at most, as a vector's length.
    scale: float
    residual: float
    places: Places = field(repr=False)
    seed: bytes
    content: bytes
    #: Of each output, 2048 integers of 53 bits each.
    masks: tuple[bytes, ...] = field(repr=False)

    @cached_property
    def version(self) -> bytes:
        """SHA-256 of the whole, which may have millions of numbers."""
        return hashlib.sha256(self.to_bytes()).digest()

    @property
    def vectors(self) -> int:
        """How many there are."""
        return len(self.places.numbers)

    @property
    def clusters(self) -> int:
        """How many there are."""
        return len(self.places.counts)

    @property
    def layout(self) -> Layout:
        """Of its file."""
        return Layout(-(-self.clusters * self.dimensions // COLUMNS) * COLUMNS, self.outputs, 1)

    @property
    def words(self) -> int:
        """Scores of an answer."""
        return self.outputs * COLUMNS

    @property
    def request_bits(self) -> int:
        """That requests keep of each row's integer."""
        return self.certificate.request_bits

    @property
    def answer_bits(self) -> int:
        """Of each score of an answer."""
        return self.certificate.answer_bits

    def query_scale(self, modulus: int) -> float:
        """What a query of length 1 is multiplied by."""
        return query_scale(score_bound(modulus, self.words), self.squares, self.dimensions)

    def holds(self, norms: Norms, modulus: int) -> bool:
        """Whether every score of an output with these norms is read right."""
        noise = self.certificate.noise(norms, modulus=modulus, words=self.words)
        return noise < score_scale(modulus, self.words) / 2 - 1

    def seeded(self, seed: bytes) -> Description:
        """The same with other masks to come."""
        return replace(self, seed=seed)

    def with_masks(self, masks: tuple[bytes, ...], content: bytes) -> Description:
        """The same with what was computed of the words."""
        return replace(self, masks=masks, content=content)

    def mask(self, output: int) -> npt.NDArray[np.uint64]:
        """Of an output."""
        return np.asarray(_core.unpack_integers(self.masks[output], MODULUS_BITS, COLUMNS))

    def to_bytes(self) -> bytes:
        """For clients."""
        head = _FIELDS.pack(
            *(MAGIC, METRICS.index(self.metric), self.request_bits, self.answer_bits),
            *(self.vectors, self.dimensions, self.clusters, self.outputs),
            *(self.squares, self.column_squares, self.column_sum, self.scale, self.residual),
            *(self.seed, self.content),
        )
        return head + self._places_bytes() + b"".join(self.masks)

    def _places_bytes(self) -> bytes:
        if self.clusters == 1:
            return b""  # in their order
        counts = self.places.counts.astype("<u4").tobytes()
        numbers = _core.pack_integers(self.places.numbers.astype(np.uint64), _number_bits(self.vectors))
        return counts + self.places.centres.astype("<f4").tobytes() + numbers

    @classmethod
    def from_bytes(cls, data: bytes) -> Description:
        """Raises FormatError for what no index is described by."""
        if len(data) < _FIELDS.size or not data.startswith(MAGIC):
            raise FormatError("these bytes describe no index of vectors")
        _, metric, request_bits, answer_bits, vectors, dimensions, clusters, outputs, *others = _FIELDS.unpack_from(
            data
        )
        squares, column_squares, column_sum, scale, residual, seed, content = others
        if metric >= len(METRICS) or not 1 <= request_bits <= MODULUS_BITS or not 1 <= answer_bits <= MODULUS_BITS:
            raise FormatError("a description of an index with numbers that none has")
        if not (math.isfinite(scale) and scale > 0 and math.isfinite(residual) and residual >= 0):
            raise FormatError(f"a description of an index with scale {scale} and residual {residual}")
        rows = clusters * dimensions
        if not (0 < rows <= MOST_ROWS and 0 < outputs <= MOST_OUTPUTS and clusters <= vectors <= _MOST_VECTORS):
            raise FormatError(
                f"a description of {vectors} vectors of {dimensions} coordinates in {clusters} clusters of {outputs} "
                "outputs, which no index has"
            )
        if vectors > clusters * outputs * COLUMNS or squares > dimensions << 14:
            raise FormatError(f"a description of {vectors} vectors in {clusters} clusters of {outputs} outputs")
        taken = _FIELDS.size + _places_size(vectors, dimensions, clusters)
        if len(data) != taken + outputs * MASK_BYTES:
            raise FormatError(f"a description of {len(data)} bytes; with {outputs} outputs it has another size")
        masks = tuple(data[taken + i * MASK_BYTES : taken + (i + 1) * MASK_BYTES] for i in range(outputs))
        places = _places(data[_FIELDS.size : taken], vectors, dimensions, clusters, outputs)
        certificate = Certificate(request_bits, answer_bits)
        numbers = squares, column_squares, column_sum, scale, residual
        return cls(METRICS[metric], certificate, dimensions, outputs, *numbers, places, seed, content, masks)


def _number_bits(vectors: int) -> int:
    return max(1, (vectors - 1).bit_length())


def _places_size(vectors: int, dimensions: int, clusters: int) -> int:
    if clusters == 1:
        return 0
    return 4 * clusters + 4 * clusters * dimensions + -(-vectors * _number_bits(vectors) // 8)


def _places(data: bytes, vectors: int, dimensions: int, clusters: int, outputs: int) -> Places:
    """Raises FormatError for clusters that are too large, or vectors that are in none, or in two."""
    if clusters == 1:
        return Places(np.arange(vectors), np.array([vectors]), np.empty((0, dimensions), np.float32))
    counts = np.frombuffer(data, "<u4", clusters).astype(np.int64)
    centres = np.frombuffer(data, "<f4", clusters * dimensions, 4 * clusters).reshape(clusters, dimensions)
    packed = data[4 * clusters * (1 + dimensions) :]
    numbers = np.asarray(_core.unpack_integers(packed, _number_bits(vectors), vectors)).astype(np.int64)
    if counts.sum() != vectors or counts.max() > outputs * COLUMNS or not np.isfinite(centres).all():
        raise FormatError("a description of an index whose clusters do not hold its vectors")
    if numbers.max() >= vectors or (np.bincount(numbers, minlength=vectors) != 1).any():
        raise FormatError("a description of an index with vectors in no cluster or in two")
    return Places(numbers, counts, centres)
