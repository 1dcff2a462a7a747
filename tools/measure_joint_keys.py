# SPDX-License-Identifier: Apache-2.0
"""What making a joint key takes of one party: processor time of its process, from messages in files to keys, and bytes.

python tools/measure_joint_keys.py          # 10 parties, of whom 5 decrypt, n = 8192
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import cyclotome as cy

PARTIES, THRESHOLD = 10, 5
STAGES = ("toss", "commit", "coin", "first", "second", "accept")


def measure(rotations: list[int] | None, repeats: int = 3) -> tuple[float, int, int, int]:
    """The least processor time in seconds of several runs, bytes sent and fetched by one party, and Galois elements."""
    params = cy.Parameters.suggest(parties=PARTIES, depth=1, value_bits=8, terms=4)
    session = cy.threshold.Session.create(params, parties=PARTIES, threshold=THRESHOLD, rotations=rotations)
    others = [cy.threshold.Party(session, number) for number in session.parties[1:]]
    best, sent, fetched = float("inf"), 0, 0
    for _ in range(repeats):
        spent, inbox = 0.0, dict[str, list[bytes]]()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "party"
            own: list[bytes] = []

            def mine(own: list[bytes], *stages: str, file: Path = file, inbox: dict[str, list[bytes]] = inbox) -> Any:
                """One run of the party's process: reads its file, what it has sent and all messages so far, does what
                is next."""
                party = cy.threshold.Party(session, 1, file=file)
                every = own + [each for stage in stages for each in inbox.get(stage, [])]
                return party.next([cy.from_bytes(each) for each in every])

            others = [cy.threshold.Party(session, number) for number in session.parties[1:]]
            known: list[Any] = []
            for count in range(len(STAGES) + 1):
                stages = STAGES[:count]
                start = time.process_time()
                progress = mine(own, *stages)
                own = [cy.to_bytes(message) for message in progress.messages]
                spent += time.process_time() - start
                known = [*known, *progress.messages]
                for party in others:
                    known += party.next(known).messages if progress.keys is None else []
                by_bytes = {cy.to_bytes(message): message for message in known}
                known = list(by_bytes.values())
                inbox.update(sorted_by_stage(by_bytes, own))
            sent, fetched = sum(map(len, own)), sum(len(each) for stage in inbox.values() for each in stage)
            best = min(best, spent)
    return best, sent, fetched, len(session.galois_elements)


def sorted_by_stage(messages: dict[bytes, Any], own: list[bytes]) -> dict[str, list[bytes]]:
    """The others' messages."""
    found: dict[str, list[bytes]] = {stage: [] for stage in STAGES}
    for data, message in messages.items():
        if data not in own:
            found[stage_of(message)].append(data)
    return found


def stage_of(message: Any) -> str:
    if isinstance(message, cy.threshold.Coin):
        return "coin" if message.shown else "toss"
    if isinstance(message, cy.threshold.Commitment):
        return "commit"
    if isinstance(message, cy.threshold.Acceptance):
        return "accept"
    return ("first", "second")[message.round - 1]


if __name__ == "__main__":
    print(cy.Parameters.suggest(parties=PARTIES, depth=1, value_bits=8, terms=4).summary())
    choices: list[list[int] | None] = [[], None]
    for rotations in choices:
        seconds, sent, fetched, elements = measure(rotations)
        print(f"{elements} rotation keys: {seconds:.2f} s, sends {sent / 1e6:.1f} MB, fetches {fetched / 1e6:.1f} MB")
