# SPDX-License-Identifier: Apache-2.0
"""Databases over HTTP and on the command line: read, searched, replaced while they are served, refused, counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cli_runner import run, succeed
from cyclotome import errors
from cyclotome.sessions.remote import Remote
from service_runner import Running
from small import HOME

httpx = pytest.importorskip("httpx", reason="the extra serve is not installed")
for package in ("fastapi", "uvicorn", "prometheus_client"):
    pytest.importorskip(package, reason="the extra serve is not installed")

VECTORS = np.random.default_rng(2).normal(size=(50, 5))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served")
    cy.pir.Database.build({"Paris": b"France", "Rome": b"Italy"}, made / "capitals.pir", device=HOME)
    cy.search.Index.build(VECTORS, made / "vectors.index", device=HOME)
    return made


@pytest.fixture(scope="module")
def service(folder: Path) -> Any:
    places = (f"capitals={folder / 'capitals.pir'}", f"vectors={folder / 'vectors.index'}")
    options = [option for place in places for option in ("--database", place)]
    with Running(*options, "--workers", 2, "--request-mib", 1, jobs=None) as running:
        yield running
        assert running.stop() == 0


def test_records_and_vectors_are_found_over_http(service: Running, folder: Path, tmp_path: Path) -> None:
    there = cy.sessions.ServedDatabase(service.url, "capitals", cache=tmp_path / "capitals")
    assert cy.pir.Reader(there, device=HOME).read(["Rome", "Oslo"]) == [b"Italy", None]
    there.close()
    assert (tmp_path / "capitals").read_bytes() == cy.pir.Database.open(folder / "capitals.pir").description
    found = cy.search.Searcher(cy.sessions.ServedDatabase(service.url, "vectors"), device=HOME).search(VECTORS[7], k=1)
    assert found.indices == [[7]]
    facts = Remote(service.url).facts
    assert set(facts["databases"]) == {"capitals", "vectors"} and facts["functions"] == []


def test_the_command_line_asks(service: Running, tmp_path: Path) -> None:
    asked = ("pir", "ask", service.url, "capitals", "--cache", tmp_path / "cache")
    assert succeed(*asked, "--key", "Paris").text == "France\n"
    assert succeed(*asked, "--key", "Rome", "--json").data["hexadecimal"] == b"Italy".hex()
    assert run(*asked, "--key", "Oslo").code == 1
    assert run(*asked).code == 2
    assert run("pir", "ask", service.url, "none", "--key", "x").code == 2
    np.save(tmp_path / "q.npy", VECTORS[[3, 4]])
    said = succeed("search", "ask", service.url, "vectors", tmp_path / "q.npy", "--count", 2, "--json").data
    assert [each["index"] for each in said["nearest"]][::2] == [3, 4]


@pytest.mark.parametrize(
    ("status", "error", "path", "content"),
    [
        (422, "ArgumentError", "/v1/databases/none", b"x"),
        (400, "FormatError", "/v1/databases/capitals", b""),
        (400, "FormatError", "/v1/databases/capitals", b"garbage"),
        (409, "MismatchError", "/v1/databases/capitals", b"cyPIRq01" + bytes(40)),
        (413, "QuotaError", "/v1/databases/capitals", bytes((1 << 20) + 1)),
        (422, "ArgumentError", "/v1/call/total", b"x"),
    ],
)
def test_refusals_have_statuses(service: Running, status: int, error: str, path: str, content: bytes) -> None:
    answer = httpx.post(service.url + path, content=content)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert httpx.get(service.url + "/v1/databases/none").status_code == 422


def test_a_database_is_replaced_while_it_is_served(service: Running, folder: Path) -> None:
    reader = cy.pir.Reader(cy.sessions.ServedDatabase(service.url, "capitals"), device=HOME)
    assert reader.get("Paris") == b"France"
    old = reader.client
    waiting = old.query("Paris")
    cy.pir.Database.build({"Paris": b"Texas", "Oslo": b"Norway"}, folder / "capitals.pir", device=HOME)
    assert reader.get("Oslo") is None and reader.client is old  # its version is answered for a while
    answered = Remote(service.url).look_up("capitals", waiting.data)
    assert waiting.open(answered) == b"France"
    again = cy.pir.Reader(cy.sessions.ServedDatabase(service.url, "capitals"), device=HOME)
    assert again.read(["Paris", "Oslo", "Rome"]) == [b"Texas", b"Norway", None]
    figures = httpx.get(service.url + "/metrics").text
    assert 'cyclotome_databases_replaced{database="capitals"} 1.0' in figures
    count = next(
        line for line in figures.splitlines() if line.startswith('cyclotome_look_up_seconds_count{database="c')
    )
    assert float(count.split()[-1]) >= 4


def test_wrong_options_are_told(folder: Path) -> None:
    for given in ("capitals", "=x", "a="):
        assert run("serve", "--database", given).code == 2
    place = f"a={folder / 'capitals.pir'}"
    assert run("serve", "--database", place, "--database", place).code == 2
    assert run("serve", "--database", "a=/nowhere/x").code == 3
    assert run("serve").code == 2


def test_a_service_that_describes_nothing(tmp_path: Path) -> None:
    class Silent:
        def describe(self, database: str, version: str = "") -> bytes:
            return b""

        def look_up(self, database: str, queries: bytes) -> bytes:
            raise errors.BusyError("never")

    with pytest.raises(errors.MismatchError, match="with nothing"):
        cy.pir.Reader(cy.sessions.ServedDatabase(Silent(), "x"), device=HOME)
