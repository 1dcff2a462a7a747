# SPDX-License-Identifier: Apache-2.0
"""The calculus that proof/ proves is the library's: its functions are read out of the proof's own text and computed in
decimals; its premises hold for the rings here; and, where Coq is installed, it is compiled."""

from __future__ import annotations

import cmath
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclotome._core import testing
from cyclotome._core.testing import shapes
from oracles import cyclotomic
from oracles.noise import HALF, PRECISION, Scheme
from pages import ROOT
from small import insecure

PROOF = ROOT / "proof"
TEXT = (PROOF / "calculus.v").read_text(encoding="utf-8")
Bound = tuple[Decimal, Decimal, Decimal]

#: How many operands each function of the proof's text takes.
ARITY = {"Rmin": 2, "sqrt": 1, "Rabs": 1, "largest": 1, "mean": 1, "canonical": 1, "Bound": 3, "tidy": 1}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Rmin": min, "sqrt": lambda x: PRECISION.sqrt(x), "Rabs": abs, "largest": lambda b: b[0],
    "mean": lambda b: b[1], "canonical": lambda b: b[2], "Bound": lambda *norms: norms,
}  # fmt: skip


class Coq:
    """Evaluates the arithmetic of a definition: sums, products, quotients, and functions applied to what follows."""

    def __init__(
        self, text: str, names: dict[str, Any], words: dict[str, tuple[int, Callable[..., Any]]] | None = None
    ) -> None:
        """words: how many operands more functions take, and what they are."""
        self.tokens, self.names = re.findall(r"\w+|[()+*/]", text), names
        self.arity = ARITY | {name: count for name, (count, _) in (words or {}).items()}
        self.functions = FUNCTIONS | {name: function for name, (_, function) in (words or {}).items()}

    def whole(self) -> Any:
        value = self.sum()
        assert not self.tokens, self.tokens
        return value

    def sum(self) -> Any:
        value = self.product()
        while self.tokens and self.tokens[0] == "+":
            self.tokens.pop(0)
            value = PRECISION.add(value, self.product())
        return value

    def product(self) -> Any:
        value = self.applied()
        while self.tokens and self.tokens[0] in "*/":
            combine = PRECISION.multiply if self.tokens.pop(0) == "*" else PRECISION.divide
            value = combine(value, self.applied())
        return value

    def applied(self) -> Any:
        name = self.tokens[0]
        if name in self.arity:
            self.tokens.pop(0)
            return self.functions[name](*(self.one() for _ in range(self.arity[name])))
        return self.one()

    def one(self) -> Any:
        token = self.tokens.pop(0)
        if self.arity.get(token) == 0:
            return self.functions[token]()
        if token == "(":
            value = self.sum()
            assert self.tokens.pop(0) == ")"
            return value
        return Decimal(token) if token.isdigit() else self.names[token]


def definition(name: str, text: str = TEXT) -> str:
    found = re.search(rf"^Definition {name} [^\n]*?:=\s*(.*?)\.\n", text, re.MULTILINE | re.DOTALL)
    assert found is not None, name
    return found[1]


class Proved:
    """The functions of calculus.v over a ring with these constants."""

    def __init__(self, n: int, d: Decimal, g: Decimal) -> None:
        self.constants = {"N": Decimal(n), "d": d, "g": g}

    def tidy(self, b: Bound) -> Bound:
        let = re.fullmatch(r"let e := (.*?) in\s*(.*)", definition("tidy"), re.DOTALL)
        assert let is not None
        e = Coq(let[1], {**self.constants, "b": b}).whole()
        found: Bound = Coq(let[2], {**self.constants, "b": b, "e": e}).whole()
        return found

    def of(self, name: str, **operands: Any) -> Bound:
        text = definition(name)
        inner = text.removeprefix("tidy").strip()
        found: Bound = Coq(inner, {**self.constants, **operands}).whole()
        return self.tidy(found) if inner != text else found


def logarithms(b: Bound) -> list[Decimal]:
    return [PRECISION.divide(PRECISION.ln(x), PRECISION.ln(Decimal(2))) for x in b]


def geometry(m: int) -> tuple[int, Decimal, Decimal]:
    """n, d and g of doc/noise.md: x^n + 1 for a power of two."""
    if m & (m - 1) == 0:
        return m, Decimal(1), Decimal(1)
    n, k = len(cyclotomic.units(m)), len(cyclotomic.prime_factors(m))
    return n, Decimal(2**k * n) / m, Decimal(m) / n


@pytest.mark.parametrize("m", [16, 1024, 8192, 32768, 15, 105, 4369, 21845, 65535])
def test_the_librarys_calculus_is_the_proved_one(m: int, rng: np.random.Generator) -> None:
    n, d, g = geometry(m)
    ring = testing.NoiseCalculus(n) if n == m else testing.NoiseCalculus.of(shapes.cyclotomic(m))
    proved, worst = Proved(n, d, g), Decimal(0)
    for _ in range(60):
        a, b = (list(rng.uniform(-30, 300, 3)) for _ in range(2))
        x, y = (tuple(PRECISION.power(Decimal(2), Decimal(float(v))) for v in each) for each in (a, b))
        pairs = [
            (ring.tidy(a), proved.tidy(x)),
            (ring.sum(ring.tidy(a), ring.tidy(b)), proved.of("plus", a=proved.tidy(x), b=proved.tidy(y))),
            (ring.product(ring.tidy(a), ring.tidy(b)), proved.of("product", a=proved.tidy(x), b=proved.tidy(y))),
        ]
        for theirs, mine in pairs:
            for found, exact in zip(theirs, logarithms(mine), strict=True):
                worst = max(worst, abs(Decimal(found) - exact))
    print(f"m = {m}: {float(worst):.1e} bits apart at most")
    assert worst < Decimal("1e-12")


def test_another_text_would_be_noticed() -> None:
    """The comparison reads what is proved: a changed rule changes what it computes."""
    proved, x = Proved(1024, Decimal(1), Decimal(1)), (Decimal(9), Decimal(5), Decimal(7))
    assert proved.of("plus", a=x, b=x) == (18, 10, 14)
    assert proved.of("times", f=Decimal(-2), a=x) == (18, 10, 14)
    assert Coq("2 + 3 * Rmin 4 (5 / 5)", {}).whole() == 5
    assert len(re.findall(r"sqrt N \* canonical a \* mean b", TEXT)) == 1


def test_the_product_of_bfv_is_the_proved_program(rng: np.random.Generator) -> None:
    """products.v's program, read out of its text, beside the calculus of decimals that C++ is held to."""
    text = (PROOF / "products.v").read_text(encoding="utf-8")
    params = insecure((65537,), 64)
    scheme = Scheme(params, bgv=False)
    ring, q = scheme.ring, scheme.modulus(scheme.top)
    proved = Proved(64, Decimal(1), Decimal(1))
    for _ in range(40):
        x, y = (
            ring.tidy(*(PRECISION.power(Decimal(2), Decimal(float(v))) for v in rng.uniform(0, 60, 3)))
            for _ in range(2)
        )
        atoms = [(a.maximum, a.mean, a.canonical) for a in (x, y, ring.chosen(HALF), ring.rounding(), ring.secret())]
        words: dict[str, tuple[int, Callable[..., Any]]] = {
            "Atom": (1, lambda i, atoms=atoms: atoms[int(i)]),
            "Sum": (2, lambda a, b: proved.of("plus", a=a, b=b)),
            "Product": (2, lambda a, b: proved.of("product", a=a, b=b)),
            "Factor": (2, lambda f, a: proved.of("times", f=f, a=a)),
        }
        for name, arity in (("two_parts", 0), ("three_parts", 0), ("quotient", 1), ("scaling", 1), ("bfv_product", 2)):
            names = dict(zip(("q", "t") if arity == 2 else ("t",), (q, Decimal(65537))[2 - arity :], strict=False))
            value = Coq(definition(name, text), names, words).whole()
            words[name] = (arity, lambda *_, value=value: value)  # each is applied to t alone
        mine, theirs = words["bfv_product"][1](), scheme.bfv_product(x, y, "hps_over_q")
        for found, exact in zip(mine, (theirs.maximum, theirs.mean, theirs.canonical), strict=True):
            assert abs(found / exact - 1) < Decimal("1e-40")


def functionals(m: int) -> tuple[list[complex], list[list[complex]]]:
    """The roots of unity of a small ring, and for each basis vector the weights by which values give a coefficient."""
    n, _, _ = geometry(m)
    if n == m:
        roots = [cmath.exp(1j * math.pi * (2 * i + 1) / n) for i in range(n)]
        return roots, [[z**-j / n for z in roots] for j in range(n)]
    units, primes = cyclotomic.units(m), cyclotomic.prime_factors(m)
    roots = [cmath.exp(2j * math.pi * u / m) for u in units]

    def weight(j: int, u: int) -> complex:
        parts = ((p, m // p * pow(m // p, -1, p)) for p in primes)
        values = ((p, cmath.exp(-2j * math.pi * (one * j * u % m) / m)) for p, one in parts)
        return math.prod(((v - 1) / p for p, v in values), start=1 + 0j)

    return roots, [[weight(j, u) for u in units] for j in units]


@pytest.mark.parametrize("m", [8, 64, 15, 21, 105])
def test_the_premises_hold_for_rings(m: int) -> None:
    """dual_square, dual_values, gram, and conjugates: with the d and g that the library computes with."""
    n, d, g = geometry(m)
    roots, weights = functionals(m)
    basis = range(n) if n == m else cyclotomic.units(m)
    for j, w in zip(basis, weights, strict=True):
        for i in basis:  # w reads the coefficient of basis vector j
            assert abs(sum(a * z**i for a, z in zip(w, roots, strict=True)) - (i == j)) < 1e-9
        assert sum(abs(a) ** 2 for a in w) <= float(d) / n + 1e-12
        assert max(map(abs, w)) <= float(d) / n + 1e-12
    embedding = np.array([[z**i for i in basis] for z in roots])
    largest = np.linalg.eigvalsh(embedding.conj().T @ embedding).max()
    assert largest <= float(g) * n * (1 + 1e-9)  # ||a||^2 <= g n sum a_i^2 <= (n sqrt(g) I)^2
    assert all(abs(z.imag) > 1e-9 for z in roots)


def texts(files: Sequence[Path]) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in files)


def test_nothing_is_left_unproved() -> None:
    files = sorted(PROOF.glob("*.v"))
    assert [path.stem for path in files] == ["calculus", "constants", "instance", "norms", "products", "tails"]
    whole = texts(files)
    assert not re.search(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Conjecture|Unset)\b", whole)
    assert whole.count("Qed.") == len(re.findall(r"^\s*(?:Theorem|Lemma) ", whole, re.MULTILINE)) > 30


def test_it_compiles_where_coq_is(tmp_path: Path) -> None:
    if shutil.which("coqc") is None:
        pytest.skip("coqc is not installed (Debian: coq, libcoq-coquelicot)")
    for path in PROOF.glob("*.v"):
        shutil.copy(path, tmp_path)
    said = ""
    for name in ("norms", "calculus", "products", "constants", "tails", "instance"):
        done = subprocess.run(
            ["coqc", "-q", "-Q", ".", "Cyclotome", f"{name}.v"], cwd=tmp_path, capture_output=True, text=True
        )
        if "Coquelicot" in done.stderr and "Cannot find" in done.stderr:
            pytest.skip("Coquelicot is not installed (Debian: libcoq-coquelicot)")
        assert done.returncode == 0, done.stderr
        said += done.stdout
    rests_on = set(re.findall(r"^([\w.]+)\s*:", said, re.MULTILINE)) - {"Axioms"}
    assert rests_on == {
        "ClassicalDedekindReals.sig_not_dec", "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep", "Classical_Prop.classic",
    }  # fmt: skip
