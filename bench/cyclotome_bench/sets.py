# SPDX-License-Identifier: Apache-2.0
"""What is measured: parameter sets, and for each of them the chains of primes that compete."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cyclotome import _core
from cyclotome.errors import ParameterError
from cyclotome.parameters.parameters import Parameters, find_primes

__all__ = [
    "BEHZ_OPERATIONS",
    "OPERATIONS",
    "Chain",
    "Problem",
    "paper_problems",
    "scheme_available",
    "seal_problems",
    "small_problem",
]

#: In the order of reports. Plain products take a plaintext that was encoded before: multiply_plain a ciphertext as
#: encryption leaves it, again and again, multiply_plain_transformed one that was transformed before. multiply gives 3
#: parts, relinearize makes them 2, multiply_relinearize is both; rotate moves all slots by one (or applies x -> x^3
#: where there are none).
OPERATIONS = (
    "encode",
    "decode",
    "key_generation",
    "relinearization_key",
    "encrypt",
    "decrypt",
    "add",
    "multiply_plain",
    "multiply_plain_transformed",
    "multiply",
    "relinearize",
    "multiply_relinearize",
    "rotate",
)

#: Those without key switching, which takes a special prime unless the ciphertext has many.
UNSWITCHED = tuple(
    operation
    for operation in OPERATIONS
    if operation not in ("relinearization_key", "relinearize", "multiply_relinearize", "rotate")
)

#: Products by BEHZ, the method of papers 000 and 003, beside the scheme's own choice: in BFV, and measured where a
#: paper has them. SEAL multiplies so, always.
BEHZ_OPERATIONS = ("multiply_behz", "multiply_relinearize_behz")

#: Widest primes of 32-bit words, and of the 52-bit multipliers of AVX-512 in 64-bit words.
_NARROW, _WIDE = 30, 50
#: From this log2(QP) on, a second special prime or more can pay.
_LONG = 400


@dataclass(frozen=True)
class Chain:
    """Primes that this library computes with; `name` says how they were chosen ("same": the peer's own)."""

    name: str
    word: int
    moduli: tuple[int, ...]
    special_moduli: tuple[int, ...]

    @property
    def modulus_bits(self) -> float:
        """log2 Q."""
        return sum(map(math.log2, self.moduli))

    @property
    def key_modulus_bits(self) -> float:
        """log2 QP, on which security depends."""
        return self.modulus_bits + sum(map(math.log2, self.special_moduli))


@dataclass(frozen=True)
class Problem:
    """Work that this library and the peer both do: one scheme, ring degree, plaintext modulus and length of q.

    Attributes:
        name: the preset it comes from.
        scheme: "bfv" or "bgv".
        degree: n.
        log_q: the length of the modulus by which literature names the set: of QP where a paper counts special primes.
        plain_modulus: t.
        chains: the chains of this library, the comparable one first.
        peer_moduli: the peer's primes; the last one is special. None of them where no peer takes part.
        secure: 128 bits by the HE Standard, so that the peer's own check stays on.
        paper: "000" or "001" for a set of that paper.
        operations: what is measured, in the order of `OPERATIONS`; `BEHZ_OPERATIONS` may follow.
    """

    name: str
    scheme: str
    degree: int
    log_q: int
    plain_modulus: int
    chains: tuple[Chain, ...]
    peer_moduli: tuple[int, ...]
    secure: bool = True
    paper: str | None = None
    operations: tuple[str, ...] = OPERATIONS

    @property
    def slots(self) -> bool:
        """Whether values stand in slots (else in coefficients)."""
        return _core.negacyclic_ring(self.degree).has_transform(self.plain_modulus)

    def parameters(self, chain: Chain) -> _core.Parameters:
        """The checked parameters of one chain, in the table that the peer uses."""
        return _core.Parameters(
            scheme=self.scheme,
            degree=self.degree,
            plain_moduli=[self.plain_modulus],
            moduli=list(chain.moduli),
            special_moduli=list(chain.special_moduli),
            digits=0,
            word=chain.word,
            security=128 if self.secure else 0,
            table="he-standard-2018",
            allow_insecure=not self.secure,
            strict=False,
            name=self.name,
        )


def spread(bits: int, widest: int) -> list[int]:
    """`bits` as the lengths of as few primes of at most `widest` bits as possible, all about equal, descending."""
    count = -(-bits // widest)
    return [bits // count + (i < bits % count) for i in range(count)]


def _chain(name: str, word: int, degree: int, plain: int, bits: Sequence[int], special: Sequence[int]) -> Chain:
    primes = find_primes(degree, [*special, *bits], [plain])
    return Chain(name, word, tuple(primes[len(special) :]), tuple(primes[: len(special)]))


def _others(degree: int, plain: int, q_bits: int, p_bits: int, widest: int) -> list[Chain]:
    """Other shapes of the same log2(QP): what this library might choose for itself."""
    total = q_bits + p_bits
    long = total >= _LONG
    special = [_NARROW, _NARROW] if long else spread(p_bits, _NARROW)
    chains = [_chain("32-bit words", 32, degree, plain, spread(total - sum(special), _NARROW), special)]
    sizes = spread(total, _WIDE)
    if widest > _WIDE:
        chains.append(_chain("50-bit primes", 64, degree, plain, sizes[1:], sizes[:1]))
    if long:
        count = max(2, len(sizes) // 5)
        chains.append(_chain(f"{count} special primes", 64, degree, plain, sizes[count:], sizes[:count]))
    return chains


def _of_preset(preset: str, scheme: str, log_q: int, paper: str | None, others: bool = True) -> Problem:
    """A set whose primes both sides use, special primes included."""
    p = Parameters.preset(preset, allow_insecure=True)
    same = Chain("same", p.word, p.moduli, p.special_moduli)
    rest = []
    if others:
        lengths = [m.bit_length() for m in p.moduli]
        special = sum(m.bit_length() for m in p.special_moduli)
        rest = _others(p.degree, p.plain_moduli[0], sum(lengths), special, max(lengths))
    primes = p.moduli + p.special_moduli
    return Problem(preset, scheme, p.degree, log_q, p.plain_moduli[0], (same, *rest), primes, not p.insecure, paper)


def _of_paper_000(preset: str, log_q: int) -> Problem:
    """A set of paper 000: the paper's primes without a special one; the peer, and our other chain, add one to q."""
    p = Parameters.preset(preset, allow_insecure=True)
    degree, plain = p.degree, p.plain_moduli[0]
    sizes = spread(log_q, _WIDE)
    ours = _chain("50-bit primes", 64, degree, plain, sizes, [max(sizes)])
    bits = spread(log_q, 58)
    theirs = _chain("peer", 64, degree, plain, bits, [max(bits)])
    paper = Chain("paper", p.word, p.moduli, p.special_moduli)
    return Problem(
        *(preset, "bfv", degree, log_q, plain, (paper, ours), theirs.moduli + theirs.special_moduli, False, "000"),
        operations=(*OPERATIONS, *BEHZ_OPERATIONS),
    )


def _of_paper_001(preset: str, log_q: int) -> Problem:
    """A set of paper 001. The one with a single prime has none for key switching (erratum 001-13), which then adds more
    noise than decryption corrects, and which SEAL refuses: nothing is relinearised or rotated."""
    problem = _of_preset(preset, "bfv", log_q, "001", others=False)
    return problem if problem.chains[0].special_moduli else replace(problem, operations=UNSWITCHED)


def scheme_available(scheme: str) -> bool:
    """Whether this build has a scheme."""
    primes = find_primes(1024, [30, 30])
    try:
        Problem("", scheme, 1024, 60, 12289, (), (), False).parameters(
            Chain("", 64, tuple(primes[:1]), tuple(primes[1:]))
        )
    except ParameterError:
        return False
    return True


def seal_problems(schemes: Sequence[str], degrees: Sequence[int]) -> list[Problem]:
    """SEAL's 128-bit defaults with t = 65537."""
    lengths = {4096: 109, 8192: 218, 16384: 438, 32768: 881}
    return [_of_preset(f"seal-{n}", scheme, lengths[n], None) for n in degrees for scheme in schemes]


def paper_problems(paper: str) -> list[Problem]:
    """The sets of paper 000, Table 4, or of paper 001, Table 7. Raises ParameterError for another paper."""
    if paper == "000":
        return [
            _of_paper_000(f"000-{n}-{bits}", bits) for n, bits in ((2048, 62), (4096, 186), (8192, 372), (16384, 744))
        ]
    if paper == "001":
        sets = ((2048, 54), (4096, 109), (8192, 152), (8192, 218), (16384, 237), (32768, 496), (32768, 880))
        return [_of_paper_001(f"001-{n}-{bits}", bits) for n, bits in sets]
    raise ParameterError(f"paper {paper!r} is unknown; there are '000' and '001'")


def small_problem(scheme: str, slots: bool = True) -> Problem:
    """A tiny insecure set for tests: every operation in milliseconds."""
    degree, plain = 1024, 12289 if slots else 16
    same = _chain("same", 64, degree, plain, [36, 36], [37])
    narrow = _chain("32-bit words", 32, degree, plain, [24, 24, 24], [19, 18])
    name = "small" if slots else "small-coefficients"
    return Problem(name, scheme, degree, 109, plain, (same, narrow), same.moduli + same.special_moduli, False, None)
