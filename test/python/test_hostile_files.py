# SPDX-License-Identifier: Apache-2.0
"""Small files that try to cost much: each is refused in milliseconds and without memory, by loading and inspection."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cyclotome as cy
import pytest
from crafted_files import of_parameters, put_together, taken_apart, with_moduli
from small import encrypted

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peak memory is read from Linux")

SECONDS, BYTES = 0.05, 20 << 20

#: Loads or inspects each file and says what came of it, how long it took, and by how much memory grew meanwhile.
PROBE = """
import json, sys, time
import cyclotome as cy

def memory(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(name))

def attempt(call, path):
    with open("/proc/self/clear_refs", "w") as control:
        control.write("5")
    before, start = memory("VmRSS"), time.thread_time()
    try:
        call(path)
        outcome = "taken"
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    return outcome[:2000], time.thread_time() - start, memory("VmHWM") - before

calls = {"load": lambda path: cy.load(path, allow_insecure=True), "inspect": cy.inspect,
         "from_bytes": lambda path: cy.from_bytes(open(path, "rb").read(), True)}
names, paths = sys.argv[1].split(","), sys.argv[2:]
for name in names:
    attempt(calls[name], paths[0])  # whatever is imported on first use
print(json.dumps({name: {path: attempt(calls[name], path) for path in paths} for name in names}))
"""

LARGE = cy.Parameters.from_modulus_bits(degree=131072, modulus_bits=2900, plain_moduli=[786433])
WIDEST = [2**61 - 1] * 128


def _header_and_block() -> tuple[bytes, bytes]:
    return of_parameters(LARGE)


def without_payload(kind: str, *sections: tuple[str, bytes]) -> bytes:
    header, block = _header_and_block()
    key = [] if kind in ("parameters", "plaintext") else [("KYID", bytes(16))]
    return put_together(header, [("PARM", block), *key, *sections], kind=kind)


def described(data: bytes) -> bytes:
    """A sound array with this description, so that it is read."""
    header, sections = taken_apart(cy.to_bytes(encrypted([1, 2, 3], 9)))
    return put_together(header, [(tag, data if tag == "META" else content) for tag, content in sections])


def with_block(block: Callable[[bytes], bytes]) -> bytes:
    header, own = _header_and_block()
    return put_together(header, [("PARM", block(own))], kind="parameters")


def product_context(degree: int, words: int, count: int) -> bytes:
    """Numbers that are no primes, as large and many as the format allows."""
    odd = (1 << (64 * words)) - 2 * degree + 1
    number = odd.to_bytes(8 * words, "little")
    wide = min(words * count, 256)
    entry = struct.pack("<H", words) + number * 4 + bytes(8 * wide)
    section = struct.pack("<IHH", degree, count, wide) + entry * count + bytes(8 * wide)
    return put_together(_header_and_block()[0], [("PCTX", section)], kind="product")


HOSTILE: dict[str, Callable[[], bytes]] = {
    **{
        f"{kind} of nothing": lambda kind=kind: without_payload(kind)
        for kind in ("secret", "public", "plaintext", "bundle")
    },
    "secret key, a byte short": lambda: without_payload("secret", ("SKEY", bytes(131072 // 4 - 1))),
    "public key of a seed": lambda: without_payload("public", ("PKEY", bytes(32))),
    "rotation keys of seeds": lambda: without_payload(
        "evaluation", *[("GALO", struct.pack("<Q", 2 * i + 3) + bytes(32)) for i in range(2000)]
    ),
    "ciphertexts without residues": lambda: without_payload("bundle", ("CIPH", bytes(40))),
    "2^60 ciphertexts": lambda: without_payload(
        "bundle", ("CIPH", struct.pack("<IHHIIQQd", 0, 2, 50, 1, 0, 1 << 60, 1, 5.0) + bytes(32))
    ),
    "thousands of sections": lambda: without_payload("bundle", *[("CIPH", b"")] * 20000),
    "sections of nothing": lambda: without_payload("parameters", *[("ABCD", b"")] * 20000),
    "a plaintext of nothing": lambda: without_payload("plaintext", ("PLTX", struct.pack("<IIQ", 0, 0, 1 << 61))),
    "65535 moduli": lambda: with_block(lambda b: with_moduli(b, [786433], [2**61 - 1] * 65535, [])),
    "65535 special moduli": lambda: with_block(lambda b: with_moduli(b, [786433], [2**61 - 1], [2**61 - 1] * 65535)),
    "65535 plaintext moduli": lambda: with_block(lambda b: with_moduli(b, [65537] * 65535, [2**61 - 1], [])),
    "the widest moduli": lambda: with_block(lambda b: with_moduli(b, [786433], WIDEST, [])),
    "a degree of 2^31": lambda: with_block(lambda b: b[:16] + struct.pack("<I", 1 << 31) + b[20:]),
    "description of 400,000 keys": lambda: described(
        b"{" + b",".join(b'"%d":0' % i for i in range(90000)) + b',"shape":[1]}'
    ),
    "nested description": lambda: described(b"[" * 100000),
    "nested note": lambda: described(b'{"note":' + b'{"a":' * 50000 + b"1" + b"}" * 50001),
    "description of many lists": lambda: described(b"[" + b"[]," * 30000 + b"[]]"),
    "number of many digits": lambda: described(b'{"shape":[' + b"9" * 4000 + b'],"bound":"1"}'),
    "long number": lambda: described(b'{"shape":[' + b"9" * 100000 + b"]}"),
    "shape of many axes": lambda: described(json.dumps({"shape": [1] * 100000}).encode()),
    "shape beyond all": lambda: described(
        json.dumps({"shape": [2**40] * 32, "packed": True, "slots": True, "clean": True}).encode()
    ),
    "bound of many digits": lambda: described(
        json.dumps({"shape": [3], "packed": True, "slots": True, "clean": True, "bound": "9" * 100000}).encode()
    ),
    "a length of 2^62": lambda: put_together(
        _header_and_block()[0], [("PARM", _header_and_block()[1])], length=1 << 62
    ),
    "another program's file": lambda: b"PK\x03\x04" + bytes(100000),
    "polynomials, wide": lambda: product_context(131072, 16, 16),
    "polynomials, many": lambda: product_context(2, 1, 256),
    "polynomials, too many": lambda: product_context(131072, 16, 65),
}


def probe(paths: list[Path], calls: str) -> dict[str, dict[str, tuple[str, float, int]]]:
    """By call and path: what came of it, seconds and bytes."""
    result = subprocess.run(
        [sys.executable, "-c", PROBE, calls, *map(str, paths)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    found: dict[str, dict[str, tuple[str, float, int]]] = json.loads(result.stdout)
    return found


def test_are_refused_at_no_cost(tmp_path: Path) -> None:
    paths = []
    for number, make in enumerate(HOSTILE.values()):
        paths.append(tmp_path / str(number))
        paths[-1].write_bytes(make())
    names = dict(zip(map(str, paths), HOSTILE, strict=True))
    wrong = []
    for call, outcomes in probe(paths, "load,inspect,from_bytes").items():
        for path, (outcome, seconds, grown) in outcomes.items():
            # Of a long file, its own bytes and what is parsed of them may be in memory.
            allowed = BYTES + 8 * Path(path).stat().st_size
            if not outcome.startswith(("FormatError", "SecurityError")) or seconds > SECONDS or grown > allowed:
                wrong.append(f"{call} of {names[path]}: {seconds:.3f} s, {grown >> 20} MiB, {outcome}")
            if len(outcome) > 1000:
                wrong.append(f"{call} of {names[path]}: a message of {len(outcome)} characters")
    assert not wrong, "\n".join(wrong)


def test_files_full_of_holes_are_not_read(tmp_path: Path) -> None:
    """Four gigabytes that take no room on the disk: not of this library, or of a length beyond the limit."""
    header, block = _header_and_block()
    announced = put_together(header, [("PARM", block)], length=1 << 40)
    for name, start in {"zeros": b"", "announced": announced}.items():
        path = tmp_path / name
        path.write_bytes(start)
        os.truncate(path, (4 << 30) - 1)
        for outcome, seconds, grown in (found[str(path)] for found in probe([path], "load,inspect").values()):
            assert outcome.startswith("FormatError") and seconds < SECONDS and grown < BYTES, (name, outcome, seconds)


def test_an_endless_stream_is_refused_by_its_first_bytes() -> None:
    with pytest.raises(cy.errors.FormatError, match="no file of this library"):
        cy.load("/dev/zero")
