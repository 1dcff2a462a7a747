# SPDX-License-Identifier: Apache-2.0
"""Messages of joint keys, read by the second implementation of doc/wire-format.md: digests, ids, common polynomials,
and that shares hide what the page says."""

from __future__ import annotations

import hashlib
import hmac
import math
import struct
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from joint_keys import Joint, parameters, secret_of
from oracles import wire_format
from oracles.integers import centred, compose
from oracles.negacyclic import automorphism
from test_wire_format import ERROR_BOUND, coefficients, phase


def read(path: Path, obj: Any) -> wire_format.File:
    cy.save(path, obj, overwrite=True)
    return wire_format.read(path.read_bytes())


def derived(reference: bytes, file: wire_format.File, purpose: int, element: int, key: bytes) -> bytes:
    """doc/architecture.md, Randomness; half 1, uniform."""
    fields = [
        b"cyclotome seed",
        struct.pack("<I", purpose),
        struct.pack("<I", 1),
        struct.pack("<Q", element),
        struct.pack("<I", 0),
        key,
        file.parameters.fingerprint(),
    ]
    return hmac.new(reference, b"".join(struct.pack("<I", len(x)) + x for x in fields), hashlib.sha256).digest()


def residues_digest(packed: bytes, items: int, p: Any) -> bytes:
    """Of a share's residues as they lie in memory, words of 4 or 8 bytes."""
    words = np.uint64 if p.word_bytes == 8 else np.uint32
    bodies = wire_format.key_polynomials(packed, items, p)
    return hashlib.sha256(b"".join(np.array(limb, dtype=words).tobytes() for body in bodies for limb in body)).digest()


def share_digest(data: bytes, p: Any, opening: bytes = b"") -> bytes:
    """Of what the sections KSHA and KOPN hold."""
    party, number = struct.unpack_from("<2I", data, 32)
    head = f"cyclotome joint key share 2\nparty {party}\nround {number}\n".encode()
    residues = residues_digest(data[80:], struct.unpack_from("<Q", data, 72)[0], p)
    return hashlib.sha256(head + data[:32] + data[40:72] + residues + opening).digest()


def hashed(text: str, *parts: bytes) -> bytes:
    return hashlib.sha256(text.encode() + b"".join(parts)).digest()


def kept_of(coin: bytes, party: int, candidates: int) -> int:
    """Which candidate a party keeps."""
    return int.from_bytes(hashed(f"cyclotome joint kept 2\nparty {party}\n", coin)[:8], "little") % candidates


def committed_to_candidates(data: bytes, opening: bytes, p: Any) -> bytes:
    """What a first share's sender has committed to, by its sections KSHA and KOPN."""
    session, [party] = data[:32], struct.unpack_from("<I", data, 32)
    hashes = [opening[at + 32 : at + 64] for at in range(32, len(opening), 64)]
    kept = kept_of(opening[:32], party, len(hashes) + 1)
    residues = residues_digest(data[80:], struct.unpack_from("<Q", data, 72)[0], p)
    own = hashed(f"cyclotome joint candidate 2\nparty {party}\ncandidate {kept}\n", session, residues)
    return hashed(f"cyclotome joint candidates 2\nparty {party}\n", session, *hashes[:kept], own, *hashes[kept:])


def committed(data: bytes, p: Any) -> bytes:
    """What a first share's sender has committed to, without an audit."""
    head = f"cyclotome joint commitment 2\nparty {struct.unpack_from('<I', data, 32)[0]}\n".encode()
    return hashlib.sha256(
        head + data[:32] + residues_digest(data[80:], struct.unpack_from("<Q", data, 72)[0], p)
    ).digest()


def error_of(
    file: wire_format.File, body: Any, seed: bytes, item: int, target: list[int], secret: list[int]
) -> list[int]:
    """What is left of a half of a key under `secret`, without the gadget's multiple of `target`."""
    p = file.parameters
    moduli, special, per_digit = p.key_moduli, math.prod(p.special_moduli), -(-len(p.moduli) // p.digits)
    mask = wire_format.expand(seed, 4, item, p.degree, moduli)
    total = phase([coefficients(body, moduli), coefficients(mask, moduli)], secret, moduli)
    for limb, q in enumerate(moduli):
        gadget = special % q if q in p.moduli[item * per_digit : (item + 1) * per_digit] else 0
        total[limb] = [(x - gadget * w) % q for x, w in zip(total[limb], target, strict=True)]
    return [int(x) for x in centred(compose(total, moduli), math.prod(moduli))]


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_messages_are_what_the_page_says(scheme: str, tmp_path: Path) -> None:
    joint = Joint(parameters(scheme, 16, 3), 2, rotations=[1])
    path = tmp_path / "file"
    file = read(path, joint.session)
    assert (file.version, file.kind, file.parameters.parties) == (4, "threshold_session", 3)
    [(tag, data)] = file.sections
    reference, fixed = data[:32], struct.unpack_from("<3I", data, 32)
    assert (tag, fixed) == ("SESS", (2, 1, 3))
    assert struct.unpack_from("<3I", data, 44) == (1, 2, 3)
    assert struct.unpack_from("<IQ", data, 56) == (1, 3)
    assert data[68:] == struct.pack("<IQ", 8, 1 << 20)
    assert (joint.session.decryptions, joint.session.audit) == (1 << 20, 8)
    text = (
        f"cyclotome threshold session 2\nparameters {file.parameters.fingerprint().hex()}\nparties 1,2,3\nthreshold 2\n"
        f"relinearization 1\ngalois 3\ndecryptions 1048576\naudit 8\nreference {reference.hex()}\n"
    )
    digest = hashlib.sha256(text.encode()).digest()
    assert digest.hex() == joint.session.id
    session = hashlib.sha256(f"cyclotome session\n{digest.hex()}\n".encode()).digest()[:16]
    assert file.key_id == session

    p = file.parameters
    moduli = p.key_moduli
    factor = p.plain_moduli[0] if scheme == "bgv" else 1
    secrets = {number: [int(x) for x in secret_of(party)] for number, party in joint.parties.items()}
    ephemeral_hidden, digests = [], []
    opened = []
    for share in joint.first:
        [(_, data), (tag, opening)] = read(path, share).sections
        assert (tag, len(opening)) == ("KOPN", 32 + 7 * 64)
        opened.append(committed_to_candidates(data, opening, p))
    tossed, parts = [], []
    for number, (toss, shown) in enumerate(zip(joint.tosses, joint.coins, strict=True), start=1):
        [(tag, data)] = read(path, toss).sections
        assert (tag, data[:68]) == ("COIN", digest + struct.pack("<2I", number, 1) + bytes(28))
        tossed.append(data[72:])
        [(tag, data)] = read(path, shown).sections
        assert struct.unpack_from("<2I", data, 32) == (number, 2)
        parts.append(data[72:])
        assert hashed(f"cyclotome joint toss 2\nparty {number}\n", digest, parts[-1]) == tossed[-1]
    all_tossed = hashed("cyclotome joint tosses 2\n", digest, *tossed)
    basis = hashed("cyclotome joint candidates of all 2\n", all_tossed, *opened)
    assert {read(path, shown).sections[0][1][40:72] for shown in joint.coins} == {basis}
    coin = hashed("cyclotome joint coin 2\n", digest, *parts)
    for number, commitment in enumerate(joint.commitments):
        file = read(path, commitment)
        assert (file.kind, file.key_id) == ("key_commitment", session)
        assert file.sections == [("KCOM", digest + struct.pack("<I", number + 1) + opened[number])]
    commitments = hashlib.sha256(b"cyclotome joint commitments 2\n" + digest + b"".join(opened)).digest()
    commitments = hashed("cyclotome joint chosen 2\n", commitments, coin)
    for share in joint.first:
        file = read(path, share)
        [(tag, data), (_, opening)] = file.sections
        assert (file.kind, tag, file.key_id, data[:32]) == ("key_share", "KSHA", session, digest)
        assert opening[:32] == coin
        party, round_number = struct.unpack_from("<2I", data, 32)
        assert (party, round_number, data[40:72]) == (share.party, 1, commitments)
        items = struct.unpack_from("<Q", data, 72)[0]
        digests.append(share_digest(data, p, opening))
        assert items == 1 + 2 * p.digits + p.digits
        bodies = wire_format.key_polynomials(data[80:], items, p)
        secret = secrets[party]

        zero = [0] * p.degree
        found = [error_of(file, bodies[0], derived(reference, file, 13, 0, session), 0, zero, secret)]
        found += [
            error_of(file, bodies[1 + p.digits + j], derived(reference, file, 15, 0, session), j, zero, secret)
            for j in range(p.digits)
        ]
        turned = [int(x) for x in automorphism([x % 10007 for x in secret], 3, 10007)]
        turned = [x - 10007 if x > 5003 else x for x in turned]
        found += [
            error_of(file, bodies[1 + 2 * p.digits + j], derived(reference, file, 14, 3, session), j, turned, secret)
            for j in range(p.digits)
        ]
        for error in found:
            assert any(error)
            assert all(x % factor == 0 and abs(x) <= factor * ERROR_BOUND for x in error)
        ephemeral_hidden.append(error_of(file, bodies[1], derived(reference, file, 15, 0, session), 0, secret, secret))
    assert all(max(abs(x) for x in error) > 2**200 for error in ephemeral_hidden)  # it is under another secret

    first_round = hashlib.sha256(b"cyclotome joint first round 2\n" + digest + commitments + b"".join(digests)).digest()
    text = f"cyclotome joint key 2\n{digest.hex()}\n{first_round.hex()}\n"
    key = hashlib.sha256(text.encode()).digest()[:16]
    assert {party.key_id for party in joint.parties.values()} == {key.hex()}
    [(_, data), (tag, _)] = read(path, joint.second[0]).sections
    assert tag == "KPRF"  # test_share_proofs.py looks at it
    assert (struct.unpack_from("<2I", data, 32), data[40:72]) == ((1, 2), first_round)
    answers = []
    for share in joint.second:
        [(_, data), (_, proof)] = read(path, share).sections
        answers.append(share_digest(data, p, proof[:32] + hashlib.sha256(proof[32:]).digest()))
    said = hashlib.sha256(b"cyclotome joint transcript 2\n" + digest + first_round + b"".join(answers)).hexdigest()
    assert said == cy.threshold.transcript(joint.session, joint.first, joint.second)
    word = read(path, joint.parties[2].accept(joint.first, joint.second))
    assert (word.kind, word.key_id) == ("acceptance", session)
    assert word.sections == [("KACC", digest + struct.pack("<I", 2) + bytes.fromhex(said))]
    evaluation = read(path, joint.keys.evaluation)
    assert evaluation.key_id == key
    [relinearization] = [data for tag, data in evaluation.sections if tag == "RLIN"]
    assert derived(first_round, file, 16, 0, key) in relinearization

    whole = [sum(column) for column in zip(*secrets.values(), strict=True)]
    [(tag, data)] = read(path, joint.keys.public).sections
    [(body, mask)] = wire_format.key_pairs(data, 1, p)
    total = phase([coefficients(body, moduli), coefficients(mask, moduli)], whole, moduli)
    error = [int(x) for x in centred(compose(total, moduli), math.prod(moduli))]
    assert all(x % factor == 0 and abs(x) <= 3 * factor * ERROR_BOUND for x in error)
    assert data[:32] == derived(reference, file, 13, 0, session)

    x = joint.encrypt([1, 2, 3], bound=5)
    array = read(path, x)
    file = read(path, joint.shares(x, 1, 3)[0])
    assert [tag for tag, _ in file.sections] == ["DSHA", "DCHA"]
    head = file.sections[0][1]
    c = wire_format.ciphertexts(array.sections[1][1], p, array.version)
    whole_array = key + struct.pack("<5Q", 0, c.limbs, 1, 2, c.correction)
    whole_array += np.array(c.polynomials, dtype=np.uint64).tobytes()
    assert (head[:32], head[32:64]) == (digest, hashlib.sha256(whole_array).digest())
    assert struct.unpack_from("<5I", head, 64) == (1, 64, 2, 1, 3)
    assert struct.unpack_from("<IIQ", file.sections[1][1]) == (0, c.limbs, 1)

    dealt = joint.parties[2].deal()[3]
    file = read(path, dealt)
    [(tag, data)] = file.sections
    assert (file.kind, tag, data[:32], struct.unpack_from("<2I", data, 32)) == ("secret_share", "SSHA", digest, (2, 3))
