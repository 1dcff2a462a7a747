# SPDX-License-Identifier: Apache-2.0
"""A reader of cyclotome's files in plain Python, written from doc/wire-format.md alone. No speed, few checks."""

from __future__ import annotations

import functools
import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd, prod

from oracles import binary_field, cyclotomic, sampling, sealing

#: residues[limb][coefficient]
Polynomial = list[list[int]]

KINDS = {
    1: "parameters",
    2: "secret_key",
    3: "public_key",
    4: "evaluation_keys",
    5: "ciphertext",
    6: "plaintext",
    7: "bundle",
    9: "protected_secret_key",
    18: "rekeying_key",
    19: "threshold_session",
    20: "key_share",
    21: "secret_share",
    22: "decryption_share",
    23: "plain_array",
    24: "protected_secret_share",
    25: "party",
    26: "protected_party",
    27: "key_commitment",
    30: "dealing_message",
    31: "coin",
    32: "acceptance",
}
KEY_STREAM, CIPHERTEXT_STREAM = 4, 8


@dataclass(frozen=True)
class Parameters:
    """The fields of a parameter block."""

    label: str
    scheme: str
    word_bytes: int
    table: str
    allow_insecure: bool
    strict: bool
    security: int
    digits: int
    degree: int
    plain_moduli: list[int]
    moduli: list[int]
    special_moduli: list[int]
    name: str
    #: m of Phi_m; 0: the ring is that of x^n + 1.
    index: int = 0
    #: Of a joint key.
    parties: int = 1

    @property
    def key_moduli(self) -> list[int]:
        return [*self.special_moduli, *self.moduli]

    def fingerprint(self) -> bytes:
        """SHA-256 of the canonical text."""
        lists = [",".join(map(str, x)) for x in (self.plain_moduli, self.moduli, self.special_moduli)]
        version, ring = (2, f"cyclotomic {self.index}") if self.index else (1, f"degree {self.degree}")
        text = (
            f"cyclotome parameters {version}\nscheme {self.scheme}\n{ring}\nplain {lists[0]}\n"
            f"moduli {lists[1]}\nspecial {lists[2]}\ndigits {self.digits}\nword {8 * self.word_bytes}\n"
            f"secret ternary\nerror cbd21\nsecurity {self.security} {self.table}"
            f"{' INSECURE allowed' if self.allow_insecure else ''}\n"
        )
        text += "noise strict\n" if self.strict else ""
        text += f"parties {self.parties}\n" if self.parties > 1 else ""
        return hashlib.sha256(text.encode()).digest()


@dataclass
class File:
    """A container whose frame is sound: the sections of the object itself, and what stands before them."""

    version: int
    kind: str
    parameters: Parameters
    sections: list[tuple[str, bytes]]
    key_id: bytes = b""
    metadata: bytes = b""


@dataclass
class Ciphertexts:
    """A `CIPH` section: polynomials[batch][part], seeds expanded."""

    plain: int
    limbs: int
    correction: int
    seeded: bool
    noise: list[float]
    polynomials: list[list[Polynomial]] = field(default_factory=list)


def read(data: bytes) -> File:
    """Header, checksum, parameters and sections; AssertionError where the page is not followed."""
    magic, version, kind, reserved, length = struct.unpack_from("<8sHHIQ", data)
    assert (magic, version, reserved, length) == (b"CYCLOTOM", version, 0, len(data))
    assert version in (1, 2, 3, 4)
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
    sections, position = [], 56
    while position < len(data) - 32:
        tag, size = struct.unpack_from("<4sQ", data, position)
        sections.append((tag.decode(), data[position + 12 : position + 12 + size]))
        position += 12 + size
    assert position == len(data) - 32
    assert sections[0][0] == "PARM"
    file = File(version, KINDS[kind], read_parameters(sections.pop(0)[1]), sections)
    assert file.parameters.fingerprint() == data[24:56]
    assert (version == 4) == (file.parameters.parties > 1)
    assert (version == 3) == (file.parameters.index > 0 and version < 4)
    if file.kind not in ("parameters", "plaintext", "plain_array", "dealing_message"):
        assert sections[0][0] == "KYID"
        file.key_id = sections.pop(0)[1]
        assert len(file.key_id) == 16
    if sections and sections[0][0] == "META":
        file.metadata = sections.pop(0)[1]
    return file


def read_parameters(block: bytes) -> Parameters:
    label, scheme, word, table, flags, security, digits, degree, *counts = struct.unpack_from("<8s4BHHI4H", block)
    plain, moduli, special, name = counts
    values = list(struct.unpack_from(f"<{plain + moduli + special}Q", block, 28))
    named = 28 + 8 * len(values) + name
    parties = struct.unpack_from("<H", block, named)[0] if flags & 8 else 1
    assert len(block) == named + (2 if flags & 8 else 0)
    assert (parties > 1) == (flags & 8 == 8)
    index = degree if flags & 4 else 0
    if index:
        degree = len(cyclotomic.units(index))
    return Parameters(
        label=label.decode(),
        scheme={1: "bfv", 2: "bgv"}[scheme],
        word_bytes=word,
        table={1: "guidelines-2024", 2: "he-standard-2018", 3: "quantum-guidelines-2024"}[table],
        allow_insecure=flags & 1 == 1,
        strict=flags & 2 == 2,
        security=security,
        digits=digits,
        degree=degree,
        plain_moduli=values[:plain],
        moduli=values[plain : plain + moduli],
        special_moduli=values[plain + moduli :],
        name=block[named - name : named].decode("ascii"),
        index=index,
        parties=parties,
    )


class Packed:
    """Takes polynomials from packed bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def limb(self, degree: int, bits: int) -> list[int]:
        size = -(-degree * bits // 8)
        stream, self.data = int.from_bytes(self.data[:size], "little"), self.data[size:]
        assert stream >> (degree * bits) == 0  # what is left of the last byte, where n is no multiple of 8
        return [stream >> (bits * i) & ((1 << bits) - 1) for i in range(degree)]

    def polynomial(self, degree: int, moduli: Sequence[int]) -> Polynomial:
        polynomial = [self.limb(degree, (m - 1).bit_length()) for m in moduli]
        assert all(x < m for limb, m in zip(polynomial, moduli, strict=True) for x in limb)
        return polynomial


def expand(seed: bytes, stream: int, item: int, degree: int, moduli: Sequence[int]) -> Polynomial:
    """The uniform polynomial of a seed."""
    return [
        [sampling.uniform(seed, stream, 0, item, limb, i, m) for i in range(degree)] for limb, m in enumerate(moduli)
    ]


def secret_key(file: File) -> list[int]:
    """The coefficients of the secret."""
    [(tag, data)] = file.sections
    assert tag == "SKEY"
    packed = Packed(data)
    signs = {0: 0, 1: 1, 3: -1}
    coefficients = [signs[code] for code in packed.limb(file.parameters.degree, 2)]
    assert packed.data == b""
    return coefficients


def opened_secret_key(data: bytes, passphrase: bytes) -> list[int]:
    """The coefficients of a protected secret key, from the bytes of its whole file."""
    file = read(data)
    return secret_key(File(file.version, "secret_key", file.parameters, [("SKEY", opened(data, passphrase))]))


def opened(data: bytes, passphrase: bytes) -> bytes:
    """What a passphrase protects, from the bytes of a whole file."""
    file = read(data)
    [(tag, section)] = file.sections
    assert tag == "SEAL"
    method, log2_n, r, p = struct.unpack_from("<4I", section)
    assert method == 1
    salt, nonce, sealed, tag_bytes = section[16:48], section[48:60], section[60:-16], section[-16:]
    key = hashlib.scrypt(passphrase, salt=salt, n=2**log2_n, r=r, p=p, maxmem=2**31 - 1, dklen=32)
    header = data[: -32 - 16 - len(sealed)]
    assert sealing.tag(key, nonce, header, sealed) == tag_bytes
    return sealing.decrypt(key, nonce, sealed)


def key_pairs(data: bytes, count: int, p: Parameters) -> list[tuple[Polynomial, Polynomial]]:
    """The pairs (b_j, a_j) of a key section behind its Galois element, transforms."""
    seed, packed = data[:32], Packed(data[32:])
    pairs = []
    for j in range(count):
        body = packed.polynomial(p.degree, p.key_moduli)
        pairs.append((body, expand(seed, KEY_STREAM, j, p.degree, p.key_moduli)))
    assert packed.data == b""
    return pairs


def key_polynomials(data: bytes, count: int, p: Parameters) -> list[Polynomial]:
    """Halves of keys without seeds, transforms."""
    packed = Packed(data)
    polynomials = [packed.polynomial(p.degree, p.key_moduli) for _ in range(count)]
    assert packed.data == b""
    return polynomials


@dataclass
class Description:
    """An `ARRY` section: what the ciphertexts behind it mean."""

    placement: str
    clean: bool
    shape: tuple[int, ...]
    #: The largest magnitude and the largest sum of magnitudes along the last axis; None for values modulo T.
    bounds: tuple[int, int] | None
    #: Of elements of a field: whether they are bits.
    bits: bool = False
    #: The least and the largest value, where they are stated.
    interval: tuple[int, int] | None = None


def description(data: bytes) -> Description:
    """One `ARRY` section."""
    placement, clean, bounded, axes, largest, row = struct.unpack_from("<4B2H", data)
    shape = struct.unpack_from(f"<{axes}Q", data, 8)
    words, start = data[8 + 8 * axes : 8 + 8 * (axes + largest + row)], 8 * largest
    assert len(words) == 8 * (largest + row)
    rest, ends = data[8 + 8 * (axes + largest + row) :], list[int]()
    while bounded == 3 and len(ends) < 2:
        count, sign = struct.unpack_from("<2H", rest)
        size = int.from_bytes(rest[4 : 4 + 8 * count], "little")
        assert sign <= 1 and (size > 0 or sign == 0)
        ends.append(-size if sign else size)
        rest = rest[4 + 8 * count :]
    assert rest == b""
    bounds = (int.from_bytes(words[:start], "little"), int.from_bytes(words[start:], "little"))
    names = ["replicated", "slots", "coefficients"]
    assert bounded in (1, 3) or (largest, row) == (0, 0)
    interval = (ends[0], ends[1]) if ends else None
    stated = bounds if bounded in (1, 3) else None
    return Description(names[placement], clean == 1, shape, stated, bounded == 2, interval)


def ciphertexts(data: bytes, p: Parameters, version: int = 2) -> Ciphertexts:
    """One `CIPH` section. Version 1 has one number for noise, and a count where four bytes are reserved now."""
    plain, parts, limbs, seeded, reserved, batch, correction = struct.unpack_from("<IHHIIQQ", data)
    assert reserved == 0 or version == 1
    noise = list(struct.unpack_from("<d" if version == 1 else "<3d", data, 32))
    result = Ciphertexts(plain, limbs, correction, seeded == 1, noise)
    start = 32 + 8 * len(noise)
    seed, packed = data[start : start + 32], Packed(data[start + 32 * seeded :])
    moduli = p.moduli[:limbs]
    for item in range(batch):
        stored = [packed.polynomial(p.degree, moduli) for _ in range(1 if seeded else parts)]
        if seeded:
            stored.append(expand(seed, CIPHERTEXT_STREAM, item, p.degree, moduli))
        result.polynomials.append(stored)
    assert packed.data == b""
    return result


def plaintexts(file: File) -> list[list[int]]:
    """The coefficients of every plaintext polynomial."""
    [(tag, data)] = file.sections
    assert tag == "PLTX"
    plain, reserved, batch = struct.unpack_from("<IIQ", data)
    assert reserved == 0
    packed, p = Packed(data[16:]), file.parameters
    result = [packed.polynomial(p.degree, [p.plain_moduli[plain]])[0] for _ in range(batch)]
    assert packed.data == b""
    return result


def plain_array(file: File) -> tuple[tuple[int, ...], list[int]]:
    """The shape and the integers of public operands."""
    [(tag, data)] = file.sections
    assert tag == "PLNA"
    axes, words, *reserved = data[:8]
    assert words > 0 and not any(reserved)
    shape = struct.unpack_from(f"<{axes}Q", data, 8)
    body, step = data[8 + 8 * axes :], 8 * words
    assert len(body) == step * prod(shape)
    values = [int.from_bytes(body[i : i + step], "little", signed=True) for i in range(0, len(body), step)]
    assert words == 1 or any(not -(2 ** (8 * step - 65)) <= value < 2 ** (8 * step - 65) for value in values)
    return shape, values


# --- version 3: objects over Phi_m ------------------------------------------------------------------------------------
@functools.cache
def least_primitive_root(p: int) -> int:
    """The least generator of the units modulo a prime."""
    return next(g for g in range(2, p) if all(pow(g, (p - 1) // f, p) != 1 for f in cyclotomic.prime_factors(p - 1)))


@functools.cache
def places(m: int) -> dict[int, int]:
    """Where the residue of each unit stands in a limb."""
    primes = cyclotomic.prime_factors(m)
    logarithms = {p: {pow(least_primitive_root(p), e, p): e for e in range(p - 1)} for p in primes}
    result = {}
    for u in cyclotomic.units(m):
        exponents = {p: logarithms[p][u % p] for p in primes}
        others = [p for p in primes if p != 257]
        place, size = 0, 1
        for p in reversed(others):
            place, size = place + size * exponents[p], size * (p - 1)
        if 257 in primes:
            high, low = divmod(exponents[257], 16)
            place = low + 16 * place + 16 * size * high
        result[u] = place
    return result


def coefficients_of_transform(limb: Sequence[int], m: int, q: int) -> dict[int, int]:
    """The polynomial of degree below m, by exponent, that has these values at the units' roots and 0 at the others: one
    of all that are equal modulo Phi_m."""
    zeta, where = cyclotomic.root(m, q), places(m)
    inverse, scale = pow(zeta, -1, q), pow(m, -1, q)
    values = {u: limb[place] for u, place in where.items()}
    return {j: cyclotomic.evaluate(values, pow(inverse, j, q), q) * scale % q for j in range(m)}


def coefficients_of_basis(limb: Sequence[int], m: int) -> dict[int, int]:
    """The coefficients of zeta^j by j: the residue at the place of u is that of j = 1/u."""
    return {pow(u, -1, m): limb[place] for u, place in places(m).items()}


def field_polynomial(degree: int) -> int:
    """f of GF(2^degree): the page's for 16, else the least primitive polynomial."""
    if degree == 16:
        return 0b1_0001_0000_0000_1011
    order = (1 << degree) - 1
    for candidate in range((1 << degree) + 1, 2 << degree, 2):
        field = binary_field.Field(candidate)
        if field.power(2, order) == 1 and all(field.power(2, order // p) != 1 for p in cyclotomic.prime_factors(order)):
            return candidate
    raise AssertionError


def slots(m: int) -> binary_field.Slots:
    """The slots of the plaintext modulus 2."""
    reached = {1}  # powers of 2, and of the generators so far
    while len(reached) < binary_field.order(2, m):
        reached |= {2 * u % m for u in reached}
    degree, dimensions = len(reached), []
    for p in cyclotomic.prime_factors(m):
        rest = m // p
        root = least_primitive_root(p)
        generator = next(u for u in range(1, m, rest) if u % p == root)  # 1 modulo the other primes
        length = next(e for e in range(1, p) if pow(generator, e, m) in reached)
        reached = {u * pow(generator, e, m) % m for u in reached for e in range(length)}
        exact = gcd((p - 1) // length, length) == 1
        dimensions.append((pow(generator, (p - 1) // length, m) if exact else generator, length))
    return binary_field.Slots(m, field_polynomial(degree), dimensions)
