# SPDX-License-Identifier: Apache-2.0
"""``cyclotome pir``: private look-ups in files: a database is built, asked, and answers, and answers are opened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import cyclotome as cy
from cyclotome.cli.console import DebugFlag, ForceFlag, JsonFlag, emit, note, vacant, write_whole
from cyclotome.cli.failures import OTHER, UsageError, command
from cyclotome.errors import ArgumentError, FileError, FormatError
from cyclotome.pir.shape import USUAL_ROWS

__all__ = ["app"]

app = typer.Typer(
    name="pir",
    help="Private look-ups: read a record of somebody's database who does not learn which.",
    epilog="The server: build once, then answer. The client: query with the database's description, send the query, "
    "open the answer. What each learns says doc/private-search.md.",
    no_args_is_help=True,
)

DescriptionArgument = Annotated[Path, typer.Argument(help="The database's description, from its server.")]
DatabaseArgument = Annotated[Path, typer.Argument(help="The database, as `cyclotome pir build` writes it.")]
DeviceOption = Annotated[str, typer.Option("--device", help='Where to compute: "cpu", "cpu:2" (threads).')]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}") from None


def _lines(path: Path) -> list[bytes]:
    lines = _read(path).split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def _keyed(path: Path, separator: bytes) -> dict[bytes | str, bytes]:
    entries: dict[bytes | str, bytes] = {}
    for number, line in enumerate(_lines(path), 1):
        key, found, record = line.partition(separator)
        if not found:
            raise FormatError(f"{path}, line {number}: no separator between key and record")
        if key in entries:
            raise ArgumentError(f"{path}, line {number}: the key {key!r:.60} was there before")
        entries[key] = record
    return entries


def _pieces(path: Path, size: int) -> list[bytes]:
    content = _read(path)
    if len(content) % size:
        raise FormatError(f"{path} has {len(content)} bytes, which are no whole records of {size}")
    return [content[i : i + size] for i in range(0, len(content), size)]


@app.command()
@command
def build(
    records: Annotated[Path, typer.Argument(help="A record a line.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The database's file.")],
    description: Annotated[Path, typer.Option("--description", help="Where to write what clients need.")],
    separator: Annotated[
        str | None, typer.Option(help="Lines are keys and records with this between them: look-ups are by key.")
    ] = None,
    record_bytes: Annotated[int | None, typer.Option(min=1, help="Records are so many bytes each, not lines.")] = None,
    rows: Annotated[
        int, typer.Option(help="At most so many, a multiple of 2048: more make longer queries.")
    ] = USUAL_ROWS,
    device: DeviceOption = "cpu",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Make a database for private look-ups, by line number from 0 or by key, and its description for clients."""
    del debug
    if separator is not None and (record_bytes is not None or not separator):
        raise UsageError("--separator parts lines, so it is not empty, and --record-bytes is not for lines")
    vacant(output, force), vacant(description, force)
    if separator is not None:
        made = cy.pir.Database.build(_keyed(records, separator.encode()), output, rows=rows, device=device)
    else:
        listed = _lines(records) if record_bytes is None else _pieces(records, record_bytes)
        made = cy.pir.Database.build(listed, output, rows=rows, device=device)
    write_whole(description, made.description, overwrite=force)
    facts = {"records": len(made), "outputs": made.outputs, "query_bytes": made.query_bytes, "version": made.version}
    emit({**facts, "file": str(output)}, json)
    note(f"written to {output}; clients get {description}")


@app.command()
@command
def query(
    description: DescriptionArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The query, for the server.")],
    secret: Annotated[Path, typer.Option(help="The file that opens the answer; nobody else may read it.")],
    index: Annotated[int | None, typer.Option(help="Which record, from 0.")] = None,
    key: Annotated[str | None, typer.Option(help="Which record, in a database by key.")] = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Ask for a record: a query for the server, and a secret that its answer is opened with."""
    del debug
    vacant(output, force), vacant(secret, force)
    wanted: int | str | None = index if key is None else key
    if wanted is None or (index is not None and key is not None):
        raise UsageError("ask for one record: by --index, or by --key")
    asked = cy.pir.Client(_read(description)).query(wanted)
    asked.save(secret, overwrite=force)
    write_whole(output, asked.data, overwrite=force)
    emit({"query": str(output), "bytes": len(asked.data), "secret": str(secret)}, json)


@app.command()
@command
def answer(
    database: DatabaseArgument,
    query: Annotated[Path, typer.Argument(help="What a client sent.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The answer, for that client.")],
    device: DeviceOption = "cpu",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Answer a query."""
    del debug
    vacant(output, force)
    given = cy.pir.Database.open(database, device=device).answer(_read(query))
    write_whole(output, given, overwrite=force)
    emit({"answer": str(output), "bytes": len(given)}, json)


@app.command("open")
@command
def open_answer(
    description: DescriptionArgument,
    secret: Annotated[Path, typer.Argument(help="What `cyclotome pir query` kept.")],
    answer: Annotated[Path, typer.Argument(help="What the server sent.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the record; printed otherwise.")
    ] = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Read a record from an answer. Ends with 1 where the database has no such key."""
    del debug
    if output is not None:
        vacant(output, force)
    record = cy.pir.Client(_read(description)).load(secret).open(_read(answer))
    if record is None:
        emit({"found": False}, json, "" if json else "no such key")
        raise typer.Exit(OTHER)
    if output is not None:
        write_whole(output, record, secret=True, overwrite=force)
        emit({"found": True, "file": str(output)}, json)
    elif json:
        emit({"found": True, "hexadecimal": record.hex()}, json)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(record + b"\n")


@app.command()
@command
def check(
    database: DatabaseArgument,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Read all of a database, and say whether it is as it was written."""
    del debug
    made = cy.pir.Database.open(database)
    damaged = made.damaged_outputs()
    emit({"records": len(made), "version": made.version, "damaged_outputs": damaged}, json)
    if damaged:
        raise typer.Exit(OTHER)
