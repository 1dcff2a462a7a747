# SPDX-License-Identifier: Apache-2.0
"""Refuse code above the rings that knows how a ring's polynomial looks.

What depends on f in Z[x]/(f), the order of x, which primes have a transform, the Galois group, expansion factors, is
asked of ``RingShape`` and ``GaloisGroup`` (``src/cyclotome/ring``). Wherever else twice a degree is written, or a ring
is made x^n + 1, code would be silently wrong in another ring.

Usage: ``python tools/check_rings.py [ROOT]``. Prints one line per offence and exits with 1 when there is one, with 2
when ROOT holds nothing to check.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

#: What is looked at, from the root.
ROOTS = ("src/cyclotome", "python/bindings", "python/cyclotome", "bench", "study")

#: Suffixes of files that hold code.
CODE = frozenset({".hpp", ".cpp", ".h", ".inc", ".cu", ".cuh", ".py"})

#: Who may know, and why. A path that ends with a slash is a folder.
KNOWING = {
    "src/cyclotome/ring/": "where rings are",
    "src/cyclotome/engine/cuda/steps/pointwise.cuh": "kernels of the negacyclic automorphism",
    "src/cyclotome/scheme/ckks/special_transform.cpp": "complex values on the roots of x^n + 1, its one ring",
    "src/cyclotome/study/ltv/polynomials/cyclotomic_polynomial.hpp": "how long products of its polynomials are",
    "bench/cyclotome_bench/peers/truth.py": "an oracle that shares nothing with the library",
    "bench/cyclotome_bench/products/products.py": "an oracle that shares nothing with the library",
    "bench/cyclotome_bench/papers/device.py": "bytes moved by a transform: each residue in and out",
}

#: Who may make a ring x^n + 1 by its degree: those that are given nothing else.
MAKING = {
    "src/cyclotome/rlwe/parameters/parameters.hpp": "what parameters that name a degree mean",
    "src/cyclotome/retrieval/lattice.cpp": "the one ring of private look-ups",
    "src/cyclotome/program/program.cpp": "numbers in the shape of the shortest polynomial",
    "src/cyclotome/engine/cuda/self_test.cu": "an engine's test of itself",
    "src/cyclotome/study/": "the papers' own products modulo x^N + 1",
    "python/bindings/": "benchmarks and Python's degree",
    "python/cyclotome/": "Python's degree",
    "bench/": "sets that name a degree",
    "study/": "the papers' own products modulo x^N + 1",
}

DEGREE = r"(?:[A-Za-z_]\w*(?:\(\))?(?:\.|->|::))*\w*(?<!log_)(?<!log2_)[Dd]egree_?(?:\(\))?"
TWICE = re.compile(
    rf"\b2[UL]*\s*\*\s*\(?(?:{DEGREE}|n)(?![\w(.\[])"  # 2 * degree, 2 * n
    rf"|{DEGREE}\s*(?:\*\s*2\b|<<\s*1\b)"
    r"|\bn\s*(?:\*\s*2\b|<<\s*1\b)"
    rf"|{DEGREE}\s*\+\s*{DEGREE}"
)
MADE = re.compile(r"\bnegacyclic(?:_ring)?\s*\(")
COMMENT = {".py": re.compile(r'#.*|"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'')}
C_COMMENT = re.compile(r"//.*|/\*[\s\S]*?\*/")


class Offence(NamedTuple):
    """One line that knows too much, and what to do instead."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


def excused(file: str, excuses: dict[str, str]) -> bool:
    """Whether ``file``, or a folder that it lies in, is among them."""
    return any(file == known or (known.endswith("/") and file.startswith(known)) for known in excuses)


def without_comments(text: str, suffix: str) -> str:
    """Code only, line for line."""
    return COMMENT.get(suffix, C_COMMENT).sub(lambda found: "\n" * found.group().count("\n"), text)


def offences_in(file: str, text: str) -> Iterator[Offence]:
    """What ``file``, a path from the root, must not say."""
    code = without_comments(text, Path(file).suffix)
    for pattern, excuses, advice in (
        (TWICE, KNOWING, "ask the ring: index(), transform_step(), expansion() or galois()"),
        (MADE, KNOWING | MAKING, "take the ring of the parameters or of another ring (with_basis)"),
    ):
        if excused(file, excuses):
            continue
        for match in pattern.finditer(code):
            yield Offence(file, code.count("\n", 0, match.start()) + 1, f"'{match.group().strip()}': {advice}")


def check(root: Path) -> Iterator[Offence]:
    """All offences below ``root``."""
    for folder in ROOTS:
        for path in sorted(p for p in (root / folder).rglob("*") if p.suffix in CODE and p.is_file()):
            yield from offences_in(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def main(arguments: list[str]) -> int:
    """Check the tree at ``arguments[0]``, by default the repository this file lies in; return the exit status."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    if not any((root / folder).is_dir() for folder in ROOTS):
        print(f"{root} has none of {', '.join(ROOTS)}; name the root of a checkout", file=sys.stderr)
        return 2
    offences = list(check(root))
    for offence in offences:
        print(offence)
    print(f"rings: {len(offences)} offence{'' if len(offences) == 1 else 's'}", file=sys.stderr)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
