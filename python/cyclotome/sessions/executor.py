# SPDX-License-Identifier: Apache-2.0
"""Where a server computes: registered functions, the keys that they were sent, and what both may take."""

from __future__ import annotations

import importlib
import importlib.util
import math
import mmap
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import (
    ArgumentError,
    BusyError,
    CyclotomeError,
    FileError,
    FormatError,
    MismatchError,
    QuotaError,
    UnknownKeysError,
)
from ..functions.numbers import EncryptedNumbers
from ..keys.keyring import Keyring
from ..parameters.parameters import Parameters
from ..text import byte_size
from . import calls
from .arguments import planned, signature
from .costs import Costs, Needs
from .databases import Followed, Scan, scanned
from .key_folder import sha256_of
from .messages import Encrypted, answer_bytes, question, read_arguments, read_keys
from .quotas import Quotas
from .turns import Room

__all__ = ["Answer", "Executor", "KeyFacts", "Setup", "functions_of"]

#: A function of encrypted arrays that returns one, or a list of them.
Function = Callable[..., Any]


class KeyFacts(NamedTuple):
    """What is known of a set of keys when it was read."""

    key_id: str
    parameters: str
    nbytes: int


class Answer(NamedTuple):
    """What a job made, and took."""

    data: bytes
    seconds: float
    planned_seconds: float | None


@dataclass(frozen=True)
class Setup:
    """What each process of a server is told."""

    #: Functions by name, or where they are: "jobs.py:functions", "package.module:functions".
    functions: Mapping[str, Function] | str
    parameters: Parameters | None
    device: str
    quotas: Quotas
    allow_insecure: bool
    #: Files of databases, which each process opens.
    databases: tuple[str, ...] = ()


def functions_of(given: Mapping[str, Function] | str, *, none: bool = False) -> dict[str, Function]:
    """Functions by name; ``none``: there may be none.

    Raises:
        ArgumentError: something else; names that are no identifiers; no functions.
        FileError: there is no such file or module.
    """
    found = _imported(given) if isinstance(given, str) else given
    if not isinstance(found, Mapping) or not (found or none):
        raise ArgumentError(f"a server's functions are a mapping from names to functions, not {type(found).__name__}")
    for name, function in found.items():
        if not isinstance(name, str) or not name.isidentifier() or not name.isascii() or len(name) > 64:
            raise ArgumentError(f"a function's name is {name!r}; it must be an identifier of at most 64 letters")
        if not callable(function):
            raise ArgumentError(f"the function {name} is {type(function).__name__}, which can't be called")
    return dict(found)


def _imported(place: str) -> Any:
    """What stands at FILE.py:NAME, or MODULE:NAME."""
    module, _, name = place.rpartition(":")
    if not module or not name.isidentifier():
        raise ArgumentError(f"functions {place!r}: say FILE.py:NAME or MODULE:NAME, such as jobs.py:functions")
    if not module.endswith(".py"):
        try:
            loaded = importlib.import_module(module)
        except ImportError as error:
            raise FileError(f"functions {place!r}: {error}") from None
    else:
        path = Path(module).resolve()
        if not path.is_file():
            raise FileError(f"functions {place!r}: there is no file {path}")
        # Under a name of its own, so that pickles of its functions find it, and it takes nobody's place.
        own = f"cyclotome_functions_{path.stem}"
        spec = importlib.util.spec_from_file_location(own, path)
        assert spec is not None and spec.loader is not None
        loaded = sys.modules[own] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
    if not hasattr(loaded, name):
        raise ArgumentError(f"functions {place!r}: {module} has no {name}")
    return getattr(loaded, name)


class Executor:
    """Reads keys and requests, and runs functions. Knows nothing of clients. For several threads, each of which has the
    keys and arguments of its own call and no others."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._functions = functions_of(setup.functions, none=bool(setup.databases))
        device = setup.device if setup.device.startswith("cpu") else "cpu:1"  # cores scan
        self._databases = {path: Followed(path, device) for path in setup.databases}
        self._keys: OrderedDict[str, tuple[Keyring, int]] = OrderedDict()
        self._resident_bytes = 0
        #: Keys in memory that were read from a file whose bytes have its name.
        self._proven: set[str] = set()
        self._costs = Costs()
        self._lock = threading.Lock()
        #: Of keys that are being read, so that they are read once.
        self._reading: dict[str, threading.Lock] = {}
        # Less than a job may take: who waits so long is told to come later, before its time is over.
        self._room = Room(setup.quotas.job_bytes, setup.quotas.seconds / 2)

    def __call__(self, message: tuple[Any, ...]) -> Any:
        """What `Processes` sends: the name of a method, and arguments."""
        method, *arguments = message
        methods: dict[str, Callable[..., Any]] = {"check": self.check, "call": self.call, "scan": self.scan}
        return methods[method](*arguments)

    def scan(self, path: str, queries: bytes, start: int, stop: int) -> Scan:
        """Answers of some outputs of a database. Raises as `Scanned.answer`."""
        return scanned(self._databases[path], queries, range(start, stop))

    def check(self, path: str) -> KeyFacts:
        """Reads keys, to say what they are.

        Raises:
            As `read_keys`; MismatchError: keys of other parameters than the server has.
        """
        ring = self._read(path)
        evaluation = ring.evaluation
        assert evaluation is not None
        return KeyFacts(evaluation.key_id, evaluation.parameters.summary(), _nbytes(ring))

    def _read(self, path: str) -> Keyring:
        """Keys from their file, which is mapped: nothing is copied but into their own memory."""
        try:
            with open(path, "rb") as file:
                if not os.fstat(file.fileno()).st_size:
                    raise FormatError("there are no keys in 0 bytes")
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise UnknownKeysError("the server does not hold these keys any more; send them again") from None
        ring = read_keys(
            mapped,
            max_bytes=self._setup.quotas.resident_key_bytes,
            device=self._setup.device,
            allow_insecure=self._setup.allow_insecure,
        )
        expected, evaluation = self._setup.parameters, ring.evaluation
        if expected is not None and evaluation is not None and evaluation.parameters != expected:
            raise MismatchError(
                f"the keys belong to {evaluation.parameters.summary()}, the server computes with {expected.summary()}"
            )
        return ring

    def _stored(self, fingerprint: str, path: str) -> Keyring:
        """Keys that were sent once. Raises UnknownKeysError where their file is not what was sent any more."""
        try:
            return self._read(path)
        except UnknownKeysError:
            raise
        except (CyclotomeError, OSError):
            _require_undamaged(fingerprint, path)
            raise

    def _ring(self, fingerprint: str, path: str) -> Keyring:
        """The keys of this name, read now unless they are here; those used longest ago make room."""
        ring = self._resident(fingerprint)
        if ring is not None:
            return ring
        with self._lock:
            reading = self._reading.setdefault(fingerprint, threading.Lock())
        try:
            with reading:
                ring = self._resident(fingerprint)
                if ring is None:
                    ring = self._stored(fingerprint, path)
                    self._keep(fingerprint, ring)
                return ring
        finally:
            with self._lock:
                self._reading.pop(fingerprint, None)

    def _resident(self, fingerprint: str) -> Keyring | None:
        with self._lock:
            if fingerprint not in self._keys:
                return None
            self._keys.move_to_end(fingerprint)
            return self._keys[fingerprint][0]

    def _keep(self, fingerprint: str, ring: Keyring) -> None:
        with self._lock:
            self._drop(fingerprint)
            self._keys[fingerprint] = ring, _nbytes(ring)
            self._resident_bytes += _nbytes(ring)
            most = self._setup.quotas.resident_key_bytes
            while len(self._keys) > 1 and self._resident_bytes > most:
                self._drop(next(iter(self._keys)))

    def _drop(self, fingerprint: str) -> None:
        """Keeps these keys in memory no more; with the lock."""
        _, size = self._keys.pop(fingerprint, (None, 0))
        self._resident_bytes -= size
        self._proven.discard(fingerprint)

    def _with_keys(self, arguments: list[Encrypted], ring: Keyring, fingerprint: str, path: str) -> list[Encrypted]:
        """Arguments that know these keys.

        Raises:
            MismatchError: they are another's.
            UnknownKeysError: the file of keys is not what was sent.
        """
        try:
            return [each.with_keys(*ring.keys()) for each in arguments]
        except MismatchError:
            with self._lock:
                if fingerprint in self._proven:
                    raise
                self._drop(fingerprint)
            _require_undamaged(fingerprint, path)  # whole files, but other keys than their name says
            again = self._ring(fingerprint, path)
            with self._lock:
                self._proven.add(fingerprint)
            return [each.with_keys(*again.keys()) for each in arguments]

    def call(self, name: str, request: bytes, fingerprint: str, path: str) -> Answer:
        """The answer to a request.

        Raises:
            ArgumentError: no such function, or it does not take so many arrays.
            QuotaError: the function would take too long by its plan, or the answer is too long.
            BusyError: it might take too long, and later that may be known.
            Whatever reading the request and the function raise.
        """
        quotas = self._setup.quotas
        if name not in self._functions:
            raise ArgumentError(f"there is no function of this name; there are {', '.join(sorted(self._functions))}")
        ring = self._ring(fingerprint, path)
        read = read_arguments(
            request,
            max_bytes=quotas.request_bytes,
            most=quotas.arguments,
            device=self._setup.device,
            allow_insecure=self._setup.allow_insecure,
        )
        if not read:
            raise ArgumentError("the request has no encrypted arrays")
        arguments = self._with_keys(read, ring, fingerprint, path)
        what, needs = self._planned(name, ring, arguments)
        with self._room.hold(needs.nbytes):
            calls.began()
            began, own = time.monotonic(), time.thread_time()
            data = answer_bytes(self._functions[name](*arguments), question(name, request, fingerprint))
            seconds, own = time.monotonic() - began, time.thread_time() - own
        # One core's work is this thread's; of other devices the wall says no less than it was.
        self._costs.took(what, name, needs.seconds, own if self._setup.device.startswith("cpu:1") else seconds)
        length = sum(map(len, data))
        if length > quotas.answer_bytes:
            raise QuotaError(
                f"the answer has {byte_size(length)}, more than the {byte_size(quotas.answer_bytes)} of one; ask less"
            )
        return Answer(b"".join(data), seconds, needs.seconds)

    def _planned(self, name: str, ring: Keyring, arguments: list[Encrypted]) -> tuple[Any, Needs]:
        """What the call takes by its plan, besides its keys, which other calls use too; and what that depends on, which
        is which keys there are, not whose. Unknown for circuits' numbers, which have plans of their own.

        Raises:
            QuotaError: more time than the quota.
            BusyError: perhaps; the machine has too much to do for its speed to be known.
            Whatever the call itself will raise.
        """
        if any(isinstance(each, EncryptedNumbers) for each in arguments):
            return None, Needs(None, None, True)
        what = name, _abilities(ring), signature(arguments)
        needs = self._costs.plan(what)
        if needs is None:
            needs = self._estimated(name, ring, arguments)
            self._costs.keep(what, needs)
        if not self._fits(what, name, needs) and not needs.steady:  # once more, by the least of all readings
            needs = self._estimated(name, ring, arguments)
            self._costs.keep(what, needs)
        if not self._fits(what, name, needs):
            raise self._too_long(what, name, needs)
        return what, needs

    def _estimated(self, name: str, ring: Keyring, arguments: list[Encrypted]) -> Needs:
        found = planned(self._functions[name], arguments)
        return Needs(found.seconds, max(0, found.peak_bytes - _nbytes(ring)), found.steady)

    def _fits(self, what: Any, name: str, needs: Needs) -> bool:
        """Whether a job may take so long; NaN, where there is no estimate, may."""
        if needs.seconds is None or math.isnan(needs.seconds):
            return True
        return self._costs.expected(what, name, needs.seconds) <= self._setup.quotas.planned_seconds

    def _too_long(self, what: Any, name: str, needs: Needs) -> CyclotomeError:
        """Why a job is refused."""
        assert needs.seconds is not None
        limit = self._setup.quotas.planned_seconds
        seconds = self._costs.expected(what, name, needs.seconds)
        text = f"the job takes about {seconds:.2g} s, more than the {limit:g} s of one"
        if needs.steady:
            return QuotaError(f"{text}; ask less")
        return BusyError(f"{text}, but this machine has too much to do for that to be known; try again later")


def _abilities(ring: Keyring) -> Any:
    """What keys can do: all that a plan takes from them."""
    evaluation = ring.evaluation
    if evaluation is None:
        return None
    native = evaluation.native
    can = native.has_relinearization, tuple(native.galois_elements), ring.public is not None
    return evaluation.parameters.native.fingerprint, can


def _require_undamaged(fingerprint: str, path: str) -> None:
    """Raises UnknownKeysError for a file that is not what its name says, or can't be read."""
    if sha256_of(Path(path)) != fingerprint:
        raise UnknownKeysError("the keys that the server holds are damaged; send them again") from None


def _nbytes(ring: Keyring) -> int:
    every = ring.keys()
    return sum(key.nbytes for key in every)
