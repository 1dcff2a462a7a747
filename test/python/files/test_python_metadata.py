# SPDX-License-Identifier: Apache-2.0
"""What stored arrays say of themselves, against doc/wire-format.md: read by the oracle and by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from oracles import wire_format
from small import DEGREE, encrypted, keys, parameters
from test_wire_format import decrypt


def stored(obj: Any, **options: Any) -> tuple[wire_format.File, dict[str, Any]]:
    file = wire_format.read(cy.to_bytes(obj, **options))
    return file, json.loads(file.metadata) if file.metadata else {}


def described(x: cy.EncryptedArray) -> wire_format.Description:
    tag, data = wire_format.read(cy.to_bytes(x)).sections[0]
    assert tag == "ARRY"
    return wire_format.description(data)


def test_only_what_a_user_said_stands_in_the_metadata() -> None:
    own = keys()
    for obj in (own.public, own.evaluation, own.public.parameters, encrypted([[1, 2, 3]], 99)):
        assert stored(obj)[1] == {}
    stated = cy.keygen(parameters(value_bits=7), rotations=[], device="cpu:1")
    x = cy.encrypt(5, stated.public)
    assert stored(stated.public)[1] == stored(stated.public.parameters)[1] == stored(x)[1] == {"value_bits": 7}
    assert described(x).bounds == (127, 127)
    assert stored(x, note={"from": "me"})[1]["note"] == {"from": "me"}


def test_arrays_say_what_they_mean() -> None:
    assert described(encrypted([[1, 2, 3]], 99)) == wire_format.Description("slots", True, (1, 3), (99, 297))
    assert described(encrypted([1], 10**9)).bounds == (10**9, 10**9)
    assert described(encrypted([1, 0], 1, l1_bound=1)).bounds == (1, 1)
    assert described(encrypted([1], 1, layout="replicated")).placement == "replicated"
    assert described(encrypted([1], 1, encoding="coefficients")).placement == "coefficients"
    assert described(cy.encrypt([1], keys().public, wrap=True)).bounds is None
    assert described(encrypted(0, 0)) == wire_format.Description("replicated", True, (), (0, 0))
    assert not described(encrypted([1, 2], 5) + encrypted(1, 1)).clean


def test_bytes_are_compact_and_sorted() -> None:
    stated = cy.keygen(parameters(value_bits=7), rotations=[], device="cpu:1")
    assert stored(stated.public, note={"b": 1, "a": 2})[0].metadata == b'{"note":{"a":2,"b":1},"value_bits":7}'


@pytest.mark.parametrize("layout", ["packed", "replicated"])
@pytest.mark.parametrize("shape", [(), (3,), (2, DEGREE + 1), (2, 3, 2 * DEGREE)], ids=str)
def test_values_are_where_the_page_says(
    rng: np.random.Generator, tmp_path: Path, shape: tuple[int, ...], layout: str
) -> None:
    """From the files' bytes alone, by textbook decryption and Chinese remainders of coefficients."""
    values = rng.integers(-(10**8), 10**8, shape)
    own = keys()
    x = cy.encrypt(values, own.public, bound=10**8, layout=layout, encoding="coefficients")
    cy.save(tmp_path / "secret.key", own.secret)
    secret = wire_format.secret_key(wire_format.read((tmp_path / "secret.key").read_bytes()))
    file, about = stored(x)[0], described(x)
    p, n = file.parameters, file.parameters.degree
    assert about.shape == shape and file.kind == "bundle"
    arrays = [wire_format.ciphertexts(data, p) for _, data in file.sections[1:]]
    residues = [np.array(decrypt(array, p, secret), dtype=object) for array in arrays]
    t, total = p.plain_moduli, math.prod(p.plain_moduli)
    whole = sum(r * (total // m) * pow(total // m, -1, m) for r, m in zip(residues, t, strict=True)) % total
    whole = np.where(whole > (total - 1) // 2, whole - total, whole)  # [ciphertext][coefficient]
    if about.placement != "replicated":
        length, outer = shape[-1], math.prod(shape[:-1])
        chunks = -(-length // n)
        rows = [np.concatenate([whole[chunks * i + j] for j in range(chunks)]) for i in range(outer)]
        assert not any(row[length:].any() for row in rows) and about.clean
        found = np.array([row[:length] for row in rows])
    else:
        assert not whole[:, 1:].any()  # constants stand in every slot
        found = whole[:, 0]
    np.testing.assert_array_equal(found.reshape(shape), values)


def test_an_array_of_one_plaintext_modulus_is_a_bundle_too() -> None:
    single = cy.keygen(parameters((40961,)), rotations=[], device="cpu:1")
    assert stored(cy.encrypt([1], single.public, bound=1))[0].kind == "bundle"
