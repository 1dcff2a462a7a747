# SPDX-License-Identifier: Apache-2.0
"""What users write, for type checkers: mypy and pyright over the Python programs of README and doc/, the examples of
docstrings, ``example/`` and ``test/typing``. Pyright is basedpyright's, which brings the Node.js that it runs on.

Each page becomes one module in ``build/typed``, its blocks on the lines where they stand, without prompts, answers and
what shows a refusal; so does each docstring that has an example. ``test/typing`` is checked as strictly as both can.
What they read is the installed package, as users have it: ``make install-test`` after an edit.

Usage: ``python tools/check_types.py``. The exit status is 1 where a checker has something to say.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TYPED = ROOT / "build" / "typed"

#: What the programs of a page, or of a module's docstrings, take for granted: a line before them.
GRANTED = {
    "doc/fpga.md": (
        "import cyclotome as cy; from cyclotome_hdl.kernels.flow import Kernel;"
        "parameters, values = cy.Parameters.suggest(), [1]"
    ),
    "doc/ltv.md": "from json import loads; from cyclotome.circuit import Circuit; data = k0 = k1 = loads('')",
    "doc/secrets.md": "import getpass, cyclotome as cy; secret = cy.keygen(cy.Parameters.suggest()).secret",
    "python/cyclotome/numbers/fixed_point.py": "from cyclotome.numbers.fixed_point import FixedPoint",
    "python/cyclotome/interop/seal_parameters.py": "from cyclotome.interop.seal_parameters import make_parameters",
    "python/cyclotome/parameters/checks.py": "from cyclotome.parameters.checks import find_primes",
}
#: Pages whose blocks are no programs, and why.
EXCUSED = {"doc/how-to-add-a-ring.md": "the body of a function, indented"}

#: For mypy: a page uses a name for one thing after the other, and nobody says of what ``seen = []`` is a list.
_SHOWN = (
    "--check-untyped-defs",
    "--allow-redefinition",
    "--disable-error-code=var-annotated",
    "--disable-error-code=has-type",
)

_FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: Nobody annotates what a page shows; packages without types are Any, whatever could be read out of their sources.
_PYRIGHT = {
    "typeCheckingMode": "standard",
    "useLibraryCodeForTypes": False,
    "reportMissingTypeStubs": False,
    "reportMissingModuleSource": False,
    "reportUnusedExpression": False,
    "reportUnusedCoroutine": False,
}


def pages() -> list[str]:
    """Pages that may have programs, by their path from the root."""
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "doc").rglob("*.md")}
    return sorted({*found, "README.md", *(f"{folder}/README.md" for folder in ("bench", "demo", "hdl", "reader", "study"))})


def statements(text: str) -> str:
    """A program without prompts and answers, on the same lines."""
    if ">>>" not in text:
        return text
    lines = [""] * len(text.splitlines())
    for example in doctest.DocTestParser().get_examples(text):
        if example.exc_msg is None:  # what is refused may well be refused by a type checker, too
            source = example.source.splitlines()
            lines[example.lineno : example.lineno + len(source)] = source
    return "\n".join(lines) + "\n"


def program(blocks: Iterable[tuple[int, str]], granted: str = "") -> str:
    """Blocks as one program, each at its line, counted from 0; what it takes for granted stands in the first. Nothing
    where there are no blocks."""
    lines: list[str] = []
    for line, text in blocks:
        lines += [""] * (line - len(lines))
        lines += statements(text).splitlines()
    return "\n".join([granted, *lines[1:]]) + "\n" if lines else ""


def blocks_of(page: Path) -> Iterator[tuple[int, str]]:
    """The Python blocks of a page, and where they begin."""
    text = page.read_text(encoding="utf-8")
    for match in _FENCED.finditer(text):
        yield text.count("\n", 0, match.start(1)), match[1]


def examples_of(module: Path) -> Iterator[tuple[int, str]]:
    """The docstrings of a module that have examples, and where they begin."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node, clean=False) or ""
            if ">>>" in text:
                yield node.body[0].lineno - 1, text


def write() -> dict[str, str]:
    """Writes the modules into `TYPED`; the page or file that each comes from, by its name."""
    shutil.rmtree(TYPED, ignore_errors=True)
    TYPED.mkdir(parents=True)
    origin: dict[str, str] = {}

    def add(source: str, text: str, part: str = "") -> None:
        if text:
            name = re.sub(r"\W", "_", source + part) + ".py"
            (TYPED / name).write_text(text, encoding="utf-8")
            origin[name] = source

    for page in pages():
        if page not in EXCUSED:
            add(page, program(blocks_of(ROOT / page), GRANTED.get(page, "")))
    for module in sorted((ROOT / "python" / "cyclotome").rglob("*.py")):
        source = module.relative_to(ROOT).as_posix()
        for line, text in examples_of(module):
            add(source, program([(line, textwrap.dedent(text))], GRANTED.get(source, "")), f"_{line}")
    for path in sorted(ROOT.glob("example/*.py")):
        source = path.relative_to(ROOT).as_posix()
        add(source, path.read_text(encoding="utf-8"))
    return origin


def pyright(folder: Path) -> list[str]:
    """What pyright says of the modules of a folder: "name:line: text"."""
    configuration = folder / "pyrightconfig.json"
    configuration.write_text(json.dumps(_PYRIGHT), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    try:
        found = json.loads(done.stdout)["generalDiagnostics"]
    except (ValueError, KeyError):
        raise SystemExit(f"basedpyright did not run: {done.stderr or done.stdout}") from None
    return [
        f"{Path(each['file']).name}:{each['range']['start']['line'] + 1}: {each['message']} [{each.get('rule', '')}]"
        for each in found
        if each["severity"] == "error"
    ]


def mypy(files: Iterable[Path], *options: str) -> list[str]:
    """What mypy says of these modules: "name:line: text"."""
    names = sorted(str(each) for each in files)
    base = [sys.executable, "-m", "mypy", "--config-file=", "--ignore-missing-imports", "--no-error-summary"]
    cache = f"--cache-dir={ROOT / 'build' / 'typed-mypy'}"
    TYPED.mkdir(parents=True, exist_ok=True)
    command = [*base, cache, "--hide-error-context", "--warn-unreachable", *options, *names]
    done = subprocess.run(command, cwd=TYPED, capture_output=True, text=True)
    if done.returncode > 1 and not done.stdout:
        raise SystemExit(f"mypy did not run: {done.stderr}")
    return [line for line in done.stdout.splitlines() if ": error:" in line]


def cases() -> list[Path]:
    """Programs of users who want everything typed."""
    return sorted((ROOT / "test" / "typing").glob("*.py"))


def main() -> int:
    """Writes, checks and says what is wrong; the exit status."""
    origin = write()
    said = [f"mypy: {line}" for line in mypy(TYPED.glob("*.py"), *_SHOWN)]
    for path in cases():
        (TYPED / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        origin[path.name] = path.relative_to(ROOT).as_posix()
    said += [f"mypy: {line}" for line in mypy((TYPED / path.name for path in cases()), "--strict")]
    said += [f"pyright: {line}" for line in pyright(TYPED)]
    for line in said:
        checker, name, rest = re.split(r": |:", line, maxsplit=2)
        print(f"{origin.get(name, name)}:{rest} ({checker})")
    print(f"{len(origin)} modules, {len(said)} errors")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
