# SPDX-License-Identifier: Apache-2.0
"""Whatever a file's description and note say, loading and inspection end in a typed error or in an object that is what
it says.

A quick number of examples; CYCLOTOME_FUZZ_EXAMPLES asks for another, for long runs.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import warnings
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import put_together, taken_apart
from cyclotome import _core
from cyclotome.errors import CyclotomeError, FormatError, RangeError
from hypothesis import given, settings
from hypothesis import strategies as st
from small import DEGREE, keys, parameters

EXAMPLES = int(os.environ.get("CYCLOTOME_FUZZ_EXAMPLES", "150"))

MADE = keys(value_bits=10)
VALUES = np.arange(3 * (DEGREE + 1)).reshape(3, -1)
#: Arrays of every layout, and what they hold.
ARRAYS = {
    "packed": cy.encrypt(VALUES, MADE.public),
    "coefficients": cy.encrypt(VALUES, MADE.public, encoding="coefficients"),
    "replicated": cy.encrypt(VALUES[:, :2], MADE.public, layout="replicated"),
    "scalar": cy.encrypt(7, MADE.public),
    "wrapping": cy.encrypt(VALUES, MADE.public, wrap=True),
}

numbers = st.one_of(
    st.integers(-3, 40),
    st.integers(-(10**40), 10**40),
    st.sampled_from([2**31, 2**53 + 1, 2**63, 2**64, 2**1024, 10**4200, -(2**63)]),
    st.floats(allow_nan=False, allow_infinity=False),
)
values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), numbers, st.text(max_size=8), st.sampled_from(["1023", "0", "-1", "٣", "1" * 999])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=4), inner, max_size=4)),
    max_leaves=8,
)
fields = st.sampled_from(
    ["shape", "packed", "slots", "clean", "bound", "value_bits", "note", "scale", "columns", "", "\x1b[2J"]
)
changes = st.dictionaries(fields, values, max_size=4)
shapes = st.lists(st.integers(0, 60), max_size=4)


def mutated(data: st.DataObject, facts: dict[str, Any]) -> bytes:
    """A description that is nearly true: fields changed, left out or doubled, or its text damaged."""
    changed = {**facts, **data.draw(changes)}
    if data.draw(st.booleans()):
        changed["shape"] = data.draw(shapes)
    for name in data.draw(st.sets(fields, max_size=2)):
        changed.pop(name, None)
    text = json.dumps(changed)
    if data.draw(st.integers(0, 9)) == 0:
        text = text.replace("{", '{"shape":[1],', 1)  # twice the same key
    if data.draw(st.integers(0, 9)) == 0:
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + data.draw(st.text(max_size=3)) + text[place + data.draw(st.integers(0, 3)) :]
    return text.encode("utf-8", "surrogatepass")


def own_facts(x: cy.EncryptedArray) -> dict[str, Any]:
    _, sections = taken_apart(cy.to_bytes(x))
    facts: dict[str, Any] = json.loads(dict(sections)["META"])
    return facts


def check_array(y: Any, x: cy.EncryptedArray) -> None:
    """``y`` is consistent in itself, and the library goes on with it as with any array, or refuses in its way."""
    assert isinstance(y, cy.EncryptedArray) and len(y.shape) <= 32
    assert all(type(length) is int and length > 0 for length in y.shape)
    assert y._layout.batch == y._channels[0].batch == x._channels[0].batch
    assert y.bound is None or 0 <= y.bound <= y.parameters.capacity
    assert len(repr(y)) < 1000
    try:
        opened = np.asarray(cy.decrypt(y, MADE.secret))
    except RangeError:
        assert y.bound is not None  # the values are beyond what the description claims
    else:
        assert opened.shape == y.shape and opened.size == math.prod(y.shape)
        assert y.bound is None or int(np.abs(opened).max()) <= y.bound
    for work in (lambda: y + y, lambda: y.sum(), lambda: y * y, lambda: y.reshape((-1,)), lambda: -y):
        with contextlib.suppress(CyclotomeError):
            cy.to_bytes(work())


@pytest.mark.parametrize("name", ARRAYS)
@settings(max_examples=max(EXAMPLES // len(ARRAYS), 1))
@given(data=st.data())
def test_descriptions_of_arrays(name: str, data: st.DataObject) -> None:
    x = ARRAYS[name]
    container = _core.to_bytes(list(x._channels), mutated(data, own_facts(x)))
    try:
        y = cy.from_bytes(container, True, device="cpu:1")
    except FormatError as error:
        assert len(str(error)) < 1000
        return
    check_array(y, x)
    again = cy.to_bytes(y)
    assert cy.to_bytes(cy.from_bytes(again, True, device="cpu:1")) == again  # one meaning, one spelling


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_descriptions_of_keys_and_parameters(data: st.DataObject) -> None:
    obj = data.draw(st.sampled_from([parameters(), MADE.public, MADE.evaluation]))
    container = _core.to_bytes(obj._native, mutated(data, {"value_bits": 10}))
    try:
        loaded = cy.from_bytes(container, True, device="cpu:1")
    except FormatError:
        return
    own = loaded if isinstance(loaded, cy.Parameters) else loaded.parameters
    assert own.value_bits is None or 1 <= own.value_bits <= 1024
    assert own == parameters() and 0 < own.default_bound <= own.capacity


@settings(max_examples=EXAMPLES)
@given(data=st.binary(max_size=60))
def test_bytes_that_are_no_description(data: bytes) -> None:
    container = _core.to_bytes(list(ARRAYS["packed"]._channels), data)
    with pytest.raises(FormatError):
        cy.from_bytes(container, True, device="cpu:1")


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_inspection_and_loading_agree(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    x = ARRAYS[data.draw(st.sampled_from(sorted(ARRAYS)))]
    path: Path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(_core.to_bytes(list(x._channels), mutated(data, own_facts(x))))
    try:
        found = cy.inspect(path)
    except FormatError:
        found = None
    try:
        y = cy.load(path, allow_insecure=True, device="cpu:1")
    except FormatError:
        assert found is None
        return
    if found is None:  # a note that is no object: of no concern to the array
        with pytest.raises(FormatError, match="note"):
            cy.inspect(path)
        return
    assert (found.shape, found.bound) == (y.shape, y.bound)
    json.dumps(found.asdict(), allow_nan=False)
    str(found)


@settings(max_examples=EXAMPLES)
@given(note=st.dictionaries(st.text(max_size=6), values, max_size=5))
def test_notes_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, note: dict[str, Any]) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "noted"
    cy.save(path, parameters(), note=note)
    assert cy.inspect(path).note == note
    assert cy.load(path, allow_insecure=True) == parameters()


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_damaged_sections(data: st.DataObject) -> None:
    """Sections exchanged, doubled, dropped or cut, under a right checksum: no array comes out that was not put in."""
    x = ARRAYS[data.draw(st.sampled_from(sorted(ARRAYS)))]
    header, sections = taken_apart(cy.to_bytes(x))
    for _ in range(data.draw(st.integers(1, 2))):
        i, j = (data.draw(st.integers(0, len(sections) - 1)) for _ in range(2))
        action = data.draw(st.sampled_from(["swap", "double", "drop", "cut", "lengthen", "bytes"]))
        tag, content = sections[i]
        if action == "swap":
            sections[i], sections[j] = sections[j], sections[i]
        elif action == "double":
            sections.insert(j, sections[i])
        elif action == "drop" and len(sections) > 1:
            del sections[i]
        elif action == "cut":
            sections[i] = (tag, content[: data.draw(st.integers(0, len(content)))])
        elif action == "lengthen":
            sections[i] = (tag, content + data.draw(st.binary(min_size=1, max_size=9)))
        elif content:
            place = data.draw(st.integers(0, min(len(content) - 1, 90)))
            new = data.draw(st.binary(min_size=1, max_size=8))
            sections[i] = (tag, content[:place] + new + content[place + len(new) :])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            y = cy.from_bytes(put_together(header, sections), True, device="cpu:1")
        except CyclotomeError as error:
            assert len(str(error)) < 2000
            return
    assert isinstance(y, cy.EncryptedArray) and y._layout.batch == y._channels[0].batch
