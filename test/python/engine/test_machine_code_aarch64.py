# SPDX-License-Identifier: Apache-2.0
"""The search for data-dependent machine code of 64-bit ARM: it sees the leaks that it is for, and takes loops for what
they are."""

from __future__ import annotations

import pytest
from pages import program

check = program("tools/check_machine_code.py")


def offences(*code: str, name: str = "kernel") -> list[str]:
    """Addresses count the instructions, and branches name them in decimal."""
    lines = ["", "x.o:     file format elf64-littleaarch64", "", f"0000000000000000 <{name}>:"]
    for i, text in enumerate(code):
        mnemonic, _, rest = text.partition(" ")
        target = rest.rpartition(" ")[2]
        if mnemonic.startswith(("b", "cb", "tb")) and target.isdecimal():
            text = f"{text.removesuffix(target)}{int(target):x} <{name}+{int(target):#x}>"
        lines.append(f"   {i:x}:\t{text.replace(' ', chr(9), 1)}")
    functions, found = check.offences_in("\n".join(lines))
    assert functions == 1
    return found


DATA = "ldr w3, [x1, x2, lsl #2]"
LEAKS = {
    "branch on a value": [DATA, "cmp w3, #0x0", "b.eq 3", "ret"],
    "branch on zero": [DATA, "cbz w3, 2", "ret"],
    "branch on a bit": [DATA, "tbnz w3, #31, 2", "ret"],
    "branch on what was computed": [DATA, "lsl w4, w3, #3", "subs w4, w4, #0x1", "b.mi 4", "ret"],
    "branch on a value behind a moved pointer": ["ldr w3, [x1], #4", "ldr w3, [x1]", "cbnz w3, 0", "ret"],
    "branch on a value behind an incremented pointer": [
        "add x1, x1, #0x10",
        "ldr q0, [x1]",
        "umov w3, v0.s[0]",
        "cbnz w3, 0",
        "ret",
    ],
    "branch on a value behind a computed pointer": ["add x4, x1, x2, lsl #3", "ldr x3, [x4]", "cbz x3, 3", "ret"],
    "branch on a value behind a pair's moved pointer": [
        "ldp w3, w4, [x1, #8]!",
        "ldp w5, w6, [x1]",
        "cbnz w6, 0",
        "ret",
    ],
    "branch on a value that went through the stack": [
        DATA,
        "str w3, [sp, #16]",
        "ldr w5, [sp, #16]",
        "cbz w5, 4",
        "ret",
    ],
    "branch on a saved value": [DATA, "stp x29, x3, [sp, #-32]!", "ldr x5, [sp, #8]", "cbz x5, 4", "ret"],
    "branch on a saved value after the stack moved": [
        DATA,
        "sub sp, sp, #0x20",
        "str w3, [sp]",
        "add sp, sp, #0x20",
        "ldur w5, [sp, #-32]",
        "cbz w5, 6",
        "ret",
    ],
    "branch on a lane": ["ldr q0, [x1, x2]", "fmov x3, d0", "cbz x3, 3", "ret"],
    "branch on a lane of several": [
        "add x1, x1, #0x20",
        "ld2 {v2.4s, v3.4s}, [x1]",
        "umaxv s0, v3.4s",
        "fmov w3, s0",
        "cbz w3, 5",
        "ret",
    ],
    "branch on a sum that kept a lane": [
        "ldr q0, [x1, x2]",
        "mov v4.d[1], v0.d[0]",
        "mov v4.d[0], x5",
        "fmov x3, d4",
        "cbz x3, 5",
        "ret",
    ],
    "branch on an accumulator": ["ldr q0, [x1, x2]", "umlal v0.2d, v1.2s, v2.2s", "fmov x3, d0", "cbz x3, 4", "ret"],
    "branch on a double": ["ldr d0, [x1, x2]", "fcmpe d0, #0.0", "b.mi 3", "ret"],
    "branch on a chosen value": [DATA, "cmp w3, w5", "csel x6, x7, x8, hi", "cbz x6, 4", "ret"],
    "branch after carry arithmetic": [DATA, "adds w4, w3, w5", "adc w6, w7, w8", "cbz w6, 4", "ret"],
    "look-up": [DATA, "ldr w4, [x0, x3, lsl #2]", "ret"],
    "store to a place that depends on data": [DATA, "str w5, [x0, x3]", "ret"],
    "prefetch of a place that depends on data": [DATA, "prfm pldl1keep, [x0, x3]", "ret"],
    "division": [DATA, "udiv w4, w3, w5", "ret"],
    "vector division": ["ldr q0, [x1, x2]", "fdiv v0.2d, v1.2d, v0.2d", "ret"],
    "call by data": ["ldr x9, [x1, x2, lsl #3]", "blr x9", "ret"],
    "data for a function": ["ldr w0, [x1, x2, lsl #2]", "bl 0", "ret"],
    "code that nothing leads to": ["br x9", DATA],
}


@pytest.mark.parametrize("leak", LEAKS)
def test_leaks_are_refused(leak: str) -> None:
    assert len(offences(*LEAKS[leak])) == 1, offences(*LEAKS[leak])


CLEAN = {
    "a loop": ["ldr q0, [x1, x3]", "str q0, [x0, x3]", "add x3, x3, #0x10", "cmp x2, x3", "b.ne 0", "ret"],
    "a loop by pointers": ["ldr q0, [x1], #16", "str q0, [x0], #16", "cmp x0, x2", "b.ne 0", "ret"],
    "masks without a branch": [
        "ldr q0, [x1, x3]",
        "cmhs v1.2d, v0.2d, v2.2d",
        "bsl v1.16b, v3.16b, v0.16b",
        "str q1, [x0, x3]",
        "ret",
    ],
    "a choice without a branch": [DATA, "cmp w3, w5", "csetm w4, cs", "and w4, w4, w5", "str w4, [x0]", "ret"],
    "fields of structures": ["ldr x3, [x4, #16]", "cbz x3, 2", "ret"],
    "static data": ["adrp x0, 0 <kernel>", "add x0, x0, #0x10", "ldr x3, [x0, #8]", "br x3"],
    "a register that held data before": [DATA, "mov w3, #0x5", "cbz w3, 3", "ret"],
    "data that stays where it is": [DATA, "str w3, [sp, #8]", "ldr x5, [sp, #16]", "cbz x5, 4", "ret"],
    "division of public numbers": ["udiv x3, x2, x4", "cbz x3, 2", "ret"],
    "what a call leaves": ["ldr w9, [x1, x2]", "bl 0", "cbz w9, 3", "ret"],
}


@pytest.mark.parametrize("code", CLEAN)
def test_constant_time_code_passes(code: str) -> None:
    assert offences(*CLEAN[code]) == []


def test_public_arrays_are_public_in_the_functions_that_are_named_only() -> None:
    pointer = ["ldr x3, [x1, x2, lsl #3]", "ldr q0, [x3, x4]", "ret"]
    assert offences(*pointer, name="_ZN3Sums13inner_productEPm") == []
    assert len(offences(*pointer)) == 1
    assert len(offences(DATA, "cbz w3, 2", "ret", name="_ZN3Sums13inner_productEPm")) == 1
