# SPDX-License-Identifier: Apache-2.0
"""Dealt shares that their receivers can check, that nobody else reads, and that name whoever dealt wrongly;
`doc/threshold.md`, "Verified shares"."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .. import _core
from ..devices.contexts import context_on
from ..errors import ArgumentError, BlameError, MismatchError, UnsupportedError
from ..pickling import pickled_as_file
from .identities import Identity, PublicIdentity
from .messages import SecretShare, Session, Wrapped, number_of

__all__ = ["Complaint", "Dealing", "DealingMessage", "DealingRound", "ReceivingKeys", "SealedShare", "Verdict"]

_M = TypeVar("_M", bound="DealingMessage")

#: What a round deals, as the library numbers it.
_KINDS = {"secret": 1, "refresh": 2, "replace": 3}


class DealingMessage(Wrapped):
    """A message of a round of dealing: public, as what is for one party is sealed for it."""

    __slots__ = ()

    @property
    def round_id(self) -> str:
        """The `DealingRound.id` that it belongs to."""
        digest: bytes = self._native.round
        return digest.hex()

    def _facts(self) -> str:
        return f"round {self.round_id[:8]}"


@pickled_as_file
class ReceivingKeys(DealingMessage):
    """A party's first message: a key for each dealer to seal for, which opens nothing else."""

    __slots__ = ()

    @property
    def party(self) -> int:
        """Whose keys they are."""
        return int(self._native.party)

    def _facts(self) -> str:
        return f"party {self.party}, {super()._facts()}"


@pickled_as_file
class Dealing(DealingMessage):
    """A dealer's message to everybody: hashes of what it sealed, and what receivers check their shares by."""

    __slots__ = ()

    @property
    def dealer(self) -> int:
        """Who deals."""
        return int(self._native.dealer)

    def _facts(self) -> str:
        return f"party {self.dealer}, {super()._facts()}"


@pickled_as_file
class SealedShare(DealingMessage):
    """A dealer's message to one party, which that party alone opens."""

    __slots__ = ()

    @property
    def dealer(self) -> int:
        """Who deals."""
        return int(self._native.dealer)

    @property
    def receiver(self) -> int:
        """Who opens it."""
        return int(self._native.receiver)

    def _facts(self) -> str:
        return f"from party {self.dealer} to party {self.receiver}, {super()._facts()}"


@pickled_as_file
class Complaint(DealingMessage):
    """A receiver's claim that a dealer dealt wrongly, with what anybody needs to judge it (`DealingRound.judge`): it
    shows the one share that it is about, and nothing else."""

    __slots__ = ()

    @property
    def accuser(self) -> int:
        """Who complains."""
        return int(self._native.accuser)

    @property
    def dealer(self) -> int:
        """About whom."""
        return int(self._native.dealer)

    def _facts(self) -> str:
        return f"party {self.accuser} about party {self.dealer}, {super()._facts()}"


class Verdict(NamedTuple):
    """Who lied, and how that shows."""

    guilty: int
    reason: str


class DealingRound:
    """A round in which parties deal each other shares of the joint secret. Everybody makes the same one, and compares
    ``id``; then each sends its `keys` to all, what it deals to all and to each, and complaints if there are any.

    Args:
        session: one in which fewer than all decrypt.
        identities: of all parties, by number: what each has as ``Identity.public``. Compare them over a channel that
            you trust.
        what: "secret": each party's own, which a session begins with; "refresh": every share becomes another one, of
            the same joint secret, and shares of the epoch before are worth nothing beside it; "replace": parties who
            have their shares deal to all anew, those among them who lost theirs.
        epoch: of the shares that come of it: 0 of "secret", and one more than before of the others.
        dealers: who deals; None: all. With "replace" those who have their shares, at least ``session.threshold``.
        device: where to compute.

    Raises:
        ArgumentError: a session in which all decrypt; an epoch, dealers or identities that can't be.
    """

    def __init__(
        self,
        session: Session,
        identities: Mapping[int, PublicIdentity],
        *,
        what: str = "secret",
        epoch: int = 0,
        dealers: Sequence[int] | None = None,
        device: str = "cpu",
    ) -> None:
        if not isinstance(session, Session):
            raise UnsupportedError(f"a round of dealing takes a Session, not {type(session).__name__}")
        if what not in _KINDS:
            raise ArgumentError(f"{what!r} is nothing to deal; possible are {', '.join(_KINDS)}")
        for identity in identities.values():
            if not isinstance(identity, PublicIdentity):
                raise UnsupportedError(f"parties have PublicIdentity, not {type(identity).__name__}")
        self._session, self._what, self._epoch = session, what, number_of(epoch, "the epoch")
        self._context = context_on(device, session.parameters)
        chosen = session.parties if dealers is None else sorted(number_of(one, "a dealer") for one in dealers)
        known = {number_of(party, "a party's number"): identity.native for party, identity in identities.items()}
        self._native = _core.DealingRound(session.native, _KINDS[what], self._epoch, list(chosen), known)

    @property
    def session(self) -> Session:
        """The session."""
        return self._session

    @property
    def what(self) -> str:
        """What is dealt."""
        return self._what

    @property
    def epoch(self) -> int:
        """Of the shares that come of it."""
        return self._epoch

    @property
    def dealers(self) -> tuple[int, ...]:
        """Who deals, ascending."""
        return tuple(self._native.dealers)

    @property
    def id(self) -> str:
        """64 hexadecimal digits: the SHA-256 of the session, what is dealt, the epoch, dealers and identities."""
        digest: bytes = self._native.digest
        return digest.hex()

    def keys(self, party: int, identity: Identity) -> ReceivingKeys:
        """A party's first message, to all dealers: the same whenever it is made.

        Raises:
            ArgumentError: another party's identity.
        """
        return ReceivingKeys(self._session.parameters, self._native.keys(party, _own(identity)))

    def deal(
        self, party: Any, identity: Identity, keys: Sequence[ReceivingKeys]
    ) -> tuple[Dealing, dict[int, SealedShare]]:
        """What a party deals: a message for everybody, and one for each receiver, itself included. Once a round: a
        second call deals other polynomials, and two dealings that a party signed show that it is dishonest
        (`judge_both`).

        Args:
            party: the `Party` that deals, with its share unless it deals its own secret.
            identity: its identity.
            keys: those of all parties.

        Raises:
            ArgumentError: keys that are missing, there twice, or not signed by their party; a party that deals nothing
                in this round, or whose share is of another epoch.
            MismatchError: keys of another round; a party of another session.
        """
        if party.session != self._session:
            raise MismatchError(f"the party is of session {party.session.id[:8]}, not of {self._session.id[:8]}")
        number, given = party.number, _natives(keys, ReceivingKeys)
        if self._what == "secret":
            dealt = self._native.deal_own(number, _own(identity), party.secret.native, given)
        elif self._what == "refresh":
            dealt = self._native.deal_zero(number, _own(identity), self._context.native, given)
        else:
            share = self._share_of(party)
            dealt = self._native.deal_share(number, _own(identity), share.on(self._context), given)
        parameters = self._session.parameters
        sealed = {one.receiver: SealedShare(parameters, one) for one in dealt.sealed}
        return Dealing(parameters, dealt.dealing), sealed

    def receive(
        self, party: Any, identity: Identity, dealings: Sequence[Dealing], sealed: Sequence[SealedShare]
    ) -> SecretShare:
        """Checks what all dealers dealt to a party, and gives its share of the joint secret, to be saved; of "refresh"
        the party's share, refreshed. Destroy what was there before.

        Args:
            party: the `Party`; with "refresh" it has its share of the epoch before.
            identity: its identity.
            dealings: of all dealers.
            sealed: what each of them sent to this party.

        Raises:
            BlameError: dealers dealt wrongly; its ``evidence`` has a `Complaint` about each, to be sent to all, whom
                `judge` convinces.
            ArgumentError: a message is missing or there twice.
            MismatchError: messages of another round, that their dealer did not sign, or another one than it sent: ask
                for them again.
        """
        natives = _natives(dealings, Dealing), _natives(sealed, SealedShare)
        received = self._native.receive(self._context.native, party.number, _own(identity), *natives)
        parameters = self._session.parameters
        if received.complaints:
            complaints = [Complaint(parameters, one) for one in received.complaints]
            named = ", ".join(
                f"party {one.dealer} ({self._native.judge(self._context.native, one.native)[1]})" for one in complaints
            )
            blame = BlameError(
                f"shares were dealt wrongly: {named}; send the complaints to all parties, and begin anew without them"
            )
            blame.parties, blame.stage = tuple(one.dealer for one in complaints), "deal"
            blame.evidence = blame.messages = tuple(complaints)
            raise blame
        share = received.take_share()
        assert share is not None  # there are no complaints
        if self._what == "refresh":
            share = self._native.refreshed(self._share_of(party).on(self._context), share)
        return SecretShare(parameters, self._context, share)

    def judge(self, evidence: Complaint | Dealing) -> Verdict | None:
        """Who lied, as anybody can tell without a key: of a complaint the dealer, or the one who complains; of a
        dealing its dealer, or None where nothing is wrong with it that shows in the open.

        Raises:
            MismatchError: of another round, or not signed by whom it says: that shows nothing.
        """
        if isinstance(evidence, Complaint):
            return Verdict(*self._native.judge(self._context.native, evidence.native))
        if not isinstance(evidence, Dealing):
            raise UnsupportedError(f"a Complaint or a Dealing is judged, not {type(evidence).__name__}")
        fault = self._native.public_fault(self._context.native, evidence.native)
        return Verdict(evidence.dealer, fault) if fault else None

    def transcript(self, dealings: Sequence[Dealing]) -> str:
        """64 hexadecimal digits that all parties compare before they use what they received: a dealer who deals two
        polynomials to different parties signs two dealings, each of which is right by itself (`judge_both`).

        Args:
            dealings: of all dealers.

        Raises:
            ArgumentError: one is missing or there twice. MismatchError: as `judge`.
        """
        by_dealer = {one.dealer: one for one in dealings}
        if len(dealings) != len(self.dealers) or sorted(by_dealer) != list(self.dealers):
            raise ArgumentError(f"a transcript takes the dealing of each of {', '.join(map(str, self.dealers))}")
        for one in by_dealer.values():
            self.judge(one)
        return hashlib.sha256(b"".join(_digest_of(by_dealer[dealer]) for dealer in self.dealers)).hexdigest()

    def judge_both(self, first: Dealing, second: Dealing) -> Verdict | None:
        """What two dealings that two parties received show: their dealer signed both, and they differ; None where they
        don't.

        Raises:
            ArgumentError: of two dealers. MismatchError: as `judge`.
        """
        self.judge(first)
        self.judge(second)
        if first.dealer != second.dealer:
            raise ArgumentError(f"parties {first.dealer} and {second.dealer} have a dealing each")
        same = _digest_of(first) == _digest_of(second)
        return None if same else Verdict(first.dealer, "it signed two dealings of one round")

    def _share_of(self, party: Any) -> SecretShare:
        share: SecretShare | None = party.share
        if share is None:
            raise ArgumentError(f"party {party.number} has no share of the joint secret yet")
        return share

    def __repr__(self) -> str:
        return f"DealingRound({self._what}, epoch {self._epoch}, id {self.id[:8]}, {self._session!r})"


def _digest_of(dealing: Dealing) -> bytes:
    return hashlib.sha256(_core.dealing_view(dealing.native, dealing.parameters.native, b"")).digest()


def _own(identity: object) -> _core.Identity:
    if not isinstance(identity, Identity):
        raise UnsupportedError(f"a party's own Identity is needed, not {type(identity).__name__}")
    return identity.native


def _natives(messages: Any, kind: type[_M]) -> list[Any]:
    if isinstance(messages, DealingMessage) or not isinstance(messages, Iterable):
        raise UnsupportedError(f"a list of {kind.__name__} is needed, not {type(messages).__name__}")
    every = list(messages)
    for message in every:
        if not isinstance(message, kind):
            raise UnsupportedError(f"a {kind.__name__} is needed, not {type(message).__name__}")
    return [message.native for message in every]
