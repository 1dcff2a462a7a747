# SPDX-License-Identifier: Apache-2.0
"""Keys of several parties: a joint public key, and decryption by all of them, or by any t of n.

The joint secret is the sum of the parties' own, and is never put together. Whoever computes needs nothing of this:
public and evaluation keys are ordinary ones. `doc/threshold.md` has the protocol, what it promises and what it does
not: parties that send something else than it says, and who relays messages, can do some harm (`doc/threat-model.md` has
a row for each), and channels are the caller's.

Example:
    >>> import cyclotome as cy
    >>> params = cy.Parameters.suggest(depth=1, value_bits=8, terms=4, parties=2, flooding_bits=64)
    >>> session = cy.threshold.Session.create(params, parties=2, rotations=[])
    >>> ada, ben = (cy.threshold.Party(session, number) for number in session.parties)
    >>> tosses = [ada.toss(), ben.toss()]  # everybody sends theirs to everybody, and so on
    >>> commitments = [ada.commit(tosses), ben.commit(tosses)]
    >>> coins = [ada.show_coin(commitments), ben.show_coin(commitments)]
    >>> first = [ada.first_share(coins), ben.first_share(coins)]
    >>> second = [ada.second_share(first), ben.second_share(first)]
    >>> keys = cy.threshold.combine(session, first, second)
    >>> x = cy.encrypt([1, 2, 3], keys.public)
    >>> y = x * x + 1
    >>> cy.threshold.decrypt(y, [ada.decryption_share(y), ben.decryption_share(y)], session)
    array([ 2,  5, 10])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .. import _core
from ..arrays.array import EncryptedArray
from ..devices.contexts import Context, context_on
from ..errors import ArgumentError, MismatchError, UnsupportedError
from ..keys.kinds import EvaluationKeys, PublicKey, Reveals, SecretKey
from ..keys.passphrases import Passphrase
from ..numbers.values import index
from ..options import Callback, options
from ..whole_files import path_text
from .advice import Advice, advise
from .checks import CheckedDecryption, MacKey, MacShare, liars
from .dealing import Complaint, Dealing, DealingRound, ReceivingKeys, SealedShare, Verdict
from .decryption import decrypt, natives_of, require_array
from .evidence import blaming, verify
from .identities import Identity, PublicIdentity
from .messages import (
    Acceptance,
    Coin,
    Commitment,
    DecryptionShare,
    KeyShare,
    Line,
    Message,
    SecretShare,
    Sent,
    Session,
    number_of,
)
from .party_files import Path, party_store
from .pledges import Pledge
from .voices import Signer, Verifier, speak

__all__ = [
    "Acceptance",
    "Advice",
    "CheckedDecryption",
    "Coin",
    "Commitment",
    "Complaint",
    "Dealing",
    "DealingRound",
    "DecryptionShare",
    "Identity",
    "JointKeys",
    "KeyShare",
    "MacKey",
    "MacShare",
    "Party",
    "Pledge",
    "Progress",
    "PublicIdentity",
    "ReceivingKeys",
    "SealedShare",
    "SecretShare",
    "Session",
    "Signer",
    "Verdict",
    "Verifier",
    "advise",
    "combine",
    "decrypt",
    "liars",
    "transcript",
    "verify",
]

_M = TypeVar("_M", bound=Message)


class Party:
    """One party of a session, with its own secret. Each party makes its own, on its own machine.

    Whatever a party draws for the key's making and for decryption comes of 32 bytes that it keeps, so that the same
    question gets the same answer, bit for bit. It answers one set of first shares: what it has answered is kept, and
    another set is refused (`RepeatedAnswerError`), in every process that uses its ``file``.

    Args:
        session: the session, the same for all.
        number: which of ``session.parties`` this is.
        file: where the party is kept, with mode 0600: made if it is not there, else the party of an earlier run. Nobody
            decrypts without it; never copy it back from an older backup once it has answered. None: in memory, for as
            long as this object lives.
        passphrase: of the file, as for `save`.
        share: of a session that deals secrets, the sum that `receive` gave in an earlier run.
        identity: what this party signs its messages with, such as an Ed25519 key: anything with
            ``sign(domain, text)``, which gives 64 bytes, the same ones for the same text.
        identities: by number, what is known of every party: anything with ``verify(domain, text, signature)``. Compare
            them once over a channel that you trust. What its sender has not signed is refused then, so that nobody is
            blamed for what a relay did. None of both: channels must be authenticated.
        device: where to compute.

    Raises:
        ArgumentError: a number that takes no part; a share of somebody else.
        MismatchError: a file of another party; a file or share of another session or parameters.
        FormatError, FileError, PassphraseError, EngineError: as `load` and `save`, of the file.
    """

    def __init__(
        self,
        session: Session,
        number: int,
        *,
        file: Path | None = None,
        passphrase: Passphrase | None = None,
        share: SecretShare | None = None,
        identity: Signer | None = None,
        identities: Mapping[int, Verifier] | None = None,
        device: str = "cpu",
    ) -> None:
        if not isinstance(session, Session):
            raise UnsupportedError(f"a party takes a Session, not {type(session).__name__}")
        number = number_of(number, "a party's number")
        self._session, self._context = session, context_on(device, session.parameters)
        self._file = None if file is None else path_text(file)
        store = party_store(session, number, file, passphrase)
        self._native = _core.JointParty(session.native, self._context.native, store)
        if self._native.number != number:
            raise MismatchError(f"{file} is the file of party {self._native.number}, not of party {number}")
        speak(self._native, session, identity, identities)
        self._share: SecretShare | None = None
        self._commitments: tuple[Commitment, ...] = ()  # what others signed, to be shown if they break it
        if share is not None:
            self._accept(share)

    @property
    def session(self) -> Session:
        """The session."""
        return self._session

    @property
    def number(self) -> int:
        """Which party this is."""
        return int(self._native.number)

    @property
    def native(self) -> _core.JointParty:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def context(self) -> Context:
        """Where it computes; for the library itself."""
        return self._context

    @property
    def secret(self) -> SecretKey:
        """The party's own secret key, which decrypts nothing by itself. Never to send.

        Raises:
            ArgumentError: a session with an audit, before the coin says which candidate it is.
        """
        return SecretKey(self._session.parameters, self._context, self._native.secret)

    @property
    def key_id(self) -> str | None:
        """The id of the joint key, which its arrays carry: compare it with the others'. None before the party has seen
        the first shares of all."""
        return bytes(self._native.key()).hex() if self._native.knows_key() else None

    @property
    def decryptions(self) -> Reveals:
        """Ciphertexts of one plaintext modulus that this party has helped to decrypt, and how many the session plans.
        Counted in the party's file before a share is given, whatever share of the joint secret it has; a question that
        is asked again (the same array, set, flooding and epoch) is counted once, if it is among the last 1024."""
        return Reveals(self._session.decryptions, self._native.decryptions(), self._file)

    @property
    def share(self) -> SecretShare | None:
        """The sum of what all parties dealt to this one, once it was received. Secret; to save, never to send."""
        return self._share

    def toss(self) -> Coin:
        """What this party sends first, to all parties, in a session with an audit: a hash of its part of the coin.

        Raises:
            ArgumentError: a session without an audit, in which `commit` comes first.
        """
        return Coin(self._session.parameters, self._native.toss())

    def commit(self, tosses: Sequence[Coin] = ()) -> Commitment:
        """What this party commits to, for all parties: a hash of its first share or, with an audit, of all candidates
        for it. ``tosses``: of all parties, in a session with an audit; they are kept before this returns.

        Raises:
            ArgumentError: a toss is missing or repeated, or there are some without an audit.
            MismatchError: tosses of another session; another one than its own in this party's name.
            RepeatedAnswerError: this party has drawn its candidates for other tosses.
            FileError: the party's file can't be written; then nothing was committed to.
        """
        natives = [each.native for each in _lines(tosses, Coin)]
        return Commitment(self._session.parameters, self._native.commit(natives))

    def show_coin(self, commitments: Sequence[Commitment]) -> Coin:
        """This party's part of the coin, for all parties, once all have committed: it says which candidate stays
        closed. ``commitments``: those of all parties, which are kept before this returns.

        Raises:
            ArgumentError, MismatchError, RepeatedAnswerError, FileError: as `first_share`.
        """
        lines = _lines(commitments, Commitment)
        self._commitments = tuple(lines)
        return Coin(self._session.parameters, self._native.show_coin([each.native for each in lines]))

    def first_share(self, before: Sequence[Commitment] | Sequence[Coin]) -> KeyShare:
        """The message of the first round, to all parties: parts of the public key, of the Galois keys, and of what the
        second round is made of; with an audit also the seeds of all candidates but this one. ``before``: what all
        parties sent before it, the coins that they have shown or, without an audit, their commitments. They are kept
        before this returns.

        Raises:
            ArgumentError: one is missing or repeated, or of another stage.
            BlameError: a coin is not the one that its sender tossed.
            MismatchError: messages of another session; another one than its own in this party's name.
            RepeatedAnswerError: this party has shown its share after others.
            FileError: the party's file can't be written; then nothing was shown.
        """
        audited = self._session.audit > 1
        lines = _lines(before, Coin if audited else Commitment)
        if not audited:
            self._commitments = tuple(each for each in lines if isinstance(each, Commitment))
        natives = [each.native for each in lines]
        with blaming((*self._commitments, *lines)):
            share = self._native.audited_share(natives) if audited else self._native.first_share(natives)
        return self._message(KeyShare, share)

    def agree(self, first: Sequence[KeyShare]) -> None:
        """Takes the first shares of all parties as this session's, for good, without answering them: what a session
        without relinearisation key has in place of a second round.

        Raises:
            ArgumentError, MismatchError, RepeatedAnswerError: as `second_share`.
        """
        natives = natives_of(first, KeyShare, self._context)
        with blaming((*self._commitments, *first)):
            self._native.agree(natives)

    def replace(self, first: Sequence[KeyShare]) -> None:
        """Takes the first shares of all parties as `agree` does, for who takes the place of a party that lost
        everything, where fewer than all decrypt: a `DealingRound` of "replace" deals it its share. Its own secret is no
        part of the joint one.

        Raises:
            ArgumentError: a session in which all decrypt; a share is missing or repeated.
            MismatchError, RepeatedAnswerError: as `second_share`.
        """
        self._native.replace(natives_of(first, KeyShare, self._context))

    def second_share(self, first: Sequence[KeyShare]) -> KeyShare:
        """The message of the second round, of the relinearisation key. ``first``: the first shares of all parties,
        which from now on are this session's: that they were answered is kept before this returns.

        Raises:
            ArgumentError: one is missing or repeated; a session without relinearisation key; this party's own was not
                shown yet.
            BlameError: a share is not the one that its sender committed to, or a candidate that it opens is not what
                its seed gives.
            MismatchError: shares of another session; another share than this party's own in its name.
            RepeatedAnswerError: this party has answered other first shares.
            FileError: the party's file can't be written; then nothing was answered.
        """
        natives = natives_of(first, KeyShare, self._context)
        with blaming((*self._commitments, *first)):
            return self._message(KeyShare, self._native.second_share(natives))

    def accept(self, first: Sequence[KeyShare], second: Sequence[KeyShare] = ()) -> Acceptance:
        """This party's word, for all parties, that it accepts the key which these shares of all make: once it has
        looked at the proofs that second shares carry. ``second``: none in a session without relinearisation key. What
        is accepted is kept before this returns.

        Raises:
            BlameError: a second share is not proved by what it carries.
            RepeatedAnswerError: this party has accepted, or answered, other shares.
            ArgumentError, MismatchError, FileError: as `second_share`.
        """
        natives = natives_of(first, KeyShare, self._context), natives_of(second, KeyShare, self._context)
        with blaming((*self._commitments, *first, *second)):
            return Acceptance(self._session.parameters, self._native.accept(*natives))

    def seal(self, acceptances: Sequence[Acceptance]) -> None:
        """Takes the acceptances of all parties: from now on the key is `accepted`, which is kept.

        Raises:
            ArgumentError: one is missing or repeated, or this party has not accepted the key itself.
            MismatchError: acceptances of another session; a party accepts a key of other messages.
            FileError: the party's file can't be written.
        """
        self._native.seal([each.native for each in _lines(acceptances, Acceptance)])

    @property
    def accepted(self) -> bool:
        """Whether all parties have accepted the joint key, so that all have seen the same messages, and each has looked
        at the proofs. A key that is not accepted is not to be used: nothing is encrypted under it yet, so that a new
        session costs a few messages."""
        return bool(self._native.accepted())

    def next(self, inbox: Iterable[Coin | Commitment | KeyShare | Acceptance] = ()) -> Progress:
        """Does whatever is next: a party that calls nothing else until its keys are there follows the protocol.

        Args:
            inbox: all messages of the session that have arrived so far, in any order, this party's own among them or
                not, some twice or not. Asked again with the same ones it says the same. Give a party that comes back
                its own second share, too: the proof in it is most of its work, and is made anew otherwise.

        Raises:
            BlameError: a coin or share is not the one that its sender tossed or committed to, a candidate not what its
                seed gives, a second share not proved by what it carries, or a party sent two messages that differ.
            MismatchError: messages of another session; others than its own in this party's name; a party accepts a key
                of other messages.
            RepeatedAnswerError: what was there before is not what is there now.
            FileError: the party's file can't be written; then nothing was sent.
        """
        if isinstance(inbox, Sent) or not isinstance(inbox, Iterable):
            raise UnsupportedError(f"a list of messages is needed, not {type(inbox).__name__}")
        every = list(inbox)
        shares = [each for each in every if not isinstance(each, _LINES)]
        coins, commitments, words = ([each.native for each in every if isinstance(each, kind)] for kind in _LINES)
        natives = coins, commitments, natives_of(shares, KeyShare, self._context), words
        with blaming(every):
            native = self._native.advance(*natives)
        parameters = self._session.parameters
        own = [Coin(parameters, each) for each in native.coins]
        sent: list[Coin | Commitment | KeyShare | Acceptance] = [
            *own[:1],
            *(Commitment(parameters, each) for each in native.commitments),
            *own[1:],
            *(self._message(KeyShare, each) for each in native.shares),
            *(Acceptance(parameters, each) for each in native.acceptances),
        ]
        keys = None
        if native.done:
            evaluation = EvaluationKeys(parameters, self._context, native.evaluation_keys())
            keys = JointKeys(PublicKey(parameters, self._context, native.public_key(), evaluation), evaluation)
        transcript = native.transcript.hex() if native.done else None
        return Progress(tuple(sent), native.stage, tuple(native.missing), keys, transcript)

    def deal(self) -> dict[int, SecretShare]:
        """What this party deals, by receiver, itself included. Each is a **secret** of its receiver, in the clear, and
        nothing shows whether it is right: a `DealingRound` seals the same shares and checks them. This stays for
        systems without OpenSSL's libcrypto, which identities take, and for parties that have encrypted channels anyway
        and trust each other to deal rightly.

        Raises:
            ArgumentError: a session in which all decrypt.
        """
        dealt = self._native.deal()
        return {share.receiver: self._message(SecretShare, share) for share in dealt}

    def receive(self, dealt: Sequence[SecretShare]) -> SecretShare:
        """Takes what all parties dealt to this one, its own share included, and keeps the sum, which it returns to be
        saved. Destroy the single shares then.

        Raises:
            ArgumentError: one is missing or repeated, or is not for this party.
            MismatchError: shares of another session.
        """
        natives = natives_of(dealt, SecretShare, self._context)
        self._share = self._message(SecretShare, _core.sum_of_dealt(self._session.native, self.number, natives))
        return self._share

    def decryption_share(
        self,
        x: EncryptedArray,
        *,
        active: Sequence[int] | None = None,
        flooding_bits: int = 64,
        progress: Callback | None = None,
    ) -> DecryptionShare:
        """This party's part in decrypting ``x``: agree on what is decrypted first, since whoever gets the shares of
        enough parties has the values.

        The noise that computing left depends on secrets, so every party adds an error that hides it by itself, up to
        2^-flooding_bits for the whole array. It takes about log2(n) + log2(parties who decrypt) + flooding_bits +
        log2(ciphertexts) bits of ``x.noise_headroom``. Give shares for what was computed by a side that follows the
        protocol: ciphertexts that were forged can be made to tell of the secret (chosen-ciphertext attacks).

        Args:
            x: an encrypted array under the joint key; the very one that the others have, byte by byte.
            active: the numbers of those who decrypt, at least ``session.threshold``; None for all.
            flooding_bits: 1 to 128, the same for all who decrypt.
            progress: called as ``progress(done, total, what)``.

        Raises:
            ArgumentError: too few parties, or this one is none of them; shares were not dealt yet; ciphertexts that
                were not relinearised; flooding_bits out of range; a party that has not seen the first shares.
            MismatchError: an array of another key.
            NoiseError: too little headroom for this flooding.
            BudgetError: more ciphertexts than are left of what the session planned (`decryptions`).
            FileError: the party's file can't be written; then nothing was given.
        """
        require_array(x)
        chosen = self._session.parties if active is None else [number_of(one, "a party's number") for one in active]
        native = self._native.decryption_share(
            x.to(self._context.device).native,
            sorted(chosen),
            _bits(flooding_bits),
            None if self._share is None else self._share.on(self._context),
            options(progress),
        )
        return self._message(DecryptionShare, native)

    def take(self, share: SecretShare) -> None:
        """Goes on with this share of the joint secret, as a `DealingRound` gave it.

        Raises:
            ArgumentError: a share of somebody else, or of one dealer alone.
            MismatchError: a share of another session.
        """
        self._accept(share)

    def _accept(self, share: SecretShare) -> None:
        if not isinstance(share, SecretShare):
            raise UnsupportedError(f"a party's share is a SecretShare, not {type(share).__name__}")
        if share.session_id != self._session.id:
            raise MismatchError(f"the share is of session {share.session_id[:8]}, not of {self._session.id[:8]}")
        if share.sender is not None or share.receiver != self.number:
            raise ArgumentError(
                f"party {self.number} takes the sum of what all dealt to it, as receive() gave it, not {share!r}"
            )
        self._share = share

    def _message(self, kind: type[_M], native: Any) -> _M:
        return kind(self._session.parameters, self._context, native)

    def __repr__(self) -> str:
        return f"Party({self.number} of {', '.join(map(str, self._session.parties))}, {self._session!r})"


class JointKeys(NamedTuple):
    """What all can make of all key shares; nobody has the secret."""

    public: PublicKey
    evaluation: EvaluationKeys


class Progress(NamedTuple):
    """How far a party is in making a joint key (`Party.next`)."""

    #: All that the party has to send, what it sent before among it.
    messages: tuple[Coin | Commitment | KeyShare | Acceptance, ...]
    #: What it waits for: "toss", "commit", "coin", "first", "second", "accept"; or "done".
    stage: str
    #: From whom.
    missing: tuple[int, ...]
    #: Once it is done: once all have accepted them.
    keys: JointKeys | None
    #: Once it is done, 64 hexadecimal digits that name all that was sent: the same for everybody who saw the same. Read
    #: them out to each other before the keys are used.
    transcript: str | None


def transcript(session: Session, first: Sequence[KeyShare], second: Sequence[KeyShare] = ()) -> str:
    """As `Progress.transcript`, of shares that one has: for whoever takes no part.

    Raises:
        ArgumentError, MismatchError: as `combine`.
    """
    context = context_on("cpu", session.parameters)
    digest: bytes = _first_round(session, context, first).transcript(natives_of(second, KeyShare, context))
    return digest.hex()


def combine(
    session: Session,
    first: Sequence[KeyShare],
    second: Sequence[KeyShare] = (),
    *,
    acceptances: Sequence[Acceptance] | None = None,
    device: str = "cpu",
) -> JointKeys:
    """The joint keys, from the key shares of all parties: ordinary public and evaluation keys. The proofs of second
    shares are checked; whether all parties have the same shares, and accept them, only ``acceptances`` show.

    Args:
        session: the session.
        first: the first shares of all parties.
        second: the second ones; none in a session without relinearisation key.
        acceptances: those of all parties. None: the keys are made all the same, and nobody knows whether others have
            the same ones, which the parties' own `Party.accepted` tells them.
        device: where the keys shall compute.

    Raises:
        ArgumentError: one is missing or repeated, or of the other round.
        MismatchError: shares of another session or parameters, or second shares that answer other first ones; a party
            accepts a key of other messages.
        BlameError: a second share is not proved by what it carries.
    """
    if not isinstance(session, Session):
        raise UnsupportedError(f"combine takes a Session, not {type(session).__name__}")
    context = context_on(device, session.parameters)
    summed = _first_round(session, context, first)
    natives = natives_of(second, KeyShare, context)
    with blaming((*first, *second)):
        made = summed.evaluation_keys(natives)
    if acceptances is not None:
        words = [each.native for each in _lines(acceptances, Acceptance)]
        _core.require_accepted(session.native, summed.transcript(natives), words)
    evaluation = EvaluationKeys(session.parameters, context, made)
    return JointKeys(PublicKey(session.parameters, context, summed.public_key(), evaluation), evaluation)


def _first_round(session: Session, context: Context, first: Sequence[KeyShare]) -> _core.FirstRound:
    natives = natives_of(first, KeyShare, context)
    if not natives:
        raise ArgumentError("no shares of the first round were given")
    return _core.FirstRound(session.native, context.native, natives)


_Line = TypeVar("_Line", bound=Line)
_LINES: tuple[type[Coin], type[Commitment], type[Acceptance]] = (Coin, Commitment, Acceptance)


def _lines(lines: Any, kind: type[_Line]) -> list[_Line]:
    """A list of coins, commitments or acceptances, and of nothing else."""
    if isinstance(lines, Line) or not isinstance(lines, Iterable):
        raise UnsupportedError(f"a list of {kind.__name__} is needed, not {type(lines).__name__}")
    every = list(lines)
    for each in every:
        if not isinstance(each, kind):
            raise UnsupportedError(f"a {kind.__name__} is needed, not {type(each).__name__}")
    return every


def _bits(value: object) -> int:
    bits = index(value, "flooding_bits")
    if not 1 <= bits <= 128:
        raise ArgumentError(f"flooding_bits {bits} must lie in [1, 128]; 64 is usual")
    return bits
