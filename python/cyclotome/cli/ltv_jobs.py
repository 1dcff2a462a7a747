# SPDX-License-Identifier: Apache-2.0
"""``cyclotome prince`` and ``sort`` with ``--scheme ltv``: paper 002's own scheme, which is BROKEN, for comparison."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from cyclotome.cli.failures import UsageError
from cyclotome.errors import SecurityError
from cyclotome.extras import STUDY
from cyclotome.options import current

__all__ = ["prince", "sort"]

#: Primes, m, bits of a prime, and the window: paper 002's set for PRINCE, which carries sorting too.
PAPER = (25, 21845, 25, 16)


def _keys(numbers: str | None, acknowledged: bool) -> Any:
    """Keys of a set, fresh. Raises SecurityError unless it is acknowledged what LTV is."""
    if not acknowledged:
        raise SecurityError(
            "--scheme ltv: LTV is BROKEN, whatever its parameters: lattice reduction finds its key. It is here to be "
            "compared with; --acknowledge-broken runs it all the same, on data that may be known to everybody"
        )
    ltv = STUDY.load("ltv")
    chosen = PAPER if numbers is None else _set_of(numbers)
    return ltv.keygen(ltv.Parameters(*chosen), acknowledge_broken=True)


def _set_of(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) < 8 for part in parts):
        raise UsageError("--ltv takes four numbers: primes, m, bits of a prime, window; such as 25,21845,25,16")
    return tuple(int(part) for part in parts)


def _facts(keys: Any, headroom: float, seconds: float) -> dict[str, Any]:
    return {
        "parameters": keys.public.parameters.summary(),
        "noise_headroom_bits": headroom,
        "seconds": seconds,
    }


def prince(
    halves: Sequence[int], blocks: Sequence[int], *, decrypt: bool, numbers: str | None, acknowledged: bool, device: str
) -> tuple[list[int], dict[str, Any]]:
    """Blocks enciphered, or deciphered, and what it took."""
    keys = _keys(numbers, acknowledged)
    circuits = STUDY.load("ltv_circuits")
    data = circuits.encrypt_numbers(blocks, 64, keys.public)
    k0, k1 = (circuits.encrypt_numbers([half] * len(blocks), 64, keys.public) for half in halves)
    started = time.perf_counter()
    result = circuits.prince(data, k0, k1, decrypt=decrypt, device=device, progress=current.get().progress)
    seconds = time.perf_counter() - started
    headroom = min(bit.headroom for bit in result)
    return circuits.decrypt_numbers(result, keys.secret), _facts(keys, headroom, seconds)


def sort(
    lists: Sequence[Sequence[int]], bits: int, *, numbers: str | None, acknowledged: bool, device: str
) -> tuple[list[list[int]], dict[str, Any]]:
    """Lists in order, and what it took."""
    keys = _keys(numbers, acknowledged)
    circuits = STUDY.load("ltv_circuits")
    columns = [
        circuits.encrypt_numbers([int(v) for v in column], bits, keys.public) for column in zip(*lists, strict=True)
    ]
    started = time.perf_counter()
    result = circuits.sort(columns, device=device, progress=current.get().progress)
    seconds = time.perf_counter() - started
    headroom = min(bit.headroom for number in result for bit in number)
    values = [circuits.decrypt_numbers(number, keys.secret) for number in result]
    return [list(row) for row in zip(*values, strict=True)], _facts(keys, headroom, seconds)
