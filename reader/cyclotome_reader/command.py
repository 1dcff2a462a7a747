# SPDX-License-Identifier: Apache-2.0
"""The program ``cyclotome-reader``: exit status 0 if all is as it says, 1 if a file contradicts itself or what its
secret shows, 2 if the command is wrong, 3 if a file can't be read."""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from cyclotome_reader import answers, arrays, decryption, files, keys, reals
from cyclotome_reader.files import File, ReadError, require


def _read(path: Path) -> list[File]:
    return list(files.containers(path.read_bytes()))


def _one(path: Path) -> File:
    found = _read(path)
    require(len(found) == 1, f"{path} holds {len(found)} containers, and one is wanted")
    return found[0]


def _secret(given: argparse.Namespace) -> tuple[File, list[int]]:
    file, phrase = _one(given.secret), None
    if given.passphrase_file:
        typed = given.passphrase_file.read_text(encoding="utf-8").rstrip("\r\n")
        phrase = unicodedata.normalize("NFC", typed).encode()
    return file, files.secret_key(file, phrase)


def show(given: argparse.Namespace) -> int:
    """What files say of themselves."""
    for path in given.files:
        for file in _read(path):
            p = file.parameters
            ring = f"Φ_{p.index}" if p.index else f"x^{p.degree} + 1"
            bits = sum(q.bit_length() for q in p.key_moduli)
            about = f"{p.scheme.upper()} over {ring}, {p.label}, {bits} bits, key {file.key_id.hex()[:8]}"
            print(f"{path}: {file.kind}, {about}")
    return 0


def _told(array: answers.Array, file: File, *, flooded: bool, values: bool) -> int:
    about, channels, opened = array
    p = file.parameters
    found = arrays.values(about, [[item.message for item in items] for items in opened], p)
    faults = arrays.broken_bounds(about, found)
    for number, (c, items) in enumerate(zip(channels, opened, strict=True)):
        faults += decryption.contradictions(c, items, p, flooded=flooded)
        if not values:
            worst = [max(item.noise[k] for item in items) for k in range(3)]
            for name, stated, measured in zip(decryption.NORMS, c.noise, worst, strict=True):
                print(f"modulus {p.plain_moduli[number]}: {name} 2^{measured:.3f}, stated 2^{stated:.3f}")
    if values and not faults:
        print(json.dumps({"shape": list(about.shape), "values": found}))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _reals(file: File, secret: Sequence[int], given: argparse.Namespace) -> int:
    found = reals.opened(file, secret)
    faults = found.faults.copy()
    if given.expected is not None:
        faults += reals.distances(found, _numbers(given.expected))
    if given.noise:
        print(f"each number is off by at most {found.error:.3g}, and {found.about.bound:.6g} in magnitude")
    elif not faults:
        shown = [[x.real, x.imag] if found.about.is_complex else x.real for x in found.numbers]
        print(json.dumps({"shape": list(found.about.shape), "values": shown, "error": found.error}))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _numbers(path: Path) -> list[complex]:
    """Of a JSON list of numbers, or of pairs of real and imaginary part."""
    try:
        every = json.loads(path.read_text(encoding="utf-8"))
        return [complex(*each) if isinstance(each, list) else complex(float(each)) for each in every]
    except (ValueError, TypeError, RecursionError) as error:
        raise ReadError(f"{path} has no list of numbers: {error}") from None


def decrypt(given: argparse.Namespace) -> int:
    """The values of an encrypted array, or its noise beside its bounds."""
    key, secret = _secret(given)
    status = 0
    for file in _read(given.file):
        if file.kind == "parameters":  # a table's description
            continue
        require(file.kind == "encrypted array", f"a {file.kind} is not decrypted")
        require(file.parameters.fingerprint() == key.parameters.fingerprint(), "the key has other parameters")
        require(file.key_id == key.key_id, "the array belongs to another key")
        if file.parameters.scheme == "ckks":
            status |= _reals(file, secret, given)
            continue
        require(given.expected is None, "--expected is for real numbers; integers are compared as they are")
        array = answers.read_array(file, secret)
        status |= _told(array, file, flooded=given.flooded, values=not given.noise)
    return status


def joint(given: argparse.Namespace) -> int:
    """The values of an array under a joint key."""
    file, shares = _one(given.file), [_one(path) for path in given.shares]
    require(
        all(share.kind == "decryption share" and share.key_id == file.key_id for share in shares),
        "a share is of another key",
    )
    return _told(answers.read_jointly(file, shares), file, flooded=True, values=True)


def check_keys(given: argparse.Namespace) -> int:
    """Do keys hide what they should under this secret."""
    key, secret = _secret(given)
    p = key.parameters
    print(f"secret key: {'passes' if keys.secret_is_fit(secret, p) else 'FAILS'} the check of doc/noise.md")
    for path in given.keys:
        file = _one(path)
        require(
            file.parameters.fingerprint() == p.fingerprint() and file.key_id == key.key_id, f"{path} is of another key"
        )
        by_kind = {"public key": keys.public_key, "evaluation keys": keys.evaluation_keys}
        require(file.kind in by_kind, f"a {file.kind} is no key that is checked here")
        for name, largest in by_kind[file.kind](file, secret).items():
            print(f"{name}: the largest error is {largest}")
    return 0 if keys.secret_is_fit(secret, p) else 1


def known_answers(given: argparse.Namespace) -> int:
    """Computes every known answer once more."""
    status = count = 0
    for record in answers.published(given.folder):
        found = answers.faults(record)
        print(f"{record['name']}: {'right' if not found else found[0]}")
        status, count = status | bool(found), count + 1
    require(count > 0, "the folder has no known answers")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(
        prog="cyclotome-reader", description="Reads files of cyclotome by other code than its own."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    told = commands.add_parser("show", help="kind, ring and key of files")
    told.add_argument("files", nargs="+", type=Path)
    told.set_defaults(run=show)
    opened = commands.add_parser("decrypt", help="values of an encrypted array, or of a table's arrays, as JSON")
    opened.add_argument("file", type=Path)
    opened.add_argument("--noise", action="store_true", help="the exact noise beside the stated bounds, and no values")
    opened.add_argument("--flooded", action="store_true", help="noise above the stated bound is no fault")
    opened.add_argument("--expected", type=Path, help="of real numbers: a JSON list of what they should be, flat")
    opened.set_defaults(run=decrypt)
    checked = commands.add_parser("check-keys", help="the errors of public and evaluation keys")
    checked.add_argument("keys", nargs="*", type=Path)
    checked.set_defaults(run=check_keys)
    for each in (opened, checked):
        each.add_argument("--secret", required=True, type=Path, help="the secret key's file")
        each.add_argument("--passphrase-file", type=Path, help="a file whose first line is its passphrase")
    together = commands.add_parser("joint", help="values of an array under a joint key")
    together.add_argument("file", type=Path)
    together.add_argument("shares", nargs="+", type=Path, help="decryption shares of all who decrypt")
    together.set_defaults(run=joint)
    known = commands.add_parser("answers", help="compute the known answers once more")
    known.add_argument("folder", nargs="?", type=Path, help="of JSON files; without it those of this package")
    known.set_defaults(run=known_answers)
    given = parser.parse_args(arguments)
    try:
        return int(given.run(given))
    except (ReadError, OSError, UnicodeDecodeError) as error:
        print(f"cyclotome-reader: {error}", file=sys.stderr)
        return 3
