# SPDX-License-Identifier: Apache-2.0
"""What work on polynomials costs on one class of processor, the same numbers on every machine: by them parameters are
chosen, so that two parties that ask the same have the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from ..parameters.parameters import Parameters

__all__ = ["modelled_seconds"]


class _Costs(NamedTuple):
    """Nanoseconds of a butterfly, of a product of residues, and of a residue that is written."""

    butterfly: float
    product: float
    word: float


#: Of one core with AVX-512 IFMA (Zen 4), by thread time: transforms of one polynomial of 1024 to 2^17 coefficients, and
#: conversions of four limbs to four. By the bits of words and of their widest primes; `_costs` says which.
_NARROW, _MIDDLE, _WIDE = _Costs(0.145, 0.132, 0.1), _Costs(0.245, 0.176, 0.2), _Costs(0.40, 0.465, 0.2)
#: Primes of 64-bit words that the 52-bit multipliers take.
_MIDDLE_BITS = 50
#: Nanoseconds of a call, however little it does.
_CALL = 1500.0


def _costs(parameters: Parameters) -> _Costs:
    if parameters.word == 32:
        return _NARROW
    widest = max((*parameters.moduli, *parameters.special_moduli)).bit_length()
    return _MIDDLE if widest <= _MIDDLE_BITS else _WIDE


def modelled_seconds(parameters: Parameters, account: Mapping[str, tuple[int, ...]]) -> float:
    """About how long the work of an account takes on one core of that class: a model, which ranks parameters."""
    costs, degree = _costs(parameters), parameters.degree
    butterflies = degree * math.log2(degree) / 2
    return 1e-9 * sum(
        calls * _CALL + transforms * butterflies * costs.butterfly + products * costs.product + words * costs.word
        for calls, _, transforms, products, words in account.values()
    )
