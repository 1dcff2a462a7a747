# SPDX-License-Identifier: Apache-2.0
"""How long sorting and PRINCE take on encrypted bits over Phi_m, at 128 bits of security, every result checked.

    python tools/time_circuits.py [DEVICE] [sort | prince]

1024 lists at once over Phi_21845, 2048 blocks over Phi_65535; a line of JSON for each of two runs in a row. DEVICE is
"cpu:1" unless said otherwise, where PRINCE takes minutes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np

#: Numbers in a list, and their bits.
SORTS = ((4, 8), (8, 8), (16, 8), (8, 32))
LISTS, BLOCKS = 1024, 2048
#: PRINCE of 0 under the key 0: the first of the published vectors.
CIPHERTEXT_OF_ZERO = 0x818665AA0D02DFDA


def report(
    job: dict[str, Any], unit: str, units: int, run: int, seconds: float, right: bool, parameters: cy.Parameters
) -> None:
    """Prints a line."""
    facts = {f"{unit}s": units, "run": run, "seconds": round(seconds, 4), f"ms_a_{unit}": 1000 * seconds / units}
    print(json.dumps({**job, **facts, "right": right, "parameters": parameters.summary()}), flush=True)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result, and seconds."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def sort(device: str, count: int, bits: int) -> None:
    """Sorts random lists."""
    parameters = cy.circuit.Circuit.sort(count=count, bits=bits).parameters(cyclotomic=21845)
    secret, public, _ = cy.keygen(parameters, rotations=[], device=device)
    values = np.random.default_rng(1).integers(0, 1 << bits, (LISTS, count), dtype=np.int64)
    x = cy.circuit.encrypt_lists(values, public, bits=bits)
    for run in (1, 2):
        result, seconds = timed(lambda: cy.circuit.sort(x))
        opened = np.asarray(cy.circuit.decrypt(result, secret)).astype(np.int64)
        right = bool(np.array_equal(opened, np.sort(values, axis=-1)))
        report({"job": "sort", "count": count, "bits": bits}, "list", LISTS, run, seconds, right, parameters)


def prince(device: str) -> None:
    """Encrypts blocks under an encrypted key."""
    parameters = cy.circuit.Circuit.prince().parameters(cyclotomic=65535)
    secret, public, _ = cy.keygen(parameters, rotations=[], device=device)
    key = cy.circuit.prince_key(0, 0, public)
    blocks = cy.circuit.encrypt(np.zeros(BLOCKS, dtype=np.int64), public, bits=64)
    for run in (1, 2):
        result, seconds = timed(lambda: cy.circuit.prince(blocks, key))
        opened = np.asarray(cy.circuit.decrypt(result, secret)).ravel()
        right = [int(value) % 2**64 for value in opened] == [CIPHERTEXT_OF_ZERO] * BLOCKS
        report({"job": "prince"}, "block", BLOCKS, run, seconds, right, parameters)


def main(device: str = "cpu:1", only: str = "") -> None:
    """Both jobs, or one."""
    if only in ("", "sort"):
        for count, bits in SORTS:
            sort(device, count, bits)
    if only in ("", "prince"):
        prince(device)


if __name__ == "__main__":
    main(*sys.argv[1:])
