# SPDX-License-Identifier: Apache-2.0
"""The scheme BFV (Brakerski 2012; Fan and Vercauteren 2012) with RNS arithmetic after BEHZ: exact integers."""

from __future__ import annotations

from .parameters import Parameters, find_primes

__all__ = ["Parameters", "find_primes"]
