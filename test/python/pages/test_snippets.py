# SPDX-License-Identifier: Apache-2.0
"""Every program and every command that the site shows: it runs, or a stated test or reason stands for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest
from pages import ROOT, name_of
from snippets import blocks, commands, program

RECIPES = sorted(name_of(path) for path in (ROOT / "doc" / "recipes").glob("*.md") if path.name != "README.md")


def page_of(name: str) -> str:
    """A page that a checkout may be without."""
    return f"doc/{name}.md"


#: Other pages whose Python blocks run here, and what each takes for granted.
PROGRAMS = {
    "doc/secrets.md": """
import cyclotome as cy, getpass
getpass.getpass = lambda: "correct horse battery staple"
secret = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=4), rotations=[], relinearization=False).secret
""",
    "doc/fermat.md": "",
    "doc/layouts.md": "",
    page_of("models"): "",
    "doc/answers.md": "",
    "doc/bootstrapping.md": "",
    "doc/data.md": "",
    "doc/integrity.md": "",
    "doc/private-search.md": "",
    "doc/reals.md": "",
    "study/README.md": "",
}

#: Pages with blocks that another test runs or compares, by what it looks at.
ELSEWHERE = {
    "README.md": "test_tutorial.py",
    page_of("coming-from-elsewhere"): "test_coming_from_elsewhere.py",
    page_of("cpp-guide"): "test_how_to.py",
    page_of("scale"): "test_services_page.py",
    page_of("services"): "test_services_page.py",
    page_of("threshold"): "test_tutorial.py",
    "doc/tutorial.md": "test_tutorial.py",
    "doc/tutorial-fermat.md": "test_tutorial.py",
    "doc/transforms.md": "test_tutorial.py",
    "doc/how-to-add-a-ring.md": "test_ring_page.py",
    "doc/how-to-add-a-scheme.md": "test_how_to.py",
    "doc/how-to-add-an-engine.md": "test_how_to.py",
}
#: Pages with blocks that nothing can run here, and why.
EXCUSED = {
    "doc/fpga.md": "excerpts, contexts of 1050 bits: test_hdl_designs.py, test_hdl_contexts.py, test_fpga_engine.py",
    "doc/ltv.md": "the last block needs a GPU: test_ltv_scheme.py, test_ltv_arithmetic.py, test_cuda_ltv_circuits.py",
}
#: Pages whose commands are scripts of the shell, and run whole in another test.
SCRIPTS = {page_of("services"): "test_services_page.py"}
#: Pages whose commands run one after the other in a folder with data.csv; those of other pages are parsed only.
SEQUENCES = ["doc/data.md", "doc/recipes/client-and-server.md"]
#: Commands that would take minutes, or ask a terminal.
LONG = {"bench", "demo"}

TABLE = "age,bmi\n36,32.1\n41,21.6\n85,30.5\n"
SITE = sorted(
    {name_of(path) for path in (ROOT / "doc").rglob("*.md")}
    | {"README.md", "CONTRIBUTING.md", "SECURITY.md"}
    | {f"{folder}/README.md" for folder in ("bench", "demo", "hdl", "reader", "study")}
)


def here(pages: Iterable[str]) -> list[str]:
    """Those pages that this checkout has."""
    return [page for page in pages if (ROOT / page).is_file()]


def executed(page: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a page's program in a folder; in a process of its own if it starts processes."""
    monkeypatch.chdir(folder)
    if "__main__" not in text:
        exec(compile(text, page, "exec"), {"__name__": "snippet"})
        return
    (folder / "program.py").write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", RECIPES)
def test_recipes_run_and_their_answers_are_right(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = program(page)
    assert re.search(r"^ *assert ", text, re.MULTILINE), "a recipe that asserts nothing"
    if "pandas" in text:
        pytest.importorskip("pandas")
    executed(page, text, tmp_path, monkeypatch)


def test_the_list_of_recipes_has_all_of_them() -> None:
    text = (ROOT / "doc/recipes/README.md").read_text(encoding="utf-8")
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert len(RECIPES) >= 15
    for page in RECIPES:
        assert text.count(f"]({Path(page).name})") == 1, page
        assert site.count(page.removeprefix("doc/")) == 1, page


@pytest.mark.parametrize("page", here(PROGRAMS))
def test_programs_of_other_pages_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page == page_of("models"):
        pytest.importorskip("sklearn")
    if page == "doc/data.md":
        pytest.importorskip("pandas")
    executed(page, PROGRAMS[page] + "\n".join(block.text for block in blocks(page, "python")), tmp_path, monkeypatch)


@pytest.mark.parametrize("page", SITE)
def test_every_program_of_a_page_has_a_test(page: str) -> None:
    shown = [block for block in blocks(page) if block.language in {"python", "cpp", "cmake"}]
    known = page in RECIPES or page in PROGRAMS or page in ELSEWHERE or page in EXCUSED
    assert known or not shown, f"{page}, line {shown[0].line}: no test runs this"
    assert shown or page not in {**PROGRAMS, **ELSEWHERE, **EXCUSED}, "a page that has no program any more"


def test_tests_that_stand_for_pages_are_there() -> None:
    for named in [table[page] for table in (ELSEWHERE, EXCUSED, SCRIPTS) for page in here(table)]:
        for name in re.findall(r"test_\w+\.py", named):
            assert any((ROOT / "test/python").rglob(name)), name


@pytest.mark.parametrize("page", SEQUENCES)
def test_commands_run_one_after_the_other(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("typer")
    from cli_runner import succeed

    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(TABLE, encoding="utf-8")
    run = [words for words in commands(page) if words[0] == "cyclotome" and words[1] not in LONG]
    assert len(run) >= 5
    for words in run:
        succeed(*words[1:])
    result = next(Path(words[words.index("-o") + 1]) for words in run if words[1] == "eval")
    table = succeed("decrypt", result, "--key", "keys/secret.key", "--json").data
    columns = zip(*(map(Fraction, line.split(",")) for line in TABLE.split()[1:]), strict=True)
    expected = [sum(x * x + 3 * x for x in column) / 3 for column in columns]
    assert [Fraction(number) / Fraction(table["scale"]) for number in table["integers"]] == expected


def refused(words: list[str]) -> str:
    """What is wrong with a command's name or options; "" if nothing is. It is not run."""
    if words[0] == "cyclotome":
        from cli_runner import run

        result = run(*words[1:], "--help")
        return "" if result.code == 0 else result.text
    if words[0] == "cyclotome-reader":
        from cyclotome_reader.command import main

        with pytest.raises(SystemExit) as ended:
            main([words[1], "--help"])
        return "" if ended.value.code == 0 else f"no command {words[1]}"
    if words[0] == "make":
        targets = re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        return "".join(f"no target {word}" for word in words[1:] if "=" not in word and word not in targets)
    if words[:2] == ["python", "-m"]:
        files = [word for word in words[2:] if word.startswith("test/")]
        return "".join(f"no {pattern}" for pattern in files if not any(ROOT.glob(pattern)))
    known = {"valgrind", "pip", "cmake", "ctest", "pre-commit", "g++", "git", "perf", "ulimit", "docker", "python"}
    return "" if words[0] in known else f"what is {words[0]}?"


@pytest.mark.parametrize("page", [page for page in SITE if page not in SCRIPTS])
def test_commands_of_every_page_exist(page: str) -> None:
    pytest.importorskip("typer")
    wrong = {" ".join(words): reason for words in commands(page) if (reason := refused(words))}
    assert wrong == {}


#: Characters of a line of code that a page of the site has room for at 1280 pixels: test_site.py measures it.
WIDTH = 96
#: Pages that newcomers read first.
FIRST = {"README.md", *RECIPES, *(page_of(name) for name in ("answers", "coming-from-elsewhere", "data", "layouts"))}
FIRST |= {page_of(name) for name in ("models", "packages", "scale", "secrets", "security", "services", "tutorial")}


@pytest.mark.parametrize("page", here(sorted(FIRST)))
def test_code_fits_its_page(page: str) -> None:
    for block in blocks(page):
        wide = [line for line in block.text.splitlines() if len(line) > WIDTH]
        assert wide == [], f"{page}, block at line {block.line}"


def test_wrong_commands_and_programs_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("typer")
    for line in (
        "cyclotome encrypt --colums a",
        "cyclotome encript x",
        "make tests",
        "python -m pytest test/gone_*.py",
        "foo",
    ):
        assert refused(line.split()), line
    with pytest.raises(AssertionError):
        executed("x.md", "assert 1 == 2", tmp_path, monkeypatch)
    with pytest.raises(AssertionError):
        executed("x.md", 'if __name__ == "__main__":\n    raise SystemExit(3)', tmp_path, monkeypatch)
