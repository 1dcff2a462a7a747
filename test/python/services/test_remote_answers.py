# SPDX-License-Identifier: Apache-2.0
"""What a server answers is not trusted: whatever stands there, the client raises an error of this library."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from cyclotome.errors import BusyError, QuotaError, ServiceError
from cyclotome.sessions.remote import Remote, refusal

pytest.importorskip("httpx")
DEEP = b"[" * 200_000
LONGEST = 30.0


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    """A server that says this to everything."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("body", [DEEP, b"{" * 1000, b"\xff", b"7", b"[]", b"", b'{"functions": 7}'])
def test_what_is_no_answer_of_a_server_is_a_typed_error(body: bytes) -> None:
    with answering(body) as address:
        remote = Remote(address, timeout=5)
        try:
            with pytest.raises(ServiceError):
                _ = remote.functions
        finally:
            remote.close()


@pytest.mark.parametrize("body", [DEEP, b"{}", b"[]", b'{"error": {}, "message": 1}', b"\xff"])
def test_refusals_that_say_nothing_go_by_their_status(body: bytes) -> None:
    assert type(refusal(413, body, None, "here")) is ServiceError
    error = refusal(503, body, "9" * 400, "here")
    assert type(error) is BusyError and 0 <= error.retry_after <= LONGEST  # type: ignore[attr-defined]


@pytest.mark.parametrize("number", ["1e999", "NaN", "-1", "9" * 400, "true", '"7"', "{}", "1e300"])
def test_times_to_ask_again_are_bounded_whatever_is_said(number: str) -> None:
    for place in ("retry_after", "jitter"):
        facts = {"error": "QuotaError", "message": "later", "request_id": "7", "retry_after": 1, "jitter": 1}
        body = json.dumps(facts).replace(f'"{place}": 1', f'"{place}": {number}').encode()
        error = refusal(429, body, None, "here")
        assert type(error) is QuotaError and 0 <= error.retry_after <= LONGEST  # type: ignore[attr-defined]
