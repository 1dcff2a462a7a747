# SPDX-License-Identifier: Apache-2.0
"""The service over HTTP, as a process of its own: right answers, refusals with their statuses, and that it goes on
after garbage, disconnects, slow clients, dying processes and a full disk."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
import session_jobs
from cli_runner import run, succeed
from cyclotome import errors, failures
from cyclotome.sessions.messages import key_bytes
from cyclotome.sessions.remote import Remote
from service_runner import Running
from small import keys, parameters

httpx = pytest.importorskip("httpx", reason="the extra serve is not installed")
for package in ("fastapi", "uvicorn", "prometheus_client"):
    pytest.importorskip(package, reason="the extra serve is not installed")

from cyclotome.service.run import Listening  # noqa: E402

QUICK = ("--allow-insecure", "--request-mib", 1, "--client-key-mib", 4, "--header-seconds", 1, "--body-seconds", 3)


@pytest.fixture(scope="module")
def service() -> Any:
    # One job at a time in each: a job that dies takes those beside it along, and what that costs others is told here.
    with Running("--workers", 2, "--jobs", 1, "--seconds", 8, *QUICK) as running:
        yield running
        assert running.stop() == 0
        assert running.events("stopped")


@pytest.fixture
def client(service: Running) -> cy.Client:
    return cy.Client(service.url, keys())


@pytest.fixture
def web(service: Running) -> Any:
    with httpx.Client(base_url=service.url, timeout=60) as made:
        yield made


def alive(service: Running) -> None:
    """It answers rightly."""
    client = cy.Client(service.url, keys())
    assert client.call("total", [1, 2, 3], bound=5) == 6


def test_calls_are_answered(client: cy.Client, rng: np.random.Generator) -> None:
    a, b = rng.integers(-50, 51, (2, 3, 5))
    assert (client.call("product", a, b, bound=50) == a * b).all()
    several = client.call("several", a, b, bound=50)
    assert (several[0] == a + b).all() and (several[1] == a - b).all()


def test_many_clients_at_once(service: Running) -> None:
    own = [cy.keygen(parameters(), device="cpu:1") for _ in range(3)]

    def work(i: int) -> bool:
        values = np.arange(i, i + 4)
        return bool(cy.Client(service.url, own[i % 3]).call("total", values, bound=100) == values.sum())

    with ThreadPoolExecutor(12) as pool:
        assert all(pool.map(work, range(36)))


def test_what_the_service_says_of_itself(service: Running, web: Any) -> None:
    facts = web.get("/v1/server").json()
    assert "total" in facts["functions"] and facts["parameters"] is None
    assert facts["quotas"]["request_bytes"] == 1 << 20
    assert Remote(service.url).functions == tuple(facts["functions"])
    assert web.get("/healthz").json() == {"status": "alive"}
    ready = web.get("/readyz").json()
    assert ready["ready"] is True and ready["jobs"] == 0 and ready["places"] == 2 and ready["all_jobs"] == 256
    assert "/v1/call/{function}" in web.get("/v1/openapi.json").json()["paths"]


@pytest.mark.parametrize(
    ("status", "error", "path", "content"),
    [
        (422, "ArgumentError", "/v1/call/none", b""),
        (404, "UnknownKeysError", f"/v1/call/total?keys={'0' * 64}", b"x"),
        (404, "UnknownKeysError", "/v1/call/total", b"x"),
        (404, "UnknownKeysError", "/v1/call/total?keys=../../secret", b"x"),
        (400, "FormatError", "/v1/call/total?keys=OWN", b"garbage"),
        (422, "ArgumentError", "/v1/call/total?keys=OWN", b""),
        (413, "QuotaError", "/v1/call/total?keys=OWN", bytes((1 << 20) + 1)),
        (400, "FormatError", "/v1/keys", b"garbage"),
        (400, "FormatError", "/v1/keys", b""),
        (413, "QuotaError", "/v1/keys", bytes((4 << 20) + 1)),
        (404, "ArgumentError", "/v1/nowhere", b""),
        (405, "ArgumentError", "/healthz", b""),
    ],
)
def test_refusals_have_statuses(
    service: Running, client: cy.Client, web: Any, status: int, error: str, path: str, content: bytes
) -> None:
    name = client.send_keys()
    answer = web.post(path.replace("OWN", name), content=content, headers={"X-Request-Id": "mine-1"})
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json()["request_id"] == "mine-1"
    assert answer.headers["content-type"] == "application/json"
    alive(service)


def test_clients_get_the_errors_of_the_library(service: Running, client: cy.Client, tmp_path: Path) -> None:
    with pytest.raises(errors.RangeError, match=r"\(request [0-9a-f]{16}\)"):
        client.call("power", [30], bound=30)
    with pytest.raises(errors.FunctionError, match="ZeroDivisionError"):
        client.call("broken", [30], bound=30)
    with pytest.raises(errors.ArgumentError, match="there is no function"):
        client.call("nothing", [30], bound=30)
    stranger = cy.Client(None, cy.keygen(parameters()))
    remote = Remote(service.url)
    name = remote.add_keys(stranger.key_bytes())
    with pytest.raises(errors.MismatchError):
        remote.call("total", client.request([1], bound=5), name)
    cy.save(tmp_path / "secret.key", keys().secret)
    with pytest.raises(errors.SecrecyError, match="treat it as disclosed"):
        remote.add_keys((tmp_path / "secret.key").read_bytes())
    remote.forget_keys(name)
    with pytest.raises(errors.UnknownKeysError):
        remote.forget_keys(name)
    with pytest.raises(errors.ServiceError):
        Remote("http://127.0.0.1:9", timeout=1).call("total", b"", "")
    with pytest.raises(errors.ServiceError):
        Remote("not an address").call("total", b"", "")


def test_one_table_has_exit_codes_and_statuses() -> None:
    """Every error of the library has a status that says whose fault it is; the command line uses the same table."""
    for name in errors.__all__:
        kind = getattr(errors, name)
        if not issubclass(kind, errors.CyclotomeError) or kind in (errors.CyclotomeError, errors.EngineError):
            continue
        assert any(issubclass(kind, each.kind) for each in failures.OUTCOMES), name
    at = {each.kind: place for place, each in enumerate(failures.OUTCOMES)}
    for kind, place in at.items():  # no class stands after one that it is a kind of
        assert not [other for other in at if other is not kind and issubclass(kind, other) and at[other] < place]
    assert failures.http_status(ValueError()) == 500 and failures.exit_code(ValueError()) == 1


def connected(service: Running) -> socket.socket:
    host, port = service.address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=30)


def test_disconnects_in_the_middle_leave_nothing(service: Running, client: cy.Client, web: Any) -> None:
    name = client.send_keys()
    request = client.request([1, 2, 3], bound=5)
    for path, sent in ((f"/v1/call/total?keys={name}", request), ("/v1/keys", client.key_bytes())):
        for cut in (0, 100, len(sent) // 2):
            with connected(service) as link:
                head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(sent)}\r\n\r\n".encode()
                link.sendall(head + sent[:cut])
        with connected(service) as link:  # all of it, and nobody there for the answer
            link.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(sent)}\r\n\r\n".encode() + sent)
    settled(web)
    alive(service)


def eventually(holds: Callable[[], object]) -> None:
    """Waits until it does."""
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def settled(web: Any) -> None:
    """Waits until nothing is being served."""
    idle = ("cyclotome_jobs 0.0", "cyclotome_request_bytes 0.0")

    def holds() -> bool:
        text = web.get("/metrics").text
        return all(figure in text for figure in idle)

    eventually(holds)


def test_slow_clients_are_let_go(service: Running, client: cy.Client) -> None:
    """Headers a byte at a time, a body that stops, a connection that says nothing: closed after their time."""
    name = client.send_keys()
    head = f"POST /v1/call/total?keys={name} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n".encode()
    with connected(service) as silent, connected(service) as dripping, connected(service) as stopping:
        stopping.sendall(head + b"\r\nCYCLO")
        began = time.monotonic()
        closed = False
        while not closed and time.monotonic() - began < 60:  # on a busy machine; else in a second or two
            try:
                dripping.sendall(b"P" if time.monotonic() - began < 0.1 else b"O")
                time.sleep(0.3)
                dripping.setblocking(False)
                closed = dripping.recv(100) == b""
            except BlockingIOError:
                pass
            except OSError:
                closed = True
            dripping.settimeout(30)
        assert closed
        assert silent.recv(100) == b""
        answer = b""
        while piece := stopping.recv(10000):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 503") and b"did not arrive within 3 s" in answer
    alive(service)


def test_bad_http_is_survived(service: Running, rng: np.random.Generator) -> None:
    for wrong in (b"\x00" * 100, rng.bytes(2000), b"GET / HTTP/9.9\r\n\r\n", b"POST /v1/keys HTTP/1.1\r\n" * 5000):
        with connected(service) as link:
            try:
                link.sendall(wrong + b"\r\n\r\n")
                link.recv(1000)
            except OSError:
                pass
    with connected(service) as link:  # a length that is none
        link.sendall(b"POST /v1/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n")
        assert b" 413 " in link.recv(1000)
    alive(service)


def test_dying_and_hanging_jobs_cost_nobody_else(service: Running, client: cy.Client) -> None:
    client.send_keys()

    def bad(name: str) -> str:
        try:
            client.call(name, [1], bound=5)
        except errors.CyclotomeError as error:
            return type(error).__name__
        return "no error"

    def good(i: int) -> bool:
        return bool(cy.Client(service.url, keys()).call("total", [i, 2], bound=99) == i + 2)

    with ThreadPoolExecutor(8) as pool:
        wrong = [pool.submit(bad, name) for name in ("dies", "hangs", "dies")]
        right = list(pool.map(good, range(20)))
        assert all(right)
        assert [each.result() for each in wrong] == ["WorkerLostError", "TimeLimitError", "WorkerLostError"]


def test_figures_for_prometheus(service: Running, client: cy.Client, web: Any) -> None:
    assert client.call("total", [1, 2], bound=5) == 3
    web.post("/v1/call/" + "x" * 50, content=b"")
    web.get("/nowhere")
    text = web.get("/metrics").text
    for figure in (
        'cyclotome_requests_total{route="call",status="200"}',
        'cyclotome_errors_total{error="ArgumentError"}',
        'cyclotome_job_seconds_count{function="total"}',
        'cyclotome_received_bytes_total{route="keys"}',
        'cyclotome_requests_total{route="other",status="404"}',
        "cyclotome_key_sets",
        "cyclotome_workers 2.0",
        "process_resident_memory_bytes",
    ):
        assert figure in text, figure
    assert "xxxxx" not in text  # labels are not the client's to choose


def test_logs_say_who_and_what_and_hold_no_bytes(service: Running, client: cy.Client, web: Any) -> None:
    name = client.send_keys()
    request = client.request([1, 2, 3], bound=5)
    marked = request + b"MARKEDGARBAGE"
    web.post(f"/v1/call/total?keys={name}", content=marked, headers={"X-Request-Id": "log-1"})
    web.post(f"/v1/call/total?keys={name}", content=request, headers={"X-Request-Id": 'bad"id\\', "Cookie": "MARKED"})
    eventually(lambda: [line for line in service.events("answered") if line["request_id"] == "log-1"])
    line = next(line for line in service.events("answered") if line["request_id"] == "log-1")
    assert line["status"] == 400 and line["error"] == "FormatError" and line["bytes_in"] == len(marked)
    assert line["function"] == "total" and line["keys"] == name[:16] and line["client"] == "127.0.0.1"
    whole = "".join(service.raw)
    assert "MARKED" not in whole and 'bad"id' not in whole
    for secret in (request[100:130], base64.b64encode(request[99:129])):
        assert secret.hex() not in whole and secret.decode("latin-1") not in whole
    assert all(json.loads(line) for line in service.raw)


# --- services of their own ------------------------------------------------------------------------------------------
def test_tokens_say_who_asks(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(
        "# who\n" + "".join(f"{name}:{hashlib.sha256(name.encode() * 3).hexdigest()}\n" for name in ("ada", "bob"))
    )
    with Running("--tokens", tmp_path / "tokens", *QUICK) as service:
        client = cy.Client(service.url, keys(), token="adaadaada")
        assert client.call("total", [1, 2], bound=5) == 3
        with httpx.Client(base_url=service.url) as web:
            for headers in ({}, {"Authorization": "Bearer ada"}, {"Authorization": "Basic adaadaada"}):
                answer = web.get("/v1/server", headers=headers)
                assert answer.status_code == 401 and answer.json()["error"] == "UnauthorizedError"
            assert web.get("/healthz").status_code == 200
            with pytest.raises(errors.UnauthorizedError):
                Remote(service.url, token="nobody").call("total", b"", "")
        bob = Remote(service.url, token="bobbobbob")
        with pytest.raises(errors.UnknownKeysError):
            bob.forget_keys(client.fingerprint)  # they are Ada's
        assert service.stop() == 0
        assert {line["client"] for line in service.events("answered")} == {"ada", "bob", ""}
        assert "adaadaada" not in "".join(service.raw)


def test_a_full_disk_refuses_keys_and_goes_on() -> None:
    """Files of the service can't grow beyond 1 KiB: requests are answered all the same, keys refused with 507."""
    program = {"PYTHONDONTWRITEBYTECODE": "1"}
    with Running(*QUICK, limit=1, env=program) as service, httpx.Client(base_url=service.url) as web:
        for _ in range(3):
            answer = web.post("/v1/keys", content=cy.Client(None, keys()).key_bytes())
            assert answer.status_code == 507 and answer.json()["error"] == "FileError"
        assert "cyclotome_key_bytes 0.0" in web.get("/metrics").text
        assert web.get("/readyz").status_code == 200


def test_keys_outlive_the_service_in_a_folder(tmp_path: Path) -> None:
    with Running("--keys-folder", tmp_path / "keys", *QUICK) as service:
        client = cy.Client(service.url, keys())
        name = client.send_keys()
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700
    with Running("--keys-folder", tmp_path / "keys", *QUICK) as service:
        request = client.request([1, 2], bound=5)
        assert client.read(Remote(service.url).call("total", request, name), "total", request) == 3
        assert not [line for line in service.events("answered") if line["path"] == "/v1/keys"]


def test_stopping_lets_a_job_end_and_refuses_others() -> None:
    with Running("--seconds", 30, *QUICK, jobs=f"{session_jobs.__file__}:SLOW") as service:
        client = cy.Client(service.url, keys())
        client.send_keys()
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(client.call, "slow", [1, 2], bound=5)
            with httpx.Client(base_url=service.url, timeout=60) as web:
                eventually(lambda: "cyclotome_jobs 1.0" in web.get("/metrics").text)
            service.process.send_signal(signal.SIGTERM)
            assert (job.result(30) == [1, 2]).all()
        assert service.stop() == 0
        assert not [pid for pid in service.family() if os.path.exists(f"/proc/{pid}") and pid != service.process.pid]


def test_jobs_of_clients_that_went_away_are_given_up(tmp_path: Path) -> None:
    """Those that run and those that wait; others are served by the same process."""
    jobs = f"{session_jobs.__file__}:TOGETHER"
    with Running("--jobs", 2, "--seconds", 50, *QUICK, jobs=jobs) as service:
        client = cy.Client(service.url, keys())
        name, request = client.send_keys(), client.request([1], bound=5)
        head = f"POST /v1/call/loops?keys={name} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(request)}\r\n\r\n"
        links = [connected(service) for _ in range(4)]
        for link in links:
            link.sendall(head.encode() + request)
        with httpx.Client(base_url=service.url, timeout=60) as web:

            def figures(jobs: int, running: int) -> bool:
                text = web.get("/metrics").text
                return f"cyclotome_jobs {jobs}.0" in text and f"cyclotome_jobs_running {running}.0" in text

            eventually(lambda: figures(4, 2))
            for link in links:
                link.close()
            eventually(lambda: figures(0, 0))
            text = web.get("/metrics").text
            assert "cyclotome_workers_replaced 0.0" in text and "cyclotome_disconnects_total 4.0" in text
        assert client.call("total", [1, 2], bound=5) == 3


def test_a_full_queue_is_refused_with_a_time_to_ask_again() -> None:
    jobs = f"{session_jobs.__file__}:TOGETHER"
    with Running("--jobs", 1, "--client-jobs", 2, *QUICK, jobs=jobs) as service:
        client = cy.Client(service.url, keys())
        name, request = client.send_keys(), client.request([1], bound=5)
        with ThreadPoolExecutor(6) as pool, httpx.Client(base_url=service.url, timeout=60) as web:
            path = f"/v1/call/naps?keys={name}"
            answers = list(pool.map(lambda _: web.post(path, content=request), range(6)))
        refused = [answer for answer in answers if answer.status_code == 503]
        assert 1 <= len(refused) <= 4 and len(refused) + sum(each.status_code == 200 for each in answers) == 6
        for answer in refused:
            told = answer.json()
            assert told["error"] == "BusyError" and told["retry_after"] >= 1 and told["jitter"] > 0
            assert int(answer.headers["Retry-After"]) >= told["retry_after"]


def test_a_full_queue_is_not_ready() -> None:
    jobs = f"{session_jobs.__file__}:TOGETHER"
    with Running("--jobs", 1, "--all-jobs", 2, *QUICK, jobs=jobs) as service:
        client = cy.Client(service.url, keys())
        client.send_keys()
        with ThreadPoolExecutor(3) as pool, httpx.Client(base_url=service.url, timeout=60) as web:
            asked = [pool.submit(client.call, "naps", [i], bound=9) for i in range(3)]
            seen = []
            while not all(each.done() for each in asked):
                seen.append(web.get("/readyz"))
                time.sleep(0.02)
            full = [each for each in seen if each.status_code == 503]
            assert full and all(each.json()["jobs"] == 2 and each.headers["Retry-After"] for each in full)
            assert [int(each.result()[0]) for each in asked] == [0, 1, 2]  # refused, and asked again
            assert web.get("/readyz").status_code == 200


def test_a_job_that_ran_too_long_is_a_time_out(service: Running, client: cy.Client, web: Any) -> None:
    name = client.send_keys()
    answer = web.post(f"/v1/call/hangs?keys={name}", content=client.request([1], bound=5))
    assert answer.status_code == 504 and answer.json()["error"] == "TimeLimitError"


def test_keys_that_find_no_room_are_refused_for_now() -> None:
    size = len(cy.Client(None, keys()).key_bytes())
    with Running("--all-key-mib", size * 1.5 / 2**20, *QUICK) as service, httpx.Client(base_url=service.url) as web:
        for status in (201, 503):
            made = cy.Client(None, cy.keygen(parameters(), device="cpu:1"))
            answer = web.post("/v1/keys", content=made.key_bytes())
            assert answer.status_code == status
        assert 3000 < answer.json()["retry_after"] <= 3600  # when the others will have been idle


def test_a_port_in_use_is_a_typed_error(service: Running) -> None:
    port = service.address.rsplit(":", 1)[1]
    result = run("serve", f"{session_jobs.__file__}:SLOW", "--port", port)
    assert result.code == 3 and "is the address in use" in result.text


def test_the_command_line_calls_it(tmp_path: Path) -> None:
    succeed("params", "--depth", 1, "--value-bits", 10, "-o", tmp_path / "p.ct")
    succeed("keygen", tmp_path / "p.ct", "--out", tmp_path / "keys")
    (tmp_path / "x.csv").write_text("a\n1\n2\n3\n")
    succeed("encrypt", tmp_path / "x.csv", "-k", tmp_path / "keys/secret.key", "-o", tmp_path / "x.ct")
    with Running("--parameters", tmp_path / "p.ct") as service:
        x, k, out = tmp_path / "x.ct", tmp_path / "keys/evaluation.key", tmp_path / "y.ct"
        succeed("call", service.url, "product", x, x, "-k", k, "-o", out)
        assert "1\n4\n9" in succeed("decrypt", out, "-k", tmp_path / "keys/secret.key").text
        assert run("call", service.url, "product", x, x, "-k", k, "-o", out).code == 2  # it is there
        assert run("call", service.url, "none", x, "-k", k, "-o", out, "--force").code == 2
        assert run("call", service.url, "broken", x, "-k", k, "-o", out, "--force").code == 1
        assert run("call", "http://127.0.0.1:9", "product", x, "-k", k, "-o", out, "--force").code == 3
        secret = tmp_path / "keys/secret.key"
        assert run("call", service.url, "product", x, "-k", secret, "-o", out, "--force").code == 5
        made = cy.Client(service.url)  # keys for the parameters that the service names
        assert made.call("total", [1, 2, 3]) == 6
        # Keys of other parameters are refused before anything is computed.
        with pytest.raises(errors.SecurityError):
            Remote(service.url).add_keys(key_bytes(keys().evaluation))


def test_what_serve_refuses(tmp_path: Path) -> None:
    jobs = Path(session_jobs.__file__)
    for code, arguments in (
        (2, (f"{jobs}:NOTHING",)),
        (3, ("nothing.py:X",)),
        (2, (f"{jobs}:SLOW", "--certificate", "x")),
        (2, (f"{jobs}:SLOW", "--log-level", "loud")),
        (2, (f"{jobs}:SLOW", "--seconds", "0")),
        (3, (f"{jobs}:SLOW", "--tokens", tmp_path / "none", "--port", 0)),
        (3, (f"{jobs}:SLOW", "--certificate", tmp_path / "c", "--certificate-key", tmp_path / "k", "--port", 0)),
    ):
        result = run("serve", *arguments)
        assert result.code == code, result.text


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3", "", "8.8.8.8", "no-such-name.invalid", "::ffff:0.0.0.0"])
def test_others_are_not_listened_to_without_tls_or_tokens(host: str, tmp_path: Path) -> None:
    jobs = Path(session_jobs.__file__)
    result = run("serve", f"{jobs}:SLOW", "--host", host)
    assert result.code == 2 and "--insecure-public" in result.text
    for options in ({"tokens": tmp_path}, {"certificate": tmp_path}, {"insecure_public": True}):
        assert Listening(host, **options).host == host  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_needs_neither(host: str) -> None:
    assert not Listening(host).insecure_public


def test_a_public_service_by_its_flag(tmp_path: Path) -> None:
    with Running("--host", "0.0.0.0", "--insecure-public", *QUICK) as service:
        assert cy.Client(service.url, keys()).call("total", [1, 2], bound=5) == 3


def test_the_command_line_refuses_a_crossed_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written then; an answer that names no question is taken on trust only."""
    with cy.Server({"total": lambda x: x.sum()}) as server:
        succeed("params", "--depth", 1, "--value-bits", 10, "-o", tmp_path / "p.ct")
        succeed("keygen", tmp_path / "p.ct", "--out", tmp_path / "keys")
        for name in "xy":
            (tmp_path / f"{name}.csv").write_text("a\n1\n2\n")
            succeed(
                "encrypt", tmp_path / f"{name}.csv", "-k", tmp_path / "keys/secret.key", "-o", tmp_path / f"{name}.ct"
            )
        crossed = (tmp_path / "y.ct").read_bytes()
        answers: list[Any] = [lambda f, r, k: server.call(f, r, k), lambda f, _, k: server.call(f, crossed, k)]
        answers.append(lambda _f, r, _k: r)  # with no name of a question
        monkeypatch.setattr(Remote, "add_keys", lambda _, data: server.add_keys(data))
        ask = ("call", "http://127.0.0.1:9", "total", tmp_path / "x.ct", "-k", tmp_path / "keys/evaluation.key", "-o")
        for place, (answer, code) in enumerate(zip(answers, (0, 5, 5), strict=True)):
            monkeypatch.setattr(Remote, "call", lambda _, f, r, k, answer=answer: answer(f, r, k))
            out = tmp_path / f"{place}.ct"
            assert run(*ask, out).code == code and out.exists() == (code == 0)
        assert "older versions" in run(*ask, tmp_path / "z.ct").text
        succeed(*ask, tmp_path / "z.ct", "--unbound")
        assert "3" in succeed("decrypt", tmp_path / "0.ct", "-k", tmp_path / "keys/secret.key").text
