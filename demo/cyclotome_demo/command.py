# SPDX-License-Identifier: Apache-2.0
"""``cyclotome demo``: the main job on real data, and its result."""

from __future__ import annotations

import contextlib
import importlib.util
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from cyclotome.cli.console import DebugFlag, DeviceOption, JsonFlag, emit, note
from cyclotome.cli.failures import OTHER, UsageError, command
from rich.console import Console

from cyclotome_demo.party import EVERY_TASK, TASKS
from cyclotome_demo.report import Live, show
from cyclotome_demo.runner import Runner

app = typer.Typer(add_completion=False)


@app.command("demo")
@command
def demo(
    quick: Annotated[bool, typer.Option("--quick", help="A small part of the data: seconds.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Retrieval (PIR) and set intersection (PSI) too, after the main job.")
    ] = False,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Keep every party's files in this (new or empty) folder.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--task", help=f"Only this: {', '.join(task.key for task in EVERY_TASK)}.")
    ] = None,
    device: DeviceOption = "cpu",
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Private lookup, statistics and scoring: a client, a server without a secret key, and files between them."""
    if importlib.util.find_spec("sklearn") is None:
        raise UsageError("the demo's data come with scikit-learn, which is not installed: pip install scikit-learn")
    unknown = sorted(set(only or ()) - {task.key for task in EVERY_TASK})
    if unknown:
        raise UsageError(f"--task {unknown[0]}: there are {', '.join(task.key for task in EVERY_TASK)}")
    tasks = [task for task in EVERY_TASK if task.key in only] if only else EVERY_TASK if full else TASKS
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise UsageError(f"--keep {keep}: the folder must be new or empty")
    with contextlib.ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cyclotome-demo-")))
        live = stack.enter_context(Live(Console(stderr=True)))
        outcome = Runner(folder, quick=quick, device=device, tasks=tasks, listener=live.hear).run()
    if json:
        emit(outcome.as_dict(), True)
    else:
        show(outcome, Console())
    if keep is not None:
        note(f"the parties' folders are in {keep}")
    if not outcome.passed:
        raise typer.Exit(OTHER)
