# SPDX-License-Identifier: Apache-2.0
"""One word for one thing: comments, docstrings and pages use the glossary's terms, not their synonyms."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest
from pages import FOLDERS, ROOT, name_of, pages, prose

GLOSSARY = ROOT / "doc" / "glossary.md"

#: Synonyms that this project does not use in prose, and its own word. Names in code are another matter.
SYNONYMS = {
    r"key[- ]switch(?:ing)? keys?": "switching key",
    r"switch keys?(?! \w)": "switching key",
    r"keyswitch(?:ing)?": "key switching",
    r"plain modul(?:us|i)": "plaintext modulus",
    r"coefficient modul(?:us|i)": "ciphertext primes",
    r"modulus chain": "basis, or levels",
    r"(?:rns|crt) component": "limb",
    r"towers?": "limb",
    r"(?:evaluation|ntt|eval) (?:form|format|representation|domain)": "transform",
    r"smudging": "flooding",
    r"backend": "engine",
    r"rescal(?:e|es|ing)": "modulus switching",
}

SOURCES = [
    path
    for folder in FOLDERS
    if folder.name != "test"
    for path in sorted(folder.rglob("*"))
    if path.suffix in {".hpp", ".cpp", ".h", ".cuh", ".cu", ".py"}
]


def python_prose(text: str) -> str:
    """Comments and docstrings, joined. Other strings are said to users."""
    words = []
    previous = tokenize.INDENT
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        starts_line = previous in {tokenize.INDENT, tokenize.NEWLINE, tokenize.NL, tokenize.DEDENT, tokenize.ENCODING}
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and starts_line):
            words.append(token.string.lstrip("#: "))
        previous = token.type
    return " ".join(words)


def comment_prose(text: str) -> str:
    """The comments of a C++ source, joined line by line."""
    return " ".join(re.findall(r"(?://+<?|^ ?\*) ?(.*)$", text, re.MULTILINE))


def words_of(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    said = python_prose(text) if path.suffix == ".py" else comment_prose(text)
    return re.sub(r"`[^`]*`", "", " ".join(said.split()))


def synonyms_in(text: str) -> list[str]:
    return [
        f"{match[0]!r}: say {right}"
        for wrong, right in SYNONYMS.items()
        for match in re.finditer(rf"\b{wrong}\b", text, re.IGNORECASE)
    ]


def test_comments_use_the_words_of_the_glossary() -> None:
    found = {name_of(path): synonyms_in(words_of(path)) for path in SOURCES}
    assert {path: words for path, words in found.items() if words} == {}
    assert len(found) > 300


@pytest.mark.parametrize("page", [page for page in pages() if page != GLOSSARY], ids=name_of)
def test_pages_use_the_words_of_the_glossary(page: Path) -> None:
    assert synonyms_in(re.sub(r"`[^`]*`", "", " ".join(prose(page).split()))) == []


def test_the_glossary_has_every_word_once_and_in_order() -> None:
    words = re.findall(r"^\| \*\*(.+?)\*\*", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(words) > 30 and words == sorted(set(words), key=str.lower)


def test_synonyms_are_seen() -> None:
    assert synonyms_in("a key-switching key of one tower") == [
        "'key-switching key': say switching key",
        "'tower': say limb",
    ]
    assert synonyms_in("a switching key switches keys between limbs") == []
    assert "plain modulus" in comment_prose("int t;  ///< the plain modulus\n")
    assert "plain modulus" in python_prose('def f():\n    """The plain modulus."""\n')
    assert "plain modulus" not in python_prose('x = "plain modulus"\n')
