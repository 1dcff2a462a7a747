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
from cyclotome.extras import SERVE
from cyclotome.pir.shape import USUAL_ROWS
from cyclotome.sessions import ServedDatabase

__all__ = ["CacheOption", "DeviceOption", "TimeoutOption", "TokenOption", "UrlArgument", "app", "read"]

app = typer.Typer(
    name="pir",
    help="Private look-ups: read a record of somebody's database who does not learn which.",
    epilog="The server: build once, then answer, or `cyclotome serve`. The client: query with the database's "
    "description, send the query, open the answer; or ask a service. What each learns says doc/private-search.md.",
    no_args_is_help=True,
)

DescriptionArgument = Annotated[Path, typer.Argument(help="The database's description, from its server.")]
DatabaseArgument = Annotated[Path, typer.Argument(help="The database, as `cyclotome pir build` writes it.")]
DeviceOption = Annotated[str, typer.Option("--device", help='Where to compute: "cpu", "cpu:2" (threads).')]
UrlArgument = Annotated[str, typer.Argument(help="Where the service is, for example http://127.0.0.1:8000.")]
TokenOption = Annotated[
    str | None, typer.Option(envvar="CYCLOTOME_TOKEN", help="Says who asks, where the service wants to know.")
]
CacheOption = Annotated[
    Path | None, typer.Option(help="A file that keeps the description between runs; it is fetched when it changed.")
]
TimeoutOption = Annotated[float, typer.Option(min=0.1, help="Seconds.")]


def read(path: Path) -> bytes:
    """A file's bytes. Raises FileError: it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}") from None


def _lines(path: Path) -> list[bytes]:
    lines = read(path).split(b"\n")
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
    content = read(path)
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
    asked = cy.pir.Client(read(description)).query(_wanted(index, key))
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
    given = cy.pir.Database.open(database, device=device).answer(read(query))
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
    _show(cy.pir.Client(read(description)).load(secret).open(read(answer)), output, json, force=force)


@app.command()
@command
def ask(
    url: UrlArgument,
    name: Annotated[str, typer.Argument(help="The database's name there.")],
    index: Annotated[int | None, typer.Option(help="Which record, from 0.")] = None,
    key: Annotated[str | None, typer.Option(help="Which record, in a database by key.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the record; printed otherwise.")
    ] = None,
    token: TokenOption = None,
    cache: CacheOption = None,
    timeout: TimeoutOption = 120.0,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Read a record of a database that a service has. Ends with 1 where it has no such key."""
    del debug
    SERVE.require()
    if output is not None:
        vacant(output, force)
    there = ServedDatabase(url, name, cache=cache, token=token, timeout=timeout)
    try:
        _show(cy.pir.Reader(there).get(_wanted(index, key)), output, json, force=force)
    finally:
        there.close()


def _wanted(index: int | None, key: str | None) -> int | str:
    wanted: int | str | None = index if key is None else key
    if wanted is None or (index is not None and key is not None):
        raise UsageError("ask for one record: by --index, or by --key")
    return wanted


def _show(record: bytes | None, output: Path | None, json: bool, *, force: bool) -> None:
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
