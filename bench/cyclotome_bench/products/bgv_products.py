# SPDX-License-Identifier: Apache-2.0
"""BGV on a processor for paper 004's Table 6.12: the thesis's way, on residues that are 32-bit words or integers of
several, and this library's BGV.

The thesis's encryption is two products with the public key, its decryption one with the secret key, all in residues:
its times leave no room for the way into and out of residues, which is not timed here either. Noise is drawn within the
time, by NumPy; t = 2, u from ZO(1/2), dk and e Gaussian with deviation 3.2 (004-16). For times only: such keys protect
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome.parameters.parameters import Parameters, find_primes
from cyclotome.reporting import Task
from cyclotome_study import ProductContext, pack, unpack
from numpy.typing import NDArray

from cyclotome_bench.kinds import marked
from cyclotome_bench.machine.timing import Budget, alternate
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.products.tables import code_of
from cyclotome_bench.reports.cells import compared, ratio_of, timed
from cyclotome_bench.reports.charts import Bars, Plot
from cyclotome_bench.reports.report import Record, key_of
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = ["PAPER_US", "SET", "encryption_plots", "encryption_tables", "measure_encryption"]

SET = "004-6.12"
_DEVIATION = 3.2
#: Table 6.12's rows of a processor: microseconds of encryption and decryption.
PAPER_US = {"CRT: 34 × 32 bits": (669687.0, 324449.0), "CRT, GMP: 17 × 64 bits": (2389091.0, 1184151.0)}
_LENGTHS = {"CRT: 34 × 32 bits": (32,) * 34, "CRT, GMP: 17 × 64 bits": (64,) * 17}
_QUICK_LENGTHS = {"CRT: 6 × 32 bits": (32,) * 6, "CRT, GMP: 3 × 64 bits": (64,) * 3}
#: Lengths of primes of the library's own BGV, by the word's bits.
_LIBRARY = {32: (30,) * 37, 64: (60,) * 16 + (61,) * 2}
_QUICK_LIBRARY = {32: (30,) * 7, 64: (60, 60, 61)}

Small = NDArray[np.int32]


class ResidueBgv:
    """BGV as the thesis computes it: keys, one message, its encryption and decryption.

    Args:
        context: N and the primes.
        words: whether residues are 32-bit words; integers of several words otherwise.
        rng: draws everything.
    """

    def __init__(self, context: ProductContext, words: bool, rng: np.random.Generator) -> None:
        self._context, self._rng = context, rng
        arithmetic = "words-32" if words else "multi-word"
        self._first, self._second, self._opened = (
            _core.PolynomialProduct(context.native, arithmetic) for _ in range(3)
        )
        self._generate()
        self._message = self._small(rng.integers(0, 2, context.degree))

    def _small(self, values: NDArray[Any]) -> Small:
        return np.ascontiguousarray(values, dtype=np.int32)

    def _gaussian(self) -> Small:
        return self._small(np.rint(self._rng.normal(0, _DEVIATION, self._context.degree)))

    def _generate(self) -> None:
        """dk, and pk = (pk1 dk + 2 e, pk1), whose residues stay factors of the two products of an encryption."""
        degree, q = self._context.degree, self._context.modulus
        size = (q.bit_length() + 7) // 8 + 8
        uniform = [int.from_bytes(self._rng.bytes(size), "little") % q for _ in range(degree)]
        limbs = self._first.limbs
        zeros = bytes(8 * limbs * degree)
        secret = self._gaussian()
        self._second.load(pack(uniform, limbs), zeros, limbs)
        self._second.decompose()
        self._second.set_small(1, secret)
        self._second.multiply()
        self._second.add_small(2 * self._gaussian())
        self._second.reconstruct()
        self._first.load(self._second.result(), zeros, limbs)
        self._first.decompose()
        self._opened.load(zeros, zeros, limbs)
        self._opened.decompose()
        self._opened.set_small(1, secret)

    def encrypt(self) -> None:
        """c0 = pk2 u + 2 e0 + m, c1 = pk1 u + 2 e1, in residues."""
        u = self._small(self._rng.integers(0, 2, self._context.degree) - self._rng.integers(0, 2, self._context.degree))
        self._first.set_small(1, u)
        self._first.multiply()
        self._first.add_small(2 * self._gaussian() + self._message)
        self._second.set_small(1, u)
        self._second.multiply()
        self._second.add_small(2 * self._gaussian())

    def decrypt(self) -> None:
        """c0 - dk c1, in residues."""
        self._opened.take(0, self._second)
        self._opened.multiply()
        self._opened.subtract_from(self._first)

    def verify(self, who: str) -> None:
        """Raises WrongResultError unless the last decryption, centred modulo q and then modulo 2, is the message, and
        is small, as noise is."""
        self._opened.reconstruct()
        opened = [self._context.centred(c) for c in unpack(self._opened.result(), self._opened.limbs)]
        if [c % 2 for c in opened] != self._message.tolist() or max(map(abs, opened)) >= self._context.modulus // 4:
            raise WrongResultError(f"{who}: a decryption is not the message")


class _Library:
    """This library's BGV on one thread: everything, from the message's bits to them."""

    def __init__(self, degree: int, lengths: tuple[int, ...]) -> None:
        engine = engine_on("cpu:1")
        parameters = Parameters(
            degree=degree,
            plain_moduli=(2,),
            moduli=tuple(find_primes(degree, lengths)),
            security=0,
            allow_insecure=True,
            scheme="bgv",
        )
        context = _core.Context(parameters.native, engine)
        self._secret = _core.SecretKey.generate(context)
        self._public = _core.PublicKey.generate(self._secret)
        self._bits = np.random.default_rng(degree).integers(0, 2, (1, degree))
        self._plain = _core.encode_residues(context, 0, False, self._bits)
        self._opened: Any = None
        self.encrypt()

    def encrypt(self) -> None:
        self._encrypted = _core.encrypt(self._plain, self._public)

    def decrypt(self) -> None:
        self._opened = _core.decrypt(self._encrypted, self._secret)

    def verify(self, who: str) -> None:
        if not np.array_equal(_core.decode_residues(self._opened, False) % 2, self._bits):
            raise WrongResultError(f"{who}: a decryption is not the message")


def measure_encryption(degree: int, quick: bool, budget: Budget, known: set[tuple[Any, ...]]) -> Iterator[Record]:
    """Times encryption and decryption of each way, all in alternation, without what `known` has.

    Args:
        degree: N.
        quick: few primes.
        budget: of a record.
        known: keys (`Report.keys`) of records that an earlier run made.

    Raises:
        WrongResultError: a decryption is wrong.
    """
    lengths, library = (_QUICK_LENGTHS, _QUICK_LIBRARY) if quick else (_LENGTHS, _LIBRARY)
    heads = [_head(degree, label, 32 if label.startswith("CRT:") else 64, sum(ls)) for label, ls in lengths.items()]
    heads += [
        _head(degree, f"library: {len(ls)} primes of up to {max(ls)} bits", word, sum(ls))
        for word, ls in library.items()
    ]
    records = [{**head, "operation": name} for head in heads for name in ("encrypt", "decrypt")]
    if {key_of(record) for record in records} <= known:
        return
    task = Task("BGV on the processor", len(heads) + 1)
    rng = np.random.default_rng([degree, 12])
    ways: list[ResidueBgv | _Library] = []
    for label, ls in lengths.items():
        ways.append(ResidueBgv(ProductContext.of_lengths(degree, ls), label.startswith("CRT:"), rng))
        task.advance()
    for ls in library.values():
        ways.append(_Library(degree, ls))
        task.advance()
    actions: list[Callable[[], None]] = [action for way in ways for action in (way.encrypt, way.decrypt)]
    timings = alternate(actions, budget)
    for way, head in zip(ways, heads, strict=True):
        way.decrypt()  # the last encryption, whichever came last
        way.verify(head["chain"])
    task.advance()
    papers = {} if quick else PAPER_US
    for i, (record, timing) in enumerate(zip(records, timings, strict=True)):
        stated = papers.get(record["chain"])
        yield {
            **record,
            **timed(timing),
            "paper_us": None if stated is None else stated[i % 2],
            **compared(timing, None),
        }


def _head(degree: int, label: str, word: int, log_q: int) -> Record:
    sizes = {"degree": degree, "log_q": log_q, "word": word, "threads": 1, "batch": 1}
    return {"operation": "", "scheme": None, "set": SET, "paper": "004", "chain": label, "engine": "cpu", **sizes}


def _own(records: Sequence[Record]) -> dict[tuple[str, str], Record]:
    return {(r["chain"], r["operation"]): r for r in records if r["set"] == SET and r["engine"] == "cpu"}


def encryption_tables(records: Sequence[Record]) -> list[Table]:
    """Table 6.12's rows of a processor, the paper's and ours, where `records` have any."""
    found = _own(records)
    if not found:
        return []
    degree = next(iter(found.values()))["degree"]
    rows = []
    for i, operation in enumerate(("encrypt", "decrypt")):
        labels = list(dict.fromkeys((*PAPER_US, *(chain for chain, _ in found))))
        first = next(label for label in labels if (label, operation) in found)
        base, paper_base = found[first, operation], next(iter(PAPER_US.values()))[i]
        for label in labels:
            paper = PAPER_US[label][i] if label in PAPER_US else None
            ours = found.get((label, operation))
            typed = (duration(paper), times(None if paper is None else paper / paper_base))
            time = None if ours is None else ours["median_us"]
            here = (marked(duration(time), ours), times(ratio_of(ours, base)))
            rows.append((label, operation, *typed, *here, code_of(label)))
    columns = ("BGV", "operation", "paper", "paper's ratio", "here", "ratio", "code")
    note = (
        f"CPU time of one thread, all rows in alternation, t = 2, here N = {degree}; paper: typed from it, N = 32768 "
        "on an i7-3770S; – there: our row; – here: not in this run. The paper's ways stay in residues; the library's "
        "decryption ends with the message. Every decryption is the message"
    )
    return [Table("Paper 004, Table 6.12: BGV on the processor", columns, tuple(rows), note, left=2)]


def encryption_plots(records: Sequence[Record]) -> list[Plot]:
    """The same as bars."""
    found = _own(records)
    rows: list[tuple[str, list[float | None]]] = [
        (f"{operation}, {label}", [r.get("paper_us"), r["median_us"]]) for (label, operation), r in found.items()
    ]
    title = "Paper 004, Table 6.12: BGV on the processor"
    return [Bars(title, "microseconds", ("paper (typed)", "here"), rows, logarithmic=True)] if rows else []
