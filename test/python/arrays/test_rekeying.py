# SPDX-License-Identifier: Apache-2.0
"""Arrays under another secret key: exact, one-way, and refused where it does not belong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import (
    ArgumentError,
    FormatError,
    MismatchError,
    MissingKeyError,
    NoiseError,
    SecrecyError,
    UnsupportedError,
)
from small import HOME, parameters
from small import keys as keys_of

NARROW = (40961, 65537)
ONE = (65537,)


def party(scheme: str) -> tuple[cy.Keys, cy.Keys]:
    """Two owners of the same parameters."""
    moduli = ONE if scheme == "bgv" else NARROW
    first = keys_of(moduli, scheme=scheme)
    return first, cy.keygen(first.secret.parameters, device=first.secret.device)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("shape", [(), (5,), (16,), (3, 7)])
def test_values_arrive_under_the_other_key(scheme: str, shape: tuple[int, ...], rng: np.random.Generator) -> None:
    old, new = party(scheme)
    values = rng.integers(-100, 101, shape)
    x = cy.encrypt(values, old.public, bound=100)
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    y = cy.rekeying.rekey(x, key)
    assert y.key_id == new.secret.key_id != x.key_id
    assert (y.bound, y.shape) == (100, shape)
    assert np.array_equal(cy.decrypt(y, new.secret), values)
    with pytest.raises(MismatchError, match="key"):
        cy.decrypt(y, old.secret)
    with pytest.raises(MismatchError):
        y + x


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_results_are_rekeyed_and_computed_with(scheme: str, rng: np.random.Generator) -> None:
    """Products, lowered levels and products that were not relinearised, and arithmetic after the change of keys."""
    old, new = party(scheme)
    a, b = rng.integers(-9, 10, 16), rng.integers(-9, 10, 16)
    x, y = (cy.encrypt(v, old.public, bound=9) for v in (a, b))
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    product = cy.rekeying.rekey(x * y, key, keys=new.public)
    assert np.array_equal(cy.decrypt(product * product, new.secret), (a * b) ** 2)
    low = (x * y).switch_to_least_level(10)
    assert np.array_equal(cy.decrypt(cy.rekeying.rekey(low, key), new.secret), a * b)


def test_products_of_three_parts_are_relinearised_first(rng: np.random.Generator) -> None:
    old, new = party("bfv")
    a = rng.integers(0, 5, 16)
    x = cy.encrypt(a, old.public, bound=5, encoding="coefficients")
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    wide = cy.polynomials.negacyclic_product(x, x, relinearize=False)
    expected = cy.decrypt(wide, old.secret)
    assert np.array_equal(cy.decrypt(cy.rekeying.rekey(wide, key), new.secret), expected)


def test_it_leads_one_way() -> None:
    old, new = party("bfv")
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    x = cy.encrypt([1, 2], new.public, bound=9)
    with pytest.raises(MismatchError, match="rekey"):
        cy.rekeying.rekey(x, key)
    back = cy.rekeying.rekeying_key(new.secret, old.secret)
    assert (back.source_id, back.key_id) == (key.key_id, key.source_id)
    assert cy.decrypt(cy.rekeying.rekey(x, back), old.secret).tolist() == [1, 2]


def test_the_noise_of_a_key_switch_is_counted() -> None:
    old, new = party("bfv")
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    x = cy.encrypt([1] * 16, old.public, bound=1)
    y = cy.rekeying.rekey(x, key)
    assert y.noise_headroom < x.noise_headroom
    assert cy.noise_budget(y, new.secret) >= int(y.noise_headroom)  # what is measured is within the bound


def test_an_exhausted_array_is_refused() -> None:
    """Twice squared, then multiplied until nothing is left: a key switch more is a NoiseError, not a wrong value."""
    old, new = party("bfv")
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    x = cy.encrypt([1] * 16, old.public, bound=1)
    with cy.allow_undecryptable():
        while x.noise_headroom >= 0:
            x = x * x
    with pytest.raises(NoiseError, match="rekey"):
        cy.rekeying.rekey(x, key)


def test_what_does_not_belong_is_refused() -> None:
    old, new = party("bfv")
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    x = cy.encrypt([1, 2], old.public, bound=9)
    wrong: list[tuple[Any, ...]] = [(old.secret, old.public), (old.public, new.secret), ("key", new.secret)]
    for source, target in wrong:
        with pytest.raises(UnsupportedError):
            cy.rekeying.rekeying_key(source, target)
    with pytest.raises(ArgumentError, match="same key"):
        cy.rekeying.rekeying_key(old.secret, old.secret)
    other = cy.keygen(parameters(ONE), device=HOME)
    with pytest.raises(MismatchError):
        cy.rekeying.rekeying_key(old.secret, other.secret)
    with pytest.raises(UnsupportedError):
        cy.rekeying.rekey([1, 2], key)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError):
        cy.rekeying.rekey(x, old.public)  # type: ignore[arg-type]
    with pytest.raises(MismatchError):
        cy.rekeying.rekey(x, key, keys=old.public)


def test_files_keep_it(tmp_path: Path) -> None:
    old, new = party("bfv")
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    path = tmp_path / "old-to-new.key"
    cy.save(path, key, note={"for": "archive"})
    facts = cy.inspect(path)
    assert (facts.kind, facts.key_id, facts.rekeys_from) == ("rekeying key", new.secret.key_id, old.secret.key_id)
    assert old.secret.key_id[:8] in str(facts)
    read = cy.load(path, expect=old.secret.parameters, allow_insecure=True)
    assert cy.to_bytes(read) == cy.to_bytes(key)
    x = cy.encrypt([3, -4], old.public, bound=9)
    assert cy.decrypt(cy.rekeying.rekey(x, read), new.secret).tolist() == [3, -4]
    assert "SecretKey" not in repr(read)


def test_a_key_from_itself_to_itself_is_a_damaged_file() -> None:
    """The id it leads from is written over with the id where it leads; the checksum is made anew."""
    import hashlib

    old, new = party("bfv")
    data = bytearray(cy.to_bytes(cy.rekeying.rekeying_key(old.secret, new.secret)))
    at = data.rindex(bytes.fromhex(old.secret.key_id))
    data[at : at + 16] = bytes.fromhex(new.secret.key_id)
    data[-32:] = hashlib.sha256(data[:-32]).digest()
    with pytest.raises(FormatError, match="same one"):
        cy.from_bytes(bytes(data), allow_insecure=True)
    for cut in (1, 40, len(data) // 2):
        with pytest.raises(FormatError):
            cy.from_bytes(bytes(data[:-cut]), allow_insecure=True)


def test_rerandomized_arrays_look_new(rng: np.random.Generator) -> None:
    old, new = party("bfv")
    values = rng.integers(-50, 51, (2, 16))
    x = cy.encrypt(values, old.public, bound=50)
    y, z = cy.rekeying.rerandomize(x), cy.rekeying.rerandomize(x, old.public)
    assert len({cy.to_bytes(array) for array in (x, y, z)}) == 3
    assert y.noise_headroom <= x.noise_headroom
    for array in (y, z):
        assert np.array_equal(cy.decrypt(array, old.secret), values)
    with pytest.raises(MismatchError):
        cy.rekeying.rerandomize(x, new.public)
    with pytest.raises(MissingKeyError, match="public key"):
        cy.rekeying.rerandomize(cy.encrypt([1], old.secret, bound=1))
    with pytest.raises(UnsupportedError):
        cy.rekeying.rerandomize([1])  # type: ignore[arg-type]
    with pytest.raises(SecrecyError):
        cy.to_bytes(old.secret)


def test_what_consists_of_arrays_goes_to_another_key_as_they_do() -> None:
    """Digits, numbers of circuits, columns and tables, with all that is said about them."""
    old = keys_of(NARROW, value_bits=8)
    new = cy.keygen(old.secret.parameters, device=HOME)
    key = cy.rekeying.rekeying_key(old.secret, new.secret)
    table = {"a": [1.5, None, 3], "k": ["x", "y", "x"]}
    frame = cy.encrypt_frame(table, old.public, missing="encrypted", categories={"k": ["x", "y"]}, bounds={"a": 5})
    frame = frame.assign(same=frame["a"])
    moved = cy.rekeying.rekey(frame, key, keys=(new.public, new.evaluation))
    assert cy.decrypt_frame(moved, new.secret).equals(cy.decrypt_frame(frame, old.secret))
    assert moved["a"].values is moved["same"].values and moved["a"].mask is moved["same"].mask
    assert cy.decrypt_frame(moved.groupby("k").sum("a"), new.secret)["a"].to_dict() == {"x": 4.5, "y": 0}
    for part in (moved["a"], moved["k"], cy.rekeying.rekey(frame["a"], key), cy.rekeying.rekey(frame["k"], key)):
        assert all(array.key_id == new.secret.key_id for array in part.arrays())
    with pytest.raises(MismatchError):
        cy.decrypt_frame(moved, old.secret)
    with pytest.raises(MismatchError):
        moved.assign(b=frame["a"])
    digits = cy.encrypt_digits([7, 5], old.public, base=2, digits=3)
    assert cy.decrypt_digits(cy.rekeying.rekey(digits, key), new.secret).tolist() == [7, 5]
    hidden = cy.rekeying.rerandomize(frame, old.public)
    assert cy.decrypt_frame(hidden, old.secret).equals(cy.decrypt_frame(frame, old.secret))
    assert cy.to_bytes(hidden) != cy.to_bytes(frame) and cy.to_bytes(frame) == cy.to_bytes(frame)
    assert cy.decrypt_digits(cy.rekeying.rerandomize(digits), old.secret).tolist() == [7, 5]
    single = keys_of(ONE)
    other = cy.keygen(single.secret.parameters, device=HOME)
    numbers = cy.circuit.encrypt([3, 0, 2], single.public, bits=2)
    there = cy.rekeying.rekey(numbers, cy.rekeying.rekeying_key(single.secret, other.secret))
    assert cy.circuit.decrypt(there, other.secret).tolist() == [3, 0, 2] and (there.bits, there.shape) == (2, (3,))
    for wrong in (table, [frame], None, cy.sharding.shard(cy.encrypt([[1], [2]], old.public, bound=2), [HOME])):
        with pytest.raises(UnsupportedError):
            cy.rekeying.rekey(wrong, key)  # type: ignore[type-var]
