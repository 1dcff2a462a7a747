# SPDX-License-Identifier: Apache-2.0
"""Numbers for people, in messages and reprs."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["byte_size", "extent_of", "html_table", "integer", "plural"]


def integer(value: int) -> str:
    """A number in full while it is readable, then by its length: "about 2^72"."""
    return str(value) if abs(value) < 10**18 else f"about {'-' if value < 0 else ''}2^{abs(value).bit_length() - 1}"


def extent_of(low: int, high: int) -> str:
    """ "within ±9", or "from 0 to 9"."""
    return f"within ±{integer(high)}" if low == -high else f"from {integer(low)} to {integer(high)}"


def plural(count: int, noun: str) -> str:
    """ "1 rotation", "2 rotations"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def byte_size(nbytes: int) -> str:
    """ "384 B", "12.0 KiB", "1.5 MiB", "2.0 GiB"."""
    if nbytes < 1024:
        return f"{nbytes} B"
    amount, unit = nbytes / 1024, "KiB"
    for larger in ("MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f} {unit}"


def html_table(caption: str, facts: Mapping[str, str]) -> str:
    """Names and values for a notebook to show; both may hold any text."""
    from html import escape  # notebooks alone need it

    rows = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in facts.items())
    return f"<table><caption>{escape(caption)}</caption>{rows}</table>"
