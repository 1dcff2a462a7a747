# SPDX-License-Identifier: Apache-2.0
"""Refuse figures in README and doc/ that no record has, or that speak of code which has changed since.

A figure is a number with a unit of time, of throughput, or a ratio ("12.3 ms", "590 requests a second", "4.4×", "1.5
times"), outside code; so are the numbers of a table whose heading, or the text before it, has the unit. A passage (what
stands between two empty lines) with figures needs one of these:

* a link to a file of ``bench/results``, or a mark ``<!-- figures: record FILE -->``: each figure with its unit must be
  one that the file has, to the digits shown, unless one of the next but ``noted`` says otherwise;
* ``<!-- figures: cell FILE FIELD key=value ... -->``: the passage must show this field of that record;
* ``<!-- figures: computed FILE -->``: made of what the file has, and not compared;
* ``<!-- figures: noted DATE COMMIT MACHINE -->``: what somebody measured then, kept as history. Date and commit must
  also be read by readers, somewhere in the section;
* ``<!-- figures: stated SOURCE -->``: another's figure, which the passage names;
* ``<!-- figures: setting -->``: a limit, a default or a size, which nobody measured.

A mark is a passage of its own and holds for the next one; directly below a heading, or at the top of a page, it holds
for all of the section, or the page, that has no mark of its own.

A record is out of date when a commit after its own changed the code that it speaks of (``code_of_plans.json``). Its
figures then must be made again, or be marked as noted, with its date and commit. Commits that only move or format code
(``.git-blame-ignore-revs``) count for nothing. Where git can't tell, in an archive of the sources or a shallow clone,
this part is left out, and the last line says so.

Usage: ``python tools/check_figures.py [ROOT]``. Prints one line per offence and exits with 1 when there is one, with 2
when ROOT holds no page.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any

RESULTS = Path("bench/results")
CODE = Path("bench/cyclotome_bench/code_of_plans.json")
MOVES = Path(".git-blame-ignore-revs")

_NUMBER = r"(?<![\w.,/^-])\d[\d,\u00a0\u2009\u202f]*(?:\.\d+)?"
_LIST = rf"((?:{_NUMBER}(?:, | and | to | or | / | … ))*{_NUMBER})"
_TIMES = {"ns": 1e-3, "µs": 1.0, "us": 1.0, "ms": 1e3, "s": 1e6, "second": 1e6, "seconds": 1e6}
_LONG = {"minute": 6e7, "minutes": 6e7, "min": 6e7, "hour": 3.6e9, "hours": 3.6e9}
_RATES = r"(?:[kMGT]i?B|requests?|jobs?|products?|bits?|[kMGT] \w+)?(?:/s| (?:a|per) second)\b|MHz\b"
#: "1024 x 1024 times a vector" and "twice the norm" are products, no ratios.
_RATIO = r"times\b(?!\s+(?:an?|the|that|those|its|this|one|both|so|powers|[A-Z])\b)(?!\s+[√Σ\d])"
_UNITS = "|".join(sorted((*_TIMES, *_LONG), key=len, reverse=True))
FIGURE = re.compile(rf"{_LIST}(?: ?({_UNITS})\b(?!/| [yu]\b)| ?({_RATES})| ({_RATIO})|(×)(?!\d))")
_UNIT_WORD = re.compile(r"\b(?:ns|µs|ms|[Mm]illiseconds|[Mm]icroseconds|[Ss]econds|times|requests)\b")
_LEADING_UNIT = re.compile(r"\b(?:ns|µs|ms|[Mm]illiseconds|[Mm]icroseconds)\b")
_MARK = re.compile(r"<!-- figures: (record|cell|computed|noted|stated|setting)\b ?(.*?) -->", re.DOTALL)
_LINKED = re.compile(r"\]\((?:\.\./)*bench/results/([\w.-]+)\)")
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) ")
_NOTED = re.compile(r"(\d{4}-\d\d-\d\d) ([0-9a-f]{7,40}) (\S.*)")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True)
class Mark:
    """Where figures come from: one of the words of this module's text, and what stands behind it."""

    kind: str
    about: str


@dataclass
class Passage:
    """Text between empty lines, its first line's number, and the marks that hold for it."""

    line: int
    text: str
    marks: list[Mark] = field(default_factory=list)
    section: str = ""
    before: str = ""

    @property
    def shown(self) -> str:
        """What readers see of it, without code and links' targets."""
        return re.sub(r"\]\([^)]*\)", "]", _CODE_SPAN.sub("", re.sub(r"<!--.*?-->", "", self.text, flags=re.DOTALL)))

    @property
    def bare_table(self) -> bool:
        """Whether it is a table of numbers whose unit stands in its heading, or in the text that leads to it."""
        if not self.text.startswith("|") or not re.search(r"\| *[*]*\d", self.text):
            return False
        return bool(_UNIT_WORD.search(self.text.partition("\n")[0]) or _LEADING_UNIT.search(self.before[-300:]))


@dataclass(frozen=True)
class Figure:
    """One number as it is shown, and its unit."""

    text: str
    unit: str

    @property
    def value(self) -> float:
        return float(re.sub(r"[^\d.]", "", self.text))

    @property
    def tolerance(self) -> float:
        """Half of the last digit, and a little for halves themselves."""
        return 0.5001 * 10.0 ** -len(self.text.partition(".")[2])


def figures(text: str) -> Iterator[Figure]:
    """Every number of a text that has a unit; of a list with one unit at its end, all."""
    for found in FIGURE.finditer(text):
        unit = next(group for group in found.groups()[1:] if group)
        for number in re.findall(_NUMBER, found[1]):
            yield Figure(number.strip().rstrip(","), unit)


def passages(page: str) -> list[Passage]:
    """The passages of a page with the marks that hold for each, and all that its section says."""
    found = list(_passages(page))
    said: dict[int, str] = {}
    for number, passage in found:
        said[number] = f"{said.get(number, '')}\n\n{passage.shown}"
    for number, passage in found:
        passage.section = said[number]
    return [passage for _, passage in found]


def _passages(page: str) -> Iterator[tuple[int, Passage]]:
    """Each with the number of its section."""
    plain = _FENCE.sub(lambda found: "\n" * found[0].count("\n"), page)
    scopes: list[tuple[int, list[Mark]]] = [(0, [])]  # of the page and of each open section
    waiting: list[Mark] = []
    fresh, before = True, ""
    position = number = 0
    for text in re.split(r"(\n[ \t]*\n)", plain):
        line = plain.count("\n", 0, position) + 1
        position += len(text)
        stripped = text.strip()
        if not stripped:
            continue
        heading = _HEADING.match(stripped)
        if heading and "\n" not in stripped:
            level = len(heading[1])
            scopes = [*(scope for scope in scopes if scope[0] < level), (level, [])]
            fresh, waiting, before, number = True, [], "", number + 1
            continue
        marks = [Mark(found[1], " ".join(found[2].split())) for found in _MARK.finditer(stripped)]
        if marks and not _MARK.sub("", stripped).strip():
            (scopes[-1][1] if fresh else waiting).extend(marks)
            continue
        fresh = False
        held = next((held for _, held in reversed(scopes) if held), [])
        yield number, Passage(line, stripped, waiting or held, before=before)
        waiting, before = [], stripped


# Records


@cache
def _records(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a file says of itself, and its records; of text its numbers only."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return {}, [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    if path.suffix != ".json":
        numbers = [float(number) for number in re.findall(r"\d+\.?\d*", text)]
        return {}, [{f"number_{i}": number for i, number in enumerate(numbers)}]
    data = json.loads(text)
    records = data.pop("records", None)
    if records is None:
        records = [{f"{name}_{key}": value} for name, rows in data.items() for key, value in _flat(rows)]
    return data, records


def _flat(data: Any) -> Iterator[tuple[str, Any]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from _flat(value)
        else:
            yield str(key), value


@cache
def _values(path: Path) -> tuple[list[float], list[float], list[float]]:
    """Microseconds, ratios, and all other numbers of a file's records."""
    times, ratios, others = [], [], []
    for record in _records(path)[1]:
        for name, value in record.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            others.append(float(value))
            if "ratio" in name:
                ratios.append(float(value))
            elif name.endswith(("_us", "us_each")):
                times.append(float(value))
            elif "seconds" in name:
                times.append(1e6 * value)
            elif name.startswith("ms_") or name.endswith("_ms"):
                times.append(1e3 * value)
            elif name.startswith("number_"):
                times += [float(value), 1e3 * value]
                ratios.append(float(value))
    return times, ratios, others


def holds(path: Path, figure: Figure) -> bool:
    """Whether a file has a figure, to the digits that it shows."""
    times, ratios, others = _values(path)
    scale = _TIMES.get(figure.unit) or _LONG.get(figure.unit)
    candidates = [t / scale for t in times] if scale else ratios if figure.unit in ("×", "times") else others
    return any(abs(candidate - figure.value) <= figure.tolerance for candidate in candidates)


# History


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


class History:
    """What git knows; nothing in an archive of the sources or a shallow clone."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.left_out: str | None = None
        top = _git(root, "rev-parse", "--show-toplevel")
        if top is None or Path(top).resolve() != root.resolve():
            self.left_out = "this is no git checkout"
        elif _git(root, "rev-parse", "--is-shallow-repository") != "false":
            self.left_out = "this is a shallow clone"

    @cache  # noqa: B019, one object a run
    def knows(self, commit: str) -> bool:
        """Whether a commit is one that led to what is checked out."""
        return _git(self.root, "merge-base", "--is-ancestor", commit, "HEAD") is not None

    @cache  # noqa: B019, one object a run
    def changed_after(self, commit: str | None, date: str, paths: tuple[str, ...]) -> str | None:
        """The last commit that changed paths after a record's commit, or after its date where that is not known."""
        since = [f"{commit}..HEAD"] if commit and self.knows(commit) else [f"--since={date}"]
        found = _git(self.root, "log", "--format=%H %h of %as", *since, "--", *paths) or ""
        changes = [line.split(" ", 1) for line in found.splitlines()]
        return next((shown for commit, shown in changes if commit not in self.moves), None)

    @cached_property
    def moves(self) -> frozenset[str]:
        """Commits that move or format code and change nothing of what it compiles to."""
        file = self.root / MOVES
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def code_of(root: Path, name: str) -> tuple[str, ...]:
    """The paths that a file of results speaks of: its own word, or by its plan and device."""
    facts, _ = _records(root / RESULTS / name)
    if "code" in facts:
        return tuple(facts["code"])
    known: dict[str, dict[str, list[str]]] = json.loads((root / CODE).read_text(encoding="utf-8"))
    plan = str(facts.get("plan", name))
    on = "cuda" if "gpu" in facts or "nvidia" in name else "cpu"
    for prefix in sorted(known, key=len, reverse=True):
        if plan.startswith(prefix) or name.startswith(prefix):
            return tuple(known[prefix].get(on, known[prefix].get("any", [])))
    return tuple(known[""]["any"])


def outdated(root: Path, name: str, history: History) -> str | None:
    """Why a record's figures can't be told as those of this code; None where they can, or nobody can tell."""
    facts, _ = _records(root / RESULTS / name)
    if history.left_out:
        return None
    if "date" not in facts:
        return f"{name} states neither date nor commit"
    commit = str(facts.get("commit") or "").removesuffix("-modified") or None
    date = datetime.strptime(str(facts["date"]), "%Y-%m-%d %H:%M UTC").strftime("%Y-%m-%dT%H:%M:00Z")
    changed = history.changed_after(commit, date, code_of(root, name))
    return None if changed is None else f"{name} is older than the code it speaks of ({changed})"


# Pages


def offences_of(root: Path, page: Path, history: History) -> Iterator[str]:
    """What is wrong with the figures of a page, a line each."""
    for passage in passages(page.read_text(encoding="utf-8")):
        found = list(figures(passage.shown))
        marks = list(passage.marks)
        if not any(mark.kind in ("record", "computed", "stated", "setting") for mark in marks):
            marks += [Mark("record", name) for name in _LINKED.findall(passage.text)]
        if not found and not passage.bare_table and not any(mark.kind == "cell" for mark in marks):
            continue
        where = f"{page.relative_to(root)}:{passage.line}"
        if not marks:
            what = _shown(found[0]) if found else "a table of figures"
            yield f"{where}: {what} is of no record: name one, mark it, or leave the figure out"
        for problem in _problems(root, passage, found, marks, history):
            yield f"{where}: {problem}"


def _shown(figure: Figure) -> str:
    return f"{figure.text} {figure.unit}"


def _problems(root: Path, passage: Passage, found: list[Figure], marks: list[Mark], history: History) -> Iterator[str]:
    files = [name for mark in marks if mark.kind in ("record", "computed") for name in re.split(r",? +", mark.about)]
    cells = [mark.about.split() for mark in marks if mark.kind == "cell"]
    for name in dict.fromkeys([*files, *(cell[0] for cell in cells if cell)]):
        if not (root / RESULTS / name).is_file():
            yield f"there is no {RESULTS / name}"
            return
    noted = [mark for mark in marks if mark.kind == "noted"]
    for mark in noted:
        yield from _noted_wrongly(mark, passage, history)
    if not noted:
        for name in dict.fromkeys([*files, *(cell[0] for cell in cells)]):
            reason = outdated(root, name, history)
            if reason:
                yield f"{reason}: measure again, or mark as noted with its date and commit"
    compared = [name for mark in marks if mark.kind == "record" for name in re.split(r",? +", mark.about)]
    if compared:
        paths = [root / RESULTS / name for name in compared]
        for figure in found:
            if not any(holds(path, figure) for path in paths):
                yield f"{_shown(figure)} is not in {' or '.join(compared)}"
    for cell in cells:
        yield from _cell_wrongly(root, cell, passage)
    for mark in marks:
        if mark.kind == "stated" and not mark.about:
            yield "a stated figure names who states it"


def _noted_wrongly(mark: Mark, passage: Passage, history: History) -> Iterator[str]:
    parts = _NOTED.fullmatch(mark.about)
    if parts is None:
        yield f"a noted figure has a date, a commit and a machine, not {mark.about!r}"
        return
    date, commit, _ = parts.groups()
    if history.left_out is None and not history.knows(commit):
        yield f"no commit {commit} led here"
    year, month, day = date.split("-")
    dates = (date, f"{int(day)} {_MONTHS[int(month) - 1]}")
    if commit[:7] in passage.section and any(each in passage.section for each in dates):
        return
    yield f"readers are told neither {dates[1]} {year} nor {commit[:7]}, of which the figures are"


def _cell_wrongly(root: Path, cell: list[str], passage: Passage) -> Iterator[str]:
    if len(cell) < 3:
        yield f"a cell is a file, a field and what tells the record, not {' '.join(cell)!r}"
        return
    name, wanted, *keys = cell
    pairs = [key.partition("=")[::2] for key in keys]
    own = [
        record
        for record in _records(root / RESULTS / name)[1]
        if all(str(record.get(key)) == value.replace("_", " ") or str(record.get(key)) == value for key, value in pairs)
    ]
    if len(own) != 1 or not isinstance(own[0].get(wanted), (int, float)):
        yield f"{len(own)} records of {name} are {' '.join(keys)}, and one with a number {wanted!r} is asked for"
        return
    value = float(own[0][wanted])
    for figure in figures(passage.shown):
        scale = _TIMES.get(figure.unit, 1.0) if wanted.endswith("_us") else 1.0
        if abs(value / scale - figure.value) <= figure.tolerance:
            return
    yield f"{name} has {wanted} = {value:g} for {' '.join(keys)}, which the passage does not show"


def pages(root: Path) -> list[Path]:
    """README and every page of doc/."""
    return [page for page in (root / "README.md", *sorted((root / "doc").rglob("*.md"))) if page.is_file()]


def main(arguments: list[str]) -> int:
    root = Path(arguments[0] if arguments else ".").resolve()
    if not pages(root):
        print(f"{root} holds no pages", file=sys.stderr)
        return 2
    history = History(root)
    offences = [offence for page in pages(root) for offence in offences_of(root, page, history)]
    for offence in offences:
        print(offence)
    if history.left_out:
        print(f"not checked: whether records are older than their code, as {history.left_out}")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
