# SPDX-License-Identifier: Apache-2.0
"""Joint keys: sessions of any kind, made by `Party.next` alone with messages in any order and some twice; what is
computed under them, decrypted by any set that is large enough, before and after shares are refreshed or a party is
replaced."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cyclotome import _core
from hypothesis import strategies as st
from joint_keys import parameters
from small import HOME

from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]
#: Rounds after which a party that is not done hangs.
MOST_ROUNDS = 20
READY = _core.identities() == "ready"


@dataclass
class Circle:
    """A session, its parties, what they are known by, and the keys that came of it."""

    session: Any
    folder: Path
    parties: dict[int, Any] = field(default_factory=dict)
    identities: dict[int, Any] = field(default_factory=dict)
    keys: Any = None
    sent: list[Any] = field(default_factory=list)

    @property
    def public(self) -> dict[int, Any]:
        return {number: identity.public for number, identity in self.identities.items()}

    def shares(self, number: int) -> list[Any]:
        """The key shares of a round."""
        return [each for each in self.sent if isinstance(each, api.threshold.KeyShare.target) and each.round == number]


def sent_on(message: Any, folder: Path, way: str) -> Any:
    """A message as it arrives."""
    if way == "pickle":
        return pickle.loads(pickle.dumps(message))
    api.save(folder / "message", message, overwrite=True)
    return api.load(folder / "message", allow_insecure=True)


def session_of(draw: Draw, shared: bool = False) -> Any:
    """Two to four parties, of whom all or fewer decrypt, and whatever evaluation keys. ``shared``: fewer."""
    count = draw(st.integers(3 if shared else 2, 4))
    every = st.integers(2, count - 1) if shared else st.one_of(st.none(), st.integers(2, count))
    numbers = sorted(draw(st.sets(st.integers(1, 9), min_size=count, max_size=count)))
    made = api.threshold.Session.create(
        parameters(draw(st.sampled_from(["bfv", "bgv"])), parties=4),
        parties=draw(st.sampled_from([numbers, count])),
        threshold=draw(every),
        rotations=draw(st.sampled_from([None, [], [1], [1, -2]])),
        columns=draw(st.sampled_from([None, True])),
        galois_elements=draw(st.sampled_from([(), (3,)])),
        matrices=draw(st.sampled_from([(), ((2, 3),)])),
        relinearization=draw(st.booleans()),
    )
    assert len(made.parties) == count and 2 <= made.threshold <= count and len(made.id) == 64
    assert made.shares_secrets == (made.threshold < count) and made.parameters.parties == 4
    assert 3 in made.galois_elements or not made.galois_elements or all(each % 2 for each in made.galois_elements)
    return made


def circle_of(draw: Draw, session: Any, folder: Path, named: bool = False) -> Circle:
    """Parties that know each other, or not; that live in files, or not; and their keys. ``named``: they do."""
    circle = Circle(session, folder)
    kept = draw(st.booleans())
    if READY and draw(st.booleans() if not named else st.just(True)):
        circle.identities = {number: api.threshold.Identity.create() for number in session.parties}
    for number in session.parties:
        circle.parties[number] = api.threshold.Party(
            session,
            number,
            file=folder / f"{number}.party" if kept else None,
            passphrase=None,
            share=None,
            identity=circle.identities.get(number),
            identities=circle.public or None,
            device=HOME,
        )
    make_keys(draw, circle)
    return circle


def make_keys(draw: Draw, circle: Circle) -> None:
    """By `Party.next`: everybody reads what has arrived, in any order and some of it twice, and sends what it says."""
    seen: set[bytes] = set()
    said: dict[int, Any] = {}
    way = draw(st.sampled_from(["pickle", "file"]))
    for _ in range(MOST_ROUNDS):
        for number in draw(st.permutations(circle.session.parties)):
            inbox = [*circle.sent, *circle.sent[: draw(st.integers(0, len(circle.sent)))]]
            said[number] = circle.parties[number].next(draw(st.permutations(inbox)) if len(inbox) < 9 else inbox[::-1])
            for message in said[number].messages:
                data = api.to_bytes(message)
                if data not in seen:
                    seen.add(data)
                    circle.sent.append(sent_on(message, circle.folder, way))
        if all(each.stage == "done" for each in said.values()):
            break
    check_keys(circle, said)


def check_keys(circle: Circle, said: dict[int, Any]) -> None:
    """Everybody has the same keys, and so has whoever only has the messages."""
    session, threshold = circle.session, api.threshold
    assert {each.stage for each in said.values()} == {"done"}, said
    assert isinstance(said[session.parties[0]], threshold.Progress.target)
    assert len({each.transcript for each in said.values()}) == 1 and not any(each.missing for each in said.values())
    first, second = circle.shares(1), circle.shares(2)
    assert [each.party for each in sorted(first, key=lambda each: each.party)] == list(session.parties)
    assert bool(second) == session.relinearization and all(each.nbytes > 0 for each in first)
    for each in circle.sent:
        assert each.session_id == session.id and each.party in session.parties
        assert each.parameters == session.parameters
    assert threshold.transcript(session, first, second) == said[session.parties[0]].transcript
    circle.keys = threshold.combine(session, first, second, device=HOME)
    assert isinstance(circle.keys, threshold.JointKeys.target)
    ids = {party.key_id for party in circle.parties.values()} | {each.keys.public.key_id for each in said.values()}
    assert ids == {circle.keys.public.key_id} == {circle.keys.evaluation.key_id}
    for number, party in circle.parties.items():
        assert party.number == number and party.session == session
        assert party.secret.key_id != circle.keys.public.key_id  # decrypts nothing by itself


# --- shares of the joint secret ---------------------------------------------------------------------------------------
def dealt(draw: Draw, circle: Circle, what: str, epoch: int, dealers: list[int] | None = None) -> None:
    """A round of dealing, whose messages all arrive; every party takes what it got."""
    threshold, session, way = api.threshold, circle.session, draw(st.sampled_from(["pickle", "file"]))
    rounds = {
        number: threshold.DealingRound(session, circle.public, what=what, epoch=epoch, dealers=dealers, device=HOME)
        for number in session.parties
    }
    assert len({each.id for each in rounds.values()}) == 1
    one = rounds[session.parties[0]]
    assert (one.session, one.what, one.epoch) == (session, what, epoch)
    assert list(one.dealers) == (list(session.parties) if dealers is None else dealers)

    def arrived(message: Any) -> Any:
        assert message.round_id == one.id and message.parameters == session.parameters
        return sent_on(message, circle.folder, way)

    keys = [arrived(rounds[number].keys(number, circle.identities[number])) for number in session.parties]
    assert [each.party for each in keys] == list(session.parties)
    dealings, sealed = [], []
    for number in one.dealers:
        dealing, each = rounds[number].deal(circle.parties[number], circle.identities[number], keys)
        dealings.append(arrived(dealing))
        sealed += [arrived(share) for share in each.values()]
        assert dealings[-1].dealer == number and one.judge(dealings[-1]) is None
        assert one.judge_both(dealings[-1], dealings[-1]) is None
    transcripts = {rounds[number].transcript(draw(st.permutations(dealings))) for number in session.parties}
    assert len(transcripts) == 1
    for number, party in circle.parties.items():
        mine = [each for each in sealed if each.receiver == number]
        assert sorted(each.dealer for each in mine) == list(one.dealers)
        share = rounds[number].receive(party, circle.identities[number], draw(st.permutations(dealings)), mine)
        assert (share.sender, share.receiver, share.epoch, share.session_id) == (None, number, epoch, session.id)
        path = circle.folder / "share.key"
        api.save(path, share, overwrite=True)
        party.take(api.load(path, allow_insecure=True))
        assert party.share.epoch == epoch


def dealt_in_the_clear(circle: Circle) -> None:
    """The same without checks, for parties that have no identities."""
    every = [party.deal() for party in circle.parties.values()]
    for number, party in circle.parties.items():
        share = party.receive([each[number] for each in every])
        assert share.receiver == number and share.sender is None and share.epoch == 0


def replaced(draw: Draw, circle: Circle, epoch: int) -> None:
    """One party has lost everything; who takes its place has its number, another identity, and no share."""
    lost = draw(st.sampled_from(circle.session.parties))
    others = [number for number in circle.session.parties if number != lost]
    circle.identities[lost] = api.threshold.Identity.create()
    circle.parties[lost] = api.threshold.Party(circle.session, lost, device=HOME)
    circle.parties[lost].replace(circle.shares(1))
    dealers = sorted(draw(st.permutations(others))[: max(circle.session.threshold, 2)])
    dealt(draw, circle, "replace", epoch, dealers)


# --- decryption -------------------------------------------------------------------------------------------------------
def deciding(draw: Draw, circle: Circle) -> list[int]:
    """Who decrypts: any who are enough."""
    least, every = circle.session.threshold, list(circle.session.parties)
    return sorted(draw(st.permutations(every))[: draw(st.integers(least, len(every)))])


def opened(draw: Draw, circle: Circle, x: Any) -> Any:
    """The values, by a set that is large enough."""
    active = deciding(draw, circle)
    named = None if len(active) == len(circle.session.parties) and draw(st.booleans()) else active
    bits = draw(st.sampled_from([1, 40, 64]))
    shares = [
        circle.parties[number].decryption_share(x, active=named, flooding_bits=bits, progress=None) for number in active
    ]
    for number, share in zip(active, shares, strict=True):
        assert (share.party, list(share.active), share.flooding_bits) == (number, active, bits)
        assert share.epoch == (0 if circle.parties[number].share is None else circle.parties[number].share.epoch)
    way = draw(st.sampled_from(["pickle", "file"]))
    arrived = [sent_on(share, circle.folder, way) for share in draw(st.permutations(shares))]
    return api.threshold.decrypt(x, arrived, circle.session, progress=None)


def opened_with_checks(draw: Draw, circle: Circle, x: Any) -> Any:
    """The same, by steps that would show an altered share."""
    threshold, session = api.threshold, circle.session
    macs = {
        number: threshold.MacShare(party, circle.identities[number], circle.keys.public, count=draw(st.integers(1, 2)))
        if number == session.parties[0]
        else None
        for number, party in circle.parties.items()
    }
    count = len(macs[session.parties[0]].arrays)
    for number, party in circle.parties.items():
        macs[number] = macs[number] or threshold.MacShare(
            party, circle.identities[number], circle.keys.public, count=count
        )
    lines = [threshold.Pledge(str(each.commitment)) for each in macs.values()]
    assert all(line.signed_by(circle.public[line.party]) for line in lines)
    arrays = {number: each.arrays for number, each in macs.items()}
    file = draw(st.sampled_from([None, circle.folder / f"numbers-{len(list(circle.folder.iterdir()))}"]))
    key = threshold.MacKey(session, circle.public, circle.keys.public, lines, arrays, file=file)
    assert len(key.sums) == count and not key.spent
    active, bits = deciding(draw, circle), draw(st.sampled_from([1, 40]))
    steps = [
        threshold.CheckedDecryption(
            circle.parties[number],
            circle.identities[number],
            x,
            key,
            circle.public,
            name="what was asked",
            active=active,
            flooding_bits=bits,
            recompute=lambda given: +given,
            inputs=(x,),
        )
        for number in active
    ]
    assert len({step.question for step in steps}) == 1
    commitments = [step.commit() for step in steps]
    assert {(line.stage, line.question) for line in commitments} == {("share", commitments[0].question)}
    for line in commitments:
        again = threshold.Pledge(str(line))
        assert (again.digest, again.signature) == (line.digest, line.signature)
        assert (len(line.digest), len(line.signature)) == (32, 64)
    shares = [step.reveal(commitments) for step in steps]
    checks = [step.commit_check(shares) for step in steps]
    answers = [step.reveal_check(checks) for step in steps]
    values = [step.values(answers) for step in steps]
    assert all(np.array_equal(value, values[0]) for value in values) and not key.spent
    return values[0]


# --- scenarios --------------------------------------------------------------------------------------------------------
def computed(draw: Draw, circle: Circle) -> tuple[Any, Any]:
    """An array under the joint key, and what it holds."""
    session = circle.session
    values = np.array(draw(st.lists(st.integers(-9, 9), min_size=16, max_size=16)), dtype=object)
    x, clear = api.encrypt(values, circle.keys.public, bound=9).with_keys(circle.keys.evaluation), values
    if session.relinearization and draw(st.booleans()):
        x, clear = x * x + x, clear * clear + clear
    elif draw(st.booleans()):
        x, clear = 3 * x - 1, 3 * clear - 1
    if 1 in circle.keys.evaluation.rotations:
        x, clear = x.rotate_rows(1), np.roll(clear.reshape(2, 8), -1, axis=1).reshape(-1)
    if circle.keys.evaluation.columns and draw(st.booleans()):
        x, clear = x.rotate_columns(), clear.reshape(2, 8)[::-1].reshape(-1)
    return x, clear


def joint_keys(draw: Draw) -> None:
    """Keys of any session, and what was computed under them."""
    session = session_of(draw)
    with tempfile.TemporaryDirectory() as name:
        circle = circle_of(draw, session, Path(name))
        if session.shares_secrets:
            dealt_in_the_clear(circle)
        _check(draw, circle)


def joint_epochs(draw: Draw) -> None:
    """The same in every epoch of the shares of a session in which fewer than all decrypt."""
    if not READY:
        return
    with tempfile.TemporaryDirectory() as name:
        circle = circle_of(draw, session_of(draw, shared=True), Path(name), named=True)
        verdict = api.threshold.verify(circle.sent, circle.session, circle.public, dealing=None)
        assert verdict is None, f"honest parties signed what shows {verdict}"
        dealt(draw, circle, "secret", 0)
        _check(draw, circle)
        dealt(draw, circle, "refresh", 1)
        _check(draw, circle)
        replaced(draw, circle, 2)
        _check(draw, circle)


def _check(draw: Draw, circle: Circle) -> None:
    x, clear = computed(draw, circle)
    found = opened(draw, circle, x)
    assert np.array_equal(found, clear), f"{circle.session}: {found}, not {clear}"
    if circle.identities and circle.session.relinearization:
        found = opened_with_checks(draw, circle, x)
        assert np.array_equal(found, clear), f"{circle.session}, with checks: {found}, not {clear}"


def kinds_of_messages(draw: Draw) -> None:
    """What parties send are objects of the classes that are named, and show what they are."""
    session = api.threshold.Session.create(parameters(parties=3), parties=3, threshold=2)
    with tempfile.TemporaryDirectory() as name:
        circle = Circle(session, Path(name))
        circle.parties = {number: api.threshold.Party(session, number, device=HOME) for number in session.parties}
        make_keys(draw, circle)
        dealt_in_the_clear(circle)
        x = api.encrypt([1], circle.keys.public, bound=1)
        share = circle.parties[1].decryption_share(x, active=[1, 2])
        sent = {type(each).__name__: each for each in circle.sent}
        found = [(share, "DecryptionShare"), (circle.parties[1].share, "SecretShare")]
        found += [(sent[kind], kind) for kind in ("Acceptance", "Coin", "Commitment", "KeyShare")]
        if READY:
            circle.identities = {number: api.threshold.Identity.create() for number in session.parties}
            own = circle.identities[1]
            one = api.threshold.DealingRound(session, circle.public)
            keys = [one.keys(number, each) for number, each in circle.identities.items()]
            dealing, sealed = one.deal(circle.parties[1], own, keys)
            found += [(keys[0], "ReceivingKeys"), (dealing, "Dealing"), (sealed[1], "SealedShare")]
            found += [(own, "Signer"), (own.public, "Verifier")]
        for value, kind in found:
            named = getattr(api.threshold, kind).target
            assert isinstance(value, named) or getattr(named, "_is_protocol", False), kind


def joint_steps(draw: Draw) -> None:
    """The same keys by single calls, with and without a relinearisation key; and what old files tell."""
    threshold = api.threshold
    audit = draw(st.sampled_from([1, 2]))
    planned = draw(st.integers(2, 5))
    session = threshold.Session.create(
        parameters(parties=2), parties=2, relinearization=draw(st.booleans()), audit=audit, decryptions=planned
    )
    assert (session.audit, session.decryptions) == (audit, planned)
    parties = [threshold.Party(session, number, device=HOME) for number in session.parties]
    tosses = [party.toss() for party in parties] if audit > 1 else []
    commitments = [party.commit(tosses) for party in parties]
    assert {each.party for each in commitments} == set(session.parties)
    before = [party.show_coin(commitments) for party in parties] if audit > 1 else commitments
    assert not any(each.shown for each in tosses) and (audit == 1 or all(each.shown for each in before))
    first, second = [party.first_share(before) for party in parties], []
    for party in parties:
        if session.relinearization:
            second.append(party.second_share(first))
        else:
            party.agree(first)
    words = [party.accept(first, second) for party in parties]
    assert {word.seen for word in words} == {threshold.transcript(session, first, second)}
    for party in parties:
        assert not party.accepted
        party.seal(words)
        assert party.accepted
    given = draw(st.sampled_from([None, words]))
    keys = threshold.combine(session, first, second, acceptances=given, device=HOME)
    values = draw(st.lists(st.integers(-9, 9), min_size=3, max_size=3))
    x = api.encrypt(values, keys.public, bound=9)
    shares = [party.decryption_share(x, flooding_bits=40) for party in parties]
    assert threshold.decrypt(x, shares, session).tolist() == values
    counted = parties[0].decryptions
    assert counted.planned == planned and 1 <= counted.spent == planned - counted.left
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / str(i) for i in range(len(second))]
        for path, share in zip(paths, second, strict=True):
            api.save(path, share)
        found = threshold.advise(paths)
    assert [(each.party, each.answers) for each in found] == [(share.party, 1) for share in second]
    assert not any(each.secret_is_public or "PUBLIC" in each.words for each in found)
    dealt_twice = threshold.Session.create(
        parameters(parties=3), parties=3, threshold=2, relinearization=False, audit=1
    )
    circle = Circle(dealt_twice, Path())
    circle.parties = {number: threshold.Party(dealt_twice, number, device=HOME) for number in dealt_twice.parties}
    dealt_in_the_clear(circle)


def identities(draw: Draw) -> None:
    """Signatures verify for what was signed and nothing else; what is sealed is opened by whom it is for."""
    if not READY:
        return
    own, other = (api.threshold.Identity.create() for _ in range(2))
    known = api.threshold.PublicIdentity(str(own.public))
    assert known == own.public == api.threshold.PublicIdentity.from_bytes(known.bytes) != other.public
    text, more = draw(st.binary(max_size=99)), draw(st.binary(min_size=1, max_size=9))
    signature = own.sign("a test", text)
    assert known.verify("a test", text, signature)
    wrong = [("a test", text + more, signature), ("another", text, signature), ("a test", text, more)]
    assert not any(known.verify(*each) for each in wrong) and not other.public.verify("a test", text, signature)
    sealed = known.seal(text, b"context")
    assert own.open(sealed, b"context") == text
    for who, context in ((own, b""), (other, b"context")):
        try:
            who.open(sealed, context)
        except api.errors.ArgumentError:
            continue
        raise AssertionError("somebody else opened it, or in another context")


def named_liars(draw: Draw) -> None:
    """Who was in every set that failed, and in none that passed."""
    sets = st.lists(st.sets(st.integers(1, 5), min_size=1, max_size=3), min_size=1, max_size=3)
    failed, passed = draw(sets), draw(sets)
    wanted = tuple(
        one for one in range(1, 6) if all(one in each for each in failed) and not any(one in each for each in passed)
    )
    assert api.threshold.liars(failed, passed) == wanted, (failed, passed)


SCENARIOS = (joint_keys, joint_epochs, joint_steps, kinds_of_messages, identities, named_liars)
