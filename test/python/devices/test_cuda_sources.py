# SPDX-License-Identifier: Apache-2.0
"""What the CUDA sources keep to, so that nothing goes wrong in silence on a machine with a GPU; needs none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[3] / "src" / "cyclotome" / "engine" / "cuda"
FILES = sorted([*SOURCES.rglob("*.cu"), *SOURCES.rglob("*.cuh"), *SOURCES.rglob("*.hpp")])

#: Where code for older devices has nothing to do: kernels start early only where what was loaded waits.
NOTHING_TO_DO = "early_start.cuh"


def guards(text: str) -> Iterator[tuple[str, str | None]]:
    """What stands under each `#if __CUDA_ARCH__ ...`, and under its `#else`, None without one."""
    for block in re.findall(r"^#if __CUDA_ARCH__[^\n]*\n(.*?)^#endif", text, re.MULTILINE | re.DOTALL):
        body, found, other = block.partition("#else\n")
        yield body, other if found else None


def test_there_is_something_to_check() -> None:
    assert len(FILES) > 40
    assert sum(len(list(guards(path.read_text(encoding="utf-8")))) for path in FILES) >= 11


def test_no_kernel_is_empty_for_older_devices() -> None:
    for path in FILES:
        for body, other in guards(path.read_text(encoding="utf-8")):
            if path.name == NOTHING_TO_DO:
                assert "griddepcontrol" in body and other is None
            else:
                assert other is not None and other.strip() == "missing_body();", f"{path.name}: {body[:200]}"


def test_guards_are_written_so_that_they_are_found() -> None:
    for path in FILES:
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"\s*#.*__CUDA_ARCH__", line):
                assert re.fullmatch(r"#if __CUDA_ARCH__ >= \d+|#ifdef __CUDA_ARCH__", line), f"{path.name}: {line}"


def test_the_callers_device_is_not_touched() -> None:
    """DeviceScope alone chooses where the calling thread works; and errors are taken from the runtime only by the calls
    that met them."""
    for path in FILES:
        code = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        assert "cudaSetDevice" not in code and "cuCtxSetCurrent" not in code, path.name
        assert "<<<" not in code, f"{path.name}: launch() checks its own launch only"
        assert code.count("cudaGetLastError") == (1 if path.name == "device_view.cuh" else 0), path.name
