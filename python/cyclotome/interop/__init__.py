# SPDX-License-Identifier: Apache-2.0
"""Other libraries' objects: read here, computed on, and written back. doc/coming-from-elsewhere.md has the names.

`cyclotome.interop.seal` for Microsoft SEAL 4, `cyclotome.interop.tenseal` for TenSEAL's contexts and BFV vectors. The
modules are imported when they are first asked for.
"""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["seal", "tenseal"]

MODULES = ("seal", "tenseal")


def __getattr__(name: str) -> ModuleType:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; there are {', '.join(MODULES)}")
    return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *MODULES})
