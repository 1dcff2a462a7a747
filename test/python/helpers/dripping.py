# SPDX-License-Identifier: Apache-2.0
"""A stream that gives and takes some bytes at a time, as pipes and sockets may."""

from __future__ import annotations

import io
from typing import Any

__all__ = ["Dripping"]


class Dripping(io.RawIOBase):
    """Gives at most ``step`` bytes of ``data`` at a time, takes as few, and cannot go back. What was written to it is
    ``taken``; ``asked`` is the most that was asked for at once, ``at`` what it gave in all."""

    def __init__(self, data: bytes = b"", step: int = 1 << 30) -> None:
        self.data, self.step, self.at, self.taken, self.asked = data, step, 0, bytearray(), 0

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self.asked = max(self.asked, size)
        piece = self.data[self.at : self.at + min(size, self.step)]
        self.at += len(piece)
        return piece

    def write(self, data: Any) -> int:
        piece = bytes(data[: self.step])
        self.taken += piece
        return len(piece)
