# SPDX-License-Identifier: Apache-2.0
"""``cyclotome prince`` and ``sort`` with ``--scheme ltv``: paper 002's own scheme, which is BROKEN, for comparison."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any

from cyclotome.circuit import Circuit
from cyclotome.cli.failures import UsageError
from cyclotome.errors import NoiseError, ParameterError, SecurityError
from cyclotome.extras import STUDY
from cyclotome.options import current

__all__ = ["prince", "sort"]

#: Primes, m, bits of a prime, and the window: paper 002's set for PRINCE.
PAPER = (25, 21845, 25, 16)
#: Rings to sort in: the smallest that has a slot for each list. Ciphertexts in a sum before a product, for which their
#: primes are chosen; and primes more than products need, where LTV's estimate of noise asks for longer ones than exist.
SORTING_RINGS, SORTING_FAN_INS, MORE_PRIMES = (8191, 21845, 65535), (16, 8, 4), (0, 3, 6, 9)


def _acknowledged_study(acknowledged: bool) -> Any:
    """The study. Raises SecurityError unless it is acknowledged what LTV is."""
    if not acknowledged:
        raise SecurityError(
            "--scheme ltv: LTV is BROKEN, whatever its parameters: lattice reduction finds its key. It is here to be "
            "compared with; --acknowledge-broken runs it all the same, on data that may be known to everybody"
        )
    return STUDY.load("ltv")


def _keys(numbers: str | None, acknowledged: bool) -> Any:
    """Keys of a set, fresh; by default paper 002's for PRINCE."""
    ltv = _acknowledged_study(acknowledged)
    chosen = PAPER if numbers is None else _set_of(numbers)
    return ltv.keygen(ltv.Parameters(*chosen), acknowledge_broken=True)


def sorting_sets(ltv: Any, depth: int, lists: int) -> list[Any]:
    """Sets that may carry so many products one after the other, the cheapest first; with a slot for each list.

    Paper 002's set for PRINCE is the last: it has primes for 24 products.
    """
    for m in SORTING_RINGS:
        sets: list[Any] = []
        for fan_in in SORTING_FAN_INS:
            with contextlib.suppress(ParameterError):  # there are not that many primes, or none so long
                found = ltv.Parameters.precompute(depth, cyclotomic=m, fan_in=fan_in)
                for more in MORE_PRIMES:
                    window = found.window if more == 0 else min(PAPER[3], found.window)
                    sets.append(ltv.Parameters(found.primes + more, m, found.prime_bits, window))
            if sets:
                break
        if sets and sets[0].slots.count >= lists:
            return [*sets, ltv.Parameters(*PAPER)]
    return [ltv.Parameters(*PAPER)]


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
    ltv = _acknowledged_study(acknowledged)
    circuits = STUDY.load("ltv_circuits")
    circuit = Circuit.sort(count=len(lists[0]), bits=bits)
    sets = [ltv.Parameters(*_set_of(numbers))] if numbers else sorting_sets(ltv, circuit.depth, len(lists))
    for parameters in sets:
        keys = ltv.keygen(parameters, acknowledge_broken=True)
        columns = [
            circuits.encrypt_numbers([int(v) for v in column], bits, keys.public) for column in zip(*lists, strict=True)
        ]
        started = time.perf_counter()
        try:  # what noise refuses is refused before anything is computed
            result = circuits.sort(columns, device=device, progress=current.get().progress)
        except NoiseError:
            if parameters is sets[-1]:
                raise
            continue
        break
    seconds = time.perf_counter() - started
    headroom = min(bit.headroom for number in result for bit in number)
    values = [circuits.decrypt_numbers(number, keys.secret) for number in result]
    return [list(row) for row in zip(*values, strict=True)], _facts(keys, headroom, seconds)
