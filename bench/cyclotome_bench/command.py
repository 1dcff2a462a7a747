# SPDX-License-Identifier: Apache-2.0
"""``cyclotome bench``: how fast this library is on this machine, beside SEAL."""

from __future__ import annotations

import fnmatch
import json as json_text
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from cyclotome.cli.console import (
    DebugFlag,
    DeviceOption,
    ForceFlag,
    JsonFlag,
    cell,
    note,
    progress_bar,
    vacant,
    write_whole,
)
from cyclotome.cli.failures import INTERRUPTED, UsageError, command
from cyclotome.devices.contexts import device_name
from rich.console import Console
from rich.table import Table as RichTable

from cyclotome_bench.applications.ltv import measure_ltv
from cyclotome_bench.applications.ltv_plans import LtvPlan, make_ltv_plan
from cyclotome_bench.depth import DEPTH_SET, DepthPlan, make_depth_plan, measure_depth
from cyclotome_bench.fermat.fermat import measure_fermat
from cyclotome_bench.fermat.plans import FermatPlan, make_fermat_plan
from cyclotome_bench.functions import FunctionsPlan, make_functions_plan, measure_functions
from cyclotome_bench.instruction_sets import (
    INSTRUCTION_SETS_SET,
    InstructionSetsPlan,
    make_instruction_sets_plan,
    measure_instruction_sets,
)
from cyclotome_bench.jobs import JOBS_SET, JobsPlan, make_jobs_plan, measure_jobs
from cyclotome_bench.kinds import kinds_note
from cyclotome_bench.machine import machine
from cyclotome_bench.measure import measure
from cyclotome_bench.page import page
from cyclotome_bench.papers.device import measure_on_device
from cyclotome_bench.papers.device_plans import DevicePlan, make_device_plan
from cyclotome_bench.papers.paper004 import METHOD, measure_paper_004
from cyclotome_bench.papers.papers import PAPERS
from cyclotome_bench.papers.studies import measure_studies
from cyclotome_bench.peers.programs import read_report
from cyclotome_bench.peers.seal import seal_available, seal_name
from cyclotome_bench.plans import Plan, make_plan
from cyclotome_bench.products.matrix_products import MatrixPlan, make_matrix_plan, measure_matrices
from cyclotome_bench.products.plans import ProductPlan, make_product_plan
from cyclotome_bench.products.products import peers
from cyclotome_bench.reports.report import Record, Report
from cyclotome_bench.views import WHOLE, View, view_of

app = typer.Typer(add_completion=False)

#: Papers that take --quick.
_QUICK = (*PAPERS, *WHOLE)
#: Plans that are of a machine, not of a subject: their files have its name alone.
_OF_MACHINES = ("quick", "standard", "full")


@app.command("bench")
@command
def bench(
    full: Annotated[bool, typer.Option("--full", help="Every size and set, n up to 2^17: minutes.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Tiny sets only: seconds.")] = False,
    paper: Annotated[
        str | None,
        typer.Option(help="What paper 000 to 004 measured, beside ours; takes --quick too."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help='Only this set: seal-8192, "public-*", "transforms", "functions", "matrix", "depth", '
            '"jobs", "instruction-sets", 6.5 of 004; repeatable.',
        ),
    ] = None,
    scheme: Annotated[list[str] | None, typer.Option(help="Only this scheme, bfv or bgv; repeatable.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of the second half; 1 leaves it out.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Time for each cell.")] = None,
    peer: Annotated[bool, typer.Option("--peer/--no-peer", help="Run SEAL (tenseal) beside, if installed.")] = True,
    peer_program: Annotated[
        list[Path] | None,
        typer.Option(help="Run this program of another library beside too (bench/peers builds them); repeatable."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A .json file, or a folder for <machine>.json.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the file of an interrupted run.")] = False,
    show: Annotated[Path | None, typer.Option(help="Measure nothing: show this file of an earlier run.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with plots.")] = None,
    device: DeviceOption = "cpu",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Measure this library on this machine, in alternation with SEAL, and check every result.

    Without --full, --quick or --paper: the usual operations for n = 4096 and 8192, about a minute. Ctrl-C ends with
    code 130 and keeps what was measured. With --device cuda: on a GPU, without a peer, single ciphertexts and batches.
    """
    if paper is not None and paper not in (*PAPERS, *WHOLE):
        raise UsageError(f"--paper {paper}: there are {', '.join((*PAPERS, *WHOLE))}")
    if full + (quick and paper not in _QUICK) + (paper is not None and show is None) > 1:
        raise UsageError("--full, --quick and --paper choose what is measured; take one of them")
    if html is not None:
        vacant(html, force)
    if show is not None:
        report = read_report(show)
    else:
        if "/" in device:
            raise UsageError(
                f"--device {device}: devices are measured with their own transforms. --paper 000 and 001 time designs "
                "on a GPU, and cyclotome.study.transforms.Transform.microseconds anywhere"
            )
        name = "full" if full else f"paper-{paper}" if paper else "quick" if quick else "standard"
        name = f"{name}-quick" if quick and paper in PAPERS else name
        alone = _plan_of_set(only or [], quick, seconds, device) if paper is None else None
        made = alone or _paper_plan(paper, quick, device, seconds) or _plan(name, device, seconds, threads)
        plan = made.restricted(only or [], scheme or [])
        if peer_program and type(plan) is not Plan:
            raise UsageError("--peer-program: programs take part where sets of parameters are measured on cores")
        if not full and only and type(plan) is Plan:
            _say_left_out(name, only, plan)
        report = _measured(plan, peer, peer_program or (), _path(output, device, plan), resume, force)
    view = view_of(report, paper, bool(only or scheme))
    if html is not None:
        write_whole(html, page(report, view).encode())
    if json:
        print(json_text.dumps(report.as_dict()))
    else:
        _print(report, view)
    if not report.complete and show is None:
        raise typer.Exit(INTERRUPTED)


def _plan_of_set(only: list[str], quick: bool, seconds: float | None, device: str) -> Plan | None:
    """Of a set that is measured by itself."""
    # On cores one thread, unless a number is asked for.
    on = "cpu:1" if device_name(device) == "cpu" else device_name(device)
    if "functions" in only:
        return make_functions_plan(quick, seconds, on)
    if DEPTH_SET in only:
        return make_depth_plan(quick, seconds, on)
    if JOBS_SET in only:
        return make_jobs_plan(quick, seconds, on)
    if INSTRUCTION_SETS_SET in only:
        if not on.startswith("cpu"):
            raise UsageError(f"--device {device}: a processor's instruction sets are measured on its cores")
        return make_instruction_sets_plan(quick, seconds)
    return make_matrix_plan(quick, seconds, on) if "matrix" in only else None


def _paper_plan(paper: str | None, quick: bool, device: str, seconds: float | None) -> Plan | None:
    """Of a paper that has plans of its own."""
    if paper == "002":
        return make_ltv_plan(quick, seconds, device_name(device))
    if paper == "003":
        # One thread, as the paper has it, unless a number is asked for.
        return make_fermat_plan(quick, "cpu:1" if device_name(device) == "cpu" else device_name(device), seconds)
    return make_product_plan(quick, seconds) if paper == "004" else None


def _plan(name: str, device: str, seconds: float | None, threads: int | None) -> Plan:
    if device_name(device).startswith("cpu"):
        return make_plan(name, seconds, threads)
    return make_device_plan(name, device, seconds)


def _say_left_out(name: str, only: Sequence[str], plan: Plan) -> None:
    """Names sets that a pattern means too, where only --full measures them."""
    if name not in ("standard", "quick"):
        return
    full = make_plan("full").problems
    meant = dict.fromkeys(p.name for p in full if any(fnmatch.fnmatchcase(p.name, pattern) for pattern in only))
    if left := [each for each in meant if each not in {p.name for p in plan.problems}]:
        note(f"left out, as only --full measures them: {', '.join(left)}")


def _path(output: Path | None, device: str, plan: Plan) -> Path | None:
    """The file; in a folder one for the machine, and for papers and sets measured by themselves one with their name."""
    if output is None or output.suffix == ".json":
        return output
    output.mkdir(parents=True, exist_ok=True)
    name, what = machine.device_machine_name(device_name(device)), plan.name.split()[0]
    return output / (f"{name}.json" if what in _OF_MACHINES else f"{what}-{name}.json")


def _measured(plan: Plan, peer: bool, programs: Sequence[Path], path: Path | None, resume: bool, force: bool) -> Report:
    """Measures; keeps what there is in the file after every cell, so that an interruption loses nothing."""
    if isinstance(plan, ProductPlan):
        wanted, facts = peer, {**machine.facts(None), "peer": peers() if peer else None, "method": METHOD}
    elif isinstance(plan, (FermatPlan, FunctionsPlan, JobsPlan, MatrixPlan)) and not plan.device.startswith("cpu"):
        wanted, facts = False, machine.device_facts(plan.device)
    elif isinstance(plan, (FermatPlan, LtvPlan, DepthPlan)):
        on_cores = plan.device.startswith("cpu")
        wanted, facts = False, machine.facts(None) if on_cores else machine.device_facts(plan.device)
    elif isinstance(plan, DevicePlan):
        wanted, facts = False, machine.device_facts(plan.device)
    else:
        wanted = peer and seal_available()
        if peer and not wanted:
            note("tenseal is not installed, so there is nothing to compare with: pip install tenseal")
        facts = machine.facts(seal_name() if wanted else None)
    report = Report(plan.name, facts)
    if resume:
        if path is None:
            raise UsageError("--resume continues a file; name it with --output")
        if path.exists():
            report = Report.load(path)
            report.require_same_build(facts)
            report.plan, report.complete = plan.name, False
    elif path is not None:
        vacant(path, force)
    known = report.keys()
    started, last = time.monotonic(), ""
    if not sys.stderr.isatty():  # where no bar is drawn
        note(f"measuring {plan.name}")
    try:
        with progress_bar():
            for record in _records(plan, wanted, known, programs):
                report.records.append(record)
                if not sys.stderr.isatty() and (now := _step_of(record)) != last:
                    note(f"{time.monotonic() - started:6.1f} s  {now}")
                    last = now
                if path is not None:
                    report.save(path)
        report.complete = True
    except KeyboardInterrupt:
        advice = f"; --resume --output {path} continues it" if path is not None else ""
        note(f"interrupted after {len(report.records)} records{advice}")
    if path is not None:
        report.save(path)
        note(f"{len(report.records)} records are in {path}")
    return report


def _step_of(record: Record) -> str:
    """What a run is at."""
    return str(record["set"]) if record["scheme"] else f"{record['set']}, {record['operation']}"


def _records(plan: Plan, peer: bool, known: set[tuple[Any, ...]], programs: Sequence[Path]) -> Iterator[Record]:
    if isinstance(plan, FunctionsPlan):
        return measure_functions(plan, peer, known)
    if isinstance(plan, MatrixPlan):
        return measure_matrices(plan, peer, known)
    if isinstance(plan, DepthPlan):
        return measure_depth(plan, known)
    if isinstance(plan, JobsPlan):
        return measure_jobs(plan, peer, known)
    if isinstance(plan, InstructionSetsPlan):
        return measure_instruction_sets(plan, peer, known)
    if isinstance(plan, ProductPlan):
        return measure_paper_004(plan, peer, known, note)
    if isinstance(plan, FermatPlan):
        return measure_fermat(plan, known)
    if isinstance(plan, LtvPlan):
        return measure_ltv(plan, known)
    if isinstance(plan, DevicePlan):
        return measure_on_device(plan, known)
    return chain(measure(plan, peer, known, programs), measure_studies(plan, "cpu:1", known))


def _print(report: Report, view: View) -> None:
    facts, console = report.facts, Console()
    if not console.is_terminal:  # a file or a pipe is as wide as it needs to be
        console = Console(width=260)
    computer = facts["gpu"]["name"] if "gpu" in facts else facts.get("cpu", facts["machine"])
    about = machine.load_said(facts["load"]) if facts.get("load") else facts.get("method", "its load was not kept")
    if "commit" in facts:
        about = f"{facts['date']}, commit {facts['commit'] or 'not recorded'}; {about}"
    console.print(cell(f"{computer}; {about}"), style="dim", highlight=False)
    if kinds := kinds_note(r for r in report.records if "kind" in r):
        console.print(cell(kinds), style="dim", highlight=False)
    for table in view.tables:
        grid = RichTable(title=table.title, caption=table.note or None, title_justify="left", caption_justify="left")
        for i, column in enumerate(table.columns):
            grid.add_column(column, justify="left" if i < table.left else "right")
        for row in table.rows:
            grid.add_row(*map(cell, row))
        console.print(grid)
