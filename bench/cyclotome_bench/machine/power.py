# SPDX-License-Identifier: Apache-2.0
"""Power and utilisation of a GPU by its driver's counters: NVML (nvidia-ml-py) or, without it, nvidia-smi."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean
from typing import Any

__all__ = ["Draw", "counter", "measured_power"]

#: Time between two looks, in seconds.
_STEP = 0.05
#: The counters are averages over up to a second: what was before is not looked at.
_SETTLING = 1.0

#: Watts and percent, now.
Reading = tuple[float, float]


@dataclass(frozen=True)
class Draw:
    """Means over a run: watts, percent of the time in which a kernel ran, and how many looks they are of; and the
    seconds that each run of the work took."""

    watts: float
    utilization: float
    looks: int
    seconds_each: float


def counter(index: int) -> tuple[Callable[[], Reading] | None, str]:
    """How to read GPU number `index`, and what reads it; None and why, where there is no way."""
    try:
        pynvml: Any = importlib.import_module("pynvml")
    except ImportError:
        return _by_command(index)
    try:
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        pynvml.nvmlDeviceGetPowerUsage(handle)
    except pynvml.NVMLError as error:
        return None, f"NVML: {error}"

    def read() -> Reading:
        rates: Any = pynvml.nvmlDeviceGetUtilizationRates(handle)
        return pynvml.nvmlDeviceGetPowerUsage(handle) / 1000, float(rates.gpu)

    return read, "NVML"


def _by_command(index: int) -> tuple[Callable[[], Reading] | None, str]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return None, "neither the package nvidia-ml-py nor nvidia-smi is installed"
    query = [program, "--query-gpu=power.draw,utilization.gpu", "--format=csv,noheader,nounits", f"--id={index}"]

    def read() -> Reading:
        shown = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout
        watts, percent = shown.strip().splitlines()[0].split(",")
        return float(watts), float(percent)

    try:
        read()
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        return None, f"nvidia-smi tells no power: {type(error).__name__}"
    return read, "nvidia-smi"


def measured_power(read: Callable[[], Reading], work: Callable[[], Any], seconds: float = 2.5) -> Draw:
    """What `read` tells while `work` runs again and again for `seconds`, after the first one."""
    found: list[Reading] = []
    done = threading.Event()

    def watch() -> None:
        done.wait(_SETTLING)
        while not done.is_set():
            found.append(read())
            done.wait(_STEP)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        start, runs = time.perf_counter(), 0
        end = start + max(seconds, _SETTLING + 2 * _STEP)
        while (now := time.perf_counter()) < end:
            work()
            runs += 1
    finally:
        done.set()
        watcher.join()
    if not found:
        found.append(read())
    each = (now - start) / max(runs, 1)
    return Draw(mean(watts for watts, _ in found), mean(percent for _, percent in found), len(found), each)
