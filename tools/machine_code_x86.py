# SPDX-License-Identifier: Apache-2.0
"""`check_machine_code` for x86-64, in Intel's syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator

from machine_code import MOVED, PUBLIC_ARRAYS, Analysis, Function, Instruction, functions_in, shifted

__all__ = ["X86Analysis", "functions_of"]

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


def functions_of(disassembly: str) -> Iterator[Function]:
    """The functions of what ``objdump -d -M intel --no-show-raw-insn`` prints."""
    return functions_in(disassembly, _read)


def _read(address: int, text: str) -> Instruction:
    text = PREFIXES.sub("", text.split("#")[0].strip())
    name, _, rest = text.partition(" ")
    operands = [part.strip() for part in re.split(r",(?![^\[]*\])", rest)] if rest else []
    instruction = Instruction(address, name, operands, text)
    if (is_jump(instruction) or name == "call") and (to := re.match(r"\s*([0-9a-f]+) <", rest)):
        instruction.target = int(to[1], 16)
    return instruction


def is_jump(instruction: Instruction) -> bool:
    """Whether it may go elsewhere, and is no call and no return."""
    return instruction.name.startswith("j")


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


def width_of(operand: str, instruction: Instruction) -> int:
    """Bytes of a memory operand."""
    sizes = {"ZMMWORD": 64, "YMMWORD": 32, "XMMWORD": 16, "QWORD": 8, "DWORD": 4, "WORD": 2, "BYTE": 1}
    return next((size for word, size in sizes.items() if word in operand), 64 if "mm" in instruction.text else 8)


class X86Analysis(Analysis):
    """What may depend on data at every instruction of one function of x86-64."""

    padding = re.compile(rf"{NOTHING.pattern}|^xchg$")
    slow = SLOW

    def ways(self, i: int, instruction: Instruction, index: dict[int, int]) -> Iterator[int]:
        if is_jump(instruction) and instruction.target in index:
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
        name, operands = instruction.name, instruction.operands
        if name == "push":
            pushed = self.depends(operands[0], instruction, state)
            state = shifted(state, 8, "rsp")
            return state | {"rsp0", "rsp4"} if pushed else state - {"rsp0", "rsp4"}
        if NOTHING.match(name):
            return state
        if re.search(r"gather|scatter", name):
            self.refuse(instruction, "gathers and scatters take addresses from vectors")
        if is_jump(instruction) or name in ("call", "ret"):
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
            return shifted(self.written(operands[0], data, instruction, state), -8, "rsp")
        if name in ("add", "sub") and operands[0] == "rsp":
            return shifted(state, int(operands[1], 16) * (1 if name == "sub" else -1), "rsp")
        return self.written(operands[0], data, instruction, state)

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
        if instruction.name != "jmp" and is_jump(instruction) and "flags" in state:
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
