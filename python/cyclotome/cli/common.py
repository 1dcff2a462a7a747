# SPDX-License-Identifier: Apache-2.0
"""Options that many commands share, said once: a command takes them as one argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from cyclotome.cli.console import DebugFlag, ForceFlag, InsecureFlag, JsonFlag, TableOption

__all__ = ["Common", "with_common", "with_options"]

_Command = Callable[..., None]


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


def with_options(kind: type[Any], name: str) -> Callable[[_Command], _Command]:
    """A decorator of commands whose last argument, ``name``, is a dataclass of this kind: they are given the options
    that its fields are, after their own."""
    hints = get_type_hints(kind, include_extras=True)
    shared = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(kind)
    ]

    def decorated(function: _Command) -> _Command:
        signature, own_hints = inspect.signature(function), get_type_hints(function, include_extras=True)
        own = [
            p.replace(annotation=own_hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
            for p in signature.parameters.values()
            if p.name != name
        ]

        @functools.wraps(function)
        def expanded(**kwargs: Any) -> None:
            options = kind(**{parameter.name: kwargs.pop(parameter.name) for parameter in shared})
            function(**kwargs, **{name: options})

        expanded.__signature__ = signature.replace(parameters=[*own, *shared])  # type: ignore[attr-defined]
        expanded.__annotations__ = {p.name: p.annotation for p in [*own, *shared]} | {"return": None}
        return expanded

    return decorated


#: For commands that take `Common` as ``common``.
with_common = with_options(Common, "common")
