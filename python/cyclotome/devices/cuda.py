# SPDX-License-Identifier: Apache-2.0
"""What there is for CUDA on this machine, for people: whether it was built, the driver, and each GPU."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .. import _core
from ..text import byte_size

__all__ = ["driver_version", "facts", "state", "usable"]


def driver_version() -> str | None:
    """The NVIDIA driver's own version, "580.159.04"; None without one, or where the system does not tell."""
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b", text.splitlines()[0] if text else "")
    return found[1] if found else None


def facts() -> dict[str, Any]:
    """`built`; `runtime` and `driver`, the CUDA versions of this build and of the driver ("13.0", None without one);
    `driver_version`; `devices`, one dictionary for each GPU, in which `code` is the compute capability that the code
    which runs there was compiled for; `problem`, empty if a GPU can be used."""
    found = dict(_core.cuda_facts())
    for name in ("runtime", "driver"):
        found[name] = f"{found[name] // 1000}.{found[name] % 1000 // 10}" if found[name] else None
    found["driver_version"] = driver_version()
    return found


def usable() -> list[str]:
    """The full names of the GPUs that can be computed on: "cuda:0", ..."""
    return [f"cuda:{device['index']}" for device in _core.cuda_facts()["devices"] if not device["problem"]]


def state() -> str:
    """ "ready", with what there is; or what is missing and what to do."""
    found = facts()
    versions = f"driver {found['driver_version'] or 'of unknown version'} (CUDA {found['driver']})"
    lines = [versions, *(_described(device) for device in found["devices"])] if found["driver"] else []
    return "; ".join([found["problem"] or "ready", *lines])


def _described(device: dict[str, Any]) -> str:
    text = f"cuda:{device['index']} {device['name']}, compute capability {device['compute_capability']}"
    if device["problem"]:
        return f"{text}: {device['problem']}"
    if float(device["code"]) < min(float(device["compute_capability"]), 9.0):
        text += f" (this build has code for {device['code']} only, which is slower there)"
    return f"{text}, {byte_size(device['memory_free'])} of {byte_size(device['memory'])} free"
