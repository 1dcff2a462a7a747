# SPDX-License-Identifier: Apache-2.0
"""Run the attacks of PyPI's `fhe-attack-replay` against this library, and print their verdicts.

That program encrypts 0, adds more and more to one coefficient of c0, and looks where decryption turns: if that place is
the same each time, an oracle of decryptions gives the noise away, and with enough of it the key (Cheon, Hong and Kim,
2024/127). No operation of a library adds less than q/t; a ciphertext is altered in its file here, and sealed anew, by
the second reader. So what is attacked is an oracle for **forged** ciphertexts, refusals included, against which nothing
is promised (doc/threat-model.md): ``decrypt`` and ``reveal`` both have to be found vulnerable, or the adapter attacks
nothing. Of ``reveal`` the values are flooded; what turns in the same place is the refusal.

Usage: ``pip install fhe-attack-replay``, then ``python test/referees/attack_replay.py``. Exit status 1: a verdict is
not the one that it has to be.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome_reader import files
from cyclotome_reader.answers import packed
from fhe_attack_replay.adapters.base import AdapterCapability, AdapterContext, LibraryAdapter
from fhe_attack_replay.attacks import Cheon2024_127, Eprint2025_867, GuoQian_USENIX24


@lru_cache(maxsize=4)
def parsed(data: bytes) -> tuple[files.Parameters, int, int, files.Ciphertexts]:
    """Of an array's file: parameters, where its ciphertexts begin and end, and these."""
    p, begin = files.read(data).parameters, data.index(b"CIPH") + 12
    end = begin + struct.unpack_from("<Q", data, begin - 8)[0]
    return p, begin, end, files.ciphertexts(data[begin:end], p)


class Cyclotome(LibraryAdapter):  # type: ignore[misc]
    """What that program asks of a library."""

    name = "cyclotome"
    capability = AdapterCapability(schemes=("BFV", "BGV"), live_oracle=True, notes="altered files, sealed anew")

    def is_available(self) -> bool:
        return True

    def setup(self, scheme: str, params: dict[str, Any]) -> AdapterContext:
        parameters = cy.Parameters.suggest(
            depth=0, value_bits=8, terms=16, flooding_bits=64, scheme=scheme.lower(), security=128
        )
        keys = cy.keygen(parameters, rotations=[], relinearization=False)
        ctx = AdapterContext(self.name, scheme, params, {"keys": keys, "how": params["how"]})
        # Version 0.1.3 asks adapters of other names than its own for no step, and takes 1; but whoever has one here.
        ctx.handles["toy"] = SimpleNamespace(delta=self.plaintext_delta(ctx, self.encrypt(ctx, 0)))
        return ctx

    def encrypt(self, ctx: AdapterContext, plaintext: Any) -> bytes:
        values = np.full(8, plaintext)
        return cy.to_bytes(cy.encrypt(values, ctx.handles["keys"].public, wrap=True, layout="packed"))

    def decrypt(self, ctx: AdapterContext, ciphertext: bytes) -> list[object]:
        opened = cy.reveal if ctx.handles["how"] == "reveal" else cy.decrypt
        try:
            return list(map(int, opened(cy.from_bytes(ciphertext), ctx.handles["keys"].secret)))
        except cy.errors.CyclotomeError as error:
            return [type(error).__name__] * 8

    def plaintext_delta(self, ctx: AdapterContext, ciphertext: bytes) -> int:
        """q / t; in BGV, whose noise reaches to q/2 in steps of t, q."""
        p = files.read(ciphertext).parameters
        q = int(np.prod(np.array(p.moduli, dtype=object)))
        return q // (p.plain_moduli[0] if p.scheme == "bfv" else 1)

    def perturb_ciphertext_constant(
        self, ctx: AdapterContext, ciphertext: bytes, offset: int, *, component: int = 0
    ) -> bytes:
        """The file with `offset` added to the first coefficient of a part; in BGV a multiple of t, which changes
        nothing but the noise."""
        p, begin, end, c = parsed(ciphertext)
        moduli = p.moduli[: c.level]
        step = offset - offset % p.plain_moduli[0] if p.scheme == "bgv" else offset
        reached = p.degree if p.scheme == "bgv" else 1  # values at all roots, or a coefficient
        parts = [list(part) for part in c.polynomials[0]]
        rows = zip(parts[component], moduli, strict=True)
        parts[component] = [[(x + step) % q for x in row[:reached]] + row[reached:] for row, q in rows]
        whole = ciphertext[: begin + 56] + packed(parts, moduli) + ciphertext[end:-32]
        return whole + hashlib.sha256(whole).digest()

    def polynomial_replay_metadata(self, ctx: AdapterContext, ciphertext: bytes) -> dict[str, Any]:
        return {"decryption": ctx.handles["how"]}

    def evaluator_fingerprint(self, ctx: AdapterContext) -> dict[str, Any]:
        return {"implementation": "cyclotome", "ntt_variant": "harvey", "constant_time_decrypt": True}


def verdicts() -> dict[str, str]:
    """By attack, scheme and way of decrypting."""
    found = {}
    adapter = Cyclotome()
    for scheme in adapter.capability.schemes:
        for how in ("decrypt", "reveal"):
            oracle = {"adversary_model": "ind-cpa-d", "decryption_oracle": True}
            flooding = {"noise_flooding": "worst-case-noise-flooding" if how == "reveal" else "none"}
            ctx = adapter.setup(scheme, {"how": how, "replay_trials": 6, "bisect_rounds": 16, **oracle, **flooding})
            for attack in (Cheon2024_127(), GuoQian_USENIX24(), Eprint2025_867()):
                if scheme in attack.applies_to_schemes:
                    result = attack.run(adapter, ctx)
                    mode = result.evidence.get("mode", "static")
                    name = f"{attack.id}, {scheme}, {how} ({mode})"
                    found[name] = result.status.value
                    print(f"{name}: {result.status.value}: {result.message}", flush=True)
    return found


def main() -> int:
    """Whether the replayed verdicts are the ones that have to be."""
    found = verdicts()
    wanted = [f"cheon-2024-127, {scheme}, {how} (replay)" for scheme in ("BFV", "BGV") for how in ("decrypt", "reveal")]
    wrong = [name for name in wanted if found.get(name) != "vulnerable"]
    print(f"unexpected: {wrong}" if wrong else "as they have to be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
