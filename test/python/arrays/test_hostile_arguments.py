# SPDX-License-Identifier: Apache-2.0
"""Arguments that nobody means to give: arrays that change afterwards, numbers that wrap around in NumPy, shapes that
broadcast in the wrong place, things of other kinds. Nothing of it gives a wrong value, and whatever is refused is
refused by an error of this library."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from small import keys

ArgumentError, RangeError, UnsupportedError = (
    cy.errors.ArgumentError,
    cy.errors.RangeError,
    cy.errors.UnsupportedError,
)


def made() -> cy.Keys:
    return keys((65537,))


def encrypted(values: object, bound: Any = 9, **options: Any) -> cy.EncryptedArray:
    return cy.encrypt(values, made().public, bound=bound, **options)


def opened(x: Any) -> Any:
    return cy.decrypt(x, made().secret)


# --- what changes afterwards ------------------------------------------------------------------------------------------
def test_plain_operands_do_not_change() -> None:
    source = np.array([[1, 2, 3], [4, 5, 6]])
    weights = cy.plain(source[:, ::-1], made().public.parameters)
    source[:] = 0
    with pytest.raises(ValueError, match="read-only"):
        weights.values[0, 0] = 99
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(weights)[0, 0] = 99
    mine = np.array(weights)
    mine[0, 0] = 99
    assert np.asarray(weights, dtype=object).dtype == object
    for x in (encrypted([1, 1, 1]), encrypted([1, 1, 1]).to("cpu:2")):
        assert opened(x * weights).tolist() == [[3, 2, 1], [6, 5, 4]]
        with pytest.warns(cy.errors.PreparedWarning):
            assert opened(weights @ x).tolist() == [6, 15]


def test_matrices_do_not_change() -> None:
    source = np.asfortranarray([[1, 2], [3, 4]])
    matrix = cy.Matrix(source, made().public.parameters, device="cpu:1")
    source[:] = 100
    matrix.values[:] = 100
    x = encrypted([1, -1])
    assert opened(matrix @ x).tolist() == [-1, -1] and (matrix @ x).bound == 63


def test_masks_do_not_change() -> None:
    column = cy.encrypt_frame({"a": [1, None, 3]}, made().public, missing="public", bounds={"a": 9})["a"]
    with pytest.raises(ValueError, match="read-only"):
        column.mask[1] = 1
    own = np.array([1, 0, 1])
    again = cy.EncryptedColumn(column.values, mask=own)
    own[1] = 1
    assert again.count() == 2 and cy.decrypt_frame(again.sum(), made().secret) == 4
    for bad, error in (([1, 2, 0], ArgumentError), ([1, 0], ArgumentError), ([0.5, 1, 1], UnsupportedError)):
        with pytest.raises(error, match="mask"):
            cy.EncryptedColumn(column.values, mask=np.array(bad))
    with pytest.raises(ArgumentError, match="shape"):
        cy.EncryptedColumn(column.values, mask=encrypted([1, 0], 1))


# --- numbers and shapes -----------------------------------------------------------------------------------------------
def test_sums_of_public_operands_do_not_wrap_around() -> None:
    x = encrypted([[1, 2], [3, 4]])
    for wide in ([2**63 - 1, 2**63 - 1, 2], [2**62] * 4, [-(2**63), -(2**63)]):
        with pytest.raises(RangeError):
            cy.einsum("ij,k->i", x, np.array(wide))
    assert opened(cy.einsum("ij,k->i", x, np.array([2**63 - 1, -(2**63), 4]))).tolist() == [9, 21]


def test_numbers_of_digits_broadcast_as_numbers() -> None:
    few, many = np.array([1, 2, 3]), np.array([[3, 2, 1], [7, 0, 7], [1, 2, 4]])
    for layout in ("packed", "replicated"):
        a, b, one = (
            cy.encrypt_digits(values, made().public, base=2, digits=3, layout=layout) for values in (few, many, 2)
        )
        for x, p in ((a, few), (b, many), (one, np.array(2))):
            for y, q in ((a, few), (b, many), (one, np.array(2))):
                assert np.array_equal(opened(cy.equal(x, y)), (p == q).astype(int))
                assert np.array_equal(opened(cy.less(x, y)), (p < q).astype(int))
        choice = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0]])
        mask = encrypted(choice, (0, 1))
        for x, p, y, q in ((a, few, a, few[::-1]), (a, few, b, many), (one, np.array(2), a, few)):
            other = cy.encrypt_digits(q, made().public, base=2, digits=3, layout=layout) if y is x else y
            chosen = cy.decrypt_digits(cy.where(mask, x, other), made().secret)
            assert np.array_equal(chosen, np.where(choice == 1, p, q))
        assert np.array_equal(cy.decrypt_digits(cy.maximum(a, b), made().secret), np.maximum(few, many))


def test_axes_that_mean_another_thing_to_numpy() -> None:
    x = encrypted([[1, 3], [2, 0]], (0, 3), layout="replicated")
    for call in (lambda: np.sort(x, axis=None), lambda: np.concatenate([x, x], axis=None)):
        with pytest.raises(UnsupportedError, match="name the axis"):
            call()
    with pytest.raises(ArgumentError):
        np.stack([x, x], axis=None)  # type: ignore[call-overload]
    assert opened(np.sum(x, axis=None)) == 6


def test_durations_and_masked_arrays_are_no_numbers() -> None:
    durations = np.array([5, 7], "m8[s]")
    for values in (durations, list(durations), np.array(list(durations), dtype=object), durations[0]):
        with pytest.raises(UnsupportedError):
            encrypted(values)
        with pytest.raises(UnsupportedError):
            cy.FixedPoint(bits=2).encode(values)
    with pytest.raises(UnsupportedError, match="masked"):
        cy.FixedPoint(bits=2).encode(np.ma.array([1.0, 999.0], mask=[False, True]))
    with pytest.raises(ArgumentError):
        cy.FixedPoint(bits=2).encode([[1], [1, 2]])


# --- planned computations ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "operand",
    [
        cy.Operand((-1,), bound=3),
        cy.Operand((2**62,), bound=3),
        cy.Operand((2.5,), bound=3),  # type: ignore[arg-type]
        cy.Operand("ab", bound=3),  # type: ignore[arg-type]
        cy.Operand((2,), bound=9, digits=3, base=2),
        cy.Operand((2,), wrap=True, digits=3, base=2),
        cy.Operand((2,), encoding="slots", digits=3, base=2),
    ],
    ids=repr,
)
def test_operands_that_there_are_not(operand: cy.Operand) -> None:
    for call in (cy.plan, lambda f, _, inputs: cy.suggest(compute=f, inputs=inputs)):
        with pytest.raises(ArgumentError, match="Operand"):
            call(lambda x: x, made().public.parameters, [operand])


@pytest.mark.parametrize("compute", [5, lambda: None, lambda x, y: x, lambda x: None, lambda x: [], lambda x: {}])
def test_computations_that_are_none(compute: Any) -> None:
    operand = cy.Operand((2,), bound=3)
    for call in (
        lambda: cy.plan(compute, made().public.parameters, [operand]),
        lambda: cy.plan(compute, inputs=[encrypted([1, 2])]),
        lambda: cy.suggest(compute=compute, inputs=[operand]),
    ):
        with pytest.raises(ArgumentError, match="compute"):
            call()


def test_computations_that_name_devices_and_prepared_operands() -> None:
    """What a computation has at hand on real devices, it has where it is planned."""
    parameters, public = made().public.parameters, made().public
    operand = cy.Operand((3,), bound=9)
    matrix, weights = cy.Matrix([[1, 2, 3], [4, 5, 6]], parameters), cy.plain([1, 2, 3], parameters)
    x = encrypted([1, 2, 3])
    for compute, expected in (
        (lambda y: matrix @ y, [14, 32]),
        (lambda y: cy.Matrix([[1, 0, 1]], y.parameters, device=y.device) @ y, [4]),
        (lambda y: y * weights, [1, 4, 9]),
        (lambda y: cy.plain([1, 1, 1], y.parameters, device=y.device) - y, [0, -1, -2]),
        (lambda y: (y.to("cpu:2") * y.to("cpu:2")).to(y.device), [1, 4, 9]),
        (lambda y: cy.rekeying.rerandomize(y).to(y.device), [1, 2, 3]),
    ):
        plan = cy.plan(compute, parameters, operand)
        result = compute(x)
        assert plan.shapes == (result.shape,) and abs(plan.noise_headroom - result.noise_headroom) < 1e-6
        assert opened(result).tolist() == expected
    assert cy.plan(lambda y: (y.to("cpu:2") * y).sum(), parameters, operand).depth == 1
    with pytest.raises(cy.errors.EngineError, match="nonsense"):
        cy.plan(lambda y: y.to("nonsense"), parameters, operand)
    with pytest.raises(ArgumentError, match="none of its inputs"):
        cy.plan(lambda y: y + x, parameters, operand)
    elsewhere = cy.encrypt([1, 2, 3], keys((40961,)).public, bound=9)
    for call in (lambda: matrix @ elsewhere, lambda: elsewhere @ cy.Matrix([[1], [2], [3]], parameters)):
        with pytest.raises(cy.errors.MismatchError, match="different parameters"):
            call()
    assert opened(matrix @ encrypted([1, 0, 0]).to("cpu:2")).tolist() == [1, 4] and public.device == "cpu:1"


def test_parameters_that_no_computation_has() -> None:
    operand = cy.Operand((4,), bound=3)

    def suggested(compute: Any = lambda x: x * x, inputs: Any = operand, **asked: Any) -> None:
        cy.suggest(compute=compute, inputs=inputs, **asked)

    for wrong, error, match in (
        ({"plain_moduli": "abc"}, ArgumentError, "list"),
        ({"plain_moduli": 65537}, ArgumentError, "list"),
        ({"plain_moduli": []}, ArgumentError, "list"),
        ({"plain_moduli": [4]}, cy.errors.ParameterError, r"slots for the plaintext moduli \[4\]"),
        ({"min_degree": 10**9}, cy.errors.ParameterError, "at least 1000000000 slots"),
        ({"value_bits": "x"}, ArgumentError, "value_bits"),
        ({"value_bits": -3}, cy.errors.ParameterError, "value_bits = -3"),
        ({"compute": lambda x: cy.less(x, 0), "inputs": cy.Operand((2,), bound=2**40)}, RangeError, "less: "),
    ):
        with pytest.raises(cy.errors.ParameterError if error is RangeError else error, match=match):
            suggested(**wrong)  # type: ignore[arg-type]


# --- anything for anything --------------------------------------------------------------------------------------------
ODD: list[Any] = [
    *[float("nan"), [float("nan")], np.float32(1), [1, None], [[1], [1, 2]], "abc", b"x", 1j, {1: 2}, {1}, None],
    *[np.array([], int), np.zeros((0, 3), int), np.zeros((3, 0), int), np.array([1, 2], ">i4"), np.array("1")],
    *[np.array([2**63], "uint64"), [2**200], np.ma.array([1, 2], mask=[False, True]), np.array([1, 2], dtype=object)],
    *[object(), range(3), memoryview(b"abc"), bytearray(b"ab"), np.datetime64("2026-01-01"), np.bool_(True)],
]


def calls() -> list[Callable[[Any], Any]]:
    own, public, secret = made(), made().public, made().secret
    parameters, x = public.parameters, encrypted([1, 1, 1])
    return [
        lambda b: encrypted(b),
        lambda b: cy.encrypt([1], public, bound=b),
        lambda b: cy.encrypt([1], public, l1_bound=b),
        lambda b: cy.encrypt([1], public, layout=b),
        lambda b: cy.encrypt([1], public, encoding=b),
        lambda b: cy.encrypt_digits(b, public, base=2, digits=2),
        lambda b: cy.encrypt_frame(b, public),
        lambda b: cy.encrypt_frame({"a": b}, public),
        lambda b: x + b,
        lambda b: b - x,
        lambda b: x * b,
        lambda b: b @ x,
        lambda b: x**b,
        lambda b: x[b],
        lambda b: x.sum(b),
        lambda b: x.dot(b),
        lambda b: x.to(b),
        lambda b: x.reshape(b),
        lambda b: x.diagonal(axis1=b),
        lambda b: x.with_keys(b),
        lambda b: x.assume_bound(b),
        lambda b: x.rotate_rows(b),
        lambda b: x.automorphism(b),
        lambda b: x.switch_to_level(b),
        lambda b: x.switch_to_least_level(b),
        lambda b: cy.plain(b, parameters),
        lambda b: cy.Matrix(b, parameters),
        lambda b: cy.one_hot(b, 3),
        lambda b: cy.lookup(b, encrypted([0], (0, 0))),
        lambda b: cy.polyval(b, x),
        lambda b: cy.less(b, x),
        lambda b: cy.where(x, b, b),
        lambda b: cy.where(b, x, x),
        lambda b: cy.einsum("i,i", x, b),
        lambda b: cy.einsum(b, x),
        lambda b: cy.convolve(x, b),
        lambda b: cy.concatenate(b),
        lambda b: cy.stack([x, x], b),
        lambda b: cy.top_k(x, b),
        lambda b: cy.convolution_matrix((2, 2), b),
        lambda b: cy.FixedPoint(bits=8).encode(b),
        lambda b: cy.polynomials.expand(b),
        lambda b: cy.rekeying.rekey(x, b),
        lambda b: cy.decrypt(b, secret),
        lambda b: cy.decrypt(x, b),
        lambda b: cy.reveal(x, secret, flooding_bits=b),
        lambda b: cy.from_bytes(b),
        lambda b: cy.load(b),
        lambda b: cy.inspect(b),
        lambda b: cy.save(b, x) if not isinstance(b, (str, bytes)) else None,
        lambda b: cy.keygen(parameters, galois_elements=b),
        lambda b: cy.keygen(parameters, matrices=b),
        lambda b: cy.keygen(parameters, rotations=b),
        lambda b: cy.Operand(b).encrypted(public),
        lambda b: cy.plan(lambda y: y, parameters, b),
        lambda b: cy.suggest(compute=b, inputs=[cy.Operand((2,))]) if b is not None else own,
    ]


def test_every_refusal_is_typed(tmp_path: Path) -> None:
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        for number, call in enumerate(calls()):
            for odd in ODD:
                try:
                    call(odd)
                except cy.errors.CyclotomeError as error:
                    assert str(error)
                except Exception as error:
                    pytest.fail(f"call {number} of {odd!r}: {type(error).__name__}: {error}")
    finally:
        os.chdir(before)
