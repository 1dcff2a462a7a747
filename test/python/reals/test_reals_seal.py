# SPDX-License-Identifier: Apache-2.0
"""Microsoft SEAL (through tenseal) as an oracle of encodings: the same plaintexts, residue for residue."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from seal_party import sealapi

SCALES = [2.0**20, 2.0**30, 2.0**40, 2.0**50]


def seals(degree: int) -> tuple[Any, Any]:
    """An encoder of SEAL's, and its context."""
    chosen = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE(2))
    chosen.set_poly_modulus_degree(degree)
    chosen.set_coeff_modulus(sealapi.CoeffModulus.Create(degree, [60, 60, 60]))
    context = sealapi.SEALContext(chosen, True, sealapi.SEC_LEVEL_TYPE.NONE)
    return sealapi.CKKSEncoder(context), context


def coefficients(plain: Any, context: Any, degree: int) -> list[int]:
    """Of SEAL's plaintext: the transform of its first limb undone, centred."""
    q = context.first_context_data().parms().coeff_modulus()[0].value()
    found = inverse_transform([plain[i] for i in range(degree)], q, degree)
    return [c - q if c > q // 2 else c for c in found]


def inverse_transform(values: list[int], q: int, degree: int) -> list[int]:
    """SEAL's order is that of a decimation in time: value i is at root psi^(2 rev(i) + 1), psi minimal."""
    psi = minimal_root(q, 2 * degree)
    a, inverse = list(values), pow(psi, -1, q)
    bits = degree.bit_length() - 1
    powers = [pow(inverse, reverse(i, bits), q) for i in range(degree)]
    length, blocks = 1, degree // 2
    while blocks:
        for block in range(blocks):
            w, start = powers[blocks + block], 2 * block * length
            for j in range(start, start + length):
                x, y = a[j], a[j + length]
                a[j], a[j + length] = (x + y) % q, (x - y) * w % q
        length, blocks = 2 * length, blocks // 2
    unit = pow(degree, -1, q)
    return [x * unit % q for x in a]


def reverse(i: int, bits: int) -> int:
    return int(format(i, f"0{bits}b")[::-1], 2)


def minimal_root(q: int, order: int) -> int:
    root = next(r for r in (pow(g, (q - 1) // order, q) for g in range(2, 100)) if pow(r, order // 2, q) == q - 1)
    square, least, power = root * root % q, root, root
    for _ in range(order // 2):
        least, power = min(least, power), power * square % q
    return least


@pytest.mark.parametrize("degree", [4096, 8192])
@pytest.mark.parametrize("scale", SCALES)
def test_plaintexts_are_seals(rng: np.random.Generator, degree: int, scale: float) -> None:
    encoder, context = seals(degree)
    own = cy.Parameters.from_scale_bits(degree=degree, scale_bits=30, depth=1, security=0, allow_insecure=True)
    here = _core.Context(own.native, _core.CpuEngine(1))
    slots = degree // 2
    kinds = {
        "real": rng.uniform(-1, 1, slots),
        "complex": rng.uniform(-1, 1, slots) + 1j * rng.uniform(-1, 1, slots),
        "signs": rng.choice([-1.0, 1.0], slots),
        "one": np.where(np.arange(slots) == rng.integers(slots), 1.0, 0.0),
    }
    for kind, values in kinds.items():
        theirs = sealapi.Plaintext()
        encoder.encode([complex(v) for v in values], scale, theirs)
        ours = testing.rlwe.coefficients(testing.ckks.encode(here, [complex(v) for v in values], scale))[0, 0, 0]
        found = [int(c) - (1 << 60 if c > 1 << 59 else 0) for c in ours]
        wanted = coefficients(theirs, context, degree)
        # Both round the same numbers, which transforms in doubles leave off by a little: a half may fall either way.
        different = sum(a != b for a, b in zip(found, wanted, strict=True))
        assert max(abs(a - b) for a, b in zip(found, wanted, strict=True)) <= 1, kind
        assert different <= degree * scale * 2.0**-50 + 2, (kind, different)
