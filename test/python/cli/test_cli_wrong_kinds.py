# SPDX-License-Identifier: Apache-2.0
"""Every command with every kind of file in place of the one that it takes: 5 where that is a key, else 3."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest

pytest.importorskip("typer")

from cli_runner import run
from small import insecure

INSECURE = "--allow-insecure"
KEYS, OTHERS = 5, 3

#: Words of a command, where FILE is the one that is tried; the kinds that it takes there; the code for all others.
#: ``{array}`` and the like are files of that kind, ``{new}`` is a file that is not there.
COMMANDS: list[tuple[str, set[str], int]] = [
    ("keygen FILE --out {new}", {"parameters"}, OTHERS),
    ("encrypt {csv} --key FILE -o {new}", {"public", "secret"}, KEYS),
    ("encrypt {csv} --scale a=1 --key FILE -o {new}", {"public", "secret"}, KEYS),
    ("decrypt {array} --key FILE", {"secret"}, KEYS),
    ("decrypt FILE --key {secret}", {"array", "frame"}, OTHERS),
    ("eval x -i x={array} --keys FILE -o {new}", {"evaluation"}, KEYS),
    ("eval x -i x={array} --keys {evaluation} --public FILE -o {new}", {"public"}, KEYS),
    ("eval x+1 -i x=FILE --keys {evaluation} -o {new}", {"array", "frame"}, OTHERS),
    ("circuit encrypt {csv} --bits 2 --key FILE -o {new}", {"public", "secret"}, KEYS),
    ("circuit sort FILE --keys {evaluation} -o {new}", {"numbers"}, OTHERS),
    ("circuit sort {numbers} --keys FILE -o {new}", {"evaluation"}, KEYS),
    ("circuit prince FILE {numbers} --keys {evaluation} -o {new}", {"numbers"}, OTHERS),
    ("circuit prince {numbers} FILE --keys {evaluation} -o {new}", {"numbers"}, OTHERS),
    ("circuit prince {numbers} {numbers} --keys FILE -o {new}", {"evaluation"}, KEYS),
    ("circuit decrypt FILE --key {secret}", {"numbers"}, OTHERS),
    ("circuit decrypt {numbers} --key FILE", {"secret"}, KEYS),
    ("threshold new FILE --parties 2 -o {new}", {"parameters"}, OTHERS),
    ("threshold commit FILE --party 1 --out {new}", {"session"}, OTHERS),
    ("threshold toss FILE --party 1 --out {new}", {"session"}, OTHERS),
    ("threshold commit {session} FILE --party 1 --out {new}", {"coin"}, KEYS),
    ("threshold coin {session} FILE --party 1 --out {folder}", {"commitment"}, KEYS),
    ("threshold share FILE {coin} --party 1 --out {folder}", {"session"}, OTHERS),
    ("threshold share {session} FILE --party 1 --out {folder}", {"coin"}, KEYS),
    ("threshold transcript {session} FILE", {"key-share"}, KEYS),
    ("threshold answer {session} FILE --party 1 --secret {own} -o {new}", {"key-share"}, KEYS),
    ("threshold answer {session} {key-share} --party 1 --secret FILE -o {new}", {"own"}, OTHERS),
    ("threshold receive {session} FILE --party 1 --secret {own} -o {new}", {"secret-share"}, KEYS),
    ("threshold accept {session} FILE --party 1 --secret {own} -o {new}", {"key-share"}, KEYS),
    ("threshold accept {session} {key-share} --party 1 --secret FILE -o {new}", {"own"}, OTHERS),
    ("threshold combine {session} FILE --out {new}", {"key-share", "acceptance"}, KEYS),
    ("threshold decrypt-share {session} FILE --party 1 --with 1,2 --secret {own} -o {new}", {"array"}, OTHERS),
    ("threshold decrypt-share {session} {array} --party 1 --with 1,2 --secret FILE -o {new}", {"own"}, OTHERS),
    ("threshold decrypt {session} {array} FILE", {"decryption-share"}, OTHERS),
    ("threshold decrypt {session} FILE {decryption-share}", {"array"}, OTHERS),
    ("threshold decrypt FILE {array} {decryption-share}", {"session"}, OTHERS),
    ("seal export FILE -o {new}", {"parameters", "secret", "public", "evaluation", "array"}, OTHERS),
    ("seal import {csv} --key FILE -o {new}", {"public", "secret"}, KEYS),
    ("serve math:constants --parameters FILE", {"parameters"}, OTHERS),
    ("call http://127.0.0.1:1 f {array} --keys FILE -o {new}", {"evaluation"}, KEYS),
    ("call http://127.0.0.1:1 f {array} --keys {evaluation} --public FILE -o {new}", {"public"}, KEYS),
    ("call http://127.0.0.1:1 f FILE --keys {evaluation} -o {new}", {"array", "frame"}, OTHERS),
]


def joint(parameters: cy.Parameters, own: Path) -> dict[str, Any]:
    """What parties of a joint key send each other; what the first one keeps is in its ``own`` file."""
    session = cy.threshold.Session.create(parameters, parties=3, threshold=2, rotations=[])
    parties = [cy.threshold.Party(session, number, file=own if number == 1 else None) for number in session.parties]
    tosses = [party.toss() for party in parties]
    commitments = [party.commit(tosses) for party in parties]
    coins = [party.show_coin(commitments) for party in parties]
    first = [party.first_share(coins) for party in parties]
    second = [party.second_share(first) for party in parties]
    keys = cy.threshold.combine(session, first, second)
    word = parties[0].accept(first, second)
    dealt = parties[0].deal()[2]
    parties[0].receive([party.deal()[1] for party in parties])
    share = parties[0].decryption_share(cy.encrypt([1, 2], keys.public), active=[1, 2])
    return {
        "session": session,
        "acceptance": word,
        "coin": coins[0],
        "commitment": commitments[0],
        "key-share": first[0],
        "secret-share": dealt,
        "decryption-share": share,
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of every kind, all of the same parameters and, but for joint keys, of the same secret."""
    folder = tmp_path_factory.mktemp("kinds")
    parameters = insecure([786433], 64, [50] * 3, value_bits=8, parties=3)
    keys, others = cy.keygen(parameters), cy.keygen(parameters)
    objects: dict[str, Any] = {
        "parameters": parameters,
        "secret": keys.secret,
        "public": keys.public,
        "evaluation": keys.evaluation,
        "rekeying": cy.rekeying.rekeying_key(keys.secret, others.secret),
        "array": cy.encrypt([[1, 2], [3, 4]], keys.public),
        "frame": cy.encrypt_frame({"a": [1, 2, 3]}, keys.public),
        "plain": cy.plain([1, 2, 3], parameters),
        "numbers": cy.circuit.encrypt_lists([[1, 2]], keys.public, bits=2),
        **joint(parameters, folder / "own.file"),
    }
    files = {"own": folder / "own.file", "folder": folder / "party"}
    files["folder"].mkdir()
    shutil.copy(files["own"], files["folder"] / "secret.key")
    for name, obj in objects.items():
        files[name] = folder / f"{name}.file"
        cy.save(files[name], obj)
    files["csv"] = folder / "data.csv"
    files["csv"].write_text("a,b\n1,2\n3,1\n")
    return files


def words_for(command: str, files: dict[str, Path], tried: Path, new: Path) -> list[str]:
    return [word.format(new=new, **files).replace("FILE", str(tried)) for word in command.split()]


@pytest.mark.parametrize(("command", "takes", "code"), COMMANDS, ids=[entry[0] for entry in COMMANDS])
def test_other_kinds_are_refused_by_one_code(
    place: dict[str, Path], tmp_path: Path, command: str, takes: set[str], code: int
) -> None:
    assert takes <= place.keys()
    for kind, file in place.items():
        if kind in takes or kind in ("csv", "own", "folder"):
            continue
        result = run(*words_for(command, place, file, tmp_path / "new"), INSECURE)
        assert (result.code, "Traceback" in result.text) == (code, False), (kind, result.text)
        said = " ".join(result.text.split())
        assert str(file) in said and "holds" in said, (kind, said)
        assert not (tmp_path / "new").exists(), kind


@pytest.mark.parametrize(("command", "takes", "code"), COMMANDS, ids=[entry[0] for entry in COMMANDS])
def test_what_is_no_file_of_this_library_is_a_bad_file(
    place: dict[str, Path], tmp_path: Path, command: str, takes: set[str], code: int
) -> None:
    if command.startswith("eval x+1"):
        pytest.skip("a table in plain text is an operand")
    for file in (place["csv"], tmp_path / "absent"):
        result = run(*words_for(command, place, file, tmp_path / "new"), INSECURE)
        assert (result.code, "Traceback" in result.text) == (3, False), result.text
