# SPDX-License-Identifier: Apache-2.0
"""Every object of Microsoft SEAL read here and back there: BFV and BGV, each degree, three compressions, seeded or not;
and SEAL's ciphertexts computed on here with SEAL's keys, ours there with ours."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core, errors
from cyclotome.interop import seal
from oracles.integers import random_below
from seal_files import TABLE, SealUser, body_of, recompressed, seeded, users
from seal_party import sealapi

__all__ = ["users"]

SCHEMES = ("bfv", "bgv")
COMPRESSIONS = ("none", "zlib", "zstd")
#: The larger ones take seconds and hundreds of megabytes.
DEGREES = [4096, 8192, *(pytest.param(n, marks=pytest.mark.full) for n in (16384, 32768))]


@pytest.fixture(params=SCHEMES)
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def user(users: Any, scheme: str) -> SealUser:
    found: SealUser = users(scheme, 8192)
    return found


def residues(x: cy.EncryptedArray) -> Any:
    (channel,) = x.native.channels
    return _core.residues_of(channel)


def test_importing_the_library_does_not_load_it() -> None:
    program = "import cyclotome, sys; print(*sys.modules); cyclotome.interop.seal.Owner"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "cyclotome" in loaded and not [name for name in loaded if name.startswith("cyclotome.interop")]
    with pytest.raises(AttributeError, match="there are seal, tenseal"):
        cy.interop.heaan  # noqa: B018


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_every_object_goes_to_seal_and_back(
    users: Any, scheme: str, degree: int, compression: str, rng: np.random.Generator, tmp_path: Path
) -> None:
    """Each as SEAL wrote it, read here, written here and loaded there, is what it was: the same bytes without their
    compression, which SEAL itself reads in each of its kinds."""
    user = users(scheme, degree)
    x = random_below(rng, user.t, user.n)
    here, owner = user.here, user.owner()
    # Parameters.
    data = recompressed(user.sent(user.parameters), compression)
    read = seal.read_parameters(data, security_table=TABLE)
    assert read == here and [*read.moduli, *read.special_moduli] == user.primes and read.plain_moduli == (user.t,)
    back = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE(user.parameters.scheme()))
    user.files.loaded(back, seal.write_parameters(read, compression=compression, version=user.version))
    assert user.sent(back) == user.sent(user.parameters)
    # Plaintexts.
    plaintext = user.encoded(x)
    values = seal.read_plaintext(recompressed(user.sent(plaintext), compression), here)
    assert np.array_equal(values % user.t, x)
    ours = user.got("Plaintext", seal.write_plaintext(values, here, compression=compression, version=user.version))
    assert ours.to_string() == plaintext.to_string()
    # Secret keys.
    secret = user.owner().read_secret_key(recompressed(user.sent(user.secret), compression))
    path = tmp_path / "secret.seal"
    seal.save_secret_key(path, secret, compression=compression, version=user.version)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and "Secret" not in path.read_bytes().decode("latin1")
    again = user.got("SecretKey", path.read_bytes())
    assert user.sent(again) == user.sent(user.secret)
    # Public keys.
    public = owner.read_public_key(recompressed(user.sent(user.public), compression))
    same = user.got("PublicKey", seal.write_public_key(public, compression=compression, version=user.version))
    assert user.sent(same) == user.sent(user.public)
    # Switching keys.
    galois = user.galois([1, -3])
    keys = owner.read_evaluation_keys(
        recompressed(user.sent(user.relin), compression), recompressed(user.sent(galois), compression)
    )
    assert keys.relinearization and set(keys.rotations) == {1, -3}
    for kind, theirs, written in (
        ("RelinKeys", user.relin, seal.write_relin_keys(keys, compression=compression, version=user.version)),
        ("GaloisKeys", galois, seal.write_galois_keys(keys, compression=compression, version=user.version)),
    ):
        assert user.sent(user.got(kind, written)) == user.sent(theirs)
    # Ciphertexts: of 2 and 3 parts, and of every level.
    fresh = user.encrypted(x)
    product = sealapi.Ciphertext()
    user.evaluator.multiply(fresh, fresh, product)
    ciphertexts = [fresh, product]
    for _ in range(len(here.moduli) - 1):
        lower = sealapi.Ciphertext()
        user.evaluator.mod_switch_to_next(ciphertexts[-1] if len(ciphertexts) > 2 else fresh, lower)
        ciphertexts.append(lower)
    for theirs in ciphertexts:
        data = recompressed(user.sent(theirs), compression)
        with cy.allow_undecryptable():
            array = owner.read_array(data, noise_budget=1)
            (written,) = seal.write_array(array, compression=compression, version=user.version)
        assert array.shape == (user.n,) and residues(array).shape[1:3] == (theirs.size(), theirs.coeff_modulus_size())
        assert user.sent(user.got("Ciphertext", written)) == user.sent(theirs)


def test_seeds_expand_as_in_seal(user: SealUser, rng: np.random.Generator, tmp_path: Path) -> None:
    """SEAL's own reading of its serialisable objects, saved whole, and ours have the same residues."""
    x = random_below(rng, user.t, user.n)
    owner = user.owner_with_key()
    half = user.sent(user.encryptor.encrypt_symmetric(user.encoded(x)))
    whole = user.sent(user.got("Ciphertext", half))
    assert len(half) < 0.6 * len(whole)
    ours, theirs = owner.read_array(half), owner.read_array(whole)
    assert np.array_equal(residues(ours), residues(theirs))
    assert np.array_equal(cy.decrypt(ours, owner.secret) % user.t, x)
    half = user.sent(user.generator.create_relin_keys())
    whole = user.sent(user.got("RelinKeys", half))
    assert len(half) < 0.6 * len(whole)
    pair = [user.owner().read_evaluation_keys(data).native for data in (half, whole)]
    assert np.array_equal(*(_core.residues_of(keys, None) for keys in pair))
    half = user.sent(user.generator.create_galois_keys([1, 3]))  # elements, of which 1 moves nothing
    whole = user.sent(user.got("GaloisKeys", half))
    pair = [user.owner().read_evaluation_keys(galois=data).native for data in (half, whole)]
    assert len(half) < 0.6 * len(whole) and np.array_equal(*(_core.residues_of(keys, 3) for keys in pair))


@pytest.mark.parametrize("generator", [1, 2], ids=["blake2xb", "shake256"])
@pytest.mark.parametrize("kind", ["PublicKey", "Ciphertext"])
def test_both_generators_expand_as_in_seal(user: SealUser, rng: np.random.Generator, generator: int, kind: str) -> None:
    """A seed of our choice in the place of half an object: SEAL and this library make the same of it."""
    whole = user.sent(user.public if kind == "PublicKey" else user.encrypted([1]))
    data = seeded(whole, generator, rng.bytes(64))
    expanded = user.sent(user.got(kind, data))
    assert len(body_of(data)) < 0.51 * len(body_of(expanded))
    if kind == "PublicKey":
        pair = [_core.residues_of(user.owner().read_public_key(each).native) for each in (data, expanded)]
    else:
        pair = [residues(user.owner().read_array(each, fresh=True)) for each in (data, expanded)]
    assert np.array_equal(*pair)


def test_seals_ciphertexts_are_computed_on_with_seals_keys(user: SealUser, rng: np.random.Generator) -> None:
    """On a server without the secret key; results decrypt in SEAL, and are what SEAL's own operations give."""
    x, y = (random_below(rng, 100, user.n) for _ in range(2))
    owner = user.owner()
    owner.read_public_key(user.sent(user.public))
    owner.read_evaluation_keys(user.sent(user.relin), user.sent(user.galois([1, 5, -7])))
    a, b = (owner.read_array(user.sent(user.encrypted(v)), fresh=True, bound=100) for v in (x, y))
    rows = x.reshape(2, -1)
    columns = {1, 5, -7} <= set(owner.evaluation.rotations)
    results = {
        "product": (a * b + 3 * a, x * y + 3 * x),
        "left": (a.rotate_rows(5), np.roll(rows, -5, axis=1).reshape(-1)),
        "right": ((a * b).rotate_rows(-7), np.roll((x * y).reshape(2, -1), 7, axis=1).reshape(-1)),
        "plain": (a * 17 - b, 17 * x - y),
    }
    assert columns
    for name, (ours, expected) in results.items():
        (data,) = seal.write_array(ours, version=user.version)
        theirs = user.got("Ciphertext", data)
        assert user.budget(theirs) > 0, name
        assert np.array_equal(user.decrypted(theirs), expected % user.t), name


def test_our_ciphertexts_are_computed_on_with_our_keys_in_seal(user: SealUser, rng: np.random.Generator) -> None:
    """SEAL multiplies, relinearises, switches and rotates what was encrypted here; it comes back and decrypts here."""
    x, y = (random_below(rng, 100, user.n) for _ in range(2))
    secret, public, evaluation = cy.keygen(user.here, rotations=[3])
    a, b = (
        user.got("Ciphertext", seal.write_array(cy.encrypt(v, key), version=user.version)[0])
        for v, key in ((x, public), (y, secret))
    )
    relin = user.got("RelinKeys", seal.write_relin_keys(evaluation, version=user.version))
    galois = user.got("GaloisKeys", seal.write_galois_keys(evaluation, version=user.version))
    product, small, turned, lower = (sealapi.Ciphertext() for _ in range(4))
    user.evaluator.multiply(a, b, product)
    user.evaluator.relinearize(product, relin, small)
    user.evaluator.rotate_rows(small, 3, galois, turned)
    user.evaluator.mod_switch_to_next(small, lower)
    owner = seal.Owner.of(secret)
    expected = x * y
    turned_values = np.roll(expected.reshape(2, -1), -3, axis=1).reshape(-1)
    for theirs, values in ((product, expected), (small, expected), (turned, turned_values), (lower, expected)):
        ours = owner.read_array(user.sent(theirs), bound=10**4)
        assert np.array_equal(cy.decrypt(ours, secret), values)
    # And SEAL encrypts with our public key, and decrypts with our secret one.
    user_public = user.got("PublicKey", seal.write_public_key(public, version=user.version))
    encryptor, fresh = sealapi.Encryptor(user.context, user_public), sealapi.Ciphertext()
    encryptor.encrypt(user.encoded(x), fresh)
    data = user.sent(fresh)
    assert np.array_equal(cy.decrypt(owner.read_array(data, fresh=True, bound=100) * 2, secret), 2 * x)


def test_our_secret_key_decrypts_in_seal(user: SealUser, rng: np.random.Generator, tmp_path: Path) -> None:
    x = random_below(rng, 100, user.n)
    secret, public, _ = cy.keygen(user.here, rotations=[])
    seal.save_secret_key(tmp_path / "key", secret, version=user.version)
    theirs = user.got("SecretKey", (tmp_path / "key").read_bytes())
    (data,) = seal.write_array(cy.encrypt(x, public), version=user.version)
    decryptor, plaintext = sealapi.Decryptor(user.context, theirs), sealapi.Plaintext()
    decryptor.decrypt(user.got("Ciphertext", data), plaintext)
    assert np.array_equal(np.array(user.encoder.decode_int64(plaintext)), x)
    with pytest.raises(errors.FileError, match="exists"):
        seal.save_secret_key(tmp_path / "key", secret)
    (tmp_path / "key").chmod(0o644)
    with pytest.warns(errors.SecretFileWarning, match="chmod 600"):
        user.owner().read_secret_key(tmp_path / "key")


def test_ciphertexts_of_every_level_are_computed_on(user: SealUser, rng: np.random.Generator) -> None:
    """SEAL's switched ciphertexts, with BGV's correction factors, meet each other and fresh ones here."""
    x = random_below(rng, 50, user.n)
    owner = user.owner_with_key()
    owner.read_evaluation_keys(user.sent(user.relin))
    fresh = user.encrypted(x)
    arrays, theirs = [owner.read_array(user.sent(fresh), bound=50)], fresh
    for _ in range(len(user.here.moduli) - 2):
        lower = sealapi.Ciphertext()
        user.evaluator.mod_switch_to_next(theirs, lower)
        arrays.append(owner.read_array(user.sent(lower), bound=50))
        theirs = lower
    assert [x.native.level for x in arrays] == list(range(len(user.here.moduli), 1, -1))
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    assert np.array_equal(cy.decrypt(total, owner.secret), len(arrays) * x)
    assert np.array_equal(cy.decrypt(arrays[0] * arrays[1], owner.secret), x * x)


def test_results_of_every_level_go_to_seal(user: SealUser, rng: np.random.Generator) -> None:
    """Products with plaintexts, whose ciphertexts stay transformed here, and results at lower levels: SEAL's decryptor
    opens what is written, the same bytes in either domain, and SEAL adds to it."""
    x = random_below(rng, 50, user.n)
    owner = user.owner_with_key()
    owner.read_evaluation_keys(user.sent(user.relin))
    fresh = owner.read_array(user.sent(user.encrypted(x)), bound=50)
    weights = cy.plain(random_below(rng, 7, user.n), user.here)
    one = fresh.transformed() * weights
    results = [(one, x * weights.values), (one + fresh, x * weights.values + x), (fresh * fresh + one, None)]
    for result, expected in results:
        wanted = np.asarray(cy.decrypt(result, owner.secret)) if expected is None else expected
        for each in (result, result.switch_to_level(max(1, result.level - 1)), result.switch_to_least_level()):
            written = seal.write_array(each, compression="none", version=user.version)
            for same in (each.transformed(), each.transformed(False)):
                assert seal.write_array(same, compression="none", version=user.version) == written
            theirs, opened, total = user.got("Ciphertext", written[0]), sealapi.Plaintext(), sealapi.Ciphertext()
            user.decryptor.decrypt(theirs, opened)
            assert np.array_equal(np.array(user.encoder.decode_int64(opened)), wanted)
            user.evaluator.add(theirs, theirs, total)
            again = owner.read_array(user.sent(total), bound=10**4)
            with cy.allow_undecryptable():
                assert cy.noise_budget(again, owner.secret) < 1 or np.array_equal(
                    cy.decrypt(again, owner.secret), 2 * wanted
                )


def test_several_ciphertexts_are_one_array(user: SealUser, rng: np.random.Generator) -> None:
    x = random_below(rng, 1000, user.n + 7)
    items = [user.sent(user.encrypted(part)) for part in (x[: user.n], x[user.n :])]
    owner = user.owner_with_key()
    long = owner.read_array(items, length=user.n + 7, clean=True)
    assert long.shape == (user.n + 7,) and np.array_equal(cy.decrypt(long, owner.secret), x)
    both = owner.read_array(items)
    assert both.shape == (2, user.n) and np.array_equal(cy.decrypt(both, owner.secret)[0], x[: user.n])
    assert seal.write_array(both, compression="none", version=user.version) == [
        recompressed(data, "none") for data in items
    ]
    for length in (user.n, 2 * user.n + 1, 0, -1):
        with pytest.raises(errors.ArgumentError, match="length"):
            owner.read_array(items, length=length)


def test_coefficients_are_read_as_such(user: SealUser, rng: np.random.Generator) -> None:
    x = random_below(rng, user.t, user.n)
    plaintext = user.got(
        "Plaintext", seal.write_plaintext(x - user.t // 2, user.here, encoding="coefficients", version=user.version)
    )
    assert np.array_equal(
        seal.read_plaintext(user.sent(plaintext), user.here, encoding="coefficients"), x - user.t // 2
    )
    ciphertext = sealapi.Ciphertext()
    user.encryptor.encrypt(plaintext, ciphertext)
    owner = user.owner_with_key()
    array = owner.read_array(user.sent(ciphertext), encoding="coefficients")
    assert array.encoding == "coefficients" and np.array_equal(cy.decrypt(array, owner.secret), x - user.t // 2)


def test_either_form_is_read(user: SealUser, rng: np.random.Generator) -> None:
    """BFV's ciphertexts that SEAL has transformed, and BGV's that it has not."""
    x = random_below(rng, user.t, user.n)
    theirs, other = user.encrypted(x), sealapi.Ciphertext()
    getattr(user.evaluator, "transform_to_ntt" if user.scheme == "bfv" else "transform_from_ntt")(theirs, other)
    owner = user.owner_with_key()
    data = user.sent(other)
    assert body_of(data)[32] != body_of(user.sent(theirs))[32]
    read = owner.read_array(data)
    assert np.array_equal(cy.decrypt(read, owner.secret) % user.t, x)
    assert np.array_equal(residues(read), residues(owner.read_array(user.sent(theirs))))


def test_noise_is_what_seal_measures(user: SealUser, rng: np.random.Generator) -> None:
    """Measured bounds hold and are within two bits; so are those of SEAL's budget; fresh ones hold."""
    x = random_below(rng, user.t, user.n)
    owner = user.owner_with_key()
    fresh, product = user.encrypted(x), sealapi.Ciphertext()
    user.evaluator.multiply(fresh, fresh, product)
    for theirs in (fresh, product, user.encrypted(x, symmetric=True)):
        data, budget = user.sent(theirs), user.budget(theirs)
        measured, stated = owner.read_array(data), owner.read_array(data, noise_budget=budget)
        (exact,) = _core.measured_noise(measured.native.channels[0], owner.secret.native)
        for array in (measured, stated):
            (bound, _, _) = array.native.channels[0].noise
            assert exact <= bound <= exact + 2.1
            assert cy.noise_budget(array, owner.secret) == budget
        if theirs is not product:
            (bound, _, _) = owner.read_array(data, fresh=True).native.channels[0].noise
            assert exact <= bound
