# SPDX-License-Identifier: Apache-2.0
"""Write ``requirements/*.txt``: every package that a build, a test run or a release takes, in one version, with hashes.

The lists come from ``pyproject.toml`` here and in the folders of the other distributions; uv resolves them for every
Python from 3.10 on and every system at once. The distributions themselves are on no index and are left out.

Usage: ``python tools/lock.py [--upgrade]``, with uv in PATH. Without ``--upgrade`` versions change where they must
only.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # what 3.10 lacks
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (".", "bench", "demo", "hdl", "reader", "study")
#: The files, each named as what it locks: a dependency group, or all that tests import.
GROUPS = ("build", "lint", "docs", "wheels", "test")


def projects() -> list[dict[str, Any]]:
    """All that the files of the distributions say."""
    return [tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")) for folder in FOLDERS]


def requirements(group: str) -> list[str]:
    """What a group takes, but for the distributions of this checkout."""
    everything = projects()
    if group == "test":
        wanted = [each for project in everything for each in project["project"]["dependencies"]]
        for extra in everything[0]["project"]["optional-dependencies"].values():
            wanted += extra
    else:
        wanted = list(everything[0]["dependency-groups"][group])
    return sorted({each for each in wanted if not re.match(r"cyclotome\b", each)})


def main(arguments: list[str]) -> int:
    """Write the files; the exit status."""
    (ROOT / "requirements").mkdir(exist_ok=True)
    for group in GROUPS:
        command = [
            "uv",
            "pip",
            "compile",
            "-",
            "--universal",
            "--python-version",
            "3.10",
            "--generate-hashes",
            "--quiet",
        ]
        command += [
            "--quiet",
            "--custom-compile-command",
            "make lock",
            "--output-file",
            f"requirements/{group}.txt",
            *arguments,
        ]
        text = "\n".join(requirements(group)) + "\n"
        status = subprocess.run(command, input=text, text=True, cwd=ROOT).returncode
        if status != 0:
            return status
        print(f"requirements/{group}.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
