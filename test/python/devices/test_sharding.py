# SPDX-License-Identifier: Apache-2.0
"""Arrays on several devices: what comes out, to the byte, is what one device computes.

CYCLOTOME_TEST_DEVICES, such as "cuda:0,cuda:1", names the devices; without it they are two CPU engines.
"""

from __future__ import annotations

import functools
import os
import threading
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.devices.contexts import device_name
from cyclotome.errors import ArgumentError, MismatchError, RangeError, UnsupportedError

DEVICES = os.environ.get("CYCLOTOME_TEST_DEVICES", "cpu:1,cpu:2").split(",")
CHECKSUM = 32
SCHEMES = pytest.mark.parametrize("scheme", ["bfv", "bgv"])


@functools.cache
def keys(scheme: str) -> cy.Keys:
    parameters = cy.Parameters.suggest(depth=2, value_bits=8, terms=64, scheme=scheme)
    return cy.keygen(parameters, rotations=[*cy.sum_rotations(parameters), 5], columns=True, device="cpu:1")


def encrypted(values: Any, scheme: str = "bfv", **options: Any) -> cy.EncryptedArray:
    return cy.encrypt(values, keys(scheme).public, bound=100, **options)


def same_bytes(one: cy.EncryptedArray, many: Any) -> None:
    """Both are stored as the same bytes, but for the noise bounds (and so the checksum): partial sums may round
    otherwise, and a matrix's pieces may have their largest rows in different places."""
    whole = many.gather() if isinstance(many, cy.sharding.ShardedArray) else many
    a, b = (np.frombuffer(cy.to_bytes(x), dtype=np.uint8) for x in (one, whole))
    assert whole.shape == one.shape and whole.bound == one.bound and a.shape == b.shape
    assert one.noise_headroom - 2 < whole.noise_headroom < one.noise_headroom + 1e-9
    differing = np.flatnonzero(a != b)
    within = differing[differing < len(a) - CHECKSUM]
    assert len(within) <= 3 * 8 * len(one.native.channels) and len(differing) - len(within) <= CHECKSUM


def programs(x: Any, y: Any, row: cy.EncryptedArray, small: cy.EncryptedArray, w: Any) -> list[Any]:
    """Everything that a sharded array does, on (5, 3, 40) values; `row` has 40, `small` (2, 3), `w` (5, 3, 40)."""
    return [
        -x,
        x + y,
        x - y,
        7 - x,
        x + 5,
        x * y,
        x * x,
        x**2,
        x * w,
        w[0] * x,
        w[:, :1] + x,
        x * row,
        row * x,
        row + x,
        row - x,
        small @ x,
        (x * y).sum(axis=0),
        (x * y).sum(axis=(0, 1)),
        (x * y).sum(axis=1),
        x.sum(axis=-1),
        x.sum(),
        w[0, :2, :3] @ x,
        x @ w[0, 0],
        x[2],
        x[-1, 1:],
        x[1:4],
        x[::2, 1],
        x[3:],
    ]


@SCHEMES
@pytest.mark.parametrize("devices", [DEVICES, DEVICES[:1] * 3, DEVICES * 4], ids=["two", "three on one", "many"])
def test_the_bytes_are_those_of_one_device(rng: np.random.Generator, scheme: str, devices: list[str]) -> None:
    a, b, w = (rng.integers(-100, 100, (5, 3, 40)) for _ in range(3))
    w[0, :2, :3] = rng.integers(-3, 4, (2, 3))
    w[0, :2, 0] = rng.integers(1, 4, 2)  # a row of zeros gives a fresh encryption of zero, of other bytes each time
    x, y, row = encrypted(a, scheme), encrypted(b, scheme), encrypted(a[0, 0], scheme)
    small = encrypted(w[0, :2, :3], scheme, layout="replicated")
    shard_x, shard_y = (cy.sharding.shard(v, devices) for v in (x, y))
    assert shard_x.shape == x.shape and len(shard_x) == 5 and shard_x.bound == x.bound
    for one, many in zip(programs(x, y, row, small, w), programs(shard_x, shard_y, row, small, w), strict=True):
        same_bytes(one, many)
    secret = keys(scheme).secret
    assert np.array_equal(cy.decrypt(shard_x * shard_y, secret), a * b)
    assert [cy.decrypt(item, secret).tolist() for item in shard_x] == a.tolist()


def test_matrices(rng: np.random.Generator) -> None:
    a, w = rng.integers(-9, 10, (6, 4)), rng.integers(-9, 10, (3, 6))
    secret = keys("bfv").secret
    for layout in ("packed", "replicated"):
        x = encrypted(a, layout=layout)
        s = cy.sharding.shard(x, DEVICES)
        same_bytes(w @ x, w @ s)
        assert np.array_equal(cy.decrypt(w @ s, secret), w @ a)
        same_bytes(w[0] @ x, w[0] @ s)
    same_bytes(x @ w[:, :4].T, s @ w[:, :4].T)
    y = encrypted(a[:4])
    assert np.array_equal(cy.decrypt(s @ y, secret), a @ a[:4])
    column = encrypted(a[:, 0], layout="replicated")
    same_bytes(column @ a, cy.sharding.shard(column, DEVICES) @ a)
    with pytest.raises(MismatchError, match="take one of them gathered"):
        s @ s
    with pytest.raises(MismatchError, match="not cut like it"):
        s @ encrypted(np.ones((6, 4, 2), dtype=int))
    with pytest.raises(MismatchError, match="gather the right operand"):
        encrypted(w, layout="replicated") @ s


def test_pieces_lie_where_they_are_meant_to() -> None:
    x = cy.sharding.shard(encrypted(np.ones((5, 2), dtype=int)), DEVICES)
    assert x.devices == tuple(device_name(d) for d in DEVICES)
    assert [len(piece) for piece in x.shards] == [2, 3]
    assert x.gather().device == x.devices[0] and x.gather("cpu:1").device == "cpu:1"
    assert cy.sharding.shard(encrypted(np.ones((1, 2), dtype=int)), DEVICES).devices == x.devices[:1]
    assert x.shards[0].keyring.evaluation is keys("bfv").evaluation.to(x.devices[0])
    assert x.nbytes == x.gather().nbytes and x.noise_headroom == x.gather().noise_headroom
    assert "2 on " in repr(x) and "3 on " in repr(x)


def test_encryption_on_every_device(rng: np.random.Generator) -> None:
    values = rng.integers(-100, 100, (7, 30))
    for key in (keys("bfv").public, keys("bfv").secret):
        x = cy.sharding.encrypt_sharded(values, key, DEVICES, bound=100)
        assert x.shape == (7, 30) and np.array_equal(cy.decrypt(x, keys("bfv").secret), values)
    ciphertexts = {
        cy.to_bytes(item)
        for item in cy.sharding.encrypt_sharded(np.ones((6, 2), dtype=int), keys("bfv").public, DEVICES)
    }
    assert len(ciphertexts) == 6  # no device repeats another's randomness


def test_pieces_are_worked_on_at_once() -> None:
    x = cy.sharding.shard(encrypted(np.ones((4, 2), dtype=int)), DEVICES)
    meeting = threading.Barrier(2, timeout=60)

    def work(piece: cy.EncryptedArray) -> cy.EncryptedArray:
        meeting.wait()
        return piece

    assert x.map(work).shape == x.shape


def test_errors_say_what_to_do() -> None:
    x = encrypted(np.ones((4, 2), dtype=int))
    s = cy.sharding.shard(x, DEVICES)
    with pytest.raises(ArgumentError, match=r"values\.reshape\(-1, n\)"):
        cy.sharding.shard(encrypted([1, 2, 3]), DEVICES)
    for devices in ([], "cpu"):
        with pytest.raises(ArgumentError, match="name at least one"):
            cy.sharding.shard(x, devices)
    with pytest.raises(UnsupportedError, match="takes an EncryptedArray"):
        cy.sharding.shard(s, DEVICES)  # type: ignore[arg-type]
    with pytest.raises(MismatchError, match=r"cyclotome\.sharding\.shard\(y, x\.devices\)"):
        s + x
    with pytest.raises(MismatchError, match=r"cyclotome\.sharding\.shard\(y, x\.devices\)"):
        x * s
    with pytest.raises(MismatchError, match="cut differently"):
        s + cy.sharding.shard(x, DEVICES[:1])
    with pytest.raises(ArgumentError, match="do not fit"):
        s * np.ones((3, 2), dtype=int)
    with pytest.raises(ArgumentError, match="gather it first"):
        s * np.ones((2, 4, 2), dtype=int)
    with pytest.raises(ArgumentError, match="go forward"):
        s[::-1]
    with pytest.raises(ArgumentError, match="does not fit"):
        s[4]
    with pytest.raises(UnsupportedError, match="gather it"):
        s[[0, 1]]
    with pytest.raises(ArgumentError, match="axis 2"):
        s.sum(axis=2)
    with pytest.raises(ArgumentError, match="its first axis must stay"):
        s.map(lambda piece: piece[:1])
    with pytest.raises(RangeError):
        s * 10**30
    with pytest.raises(ArgumentError, match="leading axis"):
        cy.sharding.encrypt_sharded([1, 2], keys("bfv").public, DEVICES)


@SCHEMES
def test_what_is_revealed_counts_the_ciphertexts_of_all_devices(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The distances of all of them from the ideal add up, wherever they lie."""
    values = np.arange(20).reshape(5, 4) - 10
    x = encrypted(values, scheme)
    many, bits = cy.sharding.shard(x, DEVICES), []
    assert many.ciphertexts == x.ciphertexts == 5 * len(x.parameters.plain_moduli)
    real = cy._core.reveal

    def noted(array: Any, key: Any, flooding_bits: int, options: Any) -> Any:
        bits.append(flooding_bits)
        return real(array, key, flooding_bits, options)

    monkeypatch.setattr(cy._core, "reveal", noted)
    assert np.array_equal(cy.reveal(many, keys(scheme).secret, flooding_bits=20), values)
    # Each shard gets what all shards cost together; the library adds what its own ciphertexts do.
    assert set(bits) == {20 + (len(many.shards) - 1).bit_length()}


def test_pieces_may_be_cut_again() -> None:
    """Work that is done at once may ask for more of it, deeper than there are threads to begin with."""
    values = np.arange(32).reshape(8, 4)
    x = cy.sharding.shard(encrypted(values), DEVICES)

    def cut(piece: cy.EncryptedArray, depth: int) -> cy.EncryptedArray:
        if depth == 0 or len(piece) < 2:
            return piece + 1
        return cy.sharding.shard(piece, DEVICES).map(lambda part: cut(part, depth - 1)).gather(piece.device)

    result = x.map(lambda piece: cut(piece, 3)).gather()
    assert np.array_equal(cy.decrypt(result, keys("bfv").secret), values + 1)


def test_all_pieces_end_before_an_error_is_raised() -> None:
    ended = []

    def work(piece: cy.EncryptedArray) -> cy.EncryptedArray:
        if not ended and threading.current_thread() is caller:
            raise RangeError("the first piece")
        ended.append(piece)
        return piece

    caller = threading.current_thread()
    with pytest.raises(RangeError, match="the first piece"):
        cy.sharding.shard(encrypted(np.arange(8).reshape(4, 2)), DEVICES).map(work)
    assert len(ended) == 1
