# SPDX-License-Identifier: Apache-2.0
"""``cyclotome encrypt`` and ``cyclotome decrypt``: from tables to ciphertexts and back."""

from __future__ import annotations

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import cyclotome as cy
from cyclotome import text
from cyclotome.cli import passphrases
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import (
    DeviceOption,
    account,
    emit,
    note,
    progress_bar,
    vacant,
    write_whole,
)
from cyclotome.cli.failures import UsageError, command, put
from cyclotome.cli.keys import load_as
from cyclotome.cli.numbers import decimals, literals
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.cli.tables import csv_files, frames, notes, tables
from cyclotome.cli.visible import shortened, shown, visible
from cyclotome.errors import RangeError

HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="CSV: the first row names the columns, or holds numbers."),
]

DelimiterOption = Annotated[
    str | None,
    typer.Option(help="CSV: the character between cells, or tab. By default a comma; a semicolon with --decimal ,."),
]
DecimalOption = Annotated[str, typer.Option(help="CSV: the decimal point: . or ,.")]

#: Results are rounded to this many decimals at most.
MAX_DIGITS = 1000


def scale_option(value: str | None) -> tuple[Fraction | None, bool]:
    """--scale: a positive number and whether it is chosen automatically. Raises UsageError."""
    if value is None or value == "auto":
        return None, value == "auto"
    try:
        scale = literals.parse(value, dates=False)
    except RangeError as error:
        raise UsageError(f"--scale: {error}") from None
    if scale is None or scale <= 0:
        raise UsageError(f"--scale {shortened(value)}: a positive number, or auto")
    return Fraction(scale), False


def columns_option(value: str | None) -> list[str] | None:
    """--columns: names between commas; those that hold one stand in double quotes. Raises UsageError."""
    if value is None:
        return None
    try:
        rows = list(csv.reader([value], strict=True, skipinitialspace=True))
    except csv.Error:
        rows = []
    names = [name.strip() for row in rows for name in row]
    if not names or "" in names or len(set(names)) != len(names):
        raise UsageError(f"--columns {shortened(value)}: different names with commas between them")
    return names


@command
@with_common
def encrypt(
    data: Annotated[Path, typer.Argument(help="A .csv, .npy or .parquet file of numbers.")],
    key: Annotated[Path, typer.Option("--key", "-k", help="public.key; or secret.key, whose files are half as large.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The encrypted file, for example data.ct.")],
    columns: Annotated[str | None, typer.Option(help="Only these columns, in this order: a,b,c.")] = None,
    header: HeaderOption = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            help='Of the whole table: integers are numbers × scale; "auto": the smallest power of ten. Of columns by '
            'themselves, repeatedly: COLUMN=DECIMALS, or "each": as many as each needs.'
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(help="What stands where a value is missing: NA,? for example; NA, means empty cells too."),
    ] = None,
    mask: Annotated[
        str | None,
        typer.Option(help='With --missing: who can tell where values are missing: nobody, "encrypted", or "public".'),
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option(help="COLUMN=a,b,c: all texts that a column may hold. Public. Repeatedly.")
    ] = None,
    delimiter: DelimiterOption = None,
    decimal: DecimalOption = ".",
    rounding: Annotated[bool, typer.Option("--round", help="Round what the scale does not make an integer.")] = False,
    bound: Annotated[
        int | None, typer.Option(help="Largest magnitude of number × scale. Public. By default 2^value-bits − 1.")
    ] = None,
    l1_bound: Annotated[
        int | None, typer.Option(help="Largest sum of such magnitudes in a column (npy: a row). Public.")
    ] = None,
    wrap: Annotated[
        bool, typer.Option("--wrap", help="Numbers and results are meant modulo T, the plaintext modulus; no bounds.")
    ] = False,
    polynomials: Annotated[
        bool, typer.Option("--polynomials", help="Columns are polynomials, which eval multiplies: no slots.")
    ] = False,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Encrypt a table: each column (or row of an npy array) lies in the slots of ciphertexts.

    Every row of a CSV file is encrypted, or the file refused. A first row in which no cell is, or almost is, a number
    is a header; of one that could be both (years, 0,1,2) --header or --no-header must tell. Numbers are decimals in
    ASCII digits, with an exponent if need be (1e-3), or fractions in lowest terms (4/3, with --scale 3). Where
    parameters have plaintext modulus 2, they are bits; where they have no slots, columns are polynomials.

    With --scale COLUMN=..., --missing or --category the file is a table of columns, each with its own scale, mask and
    categories, as cyclotome.encrypt_frame makes it; names, categories and scales are readable in it.
    """
    dialect = frames.dialect_of(delimiter, decimal)
    how = frames.options(scale or [], missing, mask, category or [], dialect)
    trust = {**common.trust, "device": device}
    if how is not None:
        if rounding or wrap or polynomials or bound is not None or l1_bound is not None:
            raise UsageError("--round, --bound, --l1-bound, --wrap and --polynomials are for tables of one scale")
        vacant(output, common.force)
        _require_csv(data, header, delimiter, decimal)
        cells = frames.read_cells(data, columns_option(columns), header, how)
        with progress_bar(), account(device):
            frame = frames.encrypted(cells, load_as((cy.PublicKey, cy.SecretKey), key, **trust), how)
            cy.save(output, frame, overwrite=common.force)
        _tell_frame(output, frame, common.json)
        return
    factor, automatic = scale_option(_single(scale))
    vacant(output, common.force)
    table = read_input(data, columns_option(columns), header, dialect)
    integers, used = decimals.quantise(table.values, factor, automatic=automatic, rounding=rounding)
    owner = load_as((cy.PublicKey, cy.SecretKey), key, **trust)
    if owner.parameters.holds_reals:
        raise UsageError(
            f"{owner.parameters.summary()} are for real numbers, which the Python package encrypts so far; tables take "
            "keys of bfv or bgv"
        )
    with progress_bar(), account(device):
        encoding = "coefficients" if polynomials else None
        array = cy.encrypt(integers, owner, bound=bound, l1_bound=l1_bound, wrap=wrap, encoding=encoding)
        notes.save_quantity(output, Quantity(array, used, table.columns), common.force)
    size = output.stat().st_size
    facts: dict[str, Any] = {"file": str(output), "shape": list(array.shape), "columns": table.columns}
    facts |= {"scale": str(used), "bound": array.bound, "bytes": size, "parameters": array.parameters.summary()}
    words = _words(array.shape, table.columns)
    emit(facts, common.json, f"{visible(str(output))}: {words}, scale {shown(used)}, {text.byte_size(size)}")


def _single(scale: list[str] | None) -> str | None:
    """--scale of a whole table. Raises UsageError."""
    if scale is not None and len(scale) > 1:
        raise UsageError("--scale: one for the whole table, or COLUMN=DECIMALS")
    return scale[0] if scale else None


def _tell_frame(output: Path, frame: cy.EncryptedFrame, json: bool) -> None:
    """What was written."""
    size = output.stat().st_size
    columns = cy.inspect(output).columns or ()
    facts: dict[str, Any] = {"file": str(output), "rows": frame.rows, "columns": list(frame), "about": list(columns)}
    facts |= {"bytes": size, "parameters": frame.parameters.summary()}
    rows = text.plural(frame.rows, "row")
    lines = [f"{visible(str(output))}: {rows}, {text.byte_size(size)}", *map(visible, columns)]
    emit(facts, json, "\n  ".join(lines))


def _require_csv(path: Path, header: bool | None, delimiter: str | None = None, decimal: str = ".") -> None:
    """Raises UsageError where an option for CSV files meets another one."""
    if path.suffix.lower() != ".csv":
        if header is not None:
            raise UsageError(f"--header and --no-header are for .csv files; {path} is none")
        if delimiter is not None or decimal != ".":
            raise UsageError(f"--delimiter and --decimal are for .csv files; {path} is none")


def read_input(
    path: Path, columns: list[str] | None, header: bool | None, dialect: csv_files.Dialect = csv_files.COMMAS
) -> tables.Table:
    """A table of plain numbers; what was guessed about it is remarked. Raises UsageError, and as `read_table`."""
    _require_csv(path, header, dialect.delimiter, dialect.decimal)
    table = tables.read_table(path, columns, header=header, dialect=dialect)
    if table.remark is not None:
        note(table.remark)
    return table


def _words(shape: tuple[int, ...], columns: tuple[str, ...] | None, axis: int = 0) -> str:
    if columns is None or len(shape) > 2:
        return " × ".join(map(str, shape)) + " numbers" if shape else "one number"
    return f"{text.plural(shape[1 - axis] if len(shape) == 2 else 1, 'row')} of {', '.join(columns)}"


@command
@with_common
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
        int | None,
        typer.Option(help="With --reveal: bits by which the added error exceeds the noise. By default 64."),
    ] = None,
    reveals_file: Annotated[
        Path | None,
        typer.Option(help="With --reveal: where it is counted, if not in reveals-ID.count beside the key."),
    ] = None,
    approximate: Annotated[
        int | None, typer.Option(metavar="DIGITS", min=0, max=MAX_DIGITS, help="Round to this many decimals.")
    ] = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Decrypt a file: the numbers, exactly, or a refusal.

    CSV has exact decimals, and fractions (4/3) for numbers that no decimals write. In .npy and .parquet files numbers
    are 64-bit integers, or floats whose decimals are the numbers; others are refused. Nothing is rounded without
    --approximate.

    Results and refusals are for the key's owner alone, unless --reveal makes them: the same numbers, or a refusal that
    may be told. That takes noise headroom, which `cyclotome params --flooding-bits` provides. Each ciphertext that is
    revealed is counted in a file beside the key's, up to what `cyclotome keygen --reveals` planned.
    """
    if flooding_bits is not None and not reveal:
        raise UsageError("--flooding-bits goes with --reveal; decryption for the key's owner adds no error")
    if reveals_file is not None and not reveal:
        raise UsageError("--reveals-file goes with --reveal; decryption for the key's owner is not counted")
    if approximate is not None and common.json and output is None:
        raise UsageError("--approximate rounds CSV, npy and Parquet; --json prints exact integers and their scale")
    opened: Callable[..., Any] = cy.reveal if reveal else cy.decrypt
    options = {} if flooding_bits is None else {"flooding_bits": flooding_bits}
    if output is not None:
        if output.suffix.lower() not in tables.SUFFIXES:
            raise UsageError(f"{output}: the name must end in {', '.join(tables.SUFFIXES)}")
        vacant(output, common.force)
    trust = {**common.trust, "device": device}
    secret = load_as(cy.SecretKey, key, passphrase=passphrases.to_open(str(key), passphrase_file), **trust)
    if reveals_file is not None:
        secret.keep_reveals(reveals_file)
    expected = {"expect": secret.parameters, "allow_insecure": common.allow_insecure, "device": device}
    loaded = notes.load(encrypted, cy.EncryptedDigits, cy.EncryptedStatistics, **expected)
    if isinstance(loaded, (cy.EncryptedFrame, cy.EncryptedStatistics)):
        if reveal:
            raise UsageError("--reveal takes arrays; a table's columns are revealed in Python, one by one (cy.reveal)")
        _decrypt_frame(loaded, secret, output, approximate, common.json, device)
        return
    if isinstance(loaded, cy.EncryptedDigits):
        if reveal:
            raise UsageError("--reveal takes arrays; digits of numbers are revealed in Python (cy.reveal)")
        quantity = Quantity(loaded.digits[0], Fraction(1), None)
        with progress_bar(), account(device):
            integers = np.asarray(cy.decrypt_digits(loaded, secret))
    else:
        quantity = notes.quantity_of(encrypted, loaded)
        with progress_bar(), account(device):
            integers = np.asarray(opened(quantity.values, secret, **options))
    put_numbers(integers, quantity, output, common.json, approximate)


def put_numbers(
    integers: np.ndarray[Any, Any], quantity: Quantity, output: Path | None, json: bool, approximate: int | None = None
) -> None:
    """What was decrypted, to a file or to the terminal, with remarks on what the numbers are."""
    integers = integers.astype(np.int64) if integers.dtype == bool else integers
    if output is not None:
        write_whole(output, _file(output.suffix.lower(), integers, quantity, approximate))
        words = _words(integers.shape, quantity.columns, quantity.axis)
        emit({"file": str(output), **_facts(quantity)}, json, f"{visible(str(output))}: {words}")
    elif json:
        emit({**_facts(quantity), "name": quantity.name, "integers": integers.tolist()}, True)
    else:
        put(_file(".csv", integers, quantity, approximate).decode())
    if approximate is not None:
        note(f"numbers are rounded to {text.plural(approximate, 'decimal')}")
    elif quantity.values.wrap:
        note(f"numbers are modulo {shown(quantity.values.parameters.plain_product)}")
    elif quantity.scale != 1:
        note(f"numbers are integers / {shown(quantity.scale)}")


def _decrypt_frame(
    frame: cy.EncryptedFrame | cy.EncryptedStatistics,
    secret: cy.SecretKey,
    output: Path | None,
    digits: int | None,
    json: bool,
    device: str,
) -> None:
    with progress_bar(), account(device):
        columns = frames.decrypted(frame, secret)
    rows = max(map(len, columns.values()))
    if output is not None:
        write_whole(output, frames.written(output.suffix.lower(), columns, digits))
        words = f"{text.plural(rows, 'row')} of {', '.join(map(visible, columns))}"
        emit(
            {"file": str(output), "rows": rows, "columns": list(columns)},
            json,
            f"{visible(str(output))}: {words}",
        )
    elif json:
        emit({"rows": rows, "columns": columns}, True)
    else:
        put(frames.written(".csv", columns, digits).decode())


def _facts(quantity: Quantity) -> dict[str, Any]:
    """What a decrypted result is, for machines."""
    facts = {"shape": list(quantity.shape), "columns": quantity.columns, "scale": str(quantity.scale)}
    return {**facts, "axis": quantity.axis} if quantity.axis else facts


def _file(suffix: str, integers: np.ndarray[Any, Any], quantity: Quantity, digits: int | None) -> bytes:
    columns, name, axis = quantity.columns, quantity.name, quantity.axis
    if suffix == ".csv":
        return tables.csv_text(integers, quantity.scale, columns, name, axis=axis, digits=digits).encode()
    array = tables.array_of(integers, quantity.scale, digits)
    return tables.npy_bytes(array) if suffix == ".npy" else tables.parquet_bytes(array, columns, name, axis=axis)
