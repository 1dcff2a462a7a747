# SPDX-License-Identifier: Apache-2.0
"""`cyclotome.map` on a Ray cluster of several nodes, of which some are lost in the middle of the work."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cyclotome as cy
import mapped_jobs
import pytest
import session_jobs
from cyclotome import errors
from small import encrypted, keys, same

ray = pytest.importorskip("ray", reason="ray is not installed: pip install '.[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

_NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 << 20}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A node that keeps the books and has no core for workers; tests add others."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "180")  # a machine that does other work too
    jobs = [str(Path(module.__file__).parent) for module in (mapped_jobs, session_jobs)]
    folders = os.pathsep.join([*jobs, os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", folders)
    made = Cluster(initialize_head=True, head_node_args={**_NODE, "num_cpus": 0, "include_dashboard": False})
    ray.init(address=made.address, log_to_driver=False, configure_logging=False)
    yield made
    ray.shutdown()
    made.shutdown()


def lost_in_the_middle(cluster: Any, nodes: list[Any], begun: threading.Event) -> threading.Thread:
    """Takes nodes away, without a word, once the work has begun."""

    def remove() -> None:
        begun.wait(120)
        for node in nodes:
            cluster.remove_node(node, allow_graceful=False)

    thread = threading.Thread(target=remove)
    thread.start()
    return thread


def batches(count: int, begun: threading.Event) -> Iterator[Any]:
    for i in range(count):
        if i == 6:
            begun.set()
        yield encrypted([i, 2], 20), 0.2


def test_a_node_that_is_lost_costs_its_own_batches_only(cluster: Any) -> None:
    """All results are right and in their order; those that were here are not computed again."""
    nodes = [cluster.add_node(**_NODE) for _ in range(2)]
    cluster.wait_for_nodes()
    begun = threading.Event()
    thread = lost_in_the_middle(cluster, nodes[1:], begun)
    found = cy.map(mapped_jobs.slowly, batches(16, begun), engine="ray", workers=2, keys=keys().evaluation, retries=1)
    thread.join()
    assert len(found) == 16
    for i, y in enumerate(found):
        same(y, i * i + 4)


def test_a_cluster_that_has_no_room_left_is_a_typed_error(cluster: Any) -> None:
    node = cluster.add_node(**_NODE)
    cluster.wait_for_nodes()
    begun = threading.Event()
    thread = lost_in_the_middle(cluster, [node], begun)
    with pytest.raises(errors.WorkerLostError):
        cy.map(mapped_jobs.slowly, batches(16, begun), engine="ray", workers=1, keys=keys().evaluation)
    thread.join()
