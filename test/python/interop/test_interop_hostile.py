# SPDX-License-Identifier: Apache-2.0
"""SEAL's objects cut off, changed, forged and blown up: typed errors, little memory, and no wrong answer."""

from __future__ import annotations

import itertools
import math
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import errors, extras
from cyclotome.interop import seal, seal_frame
from seal_files import MEMBERS, TABLE, SealUser, body_of, recompressed, seeded, zstandard
from seal_party import sealapi

KINDS = ("parameters", "plaintext", "ciphertext", "seeded", "secret", "public", "relin", "galois")
COMPRESSIONS = ("none", "zlib", "zstd")


@pytest.fixture(scope="module", params=["bfv", "bgv"])
def user(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SealUser:
    """As small as SEAL's parameters are, with a special prime."""
    primes = tuple(m.value() for m in sealapi.CoeffModulus.Create(2048, [27, 27]))
    t = sealapi.PlainModulus.Batching(2048, 14).value()
    return SealUser(request.param, 2048, tmp_path_factory.mktemp("seal"), primes, t)


@pytest.fixture(scope="module")
def objects(user: SealUser) -> dict[str, bytes]:
    """One of each, not compressed."""
    made = {
        "parameters": user.parameters,
        "plaintext": user.encoded(range(100)),
        "ciphertext": user.encrypted([1, 2, 3]),
        "secret": user.secret,
        "public": user.public,
        "relin": user.relin,
        "galois": user.galois([1]),
    }
    found = {name: recompressed(user.sent(obj), "none") for name, obj in made.items()}
    return {**found, "seeded": seeded(found["ciphertext"], 1, bytes(range(64)))}


@pytest.fixture(scope="module")
def readers(user: SealUser) -> dict[str, Callable[[Any], Any]]:
    with_key = user.owner_with_key()
    return {
        "parameters": lambda data: seal.read_parameters(data, security_table=TABLE),
        "plaintext": lambda data: seal.read_plaintext(data, user.here),
        "ciphertext": lambda data: cy.decrypt(with_key.read_array(data), with_key.secret),
        "seeded": lambda data: user.owner().read_array(data, fresh=True),
        "secret": lambda data: user.owner().read_secret_key(data),
        "public": lambda data: user.owner().read_public_key(data),
        "relin": lambda data: user.owner().read_evaluation_keys(data),
        "galois": lambda data: user.owner().read_evaluation_keys(galois=data),
    }


def refused(read: Callable[[Any], Any], data: bytes, kinds: Any = errors.CyclotomeError) -> str:
    """What is said of bytes that must not be read."""
    with pytest.raises(kinds) as caught:
        read(data)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_every_prefix_is_refused(objects: Any, readers: Any, kind: str, compression: str) -> None:
    """With the length that it had, and with the one that it has now."""
    data = recompressed(objects[kind], compression)
    readers[kind](data)
    for length in sorted({*range(40), *np.linspace(40, len(data) - 1, 30).astype(int).tolist()}):
        refused(readers[kind], data[:length], errors.FormatError)
        if length >= 16 and (compression != "zstd" or length < len(data) - 8):
            told = data[:8] + struct.pack("<Q", length) + data[16:length]
            refused(readers[kind], told, errors.FormatError)
    refused(readers[kind], data + b"\0", errors.FormatError)
    refused(readers[kind], data[:8] + struct.pack("<Q", len(data) + 1) + data[16:] + b"\0", errors.FormatError)


@pytest.mark.parametrize("kind", KINDS)
def test_headers_that_are_not_seals_are_refused(objects: Any, readers: Any, kind: str) -> None:
    data = objects[kind]
    for at, value in [(0, 0), (1, 0xA2), (2, 0x11), (3, 3), (3, 5), (4, 5), (4, 255), (5, 3), (6, 1), (7, 1)]:
        refused(readers[kind], data[:at] + bytes([value]) + data[at + 1 :], errors.FormatError)
    for size in (0, 15, 16, len(data) - 1, len(data) + 1, 2**63, 2**64 - 1):
        refused(readers[kind], data[:8] + struct.pack("<Q", size) + data[16:], errors.FormatError)
    assert "4.0 to 4.4" in refused(readers[kind], data[:3] + b"\3\4" + data[5:])
    for garbage in (b"", b"\x5e", bytes(16), bytes(1000), b"CYCLOTOM" * 20):
        refused(readers[kind], garbage, errors.FormatError)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_changed_bytes_end_in_typed_errors_or_in_something_valid(
    user: SealUser, objects: Any, readers: Any, kind: str, compression: str, rng: np.random.Generator
) -> None:
    """Bytes of what is stored, and of what is compressed; the first ones, which hold counts, all of them. Anything but
    a typed error fails the test by itself."""
    body = body_of(objects[kind])
    first = list(range(min(len(body), 130))) if compression == "none" else []
    for at in [*first, *rng.integers(0, len(body), 40).tolist()]:
        changed = bytearray(body)
        changed[at] ^= int(rng.integers(1, 256))
        attempt(readers[kind], recompressed(objects[kind], compression, bytes(changed)))
    data = recompressed(objects[kind], compression)
    for at in rng.integers(0, len(data), 40).tolist():
        changed = bytearray(data)
        changed[at] ^= int(rng.integers(1, 256))
        attempt(readers[kind], bytes(changed))


def attempt(read: Callable[[Any], Any], data: bytes) -> None:
    try:
        read(data)
    except errors.CyclotomeError as error:
        assert len(str(error)) > 20


def test_counts_that_lie_take_no_memory(user: SealUser, objects: Any, readers: Any) -> None:
    """Every word of the members, as large as can be, and one more than it is; and then little is allocated."""
    places = {
        "parameters": [1, 9],
        "plaintext": [32, 40, 48 + 16],
        "ciphertext": [33, 41, 49, 57, MEMBERS + 8, MEMBERS + 16],
        "secret": [32, 40, 48 + 8, 48 + 16],
        "public": [33, 41, 49, 57, 65, MEMBERS + 16],
        "relin": [32, 40, 48 + 8],
        "galois": [32],
    }
    for kind, offsets in places.items():
        body = body_of(objects[kind])
        for at, value in itertools.product(offsets, (0, 1, 2**31, 2**61, 2**64 - 1, None)):
            (now,) = struct.unpack_from("<Q", body, at)
            lie = now + 1 if value is None else value
            if lie == now:
                continue
            changed = body[:at] + struct.pack("<Q", lie) + body[at + 8 :]
            tracemalloc.start()
            try:
                refused(readers[kind], recompressed(objects[kind], "none", changed), errors.CyclotomeError)
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert peak < 4 * len(body) + 2**20, (kind, at, lie)


@pytest.mark.parametrize("compression", ["zlib", "zstd"])
@pytest.mark.parametrize("kind", KINDS)
def test_bombs_stay_small(objects: Any, readers: Any, kind: str, compression: str) -> None:
    """64 megabytes of zeros in a few kilobytes, alone and behind a good object."""
    zeros = 2**26
    for head in (b"", body_of(objects[kind])):
        if compression == "zlib":
            machine = zlib.compressobj()
            packed = machine.compress(head) + b"".join(machine.compress(bytes(2**24)) for _ in range(zeros >> 24))
            packed += machine.flush()
        else:
            machine = zstandard.ZstdCompressor().compressobj()
            packed = machine.compress(head) + b"".join(machine.compress(bytes(2**24)) for _ in range(zeros >> 24))
            packed += machine.flush()
        data = objects[kind][:5] + bytes([COMPRESSIONS.index(compression), 0, 0]) + struct.pack("<Q", 16 + len(packed))
        tracemalloc.start()
        try:
            refused(readers[kind], data + packed, errors.CyclotomeError)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 2**24


@pytest.mark.parametrize("compression", ["zlib", "zstd"])
def test_thousands_of_keys_of_zeros_stay_small(objects: Any, readers: Any, compression: str) -> None:
    """Every count is right, and every residue below its modulus; 130 megabytes in a few hundred kilobytes."""
    body = body_of(objects["galois"])
    start = 48  # behind the name of the level, the number of places, and the first of these, which is empty
    one = body[start : start + 8 + 16 + MEMBERS + 24]
    residues = struct.unpack_from("<Q", one, len(one) - 8)[0]
    bomb = body[:40] + struct.pack("<Q", 0) + (one + bytes(8 * residues)) * 2047
    packed = recompressed(objects["galois"], compression, bomb[:32] + struct.pack("<Q", 2048) + bomb[40:])
    assert len(bomb) > 2**27 and len(packed) < 2**20
    tracemalloc.start()
    try:
        assert "expands beyond" in refused(readers["galois"], packed, errors.FormatError)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**25


def test_residues_are_below_their_moduli(user: SealUser, objects: Any, readers: Any) -> None:
    for kind in ("ciphertext", "public", "secret", "plaintext", "relin", "seeded"):
        data = objects[kind]
        body = bytearray(body_of(data))
        at = {"ciphertext": MEMBERS, "public": MEMBERS, "seeded": MEMBERS, "secret": 48, "plaintext": 48}.get(
            kind, 48 + 16 + MEMBERS
        )
        first = user.t if kind == "plaintext" else user.primes[0]
        struct.pack_into("<Q", body, at + 24, first)
        message = refused(readers[kind], recompressed(data, "none", bytes(body)), errors.FormatError)
        assert "not below" in message and str(first) in message


def test_objects_of_other_parameters_are_refused(user: SealUser, objects: Any, readers: Any, tmp_path: Path) -> None:
    """By the name of their level, whatever their shape is; and one kind is not read as another."""
    t = sealapi.PlainModulus.Batching(2048, 16).value()
    other = SealUser(user.scheme, 2048, tmp_path, tuple(user.primes), t)
    for kind, obj in (("ciphertext", other.encrypted([1])), ("secret", other.secret), ("public", other.public)):
        assert "other encryption parameters" in refused(readers[kind], other.sent(obj), errors.FormatError)
    assert "other encryption parameters" in refused(readers["relin"], other.sent(other.relin), errors.FormatError)
    for kind, data in itertools.product(KINDS, objects.items()):
        if kind != data[0] and {kind, data[0]} not in ({"ciphertext", "seeded"},):
            refused(readers[kind], data[1], errors.CyclotomeError)


def test_ckks_is_refused_by_name(user: SealUser, readers: Any) -> None:
    chosen = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE.CKKS)
    chosen.set_poly_modulus_degree(2048)
    chosen.set_coeff_modulus([sealapi.Modulus(p) for p in user.primes])
    assert "CKKS" in refused(readers["parameters"], user.sent(chosen), errors.UnsupportedError)


def test_four_parts_are_refused_by_name(user: SealUser, objects: Any, readers: Any) -> None:
    body = body_of(objects["ciphertext"])
    four = body[:33] + struct.pack("<Q", 4) + body[41:]
    assert "relinearise it in SEAL" in refused(
        readers["ciphertext"], recompressed(objects["ciphertext"], "none", four), errors.UnsupportedError
    )


def test_correction_factors_are_units(user: SealUser, objects: Any, readers: Any) -> None:
    body = body_of(objects["ciphertext"])
    for factor in (0, user.t, user.t + 1, 2**64 - 1, *([2] if user.scheme == "bfv" else [])):
        changed = body[: MEMBERS - 8] + struct.pack("<Q", factor) + body[MEMBERS:]
        message = refused(
            readers["ciphertext"], recompressed(objects["ciphertext"], "none", changed), errors.FormatError
        )
        assert str(factor) in message


def test_a_secret_key_is_one_ternary_polynomial(user: SealUser, objects: Any, readers: Any) -> None:
    body = bytearray(body_of(objects["secret"]))
    words = np.frombuffer(bytes(body[72:]), dtype="<u8").copy()
    words[5] = (words[5] + 1) % user.primes[0]
    refused(readers["secret"], recompressed(objects["secret"], "none", bytes(body[:72]) + words.tobytes()))
    words[:] = 1  # the transform of 1, a ternary polynomial, but none that passes the check
    data = recompressed(objects["secret"], "none", bytes(body[:72]) + words.tobytes())
    key = user.owner().read_secret_key(data)
    assert key is not None
    careful = seal.Owner(user.here)
    assert refused(careful.read_secret_key, data[:-8] + bytes(8), errors.FormatError)


def test_wrong_statements_are_found_or_refused(user: SealUser, objects: Any) -> None:
    """Noise, owner and values that are not what was said: an error before, or at decryption, never another number."""
    data, owner = objects["ciphertext"], user.owner()
    assert "nothing says how noisy" in refused(owner.read_array, data, errors.ArgumentError)
    for stated in ({"fresh": True, "noise_bits": 3}, {"noise_budget": 1, "noise_bits": 1}):
        with pytest.raises(errors.ArgumentError, match="take one of them"):
            owner.read_array(data, **stated)
    for budget in (0, -1, 1000):
        with pytest.raises(errors.ArgumentError, match="noise_budget"):
            owner.read_array(data, noise_budget=budget)
    for bits in (math.inf, math.nan):
        with pytest.raises(errors.ArgumentError, match="noise_bits"):
            owner.read_array(data, noise_bits=bits)
    with pytest.raises(errors.NoiseError, match="more than decryption corrects"):
        owner.read_array(data, noise_bits=500)
    with pytest.raises(errors.ArgumentError, match="no ciphertexts"):
        owner.read_array([], fresh=True)
    with pytest.raises(errors.ArgumentError, match="wrap=True"):
        owner.read_array(data, fresh=True, wrap=True, bound=3)
    with pytest.raises(errors.RangeError):
        owner.read_array(data, fresh=True, bound=user.t)
    with pytest.raises(errors.ArgumentError, match="bytes or the path"):
        owner.read_array(3, fresh=True)
    with pytest.raises(errors.ArgumentError, match="encoding"):
        owner.read_array(data, fresh=True, encoding="field")
    with pytest.raises(errors.FileError):
        owner.read_array("/no/such/file", fresh=True)
    with pytest.raises(errors.ArgumentError, match="zero byte"):
        owner.read_array("a\0b", fresh=True)
    with pytest.raises(errors.FormatError, match="max_bytes"):
        user.owner(max_bytes=100).read_array(data, fresh=True)
    # Somebody else's secret key, under this owner's name.
    secret, _, _ = cy.keygen(user.here, rotations=[])
    mine = seal.Owner.of(secret)
    with pytest.raises(errors.NoiseError):
        mine.read_array(data)
    lying = seal.Owner(user.here, key_id=secret.key_id, allow_unfit_key=True).read_array(data, fresh=True)
    with pytest.raises(errors.CyclotomeError):
        cy.decrypt(lying, secret)
    # Values beyond their stated bound.
    known = user.owner_with_key()
    with pytest.raises(errors.RangeError):
        cy.decrypt(known.read_array(data, bound=2), known.secret)


def test_owners_do_not_mix(user: SealUser, objects: Any) -> None:
    first, second = user.owner(), user.owner()
    a, b = (owner.read_array(objects["ciphertext"], fresh=True, bound=3) for owner in (first, second))
    with pytest.raises(errors.MismatchError):
        a + b
    again = user.owner(key_id=first.key_id)
    assert (a + again.read_array(objects["ciphertext"], fresh=True, bound=3)).shape == a.shape
    for wrong in ("", "00", "zz" * 16, 5):
        with pytest.raises(errors.ArgumentError, match="32 hexadecimal digits"):
            user.owner(key_id=wrong)


def test_keys_of_another_secret_are_refused_where_that_can_be_seen(
    user: SealUser, objects: Any, tmp_path: Path
) -> None:
    other = SealUser(user.scheme, 2048, tmp_path, tuple(user.primes), user.t)
    owner = user.owner_with_key()
    with pytest.raises(errors.MismatchError, match="public key"):
        owner.read_public_key(other.sent(other.public))
    with pytest.raises(errors.MismatchError, match="relinearisation key"):
        owner.read_evaluation_keys(other.sent(other.relin))
    with pytest.raises(errors.MismatchError, match="Galois element 3"):
        owner.read_evaluation_keys(galois=other.sent(other.galois([1])))
    assert owner.public is None and owner.evaluation is None
    owner.read_public_key(objects["public"])
    assert owner.read_evaluation_keys(objects["relin"], objects["galois"]).rotations == (1,)


def test_an_unknown_secret_has_to_be_accepted(user: SealUser, objects: Any) -> None:
    owner = seal.Owner(user.here)
    for read in (
        lambda: owner.read_public_key(objects["public"]),
        lambda: owner.read_evaluation_keys(objects["relin"]),
        lambda: owner.read_array(objects["ciphertext"], fresh=True),
    ):
        with pytest.raises(errors.MissingKeyError, match="allow_unfit_key=True"):
            read()
    with pytest.raises(errors.ArgumentError, match="neither"):
        user.owner().read_evaluation_keys()


def test_keys_from_elsewhere_are_not_stored_in_our_format(user: SealUser, objects: Any, tmp_path: Path) -> None:
    """They have no seed of ours; arrays under them are stored as always."""
    owner = user.owner()
    keys = owner.read_public_key(objects["public"]), owner.read_evaluation_keys(objects["relin"])
    for key in keys:
        with pytest.raises(errors.UnsupportedError, match=r"no seed.*cyclotome\.interop"):
            cy.save(tmp_path / "key", key)
    assert not (tmp_path / "key").exists()
    array = owner.read_array(objects["ciphertext"], fresh=True, bound=3)
    cy.save(tmp_path / "array", array)
    loaded = cy.load(tmp_path / "array", expect=user.here, keys=keys[0])
    with_key = user.owner(key_id=owner.key_id)
    assert cy.decrypt(loaded, with_key.read_secret_key(objects["secret"]))[:4].tolist() == [1, 2, 3, 0]


def test_parameters_that_seal_can_not_have_say_so() -> None:
    """And how to make some that it can."""
    shapes = [
        cy.Parameters.suggest(depth=3, value_bits=10, min_degree=16384),
        cy.Parameters.from_modulus_bits(degree=4096, modulus_bits=60, plain_moduli=[40961], word=32),
        cy.Parameters.from_modulus_bits(degree=8192, modulus_bits=110, plain_moduli=[40961, 65537]),
        cy.Parameters.suggest(bits=True, depth=1),
    ]
    for parameters in shapes:
        with pytest.raises(errors.ParameterError, match="make_parameters"):
            seal.write_parameters(parameters)
    for degree, bits, scheme in itertools.product((2048, 4096, 8192), (17, 20), ("bfv", "bgv")):
        made = seal.make_parameters(degree, plain_bits=bits, scheme=scheme)
        assert seal.read_parameters(seal.write_parameters(made)) == made and made.security_reached >= 128
    with pytest.raises(errors.SecurityError):
        seal.make_parameters(4096, modulus_bits=200)


def test_zstd_without_its_package_names_the_extra(
    user: SealUser, objects: Any, readers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = recompressed(objects["plaintext"], "zstd")

    monkeypatch.setattr(seal_frame, "SEAL", extras.Needs("seal", ("no_such_package_is_there",), "zstd"))
    assert "(extra seal): pip install no_such" in refused(readers["plaintext"], data, errors.MissingPackageError)
    with pytest.raises(errors.MissingPackageError):
        seal.write_plaintext([1], user.here, compression="zstd")
    for options in ({"compression": "lz4"}, {"version": "3.7"}, {"version": 4.1}):
        with pytest.raises(errors.ArgumentError, match="there are"):
            seal.write_plaintext([1], user.here, **options)


def test_plaintexts_hold_what_fits(user: SealUser) -> None:
    with pytest.raises(errors.RangeError, match="half of the plaintext modulus"):
        seal.write_plaintext([user.t], user.here)
    with pytest.raises(errors.ArgumentError, match="up to 2048"):
        seal.write_plaintext(range(2049), user.here)
    half = user.t // 2
    data = seal.write_plaintext([half, -half, 0], user.here)
    assert seal.read_plaintext(data, user.here)[:4].tolist() == [half, -half, 0, 0]
