# SPDX-License-Identifier: Apache-2.0
"""Write the known answers of reader/cyclotome_reader/vectors: one JSON file for each set of parameters.

Keys come of the published seeds, 32 equal bytes each. Arrays are encrypted with the system's randomness, so another run
writes other ciphertexts; expected values are Python's integers, and measured noise that of test/python/exact_noise.py
(over Φ_m of test/python/cyclotomic_party.py), never the reader's. Needs an installation with
tests (`make install-test`).

Usage: ``python test/vectors/make_vectors.py [FOLDER]``
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "python"))

import cyclotome as cy  # noqa: E402
import numpy as np  # noqa: E402
from cyclotome import _core  # noqa: E402
from cyclotome._core import testing  # noqa: E402
from cyclotome._core.testing import deterministic, rlwe, shapes  # noqa: E402
from cyclotome.devices.contexts import context_on  # noqa: E402
from cyclotome.keys.kinds import EvaluationKeys, PublicKey, SecretKey  # noqa: E402
from cyclotomic_party import Embedding, smallest_primes  # noqa: E402
from exact_noise import norms_of_rows  # noqa: E402
from joint_keys import Joint  # noqa: E402
from oracles.integers import centred, compose, some_primes  # noqa: E402

VECTORS = ROOT / "reader" / "cyclotome_reader" / "vectors"
CORPUS = ROOT / "test" / "fuzz" / "corpus"
FORMAT = "cyclotome known answers 1"
#: Master seeds: so many equal bytes.
SEEDS = {"secret": 1, "public": 2, "evaluation": 3, "symmetric": 4}
Record = dict[str, Any]


def text(data: bytes) -> str:
    """Bytes in JSON."""
    return base64.b64encode(data).decode("ascii")


def signs(coefficients: Sequence[int]) -> str:
    """A ternary polynomial, a character for each coefficient."""
    return "".join("-0+"[c + 1] for c in coefficients)


def negacyclic(scheme: str, word: int, plain: Sequence[int], degree: int = 16, **options: Any) -> cy.Parameters:
    """Insecure parameters of x^n + 1, whose files are short."""
    special, digits = options.pop("special", 1), options.pop("digits", 0)
    primes = some_primes(28 if word == 32 else 50, 2 * degree, 5 + special)
    return cy.Parameters(
        degree=degree, plain_moduli=plain, moduli=primes[special:], special_moduli=primes[:special], word=word,
        scheme=scheme, security=0, allow_insecure=True, **({"digits": digits} if digits else {}), **options,
    )  # fmt: skip


def cyclotomic(scheme: str, word: int, index: int, integers: bool, **options: Any) -> cy.Parameters:
    """The same of Φ_m: bits, or integers modulo a prime with slots."""
    step = shapes.cyclotomic(index).transform_step
    t = smallest_primes(step, 1, 1 << 12)[0] if integers else 2
    primes = smallest_primes(step, 5, 1 << (28 if word == 32 else 40))
    return cy.Parameters(
        cyclotomic=index, plain_moduli=[t], moduli=primes[:4], special_moduli=primes[4:], word=word, scheme=scheme,
        security=0, allow_insecure=True, **options,
    )  # fmt: skip


#: Every scheme, ring and word, with and without special primes, digits, several plaintext moduli, few slots, none, and
#: strict bounds.
SETS: dict[str, Callable[[], cy.Parameters]] = {
    "bfv-64": lambda: negacyclic("bfv", 64, [65537]),
    "bfv-32": lambda: negacyclic("bfv", 32, [257]),
    "bfv-64-gadget": lambda: negacyclic("bfv", 64, [65537], special=0),
    "bfv-64-two-moduli": lambda: negacyclic("bfv", 64, [40961, 65537]),
    "bfv-64-few-slots": lambda: negacyclic("bfv", 64, [65537, 73], digits=3, special=2),
    "bfv-64-no-slots": lambda: negacyclic("bfv", 64, [1024]),
    "bfv-64-strict": lambda: negacyclic("bfv", 64, [65537], strict=True),
    "bgv-64": lambda: negacyclic("bgv", 64, [65537]),
    "bgv-32": lambda: negacyclic("bgv", 32, [257]),
    "bgv-64-gadget": lambda: negacyclic("bgv", 64, [65537], special=0),
    "bgv-64-two-moduli": lambda: negacyclic("bgv", 64, [40961, 65537]),
    "bgv-64-no-slots": lambda: negacyclic("bgv", 64, [1024]),
    "bgv-64-strict": lambda: negacyclic("bgv", 64, [65537], strict=True),
    "bgv-64-bits-15": lambda: cyclotomic("bgv", 64, 15, False),
    "bgv-32-bits-105": lambda: cyclotomic("bgv", 32, 105, False),
    "bfv-64-bits-21": lambda: cyclotomic("bfv", 64, 21, False),
    "bfv-32-bits-15": lambda: cyclotomic("bfv", 32, 15, False),
    "bgv-64-integers-21": lambda: cyclotomic("bgv", 64, 21, True),
    "bfv-64-integers-15": lambda: cyclotomic("bfv", 64, 15, True),
}
JOINT: dict[str, Callable[[], cy.Parameters]] = {
    "joint-bfv-64": lambda: negacyclic("bfv", 64, [65537], parties=3),
    "joint-bgv-64": lambda: negacyclic("bgv", 64, [65537], parties=3),
    "joint-bfv-64-integers-15": lambda: cyclotomic("bfv", 64, 15, True, parties=3),
}
#: At the sizes that people use: digests of what seeds make in place of files.
LARGE: dict[str, Callable[[], cy.Parameters]] = {
    "large-bfv-4096": lambda: cy.Parameters.suggest(depth=0, value_bits=8, terms=16),
    "large-bfv-8192": lambda: cy.Parameters.suggest(depth=1, value_bits=8, terms=16),
    "large-bgv-8192": lambda: cy.Parameters.suggest(depth=1, value_bits=8, terms=16, scheme="bgv"),
    "large-bgv-bits-771": lambda: cyclotomic("bgv", 64, 771, False),
}


class World:
    """The keys of a set, from seeds."""

    def __init__(self, parameters: cy.Parameters) -> None:
        self.parameters, self.context = parameters, context_on("cpu:1", parameters)
        seed = {name: testing.Seed(bytes([byte]) * 32) for name, byte in SEEDS.items()}
        native = deterministic.generate_secret_key(self.context.native, seed["secret"])
        index = parameters.cyclotomic
        self.elements = sorted({2, index - 1}) if index else [3, 2 * parameters.degree - 1]
        made = deterministic.generate_evaluation_keys(native, True, self.elements, seed["evaluation"])
        self.evaluation = EvaluationKeys(parameters, self.context, made)
        public = deterministic.generate_public_key(native, seed["public"])
        self.public = PublicKey(parameters, self.context, public, self.evaluation)
        self.secret = SecretKey(parameters, self.context, native)
        self.seed = seed["symmetric"]


def secret_file(key: Any, **options: Any) -> bytes:
    """Of a secret object, which the library writes to files only."""
    with tempfile.TemporaryDirectory() as folder:
        cy.save(Path(folder) / "key", key, **options)
        return (Path(folder) / "key").read_bytes()


def measured(secret: Any, x: cy.EncryptedArray) -> list[list[float]]:
    """The largest norms, log2, of each channel's exact errors."""
    p, found = x.parameters, []
    for plain, channel in enumerate(x.native.channels):
        moduli, t = list(p.moduli)[: channel.limbs], p.plain_moduli[plain]
        q = int(np.prod(np.array(moduli, dtype=object)))
        whole = compose(rlwe.phase(secret.native, channel), moduli)
        rows = centred(whole, q)[:, 0] if p.scheme == "bgv" else centred(whole * t, q)[:, 0]
        divisor = 1 if p.scheme == "bgv" else t
        if p.cyclotomic:
            embedding = Embedding(shapes.cyclotomic(p.cyclotomic))
            norms = np.array([embedding.norms(row) for row in rows]) - np.log2(divisor)
        else:
            norms = norms_of_rows(rows, divisor)
        found.append([round(float(v), 6) for v in norms.max(axis=0)])
    return found


def answer(name: str, x: cy.EncryptedArray, values: Any, secret: Any) -> Record:
    """An array, what it holds, and its noise."""
    flat = [int(v) for v in np.asarray(values, dtype=object).reshape(-1)]
    return {
        "name": name, "file": text(cy.to_bytes(x)), "shape": list(np.shape(values)), "values": flat,
        "stated": [list(channel.noise) for channel in x.native.channels], "measured": measured(secret, x),
    }  # fmt: skip


def integer_answers(world: World) -> Iterator[Record]:
    """Arrays of integers: layouts, bounds, levels, products, rotations."""
    p, s = world.parameters, world.secret
    total = int(np.prod(np.array(p.plain_moduli, dtype=object)))
    width = min(p.slots or p.degree, 8)
    a, b = np.arange(width) - 3, 5 - np.arange(width)
    how: Record = {} if not p.has_slots or p.cyclotomic else {"encoding": "slots"}
    x = cy.encrypt(a, world.public, bound=9, **how)
    y = cy.encrypt(b, world.secret, bound=(-9, 9), **how).with_keys(world.evaluation)
    yield answer("fresh", x, a, s)
    yield answer("fresh, under the secret key", y, b, s)
    yield answer("sum", 3 * x - y, 3 * a - b, s)
    yield answer("interval", cy.encrypt(a + 3, world.public, bound=(0, 12)), a + 3, s)
    yield answer("replicated", cy.encrypt(a[:2], world.public, bound=9, layout="replicated"), a[:2], s)
    yield answer("scalar", cy.encrypt(-7, world.public, bound=9), -7, s)
    residues = (np.arange(6).reshape(2, 3) * 1234567) % total
    yield answer("modulo T, two rows", cy.encrypt(residues, world.public, wrap=True), residues, s)
    if not p.cyclotomic:
        long = np.arange(2 * p.degree - 3) % 5
        yield answer("coefficients", cy.encrypt(long, world.public, bound=9, encoding="coefficients"), long, s)
    for level in range(len(p.moduli), 0, -1):
        low = cy.encrypt(a, world.public, bound=9).switch_to_level(level)
        if low.noise_headroom >= 0:
            yield answer(f"level {level}", low, a, s)
    if p.has_slots:
        yield answer("product", x * y, a * b, s)
        with_public = x * np.arange(width)
        yield answer("product with public integers", with_public, a * np.arange(width), s)


def bit_answers(world: World) -> Iterator[Record]:
    """Bits and elements of GF(2^r) over Φ_m."""
    p, s = world.parameters, world.secret
    elements = np.arange(3, 3 + p.slots) * 5 % (1 << (p.field_degree or 1))
    bits = np.arange(p.slots) % 3 % 2 == 1
    x = cy.encrypt(elements, world.public, encoding="field")
    y = cy.encrypt(bits, world.secret).with_keys(world.evaluation)
    yield answer("elements", x, elements, s)
    yield answer("bits, under the secret key", y, bits, s)
    yield answer("sum", x ^ y, elements ^ bits, s)
    yield answer("and", y & y, bits, s)
    for level in range(len(p.moduli), 0, -1):
        low = cy.encrypt(elements, world.public, encoding="field").switch_to_level(level)
        if low.noise_headroom >= 0:
            yield answer(f"level {level}", low, elements, s)


def keys_of(world: World) -> Record:
    """What seeds make."""
    p = world.parameters
    t = p.plain_moduli[0]
    width = p.slots if p.cyclotomic else p.degree
    rows = np.array([[(i * i + 3 * i) % t if i < 64 else 0 for i in range(width)]])
    rows -= t * (2 * rows > t)
    encoded = _core.encode_residues(world.context.native, 0, bool(p.cyclotomic), rows)
    message = np.trim_zeros(np.ravel(rlwe.coefficients(encoded)), "b").tolist()
    fresh = deterministic.encrypt(encoded, world.secret.native, world.seed)
    residues = np.ascontiguousarray(rlwe.coefficients(fresh)[0, 0]).astype("<u8")
    return {
        "parameters": text(cy.to_bytes(p)), "seeds": {name: bytes([byte]).hex() * 32 for name, byte in SEEDS.items()},
        "key id": world.secret.key_id, "secret": signs(rlwe.coefficients(world.secret.native)),
        "galois": world.elements, "message": message,
        "symmetric c0": hashlib.sha256(residues.tobytes()).hexdigest(),
    }  # fmt: skip


def vector(name: str, parameters: cy.Parameters) -> Record:
    """One set with its files."""
    world = World(parameters)
    other = cy.keygen(parameters, rotations=[], relinearization=False, device="cpu:1")
    answers = bit_answers if parameters.plain_moduli == (2,) and parameters.cyclotomic else integer_answers
    files = {
        "secret key": text(secret_file(world.secret)), "public key": text(cy.to_bytes(world.public)),
        "evaluation keys": text(cy.to_bytes(world.evaluation)), "former secret key": text(secret_file(other.secret)),
        "rekeying key": text(cy.to_bytes(cy.rekeying.rekeying_key(other.secret, world.secret))),
    }  # fmt: skip
    return {"format": FORMAT, "name": name, **keys_of(world), "files": files, "answers": list(answers(world))}


def large(name: str, parameters: cy.Parameters) -> Record:
    """One set without files: digests of sections PKEY, RLIN and GALO as files have them."""
    world = World(parameters)
    public, evaluation = cy.to_bytes(world.public), cy.to_bytes(world.evaluation)
    digests = {
        "public key": hashlib.sha256(section(public, b"PKEY")).hexdigest(),
        "relinearisation": hashlib.sha256(section(evaluation, b"RLIN")).hexdigest(),
    }
    return {"format": FORMAT, "name": name, **keys_of(world), "digests": digests}


def section(container: bytes, tag: bytes) -> bytes:
    """The body of the first section of a name."""
    at = 56
    while container[at : at + 4] != tag:
        at += 12 + int.from_bytes(container[at + 4 : at + 12], "little")
    return container[at + 12 : at + 12 + int.from_bytes(container[at + 4 : at + 12], "little")]


def joint(name: str, parameters: cy.Parameters) -> Record:
    """Joint keys: messages of a session, the parties' secrets, and arrays that all or two of three decrypt."""
    made = Joint(parameters, 2, rotations=[])
    secrets = [rlwe.coefficients(party.secret.native) for party in made.parties.values()]
    values = np.arange(4) - 1
    x = made.encrypt(values, bound=9)
    answers = []
    for label, array, expected in (("fresh", x, values), ("product", x * x, values * values)):
        record = {"name": label, "file": text(cy.to_bytes(array)), "values": [int(v) for v in expected]}
        record["stated"] = [list(channel.noise) for channel in array.native.channels]
        record["shares"] = {
            "1,2,3": [text(cy.to_bytes(share)) for share in made.shares(array)],
            "1,3": [text(cy.to_bytes(share)) for share in made.shares(array, 1, 3)],
        }
        answers.append(record)
    kinds = {
        "session": made.session, "toss": made.tosses[0], "commitment": made.commitments[0], "coin": made.coins[0],
        "first share": made.first[0], "second share": made.second[0],
    }  # fmt: skip
    files = {label: text(cy.to_bytes(each)) for label, each in kinds.items()}
    files |= {
        "public key": text(cy.to_bytes(made.keys.public)),
        "evaluation keys": text(cy.to_bytes(made.keys.evaluation)),
    }
    return {
        "format": FORMAT, "name": name, "parameters": text(cy.to_bytes(parameters)), "session": made.session.id,
        "secrets": [signs(s) for s in secrets], "files": files, "answers": answers,
    }  # fmt: skip


def other_kinds() -> Record:
    """Files of the fuzzers' corpus whose kinds no set above has, with what stands in them."""
    names = {
        "ciphertexts": "u32-hybrid-ciphertext", "product of three parts": "u32-hybrid-product",
        "switched": "bgv-switched", "secret key": "u32-hybrid-secret_key", "secret key of bgv": "bgv-secret_key",
        "plaintexts": "u32-hybrid-plaintext", "plain array": "u32-hybrid-plain_array",
        "protected secret key": "protected_secret_key", "session": "joint-session", "party": "joint-party",
        "protected party": "protected_party", "secret share": "joint-secret_share",
        "protected secret share": "protected_secret_share", "acceptance": "joint-acceptance",
        "message of dealing": "dealing-dealing", "decryption share": "joint-decryption_share",
    }  # fmt: skip
    files = {label: text((CORPUS / name).read_bytes()) for label, name in names.items()}
    return {"format": FORMAT, "name": "other-kinds", "passphrase": "correct horse", "files": files}


def written(record: Record) -> str:
    """A line for each field, and for each answer."""

    def line(value: Any) -> str:
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n  " + ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in value) + "\n ]"
        return json.dumps(value, ensure_ascii=False)

    return "{\n " + ",\n ".join(f"{json.dumps(key)}: {line(value)}" for key, value in record.items()) + "\n}\n"


def main() -> int:
    """Writes them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=VECTORS, help="where to (default: the reader's)")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    records = [vector(name, make()) for name, make in SETS.items()]
    records += [joint(name, make()) for name, make in JOINT.items()]
    records += [large(name, make()) for name, make in LARGE.items()]
    for record in [*records, other_kinds()]:
        path = folder / f"{record['name']}.json"
        path.write_text(written(record), encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
