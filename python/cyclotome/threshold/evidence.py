# SPDX-License-Identifier: Apache-2.0
"""What shows to anybody that a party of a joint key does not follow the protocol; `doc/threshold.md`, "Blame"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .. import _core
from ..devices.contexts import context_on
from ..errors import ArgumentError, BlameError, UnsupportedError
from .dealing import Complaint, Dealing, DealingRound, Verdict
from .messages import Acceptance, Coin, Commitment, KeyShare, Session
from .pledges import Pledge
from .voices import Verifier, verifying

__all__ = ["blaming", "verify"]

Messages = Coin | Commitment | KeyShare | Acceptance | Pledge | Complaint | Dealing


def verify(
    evidence: BlameError | Iterable[Messages],
    session: Session,
    identities: Mapping[int, Verifier],
    *,
    dealing: DealingRound | None = None,
) -> Verdict | None:
    """Who does not follow the protocol, as signed messages show to anybody, without a key: two of one party and stage
    that differ, a coin that is not the one that its sender tossed, a first share that is not the one that it committed
    to or that opens a candidate which its seed does not give, beside the first shares of all a second one that is not
    proved by what it carries, or a `Complaint` about a dealt share.

    Args:
        evidence: a `BlameError` that somebody caught, or messages: its ``messages``, as they came out of files.
        session: the session.
        identities: of the parties who sent them, by number, as they were compared with everybody.
        dealing: of complaints and dealings, the round.

    Returns:
        Who is guilty, and how that shows; None: these messages show nothing about anybody.

    Raises:
        MismatchError: messages of another session, or that their sender has not signed: these show nothing.
        ArgumentError: no messages; an identity is missing; complaints without their round.
    """
    every = list(evidence.messages if isinstance(evidence, BlameError) else evidence)
    if not every:
        raise ArgumentError("no messages: digests alone show nothing, what was signed does")
    for one in every:
        if not isinstance(one, Messages):
            raise UnsupportedError(f"evidence is made of messages that parties sign, not of {type(one).__name__}")
    dealt = [one for one in every if isinstance(one, (Complaint, Dealing))]
    pledges = [one for one in every if isinstance(one, Pledge)]
    found = _dealt(dealt, dealing), _pledged(pledges, identities), _sent(every, session, identities)
    return next((each for each in found if each is not None), None)


def _sent(every: list[Messages], session: Session, identities: Mapping[int, Verifier]) -> Verdict | None:
    coins = [one for one in every if isinstance(one, Coin)]
    commitments = [one for one in every if isinstance(one, Commitment)]
    shares = [one for one in every if isinstance(one, KeyShare)]
    words = [one for one in every if isinstance(one, Acceptance)]
    _require_known(
        {one.party for one in every if isinstance(one, (Coin, Commitment, KeyShare, Acceptance))}, identities
    )
    context = context_on("cpu", session.parameters)
    natives = [one.native for one in coins], [one.native for one in commitments], [one.on(context) for one in shares]
    fault = _core.joint_fault(session.native, *natives, [one.native for one in words], verifying(identities))
    return None if fault is None else Verdict(fault[0], fault[2])


def _pledged(pledges: list[Pledge], identities: Mapping[int, Verifier]) -> Verdict | None:
    _require_known({one.party for one in pledges}, identities)
    every = [one.native for one in pledges]
    fault = _core.pledge_fault(every, lambda one: Pledge.of_native(one).signed_by(identities[one.party]))
    return None if fault is None else Verdict(fault[0], fault[2])


def _dealt(messages: list[Complaint | Dealing], dealing: DealingRound | None) -> Verdict | None:
    if not messages:
        return None
    if dealing is None:
        raise ArgumentError("complaints and dealings are of a round: give it as dealing=")
    dealings: dict[int, Dealing] = {}
    found = None
    for one in messages:
        found = found or dealing.judge(one)
        if isinstance(one, Dealing):
            found = found or dealing.judge_both(dealings.setdefault(one.dealer, one), one)
    return found


def _require_known(parties: set[int], identities: Mapping[int, Verifier]) -> None:
    for party in sorted(parties):
        if not isinstance(identities.get(party), Verifier):
            raise ArgumentError(f"the identity of party {party} is missing")


@contextmanager
def blaming(messages: Iterable[Any]) -> Iterator[None]:
    """Gives a BlameError those of these messages that are of the parties it names; for a second share that is not
    proved all first shares, too, since it answers those."""
    try:
        yield
    except BlameError as blame:
        unproved = blame.stage == "second" and blame.evidence.startswith(("proof", "no proof"))
        blame.messages = tuple(one for one in messages if one.party in blame.parties or (unproved and _is_first(one)))
        raise


def _is_first(message: Any) -> bool:
    return isinstance(message, KeyShare) and message.round == 1
