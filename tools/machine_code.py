# SPDX-License-Identifier: Apache-2.0
"""What `check_machine_code` does alike for every machine: it takes a disassembly apart, and follows all ways through a
function to a fixed point."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

__all__ = ["MOVED", "PUBLIC_ARRAYS", "Analysis", "Function", "Instruction", "functions_in", "shifted"]

#: Functions that read public arrays into general registers, and the bytes of what they read: pointers to polynomials,
#: where automorphisms take values from, lengths of moduli. Other loads of theirs are data as everywhere.
PUBLIC_ARRAYS = (
    (re.compile("inner_product"), 8),
    (re.compile(r"Pointwise\w*permute"), 4),
    (re.compile(r"Lanes(?:64|52)\w*count_wraps|count_wrapsIm|ByModulus\w*count_wraps"), 4),
)

HEADER = re.compile(r"^[0-9a-f]+ <(?P<name>.+)>:$")
LINE = re.compile(r"^\s+(?P<address>[0-9a-f]+):\s+(?P<text>\S.*)$")

#: Marks, in a state, a register or slot whose pointer the function has moved on.
MOVED = "~"


@dataclass
class Instruction:
    """One line of a disassembly; ``target``: the address that a jump or a call names."""

    address: int
    name: str
    operands: list[str]
    text: str
    target: int | None = None


@dataclass
class Function:
    name: str
    code: list[Instruction] = field(default_factory=list)


def functions_in(disassembly: str, read: Callable[[int, str], Instruction]) -> Iterator[Function]:
    """The functions of what ``objdump -d --no-show-raw-insn`` prints; ``read`` makes an instruction of an address and
    the text after it."""
    current: Function | None = None
    for line in disassembly.splitlines():
        if header := HEADER.match(line):
            if current is not None and current.code:
                yield current
            current = Function(header["name"])
        elif current is not None and (found := LINE.match(line)):
            current.code.append(read(int(found["address"], 16), found["text"]))
    if current is not None and current.code:
        yield current


def shifted(state: set[str], by: int, pointer: str) -> set[str]:
    """The state after the stack pointer has gone down by so many bytes: what it had named lies that much higher."""
    moved = re.compile(rf"({MOVED}?{pointer})(-?\d+)$")
    return {f"{found[1]}{int(found[2]) + by}" if (found := moved.match(place)) else place for place in state}


class Analysis(ABC):
    """What may depend on data at every instruction of one function; the state is the set of that."""

    #: Instructions that no way needs to lead to, and those whose time depends on what they are given.
    padding: re.Pattern[str]
    slow: re.Pattern[str]

    def __init__(self, function: Function) -> None:
        self.function = function
        self.offences: dict[tuple[int, str], str] = {}

    @abstractmethod
    def ways(self, i: int, instruction: Instruction, index: dict[int, int]) -> Iterator[int]:
        """Which instructions may come next; ``index``: their numbers by address."""

    @abstractmethod
    def step(self, instruction: Instruction, state: set[str]) -> set[str]:
        """The state after an instruction."""

    def refuse(self, instruction: Instruction, why: str) -> None:
        self.offences[(instruction.address, why)] = f"{self.function.name}+{instruction.address:#x}: {why}: " + (
            instruction.text
        )

    def run(self) -> list[str]:
        """Follows all ways to a fixed point; returns the offences."""
        index = {instruction.address: i for i, instruction in enumerate(self.function.code)}
        states: dict[int, frozenset[str]] = {0: frozenset()}
        todo = [0]
        while todo:
            i = todo.pop()
            instruction = self.function.code[i]
            after = frozenset(self.step(instruction, set(states[i])))
            for following in self.ways(i, instruction, index):
                if following not in states or not after <= states[following]:
                    states[following] = states.get(following, frozenset()) | after
                    todo.append(following)
        for i, instruction in enumerate(self.function.code):
            if i not in states and not self.padding.match(instruction.name):
                self.refuse(instruction, "no way leads here, so it was not checked")
        return list(self.offences.values())

    def refuse_slow(self, instruction: Instruction, data: bool) -> None:
        if data and self.slow.match(instruction.name):
            self.refuse(instruction, "its time depends on data")

    @staticmethod
    def flagged(data: bool, state: set[str]) -> set[str]:
        return state | {"flags"} if data else state - {"flags"}
