# SPDX-License-Identifier: Apache-2.0
"""``cyclotome search``: from vectors in files to numbers and scores; what contradicts itself, and what is no file of
it."""

from __future__ import annotations

from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cli_runner import run, succeed
from small import HOME


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("search")
    (made / "vectors.csv").write_text("1,0,0\n0.9,0.1,0\n0,1,0\n0,0,1\n")
    np.save(made / "asked.npy", np.array([[0, 0, 2.0], [1, 0, 0]]))
    built = succeed(
        *("search", "build", made / "vectors.csv", "-o", made / "index", "--description", made / "d"),
        *("--device", HOME, "--json"),
    )
    assert built.data["vectors"] == 4 and built.data["dimensions"] == 3 and built.data["clusters"] == 1
    return made


def test_from_vectors_to_the_nearest(folder: Path, tmp_path: Path) -> None:
    query, secret, answer = tmp_path / "query", tmp_path / "secret", tmp_path / "answer"
    said = succeed("search", "query", folder / "d", folder / "asked.npy", "-o", query, "--secret", secret, "--json")
    assert said.data["vectors"] == 2 and said.data["bytes"] == query.stat().st_size
    succeed("search", "answer", folder / "index", query, "-o", answer, "--device", HOME)
    found = succeed("search", "open", folder / "d", secret, answer, "-k", 2, "--json").data
    assert [(each["vector"], each["index"]) for each in found["nearest"][::2]] == [(0, 3), (1, 0)]
    assert found["nearest"][3]["index"] == 1 and len(found["errors"]) == 2
    lines = succeed("search", "open", folder / "d", secret, answer, "-k", 1).text.splitlines()
    assert [line.split()[:2] for line in lines] == [["0", "3"], ["1", "0"]]


def test_what_is_no_file_of_it(folder: Path, tmp_path: Path) -> None:
    query = ("search", "query", folder / "d")
    new = ("-o", tmp_path / "q", "--secret", tmp_path / "s")
    (tmp_path / "words").write_text("a,b\n")
    (tmp_path / "ragged").write_text("1,2\n3\n")
    (tmp_path / "cut.npy").write_bytes((folder / "asked.npy").read_bytes()[:-8])
    (tmp_path / "objects.npy").write_bytes(b"\x93NUMPY\x01\x00")
    np.save(tmp_path / "other.npy", np.ones((1, 7)))
    for name, code in (("words", 3), ("ragged", 3), ("cut.npy", 3), ("objects.npy", 3), ("none", 3), ("other.npy", 2)):
        assert run(*query, tmp_path / name, *new).code == code, name
    assert run(*query, folder / "asked.npy", *new, "--probes", 2).code == 2
    assert run("search", "query", folder / "index", folder / "asked.npy", *new).code == 3
    assert not (tmp_path / "q").exists() and not (tmp_path / "s").exists()
    build = ("search", "build", folder / "vectors.csv", "-o", tmp_path / "i", "--description", tmp_path / "d")
    assert run(*build, "--clusters", "many").code == 2
    assert run(*build, "--clusters", "9").code == 2
    assert run(*build, "--metric", "euclid").code == 2
    assert run("search", "answer", folder / "d", folder / "vectors.csv", "-o", tmp_path / "a").code == 3
    assert cy.search.Index.open(folder / "index").damaged_outputs() == []
