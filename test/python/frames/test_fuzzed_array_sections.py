# SPDX-License-Identifier: Apache-2.0
"""Whatever a section ARRY says, loading ends in a FormatError or in an array that means just that, and whose file is
the same again."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import description, signed, taken_apart, with_section, words
from cyclotome.errors import FormatError
from hypothesis import event, given, settings
from hypothesis import strategies as st
from oracles import wire_format
from stored_arrays import ARRAYS, EXAMPLES, MADE, PARAMETERS, check_array

CAPACITY = PARAMETERS.capacity
PLACEMENTS = ["replicated", "slots", "coefficients"]

#: Shapes that one, six or nine ciphertexts can have, and others.
shapes = st.one_of(
    st.sampled_from(
        [(), (1,), (16,), (3, 17), (3, 18), (6, 1), (2, 3, 5), (96,), (81,), (6,), (3, 2), (1, 6, 1), (1,) * 31 + (6,)]
    ),
    st.lists(st.integers(0, 60), max_size=4),
    st.lists(st.sampled_from([1, 6, 2**32, 2**59, 2**60, 2**61, 2**62 + 1, 2**63, 2**64 - 1]), max_size=40),
)
limits = st.one_of(
    st.integers(0, 2000),
    st.sampled_from([CAPACITY - 1, CAPACITY, CAPACITY + 1, 2 * CAPACITY, 2**63, 2**64 - 1, 2**64, 2**128, 2**192]),
    st.integers(0, 2**200),
)


def own_section(x: cy.EncryptedArray) -> bytes:
    _, sections = taken_apart(cy.to_bytes(x))
    return dict(sections)["ARRY"]


def spelt(data: st.DataObject, number: int) -> bytes:
    """Words of a number: mostly as they should be, sometimes with zeros in front, or very many."""
    usual = words(number)
    return data.draw(st.sampled_from([usual] * 12 + [usual + bytes(8), usual + bytes(800), b"\xff" * 60000]))


def fields(x: cy.EncryptedArray) -> dict[str, Any]:
    bound = {"largest": words(x.bound or 0), "row": words(x.l1_bound or 0)}
    placement, bounded = x.native.placement.value, int(not x.wrap)
    if x.interval is not None and x.interval[0] != -x.interval[1]:
        bounded, bound["interval"] = 3, b"".join(map(signed, x.interval))
    return {"placement": placement, "clean": x.native.clean, "bounded": bounded, "shape": x.shape, **bound}


def mutated(data: st.DataObject, x: cy.EncryptedArray) -> bytes:
    """A section that is nearly right: one field or two are others, or bytes are damaged."""
    changed = fields(x)
    names = ["placement", "clean", "bounded", "shape", "bounds", "interval"]
    for name in data.draw(st.sets(st.sampled_from(names), max_size=2)):
        if name == "shape":
            changed["shape"] = data.draw(shapes)
        elif name == "bounds":
            largest = data.draw(limits)
            row = data.draw(st.one_of(limits, st.integers(1, 20).map(lambda factor, of=largest: factor * of)))
            changed |= {"largest": spelt(data, largest), "row": spelt(data, row)}
        elif name == "interval":
            ends = [data.draw(st.one_of(limits, limits.map(lambda limit: -limit))) for _ in range(2)]
            ends = data.draw(st.sampled_from([ends, sorted(ends), [0, 1023], [-1, 1023], [1, 1023], [-1023, 1023]]))
            signs = [data.draw(st.sampled_from([None, None, None, 0, 1, 2])) for _ in range(2)]
            changed |= {"bounded": 3, "interval": b"".join(map(signed, ends, signs))}
        else:
            changed[name] = data.draw(st.one_of(st.integers(0, 3), st.integers(0, 255)))
    return damaged(data, description(**changed)) if data.draw(st.integers(0, 2)) == 0 else description(**changed)


def damaged(data: st.DataObject, section: bytes) -> bytes:
    """A bit flipped, a byte or a count replaced, something cut off, put in or put behind."""
    place = data.draw(st.integers(0, len(section) - 1))
    action = data.draw(st.sampled_from(["flip", "byte", "count", "cut", "insert", "extend"]))
    if action == "flip":
        return section[:place] + bytes([section[place] ^ 1 << data.draw(st.integers(0, 7))]) + section[place + 1 :]
    if action == "byte":
        return section[:place] + data.draw(st.binary(min_size=1, max_size=1)) + section[place + 1 :]
    if action == "count":  # of axes, and of words
        start = data.draw(st.sampled_from([3, 4, 5, 6, 7]))
        return section[:start] + bytes([data.draw(st.sampled_from([0, 1, 2, 3, 32, 33, 255]))]) + section[start + 1 :]
    if action == "cut":
        return section[:place]
    new = data.draw(st.binary(min_size=1, max_size=9))
    return section + new if action == "extend" else section[:place] + new + section[place:]


def check(x: cy.EncryptedArray, section: bytes) -> cy.EncryptedArray | None:
    """Loads the ciphertexts of ``x`` with this section: an array that means what the section says, spelt as it was, or
    None after a FormatError."""
    container = with_section(cy.to_bytes(x), "ARRY", section)
    try:
        y = cy.from_bytes(container, True, device="cpu:1")
    except FormatError as error:
        assert len(str(error)) < 1000
        return None
    says = wire_format.description(section)
    assert (y.layout == "packed") == (says.placement != "replicated")
    assert (y.native.placement.name, y.shape, y.native.clean) == (says.placement, says.shape, says.clean)
    assert (None if says.bounds is None else (y.bound, y.l1_bound)) == says.bounds
    if says.bounds is not None:
        assert y.interval == (says.interval or (-says.bounds[0], says.bounds[0]))
    assert cy.to_bytes(y) == container  # one meaning, one spelling
    check_array(y, x)
    assert isinstance(y, cy.EncryptedArray)
    return y


@pytest.mark.parametrize("name", ARRAYS)
def test_the_fuzzers_own_spelling_is_the_librarys(name: str) -> None:
    x = ARRAYS[name]
    assert description(**fields(x)) == own_section(x)
    y = check(x, own_section(x))
    assert y is not None
    np.testing.assert_array_equal(cy.decrypt(y, MADE.secret), cy.decrypt(x, MADE.secret))


def test_values_of_which_each_is_more_than_their_row() -> None:
    """An interval beside 0 that a row's sum does not reach."""
    stated = fields(ARRAYS["wrapping"]) | {"bounded": 3, "largest": words(1), "interval": signed(1) + signed(1)}
    assert check(ARRAYS["wrapping"], description(**stated | {"row": words(0)})) is None
    assert check(ARRAYS["wrapping"], description(**stated | {"row": words(1)})) is not None


@pytest.mark.parametrize("name", ARRAYS)
@settings(max_examples=max(EXAMPLES // 2, 1))
@given(data=st.data())
def test_descriptions_that_are_nearly_right(name: str, data: st.DataObject) -> None:
    event("refused" if check(ARRAYS[name], mutated(data, ARRAYS[name])) is None else "taken")


@settings(max_examples=EXAMPLES)
@given(section=st.binary(max_size=60))
def test_bytes_that_are_no_description(section: bytes) -> None:
    check(ARRAYS["packed"], section)


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_inspection_and_loading_agree(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    x = ARRAYS[data.draw(st.sampled_from(sorted(ARRAYS)))]
    path: Path = tmp_path_factory.getbasetemp() / "fuzzed section"
    path.write_bytes(with_section(cy.to_bytes(x), "ARRY", mutated(data, x)))
    try:
        found = cy.inspect(path)
    except FormatError:
        with pytest.raises(FormatError):
            cy.load(path, allow_insecure=True, device="cpu:1")
        return
    y = cy.load(path, allow_insecure=True, device="cpu:1")
    about = (found.shape, found.layout, found.encoding, found.bound, found.l1_bound)
    assert about == (y.shape, y.layout, y.encoding, y.bound, y.l1_bound)
    assert y.interval == (found.interval or (None if y.bound is None else (-y.bound, y.bound)))


@pytest.mark.parametrize(
    "change",
    [
        {"placement": 3},
        {"placement": 255},
        {"placement": 0},
        {"placement": 2, "clean": 0},
        {"clean": 2},
        {"bounded": 2},
        {"bounded": 0},
        {"shape": ()},
        {"shape": (3, 0)},
        {"shape": (6, 17)},
        {"shape": (3, 33)},
        {"shape": (2**60,)},
        {"shape": (2**61, 2**61)},
        {"shape": (2**64 - 1, 17)},
        {"shape": (2**63, 2, 3, 17)},
        {"shape": (1,) * 31 + (3, 17)},
        {"shape": (1,) * 250 + (3, 17)},
        {"shape": (6, 16), "clean": 0},
        {"largest": words(CAPACITY + 1), "row": words(CAPACITY + 1)},
        {"largest": b"\xff" * 60000},
        {"row": b"\xff" * 60000},
        {"largest": words(1023) + bytes(8)},
        {"row": words(17 * 1023) + bytes(8)},
        {"row": words(1022)},
        {"row": words(17 * 1023 + 1)},
        {"row": b""},
        {"largest": b""},
        {"bounded": 3},
        {"interval": signed(0) + signed(1023)},
        *(
            {"bounded": 3, "interval": interval}
            for interval in (
                signed(0),
                signed(0) + signed(1023) + signed(0),
                signed(-1023) + signed(1023),
                signed(1023) + signed(0),
                signed(0) + signed(1022),
                signed(0) + signed(1024),
                signed(0, 1) + signed(1023),
                signed(0) + signed(1023, 2),
                signed(0) + signed(1023, 1),
                signed(-1024) + signed(1023),
                struct.pack("<2H", 1, 0) + bytes(8) + signed(1023),
                struct.pack("<2H", 60000, 0) + b"\xff" * 480000 + signed(1023),
            )
        ),
    ],
    ids=repr,
)
def test_false_descriptions_are_refused(change: dict[str, Any]) -> None:
    x = ARRAYS["packed"]
    assert check(x, description(**{**fields(x), **change})) is None


@pytest.mark.parametrize(
    "change",
    [
        {"shape": (3, 32)},
        {"shape": (1, 1, 3, 17)},
        {"shape": (96,)},
        {"placement": 2},
        {"placement": 0, "shape": (3, 2), "row": words(2046)},
        {"clean": 0},
        {"largest": words(1022)},
        {"row": words(1023)},
        {"largest": b"", "row": b""},
        {"largest": words(CAPACITY), "row": words(17 * CAPACITY)},
        {"bounded": 0, "largest": b"", "row": b""},
        *({"bounded": 3, "interval": signed(low) + signed(high)} for low, high in ((0, 1023), (-1, 1023), (-1023, -5))),
        {"bounded": 3, "interval": signed(1023) + signed(1023)},
    ],
    ids=repr,
)
def test_other_descriptions_are_taken_as_they_are(change: dict[str, Any]) -> None:
    """What has one spelling and fits the ciphertexts is an array, whoever wrote it; decryption looks at its bounds."""
    x = ARRAYS["packed"]
    allowed = {**fields(x), "row": words(1023 * 16), **change}
    assert check(x, description(**allowed)) is not None
