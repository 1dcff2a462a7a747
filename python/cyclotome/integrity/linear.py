# SPDX-License-Identifier: Apache-2.0
"""Products with a public matrix, checked without the matrix (Freivalds, 1977)."""

from __future__ import annotations

import json
import os
import secrets
from typing import Any, NoReturn

import numpy as np

from ..errors import ArgumentError, ContradictionError, FileError, FormatError, SecrecyError
from ..numbers.values import IntArray, integers
from ..whole_files import path_text, write_whole
from .lines import drawn, objects

__all__ = ["LinearCheck"]

#: A prime, of which no difference of results is a multiple.
_PRIME = 2**127 - 1
_FORMAT = "cyclotome linear check 1"
_MOST_BYTES = 1 << 28


class LinearCheck:
    """Finds out whether a server multiplied by the matrix that it was asked for: y = x @ matrix, for whoever knows x
    and need not have the matrix.

    Of random s modulo the prime p = 2^127 - 1 it keeps s and h = matrix s, made once; then y s = x h modulo p. Another
    y passes with probability 1/p for each that is tried. Servers send and compute what they did before, in whatever
    encoding. It is a secret towards the server, and tells whoever has it of the matrix: of small rows, all.

    Args:
        matrix: integers, of shape (terms, results).

    Raises:
        ArgumentError: no matrix, or one of other shape.
        UnsupportedError: numbers that are no integers.
    """

    __slots__ = ("_products", "_weights")

    def __init__(self, matrix: object) -> None:
        entries = integers(matrix, "LinearCheck")
        if entries.ndim != 2 or 0 in entries.shape:
            raise ArgumentError(f"LinearCheck: a matrix of shape {entries.shape}; it has terms and results")
        self._weights = drawn(secrets.token_bytes(32), b"linear", (entries.shape[1],), _PRIME)
        self._products: IntArray = np.asarray(objects(entries) @ self._weights % _PRIME, dtype=object)

    @property
    def shape(self) -> tuple[int, int]:
        """Of the matrix."""
        return len(self._products), len(self._weights)

    def __repr__(self) -> str:
        return f"LinearCheck(of a matrix of shape {self.shape})"

    def require(self, x: object, y: object) -> None:
        """Nothing, if y = x @ matrix.

        Args:
            x: integers, of shape (..., terms).
            y: decrypted results, of shape (..., results).

        Raises:
            ContradictionError: it isn't.
            ArgumentError: shapes that don't fit the matrix; results of 2^126 or more.
        """
        terms, results = integers(x, "LinearCheck"), integers(y, "LinearCheck")
        expected = (*terms.shape[:-1], self.shape[1])
        if terms.ndim == 0 or terms.shape[-1] != self.shape[0] or results.shape != expected:
            raise ArgumentError(
                f"LinearCheck: x of shape {terms.shape} and y of {results.shape}; with a matrix of shape {self.shape} "
                f"they have (..., {self.shape[0]}) and (..., {self.shape[1]})"
            )
        # Numbers beyond could differ by p.
        if results.size and not -(_PRIME // 2) <= int(results.min()) <= int(results.max()) <= _PRIME // 2:
            raise ArgumentError("LinearCheck: results of 2^126 and more; split them")
        difference = objects(results) @ self._weights - objects(terms) @ self._products
        if np.any(np.asarray(difference % _PRIME, dtype=object)):
            raise ContradictionError(
                "the results are not x @ matrix: whoever computed them did something else. Do not tell it why they are "
                "refused"
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a new file of mode 0600.

        Raises:
            FileError: there is a file already, or it can't be written.
        """
        facts: dict[str, Any] = {
            "format": _FORMAT,
            "weights": [str(each) for each in self._weights],
            "products": [str(each) for each in self._products],
        }
        write_whole(path, json.dumps(facts).encode(), secret=True, overwrite=False)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LinearCheck:
        """What `save` wrote.

        Raises:
            FileError: it can't be read. FormatError: it is no such file.
        """
        name = path_text(path)
        try:
            with open(name, "rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except OSError as error:
            raise FileError(f"{name} can't be read: {error.strerror}") from None
        check = cls.__new__(cls)
        try:
            facts = json.loads(data) if len(data) <= _MOST_BYTES else {}
            if facts.pop("format") != _FORMAT or set(facts) != {"weights", "products"}:
                raise ValueError("another format")
            check._weights, check._products = (_read(facts[each]) for each in ("weights", "products"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise FormatError(f"{name} is no file of a LinearCheck") from None
        return check

    def _refuse(self, *_: object) -> NoReturn:
        raise SecrecyError("a LinearCheck is not copied or pickled; pass the object itself, or use its save(path)")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = __getstate__ = _refuse


def _read(given: list[str]) -> IntArray:
    if not isinstance(given, list) or not given or not all(isinstance(each, str) and len(each) < 40 for each in given):
        raise ValueError("no numbers")
    numbers = np.empty(len(given), dtype=object)
    numbers[:] = [int(each) for each in given]
    if not all(0 <= each < _PRIME for each in numbers):
        raise ValueError("no residues")
    return numbers
