# SPDX-License-Identifier: Apache-2.0
"""``cyclotome encrypt`` and ``cyclotome decrypt``: from tables to ciphertexts and back."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import cyclotome as cy
from cyclotome import text
from cyclotome.cli import decimals, notes, passphrases, tables
from cyclotome.cli.console import (
    DebugFlag,
    DeviceOption,
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
from cyclotome.cli.keys import load_as
from cyclotome.cli.quantity import Quantity


def scale_option(value: str | None) -> tuple[Fraction | None, bool]:
    """--scale: a positive number and whether it is chosen automatically. Raises UsageError."""
    if value is None or value == "auto":
        return None, value == "auto"
    try:
        scale = Fraction(value)
    except (ValueError, ZeroDivisionError):
        scale = Fraction(0)
    if scale <= 0:
        raise UsageError(f"--scale {value!r}: a positive number, or auto")
    return scale, False


@command
def encrypt(
    data: Annotated[Path, typer.Argument(help="A .csv, .npy or .parquet file of numbers.")],
    key: Annotated[Path, typer.Option("--key", "-k", help="public.key; or secret.key, whose files are half as large.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The encrypted file, for example data.ct.")],
    columns: Annotated[str | None, typer.Option(help="Only these columns: a,b,c.")] = None,
    scale: Annotated[
        str | None, typer.Option(help='Decimals: integers are numbers × scale. "auto": the smallest power of ten.')
    ] = None,
    rounding: Annotated[bool, typer.Option("--round", help="Round what the scale does not make an integer.")] = False,
    bound: Annotated[
        int | None, typer.Option(help="Largest magnitude of number × scale. Public. By default 2^value-bits − 1.")
    ] = None,
    allow_insecure: InsecureFlag = False,
    device: DeviceOption = "cpu",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Encrypt a table: each column (or row of an npy array) lies in the slots of ciphertexts."""
    factor, automatic = scale_option(scale)
    vacant(output, force)
    wanted = None if columns is None else [name.strip() for name in columns.split(",")]
    table = tables.read_table(data, wanted)
    integers, used = decimals.quantise(table.values, factor, automatic=automatic, rounding=rounding)
    owner = load_as((cy.PublicKey, cy.SecretKey), key, allow_insecure=allow_insecure, device=device)
    with progress_bar(), account(device):
        array = cy.encrypt(integers, owner, bound=bound)
        notes.save_quantity(output, Quantity(array, used, table.columns), force)
    size = output.stat().st_size
    facts: dict[str, Any] = {"file": str(output), "shape": list(array.shape), "columns": table.columns}
    facts |= {"scale": str(used), "bound": array.bound, "bytes": size, "parameters": array.parameters.summary()}
    emit(facts, json, f"{output}: {_words(array.shape, table.columns)}, scale {used}, {text.byte_size(size)}")


def _words(shape: tuple[int, ...], columns: tuple[str, ...] | None) -> str:
    if columns is None:
        return " × ".join(map(str, shape)) + " numbers"
    return f"{shape[-1]} rows of {', '.join(columns)}"


@command
def decrypt(
    encrypted: Annotated[Path, typer.Argument(help="An encrypted file.")],
    key: Annotated[Path, typer.Option("--key", "-k", help="Your secret.key.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A .csv, .npy or .parquet file; by default CSV is printed.")
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="For others to see: drown the noise in a random error before rounding.")
    ] = False,
    flooding_bits: Annotated[
        int | None, typer.Option(help="With --reveal: the error is 2^this times the noise, 1 to 128. By default 40.")
    ] = None,
    passphrase_file: passphrases.FileOption = None,
    allow_insecure: InsecureFlag = False,
    device: DeviceOption = "cpu",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Decrypt a file: the numbers, exactly, or a refusal.

    Results and refusals are for the key's owner alone, unless --reveal makes them: the same numbers, or a refusal that
    may be told. That takes noise headroom, which `cyclotome params --flooding-bits` provides.
    """
    if flooding_bits is not None and not reveal:
        raise UsageError("--flooding-bits goes with --reveal; decryption for the key's owner adds no error")
    opened: Callable[..., Any] = cy.reveal if reveal else cy.decrypt
    options = {} if flooding_bits is None else {"flooding_bits": flooding_bits}
    if output is not None:
        if output.suffix.lower() not in tables.SUFFIXES:
            raise UsageError(f"{output}: the name must end in {', '.join(tables.SUFFIXES)}")
        vacant(output, force)
    phrase = passphrases.to_open(str(key), passphrase_file)
    secret = load_as(cy.SecretKey, key, allow_insecure=allow_insecure, device=device, passphrase=phrase)
    quantity = notes.load_quantity(encrypted, expect=secret.parameters, allow_insecure=allow_insecure, device=device)
    with progress_bar(), account(device):
        integers = np.asarray(opened(quantity.values, secret, **options))
    if output is not None:
        write_whole(output, _file(output.suffix.lower(), integers, quantity))
        facts = {"file": str(output), "shape": list(integers.shape), "columns": quantity.columns}
        emit({**facts, "scale": str(quantity.scale)}, json, f"{output}: {_words(integers.shape, quantity.columns)}")
    elif json:
        facts = {"shape": list(integers.shape), "columns": quantity.columns, "name": quantity.name}
        emit({**facts, "scale": str(quantity.scale), "integers": integers.tolist()}, True)
    else:
        print(tables.csv_text(integers, quantity.scale, quantity.columns, quantity.name), end="")
    if quantity.scale != 1:
        note(f"numbers are integers / {quantity.scale}")


def _file(suffix: str, integers: np.ndarray[Any, Any], quantity: Quantity) -> bytes:
    if suffix == ".csv":
        return tables.csv_text(integers, quantity.scale, quantity.columns, quantity.name).encode()
    array = tables.array_of(integers, quantity.scale)
    if suffix == ".parquet":
        return tables.parquet_bytes(array, quantity.columns, quantity.name)
    return tables.npy_bytes(array)
