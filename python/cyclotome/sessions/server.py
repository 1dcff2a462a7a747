# SPDX-License-Identifier: Apache-2.0
"""A server: registered functions, and the evaluation keys of its clients. It never has a secret key."""

from __future__ import annotations

import signal
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ..devices.contexts import callers_of
from ..errors import ArgumentError, QuotaError, UnknownKeysError, UnsupportedError
from ..parameters.parameters import Parameters
from ..streams import Buffer
from ..text import byte_size
from .calls import in_this_thread
from .databases import Databases, Scan
from .executor import Answer, Executor, KeyFacts, Setup, functions_of
from .key_store import KeyStore, KeyUpload
from .processes import Processes
from .quotas import Admission, Quotas
from .turns import Turns
from .workers import described, raised

__all__ = ["Server"]


class Server:
    """Holds clients' evaluation keys by their fingerprints, and runs registered functions on what they encrypted.

    A request is bytes, and so is its answer; `Client` makes and reads them. Whatever comes from clients is checked as
    files are, a secret key among it is refused and not kept, and quotas bound bytes, time and jobs. Functions are
    plain Python: they get `EncryptedArray` with the client's keys, and return one, or a list of them.

    Args:
        functions: by name, None where there are databases only; or where they are, "jobs.py:functions" or
            "package.module:functions", which processes need where the functions can't be pickled.
        parameters: the only ones it computes with; None: any that are secure.
        workers: processes that compute, each with the keys that it met. 0: computes in this process, in the threads
            that call, and a job that takes too long is ended only where it calls this library.
        jobs: that each of them computes at a time, on one engine. None: as many as the device serves well, all
            processes together: a core each, or a GPU's streams.
        device: where each of them computes; None: "cpu" in this process, "cpu:1" in each of several.
        quotas: see `Quotas`.
        folder: where keys are stored, so that they outlive this server; None: a temporary folder.
        allow_insecure: take parameters below 128 bits of security.
        databases: files of databases for private look-ups and searches (`cyclotome.pir`, `cyclotome.search`), by name.
            Each file is followed: one that takes its name is answered from at once, and the version before it as long
            as there are queries to it, for ten minutes. All processes share the outputs of an answer.
        retries: how often a job is done again whose process died, which functions of ciphertexts can be; 0 where
            functions do something that must not be done twice.

    Raises:
        ArgumentError: neither functions nor databases, or no such number of workers or jobs.
        EngineError: no such device.
        FileError: the functions, the folder or a database are not there.
        FormatError: a file that is no database.

    Example:
        >>> import cyclotome as cy
        >>> server = cy.Server({"square": lambda x: x * x})
        >>> client = cy.Client(server, cy.keygen(cy.Parameters.suggest(depth=1, value_bits=7), rotations=[]))
        >>> client.call("square", [1, 2, 3])
        array([1, 4, 9])
    """

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]] | str | None = None,
        *,
        parameters: Parameters | None = None,
        workers: int = 0,
        jobs: int | None = None,
        device: str | None = None,
        quotas: Quotas | None = None,
        folder: str | Path | None = None,
        allow_insecure: bool = False,
        databases: Mapping[str, str | Path] | None = None,
        retries: int = 2,
    ) -> None:
        if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 100:
            raise ArgumentError(f"retries {retries!r}: a whole number from 0 to 100")
        if parameters is not None and not isinstance(parameters, Parameters):
            raise UnsupportedError(f"a server computes with Parameters, not {type(parameters).__name__}")
        if isinstance(workers, bool) or not isinstance(workers, int) or not 0 <= workers <= 1024:
            raise ArgumentError(f"workers {workers!r}: a whole number from 0 to 1024")
        if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= 1024):
            raise ArgumentError(f"jobs {jobs!r}: a whole number from 1 to 1024, or None")
        self.databases = Databases({} if databases is None else databases, max(1, workers))
        given = {} if functions is None else functions
        if not given and not self.databases:
            raise ArgumentError("a server has functions or databases: name some of either")
        self.functions = tuple(sorted(functions_of(given, none=len(self.databases) > 0)))
        self.parameters = parameters
        self.quotas = Quotas() if quotas is None else quotas
        self.admission = Admission(self.quotas)
        self._temporary = None if folder is not None else tempfile.TemporaryDirectory(prefix="cyclotome-keys-")
        place = Path(self._temporary.name if self._temporary is not None else folder)  # type: ignore[arg-type]
        self.keys = KeyStore(place, self.quotas, durable=folder is not None)
        where = device if device is not None else "cpu" if workers == 0 else "cpu:1"
        insecure = allow_insecure or (parameters is not None and parameters.allow_insecure)
        setup = Setup(given, parameters, where, self.quotas, insecure, tuple(self.databases.paths.values()))
        #: Jobs at a time in each process.
        self.jobs = jobs if jobs is not None else max(1, -(-callers_of(where) // max(1, workers)))
        #: Who computes next.
        self.turns = Turns(max(1, workers) * self.jobs)
        self._own = Executor(setup) if workers == 0 else None
        self.processes = Processes(workers, Executor, setup, lines=self.jobs, retries=retries) if workers else None
        self._end = weakref.finalize(self, _close, self.processes, self._temporary)

    def add_keys(self, data: Buffer, client: str = "") -> str:
        """Holds keys, which `Client.key_bytes` made, under their fingerprint, which is returned.

        Args:
            data: the bytes.
            client: who sends them, for quotas; any name.

        Raises:
            SecrecyError: there is a secret key among them; it is not kept.
            FormatError: no keys, or damaged ones.
            SecurityError: keys of insecure parameters.
            MismatchError: keys of other parameters than the server's.
            QuotaError: too many bytes.
            BusyError: there is no room for further keys now.
            FileError: the disk is full.
        """
        with self.keys.upload(client) as upload:
            upload.write(data)
            return self.finish_keys(upload)[0]

    def finish_keys(self, upload: KeyUpload, gone: Callable[[], bool] | None = None) -> tuple[str, KeyFacts]:
        """Checks keys that have arrived in pieces (``server.keys.upload(client)``), and holds them if they are some.

        Args:
            gone: as for `run`.
        """
        facts: KeyFacts = self._ask(("check", str(upload.path)), gone)
        return upload.finish(), facts

    def forget_keys(self, fingerprint: str, client: str = "") -> None:
        """Gives up a client's keys. Raises UnknownKeysError: it has sent none such."""
        self.keys.forget(fingerprint, client)

    def call(self, function: str, request: Buffer, keys: str, client: str = "") -> bytes:
        """The answer of a function to a request, which `Client.request` made.

        Args:
            function: its name.
            request: encrypted arrays, one for each argument.
            keys: the fingerprint of the keys to compute with.
            client: who asks, for quotas.

        Raises:
            ArgumentError: no such function; whatever the function raises of this library.
            UnknownKeysError: the keys are not held.
            MismatchError: arrays of other keys.
            FormatError, SecurityError, SecrecyError: as `add_keys`.
            QuotaError, BusyError: beyond a quota; `BusyError` where later may do; TimeLimitError: it ran too long.
            FunctionError: the function failed with another error, or its process died.
        """
        size = _length(request)
        self.admission.take(client, size, 0)
        try:
            with self.admission.job(client), self.turns.place(client):
                return self.run(function, request, keys).data
        finally:
            self.admission.give_back(client, size)

    def run(self, function: str, request: Buffer, keys: str, gone: Callable[[], bool] | None = None) -> Answer:
        """`call` without turns and quotas of clients, and what it took; for the service, which counts by itself.

        Args:
            gone: whether nobody waits for the answer any more, so that the job is given up (BusyError).
        """
        _length(request)
        if not isinstance(keys, str):
            raise ArgumentError(f"keys are named by their fingerprint, a text, not by {type(keys).__name__}")
        path = self.keys.path(keys)
        data = request if self._own is not None or isinstance(request, (bytes, bytearray)) else bytes(request)
        try:
            answer: Answer = self._ask(("call", function, data, keys, path), gone)
        except UnknownKeysError:  # their file is damaged, or gone
            self.keys.drop_damaged(keys)
            raise
        self.admission.worked(answer.seconds)
        return answer

    def describe(self, database: str, version: str = "") -> bytes:
        """What clients of a database need to know; nothing where it has the ``version`` that they know.

        Raises:
            ArgumentError: no such database.
        """
        found = self.databases.get(database)
        return b"" if found.version == version else found.description

    def look_up(self, database: str, queries: bytes, client: str = "") -> bytes:
        """The answers to private queries, one or several after another.

        Args:
            database: its name.
            queries: what `cyclotome.pir.Client.query` or `cyclotome.search.Client.query` made.
            client: who asks, for quotas.

        Raises:
            ArgumentError: no such database.
            FormatError, RangeError: no queries.
            MismatchError: to a version that is not here any more; `describe` says the one that is.
            QuotaError, BusyError, TimeLimitError: as `call`.
        """
        size = _length(queries)
        self.admission.take(client, size, 0)
        try:
            with self.admission.job(client), self.turns.place(client):
                return self.scan(database, queries).data
        finally:
            self.admission.give_back(client, size)

    def scan(self, database: str, queries: Buffer, gone: Callable[[], bool] | None = None) -> Scan:
        """`look_up` without turns and quotas of clients, and what it took; for the service."""
        found = self.databases.answer(database, bytes(queries), lambda message: self._ask(message, gone))
        if len(found.data) > self.quotas.answer_bytes:
            raise QuotaError(
                f"the answers have {byte_size(len(found.data))}, more than the "
                f"{byte_size(self.quotas.answer_bytes)} of one request; ask for less at a time"
            )
        self.admission.worked(found.seconds)
        return found

    def _ask(self, message: tuple[Any, ...], gone: Callable[[], bool] | None = None) -> Any:
        if self.processes is not None:
            return self.processes.ask(message, self.quotas.seconds, gone)
        assert self._own is not None
        with _interrupts() as interrupted:
            try:
                return in_this_thread(self._own, message, self.quotas.seconds, gone)
            except BaseException as error:
                # Errors of functions are what they are in processes, too: this library's, or `FunctionError`. What is
                # no `Exception` would end the caller, who has not asked for that unless it is Ctrl-C.
                if isinstance(error, KeyboardInterrupt) and interrupted():
                    raise
                raise raised(*described(error)) from error

    def close(self) -> None:
        """Lets running jobs end, ends its processes, and removes temporary keys."""
        self._end()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _length(request: object) -> int:
    """Raises ArgumentError for what are no bytes."""
    try:
        return memoryview(request).nbytes  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(f"a request is bytes, as Client.request makes them, not {type(request).__name__}") from None


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Tells whether Ctrl-C came meanwhile, whose `KeyboardInterrupt` a function may raise as well. Signals arrive on
    the main thread."""
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: False
        return

    def handler(number: int, frame: FrameType | None) -> None:
        came.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, handler)
    try:
        yield lambda: bool(came)
    finally:
        if signal.getsignal(signal.SIGINT) is handler:
            signal.signal(signal.SIGINT, before)


def _close(processes: Processes | None, folder: tempfile.TemporaryDirectory[str] | None) -> None:
    if processes is not None:
        processes.close()
    if folder is not None:
        folder.cleanup()
