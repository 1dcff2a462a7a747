# SPDX-License-Identifier: Apache-2.0
"""Write where wheels and sdists come from, ``provenance.json`` beside them: SLSA's provenance 1.0.

An in-toto statement says which commit, lock files, compiler and system made which bytes (SHA-256), so that somebody
else can make them again (``tools/reproduce.py``) and compare. The same files made of the same commit by the same tools
give the same document. It is not signed: whoever publishes the files signs it with a key of theirs.

Usage: ``python tools/provenance.py [--folder dist]``; ``--check`` compares what lies there with the document instead.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NAME = "provenance.json"
KINDS = ("*.whl", "*.tar.gz", "*.cdx.json")
#: What a build by hand is, in words: steps of Makefile, which anybody can run.
BUILD_TYPE = "make wheels, make sdist and make sbom of the commit's Makefile"


def said(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def digest(path: Path) -> dict[str, str]:
    """SHA-256 of a file."""
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def made(folder: Path) -> list[Path]:
    """What is published of a folder."""
    return sorted(path for kind in KINDS for path in folder.glob(kind))


def statement(folder: Path) -> dict[str, Any]:
    """The document of all files of a folder.

    Raises:
        SystemExit: there are none, or the checkout has changes that no commit has.
    """
    files = made(folder)
    if not files:
        sys.exit(f"there is nothing to publish in {folder}; make wheels, make sdist and make sbom make it")
    if said("git", "status", "--porcelain", "--untracked-files=no"):
        sys.exit("the checkout has changes that are not committed; nobody could make the same files again")
    commit, epoch = said("git", "rev-parse", "HEAD"), said("git", "log", "-1", "--format=%ct")
    locks = sorted((ROOT / "requirements").glob("*.txt"))
    compiler = said(os.environ.get("CXX", "c++"), "--version").partition("\n")[0]
    system = f"{platform.system()} {platform.machine()} {'-'.join(platform.libc_ver())}"
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": digest(path)} for path in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"commit": commit},
                "internalParameters": {"compiler": compiler, "system": system, "SOURCE_DATE_EPOCH": epoch},
                "resolvedDependencies": [
                    {"name": "source", "digest": {"gitCommit": commit}},
                    *({"name": f"requirements/{path.name}", "digest": digest(path)} for path in locks),
                ],
            },
            "runDetails": {"builder": {"id": "by hand, on a machine of whoever publishes"}},
        },
    }


def differences(folder: Path) -> list[str]:
    """How the files of a folder and its document contradict each other; empty if they don't."""
    try:
        subjects = json.loads((folder / NAME).read_text(encoding="utf-8"))["subject"]
        stated = {each["name"]: each["digest"]["sha256"] for each in subjects}
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{NAME} can't be read: {error!r}"]
    there = {path.name: digest(path)["sha256"] for path in made(folder)}
    found = [f"{name}: not there" for name in stated.keys() - there.keys()]
    found += [f"{name}: not in the document" for name in there.keys() - stated.keys()]
    found += [f"{name}: other bytes" for name in stated.keys() & there.keys() if stated[name] != there[name]]
    return sorted(found)


def main(arguments: list[str]) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    parser.add_argument("--check", action="store_true", help="compare what lies there with the document")
    given = parser.parse_args(arguments)
    if given.check:
        found = differences(given.folder)
        print("\n".join(found) or "all as the document says")
        return 1 if found else 0
    text = json.dumps(statement(given.folder), indent=2, sort_keys=True) + "\n"
    (given.folder / NAME).write_text(text, encoding="utf-8")
    print(f"{given.folder / NAME}: {text.count('sha256')} digests")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
