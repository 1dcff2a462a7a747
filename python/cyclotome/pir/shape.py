# SPDX-License-Identifier: Apache-2.0
"""Where records lie: rows, of which a request chooses one, and outputs, which are 2048 columns of 16-bit words each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError

__all__ = ["COLUMNS", "MOST_ROWS", "USUAL_ROWS", "Place", "Shape", "Words", "shape_of"]

#: Words of an output, and what the number of rows is a multiple of.
COLUMNS = 2048
#: More rows make requests longer and answers shorter.
USUAL_ROWS = 1 << 15
MOST_ROWS = 1 << 17
#: More outputs than this are some databases: 2^14 of 2^17 rows are 8 TB.
MOST_OUTPUTS = 1 << 14

Words = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Place:
    """A slot of a row: the outputs that it lies in, and its columns in them."""

    outputs: range
    first: int
    words: int


@dataclass(frozen=True)
class Shape:
    """Rows of ``slots`` records of ``words`` words each."""

    words: int
    rows: int
    slots: int

    @property
    def beside(self) -> int:
        """Slots of one output; 0 where a slot takes several outputs."""
        return COLUMNS // self.words

    @property
    def pieces(self) -> int:
        """Outputs of one slot."""
        return -(-self.words // COLUMNS)

    @property
    def outputs(self) -> int:
        """How many there are."""
        return -(-self.slots // self.beside) if self.beside else self.slots * self.pieces

    def place(self, slot: int) -> Place:
        """Where a slot lies."""
        if self.beside:
            output, column = divmod(slot, self.beside)
            return Place(range(output, output + 1), column * self.words, self.words)
        return Place(range(slot * self.pieces, (slot + 1) * self.pieces), 0, self.words)

    def of_output(self, records: Words, output: int) -> Words:
        """The words of an output, rows x 2048, of records in the order of rows and slots, records x words; zeros where
        there is none."""
        block = np.zeros((self.rows, COLUMNS), np.uint16)
        for slot in self._slots_of(output):
            mine = records[slot :: self.slots]
            place = self.place(slot)
            skipped = (output - place.outputs.start) * COLUMNS
            part = mine[:, skipped : skipped + COLUMNS]
            block[: len(part), place.first : place.first + part.shape[1]] = part
        return block

    def _slots_of(self, output: int) -> range:
        if self.beside:
            return range(output * self.beside, min((output + 1) * self.beside, self.slots))
        return range(output // self.pieces, output // self.pieces + 1)


def shape_of(words: int, rows: int, limit: int) -> Shape:
    """The shape with the fewest outputs that holds ``rows`` rows of one slot in ``limit`` rows, a multiple of 2048.

    Raises:
        ArgumentError: there are too many, or the limit is no number of rows.
    """
    if limit % COLUMNS or not COLUMNS <= limit <= MOST_ROWS:
        raise ArgumentError(f"rows={limit}: a multiple of {COLUMNS} from {COLUMNS} to {MOST_ROWS} is needed")
    beside, pieces = COLUMNS // words, -(-words // COLUMNS)
    slots = max(1, -(-rows // limit))
    if beside:
        slots = -(-slots // beside) * beside  # those of an output cost nothing more
    if (slots // beside if beside else slots * pieces) > MOST_OUTPUTS:
        raise ArgumentError(
            f"{rows} records of {2 * words} bytes in {limit} rows are more than {MOST_OUTPUTS} outputs: "
            "make several databases"
        )
    used = max(1, -(-rows // slots))
    return Shape(words=words, rows=-(-used // COLUMNS) * COLUMNS, slots=slots)
