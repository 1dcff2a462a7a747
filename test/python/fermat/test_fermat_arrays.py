# SPDX-License-Identifier: Apache-2.0
"""`cyclotome_study.fermat`: the library's names on Fermat moduli, exact or a typed error."""

from __future__ import annotations

import copy
import doctest
import pickle

import numpy as np
import pytest
from cyclotome import errors
from cyclotome_study import fermat

SMALL = {"degree": 64, "allow_insecure": True, "security": 0}


@pytest.fixture(scope="module")
def keys() -> fermat.Keys:
    return fermat.keygen(fermat.Parameters(x=9, plain_modulus=786433, **SMALL))


def test_the_example_is_true() -> None:
    assert doctest.testmod(fermat).failed == 0


def test_programs_are_exact(keys: fermat.Keys, rng: np.random.Generator) -> None:
    a, b = (rng.integers(-100, 101, size=(3, 64)) for _ in range(2))
    x, y = fermat.encrypt(a, keys.public, bound=100), fermat.encrypt(b, keys.secret, bound=100)
    assert np.array_equal(fermat.decrypt(x, keys.secret), a)
    programs = [
        (x + y, a + b),
        (x - y, a - b),
        (-x, -a),
        (x * y, a * b),
        (y * x, a * b),
        (x * x - 3 * y + 7, a * a - 3 * b + 7),
        (5 - x, 5 - a),
        (x * b - a, a * b - a),
        (b[0] * x + b, b[0] * a + b),
        (x * y * 3, a * b * 3),
    ]
    for got, expected in programs:
        assert got.bound is not None and np.abs(expected).max() <= got.bound
        assert np.array_equal(fermat.decrypt(got, keys.secret), expected)


def test_values_that_would_not_fit_are_refused(keys: fermat.Keys) -> None:
    x = fermat.encrypt([1, 2, 3], keys.public, bound=600)
    y = x * x  # up to 360000, below t/2 = 393216.5
    with pytest.raises(errors.RangeError, match=r"results may reach 720000, but plaintext modulus 786433"):
        _ = y + y
    with pytest.raises(errors.RangeError, match="results may reach 720000"):
        _ = 2 * y
    with pytest.raises(errors.RangeError, match="magnitude 23 is beyond the bound 22"):
        fermat.encrypt([23], keys.public, bound=22)
    with pytest.raises(errors.RangeError, match="results may reach 400000"):
        fermat.encrypt([1], keys.public, bound=400000)
    wrapped = fermat.encrypt([393216, -393216, 5], keys.public, wrap=True)
    assert fermat.decrypt(wrapped + 1, keys.secret).tolist() == [-393216, -393215, 6]
    with pytest.raises(errors.MismatchError, match="modulo t"):
        _ = wrapped + x


def test_coefficients_are_convolutions() -> None:
    secret, public, _ = fermat.keygen(fermat.Parameters(x=8, plain_modulus=1024, **SMALL))
    x = fermat.encrypt([0, 1], public, bound=1)  # X
    shifted = np.zeros(64, dtype=np.int64)
    shifted[-1] = 1
    product = x * shifted  # X^64 = -1
    assert fermat.decrypt(product, secret)[0] == -1 and product.bound == 1
    assert fermat.decrypt(3 * x, secret)[:3].tolist() == [0, 3, 0]
    square = x * x
    assert square.bound == 64 and fermat.decrypt(square, secret)[:4].tolist() == [0, 0, 1, 0]
    with pytest.raises(errors.ArgumentError, match=r"1024 has no slots at degree 64; .* 1 modulo 128 .*786433"):
        fermat.encrypt([1], public, encoding="slots")


@pytest.mark.parametrize("version", ["none", "multiplication", "reduction", "both", "positional"])
def test_every_version(version: fermat.Version) -> None:
    splits = 0 if version == "positional" else None
    params = fermat.Parameters(x=8, plain_modulus=163841, splits=splits, version=version, **SMALL)
    secret, public, _ = fermat.keygen(params)
    x = fermat.encrypt([3, -4], public, bound=10)
    assert params.conversions == 0 and params.version == version
    assert fermat.decrypt(x * x, secret).tolist() == [9, 16]
    assert params.conversions == (64 if version == "positional" else 64 * 3 * 9)
    with pytest.raises(errors.ArgumentError, match=r"no version \"all\" of conversion; there are none, multiplication"):
        fermat.Parameters(x=8, plain_modulus=163841, version="all", **SMALL)  # type: ignore[arg-type]


def test_results_that_hide_nothing_are_refused(keys: fermat.Keys) -> None:
    x = fermat.encrypt([1, 2, 3], keys.public, bound=10)
    for nothing in (lambda: x - x, lambda: x * 0, lambda: x + -x):
        with pytest.raises(errors.TransparentError, match=r"hide nothing, .* add encrypt\(zeros, public\)"):
            nothing()
    zero = fermat.encrypt([0, 0, 0], keys.public, bound=0)
    assert fermat.decrypt(x + zero - x, keys.secret).tolist() == [0, 0, 0]


def test_depth_is_what_decrypts(keys: fermat.Keys) -> None:
    x = fermat.encrypt([1] * 64, keys.public, bound=1)
    depth = 0
    while (x * x).headroom >= 0:
        x, depth = x * x, depth + 1
    assert depth == keys.public.parameters.depth > 5
    assert fermat.decrypt(x, keys.secret).tolist() == [1] * 64
    with pytest.raises(errors.NoiseError, match=r"beyond what fermat bfv n=64 q=2\^512-1 .* larger x"):
        fermat.decrypt(x * x, keys.secret)


def test_presets_say_what_they_hide() -> None:
    names = fermat.Parameters.preset_names()
    assert len(names) == 12 and "003-32768-512" in names
    for name in names:
        degree = int(name.split("-")[1])
        bits = int(name.split("-")[2])
        if degree > 1024 and bits < 2048:
            if degree == 8192:
                secure = fermat.Parameters.preset(name)
                assert "INSECURE" not in secure.summary() and name in secure.summary()
        else:
            with pytest.raises(errors.SecurityError, match=rf"q = 2\^{bits} - 1 at degree {degree}, .*allow_insecure"):
                fermat.Parameters.preset(name)
            if bits <= 1024:
                insecure = fermat.Parameters.preset(name, allow_insecure=True)
                assert "INSECURE" in insecure.summary() and "INSECURE" in insecure.explain()
                assert "INSECURE" in repr(fermat.keygen(insecure).public) if bits == 128 else True
    with pytest.raises(errors.ParameterError, match='no preset "003-7-7" on Fermat moduli; there are 003-1024-128'):
        fermat.Parameters.preset("003-7-7")


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"x": 5}, errors.ParameterError, r"x must lie in \[6, 15\] to encrypt"),
        ({"x": 16}, errors.ParameterError, r"x = 16: x must lie in \[1, 15\]"),
        ({"splits": 6}, errors.ParameterError, r"split 6 times: .* x = 8 allows up to f = 5"),
        ({"plain_modulus": 65537}, errors.ParameterError, r"plaintext modulus 65537 shares the factor 65537"),
        ({"plain_modulus": 1 << 31}, errors.ParameterError, r"must lie in \[2, 2147483648\)"),
        ({"plain_modulus": 1}, errors.ParameterError, r"must lie in \[2, 2147483648\)"),
        ({"x": 6, "plain_modulus": 2147483629, "splits": 0}, None, ""),
        ({"digit_bits": 60}, errors.ParameterError, r"digits of 60 bits: relinearisation takes 1 to 59"),
        ({"digit_bits": 0, "splits": 0}, errors.ParameterError, r"drowns every product"),
        ({"degree": 1000}, errors.ParameterError, r"degree 1000 must be a power of two in \[1024, 131072\]"),
        ({"degree": 512}, errors.ParameterError, r"allow_insecure"),
        ({"degree": 1024}, errors.SecurityError, r"q = 2\^256 - 1 at degree 1024, but 128-bit .* at most 2[67] bits"),
        ({"security": 0}, errors.SecurityError, r"security 0 switches the check off"),
        ({"errors": "one-bounded"}, errors.SecurityError, r"outside every standard"),
        ({"errors": "none"}, errors.ArgumentError, r"\"standard\" or \"one-bounded\""),
    ],
)
def test_bad_parameters(change: dict[str, object], error: type[Exception] | None, match: str) -> None:
    given: dict[str, object] = {"degree": 16384, "x": 8, "plain_modulus": 163841, **change}
    if error is None:
        fermat.Parameters(**{**given, **SMALL})  # type: ignore[arg-type]
        return
    with pytest.raises(error, match=match):
        fermat.Parameters(**given)  # type: ignore[arg-type]


def test_bad_arguments(keys: fermat.Keys) -> None:
    x = fermat.encrypt([1, 2, 3], keys.public, bound=10)
    for values, error in (
        ([1.5], errors.UnsupportedError),
        ([], errors.ArgumentError),
        ([[[1]]], errors.ArgumentError),
    ):
        with pytest.raises(error):
            fermat.encrypt(values, keys.public)
    with pytest.raises(errors.ArgumentError, match=r"n = 64 values"):
        fermat.encrypt([0] * 65, keys.public)
    with pytest.raises(errors.ArgumentError, match=r"shapes \(3,\) and \(2,\)"):
        _ = x + np.array([1, 2])
    with pytest.raises(errors.ArgumentError, match=r"shapes \(3,\) and \(2,\)"):
        _ = x + fermat.encrypt([1, 2], keys.public, bound=2)
    with pytest.raises(errors.UnsupportedError):
        _ = x * 1.5
    with pytest.raises(errors.UnsupportedError, match="public or secret key"):
        fermat.encrypt([1], keys.evaluation)  # type: ignore[arg-type]
    with pytest.raises(errors.UnsupportedError, match="secret key, not PublicKey"):
        fermat.decrypt(x, keys.public)  # type: ignore[arg-type]
    alone = fermat.encrypt([1, 2, 3], keys.secret, bound=10)
    with pytest.raises(errors.MissingKeyError, match="with_keys"):
        _ = alone * alone
    assert fermat.decrypt(alone.with_keys(keys.evaluation) * alone, keys.secret).tolist() == [1, 4, 9]
    other = fermat.keygen(keys.public.parameters)
    with pytest.raises(errors.MismatchError, match="different keys"):
        fermat.decrypt(x, other.secret)
    with pytest.raises(errors.SecrecyError):
        copy.copy(keys.secret)
    with pytest.raises(errors.SecrecyError):
        pickle.dumps(keys.secret)
