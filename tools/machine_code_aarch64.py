# SPDX-License-Identifier: Apache-2.0
"""`check_machine_code` for 64-bit ARM: the same rules, for its instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from machine_code import MOVED, PUBLIC_ARRAYS, Analysis, Function, Instruction, functions_in, shifted

__all__ = ["ArmAnalysis", "functions_of"]

#: And factors of conversions, which go to all lanes by way of a general register; residues go into lanes at once.
PUBLIC = (*PUBLIC_ARRAYS, (re.compile("weighted_sum"), 8))
ARGUMENTS = {f"x{i}" for i in range(8)}
KEPT_BY_CALLS = {f"x{i}" for i in range(19, 30)} | {f"v{i}" for i in range(8, 16)}
#: Bytes of a register by the letter that it is called by.
WIDTHS = {"q": 16, "v": 16, "x": 8, "d": 8, "w": 4, "s": 4, "h": 2, "b": 1}
NOTHING = re.compile(r"^(?:nop|hint|bti|paci\w+|auti\w+|dmb|isb|udf|brk)$")
BRANCHES = re.compile(r"^(?:b|bl|br|blr|ret|b\.\w+|cbn?z|tbn?z)$")
TO_FLAGS = re.compile(r"^(?:cmp|cmn|tst|fcmpe?|ccm[pn]|fccmpe?)$")
WITH_FLAGS = re.compile(r"^(?:adds|subs|ands|bics|negs|adcs|sbcs|ngcs)$")
TAKES_FLAGS = re.compile(r"^(?:f?csel|csinc|csinv|csneg|cset|csetm|cinc|cinv|cneg|adcs?|sbcs?|ngcs?|f?ccm[pn]e?)$")
#: Instructions that read what they write, besides those that name a part of a register.
ACCUMULATES = re.compile(
    r"^(?:movk|bfi|bfxil|bfc|f?ml[as]|[us]ml[as]l2?|[us]ab(?:a|al2?)|[us]adalp|[us]r?sra|sri|sli|bsl|bit|bif|tbx|ins|"
    r"[us]?q?r?shrn2|xtn2|[us]?qxtn2|addhn2|subhn2)$"
)
#: Marks, in a state, a register that holds the address of something static.
STATIC = "="
SLOW = re.compile(r"^(?:[us]div|fdiv|fsqrt|frecp\w|frsqrt\w)$")


def functions_of(disassembly: str) -> Iterator[Function]:
    """The functions of what ``objdump -d --no-show-raw-insn`` prints."""
    return functions_in(disassembly, _read)


def _read(address: int, text: str) -> Instruction:
    text = text.split("//")[0].strip()
    name, _, rest = text.replace("\t", " ").partition(" ")
    operands = [part.strip() for part in re.split(r",(?![^\[{]*[\]}])", rest)] if rest else []
    instruction = Instruction(address, name, operands, text)
    if BRANCHES.match(name) and (to := re.search(r"\b([0-9a-f]+) <", rest)):
        instruction.target = int(to[1], 16)
    return instruction


def registers(text: str) -> set[str]:
    """The whole registers that an operand names: x.. for general ones, v.. for vectors; not the stack pointer."""
    text = re.sub(r"<.*", "", text)
    found = {f"x{number}" for number in re.findall(r"\b[xw](\d+)\b", text)}
    found |= {f"v{number}" for number in re.findall(r"\b[vqdshb](\d+)\b", text)}
    for first, last in re.findall(r"\bv(\d+)\.\w+-v(\d+)\.", text):
        found |= {f"v{i}" for i in range(int(first), int(last) + 1)}
    return found


class ArmAnalysis(Analysis):
    """What may depend on data at every instruction of one function of 64-bit ARM."""

    padding = re.compile("^nop$")
    slow = SLOW

    def ways(self, i: int, instruction: Instruction, index: dict[int, int]) -> Iterator[int]:
        if BRANCHES.match(instruction.name) and instruction.name != "bl" and instruction.target in index:
            yield index[instruction.target]
        if instruction.name not in ("b", "br", "ret", "brk", "udf") and i + 1 < len(self.function.code):
            yield i + 1

    def step(self, instruction: Instruction, state: set[str]) -> set[str]:
        name, operands = instruction.name, instruction.operands
        if NOTHING.match(name) or (not operands and name != "ret"):
            return state
        if BRANCHES.match(name):
            return self.branched(instruction, state)
        at = next((i for i, operand in enumerate(operands) if operand.startswith("[")), None)
        if at is not None:
            return self.memory(instruction, at, state)
        if name.startswith("ld"):  # of a constant beside the code
            return state - registers(operands[0])
        if operands and operands[0] == "sp":
            return self.stack_moved(instruction, state)
        into = registers(operands[0]) if operands else set()
        reads = operands if TO_FLAGS.match(name) or ACCUMULATES.match(name) or "[" in operands[0] else operands[1:]
        used = set().union(*map(registers, reads)) if reads else set()
        data = bool(used & state) or (TAKES_FLAGS.match(name) is not None and "flags" in state)
        if name in ("eor", "sub") and len(operands) == 3 and operands[1] == operands[2]:
            data = False
        self.refuse_slow(instruction, data)
        if TO_FLAGS.match(name) or WITH_FLAGS.match(name):
            state = self.flagged(data, state)
        if TO_FLAGS.match(name):
            return state
        general = {register for register in used if register.startswith("x")}
        moved = any(MOVED + register in state for register in general)
        if name in ("adrp", "adr"):
            return self.set_places(into, False, False, state) | {STATIC + place for place in into}
        if name == "add" and any(STATIC + register in state for register in general) and operands[2].startswith("#"):
            return self.set_places(into, False, False, state) | {STATIC + place for place in into}
        if name in ("add", "sub", "madd", "umaddl", "smaddl", "adds", "subs"):
            moved = moved or bool(general & into) or len(general) > 1
        elif name not in ("mov", "and", "orr"):
            moved = False
        return self.set_places(into, data, moved, state)

    @staticmethod
    def set_places(places: set[str], data: bool, moved: bool, state: set[str]) -> set[str]:
        marks = {MOVED + place for place in places if not place.startswith("v")}
        state = (state | places if data else state - places) - {STATIC + place for place in places}
        return state | marks if moved else state - marks

    @staticmethod
    def stack_moved(instruction: Instruction, state: set[str]) -> set[str]:
        amount = re.fullmatch(r"#(0x[0-9a-f]+|\d+)", instruction.operands[-1])
        if instruction.name not in ("add", "sub") or amount is None or instruction.operands[1] != "sp":
            return {place for place in state if not re.match(rf"{MOVED}?sp", place)}
        return shifted(state, int(amount[1], 0) * (1 if instruction.name == "sub" else -1), "sp")

    def memory(self, instruction: Instruction, at: int, state: set[str]) -> set[str]:
        """Loads and stores, one or two registers or lists of them."""
        name, operands = instruction.name, instruction.operands
        address, after = operands[at], operands[at + 1 :]
        used = registers(address)
        if used & state or any(registers(operand) & state for operand in after):
            self.refuse(instruction, "an address depends on data")
        if name.startswith("prf"):
            return state
        on_stack = re.match(r"\[sp\b", address) is not None
        offset = re.search(r"#(-?(?:0x[0-9a-f]+|\d+))", address)
        first = int(offset[1], 0) if offset else 0
        if on_stack and address.endswith("!"):
            state, first = shifted(state, -first, "sp"), 0
        listed = [operand for operand in operands[:at] if registers(operand)]
        for operand in listed:
            places = registers(operand)
            size = WIDTHS[operand.strip("{ ")[0]] * len(places)
            fixed = on_stack and not used
            slots = {f"sp{place // 4 * 4}" for place in range(first, first + size, 4)} if fixed else set()
            first += size
            if name.startswith("st"):
                moved = any(MOVED + place in state for place in places)
                state = self.set_places(slots, bool(places & state), moved, state)
                continue
            if fixed:
                data, moved = bool(slots & state), any(MOVED + slot in state for slot in slots)
            else:
                data, moved = len(used) > 1 or on_stack or any(MOVED + place in state for place in used), False
                if not any(place.startswith("v") for place in places) and self.public(size):
                    data = False
            partial = "[" in operand or (operand.startswith("{") and "}[" in operand)
            state = self.set_places(places, data or (partial and bool(places & state)), moved, state)
        if address.endswith("!") or (after and not name.startswith("ldr ")):
            state = state | {MOVED + place for place in used} if not on_stack else state
        if on_stack and after:  # post-index
            amount = re.fullmatch(r"#(-?(?:0x[0-9a-f]+|\d+))", after[0])
            state = shifted(state, -int(amount[1], 0), "sp") if amount else state
        return state

    def public(self, size: int) -> bool:
        return any(known.search(self.function.name) and size == bytes_read for known, bytes_read in PUBLIC)

    def branched(self, instruction: Instruction, state: set[str]) -> set[str]:
        """Jumps, calls and returns."""
        name = instruction.name
        if name.startswith("b.") and "flags" in state:
            self.refuse(instruction, "a branch depends on data")
        if re.match(r"[ct]bn?z", name) and registers(instruction.operands[0]) & state:
            self.refuse(instruction, "a branch depends on data")
        if name in ("br", "blr") and registers(instruction.operands[0]) & state:
            self.refuse(instruction, "where a jump goes depends on data")
        calls = name in ("bl", "blr")
        if (calls or (name in ("b", "br") and instruction.target is None)) and state & ARGUMENTS:
            self.refuse(instruction, "data is handed to a function in a register")
        if calls:
            kept = KEPT_BY_CALLS | {MOVED + name for name in KEPT_BY_CALLS}
            return {place for place in state if place in kept or re.match(rf"{MOVED}?sp", place)}
        return state
