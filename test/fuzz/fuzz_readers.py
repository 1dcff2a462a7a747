# SPDX-License-Identifier: Apache-2.0
"""Fuzzes what Python reads from outside: tables' descriptions, SEAL's and TenSEAL's objects, protocol buffers, CSV,
npy, expressions, real numbers, messages of joint keys, of private look-ups and of services, interfaces of models.
Inputs that reach new lines are kept and changed further; checksums and lengths are put right, without which nothing
behind them would be reached.

    python test/fuzz/fuzz_readers.py [--seconds 30] [--seed N] [--only NAME ...]

Anything but a typed error or an object ends it with status 1, and is written to build/fuzz/crash-*.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/python"))
sys.path.insert(0, str(ROOT / "test/python/helpers"))

import cyclotome as cy  # noqa: E402
import numpy as np  # noqa: E402
from crafted_files import put_together, taken_apart  # noqa: E402
from cyclotome import _core  # noqa: E402
from cyclotome.cli.evaluation import expression  # noqa: E402
from cyclotome.cli.numbers.quantity import Quantity  # noqa: E402
from cyclotome.cli.tables import tables  # noqa: E402
from cyclotome.errors import BlameError, CyclotomeError  # noqa: E402
from cyclotome.interop import protobuf, seal, tenseal  # noqa: E402
from cyclotome.service.clients import Clients  # noqa: E402
from cyclotome.sessions import remote  # noqa: E402
from joint_keys import parameters as joint_parameters  # noqa: E402
from small import parameters  # noqa: E402

Reader = Callable[[bytes], object]
#: Processor seconds that no small input may take.
SLOW = 20.0
MOST_BYTES = 1 << 14
_MOST_KEPT = 400
_LAX = {"allow_insecure": True, "device": "cpu:1"}
_NUMBERS = (0, 1, 2, 7, 8, 15, 16, 127, 128, 255, 256, 65535, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63, 2**64 - 1)
_TOKENS = (
    *(b"null", b"true", b"[]", b"{}", b'""', b"-1", b"1e999", b"NaN", b"9" * 1300, b"1/3", b'"inf"', b"\\ud800"),
    *(
        b"\0",
        b"\xff",
        b"\xed\xa0\x80",
        b'"',
        b"'",
        b",",
        b";",
        b"\r",
        b"\n",
        b"(",
        b")",
        b"**",
        b"@",
        b"sum",
        b"x",
        b"y",
    ),
    *(b"[0]", b"[::-1]", b"lambda:0", b"__class__", b"\xef\xbb\xbf", b"=1+1", b"0x10", b"1_0", b"\xd9\xa3"),
)


class Subject:
    """Something that is read: inputs to begin with, and how to read one."""

    def __init__(self, read: Reader, seeds: list[bytes], mend: Callable[[bytes], bytes] = lambda data: data) -> None:
        self.read, self.kept, self.mend = read, list(seeds), mend


_INTERFACE = b'{"low": [0.5], "step": [0.25], "levels": [3], "labels": ["no", "yes"], "scale": 16.0}'


# --- what is read -----------------------------------------------------------------------------------------------------
def mended(data: bytes) -> bytes:
    """Containers one after the other, the first with the checksum and length that fit what is in it."""
    length = int.from_bytes(data[16:24], "little")
    first, rest = (data[:length], data[length:]) if 88 < length <= len(data) else (data, b"")
    if len(first) < 88:
        return data
    try:
        header, sections = taken_apart(first)
        return put_together(header, [*sections], kind=None) + rest
    except (UnicodeError, ValueError):
        return data


def with_description(frame: bytes) -> tuple[Reader, list[bytes]]:
    """A table's file whose description alone is changed."""
    length = int.from_bytes(frame[16:24], "little")
    header, sections = taken_apart(frame[:length])
    known = dict(sections)

    def read(data: bytes) -> object:
        about = [(tag, data if tag == "META" else content) for tag, content in sections]
        whole = put_together(header, about) + frame[length:]
        return cy.from_bytes(whole, **_LAX)

    return read, [known["META"]]


def in_a_file(folder: Path, suffix: str, read: Callable[[Path], object]) -> Reader:
    path = folder / f"input{suffix}"

    def written(data: bytes) -> object:
        path.write_bytes(data)
        path.chmod(0o600)  # as secrets are kept, without a warning
        return read(path)

    return written


def of_text(read: Callable[[str], object]) -> Reader:
    return lambda data: read(data.decode("utf-8", "surrogateescape"))


def subjects(folder: Path) -> dict[str, Subject]:
    keys = cy.keygen(parameters(), rotations=[1], device="cpu:1")
    x = cy.encrypt([1, 2, 3], keys.public, bound=9)
    table = {"a": [1, None, 3], "b": [0.5, 1.5, 2.5], "k": ["x", "y", "x"]}
    frame = cy.encrypt_frame(table, keys.public, bounds={"a": 9}, categories={"k": ["x", "y"]}, missing="public")
    described = Subject(*with_description(cy.to_bytes(frame)))
    quantities = {"x": Quantity(x), "y": Quantity(cy.encrypt([2, 3, 4], keys.public, bound=9))}
    chain = seal.make_parameters(4096, plain_bits=16)
    owned = cy.keygen(chain, rotations=[], device="cpu:1")
    seal.save_secret_key(folder / "seal.key", owned.secret)
    one = seal.write_array(cy.encrypt([1, 2], owned.public), compression="none")[0]
    sealed = {
        "parameters": seal.write_parameters(chain, compression="none"),
        "array": one,
        "public key": seal.write_public_key(owned.public, compression="none"),
        "relinearization key": seal.write_relin_keys(owned.evaluation, compression="none"),
        "secret key": (folder / "seal.key").read_bytes(),
        "plaintext": seal.write_plaintext([1, -2, 3], chain, compression="none"),
    }
    owner = seal.Owner(chain, allow_unfit_key=True)
    owner_reads = {
        "array": lambda data: owner.read_array(data, fresh=True),
        "public key": owner.read_public_key,
        "relinearization key": owner.read_evaluation_keys,
        "secret key": lambda data: seal.Owner(chain, allow_unfit_key=True).read_secret_key(data),
        "plaintext": lambda data: seal.read_plaintext(data, chain),
    }
    # As TenSEAL writes them (cyclotome/interop/tenseal.py has the numbers): parameters and a public key.
    context = protobuf.field(1, sealed["parameters"]) + protobuf.field(2, protobuf.field(1, sealed["public key"]))
    vector = tenseal.write_vector(cy.encrypt([1, 2], owned.public), compression="none")
    holder = tenseal.Context(owner, None, None, None)
    npy = folder / "seed.npy"
    np.save(npy, np.arange(6).reshape(2, 3))
    csv = b'a,k,d\n1,"x,y",2020-01-01\n-2.5,z,1e-3\n,"q""r",3/4\n'
    return {
        "descriptions": described,
        **joint_subjects(folder),
        **retrieval_subjects(folder),
        **service_subjects(folder, keys),
        "interfaces of models": Subject(of_text(cy.models.Interface.from_json), [_INTERFACE]),
        "real numbers": Subject(lambda data: cy.from_bytes(data, **_LAX), reals(), mended),
        "containers": Subject(lambda data: cy.from_bytes(data, **_LAX), [cy.to_bytes(x), cy.to_bytes(frame)], mended),
        "seal parameters": Subject(lambda data: seal.read_parameters(data), [sealed["parameters"]], seal_length),
        **{f"seal {name}": Subject(read, [sealed[name]], seal_length) for name, read in owner_reads.items()},
        "tenseal context": Subject(tenseal.read_context, [context]),
        "tenseal vector": Subject(lambda data: holder.read_vector(data, fresh=True), [vector]),
        "protobuf": Subject(
            _walk_message,
            [protobuf.field(1, protobuf.field(2, b"x" * 9)) + protobuf.varint(24) + protobuf.varint(7)],
        ),
        "csv": Subject(in_a_file(folder, ".csv", tables.read_table), [csv]),
        "npy": Subject(in_a_file(folder, ".npy", tables.read_table), [npy.read_bytes()]),
        "expressions": Subject(
            of_text(lambda text: expression.evaluate(text, quantities)),
            [b"sum(x * y) + 1", b"x[0] - 3/4", b"mean(x) ** 2", b"x @ y", b"-x[1:]"],
        ),
    }


def reals() -> list[bytes]:
    """Arrays of real and complex numbers, packed and replicated, and their keys."""
    p = cy.Parameters.from_scale_bits(
        degree=16, scale_bits=30, depth=1, result_bound=4, security=0, allow_insecure=True
    )
    own = cy.keygen(p, rotations=[1], device="cpu:1")
    made = [cy.encrypt(np.array(values), own.public) for values in ([0.5, -1.0], [[1j, 0.5]], 0.25)]
    return [cy.to_bytes(each) for each in (*made, own.public, own.evaluation)]


def retrieval_subjects(folder: Path) -> dict[str, Subject]:
    """What clients and servers of private look-ups give each other, and their files."""
    found: dict[str, Subject] = {}
    for name, records in {"index": [b"Ada", b"Grace", b""], "key": {"a": b"Ada", b"b": b"Grace"}}.items():
        path = folder / f"{name}.pir"
        database = cy.pir.Database.build(records, path, device="cpu:1")
        client = cy.pir.Client(database.description, device="cpu:1")
        query = client.query(1 if name == "index" else "a")
        query.save(folder / f"{name}.query")
        answer = database.answer(query.data)
        whole = path.read_bytes()
        head = len(database.description) + 16 + 32

        def opened(data: bytes, path: Path = path, whole: bytes = whole, query: bytes = query.data) -> object:
            """Another head before the same words."""
            with path.open("r+b") as file:
                file.write(data.ljust(8192, b"\0")[: len(whole)])
            changed = cy.pir.Database.open(path, device="cpu:1")
            return changed.description, changed.damaged_outputs(), changed.answer(query)

        def described(data: bytes) -> object:
            own = cy.pir.Client(data, device="cpu:1")
            return own.query("a" if own.by_key else len(own) - 1)

        found |= {
            f"retrieval {name} description": Subject(described, [database.description]),
            f"retrieval {name} query": Subject(database.answer, [query.data]),
            f"retrieval {name} answer": Subject(query.open, [answer]),
            f"retrieval {name} saved query": Subject(
                in_a_file(folder, ".query", lambda path, client=client, answer=answer: client.load(path).open(answer)),
                [(folder / f"{name}.query").read_bytes()],
            ),
            f"retrieval {name} database": Subject(opened, [whole[:head]]),
        }
    return found


def service_subjects(folder: Path, keys: cy.Keys) -> dict[str, Subject]:
    """What a service is sent, and what a client gets from one."""
    server = cy.Server(
        {"sum": lambda x, y: x + y, "total": lambda t: t["a"].sum()}, device="cpu:1", allow_insecure=True
    )
    client = cy.Client(None, keys)
    name = server.add_keys(client.key_bytes(), "Ada")
    request = client.request([1, 2], [3, 4], bound=9)
    answer = server.call("sum", request, name)
    refusal = {"error": "BusyError", "message": "later", "request_id": "7", "retry_after": 1, "jitter": 0.5}
    tokens = b"ada:" + b"0" * 64 + b"\n# nobody\nben:" + b"f" * 64 + b"\n"
    return {
        "keys of services": Subject(lambda data: server.add_keys(data, "Ben"), [client.key_bytes()], mended),
        "requests": Subject(lambda data: server.call("sum", data, name), [request], mended),
        "answers": Subject(lambda data: client.read(data, unbound=True), [answer], mended),
        "refusals": Subject(
            lambda data: remote.refusal(503, data, None, "a service"), [json.dumps(refusal).encode(), b"{}"]
        ),
        "tokens": Subject(in_a_file(folder, ".tokens", Clients), [tokens]),
    }


def joint_subjects(folder: Path) -> dict[str, Subject]:
    """What parties of a joint key are sent: identities, messages of dealing, commitments, states of numbers."""
    if _core.identities() != "ready":
        return {}
    corpus = ROOT / "test/fuzz/corpus"
    own = {number: cy.threshold.Identity.create() for number in (1, 2, 3)}
    known = {number: one.public for number, one in own.items()}
    params = joint_parameters("bfv", 16, 3)
    session = cy.threshold.Session.create(params, parties=3, threshold=2, rotations=[], audit=1)
    dealing = cy.threshold.DealingRound(session, known)
    issued = [dealing.keys(number, one) for number, one in own.items()]
    parties = [cy.threshold.Party(session, number) for number in own]
    dealings, sealed = zip(*(dealing.deal(party, own[party.number], issued) for party in parties), strict=True)
    dealt = [cy.to_bytes(each) for each in (issued[0], dealings[1], sealed[1][1])]
    dealt.append((corpus / "dealing-complaint").read_bytes())

    def received(data: bytes) -> object:
        """Whatever it is, a party takes it in place of party 2's."""
        message = cy.from_bytes(data, **_LAX)
        try:
            if isinstance(message, (cy.threshold.Complaint, cy.threshold.Dealing)):
                dealing.judge(message)
            given = message if isinstance(message, cy.threshold.Dealing) else dealings[1]
            share = message if isinstance(message, cy.threshold.SealedShare) else sealed[1][1]
            every = [dealings[0], given, dealings[2]]
            return dealing.receive(parties[0], own[1], every, [sealed[0][1], share, sealed[2][1]])
        except BlameError as blame:
            return [dealing.judge(one) for one in blame.evidence]

    def pledged(data: bytes) -> object:
        line = cy.threshold.Pledge(data.decode("utf-8", "surrogateescape"))
        return cy.threshold.verify([line, line], session, known)

    pledge = str(cy.threshold.Pledge.sign(1, "check", bytes(32), bytes(32), own[1])).encode()
    lines = [b"free", b"spent", b"held " + b"0" * 64 + b" " + b"1" * 64]
    title = b"cyclotome mac state 1\n" + b"0" * 64 + b"\n"
    identities = [(corpus / name).read_bytes() for name in ("identity", "protected_identity")]
    return {
        "identities": Subject(in_a_file(folder, ".id", lambda path: cy.load(path)), identities, mended),
        "identity texts": Subject(of_text(lambda text: cy.threshold.PublicIdentity(text)), [str(known[1]).encode()]),
        "dealing": Subject(received, dealt, mended),
        "commitments": Subject(pledged, [pledge]),
        "states of numbers": Subject(
            in_a_file(folder, ".state", lambda path: _core.mac_file_state(str(path), bytes(32))),
            [title + line + b"\n" for line in lines],
        ),
    }


def seal_length(data: bytes) -> bytes:
    """SEAL's frame with the length that it has."""
    return data[:8] + len(data).to_bytes(8, "little") + data[16:] if len(data) >= 16 else data


def _walk_message(data: bytes) -> object:
    return protobuf.Message(memoryview(data), "message")


# --- how inputs change ------------------------------------------------------------------------------------------------
def changed(data: bytes, others: list[bytes], draw: random.Random) -> bytes:
    """A few changes, of bytes, numbers, tokens or pieces."""
    result = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 5))):
        place = draw.randrange(len(result) + 1)
        end = min(len(result), place + draw.choice((0, 1, 1, 2, 4, 8, 30)))
        kind = draw.randrange(8)
        if kind == 0 and result:
            result[min(place, len(result) - 1)] ^= 1 << draw.randrange(8)
        elif kind == 1:
            size = draw.choice((1, 2, 4, 8))
            result[place : place + size] = (draw.choice(_NUMBERS) % (1 << 8 * size)).to_bytes(size, "little")
        elif kind == 2:
            result[place:end] = draw.choice(_TOKENS)
        elif kind == 3:
            del result[place:end]
        elif kind == 4:
            result[place:place] = result[place:end] * draw.choice((1, 2, 50))
        elif kind == 5:
            other = draw.choice(others)
            start = draw.randrange(len(other) + 1)
            result[place:end] = other[start : start + draw.choice((1, 4, 16, 64, 1000))]
        elif kind == 6:
            result = bytearray(_number_changed(bytes(result), draw))
        else:
            result[place:end] = draw.randbytes(end - place)
    return bytes(result[:MOST_BYTES]) if len(data) <= MOST_BYTES else bytes(result)


def _number_changed(data: bytes, draw: random.Random) -> bytes:
    """Another number in text, or another JSON value."""
    found = list(re.finditer(rb"-?\d+(\.\d+)?|\"[^\"]{0,40}\"", data))
    if not found:
        return data
    match = draw.choice(found)
    return data[: match.start()] + draw.choice((*_TOKENS, str(draw.choice(_NUMBERS)).encode())) + data[match.end() :]


# --- what inputs reach ------------------------------------------------------------------------------------------------
class Lines:
    """Lines of the package that were reached."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()
        self._root = str(Path(cy.__file__).parent)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(self._root):
            return None
        return self._line

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def failure(read: Reader, data: bytes) -> str | None:
    """What went wrong, other than by a typed error."""
    before = time.process_time()
    try:
        read(data)
    except CyclotomeError:
        pass
    except BaseException:  # that is what is looked for
        return traceback.format_exc()
    took = time.process_time() - before
    return f"it took {took:.1f} s of processor time" if took > SLOW else None


def fuzz(name: str, subject: Subject, seconds: float, draw: random.Random) -> tuple[int, int, list[str]]:
    """Runs, lines reached, and failures, each written to a file."""
    lines, runs, failures = Lines(), 0, []
    end = time.monotonic() + seconds
    queue = [subject.mend(seed) for seed in subject.kept]
    while time.monotonic() < end and len(failures) < 5:
        data = queue.pop() if queue else subject.mend(changed(draw.choice(subject.kept), subject.kept, draw))
        known = len(lines.seen)
        sys.settrace(lines)
        wrong = failure(subject.read, data)
        sys.settrace(None)
        runs += 1
        if wrong is not None:
            path = ROOT / "build/fuzz" / f"crash-{name.replace(' ', '-')}-{runs}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            failures.append(f"{path}:\n{wrong}")
        if len(lines.seen) > known and len(subject.kept) < _MOST_KEPT:
            subject.kept.append(data)
    return runs, len(lines.seen), failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    print(f"seed {given.seed}")
    draw, bad = random.Random(given.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        found = {name: each for name, each in subjects(Path(folder)).items() if not given.only or name in given.only}
        for name, subject in found.items():
            runs, lines, failures = fuzz(name, subject, given.seconds / len(found), draw)
            print(json.dumps({"reader": name, "runs": runs, "lines": lines, "failures": len(failures)}), flush=True)
            for each in failures:
                print(each, file=sys.stderr)
            bad += len(failures)
    return 1 if bad else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
