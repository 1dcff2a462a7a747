# SPDX-License-Identifier: Apache-2.0
"""The client's side: a query hides a vector, and its answer is read with secrets that serve once."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .. import _core
from ..devices.contexts import engine_on
from ..errors import ArgumentError, FileError, FormatError, MismatchError, RangeError
from ..pir.messages import PartialAnswer, digest_of, query_bytes
from ..pir.reader import several
from ..pir.shape import COLUMNS
from ..whole_files import path_text, write_whole
from .bounds import score_bound, score_scale
from .description import Description
from .results import Results, best
from .rounding import Floats, as_vectors, unit

__all__ = ["Client", "Query"]

_MAGIC = b"cySRCHs1"
#: version, vectors, probes of each; of a vector, what scores are multiplied by, and off by; of a probe, cluster,
#: digest, secret.
_SAVED, _SAVED_VECTOR, _SAVED_PROBE = struct.Struct("<8s32sII"), struct.Struct("<dd"), struct.Struct("<I32s32s")
_MOST_VECTORS = 1 << 16


@dataclass(frozen=True)
class _Probe:
    """What the scores of a cluster are read with."""

    cluster: int
    key: _core.RetrievalKey
    digest: bytes


@dataclass(frozen=True)
class _Asked:
    """Of one vector: scores are integers times ``step``, and off by ``error`` at most."""

    step: float
    error: float
    probes: tuple[_Probe, ...]


class Query:
    """Queries for some vectors, and what their answers are read with. `data` is for the server; the rest stays with the
    client."""

    def __init__(self, described: Description, modulus: int, asked: list[_Asked], parts: list[bytes]) -> None:
        self._described, self._modulus, self._asked, self._parts = described, modulus, asked, parts

    @property
    def data(self) -> bytes:
        """The bytes for the server; none in a query that was loaded, which was sent before."""
        return b"".join(self._parts)

    @property
    def parts(self) -> list[bytes]:
        """The same, of each probe of each vector."""
        return list(self._parts)

    def __len__(self) -> int:
        return len(self._asked)

    def __repr__(self) -> str:
        return f"<Query for {len(self)} vectors>"

    def open(self, answer: bytes, *, k: int = 10) -> Results:
        """The nearest vectors.

        Args:
            answer: the server's; of several servers that shared the outputs, `cyclotome.pir.join` of theirs.
            k: how many, from 1 on.

        Raises:
            FormatError: what is no answer.
            MismatchError: an answer to another query, or by another version.
            ArgumentError: k is no such number; outputs are missing.
        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ArgumentError(f"k={k!r}: how many vectors, from 1 on")
        answers = iter(several(answer, sum(len(each.probes) for each in self._asked)))
        count = min(int(k), self._described.vectors)
        shape = len(self._asked), count
        indices, integers = np.full(shape, -1, np.int64), np.zeros(shape, np.int64)
        scores = np.full(shape, -np.inf)
        for i, asked in enumerate(self._asked):
            found = [self._scores(probe, next(answers)) for probe in asked.probes]
            numbers, values = (np.concatenate(each) for each in zip(*found, strict=True))
            chosen = best(numbers, values, count)
            indices[i, : len(chosen)], integers[i, : len(chosen)] = numbers[chosen], values[chosen]
            scores[i, : len(chosen)] = values[chosen] * asked.step
        return Results(indices, scores, np.array([asked.error for asked in self._asked]), integers)

    def _scores(self, probe: _Probe, data: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Numbers of a cluster's vectors, and their scores."""
        described = self._described
        answer = PartialAnswer.from_bytes(data, described.answer_bits)
        if answer.version != described.version:
            raise MismatchError("an answer by another index, or one that has changed: ask again")
        if answer.query != probe.digest:
            raise MismatchError("an answer to another query; each is opened by the query that it answers")
        if answer.first or len(answer.outputs) != described.outputs:
            raise ArgumentError(
                f"outputs {answer.first} to {answer.first + len(answer.outputs) - 1} are answered of "
                f"{described.outputs}: cyclotome.pir.join makes one answer of several servers'"
            )
        scale = score_scale(self._modulus, described.words)
        numbers = described.places.of(probe.cluster)
        used = -(-len(numbers) // COLUMNS)
        values = np.concatenate(
            [np.empty(0, np.int64)]
            + [
                probe.key.decrypt_values(described.mask(i), answer.outputs[i], described.answer_bits, scale)
                for i in range(used)
            ]
        )[: len(numbers)]
        if (np.abs(values) > score_bound(self._modulus, described.words)).any():
            raise FormatError("an answer with scores that no vectors have: it was altered")
        return numbers, values

    def save(self, path: object, *, overwrite: bool = False) -> None:
        """Keeps the secrets in a file, for its owner only (mode 0600), until the answer comes. Who reads it and saw the
        query knows what was asked for. `Client.load` reads it; delete it then.

        Raises:
            FileError: it can't be written, or is there already.
        """
        probes = len(self._asked[0].probes)
        saved = bytearray(_SAVED.pack(_MAGIC, self._described.version, len(self._asked), probes))
        for asked in self._asked:
            saved += _SAVED_VECTOR.pack(asked.step, asked.error)
            for probe in asked.probes:
                saved += _SAVED_PROBE.pack(probe.cluster, probe.digest, bytes(probe.key.saved()))
        write_whole(path, saved, secret=True, overwrite=overwrite)
        saved[:] = bytes(len(saved))


class Client:
    """Asks an index, of which it knows the description, for the vectors nearest to some.

    Nothing is kept between queries, and the server keeps nothing of a client. Every query has secrets of its own: two
    queries tell no more than one.

    Args:
        description: `Index.description`, from the server.
        device: where to compute, "cpu" or "cpu:<threads>".

    Raises:
        FormatError: no description.
    """

    def __init__(self, description: bytes, *, device: str = "cpu") -> None:
        if not isinstance(description, bytes):
            raise ArgumentError(f"a description is bytes, not {type(description).__name__}")
        described = self._described = Description.from_bytes(description)
        self._lattice = _core.RetrievalLattice(engine_on(device))
        self._modulus = self._lattice.modulus
        for number in range(described.outputs):
            if (described.mask(number) >= self._modulus).any():
                raise FormatError(
                    f"the mask of output {number} has a number that none has: the description was altered"
                )
        try:
            self._scale = described.query_scale(self._modulus)
        except ArgumentError as error:
            raise FormatError(f"a description of an index that can't be: {error}") from None
        self._masks: _core.RetrievalMasks | None = None

    @property
    def version(self) -> str:
        """Of the description, hexadecimal: everybody who asks an index should see the same, or its server tells clients
        apart by it."""
        return self._described.version.hex()

    @property
    def dimensions(self) -> int:
        """Coordinates of a vector."""
        return self._described.dimensions

    @property
    def clusters(self) -> int:
        """How many clusters vectors are in."""
        return self._described.clusters

    @property
    def metric(self) -> str:
        """ "cosine" or "inner product"."""
        return self._described.metric

    def __len__(self) -> int:
        return self._described.vectors

    def __repr__(self) -> str:
        return f"<Client of an index of {len(self)} vectors, version {self.version[:16]}>"

    def rounded(self, vectors: object) -> npt.NDArray[np.int64]:
        """Vectors as queries have them: integers, whose inner products with the index's are what `Results.integers`
        says. Arguments and errors as `query`."""
        return self._rounded(self._given(vectors))[0]

    def query(self, vectors: object, *, probes: int = 1) -> Query:
        """Queries for the vectors nearest to each of some.

        Args:
            vectors: one, or vectors x coordinates. Its length is kept here: the server gets directions.
            probes: clusters to look into, those with the nearest centres. The server learns how many, not which.

        Raises:
            ArgumentError: no vectors of the index's dimension; more probes than clusters.
            RangeError: a vector of zeros, or with numbers that are not finite.
        """
        given = self._given(vectors)
        if isinstance(probes, bool) or not isinstance(probes, (int, np.integer)) or not 1 <= probes <= self.clusters:
            raise ArgumentError(f"probes={probes!r}: from 1 to the {self.clusters} clusters that there are")
        integers, directions, lengths = self._rounded(given)
        if self._masks is None:
            self._masks = _core.RetrievalMasks(self._lattice, self._described.seed, self._described.layout.rows)
        asked, parts = [], []
        for values, direction, length in zip(integers, directions, lengths, strict=True):
            own = []
            for cluster in self._nearest(direction, int(probes)):
                probe, data = self._asked(self._masks, values, cluster)
                own.append(probe)
                parts.append(data)
            asked.append(_Asked(*self._steps(values, direction, float(length)), tuple(own)))
        return Query(self._described, self._modulus, asked, parts)

    def _given(self, vectors: object) -> Floats:
        array = np.asarray(vectors)
        given = as_vectors(array[None] if array.ndim == 1 else array, "a query")
        if given.shape[1] != self.dimensions:
            raise ArgumentError(f"a query of {given.shape[1]} coordinates; the index's vectors have {self.dimensions}")
        if len(given) > _MOST_VECTORS:
            raise ArgumentError(f"a query for {len(given)} vectors; {_MOST_VECTORS} are the most")
        return given

    def _rounded(self, given: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], Floats]:
        directions, lengths = unit(given.astype(np.float64), "a query")
        return np.rint(directions * self._scale).astype(np.int64), directions, lengths

    def _nearest(self, direction: npt.NDArray[np.float64], probes: int) -> list[int]:
        """The clusters to look into: by the inner product with their centres."""
        if self.clusters == 1:
            return [0]
        near = self._described.places.centres.astype(np.float64) @ direction
        return [int(cluster) for cluster in np.argsort(-near, kind="stable")[:probes]]

    def _asked(self, masks: _core.RetrievalMasks, values: npt.NDArray[np.int64], cluster: int) -> tuple[_Probe, bytes]:
        described = self._described
        rows = np.zeros(described.layout.rows, np.int64)
        rows[cluster * self.dimensions : (cluster + 1) * self.dimensions] = values
        version = described.version
        key = _core.RetrievalKey(self._lattice, None, version)
        scale = score_scale(self._modulus, described.words)
        data = query_bytes(version, key.encrypt_values(masks, rows, scale, described.request_bits))
        return _Probe(cluster, key, digest_of(data)), data

    def _steps(
        self, values: npt.NDArray[np.int64], direction: npt.NDArray[np.float64], length: float
    ) -> tuple[float, float]:
        """What a score's integer is multiplied by, and what that is off by at most: the query times what a stored
        vector is off by, and what the query is off by times a stored vector, both by Cauchy and Schwarz."""
        described = self._described
        factor = 1.0 if described.metric == "cosine" else length
        own = float(np.sqrt(((direction - values / self._scale) ** 2).sum()))
        longest = float(np.sqrt(float(described.squares))) / described.scale
        error = (described.residual + own * longest) * (1 + 1e-9) + 1e-12 * longest
        step = factor / (described.scale * self._scale)
        if not np.isfinite(factor * longest):
            raise RangeError(f"a query of length {length:g}, whose scores are no numbers; scale it")
        return step, factor * error

    def load(self, path: object) -> Query:
        """A query that was saved, to open its answer.

        Raises:
            FileError: it can't be read.
            FormatError: no saved query.
            MismatchError: one to another version of the index.
        """
        name = path_text(path)
        try:
            saved = bytearray(Path(name).read_bytes())
        except OSError as error:
            raise FileError(f"the query {name!r} can't be read: {error}") from None
        if len(saved) < _SAVED.size or not saved.startswith(_MAGIC):
            raise FormatError(f"{name!r} is no saved query")
        _, version, vectors, probes = _SAVED.unpack_from(saved)
        size = _SAVED_VECTOR.size + probes * _SAVED_PROBE.size
        if not 0 < vectors <= _MOST_VECTORS or len(saved) != _SAVED.size + vectors * size:
            raise FormatError(f"{name!r} is not all of a saved query")
        if version != self._described.version:
            raise MismatchError("a query to another index, or to one that has changed: open it with that description")
        asked = []
        for start in range(_SAVED.size, len(saved), size):
            step, error_ = _SAVED_VECTOR.unpack_from(saved, start)
            own = []
            for i in range(probes):
                cluster, digest, secret = _SAVED_PROBE.unpack_from(
                    saved, start + _SAVED_VECTOR.size + i * _SAVED_PROBE.size
                )
                if cluster >= self.clusters:
                    raise FormatError(f"{name!r} asks for a cluster that the index does not have")
                own.append(_Probe(cluster, _core.RetrievalKey(self._lattice, bytearray(secret), version), digest))
            asked.append(_Asked(step, error_, tuple(own)))
        saved[:] = bytes(len(saved))
        return Query(self._described, self._modulus, asked, [])
