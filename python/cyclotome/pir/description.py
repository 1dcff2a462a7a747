# SPDX-License-Identifier: Apache-2.0
"""What everybody may know of a database, and a client has to: its shape, its masks, how keys are hashed."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import FormatError
from .building import MASK_BYTES as _MASK_BYTES
from .certificate import MODULUS_BITS, Certificate, Norms
from .records import LENGTH_BYTES, MOST_RECORD_BYTES
from .shape import COLUMNS, MOST_OUTPUTS, MOST_ROWS, Shape
from .stored import Layout

__all__ = ["TAG_BYTES", "Description"]

_MAGIC = b"cyPIRd01"
#: by keyword, equal lengths, request bits, answer bits, records, bytes of one, rows, slots, seed of masks, seed of
#: hashes, digest of the words.
_FIELDS = struct.Struct("<8sBBBBQIIQ32s32s32s")
#: Of a record's key, before what it holds.
TAG_BYTES = 8


@dataclass(frozen=True)
class Description:
    """A database as clients see it. Its digest is the version that requests and answers name."""

    keyed: bool
    equal: bool
    certificate: Certificate
    records: int
    record_bytes: int
    shape: Shape
    seed: bytes
    hash_seed: bytes
    content: bytes
    #: Of each output, 2048 integers of 53 bits each.
    masks: tuple[bytes, ...] = field(repr=False)

    @property
    def version(self) -> bytes:
        """SHA-256 of the whole."""
        return hashlib.sha256(self.to_bytes()).digest()

    @property
    def weight(self) -> int:
        """How many rows a request asks for."""
        return 3 if self.keyed else 1

    @property
    def layout(self) -> Layout:
        """Of its file."""
        return Layout(self.shape.rows, self.shape.outputs, 2)

    @property
    def request_bits(self) -> int:
        """That requests keep of each row's integer."""
        return self.certificate.request_bits

    @property
    def answer_bits(self) -> int:
        """Of each word of an answer."""
        return self.certificate.answer_bits

    def holds(self, norms: Norms, modulus: int) -> bool:
        """Whether every word of an output with these norms is read right."""
        words = self.shape.outputs * COLUMNS
        return self.certificate.holds(norms, modulus=modulus, words=words, weight=self.weight)

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
            *(_MAGIC, self.keyed, self.equal, self.certificate.request_bits, self.certificate.answer_bits),
            *(self.records, self.record_bytes, self.shape.rows, self.shape.slots),
            *(self.seed, self.hash_seed, self.content),
        )
        return head + b"".join(self.masks)

    @classmethod
    def from_bytes(cls, data: bytes) -> Description:
        """Raises FormatError for what no database is described by."""
        if len(data) < _FIELDS.size or not data.startswith(_MAGIC):
            raise FormatError("these bytes describe no database for private look-ups")
        _, keyed, equal, request_bits, answer_bits, records, size, rows, slots, seed, hash_seed, content = (
            _FIELDS.unpack_from(data)
        )
        if keyed > 1 or equal > 1 or not 1 <= request_bits <= MODULUS_BITS or not 1 <= answer_bits <= MODULUS_BITS:
            raise FormatError("a description of a database with numbers that no database has")
        if size > MOST_RECORD_BYTES or rows % COLUMNS or not COLUMNS <= rows <= MOST_ROWS or not 1 <= slots <= 1 << 40:
            raise FormatError(f"a description of {rows} rows of {slots} records of {size} bytes, which no database has")
        shape = Shape(words=_words(size, keyed=bool(keyed), equal=bool(equal)), rows=rows, slots=slots)
        if shape.outputs > MOST_OUTPUTS or not 1 <= records <= rows * slots:
            raise FormatError(f"a description of {records} records in {rows} rows of {slots}, which no database has")
        if len(data) != _FIELDS.size + shape.outputs * _MASK_BYTES:
            raise FormatError(f"a description of {len(data)} bytes; with {shape.outputs} outputs it has another size")
        masks = tuple(
            data[_FIELDS.size + i * _MASK_BYTES : _FIELDS.size + (i + 1) * _MASK_BYTES] for i in range(shape.outputs)
        )
        certificate = Certificate(request_bits, answer_bits)
        return cls(bool(keyed), bool(equal), certificate, records, size, shape, seed, hash_seed, content, masks)


def _words(size: int, *, keyed: bool, equal: bool) -> int:
    """Of a record with what stands before it."""
    return max(1, (size + (TAG_BYTES if keyed else 0) + (0 if equal else LENGTH_BYTES) + 1) // 2)
