# SPDX-License-Identifier: Apache-2.0
"""How a database's file is made: masks are drawn, outputs packed under them, and what the theorem asks for is checked
before anything is published."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Protocol, TypeVar

from .. import _core
from ..errors import NoiseError
from .certificate import MODULUS_BITS, Norms
from .shape import COLUMNS, Words
from .stored import Described, Layout, Output, Stored, replacing

__all__ = ["MASK_BYTES", "Draft", "build"]

#: Choices of masks before giving up. That a choice is bad for a database that does not depend on it is no event to
#: expect.
_TRIES = 8
#: Of an output's mask in a description.
MASK_BYTES = -(-COLUMNS * MODULUS_BITS // 8)

_Draft = TypeVar("_Draft", bound="Draft")


class Draft(Described, Protocol):
    """A description whose masks are still to be found."""

    @property
    def seed(self) -> bytes:
        """Of what clients' requests are masked with."""

    @property
    def masks(self) -> tuple[bytes, ...]:
        """Of outputs, packed."""

    def seeded(self: _Draft, seed: bytes) -> _Draft:
        """With this seed."""

    def with_masks(self: _Draft, masks: tuple[bytes, ...], content: bytes) -> _Draft:
        """With what was computed of the words."""

    def holds(self, norms: Norms, modulus: int) -> bool:
        """Whether answers of an output with these norms are right by the theorem."""


def build(
    draft: Draft,
    words: Callable[[int], Words],
    path: object,
    engine: _core.Engine,
    *,
    kept: tuple[Stored[_Draft], set[int]] | None = None,
) -> None:
    """Writes the file: the ``words`` of each output, rows x 2048. With ``kept``, outputs of an older one are taken over
    but for some, and so are its masks.

    Raises:
        FileError: it can't be written.
        NoiseError: no masks will do.
    """
    if kept is not None and _attempt(draft, words, path, engine, kept):
        return
    for _ in range(_TRIES):
        if _attempt(draft.seeded(secrets.token_bytes(32)), words, path, engine, None):
            return
    raise NoiseError(
        f"none of {_TRIES} choices of masks gives right answers by the theorem: report this, it should not be"
    )


class _NormsError(Exception):
    """Masks with which answers would not be certain."""


def _attempt(
    draft: Draft,
    words: Callable[[int], Words],
    path: object,
    engine: _core.Engine,
    kept: tuple[Stored[_Draft], set[int]] | None,
) -> bool:
    """Whether answers are certain with these masks; then the file is written."""
    lattice = _core.RetrievalLattice(engine)
    layout = draft.layout
    masks = _core.RetrievalMasks(lattice, draft.seed, layout.rows)
    published: list[bytes] = []
    content = hashlib.sha256(draft.seed)
    size = len(draft.with_masks(_no_masks(layout), bytes(32)).to_bytes())
    try:
        with replacing(path, layout, size) as writer:
            for number in range(layout.outputs):
                if kept is not None and number not in kept[1]:
                    output = kept[0].output(number)
                    writer.add(output)
                    published.append(draft.masks[number])
                else:
                    block = words(number)
                    packing = _core.retrieval_pack(masks, block)
                    if not draft.holds(_norms(packing), lattice.modulus):
                        raise _NormsError
                    output = Output(_core.retrieval_tiles(block, layout.word_bytes), packing.matrix, packing.flip)
                    writer.add(output)
                    published.append(_core.pack_integers(packing.mask, MODULUS_BITS))
                content.update(output.words.data)
            writer.finish(draft.with_masks(tuple(published), content.digest()).to_bytes())
    except _NormsError:
        return False
    return True


def _no_masks(layout: Layout) -> tuple[bytes, ...]:
    return (bytes(MASK_BYTES),) * layout.outputs


def _norms(packing: _core.RetrievalPacking) -> Norms:
    return Norms(packing.words_norm, packing.words_sum, packing.matrix_norm)
