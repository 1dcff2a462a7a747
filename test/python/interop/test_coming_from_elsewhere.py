# SPDX-License-Identifier: Apache-2.0
"""The page for people who come from other libraries: its examples run, and the names that it promises exist."""

from __future__ import annotations

import doctest
import re
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome.interop import seal
from seal_files import zstandard
from seal_party import sealapi
from test_tutorial import OPTIONS, ROOT, blocks

PAGE = "doc/coming-from-elsewhere.md"
assert zstandard and sealapi


def test_the_recipes_run() -> None:
    """All of them, one after the other, in one namespace."""
    namespace: dict[str, Any] = {}
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    found = blocks(PAGE)
    assert len(found) == 6
    for line, text in found:
        test = doctest.DocTestParser().get_doctest(text, namespace, "recipe", PAGE, line)
        test.globs = namespace
        assert test.examples
        runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0


def test_names_of_this_library_exist() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    spans = " ".join(re.findall(r"`([^`]+)`", text))
    names = set(re.findall(r"\bcy\.([\w.]+)", spans))
    assert {"Parameters", "keygen", "encrypt", "plain", "noise_budget"} <= names
    for name in names:
        found: Any = cy
        for part in name.split("."):
            found = getattr(found, part)
    assert all(hasattr(seal, name) for name in re.findall(r"\bseal\.(\w+)", spans))
    assert all(hasattr(seal.Owner, name) for name in re.findall(r"\bOwner\.(\w+)", spans))
    array = cy.encrypt(np.arange(3), cy.keygen(cy.Parameters.preset("seal-4096"), rotations=[]).public)
    assert all(hasattr(array, name) for name in re.findall(r"\bx\.(\w+)(?!\w*=)", spans) if name not in ("seal", "ct"))


def test_every_name_of_seal_in_the_table_is_seals() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    column = [row.split("|")[2] for row in text.splitlines() if row.startswith("|") and row.count("|") == 7]
    quoted = {name.split(".")[-1] for cell in column for name in re.findall(r"`([^`]+)`", cell)}
    kinds = (
        "EncryptionParameters",
        "KeyGenerator",
        "BatchEncoder",
        "Encryptor",
        "Decryptor",
        "Evaluator",
        "Ciphertext",
    )
    known = {*dir(sealapi), *(name for kind in kinds for name in dir(getattr(sealapi, kind)))}
    # What Python's interface calls by the types that it takes.
    known |= {"decode"} if "decode_int64" in known else set()
    assert len(quoted) > 15 and quoted - known == set()
