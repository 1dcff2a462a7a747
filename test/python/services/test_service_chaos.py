# SPDX-License-Identifier: Apache-2.0
"""Processes killed, also in the middle of an answer, the service killed, stored keys damaged, garbage and slow clients:
honest clients get right answers, and no refusal that they do not ask again after by themselves. Some seconds here;
minutes, with secure parameters, by `make test-chaos`. The loss of a cluster's nodes is in test_ray_nodes.py."""

from __future__ import annotations

import json
import os
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
import session_jobs

for package in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(package, reason="the extra serve is not installed")

from service_chaos import Chaos  # noqa: E402

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
JOBS = f"{session_jobs.__file__}:CHAOS"


def found(chaos: Chaos) -> None:
    """Every honest question was answered rightly, though everything did happen."""
    print(json.dumps({**chaos.counts, "wrong or refused": len(chaos.wrong)}))
    assert chaos.wrong == []
    for what in ("right answers", "workers killed", "stored keys damaged", "services killed", "garbage refused"):
        assert chaos.counts[what], what


@pytest.mark.slow
def test_honest_clients_are_served_whatever_happens(tmp_path: Path, rng: np.random.Generator) -> None:
    chaos = Chaos(tmp_path, JOBS, int(rng.integers(2**32)))
    try:
        events = [chaos.damage, chaos.kill_worker, chaos.kill_in_answer, chaos.damage, chaos.kill_service]
        chaos.run([*events, chaos.kill_worker, chaos.damage, chaos.kill_in_answer, chaos.kill_worker], 0.7, least=20)
    finally:
        chaos.service.process.kill()
        chaos.service.stop()
    found(chaos)


@pytest.mark.full
@pytest.mark.skipif("CYCLOTOME_CHAOS_SECONDS" not in os.environ, reason="takes minutes: make test-chaos")
def test_honest_clients_are_served_for_minutes(tmp_path: Path, rng: np.random.Generator) -> None:
    made = cy.Parameters.suggest(depth=1, value_bits=8, result_bits=16)
    chaos = Chaos(tmp_path, JOBS, int(rng.integers(2**32)), made=made)
    kinds = [chaos.kill_worker, chaos.kill_in_answer, chaos.damage]
    count = int(float(os.environ["CYCLOTOME_CHAOS_SECONDS"]) / 4)
    try:
        chaos.run([chaos.kill_service if i % 12 == 11 else kinds[i % 3] for i in range(count)], 3.5, least=20)
    finally:
        chaos.service.process.kill()
        chaos.service.stop()
    found(chaos)
    if report := os.environ.get("CYCLOTOME_CHAOS_REPORT"):
        Path(report).write_text(json.dumps(chaos.counts, indent=1) + "\n")
