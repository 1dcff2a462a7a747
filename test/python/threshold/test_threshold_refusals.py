# SPDX-License-Identifier: Apache-2.0
"""What parties of a joint key may not mix up: every wrong session, party, array and byte is a typed error."""

from __future__ import annotations

import copy
import hashlib
import math
import pickle
import stat
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import (
    ArgumentError,
    CyclotomeError,
    FormatError,
    MismatchError,
    NoiseError,
    ParameterError,
    RepeatedAnswerError,
    SecrecyError,
    UnsupportedError,
)
from joint_keys import Joint, first_round, parameters, session_id


@pytest.fixture(scope="module")
def three() -> Joint:
    """3 of 3."""
    return Joint(parameters("bfv", 16, 3), rotations=[])


@pytest.fixture(scope="module")
def two_of_three() -> Joint:
    return Joint(parameters("bfv", 16, 3), 2, rotations=[])


@pytest.fixture(scope="module")
def others() -> Joint:
    """Another session of the same parameters and parties."""
    return Joint(parameters("bfv", 16, 3), 2, rotations=[])


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"parties": 1}, "at least 2"),
        ({"parties": 4}, "parties=4"),
        ({"parties": [0, 1]}, "party 0"),
        ({"parties": [1, 1]}, "different"),
        ({"parties": [1, 65536]}, "65535"),
        ({"parties": 3, "threshold": 4}, "threshold of 4 of 3"),
        ({"parties": 3, "threshold": 1}, "threshold of 1 of 3"),
        ({"parties": 3, "threshold": 0}, "threshold of 0"),
        ({"parties": 3, "galois_elements": [2]}, "Galois element 2"),
        ({"parties": -1}, "must lie in"),
    ],
)
def test_sessions_that_cannot_be(options: dict[str, Any], what: str) -> None:
    with pytest.raises(ArgumentError, match=what):
        cy.threshold.Session.create(parameters("bfv", 16, 3), **options)


def test_parameters_of_no_parties_and_too_many() -> None:
    for parties in (0, 257):
        with pytest.raises(ParameterError, match="parties"):
            parameters("bfv", 16, parties)
        with pytest.raises(ParameterError, match="parties"):
            cy.Parameters.suggest(depth=0, value_bits=8, parties=parties)
    with pytest.raises(ArgumentError, match="parties=2"):
        cy.threshold.Session.create(parameters("bfv", 16, 1), parties=2)


def test_parties_that_take_no_part_and_files_of_others(two_of_three: Joint, others: Joint, tmp_path: Path) -> None:
    session = two_of_three.session
    with pytest.raises(ArgumentError, match="party 4"):
        cy.threshold.Party(session, 4)
    with pytest.raises(ArgumentError, match="party 0"):
        cy.threshold.Party(session, 0)
    file = tmp_path / "one.party"
    own = cy.threshold.Party(session, 1, file=file)
    for early in (own.deal, lambda: own.secret):
        with pytest.raises(ArgumentError, match="no secret key yet"):
            early()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(MismatchError, match="party 1"):
        cy.threshold.Party(session, 2, file=file)
    with pytest.raises(MismatchError, match="session"):
        cy.threshold.Party(others.session, 1, file=file)
    with pytest.raises(MismatchError):
        cy.threshold.Party(session, 1, file=file, share=others.parties[1].share)
    with pytest.raises(ArgumentError, match="sum"):
        cy.threshold.Party(session, 1, file=file, share=two_of_three.parties[1].deal()[1])
    with pytest.raises(ArgumentError, match="party 1"):
        cy.threshold.Party(session, 1, file=file, share=two_of_three.parties[2].share)
    with pytest.raises(FormatError, match=r"threshold\.Party"):
        cy.load(file, allow_insecure=True)
    cy.save(tmp_path / "old.key", two_of_three.parties[1].secret)
    with pytest.raises(FormatError, match="first version"):
        cy.threshold.Party(session, 1, file=tmp_path / "old.key")
    file.chmod(0o644)
    with pytest.warns(UserWarning, match="others may read it"):
        cy.threshold.Party(session, 1, file=file)


def test_a_partys_secret_decrypts_nothing(three: Joint) -> None:
    x = three.encrypt([1], bound=1)
    with pytest.raises(MismatchError):
        cy.decrypt(x, three.parties[1].secret)


def test_key_shares_that_do_not_belong_together(three: Joint, others: Joint) -> None:
    session, first, second = three.session, three.first, three.second
    with pytest.raises(ArgumentError, match="nothing of party 3"):
        cy.threshold.combine(session, first[:2], second)
    with pytest.raises(ArgumentError, match="more than one share of party 1"):
        cy.threshold.combine(session, [*first, first[0]], second)
    with pytest.raises(ArgumentError, match="party 2"):
        cy.threshold.combine(session, [first[0], first[1], first[1]], second)
    with pytest.raises(ArgumentError, match="second round: nothing of party 2"):
        cy.threshold.combine(session, first, [second[0], second[2]])
    with pytest.raises(ArgumentError, match="other round"):
        cy.threshold.combine(session, [*first[:2], second[2]], second)
    with pytest.raises(ArgumentError, match="other round"):
        cy.threshold.combine(session, first, [*second[:2], first[2]])
    with pytest.raises(MismatchError, match="session"):
        cy.threshold.combine(session, [*first[:2], others.first[2]], second)
    with pytest.raises(MismatchError, match="session"):
        cy.threshold.combine(session, first, [*second[:2], others.second[2]])
    with pytest.raises(ArgumentError):
        cy.threshold.combine(session, [], [])
    with pytest.raises(UnsupportedError):
        cy.threshold.combine(session, [three.keys.public], second)  # type: ignore[list-item]


def test_second_shares_must_answer_the_same_first_ones() -> None:
    """A party that was made anew gives another first share: answers to the old ones are refused."""
    params = parameters("bfv", 16, 2)
    joint = Joint(params, rotations=[])
    session = joint.session
    one, two = (cy.threshold.Party(session, number, device="cpu:1") for number in session.parties)
    first = first_round(one, two)
    two.second_share(first)
    with pytest.raises(MismatchError, match="other first shares"):
        cy.threshold.combine(session, first, [joint.second[0], two.second_share(first)])


def test_sessions_without_products_have_no_second_round() -> None:
    joint = Joint(parameters("bfv", 16, 2), rotations=[1], relinearization=False)
    assert not joint.keys.evaluation.relinearization
    assert joint.keys.evaluation.rotations == (1,)
    with pytest.raises(ArgumentError, match="no second round"):
        joint.parties[1].second_share(joint.first)
    assert np.array_equal(joint.decrypt(joint.encrypt([4], bound=4)), [4])
    newcomer = cy.threshold.Party(joint.session, 2)
    with pytest.raises(RepeatedAnswerError):
        joint.parties[1].commit([joint.tosses[0], newcomer.toss()])
    with pytest.raises(ArgumentError, match="does not know the joint key"):
        newcomer.decryption_share(joint.encrypt([4], bound=4))


def test_dealt_shares_that_do_not_belong(two_of_three: Joint, others: Joint, three: Joint) -> None:
    party = two_of_three.parties[1]
    dealt = [one.deal() for one in two_of_three.parties.values()]
    mine = [shares[1] for shares in dealt]
    with pytest.raises(ArgumentError, match="nothing of party 3"):
        party.receive(mine[:2])
    with pytest.raises(ArgumentError, match="more than one share of party 1"):
        party.receive([*mine, mine[0]])
    with pytest.raises(ArgumentError, match="for party 2"):
        party.receive([*mine[:2], dealt[2][2]])
    with pytest.raises(MismatchError, match="session"):
        party.receive([*mine[:2], others.parties[3].deal()[1]])
    with pytest.raises(ArgumentError, match="smaller threshold"):
        three.parties[1].deal()
    assert party.receive(mine).sender is None


def test_decryption_shares_that_do_not_belong(two_of_three: Joint, others: Joint) -> None:
    session = two_of_three.session
    x, z = two_of_three.encrypt([1, 2], bound=5), two_of_three.encrypt([1, 2], bound=5)
    one, two = two_of_three.shares(x, 1, 2)
    with pytest.raises(ArgumentError, match="nothing of party 2"):
        cy.threshold.decrypt(x, [one], session)
    with pytest.raises(ArgumentError, match="more than one share of party 1"):
        cy.threshold.decrypt(x, [one, one], session)
    with pytest.raises(ArgumentError, match="no shares"):
        cy.threshold.decrypt(x, [], session)
    with pytest.raises(MismatchError, match="another array"):
        cy.threshold.decrypt(z, [one, two], session)
    with pytest.raises(MismatchError, match="another array"):
        cy.threshold.decrypt(x + 0 * x + 1, [one, two], session)
    with pytest.raises(MismatchError, match="other parties"):
        cy.threshold.decrypt(x, [one, two_of_three.shares(x, 2, 3)[0]], session)
    with pytest.raises(MismatchError, match="other flooding"):
        cy.threshold.decrypt(
            x, [one, two_of_three.parties[2].decryption_share(x, active=[1, 2], flooding_bits=50)], session
        )
    with pytest.raises(MismatchError):
        cy.threshold.decrypt(x, [one, others.shares(others.encrypt([1, 2], bound=5), 1, 2)[1]], session)
    with pytest.raises(MismatchError, match="session"):
        cy.threshold.decrypt(x, [one, two], others.session)
    with pytest.raises(MismatchError, match="key"):
        two_of_three.parties[1].decryption_share(others.encrypt([1], bound=1), active=[1, 2])
    assert np.array_equal(cy.threshold.decrypt(x, [two, one], session), [1, 2])


@pytest.mark.parametrize(
    ("active", "what"),
    [
        ([1], "takes 2"),
        ([], "takes 2"),
        ([2, 3], "party 1 is none"),
        ([1, 4], "party 4"),
        ([0, 1], "party 0"),
        ([1, 1], "different"),
    ],
)
def test_sets_of_parties_that_cannot_decrypt(two_of_three: Joint, active: list[int], what: str) -> None:
    x = two_of_three.encrypt([1], bound=1)
    with pytest.raises(ArgumentError, match=what):
        two_of_three.parties[1].decryption_share(x, active=active)


def test_all_must_take_part_where_all_are_needed(three: Joint) -> None:
    x = three.encrypt([1], bound=1)
    with pytest.raises(ArgumentError, match="takes 3"):
        three.parties[1].decryption_share(x, active=[1, 2])


def test_a_share_before_secrets_were_dealt() -> None:
    session = cy.threshold.Session.create(
        parameters("bfv", 16, 3), parties=3, threshold=2, rotations=[], relinearization=False
    )
    parties = [cy.threshold.Party(session, number) for number in session.parties]
    first = first_round(*parties)
    x = cy.encrypt([1], cy.threshold.combine(session, first).public, bound=1)
    parties[0].agree(first)
    with pytest.raises(ArgumentError, match="dealt"):
        parties[0].decryption_share(x, active=[1, 2])


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_flooding_that_does_not_fit(scheme: str) -> None:
    """Refused by public numbers before anything is drawn, at the very bit where the room ends."""
    joint = Joint(parameters(scheme, 16, 3, primes=3), rotations=[])
    party = joint.parties[1]
    x = joint.encrypt([3], bound=3)
    y = x * x
    needed = math.log2(16) + math.log2(3) + math.log2(15 / 16)  # besides the bits themselves
    most = math.floor(y.noise_headroom - needed)
    assert 1 < most < 128
    assert joint.decrypt(y, bits=most)[0] == 9
    with pytest.raises(NoiseError, match=r"3 parties with .*\(suggest with flooding_bits and parties\)"):
        party.decryption_share(y, flooding_bits=most + 1)
    for bits in (0, 129):
        with pytest.raises(ArgumentError, match="flooding_bits"):
            party.decryption_share(x, flooding_bits=bits)
    spent = joint.encrypt([3], wrap=True)
    with cy.allow_undecryptable():
        while spent.noise_headroom > 0:
            spent = spent * spent
    with pytest.raises(NoiseError):
        party.decryption_share(spent, flooding_bits=1)


def test_products_that_were_not_relinearised(three: Joint) -> None:
    y = three.encrypt([3], bound=3, encoding="coefficients")
    raw = cy.polynomials.negacyclic_product(y, y, relinearize=False)
    assert raw.native.parts == 3
    with pytest.raises(ArgumentError, match="relinearise"):
        three.parties[1].decryption_share(raw)


def resealed(data: bytes) -> bytes:
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_altered_bytes(scheme: str) -> None:
    """Bytes of a share that were changed, with a checksum that fits: what is not refused for what it says ends in
    noise beyond the flooding, or in values beyond the array's bound."""
    joint = Joint(parameters(scheme, 16, 2), rotations=[])
    x = joint.encrypt(np.arange(16), bound=20)
    shares = joint.shares(x)
    data = cy.to_bytes(shares[1])
    rng = np.random.default_rng(20261123)
    places = sorted({*range(8, 400, 7), *(int(at) for at in rng.integers(400, len(data) - 32, 150))})
    refused = 0
    for at in places:
        changed = bytearray(data)
        changed[at] ^= 1 << int(rng.integers(8))
        with pytest.raises(FormatError):
            cy.from_bytes(bytes(changed), allow_insecure=True)  # the checksum
        try:
            forged = cy.from_bytes(resealed(bytes(changed)), allow_insecure=True, device="cpu:1")
            assert np.array_equal(cy.threshold.decrypt(x, [shares[0], forged], joint.session), np.arange(16)), at
        except CyclotomeError:
            refused += 1
    assert refused > len(places) // 2


def test_files_and_bytes_of_every_message(two_of_three: Joint, tmp_path: Path) -> None:
    session, party = two_of_three.session, two_of_three.parties[1]
    assert cy.from_bytes(cy.to_bytes(session), allow_insecure=True) == session
    assert pickle.loads(pickle.dumps(session)) == session
    x = two_of_three.encrypt([5], bound=5)
    for message in (
        two_of_three.commitments[0],
        two_of_three.first[0],
        two_of_three.second[0],
        two_of_three.shares(x, 1, 2)[0],
    ):
        path = tmp_path / "message.ct"
        cy.save(path, message)
        again = cy.load(path, expect=session.parameters, device="cpu:1")
        assert cy.to_bytes(again) == cy.to_bytes(message) == path.read_bytes()
        assert repr(again) == repr(message)
        assert cy.to_bytes(copy.deepcopy(message)) == cy.to_bytes(message)
        own = two_of_three.keys.public.key_id if isinstance(message, cy.threshold.DecryptionShare) else None
        assert cy.inspect(path).key_id == (own or session_id(session))
    share = party.share
    assert share is not None
    for way in (cy.to_bytes, pickle.dumps, copy.copy):
        with pytest.raises(SecrecyError):
            way(share)
    path = tmp_path / "share.key"
    cy.save(path, share)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(CyclotomeError, match="exists"):
        cy.save(path, share)
    loaded = cy.load(path, expect=session.parameters, device="cpu:1")
    assert "SECRET" in repr(loaded)
    path.chmod(0o644)
    with pytest.warns(UserWarning, match="others may read it"):
        cy.load(path, expect=session.parameters)


def test_joint_parameters_and_single_ones_do_not_mix() -> None:
    joint = Joint(parameters("bfv", 16, 2), rotations=[])
    other = Joint(parameters("bfv", 16, 3), rotations=[])
    with pytest.raises(MismatchError):
        cy.threshold.combine(joint.session, [joint.first[0], other.first[1]], joint.second)
    with pytest.raises(MismatchError):
        joint.parties[1].decryption_share(other.encrypt([1], bound=1))
    data = cy.to_bytes(joint.session.parameters)
    assert cy.from_bytes(data, allow_insecure=True) == joint.session.parameters
    assert cy.from_bytes(data, allow_insecure=True).parties == 2
