# SPDX-License-Identifier: Apache-2.0
"""Files that somebody made by hand: right checksums around whatever sections one likes."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable

import cyclotome as cy

KINDS = {name: number for number, name in enumerate(("parameters", "secret", "public", "evaluation", "ciphertext"), 1)}
KINDS |= {"plaintext": 6, "bundle": 7, "product": 8}

Sections = Iterable[tuple[str, bytes]]


def taken_apart(data: bytes) -> tuple[bytes, list[tuple[str, bytes]]]:
    """Header and sections of a file that the library wrote."""
    sections, position = [], 56
    while position < len(data) - 32:
        tag, size = struct.unpack_from("<4sQ", data, position)
        sections.append((tag.decode(), data[position + 12 : position + 12 + size]))
        position += 12 + size
    return data[:56], sections


def put_together(header: bytes, sections: Sections, *, kind: str | None = None, length: int | None = None) -> bytes:
    """A file with the length and checksum that fit it, or the length stated."""
    body = b"".join(tag.encode() + struct.pack("<Q", len(content)) + content for tag, content in sections)
    number = struct.unpack_from("<H", header, 10)[0] if kind is None else KINDS[kind]
    size = len(header) + len(body) + 32 if length is None else length
    head = header[:10] + struct.pack("<HIQ", number, 0, size) + header[24:56]
    return head + body + hashlib.sha256(head + body).digest()


def of_parameters(parameters: cy.Parameters) -> tuple[bytes, bytes]:
    """Header and parameter block."""
    header, sections = taken_apart(cy.to_bytes(parameters))
    return header, sections[0][1]


def with_moduli(block: bytes, plain: list[int], moduli: list[int], special: list[int]) -> bytes:
    """A parameter block with other moduli, which need not be possible."""
    counts = struct.pack("<4H", len(plain), len(moduli), len(special), 0)
    return block[:20] + counts + struct.pack(f"<{len(plain + moduli + special)}Q", *plain, *moduli, *special)
