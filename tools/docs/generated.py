# SPDX-License-Identifier: Apache-2.0
"""Pages that are made when the site is built: commands, records of measurements, notebooks, sources that pages show."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from repository import ROOT, record_page
from standin import import_sources

__all__ = ["commands", "more_names", "notebook", "records", "source"]

_PLOTLY = "plotly.min.js"
_LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".cu": "cpp", ".cuh": "cpp", ".py": "python", ".json": "json"}


def commands() -> str:
    """Every command and option, as typer documents them."""
    import_sources()
    import typer.main
    from cyclotome.cli.app import app
    from typer.cli import get_docs_for_click

    command: Any = typer.main.get_command(app)
    context: Any = command.make_context("cyclotome", ["--help"], resilient_parsing=True)
    return get_docs_for_click(obj=command, ctx=context, name="cyclotome", title="Commands")


def more_names() -> str | None:
    """A page for public names of the package that no page of doc/api has, so that none is missing; None if none is."""
    tree = ast.parse((ROOT / "python/cyclotome/__init__.py").read_text(encoding="utf-8"))
    (names,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    )
    pages = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("doc/api/*.md"))
    known = set(re.findall(r"^::: cyclotome\.(\w+)$", pages, re.MULTILINE))
    missing = [name for name in names if name not in known and name != "__version__"]
    return "# More\n\n" + "".join(f"::: cyclotome.{name}\n\n" for name in missing) if missing else None


def records() -> dict[str, str]:
    """A page for each record of bench/results, the script that draws all of them, and a list: path → text."""
    import_sources()
    from cyclotome_bench.page import site_page
    from cyclotome_bench.peers.programs import read_report
    from cyclotome_bench.reports import charts

    made = {f"records/{_PLOTLY}": charts.library()}
    rows = []
    for path in sorted(ROOT.glob("bench/results/*")):
        report = read_report(path)
        name = str(record_page(path.relative_to(ROOT).as_posix()))
        made[name] = site_page(report, _PLOTLY)
        facts: dict[str, Any] = report.facts
        machine = facts["gpu"]["name"] if "gpu" in facts else facts["machine"]
        rows.append(f"| [{path.name}]({Path(name).name}) | {report.plan} | {machine} | {facts.get('date', '–')} |")
    made["records/index.md"] = _RECORDS + "\n".join(rows) + "\n"
    return made


_RECORDS = """# Records

Runs of the benchmark that are committed in bench/results. Each has a page with plots and tables, the machine, the
compiler, the date and the method. [Benchmarks](../benchmarks.md) says how they are taken.

| record | what | machine | date |
|---|---|---|---|
"""


def notebook(path: Path) -> str:
    """A notebook as a page: its text, code and what that printed."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", []):
            shown = output.get("text") or output.get("data", {}).get("text/plain", [])
            parts.append("```text\n" + "".join(shown).rstrip() + "\n```")
    where = f'[Download this notebook]({path.name}){{ .md-button download="{path.name}" }}'
    return "\n\n".join([parts[0], where, *parts[1:]]) + "\n"


def source(path: str) -> str:
    """A page with a file's text, or with that of each file of a folder."""
    target = ROOT / path
    files = sorted(each for each in target.rglob("*") if each.is_file()) if target.is_dir() else [target]
    blocks = [
        f"## {each.relative_to(ROOT).as_posix()}\n\n````{_LANGUAGES.get(each.suffix, 'text')}\n"
        f"{each.read_text(encoding='utf-8').rstrip()}\n````"
        for each in files
        if "__pycache__" not in each.parts
    ]
    return f"# {path}\n\n" + "\n\n".join(blocks) + "\n"
