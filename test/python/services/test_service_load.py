# SPDX-License-Identifier: Apache-2.0
"""200 clients at once, garbage among them: no wrong answer, no leak, bounded memory. Seconds here; minutes, with secure
parameters, by `make test-service`."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest

for package in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(package, reason="the extra serve is not installed")

from service_load import Load, questions  # noqa: E402
from service_runner import Running  # noqa: E402
from small import parameters  # noqa: E402

CLIENTS = 200
#: Processes, and jobs at a time in all of them.
WORKERS, PLACES = 2, 6
#: What the service may grow by, beyond what it had when all its clients' keys and first requests were there.
GROWTH = 96 << 20


def loaded(
    made: cy.Parameters, seconds: float, rng: np.random.Generator, report: Path | None, *options: object
) -> None:
    """Runs the service under load and looks at what came of it."""
    with Running(
        "--workers", WORKERS, "--jobs", PLACES // WORKERS, "--header-seconds", 2, "--body-seconds", 5, *options
    ) as running:
        owners = [cy.Client(running.url, cy.keygen(made, device="cpu:1")) for _ in range(4)]
        names = [owner.send_keys() for owner in owners]
        asked = questions(owners, names, rng, each=4)
        for owner in owners:  # each worker meets the keys
            for _ in range(3):
                owner.call("total", [1, 2], bound=5)
            owner.close()
        time.sleep(0.5)
        files, threads, before = running.files(), running.threads(), running.resident()
        load = Load(running, asked, seed=int(rng.integers(2**32)))
        began = time.monotonic()
        outcome = asyncio.run(load.run(CLIENTS, seconds, least=CLIENTS))
        elapsed = time.monotonic() - began
        time.sleep(5)  # connections that were left are closed after their time
        figures: dict[str, Any] = outcome.figures(running, elapsed, CLIENTS)
        figures["resident MiB before"] = round(before / 2**20)
        figures["files before and after"] = [files, running.files()]
        figures["threads before and after"] = [threads, running.threads()]
        print(json.dumps(figures))
        if report is not None:
            report.write_text(json.dumps(figures, indent=1) + "\n")
        assert not outcome.wrong, outcome.wrong[:5]
        assert outcome.answers >= CLIENTS and sum(outcome.refused.values()) > CLIENTS / 2
        # Threads in which jobs are waited for begin when they are first needed, one for each place, and those that
        # hash and write keys, as many as asyncio has.
        writers = min(32, (os.cpu_count() or 1) + 4)
        assert running.files() <= files + 2 and running.threads() <= threads + PLACES + writers
        assert max(size for _, size in outcome.resident) < before + GROWTH + CLIENTS * (1 << 20)
        # A leak grows as long as it is fed: the last third holds no more than the second.
        third = elapsed / 3
        middle = [size for at, size in outcome.resident if third <= at < 2 * third]
        last = [size for at, size in outcome.resident if at >= 2 * third]
        assert np.median(last) < np.median(middle) + (16 << 20)
        with cy.Client(running.url, cy.keygen(made)) as fresh:  # and it still serves
            assert fresh.call("total", [1, 2, 3], bound=5) == 6
        assert running.stop() == 0
        assert not [line for line in running.raw if "Traceback" in line]


@pytest.mark.slow
def test_clients_by_the_hundred_for_seconds(rng: np.random.Generator) -> None:
    loaded(parameters(), 8, rng, None, "--allow-insecure")


@pytest.mark.full
def test_clients_by_the_hundred_for_minutes(rng: np.random.Generator) -> None:
    """CYCLOTOME_LOAD_SECONDS and CYCLOTOME_LOAD_REPORT say how long, and where to write figures."""
    report = os.environ.get("CYCLOTOME_LOAD_REPORT")
    made = cy.Parameters.suggest(depth=1, value_bits=6, terms=16)
    loaded(made, float(os.environ.get("CYCLOTOME_LOAD_SECONDS", "120")), rng, None if report is None else Path(report))
