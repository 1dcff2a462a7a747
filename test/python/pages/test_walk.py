# SPDX-License-Identifier: Apache-2.0
"""How far a call goes in Python before the library computes: the ways that doc/architecture.md describes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import cyclotome as cy
import numpy as np
import pytest

PACKAGE = Path(cy.__file__).resolve().parent
#: Not as much as a call of their own in a reader's eyes, and no frames in newer Pythons.
PARTS = {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}


def walked(function: Callable[[], Any]) -> list[str]:
    """The package's Python functions that a call passes, "module.function", in order."""
    names: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name not in PARTS and Path(code.co_filename).is_relative_to(PACKAGE):
            path = Path(code.co_filename)
            module = path.parent.name if path.stem == "__init__" else path.stem
            names.append(f"{module}.{code.co_name}")

    function()  # what is made once is there
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return names


def but_for_options(names: list[str]) -> list[str]:
    """Without what asks which options hold, which is one call where none was given."""
    return [name for name in names if not name.startswith("options.")]


def returns(names: list[str]) -> int:
    """How often a walk comes back to a module that it left."""
    stays = [name.partition(".")[0] for name in names]
    entered = [stay for i, stay in enumerate(stays) if i == 0 or stay != stays[i - 1]]
    return len(entered) - len(set(entered))


@pytest.fixture(scope="module")
def keys() -> cy.Keys:
    return cy.keygen(cy.Parameters.suggest(depth=1, value_bits=6, terms=4))


def test_a_product_passes_three_functions_and_a_ring_of_keys(keys: cy.Keys) -> None:
    x, y = cy.encrypt([1, 2, 3], keys.public), cy.encrypt([4, 5, 6], keys.public)
    names = walked(lambda: x * y)
    assert names.count("options.get") == 1 and len(but_for_options(names)) == len(names) - 1
    assert but_for_options(names) == ["array.__mul__", "array._binary", "keyring.joined", "facts.__init__"]
    assert returns(names) == 0
    assert walked(lambda: x * x) == ["array.__mul__", "array._binary", "options.get", "facts.__init__"]
    plain = [name for name in walked(lambda: x * np.arange(3)) if name.startswith(("array", "facts"))]
    assert plain == but_for_options(walked(lambda: x * x))


def test_a_sum_goes_the_same_way(keys: cy.Keys) -> None:
    x = cy.encrypt([1, 2, 3], keys.public)
    with cy.allow_undecryptable(), cy.progress(lambda done, total, what: None):
        names = walked(lambda: x + x)
        assert but_for_options(names) == ["array.__add__", "array._binary", "facts.__init__"]
        assert walked(lambda: x.sum())[:1] == ["array.sum"]


def test_a_file_goes_down_to_a_context_and_up_to_an_array(keys: cy.Keys, tmp_path: Path) -> None:
    cy.save(tmp_path / "x", cy.encrypt([1, 2, 3], keys.public))
    assert walked(lambda: cy.load(tmp_path / "x")) == [
        "files.load",
        "files._require_class",
        "keyring.of",
        "keyring.keys",
        "files._judge",
        "files._limits",
        "whole_files.path_text",
        "identities.is_identity_file",
        "files._in_file",
        "layout.table_in_file",
        "layout._opened",
        "layout._front",
        "layout._begins_more",
        "layout.table_in_file",  # closes it
        "stored_objects.read",
        "metadata.parse",
        "metadata.read_value_bits",
        "metadata._whole",
        "parameters.of_native",
        "contexts.context_on",
        "contexts._resolved",
        "kinds.kind_of",
        "kinds._cpu_name",
        "contexts._opened",
        "transform_designs.prepare",
        "facts.native",
        "facts.__init__",
        "metadata.read_digits",
        "files._of_kind",
        "files._expected",
        "facts.parameters",
    ]
