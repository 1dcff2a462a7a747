# SPDX-License-Identifier: Apache-2.0
"""Keys of several parties: a joint public key, and decryption by all of them, or by any t of n.

The joint secret is the sum of the parties' own, and is never put together. Whoever computes needs nothing of this:
public and evaluation keys are ordinary ones. `doc/threshold.md` has the protocol, what it promises and what it does
not: parties follow the protocol (semi-honest), and channels are the caller's.

Example:
    >>> import cyclotome as cy
    >>> params = cy.Parameters.suggest(depth=1, value_bits=8, terms=4, parties=2, flooding_bits=64)
    >>> session = cy.threshold.Session.create(params, parties=2, rotations=[])
    >>> ada, ben = (cy.threshold.Party(session, number) for number in session.parties)
    >>> first = [ada.first_share(), ben.first_share()]  # everybody sends theirs to everybody
    >>> second = [ada.second_share(first), ben.second_share(first)]
    >>> keys = cy.threshold.combine(session, first, second)
    >>> x = cy.encrypt([1, 2, 3], keys.public)
    >>> y = x * x + 1
    >>> cy.threshold.decrypt(y, [ada.decryption_share(y), ben.decryption_share(y)], session)
    array([ 2,  5, 10])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

from . import _core
from .array import EncryptedArray
from .contexts import Context, context_on
from .errors import ArgumentError, MismatchError, SecrecyError, UnsupportedError
from .keys import EvaluationKeys, PublicKey, SecretKey, galois_elements_of
from .options import Callback, options
from .parameters import Parameters
from .values import from_native, index

__all__ = [
    "DecryptionShare",
    "JointKeys",
    "KeyShare",
    "Party",
    "SecretShare",
    "Session",
    "combine",
    "decrypt",
]

_T = TypeVar("_T")


class Session:
    """What all parties agree on before there is a key: public, and the same for everybody. Compare ``id``, over a
    channel that you trust: who gives two parties different sessions can make them decrypt for him.

    Made by `create` once, by whoever; the others `load` it.
    """

    __slots__ = ("_native", "_parameters")

    def __init__(self, parameters: Parameters, native: _core.ThresholdSession) -> None:
        self._parameters, self._native = parameters, native

    @classmethod
    def create(
        cls,
        parameters: Parameters,
        *,
        parties: int | Sequence[int],
        threshold: int | None = None,
        rotations: Sequence[int] | None = None,
        columns: bool | None = None,
        galois_elements: Sequence[int] = (),
        matrices: Sequence[tuple[int, int]] = (),
        relinearization: bool = True,
    ) -> Session:
        """A new session, with a reference seed of the operating system.

        Args:
            parameters: made for at least so many parties (``Parameters.suggest(parties=..., flooding_bits=...)``).
            parties: how many, numbered from 1; or their numbers, from 1 to 65535.
            threshold: how many decrypt together, 2 to all; None for all. With fewer, secrets have to be dealt
                (`Party.deal`).
            rotations, columns, galois_elements, matrices, relinearization: as in `keygen`: the evaluation keys that
                there will be.

        Raises:
            ArgumentError: parties or a threshold that can't be, or more parties than the parameters are for; as
                `keygen`.
        """
        if not isinstance(parameters, Parameters):
            raise UnsupportedError(f"a session takes Parameters, not {type(parameters).__name__}")
        if isinstance(parties, Iterable):
            numbers = sorted(_number(party, "a party's number") for party in parties)
        else:
            numbers = list(range(1, _number(parties, "the number of parties") + 1))
        enough = len(numbers) if threshold is None else _number(threshold, "the threshold")
        elements = galois_elements_of(parameters, rotations, columns, galois_elements, matrices)
        native = _core.ThresholdSession.create(parameters.native, numbers, enough, bool(relinearization), elements)
        return cls(parameters, native)

    @property
    def native(self) -> _core.ThresholdSession:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def parameters(self) -> Parameters:
        """The parameters of the joint key."""
        return self._parameters

    @property
    def parties(self) -> tuple[int, ...]:
        """Numbers of the parties, ascending."""
        return tuple(self._native.parties)

    @property
    def threshold(self) -> int:
        """How many parties decrypt together."""
        return self._native.threshold

    @property
    def shares_secrets(self) -> bool:
        """True if fewer than all parties decrypt, so that each has to deal its secret."""
        return self._native.shares_secrets

    @property
    def relinearization(self) -> bool:
        """True if there will be a relinearisation key, which takes the second round."""
        return self._native.relinearization

    @property
    def galois_elements(self) -> tuple[int, ...]:
        """The automorphisms that there will be keys for."""
        return tuple(self._native.galois_elements)

    @property
    def id(self) -> str:
        """64 hexadecimal digits: the SHA-256 of all of this. Every message carries it."""
        digest: bytes = self._native.digest
        return digest.hex()

    @property
    def key_id(self) -> str:
        """The id of the joint key, which its arrays carry."""
        identity: bytes = self._native.key
        return identity.hex()

    def __eq__(self, other: object) -> bool:
        return self._native.digest == other._native.digest if isinstance(other, Session) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._native.digest)

    def __repr__(self) -> str:
        how = f"{self.threshold} of {len(self.parties)}"
        return f"Session({how} parties decrypt, id {self.id[:8]}, {self._parameters.summary()})"


class _Message:
    """What one party sends: of one session, on a device."""

    __slots__ = ("_context", "_native", "_parameters")

    def __init__(self, parameters: Parameters, context: Context, native: Any) -> None:
        self._parameters, self._context, self._native = parameters, context, native

    @property
    def native(self) -> Any:
        """What the library computes with; for the library itself."""
        return self._native

    def on(self, context: Context) -> Any:
        """The library's object in another context; for the library itself."""
        return self._native if context is self._context else self._native.to(context.native)

    @property
    def parameters(self) -> Parameters:
        """The session's parameters."""
        return self._parameters

    @property
    def session_id(self) -> str:
        """The `Session.id` that it belongs to."""
        digest: bytes = self._native.session
        return digest.hex()

    def _facts(self) -> str:
        return f"session {self.session_id[:8]}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._facts()})"


class KeyShare(_Message):
    """A party's message of one of the two rounds that make the joint key. Public, for all parties."""

    __slots__ = ()

    @property
    def party(self) -> int:
        """Who sent it."""
        return int(self._native.party)

    @property
    def round(self) -> int:
        """1 or 2."""
        return int(self._native.round)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return int(self._native.nbytes)

    def _facts(self) -> str:
        return f"round {self.round}, party {self.party}, {super()._facts()}"


class SecretShare(_Message):
    """What one party deals to another, or the sum of what it was dealt. **Secret**: for the receiver alone. Any
    ``threshold`` sums are the joint secret, and so is what all parties dealt to ``threshold`` of them: send it over a
    channel that is encrypted for the receiver and that nobody can alter. Files of it have mode 0600."""

    __slots__ = ()

    @property
    def sender(self) -> int | None:
        """Who dealt it; None: it is the sum of what all dealt."""
        return int(self._native.sender) or None

    @property
    def receiver(self) -> int:
        """Whose it is."""
        return int(self._native.receiver)

    def _facts(self) -> str:
        sender = "all" if self.sender is None else f"party {self.sender}"
        return f"SECRET, from {sender} to party {self.receiver}, {super()._facts()}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("a secret share is written to a file only: cyclotome.save(path, share)")


class DecryptionShare(_Message):
    """What one party gives to decrypt one array together with certain others. For whoever may know the values."""

    __slots__ = ()

    @property
    def party(self) -> int:
        """Who sent it."""
        return int(self._native.party)

    @property
    def active(self) -> tuple[int, ...]:
        """Who decrypt."""
        return tuple(self._native.active)

    @property
    def flooding_bits(self) -> int:
        """The statistical security that it was flooded for."""
        return int(self._native.flooding_bits)

    def _facts(self) -> str:
        return f"party {self.party} of {', '.join(map(str, self.active))}, {super()._facts()}"


class Party:
    """One party of a session, with its own secret. Each party makes its own, on its own machine.

    Whatever a party draws for the key's making and for decryption is derived from its secret, so that the same question
    gets the same answer: shares may be made again, and nothing is learned from comparing them.

    Args:
        session: the session, the same for all.
        number: which of ``session.parties`` this is.
        secret: the party's secret key of an earlier run, as `load` gives it; None: a new one. Save `secret` with
            ``cy.save`` (mode 0600, and a passphrase if you like): without it nobody decrypts.
        share: of a session that deals secrets, the sum that `receive` gave in an earlier run.
        device: where to compute.

    Raises:
        ArgumentError: a number that takes no part; a share of somebody else.
        MismatchError: a secret or share of another party, session or parameters.
    """

    def __init__(
        self,
        session: Session,
        number: int,
        *,
        secret: SecretKey | None = None,
        share: SecretShare | None = None,
        device: str = "cpu",
    ) -> None:
        if not isinstance(session, Session):
            raise UnsupportedError(f"a party takes a Session, not {type(session).__name__}")
        self._session, self._number = session, _number(number, "a party's number")
        if secret is None:
            context = context_on(device, session.parameters)
            native = _core.generate_party_key(session.native, context.native, self._number)
            secret = SecretKey(session.parameters, context, native)
        elif not isinstance(secret, SecretKey):
            raise UnsupportedError(f"a party's secret is a SecretKey, not {type(secret).__name__}")
        session.native.require_own(secret.native, self._number)
        self._secret = secret
        self._share: SecretShare | None = None
        if share is not None:
            self._accept(share)

    @property
    def session(self) -> Session:
        """The session."""
        return self._session

    @property
    def number(self) -> int:
        """Which party this is."""
        return self._number

    @property
    def secret(self) -> SecretKey:
        """The party's own secret key, which decrypts nothing by itself. To save; never to send."""
        return self._secret

    @property
    def share(self) -> SecretShare | None:
        """The sum of what all parties dealt to this one, once it was received. Secret; to save, never to send."""
        return self._share

    def first_share(self) -> KeyShare:
        """The message of the first round, to all parties: parts of the public key, of the Galois keys, and of what the
        second round is made of."""
        return self._message(
            KeyShare, _core.first_share(self._session.native, self._number, self._secret.native)
        )

    def second_share(self, first: Sequence[KeyShare]) -> KeyShare:
        """The message of the second round, of the relinearisation key. ``first``: the first shares of all parties.

        Raises:
            ArgumentError: one is missing or repeated; a session without relinearisation key.
            MismatchError: shares of another session.
        """
        summed = _first_round(self._session, self._secret.context, first)
        return self._message(KeyShare, _core.second_share(summed, self._number, self._secret.native))

    def deal(self) -> dict[int, SecretShare]:
        """What this party deals, by receiver, itself included. Each is a **secret** of its receiver.

        Raises:
            ArgumentError: a session in which all decrypt.
        """
        dealt = _core.deal_secret(self._session.native, self._number, self._secret.native)
        return {share.receiver: self._message(SecretShare, share) for share in dealt}

    def receive(self, dealt: Sequence[SecretShare]) -> SecretShare:
        """Takes what all parties dealt to this one, its own share included, and keeps the sum, which it returns to be
        saved. Destroy the single shares then.

        Raises:
            ArgumentError: one is missing or repeated, or is not for this party.
            MismatchError: shares of another session.
        """
        natives = [_native_of(share, SecretShare, self._secret.context) for share in dealt]
        self._share = self._message(
            SecretShare, _core.sum_of_dealt(self._session.native, self._number, natives)
        )
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
                were not relinearised; flooding_bits out of range.
            MismatchError: an array of another key.
            NoiseError: too little headroom for this flooding.
        """
        _require_array(x)
        chosen = self._session.parties if active is None else [_number(one, "a party's number") for one in active]
        native = _core.decryption_share(
            self._session.native,
            self._number,
            self._secret.native,
            None if self._share is None else self._share.on(self._secret.context),
            x.to(self._secret.device).native,
            sorted(chosen),
            _bits(flooding_bits),
            options(progress),
        )
        return self._message(DecryptionShare, native)

    def _accept(self, share: SecretShare) -> None:
        if not isinstance(share, SecretShare):
            raise UnsupportedError(f"a party's share is a SecretShare, not {type(share).__name__}")
        if share.session_id != self._session.id:
            raise MismatchError(f"the share is of session {share.session_id[:8]}, not of {self._session.id[:8]}")
        if share.sender is not None or share.receiver != self._number:
            raise ArgumentError(
                f"party {self._number} takes the sum of what all dealt to it, as receive() gave it, not {share!r}"
            )
        self._share = share

    def _message(self, kind: type[_T], native: Any) -> _T:
        return kind(self._session.parameters, self._secret.context, native)  # type: ignore[call-arg]

    def __repr__(self) -> str:
        return f"Party({self._number} of {', '.join(map(str, self._session.parties))}, {self._session!r})"


class JointKeys(NamedTuple):
    """What all can make of all key shares; nobody has the secret."""

    public: PublicKey
    evaluation: EvaluationKeys


def combine(
    session: Session, first: Sequence[KeyShare], second: Sequence[KeyShare] = (), *, device: str = "cpu"
) -> JointKeys:
    """The joint keys, from the key shares of all parties: ordinary public and evaluation keys.

    Args:
        session: the session.
        first: the first shares of all parties.
        second: the second ones; none in a session without relinearisation key.
        device: where the keys shall compute.

    Raises:
        ArgumentError: one is missing or repeated, or of the other round.
        MismatchError: shares of another session or parameters, or second shares that answer other first ones.
    """
    if not isinstance(session, Session):
        raise UnsupportedError(f"combine takes a Session, not {type(session).__name__}")
    context = context_on(device, session.parameters)
    summed = _first_round(session, context, first)
    made = summed.evaluation_keys([_native_of(share, KeyShare, context) for share in second])
    evaluation = EvaluationKeys(session.parameters, context, made)
    return JointKeys(PublicKey(session.parameters, context, summed.public_key(), evaluation), evaluation)


def decrypt(
    x: EncryptedArray,
    shares: Sequence[DecryptionShare],
    session: Session,
    *,
    progress: Callback | None = None,
) -> Any:
    """The values of an array, from the shares of all who decrypt.

    Whoever gets the values may be told why it failed, too: the flooding hides what the noise was.

    Args:
        x: the array that the shares were made for.
        shares: one of each of those who decrypt.
        session: the session.
        progress: called as ``progress(done, total, what)``.

    Returns:
        As `cyclotome.decrypt`.

    Raises:
        ArgumentError: a share is missing or repeated, or there are too few.
        MismatchError: shares of another session, array, set of parties or flooding.
        ContradictionError: a share was altered or is no honest one, or the array is not what it claims to be.
        RangeError: the values are beyond the array's own bound.
    """
    _require_array(x)
    if not isinstance(session, Session):
        raise UnsupportedError(f"threshold.decrypt takes a Session, not {type(session).__name__}")
    natives = [_native_of(share, DecryptionShare, x.context) for share in shares]
    values = from_native(_core.threshold_decrypt(session.native, x.native, natives, options(progress)))
    if x.is_bits:
        values = values.astype(bool)
        return values if values.ndim else bool(values[()])
    return values if values.ndim else int(values[()])


def _first_round(session: Session, context: Context, first: Sequence[KeyShare]) -> _core.FirstRound:
    natives = [_native_of(share, KeyShare, context) for share in first]
    if not natives:
        raise ArgumentError("no shares of the first round were given")
    return _core.FirstRound(session.native, context.native, natives)


def _native_of(message: Any, kind: type[_Message], context: Context) -> Any:
    if not isinstance(message, kind):
        raise UnsupportedError(f"a {kind.__name__} is needed, not {type(message).__name__}")
    return message.on(context)


def _require_array(x: EncryptedArray) -> None:
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError(f"threshold decryption takes an EncryptedArray, not {type(x).__name__}")


def _number(value: object, what: str) -> int:
    number = index(value, what)
    if not 0 <= number < 1 << 32:
        raise ArgumentError(f"{what}, {number}, must lie in [1, 65535]")
    return number


def _bits(value: object) -> int:
    bits = index(value, "flooding_bits")
    if not 1 <= bits <= 128:
        raise ArgumentError(f"flooding_bits {bits} must lie in [1, 128]; 64 is usual")
    return bits
