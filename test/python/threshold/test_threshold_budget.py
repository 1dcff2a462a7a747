# SPDX-License-Identifier: Apache-2.0
"""How many ciphertexts a party of a joint key helps to decrypt: the session says, its file counts before a share
leaves, and nothing but a new session makes it more."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import with_changed
from cyclotome import _core
from cyclotome.errors import ArgumentError, BudgetError, FileError, FormatError, NoiseError
from joint_keys import Joint, first_round, parameters
from joint_processes import give, give_without_room
from oracles import wire_format


def joint(folder: Path | None = None, threshold: int | None = None, **options: Any) -> Joint:
    return Joint(parameters("bfv", 16, 3), threshold, folder=folder, rotations=[], relinearization=False, **options)


def counted(path: Path) -> int:
    """What a party's file says, by doc/wire-format.md."""
    [(tag, data)] = wire_format.read(path.read_bytes()).sections
    assert tag == "PRTY"
    at = 44 + 64 + 32 * struct.unpack_from("<I", data, 40)[0]
    tosses, candidates = struct.unpack_from("<2I", data, at)
    return int(struct.unpack_from("<Q", data, at + 40 + 32 * (tosses + candidates))[0])


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_a_party_counts_ciphertexts_and_refuses_beyond_the_sessions_plan(scheme: str, tmp_path: Path) -> None:
    params = parameters(scheme, 16, 3, plain_moduli=(97, 193))
    group = Joint(params, folder=tmp_path, rotations=[], relinearization=False, decryptions=10)
    ada, path = group.parties[1], tmp_path / "1.party"
    assert ada.decryptions == (10, 0, str(path))
    x = group.encrypt(np.arange(40), bound=100)
    each = x.native.batch * 2  # a ciphertext for each plaintext modulus
    assert each == 6
    ada.decryption_share(x)
    assert (ada.decryptions.spent, ada.decryptions.left, counted(path)) == (6, 4, 6)
    with pytest.raises(BudgetError, match=r"6 ciphertexts, and 4 are left of the 10 .* each party .*new session"):
        ada.decryption_share(group.encrypt(np.arange(40), bound=100))
    assert counted(path) == 6
    ada.decryption_share(group.encrypt(np.arange(20), bound=100))
    assert cy.threshold.Party(group.session, 1, file=path).decryptions == (10, 10, str(path))
    with pytest.raises(BudgetError, match="0 are left"):
        ada.decryption_share(group.encrypt([1], bound=1))
    # Everybody counts for itself, and what was asked before is still answered.
    assert group.parties[2].decryptions.spent == 0
    assert cy.to_bytes(ada.decryption_share(x)) == cy.to_bytes(ada.decryption_share(x))
    np.testing.assert_array_equal(group.decrypt(x), np.arange(40))


def test_the_same_question_counts_once_and_every_other_counts() -> None:
    group = joint(threshold=2)
    ada, x = group.parties[1], group.encrypt([1, 2], bound=5)
    for _ in range(3):
        ada.decryption_share(x, active=[1, 2])
    assert ada.decryptions.spent == 1
    ada.decryption_share(x, active=[1, 3])
    ada.decryption_share(x, active=[1, 2, 3])
    ada.decryption_share(x, active=[1, 2], flooding_bits=63)
    ada.decryption_share(cy.rekeying.rerandomize(x, group.keys.public), active=[1, 2])
    assert ada.decryptions.spent == 5
    ada.decryption_share(x, active=[1, 2])
    assert ada.decryptions.spent == 5


def test_what_is_refused_for_other_reasons_is_not_counted() -> None:
    group = Joint(parameters("bfv", 16, 3, primes=2), rotations=[], relinearization=False)
    ada, x = group.parties[1], group.encrypt([1, 2], bound=5)
    with pytest.raises(ArgumentError):
        ada.decryption_share(x, active=[1, 2])
    with pytest.raises(NoiseError):
        ada.decryption_share(x, flooding_bits=128)
    assert ada.decryptions.spent == 0


@pytest.mark.skipif(_core.identities() != "ready", reason=_core.identities())
def test_a_refreshed_share_does_not_reset_the_count(tmp_path: Path) -> None:
    group = joint(tmp_path, threshold=2, decryptions=2)
    x = group.encrypt([1, 2], bound=5)
    group.decrypt(x, 1, 2)
    identities = {number: cy.threshold.Identity.create() for number in group.parties}
    public = {number: one.public for number, one in identities.items()}
    refresh = cy.threshold.DealingRound(group.session, public, what="refresh", epoch=1)
    keys = [refresh.keys(number, one) for number, one in identities.items()]
    dealt = [refresh.deal(party, identities[number], keys) for number, party in group.parties.items()]
    for number, party in group.parties.items():
        sealed = [each[number] for _, each in dealt]
        party.take(refresh.receive(party, identities[number], [one for one, _ in dealt], sealed))
    assert group.parties[1].decryptions.spent == 1
    group.decrypt(x, 1, 2)  # by other shares of the secret: another question
    assert group.parties[1].decryptions == (2, 2, str(tmp_path / "1.party"))
    with pytest.raises(BudgetError):
        group.parties[1].decryption_share(x, active=[1, 3])


def test_processes_that_ask_at_once_do_not_get_more_than_was_planned(tmp_path: Path) -> None:
    group = joint(tmp_path, decryptions=3)
    arrays = [cy.to_bytes(group.encrypt([number], bound=9)) for number in range(6)]
    spawn = multiprocessing.get_context("spawn")
    known, file = cy.to_bytes(group.session), str(tmp_path / "1.party")
    with concurrent.futures.ProcessPoolExecutor(3, mp_context=spawn) as pool:
        found = list(pool.map(give, [known] * 6, [file] * 6, arrays))
    assert (found.count("refused"), len(set(found) - {"refused"})) == (3, 3)
    assert counted(tmp_path / "1.party") == 3


def test_no_share_leaves_that_could_not_be_counted(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    group = joint(tmp_path)
    path = tmp_path / "1.party"
    known, before, x = cy.to_bytes(group.session), path.read_bytes(), cy.to_bytes(group.encrypt([1], bound=1))
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
        assert pool.submit(give_without_room, known, str(path), x).result() == "not written"
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(FileError):
        group.parties[1].decryption_share(group.encrypt([1], bound=1))


def test_a_file_that_is_copied_back_forgets(tmp_path: Path) -> None:
    """As doc/threshold.md says."""
    group = joint(tmp_path, decryptions=1)
    shutil.copy(tmp_path / "1.party", tmp_path / "old")
    group.parties[1].decryption_share(group.encrypt([1], bound=1))
    shutil.copy(tmp_path / "old", tmp_path / "1.party")
    assert group.parties[1].decryptions.spent == 0


@pytest.mark.skipif(_core.passphrases() != "ready", reason=_core.passphrases())
def test_a_count_under_a_passphrase(tmp_path: Path) -> None:
    group = joint()
    path = tmp_path / "ada"
    session = cy.threshold.Session.create(group.session.parameters, parties=2, rotations=[], decryptions=1)
    parties = [
        cy.threshold.Party(session, 1, file=path, passphrase="correct horse"),
        cy.threshold.Party(session, 2),
    ]
    first = first_round(*parties)
    second = [party.second_share(first) for party in parties]
    keys = cy.threshold.combine(session, first, second)
    parties[0].decryption_share(cy.encrypt([1], keys.public, bound=1))
    again = cy.threshold.Party(session, 1, file=path, passphrase="correct horse")
    assert again.decryptions == (1, 1, str(path))
    with pytest.raises(BudgetError):
        again.decryption_share(cy.encrypt([2], keys.public, bound=2))


def test_sessions_state_their_number() -> None:
    params = parameters("bfv", 16, 3)
    usual = cy.threshold.Session.create(params, parties=3)
    assert (usual.decryptions, cy.from_bytes(cy.to_bytes(usual), allow_insecure=True)) == (1 << 20, usual)
    one = cy.threshold.Session.create(params, parties=3, decryptions=1 << 60)
    assert cy.from_bytes(cy.to_bytes(one), allow_insecure=True).decryptions == 1 << 60
    for wrong in (0, -1, (1 << 60) + 1):
        with pytest.raises(ArgumentError, match="decryptions"):
            cy.threshold.Session.create(params, parties=3, decryptions=wrong)
    # Who states another number has another session: its digest says so, and messages don't fit.
    data = cy.to_bytes(one)
    with pytest.raises(FormatError, match="not that of the container's id"):
        cy.from_bytes(with_changed(data, "SESS", lambda s: s[:-8] + struct.pack("<Q", 7)), allow_insecure=True)
    with pytest.raises(FormatError, match="before parties counted"):
        cy.from_bytes(with_changed(data, "SESS", lambda s: s[:-8]), allow_insecure=True)
    with pytest.raises(FormatError, match="2\\^60"):
        cy.from_bytes(with_changed(data, "SESS", lambda s: s[:-8] + struct.pack("<Q", 0)), allow_insecure=True)


def test_sessions_from_before_there_was_a_number_are_refused_with_advice(tmp_path: Path) -> None:
    old = Path(__file__).resolve().parents[2] / "fuzz" / "corpus" / "joint2-session"
    with pytest.raises(FormatError, match=r"before parties counted .*make a new session and a new key"):
        cy.load(old, allow_insecure=True)
    group = joint(tmp_path)
    path = tmp_path / "1.party"
    path.write_bytes(with_changed(path.read_bytes(), "PRTY", lambda s: s[:-8]))
    with pytest.raises(FormatError, match="damaged"):
        cy.threshold.Party(group.session, 1, file=path)


def test_damaged_counts(tmp_path: Path) -> None:
    group = joint(tmp_path)
    path = tmp_path / "1.party"
    group.parties[1].decryption_share(group.encrypt([1], bound=1))
    data = path.read_bytes()
    wrong: list[Callable[[bytes], bytes]] = [
        lambda s: s[:-32],  # without its question
        lambda s: s[:-16],  # half of it
        lambda s: s[:-40] + struct.pack("<Q", (1 << 60) + 1) + s[-32:],  # more than anybody plans
        lambda s: s + s[-32:] * 1024,  # more questions than are remembered
        lambda s: s[:-40],  # no count at all
    ]
    for change in wrong:
        path.write_bytes(with_changed(data, "PRTY", change))
        with pytest.raises(FormatError):
            cy.threshold.Party(group.session, 1, file=path)
