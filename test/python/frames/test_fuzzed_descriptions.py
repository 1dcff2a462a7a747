# SPDX-License-Identifier: Apache-2.0
"""Whatever a file's metadata and sections say, loading and inspection end in a typed error or in an object that is
what it says. In format version 1 the metadata describe arrays; since then they only hold a width and a note."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import as_version_1, put_together, taken_apart, with_metadata
from cyclotome.errors import CyclotomeError, FormatError
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import wire_format
from stored_arrays import ARRAYS, EXAMPLES, MADE, PARAMETERS, check_array, json_facts

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
bounds = st.one_of(
    st.integers(0, 2000), st.sampled_from([PARAMETERS.capacity, PARAMETERS.capacity + 1, 2**64, 2**128, 2**899])
)


def mutated(data: st.DataObject, facts: dict[str, Any]) -> bytes:
    """A description that is nearly true: fields changed, left out or doubled, or its text damaged."""
    changed = {**facts, **data.draw(changes)}
    if data.draw(st.booleans()):
        changed["shape"] = data.draw(shapes)
    if data.draw(st.integers(0, 3)) == 0:
        changed["bound"] = str(data.draw(bounds))
    for name in data.draw(st.sets(fields, max_size=2)):
        changed.pop(name, None)
    text = json.dumps(changed)
    if data.draw(st.integers(0, 9)) == 0:
        text = text.replace("{", '{"shape":[1],', 1)  # twice the same key
    if data.draw(st.integers(0, 9)) == 0:
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + data.draw(st.text(max_size=3)) + text[place + data.draw(st.integers(0, 3)) :]
    return text.encode("utf-8", "surrogatepass")


def as_json(x: cy.EncryptedArray) -> bytes:
    return json.dumps(json_facts(x)).encode()


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_spelt_as_in_version_1_mean_the_same(name: str) -> None:
    """So that what follows changes files that are sound."""
    x = ARRAYS[name]
    container = as_version_1(cy.to_bytes(x), as_json(x))
    file = wire_format.read(container)
    for section, channel in zip(file.sections, x.native.channels, strict=True):
        assert len(wire_format.ciphertexts(section[1], file.parameters, file.version).noise) == 1
        assert channel.batch == len(wire_format.ciphertexts(section[1], file.parameters, 1).polynomials)
    y = cy.from_bytes(container, True, device="cpu:1")
    assert (y.shape, y.layout, y.encoding, y.bound) == (x.shape, x.layout, x.encoding, x.bound)
    assert y.native.clean == x.native.clean
    np.testing.assert_array_equal(cy.decrypt(y, MADE.secret), cy.decrypt(x, MADE.secret))


@pytest.mark.parametrize("name", ARRAYS)
@settings(max_examples=max(EXAMPLES // 2, 1))
@given(data=st.data())
def test_descriptions_of_arrays_in_version_1(name: str, data: st.DataObject) -> None:
    x = ARRAYS[name]
    container = as_version_1(cy.to_bytes(x), mutated(data, json_facts(x)))
    try:
        y = cy.from_bytes(container, True, device="cpu:1")
    except FormatError as error:
        assert len(str(error)) < 1000
        return
    check_array(y, x)
    again = cy.to_bytes(y)
    assert cy.to_bytes(cy.from_bytes(again, True, device="cpu:1")) == again  # one meaning, one spelling


@pytest.mark.parametrize("name", ARRAYS)
@settings(max_examples=max(EXAMPLES // 2, 1))
@given(data=st.data())
def test_metadata_change_nothing_of_an_array_in_version_2(name: str, data: st.DataObject) -> None:
    """Even where they describe another one."""
    x = ARRAYS[name]
    facts = {**data.draw(st.sampled_from([json_facts(x), {"value_bits": 10}])), "note": {"column": "a"}}
    try:
        y = cy.from_bytes(with_metadata(cy.to_bytes(x), mutated(data, facts)), True, device="cpu:1")
    except FormatError as error:
        assert len(str(error)) < 1000
        return
    assert (y.shape, y.layout, y.encoding, y.bound) == (x.shape, x.layout, x.encoding, x.bound)
    assert (y.l1_bound, y.native.clean, y.noise_headroom) == (x.l1_bound, x.native.clean, x.noise_headroom)
    assert y.parameters.value_bits is None or 1 <= y.parameters.value_bits <= 1024
    np.testing.assert_array_equal(cy.decrypt(y, MADE.secret), cy.decrypt(x, MADE.secret))


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_descriptions_of_keys_and_parameters(data: st.DataObject) -> None:
    obj = data.draw(st.sampled_from([PARAMETERS, MADE.public, MADE.evaluation]))
    container = with_metadata(cy.to_bytes(obj), mutated(data, {"value_bits": 10}))
    try:
        loaded = cy.from_bytes(container, True, device="cpu:1")
    except FormatError:
        return
    own = loaded if isinstance(loaded, cy.Parameters) else loaded.parameters
    assert own.value_bits is None or 1 <= own.value_bits <= 1024
    assert own == PARAMETERS and 0 < own.default_bound <= own.capacity


@settings(max_examples=EXAMPLES)
@given(data=st.binary(max_size=60))
def test_bytes_that_are_no_description(data: bytes) -> None:
    whole = cy.to_bytes(ARRAYS["packed"])
    with pytest.raises(FormatError):
        cy.from_bytes(as_version_1(whole, data), True, device="cpu:1")
    try:
        cy.from_bytes(with_metadata(whole, data), True, device="cpu:1")
    except FormatError:
        return
    assert data == b"" or isinstance(json.loads(data), dict)


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_inspection_and_loading_agree(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    x = ARRAYS[data.draw(st.sampled_from(sorted(ARRAYS)))]
    path: Path = tmp_path_factory.getbasetemp() / "fuzzed"
    in_format = data.draw(st.sampled_from([as_version_1, with_metadata]))
    path.write_bytes(in_format(cy.to_bytes(x), mutated(data, json_facts(x))))
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
    assert (found.shape, found.layout, found.encoding) == (y.shape, y.layout, y.encoding)
    assert found.bound == y.bound
    json.dumps(found.asdict(), allow_nan=False)
    str(found)


@settings(max_examples=EXAMPLES)
@given(note=st.dictionaries(st.text(max_size=6), values, max_size=5))
def test_notes_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, note: dict[str, Any]) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "noted"
    cy.save(path, PARAMETERS, note=note)
    assert cy.inspect(path).note == note
    assert cy.load(path, allow_insecure=True) == PARAMETERS


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_damaged_sections(data: st.DataObject) -> None:
    """Sections exchanged, doubled, dropped or cut, under a right checksum: no array comes out that was not put in."""
    x = ARRAYS[data.draw(st.sampled_from(sorted(ARRAYS)))]
    whole = cy.to_bytes(x)
    header, sections = taken_apart(data.draw(st.sampled_from([whole, as_version_1(whole, as_json(x))])))
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
    assert isinstance(y, cy.EncryptedArray) and y.native.batch == y.native.channels[0].batch
