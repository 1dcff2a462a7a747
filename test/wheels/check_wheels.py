# SPDX-License-Identifier: Apache-2.0
"""Install the wheels of a folder into an empty environment of each interpreter there is, use them, and take them away.

In each: what the wheel holds and exports, import, the README's ten lines, the command line without its packages and
with them, an extra of a distribution beside it, and that nothing is left when it is uninstalled. Only NumPy, and what
the extra `cli` names, come from an index; everything of this project comes from the folder. Any failure ends the run.

Usage: ``python test/wheels/check_wheels.py [--wheels dist] [--cuda] [PYTHON ...]``, as for ``tools/make_wheels.py``.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import first_use  # noqa: E402
from make_wheels import PURE, Interpreter, interpreters  # noqa: E402

#: Nothing of these is in everybody's install.
OTHERS = tuple(f"cyclotome_{name}" for name in PURE)
OWN = re.compile(r"cyclotome/|cyclotome-[\d.]+\.dist-info/")
#: Libraries that every Linux has; libstdc++ is linked in.
EVERYWHERE = {
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
    "ld-linux-x86-64.so.2",
}


class Failure(Exception):
    """What is wrong with a wheel."""


def check(holds: object, what: str) -> None:
    """Raises `Failure` unless it holds."""
    if not holds:
        raise Failure(what)


class Environment:
    """An empty virtual environment."""

    def __init__(self, python: Interpreter, folder: Path) -> None:
        self.folder = folder / f"environment-{python.name}"
        subprocess.run([python.path, "-m", "venv", self.folder], check=True)
        self.programs = self.folder / "bin"

    def run(self, *command: str | Path, code: int = 0) -> str:
        """What a program of this environment says, both ways; it must end with `code`."""
        outside = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}
        words = [str(self.programs / command[0]), *map(str, command[1:])]
        quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**outside, **quiet},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        check(done.returncode == code, f"{' '.join(words)} ended with {done.returncode}, not {code}:\n{done.stdout}")
        return done.stdout

    def install(self, *what: str, wheels: Path | None = None) -> None:
        """Installs from an index, or from a folder and no index."""
        source = [] if wheels is None else ["--no-index", "--find-links", wheels]
        self.run("python", "-m", "pip", "install", "--quiet", *source, *what)

    def files(self) -> set[str]:
        """Everything there is, but for what the interpreter compiled."""
        paths = (path.relative_to(self.folder) for path in self.folder.rglob("*"))
        return {str(path) for path in paths if "__pycache__" not in path.parts}


def tags(wheel: Path) -> tuple[str, str, str]:
    """The interpreter, ABI and platform that a wheel's name states."""
    interpreter, abi, platform = wheel.stem.split("-")[-3:]
    return interpreter, abi, platform


def wheel_for(python: Interpreter, wheels: Path, name: str) -> Path:
    """The one wheel of a distribution that this interpreter takes."""
    digits = f"cp{python.version[0]}{python.version[1]}"
    found = []
    for wheel in sorted(wheels.glob(f"{name}-*.whl")):
        interpreter, abi, _ = tags(wheel)
        oldest = int(interpreter[3:]) if abi == "abi3" else None
        if interpreter == digits or (oldest is not None and python.version[1] >= oldest):
            found.append(wheel)
    check(len(found) == 1, f"{wheels} has {len(found)} wheels of {name} for Python {python.name}, not one")
    return found[0]


def extension_in(wheel: Path, folder: Path, own: re.Pattern[str] = OWN) -> Path:
    """The extension of a wheel, which holds one and nothing of the distributions beside it."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        check(not [name for name in names if not own.match(name)], f"{wheel.name} holds files of others")
        check(not [name for name in names if name.startswith(OTHERS)], f"{wheel.name} holds a distribution of its own")
        check(not [name for name in names if "test" in name.lower()], f"{wheel.name} holds tests")
        binaries = [name for name in names if name.endswith((".so", ".pyd", ".a", ".dylib"))]
        check(len(binaries) == 1, f"{wheel.name} holds the binaries {binaries}")
        return Path(archive.extract(binaries[0], folder))


def check_symbols(extension: Path) -> None:
    """It shows its entry point and nothing of libstdc++, and needs what every Linux has."""
    table = subprocess.run(["nm", "-D", "--defined-only", extension], capture_output=True, text=True, check=True).stdout
    shown = {line.split()[-1].partition("@")[0] for line in table.splitlines()}
    check(shown == {"PyInit__core"}, f"{extension.name} exports {sorted(shown)}")
    needed = subprocess.run(["readelf", "-dW", extension], capture_output=True, text=True, check=True).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.+)\]", needed))
    check(libraries <= EVERYWHERE, f"{extension.name} needs {sorted(libraries - EVERYWHERE)}")


def check_commands(place: Environment) -> None:
    """A table goes through the command line, and the answer is right."""
    folder = place.folder
    (folder / "data.csv").write_text("a,b\n1,20\n-3,4\n5,6\n", encoding="utf-8")
    for command in (
        "params --depth 1 --value-bits 10 -o params.ct",
        "keygen params.ct --out keys",
        "encrypt data.csv --key keys/public.key -o data.ct",
        "eval x*x+3*x --input x=data.ct --keys keys/evaluation.key -o result.ct",
        "decrypt result.ct --key keys/secret.key -o result.csv",
    ):
        place.run("cyclotome", *command.split())
    with (folder / "result.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    expected = [[str(v * v + 3 * v) for v in row] for row in ((1, 20), (-3, 4), (5, 6))]
    check(header == ["a", "b"] and rows == expected, f"the command line computed {rows}, not {expected}")
    for name in ("data.csv", "params.ct", "data.ct", "result.ct", "result.csv"):
        (folder / name).unlink()
    shutil.rmtree(folder / "keys")


def check_plain(python: Interpreter, wheels: Path, folder: Path) -> str:
    """All of it, for one interpreter; a line about it."""
    wheel = wheel_for(python, wheels, "cyclotome")
    check_symbols(extension_in(wheel, folder / f"wheel-{python.name}"))
    began = time.monotonic()
    place = Environment(python, folder)
    place.install("numpy", "typer", "rich")
    before = place.files()
    place.install("cyclotome", wheels=wheels)
    program, printed = first_use.program((ROOT / "README.md").read_text(encoding="utf-8"))
    check(place.run("python", "-c", program).strip() == printed, "the README's program prints something else")
    seconds = "import time; t = time.perf_counter(); import cyclotome; print(time.perf_counter() - t)"
    importing = min(float(place.run("python", "-c", seconds)) for _ in range(3))
    check(imports_nothing_else(place), "importing it loads a distribution beside it")
    check_commands(place)
    doctor = place.run("cyclotome", "doctor")
    check("passed" in doctor, f"the self-test says {doctor}")
    missing = place.run("cyclotome", "demo", code=1)
    check("pip install '.[demo]' ./demo in a checkout" in " ".join(missing.split()), f"a missing extra says {missing}")
    check_without_typer(place)
    place.install("cyclotome[study]", wheels=wheels)
    place.run("python", "-c", "import cyclotome_study.ltv, cyclotome_study.fermat")
    place.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "cyclotome", "cyclotome-study")
    left = sorted(place.files() - before)
    check(not left, f"uninstalling leaves {left}")
    total = time.monotonic() - began
    return f"Python {python.name:<5} {wheel.name}  import {importing * 1000:.0f} ms, all checks {total:.0f} s"


def imports_nothing_else(place: Environment) -> bool:
    """Whether importing the package loads no package but itself and NumPy."""
    listing = "import sys; old = {m.split('.')[0] for m in sys.modules}; import cyclotome; new = "
    listing += "{m.split('.')[0] for m in sys.modules} - old - set(sys.stdlib_module_names); print(*sorted(new))"
    return set(place.run("python", "-c", listing).split()) <= {"cyclotome", "numpy"}


def check_without_typer(place: Environment) -> None:
    """Who lacks the extra `cli` is told what to install, and nothing is taken to be on an index that is not."""
    hidden = "import sys; sys.modules['typer'] = None; sys.argv = ['cyclotome']; from cyclotome.cli import main; main()"
    said = place.run("python", "-c", hidden, code=1)
    check("pip install typer rich" in said and "cyclotome[" not in said, f"without typer it says {said}")


def check_cuda(python: Interpreter, wheels: Path, folder: Path) -> str:
    """The wheel with the CUDA engine beside the plain one: used when it is there, and without a trace when it goes."""
    wheel = wheel_for(python, wheels, "cyclotome_cuda")
    own = re.compile(r"cyclotome_cuda/|cyclotome_cuda-[\d.]+\.dist-info/")
    check_symbols(extension_in(wheel, folder / f"cuda-{python.name}", own))
    place = Environment(python, folder)
    place.install("numpy", "typer", "rich")
    place.install("cyclotome", wheels=wheels)
    before = place.files()
    built = "import cyclotome as cy; from cyclotome import cuda_device; print(cuda_device.facts()['built'])"
    check(place.run("python", "-c", built).strip() == "False", "the plain wheel says it has a CUDA engine")
    place.install("cyclotome-cuda", wheels=wheels)
    check(place.run("python", "-c", built).strip() == "True", "the CUDA engine is installed and not used")
    program, printed = first_use.program((ROOT / "README.md").read_text(encoding="utf-8"))
    check(place.run("python", "-c", program).strip() == printed, "the README's program prints something else")
    gpus = "from cyclotome import cuda_device; print(len(cuda_device.usable()))"
    if place.run("python", "-c", gpus).strip() == "0":
        refused = "import cyclotome as cy\ntry:\n    cy.keygen(cy.Parameters.preset('seal-4096'), device='cuda')\n"
        refused += "except cy.CyclotomeError as error:\n    print('refused:', error)\n"
        said = place.run("python", "-c", refused)
        check(said.startswith("refused:"), f"without a GPU it says {said}")
    doctor = place.run("cyclotome", "doctor")
    check("passed" in doctor, f"the self-test says {doctor}")
    place.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "cyclotome-cuda")
    left = sorted(place.files() - before)
    check(not left, f"uninstalling leaves {left}")
    check(place.run("python", "-c", built).strip() == "False", "the CUDA engine is gone and still used")
    return f"Python {python.name:<5} {wheel.name}: loads, refuses or computes, goes without a trace"


def main(arguments: list[str]) -> int:
    """Check all interpreters; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wheels", type=Path, default=ROOT / "dist")
    parser.add_argument("--cuda", action="store_true", help="check cyclotome-cuda beside the plain wheel")
    parser.add_argument("pythons", nargs="*")
    given = parser.parse_args(arguments)
    found = interpreters(given.pythons)
    if not found:
        sys.exit("there is no CPython from 3.10 on")
    checked = check_cuda if given.cuda else check_plain
    with tempfile.TemporaryDirectory() as folder:
        for python in found:
            try:
                print(checked(python, given.wheels.resolve(), Path(folder)), flush=True)
            except Failure as failure:
                print(f"Python {python.name}: {failure}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
