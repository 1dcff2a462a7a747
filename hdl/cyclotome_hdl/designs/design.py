# SPDX-License-Identifier: Apache-2.0
"""Which circuit: its name, size and word, and what the world outside must know of it to feed it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from cyclotome.errors import ParameterError
from numpy.typing import NDArray

from ..blocks.block import Block
from ..kernels.reduction import FOLDED, REDUCTIONS, RUN_TIME, Multiplier, multiplier_for

#: Operations by the number that the port ``operation`` takes.
PRODUCT, FORWARD, INVERSE = 0, 1, 2

#: The designs and the numbers of pipes each can have.
PIPES: dict[str, tuple[int, ...]] = {
    "pease": (1,),
    "cooley-tukey": (1, 2, 4),
    "iterative": (1, 2, 4),
    "streaming": (1,),
}

#: The ways in which the multipliers of any design can reduce; those not in `RUN_TIME` need a constant modulus.
DESIGN_REDUCTIONS = ("montgomery", *REDUCTIONS)

#: What makes each design: a module, and a class or function of it.
MAKERS = {
    "pease": ("pease", "Pease"),
    "cooley-tukey": ("cooley_tukey", "cooley_tukey"),
    "iterative": ("iterative", "Iterative"),
    "streaming": ("streaming", "Streaming"),
}

MINIMAL_DEGREE, MAXIMAL_DEGREE = 64, 2**17
MAXIMAL_BITS = 63


@dataclass(frozen=True)
class Design:
    """A circuit for products modulo (x^N + 1, p): N = ``degree``, any NTT prime p below 2^``word_bits``.

    ``name``: "pease" and "cooley-tukey" are built as paper 004 has them; "iterative" and "streaming" are our own.
    ``pipes``: one pipe is one butterfly for each of the two operands. ``reduction``: how all multipliers reduce, one of
    `DESIGN_REDUCTIONS`. "montgomery" takes any prime at run time; "fold" (004's Algorithm 8, what the thesis has) the
    primes p = 2^(word_bits - 1) + c, c < 2^32 or 2^(word_bits - 3), at run time. With ``modulus`` the circuit works
    modulo that prime only; the other reductions need that. Raises ParameterError for what cannot be built.
    """

    name: str
    degree: int
    pipes: int = 1
    word_bits: int = MAXIMAL_BITS
    reduction: str = "montgomery"
    modulus: int | None = None

    def __post_init__(self) -> None:
        if self.name not in PIPES:
            raise ParameterError(f"there is no design {self.name!r}; there are {', '.join(PIPES)}")
        if self.degree < 1 or self.degree & (self.degree - 1):
            raise ParameterError(f"degree {self.degree} is not a power of two")
        if not MINIMAL_DEGREE <= self.degree <= MAXIMAL_DEGREE:
            raise ParameterError(
                f"degree {self.degree}: circuits are made for {MINIMAL_DEGREE} to {MAXIMAL_DEGREE} coefficients"
            )
        if self.pipes not in PIPES[self.name]:
            known = ", ".join(map(str, PIPES[self.name]))
            raise ParameterError(f"{self.pipes} pipes: the design {self.name} has {known}")
        if not self.ones < self.word_bits <= MAXIMAL_BITS:
            raise ParameterError(
                f"words of {self.word_bits} bits: primes = 1 mod {2 * self.degree} need {self.ones + 1}, and circuits "
                f"are made for at most {MAXIMAL_BITS}"
            )
        self._check_reduction()

    def _check_reduction(self) -> None:
        reduction, p = self.reduction, self.modulus
        if reduction not in DESIGN_REDUCTIONS:
            raise ParameterError(f"there is no reduction {reduction!r}; there are {', '.join(DESIGN_REDUCTIONS)}")
        if p is None:
            if reduction not in RUN_TIME:
                raise ParameterError(
                    f"the reduction {reduction} is made for a constant modulus; give one, or take "
                    f"{' or '.join(RUN_TIME)}"
                )
            if reduction == "fold" and self.folded <= self.ones:
                raise ParameterError(
                    f"words of {self.word_bits} bits: no prime = 1 mod {2 * self.degree} is 2^{self.word_bits - 1} + c "
                    f"with c below 2^{self.folded}; take wider words"
                )
            return
        # A Fermat test is enough to refuse mistakes; roots of unity are checked when tables are loaded.
        if p % (2 * self.degree) != 1 or p >> self.word_bits or any(pow(b, p - 1, p) != 1 for b in (2, 3, 5, 7)):
            raise ParameterError(
                f"the modulus {p:#x} is no prime below 2^{self.word_bits} that is 1 modulo {2 * self.degree}"
            )
        k = p.bit_length() - 1
        if reduction.startswith("fold") and p - 2**k >= 2 ** (k - 2):
            raise ParameterError(
                f"the modulus {p:#x} is 2^{k} + {p - 2**k:#x}: folding needs less than 2^{k - 2} there; take another "
                "reduction"
            )

    @property
    def folded(self) -> int:
        """Folding at run time takes p = 2^(word_bits - 1) + c with c below 2^folded."""
        return min(FOLDED, self.word_bits - 3)

    @property
    def moduli(self) -> tuple[int, int]:
        """The least and the largest number among which its primes are."""
        if self.modulus is not None:
            return self.modulus, self.modulus
        if self.reduction == "fold":
            return 2 ** (self.word_bits - 1) + 1, 2 ** (self.word_bits - 1) + 2**self.folded - 1
        return 3, 2**self.word_bits - 1

    @property
    def log_degree(self) -> int:
        """n with N = 2^n."""
        return self.degree.bit_length() - 1

    @property
    def ones(self) -> int:
        """Its primes are 1 modulo 2^ones = 2N."""
        return self.log_degree + 1

    @property
    def title(self) -> str:
        """The design and how it reduces, for people: the latter where it is not Montgomery's for any prime."""
        how = [self.reduction] if self.reduction != "montgomery" or self.modulus is not None else []
        how += [] if self.modulus is None else [f"{self.modulus:#x}"]
        return self.name + (f" ({', '.join(how)})" if how else "")

    @property
    def identifier(self) -> str:
        """A name for modules: every field is in it."""
        how = "" if self.reduction == "montgomery" else f"_{self.reduction}"
        how += "" if self.modulus is None else f"_{self.modulus:x}"
        return f"{self.name}_{self.degree}_{self.pipes}_{self.word_bits}{how}".replace("-", "_")

    @property
    def label(self) -> str:
        """A name for files: every field is in it."""
        name = self.name.replace("-", "_")
        return self.identifier.replace("_", "-").replace(name.replace("_", "-"), name, 1)

    def multiplier(self, *, streaming: bool = False) -> Multiplier:
        """Its modular multiplier; ``streaming``: each pair of factors brings its modulus, unless that is constant."""
        return multiplier_for(self.reduction, self.word_bits, self.ones, self.modulus, streaming=streaming)


@dataclass
class TableLane:
    """Words that go to the tables through one port, in the order they are written.

    Entry k is psi^exponent 2^power mod p for the address; ``offset`` is the tick at which it is written, from the first
    tick of the product that needs it, where tables are timed (`Layout`).
    """

    address: NDArray[np.int64]
    exponent: NDArray[np.int64]
    power: NDArray[np.int64]
    offset: NDArray[np.int64]


@dataclass
class Order:
    """Which coefficient passes a port when: ``[beat][lane]``, -1 for a lane that carries nothing.

    Inputs number the coefficients of the first operand 0 … N-1 and those of the second N … 2N-1.
    """

    inputs: NDArray[np.int64]
    outputs: NDArray[np.int64]


@dataclass
class Layout:
    """What is written where: tables, and the orders of words for each operation.

    Where several primes can be in flight, ``timed`` tables are written at the ticks that their offsets say; others a
    word a tick, ahead of the first product that needs them.
    """

    tables: list[TableLane]
    orders: dict[int, Order] = field(default_factory=dict)
    timed: bool = False


class Circuit(Block):
    """A whole design. Words are in lanes of 64 bits; everything is registered on the way out.

    Ports: ``modulus``; ``operation``; for each table lane a bit of ``table_enable`` and of ``table_bank``, 32 bits of
    address and a word; ``input_bank``, the tables that the product coming in needs; ``input_valid``, ``input`` (taken
    at a tick where ``input_ready`` is 1 too); ``output_valid``, ``output``. Circuits with one set of tables ignore
    banks. Once a product begins its words must come whenever ``input_ready`` is 1; only "iterative" waits for them.
    """

    def __init__(self, design: Design, lanes_in: int, lanes_out: int, table_lanes: int = 1) -> None:
        super().__init__(design.identifier)
        self.design = design
        self.lanes_in, self.lanes_out, self.table_lanes = lanes_in, lanes_out, table_lanes
        self.declare("modulus", 0, 2**design.word_bits - 1)
        self.declare("operation", 0, 2)
        self.declare("table_enable", 0, 2**table_lanes - 1)
        self.declare("table_bank", 0, 2**table_lanes - 1)
        self.declare("table_address", 0, 2 ** (32 * table_lanes) - 1)
        self.declare("table_data", 0, 2 ** (64 * table_lanes) - 1)
        self.declare("input_bank", 0, 1)
        self.declare("input_valid", 0, 1)
        self.declare("input", 0, 2 ** (64 * lanes_in) - 1)
        self.declare("input_ready", 0, 1, is_output=True)
        self.declare("output_valid", 0, 1, is_output=True)
        self.declare("output", 0, 2 ** (64 * lanes_out) - 1, is_output=True)

    @property
    def operations(self) -> tuple[int, ...]:
        """What the circuit computes."""
        return (PRODUCT,)

    @property
    def several_primes(self) -> bool:
        """Whether products modulo different primes can be in flight together."""
        return False

    @abstractmethod
    def layout(self) -> Layout:
        """In which order words and tables go in and come out."""

    def word(self, port: str, lane: int) -> Any:
        """The word of one lane of ``input``, ``output`` or ``table_data``."""
        return self.port[port][64 * lane : 64 * lane + self.design.word_bits]

    def table_address(self, lane: int) -> Any:
        return self.port["table_address"][32 * lane : 32 * lane + 32]

    @abstractmethod
    def product_ticks(self) -> int:
        """Ticks from the first input word in to the last output word out of a single product (``doc/fpga.md``)."""

    @abstractmethod
    def product_interval(self) -> int:
        """Ticks from one product to the next when there are many."""

    def change_ticks(self) -> int:
        """Ticks by which a product is later if its prime is not that of the product before; with several primes."""
        return 0


def build(design: Design) -> Circuit:
    """The circuit of a design."""
    module, maker = MAKERS[design.name]
    made: Circuit = getattr(import_module(f"{__package__}.{module}"), maker)(design)
    return made


def reversed_bits(values: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Each value with its ``bits`` bits in the opposite order."""
    result = np.zeros_like(values)
    for bit in range(bits):
        result |= ((values >> bit) & 1) << (bits - 1 - bit)
    return result
