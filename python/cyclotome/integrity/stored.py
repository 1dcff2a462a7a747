# SPDX-License-Identifier: Apache-2.0
"""The file of an integrity key."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

from .. import _core
from ..errors import FileError, FormatError, SecretFileWarning
from ..whole_files import path_text, write_whole
from .lines import Lines
from .refusals import Refusals

__all__ = ["read_key", "write_key"]

_FORMAT = "cyclotome integrity key 1"
_MOST_BYTES = 1 << 16


def write_key(path: str | os.PathLike[str], lines: Lines, bits: int, refusals: Refusals) -> Refusals:
    """Writes the key, and hands its count on to a file beside it.

    Raises:
        FileError: there is a file of this name, or of the count's, or it can't be written.
    """
    name = path_text(path)
    if os.path.lexists(_count_of(name)):
        raise FileError(f"{_count_of(name)} counts what another key refused; take another name")
    facts = {
        "format": _FORMAT,
        "seed": lines.seed.hex(),
        "moduli": list(lines.moduli),
        "degree": lines.degree,
        "bits": bits,
        "failures": refusals.most,
        # What was refused before there was a file.
        "refused": refusals.count,
    }
    write_whole(name, json.dumps(facts, indent=1).encode(), secret=True, overwrite=False)
    return _counting(name, refusals.most, refusals.count)


def read_key(path: str | os.PathLike[str]) -> tuple[bytes, tuple[int, ...], int, int, Refusals]:
    """Seed, moduli, degree, bits and count.

    Raises:
        FileError: it can't be read. FormatError: it is no such file.
    """
    name = path_text(path)
    try:
        with open(name, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise FileError(f"{name} can't be read: {error.strerror}") from None
    try:
        facts: Any = json.loads(data) if len(data) <= _MOST_BYTES else None
        if facts.pop("format") != _FORMAT:
            raise ValueError("another format")
        seed = bytes.fromhex(facts.pop("seed"))
        moduli = tuple(facts.pop("moduli"))
        numbers = [facts.pop(each) for each in ("degree", "bits", "failures", "refused")]
        whole = all(type(each) is int and 0 <= each < 1 << 64 for each in (*moduli, *numbers))
        if facts or len(seed) != 32 or not whole or not 1 <= len(moduli) <= 16:
            raise ValueError("other facts than such a key has")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FormatError(f"{name} is no file of an integrity key") from None
    if not _core.file_is_private(name):
        warnings.warn(f"{name} is an integrity key, and others may read it: chmod 600 {name}", SecretFileWarning, 3)
    degree, bits, failures, refused = numbers
    return seed, moduli, degree, bits, _counting(name, failures, refused)


def _counting(name: str, most: int, refused: int) -> Refusals:
    return Refusals(most, _count_of(name), refused)


def _count_of(name: str) -> str:
    return name + ".refused"
