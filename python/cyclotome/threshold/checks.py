# SPDX-License-Identifier: Apache-2.0
"""Joint decryption whose values are checked: a share that somebody altered is refused, but with a probability that is
stated; `doc/threshold.md`, "Checked decryption"."""

from __future__ import annotations

import hashlib
import math
import secrets
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..arrays.array import EncryptedArray
from ..arrays.encryption import encrypt_integers
from ..errors import ArgumentError, BlameError, ContradictionError, MismatchError, UnsupportedError
from ..keys.kinds import PublicKey
from ..numbers.values import IntArray
from .decryption import decrypt, require_array
from .identities import Identity, PublicIdentity
from .mac_state import MacState
from .messages import DecryptionShare, Session, number_of
from .party_files import Path
from .voices import Verifier

__all__ = ["CheckedDecryption", "MacKey", "MacShare", "Pledge", "liars"]

_DOMAIN = "cyclotome checked decryption 1"
_BITS = 40
#: What is committed to: numbers to check with, a share of what is decrypted, shares of what has to be 0.
_STAGES = ("mac", "share", "check")
_MOST_PARTY = 65535


class Pledge:
    """A party's signed hash of what it will show once all have committed: a line of text.

    Args:
        text: as ``str(commitment)`` gave it.

    Raises:
        ArgumentError: a text that is none.
    """

    __slots__ = ("digest", "party", "question", "signature", "stage")

    def __init__(self, text: str) -> None:
        words = text.split(" ")
        try:
            tag, party, stage, *hexadecimal = words
            question, digest, signature = (bytes.fromhex(word) for word in hexadecimal)
            self._fill(int(party), stage, question, digest, signature)
        except ValueError:
            raise ArgumentError("this line is no commitment; ask for it again") from None
        lengths = len(question), len(digest), len(signature)
        possible = 1 <= self.party <= _MOST_PARTY and stage in _STAGES and lengths == (32, 32, 64)
        if str(self) != text or tag != "cycm" or not possible:
            raise ArgumentError("this line is no commitment; ask for it again")

    def _fill(self, party: int, stage: str, question: bytes, digest: bytes, signature: bytes) -> None:
        self.party, self.stage, self.question, self.digest = party, stage, question, digest
        self.signature = signature

    @classmethod
    def sign(cls, party: int, stage: str, question: bytes, digest: bytes, identity: Identity) -> Pledge:
        """By the party itself."""
        made = cls.__new__(cls)
        made._fill(party, stage, question, digest, b"")
        made.signature = identity.sign(_DOMAIN, made._signed())
        return made

    def _signed(self) -> bytes:
        return struct.pack("<I", self.party) + self.stage.encode() + b"\n" + self.question + self.digest

    def signed_by(self, identity: Verifier) -> bool:
        """Whether the party of this identity signed it."""
        return identity.verify(_DOMAIN, self._signed(), self.signature)

    def __str__(self) -> str:
        return f"cycm {self.party} {self.stage} {self.question.hex()} {self.digest.hex()} {self.signature.hex()}"

    def __repr__(self) -> str:
        return f"Pledge(party {self.party}, {self.stage}, {self.digest.hex()[:8]}...)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Pledge, (str(self),))


class _Circle:
    """Who takes part, and how what they show is held to what they committed to."""

    def __init__(self, session: Session, identities: Mapping[int, PublicIdentity], who: Sequence[int]) -> None:
        missing = [party for party in who if not isinstance(identities.get(party), PublicIdentity)]
        if missing:
            raise ArgumentError(f"the identity of party {missing[0]} is missing")
        self.session, self.identities, self.who = session, identities, tuple(who)

    def agreed(self, stage: str, question: bytes, given: Iterable[Pledge]) -> dict[int, bytes]:
        """The digests that all committed to. Raises ArgumentError, MismatchError or BlameError."""
        kept: dict[int, Pledge] = {}
        for one in given:
            if not isinstance(one, Pledge):
                raise UnsupportedError(f"a Pledge is needed, not {type(one).__name__}")
            if one.stage != stage or one.question != question:
                raise MismatchError(f"{one!r} belongs to another question or stage than {stage!r}")
            if one.party not in self.who or not one.signed_by(self.identities[one.party]):
                raise MismatchError(f"{one!r} was not signed by party {one.party} of those who take part")
            known = kept.setdefault(one.party, one)
            if known.digest != one.digest:
                blame = BlameError(f"party {one.party} committed to two things, and signed both")
                blame.parties, blame.stage, blame.messages = (one.party,), stage, (known, one)
                blame.evidence = f"{known.digest.hex()} {one.digest.hex()}"
                raise blame
        absent = [party for party in self.who if party not in kept]
        if absent:
            raise ArgumentError(f"the commitment of party {absent[0]} is missing")
        return {party: one.digest for party, one in kept.items()}


def _require_shown(committed: Mapping[int, bytes], party: int, digest: bytes) -> None:
    if committed[party] != digest:
        raise MismatchError(f"party {party} shows something else than it committed to, or a relay does: ask it again")


class MacShare:
    """A party's part of the secret numbers α that decryptions are checked with, made once for a key: nobody knows their
    sums. First all send `commitment`, then all send `arrays`; then each makes a `MacKey`.

    Args:
        party: the party.
        identity: its identity.
        public: the joint public key.
        count: numbers; an altered share passes with at most p^-count, p the smallest prime factor of a plaintext
            modulus. None: as many as make that 2^-40.
    """

    __slots__ = ("_arrays", "_commitment")

    def __init__(self, party: Any, identity: Identity, public: PublicKey, *, count: int | None = None) -> None:
        moduli = party.session.parameters.plain_moduli
        least = min(map(_least_factor, moduli))
        wanted = math.ceil(_BITS / math.log2(least)) if count is None else number_of(count, "count")
        if wanted < 1:
            raise ArgumentError(f"{wanted} numbers check nothing; at least one is needed")
        whole = math.prod(moduli)
        self._arrays = [encrypt_integers(secrets.randbelow(whole), public, wrap=True) for _ in range(wanted)]
        self._commitment = Pledge.sign(
            party.number, "mac", _mac_question(party.session, public), _digest_of(self._arrays), identity
        )

    @property
    def commitment(self) -> Pledge:
        """To be sent first."""
        return self._commitment

    @property
    def arrays(self) -> list[EncryptedArray]:
        """To be sent once the commitments of all have arrived."""
        return list(self._arrays)


class MacKey:
    """The encrypted sums α of all parties' numbers.

    A check that somebody falsified tells of α whoever sees its shares, also if it is never finished. So a party holds
    the numbers from `CheckedDecryption.reveal_check` until `CheckedDecryption.values` has found nothing wrong, and
    checks nothing else with them meanwhile; after a failure, never.

    Args:
        session: the session.
        identities: of all parties.
        public: the joint public key.
        commitments: of all parties.
        arrays: what each party showed afterwards, by number.
        file: where this party keeps whether the numbers are held or spent; made at the first check. None: in this
            object alone, so that one made anew has forgotten it.

    Raises:
        ArgumentError: a party's part is missing, or has another count.
        MismatchError: a commitment that its party did not sign; arrays that were not committed to; a file of other
            numbers.
        BlameError: a party committed to two things.
        FormatError, FileError: the file is damaged, or can't be read.
    """

    __slots__ = ("_state", "_sums")

    def __init__(
        self,
        session: Session,
        identities: Mapping[int, PublicIdentity],
        public: PublicKey,
        commitments: Iterable[Pledge],
        arrays: Mapping[int, Sequence[EncryptedArray]],
        *,
        file: Path | None = None,
    ) -> None:
        circle = _Circle(session, identities, session.parties)
        committed = circle.agreed("mac", _mac_question(session, public), commitments)
        absent = [party for party in session.parties if party not in arrays]
        if absent:
            raise ArgumentError(f"the encrypted numbers of party {absent[0]} are missing")
        for party in session.parties:
            _require_shown(committed, party, _digest_of(arrays[party]))
        if len({len(arrays[party]) for party in session.parties}) != 1:
            raise ArgumentError("parties made different counts of numbers to check with")
        rows = [arrays[party] for party in session.parties]
        self._sums = [sum(row[1:], row[0]).with_keys(public) for row in zip(*rows, strict=True)]
        self._state = MacState(_digest_of(self._sums), file)

    @property
    def sums(self) -> list[EncryptedArray]:
        """The encrypted sums."""
        return list(self._sums)

    @property
    def spent(self) -> bool:
        """Whether a check failed, which tells of α: it checks nothing any more."""
        return self._state.spent

    @property
    def state(self) -> MacState:
        """What has become of the numbers; for the library itself."""
        return self._state


class CheckedDecryption:
    """One party's part in decrypting an array with others, so that values which somebody falsified are refused. Each of
    the steps takes what all who decrypt sent in the one before: `commit`, `reveal`, `commit_check`, `reveal_check`,
    `values`. The values are given after the last one only.

    Altering a share in any way passes with a probability of at most p^-m, p the smallest prime factor of a plaintext
    modulus and m the count of `MacShare`. It takes one product of headroom, and a relinearisation key.

    Args:
        party: the party.
        identity: its identity.
        x: the array, the very one that the others have; it knows the evaluation key.
        key: the numbers that are checked with.
        identities: of all who decrypt.
        name: what is decrypted, in words that all agreed upon.
        active: the numbers of those who decrypt; None for all.
        flooding_bits: as `Party.decryption_share`.
        recompute: a function that gives the array again, bit for bit, from ``inputs``: where the array was computed by
            somebody whom this party does not trust.
        inputs: what it is called with.

    Raises:
        MismatchError: recomputing gives another array.
        ContradictionError: a `MacKey` that is spent, or held by another decryption.
        ArgumentError: parties that can't decrypt together.
    """

    def __init__(
        self,
        party: Any,
        identity: Identity,
        x: EncryptedArray,
        key: MacKey,
        identities: Mapping[int, PublicIdentity],
        *,
        name: str,
        active: Sequence[int] | None = None,
        flooding_bits: int = 64,
        recompute: Callable[..., EncryptedArray] | None = None,
        inputs: Sequence[Any] = (),
    ) -> None:
        require_array(x)
        key.state.require_fresh()
        session = party.session
        who = sorted(session.parties if active is None else {number_of(one, "a party's number") for one in active})
        self._circle = _Circle(session, identities, who)
        self._party, self._identity, self._x, self._key, self._bits = party, identity, x, key, flooding_bits
        if recompute is not None and _digest_of([recompute(*inputs)]) != _digest_of([x]):
            raise MismatchError(
                "recomputing gives another array than the one that shall be decrypted: do not decrypt it"
            )
        self._question = _question(session, party, x, key, who, flooding_bits, name)
        self._share: DecryptionShare | None = None
        self._checks: list[EncryptedArray] = []
        self._values: Any = None
        self._check_shares: list[DecryptionShare] = []
        self._committed: dict[int, bytes] = {}

    @property
    def question(self) -> str:
        """64 hexadecimal digits that all who decrypt compare: of the session, array, set, epoch, flooding and name."""
        return self._question.hex()

    def commit(self) -> Pledge:
        """Commits to this party's share, which is made now."""
        self._share = self._share_of(self._x)
        return self._sign("share", [self._share])

    def reveal(self, commitments: Iterable[Pledge]) -> DecryptionShare:
        """The share, now that all have committed.

        Raises:
            ArgumentError: a commitment is missing. MismatchError: one is of another question, or not signed.
            BlameError: a party committed to two things.
        """
        if self._share is None:
            raise ArgumentError("commit first")
        self._committed = self._circle.agreed("share", self._question, commitments)
        _require_shown(self._committed, self._party.number, _digest_of_shares([self._share]))
        return self._share

    def commit_check(self, shares: Sequence[DecryptionShare]) -> Pledge:
        """Takes all shares, and commits to this party's shares of what has to be 0.

        Raises:
            ArgumentError: a share is missing. MismatchError: one is not the one that was committed to.
            ContradictionError: shares that give more noise than flooding explains.
            RangeError: values beyond the array's own bound: a share was altered, too.
        """
        self._hold(self._committed, [[share] for share in shares])
        values = decrypt(self._x, shares, self._circle.session)
        # Modulo T, as the numbers are: only there is every multiple of a lie as likely as another.
        rest = _modulo(self._x) - _residues(values, self._x)
        known = self._x.keyring.keys()
        self._checks = [(alpha.with_keys(*known) if known else alpha) * rest for alpha in self._key.sums]
        self._values = values
        self._check_shares = [self._share_of(check) for check in self._checks]
        return self._sign("check", self._check_shares)

    def reveal_check(self, commitments: Iterable[Pledge]) -> list[DecryptionShare]:
        """This party's shares of what has to be 0, now that all have committed. From now on the `MacKey` is held.

        Raises:
            ContradictionError: the `MacKey` is spent, or held by another decryption or another answer of this one.
            ArgumentError, MismatchError, BlameError: as `reveal`.
        """
        if not self._check_shares:
            raise ArgumentError("commit to the check first")
        self._key.state.require_fresh(self._question)
        self._committed = self._circle.agreed("check", self._question, commitments)
        _require_shown(self._committed, self._party.number, _digest_of_shares(self._check_shares))
        self._key.state.hold(self._question, _digest_of(self._checks))
        return list(self._check_shares)

    def values(self, shares: Sequence[Sequence[DecryptionShare]]) -> IntArray | Any:
        """The values, as `decrypt` gives them, if the check gives 0 everywhere.

        Args:
            shares: what each party's `reveal_check` gave.

        Raises:
            ContradictionError: a share of the values, or of the check, was altered. The `MacKey` is spent then: make
                another one. Where fewer than all decrypt, do so again with other sets: `liars` says whom that names.
                Where all decrypt nobody can be named.
            ArgumentError, MismatchError: as `commit_check`.
        """
        self._hold(self._committed, shares)
        self._key.state.require_fresh(self._question)
        try:
            by_check = zip(*shares, strict=True)
            sound = all(
                not np.any(decrypt(check, list(each), self._circle.session))
                for check, each in zip(self._checks, by_check, strict=True)
            )
        except ContradictionError:
            sound = False
        if not sound:
            self._key.state.spend()
            raise ContradictionError(
                "the check of the values fails: a decryption share was altered, or is no honest one; the numbers that "
                f"it was checked with are spent, make another MacKey; {self._circle.session.native.naming}"
            )
        self._key.state.release(self._question)
        return self._values

    def _share_of(self, array: EncryptedArray) -> DecryptionShare:
        share: DecryptionShare = self._party.decryption_share(array, active=self._circle.who, flooding_bits=self._bits)
        return share

    def _sign(self, stage: str, shares: Sequence[DecryptionShare]) -> Pledge:
        digest = _digest_of_shares(shares)
        return Pledge.sign(self._party.number, stage, self._question, digest, self._identity)

    def _hold(self, committed: Mapping[int, bytes], shares: Sequence[Sequence[DecryptionShare]]) -> None:
        """What parties show, against what they committed to."""
        if not committed:
            raise ArgumentError("the steps go one after the other: commit, reveal, commit_check, reveal_check, values")
        shown: dict[int, bytes] = {}
        for each in shares:
            if not each or not all(isinstance(one, DecryptionShare) for one in each):
                raise UnsupportedError("each party shows a list of DecryptionShare")
            if len({one.party for one in each}) != 1 or each[0].party in shown or each[0].party not in committed:
                raise ArgumentError(f"there must be one answer of each of parties {', '.join(map(str, committed))}")
            shown[each[0].party] = _digest_of_shares(each)
        absent = [party for party in committed if party not in shown]
        if absent:
            raise ArgumentError(f"the answer of party {absent[0]} is missing")
        for party, digest in shown.items():
            _require_shown(committed, party, digest)


def liars(failed: Iterable[Iterable[int]], passed: Iterable[Iterable[int]]) -> tuple[int, ...]:
    """Whom decryptions of one array by several sets name: those who were in every set that failed, and in none that
    passed. With one liar, swapping one party at a time leaves that one; several may leave nobody.

    Args:
        failed: the sets whose check failed, at least one.
        passed: the sets whose check passed.
    """
    sets = [[[number_of(one, "a party's number") for one in each] for each in tried] for tried in (failed, passed)]
    return tuple(_core.liars(*sets))


def _modulo(x: EncryptedArray) -> EncryptedArray:
    """The same ciphertexts, whose values are meant modulo T."""
    own = x.native
    native = _core.EncryptedArray(own.channels, own.shape, own.placement, own.clean, None, None)
    return EncryptedArray(x.parameters, x.context, native, x.keyring)


def _residues(values: Any, x: EncryptedArray) -> Any:
    whole = math.prod(x.parameters.plain_moduli)
    return np.asarray(values, dtype=object) % whole


def _least_factor(modulus: int) -> int:
    """The smallest prime factor; 2^16 if it is larger."""
    return next((factor for factor in range(2, 1 << 16) if modulus % factor == 0), 1 << 16)


def _digest_of(arrays: Sequence[EncryptedArray]) -> bytes:
    return hashlib.sha256(b"".join(_core.array_digest(one.native) for one in arrays)).digest()


def _digest_of_shares(shares: Sequence[DecryptionShare]) -> bytes:
    return hashlib.sha256(b"".join(hashlib.sha256(_core.to_bytes(one.native, b"")).digest() for one in shares)).digest()


def _mac_question(session: Session, public: PublicKey) -> bytes:
    return hashlib.sha256(f"{_DOMAIN}\nmac\n{session.id}\n{public.key_id}\n".encode()).digest()


def _question(
    session: Session, party: Any, x: EncryptedArray, key: MacKey, who: Sequence[int], bits: int, name: str
) -> bytes:
    epoch = 0 if party.share is None else party.share.epoch
    facts = [session.id, x.key_id, epoch, _digest_of([x]).hex(), _digest_of(key.sums).hex(), *who, bits, name]
    return hashlib.sha256((f"{_DOMAIN}\nquestion\n" + "\n".join(map(str, facts))).encode()).digest()
