# SPDX-License-Identifier: Apache-2.0
"""The sets of papers 000, 001 and 004 compute: keys, encryption, a product of polynomials and decryption, in Python for
every set and every method, and on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest

PRESETS = [name for name in cy.Parameters.presets() if name.startswith(("000-", "001-", "004-"))]
#: One prime and none for key switching, which adds more noise than there is room for (erratum 001-13).
UNSWITCHED = "001-2048-54"
Values = np.ndarray[Any, np.dtype[np.int64]]


def parameters_of(name: str) -> cy.Parameters:
    return cy.Parameters.preset(name, allow_insecure=True)


def polynomials(parameters: cy.Parameters, seed: int) -> tuple[Values, Values]:
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(0, parameters.plain_product, parameters.degree) for _ in range(2))  # type: ignore[return-value]


def product_of(a: Values, b: Values, t: int) -> list[int]:
    """In Z_t[x]/(x^n + 1), by one product of Python integers: coefficients stand 64 bits apart, where none carries."""
    n = len(a)
    packed = [int.from_bytes(values.astype("<u8").tobytes(), "little") for values in (a, b)]
    whole = np.frombuffer((packed[0] * packed[1]).to_bytes(16 * n, "little"), "<u8").astype(np.int64)
    return ((whole[:n] - whole[n:]) % t).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_multiplies_polynomials(name: str, rng: np.random.Generator) -> None:
    parameters = parameters_of(name)
    t = parameters.plain_product
    secret, public, _ = cy.keygen(parameters, rotations=[])
    a, b = polynomials(parameters, int(rng.integers(1 << 32)))
    how = {} if t == 2 else {"wrap": True}
    x, y = (cy.encrypt(values, public, **how) for values in (a, b))
    switched = name != UNSWITCHED
    product = cy.polynomials.negacyclic_product(x, y, relinearize=switched)
    assert np.asarray(cy.decrypt(product, secret)).astype(int).tolist() == product_of(a, b, t)
    assert product.is_bits == (t == 2)
    assert cy.noise_budget(product, secret) >= product.noise_headroom >= 0
    with_plain = cy.decrypt(cy.polynomials.negacyclic_product(x, b), secret)
    assert np.asarray(with_plain).astype(int).tolist() == product_of(a, b, t)
    if parameters.scheme == "bfv" and parameters.degree <= 8192:
        for method in ("behz", "hps"):
            other = cy.bfv.negacyclic_product(x, y, method=method, relinearize=switched)
            assert np.asarray(cy.decrypt(other, secret)).astype(int).tolist() == product_of(a, b, t)
    if not switched:
        with pytest.raises(cy.errors.NoiseError, match="could not be decrypted"):
            cy.polynomials.negacyclic_product(x, y)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_multiplies_polynomials_on_the_command_line(name: str, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from cli_runner import succeed

    parameters = parameters_of(name)
    t, trust = parameters.plain_product, ("--allow-insecure", "--security-table", "he-standard-2018")
    a, b = polynomials(parameters, len(name))
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    succeed("params", "--preset", name, "--allow-insecure", "-o", tmp_path / "params.ct")
    succeed("keygen", tmp_path / "params.ct", "--out", tmp_path, "--rotations", "none", *trust)
    wrap = () if t == 2 else ("--wrap",)
    for operand in ("a", "b"):
        table = tmp_path / f"{operand}.npy", "-k", tmp_path / "public.key", "-o", tmp_path / f"{operand}.ct"
        succeed("encrypt", *table, "--polynomials", *wrap, *trust)
    inputs = "-i", f"x={tmp_path / 'a.ct'}", "-i", f"y={tmp_path / 'b.ct'}", "-k", tmp_path / "evaluation.key"
    method = ("--product-method", "behz") if parameters.scheme == "bfv" else ()
    unswitched = ("--no-relinearize",) if name == UNSWITCHED else ()
    succeed("eval", "negacyclic(x, y)", *inputs, "-o", tmp_path / "product.ct", *method, *unswitched, *trust)
    found = succeed("decrypt", tmp_path / "product.ct", "-k", tmp_path / "secret.key", "--json", *trust).data
    assert found["integers"] == product_of(a, b, t)
