# SPDX-License-Identifier: Apache-2.0
"""A server that is reached over HTTP: what a `Client` talks to where it is given an address (extra "serve")."""

from __future__ import annotations

import base64
import json
import math
import random
import time
import weakref
from typing import Any

from ..errors import BusyError, CyclotomeError, FormatError, ServiceError
from ..extras import SERVE
from ..files import from_bytes
from ..parameters.parameters import Parameters
from ..streams import Buffer
from .workers import raised

__all__ = ["Remote"]

#: Bytes of an answer that is no array: errors, and what a server says of itself.
_MOST_TEXT = 16 << 20
#: Statuses that say: later.
_LATER = (429, 503)
#: Seconds after which a server that has too much to do is asked again at the latest.
_LONGEST_WAIT = 30.0


class Remote:
    """`cyclotome serve` at an address. For several threads.

    Args:
        address: "https://host:port", or with a path before which the service's own begin.
        token: says who asks, where the server wants to know.
        timeout: seconds for one answer, and as long again in which a server that is busy is asked again.
        max_bytes: of an answer.
        allow_insecure: take parameters of the server's that are below 128 bits of security.

    Raises:
        MissingPackageError: the extra "serve" is not installed.
        ServiceError: no such address.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        timeout: float = 120.0,
        max_bytes: int = 1 << 30,
        allow_insecure: bool = False,
    ) -> None:
        SERVE.require()
        import httpx

        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        try:
            self._http = httpx.Client(base_url=address, timeout=timeout, headers=headers, follow_redirects=False)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError) as error:
            raise ServiceError(f"{address}: {error}") from None
        # Also when nobody closes it: clients are made in passing.
        self._end = weakref.finalize(self, self._http.close)
        self._address, self._timeout, self._max_bytes = address, timeout, max_bytes
        self._allow_insecure = allow_insecure
        self._facts: dict[str, Any] | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What the server says of itself: ``functions``, ``parameters`` (bytes in base 64) or None, ``quotas``."""
        if self._facts is None:
            self._facts = self._json("GET", "/v1/server")
        return self._facts

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of its functions."""
        names = self.facts.get("functions", [])
        if not isinstance(names, list):
            raise ServiceError(f"{self._address} names no functions: is this a server of cyclotome?")
        return tuple(map(str, names))

    @property
    def parameters(self) -> Parameters | None:
        """Those that it computes with; None: any. Raises SecurityError for insecure ones."""
        stored = self.facts.get("parameters")
        if stored is None:
            return None
        try:
            data = base64.b64decode(str(stored), validate=True)
        except ValueError:
            raise FormatError(f"{self._address}: the parameters are not in base 64") from None
        parameters = from_bytes(data, self._allow_insecure)
        if not isinstance(parameters, Parameters):
            raise FormatError(f"{self._address}: the server's parameters are {type(parameters).__name__}")
        return parameters

    def add_keys(self, data: Buffer) -> str:
        """As `Server.add_keys`."""
        return str(self._json("POST", "/v1/keys", content=bytes(data)).get("fingerprint"))

    def forget_keys(self, fingerprint: str) -> None:
        """As `Server.forget_keys`."""
        self._json("DELETE", f"/v1/keys/{fingerprint}")

    def call(self, function: str, request: Buffer, keys: str) -> bytes:
        """As `Server.call`; a server that is busy is asked again, after the time that it names, for `timeout` seconds.

        Raises:
            What the server refuses with; ServiceError: it can't be reached, or is none.
        """
        return self._bytes("POST", f"/v1/call/{function}", params={"keys": keys}, content=bytes(request))

    def describe(self, database: str, version: str = "") -> bytes:
        """As `Server.describe`."""
        return self._bytes("GET", f"/v1/databases/{database}", params={"version": version})

    def look_up(self, database: str, queries: bytes) -> bytes:
        """As `Server.look_up`; a server that is busy is asked again, as by `call`."""
        return self._bytes("POST", f"/v1/databases/{database}", content=queries)

    def _json(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        data = self._bytes(method, path, **options)
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ServiceError(f"{self._address}{path} answers no JSON object: is this a server of cyclotome?")
        return found

    def _bytes(self, method: str, path: str, **options: Any) -> bytes:
        until, pause = time.monotonic() + self._timeout, 0.05
        while True:
            try:
                return self._once(method, path, **options)
            except CyclotomeError as error:
                told = getattr(error, "retry_after", None)
                wait = max(pause * random.uniform(1, 1.5), told or 0.0)
                pause = min(2 * pause, 2.0)
                if told is None or time.monotonic() + wait > until:
                    raise
                time.sleep(wait)

    def _once(self, method: str, path: str, **options: Any) -> bytes:
        import httpx

        try:
            with self._http.stream(method, path, **options) as response:
                limit = self._max_bytes if response.status_code < 400 else _MOST_TEXT
                data = bytearray()
                for piece in response.iter_bytes():
                    data += piece
                    if len(data) > limit:
                        raise ServiceError(f"{self._address}{path} answers more than {limit} bytes")
        except httpx.HTTPError as error:
            raise ServiceError(f"{self._address}{path}: {error or type(error).__name__}") from None
        if response.status_code < 300:
            return bytes(data)
        raise refusal(response.status_code, bytes(data), response.headers.get("Retry-After"), self._address + path)

    def close(self) -> None:
        """Closes its connections."""
        self._end()


def refusal(status: int, data: bytes, later: str | None, where: str) -> CyclotomeError:
    """The error that an answer stands for; it says by ``retry_after`` when to ask again, if at all."""
    found: Any = None
    try:
        found = json.loads(data)
        error: CyclotomeError = raised(found["error"], f"{found['message']} (request {found['request_id']})")
    except (ValueError, TypeError, KeyError, RecursionError):
        if status not in _LATER:
            return ServiceError(f"{where} answers status {status}, and not as a server of cyclotome does")
        error = BusyError(f"{where} answers status {status}: it has too much to do")
    if status in _LATER:
        error.retry_after = _after(found, later)  # type: ignore[attr-defined]
    return error


def _after(found: Any, later: str | None) -> float:
    """Seconds after which to ask again, some of them drawn: as the server says, with as much jitter."""
    told = found if isinstance(found, dict) else {}
    seconds: Any = told.get("retry_after")
    jitter: Any = told.get("jitter")
    if not all(isinstance(each, (int, float)) and 0 <= each < math.inf for each in (seconds, jitter)):
        seconds = float(later) if later is not None and later.isascii() and later.isdigit() else 0.0
        jitter = seconds / 2
    seconds, jitter = (min(each, _LONGEST_WAIT) for each in (seconds, jitter))
    return float(min(seconds + random.uniform(0, jitter), _LONGEST_WAIT))
