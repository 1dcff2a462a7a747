# SPDX-License-Identifier: Apache-2.0
"""Stored tables whose descriptions lie, with right checksums;"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import crafted_files


def split(data: bytes) -> list[bytes]:
    """A table's containers, one after the other."""
    pieces = []
    while data:
        length = int.from_bytes(data[16:24], "little")
        pieces.append(data[:length])
        data = data[length:]
    return pieces


def forged(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The file with another description, whose checksum is right."""
    head, *rest = split(data)
    facts = json.loads(dict(crafted_files.taken_apart(head)[1])["META"])
    change(facts["frame"])
    return b"".join([crafted_files.with_metadata(head, json.dumps(facts).encode()), *rest])


def column(frame: dict[str, Any], name: str) -> Any:
    return next(each for each in frame["columns"] if each["name"] == name)


LIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no rows": lambda f: f.update(rows=0),
    "other rows": lambda f: f.update(rows=8),
    "many rows": lambda f: f.update(rows=10**12),
    "true rows": lambda f: f.update(rows=True),
    "broken rows": lambda f: f.update(rows=9.0),
    "no columns": lambda f: f.update(columns=[]),
    "columns that are none": lambda f: f.update(columns={"a": 1}),
    "no masks": lambda f: f.pop("masks"),
    "masks that are none": lambda f: f.update(masks=5),
    "a mask too short": lambda f: f.update(masks=["/w=="]),
    "a mask too long": lambda f: f.update(masks=["/////w=="]),
    "a mask with bits behind its end": lambda f: f.update(masks=["/f8="]),
    "a mask that is no base64": lambda f: f.update(masks=["!!!!"]),
    "a mask of values": lambda f: f.update(masks=[0]),
    "a mask that nobody uses": lambda f: f["masks"].append(f["masks"][0]),
    "a mask that is none": lambda f: column(f, "price").update(mask=1),
    "a negative mask": lambda f: column(f, "price").update(mask=-1),
    "a true mask": lambda f: column(f, "price").update(mask=False),
    "a scale of zero": lambda f: column(f, "price").update(scale="0"),
    "a negative scale": lambda f: column(f, "price").update(scale="-100"),
    "a scale with zeros": lambda f: column(f, "price").update(scale="0100"),
    "a scale that is a number": lambda f: column(f, "price").update(scale=100),
    "a huge scale": lambda f: column(f, "price").update(scale="9" * 100000),
    "a fraction": lambda f: column(f, "price").update(scale="1/3"),
    "no scale": lambda f: column(f, "price").pop("scale"),
    "cleared or not": lambda f: column(f, "price").update(cleared=1),
    "other facts": lambda f: column(f, "price").update(more=1),
    "more facts": lambda f: f.update(more=1),
    "a name that is none": lambda f: column(f, "price").update(name=5),
    "a name twice": lambda f: column(f, "price").update(name="sold"),
    "no such array": lambda f: column(f, "price").update(values=99),
    "a negative array": lambda f: column(f, "price").update(values=-1),
    "a true array": lambda f: column(f, "sold").update(values=True),
    "an array of another shape": lambda f: column(f, "price").update(values=2),
    "values as categories": lambda f: column(f, "where").update(selectors=0),
    "an unused array": lambda f: column(f, "sold").update(values=0),
    "arrays in another order": lambda f: (column(f, "price").update(values=1), column(f, "sold").update(values=0)),
    "too few labels": lambda f: column(f, "where")["labels"].pop(),
    "too many labels": lambda f: column(f, "where")["labels"].append(["str", "x"]),
    "a label twice": lambda f: column(f, "where").update(labels=[["str", "x"]] * 3),
    "labels that are none": lambda f: column(f, "where").update(labels="abc"),
    "a label of no type": lambda f: column(f, "where").update(labels=[["object", "x"]] * 3),
    "a label that is no number": lambda f: column(f, "where")["labels"].__setitem__(0, ["int", "x"]),
    "a label that is a huge number": lambda f: column(f, "where")["labels"].__setitem__(0, ["int", "9" * 4000]),
    "a label that is NaN": lambda f: column(f, "where")["labels"].__setitem__(0, ["Decimal", "sNaN"]),
    "a label that is infinite, spelled otherwise": lambda f: column(f, "where")["labels"].__setitem__(
        0, ["float", "Infinity"]
    ),
    "a label whose type is an object": lambda f: column(f, "where")["labels"].__setitem__(0, [{}, "x"]),
    "a label whose type is a list": lambda f: column(f, "where")["labels"].__setitem__(0, [["str"], "x"]),
    "a label whose text is an object": lambda f: column(f, "where")["labels"].__setitem__(0, ["str", {}]),
    "a label of half a surrogate pair": lambda f: column(f, "where")["labels"].__setitem__(0, ["str", "\ud800"]),
    "a name of half a surrogate pair": lambda f: f["columns"][0].update(name="\udcff"),
    "labels that are equal": lambda f: column(f, "where")["labels"].__setitem__(
        slice(2), [["int", "1"], ["bool", "True"]]
    ),
    "a label that is no truth": lambda f: column(f, "where")["labels"].__setitem__(0, ["bool", "yes"]),
    "a label that is no date": lambda f: column(f, "where")["labels"].__setitem__(0, ["date", "2021-02-29"]),
    "a label spelled otherwise": lambda f: column(f, "where")["labels"].__setitem__(0, ["int", "007"]),
    "an index too short": lambda f: f.update(index=[["str", "x"]]),
    "an index that is none": lambda f: f.update(index=5),
    "no arrays": lambda f: f.update(arrays=[]),
    "an array less": lambda f: f["arrays"].pop(),
    "an array more": lambda f: f["arrays"].append("00" * 32),
    "another array": lambda f: f["arrays"].__setitem__(0, "00" * 32),
    "an array that is none": lambda f: f["arrays"].__setitem__(0, 5),
}
