# SPDX-License-Identifier: Apache-2.0
"""TenSEAL's contexts and BFV vectors are read, computed on and given back."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import errors
from cyclotome.interop import protobuf
from cyclotome.interop import tenseal as interop
from cyclotome.interop.protobuf import Message, field, varint
from seal_files import TABLE, zstandard
from seal_party import sealapi, tenseal

assert zstandard and sealapi  # without which TenSEAL's bytes can't be read

N, T = 4096, 1032193


@functools.cache
def context(degree: int = N) -> Any:
    made = tenseal.context(tenseal.SCHEME_TYPE.BFV, poly_modulus_degree=degree, plain_modulus=T)
    made.generate_galois_keys()
    made.generate_relin_keys()
    return made


@functools.cache
def private() -> bytes:
    return bytes(context().serialize(save_secret_key=True))


@functools.cache
def public(degree: int = N) -> bytes:
    return bytes(context(degree).serialize(save_secret_key=False))


def read(data: Any, **options: Any) -> Any:
    return interop.read_context(data, security_table=TABLE, allow_unfit_key=True, **options)


def test_a_private_context_gives_all_keys(tmp_path: Path) -> None:
    found = read(private())
    assert found.parameters.plain_moduli == (T,) and found.secret is not None and found.public is not None
    assert (
        found.evaluation.relinearization
        and found.evaluation.columns
        and {1, -1, 2, 1024} <= {*found.evaluation.rotations}
    )
    x = tenseal.bfv_vector(context(), [1, -2, 3])
    (tmp_path / "vector").write_bytes(x.serialize())
    here = found.read_vector(tmp_path / "vector", bound=3)
    assert here.shape == (3,) and cy.decrypt(here, found.secret).tolist() == [1, -2, 3]
    assert cy.decrypt(here * here + 1, found.secret).tolist() == [2, 5, 10]


def test_a_server_computes_with_a_public_context(rng: np.random.Generator) -> None:
    """With TenSEAL's own keys; TenSEAL decrypts what comes back."""
    server, client = read(public(8192)), context(8192)
    assert server.secret is None and server.evaluation.relinearization
    x, y = (rng.integers(-50, 50, 100) for _ in range(2))
    a, b = (
        server.read_vector(tenseal.bfv_vector(client, v.tolist()).serialize(), fresh=True, bound=50) for v in (x, y)
    )
    for ours, expected in ((a * b, x * y), (a + 3 * b, x + 3 * y), (a - b, x - y)):
        data = interop.write_vector(ours, version="4.3")
        assert tenseal.bfv_vector_from(client, data).decrypt() == expected.tolist()
    total = (a * b).sum()
    (data,) = cy.interop.seal.write_array(total, version="4.3")
    vector = protobuf.field(1, varint(1)) + protobuf.field(2, data)
    assert tenseal.bfv_vector_from(client, vector).decrypt() == [int(x @ y)]


def test_long_vectors_lie_in_several_ciphertexts(rng: np.random.Generator) -> None:
    found = read(private())
    x = rng.integers(-1000, 1000, N + 5)
    here = found.read_vector(tenseal.bfv_vector(context(), x.tolist()).serialize(), bound=1000)
    assert here.shape == (N + 5,) and np.array_equal(cy.decrypt(2 * here, found.secret), 2 * x)
    data = interop.write_vector(here + 1, version="4.3")
    assert tenseal.bfv_vector_from(context(), data).decrypt() == (x + 1).tolist()


def test_ckks_is_refused_by_name() -> None:
    ckks = tenseal.context(tenseal.SCHEME_TYPE.CKKS, N, coeff_mod_bit_sizes=[40, 20, 40])
    with pytest.raises(errors.UnsupportedError, match="CKKS"):
        read(ckks.serialize())


def test_a_symmetric_context_has_no_public_key() -> None:
    made = tenseal.context(
        tenseal.SCHEME_TYPE.BFV, N, plain_modulus=T, encryption_type=tenseal.ENCRYPTION_TYPE.SYMMETRIC
    )
    found = read(made.serialize(save_public_key=False, save_secret_key=True))
    x = found.read_vector(tenseal.bfv_vector(made, [7, 8]).serialize(), fresh=True)
    assert found.public is None and cy.decrypt(x, found.secret).tolist() == [7, 8]


def test_damage_is_refused(rng: np.random.Generator) -> None:
    """Changed and cut contexts and vectors, and what is neither: typed errors, or something that is valid."""
    found = read(private())
    vector = bytes(tenseal.bfv_vector(context(), [1, 2]).serialize())
    readers = {private(): read, vector: lambda data: found.read_vector(data, bound=2)}
    for data, reader in readers.items():
        for length in [*range(30), *np.linspace(30, len(data) - 1, 20).astype(int).tolist()]:
            try:
                reader(data[:length])
            except errors.CyclotomeError:
                continue
            assert data is not vector  # the last fields of a context may be missing
        for at in [*range(24), *rng.integers(0, len(data), 12).tolist()]:
            changed = bytearray(data)
            changed[at] ^= int(rng.integers(1, 256))
            try:
                reader(bytes(changed))
            except errors.CyclotomeError as error:
                assert len(str(error)) > 20
    for garbage in (b"", b"\0", b"\xff" * 20, field(1, b""), field(1, b"\0" * 40), varint(1 << 3) + b"\5"):
        for reader in readers.values():
            with pytest.raises(errors.CyclotomeError):
                reader(garbage)


def test_sizes_that_do_not_fit_are_refused() -> None:
    found = read(private())
    message = Message(memoryview(bytes(tenseal.bfv_vector(context(), [1, 2]).serialize())), "vector")
    (ciphertext,) = message.all_bytes(2)
    for sizes in ([], [0], [N + 1], [1, 1], [2**63]):
        data = field(1, b"".join(map(varint, sizes))) + field(2, bytes(ciphertext))
        with pytest.raises(errors.FormatError, match="sizes"):
            found.read_vector(data)
    with pytest.raises(errors.ArgumentError, match="one axis"):
        interop.write_vector(cy.encrypt([[1, 2]], found.public))


def test_messages_are_read_as_the_format_wants_it() -> None:
    """Numbers packed or not, unknown fields skipped, the last of several."""
    packed = field(1, varint(1) + varint(300)) + varint(1 << 3) + varint(2**64 - 1)
    unknown = varint(9 << 3 | 1) + bytes(8) + varint(10 << 3 | 5) + bytes(4) + varint(4 << 3) + varint(7)
    message = Message(memoryview(packed + unknown + varint(4 << 3) + varint(8)), "message")
    assert message.numbers(1) == [1, 300, 2**64 - 1] and message.number(4) == 8 and message.number(5) == 0
    assert bytes(message.bytes(3)) == b"" and message.has(9) and not message.has(3)
    for wrong in (b"\x80" * 11, b"\x08", b"\x0a\x05abc", b"\x0b", b"\x00\x00", b"\x08" + b"\xff" * 9 + b"\x02"):
        with pytest.raises(errors.FormatError):
            Message(memoryview(wrong), "message")
