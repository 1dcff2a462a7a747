# SPDX-License-Identifier: Apache-2.0
"""The package's Python sources importable where its extension was never built.

The reference of commands comes from the objects of typer, and the records' pages from `cyclotome_bench`: both are
Python, but import `cyclotome`, whose modules import `cyclotome._core`. Nothing here computes.
"""

from __future__ import annotations

import importlib.machinery
import sys
from unittest.mock import MagicMock

from repository import ROOT

__all__ = ["import_sources"]


def import_sources() -> None:
    """Puts the sources' folders first in the path of modules, and a stand-in in the extension's place.

    A process that has imported `cyclotome` keeps what it has.
    """
    for folder in ("study", "reader", "hdl", "demo", "bench", "python"):
        path = str(ROOT / folder)
        if path not in sys.path:
            sys.path.insert(0, path)
    if "cyclotome" in sys.modules:
        return
    core = MagicMock(name="cyclotome._core")
    core.__spec__ = importlib.machinery.ModuleSpec("cyclotome._core", None)
    core.version.return_value = "0"
    core.bfv_product_methods.return_value = []
    sys.modules["cyclotome._core"] = core
