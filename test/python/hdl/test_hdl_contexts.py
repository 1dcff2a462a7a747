# SPDX-License-Identifier: Apache-2.0
"""Paper 004's chain: generated primes, exported and imported, in products on circuits and in BGV on them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import circuits  # noqa: F401  (skips without the generator's tools)
import cyclotome as cy
import numpy as np
import pytest
from cli_runner import run, succeed
from cyclotome.errors import ArgumentError, FormatError, ParameterError, SecurityError
from cyclotome_hdl import exchange, products
from cyclotome_hdl.designs.design import Design, build
from cyclotome_study import ProductContext
from oracles.integers import random_below
from oracles.negacyclic import schoolbook


def folding_context(degree: int = 64) -> ProductContext:
    """Two primes of 63 bits, 2^62 + c: wider than ciphertexts take, as wide as circuits do."""
    return ProductContext.generate(degree, 120, 63, search="above")


# --- products on circuits


@pytest.mark.slow
@pytest.mark.parametrize(("name", "reduction"), [("cooley-tukey", "fold"), ("iterative", "montgomery")])
def test_products_of_wide_primes_on_circuits_are_those_of_integers(
    name: str, reduction: str, rng: np.random.Generator
) -> None:
    context = folding_context()
    q = context.modulus
    a, b = random_below(rng, q, 64), [q - 1] * 63 + [-1]
    design = products.design_for(context, name, 1, reduction)
    assert design == Design(name, 64, 1, 63, reduction)
    made = products.multiply(context, a, b, design)
    assert made.coefficients == schoolbook(a, [x % q for x in b], q)
    circuit = build(design)
    further = circuit.product_interval() + circuit.change_ticks() if circuit.several_primes else circuit.product_ticks()
    assert made.ticks == circuit.product_ticks() + (len(context.primes) - 1) * further


def test_what_circuits_do_not_take_is_refused() -> None:
    below = ProductContext.generate(64, 120, 61)
    with pytest.raises(ParameterError, match=r"search=\"above\""):
        products.design_for(below, "pease", 1, "fold")
    with pytest.raises(ParameterError, match="primes of 64 bits; circuits take 63"):
        products.design_for(ProductContext.generate(64, 120, 64))
    with pytest.raises(ParameterError, match="2 pipes"):
        products.design_for(below, "pease", 2)
    with pytest.raises(ArgumentError, match="63 and 64 coefficients on a circuit for 64"):
        products.multiply(below, [1] * 63, [1] * 64, Design("pease", 64))
    with pytest.raises(ArgumentError, match="on a circuit for 128; the context's degree is 64"):
        products.multiply(below, [1] * 64, [1] * 64, Design("pease", 128))


# --- parameters


def test_parameters_have_the_contexts_primes() -> None:
    context = ProductContext.generate(4096, 99, 50, search="above")
    own = cy.Parameters.from_context(context, value_bits=None, name="generated")
    assert own.moduli == tuple(context.primes) and own.degree == 4096
    assert (own.scheme, own.plain_moduli, own.special_moduli) == ("bgv", (2,), ())
    assert cy.Parameters.from_context(context, plain_moduli=[40961], scheme="bfv").scheme == "bfv"
    with pytest.raises(ParameterError, match="primes of 63 bits; ciphertexts take 61"):
        cy.Parameters.from_context(ProductContext.generate(4096, 63, 63))
    with pytest.raises(SecurityError, match="allow_insecure"):
        cy.Parameters.from_context(ProductContext.generate(4096, 200, 50))
    with pytest.raises(ParameterError, match="prime"):
        cy.Parameters.from_context(SimpleNamespace(degree=4096, primes=[2**50 + 1]), security=0, allow_insecure=True)


@pytest.mark.slow
def test_bgv_on_circuits_that_fold(rng: np.random.Generator) -> None:
    """Keys, encryption, a sum and decryption, every product on 004's first design with 004's reduction."""
    context = ProductContext.generate(1024, 118, 61, search="above")
    own = cy.Parameters.from_context(context, security=0, allow_insecure=True)
    device = "fpga:sim:design=pease,reduction=fold,bits=61"
    keys = cy.keygen(own, device=device, relinearization=False)
    x, y = (rng.integers(0, 2, 1024) for _ in range(2))
    with cy.fpga.measure(device) as spent:
        a, b = (cy.encrypt(v, keys.public, encoding="coefficients") for v in (x, y))
        back = cy.decrypt(a, keys.secret)
    np.testing.assert_array_equal(back % 2, x)
    np.testing.assert_array_equal(cy.decrypt(b, keys.secret) % 2, y)
    processor = cy.keygen(own, device="cpu:1", relinearization=False)
    other = cy.encrypt(y, processor.public, encoding="coefficients").to(device)
    np.testing.assert_array_equal(cy.decrypt(other.to("cpu:1"), processor.secret) % 2, y)
    one = build(Design("pease", 1024, 1, 61, "fold"))
    assert spent.products == 2 * 2 * 2 + 2
    assert spent.ticks >= 2 * one.product_ticks()


# --- exchange


@pytest.mark.parametrize("powers", [False, True])
def test_what_is_exported_is_imported(powers: bool) -> None:
    context = folding_context(16)
    text = exchange.to_text(context, powers=powers)
    assert exchange.from_text(text) == context
    stated = json.loads(text)
    first = stated["primes"][0]
    assert int(first["prime"], 16) == context.primes[0] and ("powers" in first) == powers
    if powers:
        assert [int(x, 16) for x in first["powers"]["phi"][:2]] == [1, context.roots[0]]


def changed(path: list[Any], value: Any) -> str:
    """An export with one number replaced."""
    stated = json.loads(exchange.to_text(folding_context(16), powers=True))
    where = stated
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = value
    return json.dumps(stated)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (["format"], "something 1", "the format is"),
        (["degree"], 32, "1 modulo"),
        (["degree"], -16, "no context"),
        (["degree"], 2**70, "no context"),
        (["degree"], True, "whole number"),
        (["degree"], "16", "whole number"),
        (["modulus"], "0x5", "modulus is stated as 0x5"),
        (["primes"], [], "prime"),
        (["primes", 0, "prime"], 17, "hexadecimal"),
        (["primes", 0, "prime"], "0xzz", "no context"),
        (["primes", 0, "prime"], "0x" + "f" * 6000, "hexadecimal"),
        (["primes", 0, "generator"], "0x1", "does not generate"),
        (["primes", 0, "root"], "0x1", "root of prime 0"),
        (["primes", 1, "cofactor"], "0x3", "cofactor of prime 1"),
        (["primes", 1, "coefficient"], "0x3", "coefficient of prime 1"),
        (["primes", 1, "bits"], 62, "bits of prime 1"),
        (["primes", 0, "powers", "phi"], ["0x1"], "powers of phi"),
        (["primes", 0, "powers", "psi"], ["0x1"], "powers of 'psi'"),
        (["primes", 0, "powers"], 7, "no context"),
    ],
)
def test_wrong_numbers_are_refused(path: list[Any], value: Any, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        exchange.from_text(changed(path, value))


@pytest.mark.parametrize("text", ["", "[]", "{}", "7", "[" * 100_000, '{"format": "cyclotome product context 1"}'])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(FormatError):
        exchange.from_text(text)


# --- the command line


def test_a_context_goes_round_the_command_line(tmp_path: Path) -> None:
    context, text, again, own = (tmp_path / name for name in ("context", "context.json", "again", "params.ct"))
    sizes = ("--degree", 4096, "--modulus-bits", 99, "--prime-bits", "50")
    made = succeed("fpga", "context", "generate", *sizes, "--output", context, "--json").data
    assert (made["primes"], made["prime_bits"], made["modulus_bits"]) == (2, [50], 99)
    loaded = ProductContext.load(context)
    assert loaded == ProductContext.generate(4096, 99, 50, search="above")
    succeed("fpga", "context", "export", context, "--output", text)
    succeed("fpga", "context", "import", text, "--output", again)
    assert again.read_bytes() == context.read_bytes()
    chosen = succeed("fpga", "context", "parameters", context, "--output", own, "--json").data
    assert (chosen["primes"], chosen["degree"]) == (2, 4096)
    assert cy.load(own) == cy.Parameters.from_context(loaded)
    succeed("keygen", own, "--out", tmp_path / "keys")
    assert succeed("inspect", context).code == 0


@pytest.mark.slow
def test_a_product_is_checked_on_a_circuit(tmp_path: Path) -> None:
    path = tmp_path / "context"
    folding_context().save(path)
    found = succeed("fpga", "context", "check", path, "--design", "cooley-tukey", "--reduction", "fold", "--json").data
    assert found["equal"] and found["word_bits"] == 63 and found["primes"] == 2
    assert found["ticks"] == 2 * build(Design("cooley-tukey", 64, 1, 63, "fold")).product_ticks()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("generate", "--output", "{}/new", "--search", "beside"), 2, "above or below"),
        (("generate", "--output", "{}/new", "--prime-bits", "wide"), 2, "give one length"),
        (("generate", "--output", "{}/new", "--prime-bits", "20,40,61"), 2, "give one length"),
        (("generate", "--output", "{}/new", "--degree", "100"), 4, "power of two"),
        (("generate", "--output", "{}/new", "--prime-bits", "4"), 4, "bits"),
        (("generate", "--output", "{}/context"), 2, "context"),
        (("export", "{}/absent", "--output", "{}/new"), 3, "absent"),
        (("export", "{}/text", "--output", "{}/new"), 3, "no file of this library"),
        (("import", "{}/absent", "--output", "{}/new"), 3, "cannot be read"),
        (("import", "{}/text", "--output", "{}/new"), 3, "no context of products"),
        (("import", "{}/context", "--output", "{}/new"), 3, "no text"),
        (("parameters", "{}/context", "--output", "{}/new"), 4, "ciphertexts take 61"),
        (("check", "{}/context", "--design", "winograd"), 4, "no design"),
        (("check", "{}/context", "--reduction", "barrett"), 4, "constant modulus"),
    ],
)
def test_wrong_uses_of_the_command_line(arguments: tuple[str, ...], code: int, message: str, tmp_path: Path) -> None:
    folding_context().save(tmp_path / "context")
    (tmp_path / "text").write_text("seven")
    result = run("fpga", "context", *(each.format(tmp_path) for each in arguments))
    assert result.code == code, result.text
    assert message in result.text
    assert not (tmp_path / "new").exists()
