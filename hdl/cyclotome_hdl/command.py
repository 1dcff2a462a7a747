# SPDX-License-Identifier: Apache-2.0
"""``cyclotome fpga``: what the circuits cost, their Verilog, and drawings of them."""

from __future__ import annotations

import json as json_text
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from cyclotome.cli.console import DebugFlag, ForceFlag, JsonFlag, emit, note, vacant, write_whole
from cyclotome.cli.failures import UsageError, command
from cyclotome.errors import FileError
from rich.console import Console
from rich.table import Table as RichTable

from .context_command import app as context_app
from .costs.report import TABLES, Record, Reporter, ReportTable
from .costs.timing import clock
from .designs.design import DESIGN_REDUCTIONS, Design, build
from .kernels.butterfly import Butterfly
from .kernels.reduction import MontgomeryMultiplier, constant_multiplier
from .verilog.drawing import draw_blocks, draw_kernel
from .verilog.emit import to_verilog

app = typer.Typer(
    name="fpga",
    help="Circuits for polynomial products: their cost, Verilog, drawings and primes.",
    no_args_is_help=True,
    add_completion=False,
)

app.add_typer(context_app)

DesignOption = Annotated[str, typer.Option("--design", help="pease, cooley-tukey, iterative or streaming.")]
DegreeOption = Annotated[int, typer.Option("--degree", help="N, a power of two.")]
PipesOption = Annotated[int, typer.Option("--pipes", help="1, 2 or 4.")]
ReductionOption = Annotated[
    str, typer.Option("--reduction", help=f"How its multipliers reduce: {', '.join(DESIGN_REDUCTIONS)}.")
]
ModulusOption = Annotated[
    str | None, typer.Option("--modulus", help="Make the circuit for this prime only; most reductions need that.")
]
BitsOption = Annotated[int, typer.Option("--bits", help="The primes lie below 2^BITS, 63 at most.")]


@app.command("report")
@command
def report(
    table: Annotated[
        list[str] | None, typer.Option(help="Only this table of paper 004: 6.1 to 6.4, 6.6 or 6.10; repeatable.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="A file of earlier syntheses; what is missing there is added to it.")
    ] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Simulate designs and count their ticks, in place of formulas: minutes.")
    ] = False,
    timing: Annotated[
        bool, typer.Option("--timing", help="Also place and route a butterfly for an ECP5: a minute or more.")
    ] = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Estimate what the circuits cost, beside paper 004's tables.

    Synthesis takes seconds to a minute for each block; --record keeps the results. Needs the extra "fpga", and
    "fpga-timing" for --timing.
    """

    for number in table or ():
        if number not in TABLES:
            raise UsageError(f"--table {number}: there are {', '.join(TABLES)}")
    known = Record.load(record) if record is not None and record.exists() else Record()

    def progress(line: str) -> None:
        _keep(known, record)
        note(line)

    reporter = Reporter(known, progress, counted=count)
    tables = [reporter.table(number) for number in table or TABLES]
    if timing:
        note("placing and routing")
        found = clock(Butterfly(MontgomeryMultiplier(63, 16), 63)).as_dict()
        known.clocks = [each for each in known.clocks if each["circuit"] != found["circuit"]] + [found]
    _keep(known, record)
    if json:
        print(json_text.dumps({"tables": [asdict(each) for each in tables], "clocks": known.clocks}))
        return
    console = _console()
    for each in tables:
        console.print(_grid(each))
    for each_clock in known.clocks:
        console.print(
            "{circuit}: {megahertz} MHz on an {part} by {tool}, {multipliers} multipliers of 18×18, {luts} LUTs, "
            "{registers} registers (a stand-in: not the clock of an Intel part)".format(**each_clock),
            highlight=False,
        )


@app.command("verilog")
@command
def verilog(
    design: DesignOption = "iterative",
    degree: DegreeOption = 16384,
    pipes: PipesOption = 1,
    bits: BitsOption = 63,
    reduction: ReductionOption = "montgomery",
    modulus: ModulusOption = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to; it is made.")] = Path("."),
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Write the Verilog of a circuit: one module for each distinct block, for any vendor's tools.

    Needs the extra "fpga".
    """

    circuit = build(Design(design, degree, pipes, bits, reduction, None if modulus is None else _integer(modulus)))
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder {output} cannot be made: {error.strerror}") from error
    path = vacant(output / f"{circuit.name}.v", force)
    text = to_verilog(circuit)
    write_whole(path, text.encode())
    modules = text.count("\nendmodule")
    emit({"file": str(path), "top": circuit.name, "modules": modules, "lines": text.count("\n")}, json)


@app.command("draw")
@command
def draw(
    output: Annotated[Path, typer.Option("--output", "-o", help="The .svg file to write.")],
    reduction: Annotated[
        str | None, typer.Option(help="Draw a product reduced by a constant, such as fold, instead of a whole design.")
    ] = None,
    modulus: Annotated[str, typer.Option(help="The constant of --reduction.")] = "0x40000000039f0001",
    butterfly: Annotated[bool, typer.Option("--butterfly", help="Draw the butterfly instead of a design.")] = False,
    design: DesignOption = "iterative",
    degree: DegreeOption = 1024,
    pipes: PipesOption = 1,
    bits: BitsOption = 63,
    force: ForceFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Draw a circuit's dataflow as SVG, from the description that makes the circuit.

    Of a whole design the blocks and what flows between them; of a reduction or a butterfly every operation at its tick.
    Needs the extra "fpga".
    """

    if butterfly and reduction is not None:
        raise UsageError("--butterfly and --reduction choose what is drawn; take one of them")
    vacant(output, force)
    if butterfly:
        text = draw_kernel(Butterfly(MontgomeryMultiplier(bits, 16), bits))
    elif reduction is not None:
        text = draw_kernel(constant_multiplier(reduction, _integer(modulus)))
    else:
        text = draw_blocks(build(Design(design, degree, pipes, bits)))
    write_whole(output, text.encode())


def _integer(modulus: str) -> int:
    try:
        return int(modulus, 0)
    except ValueError:
        raise UsageError(f"--modulus {modulus}: give an integer, such as 0x40008901") from None


def _keep(known: Record, path: Path | None) -> None:
    if path is not None:
        write_whole(path, known.text().encode())


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=140)  # a file or a pipe is as wide as it needs to be


def _grid(table: ReportTable) -> RichTable:
    title = f"Table {table.number}: {table.title}"
    grid = RichTable(title=title, caption=table.note, title_justify="left", caption_justify="left")
    grid.add_column("circuit")
    for column in ("LUT", "FF", "M20K", "DSP blocks", "ticks", "interval"):
        grid.add_column(column, justify="right")
    for row in table.rows:
        cells = [f"{value:,}" for value in (row.luts, row.registers, row.m20k)]
        interval = "" if row.interval is None else f"{row.interval:,}"
        cells += [f"{row.dsp:,.1f}", f"{row.ticks:,}", interval]
        grid.add_row(row.what, *cells, style="dim" if row.printed else "")
    return grid
