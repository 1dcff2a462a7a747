# SPDX-License-Identifier: Apache-2.0
"""Scores are right by a theorem, for indices and queries that an enemy of correctness chooses: what is added up is
looked at beside what the bound says."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome.errors import ArgumentError
from cyclotome.pir.certificate import MATRIX_LIMIT, Certificate, Norms
from cyclotome.pir.messages import PartialAnswer
from cyclotome.search import rounding
from cyclotome.search.bounds import bits_for, query_scale, score_bound, score_scale
from cyclotome.search.clusters import shape_for
from cyclotome.search.description import Description
from small import HOME

MODULUS = _core.RetrievalLattice(engine_on(HOME)).modulus


@pytest.mark.parametrize("words", [2048, 8192, 1 << 25])
def test_scores_and_half_a_step_around_them_fit_the_modulus(words: int) -> None:
    scale, bound = score_scale(MODULUS, words), score_bound(MODULUS, words)
    assert 2 * scale * (bound + 1) <= MODULUS < 2 * scale * (bound + 2)
    assert bound > 1 << 16


@pytest.mark.parametrize("dimensions", [1, 2, 24, 384, 1536, 4096])
def test_no_query_of_length_one_exceeds_the_bound(dimensions: int, rng: np.random.Generator) -> None:
    """The worst are those that rounding makes longer in all coordinates."""
    bound = score_bound(MODULUS, 2048)
    squares = bound  # of a vector
    scale = query_scale(bound, squares, dimensions)
    drawn = rng.normal(size=(50, dimensions))
    flat = np.full((1, dimensions), 1 / math.sqrt(dimensions))
    worst = np.full((1, dimensions), (math.floor(scale / math.sqrt(dimensions)) + 0.5000001) / scale)
    for direction in (drawn / np.linalg.norm(drawn, axis=1)[:, None], flat, worst / max(1, np.linalg.norm(worst))):
        longest = math.isqrt(int((np.rint(direction * scale).astype(np.int64) ** 2).sum(axis=1).max())) + 1
        assert (longest - 1) ** 2 * squares <= bound**2


def test_so_many_coordinates_that_nothing_is_left_are_refused() -> None:
    with pytest.raises(ArgumentError, match="too many for scores within 1000"):
        query_scale(1000, 10**6, 10)


def test_vectors_use_the_steps_that_there_are(rng: np.random.Generator) -> None:
    bound = score_bound(MODULUS, 2048)
    for metric in rounding.METRICS:
        vectors = rng.normal(size=(50, 384)) * 3
        small = rounding.rounded(vectors, metric, bound)
        assert np.abs(small.values.astype(int)).max() <= 127
        assert small.squares == (small.values.astype(np.int64) ** 2).sum(axis=1).max()
        given = vectors / np.linalg.norm(vectors, axis=1)[:, None] if metric == "cosine" else vectors
        off = np.linalg.norm(given - small.values / small.scale, axis=1).max()
        assert off <= small.residual <= off * (1 + 1e-6)
        assert query_scale(bound, small.squares, 384) > 0.9 * math.sqrt(bound) - 12


def test_bits_are_the_fewest_that_hold() -> None:
    norms = Norms(153 * 316**2, 153 * 127 * 20, 0)
    found = bits_for(norms, modulus=MODULUS, words=8192)
    half = score_scale(MODULUS, 8192) / 2 - 1
    worst = Norms(norms.words_squares, norms.words_sum, MATRIX_LIMIT)
    assert found.noise(worst, modulus=MODULUS, words=8192) < half
    fewer = Certificate(found.request_bits - 1, found.answer_bits)
    assert fewer.noise(worst, modulus=MODULUS, words=8192) >= half
    # All within bytes and rows that there may be.
    everything = Norms((1 << 17) * 127**2, (1 << 17) * 127, 0)
    assert bits_for(everything, modulus=MODULUS, words=1 << 25).request_bits <= 42


def test_a_million_vectors_have_the_shape_that_is_cheap() -> None:
    assert shape_for(10**6, 384, "auto") == (141, 4)
    assert shape_for(4096, 128, "auto")[1] == 1 and shape_for(4096, 128, 1) == (1, 2)


def adversarial(kind: str, rng: np.random.Generator) -> Any:
    """Vectors whose columns add up as far as they may, or follow one another's signs."""
    if kind == "ones":
        return np.ones((2048, 40))
    if kind == "alternating":
        return np.where(np.arange(40) % 2, -1.0, 1.0) * np.ones((2048, 1))
    if kind == "signs":
        return np.sign(rng.normal(size=(2048, 40)))
    return np.eye(40)[rng.integers(0, 40, 2048)]


@pytest.mark.parametrize("kind", ["ones", "alternating", "signs", "axes"])
def test_noise_of_chosen_vectors_stays_below_the_bound(kind: str, tmp_path: Path, rng: np.random.Generator) -> None:
    """Matched queries have the largest scores that there are; those in every cluster the largest columns."""
    vectors = adversarial(kind, rng)
    index = cy.search.Index.build(vectors, tmp_path / "a", metric="inner product", clusters=2, device=HOME)
    described = Description.from_bytes(index.description)
    client = cy.search.Client(index.description, device=HOME)
    asked = client.query(vectors[:2], probes=2)
    found = asked.open(index.answer(asked.data), k=2048)
    stored = np.rint(vectors * described.scale).astype(np.int64)
    whole = client.rounded(vectors[:2]) @ stored.T
    assert (found.integers == -np.sort(-whole, axis=1)).all()
    scale = score_scale(MODULUS, described.words)
    norms = Norms(described.column_squares, described.column_sum, MATRIX_LIMIT)
    limit = described.certificate.noise(norms, modulus=MODULUS, words=described.words)
    assert limit < scale / 2 - 1
    worst = 0
    for i, each in enumerate(asked._asked):
        for probe, data in zip(each.probes, asked.parts[2 * i : 2 * i + 2], strict=True):
            part = PartialAnswer.from_bytes(index.answer(data))
            phases = probe.key.phase(described.mask(0), part.outputs[0], part.bits).astype(object)
            members = described.places.of(probe.cluster)
            sums = whole[i][members].astype(object)
            off = (phases[: len(sums)] - sums * scale + MODULUS // 2) % MODULUS - MODULUS // 2
            worst = max(worst, int(np.abs(off).max(initial=0)))
    assert limit / 40 < worst < limit
