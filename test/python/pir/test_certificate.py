# SPDX-License-Identifier: Apache-2.0
"""Answers are right by the theorem: its bound is above every error met, also of databases made to be worst, and a
database whose norms are above the limits is not published."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError, NoiseError
from cyclotome.pir import building as module
from cyclotome.pir.certificate import MATRIX_LIMIT, Certificate, Norms, certificate_for, words_worst
from cyclotome.pir.description import Description
from small import HOME

COLUMNS = 2048
ENGINE = _core.CpuEngine(1)
LATTICE = _core.RetrievalLattice(ENGINE)
MODULUS = LATTICE.modulus


def test_the_modulus_is_granted_128_bits() -> None:
    limit = 53  # of the 2024 guidelines at degree 2048, ternary secrets, classical
    assert 1 << limit > MODULUS and 1 << (limit - 1) < MODULUS


@pytest.mark.parametrize("rows", [1 << 11, 1 << 15, 1 << 17])
@pytest.mark.parametrize("weight", [1, 3])
def test_bits_are_the_fewest_with_which_the_worst_database_is_right(rows: int, weight: int) -> None:
    options = {"modulus": MODULUS, "words": COLUMNS << 5, "weight": weight}
    found = certificate_for(rows, **options)
    worst = words_worst(rows)
    assert found.holds(worst, **options)
    assert not replace(found, request_bits=found.request_bits - 1).holds(worst, **options)
    assert not found.holds(replace(worst, matrix_squares=32 * MATRIX_LIMIT), **options)
    # By fractions: squares of what stands in the module as roots; 200 bits of failure are more than 128.
    dither = Fraction(4 ** (53 - found.request_bits) - 1, 12)
    variance = worst.words_squares * (Fraction(21, 2) + dither) + worst.matrix_squares * Fraction(21, 2)
    tail = Fraction(693147, 1000000) * 2 * (129 + 16)
    rest = Fraction(MODULUS, 1 << (found.answer_bits + 1)) + Fraction(worst.words_sum, 2) + weight * 32768
    margin = Fraction(MODULUS, 1 << 17) - rest
    assert margin > 0 and tail * variance < margin**2


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(ArgumentError, match="too many"):
        certificate_for(1 << 40, modulus=MODULUS, words=COLUMNS, weight=1)


def packed(words: np.ndarray[Any, Any], seed: bytes) -> tuple[Any, Any]:
    masks = _core.RetrievalMasks(LATTICE, seed, len(words))
    return masks, _core.retrieval_pack(masks, words)


def errors(
    words: np.ndarray[Any, Any], rows: list[int], seed: bytes, certificate: Certificate
) -> tuple[list[int], Norms]:
    """Of the phases of all columns, of a request for the sum of these rows; Python's integers."""
    masks, packing = packed(words, seed)
    key = _core.RetrievalKey(LATTICE, None, bytes(32))
    body = key.encrypt(masks, rows, certificate.request_bits)
    request = _core.open_retrieval_request(LATTICE, body, len(words), certificate.request_bits)
    (answer,) = _core.retrieval_answers(
        ENGINE, LATTICE, [request], _core.retrieval_tiles(words), packing.matrix, packing.flip, certificate.answer_bits
    )
    found = []
    for column, phase in enumerate(key.phase(packing.mask, answer, certificate.answer_bits).tolist()):
        message = sum(int(words[row, column]) - 32768 for row in rows) * (MODULUS >> 16)
        error = (phase - message) % MODULUS
        found.append(min(error, MODULUS - error))
    return found, Norms(packing.words_norm, packing.words_sum, packing.matrix_norm)


def databases(rng: np.random.Generator, seed: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """All ones, all zeros, checkered, random; and one that follows the signs of the masks, which are public."""
    rows = 2048
    masks = _core.RetrievalMasks(LATTICE, seed, rows)
    request = _core.RetrievalKey(LATTICE, None, bytes(32)).encrypt(masks, [], 53)  # masks times a secret, and errors
    signs = _core.unpack_integers(request[32 : 32 + rows * 53 // 8], 53, rows) > MODULUS // 2
    checkered = (np.add.outer(np.arange(rows), np.arange(COLUMNS)) % 2 * 65535).astype(np.uint16)
    return {
        "ones": np.full((rows, COLUMNS), 65535, np.uint16),
        "zeros": np.zeros((rows, COLUMNS), np.uint16),
        "checkered": checkered,
        "random": rng.integers(0, 1 << 16, (rows, COLUMNS), dtype=np.uint16),
        "matched": np.repeat(np.where(signs, 65535, 0).astype(np.uint16)[:, None], COLUMNS, axis=1),
    }


@pytest.mark.parametrize("name", ["ones", "zeros", "checkered", "random", "matched"])
def test_errors_stay_below_the_bound_whatever_the_words(name: str, rng: np.random.Generator) -> None:
    seed = rng.bytes(32)
    words = databases(rng, seed)[name]
    rows = rng.integers(0, 2048, 3).tolist()
    certificate = certificate_for(2048, modulus=MODULUS, words=COLUMNS, weight=3)
    found, norms = errors(words, rows, seed, certificate)
    bound = certificate.error(norms, modulus=MODULUS, words=COLUMNS, weight=3)
    assert certificate.holds(norms, modulus=MODULUS, words=COLUMNS, weight=3)
    assert max(found) < bound < MODULUS / 2**17
    # Not idle: the largest of 2048 errors is some standard deviations, of the 13.9 that the bound counts.
    assert max(found) > bound / 12
    assert norms.words_squares <= 2048 << 30 and norms.matrix_squares < MATRIX_LIMIT
    if name in ("ones", "zeros"):
        largest = 32768 if name == "zeros" else 32767
        assert norms.words_squares == 2048 * largest**2 and norms.words_sum == 2048 * largest


def test_norms_of_the_matrix_are_those_that_random_masks_give(rng: np.random.Generator) -> None:
    """About 6144 entries, each a sum of 2046 digits of 18 bits, the highest of 17."""
    _, packing = packed(np.zeros((2048, COLUMNS), np.uint16), rng.bytes(32))
    digits = (2 * 2.0**36 + 2.0**34) / 12 * 2048 * 2046
    assert 0.9 * digits < packing.matrix_norm < 1.1 * digits
    assert packing.matrix_norm < MATRIX_LIMIT / 2
    assert math.isqrt(packing.matrix_norm) < 2**28


def test_masks_with_norms_above_the_limit_are_drawn_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = _core.retrieval_pack, []

    class Inflated:
        def __init__(self, packing: Any, factor: int) -> None:
            self.mask, self.matrix, self.flip = packing.mask, packing.matrix, packing.flip
            self.words_norm, self.words_sum = packing.words_norm, packing.words_sum
            self.matrix_norm = packing.matrix_norm * factor

    def worse(masks: Any, words: Any) -> Inflated:
        calls.append(masks)
        return Inflated(real(masks, words), 64 if len(calls) < 3 else 1)

    monkeypatch.setattr(module._core, "retrieval_pack", worse)
    database = cy.pir.Database.build([b"first", b"second"], tmp_path / "a", device=HOME)
    assert len(calls) == 3
    query = cy.pir.Client(database.description).query(1)
    assert query.open(database.answer(query.data)) == b"second"

    monkeypatch.setattr(module._core, "retrieval_pack", lambda masks, words: Inflated(real(masks, words), 64))
    monkeypatch.setattr(module, "_TRIES", 2)
    with pytest.raises(NoiseError, match="choices of masks"):
        cy.pir.Database.build([b"first"], tmp_path / "b", device=HOME)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_description_says_what_its_certificate_is(tmp_path: Path) -> None:
    database = cy.pir.Database.build([bytes(100)] * 3, tmp_path / "a", device=HOME)
    described = Description.from_bytes(database.description)
    assert described.certificate == certificate_for(2048, modulus=MODULUS, words=COLUMNS, weight=1)
    assert described.to_bytes() == database.description
