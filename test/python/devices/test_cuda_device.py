# SPDX-License-Identifier: Apache-2.0
"""Devices by name, and what is said where there is no GPU; needs none."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import pytest
from cyclotome import _core
from cyclotome.devices import contexts, cuda
from cyclotome.errors import EngineError
from small import parameters

FOUND: dict[str, Any] = {
    "built": True,
    "runtime": 13000,
    "driver": 13000,
    "problem": "",
    "devices": [
        {
            "index": 0,
            "name": "A",
            "compute_capability": "9.0",
            "code": "9.0",
            "memory": 1 << 33,
            "memory_free": 1 << 32,
            "problem": "",
        },
        {
            "index": 1,
            "name": "B",
            "compute_capability": "7.5",
            "code": "",
            "memory": 1,
            "memory_free": 0,
            "problem": "too old: ...",
        },
    ],
}


def test_names() -> None:
    assert contexts.device_name("cuda") == contexts.device_name("cuda:0") == "cuda:0"
    assert contexts.device_name("cuda:12") == "cuda:12"
    for name in ("cuda:", "cuda:-1", "cuda:01", "cuda:x", "cuda:0:1", "CUDA", " cuda"):
        with pytest.raises(EngineError, match=r"is unknown; there are .*'cuda:<index>'"):
            contexts.device_name(name)


@pytest.mark.skipif(bool(cuda.usable()), reason="there is a GPU")
def test_without_a_gpu() -> None:
    assert contexts.device_name("auto") == "cpu"
    advice = "driver|GPU" if _core.cuda_built else "make install-cuda"
    with pytest.raises(EngineError, match=advice) as raised:
        cy.keygen(parameters(), device="cuda")
    assert "cyclotome doctor" in str(raised.value)
    facts = _core.cuda_facts()
    assert facts["built"] == _core.cuda_built and facts["problem"] and facts["devices"] == []
    assert not cuda.state().startswith("ready")


def test_a_gpu_that_does_not_exist() -> None:
    with pytest.raises(EngineError, match="cyclotome doctor"):
        contexts.engine_on("cuda:999")


def test_what_people_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "cuda_facts", lambda: FOUND)
    monkeypatch.setattr(cuda, "driver_version", lambda: "580.1.2")
    assert cuda.usable() == ["cuda:0"]
    state = cuda.state()
    assert state.startswith("ready; driver 580.1.2 (CUDA 13.0); cuda:0 A, compute capability 9.0, 4.0 GiB of 8.0 GiB")
    assert state.endswith("cuda:1 B, compute capability 7.5: too old: ...")


@pytest.mark.parametrize(("code", "slower"), [("8.0", True), ("8.6", True), ("9.0", False)])
def test_code_for_an_older_gpu_is_named(monkeypatch: pytest.MonkeyPatch, code: str, slower: bool) -> None:
    found = FOUND | {"devices": [FOUND["devices"][0] | {"code": code}]}
    monkeypatch.setattr(_core, "cuda_facts", lambda: found)
    assert (f"this build has code for {code} only" in cuda.state()) == slower


def test_auto_takes_a_gpu_only_if_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []

    def works(index: int) -> Any:
        opened.append(index)
        return _core.CpuEngine(1)

    def fails(index: int) -> Any:
        raise EngineError("no")

    monkeypatch.setattr(_core, "cuda_engine", works)
    monkeypatch.setattr(contexts, "_engines", type(contexts._engines)())
    assert contexts.device_name("auto") == "cuda:0" and opened == [0]
    monkeypatch.setattr(_core, "cuda_engine", fails)
    assert contexts.device_name("auto") == "cpu"


def test_synchronising_a_cpu_engine_does_nothing() -> None:
    engine = contexts.engine_on("cpu:1")
    engine.synchronize()
    assert len(_core.engine_memory(engine)) == 2
