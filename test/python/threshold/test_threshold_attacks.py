# SPDX-License-Identifier: Apache-2.0
"""What one dishonest party, or whoever relays messages, tries against the making of a joint key. Each attack is run on
messages as the protocol's first version made them, where it finds the secret: so it can find one."""

from __future__ import annotations

import concurrent.futures
import hashlib
import math
import multiprocessing
import shutil
import stat
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import put_together, taken_apart
from cyclotome import _core
from cyclotome._core.testing import rlwe
from cyclotome.errors import (
    ArgumentError,
    BlameError,
    EngineError,
    MismatchError,
    PassphraseError,
    RepeatedAnswerError,
)
from joint_keys import Joint, first_round, gaps, parameters, phases, product, secret_of, unchecked
from joint_processes import ask, ask_without_room
from oracles import wire_format
from oracles.integers import centred, compose, integers
from oracles.negacyclic import transform
from test_wire_format import coefficients, smallest_root
from test_wire_format_joint import committed, derived, share_digest

SCHEMES = ["bfv", "bgv"]
WIDTHS = [50, 28]

Share = cy.threshold.KeyShare
#: Of each digit the slots modulo the last prime.
Rows = list[list[int]]


class Onlooker:
    """Has the session, and reads and forges key shares."""

    def __init__(self, session: cy.threshold.Session) -> None:
        self.file = wire_format.read(cy.to_bytes(session))
        self.p = self.file.parameters
        self.n, self.digits, self.q = self.p.degree, self.p.digits, self.p.key_moduli[-1]
        self.session = bytes.fromhex(session.id)

    def content(self, share: Share) -> bytes:
        return dict(taken_apart(cy.to_bytes(share))[1])["KSHA"]

    def polynomials(self, share: Share) -> list[Any]:
        data = self.content(share)
        return wire_format.key_polynomials(data[80:], struct.unpack_from("<Q", data, 72)[0], self.p)

    def rows(self, share: Share, first: int) -> Rows:
        """As many polynomials as there are digits, from this one on."""
        return [list(body[-1]) for body in self.polynomials(share)[first : first + self.digits]]

    def h_and_k(self, shares: list[Share]) -> tuple[Rows, Rows]:
        """The sums of all shares."""
        sums = []
        for first in (1, 1 + self.digits):
            each = [np.array(self.rows(share, first), dtype=object) for share in shares]
            sums.append((np.sum(each, axis=0) % self.q).tolist())
        return sums[0], sums[1]

    def commitments(self, shares: list[Share]) -> bytes:
        """The digest of what all senders have committed to if they follow the protocol (doc/wire-format.md)."""
        opened = b"".join(committed(self.content(share), self.p) for share in sorted(shares, key=lambda s: s.party))
        return hashlib.sha256(b"cyclotome joint commitments 2\n" + self.session + opened).digest()

    def first_round(self, shares: list[Share]) -> bytes:
        """The digest of all shares (doc/wire-format.md)."""
        digests = [share_digest(self.content(share), self.p) for share in sorted(shares, key=lambda s: s.party)]
        text = b"cyclotome joint first round 2\n" + self.session + self.commitments(shares) + b"".join(digests)
        return hashlib.sha256(text).digest()

    def common(self, seed: bytes, key: bytes) -> Rows:
        """The a_j that expand from what this seed and key id give."""
        own = derived(seed, self.file, 16, 0, key)
        return [wire_format.expand(own, 4, j, self.n, self.p.key_moduli)[-1] for j in range(self.digits)]

    def answered(self, shares: list[Share]) -> Rows:
        """The a_j of the second round."""
        first = self.first_round(shares)
        text = f"cyclotome joint key 2\n{self.session.hex()}\n{first.hex()}\n"
        return self.common(first, hashlib.sha256(text.encode()).digest()[:16])

    def forged(self, share: Share, bodies: list[Any]) -> Share:
        """Somebody's share with other polynomials."""
        bits = []
        for body in bodies:
            for limb, q in zip(body, self.p.key_moduli, strict=True):
                width = (q - 1).bit_length()
                numbers = np.array(limb, dtype=np.uint64)
                bits.append(((numbers[:, None] >> np.arange(width, dtype=np.uint64)) & 1).astype(np.uint8).reshape(-1))
        packed = b"".join(np.packbits(each, bitorder="little").tobytes() for each in bits)
        made: Share = self._sealed(share, "KSHA", self.content(share)[:80] + packed)
        return made

    def standing(self, shares: list[Share]) -> list[Share]:
        """The same shares as if their senders had committed to them, all of them."""
        basis = self.commitments(shares)
        contents = [self.content(share) for share in shares]
        return [
            self._sealed(share, "KSHA", data[:40] + basis + data[72:])
            for share, data in zip(shares, contents, strict=True)
        ]

    def commitment(self, own: cy.threshold.Commitment, digest: bytes) -> cy.threshold.Commitment:
        """A party's commitment to something else."""
        made: cy.threshold.Commitment = self._sealed(own, "KCOM", self.session + struct.pack("<I", own.party) + digest)
        return made

    def _sealed(self, message: Any, tag: str, content: bytes) -> Any:
        header, sections = taken_apart(cy.to_bytes(message))
        changed = [(own, content if own == tag else data) for own, data in sections]
        return cy.from_bytes(put_together(header, changed), allow_insecure=True, device="cpu:1")


def found_by_difference(q: int, answers: Sequence[Rows], p: Sequence[Rows], k: Sequence[Rows]) -> list[int]:
    """The s of answers s p_j - u k_j to two questions, if nothing else is in them: two digits, two unknowns in each
    slot. The attack on the first version, in which p_j = h_j - a_j had the same a_j twice."""
    d, dp, dk = (
        [[(x - y) % q for x, y in zip(a, b, strict=True)] for a, b in zip(one, two, strict=True)]
        for one, two in (answers, p, k)
    )
    slots = []
    for i in range(len(d[0])):
        determinant = (dp[1][i] * dk[0][i] - dp[0][i] * dk[1][i]) % q
        slots.append((d[1][i] * dk[0][i] - d[0][i] * dk[1][i]) * pow(determinant, -1, q) % q)
    return [int(x) for x in centred(integers(coefficients([slots], [q])[0]), q)]


def tells_of(secret: Any, found: list[int]) -> bool:
    """Whether what was found is the secret, or goes along with it: numbers that do not depend on it are about uniform
    modulo a prime above 2^27, so that one of at most 64 is in [-64, 64] by a chance below 2^-14, and three below 2^-36;
    a sum of them with the secret's signs passes 9 deviations by one below 2^-58 (Hoeffding)."""
    s, x = np.array(secret, dtype=float), np.array(found, dtype=float)
    if [int(v) for v in secret] == found or sum(abs(v) <= 64 for v in found) > 2:
        return True
    scale = np.abs(x).max()
    weight = np.sqrt((s**2).sum())
    return bool(abs((s * x).sum()) > 9 * weight * scale)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("threshold", [2, 3])
def test_two_answers_do_not_give_the_secret(scheme: str, width: int, threshold: int, tmp_path: Path) -> None:
    """State forbids the second one. Who restores an older copy of a party's file gets it all the same; an onlooker who
    has both and knows both a_j, finds noise."""
    params = parameters(scheme, 16, 3, (97,), width=width)
    session = cy.threshold.Session.create(params, parties=3, threshold=threshold, rotations=[], audit=1)
    file, older = tmp_path / "ada", tmp_path / "older"
    ada = cy.threshold.Party(session, 1, file=file)
    ben, cleo, remade = (cy.threshold.Party(session, number) for number in (2, 3, 3))
    shutil.copy(file, older)
    first = [first_round(ada, ben, cleo)]
    answers = [ada.second_share(first[0])]
    with pytest.raises(RepeatedAnswerError, match="begin a new session"):
        first_round(ada, ben, remade)
    with pytest.raises(RepeatedAnswerError):
        first_round(cy.threshold.Party(session, 1, file=file), ben, remade)
    ada_before = cy.threshold.Party(session, 1, file=older)
    ben_before = cy.threshold.Party(session, 2)
    first.append(first_round(ada_before, ben_before, remade))
    answers.append(ada_before.second_share(first[1]))

    onlooker = Onlooker(session)
    q, secret = onlooker.q, secret_of(ada)
    rows = tuple(onlooker.rows(answer, 0) for answer in answers)
    sums = [onlooker.h_and_k(shares) for shares in first]
    k = sums[0][1], sums[1][1]
    masks = [onlooker.answered(shares) for shares in first]
    differences = tuple(
        [[(x - y) % q for x, y in zip(a, b, strict=True)] for a, b in zip(h, mask, strict=True)]
        for (h, _), mask in zip(sums, masks, strict=True)
    )
    assert not tells_of(secret, found_by_difference(q, rows, differences, k))
    assert not tells_of(secret, found_by_difference(q, rows, (sums[0][0], sums[1][0]), k))

    # The same attack, on answers of the first version: one mask and one error for both.
    rng = np.random.default_rng(int.from_bytes(session.id.encode()[:8], "little"))
    root = smallest_root(16, q)
    s = transform([int(x) % q for x in secret], root, q)
    u, e = (transform([int(x) % q for x in rng.integers(-1, 2, 16)], root, q) for _ in range(2))
    old = tuple(
        [
            [(s[i] * (h[j][i] - masks[0][j][i]) - u[i] * k_row[j][i] + e[i]) % q for i in range(16)]
            for j in range(onlooker.digits)
        ]
        for h, k_row in sums
    )
    assert found_by_difference(q, old, (sums[0][0], sums[1][0]), k) == [int(x) for x in secret]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_last_sender_does_not_choose_what_a_secret_is_multiplied_by(scheme: str) -> None:
    """h_0 = a_0 + D and k_0 = 0, by somebody whom no commitment held: with the a_0 that the session alone gives, as the
    first version did, and with that of the same messages before they were changed."""
    session = cy.threshold.Session.create(parameters(scheme, 16, 3, (97,)), parties=3, rotations=[], audit=1)
    ada, ben, cleo = (cy.threshold.Party(session, number) for number in session.parties)
    first = first_round(ada, ben, cleo)
    onlooker = Onlooker(session)
    q, factor = onlooker.q, 97 if scheme == "bgv" else 1
    large = 1 << 20
    reference = onlooker.file.sections[0][1][:32]
    for guess in (onlooker.common(reference, onlooker.file.key_id), onlooker.answered(first)):
        bodies = onlooker.polynomials(first[2])
        h, k = onlooker.h_and_k(first[:2])
        own = bodies[1], bodies[1 + onlooker.digits]
        own[0][-1] = [(a + large - x) % q for a, x in zip(guess[0], h[0], strict=True)]
        own[1][-1] = [-x % q for x in k[0]]
        evil = onlooker.standing([*first[:2], onlooker.forged(first[2], bodies)])
        assert onlooker.h_and_k(evil)[1][0] == [0] * 16
        answers = _answer_in_memory(session, ada, evil)
        phase = centred(integers(coefficients([onlooker.rows(answers, 0)[0]], [q])[0]), q)
        assert not tells_of(secret_of(ada), [round(int(x) / large) for x in phase])
        # With the right a_0 it is the secret: what is left is s D and a small error.
        right = onlooker.answered(evil)
        s = [int(x) % q for x in secret_of(ada)]
        masked = transform(s, smallest_root(16, q), q)
        moved = [(x + (right[0][i] - guess[0][i]) * masked[i]) % q for i, x in enumerate(onlooker.rows(answers, 0)[0])]
        shown = centred(integers(coefficients([moved], [q])[0]), q)
        assert [round(int(x) / large) for x in shown] == [int(x) for x in secret_of(ada)]
        assert max(abs(int(x) - int(y) * large) for x, y in zip(shown, secret_of(ada), strict=True)) < 64 * factor


def _answer_in_memory(
    session: cy.threshold.Session, party: cy.threshold.Party, first: list[Share], proved: bool = True
) -> Share:
    """The answer of a party that has answered nothing yet, and will have forgotten it: as from a snapshot. Not proved,
    where there is no proof."""
    answer = _core.testing.threshold.second_share if proved else _core.testing.threshold.unproved_share
    made: Share = cy.threshold.KeyShare(
        session.parameters,
        party.secret.context,
        answer(
            session.native,
            party.secret.context.native,
            party.number,
            party.secret.native,
            [each.on(party.secret.context) for each in first],
        ),
    )
    return made


def test_other_first_shares_make_another_key() -> None:
    """Their ids differ, so that arrays under the two do not mix; whatever order shares come in, the key is the same."""
    session = cy.threshold.Session.create(parameters("bfv", 16, 2), parties=2, rotations=[], audit=1)

    def keys(*parties: cy.threshold.Party) -> cy.threshold.JointKeys:
        first = first_round(*parties)
        second = [party.second_share(first) for party in parties]
        made = cy.threshold.combine(session, first, second)
        again = cy.threshold.combine(session, first[::-1], second[::-1])
        assert again.public.key_id == made.public.key_id == made.evaluation.key_id == parties[0].key_id
        assert cy.to_bytes(again.public) == cy.to_bytes(made.public)
        return made

    one, two = (keys(cy.threshold.Party(session, 1), cy.threshold.Party(session, 2)) for _ in range(2))
    assert one.public.key_id != two.public.key_id
    x, y = cy.encrypt([1, 2], one.public), cy.encrypt([1, 2], two.public)
    with pytest.raises(MismatchError, match="key"):
        x + y


def test_a_party_sees_that_somebody_altered_its_own_first_share() -> None:
    session = cy.threshold.Session.create(parameters("bfv", 16, 2), parties=2, rotations=[], audit=1)
    ada, ben = (cy.threshold.Party(session, number) for number in session.parties)
    first = first_round(ada, ben)
    onlooker = Onlooker(session)
    bodies = onlooker.polynomials(first[0])
    bodies[0][0][3] = (bodies[0][0][3] + 1) % onlooker.p.key_moduli[0]
    with pytest.raises(MismatchError, match="not the one that it made"):
        ada.second_share([onlooker.forged(first[0], bodies), first[1]])
    ada.second_share(first)  # nothing was answered by that


Question = list[bytes]


def questions(session: cy.threshold.Session, file: Path, count: int) -> list[tuple[Question, Question]]:
    """What a party of this file may be asked: commitments and first shares, which differ by the second party's. The
    file itself is asked nothing."""
    asked = []
    for number in range(count):
        copy = file.with_name(f"copy{number}")
        shutil.copy(file, copy)
        parties = cy.threshold.Party(session, 1, file=copy), cy.threshold.Party(session, 2)
        commitments = [party.commit() for party in parties]
        first = [party.first_share(commitments) for party in parties]
        asked.append(([cy.to_bytes(each) for each in commitments], [cy.to_bytes(each) for each in first]))
        copy.unlink()
    return asked


def test_of_processes_that_ask_at_once_one_is_answered(tmp_path: Path) -> None:
    session = cy.threshold.Session.create(parameters("bfv", 16, 2), parties=2, rotations=[], audit=1)
    file = tmp_path / "ada"
    cy.threshold.Party(session, 1, file=file)
    jobs = 2 * questions(session, file, 3)
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(3, mp_context=spawn) as pool:
        found = list(pool.map(ask, [cy.to_bytes(session)] * 6, [str(file)] * 6, jobs))
    answers = {answer for answer in found if answer != "refused"}
    assert len(answers) == 1 and found.count("refused") == 4, found
    assert found[:3] == found[3:]
    assert [path.name for path in tmp_path.iterdir()] == ["ada"]


def test_nothing_is_answered_that_could_not_be_kept(tmp_path: Path) -> None:
    """A full disk; and what was kept but never sent, since the process was killed in between, is the same again."""
    pytest.importorskip("resource")
    session = cy.threshold.Session.create(parameters("bfv", 16, 2), parties=2, rotations=[], audit=1)
    file = tmp_path / "ada"
    cy.threshold.Party(session, 1, file=file)
    one, two = questions(session, file, 2)
    known, before = cy.to_bytes(session), file.read_bytes()
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
        assert pool.submit(ask_without_room, known, str(file), one).result() == "not written"
    assert file.read_bytes() == before
    lost = ask(known, str(file), two)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert ask(known, str(file), two) == lost
    assert ask(known, str(file), one) == "refused"


def test_a_lost_party_takes_a_new_session(tmp_path: Path) -> None:
    """Made anew, a party is another one: whoever has answered the old one refuses it, and nobody is hurt."""
    session = cy.threshold.Session.create(parameters("bfv", 16, 3), parties=3, rotations=[], audit=1)
    joint = [cy.threshold.Party(session, number, file=tmp_path / f"{number}") for number in session.parties]
    first_round(*joint)
    (tmp_path / "3").unlink()
    joint = [cy.threshold.Party(session, number, file=tmp_path / f"{number}") for number in session.parties]
    commitments = [party.commit() for party in joint]
    for party in joint[:2]:
        with pytest.raises(RepeatedAnswerError):
            party.first_share(commitments)
    joint[2].first_share(commitments)


@pytest.mark.skipif(_core.passphrases() != "ready", reason=_core.passphrases())
def test_a_party_s_file_stays_under_its_passphrase(tmp_path: Path) -> None:
    session = cy.threshold.Session.create(parameters("bfv", 16, 2), parties=2, rotations=[], audit=1)
    file = tmp_path / "ada"
    ada, ben, other = (
        cy.threshold.Party(session, number, file=file if number == 1 else None, passphrase="correct horse")
        for number in (1, 2, 2)
    )
    first = first_round(ada, ben)
    answer = cy.to_bytes(ada.second_share(first))
    assert cy.inspect(file).kind == "protected party"
    for wrong in ("another", None):
        with pytest.raises(PassphraseError):
            cy.threshold.Party(session, 1, file=file, passphrase=wrong)
    again = cy.threshold.Party(session, 1, file=file, passphrase="correct horse")
    assert cy.to_bytes(again.second_share(first)) == answer
    with pytest.raises(RepeatedAnswerError):
        again.first_share([ada.commit(), other.commit()])
    [(tag, section)] = wire_format.read(_in_the_open(session, tmp_path)).sections
    assert (tag, len(section)) == ("PRTY", 156)
    kept = wire_format.opened(file.read_bytes(), b"correct horse")
    assert len(kept) == 156 + 2 * 32
    assert struct.unpack_from("<3I", kept, 32) == (1, 1, 2)


def _in_the_open(session: cy.threshold.Session, folder: Path) -> bytes:
    cy.threshold.Party(session, 2, file=folder / "ben")
    return (folder / "ben").read_bytes()


# --- commit, then reveal ----------------------------------------------------------------------------------------------
def rogue_of(onlooker: Onlooker, first: list[Share]) -> Share:
    """The last party's share less the others': the public key would be its own."""
    shares = [onlooker.polynomials(share) for share in first]
    rogue = [
        [(own - sum(others)) % q for *others, own in zip(*limbs, strict=True)]
        for q, *limbs in zip(onlooker.p.key_moduli, *(bodies[0] for bodies in shares), strict=True)
    ]
    return onlooker.forged(first[-1], [rogue, *shares[-1][1:]])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("threshold", [2, 3])
def test_the_last_sender_can_not_make_the_public_key_its_own(scheme: str, width: int, threshold: int) -> None:
    """Its share is fixed before it sees one: another is refused, by parties with its name, by everybody else too."""
    params = parameters(scheme, 16, 3, (97,), width=width)
    session = cy.threshold.Session.create(params, parties=3, threshold=threshold, rotations=[], audit=1)
    parties = [cy.threshold.Party(session, number) for number in session.parties]
    commitments = [party.commit() for party in parties]
    first = [party.first_share(commitments) for party in parties]
    onlooker = Onlooker(session)
    evil = [*first[:2], rogue_of(onlooker, first)]
    for party in parties[:2]:
        for ask_it in (party.second_share, party.agree, lambda shares, one=party: one.next([*commitments, *shares])):
            with pytest.raises(BlameError, match="party 3 committed to another first share") as caught:
                ask_it(evil)
            assert (caught.value.parties, caught.value.stage) == ((3,), "first")
            shown = [committed(onlooker.content(share[2]), onlooker.p).hex() for share in (first, evil)]
            assert caught.value.evidence == " ".join(shown)
        assert party.key_id is None
    with pytest.raises(MismatchError, match="begin a new session"):
        cy.threshold.combine(session, evil, [party.second_share(first) for party in parties])
    # Were all to believe that it was committed to, it would be: the attack is one.
    standing = onlooker.standing(evil)
    second = [_answer_in_memory(session, party, standing, proved=party.number != 3) for party in parties]
    with pytest.raises(BlameError, match="party 3 carries no proof"):
        cy.threshold.combine(session, standing, second)
    x = cy.encrypt(np.full(16, 7), unchecked(session, standing, second).public, wrap=True)
    [channel] = x.native.channels
    moduli = list(session.parameters.moduli)
    whole = math.prod(moduli)
    c0, c1 = compose(rlwe.coefficients(channel), moduli)[0]
    phase = centred((c0 + product(c1, secret_of(parties[2]))) % whole, whole)
    read = [int(v) % 97 if scheme == "bgv" else (int(v) * 97 * 2 + whole) // (2 * whole) % 97 for v in phase]
    assert read == [7] + [0] * 15


def test_a_copied_commitment_opens_for_nobody() -> None:
    session = cy.threshold.Session.create(parameters("bfv", 16, 2), parties=2, rotations=[], audit=1)
    ada, ben = (cy.threshold.Party(session, number) for number in session.parties)
    onlooker = Onlooker(session)
    mine, theirs = ada.commit(), ben.commit()
    copied = onlooker.commitment(theirs, bytes(mine.native.digest))
    shown = ada.first_share([mine, copied])
    as_ben = dict(taken_apart(cy.to_bytes(shown))[1])["KSHA"]
    same = onlooker._sealed(shown, "KSHA", as_ben[:32] + struct.pack("<I", 2) + as_ben[36:])
    with pytest.raises(BlameError) as caught:
        ada.second_share([shown, same])
    assert caught.value.parties == (2,)


def test_nothing_is_shown_before_all_have_committed() -> None:
    session = cy.threshold.Session.create(parameters("bfv", 16, 3), parties=3, rotations=[], audit=1)
    ada, ben, cleo = (cy.threshold.Party(session, number) for number in session.parties)
    commitments = [ada.commit(), ben.commit()]
    for given in ([], commitments, [*commitments, commitments[1]]):
        with pytest.raises(ArgumentError, match="party"):
            ada.first_share(given)
    waiting = ada.next(commitments)
    assert (waiting.stage, waiting.missing, waiting.keys) == ("commit", (3,), None)
    assert [type(each) for each in waiting.messages] == [cy.threshold.Commitment]
    with pytest.raises(ArgumentError, match="has not shown its first share"):
        ada.second_share(first_round(ben, cleo, cy.threshold.Party(session, 1)))
    with pytest.raises(MismatchError, match="not the one that it made"):
        ada.first_share([cy.threshold.Party(session, 1).commit(), ben.commit(), cleo.commit()])
    other = cy.threshold.Session.create(parameters("bfv", 16, 3), parties=3, rotations=[], audit=1)
    with pytest.raises(MismatchError, match="session"):
        ada.first_share([ada.commit(), ben.commit(), cy.threshold.Party(other, 3).commit()])


def test_two_messages_of_one_party_and_stage_name_it() -> None:
    session = cy.threshold.Session.create(parameters("bfv", 16, 2), parties=2, rotations=[], audit=1)
    ada, ben, twin = (cy.threshold.Party(session, number) for number in (1, 2, 2))
    with pytest.raises(BlameError, match="two different messages") as caught:
        ada.next([ben.commit(), twin.commit()])
    assert (caught.value.parties, caught.value.stage) == ((2,), "commit")
    with pytest.raises(MismatchError, match="not the one that it sent"):
        ada.next([ben.commit(), cy.threshold.Party(session, 1).commit()])
    inbox = [ada.commit(), ben.commit()]
    first = [ada.first_share(inbox), ben.first_share(inbox)]
    second = ben.second_share(first)
    onlooker = Onlooker(session)
    bodies = onlooker.polynomials(second)
    bodies[0][0][0] = (bodies[0][0][0] + 1) % onlooker.p.key_moduli[0]
    with pytest.raises(BlameError, match="two different messages") as caught:
        ada.next([*inbox, *first, second, onlooker.forged(second, bodies)])
    assert (caught.value.parties, caught.value.stage) == ((2,), "second")


@pytest.mark.parametrize("relinearization", [True, False])
@pytest.mark.parametrize(("threshold", "audit"), [(2, 8), (3, 1), (3, 3)])
def test_parties_that_only_do_what_is_next_make_one_key(
    threshold: int, audit: int, relinearization: bool, tmp_path: Path
) -> None:
    """Messages in any order, some twice, parties that end and come back between any two steps: one key, one transcript,
    and every message is always the same."""
    session = cy.threshold.Session.create(
        parameters("bfv", 16, 3),
        parties=3,
        threshold=threshold,
        rotations=[],
        relinearization=relinearization,
        audit=audit,
    )
    rng = np.random.default_rng(int(session.id[:15], 16))
    sent: dict[bytes, Any] = {}
    done: dict[int, cy.threshold.Progress] = {}
    for _ in range(120):
        number = int(rng.integers(1, 4))
        party = cy.threshold.Party(session, number, file=tmp_path / f"{number}")
        inbox = list(sent.values())
        rng.shuffle(inbox)
        progress = party.next(inbox[: int(rng.integers(len(inbox) + 1))] + inbox)
        sent.update((cy.to_bytes(message), message) for message in progress.messages)
        if progress.keys is not None:
            done[number] = progress
        if len(done) == 3:
            break
    assert len(sent) == 3 * ((4 if relinearization else 3) + (0 if audit == 1 else 2))
    assert len({progress.transcript for progress in done.values()}) == 1
    keys = [progress.keys for progress in done.values() if progress.keys is not None]
    assert len({cy.to_bytes(each.evaluation) for each in keys}) == len({cy.to_bytes(each.public) for each in keys}) == 1
    assert {party.key_id for party in [cy.threshold.Party(session, 1, file=tmp_path / "1")]} == {keys[0].public.key_id}
    shares = [each for each in sent.values() if isinstance(each, Share)]
    first, second = ([each for each in shares if each.round == number] for number in (1, 2))
    assert cy.threshold.transcript(session, first, second) == done[1].transcript


# --- what a proof sees that an audit does not (doc/threshold.md, "Proved shares") -------------------------------------
@pytest.mark.parametrize("scheme", SCHEMES)
def test_malformed_shares_are_named_without_an_audit(scheme: str) -> None:
    """Something large added to one item of a first share, which nobody opens: its second share can't be proved. Were it
    believed, products would decrypt right, with noise that no honest key has: the attack is one."""
    params = parameters(scheme, 16, 2, (97,))
    joint = Joint(params, rotations=[], audit=1)
    session = joint.session
    onlooker = Onlooker(session)
    bodies = onlooker.polynomials(joint.first[1])
    large = 97 << 54  # a multiple of t, as errors in BGV are
    bodies[1] = [[(x + large) % q for x in limb] for limb, q in zip(bodies[1], onlooker.p.key_moduli, strict=True)]
    malformed = onlooker.forged(joint.first[1], bodies)
    ada = cy.threshold.Party(session, 1)
    joint.parties[1] = ada
    content = onlooker.content(malformed)
    commitments = [ada.commit(), onlooker.commitment(joint.commitments[1], committed(content, onlooker.p))]
    evil = onlooker.standing([ada.first_share(commitments), malformed])
    with pytest.raises(EngineError, match="none of 400 attempts"):
        _answer_in_memory(session, joint.parties[2], evil)
    second = [ada.second_share(evil), _answer_in_memory(session, joint.parties[2], evil, proved=False)]
    honest = dict(taken_apart(cy.to_bytes(joint.second[1]))[1])["KPRF"]
    header, sections = taken_apart(cy.to_bytes(second[1]))
    tried = cy.from_bytes(put_together(header, [*sections, ("KPRF", honest)]), allow_insecure=True)
    for wrong in (second[1], tried):
        with pytest.raises(BlameError, match="party 2") as caught:
            ada.accept(evil, [second[0], wrong])
        assert (caught.value.parties, caught.value.stage) == ((2,), "second")
    joint.keys = unchecked(session, evil, second)
    x = joint.encrypt(np.full(16, 6), bound=6)
    gaps(joint, x)
    y = x * x
    with pytest.raises(AssertionError, match="bound"):
        gaps(joint, y)
    [channel] = y.native.channels
    [row], q = phases(joint, channel)
    if scheme == "bgv":
        read = [int(v) * pow(channel.correction, -1, 97) % 97 for v in centred(row, q)]
    else:
        read = [(int(v) * 97 * 2 + q) // (2 * q) % 97 for v in row]
    assert read == [36] + [0] * 15
