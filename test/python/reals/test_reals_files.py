# SPDX-License-Identifier: Apache-2.0
"""Files of real numbers that somebody forged: each field of the description, of the ciphertexts beside it, and of the
parameters, with right checksums."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import put_together, taken_apart, with_changed, with_section
from cyclotome import errors
from real_party import encrypted, keys
from small import insecure


@pytest.fixture(scope="module")
def data() -> bytes:
    """Of an array of shape (2, 5), a product: at offset 4 its two lengths, at 20 bound and error."""
    x = encrypted(np.arange(10).reshape(2, 5) / 10, keys())
    return cy.to_bytes(x * x)


def field(offset: int, kind: str, value: Any) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        size = struct.calcsize("<" + kind)
        return content[:offset] + struct.pack("<" + kind, value) + content[offset + size :]

    return change


def test_the_description_is_what_the_page_says(data: bytes) -> None:
    content = dict(taken_apart(data)[1])["REAL"]
    is_complex, packed, clean, axes, rows, length = struct.unpack_from("<4B2Q", content)
    assert (is_complex, packed, clean, axes, rows, length) == (0, 1, 1, 2, 2, 5)
    bound, largest, rms, canonical = struct.unpack_from("<4d", content, 20)
    x = cy.from_bytes(data, True)
    assert bound == x.bound and len(content) == 52
    root = math.sqrt(x.parameters.degree)
    assert x.error.max == pytest.approx(2**canonical * root / x.native.scale, rel=1e-3)
    assert x.error.rms == pytest.approx(2**rms * root / x.native.scale, rel=1e-3) and largest >= rms


@pytest.mark.parametrize(
    ("tag", "change"),
    [
        ("REAL", field(0, "B", 2)),
        ("REAL", field(1, "B", 2)),
        ("REAL", field(1, "B", 0)),
        ("REAL", field(2, "B", 2)),
        ("REAL", field(3, "B", 33)),
        ("REAL", field(3, "B", 1)),
        ("REAL", field(4, "Q", 0)),
        ("REAL", field(4, "Q", 3)),
        ("REAL", field(4, "Q", 1 << 60)),
        ("REAL", field(12, "Q", 1)),
        ("REAL", field(12, "Q", 1025)),
        *[("REAL", field(20, "d", bad)) for bad in (-1.0, math.nan, math.inf, 0.0, 1e-3, 0.82, 1e9)],
        *[("REAL", field(28 + 8 * i, "d", bad)) for i in range(3) for bad in (math.nan, math.inf, -2e9, 1e9, 60.0)],
        ("REAL", lambda content: content[:-1]),
        ("REAL", lambda content: content + b"\0"),
        ("REAL", lambda content: b""),
        ("CIPH", field(6, "H", 5)),  # another level has another scale
        ("CIPH", field(6, "H", 3)),
        ("CIPH", field(6, "H", 0)),
        ("CIPH", field(4, "H", 3)),
        ("CIPH", field(24, "Q", 2)),
        *[("CIPH", field(32 + 8 * i, "d", bad)) for i in range(3) for bad in (math.nan, 1.0, 55.0)],
    ],
)
def test_forged_fields_are_refused(data: bytes, tag: str, change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(errors.FormatError):
        cy.from_bytes(with_changed(data, tag, change), True)


def test_descriptions_of_the_other_kind_are_refused(data: bytes) -> None:
    exact = cy.keygen(insecure([65537]))
    whole = cy.to_bytes(cy.encrypt([1, 2], exact.public))
    theirs, ours = dict(taken_apart(whole)[1])["ARRY"], dict(taken_apart(data)[1])["REAL"]
    header, sections = taken_apart(data)
    swapped = [("ARRY", theirs) if tag == "REAL" else (tag, content) for tag, content in sections]
    with pytest.raises(errors.FormatError, match="REAL"):
        cy.from_bytes(put_together(header, swapped), True)
    missing = [section for section in sections if section[0] != "REAL"]
    with pytest.raises(errors.FormatError, match="REAL"):
        cy.from_bytes(put_together(header, missing), True)
    header, sections = taken_apart(whole)
    swapped = [("REAL", ours) if tag == "ARRY" else (tag, content) for tag, content in sections]
    with pytest.raises(errors.FormatError, match="ARRY"):
        cy.from_bytes(put_together(header, swapped), True)


def test_forged_parameters_are_refused() -> None:
    own = keys().public.parameters
    data = cy.to_bytes(own)
    block = dict(taken_apart(data)[1])["PARM"]
    carrier, scale, bound = struct.unpack_from("<Q2d", block, 28)
    assert (carrier, scale, bound) == (1 << 60, own.scales[0], own.real_bound)
    for offset, kind, bad in [
        (28, "Q", 1 << 59),
        (28, "Q", 65537),
        *[(36, "d", value) for value in (0.0, -1.0, math.nan, math.inf, 2.0**19, 2.0**59, 2.0**58)],
        *[(44, "d", value) for value in (0.0, -1.0, math.nan, math.inf, 2.0**39)],
        (20, "H", 2),
        (9, "B", 4),
    ]:
        forged = with_section(data, "PARM", field(offset, kind, bad)(block))
        with pytest.raises(errors.FormatError):
            cy.from_bytes(forged, True)


def test_every_flipped_byte_is_noticed(data: bytes, rng: np.random.Generator) -> None:
    for place in rng.integers(len(data), size=50):
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(rng.integers(8))
        with pytest.raises(errors.FormatError):
            cy.from_bytes(bytes(flipped), True)
    for length in rng.integers(len(data), size=20):
        with pytest.raises(errors.FormatError):
            cy.from_bytes(data[:length], True)


def test_altered_ciphertexts_are_seen_by_their_owner(data: bytes) -> None:
    """Residues that somebody changed have phases beyond what the array states."""
    party = keys()
    altered = with_changed(data, "CIPH", lambda content: content[:-64] + bytes(x ^ 0x55 for x in content[-64:]))
    try:
        x = cy.from_bytes(altered, True)
    except errors.FormatError:
        return  # a residue that is none
    with pytest.raises(errors.ContradictionError):
        cy.decrypt(x, party.secret)
