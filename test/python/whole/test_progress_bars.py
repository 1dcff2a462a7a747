# SPDX-License-Identifier: Apache-2.0
"""Bars that are drawn without a callback, by tqdm or rich, and what stands where neither is there."""

from __future__ import annotations

import importlib.util
from typing import Any

import cyclotome as cy
import pytest
from cyclotome import progress_bars
from cyclotome.errors import MissingPackageError


def missing(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(progress_bars, "find_spec", lambda name: None if name in names else found(name))


def some_work() -> cy.Keys:
    return cy.keygen(cy.Parameters.suggest(depth=0, value_bits=8), rotations=[1, 2])


@pytest.mark.parametrize("package", ["tqdm", "rich"])
def test_bars_are_drawn_and_closed(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(package)
    missing(monkeypatch, {"tqdm": "rich", "rich": "tqdm"}[package])
    monkeypatch.setenv("FORCE_COLOR", "1")
    with cy.progress():
        some_work()
        some_work()  # the same bar again, from its beginning
    shown = capsys.readouterr()
    assert "generating keys" in shown.err + shown.out
    seen: list[Any] = []
    with cy.progress(lambda *step: seen.append(step)), cy.progress(None):
        some_work()
    assert seen == []


def test_without_a_package_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    missing(monkeypatch, "tqdm", "rich")
    with pytest.raises(MissingPackageError, match=r"tqdm or rich.*give progress\(\) a callback"), cy.progress():
        raise AssertionError("not reached")


def test_an_interrupted_operation_closes_its_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    closed: list[bool] = []
    import tqdm.auto

    class Line(tqdm.auto.tqdm):  # type: ignore[misc,type-arg]
        def close(self) -> None:
            closed.append(True)
            super().close()

    monkeypatch.setattr(tqdm.auto, "tqdm", Line)
    with pytest.raises(RuntimeError, match="stop"), cy.progress():
        some_work()
        raise RuntimeError("stop")
    assert closed
