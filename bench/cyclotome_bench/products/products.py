# SPDX-License-Identifier: Apache-2.0
"""Paper 004's products of polynomials on a processor (Tables 6.5, 6.7 to 6.9 and 6.11), beside this
library's and FLINT's.

004: a thesis that multiplies BGV's polynomials on an FPGA. Its variants are done again: primes of 32 bits in machine
words ("CRT"), one big modulus ("GMP"), and wider primes ("CRT, GMP"), by our own integers of a fixed number of words
and, where it is installed, by GMP.
All variants of a block multiply the same polynomials, in alternation, in one run, on one thread; each result is
compared with FLINT's, or at roots of unity modulo every prime where FLINT is not installed. Only ratios within a block
compare with the paper's, which were taken on another processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome.reporting import Task
from cyclotome_study import ProductContext, pack, unpack

from cyclotome_bench.machine.timing import SelfTimed, alternate
from cyclotome_bench.peers.gmp import GmpProduct, gmp_available
from cyclotome_bench.peers.ntl import NtlProduct, ntl_available
from cyclotome_bench.peers.peer_programs import PeerProgram
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.products.plans import WITHOUT_MODULUS, Block, ProductPlan, gmp_label
from cyclotome_bench.reports.cells import compared, timed
from cyclotome_bench.reports.report import Record, key_of

__all__ = ["measure_products", "peers"]

#: Widest primes of the library's engine in words of 32 and 64 bits, and a length that all degrees have primes of: of 24
#: bits N = 32768 has none, p - 1 being 2N times an odd prime.
_ENGINE_BITS, _SHORTEST = (30, 61), 25
_CHECKED_POINTS = 2


@lru_cache(maxsize=64)
def _context(degree: int, lengths: tuple[int, ...]) -> ProductContext:
    return ProductContext.of_lengths(degree, lengths)


class _Operands:
    """Two random polynomials, and what their product must be."""

    def __init__(self, degree: int, bits: int) -> None:
        self.bits = bits
        rng = np.random.default_rng([degree, bits])
        size = (bits + 7) // 8
        self.a, self.b = (
            [int.from_bytes(rng.bytes(size), "little") >> (8 * size - bits) for _ in range(degree)] for _ in range(2)
        )
        self.limbs = -(-bits // 64)
        self.packed = (pack(self.a, self.limbs), pack(self.b, self.limbs))

    @cached_property
    def product(self) -> list[int] | None:
        """a b modulo x^N + 1 over the integers, by FLINT; None where it is not installed."""
        if not _flint_available():
            return None
        import flint

        n = len(self.a)
        product = [int(c) for c in (flint.fmpz_poly(self.a) * flint.fmpz_poly(self.b)).coeffs()]
        product += [0] * (2 * n - len(product))
        return [product[i] - product[i + n] for i in range(n)]

    def check(self, who: str, context: ProductContext, result: Sequence[int]) -> None:
        """Raises WrongResultError unless `result` is the product modulo x^N + 1 and the context's q."""
        if self.product is not None:
            right = all((x - y) % context.modulus == 0 for x, y in zip(result, self.product, strict=True))
        else:
            right = all(0 <= x < context.modulus for x in result) and all(
                self._agrees_at(point, p, result)
                for p, root in zip(context.primes, context.roots, strict=True)
                for point in (pow(root, 2 * k + 1, p) for k in range(_CHECKED_POINTS))
            )
        if not right:
            raise WrongResultError(f"{who}: the product of two polynomials of {len(result)} coefficients is wrong")

    def _agrees_at(self, point: int, p: int, result: Sequence[int]) -> bool:
        values = []
        for polynomial in (self.a, self.b, result):
            value = 0
            for coefficient in reversed(polynomial):
                value = (value * point + coefficient) % p
            values.append(value)
        return values[0] * values[1] % p == values[2]


class _Contestant:
    """One way to multiply the operands."""

    def __init__(self, label: str, context: ProductContext, product: _core.PolynomialProduct, word: int) -> None:
        self.label, self.context, self.product, self.word = label, context, product, word

    def action(self, operands: _Operands, converted: bool) -> Callable[[], None]:
        product = self.product
        product.load(*operands.packed, operands.limbs)
        product.decompose()
        if not converted:
            return product.multiply

        def steps() -> None:
            product.decompose()
            product.multiply()
            product.reconstruct()

        return steps

    def verify(self, operands: _Operands) -> None:
        self.product.reconstruct()
        operands.check(self.label, self.context, unpack(self.product.result(), self.product.limbs))


def _contestants(block: Block, degree: int) -> list[_Contestant]:
    found = []
    for row in block.measured:
        context = _context(degree, row.lengths)
        words = row.case == "CRT"
        product = _core.PolynomialProduct(context.native, "words-32" if words else "multi-word")
        found.append(_Contestant(row.label, context, product, 32 if words else 64))
    engine = _core.CpuEngine(1)
    bits = max(row.modulus_bits for row in block.measured)
    for longest, word in zip(_ENGINE_BITS, (32, 64), strict=True):
        context = _engine_context(degree, bits, longest)
        product = _core.PolynomialProduct.on_engine(context.native, engine)
        label = f"engine: {len(context.primes)} primes of up to {longest} bits"
        found.append(_Contestant(label, context, product, word))
    return found


@lru_cache(maxsize=64)
def _engine_context(degree: int, bits: int, longest: int) -> ProductContext:
    return ProductContext.generate(degree, bits, (_SHORTEST, longest))


def _flint_available() -> bool:
    try:
        import flint  # noqa: F401
    except ImportError:
        return False
    return True


def peers() -> str | None:
    """The libraries that are measured beside, or None."""
    names = []
    if _flint_available():
        import flint

        names.append(f"FLINT {flint.__FLINT_VERSION__}")
    names += ["NTL"] if ntl_available() else []
    names += ["GMP"] if gmp_available() else []
    return " and ".join(names) or None


def _flint_action(block: Block, degree: int, operands: _Operands) -> Callable[[], Any]:
    """FLINT's product alone, reduced modulo q where there is one, but not modulo x^N + 1."""
    import flint

    if block.table in WITHOUT_MODULUS:
        x, y = flint.fmpz_poly(operands.a), flint.fmpz_poly(operands.b)
        return lambda: x * y
    modulus = _context(degree, block.measured[0].lengths).modulus
    ring = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(flint.fmpz(modulus)))
    u, v = ring(flint.fmpz_poly(operands.a)), ring(flint.fmpz_poly(operands.b))
    return lambda: u * v


def measure_products(
    plan: ProductPlan, peer: bool, known: set[tuple[Any, ...]] | None = None, tell: Callable[[str], None] | None = None
) -> Iterator[Record]:
    """Measures the blocks that `known` does not hold yet, and gives the records of each when it is done.

    Args:
        plan: what to measure; its circuits are left to `cyclotome_bench.applications.circuits`.
        peer: whether FLINT, NTL and GMP run too, where they are installed.
        known: keys (`Report.keys`) of records that an earlier run made.
        tell: told what comes next.

    Raises:
        WrongResultError: a product is wrong.

    Reports progress as `cyclotome.progress` describes, in blocks.
    """
    known = known or set()
    task = Task("multiplying polynomials", len(plan.blocks))
    for block in plan.blocks:
        degree = plan.degree_of(block)
        if tell is not None:
            tell(f"{block.table}, {block.bits} bits: products at N = {degree}")
        contestants = _contestants(block, degree)
        heads = [_head(block, degree, c.label, c.word) for c in contestants]
        if not {key_of(head) for head in heads} <= known:
            yield from _measured(block, plan, contestants, heads, peer)
        task.advance()


def _measured(
    block: Block, plan: ProductPlan, contestants: list[_Contestant], heads: list[Record], peer: bool
) -> Iterator[Record]:
    degree = plan.degree_of(block)
    operands = _Operands(degree, block.operand_bits)
    actions: list[Callable[[], Any] | SelfTimed] = [
        c.action(operands, block.operation != "product") for c in contestants
    ]
    heads = list(heads)
    if peer and _flint_available():
        actions.append(_flint_action(block, degree, operands))
        heads.append(_head(block, degree, "FLINT", 64))
    programs = _programs(block, degree, operands) if peer else []
    for label, _, program in programs:
        actions.append(program)
        heads.append(_head(block, degree, label, 64))
    try:
        timings = alternate(actions, plan.budget)
        for label, context, program in programs:
            operands.check(label, context, program.result())
    finally:
        for *_, program in programs:
            program.close()
    for contestant in contestants:
        contestant.verify(operands)
    papers = {row.label: row.paper_us for row in block.rows} if not plan.quick else {}
    for head, timing in zip(heads, timings, strict=True):
        yield {
            **head,
            **timed(timing),
            "paper_us": papers.get(head["chain"]),
            **compared(timing, None),
        }


def _programs(block: Block, degree: int, operands: _Operands) -> list[tuple[str, ProductContext, PeerProgram]]:
    """Processes of NTL, and of GMP for the thesis's rows that were computed with it; their labels and moduli."""
    found: list[tuple[str, ProductContext, PeerProgram]] = []
    if ntl_available() and block.table not in WITHOUT_MODULUS:
        context = _context(degree, block.measured[0].lengths)
        found.append(("NTL", context, NtlProduct(context.modulus, operands.a, operands.b)))
    for row in block.measured if gmp_available() else ():
        if "GMP" in row.case:
            context = _context(degree, row.lengths)
            program = GmpProduct(context, operands.a, operands.b, block.operation != "product")
            found.append((gmp_label(row), context, program))
    return found


def _head(block: Block, degree: int, label: str, word: int) -> Record:
    return {
        "operation": block.operation,
        "scheme": None,
        "set": block.name,
        "paper": "004",
        "degree": degree,
        "log_q": block.bits,
        "chain": label,
        "engine": "cpu",
        "word": word,
        "threads": 1,
        "batch": 1,
    }
