# SPDX-License-Identifier: Apache-2.0
"""The second reader beside the library: fresh files of random values, keys, noise and bounds; altered and hostile
files are refused or found."""

from __future__ import annotations

import hashlib
import json
import struct
from functools import cache
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome_reader import answers, arrays, decryption, files, keys
from cyclotome_reader.command import main
from cyclotome_reader.rings import Cyclotomic, Negacyclic
from oracles import cyclotomic, negacyclic
from oracles.integers import some_primes
from pages import program
from small import insecure

CORPUS = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"


@cache
def script() -> Any:
    return program("test/vectors/make_vectors.py")


def saved(folder: Path, **objects: Any) -> dict[str, Path]:
    """Files of these objects, by name."""
    for name, obj in objects.items():
        cy.save(folder / name, obj)
    return {name: folder / name for name in objects}


PARAMETERS = {
    "bfv": lambda: insecure((65537, 40961), 64),
    "bgv": lambda: insecure((65537,), 64, scheme="bgv"),
    "bgv-bits": lambda: script().cyclotomic("bgv", 64, 105, False),
    "bfv-integers": lambda: script().cyclotomic("bfv", 64, 21, True),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_random_programs_read_alike(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    """Values equal Python's, every bound holds, and keys pass."""
    p = PARAMETERS[name]()
    made = cy.keygen(p, device="cpu:1")
    paths = saved(tmp_path, secret=made.secret, public=made.public, evaluation=made.evaluation)
    secret = files.secret_key(files.read(paths["secret"].read_bytes()))
    assert keys.secret_is_fit(secret, files.read(paths["secret"].read_bytes()).parameters)
    assert len(keys.public_key(files.read(paths["public"].read_bytes()), secret)) == 1
    evaluation = files.read(paths["evaluation"].read_bytes())
    assert len(keys.evaluation_keys(evaluation, secret)) == len(evaluation.sections)
    bits = p.holds_bits
    for _ in range(6):
        a, b = (rng.integers(0, 2, p.slots) == 1 if bits else rng.integers(-9, 10, p.slots) for _ in range(2))
        x, y = (cy.encrypt(v, made.public) if bits else cy.encrypt(v, made.public, bound=9) for v in (a, b))
        jobs = [(x ^ y, a ^ b), (x & y, a & b)] if bits else [(x * y, a * b), (x - 2 * y, a - 2 * b)]
        for array, expected in jobs:
            file = files.read(cy.to_bytes(array))
            about, channels, opened = answers.read_array(file, secret)
            messages = [[item.message for item in items] for items in opened]
            values = arrays.values(about, messages, file.parameters)
            assert values == [int(v) for v in expected] and arrays.broken_bounds(about, values) == []
            for c, items in zip(channels, opened, strict=True):
                assert decryption.contradictions(c, items, file.parameters) == []


def test_transforms_are_those_of_the_definition(rng: np.random.Generator) -> None:
    [q] = some_primes(30, 32, 1)
    a = [int(x) for x in rng.integers(0, q, 16)]
    ring = Negacyclic(16)
    psi = min(x for x in (pow(g, (q - 1) // 32, q) for g in range(2, 2000)) if pow(x, 16, q) == q - 1)
    roots = [pow(psi, odd, q) for odd in range(1, 32, 2)]
    assert ring.values(a, q) == negacyclic.transform(a, min(roots), q)
    assert ring.coefficients(ring.values(a, q), q) == a
    for m in (15, 105, 771):
        phi = Cyclotomic(m)
        prime = next(p for p in range(m + 1, 10**7, m) if cyclotomic.prime_factors(p) == [p])
        b = [int(x) for x in rng.integers(0, prime, phi.degree)]
        by_power = {pow(u, -1, m): c for u, c in zip(phi.units, b, strict=True)}
        zeta, found = cyclotomic.root(m, prime), phi.values(b, prime)
        some = rng.integers(0, phi.degree, 8)
        assert all(found[i] == cyclotomic.evaluate(by_power, pow(zeta, phi.units[i], prime), prime) for i in some)
        assert phi.coefficients(found, prime) == b


def resealed(data: bytes) -> bytes:
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


def with_noise(data: bytes, noise: tuple[float, float, float]) -> bytes:
    at = data.index(b"CIPH") + 12 + 32
    return resealed(data[:at] + struct.pack("<3d", *noise) + data[at + 24 :])


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_forged_bounds_and_altered_ciphertexts_are_found(scheme: str, tmp_path: Path, capsys: Any) -> None:
    made = cy.keygen(insecure((65537,), scheme=scheme), device="cpu:1")
    x = cy.encrypt([1, 2, 3], made.public, bound=9)
    paths = saved(tmp_path, secret=made.secret, array=x, public=made.public)
    command = ["decrypt", str(paths["array"]), "--secret", str(paths["secret"])]
    assert main(command) == 0 and json.loads(capsys.readouterr().out) == {"shape": [3], "values": [1, 2, 3]}
    assert main([*command, "--noise"]) == 0 and "root mean square" in capsys.readouterr().out
    data = paths["array"].read_bytes()
    stated = x.native.channels[0].noise
    low = tuple(each - 12 for each in stated)
    lying = {
        "too small": with_noise(data, low),
        "contradict each other": with_noise(data, (stated[0], stated[0] + 1, stated[2])),
        "more noise": with_noise(data, tuple(each + 300 for each in stated)),
    }  # fmt: skip
    for what, forged in lying.items():
        paths["array"].write_bytes(forged)
        assert main(command) == 1, what
        assert ("stated is" if what == "too small" else what) in capsys.readouterr().err
    other = cy.encrypt([1, 2], made.public, bound=2)
    narrow = bytearray(cy.to_bytes(other))
    at = narrow.index(b"ARRY") + 12
    narrow[at + 16] = 1  # a bound of 1
    narrow[at + 24] = 2
    paths["array"].write_bytes(resealed(bytes(narrow)))
    assert main(command) == 1 and "outside" in capsys.readouterr().err
    assert main(["show", *map(str, paths.values())]) == 0
    assert main(["check-keys", str(paths["public"]), "--secret", str(paths["secret"])]) == 0


def test_keys_that_hide_something_else_are_found() -> None:
    load = lambda name: files.read((CORPUS / name).read_bytes())  # noqa: E731
    secret, other = (files.secret_key(load(f"{name}-secret_key")) for name in ("u32-hybrid", "u64-hybrid"))
    assert keys.public_key(load("u32-hybrid-public_key"), secret)
    for check, kind in ((keys.public_key, "public_key"), (keys.evaluation_keys, "evaluation_keys")):
        with pytest.raises(files.ReadError, match="its error is"):
            check(load(f"u32-hybrid-{kind}"), other)
    assert not keys.secret_is_fit([1] * 8, load("u32-hybrid-secret_key").parameters)


def test_joint_decryption_and_its_refusals(tmp_path: Path, capsys: Any) -> None:
    from joint_keys import Joint, parameters

    joint = Joint(parameters("bgv", 16, 3), 2, rotations=[])
    x = joint.encrypt([4, -5], bound=9)
    shares = joint.shares(x, 2, 3)
    paths = saved(tmp_path, array=x, two=shares[0], three=shares[1])
    assert main(["joint", *map(str, paths.values())]) == 0
    assert json.loads(capsys.readouterr().out)["values"] == [4, -5]
    assert main(["joint", str(paths["array"]), str(paths["two"])]) == 1  # one share alone opens nothing
    stranger = Joint(parameters("bgv", 16, 3), 2, rotations=[])
    cy.save(tmp_path / "alien", stranger.shares(stranger.encrypt([1, 2], bound=9), 2, 3)[0])
    assert main(["joint", str(paths["array"]), str(tmp_path / "alien")]) == 3


def test_hostile_files_are_refused_in_one_way(rng: np.random.Generator) -> None:
    """Whatever is changed and sealed anew is read or a ReadError; never another error, and never for long."""
    names = [
        path for path in sorted(CORPUS.iterdir()) if "product-context" not in path.name and "identity" not in path.name
    ]
    secret = files.secret_key(files.read((CORPUS / "u32-hybrid-secret_key").read_bytes()))
    refused = 0
    for _ in range(600):
        data = bytearray(names[int(rng.integers(len(names)))].read_bytes())
        for _ in range(int(rng.integers(1, 4))):
            data[int(rng.integers(len(data)))] = int(rng.integers(256))
        if rng.integers(8) == 0:
            del data[int(rng.integers(len(data))) :]
        if len(data) > 32:
            data[16:24] = struct.pack("<Q", len(data))
            data = bytearray(resealed(bytes(data)))
        try:
            file = files.read(bytes(data))
            if len(secret) == file.parameters.degree:
                visit(file, secret)
        except files.ReadError:
            refused += 1
    assert refused > 300


def visit(file: files.File, secret: list[int]) -> None:
    """Everything that the reader does with such a file."""
    if file.kind == "encrypted array":
        about, _, opened = answers.read_array(file, secret)
        arrays.values(about, [[item.message for item in items] for items in opened], file.parameters)
    elif file.kind == "ciphertexts":
        c = files.ciphertexts(file.section("CIPH"), file.parameters)
        decryption.contradictions(c, decryption.decrypted(c, secret, file.parameters), file.parameters)
    elif file.kind == "public key":
        keys.public_key(file, secret)
    elif file.kind == "evaluation keys":
        keys.evaluation_keys(file, secret)
    elif file.kind == "secret key":
        files.secret_key(file)


def test_unreadable_files_have_an_exit_status(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "none").write_bytes(b"CYCLOTOM")
    assert main(["show", str(tmp_path / "none")]) == 3
    assert main(["show", str(tmp_path / "missing")]) == 3
    assert main(["answers", str(tmp_path)]) == 3
    assert "cyclotome-reader: " in capsys.readouterr().err
