# SPDX-License-Identifier: Apache-2.0
"""Questions to a party of a joint key out of other processes, which import this module by its name."""

from __future__ import annotations

import cyclotome as cy
from cyclotome.errors import FileError, RepeatedAnswerError


def ask(session: bytes, file: str, first: list[bytes]) -> str:
    """What becomes of a question to party 1: its answer in hexadecimal, or "refused"."""
    known = cy.from_bytes(session, allow_insecure=True)
    shares = [cy.from_bytes(each, allow_insecure=True) for each in first]
    try:
        return cy.to_bytes(cy.threshold.Party(known, 1, file=file).second_share(shares)).hex()
    except RepeatedAnswerError:
        return "refused"


def ask_without_room(session: bytes, file: str, first: list[bytes]) -> str:
    """The same where no file can grow beyond a few bytes: "not written"."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
    try:
        return ask(session, file, first)
    except FileError:
        return "not written"
