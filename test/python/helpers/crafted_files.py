# SPDX-License-Identifier: Apache-2.0
"""Files that somebody made by hand: right checksums around whatever sections one likes."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Sequence

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


# --- encrypted arrays -------------------------------------------------------------------------------------------------
def with_metadata(data: bytes, metadata: bytes) -> bytes:
    """A file with other metadata, or none."""
    header, sections = taken_apart(data)
    sections = [section for section in sections if section[0] != "META"]
    place = 2 if [tag for tag, _ in sections[:2]] == ["PARM", "KYID"] else 1
    return put_together(header, [*sections[:place], *([("META", metadata)] if metadata else []), *sections[place:]])


def with_section(data: bytes, tag: str, content: bytes) -> bytes:
    """A file with something else in every section of this tag."""
    header, sections = taken_apart(data)
    return put_together(header, [(own, content if own == tag else old) for own, old in sections])


def with_changed(data: bytes, tag: str, change: Callable[[bytes], bytes]) -> bytes:
    """A file with what `change` makes of the only section of this tag."""
    [old] = [content for own, content in taken_apart(data)[1] if own == tag]
    return with_section(data, tag, change(old))


def as_version_1(data: bytes, metadata: bytes) -> bytes:
    """An encrypted array as format version 1 spelt it: its metadata say what the ciphertexts mean."""
    header, sections = taken_apart(with_metadata(data, metadata))
    old = [(tag, _ciphertexts_of_version_1(content) if tag == "CIPH" else content) for tag, content in sections]
    return put_together(header[:8] + struct.pack("<H", 1) + header[10:], [s for s in old if s[0] != "ARRY"])


def _ciphertexts_of_version_1(content: bytes) -> bytes:
    """One number for the noise, from which readers take bounds that are no lower than those that stood here."""
    loud = struct.unpack_from("<d", content, 32)[0]
    return content[:32] + struct.pack("<d", loud - 8) + content[56:]


def words(number: int) -> bytes:
    """An integer as 64-bit words, as few as hold it."""
    return number.to_bytes(-(-number.bit_length() // 64) * 8, "little")


def description(
    placement: int,
    clean: int,
    bounded: int,
    shape: Sequence[int],
    largest: bytes = b"",
    row: bytes = b"",
    interval: bytes = b"",
) -> bytes:
    """What a section ARRY holds, whether or not there can be such an array; bounds as words, an interval as `signed`
    makes its ends."""
    counts = struct.pack("<2H", len(largest) // 8, len(row) // 8)
    head = bytes([placement, clean, bounded, len(shape)]) + counts
    return head + struct.pack(f"<{len(shape)}Q", *shape) + largest + row + interval


def signed(number: int, sign: int | None = None) -> bytes:
    """One end of an interval; ``sign``: another one than its own."""
    magnitude = words(abs(number))
    return struct.pack("<2H", len(magnitude) // 8, int(number < 0) if sign is None else sign) + magnitude
