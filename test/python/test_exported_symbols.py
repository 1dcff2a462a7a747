# SPDX-License-Identifier: Apache-2.0
"""What the extensions show to the dynamic linker: their entry point, and nothing that could meet another library's."""

from __future__ import annotations

import platform
import shutil
import subprocess
from types import ModuleType

import cyclotome_testing
import pytest
from cyclotome import _core

pytestmark = pytest.mark.skipif(
    platform.system() != "Linux" or shutil.which("nm") is None, reason="reads ELF files with nm of binutils"
)


def exported(module: ModuleType) -> list[str]:
    """The names of the dynamic symbols that a module defines, without versions."""
    assert module.__file__ is not None
    table = subprocess.run(["nm", "-D", "--defined-only", module.__file__], capture_output=True, text=True, check=True)
    return [line.split()[-1].partition("@")[0] for line in table.stdout.splitlines()]


@pytest.mark.parametrize("module", [_core, cyclotome_testing], ids=lambda module: module.__name__)
def test_only_the_entry_point_is_exported(module: ModuleType) -> None:
    assert exported(module) == [f"PyInit_{module.__name__.rpartition('.')[2]}"]


@pytest.mark.parametrize("module", [_core, cyclotome_testing], ids=lambda module: module.__name__)
def test_no_static_thread_local_memory_is_asked_for(module: ModuleType) -> None:
    """There is little of it, and libraries that a program loaded before may have taken all: then the import fails."""
    assert module.__file__ is not None
    section = subprocess.run(["readelf", "-dW", module.__file__], capture_output=True, text=True, check=True).stdout
    assert "(NEEDED)" in section and "STATIC_TLS" not in section
