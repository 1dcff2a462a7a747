# SPDX-License-Identifier: Apache-2.0
"""The search for data-dependent machine code: it sees the leaks that it is for, and takes loops for what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import program

check = program("tools/check_machine_code.py")

LOOP = ["xor ecx,ecx", "vmovdqu64 zmm0,ZMMWORD PTR [rsi+rcx*8]", "vmovdqu64 ZMMWORD PTR [rdi+rcx*8],zmm0"]
LOOP += ["add rcx,0x8", "cmp rdx,rcx", "jne 1", "ret"]


def listing(*code: str, name: str = "kernel") -> str:
    """A disassembly; addresses count the instructions, and jumps name them in decimal."""
    lines = ["", f"0000000000000000 <{name}>:"]
    for i, text in enumerate(code):
        mnemonic, _, rest = text.partition(" ")
        if (mnemonic.startswith("j") or mnemonic == "call") and rest.isdecimal():
            text = f"{mnemonic} {int(rest):x} <{name}+{int(rest):#x}>"
        lines.append(f"  {i:x}:\t{text}")
    return "\n".join(lines)


def offences(*code: str, name: str = "kernel") -> list[str]:
    functions, found = check.offences_in(listing(*code, name=name))
    assert functions == 1
    return found


DATA = "mov eax,DWORD PTR [rsi+rcx*4]"
LEAKS = {
    "branch on a value": [DATA, "test eax,eax", "je 3", "ret"],
    "branch on a comparison with memory": ["cmp DWORD PTR [rsi+rcx*4],0x5", "ja 2", "ret"],
    "branch on what was computed": [DATA, "mov edx,eax", "shl edx,0x3", "sub edx,0x1", "js 5", "ret"],
    "branch on a value behind a moved pointer": [
        "mov eax,DWORD PTR [rsi]",
        "add rsi,0x4",
        "test eax,eax",
        "jne 0",
        "ret",
    ],
    "branch on a value that went through the stack": [
        DATA,
        "mov DWORD PTR [rsp+0x10],eax",
        "cmp DWORD PTR [rsp+0x10],0x0",
        "je 4",
        "ret",
    ],
    "branch on a pushed value": ["mov rax,QWORD PTR [rsi+rcx*8]", "push rax", "pop rdx", "test rdx,rdx", "je 5", "ret"],
    "branch on a lane": ["vmovdqu64 zmm0,ZMMWORD PTR [rsi+rcx*8]", "vmovq rax,xmm0", "test rax,rax", "je 4", "ret"],
    "branch on a lane that was shuffled": [
        "vmovdqu64 zmm1,ZMMWORD PTR [rsi+rcx*8]",
        "vpsrlq zmm2,zmm1,0x3f",
        "vpextrq rax,xmm2,0x1",
        "or rax,rax",
        "jne 5",
        "ret",
    ],
    "branch on a mask": [
        "vpcmpuq k1,zmm0,ZMMWORD PTR [rsi+rcx*8],0x1",
        "kortestb k1,k1",
        "jne 3",
        "ret",
    ],
    "branch on a mask in a general register": [
        "vptestmq k2,zmm0,ZMMWORD PTR [rsi+rcx*8]",
        "kmovb eax,k2",
        "test al,al",
        "je 4",
        "ret",
    ],
    "branch on a test of vectors": ["vpxor xmm0,xmm0,XMMWORD PTR [rsi+rcx*8]", "vptest xmm0,xmm0", "je 3", "ret"],
    "branch on a sum of a few turns": [
        "xor eax,eax",
        "add eax,DWORD PTR [rsi+rcx*4]",
        "add rcx,0x1",
        "cmp rcx,rdx",
        "jne 1",
        "cmp eax,0x3",
        "jg 7",
        "ret",
    ],
    "branch after carry arithmetic": [DATA, "cmp eax,0x7", "sbb edx,edx", "test edx,edx", "je 5", "ret"],
    "look-up": ["movzx eax,BYTE PTR [rsi+rcx*1]", "mov edx,DWORD PTR [rdi+rax*4]", "ret"],
    "store to a place that depends on data": [DATA, "mov DWORD PTR [rdi+rax*4],0x1", "ret"],
    "look-up by lea": ["mov rax,QWORD PTR [rsi+rcx*8]", "lea rdx,[rdi+rax*8]", "vmovdqu64 zmm0,[rdx]", "ret"],
    "gather": ["vpgatherqq zmm0{k1},QWORD PTR [rsi+zmm1*8]", "ret"],
    "scatter": ["vpscatterqq QWORD PTR [rsi+zmm1*8]{k1},zmm0", "ret"],
    "division": ["mov rax,QWORD PTR [rsi+rcx*8]", "xor edx,edx", "div r8", "ret"],
    "division by data": ["mov r8,QWORD PTR [rsi+rcx*8]", "div r8", "ret"],
    "vector division": ["vmovupd zmm0,ZMMWORD PTR [rsi+rcx*8]", "vdivpd zmm0,zmm0,zmm1", "ret"],
    "compressing": ["vmovdqu64 zmm0,ZMMWORD PTR [rsi+rcx*8]", "vpcompressq ZMMWORD PTR [rdi]{k1},zmm0", "ret"],
    "call by data": ["mov rax,QWORD PTR [rsi+rcx*8]", "call rax", "ret"],
    "data for a function": ["mov edi,DWORD PTR [rsi+rcx*4]", "call 0", "ret"],
    "code that nothing leads to": ["jmp rax", DATA],
    "count of turns": ["movzx ecx,BYTE PTR [rsi+rdx*1]", "jrcxz 2", "ret"],
}


@pytest.mark.parametrize("leak", LEAKS)
def test_leaks_are_refused(leak: str) -> None:
    assert len(offences(*LEAKS[leak])) == 1, offences(*LEAKS[leak])


CLEAN = {
    "a loop": LOOP,
    "masks without a branch": [
        "vmovdqu64 zmm1,ZMMWORD PTR [rsi+rcx*8]",
        "vpcmpuq k1,zmm1,zmm2,0x5",
        "vpsubq zmm1{k1},zmm1,zmm2",
        "vmovdqu64 ZMMWORD PTR [rdi+rcx*8],zmm1",
        "ret",
    ],
    "arithmetic without a branch": [
        DATA,
        "sar eax,0x1f",
        "and eax,r9d",
        "add eax,0x1",
        "mov DWORD PTR [rdi],eax",
        "ret",
    ],
    "fields of structures": ["mov rax,QWORD PTR [r8+0x10]", "test rax,rax", "je 3", "ret"],
    "a register that held data before": [DATA, "mov eax,0x5", "test eax,eax", "je 4", "ret"],
    "data that stays where it is": [DATA, "mov DWORD PTR [rsp+0x8],eax", "cmp QWORD PTR [rsp+0x10],0x0", "je 4", "ret"],
    "division of public numbers": ["mov rax,rdx", "xor edx,edx", "div rcx", "test rax,rax", "je 5", "ret"],
    "a tail call": ["mov rax,QWORD PTR [r8+0x60]", "jmp rax"],
}


@pytest.mark.parametrize("code", CLEAN)
def test_constant_time_code_passes(code: str) -> None:
    assert offences(*CLEAN[code]) == []


def test_public_arrays_are_public_in_the_functions_that_are_named_only() -> None:
    pointer = ["mov rax,QWORD PTR [rsi+rcx*8]", "vmovdqu64 zmm0,ZMMWORD PTR [rax+rdx*1]", "ret"]
    assert offences(*pointer, name="_ZN3Sums13inner_productEPm") == []
    assert len(offences(*pointer)) == 1
    assert len(offences(DATA, "test eax,eax", "je 3", "ret", name="_ZN3Sums13inner_productEPm")) == 1


def test_files_without_functions_are_an_error(tmp_path: Path) -> None:
    program = tmp_path / "objdump"
    program.write_text("#!/bin/sh\necho\n")
    program.chmod(0o755)
    assert check.main(["--objdump", str(program), "x.o"]) == 2
    program.write_text("#!/bin/sh\ncat <<END\n" + listing(*LOOP) + "\nEND\n")
    assert check.main(["--objdump", str(program), "x.o"]) == 0
    program.write_text("#!/bin/sh\ncat <<END\n" + listing(*LEAKS["look-up"]) + "\nEND\n")
    assert check.main(["--objdump", str(program), "x.o"]) == 1
