# SPDX-License-Identifier: Apache-2.0
"""Container files, as far as they can be judged without building them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("typer")

from cli_runner import succeed

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "container").glob("*.Containerfile"))


def instructions(path: Path) -> list[tuple[str, str]]:
    """Each instruction and its arguments, lines that go on joined."""
    text = re.sub(r"^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]  # type: ignore[misc]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_container_file_keeps_the_usual_rules(path: Path) -> None:
    lines = instructions(path)
    names = [name for name, _ in lines]
    known = {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "RUN", "STOPSIGNAL", "USER"}
    assert set(names) <= known | {"VOLUME", "WORKDIR"}
    for image in (arguments.split()[0] for name, arguments in lines if name == "FROM"):
        assert re.fullmatch(r"[\w./-]+:[\w.-]*\d[\w.-]*", image), f"{image}: pinned to a tag with a version"
    last = len(names) - 1 - names[::-1].index("FROM")
    assert names[last:].count("USER") == 1  # of the image that runs, and not root
    assert dict(lines[last:])["USER"] not in ("0", "root")
    assert names.index("ENTRYPOINT") > last and names.count("HEALTHCHECK") == 1
    for name, arguments in lines:
        if name == "RUN" and "apt-get install" in arguments:
            assert "--no-install-recommends" in arguments and "rm -rf /var/lib/apt/lists/*" in arguments
        if name == "RUN" and "pip install" in arguments:
            assert "--no-cache-dir" in arguments
            wanted = re.search(r"\.\[([\w,]+)\]", arguments)
            assert wanted and set(wanted[1].split(",")) == {"cli", "serve"}
        if name == "ENV":
            assert not re.search(r"(?i)token|secret|password", arguments)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_its_command_is_one_that_there_is(path: Path) -> None:
    given = dict(instructions(path))
    assert json.loads(given["ENTRYPOINT"]) == ["cyclotome", "serve"]
    shown = succeed("serve", "--help").text
    command = json.loads(given["CMD"])
    assert command[0] == "jobs.py:functions"
    assert [word for word in command if word.startswith("--") and word not in shown] == []
    assert command[command.index("--host") + 1] == "0.0.0.0"  # or nobody outside reaches it
    protected = {"--tokens", "--certificate", "--insecure-public"} & set(command)
    assert protected  # or it refuses to begin
    assert "--insecure-public" not in protected or "publish" in path.read_text(encoding="utf-8")  # says who reaches it


def test_the_compose_file_builds_one_of_them() -> None:
    text = (ROOT / "container/compose.yaml").read_text(encoding="utf-8")
    (name,) = re.findall(r"dockerfile: (\S+)", text)
    assert ROOT / name in FILES
    assert '"127.0.0.1:8000:8000"' in text and "read_only: true" in text and "cap_drop: [ALL]" in text


def test_secrets_stay_out_of_the_build() -> None:
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "build", "*.key"} <= set(ignored)
