# SPDX-License-Identifier: Apache-2.0
"""What a person sees of the demo: progress while it runs, and the result. Needs rich."""

from __future__ import annotations

from typing import Any

from cyclotome import text
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from cyclotome_demo.party import EVERY_TASK
from cyclotome_demo.runner import Job, Outcome
from cyclotome_demo.task import Task

COLOURS = {"client": "cyan", "server": "magenta", "referee": "green"}


class Live:
    """One progress line for each process and task, in the colour of the party that works."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(finished_text="[green]✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            TextColumn("{task.fields[what]}", style="dim"),
            console=console,
            disable=not console.is_terminal,
        )
        self._console = console
        self._titles = {task.key: task.title for task in EVERY_TASK}
        self._lines: dict[str, TaskID] = {}
        self._seconds: dict[str, float] = {}

    def __enter__(self) -> Live:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def hear(self, event: dict[str, Any]) -> None:
        """Draws one event."""
        kind, party = event["event"], event["party"]
        colour = COLOURS[party]
        if kind == "process":
            self._lines, self._seconds = {}, {}
            pid = f"[dim](process {event['pid']})[/]"
            self._console.print(f"[bold {colour}]{party}[/] starts: {event['action']} {pid}", highlight=False)
            return
        if kind == "judge":
            self._console.print(f"[{colour}]{party}[/] {self._titles[event['task']]}: {event['what']}")
            return
        key = event["task"]
        if key not in self._lines:
            title = f"[{colour}]{party}[/] {self._titles[key]}"
            self._lines[key] = self._progress.add_task(title, total=None, what="")
            self._seconds[key] = 0.0
        if kind == "begin":
            self._progress.update(self._lines[key], total=None, completed=0, what=event["what"])
        elif kind == "progress":
            what = f"{event['what']} {event['done']}/{event['total']}"
            self._progress.update(self._lines[key], total=event["total"], completed=event["done"], what=what)
        else:
            self._seconds[key] += event["seconds"]
            what = f"{self._seconds[key]:.2f} s"
            self._progress.update(self._lines[key], total=1, completed=1, what=what)


def percent(share: float) -> str:
    """ "98.3 %"."""
    return f"{100 * share:.1f} %"


def show(outcome: Outcome, console: Console) -> None:
    """Prints the result."""
    by_key = {task.key: task for task in EVERY_TASK}
    for job in outcome.jobs:
        console.print(_panel(by_key[job.key], job))
    console.print(_summary(outcome))


def _panel(task: Task, job: Job) -> RenderableType:
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", justify="right", no_wrap=True)
    facts.add_column()
    facts.add_row("asked", f'"{task.asks}"')
    facts.add_row("client held", f"{task.client_holds}; the secret key")
    facts.add_row("server held", f"{task.server_holds}; no secret key")
    facts.add_row("parameters", str(job.fact("client", "make keys", "parameters")))
    facts.add_row("time", _times(job))
    facts.add_row("files sent", _sizes(task, job))
    headroom = job.fact("client", "decrypt", "noise_headroom_bits")
    facts.add_row("noise headroom", f"{headroom:.0f} bits left at decryption")
    verdict = job.verdict
    assert verdict is not None
    for label, value in _learned(job.key, verdict.findings):
        facts.add_row(label, value)
    if verdict.equal:
        equal = f"[bold green]yes[/]: all {verdict.compared:,} answers equal the plaintext integers"
    else:
        equal = f"[bold red]NO[/]: {verdict.differing:,} of {verdict.compared:,} answers differ"
    facts.add_row("bit for bit equal", equal)
    body: list[RenderableType] = [facts]
    if job.key == "statistics":
        body.append(_columns(verdict.findings["columns"]))
    return Panel(Group(*body), title=f"[bold]{task.title}", border_style="green" if verdict.equal else "red")


def _times(job: Job) -> str:
    parts = []
    for party, steps in (
        ("client", ("make keys", "load data", "encrypt")),
        ("server", ("prepare", "read", "compute on ciphertexts", "write")),
        ("client", ("decrypt",)),
    ):
        inner = ", ".join(f"{step} {job.seconds(party, step):.2f} s" for step in steps)
        parts.append(f"[{COLOURS[party]}]{party}[/] {inner}")
    return "\n".join(parts)


def _sizes(task: Task, job: Job) -> str:
    keys, questions, answers = (
        text.byte_size(job.fact(party, what, "bytes"))
        for party, what in (("client", "make keys"), ("client", "encrypt"), ("server", "write"))
    )
    if not task.products and not task.rotations and not task.expansion:
        keys = "not needed"
    return f"questions {questions}, answers {answers}, evaluation keys {keys}"


def _learned(key: str, findings: dict[str, Any]) -> list[tuple[str, str]]:
    if key == "neighbours":
        count = (
            f"{findings['comparisons']:,} encrypted comparisons for {findings['queries']} queries, answered by labels"
        )
        return [("computed", count), ("accuracy", f"[bold]{percent(findings['accuracy'])}[/] of the digits recognised")]
    if key == "statistics":
        count = f"{findings['covariances']} variances and covariances over {findings['records']} records"
        return [("computed", f"{count}; integers of up to {findings['widest_bits']} bits, exact")]
    if key == "retrieval":
        size = f"{findings['records']:,} of {findings['record_bytes']} bytes"
        return [("retrieved", f"{findings['queries']} records out of {size}, each by one ciphertext")]
    if key == "intersection":
        known = f"{findings['found']:,} of {findings['asked']:,} are among the server's {findings['held']:,}"
        return [("found", known), ("false positives", f"about {findings['false_positives']:.2g} expected at most")]
    same = f"{findings['same_decision']} of {findings['queries']} decisions as the float model's"
    accuracy = f"[bold]{percent(findings['accuracy'])}[/] (float model: {percent(findings['float_accuracy'])}); {same}"
    return [("accuracy", accuracy)]


def _columns(columns: list[dict[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("column")
    for heading in ("mean", "deviation", f"correlation with {columns[-1]['name']}"):
        table.add_column(heading, justify="right")
    for row in columns:
        table.add_row(row["name"], f"{row['mean']:.4f}", f"{row['deviation']:.4f}", f"{row['correlation']:+.4f}")
    return table


def _summary(outcome: Outcome) -> RenderableType:
    securities = [job.fact("client", "make keys", "security") for job in outcome.jobs]
    blind = "[green]no[/]" if outcome.server_blind else "[bold red]YES[/]"
    processes = ", ".join(f"{p.party} {p.action} {p.seconds:.1f} s" for p in outcome.processes)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column()
    grid.add_row("processes", f"{processes}; they shared files only")
    grid.add_row("secret key at the server", blind)
    grid.add_row("security", f"{min(securities)} bits or more (every parameter set), against whoever has no secret key")
    grid.add_row("total", f"{outcome.seconds:.1f} s")
    verdict = (
        Text("Every answer is right, bit for bit.", style="bold green")
        if outcome.passed
        else Text("Something is wrong: see above.", style="bold red")
    )
    return Panel(Group(grid, verdict), title="[bold]Result", border_style="green" if outcome.passed else "red")
