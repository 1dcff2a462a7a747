# SPDX-License-Identifier: Apache-2.0
"""Contexts of products: their numbers against Python's integers, and what a file of one must survive."""

from __future__ import annotations

import hashlib
import math
import struct
from pathlib import Path

import flint
import numpy as np
import pytest
from cyclotome import errors
from cyclotome_study import ProductContext

REQUESTS = [
    (2, 40, 16, "below"),
    (64, 100, (20, 32), "below"),
    (1024, 320, 64, "below"),
    (1024, 320, 64, "above"),
    (256, 300, (64, 128), "below"),
    (32, 500, (64, 256), "above"),
]


@pytest.fixture(scope="module")
def context() -> ProductContext:
    return ProductContext.generate(64, 300, (64, 128))


@pytest.mark.parametrize(("degree", "bits", "lengths", "search"), REQUESTS)
def test_a_context_is_what_was_asked_for(degree: int, bits: int, lengths: int | tuple[int, int], search: str) -> None:
    c = ProductContext.generate(degree, bits, lengths, search=search)  # type: ignore[arg-type]
    smallest, largest = (lengths, lengths) if isinstance(lengths, int) else lengths
    q = math.prod(c.primes)
    assert c.modulus == q and q.bit_length() >= bits
    assert all(p.bit_length() == largest for p in c.primes[1:])
    assert smallest <= c.primes[0].bit_length() <= largest
    # One prime less, with all as long as allowed, would not do.
    assert len(c.primes) == 1 or q // max(c.primes) < 1 << (bits - 1)
    for p, r, g, root, b in zip(c.primes, c.cofactors, c.generators, c.roots, c.coefficients, strict=True):
        assert p == 2 * degree * r + 1 and flint.fmpz(p).is_prime() and flint.fmpz(r).is_prime()
        assert pow(g, (p - 1) // 2, p) == p - 1 and pow(g, 2 * degree, p) != 1
        assert root == pow(g, r, p) and pow(root, degree, p) == p - 1
        assert [b % other for other in c.primes] == [int(other == p) for other in c.primes] and 0 <= b < q
        if search == "above":
            assert p - (1 << (p.bit_length() - 1)) < 1 << 40, "not the form 2^k + c"
    assert c.root * c.inverse_root % q == 1 and degree * c.inverse_degree % q == 1
    assert pow(c.root, degree, q) == q - 1


def test_the_same_request_gives_the_same_context() -> None:
    """Written down once, so that a change of the search or of the generators shows."""
    c = ProductContext.generate(16384, 128, 64, search="above")
    assert c == ProductContext(c.degree, c.primes, c.generators)
    assert [hex(p) for p in c.primes] == ["0x80000000002d8001", "0x8000000005018001", "0x80000000089d8001"]
    assert len({c, ProductContext(c.degree, c.primes, c.generators)}) == 1
    assert c != ProductContext.generate(16384, 128, 64) and c != 1


def test_the_papers_own_prime_comes_first() -> None:
    """Paper 004, Table 6.4, case (III): the only prime of its tables that fits N = 32768 and 64-bit words."""
    c = ProductContext.generate(32768, 1050, 63, search="above")
    assert c.primes[0] == 0x40000000039F0001
    assert len(c.primes) == 17, "as many as the thesis has"


def test_powers_bit_reversal_and_residues(context: ProductContext, rng: np.random.Generator) -> None:
    q, n = context.modulus, context.degree
    for name, base in (("phi", context.root), ("phi^-1", context.inverse_root), ("omega", context.root**2)):
        assert context.powers(name) == [pow(base, i, q) for i in range(n)]
        assert context.powers(name, 1) == [pow(base, i, context.primes[1]) for i in range(n)]
    assert context.powers("omega^-1") == [pow(context.root, -2 * i, q) for i in range(n)]
    assert context.bit_reversal() == [int(f"{i:06b}"[::-1], 2) for i in range(n)]
    value = int.from_bytes(rng.bytes(37), "little") % q
    assert context.lift(context.residues(value)) == value
    assert context.centred(-5) == -5 and context.centred(q - 5) == -5 and context.centred(q // 2) == q // 2
    for bad in ([0], [*context.primes]):
        with pytest.raises(errors.ArgumentError):
            context.lift(bad)
    with pytest.raises(errors.ArgumentError):
        context.lift([-1] * len(context.primes))
    with pytest.raises(errors.ArgumentError, match="there are phi"):
        context.powers("psi")
    with pytest.raises(errors.ArgumentError, match="counted from 0"):
        context.powers("phi", 99)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((48, 100, 32), "power of two"),
        ((1, 100, 32), "power of two"),
        ((1 << 18, 100, 32), "power of two"),
        ((1024, 100, (32, 20)), "ascending order"),
        ((1024, 10, 32), "ascending order"),
        ((1024, 100, (4, 20)), r"\[8, 1024\]"),
        ((1024, 2000, 2000), r"\[8, 1024\]"),
        ((1024, 100, 12), "primes p of 12 bits exist"),
        ((1024, 100_000, 64), "between 1 and 256 primes"),
        ((2, 20_000, 1024), "16384"),
    ],
)
def test_impossible_requests_are_refused(arguments: tuple[int, int, int], words: str) -> None:
    with pytest.raises(errors.ParameterError, match=words):
        ProductContext.generate(*arguments)


def test_wrong_primes_and_generators_are_refused(context: ProductContext) -> None:
    n, primes, generators = context.degree, context.primes, context.generators
    with pytest.raises(errors.ParameterError, match="twice"):
        ProductContext(n, [primes[0]] * 2, [generators[0]] * 2)
    with pytest.raises(errors.ParameterError, match="as many generators"):
        ProductContext(n, primes, generators[1:])
    with pytest.raises(errors.ParameterError, match="does not generate"):
        ProductContext(n, primes[:1], [pow(generators[0], 2, primes[0])])
    with pytest.raises(errors.ParameterError, match="does not generate"):
        ProductContext(n, primes[:1], [primes[0]])
    with pytest.raises(errors.ParameterError, match="is not 1 modulo"):
        ProductContext(n, [primes[0] + 2], [3])
    with pytest.raises(errors.ParameterError, match="not an odd prime"):
        ProductContext(n, [12289], [11])  # 12288 / 128 = 96
    composite = next(128 * r + 1 for r in (131, 137, 139, 149, 151) if not flint.fmpz(128 * r + 1).is_prime())
    for g in range(2, 50):
        with pytest.raises(errors.ParameterError, match="does not generate"):
            ProductContext(n, [composite], [g])
    with pytest.raises(errors.ParameterError, match="between 1 and 256"):
        ProductContext(n, [], [])


# --- files ------------------------------------------------------------------------------------------------------------
def packed(context: ProductContext) -> bytes:
    """The container as doc/wire-format.md describes it, written by this test alone."""

    def words(value: int, count: int) -> bytes:
        return value.to_bytes(8 * count, "little")

    def limbs(value: int) -> int:
        return -(-value.bit_length() // 64)

    wide = limbs(context.modulus)
    body = struct.pack("<IHH", context.degree, len(context.primes), wide)
    text = f"cyclotome product context 1\ndegree {context.degree}\n"
    columns = (context.primes, context.cofactors, context.generators, context.roots, context.coefficients)
    for p, r, g, root, b in zip(*columns, strict=True):
        body += struct.pack("<H", limbs(p)) + b"".join(words(x, limbs(p)) for x in (p, r, g, root)) + words(b, wide)
        text += f"prime {p} {g}\n"
    body += words(context.modulus, wide)
    sections = b"PCTX" + struct.pack("<Q", len(body)) + body
    head = b"CYCLOTOM" + struct.pack("<HHIQ", 2, 8, 0, 56 + len(sections) + 32)
    return sealed(head + hashlib.sha256(text.encode()).digest() + sections)


def sealed(data: bytes) -> bytes:
    return data + hashlib.sha256(data).digest()


@pytest.mark.parametrize(("degree", "bits", "lengths", "search"), REQUESTS)
def test_files_are_what_the_description_says(
    degree: int, bits: int, lengths: int | tuple[int, int], search: str, tmp_path: Path
) -> None:
    c = ProductContext.generate(degree, bits, lengths, search=search)  # type: ignore[arg-type]
    assert c.to_bytes() == packed(c)
    assert ProductContext.from_bytes(c.to_bytes()) == c
    c.save(tmp_path / "context")
    assert ProductContext.load(tmp_path / "context") == c
    assert (tmp_path / "context").read_bytes() == packed(c)


def test_a_stored_context_stays_readable() -> None:
    """Of this format version and of the one before, which differ in nothing but their number."""
    corpus = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"
    context = ProductContext.load(corpus / "product-context")
    assert (
        context == ProductContext.generate(8, 80, (30, 50)) == ProductContext.load(corpus / "format1-product-context")
    )
    assert (corpus / "product-context").read_bytes() == packed(context)


def test_a_format_version_that_only_ciphertexts_have_is_refused(context: ProductContext) -> None:
    changed = bytearray(context.to_bytes()[:-32])
    assert changed[8] == 2
    changed[8] = 3
    with pytest.raises(errors.FormatError, match="version 3, but this library reads versions 1 to 2"):
        ProductContext.from_bytes(sealed(bytes(changed)))


def test_every_changed_byte_is_found(context: ProductContext, rng: np.random.Generator) -> None:
    """With the checksum made anew, so that the checks of the numbers themselves must see it."""
    data = context.to_bytes()
    for position in range(len(data) - 32):
        changed = bytearray(data[:-32])
        changed[position] ^= 1 << int(rng.integers(8))
        with pytest.raises(errors.FormatError):
            ProductContext.from_bytes(sealed(bytes(changed)))
    damaged = bytearray(data)
    damaged[70] ^= 1
    with pytest.raises(errors.FormatError, match="checksum"):
        ProductContext.from_bytes(bytes(damaged))


def test_every_truncation_is_found(context: ProductContext) -> None:
    data = context.to_bytes()
    for length in range(0, len(data) - 32, 7):
        with pytest.raises(errors.FormatError):
            ProductContext.from_bytes(data[:length])
        if length >= 56:  # whole by its header, but with a piece missing
            head = data[:16] + struct.pack("<Q", length + 32) + data[24:length]
            with pytest.raises(errors.FormatError):
                ProductContext.from_bytes(sealed(head))


def test_other_objects_are_told_apart(context: ProductContext, tmp_path: Path) -> None:
    import cyclotome as cy

    with pytest.raises(errors.FormatError, match="context of polynomial products"):
        cy.from_bytes(context.to_bytes())
    parameters = cy.to_bytes(cy.Parameters.preset("000-2048-62", allow_insecure=True))
    with pytest.raises(errors.FormatError, match="kind 1"):
        ProductContext.from_bytes(parameters)
    with pytest.raises(errors.FileError):
        ProductContext.load(tmp_path / "nothing")
    with pytest.raises(errors.FileError):
        context.save(tmp_path / "no" / "folder")
