# SPDX-License-Identifier: Apache-2.0
"""What the Python package keeps in a container's META, against doc/wire-format.md: read by the oracle and by hand."""

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


def test_arrays_have_the_five_keys_and_others_none() -> None:
    own = keys()
    for obj in (own.public, own.evaluation, own.public.parameters):
        assert stored(obj)[1] == {}
    _, facts = stored(encrypted([[1, 2, 3]], 99))
    assert facts == {"shape": [1, 3], "packed": True, "slots": True, "clean": True, "bound": "99"}
    stated = cy.keygen(parameters(value_bits=7), rotations=[], device="cpu:1")
    assert stored(stated.public)[1] == stored(stated.public.parameters)[1] == {"value_bits": 7}
    assert stored(cy.encrypt(5, stated.public))[1]["bound"] == "127"
    assert stored(cy.encrypt(5, stated.public, bound=9), note={"from": "me"})[1]["note"] == {"from": "me"}


def test_bounds_are_decimal_strings_or_null() -> None:
    assert stored(encrypted([1], 10**9))[1]["bound"] == "1000000000"
    assert stored(encrypted([1], 1, layout="replicated"))[1]["packed"] is False
    assert stored(encrypted([1], 1, encoding="coefficients"))[1]["slots"] is False
    wrapping = cy.encrypt([1], keys().public, wrap=True)
    assert stored(wrapping)[1]["bound"] is None


def test_bytes_are_compact_and_sorted() -> None:
    assert stored(encrypted([1], 1))[0].metadata == (
        b'{"bound":"1","clean":true,"packed":true,"shape":[1],"slots":true}'
    )


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
    file, facts = stored(x)
    p, n = file.parameters, file.parameters.degree
    assert tuple(facts["shape"]) == shape and file.kind == "bundle"
    arrays = [wire_format.ciphertexts(data, p) for _, data in file.sections]
    residues = [np.array(decrypt(array, p, secret), dtype=object) for array in arrays]
    t, total = p.plain_moduli, math.prod(p.plain_moduli)
    whole = sum(r * (total // m) * pow(total // m, -1, m) for r, m in zip(residues, t, strict=True)) % total
    whole = np.where(whole > (total - 1) // 2, whole - total, whole)  # [ciphertext][coefficient]
    if facts["packed"]:
        length, outer = shape[-1], math.prod(shape[:-1])
        chunks = -(-length // n)
        rows = [np.concatenate([whole[chunks * i + j] for j in range(chunks)]) for i in range(outer)]
        assert not any(row[length:].any() for row in rows) and facts["clean"]
        found = np.array([row[:length] for row in rows])
    else:
        assert not whole[:, 1:].any()  # constants stand in every slot
        found = whole[:, 0]
    np.testing.assert_array_equal(found.reshape(shape), values)


def test_an_array_of_one_plaintext_modulus_is_a_bundle_too() -> None:
    single = cy.keygen(parameters((40961,)), rotations=[], device="cpu:1")
    assert stored(cy.encrypt([1], single.public, bound=1))[0].kind == "bundle"
