# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the documentation anew, into doc/pictures: `make pictures`.

They are committed, because some of them show runs of the library, which the site's build doesn't have.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from pictures.noise import noise
from pictures.shapes import parties, slots
from pictures.speed import speed
from repository import ROOT

DRAWINGS: dict[str, Callable[[], str]] = {"parties": parties, "slots": slots, "noise": noise, "speed": speed}


def main(names: list[str]) -> None:
    """Draws those that are named, or all."""
    for name in names or DRAWINGS:
        (ROOT / "doc" / "pictures" / f"{name}.svg").write_text(DRAWINGS[name](), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
