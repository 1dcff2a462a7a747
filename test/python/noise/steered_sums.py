# SPDX-License-Identifier: Apache-2.0
"""Plain sums that steer the rounding error of a ciphertext's first part: nothing is multiplied, and each coefficient of
c_0 modulo the primes that go next moves in steps of 1/t of them, so that all of them lie where somebody wants them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from noise_machine import Value, peak
from oracles.integers import Integers, centred, compose
from oracles.textbook_bfv import negacyclic_product


def centred_parts(party: Any, ciphertext: Any, primes: int) -> list[Integers]:
    """Of each part of the first item, in coefficients: what the division by the last `primes` primes rounds away, times
    their product; in BGV over t, of which rounding leaves a multiple."""
    moduli = list(party.parameters.moduli)[: ciphertext.limbs]
    dropped = math.prod(moduli[len(moduli) - primes :])
    factor = pow(int(party.parameters.plain_moduli[ciphertext.plain]), -1, dropped) if is_bgv(party) else 1
    parts = compose(rlwe.coefficients(ciphertext), moduli)[0]
    return [centred(np.asarray(part, dtype=object) * factor % dropped, dropped) for part in parts]


def is_bgv(party: Any) -> bool:
    return bool(party.parameters.scheme == "bgv")


def steering_sum(party: Any, ciphertext: Any, primes: int, signs: Any) -> Integers:
    """The plaintext polynomial after whose sum the division by the last `primes` primes is off by half a unit, less
    1/(2t), in every coefficient of c_0, with these signs."""
    moduli, t = list(party.parameters.moduli)[: ciphertext.limbs], party.parameters.plain_moduli[ciphertext.plain]
    modulus, dropped = math.prod(moduli), math.prod(moduli[len(moduli) - primes :])
    now = centred_parts(party, ciphertext, primes)[0]
    middle = dropped // 2 - dropped // (2 * t) - 2
    away = (np.asarray(signs, dtype=object) * middle - now) % dropped
    steps = (away * t * 2 + dropped) // (2 * dropped) % t  # one is dropped/t
    moved = centred(-steps * dropped % t, t)  # moved/t = steps dropped/t modulo dropped, up to moved/t itself
    if is_bgv(party):
        return centred(moved * pow(testing.bgv.correction(ciphertext), -1, t) % t, t)
    return centred(-moved * pow(modulus, -1, t) % t, t)  # round(q m/t) = (q m - [q m]_t)/t


def first_part_canonical(party: Any, ciphertext: Any, primes: int) -> float:
    """log2 of max |rho_0(zeta)| / sqrt(n), what that division leaves of c_0."""
    moduli = list(party.parameters.moduli)[: ciphertext.limbs]
    dropped = math.prod(moduli[len(moduli) - primes :])
    row = np.array([float(int(v) / dropped) for v in centred_parts(party, ciphertext, primes)[0]])
    n = len(row)
    return math.log2(float(np.abs(np.fft.fft(row * np.exp(1j * np.pi * np.arange(n) / n))).max()) / math.sqrt(n))


def along(row: Any) -> Any:
    """Signs whose value on the loudest root of `row` is as large as can be, and has the phase of the row's."""
    values = np.array([float(int(v) >> max(0, int(v).bit_length() - 900)) for v in row])
    n = len(values)
    spectrum = np.fft.fft(values * np.exp(1j * np.pi * np.arange(n) / n))
    loud = int(np.argmax(np.abs(spectrum)))
    turned = np.conj(spectrum[loud]) * np.exp(1j * np.pi * np.arange(n) * (1 - 2 * loud) / n)
    return np.where(turned.real >= 0, 1, -1)


def steered(value: Value, primes: int, signs: Any = None) -> Value:
    """value plus the plaintext that steers the next division by so many primes; signs: those that line rho_0 up with
    rho_1 s, for which one has to know the secret."""
    party = value.machine.party
    if signs is None:
        parts = centred_parts(party, value.ciphertext, primes)
        signs = along(negacyclic_product(parts[1], party.s))
    y = value.plus(steering_sum(party, value.ciphertext, primes, signs))
    t = party.t(value.machine.plain)
    moduli = party.moduli[value.level - primes : value.level]
    found = centred_parts(party, y.ciphertext, primes)[0]
    middle = math.prod(moduli) // 2
    assert min(int(v) * int(s) for v, s in zip(found, signs, strict=True)) >= middle - 2 * middle // t - t - 4
    return y


def every_aim(value: Value, primes: int, rng: np.random.Generator) -> list[Value]:
    """Lined up with the rest of the error, a root's peak, all ones, signs of a coin."""
    n = value.machine.n
    signs = [None, peak(n, int(rng.integers(n // 2)), 1), np.ones(n, dtype=int), rng.choice([-1, 1], n)]
    return [steered(value, primes, each) for each in signs]
