# SPDX-License-Identifier: Apache-2.0
"""``cyclotome search``: private search in embeddings: an index is built, asked, and answers, and answers are opened."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

import cyclotome as cy
from cyclotome.cli.console import DebugFlag, ForceFlag, JsonFlag, emit, note, vacant, write_whole
from cyclotome.cli.failures import UsageError, command
from cyclotome.cli.pir import CacheOption, DeviceOption, TimeoutOption, TokenOption, UrlArgument, read
from cyclotome.errors import FormatError
from cyclotome.extras import SERVE
from cyclotome.sessions import ServedDatabase

__all__ = ["app"]

app = typer.Typer(
    name="search",
    help="Private search: find the nearest of somebody's vectors who does not learn what was looked for.",
    epilog="The server: build once, then answer, or `cyclotome serve`. The client: query with the index's description, "
    "send the query, open the answer; or ask a service. What each learns says doc/private-search.md.",
    no_args_is_help=True,
)

DescriptionArgument = Annotated[Path, typer.Argument(help="The index's description, from its server.")]
VectorsArgument = Annotated[
    Path, typer.Argument(help="Vectors, one a row: a NumPy file (.npy), or text with commas between numbers.")
]
CountOption = Annotated[int, typer.Option("--count", "-k", min=1, help="How many of the nearest.")]
ProbesOption = Annotated[int, typer.Option(min=1, help="Clusters to look into for each vector.")]


def _vectors(path: Path) -> npt.NDArray[np.floating]:
    if path.suffix == ".npy":
        read(path)  # with the errors of files
        try:
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        except (ValueError, OSError, EOFError) as error:
            raise FormatError(f"{path} is no array of NumPy's: {error}") from None
    try:
        return np.loadtxt(read(path).decode("ascii").splitlines(), delimiter=",", ndmin=2, comments=None)
    except ValueError as error:  # no numbers, no ASCII, or rows of other lengths
        raise FormatError(f"{path} has no vectors, one a line with commas between numbers: {error}") from None


@app.command()
@command
def build(
    vectors: VectorsArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The index's file.")],
    description: Annotated[Path, typer.Option("--description", help="Where to write what clients need.")],
    metric: Annotated[str, typer.Option(help='"cosine" or "inner product".')] = "cosine",
    clusters: Annotated[str, typer.Option(help='How many; 1 compares with all vectors; "auto".')] = "1",
    device: DeviceOption = "cpu",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Make an index of vectors for private search, and its description for clients."""
    del debug
    if clusters != "auto" and not (clusters.isascii() and clusters.isdigit() and len(clusters) < 12):
        raise UsageError(f'--clusters {clusters!r}: a whole number, or "auto"')
    vacant(output, force), vacant(description, force)
    count = clusters if clusters == "auto" else int(clusters)
    made = cy.search.Index.build(_vectors(vectors), output, metric=metric, clusters=count, device=device)
    write_whole(description, made.description, overwrite=force)
    facts = {"vectors": len(made), "dimensions": made.dimensions, "clusters": made.clusters}
    emit({**facts, "query_bytes": made.query_bytes, "version": made.version, "file": str(output)}, json)
    note(f"written to {output}; clients get {description}")


@app.command()
@command
def query(
    description: DescriptionArgument,
    vectors: VectorsArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The query, for the server.")],
    secret: Annotated[Path, typer.Option(help="The file that opens the answer; nobody else may read it.")],
    probes: ProbesOption = 1,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Ask for the nearest of some vectors: a query for the server, and a secret that its answer is opened with."""
    del debug
    vacant(output, force), vacant(secret, force)
    asked = cy.search.Client(read(description)).query(_vectors(vectors), probes=probes)
    asked.save(secret, overwrite=force)
    write_whole(output, asked.data, overwrite=force)
    emit({"query": str(output), "bytes": len(asked.data), "vectors": len(asked), "secret": str(secret)}, json)


@app.command()
@command
def answer(
    index: Annotated[Path, typer.Argument(help="The index, as `cyclotome search build` writes it.")],
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
    given = cy.search.Index.open(index, device=device).answer(read(query))
    write_whole(output, given, overwrite=force)
    emit({"answer": str(output), "bytes": len(given)}, json)


@app.command("open")
@command
def open_answer(
    description: DescriptionArgument,
    secret: Annotated[Path, typer.Argument(help="What `cyclotome search query` kept.")],
    answer: Annotated[Path, typer.Argument(help="What the server sent.")],
    count: CountOption = 10,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Read the nearest vectors' numbers and scores from an answer."""
    del debug
    _show(cy.search.Client(read(description)).load(secret).open(read(answer), k=count), json)


@app.command()
@command
def ask(
    url: UrlArgument,
    name: Annotated[str, typer.Argument(help="The index's name there.")],
    vectors: VectorsArgument,
    count: CountOption = 10,
    probes: ProbesOption = 1,
    token: TokenOption = None,
    cache: CacheOption = None,
    timeout: TimeoutOption = 120.0,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Find the nearest vectors in an index that a service has."""
    del debug
    SERVE.require()
    there = ServedDatabase(url, name, cache=cache, token=token, timeout=timeout)
    try:
        _show(cy.search.Searcher(there).search(_vectors(vectors), k=count, probes=probes), json)
    finally:
        there.close()


def _show(found: cy.search.Results, json: bool) -> None:
    """Of each vector a line for each that is near: its number, that one's, the score."""
    near = [
        {"vector": i, "index": int(index), "score": float(score)}
        for i, (indices, scores) in enumerate(zip(found.indices, found.scores, strict=True))
        for index, score in zip(indices, scores, strict=True)
        if index >= 0
    ]
    lines = "\n".join(f"{each['vector']} {each['index']} {each['score']:.6g}" for each in near)
    emit({"nearest": near, "errors": found.errors.tolist()}, json, lines)
