# SPDX-License-Identifier: Apache-2.0
"""The gate of figures in pages: what it lets pass, and what it refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pages import ROOT, program

RECORD: dict[str, Any] = {
    "schema": 2,
    "plan": "full",
    "complete": True,
    "date": "2026-11-21 03:40 UTC",
    "commit": None,
    "records": [
        {"set": "a", "operation": "multiply", "median_us": 1436.7, "min_us": 1400.0, "ratio": 7.503, "samples": 60},
        {"set": "b", "operation": "multiply plain", "median_us": 35.2, "min_us": 34.0, "ratio": None, "samples": 60},
    ],
}


def gate() -> ModuleType:
    return program("tools/check_figures.py")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A page's surroundings: one record, no git."""
    (tmp_path / "doc").mkdir()
    (tmp_path / "bench" / "results").mkdir(parents=True)
    (tmp_path / "bench" / "cyclotome_bench").mkdir()
    (tmp_path / "bench" / "results" / "r.json").write_text(json.dumps(RECORD), encoding="utf-8")
    code = {"": {"any": ["src"]}, "full": {"cpu": ["src/kernels"]}}
    (tmp_path / "bench" / "cyclotome_bench" / "code_of_plans.json").write_text(json.dumps(code), encoding="utf-8")
    return tmp_path


def refused(root: Path, text: str) -> list[str]:
    (root / "README.md").write_text(text, encoding="utf-8")
    module = gate()
    history = module.History(root)
    return [offence.partition(": ")[2] for offence in module.offences_of(root, root / "README.md", history)]


def git(root: Path, *arguments: str) -> str:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *name, *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def test_the_project_keeps_to_it() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "check_figures.py", ROOT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_code_that_records_speak_of_is_there() -> None:
    """A path that moved would never change again."""
    known = json.loads((ROOT / "bench" / "cyclotome_bench" / "code_of_plans.json").read_text(encoding="utf-8"))
    paths = {path for devices in known.values() for each in devices.values() for path in each}
    assert len(paths) > 20 and [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_the_cells_of_circuits_are_those_of_the_record() -> None:
    """doc/fpga.md's two tables of what circuits cost, number by number."""
    record = json.loads((ROOT / "bench" / "results" / "fpga-synthesis.json").read_text(encoding="utf-8"))
    rows = [row for table in record["tables"].values() for row in table] + list(record["leaves"].values())
    known = {value for row in rows for value in row.values() if isinstance(value, (int, float))}
    latency = pytest.importorskip("cyclotome_hdl.kernels.reduction").FoldMultiplier(63).latency
    others = {1, 2, 4, 16384, 32768, latency}  # pipes, N, and ticks of the one row that no table has
    page = (ROOT / "doc" / "fpga.md").read_text(encoding="utf-8").partition("## What they cost")[2]
    shown = [line.split("|")[3:] for line in page.splitlines() if line.startswith("| ") and "LUT" not in line]
    numbers = [n for line in shown for n in re.findall(r"\d[\d,]*\.?\d*", "|".join(line))]
    assert len(shown) > 20 and len(numbers) > 100
    wrong = [n for n in numbers if not any(abs(k - float(n.replace(",", ""))) <= 0.051 for k in known | others)]
    assert wrong == []


def test_the_ticks_of_the_thesis_s_workload_are_those_of_the_record() -> None:
    path = ROOT / "bench" / "results" / "paper-004-circuits-x86-64-2core-zen4.json"
    records = json.loads(path.read_text(encoding="utf-8"))["records"]
    page = (ROOT / "doc" / "fpga.md").read_text(encoding="utf-8")
    found = {r["case"]: r for r in records if r.get("table") == "6.11"}
    for case in ("iterative", "Cooley–Tukey (thesis)"):
        assert found[case]["kind"] == "assumed clock" and found[case]["primes"] == 18
        assert f"{found[case]['critical_ticks']:,}" in page, case


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 27, 38, 81 and 350 µs.", [("27", "µs"), ("38", "µs"), ("81", "µs"), ("350", "µs")]),
        ("1.4 ms, 2 s, 3 minutes", [("1.4", "ms"), ("2", "s"), ("3", "minutes")]),
        ("590 requests a second and 2.5 GB/s", [("590", "requests a second"), ("2.5", "GB/s")]),
        ("4.4× as fast, 1.5 times as long", [("4.4", "×"), ("1.5", "times")]),
        ("1,743 ms", [("1,743", "ms")]),
        ("of 64 × 64 words, 256×4 rows", []),
        ("n = 1024 times a vector, 2 times 16", []),
        ("2^30 values, 128 bits, version 4.1, x86-64, 2 s y", []),
        ("at 100 MHz", [("100", "MHz")]),
    ],
)
def test_what_a_figure_is(text: str, found: list[tuple[str, str]]) -> None:
    assert [(figure.text, figure.unit) for figure in gate().figures(text)] == found


def test_a_figure_of_no_record_is_refused(project: Path) -> None:
    (offence,) = refused(project, "# A\n\nA product takes 1.44 ms.\n")
    assert offence == "1.44 ms is of no record: name one, mark it, or leave the figure out"
    assert refused(project, "# A\n\nIn code `1.44 ms` is no figure.\n\n```\n1.44 ms\n```\n") == []


def test_a_linked_record_must_have_the_figure(project: Path) -> None:
    link = "([record](bench/results/r.json))"
    assert refused(project, f"A product takes 1.44 ms, 7.5× {link}.\n") == []
    assert refused(project, f"A product takes 1437 µs, 0.0014 s {link}.\n") == []
    assert refused(project, f"A product takes 1.45 ms {link}.\n") == ["1.45 ms is not in r.json"]
    assert refused(project, f"It is 7.6 times as fast {link}.\n") == ["7.6 times is not in r.json"]
    assert refused(project, "A product takes 1.44 ms ([record](bench/results/none.json)).\n") == [
        "there is no bench/results/none.json"
    ]


def test_a_mark_holds_for_the_next_passage_a_section_or_a_page(project: Path) -> None:
    mark = "<!-- figures: record r.json -->"
    assert refused(project, f"# A\n\nWords.\n\n{mark}\n\nIt takes 1.44 ms.\n") == []
    two = refused(project, f"# A\n\nWords.\n\n{mark}\n\nIt takes 1.44 ms.\n\nIt takes 35 µs.\n")
    assert two == ["35 µs is of no record: name one, mark it, or leave the figure out"]
    assert refused(project, f"# A\n\n{mark}\n\nIt takes 1.44 ms.\n\nAnd 35 µs.\n\n### B\n\nAgain 35 µs.\n") == []
    after = refused(project, f"# A\n\n## B\n\n{mark}\n\n1.44 ms.\n\n## C\n\n35 µs.\n")
    assert len(after) == 1 and after[0].startswith("35 µs is of no record")


def test_a_cell_is_compared(project: Path) -> None:
    mark = "<!-- figures: cell r.json median_us set=a -->"
    assert refused(project, f"Words.\n\n{mark}\n\nIt takes 1.44 ms.\n") == []
    (offence,) = refused(project, f"Words.\n\n{mark}\n\nIt takes 1.43 ms.\n")
    assert offence == "r.json has median_us = 1436.7 for set=a, which the passage does not show"
    (offence,) = refused(project, "Words.\n\n<!-- figures: cell r.json median_us samples=60 -->\n\n1.44 ms.\n")
    assert offence.startswith("2 records of r.json are samples=60")
    assert refused(project, "Words.\n\n<!-- figures: cell r.json ratio operation=multiply -->\n\n7.50×\n") == []
    plain = "<!-- figures: cell r.json min_us operation=multiply_plain -->"
    assert refused(project, f"Words.\n\n{plain}\n\n34 µs\n") == []


def test_tables_without_units_in_their_cells_count(project: Path) -> None:
    table = "| n | ms |\n|---|---|\n| 4096 | 1.44 |\n"
    assert refused(project, table) == ["a table of figures is of no record: name one, mark it, or leave the figure out"]
    led = "Milliseconds of one thread:\n\n| n | here |\n|---|---|\n| 4096 | 1.44 |\n"
    assert len(refused(project, led)) == 1
    assert refused(project, "| n | bits |\n|---|---|\n| 4096 | 109 |\n") == []


@pytest.mark.parametrize("mark", ["stated paper 002", "setting", "computed r.json"])
def test_other_marks_are_not_compared(project: Path, mark: str) -> None:
    assert refused(project, f"Words.\n\n<!-- figures: {mark} -->\n\nIt takes 51 ms.\n") == []


def test_history_names_date_commit_and_machine_to_readers(project: Path) -> None:
    mark = "<!-- figures: noted 2026-11-21 8b5b34d7946f Zen 5 -->"
    told = "It took 51 ms (21 November 2026, at 8b5b34d, Zen 5)."
    assert refused(project, f"Words.\n\n{mark}\n\n{told}\n") == []
    (offence,) = refused(project, f"Words.\n\n{mark}\n\nIt took 51 ms.\n")
    assert offence == "readers are told neither 21 November 2026 nor 8b5b34d, of which the figures are"
    (offence,) = refused(project, f"Words.\n\n<!-- figures: noted yesterday -->\n\n{told}\n")
    assert offence == "a noted figure has a date, a commit and a machine, not 'yesterday'"
    (offence,) = refused(project, "Words.\n\n<!-- figures: stated -->\n\n51 ms.\n")
    assert offence == "a stated figure names who states it"


def test_a_record_that_is_older_than_its_code_is_refused(project: Path) -> None:
    text = "It takes 1.44 ms ([record](bench/results/r.json)).\n"
    git(project, "init", "-q")
    (project / "src" / "kernels").mkdir(parents=True)
    (project / "src" / "kernels" / "a.cpp").write_text("1", encoding="utf-8")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "one")
    record = {**RECORD, "commit": git(project, "rev-parse", "--short=12", "HEAD").strip()}
    path = project / "bench" / "results" / "r.json"

    def again() -> list[str]:
        path.write_text(json.dumps(record), encoding="utf-8")
        gate()._records.cache_clear()
        return refused(project, text)

    assert again() == []
    record["commit"] += "-modified"
    assert again() == []
    (project / "src" / "other.cpp").write_text("1", encoding="utf-8")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "what the record does not speak of")
    assert again() == []
    (project / "src" / "kernels" / "a.cpp").write_text("2", encoding="utf-8")
    git(project, "commit", "-qam", "faster")
    (offence,) = again()
    assert offence.startswith("r.json is older than the code it speaks of (") and "mark as noted" in offence
    moves = project / ".git-blame-ignore-revs"
    moves.write_text("# moved\n" + git(project, "rev-parse", "HEAD"), encoding="utf-8")
    assert again() == [], "what only moves code makes no record old"
    moves.unlink()
    commit = str(record["commit"])[:12]
    noted = f"Words.\n\n<!-- figures: noted 2026-11-21 {commit} here -->\n\n21 November 2026, at {commit}: {text}"
    assert refused(project, noted) == []
    record["code"] = ["src/other.cpp"]
    assert len(again()) == 1, "by its own word it speaks of the other file, which changed since too"
    record |= {"commit": None, "code": ["src/none.cpp"]}
    assert again() == [], "by its date, where the commit is not known"
    record["code"] = ["src/kernels"]
    record["date"] = "2000-01-01 00:00 UTC"
    assert len(again()) == 1
    (offence,) = refused(project, noted.replace(commit, "0123456789ab"))
    assert offence == "no commit 0123456789ab led here"


def test_without_git_age_is_left_out_and_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "README.md").write_text("1.44 ms ([record](bench/results/r.json)).\n", encoding="utf-8")
    gate()._records.cache_clear()
    gate()._values.cache_clear()
    assert gate().main([str(project)]) == 0
    assert (
        "not checked: whether records are older than their code, as this is no git checkout" in capsys.readouterr().out
    )
    assert gate().main([str(project / "bench")]) == 2
