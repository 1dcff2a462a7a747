# SPDX-License-Identifier: Apache-2.0
"""Tables as arguments and results of functions: scales, masks and categories arrive, and forged ones do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import pytest
import session_jobs
from cli_runner import run, succeed
from cyclotome import errors
from forged_tables import LIES, forged, split
from small import keys

MADE = keys((40961, 65537, 114689), value_bits=20)


def table(rng: np.random.Generator, rows: int = 9) -> pd.DataFrame:
    places = ["north", "south", "west"]
    frame = pd.DataFrame(
        {
            "price": rng.integers(-500, 500, rows) / 4,
            "sold": rng.integers(0, 100, rows),
            "where": pd.Categorical(rng.choice(places, rows), categories=places),
        }
    )
    frame.loc[1, "price"] = np.nan
    return frame


@pytest.fixture(scope="module", params=["this process", "a process"])
def server(request: pytest.FixtureRequest) -> Any:
    place = f"{Path(session_jobs.__file__)}:TABLES"
    with cy.Server(place, workers=int(request.param == "a process"), allow_insecure=True) as made:
        yield made


@pytest.fixture
def client(server: cy.Server) -> cy.Client:
    return cy.Client(server, MADE)


@pytest.mark.parametrize("way", ["public", "encrypted"])
def test_tables_go_there_and_come_back(client: cy.Client, rng: np.random.Generator, way: str) -> None:
    plain = table(rng)
    x = client.encrypt_frame(plain, missing={"price": way}, scales={"price": 2})
    more, total = client.call("income", x, np.arange(9), bound=9)
    wanted = plain["price"] * plain["sold"] + 0.5
    assert list(more) == ["price", "sold", "where", "income"]
    np.testing.assert_array_equal(more["income"].astype(float), wanted)
    np.testing.assert_array_equal(more["sold"], plain["sold"])
    assert more["where"].tolist() == plain["where"].tolist()
    assert total["total"].tolist() == [(plain["sold"] * np.arange(9)).sum()]


def test_groups_come_back_with_their_names(client: cy.Client, rng: np.random.Generator) -> None:
    plain = table(rng)
    sums = client.call("by_place", client.encrypt_frame(plain, missing="public"))
    assert isinstance(sums, pd.DataFrame) and sums.index.tolist() == ["north", "south", "west"]
    wanted = plain.groupby("where", observed=False)[["price", "sold"]].sum()
    np.testing.assert_array_equal(sums.to_numpy(float), wanted.to_numpy(float))


def test_a_column_by_itself_is_no_result(client: cy.Client, rng: np.random.Generator) -> None:
    with pytest.raises(errors.CyclotomeError, match="encrypted arrays"):
        client.call("column_alone", client.encrypt_frame(table(rng), missing="public"))


@pytest.mark.parametrize("lie", list(LIES))
def test_tables_that_lie_are_refused(server: cy.Server, client: cy.Client, rng: np.random.Generator, lie: str) -> None:
    """As arguments and as answers, whatever stands before and behind them."""
    name = client.send_keys()
    data = client.request(client.encrypt_frame(table(rng), missing={"price": "public"}, scales={"price": 2}))
    assert server.call("by_place", forged(data, lambda _: None), name)  # else nothing is tried here
    wrong = forged(data, LIES[lie])
    for request in (wrong, wrong + client.request([1], bound=5), client.request([1], bound=5) + wrong):
        with pytest.raises(errors.CyclotomeError) as caught:
            server.call("by_place", request, name)
        assert not isinstance(caught.value, errors.FunctionError)  # none of them reached a function
    with pytest.raises(errors.FormatError):
        client.read(wrong, unbound=True)


def test_tables_of_others_and_in_pieces(server: cy.Server, client: cy.Client, rng: np.random.Generator) -> None:
    name = client.send_keys()
    stranger = cy.keygen(MADE.secret.parameters)
    theirs = cy.encrypt_frame(table(rng), stranger.secret, missing="public")
    with pytest.raises(errors.MismatchError):
        client.request(theirs)
    with pytest.raises(errors.MismatchError):
        server.call("by_place", cy.to_bytes(theirs), name)
    with pytest.raises(errors.MismatchError):
        client.read(cy.to_bytes(theirs), unbound=True)
    data = client.request(client.encrypt_frame(table(rng), missing="public"))
    pieces = split(data)
    for wrong in (
        data[:-1],
        b"".join(pieces[:-1]),
        pieces[0],
        b"".join([pieces[0], *pieces[:0:-1]]),
        b"".join([*pieces[:-1], split(cy.to_bytes(theirs))[-1]]),
        b"".join(pieces[1:]) + pieces[0],
    ):
        with pytest.raises(errors.CyclotomeError):
            server.call("by_place", wrong, name)
        with pytest.raises(errors.CyclotomeError):
            client.read(wrong, unbound=True)


def test_a_secret_key_among_a_table_s_arrays_is_refused(
    server: cy.Server, client: cy.Client, rng: np.random.Generator, tmp_path: Path
) -> None:
    cy.save(tmp_path / "s.key", MADE.secret)
    pieces = split(client.request(client.encrypt_frame(table(rng), missing="public")))
    secret = (tmp_path / "s.key").read_bytes()
    for wrong in (b"".join([pieces[0], secret, *pieces[2:]]), b"".join([*pieces, secret])):
        with pytest.raises(errors.SecrecyError):
            server.call("by_place", wrong, client.send_keys())


def test_plans_of_tables_hold(rng: np.random.Generator) -> None:
    quotas = cy.sessions.Quotas(planned_seconds=1e-9)
    with cy.Server(session_jobs.TABLES, allow_insecure=True, quotas=quotas) as server:
        client = cy.Client(server, MADE)
        with pytest.raises(errors.QuotaError, match="the job takes about"):
            client.call("by_place", client.encrypt_frame(table(rng), missing="public"))


def test_the_command_line_sends_tables(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="the extra serve is not installed")
    from service_runner import Running

    (tmp_path / "x.csv").write_text("price,sold\n1.25,3\n-0.5,4\n")
    succeed("params", "--depth", 1, "--value-bits", 12, "--result-bits", 28, "-o", tmp_path / "p.ct")
    succeed("keygen", tmp_path / "p.ct", "--out", tmp_path / "keys")
    x, y, secret = tmp_path / "x.ct", tmp_path / "y.ct", tmp_path / "keys/secret.key"
    succeed("encrypt", tmp_path / "x.csv", "--scale", "price=2", "-k", secret, "-o", x)
    (tmp_path / "jobs.py").write_text(
        "def income(t):\n    return t.assign(income=t['price'] * t['sold'])\n\nfunctions = {'income': income}\n"
    )
    jobs = f"{tmp_path / 'jobs.py'}:functions"
    with Running("--parameters", tmp_path / "p.ct", jobs=jobs) as service:
        succeed("call", service.url, "income", x, "-k", tmp_path / "keys/evaluation.key", "-o", y)
        out = succeed("decrypt", y, "-k", secret).text
        assert "price,sold,income" in out and "1.25,3,3.75" in out and "-0.5,4,-2" in out.replace("-2.00", "-2")
        other = tmp_path / "other"
        succeed("keygen", tmp_path / "p.ct", "--out", other)
        assert run("call", service.url, "income", x, "-k", other / "evaluation.key", "-o", y, "--force").code == 5
