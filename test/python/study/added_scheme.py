# SPDX-License-Identifier: Apache-2.0
"""What tests do with test/additive_scheme, in a process of their own: a scheme that was added stays known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core.testing import additive, deterministic
from cyclotome.errors import CyclotomeError, ParameterError
from literals import ParametersLiteral
from oracles.integers import some_primes
from parties import seed

DEGREE, T, TERMS = 64, 257, 100
LIMITS: dict[str, Any] = {
    "max_bytes": 1 << 20,
    "max_expanded_bytes": 1 << 20,
    "allow_insecure": True,
    "security_table": _core.default_security_table(),
}


def literal() -> ParametersLiteral:
    additive.register()
    *moduli, special = some_primes(40, 2 * DEGREE, 2)
    numbers = [T, TERMS]  # of its part
    return ParametersLiteral("additive", DEGREE, numbers, moduli, [special], security=0, allow_insecure=True)


def sums_and_is_stored(number: int) -> None:
    rng = np.random.default_rng(number)
    parameters = literal().made()
    assert parameters.summary().startswith("additive n=64") and f"t={T} terms={TERMS}" in parameters.summary()
    context = _core.Context(parameters, _core.CpuEngine(1))
    secret = deterministic.generate_secret_key(context, seed(1))
    key = deterministic.generate_public_key(secret, seed(2))
    x, y = rng.integers(-(T // 2), T // 2 + 1, (2, 1, DEGREE))
    plain = [_core.encode_residues(context, 0, False, v) for v in (x, y)]
    a, b = (deterministic.encrypt(p, key, seed(i)) for i, p in enumerate(plain, 3))
    loaded = _core.Container.from_bytes(_core.to_bytes(parameters, b""), **LIMITS).parameters
    assert loaded.fingerprint == parameters.fingerprint and loaded.scheme == "additive"
    stored = _core.Container.from_bytes(_core.to_bytes(key, b""), **LIMITS).read_public_key(context)
    assert stored.id == key.id and _core.to_bytes(stored, b"") == _core.to_bytes(key, b"")
    again = additive.load(context, additive.save(_core.add(a, b)))
    found = _core.decode_residues(_core.decrypt(again, secret), False)
    assert np.array_equal(found % T, (x + y) % T)
    with pytest.raises(CyclotomeError, match="ADDITIVE has no products of ciphertexts"):
        _core.multiply(a, b)


def is_known_and_no_other(_: int) -> None:
    assert additive.known() == ["bfv", "bgv", "ckks"]
    additive.register()
    additive.register()
    assert additive.known() == ["bfv", "bgv", "ckks", "additive"]
    made = literal()
    made.scheme = "ltv"
    with pytest.raises(ParameterError, match="'ltv' is not known; there are 'bfv', 'bgv', 'ckks' and 'additive'"):
        made.made()
    made.scheme, made.plain_moduli = "additive", [T]
    with pytest.raises(ParameterError, match="a number of terms"):
        made.made()
