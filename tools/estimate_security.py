# SPDX-License-Identifier: Apache-2.0
"""Estimate what attacks on the security tables' limits cost, and print it as a table of Markdown.

The limits (log2 of QP for each degree) are this library's; what it takes to find a secret at a limit is estimated anew:

* **primal**: reduction of the lattice that holds (error, secret, 1) until its one short vector stands out. Alkim,
  Ducas, Pöppelmann, Schwabe, "Post-quantum key exchange", 2016, section 6.3, with the secret's part scaled to the
  error's width (Bai, Galbraith, "Lattice decoding attacks on binary LWE", 2014). The geometric series assumption holds.
* **dual**: many short vectors of the dual lattice, by which secrets are told from noise (Albrecht, "On dual lattice
  attacks against small-secret LWE", 2017), nothing guessed; one sieve gives 2^(0.2075 β) of them.

Both in bits: log2 of operations, 2^(0.292 β + 16.4) for a sieve of dimension β (Becker, Ducas, Gama, Laarhoven, 2016),
8 d of them for a reduction. ``--quantum`` takes 2^(0.265 β + 16.4) (Laarhoven, Mosca, van de Pol, 2015).

``--estimator FOLDER`` runs the Lattice Estimator from its sources too (github.com/malb/lattice-estimator; it needs
SageMath in the Python that runs this): primal, bounded distance decoding, and the dual attack with guessing that
MATZOV described, by the same cost model. ``--hybrid`` asks for reduction with a meeting in the middle as well, which
gains on sparse secrets.

Not covered by any of them: structure of the ring, side channels, decryption oracles, and attacks that nobody has
published.

Usage: ``python tools/estimate_security.py [--quantum] [--of KIND] [--estimator FOLDER [--hybrid]] [--limits FILE]
[--rows N,N]``. ``--of``: ``tables`` (default), their limits; ``presets``; ``rings``, caps of Φ_m at the rows and
between; ``joint``, keys of several parties, whose secrets and errors are sums, at the limits; ``all``. ``--limits``
reads the limits from a file that ``--write-limits`` wrote, for a Python that has SageMath and no cyclotome:
SageMath's parts from PyPI do (``pip install passagemath-standard``).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

TERNARY = math.sqrt(2 / 3)
#: Of the errors that this library draws.
ERROR = 3.24
#: The rings that bits use by default, and the primes of their indices.
CYCLOTOMIC = {21845: (5, 17, 257), 65535: (3, 5, 17, 257)}
#: Others, by the primes of their indices: degrees 1024 to 8192, between rows, and the largest that the library takes.
RINGS = ((5, 257), (3, 5, 257), (17, 257), (3, 17, 257), (7, 13, 31), (3, 11, 151), (7, 11, 151), (5, 13, 31, 17))
DEGREES = (1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)


@dataclass(frozen=True)
class Limit:
    """A row of a table: the largest modulus that it allows.

    Attributes:
        name: of the ring.
        degree: of the ring, n.
        bits: log2 of QP.
        level: bits of security that the table promises.
        error: standard deviation of errors, in a basis in which secrets are ternary.
        secret: of the secret's coefficients; TERNARY: it is uniform ternary.
    """

    name: str
    degree: int
    bits: int
    level: int
    error: float = ERROR
    secret: float = TERNARY


def root_hermite_factor(beta: float) -> float:
    """log2 of δ for blocks of β: Chen, "Réduction de réseau et sécurité concrète du chiffrement complètement
    homomorphe", 2013."""
    return math.log2(beta / (2 * math.pi * math.e) * (math.pi * beta) ** (1 / beta)) / (2 * (beta - 1))


def sieve_bits(beta: float, dimension: float, exponent: float) -> float:
    """log2 of operations of a reduction with blocks of β."""
    return exponent * beta + 16.4 + math.log2(8 * dimension)


def _least(fits: Callable[[int], bool], low: int, high: int) -> int | None:
    """The least number in [low, high] that fits, where all above it do too."""
    if not fits(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle + 1, high)
    return high


def primal(
    degree: int, bits: float, error: float = ERROR, secret: float = TERNARY, samples: float = math.inf
) -> tuple[int, int] | None:
    """Blocks β and dimension d of the cheapest reduction that finds the secret; None where none up to d does.

    Args:
        degree: n.
        bits: log2 q.
        error: standard deviation of errors.
        secret: of secrets.
        samples: how many equations there are.
    """
    scale = degree * math.log2(error / secret)

    def dimension(beta: int) -> int:
        best = math.sqrt(((degree + 1) * bits - scale) / root_hermite_factor(beta))
        return round(min(max(best, degree + 2), degree + 1 + samples))

    def stands_out(beta: int) -> bool:
        d = dimension(beta)
        volume = ((d - degree - 1) * bits + scale) / d
        return math.log2(error * math.sqrt(beta)) <= (2 * beta - d - 1) * root_hermite_factor(beta) + volume

    found = _least(stands_out, 60, 2 * degree)
    return None if found is None else (found, dimension(found))


def dual(degree: int, bits: float, exponent: float, error: float = ERROR, secret: float = TERNARY) -> float:
    """Bits of the dual attack: the least over all blocks of a sieve's cost for each of the vectors that it takes."""
    scale = degree * math.log2(error / secret)

    def cost(beta: int) -> float:
        delta = root_hermite_factor(beta)
        d = max(math.sqrt((degree * bits - scale) / delta), degree + 1)
        length = d * delta + (degree * bits - scale) / d
        # Advantage of one vector, squared: exp(-4 π² (ℓ σ / q)²).
        needed = 4 * math.pi**2 * math.pow(4.0, min(length + math.log2(error) - bits, 20)) * math.log2(math.e)
        return sieve_bits(beta, d, exponent) + max(0.0, needed - 0.2075 * beta)

    return min(cost(beta) for beta in range(60, min(2 * degree, 6000)))


def effective_error(primes: tuple[int, ...]) -> float:
    """Standard deviation of this library's errors over Φ_m in a basis of the ring, m a product of these primes.

    They are m draws modulo x^m - 1, as wide in every embedding: √m σ, over the 2φ-th root of the discriminant, which is
    m^φ / prod p^(φ/(p-1)).
    """
    return ERROR * math.prod(math.pow(p, 1 / (2 * (p - 1))) for p in primes)


def own_limits(quantum: bool) -> Iterator[Limit]:
    """The limits of this library's tables: those for classical attacks, all levels, or those for quantum ones."""
    from cyclotome import _core

    table = "quantum-guidelines-2024" if quantum else "guidelines-2024"
    for level in (128,) if quantum else (128, 192, 256):
        for degree in DEGREES:
            if bits := _core.max_modulus_bits(degree, level, table):
                yield Limit(f"x^{degree} + 1", degree, bits, level)
        for index, primes in CYCLOTOMIC.items():
            degree = math.prod(p - 1 for p in primes)
            bits = _core.max_modulus_bits(degree, level, table)
            yield Limit(f"Φ_{index}", degree, bits, level, effective_error(primes))


def preset_limits() -> Iterator[Limit]:
    """Named sets of parameters, insecure ones included, with the level that the library says of them."""
    import cyclotome as cy

    for name in cy.Parameters.presets():
        p = cy.Parameters.preset(name, allow_insecure=True)
        yield Limit(name, p.degree, math.ceil(p.key_modulus_bits), p.security_reached or 0)
    for degree in (32768, 65536):
        p = cy.Parameters.bootstrappable(degree)
        yield Limit(f"bootstrappable {degree}", degree, math.ceil(p.key_modulus_bits), p.security_reached or 0)


def ring_limits() -> Iterator[Limit]:
    """Caps of Φ_m at the rows of the table and between them."""
    from cyclotome import _core

    for primes in RINGS:
        degree = math.prod(p - 1 for p in primes)
        bits = _core.max_modulus_bits(degree, 128, "guidelines-2024")
        yield Limit(f"Φ_{math.prod(primes)}", degree, bits, 128, effective_error(primes))


def joint_limits() -> Iterator[Limit]:
    """Joint keys at the limits, for who is no party: sums of N secrets and errors. Parties face a single one's row."""
    for parties in (2, 16, 256):
        for limit in (each for each in own_limits(False) if each.level == 128 and each.degree in (8192, 32768)):
            if limit.name.startswith("x"):
                wide = math.sqrt(parties)
                name = f"{limit.name}, {parties} parties"
                yield Limit(name, limit.degree, limit.bits, 128, wide * ERROR, wide * TERNARY)


KINDS: dict[str, Callable[[], Iterator[Limit]]] = {
    "rings": ring_limits,
    "joint": joint_limits,
    "presets": preset_limits,
}


def estimators(folder: Path, quantum: bool, hybrid: bool) -> dict[str, Callable[[Limit], float]]:
    """The Lattice Estimator's attacks, each as bits of a limit."""
    sys.path.insert(0, str(folder))
    from estimator import LWE, ND, RC  # type: ignore[import-not-found]

    model = RC.LaaMosPol14 if quantum else RC.BDGL16

    def parameters(limit: Limit) -> Any:
        error = ND.DiscreteGaussian(stddev=limit.error, mean=0, n=None)
        wide = ND.DiscreteGaussian(stddev=limit.secret, mean=0, n=None)
        secret = ND.Uniform(-1, 1) if limit.secret == TERNARY else wide
        return LWE.Parameters(n=limit.degree, q=2**limit.bits, Xs=secret, Xe=error)

    def bits_of(attack: Callable[..., Any], **options: Any) -> Callable[[Limit], float]:
        return lambda limit: float(
            math.log2(float(attack(params=parameters(limit), red_cost_model=model, **options)["rop"]))
        )

    found = {"primal": bits_of(LWE.primal_usvp), "decoding": bits_of(LWE.primal_bdd)}
    found["dual, guessing"] = bits_of(LWE.dual_hybrid)
    if hybrid:
        found["hybrid"] = bits_of(LWE.primal_hybrid, mitm=True, babai=True)
    return found


def rows(limits: list[Limit], quantum: bool, others: dict[str, Callable[[Limit], float]]) -> Iterator[list[str]]:
    """The table's rows, as they are computed."""
    exponent = 0.265 if quantum else 0.292
    for limit in limits:
        found = primal(limit.degree, limit.bits, limit.error, limit.secret)
        first = "-" if found is None else f"{sieve_bits(*found, exponent):.1f}"
        second = f"{dual(limit.degree, limit.bits, exponent, limit.error, limit.secret):.1f}"
        theirs = [f"{attack(limit):.1f}" for attack in others.values()]
        yield [limit.name, str(limit.bits), str(limit.level), first, second, *theirs]


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quantum", action="store_true", help="the table for quantum attacks, by their cost")
    parser.add_argument("--of", choices=("tables", *KINDS, "all"), default="tables", help="what is estimated")
    parser.add_argument("--estimator", type=Path, help="folder of the Lattice Estimator's sources")
    parser.add_argument("--hybrid", action="store_true", help="its hybrid attacks too")
    parser.add_argument("--limits", type=Path, help="limits from a file")
    parser.add_argument("--write-limits", type=Path, help="write this library's limits there, and nothing else")
    parser.add_argument("--rows", help="only these degrees, separated by commas")
    given = parser.parse_args()
    if given.limits:
        limits = [Limit(**each) for each in json.loads(given.limits.read_text(encoding="utf-8"))]
    else:
        kinds = KINDS if given.of == "all" else {name: make for name, make in KINDS.items() if name == given.of}
        limits = list(own_limits(given.quantum)) if given.of in ("tables", "all") else []
        limits += [limit for make in kinds.values() for limit in make()]
    if given.rows:
        limits = [each for each in limits if str(each.degree) in given.rows.split(",")]
    if given.write_limits:
        given.write_limits.write_text(json.dumps([asdict(each) for each in limits]), encoding="utf-8")
        return 0
    others = estimators(given.estimator, given.quantum, given.hybrid) if given.estimator else {}
    attacks = "quantum" if given.quantum else "classical"
    print(f"Estimated on {datetime.now(timezone.utc):%d %B %Y}, {attacks} attacks.\n")
    heading = ["ring", "log₂ QP", "promised", "primal", "dual", *(f"{name} (LE)" for name in others)]
    print("| " + " | ".join(heading) + " |")
    print("|---" * len(heading) + "|")
    for row in rows(limits, given.quantum, others):
        print("| " + " | ".join(row) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
