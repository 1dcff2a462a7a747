# SPDX-License-Identifier: Apache-2.0
"""Build the wheel of a commit twice, from two folders of other names and at other times, and compare the bytes.

With the packages of the environment that runs this (`make install-test` has them), so that both builds have one
compiler and one set of tools: what differs then is folders and time. Names every member of the wheels that differs. A
compiler cache gives the second build the first one's objects: set ``CCACHE_DISABLE=1`` to compile all of it twice.

Usage: ``python tools/reproduce.py [--commit HEAD] [--package .] [--option O] [--folders A B]``. Exit status 1: they
differ.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def checked_out(commit: str, folder: Path) -> None:
    """The commit's files, and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)


def wheel(folder: Path, package: str, epoch: str, options: list[str]) -> Path:
    """The one wheel that the folder makes."""
    out = folder / "made"
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    done = subprocess.run(
        [*command, *options, "-w", str(out), str(folder / package)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"{folder} does not build:\n{done.stdout}\n{done.stderr}")
    [made] = out.glob("*.whl")
    return made


def differences(one: Path, other: Path) -> list[str]:
    """Members of two wheels that are not equal, or not in the same place; empty if the files are equal."""
    if one.read_bytes() == other.read_bytes():
        return []
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(other) as second:
        names = [[info.filename for info in each.infolist()] for each in (first, second)]
        found = sorted(set(names[0]) ^ set(names[1]))
        found += [name for name in names[0] if name in names[1] and first.read(name) != second.read(name)]
    return found or ["the archive: order, times or modes of its members"]


def main() -> int:
    """Says whether the wheels are equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default="HEAD", help="what is built")
    parser.add_argument("--package", default=".", help="its folder with a pyproject.toml")
    parser.add_argument("--option", action="append", default=[], help="for pip, such as -Cbuild-dir=build/wheel")
    parser.add_argument("--folders", nargs=2, type=Path, help="empty ones; temporary ones by default")
    given = parser.parse_args()
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct", given.commit], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as place:
        folders = given.folders or [Path(place) / "one", Path(place) / "another" / "deeper"]
        made = []
        for folder in folders:
            checked_out(given.commit, folder.resolve())
            made.append(wheel(folder.resolve(), given.package, epoch, given.option))
        found = differences(*made)
        for name in found:
            print(f"differs: {name}")
        for each in made:
            print(f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}")
    print("equal" if not found else "not equal")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
