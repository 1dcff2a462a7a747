# SPDX-License-Identifier: Apache-2.0
"""Known answers (doc/known-answers.md): seeds, keys, ciphertexts, results and bounds in JSON, computed once more."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cyclotome_reader import arrays, decryption, files, generation, keys
from cyclotome_reader.files import File, Parameters, Polynomial

VECTORS = Path(__file__).parent / "vectors"
FORMAT = "cyclotome known answers 1"


def published(folder: Path | None = None) -> Iterator[dict[str, Any]]:
    """The records of a folder, those of this package without one."""
    for path in sorted((folder or VECTORS).glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        files.require(record.get("format") == FORMAT, f"{path.name} is not of the format {FORMAT!r}")
        yield record


def faults(record: Mapping[str, Any]) -> list[str]:
    """What this reader computes otherwise than the record says, or can't read; empty if nothing."""
    try:
        return _faults(record)
    except files.ReadError as error:
        return [str(error)]


def _faults(record: Mapping[str, Any]) -> list[str]:
    if record["name"] == "other-kinds":
        return _other_kinds(record)
    p = _file(record["parameters"]).parameters
    if "secrets" in record:
        return _joint(record, p)
    found = _generated(record, p)
    if "files" not in record:
        return found
    secret, own = _signs(record["secret"]), {name: _file(each) for name, each in record["files"].items()}
    former = files.secret_key(own["former secret key"])
    _expect(found, "secret key", files.secret_key(own["secret key"]), secret)
    _expect(found, "key id", own["public key"].key_id.hex(), record["key id"])
    keys.public_key(own["public key"], secret)
    keys.evaluation_keys(own["evaluation keys"], secret)
    keys.rekeying_key(own["rekeying key"], secret, former)
    for answer in record["answers"]:
        found += [f"{answer['name']}: {fault}" for fault in _answer(answer, secret)]
    return found


def _file(text: str) -> File:
    return files.read(base64.b64decode(text))


def _signs(text: str) -> list[int]:
    return ["-0+".index(c) - 1 for c in text]


def _expect(found: list[str], what: str, computed: object, published: object) -> None:
    if computed != published:
        found.append(f"{what} is another one than was published")


def packed(polynomials: Sequence[Polynomial], moduli: Sequence[int]) -> bytes:
    """Residues as files have them."""
    result = b""
    for polynomial in polynomials:
        for limb, q in zip(polynomial, moduli, strict=True):
            bits = (q - 1).bit_length()
            stream = int("".join(f"{x:0{bits}b}" for x in reversed(limb)), 2)
            result += stream.to_bytes(-(-len(limb) * bits // 8), "little")
    return result


def _generated(record: Mapping[str, Any], p: Parameters) -> list[str]:
    """Everything that comes of the seeds."""
    found: list[str] = []
    seeds = {name: bytes.fromhex(seed) for name, seed in record["seeds"].items()}
    secret, key = generation.secret(seeds["secret"], p)
    _expect(found, "the secret of its seed", secret, _signs(record["secret"]))
    _expect(found, "the key id of its seed", key.hex(), record["key id"])
    seed, body = generation.public_key(seeds["public"], secret, key, p)
    made = {"public key": seed + packed([body], p.key_moduli)}
    seed, bodies = generation.switching_key(seeds["evaluation"], secret, key, p)
    made["relinearisation"] = seed + packed(bodies, p.key_moduli)
    message = record["message"] + [0] * (p.degree - len(record["message"]))
    _, c0 = generation.symmetric_encryption(seeds["symmetric"], message, secret, key, p)
    residues = b"".join(struct.pack(f"<{p.degree}Q", *limb) for limb in c0)
    _expect(found, "the encryption of its seed", hashlib.sha256(residues).hexdigest(), record["symmetric c0"])
    if "files" not in record:
        for name, digest in record["digests"].items():
            _expect(found, f"{name} of its seed", hashlib.sha256(made[name]).hexdigest(), digest)
        return found
    evaluation = _file(record["files"]["evaluation keys"])
    _expect(found, "public key of its seed", made["public key"], _file(record["files"]["public key"]).section("PKEY"))
    _expect(found, "relinearisation key of its seed", made["relinearisation"], evaluation.section("RLIN"))
    galois = [body for tag, body in evaluation.sections if tag == "GALO"]
    for element, published in zip(record["galois"], galois, strict=True):
        seed, bodies = generation.switching_key(seeds["evaluation"], secret, key, p, element)
        whole = element.to_bytes(8, "little") + seed + packed(bodies, p.key_moduli)
        _expect(found, f"Galois key {element} of its seed", whole, published)
    return found


def _answer(answer: Mapping[str, Any], secret: Sequence[int]) -> list[str]:
    """Values, bounds and noise of an encrypted array."""
    file, found = _file(answer["file"]), list[str]()
    about, channels, opened = read_array(file, secret)
    values = arrays.values(about, [[item.message for item in items] for items in opened], file.parameters)
    _expect(found, "a value", values, answer["values"])
    _expect(found, "the shape", list(about.shape), answer["shape"])
    found += arrays.broken_bounds(about, values)
    _expect(found, "the stated noise", [list(c.noise) for c in channels], answer["stated"])
    for c, items, measured in zip(channels, opened, answer["measured"], strict=True):
        found += decryption.contradictions(c, items, file.parameters)
        worst = [max(item.noise[k] for item in items) for k in range(3)]
        if any(abs(x - y) > 1e-5 for x, y in zip(worst, measured, strict=True)):
            found.append(f"the noise is measured as {worst}, published is {measured}")
    return found


Array = tuple[arrays.Description, list[files.Ciphertexts], list[list[decryption.Opened]]]


def read_array(file: File, secret: Sequence[int]) -> Array:
    """What an encrypted array says of itself, its channels, and these opened."""
    about = arrays.description(file.section("ARRY"))
    channels = [files.ciphertexts(body, file.parameters) for tag, body in file.sections if tag == "CIPH"]
    require = [c.plain for c in channels] == list(range(len(file.parameters.plain_moduli)))
    files.require(require, "an array has one CIPH for each plaintext modulus, in their order")
    return about, channels, [decryption.decrypted(c, secret, file.parameters) for c in channels]


def read_jointly(file: File, shares: Sequence[File]) -> Array:
    """The same by decryption shares of all who decrypt."""
    about, p = arrays.description(file.section("ARRY")), file.parameters
    channels = [files.ciphertexts(body, p) for tag, body in file.sections if tag == "CIPH"]
    opened = []
    for number, c in enumerate(channels):
        mine = [_share(share, number, c, p) for share in shares]
        opened.append(decryption.jointly_decrypted(c, mine, p))
    return about, channels, opened


def _share(file: File, channel: int, c: files.Ciphertexts, p: Parameters) -> list[Polynomial]:
    bodies = [body for tag, body in file.sections if tag == "DCHA"]
    files.require(channel < len(bodies) and len(bodies[channel]) >= 16, "a share lacks a channel")
    plain, level, batch = struct.unpack_from("<IIQ", bodies[channel])
    files.require((plain, level, batch) == (c.plain, c.level, len(c.polynomials)), "a share is of another array")
    reader = files.Packed(bodies[channel][16:], p)
    found = [reader.polynomial(p.moduli[:level]) for _ in range(batch)]
    reader.end()
    return found


def _joint(record: Mapping[str, Any], p: Parameters) -> list[str]:
    """Joint keys: the parties' secrets add up, and all or some of them decrypt."""
    found: list[str] = []
    secret = [sum(column) for column in zip(*map(_signs, record["secrets"]), strict=True)]
    own = {name: _file(each) for name, each in record["files"].items()}
    keys.public_key(own["public key"], secret)
    keys.evaluation_keys(own["evaluation keys"], secret)
    text = f"cyclotome session\n{record['session']}\n"
    identity = hashlib.sha256(text.encode()).digest()[:16]
    for name in ("session", "toss", "commitment", "coin", "first share", "second share"):
        _expect(found, f"the session of the {name}", own[name].key_id, identity)
    for answer in record["answers"]:
        file = _file(answer["file"])
        ways = {"the sum of the secrets": read_array(file, secret)}
        for who, shares in answer["shares"].items():
            ways[f"parties {who}"] = read_jointly(file, [_file(share) for share in shares])
        for way, (about, channels, opened) in ways.items():
            values = arrays.values(about, [[item.message for item in items] for items in opened], p)
            _expect(found, f"{answer['name']}: what {way} decrypts", values, answer["values"])
            for c, items in zip(channels, opened, strict=True):
                more = decryption.contradictions(c, items, p, flooded=way.startswith("parties"))
                found += [f"{answer['name']}, {way}: {fault}" for fault in more]
    return found


def _other_kinds(record: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    own, phrase = {name: _file(each) for name, each in record["files"].items()}, record["passphrase"].encode()
    plain = own["plaintexts"]
    t, secret = plain.parameters.plain_moduli[0], files.secret_key(own["secret key"])
    reader = files.Packed(plain.section("PLTX")[16:], plain.parameters)
    messages = [reader.polynomial([t])[0] for _ in range(2)]
    _expect(found, "the protected secret key", files.secret_key(own["protected secret key"], phrase), secret)
    for protected, clear in (("protected secret share", "SSHA"), ("protected party", "PRTY")):
        name = protected.removeprefix("protected ")
        _expect(found, protected, files.opened(own[protected], phrase), own[name].section(clear))
    c = files.ciphertexts(own["ciphertexts"].section("CIPH"), plain.parameters)
    opened = decryption.decrypted(c, secret, plain.parameters)
    _expect(found, "a message", [item.message for item in opened], messages)
    found += decryption.contradictions(c, opened, plain.parameters)
    for name in ("product of three parts", "switched"):
        key = secret if name.startswith("product") else files.secret_key(own["secret key of bgv"])
        c = files.ciphertexts(own[name].section("CIPH"), own[name].parameters)
        opened = decryption.decrypted(c, key, own[name].parameters)
        found += decryption.contradictions(c, opened, own[name].parameters)
    return found
