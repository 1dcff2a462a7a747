# SPDX-License-Identifier: Apache-2.0
"""Small files that try to cost much: each is refused in milliseconds and without memory, by loading and inspection."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
from crafted_files import (
    as_version_1,
    description,
    of_parameters,
    put_together,
    taken_apart,
    with_metadata,
    with_moduli,
    with_section,
)
from small import encrypted

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peak memory is read from Linux")

#: Slow processors take half of it for a note of a megabyte; what is to be refused could take minutes.
SECONDS, BYTES = 0.1, 20 << 20

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

def attempted(call, path):
    # Other tests share the core's caches and its second thread: of a call that seems slow, the fastest of three counts.
    outcome, seconds, grown = attempt(call, path)
    if seconds > SLOW:
        seconds = min(seconds, *(attempt(call, path)[1] for _ in range(2)))
    return outcome, seconds, grown

calls = {"load": lambda path: cy.load(path, allow_insecure=True), "inspect": cy.inspect,
         "from_bytes": lambda path: cy.from_bytes(open(path, "rb").read(), True)}
names, paths = sys.argv[1].split(","), sys.argv[2:]
for name in names:
    attempt(calls[name], paths[0])  # whatever is imported on first use
print(json.dumps({name: {path: attempted(calls[name], path) for path in paths} for name in names}))
"""

LARGE = cy.Parameters.from_modulus_bits(degree=131072, modulus_bits=2900, plain_moduli=[786433])
WIDEST = [2**61 - 1] * 128


def _header_and_block() -> tuple[bytes, bytes]:
    return of_parameters(LARGE)


def without_payload(kind: str, *sections: tuple[str, bytes]) -> bytes:
    header, block = _header_and_block()
    key = [] if kind in ("parameters", "plaintext") else [("KYID", bytes(16))]
    return put_together(header, [("PARM", block), *key, *sections], kind=kind)


def in_array(*sections: tuple[str, bytes]) -> bytes:
    """Ciphertexts behind a description that is sound."""
    return without_payload("bundle", ("ARRY", description(0, 1, 0, [])), *sections)


def ciphertexts(*noise: float) -> tuple[str, bytes]:
    """2^60 of them, announced in full level and with a seed, but not there."""
    limbs = len(LARGE.moduli)
    return "CIPH", struct.pack(f"<IHHIIQQ{len(noise)}d", 0, 2, limbs, 1, 0, 1 << 60, 1, *noise) + bytes(32)


def in_version_1(*sections: tuple[str, bytes]) -> bytes:
    """The same sections in format version 1, which has no description before them."""
    data = without_payload("bundle", *sections)
    return put_together(data[:8] + struct.pack("<H", 1) + data[10:56], taken_apart(data)[1])


def sound_array() -> bytes:
    return cy.to_bytes(encrypted([1, 2, 3], 9))


def described(data: bytes) -> bytes:
    """A sound array of format version 1 with this description, so that it is read."""
    return as_version_1(sound_array(), data)


def noted(data: bytes) -> bytes:
    """A sound array with these metadata."""
    return with_metadata(sound_array(), data)


def repeated(before: bytes, item: bytes, after: bytes) -> bytes:
    """Metadata of a mebibyte, the most that there can be."""
    return before + b",".join([item] * (((1 << 20) - len(before) - len(after)) // (len(item) + 1))) + after


def sectioned(*facts: Any, **bounds: bytes) -> bytes:
    """A sound array that says this of itself in its section ARRY."""
    return with_section(sound_array(), "ARRY", description(*facts, **bounds))


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
    "ciphertexts without residues": lambda: in_array(("CIPH", bytes(40))),
    "ciphertexts of version 1 without residues": lambda: in_version_1(("CIPH", bytes(40))),
    "2^60 ciphertexts": lambda: in_array(ciphertexts(5.0, 5.0, 5.0)),
    "2^60 ciphertexts of version 1": lambda: in_version_1(ciphertexts(5.0)),
    "2^60 ciphertexts that say nothing": lambda: without_payload("ciphertext", ciphertexts(5.0, 5.0, 5.0)),
    "thousands of sections": lambda: in_array(*[("CIPH", b"")] * 20000),
    "thousands of descriptions": lambda: in_array(*[("ARRY", b"")] * 20000),
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
    "note of no object, nested": lambda: noted(b'{"note":' + b"[" * 50000 + b"]" * 50000 + b"}"),
    "metadata of many lists": lambda: noted(b"[" + b"[]," * 30000 + b"[]]"),
    "metadata of many objects": lambda: noted(repeated(b"[", b"{}", b"]")),
    "metadata, nested": lambda: noted(b'{"note":' + b'{"a":' * 50000 + b"1" + b"}" * 50001),
    "metadata without end": lambda: noted(b'{"a":' * 200000),
    "width of many digits": lambda: noted(b'{"value_bits":' + b"9" * 4000 + b"}"),
    "width of more digits": lambda: noted(b'{"value_bits":' + b"9" * 100000 + b"}"),
    "width of many numbers": lambda: noted(repeated(b'{"value_bits":[', b"9" * 4299, b"]}")),
    "width of many objects": lambda: noted(repeated(b'{"value_bits":[', b"{}", b"]}")),
    "width of many signs": lambda: noted(repeated(b'{"value_bits":"', b"\\u0001", b'"}')),
    "section of a shape beyond all": lambda: sectioned(1, 1, 0, [2**60]),
    "section of 2^60 rows": lambda: sectioned(1, 1, 0, [2**60, 16]),
    "section of 32 long axes": lambda: sectioned(1, 1, 0, [2**40] * 32),
    "section of longer axes": lambda: sectioned(0, 1, 0, [2**64 - 1] * 32),
    "section of axes whose product overflows": lambda: sectioned(0, 1, 0, [2**32, 2**32, 1]),
    "section of 255 axes": lambda: sectioned(1, 1, 0, [1] * 255),
    "section of a bound of 60,000 bytes": lambda: sectioned(1, 1, 1, [3], largest=b"\xff" * 60000, row=b"\xff" * 8),
    "section of a row of 60,000 bytes": lambda: sectioned(1, 1, 1, [3], largest=b"\1" + bytes(7), row=b"\xff" * 60000),
    "section of bounds as long as can be": lambda: sectioned(
        1, 1, 1, [3], largest=b"\xff" * (8 * 65535), row=b"\xff" * (8 * 65535)
    ),
    "section of bounds that are not there": lambda: with_section(
        sound_array(), "ARRY", struct.pack("<4B2HQ", 1, 1, 1, 1, 65535, 65535, 3)
    ),
    "section of axes that are not there": lambda: with_section(
        sound_array(), "ARRY", struct.pack("<4B2H", 1, 1, 0, 32, 0, 0)
    ),
    "section of a mebibyte": lambda: with_section(sound_array(), "ARRY", bytes(1 << 20)),
    "a length of 2^62": lambda: put_together(
        _header_and_block()[0], [("PARM", _header_and_block()[1])], length=1 << 62
    ),
    "another program's file": lambda: b"PK\x03\x04" + bytes(100000),
    "polynomials, wide": lambda: product_context(131072, 16, 16),
    "polynomials, many": lambda: product_context(2, 1, 256),
    "polynomials, too many": lambda: product_context(131072, 16, 65),
}

#: What some refusals say, so that it is the hostile part which is refused, not something beside it.
REASONS = {
    "ciphertexts without residues": "0 parts",
    "ciphertexts of version 1 without residues": "0 parts",
    "2^60 ciphertexts": "announces 1152921504606846976 items",
    "2^60 ciphertexts of version 1": "announces 1152921504606846976 items",
    "2^60 ciphertexts that say nothing": "announces 1152921504606846976 items",
    "thousands of sections": "a ciphertext section",
    "thousands of descriptions": "section ARRY at offset",
    **dict.fromkeys(["number of many digits", "shape of many axes"], "the metadata's shape is"),
    **dict.fromkeys(["nested description", "nested note", "long number"], "no JSON"),
    **dict.fromkeys(["metadata, nested", "metadata without end", "width of more digits"], "no JSON"),
    "shape beyond all": "the metadata describe shape",
    "bound of many digits": "the metadata's bound",
    **{name: "value_bits" for name in HOSTILE if name.startswith("width") and name != "width of more digits"},
    **{name: "description" for name in HOSTILE if name.startswith("section of") and "bound" not in name},
    **{name: "a bound of" for name in HOSTILE if name.startswith("section of") and ("bound" in name or "row" in name)},
}
REASONS |= {"section of 2^60 rows": "can't have", "section of a shape beyond all": "(1152921504606846976,)"}

#: What a note may hold, up to its mebibyte; and metadata that no reader knows.
HARMLESS: dict[str, Callable[[], bytes]] = {
    "a long text": lambda: noted(b'{"note":{"a":"' + b"x" * 1_000_000 + b'"}}'),
    "many signs": lambda: noted(b'{"note":{"a":"' + b"\\u0001" * 170_000 + b'"}}'),
    "many numbers": lambda: noted(repeated(b'{"note":{"a":[', b"0", b"]}}")),
    "long numbers": lambda: noted(repeated(b'{"note":{"a":[', b"9" * 4299, b"]}}")),
    "many fractions": lambda: noted(repeated(b'{"note":{"a":[', b"1e-300", b"]}}")),
    "a long fraction": lambda: noted(b'{"note":{"a":0.' + b"9" * 1_000_000 + b"}}"),
    "many objects": lambda: noted(repeated(b'{"note":{"a":[', b"{}", b"]}}")),
    "many lists": lambda: noted(b'{"note":{"a":[' + b"[[]]," * 60_000 + b"0]}}"),
    "many keys": lambda: noted(b'{"note":{' + b",".join(b'"%d":0' % i for i in range(90_000)) + b"}}"),
    "unknown keys": lambda: noted(b"{" + b",".join(b'"%d":0' % i for i in range(90_000)) + b"}"),
    "another array's description": lambda: noted(json.dumps({"shape": [2**40] * 32, "bound": "9" * 100_000}).encode()),
    "a deep note": lambda: noted(b'{"note":' + b'{"a":' * 900 + b"1" + b"}" * 901),
}


def probe(paths: list[Path], calls: str) -> dict[str, dict[str, tuple[str, float, int]]]:
    """By call and path: what came of it, seconds and bytes."""
    result = subprocess.run(
        [sys.executable, "-c", f"SLOW = {SECONDS}\n{PROBE}", calls, *map(str, paths)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    found: dict[str, dict[str, tuple[str, float, int]]] = json.loads(result.stdout)
    return found


def parsing(data: bytes) -> float:
    """Seconds that Python's own parser takes of a note: on some processors more than all else that is allowed."""
    start, end = data.find(b'{"note"'), data.rfind(b"}}") + 2
    if start < 0:
        return 0
    before = time.thread_time()
    with suppress(ValueError, RecursionError):  # of a note that is none, or was packed
        json.loads(data[start:end])
    return time.thread_time() - before


def outcomes_of(files: dict[str, Callable[[], bytes]], folder: Path) -> list[tuple[str, str, str]]:
    """Name, call and outcome of all; AssertionError for those that cost too much."""
    paths = {str(folder / str(number)): name for number, name in enumerate(files)}
    for path, name in paths.items():
        Path(path).write_bytes(files[name]())
    found, wrong = [], []
    for call, outcomes in probe([Path(path) for path in paths], "load,inspect,from_bytes").items():
        for path, (outcome, seconds, grown) in outcomes.items():
            found.append((paths[path], call, outcome))
            # Of a long file, its own bytes and what is parsed of them may be in memory.
            allowed = BYTES + 8 * Path(path).stat().st_size
            if seconds > SECONDS + parsing(Path(path).read_bytes()) or grown > allowed:
                wrong.append(f"{call} of {paths[path]}: {seconds:.3f} s, {grown >> 20} MiB, {outcome}")
    assert not wrong, "\n".join(wrong)
    return found


def test_are_refused_at_no_cost(tmp_path: Path) -> None:
    wrong = []
    for name, call, outcome in outcomes_of(HOSTILE, tmp_path):
        if not outcome.startswith(("FormatError", "SecurityError")) or REASONS.get(name, "") not in outcome:
            wrong.append(f"{call} of {name}: {outcome}")
        if len(outcome) > 1000:
            wrong.append(f"{call} of {name}: a message of {len(outcome)} characters")
    assert REASONS.keys() <= HOSTILE.keys()
    assert not wrong, "\n".join(wrong)


def test_large_notes_are_taken_at_no_cost(tmp_path: Path) -> None:
    assert {outcome for _, _, outcome in outcomes_of(HARMLESS, tmp_path)} == {"taken"}


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
