# SPDX-License-Identifier: Apache-2.0
"""What is studied and compared, under the library's name: `study.ltv` is `cyclotome_study.ltv`, and so on.

`cyclotome_study` is a distribution of its own. A module of it is imported when it is asked for, here or by its own
name; importing this one loads none of them.

    >>> import cyclotome as cy
    >>> cy.study.ltv.BROKEN
    'BROKEN: lattice reduction finds the key'
"""

from __future__ import annotations

from types import ModuleType

from .extras import STUDY

#: Its modules: BFV on paper 003's moduli; paper 002's scheme, which is BROKEN, its arithmetic and circuits over it;
#: paper 004's contexts of products; and paper 000's integers as residues, the papers' laws, and textbook FV and BGV over them.
MODULES = ("crt", "fermat", "laws", "ltv", "ltv_arithmetic", "ltv_circuits", "product_context", "textbook")

__all__ = ["MODULES"]


def __getattr__(name: str) -> ModuleType:
    """One of `MODULES`, imported now.

    Raises:
        MissingPackageError: cyclotome_study is not installed; the message names the extra that installs it.
    """
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(MODULES)}")
    return STUDY.load(name)


def __dir__() -> list[str]:
    return [*globals(), *(MODULES if STUDY.installed else ())]
