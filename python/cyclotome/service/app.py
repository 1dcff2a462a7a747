# SPDX-License-Identifier: Apache-2.0
"""The service's routes. They move bytes within quotas; what these mean, the server's processes find out."""

from __future__ import annotations

import asyncio
import base64
import functools
import math
import re
import secrets
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from .. import _core
from ..errors import ArgumentError, BusyError, QuotaError
from ..failures import http_status
from ..files import to_bytes
from ..sessions.server import Server
from ..sessions.turns import Turn, Turns
from ..sessions.workers import described
from ..text import byte_size
from . import logs
from .clients import Clients
from .metrics import Metrics

__all__ = ["Service", "make_app"]

_REQUEST_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_BINARY = "application/octet-stream"
#: Seconds, at least and at most, after which a client that was refused for want of room may ask again.
_SOONEST, _LATEST = 1.0, 3600.0
#: Bytes of keys that are hashed and written at a time.
_BATCH = 256 << 10


class Later(NamedTuple):
    """When to ask again: after these seconds, and up to as many more as ``jitter`` says, drawn by each client for
    itself, so that they do not all come at once."""

    seconds: float
    jitter: float

    def headers(self) -> dict[str, str]:
        """For those who read no bodies."""
        return {"Retry-After": str(math.ceil(self.seconds))}


class Service:
    """What the routes share: the server, who may ask, figures, and threads in which jobs are waited for."""

    def __init__(self, server: Server, clients: Clients, body_seconds: float) -> None:
        self.server, self.clients, self.body_seconds = server, clients, body_seconds
        self.metrics = Metrics(server)
        self.ready = False
        # One thread for each job that computes, so that whatever waits does so without a thread.
        self._threads = ThreadPoolExecutor(server.turns.places, thread_name_prefix="cyclotome-job")

    async def at_work(self, request: Request, work: Any, *arguments: Any) -> tuple[Any, float]:
        """What ``work(*arguments, gone)`` returns, run when it is the client's turn, and the seconds that this took;
        ``gone`` tells whether the client went away meanwhile.

        Raises:
            ClientDisconnect: it did.
        """
        began, gone, turns = time.monotonic(), threading.Event(), self.server.turns
        turn = turns.ask(request.state.own.client)
        left, job = asyncio.ensure_future(_left(request)), None
        try:
            await asyncio.wait({left, asyncio.wrap_future(turn.future)}, return_when=asyncio.FIRST_COMPLETED)
            if left.done():
                raise ClientDisconnect
            waited = time.monotonic() - began
            job = asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments, gone.is_set)
            await asyncio.wait({left, job}, return_when=asyncio.FIRST_COMPLETED)
            if not job.done():
                gone.set()
                await asyncio.wait({job})  # what it still takes counts as the client's
                raise ClientDisconnect
            return job.result(), waited
        finally:
            gone.set()
            left.cancel()
            if job is None:
                turns.leave(turn)
            else:  # the place is the thread's until it is done
                job.add_done_callback(functools.partial(_ended, turns, turn))

    def later(self, failure: Exception | None) -> Later:
        """When to ask again after this failure: as it says itself, or when the jobs before will have ended."""
        told = getattr(failure, "retry_after", None)
        wait = self.server.admission.wait_seconds(self.server.turns.places) if told is None else told
        seconds = min(max(wait, _SOONEST), _LATEST)
        return Later(seconds, seconds / 2)

    def close(self) -> None:
        """Ends its threads."""
        self._threads.shutdown()

    async def pieces(self, request: Request, state: _State) -> AsyncIterator[bytes]:
        """The body as it arrives, all of it within the time that it may take.

        Raises:
            BusyError: it takes longer.
        """
        until, body = time.monotonic() + self.body_seconds, request.stream()
        while True:
            try:
                piece = await asyncio.wait_for(body.__anext__(), max(0.0, until - time.monotonic()))
            except StopAsyncIteration:
                return
            except (asyncio.TimeoutError, TimeoutError):
                raise BusyError(f"the request did not arrive within {self.body_seconds:g} s; send it faster") from None
            state.received += len(piece)
            yield piece

    @asynccontextmanager
    async def body(self, request: Request, state: _State) -> AsyncIterator[bytearray]:
        """The body of a request that is one of the client's jobs, within quotas while it is worked on.

        Raises:
            QuotaError, BusyError: as `Admission.take` and `job`.
        """
        admission, taken, body = self.server.admission, 0, bytearray()
        try:
            # Room for all that is announced, before any of it is read; then for what arrives beyond.
            taken = _take(self, state, _length(request), taken)
            async for piece in self.pieces(request, state):
                taken = _take(self, state, max(0, len(body) + len(piece) - taken), taken)
                body += piece
            with admission.job(state.client):
                yield body
        finally:
            admission.give_back(state.client, taken)


async def _left(request: Request) -> None:
    """Waits until the client of a request whose body was read goes away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _ended(turns: Turns, turn: Turn, job: asyncio.Future[Any]) -> None:
    if not job.cancelled():
        job.exception()  # which was told, or is of no interest any more
    turns.leave(turn)


class _State:
    """What is told of a request at its end."""

    def __init__(self, request: Request) -> None:
        given = request.headers.get("x-request-id", "")
        self.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        self.client = ""
        self.received = 0
        self.facts: dict[str, Any] = {}
        self.began = time.monotonic()


def make_app(service: Service) -> FastAPI:
    """The service as an ASGI application; it closes the server when it ends."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.ready = True
        yield
        service.ready = False
        await asyncio.to_thread(service.server.close)
        service.close()

    app = FastAPI(title="cyclotome", docs_url=None, redoc_url=None, openapi_url="/v1/openapi.json", lifespan=lifespan)
    app.add_exception_handler(HTTPException, _other_refusals(service))
    _add_watching(app, service)
    _add_working(app, service)
    return app


Route = Callable[..., Awaitable[Response]]


def _served(service: Service, route: str) -> Callable[[Route], Route]:
    """Names each request, finds out who asks, turns errors into answers, and tells logs and figures."""

    def around(endpoint: Route) -> Route:
        @functools.wraps(endpoint)
        async def answer(request: Request, *arguments: Any, **options: Any) -> Response:
            state = request.state.own = _State(request)
            error: str | None = None
            try:
                state.client = service.clients.name(request)
                response = await endpoint(request, *arguments, **options)
            except ClientDisconnect:
                service.metrics.disconnects.inc()
                error, response = "Disconnect", Response(status_code=499)
            except Exception as failure:
                error = described(failure)[0]
                response = _refusal(failure, state, service)
            length = int(response.headers.get("content-length", 0))
            response.headers["X-Request-Id"] = state.request_id
            service.metrics.answered(route, response.status_code, error, state.received, length)
            if route != "watch":
                logs.event(
                    "answered", request_id=state.request_id, client=state.client, method=request.method,
                    path=request.url.path, status=response.status_code, error=error, bytes_in=state.received,
                    bytes_out=length, seconds=time.monotonic() - state.began, **state.facts,
                )  # fmt: skip
            return response

        return answer

    return around


def _refusal(failure: Exception, state: _State, service: Service) -> Response:
    """An error as an answer. What is no error of this library's is not told to strangers."""
    name, message = described(failure)
    status = http_status(failure)
    body: dict[str, Any] = {"error": name, "message": message, "request_id": state.request_id}
    # What was not read of the request is not waited for.
    headers = {"Connection": "close"}
    if status == 503:
        later = service.later(failure)
        headers |= later.headers()
        body |= {"retry_after": round(later.seconds, 3), "jitter": round(later.jitter, 3)}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(body, status, headers)


def _other_refusals(service: Service) -> Callable[[Request, Any], Awaitable[Response]]:
    """What the framework refuses, no such route or method, as an answer; told like any other."""

    @_served(service, "other")
    async def told(request: Request, failure: Any) -> Response:
        body = {"error": "ArgumentError", "message": str(failure.detail), "request_id": request.state.own.request_id}
        return JSONResponse(body, failure.status_code, {**(failure.headers or {}), "Connection": "close"})

    return told


def _length(request: Request) -> int:
    """The announced length of a body; 0 where none is."""
    text = request.headers.get("content-length", "")
    return int(text[:20]) if text.isascii() and text.isdigit() else 0


def _add_watching(app: FastAPI, service: Service) -> None:
    """Routes for whoever runs the service."""

    @app.get("/healthz")
    @_served(service, "watch")
    async def health(request: Request) -> Response:
        """Whether the process answers."""
        return JSONResponse({"status": "alive"})

    @app.get("/readyz")
    @_served(service, "watch")
    async def ready(request: Request) -> Response:
        """Whether it takes further jobs, and about how long one would wait."""
        jobs, places = service.server.admission.jobs, service.server.turns.places
        most, wait = service.server.quotas.all_jobs, service.server.admission.wait_seconds(places)
        ready = service.ready and jobs < most
        facts = {"ready": ready, "jobs": jobs, "all_jobs": most, "places": places, "wait_seconds": round(wait, 3)}
        return JSONResponse(facts, 200 if ready else 503, {} if ready else service.later(None).headers())

    @app.get("/metrics")
    @_served(service, "watch")
    async def metrics(request: Request) -> Response:
        """Figures for Prometheus."""
        return Response(service.metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})


def _add_working(app: FastAPI, service: Service) -> None:
    """Routes for clients."""
    server = service.server

    @app.get("/v1/server")
    @_served(service, "server")
    async def facts(request: Request) -> Response:
        """Functions, databases with their versions, parameters and quotas."""
        parameters, quotas = server.parameters, server.quotas
        return JSONResponse(
            {
                "version": _core.version(),
                "functions": list(server.functions),
                "databases": {name: server.databases.get(name).version for name in server.databases},
                "parameters": None if parameters is None else base64.b64encode(to_bytes(parameters)).decode(),
                "quotas": {"request_bytes": quotas.request_bytes, "key_bytes": quotas.client_key_bytes}
                | {"arguments": quotas.arguments, "seconds": quotas.seconds, "planned_seconds": quotas.planned_seconds},
            }
        )

    @app.post("/v1/keys")
    @_served(service, "keys")
    async def add_keys(request: Request) -> Response:
        """Holds a client's evaluation keys, and says their fingerprint."""
        state: _State = request.state.own
        limit = min(server.quotas.client_key_bytes, server.quotas.all_key_bytes)
        if _length(request) > limit:
            raise QuotaError(f"the keys have more than the {byte_size(limit)} that one client may have here")
        # Hashing and the disk are for other threads than the one that everybody shares.
        with await asyncio.to_thread(server.keys.upload, state.client) as upload:
            async for piece in _batches(service.pieces(request, state)):
                await asyncio.to_thread(upload.write, piece)
            (name, found), _ = await service.at_work(request, server.finish_keys, upload)
        state.facts["keys"] = name[:16]
        return JSONResponse({"fingerprint": name, "key_id": found.key_id, "parameters": found.parameters}, 201)

    @app.delete("/v1/keys/{fingerprint}")
    @_served(service, "keys")
    async def forget_keys(request: Request, fingerprint: str) -> Response:
        """Gives up keys that the same client has sent."""
        await asyncio.to_thread(server.keys.forget, fingerprint, request.state.own.client)
        return JSONResponse({"fingerprint": fingerprint})

    @app.post("/v1/call/{function}")
    @_served(service, "call")
    async def call(request: Request, function: str, keys: str = "") -> Response:
        """The answer of a function."""
        state: _State = request.state.own
        if function not in server.functions:
            raise ArgumentError(f"there is no function of this name; there are {', '.join(server.functions)}")
        state.facts |= {"function": function, "keys": keys[:16]}
        server.keys.path(keys)  # before a body is read for nothing
        async with service.body(request, state) as body:
            answer, waited = await service.at_work(request, server.run, function, body, keys)
        service.metrics.worked(function, answer.seconds, answer.planned_seconds, waited)
        state.facts |= {"planned_seconds": answer.planned_seconds}
        return Response(answer.data, media_type=_BINARY)

    @app.get("/v1/databases/{database}")
    @_served(service, "databases")
    async def describe(request: Request, database: str, version: str = "") -> Response:
        """What clients of a database need to know; 204 where they know this version."""
        found = await asyncio.to_thread(server.describe, database, version)
        return Response(found, media_type=_BINARY) if found else Response(status_code=204)

    @app.post("/v1/databases/{database}")
    @_served(service, "look-up")
    async def look_up(request: Request, database: str) -> Response:
        """Answers to private queries, one after another."""
        state: _State = request.state.own
        server.databases.get(database)  # before a body is read for nothing
        state.facts |= {"database": database}
        async with service.body(request, state) as body:
            answer, waited = await service.at_work(request, server.scan, database, body)
        service.metrics.looked_up(database, answer.seconds, waited)
        return Response(answer.data, media_type=_BINARY)


async def _batches(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes in longer pieces."""
    batch = bytearray()
    async for piece in pieces:
        batch += piece
        if len(batch) >= _BATCH:
            yield bytes(batch)
            batch.clear()
    if batch:
        yield bytes(batch)


def _take(service: Service, state: _State, count: int, taken: int) -> int:
    service.server.admission.take(state.client, count, taken)
    return taken + count
