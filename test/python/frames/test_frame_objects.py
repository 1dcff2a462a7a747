# SPDX-License-Identifier: Apache-2.0
"""Objects of tables that are made, computed, pickled and loaded: one rule for all of them. Whatever there is can be
stored, and what is stored comes back; what one of them refuses all of them do."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import pytest
from cyclotome.errors import (
    ArgumentError,
    CyclotomeError,
    FormatError,
    MemoryLimitError,
    MismatchError,
    RangeError,
    UnsupportedError,
)
from cyclotome.frames import descriptions
from cyclotome.numbers import labels
from forged_tables import forged
from small import keys

MADE, OTHER = keys((40961, 65537, 114689)), keys((40961, 65537))
ROWS = 3


def array(values: object, **options: Any) -> cy.EncryptedArray:
    return cy.encrypt(values, MADE.public, **options)


VALUES = array([10, 20, 30], bound=100)
BITS = array([1, 0, 1], bound=(0, 1))
SELECTORS = {n: array(np.eye(n, ROWS, dtype=int), bound=(0, 1)) for n in range(1, 5)}


class Text(str):
    """No `str` itself: files would give another type back."""


# --- random labels, scales and shapes ---------------------------------------------------------------------------------
def whole(rng: np.random.Generator) -> int:
    digits = int(rng.choice([1, 2, 18, 19, 20, 1233, 1234, 1235, 4300, 4301]))
    return int(rng.choice([-1, 1])) * (10**digits - int(rng.integers(0, 3)))


LABELS: list[Callable[[np.random.Generator], Any]] = [
    whole,
    lambda rng: int(rng.integers(-3, 4)),
    lambda rng: bool(rng.integers(2)),
    lambda rng: float(rng.choice([0.0, -0.0, 1.0, 0.1, 5e-324, 1.7e308, np.inf, -np.inf, np.nan])),
    lambda rng: Decimal(
        str(rng.choice(["0", "-0", "1.50", "1E+5", "1E+999999999", "Infinity", "-Infinity", "NaN", "sNaN"]))
    ),
    lambda rng: Decimal("1." + "3" * int(rng.choice([10, 4093, 4094, 4095]))),
    lambda rng: "".join(rng.choice(list("aB é\u2028\0\n\U0001f600\ud800\udfff"), int(rng.integers(0, 4)))),
    lambda rng: "x" * int(rng.choice([4095, 4096, 4097])),
    lambda rng: date(1, 1, 1) + timedelta(days=int(rng.integers(0, 3_000_000))),
    lambda rng: rng.choice([np.int64(7), np.float32(0.1), np.bool_(True), np.str_("n"), np.uint64(2**64 - 1)]),
    lambda rng: np.datetime64("2020-02-29", str(rng.choice(["D", "s", "ns"]))),
    lambda rng: [None, (1, 2), b"x", Text("t"), 1j, Fraction(1, 3), datetime(2020, 1, 1), pd.Timestamp(0), pd.NA][
        int(rng.integers(9))
    ],
]


def some_labels(rng: np.random.Generator, count: int) -> tuple[Any, ...]:
    kinds = rng.choice(len(LABELS), size=int(rng.integers(1, 3)))
    return tuple(LABELS[int(rng.choice(kinds))](rng) for _ in range(count))


def some_column(rng: np.random.Generator) -> Any:
    if rng.random() < 0.5:
        count = int(rng.integers(1, 5))
        return cy.EncryptedCategories(SELECTORS[count], some_labels(rng, count))
    scale: Any = rng.choice([1, 10, 3, 2**62, 0, -1])
    scale = [int(scale), 2**4096 - 1, 2**4096, 1.5, True, "1"][
        int(rng.choice(6, p=[0.9, 0.02, 0.02, 0.02, 0.02, 0.02]))
    ]
    mask: Any = [None, [1, 0, 1], [1, 2, 0], np.array([True, False, True]), BITS, VALUES, [1, 0]][int(rng.integers(7))]
    return cy.EncryptedColumn(VALUES, scale, mask, [None, True, False][int(rng.integers(3))])


def some_frame(rng: np.random.Generator) -> cy.EncryptedFrame:
    names = ["a", "", "é", "\ud800", "x" * 5000]
    chosen = rng.choice(names, size=int(rng.integers(1, 3)), p=[0.5, 0.2, 0.2, 0.05, 0.05])
    index = None if rng.random() < 0.5 else some_labels(rng, ROWS)
    return cy.EncryptedFrame({str(name): some_column(rng) for name in chosen}, index)


def facts_of(frame: cy.EncryptedFrame) -> list[Any]:
    """All that is public, types included, and which arrays."""
    columns = []
    for name, column in frame.columns.items():
        if isinstance(column, cy.EncryptedCategories):
            columns.append([name, [(type(x), x) for x in column.labels], id(column.selectors)])
        else:
            hidden = isinstance(column.mask, cy.EncryptedArray)
            mask = None if column.mask is None else "hidden" if hidden else np.asarray(column.mask).tolist()
            columns.append([name, column.scale, column.cleared, mask, id(column.values)])
    return [frame.rows, frame.index and [(type(x), x) for x in frame.index], columns]


def test_what_is_made_can_be_stored_and_comes_back(rng: np.random.Generator) -> None:
    made, refused = 0, 0
    while made + refused < 12_000:
        try:
            frame = some_frame(rng)
        except CyclotomeError:
            refused += 1
            continue
        made += 1
        facts, arrays = descriptions.described(frame)
        again = descriptions.rebuilt(json.loads(json.dumps(facts)), arrays)
        assert facts_of(again) == facts_of(frame)
        if made % 100 == 0:
            loaded = cy.from_bytes(cy.to_bytes(frame), allow_insecure=True)
            assert facts_of(loaded)[:2] == facts_of(frame)[:2]
            cy.decrypt_frame(frame.with_keys(MADE.evaluation), MADE.secret) if _is_plain(frame) else None
    assert min(made, refused) > 1000


def _is_plain(frame: cy.EncryptedFrame) -> bool:
    """Whether what it says of its values is true, so that it can be decrypted."""
    return all(isinstance(x, cy.EncryptedColumn) and x.mask is None for x in frame.columns.values())


def test_what_can_be_loaded_can_be_made(rng: np.random.Generator) -> None:
    """Labels as hostile files have them: what the reader takes the classes take, and they write the same again."""
    texts = ["", "1", "007", "-0", "True", "0x1.8p+0", "inf", "nan", "Infinity", "sNaN", "1E+9999999999", "2021-02-29"]
    texts += ["2020-02-29", "1-1-1", "9" * 1234, "9" * 1235, "x" * 4097, "\ud800", "١"]
    kinds: list[Any] = ["str", "bool", "int", "float", "Decimal", "date", "tuple", "", None, 1, {}, [], ["str"], True]
    taken = 0
    for _ in range(10_000):
        given = [kinds[int(rng.integers(len(kinds)))], texts[int(rng.integers(len(texts)))]]
        if rng.random() < 0.1:
            given = [given, given[:1], [*given, 1], {}, given[0]][int(rng.integers(5))]
        facts = {
            "rows": ROWS, "index": None, "masks": [], "columns": [{"name": "k", "selectors": 0, "labels": [given]}],
        }  # fmt: skip
        try:
            frame = descriptions.rebuilt(facts, [SELECTORS[1]])
        except FormatError:
            continue
        taken += 1
        (label,) = frame["k"].labels
        assert cy.EncryptedCategories(SELECTORS[1], (label,)).labels == (label,)
        assert labels.written(label) == given
    assert taken > 500


NO_LABELS = [float("nan"), Decimal("sNaN"), 10**1235, 10**5000, "\udc80", "x" * 4097, (1,), None]


@pytest.mark.parametrize("label", NO_LABELS, ids=range(len(NO_LABELS)))
def test_labels_that_no_file_takes_are_refused_wherever_they_come_in(label: Any) -> None:
    frame = cy.EncryptedFrame({"a": cy.EncryptedColumn(VALUES)}).with_keys(MADE.evaluation)
    for make in (
        lambda: cy.EncryptedCategories(SELECTORS[1], (label,)),
        lambda: cy.EncryptedFrame(frame.columns, (label, 1, 2)),
        lambda: cy.EncryptedColumn(VALUES, index=(label, 1, 2)),
        lambda: cy.encrypt_frame({"k": ["x"]}, MADE.public, categories={"k": ["x", label]}),
        lambda: frame.groupby([label, label, label]).sum(),
    ):
        with pytest.raises(ArgumentError):
            make()


def test_masks_written_within_one_are_read() -> None:
    """As tables before had them, encrypted with ``bound=1``; others are refused."""
    kinds = cy.EncryptedCategories(SELECTORS[2], ("x", "y"))
    frame = cy.EncryptedFrame({"a": cy.EncryptedColumn(VALUES, mask=BITS), "k": kinds})
    facts, _ = descriptions.described(frame)
    loose = [VALUES, array(np.eye(2, ROWS, dtype=int), bound=1), array([1, 0, 1], bound=1)]
    read = descriptions.rebuilt(facts, loose)
    assert read["a"].mask.interval == (0, 1) == read["k"].selectors.interval
    assert cy.decrypt(read["a"].mask, MADE.secret).tolist() == [1, 0, 1]
    for wrong in (array([1, 0, 1], bound=2), array([-1, 0, -1], bound=(-1, 0)), array([1, 0, 1], wrap=True)):
        with pytest.raises(FormatError):
            descriptions.rebuilt(facts, [*loose[:2], wrong])


# --- masks ------------------------------------------------------------------------------------------------------------
def test_a_mask_that_was_given_counts() -> None:
    """10, 20, 30 with the mask 1, 0, 1 sum up to 40 and not to 60, by every way to make such a column."""
    for mask in ([1, 0, 1], BITS):
        column = cy.EncryptedColumn(VALUES, 1, mask).mapped(lambda x: x.with_keys(MADE.public, MADE.evaluation))
        assert column.cleared is False
        for each in (
            column,
            pickle.loads(pickle.dumps(column)).with_keys(MADE.evaluation),
            copy.deepcopy(column),
            +column,
        ):
            frame = cy.EncryptedFrame({"a": each}).with_keys(MADE.evaluation)
            assert cy.decrypt_frame(frame["a"].sum(), MADE.secret) == 40
            assert cy.decrypt_frame(frame.groupby([7, 7, 7]).sum(), MADE.secret)["a"].tolist() == [40]
            assert cy.decrypt_frame((frame["a"] * 2 + 1).sum(), MADE.secret) == 82
            assert cy.decrypt_frame(each, MADE.secret).tolist() == [10, pd.NA, 30]
            count = frame["a"].count()
            assert (count if isinstance(count, int) else cy.decrypt_frame(count, MADE.secret)) == 2


def test_public_masks_are_copied_so_that_nobody_can_change_them() -> None:
    owner = np.array([1, 0, 1])
    view = owner[:]
    view.flags.writeable = False
    frozen = np.array([1, 0, 1])
    frozen.flags.writeable = False
    for given in (owner, view, frozen, owner.astype(bool), [1, 0, 1], pd.Series([1, 0, 1]), np.broadcast_to(owner, 3)):
        column = cy.EncryptedColumn(VALUES, 1, given)
        for mask in (column.mask, (column + 1).mask, copy.copy(column).mask):
            assert isinstance(mask, np.ndarray) and mask is not given
            for change in (lambda mask=mask: setattr(mask.flags, "writeable", True), lambda mask=mask: mask.sort()):
                with pytest.raises(ValueError):
                    change()
        frozen.flags.writeable = True
        owner[:], frozen[:] = 0, 0
        assert column.count() == 2
        owner[:], frozen[:] = [1, 0, 1], [1, 0, 1]
    assert (column + 1).mask is column.mask  # and not once more for each operation


@pytest.mark.parametrize("writeable", [True, False])
@pytest.mark.parametrize(
    ("mask", "error"),
    [
        (np.array([1, 5, 1]), ArgumentError),
        (np.array([1, -1, 1]), ArgumentError),
        (np.array([1, 0, 1, 1]), ArgumentError),
        (np.array([[1, 0, 1]]), ArgumentError),
        (np.array([1.0, 0, 1]), UnsupportedError),
        (pd.Series([1, 0, 1], index=[2, 1, 0]), ArgumentError),
    ],
)
def test_what_is_no_mask_is_refused(mask: Any, error: type[Exception], writeable: bool) -> None:
    if isinstance(mask, np.ndarray):
        mask = mask.copy()
        mask.flags.writeable = writeable
    with pytest.raises(error):
        cy.EncryptedColumn(VALUES, 1, mask)


# --- constructors -----------------------------------------------------------------------------------------------------
SINGLE = array([1], bound=1)[0]
REFUSED: list[tuple[Callable[[], Any], type[Exception]]] = [
    (lambda: cy.EncryptedColumn([1, 2]), UnsupportedError),
    (lambda: cy.EncryptedColumn(None), UnsupportedError),
    (lambda: cy.EncryptedColumn(array([1], wrap=True)), UnsupportedError),
    (lambda: cy.EncryptedColumn(array([1], bound=1, encoding="coefficients")), UnsupportedError),
    (lambda: cy.EncryptedColumn(array([[1, 2]], bound=2)), ArgumentError),
    (lambda: cy.EncryptedColumn(cy.sharding.shard(array([[1], [2]], bound=2), ["cpu:1"])), UnsupportedError),
    (lambda: cy.EncryptedColumn(VALUES, mask=array([1, 0, 1], bound=1)), ArgumentError),
    (lambda: cy.EncryptedColumn(VALUES, mask=array([1, 0, 1], bound=(0, 7))), ArgumentError),
    (lambda: cy.EncryptedColumn(VALUES, mask=array([1, 0, 1], wrap=True)), UnsupportedError),
    (lambda: cy.EncryptedColumn(VALUES, mask=cy.encrypt([1, 0, 1], OTHER.public, bound=(0, 1))), MismatchError),
    (lambda: cy.EncryptedColumn(SINGLE, mask=np.array(1)), ArgumentError),
    (lambda: cy.EncryptedColumn(VALUES, cleared="yes"), ArgumentError),
    (lambda: cy.EncryptedColumn(VALUES, 2**4096), RangeError),
    (lambda: cy.EncryptedColumn(VALUES, index=("a", "b")), ArgumentError),
    (lambda: cy.EncryptedColumn(VALUES, index="abc"), ArgumentError),
    (lambda: cy.EncryptedCategories(VALUES, ("a",)), ArgumentError),
    (lambda: cy.EncryptedCategories(SELECTORS[2], ("a",)), ArgumentError),
    (lambda: cy.EncryptedCategories(SELECTORS[2], ("a", "a")), ArgumentError),
    (lambda: cy.EncryptedCategories(SELECTORS[2], (1, True)), ArgumentError),
    (lambda: cy.EncryptedCategories(SELECTORS[2], (1, Decimal("1.0"))), ArgumentError),
    (lambda: cy.EncryptedCategories(SELECTORS[2], "ab"), ArgumentError),
    (lambda: cy.EncryptedCategories(array(np.eye(2, ROWS, dtype=int), bound=5), ("a", "b")), ArgumentError),
    (lambda: cy.EncryptedFrame({}), ArgumentError),
    (lambda: cy.EncryptedFrame([VALUES]), ArgumentError),
    (lambda: cy.EncryptedFrame({"a": VALUES}), UnsupportedError),
    (lambda: cy.EncryptedFrame({1: cy.EncryptedColumn(VALUES)}), ArgumentError),
    (lambda: cy.EncryptedFrame({"a": cy.EncryptedColumn(VALUES), "b": cy.EncryptedColumn(SINGLE)}), ArgumentError),
    (
        lambda: cy.EncryptedFrame(
            {"a": cy.EncryptedColumn(VALUES), "b": cy.EncryptedColumn(cy.encrypt([1, 2, 3], OTHER.public))}
        ),
        MismatchError,
    ),
    (lambda: cy.EncryptedFrame({"a": cy.EncryptedColumn(VALUES, index=["xyz"])}), ArgumentError),
    (lambda: cy.EncryptedFrame({"a": cy.EncryptedColumn(VALUES, index=(3, 4, 5))}, (4, 3, 5)), ArgumentError),
    (lambda: cy.EncryptedDigits([1], 2), UnsupportedError),
    (lambda: cy.EncryptedDigits(array([[5], [0]], bound=(0, 9)), 2), ArgumentError),
    (lambda: cy.EncryptedDigits(array([[1], [0]], bound=1), 2), ArgumentError),
    (lambda: cy.circuit.EncryptedNumbers(VALUES, (3,), 1), ArgumentError),
    (lambda: cy.circuit.EncryptedNumbers(None, (3,), 1), UnsupportedError),
    (lambda: cy.Matrix([[1, 2]], None), UnsupportedError),
    (lambda: cy.Matrix(np.zeros((0, 2), int), MADE.secret.parameters), ArgumentError),
    (lambda: cy.PlainArray(None, [1]), UnsupportedError),
    (lambda: cy.PlainArray(MADE.secret.parameters, [0.5]), UnsupportedError),
    (lambda: cy.PlainArray(MADE.secret.parameters, []), ArgumentError),
    (lambda: cy.PlainArray(keys((3,)).secret.parameters, [1]), UnsupportedError),
    (lambda: cy.plan(lambda x: x, MADE.secret.parameters, [cy.Operand((10**15,))]), MemoryLimitError),
    (lambda: cy.FixedPoint(2).decode([1], factors=1.5), ArgumentError),
    (lambda: cy.FixedPoint(2).decode([1], factors=True), ArgumentError),
    (lambda: cy.FixedPoint(61), ArgumentError),
    (lambda: cy.one_hot(1, 2**62), RangeError),
    (lambda: cy.one_hot(np.zeros(2**15, int), 2**15), RangeError),
]


@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_constructors_refuse_what_they_are_not(place: int) -> None:
    make, error = REFUSED[place]
    with pytest.raises(error):
        make()


def test_digits_by_any_other_mask_than_bits() -> None:
    made = keys((40961,))
    x = cy.encrypt_digits([1, 2], made.public, base=2, digits=2)
    with pytest.raises(ArgumentError, match=r"bound=\(0, 1\)"):
        cy.where(cy.encrypt([1, 0], made.public, bound=1), x, x)
    chosen = cy.where(cy.encrypt([1, 0], made.public, bound=(0, 1)), x, x)
    assert cy.decrypt_digits(cy.from_bytes(cy.to_bytes(chosen), True), made.secret).tolist() == [1, 2]


def test_numbers_of_circuits_are_made_as_they_are_loaded() -> None:
    made = keys((40961,))
    lists = cy.circuit.encrypt_lists([[1, 2, 3]], made.public, bits=2)
    facts = {"shape": lists.shape, "bits": 2, "signed": False, "lists": True}
    assert cy.to_bytes(cy.circuit.EncryptedNumbers(lists.digits, **facts)) == cy.to_bytes(lists)  # type: ignore[arg-type]
    for change in (
        {"shape": (3, 1)}, {"shape": [1, 3]}, {"shape": (1, 3.0)}, {"shape": (True, 3)}, {"shape": (0, 3)}, {"bits": 3},
        {"bits": True}, {"bits": 0}, {"bits": 65}, {"signed": 1}, {"lists": False}, {"lists": None},
        {"shape": (1,) * 32 + (3,)},
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match="no EncryptedNumbers"):
            cy.circuit.EncryptedNumbers(lists.digits, **{**facts, **change})  # type: ignore[arg-type]


def test_plain_arrays_keep_what_was_encoded() -> None:
    own = np.array([1, 2, 3])
    plain = cy.PlainArray(MADE.secret.parameters, own)
    own[0] = 9
    assert plain.values.tolist() == [1, 2, 3]
    with pytest.raises(ValueError):
        plain.values.flags.writeable = True
    wide = cy.plain([2**40, 1], keys((40961, 65537, 114689)).secret.parameters)
    with pytest.raises(ValueError):
        wide.values[0] = 3


def test_frames_do_not_change() -> None:
    columns = {"a": cy.EncryptedColumn(VALUES)}
    frame = cy.EncryptedFrame(columns)
    columns["b"] = cy.EncryptedColumn(SINGLE)
    with pytest.raises(TypeError):
        frame.columns["b"] = columns["b"]  # type: ignore[index]
    assert list(frame) == ["a"] and list(copy.deepcopy(frame)) == list(pickle.loads(pickle.dumps(frame))) == ["a"]


def test_forged_files_are_refused_as_files() -> None:
    data = cy.to_bytes(cy.EncryptedFrame({"k": cy.EncryptedCategories(SELECTORS[1], ("x",))}))
    assert cy.from_bytes(forged(data, lambda _: None), allow_insecure=True) is not None
    for kind in ({}, [], ["str"], None, True, 1, 1.5, "tuple"):
        with pytest.raises(FormatError, match="column 'k': a label is"):
            cy.from_bytes(
                forged(data, lambda f, kind=kind: f["columns"][0]["labels"].__setitem__(0, [kind, "x"])),
                allow_insecure=True,
            )


def test_the_command_line_refuses_forged_tables(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from cli_runner import run

    data = cy.to_bytes(cy.EncryptedFrame({"k": cy.EncryptedCategories(SELECTORS[1], ("x",))}))
    cy.save(tmp_path / "secret.key", MADE.secret)
    for kind in ({}, ["str"], None):
        wrong = forged(data, lambda f, kind=kind: f["columns"][0]["labels"].__setitem__(0, [kind, "x"]))
        (tmp_path / "wrong.ct").write_bytes(wrong)
        done = run("decrypt", tmp_path / "wrong.ct", "-k", tmp_path / "secret.key", "--allow-insecure")
        assert done.code == 3 and "a label is" in " ".join(done.text.split())
