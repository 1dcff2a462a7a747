# SPDX-License-Identifier: Apache-2.0
"""A scheme that the library does not know, added at run time, in Python: test/additive_scheme."""

from __future__ import annotations

from typing import Any

import cyclotome_testing as core
import numpy as np
import pytest
from parties import seed, some_primes

DEGREE, T, TERMS = 64, 257, 100


def literal() -> Any:
    core.additive.register()
    made = core.ParametersLiteral()
    made.scheme, made.degree, made.plain_moduli = "additive", DEGREE, [T, TERMS]  # the numbers of its part
    *made.moduli, special = some_primes(40, 2 * DEGREE, 2)
    made.special_moduli = [special]
    made.security, made.allow_insecure = 0, True
    return made


def test_a_third_scheme_sums_and_is_stored(rng: np.random.Generator) -> None:
    parameters = core.Parameters(literal())
    assert parameters.summary().startswith("additive n=64") and f"t={T} terms={TERMS}" in parameters.summary()
    context = core.Context(parameters, core.CpuEngine(1))
    secret = core.SecretKey.generate(context, seed(1))
    key = core.PublicKey.generate(secret, seed(2))
    x, y = rng.integers(-(T // 2), T // 2 + 1, (2, 1, DEGREE))
    a, b = (core.encrypt(core.encode(context, 0, v, False), key, seed(i)) for i, v in ((3, x), (4, y)))
    loaded = core.additive.load_parameters(core.additive.save(parameters))
    assert loaded.fingerprint == parameters.fingerprint
    again = core.additive.load(context, core.additive.save(core.additive.add(a, b)))
    found = core.decode(core.decrypt(again, secret), False)
    assert np.array_equal(found % T, (x + y) % T)
    with pytest.raises(core.Error, match="ADDITIVE has no products of ciphertexts"):
        core.additive.multiply(a, b)


def test_its_name_is_known_from_then_on_and_no_other() -> None:
    core.additive.register()
    core.additive.register()
    assert core.additive.known() == ["bfv", "bgv", "additive"]
    made = literal()
    with pytest.raises(core.ParameterError, match="'ltv' is not known; there are 'bfv', 'bgv' and 'additive'"):
        made.scheme = "ltv"
    made.plain_moduli = [T]
    with pytest.raises(core.ParameterError, match="a number of terms"):
        core.Parameters(made)
