# SPDX-License-Identifier: Apache-2.0
"""The best that public GPU libraries do on one card, the parameter sets to set beside it, and the ratios.

Their figures depend on how much of log2(QP) special primes take: more of them make a key switch faster, and leave less
of q for noise. So every figure has a set here with the same degree, no more log2(QP) and no less log2(q) than the
library's ciphertexts had; special primes and digits are those that `Parameters.from_modulus_bits` finds cheapest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from cyclotome.parameters.parameters import Parameters

from cyclotome_bench.reports.report import Record
from cyclotome_bench.sets import Chain, Problem

__all__ = ["PREFIX", "Figure", "compared", "conditions", "figures", "public_problems", "transform_figures"]

#: How the names of these sets begin.
PREFIX = "public-"
#: A batching prime of 20 bits at every degree, as the libraries' t.
_PLAIN_MODULUS = 786433
_OPERATIONS = ("relinearize", "multiply_relinearize", "rotate")


@dataclass(frozen=True)
class Figure:
    """One figure of a library.

    Attributes:
        scheme, operation, degree: of what.
        kind: "latency", one call and a synchronisation; "throughput", one of many.
        us: microseconds for one ciphertext.
        library: whose, and how many threads or whether in batches.
        special_primes: how many there are.
        log_q: lengths of its ciphertext primes, all together.
        set_log_q: log2(q) of the set it is compared with, at least.
    """

    scheme: str
    operation: str
    degree: int
    kind: str
    us: float
    library: str
    special_primes: int
    log_q: int
    set_log_q: int

    @property
    def set_name(self) -> str:
        return f"{PREFIX}{self.degree}-{self.set_log_q}"

    @property
    def source(self) -> str:
        """Whose it is, and with which modulus."""
        special = "1 special prime" if self.special_primes == 1 else f"{self.special_primes} special primes"
        return f"{self.library}, log q = {self.log_q}, {special}"


@cache
def _facts() -> Any:
    return json.loads(files("cyclotome_bench").joinpath("public_libraries.json").read_text(encoding="utf-8"))


@cache
def figures() -> tuple[Figure, ...]:
    """Every figure for an operation of a scheme."""
    facts = _facts()
    found = []
    for row in facts["operations"]:
        fields = dict(zip(facts["columns"], row, strict=True))
        degree, special = fields["degree"], fields["special_primes"]
        log_q = sum(facts["chains"][fields.pop("chain")][str(degree)][:-special])
        set_log_q = min(bits for bits in facts["sets"][str(degree)] if bits >= log_q)
        found.append(Figure(**fields, log_q=log_q, set_log_q=set_log_q))
    return tuple(found)


def conditions() -> str:
    """Which versions of which libraries, on what, timed how."""
    facts = _facts()
    versions = "; ".join(f"{name} {version}" for name, version in facts["libraries"].items())
    return f"{versions}; one {facts['card']}, {facts['conditions']}"


def public_problems(schemes: Sequence[str], degrees: Sequence[int]) -> list[Problem]:
    """A set for every log2(q) that figures of these schemes and degrees ask for, in 32-bit words."""
    wanted = {(f.degree, f.set_log_q, f.scheme) for f in figures() if f.degree in degrees and f.scheme in schemes}
    return [_problem(scheme, degree, log_q) for degree, log_q, scheme in sorted(wanted)]


@cache
def _problem(scheme: str, degree: int, log_q: int) -> Problem:
    # Of one bit more, so that q is not below 2^log_q.
    planned = Parameters.from_modulus_bits(
        degree=degree,
        modulus_bits=log_q + 1,
        plain_moduli=[_PLAIN_MODULUS],
        word=32,
        table="he-standard-2018",
        scheme=scheme,
    )
    chain = Chain("planned", planned.word, planned.moduli, planned.special_moduli)
    total = _facts()["modulus_bits"][str(degree)]
    name = f"{PREFIX}{degree}-{log_q}"
    return Problem(name, scheme, degree, total, _PLAIN_MODULUS, (chain,), (), operations=_OPERATIONS)


def compared(record: Record) -> Record:
    """What libraries' figures add to a record of their set: theirs, whose they are, and theirs / ours.

    "public_latency_us", "public_latency_by" and "public_latency_ratio" for single ciphertexts;
    "public_throughput_…" likewise, against the time of one among many. For forward transforms "public_32_ns_per_bit",
    "public_32_by" and "public_32_ratio" tell of the fastest library in 32-bit words, "public_64_…" in 64-bit words.
    """
    if record["operation"] == "ntt":
        return _compared_transform(record)
    own = [f for f in figures() if (f.scheme, f.operation) == (record["scheme"], record["operation"])]
    own = [f for f in own if f.set_name == record["set"]]
    found: Record = {}
    for kind, ours in (("latency", "median_us"), ("throughput", "us_each")):
        theirs = next((f for f in own if f.kind == kind), None)  # there is at most one
        if theirs is not None and (kind == "throughput" or record["batch"] == 1):
            found[f"public_{kind}_us"] = theirs.us
            found[f"public_{kind}_by"] = theirs.source
            found[f"public_{kind}_ratio"] = round(theirs.us / record[ours], 2)
    return found


def transform_figures(degree: int, batch: int) -> dict[int, tuple[float, str]]:
    """The fastest libraries, by bits of a word: nanoseconds for a transform and bit of modulus, and whose.

    Args:
        degree: n. The result is empty where nobody has figures.
        batch: at most as many polynomials in one call.
    """
    facts = _facts()
    found: dict[int, tuple[float, str]] = {}
    for library in facts["transforms"]:
        for count, us in zip(facts["transform_batches"], library["us"].get(str(degree), ()), strict=False):
            if us is not None and count <= batch:
                each = (1000 * us / count / library["bits"], library["library"])
                found[library["word"]] = min(each, found.get(library["word"], each))
    return found


def _compared_transform(record: Record) -> Record:
    ours = 1000 * record["us_each"] / record["log_q"]
    found: Record = {}
    for word, (theirs, library) in transform_figures(record["degree"], record["batch"]).items():
        found[f"public_{word}_ns_per_bit"] = round(theirs, 3)
        found[f"public_{word}_by"] = library
        found[f"public_{word}_ratio"] = round(theirs / ours, 2)
    return found
