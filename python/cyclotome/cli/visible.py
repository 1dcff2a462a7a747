# SPDX-License-Identifier: Apache-2.0
"""Text from files and arguments made safe to show.

Whoever wrote a file chose its column names, its notes and its own name. On a terminal, control characters in them could
move the cursor, rewrite what stands above or set the clipboard, and bidirectional marks could show other text than is
there. So everything that the commands print goes through `visible`, and names that hold such characters never get into
tables at all (`name_fault`).
"""

from __future__ import annotations

import unicodedata

#: A column's name has at most this many characters.
MAX_NAME = 1000

#: Joiners that several scripts write with: invisible, but harmless in a name.
_JOINERS = "\u200c\u200d"

#: What spreadsheets take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@")


def _hidden(character: str) -> bool:
    """Whether a terminal might act on a character rather than show it: controls, formats, surrogates, what has no
    meaning in Unicode (categories C*), and the separators of lines and paragraphs."""
    category = unicodedata.category(character)
    return category[0] == "C" or category in ("Zl", "Zp")


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str, *, lines: bool = False) -> str:
    """``text`` with every character that a terminal might act on written as \\x1b, \\u202e and so on.

    Args:
        text: anything.
        lines: keep line ends and tabs: for text of several lines whose parts from outside went through here before.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if (lines and c in "\n\t") or not _hidden(c) else _escaped(c) for c in text)


def shortened(text: str, limit: int = 60) -> str:
    """The beginning of a text, in quotes and escaped, for messages."""
    return f"'{shown(text, limit)}'"


def shown(value: object, limit: int = 60) -> str:
    """A value as escaped text, cut off after so many characters, for messages."""
    text = str(value)
    return visible(text if len(text) <= limit else text[: limit - 1] + "…")


def name_fault(name: str) -> str | None:
    """Why a text can't be a column's name; None if it can."""
    if len(name) > MAX_NAME:
        return f"it has {len(name)} characters, and the limit is {MAX_NAME}"
    for character in name:
        if _hidden(character) and character not in _JOINERS:
            known = unicodedata.name(character, "a control character")
            return f"it holds {_escaped(character)} ({known.lower()}), which can't be shown"
    return None


def spreadsheet_name(name: str) -> str:
    """A name as a cell of a CSV file that no spreadsheet takes for a formula: after an apostrophe if it begins as one
    would. Names come from whoever computed, and a spreadsheet runs formulas."""
    return "'" + name if name.startswith(_FORMULA) else name
