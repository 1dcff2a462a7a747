# SPDX-License-Identifier: Apache-2.0
"""Checked decryption: right values, and every altered share refused; what parties show is what they committed to."""

from __future__ import annotations

import hashlib
import math
import pickle
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core.testing import rlwe, threshold
from joint_keys import BITS, Joint, parameters, shares_digest

pytestmark = pytest.mark.skipif(_core.identities() != "ready", reason=_core.identities())

SETS = [("bfv", 50), ("bgv", 50), ("bfv", 28), ("bgv", 28)]  # 64- and 32-bit words
Shares = dict[int, cy.threshold.DecryptionShare]


def small(scheme: str, width: int) -> cy.Parameters:
    return parameters(
        scheme, 16, 3, plain_moduli=(786433,) if width > 30 else (257,), primes=6 if width > 30 else 11, width=width
    )


class Circle:
    """Parties of a joint key who decrypt with checks; each step's messages go to all of them."""

    def __init__(self, params: cy.Parameters, threshold_: int | None = None, count: int | None = None) -> None:
        self.joint = Joint(params, threshold=threshold_, rotations=[])
        self.session = self.joint.session
        self.identities = {number: cy.threshold.Identity.create() for number in self.session.parties}
        self.public = {number: identity.public for number, identity in self.identities.items()}
        self.macs = {
            number: cy.threshold.MacShare(party, self.identities[number], self.joint.keys.public, count=count)
            for number, party in self.joint.parties.items()
        }
        self.key = self.mac_key()

    def mac_key(self, **changed: Any) -> cy.threshold.MacKey:
        commitments = [cy.threshold.Pledge(str(one.commitment)) for one in self.macs.values()]
        arrays = {number: one.arrays for number, one in self.macs.items()}
        given = {"commitments": commitments, "arrays": arrays, **changed}
        return cy.threshold.MacKey(self.session, self.public, self.joint.keys.public, **given)

    def steps(self, x: cy.EncryptedArray, *active: int, name: str = "y", **options: Any) -> dict[int, Any]:
        who = active or self.session.parties
        return {
            number: cy.threshold.CheckedDecryption(
                self.joint.parties[number],
                self.identities[number],
                x,
                self.key,
                self.public,
                name=name,
                active=who,
                flooding_bits=BITS,
                **options,
            )
            for number in who
        }

    def run(self, x: cy.EncryptedArray, *active: int, cheat: Any = None) -> list[Any]:
        """The values that each honest party gets. ``cheat`` changes what the last one shows: (stage, shares) → shares;
        it commits to what it will show, as a dishonest party does."""
        steps = self.steps(x, *active)
        liar = None if cheat is None else Liar(self, x, tuple(steps), bytes.fromhex(steps[max(steps)].question), cheat)
        if liar is not None:
            del steps[liar.number]
        lines = [cy.threshold.Pledge(str(one.commit())) for one in steps.values()] + liar_says(liar, "share")
        shown = [one.reveal(lines) for one in steps.values()] + liar_shows(liar, "share")
        sent = [pickle.loads(pickle.dumps(share)) for share in shown]
        checks = [one.commit_check(sent) for one in steps.values()]
        if liar is not None:
            liar.take(sent)
        lines = checks + liar_says(liar, "check")
        answers = [one.reveal_check(lines) for one in steps.values()]
        answers += [] if liar is None else [liar_shows(liar, "check")]
        return [one.values(answers) for one in steps.values()]


class Liar:
    """A party that writes the protocol's steps by itself, out of what a party and its identity do, and shows what it
    likes."""

    def __init__(self, circle: Circle, x: cy.EncryptedArray, who: tuple[int, ...], question: bytes, cheat: Any) -> None:
        self.circle, self.x, self.who, self.question, self.cheat = circle, x, who, question, cheat
        self.number = max(who)
        self.shows = {"share": cheat("share", [self.share_of(x)])}

    def share_of(self, array: cy.EncryptedArray) -> cy.threshold.DecryptionShare:
        return self.circle.joint.parties[self.number].decryption_share(array, active=self.who, flooding_bits=BITS)

    def take(self, shares: list[cy.threshold.DecryptionShare]) -> None:
        """The shares of all: what has to be 0 follows from them."""
        values = cy.threshold.decrypt(self.x, shares, self.circle.session)
        self.shows["check"] = self.cheat(
            "check", [self.share_of(one) for one in checks_of(self.circle.key, self.x, values)]
        )

    def pledge(self, stage: str) -> cy.threshold.Pledge:
        digest = shares_digest(self.shows[stage], self.x.key_id)
        return cy.threshold.Pledge.sign(self.number, stage, self.question, digest, self.circle.identities[self.number])


def liar_says(liar: Liar | None, stage: str) -> list[cy.threshold.Pledge]:
    return [] if liar is None else [liar.pledge(stage)]


def liar_shows(liar: Liar | None, stage: str) -> list[cy.threshold.DecryptionShare]:
    return [] if liar is None else liar.shows[stage]


def modulo(x: cy.EncryptedArray) -> cy.EncryptedArray:
    """The same ciphertexts, whose values are meant modulo T."""
    own = x.native
    native = _core.EncryptedArray(own.channels, own.shape, own.placement, own.clean, None, None)
    return x.derived(native.with_keys(x.keyring.native()))


def checks_of(key: cy.threshold.MacKey, x: cy.EncryptedArray, values: Any) -> list[cy.EncryptedArray]:
    """What has to be 0, as the page says: α (x − v)."""
    rest = modulo(x) - np.asarray(values, dtype=object) % math.prod(x.parameters.plain_moduli)
    return [alpha * rest for alpha in key.sums]


@pytest.mark.parametrize(("scheme", "width"), SETS)
@pytest.mark.parametrize("threshold_", [None, 2])
def test_honest_parties_get_the_values(
    scheme: str, width: int, threshold_: int | None, rng: np.random.Generator
) -> None:
    circle = Circle(small(scheme, width), threshold_)
    values = rng.integers(-3, 4, 16)
    x = circle.joint.encrypt(values, bound=3)
    sets = [()] if threshold_ is None else [(1, 2), (2, 3), (1, 2, 3)]
    for active in sets:
        for found in circle.run(x * x, *active):
            assert np.array_equal(found, values**2)
    scalar = circle.joint.encrypt(7, bound=10)
    for found in circle.run(scalar, *sets[0]):
        assert found == 7
    assert not circle.key.spent


def altered(share: cy.threshold.DecryptionShare, rng: np.random.Generator) -> cy.threshold.DecryptionShare:
    """One bit of a share's residues, with the file's checksum mended; a residue beyond its prime is drawn again."""
    data = cy.to_bytes(share)
    start = data.index(b"DCHA") + 28
    while True:
        changed = bytearray(data[:-32])
        changed[int(rng.integers(start, len(changed)))] ^= 1 << int(rng.integers(8))
        try:
            loaded = cy.from_bytes(bytes(changed) + hashlib.sha256(changed).digest(), allow_insecure=True)
        except cy.errors.FormatError:
            continue
        assert isinstance(loaded, cy.threshold.DecryptionShare)
        return loaded


@pytest.mark.parametrize(("scheme", "width"), SETS)
@pytest.mark.parametrize("threshold_", [None, 2])
def test_an_altered_share_is_refused(scheme: str, width: int, threshold_: int | None, rng: np.random.Generator) -> None:
    """Of the values, or of the check, unless it changes no value; passing with a wrong one is below 2^-40 a try."""
    circle = Circle(small(scheme, width), threshold_)
    values = rng.integers(-3, 4, 16)
    values %= min(circle.session.parameters.plain_moduli)
    x = circle.joint.encrypt(values, wrap=True)  # so that no bound gives an alteration away
    wrong = 0
    for where in ("share", "check") * 6:

        def cheat(stage: str, shares: list[Any], where: str = where) -> list[Any]:
            return [altered(shares[0], rng), *shares[1:]] if stage == where else shares

        active = (1, 2) if threshold_ else ()
        wrong += not right_unchecked(circle, x, values, active, rng)
        try:
            found = circle.run(x, *active, cheat=cheat)
        except cy.errors.ContradictionError:
            assert where == "share" or circle.key.spent
        else:  # one in t changes is too small to change a value, and then none is wrong
            assert all(np.array_equal(one, values) for one in found)
        circle.key = circle.mac_key()
    assert wrong > 0  # it is something that is refused


def right_unchecked(circle: Circle, x: Any, values: Any, active: tuple[int, ...], rng: np.random.Generator) -> bool:
    """Whether `decrypt` gives right values, or refuses, with one altered share."""
    shares = circle.joint.shares(x, *active)
    shares[-1] = altered(shares[-1], rng)
    try:
        return np.array_equal(cy.threshold.decrypt(x, shares, circle.session), values)
    except (cy.errors.ContradictionError, cy.errors.RangeError):
        return True


def shift_of(x: cy.EncryptedArray, by: object) -> list[Any]:
    """What adding a public array does to the residues of c0."""
    shifted, by_channel = x + by, []
    for old, new in zip(x.native.channels, shifted.native.channels, strict=True):
        moduli = list(x.parameters.moduli)[: old.limbs]
        before, after = (np.array(rlwe.coefficients(one), dtype=object) for one in (old, new))
        shape = (-1, old.parts, len(moduli), x.parameters.degree)
        difference = after.reshape(shape)[:, 0] - before.reshape(shape)[:, 0]
        residues = difference % np.array(moduli, dtype=object)[None, :, None]
        by_channel.append([int(one) for one in residues.reshape(-1)])
    return by_channel


def shifted(share: Any, by: list[Any]) -> cy.threshold.DecryptionShare:
    native = threshold.shifted_share(share.native, by)
    return cy.threshold.DecryptionShare(share.parameters, share._context, native)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_a_shift_by_chosen_values_is_refused_unless_alpha_is_known(scheme: str, rng: np.random.Generator) -> None:
    """The smartest alteration: exactly the encoding of other values. `decrypt` gives them; the check refuses them; and
    with α, which nobody has, it could not."""
    circle = Circle(small(scheme, 50), count=1)
    values = rng.integers(-3, 4, 16)
    x = circle.joint.encrypt(values, bound=100)
    lie = np.zeros(16, dtype=np.int64)
    lie[int(rng.integers(16))] = int(rng.integers(1, 9))
    shares = circle.joint.shares(x)
    shares[-1] = shifted(shares[-1], shift_of(x, lie))
    assert np.array_equal(cy.threshold.decrypt(x, shares, circle.session), values + lie)
    alpha = int(circle.joint.decrypt(circle.key.sums[0]))
    t = 786433

    def cheat_with(guess: int) -> Any:
        def cheat(stage: str, given: list[Any]) -> list[Any]:
            if stage == "share":
                return [shifted(given[0], shift_of(x, lie))]
            rest = modulo(x) - (values + lie) % t
            check = circle.key.sums[0] * rest  # decrypts to -alpha lie
            return [shifted(given[0], shift_of(check, (guess * lie) % t))]

        return cheat

    guesses = [0, 1, (alpha + 1) % t, int(rng.integers(t))]
    for guess in (one for one in guesses if one != alpha):
        with pytest.raises(cy.errors.ContradictionError, match="check of the values fails"):
            circle.run(x, cheat=cheat_with(guess))
        circle.key = circle.mac_key()
    for found in circle.run(x, cheat=cheat_with(alpha)):
        assert np.array_equal(found, values + lie)


def test_a_failed_check_spends_its_numbers(rng: np.random.Generator) -> None:
    circle = Circle(small("bfv", 50))
    x = circle.joint.encrypt(rng.integers(-3, 4, 16), bound=3)
    steps = circle.steps(x)
    with pytest.raises(cy.errors.ContradictionError, match="check of the values"):
        circle.run(
            x, cheat=lambda stage, shares: [altered(shares[0], rng), *shares[1:]] if stage == "check" else shares
        )
    assert circle.key.spent
    with pytest.raises(cy.errors.ContradictionError, match="another MacKey"):
        circle.steps(x)
    commitments = [one.commit() for one in steps.values()]
    shares = [one.reveal(commitments) for one in steps.values()]
    checks = [one.commit_check(shares) for one in steps.values()]
    with pytest.raises(cy.errors.ContradictionError, match="another MacKey"):
        steps[1].reveal_check(checks)


def test_a_check_that_nobody_finishes_holds_its_numbers(tmp_path: Path, rng: np.random.Generator) -> None:
    """A liar who alters its share gets all shares of the check and sends none: it knows α times its lie, and so α.
    Whoever answered uses the numbers for nothing else, after a restart neither."""
    circle = Circle(small("bfv", 50), count=1)
    state = tmp_path / "numbers.state"
    circle.key = circle.mac_key(file=state)
    values = rng.integers(-3, 4, 16)
    x, lie = circle.joint.encrypt(values, bound=100), np.eye(16, dtype=np.int64)[0]
    steps = circle.steps(x)
    altered_share = shifted(circle.joint.shares(x)[-1], shift_of(x, lie))
    pledges = [steps[1].commit(), steps[2].commit()]
    question = bytes.fromhex(steps[1].question)
    digest = shares_digest([altered_share], x.key_id)
    pledges.append(cy.threshold.Pledge.sign(3, "share", question, digest, circle.identities[3]))
    shares = [steps[1].reveal(pledges), steps[2].reveal(pledges), altered_share]
    checks = [steps[number].commit_check(shares) for number in (1, 2)]
    rest = circle.key.sums[0] * (modulo(x) - (values + lie) % 786433)
    own = circle.joint.parties[3].decryption_share(rest, flooding_bits=BITS)
    digest = shares_digest([own], x.key_id)
    checks.append(cy.threshold.Pledge.sign(3, "check", question, digest, circle.identities[3]))
    given = [steps[number].reveal_check(checks)[0] for number in (1, 2)]
    learned = -cy.threshold.decrypt(rest, [*given, own], circle.session)[0] % 786433
    assert learned == circle.joint.decrypt(circle.key.sums[0])  # the liar alone knows this

    for key in (circle.key, circle.mac_key(file=state)):
        circle.key = key
        other = circle.steps(circle.joint.encrypt(values, bound=100), name="the next")
        lines = [one.commit() for one in other.values()]
        sent = [one.reveal(lines) for one in other.values()]
        later = [one.commit_check(sent) for one in other.values()]
        with pytest.raises(cy.errors.ContradictionError, match=r"another check .*finish it, or make another MacKey"):
            other[1].reveal_check(later)
    # Nor is the same decryption answered for other shares.
    again = circle.steps(x)
    lines = [one.commit() for one in again.values()]
    honest = [one.reveal(lines) for one in again.values()]
    checks = [one.commit_check(honest) for one in again.values()]
    with pytest.raises(cy.errors.ContradictionError, match="for other shares of the same decryption"):
        again[1].reveal_check(checks)


def test_what_became_of_the_numbers_is_kept_in_a_file(tmp_path: Path, rng: np.random.Generator) -> None:
    circle = Circle(small("bfv", 50))
    path = tmp_path / "numbers.state"
    circle.key = circle.mac_key(file=path)
    x = circle.joint.encrypt(rng.integers(-3, 4, 16), bound=3)
    assert not path.exists()
    circle.run(x)
    assert path.read_text().splitlines()[2] == "free"
    with pytest.raises(cy.errors.ContradictionError, match="check of the values"):
        circle.run(
            x, cheat=lambda stage, shares: [altered(shares[0], rng), *shares[1:]] if stage == "check" else shares
        )
    again = circle.mac_key(file=path)
    assert again.spent
    other = Circle(small("bfv", 50))
    with pytest.raises(cy.errors.MismatchError, match="other numbers"):
        other.mac_key(file=path)
    good = path.read_text()
    wrongs = ["", good[:-8], good + "free\n", *(good.replace("spent", word) for word in ("unspent", "held 00 00"))]
    for wrong in wrongs:
        path.write_text(wrong)
        with pytest.raises(cy.errors.FormatError, match="damaged"):
            circle.mac_key(file=path)


@pytest.mark.parametrize("threshold_", [None, 2])
def test_errors_say_whether_a_wrong_share_can_be_named(threshold_: int | None, rng: np.random.Generator) -> None:
    circle = Circle(small("bfv", 50), threshold_)
    x = circle.joint.encrypt(rng.integers(-3, 4, 16), bound=3)
    active = () if threshold_ is None else (1, 2)
    words = "nobody can be named" if threshold_ is None else "sets that differ in one party each"
    with pytest.raises(cy.errors.ContradictionError, match=words):
        circle.run(
            x, *active, cheat=lambda stage, given: [altered(given[0], rng), *given[1:]] if stage == "check" else given
        )
    lie = np.full(16, 50)
    shares = circle.joint.shares(x, *active)
    shares[-1] = shifted(shares[-1], shift_of(x, lie))
    with pytest.raises(cy.errors.RangeError, match=words):
        cy.threshold.decrypt(x, shares, circle.session)


def test_nobody_shows_something_before_all_committed_or_something_else(rng: np.random.Generator) -> None:
    circle = Circle(small("bfv", 50))
    x = circle.joint.encrypt(rng.integers(-3, 4, 16), bound=3)
    steps = circle.steps(x)
    with pytest.raises(cy.errors.ArgumentError, match="commit first"):
        steps[1].reveal([])
    commitments = {number: one.commit() for number, one in steps.items()}
    with pytest.raises(cy.errors.ArgumentError, match="commitment of party 3 is missing"):
        steps[1].reveal([commitments[1], commitments[2]])
    with pytest.raises(cy.errors.ArgumentError, match="steps go one after"):
        steps[1].commit_check([])
    other = circle.steps(x, name="another name")
    assert other[1].question != steps[1].question
    with pytest.raises(cy.errors.MismatchError, match="another question"):
        steps[1].reveal([commitments[1], commitments[2], other[3].commit()])
    replayed = circle.macs[3].commitment
    with pytest.raises(cy.errors.MismatchError, match="another question or stage"):
        steps[1].reveal([commitments[1], commitments[2], replayed])
    forged = cy.threshold.Pledge.sign(3, "share", bytes.fromhex(steps[1].question), bytes(32), circle.identities[2])
    with pytest.raises(cy.errors.MismatchError, match="not signed by party 3"):
        steps[1].reveal([commitments[1], commitments[2], forged])
    second = cy.threshold.Pledge.sign(3, "share", bytes.fromhex(steps[1].question), bytes(32), circle.identities[3])
    with pytest.raises(cy.errors.BlameError, match="committed to two things") as caught:
        steps[1].reveal([*commitments.values(), second])
    verdict = cy.threshold.verify(caught.value, circle.session, circle.public)
    assert verdict is not None and (verdict.guilty, caught.value.parties) == (3, (3,))
    shares = [one.reveal(commitments.values()) for one in steps.values()]
    with pytest.raises(cy.errors.MismatchError, match="something else than it committed"):
        steps[1].commit_check([shares[0], shares[1], altered(shares[2], rng)])
    with pytest.raises(cy.errors.ArgumentError, match="missing"):
        steps[1].commit_check(shares[:2])
    with pytest.raises(cy.errors.ArgumentError, match="one answer of each"):
        steps[1].commit_check([*shares, shares[0]])
    with pytest.raises(cy.errors.ArgumentError, match="commit to the check first"):
        steps[1].reveal_check([])


def test_numbers_to_check_with_are_everybodys(rng: np.random.Generator) -> None:
    """A party that takes the others' numbers back is not held to what it committed to."""
    circle = Circle(small("bfv", 50), count=1)
    arrays = {number: one.arrays for number, one in circle.macs.items()}
    rogue = [circle.joint.encrypt(5, wrap=True) - arrays[1][0] - arrays[2][0]]
    with pytest.raises(cy.errors.MismatchError, match="party 3 shows something else"):
        circle.mac_key(arrays={**arrays, 3: rogue})
    with pytest.raises(cy.errors.ArgumentError, match="party 3 are missing"):
        circle.mac_key(arrays={1: arrays[1], 2: arrays[2]})
    with pytest.raises(cy.errors.ArgumentError, match="commitment of party 2"):
        circle.mac_key(commitments=[circle.macs[1].commitment, circle.macs[3].commitment])
    with pytest.raises(cy.errors.ArgumentError):
        cy.threshold.MacShare(circle.joint.parties[1], circle.identities[1], circle.joint.keys.public, count=0)


def test_a_party_decrypts_what_it_can_compute_itself(rng: np.random.Generator) -> None:
    circle = Circle(small("bfv", 50))
    values = rng.integers(-3, 4, 16)
    x = circle.joint.encrypt(values, bound=3)
    y = x * x + 1

    def honest(given: cy.EncryptedArray) -> cy.EncryptedArray:
        return given * given + 1

    circle.steps(y, recompute=honest, inputs=[x])
    for other in (x * x + 2, x * x, x):
        with pytest.raises(cy.errors.MismatchError, match="recomputing"):
            circle.steps(other, recompute=honest, inputs=[x])


@pytest.mark.parametrize(("modulus", "count"), [(786433, 3), (257, 5), (1024, 40), (769 * 257, 5)])
def test_as_many_numbers_as_the_least_prime_factor_takes(modulus: int, count: int) -> None:
    """Of a multiple of another factor, α times it takes only as many values as that has."""
    joint = Joint(parameters("bfv", 16, 2, plain_moduli=(modulus,)), rotations=[])
    made = cy.threshold.MacShare(joint.parties[1], cy.threshold.Identity.create(), joint.keys.public)
    assert len(made.arrays) == count


def test_commitments_are_lines_of_text() -> None:
    identity = cy.threshold.Identity.create()
    made = cy.threshold.Pledge.sign(2, "share", bytes(32), bytes(range(32)), identity)
    again = cy.threshold.Pledge(str(made))
    assert str(again) == str(made) and again.signed_by(identity.public)
    assert str(pickle.loads(pickle.dumps(made))) == str(made)
    for place in range(5, len(str(made))):
        text = str(made)
        changed = text[:place] + ("0" if text[place] != "0" else "1") + text[place + 1 :]
        try:
            other = cy.threshold.Pledge(changed)
        except cy.errors.ArgumentError:
            continue
        assert not other.signed_by(identity.public)
    party, stage, question, digest, signature = str(made).split(" ")[1:]
    changed_lines = [
        f"cycm 0 {stage} {question} {digest} {signature}",
        f"cycm 65536 {stage} {question} {digest} {signature}",
        f"cycm {1 << 40} {stage} {question} {digest} {signature}",
        f"cycm -2 {stage} {question} {digest} {signature}",
        f"cycm {party} \udcff {question} {digest} {signature}",
        f"cycm {party} {stage}\n {question} {digest} {signature}",
        f"cycm {party} {stage} {question}{digest[:2]} {digest[2:]} {signature}",  # the same bytes are signed
        f"cycm {party} {stage} {question} {digest} {signature[2:]}",
    ]
    strange = ["", "cycm", "cycm 1 share", str(made) + " ", str(made).upper(), "cycm x share 00 00 00"]
    for wrong in strange + changed_lines:
        with pytest.raises(cy.errors.ArgumentError):
            cy.threshold.Pledge(wrong)


def test_swapping_names_one_liar() -> None:
    assert cy.threshold.liars([(1, 2), (2, 3)], [(1, 3)]) == (2,)
    assert cy.threshold.liars([(1, 2, 3)], [(1, 2, 4)]) == (3,)
    assert cy.threshold.liars([(1, 2), (3, 4)], []) == ()
    with pytest.raises(cy.errors.ArgumentError):
        cy.threshold.liars([], [(1, 2)])


def test_swapping_names_who_altered_a_share(tmp_path: Path, rng: np.random.Generator) -> None:
    """2 of 3 decrypt, party 3 alters its share whenever it takes part."""
    circle = Circle(small("bgv", 50), 2)
    x = circle.joint.encrypt(rng.integers(-3, 4, 16), bound=3)
    failed, passed = [], []
    for active in ((1, 3), (2, 3), (1, 2)):
        cheat = None
        if 3 in active:

            def cheat(stage: str, shares: list[Any]) -> list[Any]:
                return [altered(shares[0], rng), *shares[1:]] if stage == "share" else shares

        try:
            circle.run(x, *active, cheat=cheat)
            passed.append(active)
        except (cy.errors.ContradictionError, cy.errors.RangeError):
            failed.append(active)
        circle.key = circle.mac_key()
    assert cy.threshold.liars(failed, passed) == (3,)
