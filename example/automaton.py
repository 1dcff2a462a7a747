# SPDX-License-Identifier: Apache-2.0
"""A state machine reads encrypted texts: how often a motif occurs in each of thousands of strands of DNA.

Usage: python example/automaton.py [--letters 300] [--degree 256] [--motif GATTACA]

Every slot holds a strand of its own. For each letter the machine's next state is a table of state and letter, a
polynomial of degree 4 s - 1 for s states: a depth that no parameters have for hundreds of letters. Operations refresh
what they take when there is no room left. The default degree, 256, is a test size, far below 128 bits of security, as
the parameters say; 32768 and 65536 are secure by the library's tables (refreshing is experimental:
doc/bootstrapping.md), and take seconds for each letter of as many strands.
"""

from __future__ import annotations

import argparse
import time

import cyclotome as cy
import numpy as np

LETTERS = "ACGT"


def machine(motif: str) -> list[int]:
    """The next state for 4 * state + letter. A state is the length of the motif's longest beginning that the text ends
    with (Knuth, Morris, Pratt 1977); the last one is a find."""
    table = []
    for state in range(len(motif) + 1):
        for letter in LETTERS:
            text = motif[:state] + letter
            table.append(max(k for k in range(len(motif) + 1) if text.endswith(motif[:k])))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description="A state machine over encrypted text.")
    parser.add_argument("--letters", type=int, default=300)
    parser.add_argument("--degree", type=int, default=256)
    parser.add_argument("--motif", default="GATTACA")
    arguments = parser.parse_args()
    motif, letters, degree = arguments.motif, arguments.letters, arguments.degree

    # The owner's side: strands, one in each slot, into which the motif is copied here and there.
    params = cy.Parameters.bootstrappable(degree, allow_insecure=degree < 32768)
    print(params.summary())
    secret, public, _ = cy.keygen(params, bootstrap=True, rotations=[])
    random = np.random.default_rng()
    strands = random.integers(0, 4, (letters, degree))
    wanted = np.array([LETTERS.index(each) for each in motif])
    for strand in range(0, degree, 2):
        first = random.integers(0, letters - len(motif) + 1)
        strands[first : first + len(motif), strand] = wanted
    text = [cy.encrypt(row, public, bound=(0, 3)) for row in strands]

    # Whoever computes has evaluation keys and the motif, and no secret.
    table, last = machine(motif), len(motif)
    final = [int(state == last) for state in range(last + 1)]
    refreshes, start = 0, time.process_time()

    def told(done: int, _: int, what: str) -> None:
        nonlocal refreshes
        refreshes += done > 0 and what.startswith("refreshing")

    with cy.bootstrap("auto"), cy.progress(told):
        state = cy.lookup(table[:4], text[0])
        finds = cy.lookup(final, state)
        for letter in text[1:]:
            state = cy.lookup(table, 4 * state + letter)
            finds = finds + cy.lookup(final, state)
    spent = time.process_time() - start

    # The owner's side again, and the same machine in the clear.
    states, counts = np.zeros(degree, dtype=int), np.zeros(degree, dtype=int)
    for row in strands:
        states = np.array(table)[4 * states + row]
        counts += states == last
    assert cy.decrypt(finds, secret).tolist() == counts.tolist()
    print(
        f"{letters} letters of {degree} strands, {counts.sum()} times {motif}, {refreshes} refreshes, "
        f"{spent:.1f} s of processor"
    )


if __name__ == "__main__":
    main()
