# SPDX-License-Identifier: Apache-2.0
"""The client's side: a query hides what it asks for, and its answer is read with a secret that serves once."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from .. import _core
from ..devices.contexts import engine_on
from ..errors import ArgumentError, FileError, FormatError, MismatchError
from ..whole_files import path_text, write_whole
from .certificate import certificate_for
from .description import TAG_BYTES, Description
from .filters import Hashes, tag_of
from .keys import key_bytes
from .messages import PartialAnswer, digest_of, query_bytes
from .records import bytes_of
from .shape import COLUMNS

__all__ = ["Client", "Query"]

_MAGIC = b"cyPIRs01"
#: version, digest of the query, secret, slot, tag.
_SAVED = struct.Struct("<8s32s32s32sQ8s")
_HALF = 1 << 15


class Query:
    """One query, and what its answer is read with. `data` is for the server; the rest stays with the client."""

    def __init__(
        self, described: Description, key: _core.RetrievalKey, slot: int, tag: bytes | None, data: bytes, digest: bytes
    ) -> None:
        self._described, self._key, self._slot, self._tag = described, key, slot, tag
        self._data, self._digest = data, digest

    @property
    def data(self) -> bytes:
        """The bytes for the server; none in a query that was loaded, which was sent before."""
        return self._data

    def __repr__(self) -> str:
        return f"<Query of {len(self._data)} bytes>"

    def open(self, *answers: bytes) -> bytes | None:
        """What was asked for.

        Args:
            answers: the server's answer; or those of servers that shared the database's outputs, in any order.

        Returns:
            The record; None for a key that is not there. What is not there is taken to be with probability 2^-64.

        Raises:
            FormatError: what is no answer, or a record that no database has.
            MismatchError: an answer to another query, or by another version.
            ArgumentError: the outputs with the record are not among those answered.
        """
        described = self._described
        outputs = self._outputs(answers)
        place = described.shape.place(self._slot)
        missing = [number for number in place.outputs if number not in outputs]
        if missing:
            raise ArgumentError(f"nobody answered outputs {missing}; all answers of a query are opened together")
        bits = described.certificate.answer_bits
        words = np.concatenate(
            [self._key.decrypt(described.mask(number), outputs[number], bits) for number in place.outputs]
        )[place.first : place.first + place.words]
        # Words are stored as they are, and count as so much less.
        content = (words + np.uint16(described.weight * _HALF % (2 * _HALF))).astype("<u2").tobytes()
        if self._tag is not None:
            if content[:TAG_BYTES] != self._tag:
                return None
            content = content[TAG_BYTES:]
        return bytes_of(content, described.record_bytes, equal=described.equal)

    def _outputs(self, answers: tuple[bytes, ...]) -> dict[int, bytes]:
        described = self._described
        found: dict[int, bytes] = {}
        for data in answers:
            if not isinstance(data, bytes):
                raise ArgumentError(f"an answer is bytes, not {type(data).__name__}")
            answer = PartialAnswer.from_bytes(data, described.answer_bits)
            if answer.version != described.version:
                raise MismatchError("an answer by another database, or one that has changed: ask again")
            if answer.query != self._digest:
                raise MismatchError("an answer to another query; each is opened by the query that it answers")
            found.update(enumerate(answer.outputs, answer.first))
        return found

    def save(self, path: object, *, overwrite: bool = False) -> None:
        """Keeps the secret and what was asked for in a file, for its owner only (mode 0600), until the answer comes.
        Who reads it knows what was asked for. `Client.load` reads it; delete it then.

        Raises:
            FileError: it can't be written, or is there already.
        """
        saved = bytearray(
            _SAVED.pack(
                _MAGIC,
                self._described.version,
                self._digest,
                bytes(self._key.saved()),
                self._slot,
                self._tag or bytes(8),
            )
        )
        write_whole(path, saved, secret=True, overwrite=overwrite)
        saved[:] = bytes(len(saved))


class Client:
    """Asks a database, of which it knows the description, for records.

    Nothing is kept between queries, and the server keeps nothing of a client. Every query has a secret of its own,
    drawn for it and gone with it: two queries tell no more than one.

        >>> import cyclotome as cy, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.pir"
        >>> database = cy.pir.Database.build({"FR": b"Paris", "IT": b"Rome"}, path)
        >>> query = cy.pir.Client(database.description).query("IT")
        >>> query.open(database.answer(query.data))
        b'Rome'

    Args:
        description: `Database.description`, from the server.
        device: where to compute, "cpu" or "cpu:<threads>".

    Raises:
        FormatError: no description.
    """

    def __init__(self, description: bytes, *, device: str = "cpu") -> None:
        if not isinstance(description, bytes):
            raise ArgumentError(f"a description is bytes, not {type(description).__name__}")
        self._described = Description.from_bytes(description)
        self._lattice = _core.RetrievalLattice(engine_on(device))
        described = self._described
        words = described.shape.outputs * COLUMNS
        if described.certificate != certificate_for(
            described.shape.rows, modulus=self._lattice.modulus, words=words, weight=described.weight
        ):
            raise FormatError("a description with numbers of bits that are not those for its shape: it was altered")
        for number in range(described.shape.outputs):
            if (self._described.mask(number) >= self._lattice.modulus).any():
                raise FormatError(
                    f"the mask of output {number} has a number that none has: the description was altered"
                )
        self._masks: _core.RetrievalMasks | None = None

    @property
    def version(self) -> str:
        """Of the description, hexadecimal: everybody who asks a database should see the same, or its server tells
        clients apart by it."""
        return self._described.version.hex()

    @property
    def by_key(self) -> bool:
        """Whether records are asked for by key; else by index."""
        return self._described.keyed

    @property
    def record_bytes(self) -> int:
        """The most that a record has."""
        return self._described.record_bytes

    def __len__(self) -> int:
        return self._described.records

    def __repr__(self) -> str:
        return f"<Client of a database of {len(self)} records, version {self.version[:16]}>"

    def query(self, record: int | str | bytes) -> Query:
        """A query for a record.

        Args:
            record: its index, or its key where the database has keys: bytes, or text as its UTF-8.

        Raises:
            ArgumentError: no index of this database; a key for one without keys, or the other way round.
        """
        described = self._described
        if self._masks is None:
            self._masks = _core.RetrievalMasks(self._lattice, described.seed, described.shape.rows)
        positions, slot, tag = self._target(record)
        version = described.version
        key = _core.RetrievalKey(self._lattice, None, version)
        data = query_bytes(version, key.encrypt(self._masks, positions, described.certificate.request_bits))
        return Query(described, key, slot, tag, data, digest_of(data))

    def _target(self, record: int | str | bytes) -> tuple[list[int], int, bytes | None]:
        """Rows, slot and tag."""
        described = self._described
        if described.keyed:
            if isinstance(record, int):
                raise ArgumentError(f"records of this database are asked for by key, not by index {record}")
            key = key_bytes(record)
            hashes = Hashes(described.hash_seed, [key], described.shape)
            return hashes.rows[0].tolist(), int(hashes.slots[0]), tag_of(described.hash_seed, key)
        if isinstance(record, bool) or not isinstance(record, (int, np.integer)):
            raise ArgumentError(f"records of this database are asked for by index, not by {type(record).__name__}")
        if not 0 <= record < described.records:
            raise ArgumentError(f"there is no record {record} among {described.records}")
        row, slot = divmod(int(record), described.shape.slots)
        return [row], slot, None

    def load(self, path: object) -> Query:
        """A query that was saved, to open its answer.

        Raises:
            FileError: it can't be read.
            FormatError: no saved query.
            MismatchError: one to another version of the database.
        """
        try:
            saved = bytearray(Path(path_text(path)).read_bytes())
        except OSError as error:
            raise FileError(f"the query {path_text(path)!r} can't be read: {error}") from None
        if len(saved) != _SAVED.size or not saved.startswith(_MAGIC):
            raise FormatError(f"{path_text(path)!r} is no saved query")
        _, version, digest, secret, slot, tag = _SAVED.unpack(saved)
        saved[:] = bytes(len(saved))
        described = self._described
        if version != described.version:
            raise MismatchError(
                "a query to another database, or to one that has changed: open it with that description"
            )
        if slot >= described.shape.slots:
            raise FormatError(f"{path_text(path)!r} asks for a slot that the database does not have")
        key = _core.RetrievalKey(self._lattice, bytearray(secret), version)
        return Query(described, key, slot, tag if described.keyed else None, b"", digest)
