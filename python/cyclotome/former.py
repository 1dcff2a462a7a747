# SPDX-License-Identifier: Apache-2.0
"""Where modules stood whose classes pickles name. A pickle says in which module its class was; what moved since is
found here, so that data outlives the rooms."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["FORMER", "Former"]

#: The old name, and what has its classes now.
FORMER = {
    "cyclotome.dry_runs": "cyclotome.planning.dry_runs",
    "cyclotome.fixed_point": "cyclotome.numbers.fixed_point",
    "cyclotome.sharded_array": "cyclotome.arrays.sharded",
    "cyclotome.frame_columns": "cyclotome.frames.columns",
    "cyclotome.threshold_checks": "cyclotome.threshold.checks",
}


class Former(MetaPathFinder, Loader):
    """Finds a module under its old name: one that has the names of the new one."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in FORMER else None

    def exec_module(self, module: ModuleType) -> None:
        found = import_module(FORMER[module.__name__])
        module.__dict__.update({name: vars(found)[name] for name in found.__all__})
