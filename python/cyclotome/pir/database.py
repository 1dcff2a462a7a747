# SPDX-License-Identifier: Apache-2.0
"""The server's side: a database is built once, stored, mapped, and asked without an end."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

import numpy as np

from .. import _core
from ..devices.contexts import engine_on
from ..errors import ArgumentError, UnsupportedError
from . import building, filters
from .certificate import certificate_for
from .description import TAG_BYTES, Description
from .keys import key_bytes
from .records import Entries, Records, record_bytes, words_of
from .scanned import Scanned
from .shape import COLUMNS, USUAL_ROWS, Place, Shape, Words, shape_of
from .stored import Stored

__all__ = ["Database"]

#: Choices of hashes, of which each fails with less than one half.
_HASH_TRIES = 64


class Database(Scanned[Description]):
    """Records for others to look up in private: who has this answers queries, and learns nothing of which record it
    was.

    A file on disk, mapped into memory. `build` makes one, `open` takes one that was made. Any number of threads and
    processes may answer from one file; `replace` makes a new file and leaves to those who go on with the old one what
    they have.

        >>> import cyclotome as cy, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "names.pir"
        >>> database = cy.pir.Database.build([b"Ada", b"Grace", b"Edsger"], path)
        >>> client = cy.pir.Client(database.description)
        >>> query = client.query(1)
        >>> query.open(database.answer(query.data))
        b'Grace'
    """

    @classmethod
    def build(
        cls,
        records: Records | Entries,
        path: object,
        *,
        rows: int = USUAL_ROWS,
        device: str = "cpu",
    ) -> Database:
        """Makes a database of records, and its file.

        Args:
            records: bytes of any lengths up to 2^24, asked for by index; an array of records x bytes of uint8; or a
                mapping, asked for by key. Keys are bytes, or text as its UTF-8.
            path: of the file, which takes 2 bytes for each of rows x 2048 words and 48 MiB for each output; one that
                is there is replaced.
            rows: at most so many, a multiple of 2048 up to 131072. A query has 82 KB and 41 to 44 bits for each row,
                an answer 4.6 KB for each output; more rows make fewer outputs, which a server answers faster.
            device: where to compute, "cpu" or "cpu:<threads>".

        Returns:
            The database, opened.

        Raises:
            ArgumentError: no records; what is no record; keys that are the same; too many for one database.
            FileError: the file can't be written.
            EngineError: a device that does not scan.
        """
        keyed = isinstance(records, Mapping)
        keys, contents = _listed(records)
        most, equal = record_bytes(contents)
        before = np.zeros((len(contents), TAG_BYTES), np.uint8) if keyed else None
        words = words_of(contents, most, equal=equal, before=before)
        if not isinstance(rows, int):
            raise ArgumentError(f"rows={rows!r} is no number of rows")
        shape = filters.shape_for(words.shape[1], len(words), _checked(rows)) if keyed else _plain_shape(words, rows)
        hash_seed = bytes(32)
        if keyed:
            seeds = [secrets.token_bytes(32) for _ in range(_HASH_TRIES)]
            hash_seed, words = filters.filled(words, keys, shape, seeds)
        engine = engine_on(device)
        modulus = _core.RetrievalLattice(engine).modulus
        weight = filters.WEIGHT if keyed else 1
        certificate = certificate_for(shape.rows, modulus=modulus, words=shape.outputs * COLUMNS, weight=weight)
        described = Description(
            keyed, equal, certificate, len(contents), most, shape, bytes(32), hash_seed, bytes(32), ()
        )
        building.build(described, lambda output: shape.of_output(words, output), path, engine)
        return cls.open(path, device=device)

    @classmethod
    def open(cls, path: object, *, device: str = "cpu") -> Database:
        """A database from its file, which is mapped: nothing is read but its head.

        Raises:
            FileError: it can't be read.
            FormatError: it is no database, or not all of one.
            EngineError: a device that does not scan.
        """
        return cls(Stored(path, Description.from_bytes), device)

    def __len__(self) -> int:
        return self._described.records

    def __repr__(self) -> str:
        by, size = ("key" if self._described.keyed else "index"), self._described.record_bytes
        return f"<Database of {len(self)} records of {size} bytes, by {by}, version {self.version[:16]}>"

    def replace(self, records: Mapping[int, bytes], *, path: object = None) -> Database:
        """A database in which some records are others, and its file. This one stays as it is, and answers queries to
        its version as long as it is open.

        Only outputs in which something changes are computed anew, about a second of one core each; the version is new.

        Args:
            records: by index; as long as those before, or up to the longest where lengths differ.
            path: of the new file; by default that of the old one, whose place it takes when it is complete.

        Raises:
            UnsupportedError: a database by key, whose entries share rows: build it anew.
            ArgumentError: no such record, or one of another length.
            FileError: the file can't be written.
        """
        old = self._described
        if old.keyed:
            raise UnsupportedError("keys' entries share rows, so none can be changed alone: build the database anew")
        changed = self._changes(records)

        def words(output: int) -> Words:
            block = self._stored.words(output)
            for row, place, content in changed:
                if output in place.outputs:
                    skipped = (output - place.outputs.start) * COLUMNS
                    part = content[skipped : skipped + COLUMNS]
                    block[row, place.first : place.first + len(part)] = part
            return block

        touched = {output for _, place, _ in changed for output in place.outputs}
        target = self._stored.path if path is None else path
        building.build(old, words, target, self._engine, kept=(self._stored, touched))
        return type(self).open(target, device=self._device)

    def _changes(self, records: Mapping[int, bytes]) -> list[tuple[int, Place, Words]]:
        old = self._described
        changed = []
        for index, record in records.items():
            if not isinstance(index, int) or not 0 <= index < old.records:
                raise ArgumentError(f"there is no record {index!r} among {old.records}")
            size, _ = record_bytes([record])
            if size > old.record_bytes or (old.equal and size != old.record_bytes):
                most = "" if old.equal else "at most "
                raise ArgumentError(
                    f"record {index} has {size} bytes; those of this database have {most}{old.record_bytes}"
                )
            row, slot = divmod(index, old.shape.slots)
            content = words_of([record], old.record_bytes, equal=old.equal)[0]
            changed.append((row, old.shape.place(slot), content))
        return changed


def _listed(records: Records | Entries) -> tuple[list[bytes], Records]:
    """Keys, if there are any, and records."""
    if isinstance(records, Mapping):
        keys = [key_bytes(key) for key in records]
        if len(set(keys)) != len(keys):
            twice = next(key for number, key in enumerate(keys) if key in keys[:number])
            raise ArgumentError(f"the key {twice!r} is there twice, as text and as bytes")
        return keys, list(records.values())
    given: object = records
    if isinstance(given, (bytes, str)) or not isinstance(given, (Sequence, np.ndarray)):
        raise ArgumentError(f"records are a sequence of bytes, an array or a mapping, not {type(records).__name__}")
    return [], records


def _checked(rows: int) -> int:
    shape_of(1, 1, rows)
    return rows


def _plain_shape(words: Words, rows: int) -> Shape:
    return shape_of(words.shape[1], len(words), rows)
