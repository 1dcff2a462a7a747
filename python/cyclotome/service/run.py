# SPDX-License-Identifier: Apache-2.0
"""Running the service until it is told to stop."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import uvicorn

from .. import _core
from ..errors import ArgumentError, FileError
from ..sessions.server import Server
from . import logs
from .app import Service, make_app
from .clients import Clients
from .connections import GuardedProtocol

__all__ = ["Listening", "serve"]


@dataclass(frozen=True)
class Listening:
    """Where and how a service listens."""

    host: str = "127.0.0.1"
    port: int = 8000
    #: Name and SHA-256 of each client's token; None: everybody may ask.
    tokens: Path | None = None
    #: Certificate and key, PEM; None where something before this service ends TLS.
    certificate: Path | None = None
    certificate_key: Path | None = None
    #: Seconds for a request's headers (looked at so often), for its body, and for jobs after a signal to stop.
    header_seconds: float = 10.0
    body_seconds: float = 60.0
    stop_seconds: float = 30.0
    #: Connections at a time; more are answered 503.
    connections: int = 1024
    #: Addresses of proxies whose X-Forwarded-For is believed.
    proxies: str = "127.0.0.1"
    #: Whether it may be reached from other machines with neither TLS nor tokens.
    insecure_public: bool = False

    def __post_init__(self) -> None:
        """Raises ArgumentError for an address that others reach, with nothing that tells them apart or hides what they
        say, unless that is meant."""
        protected = self.tokens is not None or self.certificate is not None
        if not (protected or self.insecure_public or _only_here(self.host)):
            raise ArgumentError(
                f"host {self.host!r} is reached from other machines, and there are neither TLS nor tokens: anybody "
                "could compute here, and read along. Say --tokens, --certificate and --certificate-key, a loopback "
                "address such as 127.0.0.1, or --insecure-public where something before the service has them"
            )


def _only_here(host: str) -> bool:
    """Whether an address is this machine's own alone. A name is what it stands for now; one that stands for nothing
    is not."""
    try:
        found = socket.getaddrinfo(host, None) if host else []
        return bool(found) and all(ip_address(each[4][0]).is_loopback for each in found)
    except (OSError, ValueError):
        return False


class _Server(uvicorn.Server):
    """Says where it listens when it does."""

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        """As the base class."""
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.started:
            for server in self.servers:
                for each in server.sockets:
                    host, port, *_ = each.getsockname()
                    logs.event("listening", address=f"{host}:{port}")


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """uvicorn stops at these signals and then raises them once more, for whoever started it: nobody did."""
    signals = (signal.SIGTERM, signal.SIGINT) if threading.current_thread() is threading.main_thread() else ()
    before = [(each, signal.signal(each, lambda *_: None)) for each in signals]
    try:
        yield
    finally:
        for each, handler in before:
            signal.signal(each, handler)


def serve(server: Server, listening: Listening, level: str = "INFO") -> None:
    """Serves until SIGTERM or Ctrl-C; then refuses new requests, lets jobs end, and closes the server.

    Raises:
        FileError: the address is in use, or a certificate can't be read.
    """
    logs.configure(level)

    class Guarded(GuardedProtocol):
        tick = listening.header_seconds

    service = Service(server, Clients(listening.tokens), listening.body_seconds)
    tls = {"ssl_certfile": listening.certificate, "ssl_keyfile": listening.certificate_key}
    for path in tls.values():
        if path is not None and not os.access(path, os.R_OK):
            raise FileError(f"{path} can't be read")
    config = uvicorn.Config(
        make_app(service),
        host=listening.host,
        port=listening.port,
        http=Guarded,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=listening.connections,
        timeout_keep_alive=max(1, round(listening.header_seconds)),
        timeout_graceful_shutdown=max(1, round(listening.stop_seconds)),
        forwarded_allow_ips=listening.proxies,
        **{name: str(path) for name, path in tls.items() if path is not None},  # type: ignore[arg-type]
    )
    processes = server.processes
    logs.event(
        "starting",
        version=_core.version(),
        functions=list(server.functions),
        workers=processes.count if processes else 0,
        jobs=server.jobs,
    )
    running = _Server(config)
    try:
        with _stopped_by_signals():
            running.run()
    except SystemExit:  # uvicorn's way to say that it can't listen, which it has logged
        raise FileError(f"can't listen on {listening.host}:{listening.port}: is the address in use?") from None
    finally:
        server.close()
        logs.event("stopped")
