# SPDX-License-Identifier: Apache-2.0
"""Wrong numbers that earlier bounds let through, by the package alone and at real sizes: now right, or refused."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from noise_machine import flattening, matched, peak, rudin_shapiro


def most_bits(n: int) -> int:
    return min(150, _core.max_modulus_bits(n, 128, "guidelines-2024") // 2 - 5)


def slots_of(public: Any, polynomial: Any) -> Any:
    """The slots that a polynomial has."""
    rows = np.ascontiguousarray(np.asarray(polynomial, dtype=np.int64).reshape(1, -1))
    return _core.decode_residues(_core.encode_residues(public.context.native, 0, False, rows), True)[0]


@pytest.mark.parametrize(
    ("n", "sums"), [(4096, 0), (8192, 0), (8192, 100), (16384, 20), pytest.param(8192, 500, marks=pytest.mark.full)]
)
@pytest.mark.parametrize("key", ["secret", "public"])
@pytest.mark.parametrize("shape", ["rudin-shapiro", "constant", "peak"])
def test_plaintexts_matched_to_their_own_rounding(n: int, sums: int, key: str, shape: str) -> None:
    """A plaintext whose q m/t is rounded by almost a half everywhere, a factor matched to that, and integers until the
    headroom is used up: every slot was wrong at headroom 0 and more."""
    t = 786433
    parameters = cy.Parameters.from_modulus_bits(degree=n, modulus_bits=most_bits(n), plain_moduli=[t])
    secret, public, _ = cy.keygen(parameters, rotations=[], relinearization=False)
    q = math.prod(parameters.moduli)
    signs = {"rudin-shapiro": rudin_shapiro(n), "constant": np.ones(n, dtype=np.int64), "peak": peak(n, 5, 1)}[shape]
    p = [(int(s) * ((t - 1) // 2) * pow(q, -1, t) + t // 2) % t - t // 2 for s in signs]
    delta = [-((q % t * v + t // 2) % t - t // 2) for v in p]
    values = slots_of(public, p)
    for factor in (flattening(delta, t // 2 - 2), matched(delta, t // 2 - 2)):
        slots = slots_of(public, factor)
        x = cy.encrypt(values, secret if key == "secret" else public, wrap=True)
        for _ in range(sums):
            x = x + values
        try:
            y, scale = x * slots, 1
        except cy.errors.NoiseError:
            assert n == 4096  # too small for most factors of this size: refused from the start
            with cy.allow_undecryptable(), pytest.raises(cy.errors.NoiseError):
                cy.decrypt(x * slots, secret)
            continue
        while y.noise_headroom >= 1:
            step = min(int(2**y.noise_headroom), t // 2 - 1)
            y, scale = y * step, scale * step
        assert 0 <= y.noise_headroom < 1
        measured = _core.measured_noise(y.native.channels[0], secret.native)[0]
        assert measured <= y.native.channels[0].noise[0]
        wanted = [int(a) * int(b) * (sums + 1) * scale % t for a, b in zip(values, slots, strict=True)]
        assert [int(v) % t for v in cy.decrypt(y, secret)] == wanted


@pytest.mark.parametrize(("n", "t"), [(4096, 65537), (16384, 65537), (32768, 65537)])
@pytest.mark.parametrize("product", ["times conjugate", "square of the sum", "square"])
def test_bgv_products_of_switched_phases_with_their_conjugates(n: int, t: int, product: str) -> None:
    """x.switch_to_level(1) * x.rotate_columns(): wrong in every slot at headroom 0.4, with no attacker anywhere. For
    shorter and shorter primes, to where nothing is left."""
    values = np.random.default_rng(0).integers(-3, 4, n)
    other = np.concatenate([values[n // 2 :], values[: n // 2]])
    right = refused = 0
    for bits in range(48, 61):
        try:
            primes = cy.bgv.find_primes(n, [bits] * 4)
        except cy.errors.Error:
            continue
        parameters = cy.bgv.Parameters(
            degree=n,
            plain_moduli=[t],
            moduli=primes[:2],
            special_moduli=primes[2:],
            digits=2,
            security=0,
            allow_insecure=True,
        )
        secret, public, _ = cy.keygen(parameters, rotations=[], columns=True)
        x = cy.encrypt(values, public, bound=90).switch_to_level(1)
        try:
            conjugate = x.rotate_columns()
            if product == "times conjugate":
                y, wanted = x * conjugate, values * other
            elif product == "square":
                y, wanted = x * x, values * values
            else:
                y, wanted = (x + conjugate) * (x + conjugate), (values + other) ** 2
            found = cy.decrypt(y, secret)
        except cy.errors.NoiseError:
            refused += 1
            continue
        assert y.noise_headroom >= 0 and np.array_equal(found, wanted)
        right += 1
    # Larger rings' products, and that of sums, take more than one prime.
    assert refused >= 5 and (right >= 1) == (n == 4096 and product != "square of the sum")


def sections(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Tags and offsets of a container's sections."""
    offset = 56
    while offset < len(data) - 32:
        (length,) = struct.unpack_from("<Q", data, offset + 4)
        yield data[offset : offset + 4], offset + 12
        offset += 12 + length


def forged(data: bytes, bound: float) -> bytes:
    """The same file with all three numbers of every bound replaced, and a new checksum."""
    changed = bytearray(data)
    for tag, start in sections(data):
        if tag == b"CIPH":
            struct.pack_into("<3d", changed, start + 32, bound, bound, bound)
    changed[-32:] = hashlib.sha256(bytes(changed[:-32])).digest()
    return bytes(changed)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_files_with_smaller_bounds_than_true_are_refused(scheme: str) -> None:
    """A server that writes less noise than there is beside a result that overflowed: decrypt and reveal returned
    garbage."""
    parameters = cy.Parameters.suggest(depth=1, value_bits=8, terms=4, flooding_bits=40, scheme=scheme)
    secret, public, _ = cy.keygen(parameters, rotations=[])
    good = cy.encrypt([1, 2, 3], public, wrap=True)
    noisy = good
    with cy.allow_undecryptable():
        while noisy.noise_headroom > -30:
            noisy = noisy * noisy
        overflowed = cy.to_bytes(noisy)
    with pytest.raises(cy.errors.NoiseError):
        cy.decrypt(noisy, secret)
    for bound in (-1e9, 0.0, 20.0):
        lie = cy.from_bytes(forged(overflowed, bound))
        assert lie.noise_headroom > 0
        with pytest.raises(cy.errors.ContradictionError):
            cy.decrypt(lie, secret)
        with pytest.raises((cy.errors.ContradictionError, cy.errors.NoiseError)):  # the latter where too little is left
            cy.reveal(lie, secret, flooding_bits=20)
    for bound in (1e6, 1e9):  # upwards: a refusal as well, of something that was right
        with pytest.raises(cy.errors.NoiseError):
            cy.decrypt(cy.from_bytes(forged(cy.to_bytes(good), bound)), secret)
    for bound in (math.nan, math.inf, -math.inf, 1e10):
        with pytest.raises(cy.errors.FormatError):
            cy.from_bytes(forged(cy.to_bytes(good), bound))
    assert cy.decrypt(cy.from_bytes(forged(cy.to_bytes(good), good.native.channels[0].noise[0])), secret).tolist() == [
        1,
        2,
        3,
    ]


@pytest.mark.parametrize("special", [0, 1])
def test_a_rotation_among_several_plaintext_moduli_costs_what_it_costs_alone(special: int) -> None:
    """A conjugation of BGV with three plaintext moduli took a fresh phase from 2^21 to 2^40 at n = 4096."""
    moduli = [65537, 114689, 147457]
    primes = cy.bgv.find_primes(4096, [36, 36, 36])
    grown = []
    for plain in ([65537], moduli):
        parameters = cy.bgv.Parameters(
            degree=4096,
            plain_moduli=plain,
            moduli=primes[:2],
            special_moduli=primes[2 : 2 + special],
            security=0,
            allow_insecure=True,
        )
        secret, public, _ = cy.keygen(parameters, rotations=[], columns=True)
        x = cy.encrypt(np.arange(4096) % 9 - 4, public, bound=4)
        y = x.rotate_columns()
        before, after = (_core.measured_noise(z.native.channels[0], secret.native)[0] for z in (x, y))
        grown.append((after - before, y.native.channels[0].noise[0] - x.native.channels[0].noise[0]))
        if y.noise_headroom >= 0:
            assert cy.decrypt(y, secret).tolist() == np.roll(cy.decrypt(x, secret), 2048).tolist()
    assert abs(grown[0][0] - grown[1][0]) < 3 and abs(grown[0][1] - grown[1][1]) < 0.1
