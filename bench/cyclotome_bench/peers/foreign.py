# SPDX-License-Identifier: Apache-2.0
"""Programs of other libraries that a user built (bench/peers): contestants in the same run, asked over pipes."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from cyclotome_bench.peers.seal import PeerError
from cyclotome_bench.peers.truth import Truth
from cyclotome_bench.sets import Problem

__all__ = ["ForeignPeer", "ForeignPeers", "RefusedError"]


class RefusedError(PeerError):
    """A program cannot do a problem, and says so."""


@dataclass(frozen=True)
class _Operation:
    """One operation of a program, as `timing.SelfTimed`."""

    peer: ForeignPeer
    name: str

    def run(self, loops: int, own_time: bool) -> int:
        wall, thread = self.peer.ask(f"run {self.name} {loops}", "time").split()
        return int(thread if own_time else wall)


class ForeignPeer:
    """One problem in a program of another library, for use in a with statement: the program ends with it.

    Args:
        program: what `bench/peers/build` made, or anything that answers as `bench/peers/peer.hpp` does.
        problem: the work; its values stand in slots.

    Attributes:
        library: the name and version that it gave.
        operations: by name, for `timing.alternate`.
        modulus_bits: log2 of its q and of its QP where it chose primes of its own, else nothing.

    Raises:
        PeerError: it cannot be started, or ends early.
        RefusedError: it refuses the problem.
    """

    def __init__(self, program: Path, problem: Problem) -> None:
        self.program, self.truth, self.library = program, Truth(problem), str(program)
        try:
            self._process = subprocess.Popen(
                [program.resolve()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
            )
        except OSError as error:
            raise PeerError(f"the program {program} cannot be started: {error.strerror}") from None
        lists = (problem.peer_moduli, self.truth.x.tolist(), self.truth.y.tolist())
        lines = [f"{problem.scheme} {problem.degree} {problem.plain_modulus}"]
        lines += [" ".join(map(str, (len(values), *values))) for values in lists]
        try:
            self.library = self.ask("\n".join(lines), "ready")
            names = self._answer("operations").split()
            bits = self._answer("modulus").split()
        except BaseException:
            self.close()
            raise
        self.operations = {name: _Operation(self, name) for name in names}
        self.modulus_bits = tuple(round(float(number), 1) for number in bits)

    def __enter__(self) -> ForeignPeer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the program."""
        self._process.kill()
        self._process.communicate()

    def ask(self, line: str, wanted: str) -> str:
        """What it answers to a line, after the word that it is to answer with."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # then there is no answer either
        return self._answer(wanted)

    def _answer(self, wanted: str) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        word, _, rest = line.strip().partition(" ")
        if word == wanted:
            return rest
        if word == "refused":
            raise RefusedError(f"{self.library} refuses: {rest}")
        if not line:
            raise PeerError(f"the program {self.program} ended with code {self._process.wait()}")
        raise PeerError(f"the program {self.program} answers {line.strip()[:80]!r} where {wanted!r} was to come")

    def facts(self, operation: str) -> dict[str, Any]:
        """Checks what the last run of an operation gave, and tells the noise budget left if the library can.

        Raises:
            WrongResultError: it is wrong.
        """
        values = np.array(self.ask(f"values {operation}", "values").split(), np.int64)
        self.truth.check(self.library, operation, values)
        noise = self.ask(f"noise {operation}", "noise")
        found: dict[str, Any] = {} if noise == "unknown" else {"noise_left": int(noise)}
        if self.modulus_bits:
            found["log_q_ciphertext"], found["log_q_key"] = self.modulus_bits
        return found


class ForeignPeers(ExitStack):
    """All programs with one problem, for use in a with statement; none for values in coefficients.

    Attributes:
        refusals: what programs that refuse the problem said, by name.
    """

    def __init__(self, programs: Sequence[Path], problem: Problem) -> None:
        super().__init__()
        self.peers: list[ForeignPeer] = []
        self.refusals: dict[str, dict[str, str]] = {}
        try:
            for program in programs if problem.slots and problem.peer_moduli else ():
                try:
                    self.peers.append(self.enter_context(ForeignPeer(program, problem)))
                except RefusedError as error:
                    self.refusals[program.name] = {"refused": str(error)}
        except BaseException:
            self.close()
            raise

    def doing(self, operation: str) -> list[ForeignPeer]:
        """Those that have an operation."""
        return [peer for peer in self.peers if operation in peer.operations]
