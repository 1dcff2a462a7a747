# SPDX-License-Identifier: Apache-2.0
"""The files of test/fuzz/corpus, read by a second implementation of doc/wire-format.md in plain Python, mean what they
should: keys hide what the page says, and ciphertexts decrypt to the plaintexts beside them. So the page is complete,
and files of format version 1 stay readable."""

from __future__ import annotations

import itertools
import math
import struct
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
import small
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.devices.contexts import context_on
from oracles import wire_format
from oracles.integers import centred, compose, round_half_up
from oracles.negacyclic import automorphism, schoolbook, slot_exponents, transform
from oracles.noise import secret_is_fit

CORPUS = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"
SETS = [form + name for form in ("", "format1-") for name in ("u32-hybrid", "u32-gadget", "u64-hybrid", "bgv")]
#: The largest error of the centred binomial law with 21 pairs.
ERROR_BOUND = 21


def load(name: str) -> wire_format.File:
    return wire_format.read((CORPUS / name).read_bytes())


def sections(file: wire_format.File) -> list[wire_format.Ciphertexts]:
    """The ciphertext arrays of a file."""
    assert {tag for tag, _ in file.sections} <= {"ARRY", "CIPH"}
    found = [data for tag, data in file.sections if tag == "CIPH"]
    return [wire_format.ciphertexts(data, file.parameters, file.version) for data in found]


def array_name(name: str) -> str:
    """Format 1 knew bundles, without a description of what they mean."""
    return f"{name}-bundle" if name.startswith("format1-") else f"{name}-array"


def test_the_corpus_has_every_kind() -> None:
    """In the present format: what is not there is neither replayed nor read by the second implementation, which knows
    exact integers."""
    others = ("format1-", "reals-")
    current = [
        wire_format.read(path.read_bytes())
        for path in CORPUS.iterdir()
        if not path.name.endswith(("product-context", "identity")) and not path.name.startswith(others)
    ]
    assert {file.kind for file in current} == set(wire_format.KINDS.values())
    for name in ("plain_array", "plain_constants"):
        for file in map(load, (f"u32-hybrid-{name}", f"u32-gadget-{name}")):
            shape, values = wire_format.plain_array(file)
            assert math.prod(shape) == len(values) > 0


def error_factor(file: wire_format.File) -> int:
    """What keys' errors are multiples of: 1 in BFV, t in BGV. Of several plaintext moduli, version 1 had the product,
    and keys have none since."""
    p = file.parameters
    if p.scheme == "bfv" or (file.version == 2 and len(p.plain_moduli) > 1):
        return 1
    return math.prod(p.plain_moduli)


def smallest_root(degree: int, q: int) -> int:
    """The smallest primitive 2n-th root of unity modulo q."""
    for x in itertools.count(2):
        root = pow(x, (q - 1) // (2 * degree), q)
        if pow(root, degree, q) == q - 1:
            return min(pow(root, odd, q) for odd in range(1, 2 * degree, 2))
    raise AssertionError


def coefficients(transformed: list[list[int]], moduli: list[int]) -> list[list[int]]:
    """Transforms back to coefficients, by the definition of the inverse."""
    result = []
    for limb, q in zip(transformed, moduli, strict=True):
        n = len(limb)
        root, scale, exponents = smallest_root(n, q), pow(n, -1, q), slot_exponents(n)
        inverse = [
            sum(x * pow(root, -i * e, q) for x, e in zip(limb, exponents, strict=True)) * scale % q for i in range(n)
        ]
        assert transform(inverse, root, q) == limb
        result.append(inverse)
    return result


def phase(parts: list[list[list[int]]], secret: list[int], moduli: list[int]) -> list[list[int]]:
    """c0 + c1 s + c2 s^2 + ... in every limb."""
    total = [[0] * len(secret) for _ in moduli]
    for part in reversed(parts):
        for limb, q in enumerate(moduli):
            product = schoolbook(total[limb], secret, q)
            total[limb] = [(x + y) % q for x, y in zip(product, part[limb], strict=True)]
    return total


def decrypt(c: wire_format.Ciphertexts, p: wire_format.Parameters, secret: list[int]) -> list[list[int]]:
    """Textbook decryption of every ciphertext: round(t phase / q), or the low digits of the phase (BGV)."""
    moduli, t = p.moduli[: c.limbs], p.plain_moduli[c.plain]
    q = math.prod(moduli)
    messages = []
    for parts in c.polynomials:
        if p.scheme == "bgv":
            parts = [coefficients(part, moduli) for part in parts]
        value = compose(phase(parts, secret, moduli), moduli)
        if p.scheme == "bgv":
            messages.append([int(x) * pow(c.correction, -1, t) % t for x in centred(value, q)])
        else:
            messages.append([int(x) % t for x in round_half_up(value * t, q)])
    return messages


@pytest.mark.parametrize(
    "path",
    sorted(
        f
        for f in CORPUS.iterdir()
        # Those of real numbers are read by the second reader (test/python/reader).
        if not f.name.endswith(("product-context", "identity")) and not f.name.startswith("reals-")
    ),
    ids=lambda path: path.name,
)
def test_every_file_has_a_sound_frame(path: Path) -> None:
    file = wire_format.read(path.read_bytes())
    assert file.parameters.label == "INSECURE"
    assert file.parameters.name == "test"
    if path.name.startswith("joint1-"):
        assert file.metadata in (b"", b"{}")  # the protocol's first version, some of it written by the package
    elif path.name.startswith("cyclotomic-"):
        assert file.metadata == b""
    elif file.kind in ("public_key", "bundle") or path.name.endswith("-ciphertext"):
        assert file.metadata == b'{"shape":2}\x00\xff'
    else:
        assert file.metadata == b""


@pytest.mark.parametrize("name", SETS)
def test_keys_and_ciphertexts_carry_the_id_of_their_secret_key(name: str) -> None:
    kinds = ["secret_key", "public_key", "evaluation_keys", "ciphertext", "symmetric", "product"]
    ids = {load(f"{name}-{kind}").key_id for kind in kinds} | {load(array_name(name)).key_id}
    assert len(ids) == 1
    assert any(ids.pop())


def test_the_passphrase_opens_the_protected_secret_key() -> None:
    """It is the key of the first set, whose cipher and key derivation are computed by other code here."""
    data = (CORPUS / "protected_secret_key").read_bytes()
    expected = wire_format.secret_key(load("u32-hybrid-secret_key"))
    assert wire_format.opened_secret_key(data, b"correct horse") == expected
    with pytest.raises(AssertionError):
        wire_format.opened_secret_key(data, b"correct house")


def test_the_passphrase_opens_what_a_party_keeps() -> None:
    """It is the file of the party beside it, which says that it has answered, and helped to decrypt."""
    [(tag, section)] = load("joint-party").sections
    assert (tag, len(section)) == ("PRTY", 108 + 3 * 32 + 40 + 5 * 32 + 8 + 2 * 32)
    audit = [bytes([each]) for each in (9, 10, 11, 12, 13, 14)]
    assert section[108 + 3 * 32 :] == struct.pack("<2I32s32s32s32s32s32sQ32s32s", 3, 2, *audit, 3, b"\4", b"\5")
    assert (section[32:44], section[44:76]) == (struct.pack("<3I", 1, 1, 3), b"\7" + bytes(31))
    assert wire_format.opened((CORPUS / "protected_party").read_bytes(), b"correct horse") == section


def test_the_passphrase_opens_the_protected_secret_share() -> None:
    """It is the share of the joint key beside it."""
    [(tag, section)] = load("joint-secret_share").sections
    assert tag == "SSHA"
    assert wire_format.opened((CORPUS / "protected_secret_share").read_bytes(), b"correct horse") == section


@pytest.mark.parametrize("name", SETS)
def test_the_public_key_hides_zero(name: str) -> None:
    file, secret = load(f"{name}-public_key"), wire_format.secret_key(load(f"{name}-secret_key"))
    p = file.parameters
    [(tag, data)] = file.sections
    assert tag == "PKEY"
    [(body, mask)] = wire_format.key_pairs(data, 1, p)
    moduli = p.key_moduli
    error = phase([coefficients(body, moduli), coefficients(mask, moduli)], secret, moduli)
    factor = error_factor(file)
    values = [int(x) for x in centred(compose(error, moduli), math.prod(moduli))]
    assert any(values)
    assert all(x % factor == 0 and abs(x) <= factor * ERROR_BOUND for x in values)


@pytest.mark.parametrize("name", SETS)
def test_evaluation_keys_hide_their_targets(name: str) -> None:
    file, secret = load(f"{name}-evaluation_keys"), wire_format.secret_key(load(f"{name}-secret_key"))
    p, moduli = file.parameters, file.parameters.key_moduli
    special, per_digit = math.prod(p.special_moduli), -(-len(p.moduli) // p.digits)
    factor = error_factor(file)
    assert [tag for tag, _ in file.sections] == ["RLIN", "GALO", "GALO", "GALO"]
    elements = [int.from_bytes(data[:8], "little") for tag, data in file.sections[1:]]
    assert elements == [3, 5, 2 * p.degree - 1]
    for (tag, data), element in zip(file.sections, [0, *elements], strict=True):
        pairs = wire_format.key_pairs(data if tag == "RLIN" else data[8:], p.digits, p)
        for j, (body, mask) in enumerate(pairs):
            total = phase([coefficients(body, moduli), coefficients(mask, moduli)], secret, moduli)
            mine = p.moduli[j * per_digit : (j + 1) * per_digit]
            for limb, q in enumerate(moduli):
                target = schoolbook(secret, secret, q) if tag == "RLIN" else automorphism(secret, element, q)
                gadget = special % q if q in mine else 0
                total[limb] = [(x - gadget * w) % q for x, w in zip(total[limb], target, strict=True)]
            error = [int(x) for x in centred(compose(total, moduli), math.prod(moduli))]
            assert all(x % factor == 0 and abs(x) <= factor * ERROR_BOUND for x in error)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_rekeying_keys_hide_one_secret_under_the_other(scheme: str, tmp_path: Path) -> None:
    parameters = small.parameters((65537,), scheme=scheme)
    secrets = [cy.keygen(parameters, rotations=[], device="cpu:1").secret for _ in range(2)]
    files = []
    for key in (*secrets, cy.rekeying.rekeying_key(*secrets)):
        cy.save(tmp_path / "key", key, overwrite=True)
        files.append(wire_format.read((tmp_path / "key").read_bytes()))
    first, second = (wire_format.secret_key(file) for file in files[:2])
    file, p = files[2], files[2].parameters
    [(tag, data)] = file.sections
    assert (file.kind, tag, file.key_id, data[:16]) == ("rekeying_key", "REKY", files[1].key_id, files[0].key_id)
    moduli, special, per_digit = p.key_moduli, math.prod(p.special_moduli), -(-len(p.moduli) // p.digits)
    factor = error_factor(file)
    for j, (body, mask) in enumerate(wire_format.key_pairs(data[16:], p.digits, p)):
        total = phase([coefficients(body, moduli), coefficients(mask, moduli)], second, moduli)
        for limb, q in enumerate(moduli):
            gadget = special % q if q in p.moduli[j * per_digit : (j + 1) * per_digit] else 0
            total[limb] = [(x - gadget * w) % q for x, w in zip(total[limb], first, strict=True)]
        error = [int(x) for x in centred(compose(total, moduli), math.prod(moduli))]
        assert any(error)
        assert all(x % factor == 0 and abs(x) <= factor * ERROR_BOUND for x in error)


@pytest.mark.parametrize("name", SETS)
def test_ciphertexts_decrypt_to_the_plaintexts_beside_them(name: str) -> None:
    secret = wire_format.secret_key(load(f"{name}-secret_key"))
    plain = wire_format.plaintexts(load(f"{name}-plaintext"))
    assert len(plain) == 3
    for kind in ["ciphertext", "symmetric", *(["switched"] if name.endswith("bgv") else [])]:
        file = load(f"{name}-{kind}")
        [c] = sections(file)
        assert file.version == (1 if name.startswith("format1-") else 2)
        assert len(c.noise) == (1 if file.version == 1 else 3)
        assert c.seeded == (kind == "symmetric")
        assert (c.correction != 1) == (kind == "switched")
        assert decrypt(c, file.parameters, secret) == plain[:2]


@pytest.mark.parametrize("name", SETS)
def test_products_decrypt_to_squares(name: str) -> None:
    file, secret = load(f"{name}-product"), wire_format.secret_key(load(f"{name}-secret_key"))
    plain = wire_format.plaintexts(load(f"{name}-plaintext"))
    [c] = sections(file)
    assert all(len(parts) == 3 for parts in c.polynomials)
    t = file.parameters.plain_moduli[0]
    assert decrypt(c, file.parameters, secret) == [schoolbook(x, x, t) for x in plain[:2]]


@pytest.mark.parametrize("name", SETS)
def test_arrays_hold_ciphertexts_of_each_plaintext_modulus(name: str) -> None:
    file, secret = load(array_name(name)), wire_format.secret_key(load(f"{name}-secret_key"))
    plain = wire_format.plaintexts(load(f"{name}-plaintext"))
    if file.version > 1:
        about = wire_format.description(file.sections[0][1])
        assert (about.placement, about.clean, about.bounds) == ("coefficients", True, None)
        assert about.shape == (1, file.parameters.degree)
    arrays = sections(file)
    assert [c.plain for c in arrays] == list(range(len(file.parameters.plain_moduli)))
    assert decrypt(arrays[0], file.parameters, secret) == plain[:1]


def container_of(name: str) -> tuple[Any, Any]:
    """The library's own reading, and a context for it."""
    container = _core.Container.from_bytes(
        (CORPUS / name).read_bytes(),
        max_bytes=1 << 20,
        max_expanded_bytes=1 << 24,
        allow_insecure=True,
        security_table="guidelines-2024",
    )
    return container, context_on("cpu:1", cy.Parameters.of_native(container.parameters, None)).native


@pytest.mark.parametrize("name", SETS)
def test_the_library_takes_bounds_as_they_are_and_version_1s_upwards(name: str) -> None:
    """A deviation d becomes I = d + log2 14 + 8, E = d + 8 and C = I, each lowered to what the others allow."""
    container, context = container_of(array_name(name))
    calculus = testing.NoiseCalculus(container.parameters.degree)
    for mine, theirs in zip(sections(load(array_name(name))), container.read_bundle(context), strict=True):
        wanted = mine.noise
        if len(wanted) == 1:
            loud = wanted[0] + math.log2(14) + 8
            wanted = calculus.tidy([loud, wanted[0] + 8, loud])
        assert theirs.noise == pytest.approx(wanted, abs=1e-12)
        assert calculus.tidy(theirs.noise) == theirs.noise


@pytest.mark.parametrize("name", SETS)
def test_the_library_refuses_secrets_that_fail_the_check_unless_told(name: str) -> None:
    fit = secret_is_fit(wire_format.secret_key(load(f"{name}-secret_key")))
    container, context = container_of(f"{name}-secret_key")
    if fit:
        container.read_secret_key(context, False)
    else:
        assert name.startswith("format1-")
        with pytest.raises(cy.errors.FormatError):
            container.read_secret_key(context, False)
    container.read_secret_key(context, True)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_strict_parameters_are_other_parameters(scheme: str) -> None:
    """The flag and the last line of the fingerprint's text; whoever reads them gets strict bounds again."""
    primes = cy.bfv.find_primes(1024, [26, 26])
    common: dict[str, Any] = {"degree": 1024, "plain_moduli": [257], "moduli": primes[:1], "scheme": scheme}
    loose, strict = (cy.Parameters(**common, security=0, allow_insecure=True, strict=flag) for flag in (False, True))
    files = [wire_format.read(cy.to_bytes(p)) for p in (loose, strict)]  # which compares fingerprints
    assert [file.parameters.strict for file in files] == [False, True] and loose != strict
    assert files[0].parameters.fingerprint() != files[1].parameters.fingerprint()
    again = cy.from_bytes(cy.to_bytes(strict), allow_insecure=True)
    assert again == strict and "strict" in again.summary() and "strict" not in loose.summary()
    bounds = []
    for parameters in (loose, strict):
        _, public, _ = cy.keygen(parameters, rotations=[], relinearization=False)
        x = cy.encrypt([1, 2], public, wrap=True, layout="replicated")
        bounds.append(x.noise_headroom)
    assert bounds[0] == bounds[1]  # nothing is rounded without special primes, and C does not show in I
