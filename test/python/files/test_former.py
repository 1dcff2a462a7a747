# SPDX-License-Identifier: Apache-2.0
"""Pickles written before modules stood where they stand now: test/data/pickles, of eight small numbers under toy
parameters."""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
from cyclotome.former import FORMER

PICKLES = Path(__file__).resolve().parents[2] / "data" / "pickles"
NUMBERS = list(range(1, 9))


def old(name: str) -> Any:
    return pickle.loads((PICKLES / f"{name}.pkl").read_bytes())


@pytest.fixture(scope="module")
def secret() -> cy.SecretKey:
    data = (PICKLES / "secret.key").read_bytes()  # of no one's secret, and so readable
    key = cy.from_bytes(data, allow_insecure=True, device="cpu:1")
    assert isinstance(key, cy.SecretKey)
    return key


def test_arrays_and_tables_decrypt(secret: cy.SecretKey) -> None:
    assert cy.decrypt(old("array"), secret).tolist() == NUMBERS
    frame = cy.decrypt_frame(old("frame"), secret)
    assert list(frame["a"]) == NUMBERS
    assert list(frame["shop"]) == ["A", "B"] * 4
    assert cy.decrypt(old("column").values, secret).tolist() == NUMBERS


def test_descriptions_are_what_they_were(secret: cy.SecretKey) -> None:
    assert old("parameters") == secret.parameters
    assert old("scale") == cy.FixedPoint(2)
    assert old("operand") == cy.Operand((8,), 9)
    assert isinstance(old("plan"), cy.Plan)


@pytest.mark.parametrize("name", FORMER)
def test_old_names_have_the_same_classes(name: str) -> None:
    found, now = importlib.import_module(name), importlib.import_module(FORMER[name])
    assert now.__all__
    assert all(getattr(found, each) is getattr(now, each) for each in now.__all__)
