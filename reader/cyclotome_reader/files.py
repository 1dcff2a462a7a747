# SPDX-License-Identifier: Apache-2.0
"""Containers as doc/wire-format.md describes them: what stands in them, with every length and residue checked."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cyclotome_reader import randomness
from cyclotome_reader.rings import Ring, is_prime, prime_factors, ring

#: residues[limb][place]
Polynomial = list[list[int]]
KINDS = {
    1: "parameters", 2: "secret key", 3: "public key", 4: "evaluation keys", 5: "ciphertexts", 6: "plaintexts",
    7: "encrypted array", 9: "protected secret key", 18: "rekeying key", 19: "session", 20: "key share",
    21: "secret share", 22: "decryption share", 23: "plain array", 24: "protected secret share", 25: "party",
    26: "protected party", 27: "commitment", 30: "message of dealing", 31: "coin", 32: "acceptance",
}  # fmt: skip
LARGEST_DEGREE = 1 << 17
#: What phases of real numbers have to fit into.
CARRIER = 1 << 60


class ReadError(ValueError):
    """Bytes that are not what the page says, or that contradict themselves."""


def require(condition: bool, what: str) -> None:
    """ReadError unless it holds."""
    if not condition:
        raise ReadError(what)


@dataclass(frozen=True)
class Parameters:
    """The fields of a parameter block. `index` is m of Φ_m, 0 in x^n + 1."""

    label: str
    scheme: str
    word: int
    table: str
    flags: int
    security: int
    digits: int
    degree: int
    index: int
    plain_moduli: tuple[int, ...]
    moduli: tuple[int, ...]
    special_moduli: tuple[int, ...]
    name: str
    parties: int
    #: Of real numbers: the scale of the lowest level, and the largest magnitude; what the fingerprint has of them.
    scale: float = 0.0
    bound: float = 0.0

    @property
    def key_moduli(self) -> tuple[int, ...]:
        """Of switching keys: special primes first."""
        return self.special_moduli + self.moduli

    @property
    def ring(self) -> Ring:
        """Where polynomials are computed with."""
        return ring(self.degree, self.index)

    def fingerprint(self) -> bytes:
        """SHA-256 of the canonical text."""
        lists = [",".join(map(str, x)) for x in (self.plain_moduli, self.moduli, self.special_moduli)]
        version, shape = (2, f"cyclotomic {self.index}") if self.index else (1, f"degree {self.degree}")
        part = f"plain {lists[0]}"
        if self.scheme == "ckks":
            scale, bound = struct.unpack("<2Q", struct.pack("<2d", self.scale, self.bound))
            part = f"carrier {CARRIER}\nscale {scale}\nbound {bound}"
        text = f"cyclotome parameters {version}\nscheme {self.scheme}\n{shape}\n{part}\nmoduli {lists[1]}\n"
        text += f"special {lists[2]}\ndigits {self.digits}\nword {self.word}\nsecret ternary\nerror cbd21\n"
        text += f"security {self.security} {self.table}{' INSECURE allowed' if self.flags & 1 else ''}\n"
        text += "noise strict\n" if self.flags & 2 else ""
        return hashlib.sha256((text + (f"parties {self.parties}\n" if self.flags & 8 else "")).encode()).digest()


@dataclass
class File:
    """A container whose frame is sound: the sections of the object itself, and what stands before them."""

    version: int
    kind: str
    parameters: Parameters
    sections: list[tuple[str, bytes]]
    key_id: bytes
    metadata: bytes
    #: The whole container.
    data: bytes

    def section(self, tag: str) -> bytes:
        """The one section of this name."""
        found = [body for name, body in self.sections if name == tag]
        require(len(found) == 1, f"a {self.kind} has one section {tag}, this one {len(found)}")
        return found[0]


@dataclass
class Ciphertexts:
    """A `CIPH` section: polynomials[item][part], seeds expanded."""

    plain: int
    level: int
    correction: int
    noise: tuple[float, ...]
    polynomials: list[list[Polynomial]] = field(default_factory=list)


def _units(m: int) -> int:
    primes = prime_factors(m)
    require(m % 2 == 1 and math.prod(primes) == m and m > 1, f"Φ_{m} is not of an odd and squarefree number")
    return math.prod(p - 1 for p in primes)


def _parameters(block: bytes) -> Parameters:
    require(len(block) >= 28, "a parameter block has at least 28 bytes")
    label, scheme, word, table, flags, security, digits, size, *counts = struct.unpack_from("<8s4BHHI4H", block)
    numbers, end = sum(counts[:3]), 28 + 8 * sum(counts[:3]) + counts[3]
    require(len(block) == end + (2 if flags & 8 else 0), "the parameter block's length is not what it says itself")
    values = struct.unpack_from(f"<{numbers}Q", block, 28)
    require(scheme in (1, 2, 3) and word in (4, 8) and table in (1, 2, 3), "the scheme, word or table is unknown")
    require(8 <= size <= LARGEST_DEGREE, f"rings have degrees from 8 to {LARGEST_DEGREE}, not {size}")
    degree = _units(size) if flags & 4 else size
    require(bool(flags & 4) or degree & (degree - 1) == 0, f"{degree} is no power of two")
    require(counts[1] > 0 and all(v > 1 for v in values), "there is no ciphertext modulus, or one below 2")
    require(0 < digits <= counts[1], "the number of digits does not fit the ciphertext moduli")
    order, chain = size if flags & 4 else 2 * size, values[counts[0] :]
    require(len(set(chain)) == len(chain), "a ciphertext modulus stands there twice")
    require(all(q % order == 1 and is_prime(q) for q in chain), "a ciphertext modulus is no prime with roots of unity")
    plain, scale, bound = values[: counts[0]], 0.0, 0.0
    if scheme == 3:
        require(len(plain) == 3 and plain[0] == CARRIER and not flags & 12, "parameters of reals are not sound")
        scale, bound = struct.unpack_from("<2d", block, 36)
        require(2**20 <= scale <= 2**58 and 0 < bound <= 2**38, "the scale or the largest number is out of range")
        plain = ()
    require(
        (scheme == 3 or bool(plain)) and all(math.gcd(t, math.prod(values) // t) == 1 for t in plain),
        "plaintext moduli are not coprime",
    )
    return Parameters(
        label.decode("ascii", "replace"), {1: "bfv", 2: "bgv", 3: "ckks"}[scheme], 8 * word,
        {1: "guidelines-2024", 2: "he-standard-2018", 3: "quantum-guidelines-2024"}[table], flags, security, digits,
        degree, size if flags & 4 else 0, plain, values[counts[0] : counts[0] + counts[1]],
        values[counts[0] + counts[1] :], block[end - counts[3] : end].decode("ascii", "replace"),
        struct.unpack_from("<H", block, end)[0] if flags & 8 else 1, scale, bound,
    )  # fmt: skip


def containers(data: bytes) -> Iterator[File]:
    """The containers of a file or stream, one directly after the other."""
    while data:
        require(len(data) >= 88 and data[:8] == b"CYCLOTOM", "this is no container of cyclotome")
        length = int.from_bytes(data[16:24], "little")
        require(88 <= length <= len(data), f"a container says that it has {length} bytes; {len(data)} are there")
        yield read(data[:length])
        data = data[length:]


def read(data: bytes) -> File:
    """One container: header, checksum, parameters, fingerprint, and the tags and lengths of its sections."""
    require(len(data) >= 88, f"a container has at least 88 bytes, not {len(data)}")
    magic, version, kind, reserved, length = struct.unpack_from("<8sHHIQ", data)
    require((magic, reserved, length) == (b"CYCLOTOM", 0, len(data)), "the header is not a container's")
    require(version in (2, 3, 4), f"format version {version} is not read here; 2 to 4 are")
    require(hashlib.sha256(data[:-32]).digest() == data[-32:], "the checksum does not fit: the file is damaged")
    require(kind in KINDS, f"files of kind {kind} are not read here")
    sections, at = [], 56
    while at < length - 32:
        require(at + 12 <= length - 32, "a section's header goes beyond the file")
        tag, size = struct.unpack_from("<4sQ", data, at)
        require(size <= length - 32 - at - 12, f"section {tag!r} goes beyond the file")
        sections.append((tag.decode("ascii", "replace"), data[at + 12 : at + 12 + size]))
        at += 12 + size
    require(bool(sections) and sections[0][0] == "PARM", "the first section is not PARM")
    parameters = _parameters(sections.pop(0)[1])
    require(parameters.fingerprint() == data[24:56], "the fingerprint is not that of the parameters")
    wanted = 4 if parameters.flags & 8 else 3 if parameters.index else 2
    require(version == wanted, f"such parameters have format version {wanted}, not {version}")
    key_id = sections.pop(0)[1] if sections and sections[0][0] == "KYID" else b""
    require(len(key_id) in (0, 16), "KYID has 16 bytes")
    metadata = sections.pop(0)[1] if sections and sections[0][0] == "META" else b""
    return File(version, KINDS[kind], parameters, sections, key_id, metadata, data)


class Packed:
    """Takes polynomials from packed bytes."""

    def __init__(self, data: bytes, p: Parameters) -> None:
        self._data, self._p, self._at = data, p, 0

    def limb(self, bits: int) -> list[int]:
        """n numbers of so many bits, the lowest first."""
        n, size = self._p.degree, -(-self._p.degree * bits // 8)
        part = self._data[self._at : self._at + size]
        require(len(part) == size, "there are fewer residues than the section says")
        self._at += size
        text = f"{int.from_bytes(part, 'little'):0{8 * size}b}"
        require(n * bits == 8 * size or int(text[: 8 * size - n * bits], 2) == 0, "bits are set behind a limb")
        end = len(text)
        return [int(text[end - bits * (i + 1) : end - bits * i], 2) for i in range(n)]

    def polynomial(self, moduli: Sequence[int]) -> Polynomial:
        """A limb of residues for each modulus."""
        found = [self.limb((m - 1).bit_length()) for m in moduli]
        require(all(max(x) < m for x, m in zip(found, moduli, strict=True)), "a residue is not below its modulus")
        return found

    def end(self) -> None:
        """ReadError if something is left."""
        require(self._at == len(self._data), "there are more bytes than the section says")


def secret_key(file: File, passphrase: bytes | None = None) -> list[int]:
    """The coefficients of a secret key, by powers of x or by places."""
    if file.kind == "protected secret key":
        body = opened(file, passphrase)
    else:
        require(file.kind == "secret key", f"this is a {file.kind}, no secret key")
        body = file.section("SKEY")
    packed = Packed(body, file.parameters)
    codes = packed.limb(2)
    packed.end()
    require(2 not in codes, "a secret's coefficient is none of -1, 0 and 1")
    return [(0, 1, 0, -1)[code] for code in codes]


def opened(file: File, passphrase: bytes | None) -> bytes:
    """What a passphrase protects: the bytes of `SKEY`, `SSHA` or `PRTY`."""
    section = file.section("SEAL")
    require(len(section) > 76, "SEAL is too short")
    method, log2_n, r, p = struct.unpack_from("<4I", section)
    require(method == 1 and 10 <= log2_n <= 20 and r == 8 and 1 <= p <= 4, "SEAL asks for other numbers than allowed")
    require(passphrase is not None, f"this {file.kind} is under a passphrase, which was not given")
    found = randomness.opened(section, file.data[: -32 - (len(section) - 60)], passphrase or b"")
    require(found is not None, "the passphrase does not open this file, or it was altered")
    return found or b""


def key_pairs(data: bytes, count: int, p: Parameters) -> list[tuple[Polynomial, Polynomial]]:
    """The pairs (b_j, a_j) of a key's section from its seed on, values at the roots."""
    require(len(data) >= 32, "a key has a seed of 32 bytes")
    packed, pairs = Packed(data[32:], p), []
    for j in range(count):
        body = packed.polynomial(p.key_moduli)
        pairs.append((body, randomness.uniform(data[:32], 4, j, p.degree, p.key_moduli)))
    packed.end()
    return pairs


def ciphertexts(data: bytes, p: Parameters) -> Ciphertexts:
    """One `CIPH` section."""
    require(len(data) >= 56, "CIPH has at least 56 bytes")
    plain, parts, level, seeded, reserved, batch, correction = struct.unpack_from("<IHHIIQQ", data)
    require(
        plain < max(len(p.plain_moduli), 1) and parts in (2, 3) and seeded in (0, 1) and reserved == 0,
        "CIPH is not sound",
    )
    require(0 < level <= len(p.moduli) and batch > 0 and (not seeded or parts == 2), "CIPH is not sound")
    fits = p.scheme == "bgv" and math.gcd(correction, t := p.plain_moduli[plain]) == 1 and 0 < correction < t
    require(fits or (correction == 1 and p.scheme != "bgv"), "the correction factor is no unit")
    start, moduli = 56 + 32 * seeded, p.moduli[:level]
    each = sum(-(-p.degree * (m - 1).bit_length() // 8) for m in moduli) * (1 if seeded else parts)
    require(len(data) == start + batch * each, "CIPH is not as long as its counts say")
    packed = Packed(data[start:], p)
    result = Ciphertexts(plain, level, correction, struct.unpack_from("<3d", data, 32))
    for item in range(batch):
        stored = [packed.polynomial(moduli) for _ in range(1 if seeded else parts)]
        if seeded:
            stored.append(randomness.uniform(data[56:88], 8, item, p.degree, moduli))
        result.polynomials.append(stored)
    return result
