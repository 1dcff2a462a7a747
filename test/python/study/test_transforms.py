# SPDX-License-Identifier: Apache-2.0
"""Transforms by name: products against python-flint and Python's integers, and schemes that run on each of them."""

from __future__ import annotations

import functools
import secrets
from pathlib import Path
from typing import Any

import cyclotome as cy
import flint
import numpy as np
import pytest
from cli_runner import run, succeed
from cyclotome import _core
from cyclotome._core.testing import rlwe
from cyclotome.devices import contexts, transform_designs
from cyclotome.errors import ArgumentError, EngineError, ParameterError, RangeError
from cyclotome_study import transforms
from devices import DEVICE, needs_gpu
from oracles.integers import some_primes
from parties import Party, small_literal

NAMES = transforms.names()
DGTS = ("dgt", "dgt-stockham")
DEVICES = ["cpu:2", pytest.param(DEVICE, marks=needs_gpu)]


def product(a: list[int], b: list[int], p: int) -> list[int]:
    """a b modulo x^n + 1 and p, by python-flint."""
    n = len(a)
    whole = [int(c) for c in (flint.nmod_poly(a, p) * flint.nmod_poly(b, p)).coeffs()]
    whole += [0] * (2 * n - len(whole))
    return [(whole[i] - whole[i + n]) % p for i in range(n)]


def operands(n: int, p: int) -> list[tuple[list[int], list[int]]]:
    """Random ones, whose seed the test prints; the worst; equal ones; and zero."""
    seed = secrets.randbits(32)
    print("seed", seed)
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, p, n, dtype=np.uint64).tolist() for _ in range(2))
    top = [p - 1] * n
    return [(a, b), (top, top), (a, a), (a, [0] * n), (top, [0] * (n - 1) + [1])]


def primes(design: str, n: int) -> list[int]:
    """The largest in 32-bit and in 64-bit words, and a small one; for a DGT also primes that are 3 modulo 4."""
    found = [some_primes(30, 2 * n, 1)[0], some_primes(61, 2 * n, 1)[0]]
    found.append(next(p for p in range(2 * n + 1, 1 << 24, 2 * n) if flint.fmpz(p).is_prime()))
    if design in DGTS:
        found += [next(p for p in range((1 << bits) - 1, 0, -n) if flint.fmpz(p).is_prime()) for bits in (30, 61)]
    return found


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", [2, 4, 16, 64, 256, 4096, 16384])
@pytest.mark.parametrize("design", NAMES)
def test_products_are_flints(design: str, n: int, device: str) -> None:
    for p in primes(design, n):
        try:
            transform = transforms.Transform(design, n, p, device)
        except ArgumentError as error:
            assert design in str(error) and str(n) in str(error)
            assert (design, n) in {("d4", 2), ("d4", 4), ("d4", 16), ("four-step", 2), ("d3", 16384)} or (
                (design, n) in {(dgt, 2) for dgt in DGTS}
            )
            continue
        pairs = operands(n, p)
        a, b = (np.array(side, dtype=np.uint64) for side in zip(*pairs, strict=True))
        found = transform.multiply(a, b)
        assert found.dtype == np.uint64 and found.shape == (len(pairs), n)
        for (x, y), row in zip(pairs, found, strict=True):
            assert row.tolist() == product(x, y, p)
        values = transform.forward(a)
        assert (transform.inverse(values) == a).all()
        assert (transform.inverse(transform.multiply_values(values, transform.forward(b))) == found).all()


def test_products_are_pythons_at_every_small_degree_and_prime() -> None:
    """Every prime up to 700 with a transform, schoolbook over Python's integers."""
    checked = 0
    for design in NAMES:
        for n in (2, 4, 8, 64):
            for p in (p for p in range(3, 700, 2) if flint.fmpz(p).is_prime()):
                a, b = [(3 * i * i + 1) % p for i in range(n)], [p - 1 - i % p for i in range(n)]
                try:
                    found = transforms.Transform(design, n, p).multiply(a, b).tolist()
                except (ArgumentError, ParameterError):
                    continue
                expected = [0] * n
                for i, x in enumerate(a):
                    for j, y in enumerate(b):
                        expected[(i + j) % n] += x * y if i + j < n else -x * y
                assert found == [c % p for c in expected], (design, n, p)
                checked += 1
    assert checked > 1000


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("p", [some_primes(30, 1 << 18, 1)[0], some_primes(61, 1 << 18, 1)[0]])
def test_the_largest_degree(p: int, device: str) -> None:
    n = 1 << 17
    a = np.full(n, p - 1, dtype=np.uint64)
    expected = transforms.Transform("ntt", n, p).multiply(a, a)
    for design in NAMES:
        if design != "d3":
            assert (transforms.Transform(design, n, p, device).multiply(a, a) == expected).all(), design


def test_values_are_at_the_exponents_that_are_named() -> None:
    for design in NAMES:
        for p in (12289, 12289 if design not in DGTS else 127):
            transform = transforms.Transform(design, 64, p)
            a = [(7 * i + 5) % p for i in range(64)]
            values = transform.forward(a).tolist()
            if not transform.gaussian:
                root = transform.root
                assert isinstance(root, int)
                assert values == [
                    sum(c * pow(root, e * j, p) for j, c in enumerate(a)) % p for e in transform.exponents
                ]
                continue
            assert isinstance(transform.root, tuple)
            powers = [(1, 0)]
            for _ in range(127):
                (x, y), (c, d) = powers[-1], transform.root
                powers.append(((x * c - y * d) % p, (x * d + y * c) % p))
            assert powers[32] == (0, 1), "h^(n/2) = i"
            for k, e in enumerate(transform.exponents):
                terms = [(a[j], a[j + 32], *powers[e * j % 128]) for j in range(32)]
                assert values[k] == sum(x * c - y * d for x, y, c, d in terms) % p
                assert values[k + 32] == sum(x * d + y * c for x, y, c, d in terms) % p


def test_all_but_the_galois_ones_have_the_same_values() -> None:
    a = np.arange(1024)
    expected = transforms.Transform("ntt", 1024, 12289).forward(a)
    for design in NAMES:
        same = (transforms.Transform(design, 1024, 12289).forward(a) == expected).all()
        assert bool(same) == (design not in DGTS)


def test_coefficients_of_any_size_sign_and_shape() -> None:
    transform = transforms.Transform("dgt-stockham", 8, 31)
    a = [-1, 10**40, -(10**40), 0, 31, 62, 2**64 - 1, 5]
    assert transform.multiply(a, [1, *[0] * 7]).tolist() == [x % 31 for x in a]
    cube = np.arange(-48, 48).reshape(2, 6, 8)
    assert transform.forward(cube).shape == (2, 6, 8)
    assert (transform.inverse(transform.forward(cube)) == cube % 31).all()
    assert transform.forward(cube.astype(np.int8)[:, ::2]).shape == (2, 3, 8)
    for wrong in ([1.0] * 8, [True] * 8, ["1"] * 8, [None] * 8):
        with pytest.raises(ArgumentError, match="whole numbers"):
            transform.forward(wrong)
    for shape in ((7,), (8, 7), (0, 8), ()):
        with pytest.raises(ArgumentError, match="no polynomials of 8"):
            transform.forward(np.zeros(shape, dtype=np.int64))
    for value in (31, -1, 2**64 - 1):
        with pytest.raises(RangeError, match=r"\[0, 31\)"):
            transform.inverse([value, *[0] * 7])
    with pytest.raises(ArgumentError, match="both need the same"):
        transform.multiply(np.zeros(8, dtype=int), np.zeros((1, 8), dtype=int))
    with pytest.raises(ArgumentError, match="at least 1"):
        transform.microseconds(repetitions=0)
    assert transform.microseconds(inverse=True, batch=2, repetitions=2) > 0


def test_what_has_no_transform_is_refused() -> None:
    for design in NAMES:
        with pytest.raises(ParameterError, match="12"):
            transforms.Transform(design, 12, 12289)
        for p in (0, 1, 2, 9, 13, 15, 2**61 + 1):
            with pytest.raises(ParameterError):
                transforms.Transform(design, 64, p)
        for n, p in ((64.0, 257), (-64, 257), (64, "257"), (64, 2**64)):
            with pytest.raises(ArgumentError, match="whole number"):
                transforms.Transform(design, n, p)  # type: ignore[arg-type]
        with pytest.raises(ParameterError):
            transforms.Transform(design, 64, some_primes(61, 128, 1)[0], word=32)
        with pytest.raises(ArgumentError, match="32 or 64"):
            transforms.Transform(design, 64, 257, word=16)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="1 mod 4"):
        transforms.Transform("dgt", 8, 13)  # erratum 000-1
    with pytest.raises(ParameterError, match="3 mod 4"):
        transforms.Transform("dgt", 64, 31)
    with pytest.raises(EngineError, match="names a transform already"):
        transforms.Transform("d5", 64, 257, "cpu/d5")


def test_unknown_names_say_which_there_are() -> None:
    with pytest.raises(EngineError, match=r"'d6'; there are ntt, d1, d2, d3, d4, d5, dgt, radix-4") as caught:
        transforms.Transform("d6", 64, 257)
    assert "dgt-stockham" in str(caught.value)
    for device in ("cpu/", "cpu/D5", "cpu/d5/d5", "cuda/fast", "cpu:2/d5,d4"):
        with pytest.raises(EngineError, match="there is no transform"):
            contexts.device_name(device)
    for device in ("cpu:0/d5", "gpu/d5", "/d5", "cpu :2/d5"):
        with pytest.raises(EngineError, match="is unknown; there are 'cpu', 'cpu:<threads>', 'cpu/<transform>'"):
            contexts.device_name(device)
    assert [contexts.device_name(d) for d in ("cpu/ntt", "cpu:2/d5", "cuda/dgt", "cuda:1/ntt")] == [
        "cpu",
        "cpu:2/d5",
        "cuda:0/dgt",
        "cuda:1",
    ]


def test_designs_say_what_they_do() -> None:
    assert [design.name for design in transforms.designs()] == list(NAMES) == list(transform_designs.names())
    assert all(design.label and design.source for design in transforms.designs())

    def steps(design: str, n: int, **inverse: bool) -> list[str]:
        return transforms.Transform(design, n, some_primes(30, 2 * n, 1)[0]).steps(**inverse)

    assert len(steps("d2", 16384)) == 14 and len(steps("d1", 16384)) == 1
    assert len(steps("d5", 16384)) == 2 and len(steps("d5", 16384, inverse=True)) == 3  # paper 001, Table 3
    assert len(steps("radix-16", 16384)) == 4
    assert "radix 8, 8, 8, 4" in steps("dgt-stockham", 4096)[0] and len(steps("dgt-stockham", 4096)) == 1
    assert len(steps("dgt-stockham", 32768)) == 2
    assert repr(transforms.Transform("d5", 64, 257)) == "Transform('d5', 64, 257, device='cpu/d5')"


# --- schemes ----------------------------------------------------------------------------------------------------------


def computed(engine: Any, literal: Any) -> list[Any]:
    """What a party computes on an engine from fixed seeds: the bits of keys and ciphertexts, and what it decrypts."""
    party = Party(literal, 5, engine, galois=[3])
    values = [[7, -5, 300, 0], [1, 2, -3, 4]]
    x, y = party.encrypt(values, 1, True), party.encrypt(values[::-1], 2, True, symmetric=True)
    whole = _core.multiply(x, y)
    product = _core.relinearize(whole, party.evaluation)
    turned = _core.apply_galois(product, 3, party.evaluation)
    bits = [rlwe.coefficients(key) for key in (party.secret, party.public)]
    bits += [rlwe.coefficients(c) for c in (x, y, whole, product, turned)]
    return [*bits, *(party.decrypt(c, True) for c in (x, product, turned))]


@functools.cache
def expected(scheme: str, word: int) -> tuple[Any, list[Any]]:
    literal = small_literal(word, 1024, 12289, 3, 1)
    literal.scheme = scheme
    return literal, computed(_core.CpuEngine(2), literal)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("design", NAMES)
def test_schemes_compute_the_same_bits(design: str, scheme: str, word: int, device: str) -> None:
    literal, bits = expected(scheme, word)
    found = computed(contexts.engine_on(f"{device}/{design}"), literal)
    for ours, theirs in zip(found, bits, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert found[-2][0][:4].tolist() == [7, 12289 - 10, 12289 - 900, 0]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("design", ["d5", "dgt-stockham"])
def test_arrays_and_keys_move_between_designs(design: str, device: str) -> None:
    parameters = cy.Parameters.suggest(depth=2, value_bits=8, scheme="bgv")
    keys = cy.keygen(parameters, device=f"{device}/{design}")
    assert keys.secret.device.endswith("/" + design)
    x = cy.encrypt(np.array([3, -4, 5]), keys.public)
    assert cy.decrypt(x * x, keys.secret).tolist() == [9, 16, 25]
    there = (x * x).to("cpu:1")
    assert cy.decrypt(there, keys.secret).tolist() == [9, 16, 25]
    assert cy.decrypt(x.to("cpu/four-step") * 2, keys.secret).tolist() == [6, -8, 10]


def test_designs_that_a_scheme_cannot_have_are_refused_before_anything_is_computed() -> None:
    literal = {"modulus_bits": 100, "plain_moduli": [786433], "word": 64}
    large = cy.Parameters.from_modulus_bits(degree=8192, **literal)
    with pytest.raises(EngineError, match="d3 holds at most 32 KB") as caught:
        cy.keygen(large, device="cpu/d3")
    assert "8192" in str(caught.value) and "use d5" in str(caught.value)
    field = cy.Parameters.suggest(depth=1, scheme="bgv", cyclotomic=8191)
    with pytest.raises(EngineError, match="leave the design out"):
        cy.keygen(field, device="cpu/d5")
    with pytest.raises(EngineError, match="there is no transform 'd6'"):
        cy.keygen(large, device="cpu/d6")


def test_the_command_line_takes_designs(tmp_path: Path) -> None:
    params, keys, data = tmp_path / "params.ct", tmp_path / "keys", tmp_path / "data.csv"
    data.write_text("x\n-3\n12\n", encoding="utf-8")
    succeed("params", "--depth", 1, "--value-bits", 8, "-o", params)
    succeed("keygen", params, "--out", keys, "--device", "cpu/d5")
    encrypted, squared = tmp_path / "data.ct", tmp_path / "squared.ct"
    succeed("encrypt", data, "--key", keys / "public.key", "-o", encrypted, "--device", "cpu:2/dgt")
    evaluation = "--keys", keys / "evaluation.key", "--device", "cpu/radix-8"
    succeed("eval", "x * x", "--input", f"x={encrypted}", *evaluation, "-o", squared)
    decrypted = succeed("decrypt", squared, "--key", keys / "secret.key", "--device", "cpu/four-step")
    assert "9" in decrypted.text.split() and "144" in decrypted.text.split()
    refused = run("encrypt", data, "--key", keys / "public.key", "-o", tmp_path / "no.ct", "--device", "cpu/d6")
    assert refused.code != 0 and "dgt-stockham" in refused.text and not (tmp_path / "no.ct").exists()
    refused = run("bench", "--quick", "--device", "cpu/d5")
    assert refused.code != 0 and "their own transforms" in refused.text
