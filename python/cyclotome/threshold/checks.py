# SPDX-License-Identifier: Apache-2.0
"""Joint decryption whose values are checked: a share that somebody altered is refused, but with a probability that is
stated; `doc/threshold.md`, "Checked decryption". What is checked, and how, is the library's
(`src/cyclotome/value/joint/checked_decryption.hpp`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .. import _core
from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, MismatchError, UnsupportedError
from ..keys.keyring import Keyring
from ..keys.kinds import PublicKey
from ..numbers.values import IntArray
from ..whole_files import path_text
from .decryption import natives_of, require_array, shown_values
from .evidence import blaming
from .identities import Identity, PublicIdentity
from .messages import DecryptionShare, Session, number_of
from .party_files import Path
from .pledges import Pledge

__all__ = ["CheckedDecryption", "MacKey", "MacShare", "liars"]


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

    __slots__ = ("_keyring", "_native", "_public")

    def __init__(self, party: Any, identity: Identity, public: PublicKey, *, count: int | None = None) -> None:
        wanted = None if count is None else number_of(count, "count")
        self._public, self._keyring = public, Keyring.of(public)
        self._native = _core.MacShare(party.session.native, party.number, identity.native, public.native, wanted)

    @property
    def commitment(self) -> Pledge:
        """To be sent first."""
        return Pledge.of_native(self._native.commitment)

    @property
    def arrays(self) -> list[EncryptedArray]:
        """To be sent once the commitments of all have arrived."""
        return _arrays_of(self._native.arrays, self._public, self._keyring)


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

    __slots__ = ("_keyring", "_native", "_public")

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
        known, lines = _known(identities, session.parties), _pledges(commitments)
        self._public, self._keyring = public, Keyring.of(public)
        shown = {party: [_native_of(one) for one in arrays[party]] for party in session.parties if party in arrays}
        natives = [one.native for one in lines]
        name = None if file is None else path_text(file)
        with blaming(lines):
            self._native = _core.MacKey(session.native, known, self._keyring.native(), natives, shown, name)

    @property
    def sums(self) -> list[EncryptedArray]:
        """The encrypted sums."""
        return _arrays_of(self._native.sums, self._public, self._keyring)

    @property
    def spent(self) -> bool:
        """Whether a check failed, which tells of α: it checks nothing any more."""
        return bool(self._native.spent)

    @property
    def native(self) -> _core.MacKey:
        """What the library computes with; for the library itself."""
        return self._native


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
        session = party.session
        who = sorted(session.parties if active is None else {number_of(one, "a party's number") for one in active})
        known = _known(identities, who)
        if recompute is not None and _core.array_digest(recompute(*inputs).native) != _core.array_digest(x.native):
            raise MismatchError(
                "recomputing gives another array than the one that shall be decrypted: do not decrypt it"
            )
        self._x = x.to(party.context.device)
        try:
            name.encode()
        except UnicodeError:
            raise ArgumentError(f"the name {name!r} has letters that no text has") from None
        share = None if party.share is None else party.share.on(party.context)
        plan = name, who, number_of(flooding_bits, "flooding_bits"), share
        self._native = _core.CheckedDecryption(party.native, identity.native, self._x.native, key.native, known, *plan)

    @property
    def question(self) -> str:
        """64 hexadecimal digits that all who decrypt compare: of the session, array, set, epoch, flooding and name."""
        return bytes(self._native.question).hex()

    def commit(self) -> Pledge:
        """Commits to this party's share, which is made now."""
        return Pledge.of_native(self._native.commit())

    def reveal(self, commitments: Iterable[Pledge]) -> DecryptionShare:
        """The share, now that all have committed.

        Raises:
            ArgumentError: a commitment is missing. MismatchError: one is of another question, or not signed.
            BlameError: a party committed to two things.
        """
        lines = _pledges(commitments)
        with blaming(lines):
            return self._shown(self._native.reveal([one.native for one in lines]))

    def commit_check(self, shares: Sequence[DecryptionShare]) -> Pledge:
        """Takes all shares, and commits to this party's shares of what has to be 0.

        Raises:
            ArgumentError: a share is missing. MismatchError: one is not the one that was committed to.
            ContradictionError: shares that give more noise than flooding explains.
            RangeError: values beyond the array's own bound: a share was altered, too.
        """
        return Pledge.of_native(self._native.commit_check(self._natives(shares)))

    def reveal_check(self, commitments: Iterable[Pledge]) -> list[DecryptionShare]:
        """This party's shares of what has to be 0, now that all have committed. From now on the `MacKey` is held.

        Raises:
            ContradictionError: the `MacKey` is spent, or held by another decryption or another answer of this one.
            ArgumentError, MismatchError, BlameError: as `reveal`.
        """
        lines = _pledges(commitments)
        with blaming(lines):
            return [self._shown(one) for one in self._native.reveal_check([each.native for each in lines])]

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
        return shown_values(self._native.values([self._natives(each) for each in shares]), self._x)

    def _natives(self, shares: Sequence[DecryptionShare]) -> list[Any]:
        return natives_of(shares, DecryptionShare, self._x.context)

    def _shown(self, native: Any) -> DecryptionShare:
        return DecryptionShare(self._x.parameters, self._x.context, native)


def liars(failed: Iterable[Iterable[int]], passed: Iterable[Iterable[int]]) -> tuple[int, ...]:
    """Whom decryptions of one array by several sets name: those who were in every set that failed, and in none that
    passed. With one liar, swapping one party at a time leaves that one; several may leave nobody.

    Args:
        failed: the sets whose check failed, at least one.
        passed: the sets whose check passed.
    """
    sets = [[[number_of(one, "a party's number") for one in each] for each in tried] for tried in (failed, passed)]
    return tuple(_core.liars(*sets))


def _pledges(given: Any) -> list[Pledge]:
    every = list(given)
    for one in every:
        if not isinstance(one, Pledge):
            raise UnsupportedError(f"a Pledge is needed, not {type(one).__name__}")
    return every


def _known(identities: Mapping[int, PublicIdentity], who: Sequence[int]) -> dict[int, _core.PublicIdentity]:
    """The identities of those who take part. Raises ArgumentError where one is missing."""
    missing = [party for party in who if not isinstance(identities.get(party), PublicIdentity)]
    if missing:
        raise ArgumentError(f"the identity of party {missing[0]} is missing")
    return {party: identities[party].native for party in who}


def _native_of(array: EncryptedArray) -> _core.EncryptedArray:
    require_array(array)
    return array.native


def _arrays_of(natives: Sequence[_core.EncryptedArray], public: PublicKey, keys: Keyring) -> list[EncryptedArray]:
    ring = keys.native()
    return [EncryptedArray(public.parameters, public.context, one.with_keys(ring), keys) for one in natives]
