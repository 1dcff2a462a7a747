# SPDX-License-Identifier: Apache-2.0
"""Refuse machine code of x86-64, or 64-bit ARM (`machine_code_aarch64`), whose branches or addresses depend on data.

Valgrind, which finds such branches in running programs, does not know AVX-512. So the object files of the kernels for
these instructions are disassembled, and every function is followed along all its ways: which registers, flags and stack
slots may hold something that was computed from data? Data is what a load brings that moves through an array, by an
index or by a pointer that the function itself moves on; what lies at a fixed place behind a pointer is a field of a
structure (degrees, moduli, pointers), and public as the arguments are. Refused are

- conditional jumps, calls and returns' targets that depend on data, also by way of vector and mask registers;
- addresses that depend on data: look-ups, gathers, scatters;
- divisions and square roots, and compressing or expanding moves, whose time depends on what they are given, on data;
- code that no way leads to, since it was not looked at.

It errs on the side of refusing: what a part of a register takes from data, all of it does. It does not see data that a
function reads at one fixed place, and takes the arrays of `PUBLIC_ARRAYS` for public.

Usage: ``python tools/check_machine_code.py [--objdump PROGRAM] FILE.o ...``. Prints one line per offence, and exits
with 1 when there is one, with 2 when a file holds no function.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

#: Functions that read public arrays into general registers, and the bytes of what they read: pointers to polynomials,
#: lengths of moduli. Other loads of theirs are data as everywhere.
PUBLIC_ARRAYS = (
    (re.compile("inner_product"), 8),
    (re.compile(r"Lanes(?:64|52)\w*count_wraps|count_wrapsIm|ByModulus\w*count_wraps"), 4),
)

HEADER = re.compile(r"^[0-9a-f]+ <(?P<name>.+)>:$")
LINE = re.compile(r"^\s+(?P<address>[0-9a-f]+):\s+(?P<text>\S.*)$")
PREFIXES = re.compile(r"^(?:(?:\{\w+\}|notrack|bnd|cs|ds|es|fs|gs|data16|lock|rep\w*)\s+)+(?=\S)")
MEMORY = re.compile(r"\[(?P<address>[^\]]*)\]")
GENERAL = {
    name: full
    for full, names in {
        **{f"r{x}x": (f"r{x}x", f"e{x}x", f"{x}x", f"{x}l", f"{x}h") for x in "abcd"},
        **{f"r{x}": (f"r{x}", f"e{x}", x, f"{x}l") for x in ("si", "di", "bp", "sp")},
        **{f"r{i}": (f"r{i}", f"r{i}d", f"r{i}w", f"r{i}b") for i in range(8, 16)},
    }.items()
    for name in names
}
ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
KEPT_BY_CALLS = ("rbx", "rbp", "rsp", "r12", "r13", "r14", "r15")
#: Instructions that only overwrite their first operand.
COPIES = re.compile(r"^v?mov|^lea$|^kmov|^set|^vpbroadcast|^vbroadcast|^cvt|^vcvt|^vpmov|^vextract|^vpextr|^pop$")
#: Instructions of three operands that read the first one too.
ACCUMULATES = re.compile(r"^vpmadd52|^vfn?m(?:add|sub)|^vpternlog|^vperm[it]2|^vpdp")
THREE_OPERANDS = re.compile(r"^v|^k(?!mov|ortest|test)|^(?:mulx|shlx|shrx|sarx|rorx|andn|bextr|bzhi|pdep|pext)$")
TO_FLAGS = re.compile(r"^(?:cmp|test|kortest\w|ktest\w|v?p?test(?:ps|pd)?|v?u?comis[sdh]|bt)$")
TAKES_FLAGS = re.compile(r"^(?:set\w+|cmov\w+|adc|sbb|adcx|adox|rcl|rcr)$")
SLOW = re.compile(r"^(?:i?div|v?div[ps][sdh]|v?sqrt[ps][sdh]|vp?compress\w*|vp?expand\w*)$")
NOTHING = re.compile(r"^(?:nop\w*|endbr64|vzeroupper|vzeroall|prefetch\w*|ud2|int3|hlt|cld|leave|data16|cs)$")


#: Marks, in a state, a register or slot whose pointer the function has moved on.
MOVED = "~"


@dataclass
class Instruction:
    """One line of a disassembly in Intel syntax."""

    address: int
    name: str
    operands: list[str]
    text: str
    target: int | None = None

    @property
    def is_jump(self) -> bool:
        return self.name.startswith("j")


@dataclass
class Function:
    name: str
    code: list[Instruction] = field(default_factory=list)


def functions_of(disassembly: str) -> Iterator[Function]:
    """The functions of what ``objdump -d -M intel --no-show-raw-insn`` prints."""
    current: Function | None = None
    for line in disassembly.splitlines():
        if header := HEADER.match(line):
            if current is not None and current.code:
                yield current
            current = Function(header["name"])
        elif current is not None and (found := LINE.match(line)):
            text = PREFIXES.sub("", found["text"].split("#")[0].strip())
            name, _, rest = text.partition(" ")
            operands = [part.strip() for part in re.split(r",(?![^\[]*\])", rest)] if rest else []
            instruction = Instruction(int(found["address"], 16), name, operands, text)
            if (name.startswith("j") or name == "call") and (to := re.match(r"\s*([0-9a-f]+) <", rest)):
                instruction.target = int(to[1], 16)
            current.code.append(instruction)
    if current is not None and current.code:
        yield current


def registers(text: str) -> set[str]:
    """The whole registers that an operand names: r.. for general ones, v.. for vectors, k.. for masks."""
    found = set()
    for word in re.findall(r"[a-z]\w*", text):
        if word in GENERAL:
            found.add(GENERAL[word])
        elif vector := re.fullmatch(r"[xyz]mm(\d+)", word):
            found.add("v" + vector[1])
        elif re.fullmatch(r"k[0-7]", word):
            found.add(word)
    return found


def shifted(state: set[str], by: int) -> set[str]:
    """The state after the stack pointer has gone down by so many bytes: what it had named lies that much higher."""
    moved = re.compile(rf"({MOVED}?rsp)(-?\d+)$")
    return {f"{found[1]}{int(found[2]) + by}" if (found := moved.match(place)) else place for place in state}


def width_of(operand: str, instruction: Instruction) -> int:
    """Bytes of a memory operand."""
    sizes = {"ZMMWORD": 64, "YMMWORD": 32, "XMMWORD": 16, "QWORD": 8, "DWORD": 4, "WORD": 2, "BYTE": 1}
    return next((size for word, size in sizes.items() if word in operand), 64 if "mm" in instruction.text else 8)


class Analysis:
    """What may depend on data at every instruction of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.offences: dict[tuple[int, str], str] = {}

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
            if i not in states and not (NOTHING.match(instruction.name) or instruction.name == "xchg"):
                self.refuse(instruction, "no way leads here, so it was not checked")
        return list(self.offences.values())

    def ways(self, i: int, instruction: Instruction, index: dict[int, int]) -> Iterator[int]:
        if instruction.is_jump and instruction.target in index:
            yield index[instruction.target]
        ends = instruction.name in ("jmp", "ret", "ud2", "hlt")
        if not ends and i + 1 < len(self.function.code):
            yield i + 1

    # --- one instruction ----------------------------------------------------------------------------------------------
    def slots(self, operand: str, instruction: Instruction) -> set[str] | None:
        """Four-byte pieces of the stack behind an operand; None if it is no fixed place there."""
        found = MEMORY.search(operand)
        if found is None:
            return None
        place = re.fullmatch(r"(rsp|rbp)(?:([+-])(0x[0-9a-f]+))?", found["address"])
        if place is None:
            return None
        first = int(place[3] or "0", 16) * (-1 if place[2] == "-" else 1)
        return {f"{place[1]}{at // 4 * 4}" for at in range(first, first + width_of(operand, instruction), 4)}

    def loaded(self, operand: str, instruction: Instruction, state: set[str]) -> bool:
        """Whether what lies at a memory operand may be data."""
        address = MEMORY.search(operand)
        assert address is not None
        if registers(address["address"]) & state:
            self.refuse(instruction, "an address depends on data")
        slots = self.slots(operand, instruction)
        if slots is not None:
            return bool(slots & state)
        parts, used = address["address"], registers(address["address"])
        if "rip" in parts:
            return False
        width = width_of(operand, instruction)
        if "mm" not in instruction.text and any(
            known.search(self.function.name) and width == bytes_read for known, bytes_read in PUBLIC_ARRAYS
        ):
            return False
        return len(used) > 1 or "*" in parts or any(MOVED + name in state for name in used)

    def depends(self, operand: str, instruction: Instruction, state: set[str]) -> bool:
        if "[" in operand:
            mask = operand[operand.rindex("]") :]
            return self.loaded(operand, instruction, state) | bool(registers(mask) & state)
        return bool(registers(operand) & state)

    def step(self, instruction: Instruction, state: set[str]) -> set[str]:
        """The state after an instruction; the state is the set of what may depend on data."""
        name, operands = instruction.name, instruction.operands
        if name == "push":
            pushed = self.depends(operands[0], instruction, state)
            state = shifted(state, 8)
            return state | {"rsp0", "rsp4"} if pushed else state - {"rsp0", "rsp4"}
        if NOTHING.match(name):
            return state
        if re.search(r"gather|scatter", name):
            self.refuse(instruction, "gathers and scatters take addresses from vectors")
        if instruction.is_jump or name in ("call", "ret"):
            return self.transfer(instruction, state)
        if name == "lea":
            found = MEMORY.search(operands[1])
            assert found is not None
            used = registers(found["address"])
            moved = len(used) > 1 or "*" in found["address"] or used == registers(operands[0])
            state = self.moved(operands[0], moved or any(MOVED + name in state for name in used), instruction, state)
            return self.written(operands[0], bool(used & state), instruction, state)
        if name in ("add", "sub", "inc", "dec"):
            state = self.moved(operands[0], True, instruction, state)
        elif operands and not TO_FLAGS.match(name):
            source = operands[-1] if name == "mov" else ""
            places = (self.slots(source, instruction) or set()) if "[" in source else registers(source)
            state = self.moved(operands[0], any(MOVED + place in state for place in places), instruction, state)
        same = len(operands) >= 2 and len(set(operands[-2:])) == 1 and re.match(r"v?p?(xor|sub)", name)
        sources = operands[1:]
        if not sources or not (COPIES.match(name) or THREE_OPERANDS.match(name)) or ACCUMULATES.match(name):
            sources = operands  # the first operand is read too
        merged = bool(operands) and re.search(r"\{k\d\}(?!\{z\})", operands[0]) is not None
        if merged and not same:
            sources = operands
        depending = [self.depends(operand, instruction, state) for operand in sources]  # all of them: each may offend
        data = any(depending) and not same
        data = data or (TAKES_FLAGS.match(name) is not None and "flags" in state)
        masks = {place for place in registers(operands[0]) if place.startswith("k")} if operands else set()
        data = data or ("{" in "".join(operands[:1]) and bool(masks & state))
        if name in ("mul", "imul", "div", "idiv") and len(operands) == 1:
            data = data or bool({"rax", "rdx"} & state)
            self.refuse_slow(instruction, data)
            return self.written("rdx", data, instruction, self.written("rax", data, instruction, state))
        self.refuse_slow(instruction, data)
        if TO_FLAGS.match(name):
            return self.flagged(data, state)
        if not operands:
            return self.flagged(data, state)
        if not (COPIES.match(name) or name.startswith("v") or name == "xchg"):
            state = self.flagged(data, state)
        if name == "xchg":
            for operand in operands:
                state = self.written(operand, data, instruction, state)
            return state
        if name == "mulx":
            state = self.written(operands[1], data or "rdx" in state, instruction, state)
            data = data or "rdx" in state
        if name == "pop":
            data = bool({"rsp0", "rsp4"} & state)
            return shifted(self.written(operands[0], data, instruction, state), -8)
        if name in ("add", "sub") and operands[0] == "rsp":
            return shifted(state, int(operands[1], 16) * (1 if name == "sub" else -1))
        return self.written(operands[0], data, instruction, state)

    def refuse_slow(self, instruction: Instruction, data: bool) -> None:
        if data and SLOW.match(instruction.name):
            self.refuse(instruction, "its time depends on data")

    @staticmethod
    def flagged(data: bool, state: set[str]) -> set[str]:
        return state | {"flags"} if data else state - {"flags"}

    def moved(self, operand: str, moved: bool, instruction: Instruction, state: set[str]) -> set[str]:
        """Remembers whether a register or slot holds a pointer that was moved on."""
        places = (self.slots(operand, instruction) or set()) if "[" in operand else registers(operand) - {"rsp"}
        marks = {MOVED + place for place in places if not place.startswith(("v", "k"))}
        return state | marks if moved else state - marks

    def written(self, operand: str, data: bool, instruction: Instruction, state: set[str]) -> set[str]:
        if "[" in operand:
            address = MEMORY.search(operand)
            assert address is not None
            if registers(address["address"]) & state:
                self.refuse(instruction, "an address depends on data")
            places = self.slots(operand, instruction) or set()
        else:
            places = registers(re.sub(r"\{k\d\}.*", "", operand))
        return state | places if data else state - places

    def transfer(self, instruction: Instruction, state: set[str]) -> set[str]:
        """Jumps, calls and returns."""
        if instruction.name != "jmp" and instruction.is_jump and "flags" in state:
            self.refuse(instruction, "a branch depends on data")
        if instruction.name in ("jrcxz", "jecxz") and "rcx" in state:
            self.refuse(instruction, "a branch depends on data")
        if instruction.target is None and any(self.depends(o, instruction, state) for o in instruction.operands):
            self.refuse(instruction, "where a jump goes depends on data")
        leaves = instruction.name == "call" or (instruction.name == "jmp" and instruction.target is None)
        if leaves and state & set(ARGUMENTS):
            self.refuse(instruction, "data is handed to a function in a register")
        if instruction.name == "call":
            kept = (*KEPT_BY_CALLS, *(MOVED + name for name in KEPT_BY_CALLS))
            return {place for place in state if place in kept or re.match(rf"{MOVED}?(rsp|rbp)", place)}
        return state


def offences_in(disassembly: str) -> tuple[int, list[str]]:
    """The number of functions, and what is wrong with them."""
    if re.search(r"file format \S*aarch64", disassembly):
        import machine_code_aarch64 as arm

        functions = list(arm.functions_of(disassembly))
        return len(functions), [offence for function in functions for offence in arm.ArmAnalysis(function).run()]
    functions = list(functions_of(disassembly))
    return len(functions), [offence for function in functions for offence in Analysis(function).run()]


def listing_of(objdump: str, file: str) -> str:
    """The disassembly of an object file, in Intel's syntax where there is one."""
    command = [objdump, "-d", "--no-show-raw-insn", file]
    header = subprocess.run([objdump, "-f", file], check=True, capture_output=True, text=True).stdout
    style = [] if "aarch64" in header else ["-M", "intel"]
    return subprocess.run([*command, *style], check=True, capture_output=True, text=True).stdout


def main(arguments: list[str]) -> int:
    """Check the files; return the exit status."""
    parser = argparse.ArgumentParser(description="Refuse branches and addresses that depend on data, in object files.")
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    status = 0
    for file in options.files:
        listing = listing_of(options.objdump, file)
        functions, found = offences_in(listing)
        for offence in found:
            print(f"{file}: {offence}")
        print(f"{file}: {functions} functions, {len(found)} offences")
        status = max(status, 2 if functions == 0 else int(bool(found)))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
