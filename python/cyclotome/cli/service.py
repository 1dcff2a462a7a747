# SPDX-License-Identifier: Apache-2.0
"""``cyclotome serve`` and ``cyclotome call``: functions for others to call, and calling them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import cyclotome as cy
from cyclotome import text
from cyclotome.cli.console import (
    DebugFlag,
    ForceFlag,
    InsecureFlag,
    JsonFlag,
    emit,
    vacant,
    write_whole,
)
from cyclotome.cli.failures import UsageError, command
from cyclotome.cli.keys import load_as
from cyclotome.cli.visible import visible
from cyclotome.extras import SERVE
from cyclotome.sessions.client import answered
from cyclotome.sessions.messages import fingerprint, key_bytes, question, read_answer, require_key
from cyclotome.sessions.quotas import Quotas
from cyclotome.sessions.remote import Remote

__all__ = ["call", "serve"]

_MIB = 1 << 20


def _quotas(mebibytes: dict[str, float | None], others: dict[str, Any]) -> Quotas:
    """Quotas with those that were given; bytes were given in MiB."""
    given = {name: int(value * _MIB) for name, value in mebibytes.items() if value is not None}
    return replace(Quotas(), **given, **{name: value for name, value in others.items() if value is not None})


def _databases(given: list[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not equals or not path:
            raise UsageError(f"--database {each!r}: say NAME=FILE, such as phones=phones.pir")
        if name in found:
            raise UsageError(f"--database {name} is there twice")
        found[name] = Path(path)
    return found


@command
def serve(
    functions: Annotated[
        str | None, typer.Argument(help="Where they are: FILE.py:NAME or MODULE:NAME, a mapping by name.")
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="A database of `cyclotome pir` or `cyclotome search`, by name. The file may be replaced meanwhile.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free; the log says which.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=1024, help="Processes that compute.")] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="That each of them computes at a time; as many as the device serves well."),
    ] = None,
    device: Annotated[str, typer.Option(help='Where each of them computes: "cpu:1", "cuda:0".')] = "cpu:1",
    parameters: Annotated[
        Path | None, typer.Option(help="The only ones to compute with, as `cyclotome params` writes them.")
    ] = None,
    keys_folder: Annotated[Path | None, typer.Option(help="Where clients' keys are kept between runs.")] = None,
    tokens: Annotated[Path | None, typer.Option(help="Who may ask: a line name:sha256 for each token.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="For TLS: certificate, PEM.")] = None,
    certificate_key: Annotated[Path | None, typer.Option(help="For TLS: its key, PEM.")] = None,
    insecure_public: Annotated[
        bool,
        typer.Option(
            "--insecure-public",
            help="Take a --host that others reach, with neither TLS nor tokens: something before it has them.",
        ),
    ] = False,
    proxies: Annotated[str, typer.Option(help="Whose X-Forwarded-For is believed.")] = "127.0.0.1",
    request_mib: Annotated[float | None, typer.Option(help="Of a request.")] = None,
    answer_mib: Annotated[float | None, typer.Option(help="Of an answer.")] = None,
    client_mib: Annotated[float | None, typer.Option(help="Of one client's requests at a time.")] = None,
    all_mib: Annotated[float | None, typer.Option(help="Of all requests at a time.")] = None,
    client_key_mib: Annotated[float | None, typer.Option(help="Of one client's keys.")] = None,
    all_key_mib: Annotated[float | None, typer.Option(help="Of all keys.")] = None,
    resident_key_mib: Annotated[float | None, typer.Option(help="Of keys in the memory of each process.")] = None,
    job_mib: Annotated[
        float | None, typer.Option(help="Of the jobs that a process computes at a time, by their plans.")
    ] = None,
    client_jobs: Annotated[int | None, typer.Option(help="Jobs of one client at a time.")] = None,
    all_jobs: Annotated[int | None, typer.Option(help="Jobs at a time, those that wait among them.")] = None,
    planned_seconds: Annotated[float | None, typer.Option(help="Of a job, by its plan, before it begins.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Of a job, after which its process is ended.")] = None,
    client_seconds_per_minute: Annotated[float | None, typer.Option(help="Of one client's jobs.")] = None,
    header_seconds: Annotated[float, typer.Option(min=0.1, help="For a request's headers.")] = 10.0,
    body_seconds: Annotated[float, typer.Option(min=0.1, help="For a request's body.")] = 60.0,
    stop_seconds: Annotated[float, typer.Option(min=1, help="For jobs, after a signal to stop.")] = 30.0,
    retries: Annotated[
        int, typer.Option(min=0, max=100, help="Of a job whose process died; 0 if functions must not run twice.")
    ] = 2,
    log_level: Annotated[str, typer.Option(help="INFO, WARNING, ERROR.")] = "INFO",
    allow_insecure: InsecureFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Serve functions of encrypted arrays, and databases for private look-ups, over HTTP, until SIGTERM or Ctrl-C.
    Takes evaluation keys only.

    Logs go to standard error, one JSON object a line. /metrics has figures for Prometheus, /healthz and /readyz are
    for whoever restarts it. A --host that other machines reach takes --tokens, --certificate, or --insecure-public
    where a proxy before it has TLS and knows who asks.
    """
    SERVE.require()
    from cyclotome.service.run import Listening
    from cyclotome.service.run import serve as run

    if (certificate is None) != (certificate_key is None):
        raise UsageError("--certificate and --certificate-key go together")
    if log_level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise UsageError(f"--log-level {log_level!r}: INFO, WARNING or ERROR")
    mebibytes = {"request_bytes": request_mib, "answer_bytes": answer_mib, "client_bytes": client_mib}
    mebibytes |= {"all_bytes": all_mib, "client_key_bytes": client_key_mib, "all_key_bytes": all_key_mib}
    mebibytes |= {"resident_key_bytes": resident_key_mib, "job_bytes": job_mib}
    others = {"client_jobs": client_jobs, "all_jobs": all_jobs, "planned_seconds": planned_seconds}
    others |= {"seconds": seconds, "client_seconds_per_minute": client_seconds_per_minute}
    only = None if parameters is None else load_as(cy.Parameters, parameters, allow_insecure=allow_insecure)
    listening = Listening(
        host,
        port,
        tokens,
        certificate,
        certificate_key,
        header_seconds,
        body_seconds,
        stop_seconds,
        proxies=proxies,
        insecure_public=insecure_public,
    )
    server = cy.Server(
        functions,
        parameters=only,
        workers=workers,
        jobs=jobs,
        device=device,
        quotas=_quotas(mebibytes, others),
        folder=keys_folder,
        allow_insecure=allow_insecure,
        databases=_databases(database or []),
        retries=retries,
    )
    with server:
        run(server, listening, log_level)


@command
def call(
    url: Annotated[str, typer.Argument(help="Where the service is, for example http://127.0.0.1:8000.")],
    function: Annotated[str, typer.Argument(help="The function's name.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Encrypted arguments, in their order.")],
    keys: Annotated[Path, typer.Option("--keys", "-k", help="evaluation.key of whoever encrypted them.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The encrypted answer, for example answer.ct.")],
    public: Annotated[Path | None, typer.Option("--public", help="public.key, for results that hide nothing.")] = None,
    token: Annotated[
        str | None, typer.Option(envvar="CYCLOTOME_TOKEN", help="Says who asks, where the service wants to know.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds.")] = 120.0,
    unbound: Annotated[
        bool,
        typer.Option("--unbound", help="Take an answer that names no question, as of servers before there were names."),
    ] = False,
    allow_insecure: InsecureFlag = False,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Call a function of a service on encrypted files. No secret key takes part: `cyclotome decrypt` opens the answer.

    Keys are sent if the service does not hold them. An answer of several arrays is one file of them all, one after
    the other, which `cyclotome.load` reads from a file object. Tables keep names, scales and missing values on the way
    there and back. Of arrays the numbers are integers: what their files say of scales stays here. An answer to another
    question, which something in between mixed up, is refused.
    """
    vacant(output, force)
    evaluation = load_as(cy.EvaluationKeys, keys, allow_insecure=allow_insecure)
    hiding = None if public is None else load_as(cy.PublicKey, public, allow_insecure=allow_insecure)
    taken = (cy.EncryptedArray, cy.EncryptedDigits, cy.EncryptedFrame)
    arrays = [load_as(taken, file, expect=evaluation.parameters) for file in files]
    for array, file in zip(arrays, files, strict=True):
        require_key(array, evaluation.key_id, str(file))
    remote = Remote(url, token=token, timeout=timeout)
    try:
        request = b"".join(cy.to_view(array) for array in arrays)
        data = key_bytes(evaluation, hiding)
        name = fingerprint(data)
        answer = answered(remote, function, request, name, lambda: data)
    finally:
        remote.close()
    asked = None if unbound else question(function, request, name)
    read_answer(answer, evaluation.parameters, evaluation.key_id, "cpu", asked)
    write_whole(output, answer)
    facts = {"file": str(output), "bytes": len(answer), "keys": name}
    emit(facts, json, f"{visible(str(output))}: {text.byte_size(len(answer))}")
