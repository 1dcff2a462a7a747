# SPDX-License-Identifier: Apache-2.0
"""Memory of a process that makes keys, encrypts, multiplies, rotates and decrypts, here and with SEAL (tenseal), each
in a process of its own: ``python -m cyclotome_bench.machine.process_memory 4096 8192``. Linux only.

Both sides work on SEAL's default primes of a degree, on one thread, with the key of one rotation, or with all that each
makes if it is asked for nothing else: here those of sums over slots, in SEAL powers of two in both directions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["STEPS", "measured"]

STEPS = ("import", "keys", "encrypt", "multiply", "rotate", "decrypt")
_VALUES = [1, 2, 3]


def _resident() -> dict[str, float]:
    """MiB of this process: what it has now, of that what is no file, and the most so far."""
    names = {"VmRSS": "resident", "RssAnon": "anonymous", "VmHWM": "peak"}
    found = {}
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in names:
            found[names[name]] = int(value.split()[0]) / 1024
    return found


def _own(degree: int, keys: str, told: Callable[[str], None]) -> None:
    import cyclotome as cy

    told("import")
    parameters = cy.Parameters.preset(f"seal-{degree}")
    few: dict[str, Any] = {"rotations": [1], "columns": False} if keys == "one" else {}
    secret, public, _ = cy.keygen(parameters, device="cpu:1", **few)
    told("keys")
    values = [*_VALUES, *[0] * (parameters.slots - len(_VALUES))]
    x = cy.encrypt(values, public, bound=3)
    told("encrypt")
    with cy.allow_undecryptable():  # 4096 is for no product: its time and memory are what is asked for
        y = x * x
    told("multiply")
    z = x.rotate_rows(1)
    told("rotate")
    assert cy.decrypt(x, secret)[:3].tolist() == _VALUES
    told("decrypt")
    assert y.shape == z.shape == x.shape  # all of them are held until here


def _seal(degree: int, keys: str, told: Callable[[str], None]) -> None:
    import tenseal.sealapi as seal

    told("import")
    table = seal.SEC_LEVEL_TYPE.TC128
    parameters = seal.EncryptionParameters(seal.SCHEME_TYPE.BFV)
    parameters.set_poly_modulus_degree(degree)
    parameters.set_coeff_modulus(seal.CoeffModulus.BFVDefault(degree, table))
    parameters.set_plain_modulus(65537)
    context = seal.SEALContext(parameters, True, table)
    make = seal.KeyGenerator(context)
    public, relin, galois = seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
    make.create_public_key(public)
    make.create_relin_keys(relin)
    make.create_galois_keys(*([[3]] if keys == "one" else []), galois)
    told("keys")
    plain, x, y, z = seal.Plaintext(), seal.Ciphertext(), seal.Ciphertext(), seal.Ciphertext()
    encoder, evaluator = seal.BatchEncoder(context), seal.Evaluator(context)
    encoder.encode([*_VALUES, *[0] * (degree - len(_VALUES))], plain)
    seal.Encryptor(context, public).encrypt(plain, x)
    told("encrypt")
    evaluator.multiply(x, x, y)
    evaluator.relinearize_inplace(y, relin)
    told("multiply")
    evaluator.rotate_rows(x, 1, galois, z)
    told("rotate")
    seal.Decryptor(context, make.secret_key()).decrypt(x, plain)
    assert encoder.decode_uint64(plain)[:3] == _VALUES
    told("decrypt")


def measured(side: str, degree: int, keys: str) -> dict[str, dict[str, float]]:
    """By step, what a new process of this side has after it: MiB ``resident``, ``anonymous`` and ``peak``.

    Args:
        side: "own" or "seal".
        degree: one of SEAL's default sets.
        keys: "one" or "all" rotations.
    """
    command = [sys.executable, "-m", "cyclotome_bench.machine.process_memory", "--one", side, str(degree), keys]
    found: dict[str, dict[str, float]] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


def _one(side: str, degree: int, keys: str) -> None:
    steps: dict[str, dict[str, float]] = {}

    def told(step: str) -> None:
        steps[step] = _resident()

    (_own if side == "own" else _seal)(degree, keys, told)
    print(json.dumps(steps))


def _main(degrees: list[int]) -> None:
    print("| n | keys | | " + " | ".join(STEPS) + " | peak |\n|" + "---|" * (len(STEPS) + 4))
    for degree in degrees:
        for keys in ("one", "all"):
            for side in ("own", "seal"):
                steps = measured(side, degree, keys)
                cells = [f"{steps[step]['resident']:.1f}" for step in STEPS]
                peak = f"{steps[STEPS[-1]]['peak']:.1f}"
                name = "cyclotome" if side == "own" else "SEAL"
                print(f"| {degree} | {keys} | {name} | " + " | ".join([*cells, peak]) + " |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        _one(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        _main([int(each) for each in sys.argv[1:]] or [4096, 8192])
