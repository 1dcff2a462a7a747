# SPDX-License-Identifier: Apache-2.0
"""How long sorting and PRINCE take on encrypted bits over Phi_m, at 128 bits of security, every result checked.

    python tools/time_circuits.py [DEVICES] [JOB ...]

Jobs: "sort", the usual ones, "sort:COUNT:BITS:LISTS:RUNS" another; "prince", 2048 blocks, "prince:BLOCKS:RUNS" others.
Lists over Phi_21845, 1024 in a ciphertext, blocks over Phi_65535, 2048 in one; a line of JSON for each run, of which
there are two in a row unless said otherwise. DEVICES are names with commas between, "cpu:1" unless said otherwise,
where PRINCE takes minutes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome.devices.contexts import engine_on

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


def timed(work: Callable[[], Any], devices: list[str]) -> tuple[Any, float]:
    """The result, and seconds, until every device has done all."""
    start = time.perf_counter()
    result = work()
    for device in devices:
        engine_on(device).synchronize()
    return result, time.perf_counter() - start


def sort(devices: list[str], count: int, bits: int, lists: int = LISTS, runs: int = 2) -> None:
    """Sorts random lists."""
    circuit = cy.circuit.Circuit.sort(count=count, bits=bits)
    parameters = circuit.parameters(cyclotomic=21845)
    secret, public, _ = cy.keygen(parameters, rotations=[], device=devices[0])
    values = np.random.default_rng(1).integers(0, 1 << bits, (lists, count), dtype=np.int64)
    x = cy.circuit.encrypt_lists(values, public, bits=bits)
    plan = circuit.plan(parameters, lanes=lists, devices=len(devices))
    job = {"job": "sort", "devices": devices, "count": count, "bits": bits, "bytes_in_one_section": plan.peak_bytes}
    for run in range(1, runs + 1):
        result, seconds = timed(lambda: cy.circuit.sort(x, devices=devices), devices)
        opened = np.asarray(cy.circuit.decrypt(result, secret)).astype(np.int64)
        right = bool(np.array_equal(opened, np.sort(values, axis=-1)))
        report(job, "list", lists, run, seconds, right, parameters)


def prince(devices: list[str], count: int = BLOCKS, runs: int = 2) -> None:
    """Encrypts blocks under an encrypted key."""
    circuit = cy.circuit.Circuit.prince()
    parameters = circuit.parameters(cyclotomic=65535)
    secret, public, _ = cy.keygen(parameters, rotations=[], device=devices[0])
    key = cy.circuit.prince_key(0, 0, public)
    blocks = cy.circuit.encrypt(np.zeros(count, dtype=np.int64), public, bits=64)
    plan = circuit.plan(parameters, lanes=count, devices=len(devices))
    job = {"job": "prince", "devices": devices, "bytes_in_one_section": plan.peak_bytes}
    for run in range(1, runs + 1):
        result, seconds = timed(lambda: cy.circuit.prince(blocks, key, devices=devices), devices)
        opened = np.asarray(cy.circuit.decrypt(result, secret)).ravel()
        right = [int(value) % 2**64 for value in opened] == [CIPHERTEXT_OF_ZERO] * count
        report(job, "block", count, run, seconds, right, parameters)


def main(names: str = "cpu:1", *jobs: str) -> None:
    """Those jobs, or the usual ones."""
    devices = names.split(",")
    for job in jobs or ("sort", "prince"):
        what, *numbers = job.split(":")
        sizes = [int(number) for number in numbers]
        if what == "prince":
            prince(devices, *sizes)
        elif sizes:
            sort(devices, *sizes)
        else:
            for count, bits in SORTS:
                sort(devices, count, bits)


if __name__ == "__main__":
    main(*sys.argv[1:])
