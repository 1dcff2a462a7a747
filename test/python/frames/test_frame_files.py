# SPDX-License-Identifier: Apache-2.0
"""Files of encrypted tables: whole tables come back, hostile ones are refused."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import pytest
from cyclotome.errors import CyclotomeError, FileError, FormatError, MismatchError, UnsupportedError
from cyclotome.frames import descriptions
from forged_tables import LIES, forged, split
from hypothesis import given, settings
from hypothesis import strategies as st
from small import keys

MADE = keys((40961, 65537, 114689), value_bits=20)
OTHER = keys((40961, 65537))


def table(rng: np.random.Generator, rows: int = 9) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "price": rng.integers(-500, 500, rows) / 4,
            "sold": rng.integers(0, 100, rows),
            "where": pd.Categorical(rng.choice(["north", "south"], rows), categories=["north", "south", "west"]),
        }
    )
    frame.loc[1, "price"] = np.nan
    return frame


def encrypted(rng: np.random.Generator, way: str = "public") -> cy.EncryptedFrame:
    return cy.encrypt_frame(table(rng), MADE.public, missing={"price": way}, scales={"price": 2})


def load(path: Path, **options: Any) -> Any:
    return cy.load(path, allow_insecure=True, **options)


# --- round trips ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("way", ["public", "encrypted"])
def test_a_table_goes_to_an_evaluator_and_back(way: str, tmp_path: Path, rng: np.random.Generator) -> None:
    plain = table(rng)
    x = cy.encrypt_frame(plain, MADE.public, missing={"price": way})
    cy.save(tmp_path / "table.ct", x, note={"made": "here"})
    # The evaluator has evaluation keys only.
    y = load(tmp_path / "table.ct", keys=(MADE.public, MADE.evaluation))
    assert list(y) == list(x) and y.rows == x.rows and y["price"].scale == x["price"].scale
    income = y.assign(income=y["price"] * y["sold"] + Decimal("0.5"))
    cy.save(tmp_path / "sums.ct", income.groupby("where").sum())
    sums = cy.decrypt_frame(load(tmp_path / "sums.ct", expect=MADE.secret.parameters), MADE.secret, exact=False)
    plain["income"] = plain["price"] * plain["sold"] + 0.5
    wanted = plain.groupby("where", observed=False)[["price", "sold", "income"]].sum()
    assert sums.index.tolist() == ["north", "south", "west"]
    np.testing.assert_array_equal(sums.to_numpy(float), wanted.to_numpy(float))
    facts = cy.inspect(tmp_path / "table.ct")
    assert facts.kind == "encrypted frame" and facts.rows == 9 and facts.note == {"made": "here"}
    assert facts.key_id == MADE.secret.key_id and facts.noise_headroom is not None
    assert "price: scale" in str(facts) and "north" in str(facts)
    assert json.dumps(facts.asdict(), default=str)


def test_bytes_are_the_file(tmp_path: Path, rng: np.random.Generator) -> None:
    x = encrypted(rng)
    cy.save(tmp_path / "a.ct", x)
    data = cy.to_bytes(x)
    assert (tmp_path / "a.ct").read_bytes() == data
    again = cy.from_bytes(data, allow_insecure=True)
    assert cy.to_bytes(again) == data
    pd.testing.assert_frame_equal(cy.decrypt_frame(again, MADE.secret), cy.decrypt_frame(x, MADE.secret))
    with pytest.raises(FileError, match="exists"):
        cy.save(tmp_path / "a.ct", x, overwrite=False)


def test_columns_that_share_arrays_and_masks_still_do(rng: np.random.Generator) -> None:
    x = encrypted(rng, "encrypted")
    x = x.assign(same=x["price"], next=x["price"] + 1)
    y = cy.from_bytes(cy.to_bytes(x), allow_insecure=True)
    assert y["same"].values is y["price"].values
    assert y["next"].mask is y["price"].mask
    assert not y["next"].cleared and y["price"].cleared
    assert len(cy.to_bytes(x)) < 1.2 * sum(
        len(cy.to_bytes(a)) for a in {id(a): a for c in x.columns.values() for a in c.arrays()}.values()
    )


def test_single_numbers_and_labels_of_every_type() -> None:
    labels = ("a", 7, True, 1.5, Decimal("2.50"), datetime.date(2020, 2, 29), -(10**40))
    x = cy.encrypt_frame({"k": list(labels)}, MADE.public, categories={"k": labels})
    y = cy.from_bytes(cy.to_bytes(x), allow_insecure=True)
    assert [(type(label), label) for label in y["k"].labels] == [(type(label), label) for label in labels]
    numbers = cy.encrypt_frame({"a": [1.5, 2]}, MADE.public)
    total = cy.EncryptedFrame({"sum": numbers["a"].with_keys(MADE.evaluation).sum()}, ("all",))
    loaded = cy.from_bytes(cy.to_bytes(total), allow_insecure=True)
    assert cy.decrypt_frame(loaded["sum"], MADE.secret) == Decimal("3.5") and loaded.index == ("all",)


def test_what_cannot_be_stored_is_refused(rng: np.random.Generator) -> None:
    x = encrypted(rng)
    alien = cy.encrypt_frame({"b": np.arange(9)}, OTHER.public)["b"]
    with pytest.raises(MismatchError, match="different parameters"):
        cy.to_bytes(x.assign(b=alien))
    with pytest.raises(UnsupportedError, match="EncryptedFrame"):
        cy.to_bytes(x["price"])  # type: ignore[arg-type]
    with pytest.raises(cy.errors.ArgumentError, match="tuple"):
        cy.encrypt_frame({"k": [(1, 2)]}, MADE.public, categories={"k": [(1, 2)]})
    with pytest.raises(UnsupportedError, match="modulo T"):
        cy.EncryptedColumn(cy.encrypt([1, 2], MADE.public, wrap=True))
    with pytest.raises(cy.errors.ArgumentError, match="limit"):
        cy.to_bytes(x, note={"long": "x" * (1 << 20)})


# --- hostile files ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lie", list(LIES))
def test_descriptions_that_lie(lie: str, rng: np.random.Generator) -> None:
    data = cy.to_bytes(encrypted(rng))
    assert cy.from_bytes(forged(data, lambda _: None), allow_insecure=True) is not None  # else nothing is tried here
    with pytest.raises(FormatError):
        cy.from_bytes(forged(data, LIES[lie]), allow_insecure=True)


def test_masks_of_too_large_bounds(rng: np.random.Generator) -> None:
    """A mask is an array within ±1: another one could multiply values by anything."""
    data = cy.to_bytes(encrypted(rng, "encrypted"))
    with pytest.raises(FormatError, match="zeros and ones"):
        cy.from_bytes(forged(data, lambda f: f.update(masks=[0])), allow_insecure=True)


def test_containers_that_do_not_belong(rng: np.random.Generator, tmp_path: Path) -> None:
    data = cy.to_bytes(encrypted(rng))
    head, first, second, third = split(data)
    swapped = {
        "cut off": data[:-1],
        "an array missing": head + first + second,
        "bytes behind": data + b"x",
        "an array behind": data + third,
        "arrays exchanged": head + second + first + third,
        "an array twice": head + first + first + third,
        "two tables": data + data,
        "no arrays": head + b"CYCLOTOM",
        "an array without a length": head + first[:16] + bytes(8) + first[24:] + second + third,
        "an array of all bytes": head + first[:16] + b"\xff" * 8 + first[24:] + second + third,
        "parameters and an array": cy.to_bytes(MADE.secret.parameters) + first,
        "parameters and bytes": cy.to_bytes(MADE.secret.parameters) + b"x",
    }
    for what, wrong in swapped.items():
        with pytest.raises(FormatError):
            cy.from_bytes(wrong, allow_insecure=True)
        (tmp_path / "wrong.ct").write_bytes(wrong)
        for reader in (load, cy.inspect):
            with pytest.raises(FormatError):
                print(what, reader(tmp_path / "wrong.ct"))

    def with_member(member: bytes) -> bytes:
        changed = forged(data, lambda f: f["arrays"].__setitem__(0, member[-32:].hex()))
        return b"".join([split(changed)[0], member, second, third])

    others = [cy.to_bytes(each) for each in (MADE.public, MADE.evaluation, MADE.secret.parameters)]
    others += [cy.to_bytes(cy.encrypt(np.arange(9), OTHER.public))]
    others += [cy.to_bytes(cy.encrypt(np.arange(9), cy.keygen(MADE.secret.parameters, rotations=[]).public))]
    others += [cy.to_bytes(cy.encrypt(np.arange(9), MADE.public, wrap=True)), data]
    for member in others:
        with pytest.raises(FormatError):
            cy.from_bytes(with_member(member), allow_insecure=True)


def test_limits_and_trust(rng: np.random.Generator, tmp_path: Path) -> None:
    cy.save(tmp_path / "a.ct", encrypted(rng))
    size = (tmp_path / "a.ct").stat().st_size
    load(tmp_path / "a.ct", max_bytes=size)
    for limit in (size - 1, 100):
        with pytest.raises(FormatError):
            load(tmp_path / "a.ct", max_bytes=limit)
    with pytest.raises(cy.errors.SecurityError):
        cy.load(tmp_path / "a.ct")
    with pytest.raises(MismatchError):
        load(tmp_path / "a.ct", expect=OTHER.secret.parameters)
    with pytest.raises(MismatchError):
        load(tmp_path / "a.ct", keys=OTHER.evaluation)


def test_every_flipped_byte_of_a_description_is_found(rng: np.random.Generator) -> None:
    data = cy.to_bytes(encrypted(rng))
    head = len(split(data)[0])
    for place in rng.integers(0, len(data), 200).tolist() + list(range(0, head, 7)):
        wrong = bytearray(data)
        wrong[place] ^= 1 << int(rng.integers(8))
        with pytest.raises(CyclotomeError):
            cy.from_bytes(bytes(wrong), allow_insecure=True)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["rows", "masks", "name", "values", "scale"]), inner),
    max_leaves=6,
)


@settings(max_examples=200)
@given(st.data())
def test_descriptions_of_anything(data: Any) -> None:
    """Any JSON in place of any fact is refused with a typed error, or is what was there."""
    facts, arrays = descriptions.described(FUZZED)
    place = data.draw(
        st.sampled_from([*facts, *(("columns", i, key) for i in range(3) for key in facts["columns"][i])])
    )
    value = data.draw(JSON)
    spoiled = json.loads(json.dumps(facts))
    if isinstance(place, tuple):
        spoiled["columns"][place[1]][place[2]] = value
    else:
        spoiled[place] = value
    try:
        frame = descriptions.rebuilt(spoiled, arrays)
    except FormatError:
        return
    again, _ = descriptions.described(frame)
    assert json.dumps(again, sort_keys=True) == json.dumps(spoiled, sort_keys=True)


FUZZED = encrypted(np.random.default_rng(1))
