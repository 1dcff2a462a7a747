# SPDX-License-Identifier: Apache-2.0
"""``cyclotome circuit``: a client and a server that share files, and what they refuse. In small rings that hide
nothing."""

from __future__ import annotations

from pathlib import Path

import cyclotome as cy
import pytest
from cli_runner import run, succeed

SMALL = ("--security", 0, "--allow-insecure")
TRUST = "--allow-insecure"


@pytest.fixture(scope="module")
def sorting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A client's folder: keys for lists of 4 numbers of 6 bits, and two lists."""
    folder = tmp_path_factory.mktemp("sorting")
    facts = succeed(
        "circuit", "params", "sort", "--count", 4, "--bits", 6, "--signed", *SMALL, "-o", folder / "p.ct", "--json"
    ).data
    assert facts["insecure"] and facts["plain_moduli"] == [2]
    succeed("keygen", folder / "p.ct", "--out", folder / "keys", "--rotations", "none", TRUST)
    (folder / "lists.csv").write_text("0.5,-1,2.5,0\n")
    said = succeed(
        "circuit", "encrypt", folder / "lists.csv", "--no-header", "-k", folder / "keys/public.key", "--bits", 6,
        "-o", folder / "lists.ct", TRUST, "--json",
    ).data  # fmt: skip
    assert (said["kind"], said["bits"], said["shape"]) == ("lists", 6, [1, 4])
    return folder


def server_sorts(folder: Path, output: Path, *options: object) -> None:
    keys = folder / "keys/evaluation.key"
    succeed("circuit", "sort", folder / "lists.ct", "--keys", keys, "-o", output, TRUST, *options)


def test_a_server_sorts_what_a_client_decrypts(sorting: Path, tmp_path: Path) -> None:
    secret = sorting / "keys/secret.key"
    server_sorts(sorting, tmp_path / "sorted.ct")
    facts = succeed("circuit", "decrypt", tmp_path / "sorted.ct", "-k", secret, TRUST, "--json").data
    assert (facts["lists"], facts["scale"]) == ([[-10, 0, 5, 25]], "10")
    server_sorts(sorting, tmp_path / "two.ct", "--top", 2, "--device", "cpu:1,cpu:1")
    succeed("circuit", "decrypt", tmp_path / "two.ct", "-k", secret, TRUST, "-o", tmp_path / "two.csv")
    assert (tmp_path / "two.csv").read_text().splitlines()[-1] == "2.5,0.5"
    assert isinstance(cy.load(tmp_path / "two.ct", allow_insecure=True), cy.circuit.EncryptedNumbers)


def test_numbers_that_a_program_saved_are_sorted_too(sorting: Path, tmp_path: Path) -> None:
    public = cy.load(sorting / "keys/public.key", allow_insecure=True)
    cy.save(tmp_path / "own.ct", cy.circuit.encrypt_lists([3, 1, 2, 0], public, bits=6, signed=True))
    keys, secret = sorting / "keys/evaluation.key", sorting / "keys/secret.key"
    succeed("circuit", "sort", tmp_path / "own.ct", "-k", keys, "-o", tmp_path / "sorted.ct", "--descending", TRUST)
    assert succeed("circuit", "decrypt", tmp_path / "sorted.ct", "-k", secret, TRUST).text.splitlines()[-1] == "3,2,1,0"


def test_roles_refuse_what_does_not_fit(sorting: Path, tmp_path: Path) -> None:
    keys, out = sorting / "keys", tmp_path / "out.ct"
    lists, evaluation, secret = sorting / "lists.ct", keys / "evaluation.key", keys / "secret.key"
    sort = ("circuit", "sort", lists, "-k", evaluation, "-o", out)
    assert run(*sort).code == 4  # insecure, and not accepted
    assert run(*sort, TRUST, "--top", 5).code == 2
    assert run(*sort, TRUST, "--device", "abacus").code != 0
    assert run("circuit", "sort", lists, "-k", keys / "public.key", "-o", out, TRUST).code == 5
    assert run("circuit", "sort", keys / "public.key", "-k", evaluation, "-o", out, TRUST).code == 3
    assert run("circuit", "sort", tmp_path / "none.ct", "-k", evaluation, "-o", out, TRUST).code == 3
    assert run("circuit", "sort", lists, "-k", evaluation, "-o", lists, TRUST).code == 2  # it exists
    assert run("circuit", "prince", lists, lists, "-k", evaluation, "-o", out, TRUST).code == 3
    assert run("circuit", "decrypt", lists, "-k", evaluation, TRUST).code == 5
    assert not out.exists()
    # Other keys than the file's.
    succeed("keygen", sorting / "p.ct", "--out", tmp_path / "others", "--rotations", "none", TRUST)
    assert run("circuit", "sort", lists, "-k", tmp_path / "others/evaluation.key", "-o", out, TRUST).code == 5
    assert run("circuit", "decrypt", lists, "-k", tmp_path / "others/secret.key", TRUST).code == 5
    assert secret.exists() and not out.exists()


def test_what_is_encrypted_is_checked(sorting: Path, tmp_path: Path) -> None:
    public, out, words = sorting / "keys/public.key", tmp_path / "out.ct", tmp_path / "words.txt"
    encrypt = ("circuit", "encrypt", words, "-k", public, "-o", out, TRUST)
    words.write_text("0123456789abcdef\n")
    assert run(*encrypt, "--prince-key").code == 3
    assert run(*encrypt, "--prince-key", "--blocks").code == 2
    assert run(*encrypt, "--blocks", "--bits", 8).code == 2
    words.write_text("\n")
    assert run(*encrypt, "--blocks").code == 3
    words.write_text("0123456789abcdeg\n")
    refused = run(*encrypt, "--blocks")
    assert refused.code == 3 and "abcdeg" not in refused.text
    lists = ("circuit", "encrypt", sorting / "lists.csv", "--no-header", "-k", public, "-o", out, TRUST)
    assert run(*lists, "--bits", 3).code == 6  # 25 has more
    assert run("circuit", "params", "chess", *SMALL, "-o", out).code == 2
    assert run("circuit", "params", "sort", "--count", 4, *SMALL, "-o", out).code == 2
    assert run("circuit", "params", "prince", "--bits", 8, *SMALL, "-o", out).code == 2
    assert run("circuit", "params", "prince", "--security", 0, "-o", out).code == 4
    assert not out.exists()


def test_a_note_of_a_server_is_not_trusted(sorting: Path, tmp_path: Path) -> None:
    lists = cy.load(sorting / "lists.ct", allow_insecure=True)
    secret, forged = sorting / "keys/secret.key", tmp_path / "forged.ct"
    for note, code in (
        ({"kind": "blocks"}, 3),
        ({"kind": "lists", "scale": "0"}, 3),
        ({"kind": "lists", "scale": "9" * 5000}, 3),
        ({"kind": ["lists"]}, 3),
        ({"kind": "\x1b[2J"}, 3),
    ):
        cy.save(forged, lists, note=note)
        refused = run("circuit", "decrypt", forged, "-k", secret, TRUST)
        assert refused.code == code and "\x1b" not in refused.text, note


@pytest.mark.slow
def test_a_server_turns_prince_into_ciphertexts(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    succeed("circuit", "params", "prince", *SMALL, "-o", tmp_path / "p.ct")
    succeed("keygen", tmp_path / "p.ct", "--out", keys, "--rotations", "none", TRUST)
    (tmp_path / "key.txt").write_text("0000000000000000\nfedcba9876543210\n")
    (tmp_path / "blocks.txt").write_text("ae25ad3ca8fa9ccf\n")
    key, public = tmp_path / "key.ct", keys / "public.key"
    succeed("circuit", "encrypt", tmp_path / "key.txt", "--prince-key", "-k", public, "-o", key, TRUST)
    server = ("circuit", "prince", key, "--keys", keys / "evaluation.key", TRUST)
    # Public blocks under PRINCE become ciphertexts of what they encrypt, ...
    plain = succeed(
        *server, tmp_path / "blocks.txt", "--public-key", public, "--decrypt", "-o", tmp_path / "b.ct", "--json"
    )
    assert plain.data["kind"] == "blocks" and plain.data["noise_headroom_bits"] > 0
    opened = ("circuit", "decrypt", tmp_path / "b.ct", "-k", keys / "secret.key", TRUST)
    assert succeed(*opened).text == "0123456789abcdef\n"
    # ... and encrypted ones are encrypted once more.
    (tmp_path / "words.txt").write_text("0123456789abcdef\n")
    succeed("circuit", "encrypt", tmp_path / "words.txt", "--blocks", "-k", public, "-o", tmp_path / "w.ct", TRUST)
    succeed(*server, tmp_path / "w.ct", "-o", tmp_path / "c.ct")
    found = succeed("circuit", "decrypt", tmp_path / "c.ct", "-k", keys / "secret.key", TRUST, "--json").data
    assert found == {"blocks": ["ae25ad3ca8fa9ccf"]}
    assert run(*server, tmp_path / "blocks.txt", "-o", tmp_path / "d.ct").code == 3  # no encrypted file
    assert run(*server, tmp_path / "key.ct", "-o", tmp_path / "d.ct").code == 3  # no blocks
