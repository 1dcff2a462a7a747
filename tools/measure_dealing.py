# SPDX-License-Identifier: Apache-2.0
"""Sizes and processor times of verified dealing and checked decryption, as `doc/threshold.md` states them.

Usage: ``python tools/measure_dealing.py [PARTIES [THRESHOLD]]``, by default 10 and 5: processor time of this process,
the best of three, all parties at one place.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import cyclotome as cy


def best(what: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and milliseconds."""
    times, made = [], None
    for _ in range(3):
        before = time.process_time()
        made = what()
        times.append(1e3 * (time.process_time() - before))
    return made, min(times)


def line(name: str, size: int, milliseconds: float) -> None:
    print(f"| {name} | {size} | {milliseconds:.1f} ms |")


def main(parties: int, threshold: int) -> None:
    params = cy.Parameters.suggest(depth=1, value_bits=8, terms=16, parties=parties)
    print(params.summary(), f"{parties} parties, threshold {threshold}")
    session = cy.threshold.Session.create(params, parties=parties, threshold=threshold, rotations=[])
    people = {number: cy.threshold.Party(session, number) for number in session.parties}
    identities = {number: cy.threshold.Identity.create() for number in people}
    dealing = cy.threshold.DealingRound(session, {number: one.public for number, one in identities.items()})
    issued, spent = [], 0.0
    for number, identity in identities.items():
        made, spent = best(partial(dealing.keys, number, identity))
        issued.append(made)
    line("keys for all dealers", len(cy.to_bytes(issued[0])), spent)
    dealt = {}
    for number, party in people.items():
        dealt[number], spent = best(partial(dealing.deal, party, identities[number], issued))
    line("a dealing, for all", len(cy.to_bytes(dealt[1][0])), spent)
    line("a sealed share, one of n (time: with the dealing)", len(cy.to_bytes(dealt[1][1][1])), spent)
    public = [message for message, _ in dealt.values()]
    sealed = [each[1] for _, each in dealt.values()]
    _, spent = best(lambda: dealing.receive(people[1], identities[1], public, sealed))
    line("receiving and checking all", sum(len(cy.to_bytes(one)) for one in (*public, *sealed)), spent)


if __name__ == "__main__":
    main(*(int(argument) for argument in (*sys.argv[1:3], *("10", "5")[len(sys.argv[1:3]) :])))
