# SPDX-License-Identifier: Apache-2.0
"""What figures depend on besides the code: the machine, what it is busy with, and the versions of everything."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from cyclotome import __version__, _core
from cyclotome.devices import cuda

__all__ = ["cores", "device_facts", "device_machine_name", "facts", "load", "load_note", "load_said", "machine_name"]

#: (vendor, family) of CPUID -> (first model, name): the last entry at or below the model counts.
_MICROARCHITECTURES: dict[tuple[str, int], tuple[tuple[int, str], ...]] = {
    ("AuthenticAMD", 23): ((0, "zen"), (0x30, "zen2")),
    ("AuthenticAMD", 25): ((0, "zen3"), (0x10, "zen4"), (0x20, "zen3"), (0x60, "zen4")),
    ("AuthenticAMD", 26): ((0, "zen5"),),
    ("GenuineIntel", 6): (
        (0, "intel"),
        (0x3C, "haswell"),
        (0x4F, "broadwell"),
        (0x55, "skylake"),
        (0x6A, "icelake"),
        (0x8F, "sapphirerapids"),
        (0xAD, "graniterapids"),
        (0xAE, "intel"),
        (0xCF, "emeraldrapids"),
        (0xD0, "intel"),
    ),
}


def cores() -> int:
    """Cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _cpu() -> dict[str, str]:
    """The first processor's entries of /proc/cpuinfo; empty where there is none."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return {}
    first = text.split("\n\n")[0]
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}


def _microarchitecture(cpu: dict[str, str]) -> str:
    try:
        key, model = (cpu["vendor_id"], int(cpu["cpu family"])), int(cpu["model"])
    except (KeyError, ValueError):
        return "cpu"
    known = _MICROARCHITECTURES.get(key, ((0, f"family{key[1]}"),))
    return [name for first, name in known if first <= model][-1]


def machine_name() -> str:
    """Tells the kind of machine and nothing about whose it is: "x86-64-2core-zen5"."""
    architecture = platform.machine().lower().replace("_", "-")
    name = f"{architecture}-{cores()}core-{_microarchitecture(_cpu())}"
    return re.sub(r"[^a-z0-9.-]+", "-", name)


def _gpu(device: str) -> dict[str, Any] | None:
    """The facts of `_core.cuda_facts` about a GPU; None for other devices."""
    found = (gpu for gpu in _core.cuda_facts()["devices"] if f"cuda:{gpu['index']}" == device)
    return next(found, None)


def device_machine_name(device: str) -> str:
    """The GPU's model, "nvidia-h100-80gb-hbm3"; `machine_name` for other devices."""
    gpu = _gpu(device)
    return machine_name() if gpu is None else re.sub(r"[^a-z0-9.-]+", "-", gpu["name"].lower())


def device_facts(device: str) -> dict[str, Any]:
    """`facts` without a peer, and about the device: its model, driver, CUDA versions, and what it can do at most.

    Raises:
        EngineError: the device is a GPU that can't be measured.
    """
    about: dict[str, Any] = {**facts(None), "machine": device_machine_name(device), "device": device}
    gpu = _gpu(device)
    if gpu is not None:
        found = cuda.facts()
        about["gpu"] = {name: gpu[name] for name in ("name", "compute_capability", "multiprocessors", "memory")}
        about |= {"driver": found["driver_version"], "cuda": found["runtime"], "cuda_of_driver": found["driver"]}
        about["ceilings"] = _core.cuda_ceilings(gpu["index"])
        about["method"] = "host clock; median_us: one call and a synchronisation; throughput_us: one call among many"
    return about


def load() -> list[float] | None:
    """The system's load averages over 1, 5 and 15 minutes, where it tells."""
    try:
        return [round(average, 2) for average in os.getloadavg()]
    except (AttributeError, OSError):
        return None


#: A load average below it is what a shell and the start of a run leave behind.
IDLE = 0.25


def load_note(before: list[float] | None, count: int | None = None) -> str:
    """How far figures can be trusted, from the load before a run on so many cores (None: `cores`): others take turns
    from a thread where less than one core was free, a load above ``count - 1``, and from all threads where one was
    not idle. Their turns are no part of a thread's processor time, but what they do to caches and clocks is."""
    if before is None:
        return "the system does not tell its load"
    if before[0] < IDLE:
        return "the machine was idle before the run"
    count = cores() if count is None else count
    waiting = (
        f"{before[0]} processes wanted to run on {count} {'core' if count == 1 else 'cores'} before this one started"
    )
    if before[0] <= count - 1:
        return f"{waiting}: one was free for it; what runs on all of them may be slower than it is alone"
    return f"{waiting}: what the clock on the wall times is too long, and no thread had its caches to itself"


def load_said(load: dict[str, Any]) -> str:
    """What a report says of its machine's load: before its run, and after it if it was kept."""
    after = load.get("after")
    return str(load["note"]) + ("" if not after else f"; {after[0]} wanted to run when it ended")


def commit() -> str | None:
    """The commit that the current folder, if it is this project's checkout, is at; "-modified" if sources differ."""
    try:
        here = Path("pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return None
    if not re.search(r'^name = "cyclotome"$', here, re.MULTILINE):
        return None
    name = _git("rev-parse", "--short=12", "HEAD")
    sources = ("src", "python", "bench/cyclotome_bench", "hdl", "study", "cmake", "CMakeLists.txt")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", *sources)
    return None if name is None else name + ("-modified" if changed else "")


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def facts(peer: str | None) -> dict[str, Any]:
    """Everything that a report says before its records; "load" is that of now."""
    sets, now = _core.instruction_sets(), load()
    versions = {"cyclotome": __version__, "python": platform.python_version(), "numpy": np.__version__}
    if peer is not None:
        try:
            versions["tenseal"] = version("tenseal")
        except PackageNotFoundError:
            versions["tenseal"] = "unknown"
    return {
        "machine": machine_name(),
        "cpu": _cpu().get("model name") or platform.processor() or platform.machine(),
        "instruction_sets": sets,
        "instruction_set": sets[-1],
        "threads": cores(),
        "compiler": _core.compiler(),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "versions": versions,
        "peer": peer,
        "load": {"before": now, "after": None, "note": load_note(now)},
    }
