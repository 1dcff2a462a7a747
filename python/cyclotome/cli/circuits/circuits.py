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
from cyclotome.cli.circuits import ltv_jobs
from cyclotome.cli.circuits.options import CircuitOptions, takes_circuit_options
from cyclotome.cli.console import account, emit, note, progress_bar, vacant, write_whole
from cyclotome.cli.failures import UsageError, command
from cyclotome.cli.numbers import decimals
from cyclotome.cli.tables import tables
from cyclotome.cli.tables.arrays import HeaderOption, read_input
from cyclotome.errors import FileError, FormatError, RangeError

#: Bits of numbers that are sorted, when they are not stated.
WIDTHS = (8, 16, 32, 64)


def hexadecimal(path: Path, digits: int) -> list[int]:
    """Numbers of so many hexadecimal digits, each on a line of its own or with space between them.

    Raises:
        FileError, FormatError: no such file; no such numbers.
    """
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
@takes_circuit_options
def prince(
    key: Annotated[Path, typer.Argument(help="A file with PRINCE's key: k0 and k1, 16 hexadecimal digits each.")],
    file: Annotated[Path, typer.Argument(help="Blocks of 16 hexadecimal digits, one a line.")],
    decrypt: Annotated[bool, typer.Option("--decrypt", help="The other way: from PRINCE to numbers.")] = False,
    *,
    how: CircuitOptions,
) -> None:
    """Encrypt or decrypt blocks with PRINCE, under a key that is encrypted itself (BGV or BFV).

    The key's bits are encrypted, the cipher is computed on them, 24 products one after the other, and the result is
    decrypted and printed: what a server does that turns blocks of a small device into homomorphic ciphertexts. With a
    client and a server of their own: `cyclotome circuit`.
    """
    if how.output is not None:
        vacant(how.output, how.force)
    devices = how.devices
    halves, blocks = hexadecimal(key, 16), hexadecimal(file, 16)
    if len(halves) != 2 or not blocks:
        raise FormatError(
            f"{key} and {file}: two halves of a key, and one block or more, not {len(halves)} and {len(blocks)}"
        )
    circuit = cy.circuit.Circuit.prince(decrypt=decrypt)
    if how.is_ltv:
        with progress_bar():
            values, spent = ltv_jobs.prince(
                halves,
                blocks,
                decrypt=decrypt,
                numbers=how.ltv,
                acknowledged=how.acknowledge_broken,
                device=how.only_device,
            )
        _finish_blocks(how, values, {**_counts(circuit), **spent})
        return
    parameters = how.parameters(circuit)
    if how.plan:
        _show(circuit, parameters, len(blocks), how)
        return
    with progress_bar(), account(devices[0]):
        keys = cy.keygen(parameters, rotations=[], device=devices[0])
        secret_key = cy.circuit.prince_key(halves[0], halves[1], keys.public)
        started = time.perf_counter()
        result = cy.circuit.prince(np.array(blocks, dtype=object), secret_key, decrypt=decrypt, devices=devices)
        seconds = time.perf_counter() - started
        values = [int(value) for value in cy.circuit.decrypt(result, keys.secret)]
    _finish_blocks(how, values, _facts(circuit, result, seconds))


@command
@takes_circuit_options
def sort(
    file: Annotated[Path, typer.Argument(help="A .csv, .npy or .parquet file: a list in each row, or one column.")],
    bits: Annotated[int | None, typer.Option(help="Of each number; by default 8, 16, 32 or 64, as they need.")] = None,
    top: Annotated[int | None, typer.Option("--top", help="Only so many of the largest, the largest first.")] = None,
    descending: Annotated[bool, typer.Option("--descending", help="The largest first.")] = False,
    header: HeaderOption = None,
    *,
    how: CircuitOptions,
) -> None:
    """Sort lists of 1 to 64 numbers, encrypted bit by bit (BGV or BFV), and decrypt the result.

    Rows of a table are lists; a table of one column is one list. Decimals are sorted as integers times a power of ten.
    """
    if how.output is not None:
        if how.output.suffix.lower() != ".csv":
            raise UsageError(f"{how.output}: sorted lists are written as .csv")
        vacant(how.output, how.force)
    devices = how.devices
    lists, scale = read_lists(file, header)
    signed = bool((lists < 0).any())
    bits = width_for(lists, signed) if bits is None else bits
    count = lists.shape[1]
    if top is not None and not 1 <= top <= count:
        raise UsageError(f"--top {top}: lists have {text.plural(count, 'number')}")
    circuit = cy.circuit.Circuit.sort(
        count=count, bits=bits, kept=top or 0, signed=signed, descending=descending or top is not None
    )
    if how.is_ltv:
        if signed or descending or top is not None:
            raise UsageError("--scheme ltv sorts numbers from 0 on, the smallest first")
        with progress_bar():
            ordered, spent = ltv_jobs.sort(
                lists.tolist(), bits, numbers=how.ltv, acknowledged=how.acknowledge_broken, device=how.only_device
            )
        done = {"lists": ordered, "scale": str(scale), **_counts(circuit), **spent}
        _finish(how, tables.csv_text(np.array(ordered, dtype=object).T, scale), done)
        return
    parameters = how.parameters(circuit)
    if how.plan:
        _show(circuit, parameters, len(lists), how)
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
    _finish(how, tables.csv_text(values.T, scale), facts)


def read_lists(file: Path, header: bool | None) -> tuple[np.ndarray[Any, Any], Any]:
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


def width_for(lists: np.ndarray[Any, Any], signed: bool) -> int:
    longest = max(int(value).bit_length() if value >= 0 else (~int(value)).bit_length() for value in lists.flat)
    for width in WIDTHS:
        if longest + signed <= width:
            return width
    raise RangeError(f"a number times the scale has {longest} bits; at most {WIDTHS[-1]} are sorted, the sign included")


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


def _show(circuit: cy.circuit.Circuit, parameters: cy.Parameters, lanes: int, how: CircuitOptions) -> None:
    found = circuit.plan(parameters, lanes=lanes, devices=len(how.devices), memory=cy.memory_limit())
    facts = {"parameters": parameters.summary(), "layers": [layer._asdict() for layer in found.layers]}
    taken = {"peak_bytes": found.peak_bytes, "sections": found.sections}
    emit({**facts, **taken}, how.json, f"{parameters.summary()}\n{found}")


def _finish_blocks(how: CircuitOptions, values: list[int], facts: dict[str, Any]) -> None:
    words = [f"{value:016x}" for value in values]
    _finish(how, "".join(f"{word}\n" for word in words), {"blocks": words, **facts})


def _finish(how: CircuitOptions, lines: str, facts: dict[str, Any]) -> None:
    if how.output is not None:
        write_whole(how.output, lines.encode())
        facts = {"file": str(how.output), **facts}
    if how.json:
        emit(facts, True)
    elif how.output is None:
        emit({}, False, lines)
    note(
        f"{facts['parameters']}: {facts['products']} products in {facts['depth']} layers, {facts['seconds']:.1f} s, "
        f"{facts['noise_headroom_bits']:.0f} bits of headroom left"
    )
