# SPDX-License-Identifier: Apache-2.0
"""Questions to a party of a joint key out of other processes, which import this module by its name."""

from __future__ import annotations

from collections.abc import Callable

import cyclotome as cy
from cyclotome.errors import BudgetError, FileError, RepeatedAnswerError


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
    return _without_room(lambda: ask(session, file, question))


def give(session: bytes, file: str, x: bytes) -> str:
    """Party 1's share of an array, in hexadecimal, or "refused"."""
    known = cy.from_bytes(session, allow_insecure=True)
    try:
        share = cy.threshold.Party(known, 1, file=file).decryption_share(cy.from_bytes(x, allow_insecure=True))
        return cy.to_bytes(share).hex()
    except BudgetError:
        return "refused"


def give_without_room(session: bytes, file: str, x: bytes) -> str:
    """The same where no file can grow beyond a few bytes: "not written"."""
    return _without_room(lambda: give(session, file, x))


def _without_room(asked: Callable[[], str]) -> str:
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
    try:
        return asked()
    except FileError:
        return "not written"
