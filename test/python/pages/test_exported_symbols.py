# SPDX-License-Identifier: Apache-2.0
"""What the extension shows to the dynamic linker: its entry point, and nothing that could meet another library's."""

from __future__ import annotations

import platform
import shutil
import subprocess

import pytest
from cyclotome import _core

pytestmark = pytest.mark.skipif(
    platform.system() != "Linux" or shutil.which("nm") is None, reason="reads ELF files with nm of binutils"
)


def test_only_the_entry_point_is_exported() -> None:
    """The names of the dynamic symbols that it defines, without versions; tests' submodule is no module of its own."""
    table = subprocess.run(["nm", "-D", "--defined-only", _core.__file__], capture_output=True, text=True, check=True)
    assert [line.split()[-1].partition("@")[0] for line in table.stdout.splitlines()] == ["PyInit__core"]


def test_no_static_thread_local_memory_is_asked_for() -> None:
    """There is little of it, and libraries that a program loaded before may have taken all: then the import fails."""
    section = subprocess.run(["readelf", "-dW", _core.__file__], capture_output=True, text=True, check=True).stdout
    assert "(NEEDED)" in section and "STATIC_TLS" not in section
