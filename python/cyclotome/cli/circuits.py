# SPDX-License-Identifier: Apache-2.0
"""``cyclotome prince`` and ``cyclotome sort``: whole jobs on encrypted bits, from plain files to plain results.

Keys are made for the job and forgotten; what is computed in between sees ciphertexts and public keys only.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import cyclotome as cy
from cyclotome import text
from cyclotome.cli import decimals, ltv_jobs, tables
from cyclotome.cli.arrays import HeaderOption, read_input
from cyclotome.cli.console import (
    DebugFlag,
    ForceFlag,
    InsecureFlag,
    JsonFlag,
    account,
    emit,
    note,
    progress_bar,
    vacant,
    write_whole,
)
from cyclotome.cli.failures import UsageError, command
from cyclotome.errors import FileError, FormatError, RangeError, SecurityError

SecurityOption = Annotated[
    int, typer.Option("--security", help="Bits; 0 with --allow-insecure: a small ring, for trying out.")
]
RingOption = Annotated[
    int | None, typer.Option("--cyclotomic", help="m of Phi_m: many blocks, or lists, at once; 21845 or 65535.")
]
DegreeOption = Annotated[int | None, typer.Option("--degree", help="n of x^n + 1; by default the smallest that does.")]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="A file; by default results are printed.")]
LayersFlag = Annotated[bool, typer.Option("--plan", help="Show what it takes, layer by layer, and compute nothing.")]

SchemeOption = Annotated[str, typer.Option("--scheme", help='"bgv"; or "ltv", of paper 002, which is BROKEN.')]
BrokenFlag = Annotated[bool, typer.Option("--acknowledge-broken", help="Run --scheme ltv although it is broken.")]
SetOption = Annotated[str | None, typer.Option("--ltv", help="LTV's primes, m, bits of primes, window.")]

DevicesOption = Annotated[
    str,
    typer.Option("--device", help='Where to compute: as elsewhere, or several that share the work: "cuda:0,cuda:1".'),
]

#: Bits of numbers that are sorted, when they are not stated.
WIDTHS = (8, 16, 32, 64)


def _parameters(
    circuit: cy.circuit.Circuit, security: int, ring: tuple[int | None, int | None], allow_insecure: bool
) -> cy.Parameters:
    if security < 128 and not allow_insecure:
        raise SecurityError(f"--security {security} is below 128 bits; --allow-insecure takes it all the same")
    return circuit.parameters(security=security, degree=ring[0], cyclotomic=ring[1])


def _hexadecimal(path: Path, digits: int) -> list[int]:
    """Numbers of so many hexadecimal digits, each on a line of its own or with space between them."""
    try:
        words = path.read_text(encoding="ascii").split()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not hexadecimal text (byte {error.start})") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    for number, word in enumerate(words):
        if not re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", word):
            # What it is instead may be secret.
            raise FormatError(f"{path}: word {number + 1} is not {digits} hexadecimal digits")
    return [int(word, 16) for word in words]


@command
def prince(
    key: Annotated[Path, typer.Argument(help="A file with PRINCE's key: k0 and k1, 16 hexadecimal digits each.")],
    file: Annotated[Path, typer.Argument(help="Blocks of 16 hexadecimal digits, one a line.")],
    decrypt: Annotated[bool, typer.Option("--decrypt", help="The other way: from PRINCE to numbers.")] = False,
    output: OutputOption = None,
    security: SecurityOption = 128,
    degree: DegreeOption = None,
    cyclotomic: RingOption = None,
    scheme: SchemeOption = "bgv",
    acknowledge_broken: BrokenFlag = False,
    ltv: SetOption = None,
    plan: LayersFlag = False,
    allow_insecure: InsecureFlag = False,
    device: DevicesOption = "cpu",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Encrypt or decrypt blocks with PRINCE, under a key that is encrypted itself (BGV).

    The key's bits are encrypted, the cipher is computed on them, 24 products one after the other, and the result is
    decrypted and printed: what a server does that turns blocks of a small device into homomorphic ciphertexts.
    """
    if output is not None:
        vacant(output, force)
    devices = _devices(device)
    halves, blocks = _hexadecimal(key, 16), _hexadecimal(file, 16)
    if len(halves) != 2 or not blocks:
        raise FormatError(
            f"{key} and {file}: two halves of a key, and one block or more, not {len(halves)} and {len(blocks)}"
        )
    circuit = cy.circuit.Circuit.prince(decrypt=decrypt)
    if _is_ltv(scheme, plan):
        with progress_bar():
            values, spent = ltv_jobs.prince(
                halves, blocks, decrypt=decrypt, numbers=ltv, acknowledged=acknowledge_broken
            )
        _finish_blocks(output, values, {**_counts(circuit), **spent}, json)
        return
    parameters = _parameters(circuit, security, (degree, cyclotomic), allow_insecure)
    if plan:
        _show(circuit, parameters, len(blocks), len(devices), json)
        return
    with progress_bar(), account(devices[0]):
        keys = cy.keygen(parameters, rotations=[], device=devices[0])
        secret_key = cy.circuit.prince_key(halves[0], halves[1], keys.public)
        started = time.perf_counter()
        result = cy.circuit.prince(np.array(blocks, dtype=object), secret_key, decrypt=decrypt, devices=devices)
        seconds = time.perf_counter() - started
        values = [int(value) for value in cy.circuit.decrypt(result, keys.secret)]
    _finish_blocks(output, values, _facts(circuit, result, seconds), json)


@command
def sort(
    file: Annotated[Path, typer.Argument(help="A .csv, .npy or .parquet file: a list in each row, or one column.")],
    bits: Annotated[int | None, typer.Option(help="Of each number; by default 8, 16, 32 or 64, as they need.")] = None,
    top: Annotated[int | None, typer.Option("--top", help="Only so many of the largest, the largest first.")] = None,
    descending: Annotated[bool, typer.Option("--descending", help="The largest first.")] = False,
    header: HeaderOption = None,
    output: OutputOption = None,
    security: SecurityOption = 128,
    degree: DegreeOption = None,
    cyclotomic: RingOption = None,
    scheme: SchemeOption = "bgv",
    acknowledge_broken: BrokenFlag = False,
    ltv: SetOption = None,
    plan: LayersFlag = False,
    allow_insecure: InsecureFlag = False,
    device: DevicesOption = "cpu",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Sort lists of 1 to 64 numbers, encrypted bit by bit (BGV), and decrypt the result.

    Rows of a table are lists; a table of one column is one list. Decimals are sorted as integers times a power of ten.
    """
    if output is not None:
        if output.suffix.lower() != ".csv":
            raise UsageError(f"{output}: sorted lists are written as .csv")
        vacant(output, force)
    devices = _devices(device)
    lists, scale = _lists(file, header)
    signed = bool((lists < 0).any())
    bits = _width(lists, signed) if bits is None else bits
    count = lists.shape[1]
    if top is not None and not 1 <= top <= count:
        raise UsageError(f"--top {top}: lists have {text.plural(count, 'number')}")
    circuit = cy.circuit.Circuit.sort(
        count=count, bits=bits, kept=top or 0, signed=signed, descending=descending or top is not None
    )
    if _is_ltv(scheme, plan):
        if signed or descending or top is not None:
            raise UsageError("--scheme ltv sorts numbers from 0 on, the smallest first")
        with progress_bar():
            ordered, spent = ltv_jobs.sort(lists.tolist(), bits, numbers=ltv, acknowledged=acknowledge_broken)
        done = {"lists": ordered, "scale": str(scale), **_counts(circuit), **spent}
        _finish(output, tables.csv_text(np.array(ordered, dtype=object).T, scale), done, json)
        return
    parameters = _parameters(circuit, security, (degree, cyclotomic), allow_insecure)
    if plan:
        _show(circuit, parameters, len(lists), len(devices), json)
        return
    with progress_bar(), account(devices[0]):
        keys = cy.keygen(parameters, rotations=[], device=devices[0])
        numbers = cy.circuit.encrypt_lists(lists, keys.public, bits=bits, signed=signed)
        started = time.perf_counter()
        if top is None:
            chosen = cy.circuit.sort(numbers, descending=descending, devices=devices)
        else:
            chosen = cy.circuit.top_k(numbers, top, devices=devices)
        seconds = time.perf_counter() - started
        assert isinstance(chosen, cy.circuit.EncryptedNumbers)
        values = cy.circuit.decrypt(chosen, keys.secret)
    facts = {"lists": values.tolist(), "scale": str(scale), **_facts(circuit, chosen, seconds)}
    _finish(output, tables.csv_text(values.T, scale), facts, json)


def _devices(names: str) -> list[str]:
    """Full names; unknown ones are refused before any work is done."""
    return [cy.contexts.device_name(name.strip()) for name in names.split(",")]


def _lists(file: Path, header: bool | None) -> tuple[np.ndarray[Any, Any], Any]:
    """Lists of integers along the last axis, and their scale."""
    table = read_input(file, None, header)
    integers, scale = decimals.quantise(table.values, automatic=True)
    if file.suffix.lower() != ".npy":
        integers = integers.T
    if integers.ndim > 2:
        raise FormatError(f"{file}: an array of shape {integers.shape}; lists are rows of a table")
    if integers.ndim == 1 or integers.shape[1] == 1:
        integers = integers.reshape(1, -1)
    return integers, scale


def _width(lists: np.ndarray[Any, Any], signed: bool) -> int:
    longest = max(int(value).bit_length() if value >= 0 else (~int(value)).bit_length() for value in lists.flat)
    for width in WIDTHS:
        if longest + signed <= width:
            return width
    raise RangeError(f"a number times the scale has {longest} bits; at most {WIDTHS[-1]} are sorted, the sign included")


def _is_ltv(scheme: str, plan: bool) -> bool:
    if scheme not in ("bgv", "ltv"):
        raise UsageError(f"--scheme {scheme}: there are bgv and ltv")
    if scheme == "ltv" and plan:
        raise UsageError("--plan is for --scheme bgv; LTV has estimates of noise only")
    return scheme == "ltv"


def _counts(circuit: cy.circuit.Circuit) -> dict[str, Any]:
    return {"depth": circuit.depth, "products": circuit.products, "relinearizations": circuit.relinearizations}


def _facts(circuit: cy.circuit.Circuit, result: cy.circuit.EncryptedNumbers, seconds: float) -> dict[str, Any]:
    return {
        "parameters": result.parameters.summary(),
        **_counts(circuit),
        "level": result.level,
        "noise_headroom_bits": result.noise_headroom,
        "seconds": seconds,
    }


def _show(circuit: cy.circuit.Circuit, parameters: cy.Parameters, lanes: int, devices: int, json: bool) -> None:
    found = circuit.plan(parameters, lanes=lanes, devices=devices, memory=cy.memory_limit())
    facts = {"parameters": parameters.summary(), "layers": [layer._asdict() for layer in found.layers]}
    taken = {"peak_bytes": found.peak_bytes, "sections": found.sections}
    emit({**facts, **taken}, json, f"{parameters.summary()}\n{found}")


def _finish_blocks(output: Path | None, values: list[int], facts: dict[str, Any], json: bool) -> None:
    words = [f"{value:016x}" for value in values]
    _finish(output, "".join(f"{word}\n" for word in words), {"blocks": words, **facts}, json)


def _finish(output: Path | None, lines: str, facts: dict[str, Any], json: bool) -> None:
    if output is not None:
        write_whole(output, lines.encode())
        facts = {"file": str(output), **facts}
    if json:
        emit(facts, True)
    elif output is None:
        emit({}, False, lines)
    note(
        f"{facts['parameters']}: {facts['products']} products in {facts['depth']} layers, {facts['seconds']:.1f} s, "
        f"{facts['noise_headroom_bits']:.0f} bits of headroom left"
    )
