# SPDX-License-Identifier: Apache-2.0
"""The examples in the package's documentation run and say the truth."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import cyclotome
import pytest

MODULES = [
    f"cyclotome.{module.name}"
    for module in pkgutil.iter_modules(cyclotome.__path__)
    if not module.ispkg and module.name not in {"__main__", "_core"}
]


@pytest.mark.parametrize("name", ["cyclotome", "cyclotome.models", *MODULES])
def test_examples(name: str) -> None:
    failures, _ = doctest.testmod(importlib.import_module(name), verbose=False)
    assert failures == 0


def test_public_names_are_documented() -> None:
    for name in cyclotome.__all__:
        assert getattr(cyclotome, name).__doc__, name
    for owner in (cyclotome.EncryptedArray, cyclotome.Parameters, cyclotome.PublicKey, cyclotome.EvaluationKeys):
        for name, member in vars(owner).items():
            if not name.startswith("_"):
                assert member.__doc__, f"{owner.__name__}.{name}"
