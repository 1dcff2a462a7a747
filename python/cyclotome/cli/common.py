# SPDX-License-Identifier: Apache-2.0
"""Options that many commands share, said once: a command takes them as one argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar, get_type_hints

from cyclotome.cli.console import DebugFlag, ForceFlag, InsecureFlag, JsonFlag, TableOption

__all__ = ["Common", "with_common"]

R = TypeVar("R")


@dataclass(frozen=True)
class Common:
    """Which parameters are taken, and how results are written and said."""

    allow_insecure: InsecureFlag = False
    security_table: TableOption = None
    force: ForceFlag = False
    json: JsonFlag = False
    debug: DebugFlag = False

    @property
    def trust(self) -> dict[str, Any]:
        """What `load_as` takes of it."""
        return {"allow_insecure": self.allow_insecure, "security_table": self.security_table}


def with_common(function: Callable[..., R]) -> Callable[..., R]:
    """A command whose last argument, ``common``, is given as the options that it is made of."""
    signature, hints = inspect.signature(function), get_type_hints(function, include_extras=True)
    own = [p.replace(annotation=hints[p.name]) for p in signature.parameters.values() if p.name != "common"]
    shared_hints = get_type_hints(Common, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=shared_hints[field.name]
        )
        for field in fields(Common)
        if field.default is not MISSING
    ]

    @functools.wraps(function)
    def expanded(*args: Any, **kwargs: Any) -> R:
        common = Common(**{parameter.name: kwargs.pop(parameter.name) for parameter in shared})
        return function(*args, common=common, **kwargs)

    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    expanded.__signature__ = signature.replace(parameters=[*keyword, *shared])  # type: ignore[attr-defined]
    expanded.__annotations__ = {p.name: p.annotation for p in [*keyword, *shared]} | {"return": hints["return"]}
    return expanded
