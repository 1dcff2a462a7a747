# SPDX-License-Identifier: Apache-2.0
"""The recipe that builds other libraries' programs, with a `go` that says what it is asked: folders are those that the
caller named, wherever the recipe goes meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

RECIPE = Path(__file__).resolve().parents[3] / "bench" / "peers" / "build"

pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None or not RECIPE.is_file(), reason="needs bash and the sources' bench/peers"
)


def built(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The recipe run in a folder, with a `go` that writes its arguments into the file asked."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "go").write_text(f'#!/bin/sh\necho "$@" >> {folder}/asked\n')
    (tools / "go").chmod(0o755)
    return subprocess.run(
        ["bash", str(RECIPE), *arguments],
        cwd=folder,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_modules_are_found_from_where_the_recipe_is_called(tmp_path: Path) -> None:
    for name in ("lattigo", "go/crypto", "sys"):
        (tmp_path / name).mkdir(parents=True)
    modules = ("--module", "golang.org/x/crypto=go/crypto", "--module", f"golang.org/x/sys={tmp_path / 'sys'}")
    done = built(tmp_path, "lattigo", "lattigo", "-o", "out", *modules, "--module", "github.com/kr/text")
    assert done.returncode == 0, done.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    empty = tmp_path / "out/build-lattigo/empty/github.com/kr/text"
    assert [line.removeprefix("mod edit -replace ") for line in asked[:-1]] == [
        f"github.com/tuneinsight/lattigo/v6={tmp_path / 'lattigo'}",
        f"golang.org/x/crypto={tmp_path / 'go/crypto'}",
        f"golang.org/x/sys={tmp_path / 'sys'}",
        f"github.com/kr/text={empty}",
    ]
    assert (empty / "go.mod").read_text() == "module github.com/kr/text\n"
    assert f"-o {tmp_path / 'out/lattigo'} ." in asked[-1]


@pytest.mark.parametrize(
    "arguments",
    [
        ("lattigo", "sources", "--module", "golang.org/x/sys=nowhere"),
        ("seal", "sources", "--hexl", "nowhere", "--cpu-features", "sources"),
        ("seal", "sources", "--hexl", "sources", "--cpu-features", "nowhere"),
        ("seal", "nowhere"),
    ],
)
def test_folders_that_are_not_there_are_named(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "sources").mkdir()
    done = built(tmp_path, *arguments)
    assert done.returncode == 1 and "there is no folder nowhere" in done.stderr
    assert not (tmp_path / "asked").exists() and not (tmp_path / "peers").exists()
