# SPDX-License-Identifier: Apache-2.0
"""What old messages of a joint key tell about its secrets: whether a party answered the second round twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .. import _core
from ..errors import UnsupportedError
from ..whole_files import path_text
from .party_files import Path

__all__ = ["Advice", "advise"]


class Advice(NamedTuple):
    """What the second shares of one party in one session tell."""

    #: The session's id, as `Session.id`.
    session: str
    #: The party's number.
    party: int
    #: Version of the protocol, 1 or 2.
    protocol: int
    #: To how many different first rounds there is an answer.
    answers: int

    @property
    def secret_is_public(self) -> bool:
        """Whether whoever has these messages can compute the party's secret key, exactly."""
        return self.protocol == 1 and self.answers > 1

    @property
    def words(self) -> str:
        """The same for people, with what to do."""
        if self.secret_is_public:
            return (
                f"PUBLIC: party {self.party} answered {self.answers} first rounds of one session; whoever has these "
                "messages has its secret key. Make a new key, encrypt anew, and take what the old one encrypted as "
                "read where all parties answered twice"
            )
        if self.protocol == 1:
            return (
                f"party {self.party} answered {self.answers} first round as far as these messages tell. One dishonest "
                "party or relay could have read its secret all the same: make a new session and a new key"
            )
        if self.answers > 1:
            return (
                f"party {self.party} answered {self.answers} first rounds, which it should not: its file was lost or "
                "copied back. Its secret is as safe as before; make a new session"
            )
        return f"party {self.party} answered {self.answers} first round"


def advise(paths: Sequence[Path]) -> list[Advice]:
    """Looks at key shares of either version of the protocol, of any sessions, and says of each party whether its secret
    can be computed from them. Files of other kinds are passed over; no secret is needed.

    Args:
        paths: files of shares, all that were ever sent: what is not among them is not seen.

    Raises:
        FileError, FormatError: as `load`.
    """
    if isinstance(paths, (str, bytes)):
        raise UnsupportedError("advise takes a list of files")
    seen: dict[tuple[str, int, int], set[bytes]] = {}
    table = _core.default_security_table()
    for path in paths:
        limits = {"max_bytes": _MOST_BYTES, "max_expanded_bytes": 4 * _MOST_BYTES}
        container = _core.Container.from_file(path_text(path), allow_insecure=True, security_table=table, **limits)
        if container.kind != "key share":
            continue
        protocol, session, party, number, basis = container.key_share_facts
        answers = seen.setdefault((session.hex(), party, protocol), set())
        if number == 2:
            answers.add(basis)
    return [
        Advice(session, party, protocol, len(answers)) for (session, party, protocol), answers in sorted(seen.items())
    ]


#: As much as `load` takes.
_MOST_BYTES = 4 << 30
