# SPDX-License-Identifier: Apache-2.0
"""Figures for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ..sessions.server import Server

__all__ = ["Metrics"]


class Metrics:
    """Counts of one service; labels take known values only, so that nobody can fill memory with new ones."""

    def __init__(self, server: Server) -> None:
        self._registry = CollectorRegistry()
        self._functions = frozenset(server.functions)
        of: dict[str, Any] = {"registry": self._registry, "namespace": "cyclotome"}
        self._requests = Counter("requests", "Answers, by what was asked and status.", ["route", "status"], **of)
        self._errors = Counter("errors", "Refusals and failures, by class.", ["error"], **of)
        self._received = Counter("received_bytes", "Bytes of requests and keys.", ["route"], **of)
        self._sent = Counter("sent_bytes", "Bytes of answers.", ["route"], **of)
        self._seconds = Histogram("job_seconds", "Time of jobs where they ran.", ["function"], buckets=_BUCKETS, **of)
        self._waited = Histogram("wait_seconds", "Time of jobs before they ran.", buckets=_BUCKETS, **of)
        self._planned = Counter("planned_seconds", "Time of jobs by their plans, for one core.", ["function"], **of)
        self._looked_up = Histogram(
            "look_up_seconds", "Time of private look-ups and searches.", ["database"], buckets=_BUCKETS, **of
        )
        self.disconnects = Counter("disconnects", "Clients that went away before their answer.", **of)
        ProcessCollector(registry=self._registry)
        self._registry.register(_Held(server))

    def answered(self, route: str, status: int, error: str | None, received: int, sent: int) -> None:
        """Counts an answer."""
        self._requests.labels(route, str(status)).inc()
        self._received.labels(route).inc(received)
        self._sent.labels(route).inc(sent)
        if error is not None:
            self._errors.labels(error).inc()

    def worked(self, function: str, seconds: float, planned: float | None, waited: float) -> None:
        """Counts a job."""
        name = function if function in self._functions else "unknown"
        self._seconds.labels(name).observe(seconds)
        self._waited.observe(max(waited, 0.0))
        if planned is not None and planned == planned:  # not NaN
            self._planned.labels(name).inc(planned)

    def looked_up(self, database: str, seconds: float, waited: float) -> None:
        """Counts answers of a database that there is."""
        self._looked_up.labels(database).observe(seconds)
        self._waited.observe(max(waited, 0.0))

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)


_BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


class _Held(Collector):
    """What the server holds at the moment."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def collect(self) -> Iterable[Metric]:
        """As prometheus-client's collectors."""
        server = self._server
        yield GaugeMetricFamily("cyclotome_jobs", "Jobs that wait or run.", server.admission.jobs)
        yield GaugeMetricFamily("cyclotome_jobs_running", "Those that run.", server.turns.running)
        yield GaugeMetricFamily("cyclotome_places", "Jobs that can run at a time.", server.turns.places)
        yield GaugeMetricFamily("cyclotome_request_bytes", "Bytes of their requests.", server.admission.held_bytes)
        yield GaugeMetricFamily("cyclotome_key_sets", "Sets of keys that are held.", len(server.keys))
        yield GaugeMetricFamily("cyclotome_key_bytes", "Their bytes.", server.keys.nbytes)
        yield from _databases(server)
        processes = server.processes
        yield GaugeMetricFamily("cyclotome_workers", "Processes that compute.", processes.count if processes else 0)
        replaced = processes.replaced if processes else 0
        yield GaugeMetricFamily("cyclotome_workers_replaced", "Processes that had to be replaced.", replaced)


def _databases(server: Server) -> Iterable[Metric]:
    replaced = GaugeMetricFamily("cyclotome_databases_replaced", "Files that took a name.", labels=["database"])
    refused = GaugeMetricFamily("cyclotome_databases_refused", "Those that are no database.", labels=["database"])
    for name, (good, bad) in server.databases.counts.items():
        replaced.add_metric([name], good)
        refused.add_metric([name], bad)
    return replaced, refused
