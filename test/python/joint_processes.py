# SPDX-License-Identifier: Apache-2.0
"""Questions to a party of a joint key out of other processes, which import this module by its name."""

from __future__ import annotations

import cyclotome as cy
from cyclotome.errors import FileError, RepeatedAnswerError


def ask(session: bytes, file: str, question: tuple[list[bytes], list[bytes]]) -> str:
    """What becomes of a question to party 1, commitments and first shares: its answer in hexadecimal, or "refused"."""
    known = cy.from_bytes(session, allow_insecure=True)
    commitments, first = ([cy.from_bytes(each, allow_insecure=True) for each in messages] for messages in question)
    try:
        party = cy.threshold.Party(known, 1, file=file)
        party.first_share(commitments)
        return cy.to_bytes(party.second_share(first)).hex()
    except RepeatedAnswerError:
        return "refused"


def ask_without_room(session: bytes, file: str, question: tuple[list[bytes], list[bytes]]) -> str:
    """The same where no file can grow beyond a few bytes: "not written"."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
    try:
        return ask(session, file, question)
    except FileError:
        return "not written"
