# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays of every layout, what their files say of them, and what holds for whatever a file gives."""

from __future__ import annotations

import contextlib
import math
import os
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome.errors import CyclotomeError, RangeError
from small import DEGREE, keys, parameters

#: A quick number of examples; CYCLOTOME_FUZZ_EXAMPLES asks for another, for long runs.
EXAMPLES = int(os.environ.get("CYCLOTOME_FUZZ_EXAMPLES", "150"))

#: Primes = 1 mod 32, enough that bounds take two words.
MODULI = (40961, 65537, 114689, 786433)
MADE = keys(MODULI, value_bits=10)
PARAMETERS = parameters(MODULI)
VALUES = np.arange(3 * (DEGREE + 1)).reshape(3, -1)
#: Arrays of every layout.
ARRAYS = {
    "packed": cy.encrypt(VALUES, MADE.public),
    "coefficients": cy.encrypt(VALUES, MADE.public, encoding="coefficients"),
    "replicated": cy.encrypt(VALUES[:, :2], MADE.public, layout="replicated"),
    "scalar": cy.encrypt(7, MADE.public),
    "wrapping": cy.encrypt(VALUES, MADE.public, wrap=True),
    "wide": cy.encrypt(VALUES, MADE.public, bound=PARAMETERS.capacity, l1_bound=PARAMETERS.capacity + 1),
    "counts": cy.encrypt(np.abs(VALUES), MADE.public, bound=(0, 1023)),
    "interval": cy.encrypt(VALUES, MADE.public, bound=(-1023, 2**40)),
    "unclean": cy.encrypt(VALUES, MADE.public) + cy.encrypt(1, MADE.public),
}


def json_facts(x: cy.EncryptedArray) -> dict[str, Any]:
    """What format version 1 says of an array."""
    return {
        "shape": list(x.shape),
        "packed": x.layout == "packed",
        "slots": x.encoding == "slots",
        "clean": x.native.clean,
        "bound": None if x.bound is None else str(x.bound),
        "value_bits": 10,
    }


def check_array(y: Any, x: cy.EncryptedArray) -> None:
    """``y``, of the ciphertexts of ``x``, is consistent in itself, and the library goes on with it as with any array,
    or refuses in its way."""
    assert isinstance(y, cy.EncryptedArray) and len(y.shape) <= 32
    assert all(type(length) is int and length > 0 for length in y.shape)
    assert y.native.batch == x.native.batch and {c.batch for c in y.native.channels} == {x.native.batch}
    last = y.shape[-1] if y.shape else 1
    if y.bound is not None:
        assert y.l1_bound is not None and 0 <= y.bound <= min(y.parameters.capacity, y.l1_bound)
        assert y.l1_bound <= y.bound * last
    assert len(repr(y)) < 1000
    try:
        opened = np.asarray(cy.decrypt(y, MADE.secret))
    except RangeError:
        assert y.bound is not None  # the values are beyond what the description claims
    else:
        assert opened.shape == y.shape and opened.size == math.prod(y.shape)
        if y.bound is not None and y.l1_bound is not None:
            rows = np.abs(opened.reshape(-1, last).astype(object))
            assert rows.max() <= y.bound and rows.sum(axis=1).max() <= y.l1_bound
    y = y.with_keys(MADE.public, MADE.evaluation)
    for work in (lambda: y + y, lambda: y.sum(), lambda: y * y, lambda: y.reshape((-1,)), lambda: -y):
        with contextlib.suppress(CyclotomeError):
            cy.to_bytes(work())
