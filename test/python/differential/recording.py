# SPDX-License-Identifier: Apache-2.0
"""The package as programs call it, which remembers what was called with which options."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import cyclotome as cy

#: Options that each call had, by the public name that was called.
used: defaultdict[str, set[str]] = defaultdict(set)
#: Scenarios that ran in this process.
finished: set[str] = set()
#: Modules of the package whose names programs call, too.
ROOMS = (
    *("bfv", "bgv", "circuit", "extension_slots", "fpga", "integrity", "models", "pir"),
    *("search", "polynomials", "rekeying", "sessions", "sharding", "threshold"),
)
#: Names of rooms that no program uses, and why.
LISTED = {
    **dict.fromkeys(
        ("fpga.Measurement", "fpga.Options", "fpga.Statistics", "fpga.measure", "fpga.reset", "fpga.statistics"),
        "of circuits that are built first: test_fpga_engine.py",
    ),
    **dict.fromkeys(
        ("threshold.Complaint", "threshold.Verdict"), "only who cheats makes one: test_verified_dealing.py"
    ),
    "threshold.Advice": "what advise gives, which has its attributes drawn",
}
#: Classes that programs make by a call; others come out of functions.
MADE = frozenset(
    (
        *("Client", "EncryptedColumn", "EncryptedDigits", "EncryptedFrame", "FixedPoint", "Matrix"),
        *("Operand", "Parameters", "Pool", "Server", "extension_slots.ExtensionSlots"),
        *("integrity.IntegrityKey", "integrity.LinearCheck", "pir.Client", "pir.Reader", "search.Client"),
        *("search.Searcher", "sessions.Quotas", "sessions.ServedDatabase"),
        *(f"threshold.{name}" for name in ("CheckedDecryption", "DealingRound", "MacKey", "MacShare", "Party")),
    )
)


def target_of(name: str) -> Any:
    """What a public name stands for."""
    room, _, own = name.rpartition(".")
    return getattr(getattr(cy, room) if room else cy, own)


def names() -> list[str]:
    """The public names of the package, and of its rooms as "room.name"."""
    own = [f"{room}.{name}" for room in ROOMS for name in getattr(cy, room).__all__ if name not in cy.__all__]
    return [*cy.__all__, *own]


@cache
def options_of(name: str) -> frozenset[str]:
    """The parameters of a public name that a caller may name; none of modules and texts."""
    target = target_of(name)
    if not callable(target) or (inspect.isclass(target) and name not in MADE):
        return frozenset()
    try:
        signature = inspect.signature(target)
    except ValueError:  # classes that nobody makes by a call
        return frozenset()
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return frozenset(key for key, parameter in signature.parameters.items() if parameter.kind not in variable)


class Recorded:
    """Has the package's public names, or those of a room of it; a call of one counts, with the options that it gave, if
    it came back or was refused by the library."""

    def __init__(self, room: str = "") -> None:
        self._room = room

    def __getattr__(self, attribute: str) -> Any:
        module = getattr(cy, self._room) if self._room else cy
        if attribute not in module.__all__ and not self._room:
            raise AttributeError(f"{attribute} is no public name")
        name = f"{self._room}.{attribute}" if self._room else attribute
        target = getattr(module, attribute)
        used[name]  # named at all
        if name in ROOMS:
            return Recorded(name)
        return (
            _counting(name, target)
            if inspect.isfunction(target)
            else _Made(name, target)
            if inspect.isclass(target)
            else target
        )


def _given(name: str, target: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> set[str]:
    try:
        bound = inspect.signature(target).bind(*arguments, **options)
    except (TypeError, ValueError):
        return set()
    return set(bound.arguments) & options_of(name)


def _counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        used[name] |= _given(name, function, arguments, options)
        return function(*arguments, **options)

    return called


class _Made:
    """A class, whose calls count; attributes are the class's own."""

    def __init__(self, name: str, target: Any) -> None:
        self._name, self.target = name, target

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        used[self._name] |= _given(self._name, self.target, arguments, options)
        return self.target(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)


#: What programs call.
api: Any = Recorded()


def unused() -> dict[str, list[str]]:
    """Public names that no program used, and options that none gave, by name."""
    missing: dict[str, list[str]] = {}
    for name in names():
        if name in LISTED:
            continue
        if name not in used:
            missing[name] = ["(never used)"]
        elif options_of(name) - used[name]:
            missing[name] = sorted(options_of(name) - used[name])
    return missing
