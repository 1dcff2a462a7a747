# SPDX-License-Identifier: Apache-2.0
"""Methods and properties of the public classes: which of them programs used, with which options.

`recording` sees what is called by a name of the package. What is called on an object is seen here: while `watched`
lasts, each public method and property notes who calls it, if that is a program of a test, and goes on as ever.
"""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

import cyclotome as cy

#: Modules of the package whose classes are public, too; "" is the package.
ROOMS = (
    "",
    "bfv",
    "bgv",
    "circuit",
    "extension_slots",
    "fpga",
    "integrity",
    "models",
    "pir",
    "search",
    "polynomials",
    "rekeying",
    "sharding",
    "threshold",
)
#: Options that each method had, by "Class.method".
used: defaultdict[str, set[str]] = defaultdict(set)
#: What no program draws, and why; an option as "Class.method option".
LISTED: dict[str, str] = {
    **dict.fromkeys(
        ("ArrayFacts.native", "ArrayFacts.context", "ArrayFacts.derived", "Parameters.of_native"),
        "stands under what is for the library itself",
    ),
    **dict.fromkeys(
        ("TurnedArray.frobenius", "TurnedArray.roll dimension"),
        "of bits and fields over Phi_m, whose keys are too dear here: test_field_slots.py",
    ),
    **dict.fromkeys(("Server.finish_keys", "Server.run"), "what the service calls for uploads: test_service.py"),
    **dict.fromkeys(
        ("Measurement.stop", "Measurement.statistics", "Options.name"),
        "of circuits that are built first: test_fpga_engine.py",
    ),
    **dict.fromkeys(("Statistics.circuit_us", "Statistics.transfer_us", "Statistics.us"), "the same"),
    **dict.fromkeys(("Complaint.accuser", "Complaint.dealer"), "only who cheats makes one: test_verified_dealing.py"),
    **dict.fromkeys(
        ("Compound.arrays", "Compound.mapped", "Model.error_bound", "RowsOfColumn.rows"),
        "abstract: each of its classes has its own",
    ),
    "Receipt.proved": "what an integrity key makes of what it gives away",
    "Server.scan": "what the service calls for look-ups: test_served_databases.py",
    "Pledge.sign": "what the steps of a checked decryption do",
    "LinearClassifier.error_bound": "drawn with that of LinearScores, as those of the other kinds",
    "Neighbours.error_bound": "the same",
    "Trees.error_bound": "the same",
}
#: What the library says of names that it needs itself.
_OWN = "for the library itself"
_HERE = str(Path(__file__).resolve().parents[1])


@cache
def classes() -> tuple[type, ...]:
    """The public classes, and those of the package that they come of."""
    found: dict[type, None] = {}
    for room in ROOMS:
        module = getattr(cy, room) if room else cy
        for name in module.__all__:
            target = getattr(module, name)
            if inspect.isclass(target) and not getattr(target, "_is_protocol", False):
                found.update(dict.fromkeys(each for each in target.__mro__ if _ours(each)))
    return tuple(found)


def _ours(target: type) -> bool:
    return target.__module__.split(".")[0] == "cyclotome" and not issubclass(target, Exception)


def _function(attribute: Any) -> Callable[..., Any] | None:
    """What runs when a class's attribute is used; None of fields and constants."""
    if isinstance(attribute, (classmethod, staticmethod)):
        return attribute.__func__
    if isinstance(attribute, property):
        return attribute.fget
    return attribute if inspect.isfunction(attribute) else None


@cache
def members() -> dict[str, tuple[type, str, Callable[..., Any]]]:
    """By "Class.name": the class that defines it, the name, and what runs."""
    found = {}
    for target in classes():
        for name, attribute in vars(target).items():
            function = _function(attribute)
            if not name.startswith("_") and function is not None and _OWN not in (function.__doc__ or ""):
                found[f"{target.__name__}.{name}"] = target, name, function
    return found


def _options(name: str) -> set[str]:
    target, attribute, function = members()[name]
    kind = inspect.getattr_static(target, attribute)
    parameters = list(inspect.signature(function).parameters.values())[0 if isinstance(kind, staticmethod) else 1 :]
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {each.name for each in parameters if each.kind not in variable}


def _noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        if sys._getframe(1).f_code.co_filename.startswith(_HERE):
            try:
                used[name] |= set(signature.bind(*arguments, **options).arguments)
            except TypeError:
                used[name]
        return function(*arguments, **options)

    return called


@contextmanager
def watched() -> Iterator[None]:
    """Notes what programs call while it lasts."""
    before = {name: (target, attribute, vars(target)[attribute]) for name, (target, attribute, _) in members().items()}
    try:
        for name, (target, attribute, old) in before.items():
            noting = _noting(name, members()[name][2])
            kind = type(old) if isinstance(old, (classmethod, staticmethod, property)) else None
            setattr(target, attribute, noting if kind is None else kind(noting))
        yield
    finally:
        for target, attribute, old in before.values():
            setattr(target, attribute, old)


def unused() -> list[str]:
    """Methods and properties that no program used, and options that none gave, but those of `LISTED`."""
    missing = []
    for name in members():
        if name not in used:
            missing.append(name)
        else:
            missing += [f"{name} {option}" for option in sorted(_options(name) - used[name])]
    return [each for each in missing if each not in LISTED and each.split(" ")[0] not in LISTED]


def every_option() -> list[str]:
    """All options, as `LISTED` has them."""
    return [f"{name} {option}" for name in members() for option in _options(name)]
