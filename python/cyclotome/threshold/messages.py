# SPDX-License-Identifier: Apache-2.0
"""What the parties of a joint key agree on, and the messages that they send; `threshold` says what for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from .. import _core
from ..devices.contexts import Context
from ..errors import ArgumentError, SecrecyError
from ..keys.generation import USUAL_REVEALS, galois_elements_of
from ..keys.kinds import planned_reveals
from ..numbers.values import index
from ..parameters.parameters import Parameters, required_parameters
from ..pickling import pickled_as_file

__all__ = [
    "Acceptance",
    "Coin",
    "Commitment",
    "DecryptionShare",
    "KeyShare",
    "Message",
    "SecretShare",
    "Session",
    "number_of",
]


@pickled_as_file
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
        decryptions: int = USUAL_REVEALS,
        audit: int = 8,
    ) -> Session:
        """A new session, with a reference seed of the operating system.

        Args:
            parameters: made for at least so many parties (``Parameters.suggest(parties=..., flooding_bits=...)``).
            parties: how many, numbered from 1; or their numbers, from 1 to 65535.
            threshold: how many decrypt together, 2 to all; None for all. With fewer, secrets have to be dealt
                (`Party.deal`).
            rotations, columns, galois_elements, matrices, relinearization: as in `keygen`: the evaluation keys that
                there will be.
            decryptions: ciphertexts of one plaintext modulus that each party helps to decrypt in the key's life, 1 to
                2^60; then it refuses (`Party.decryptions`). What all of them tell of secrets adds up to at most
                decryptions times 2^-flooding_bits: 2^-44 with 64 bits and the usual number.
            audit: how many candidates for its first share each party makes, 1 to 256. All but one, which a coin of all
                parties chooses, are opened, and drawn again by everybody: who draws its shares otherwise is named, but
                for one time in ``audit``. 1: no coin, no candidates, and nobody sees malformed rotation keys.

        Raises:
            ArgumentError: parties, a threshold, decryptions or an audit that can't be, or more parties than the
                parameters are for; as `keygen`.
        """
        required_parameters("a session", parameters)
        if isinstance(parties, Iterable):
            numbers = sorted(number_of(party, "a party's number") for party in parties)
        else:
            numbers = list(range(1, number_of(parties, "the number of parties") + 1))
        enough = len(numbers) if threshold is None else number_of(threshold, "the threshold")
        elements = galois_elements_of(parameters, rotations, columns, galois_elements, matrices)
        planned = planned_reveals(decryptions, "Session.create: decryptions")
        candidates = number_of(audit, "the audit")
        native = _core.ThresholdSession.create(
            parameters.native, numbers, enough, bool(relinearization), elements, planned, candidates
        )
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
    def audit(self) -> int:
        """How many candidates for its first share each party makes; 1 without an audit."""
        return int(self._native.audit)

    @property
    def galois_elements(self) -> tuple[int, ...]:
        """The automorphisms that there will be keys for."""
        return tuple(self._native.galois_elements)

    @property
    def decryptions(self) -> int:
        """Ciphertexts of one plaintext modulus that each party helps to decrypt in the key's life."""
        return int(self._native.decryptions)

    @property
    def id(self) -> str:
        """64 hexadecimal digits: the SHA-256 of all of this. Every message carries it."""
        digest: bytes = self._native.digest
        return digest.hex()

    def __eq__(self, other: object) -> bool:
        return self._native.digest == other._native.digest if isinstance(other, Session) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._native.digest)

    def __repr__(self) -> str:
        how = f"{self.threshold} of {len(self.parties)}"
        return f"Session({how} parties decrypt, id {self.id[:8]}, {self._parameters.summary()})"


class Wrapped:
    """An object of the library's, and the parameters of its session."""

    __slots__ = ("_native", "_parameters")

    def __init__(self, parameters: Parameters, native: Any) -> None:
        self._parameters, self._native = parameters, native

    @property
    def native(self) -> Any:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def parameters(self) -> Parameters:
        """The session's parameters."""
        return self._parameters

    def _facts(self) -> str:
        return self._parameters.summary()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._facts()})"


class Sent(Wrapped):
    """What one party sends of a session."""

    __slots__ = ()

    @property
    def session_id(self) -> str:
        """The `Session.id` that it belongs to."""
        digest: bytes = self._native.session
        return digest.hex()

    def _facts(self) -> str:
        return f"session {self.session_id[:8]}"


class Message(Sent):
    """What one party sends that has polynomials, on a device."""

    __slots__ = ("_context",)

    def __init__(self, parameters: Parameters, context: Context, native: Any) -> None:
        super().__init__(parameters, native)
        self._context = context

    def on(self, context: Context) -> Any:
        """The library's object in another context; for the library itself."""
        return self._native if context is self._context else self._native.to(context.native)


class Line(Sent):
    """What one party sends that has no polynomials. Public, for all parties."""

    __slots__ = ()

    @property
    def party(self) -> int:
        """Who sent it."""
        return int(self._native.party)

    def _facts(self) -> str:
        return f"party {self.party}, {super()._facts()}"


@pickled_as_file
class Commitment(Line):
    """A hash of a party's first share or, with an audit, of all candidates for it, to which it is held. Public."""

    __slots__ = ()


@pickled_as_file
class Coin(Line):
    """A party's part of the coin of an audit, or first the hash of it, to which it is held. Public."""

    __slots__ = ()

    @property
    def shown(self) -> bool:
        """Whether it is the part itself."""
        return int(self._native.stage) == 2

    def _facts(self) -> str:
        return f"{'shown' if self.shown else 'tossed'}, {super()._facts()}"


@pickled_as_file
class Acceptance(Line):
    """A party's word that it has checked all that made the joint key, and which messages those were. Public."""

    __slots__ = ()

    @property
    def seen(self) -> str:
        """The transcript of what it saw, as `Progress.transcript`."""
        return bytes(self._native.seen).hex()

    def _facts(self) -> str:
        return f"of {self.seen[:8]}, {super()._facts()}"


@pickled_as_file
class KeyShare(Message):
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


class SecretShare(Message):
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

    @property
    def epoch(self) -> int:
        """How often the session's shares were refreshed or dealt anew before; those of different epochs don't mix."""
        return int(self._native.epoch)

    def _facts(self) -> str:
        sender = "all" if self.sender is None else f"party {self.sender}"
        return f"SECRET, from {sender} to party {self.receiver}, {super()._facts()}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("a secret share is written to a file only: cyclotome.save(path, share)")


@pickled_as_file
class DecryptionShare(Message):
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

    @property
    def epoch(self) -> int:
        """Of the share of the joint secret that it was made with; 0 where all decrypt."""
        return int(self._native.epoch)

    def _facts(self) -> str:
        return f"party {self.party} of {', '.join(map(str, self.active))}, {super()._facts()}"


def number_of(value: object, what: str) -> int:
    """A number of a party, or of parties. Raises ArgumentError."""
    number = index(value, what)
    if not 0 <= number < 1 << 32:
        raise ArgumentError(f"{what}, {number}, must lie in [1, 65535]")
    return number
