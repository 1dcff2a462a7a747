# SPDX-License-Identifier: Apache-2.0
"""Contexts of products as text that other programs, and drivers of boards, can read: JSON with hexadecimal numbers.

It has what paper 004 precomputes and exports (5.1): degree, modulus, primes with their cofactors, generators, roots and
coefficients of the Chinese remainder theorem, and, if wanted, the powers that circuits are loaded with.
"""

from __future__ import annotations

import json
from typing import Any

from cyclotome.errors import FormatError, ParameterError
from cyclotome_study import ProductContext

FORMAT = "cyclotome product context 1"
POWERS = ("phi", "phi^-1", "omega", "omega^-1")
#: A member of an entry of "primes", and the list of a context that it is from.
MEMBERS = {
    "prime": "primes",
    "cofactor": "cofactors",
    "generator": "generators",
    "root": "roots",
    "coefficient": "coefficients",
}


def to_text(context: ProductContext, *, powers: bool = False) -> str:
    """The context as JSON; with ``powers`` also N powers of phi, omega and their inverses modulo each prime."""
    columns = {member: getattr(context, name) for member, name in MEMBERS.items()}
    primes: list[dict[str, Any]] = []
    for i, p in enumerate(context.primes):
        entry: dict[str, Any] = {member: hex(column[i]) for member, column in columns.items()}
        entry["bits"] = p.bit_length()
        if powers:
            entry["powers"] = {of: [hex(x) for x in context.powers(of, prime=i)] for of in POWERS}
        primes.append(entry)
    whole = {"format": FORMAT, "degree": context.degree, "modulus": hex(context.modulus), "primes": primes}
    return json.dumps(whole, indent=1) + "\n"


def from_text(text: str) -> ProductContext:
    """The context that `to_text` wrote.

    Degree, primes and generators make it, with the checks of `ProductContext`; everything else that the text states is
    compared with what follows from them.

    Raises:
        FormatError: no such text, numbers that make no context, or a stated number that is not what follows.
    """
    try:
        stated = json.loads(text)
        if stated["format"] != FORMAT:
            raise FormatError(f"the format is {stated['format']!r}, not {FORMAT!r}")
        entries = stated["primes"]
        made = ProductContext(
            _whole(stated["degree"]),
            [_number(entry["prime"]) for entry in entries],
            [_number(entry["generator"]) for entry in entries],
        )
        _compare("modulus", _number(stated["modulus"]), made.modulus)
        for i, entry in enumerate(entries):
            _compare_entry(made, i, entry)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ParameterError) as cause:
        if isinstance(cause, FormatError):
            raise
        what = f"it lacks {cause}" if isinstance(cause, KeyError) else str(cause)
        raise FormatError(f"no context of products in JSON: {what}") from cause
    return made


def _compare_entry(made: ProductContext, i: int, entry: dict[str, Any]) -> None:
    for member, name in MEMBERS.items():
        _compare(f"{member} of prime {i}", _number(entry[member]), getattr(made, name)[i])
    _compare(f"bits of prime {i}", _whole(entry["bits"]), made.primes[i].bit_length())
    for of, powers in entry.get("powers", {}).items():
        if of not in POWERS:
            raise FormatError(f"powers of {of!r}: there are {', '.join(POWERS)}")
        if [_number(x) for x in powers] != made.powers(of, prime=i):
            raise FormatError(f"the powers of {of} modulo prime {i} are not what follows from its generator")


def _compare(what: str, stated: int, follows: int) -> None:
    if stated != follows:
        raise FormatError(f"the {what} is stated as {stated:#x}; {follows:#x} follows from primes and generators")


def _number(text: object) -> int:
    if not isinstance(text, str) or not text.startswith("0x") or len(text) > 5000:
        raise FormatError(f"a number is {str(text)[:40]!r}, not hexadecimal text such as '0x40008901'")
    return int(text, 16)


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise FormatError(f"a whole number is {str(value)[:40]!r}")
    return value
