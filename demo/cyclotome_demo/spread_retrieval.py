# SPDX-License-Identifier: Apache-2.0
"""Private retrieval from a database that is larger than one worker takes: each worker has a part of the records.

    python -m cyclotome_demo.spread_retrieval --records 16384 --parts 4 --workers 2 --worker-memory 96M

A query has a ciphertext for each part, of which one selects a row and the others none; workers cannot tell which. The
parts' answers are added up: the wanted row. With ``--engine ray`` the workers are those of a Ray cluster, which must
see the folder of the parts.
"""

from __future__ import annotations

import argparse
import functools
import operator
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np

from cyclotome_demo.retrieval import DEGREE, IN_ROW, PLAIN_MODULUS, RECORD_WORDS, Retrieval, retrieved
from cyclotome_demo.task import Array

__all__ = ["answer_part", "main", "queries", "retrieve", "write_parts"]


def write_parts(records: Array, parts: int, folder: Path) -> list[Path]:
    """The database as files, each with as many rows of plaintexts as the others.

    Raises:
        ArgumentError: records that can't be shared out so.
    """
    rows = records.reshape(-1, DEGREE)
    if not 1 <= parts <= len(rows) or len(rows) % parts:
        raise cy.errors.ArgumentError(f"{len(rows)} rows can't be cut into {parts} parts of equal length")
    paths = [folder / f"part-{i}.npy" for i in range(parts)]
    for path, part in zip(paths, np.split(rows, parts), strict=True):
        np.save(path, part)
    return paths


def queries(record: int, rows: int, parts: int, public: cy.PublicKey) -> cy.EncryptedArray:
    """What a client sends for one record: (parts, rows of a part), all 0 but for one."""
    chosen = np.zeros((parts, rows // parts), dtype=np.int64)
    chosen.reshape(-1)[record // IN_ROW] = 1
    return cy.encrypt(chosen, public, encoding="coefficients", wrap=True)


def answer_part(batch: tuple[str, cy.EncryptedArray, str | None]) -> cy.EncryptedArray:
    """In a worker: what its part of the records answers, within the memory that it may take."""
    path, query, memory = batch
    cy.set_memory_limit(memory)
    try:
        return retrieved(query, np.load(path, mmap_mode="r"))
    finally:
        cy.set_memory_limit(None)


def retrieve(
    asked: cy.EncryptedArray, paths: Sequence[Path], keys: cy.EvaluationKeys, memory: str | None, **options: Any
) -> cy.EncryptedArray:
    """The answer of all parts; ``options`` as for `cyclotome.map`."""

    def batches() -> Iterator[tuple[str, cy.EncryptedArray, str | None]]:
        for query, path in zip(asked, paths, strict=True):
            yield str(path), query, memory

    answers: list[cy.EncryptedArray] = cy.map(answer_part, batches(), keys=keys, **options)
    return functools.reduce(operator.add, answers)


def main() -> int:
    """Asks for one record, and compares it."""
    parser = argparse.ArgumentParser(prog="python -m cyclotome_demo.spread_retrieval", description=__doc__)
    parser.add_argument("--records", type=int, default=16384, help=f"a multiple of {IN_ROW} times --parts")
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--worker-memory", default=None, help='what arrays and keys may take in each: "96M"')
    parser.add_argument("--engine", choices=["local", "ray"], default="local")
    parser.add_argument("--folder", type=Path, default=None, help="where the parts are written; else a temporary one")
    options = parser.parse_args()
    records = np.random.default_rng(16).integers(0, 1 << 16, (options.records, RECORD_WORDS), dtype=np.uint16)
    parameters = Retrieval().parameters()
    made = cy.keygen(
        parameters,
        rotations=[],
        galois_elements=cy.polynomials.trace_elements(parameters),
        relinearization=False,
        device="cpu:1",
    )
    wanted = 2 * options.records // 3
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        paths = write_parts(records, options.parts, folder)
        began = time.perf_counter()
        asked = queries(wanted, options.records // IN_ROW, options.parts, made.public)
        answer = retrieve(
            asked, paths, made.evaluation, options.worker_memory, engine=options.engine, workers=options.workers
        )
        seconds = time.perf_counter() - began
    row = np.asarray(cy.decrypt(answer, made.secret)) % PLAIN_MODULUS
    right = bool((row.reshape(IN_ROW, RECORD_WORDS)[wanted % IN_ROW] == records[wanted]).all())
    print(
        f"record {wanted} of {options.records}, in {options.parts} parts on {options.workers} {options.engine} "
        f"workers: {'right' if right else 'WRONG'}, {seconds:.1f} s"
    )
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
