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

#: Words that are a scheme's own, by what the path of its files and pages says: they are no synonyms there.
OWN = {r"rescal(?:e|es|ing)": re.compile("ckks|real")}

#: Names in code for key switching that the glossary's scheme has another one for. Tests are named in prose.
MISNAMES = re.compile(
    r"\b(?!test_)\w*(?:keyswitch|KeySwitching|key_switching|[Kk]ey_?[Ss]witch_?[Kk]ey|SwitchKey|[Ss]witch_keys)\w*"
)
#: Types for key switching, which the glossary has one by one.
SWITCHING_TYPE = re.compile(r"\b(?:class|struct) (\w*(?:KeySwitch|SwitchingKey)\w*)")

CODE = [
    path
    for folder in FOLDERS
    for path in sorted(folder.rglob("*"))
    if path.suffix in {".hpp", ".cpp", ".h", ".cuh", ".cu", ".py"}
]
SOURCES = [path for path in CODE if (ROOT / "test") not in path.parents]


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


def synonyms_in(text: str, path: str) -> list[str]:
    return [
        f"{match[0]!r}: say {right}"
        for wrong, right in SYNONYMS.items()
        if wrong not in OWN or not OWN[wrong].search(path)
        for match in re.finditer(rf"\b{wrong}\b", text, re.IGNORECASE)
    ]


def test_comments_use_the_words_of_the_glossary() -> None:
    found = {name_of(path): synonyms_in(words_of(path), name_of(path)) for path in SOURCES}
    assert {path: words for path, words in found.items() if words} == {}
    assert len(found) > 300


@pytest.mark.parametrize("page", [page for page in pages() if page != GLOSSARY], ids=name_of)
def test_pages_use_the_words_of_the_glossary(page: Path) -> None:
    assert synonyms_in(re.sub(r"`[^`]*`", "", " ".join(prose(page).split())), name_of(page)) == []


def switching_names() -> list[str]:
    """The names that the glossary has for key switching."""
    _, _, section = GLOSSARY.read_text(encoding="utf-8").partition("## Names of key switching")
    return re.findall(r"^\| `(\w+)`", section, re.MULTILINE)


def test_key_switching_has_one_scheme_of_names() -> None:
    found = {name_of(path): MISNAMES.findall(path.read_text(encoding="utf-8")) for path in CODE}
    found[name_of(Path(__file__).resolve())] = []  # which has them to look for
    assert {path: names for path, names in found.items() if names} == {}
    assert not [name_of(path) for path in CODE if re.search(r"keyswitch|switch_key", path.stem)]


def test_the_glossary_has_the_types_of_key_switching_and_no_others() -> None:
    types = {
        name
        for path in SOURCES
        if path.suffix != ".py"
        for name in SWITCHING_TYPE.findall(path.read_text(encoding="utf-8"))
    }
    assert types == {name for name in switching_names() if name[0].isupper()}
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    assert [name for name in switching_names() if not re.search(rf"\b{name}\b", text)] == []


def test_misnames_are_seen() -> None:
    wrong = ["KeySwitchKey", "key_switch_key", "KeySwitchingChoice", "key_switching_table", "keyswitch", "switch_keys"]
    assert [name for name in wrong if not MISNAMES.search(f"auto {name} = 1;")] == []
    assert not MISNAMES.search(
        "KeySwitch key_switch_noise switch_key SwitchingKey features.KEYSWITCH test_key_switching_is"
    )
    assert SWITCHING_TYPE.findall("class SwitchingKey; struct KeySwitchLaunch {") == ["SwitchingKey", "KeySwitchLaunch"]


def test_the_glossary_has_every_word_once_and_in_order() -> None:
    words = re.findall(r"^\| \*\*(.+?)\*\*", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(words) > 30 and words == sorted(set(words), key=str.lower)


def test_synonyms_are_seen() -> None:
    assert synonyms_in("a key-switching key of one tower", "doc/noise.md") == [
        "'key-switching key': say switching key",
        "'tower': say limb",
    ]
    assert synonyms_in("a switching key switches keys between limbs", "doc/noise.md") == []
    assert synonyms_in("rescaling", "doc/noise.md") != [] == synonyms_in("rescaling", "doc/reals.md")
    assert "plain modulus" in comment_prose("int t;  ///< the plain modulus\n")
    assert "plain modulus" in python_prose('def f():\n    """The plain modulus."""\n')
    assert "plain modulus" not in python_prose('x = "plain modulus"\n')
