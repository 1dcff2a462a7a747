# SPDX-License-Identifier: Apache-2.0
"""What work took on this machine, from process to process: a file in the user's cache, which nothing needs.

It holds numbers of kinds of work (`AskedWork.digest`) and seconds, and nothing about values or keys.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import sys
from pathlib import Path

from .. import _core
from ..errors import CyclotomeError
from ..whole_files import write_whole
from .estimates import Times
from .readings import Figure

__all__ = ["kept_in", "read_times", "write_times"]

#: Of a file, more than it ever has.
_MOST_BYTES = 4 << 20


def _caches() -> Path | None:
    """Where the system's programs keep what can be found out again."""
    try:
        home = Path.home()
    except RuntimeError:  # of users without one
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / "Caches"
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else home / ".cache"  # as the XDG specification has it


def _processor() -> str:
    """The processor's name, as far as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith(("model name", "CPU part")):
                return line
    except OSError:
        pass
    return f"{platform.machine()} {platform.processor()}"


def kept_in() -> Path | None:
    """The file of this machine and this build of the library; None where the user has no home."""
    caches = _caches()
    if caches is None:
        return None
    built = Path(str(_core.__file__)).stat()
    facts = (_processor(), _core.instruction_sets()[-1], _core.compiler(), built.st_size, built.st_mtime_ns)
    name = hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
    return caches / "cyclotome" / f"times-{name}.json"


def read_times(path: Path | None, times: Times) -> None:
    """Adds those of a file, if it is there and is one; what is known already stays."""
    try:
        if path is None or path.stat().st_size > _MOST_BYTES:
            return
        found = json.loads(path.read_text())
        for name, seconds in found["times"].items():
            device, digest = name.rsplit(" ", 1)
            if isinstance(seconds, float) and 0 < seconds < math.inf:
                times.known.setdefault((device, int(digest)), Figure(seconds, True))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return  # it is written anew


def write_times(path: Path | None, times: Times) -> None:
    """All that are known well. Where nothing can be written they are for this process alone."""
    if path is None:
        return
    known = {f"{device} {digest}": figure.seconds for (device, digest), figure in times.known.items() if figure.steady}
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, json.dumps({"times": known}, indent=0).encode())
    except (OSError, CyclotomeError):
        return
