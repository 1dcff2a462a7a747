# SPDX-License-Identifier: Apache-2.0
"""What type checkers are told: which public names say Any, and why; what `tools/check_types.py` hands them."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, ModuleType

import cyclotome as cy
import pytest
from pages import ROOT

_DYNAMIC = "whatever kind of object it is, only a run tells"
_HANDED = "arguments that are handed on, and refused there by name"
_LABELS = "labels: text, numbers, dates, whatever the table has"
_COLUMNS = "columns of any kind, which are refused by name where they are none"
_JSON = "a JSON object"
_NATIVE = "the extension's own object, for the library itself"
_NUMPY = "as NumPy declares it"
_PARTY = "a Party, whose class is made of these"
_FUNCTIONS = "of the user's functions"

#: Public names whose annotations say Any, and what for. "return" alone: what is said beside it is the usual case.
ALLOWED = {
    "Client.__init__": _HANDED,
    "Client.call": _DYNAMIC,
    "Client.encrypt_digits": _HANDED,
    "Client.encrypt_frame": _HANDED,
    "Client.read": _DYNAMIC,
    "EncryptedArray.__array_function__": _NUMPY,
    "EncryptedCategories.__getitem__": "a category, or rows by public or encrypted conditions, as pandas takes them",
    "EncryptedCategories.map": _LABELS,
    "EncryptedFrame.__getitem__": "names, lists of them, conditions, as pandas takes them",
    "EncryptedFrame.__init__": _COLUMNS,
    "EncryptedFrame.agg": "names of statistics, lists and dicts of them, as pandas takes them",
    "EncryptedFrame.with_columns": _COLUMNS,
    "EncryptedStatistics.__init__": _COLUMNS,
    "EncryptedStatistics.with_columns": _COLUMNS,
    "EvaluationKeys.__init__": _NATIVE,
    "FixedPoint.decode": "a number for a number, which a shape decides",
    "Inspection.__init__": _JSON,
    "Inspection.asdict": _JSON,
    "PlainArray.__array__": _NUMPY,
    "Pool.reduce": "batches and what comes of them, which combine may take alike",
    "RealArray.__array_function__": _NUMPY,
    "RealArray.__array_ufunc__": _NUMPY,
    "Server.__init__": _FUNCTIONS,
    "bfv.Parameters": _HANDED,
    "bgv.Parameters": _HANDED,
    "decrypt": "a number for the shape (), which no type tells; else an array, which it says",
    "decrypt_frame": "a Series for rows, a number for a sum, which no type tells",
    "einsum": "operands, encrypted or public",
    "from_bytes": _DYNAMIC + ", unless kind says it",
    "integrity.IntegrityKey.decrypt": "as decrypt",
    "interop.seal.Owner.of": _HANDED,
    "load": _DYNAMIC + ", unless kind says it",
    "maximum": "of the function behind its overloads",
    "minimum": "of the function behind its overloads",
    "models.LinearClassifier.suggest": _HANDED,
    "reveal": "as decrypt",
    "save": _JSON,
    "sessions.ServedDatabase.__init__": _HANDED,
    "suggest": _HANDED,
    "threshold.Acceptance.__init__": _NATIVE,
    "threshold.Acceptance.native": _NATIVE,
    "threshold.CheckedDecryption.values": "as decrypt",
    "threshold.CheckedDecryption.__init__": _PARTY + ", and what recompute is called with",
    "threshold.DealingRound.deal": _PARTY,
    "threshold.DealingRound.receive": _PARTY,
    "threshold.DecryptionShare.__init__": _NATIVE,
    "threshold.DecryptionShare.on": _NATIVE,
    "threshold.MacShare.__init__": _PARTY,
    "threshold.decrypt": "as decrypt",
    "to_bytes": _JSON,
    "to_view": _JSON,
    "where": "of the function behind its overloads",
}


def functions(thing: object, name: str, seen: set[int]) -> Iterator[tuple[str, FunctionType]]:
    """The functions that a public name leads to, each once."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, property):
        thing = thing.fget
    if isinstance(thing, (staticmethod, classmethod)):
        thing = thing.__func__
    if isinstance(thing, FunctionType):
        yield name, thing
    elif isinstance(thing, ModuleType):
        for each in getattr(thing, "__all__", ()):
            yield from functions(getattr(thing, each), f"{name}.{each}", seen)
    elif inspect.isclass(thing):
        for owner in thing.__mro__:
            if owner.__module__.startswith("cyclotome.") and owner.__module__ != "cyclotome._core":
                for each, value in vars(owner).items():
                    if not each.startswith("_") or each.startswith("__"):
                        yield from functions(value, f"{name}.{each}", seen)


def says_any(function: FunctionType) -> bool:
    """Whether an annotation says Any by itself, not as a part of what it says (tuples and arrays of whatever)."""
    texts = [str(each) for each in getattr(function, "__annotations__", {}).values()]
    inner = r"(?:tuple\[Any, \.\.\.\]|NDArray\[Any\])"
    return any(re.search(r"\bAny\b", re.sub(inner, "", text)) for text in texts)


def found() -> set[str]:
    seen: set[int] = set()
    named = {name: each for public in cy.__all__ for name, each in functions(getattr(cy, public), public, seen)}
    return {name for name, function in named.items() if says_any(function)}


def test_public_functions_say_any_only_where_there_is_a_reason() -> None:
    assert found() - set(ALLOWED) == set(), "say what it takes and returns, or here why nothing can"
    assert set(ALLOWED) - found() == set(), "a reason for what says no Any"


def test_any_is_seen() -> None:
    def vague(x: Any) -> int:  # type: ignore[name-defined]  # noqa: F821
        return int(x)

    def precise(x: tuple[Any, ...]) -> NDArray[Any]:  # type: ignore[name-defined]  # noqa: F821
        raise NotImplementedError

    assert says_any(vague) and not says_any(precise)


@pytest.mark.parametrize("path", sorted((ROOT / "test/typing").glob("*.py")), ids=lambda path: path.stem)
def test_typed_programs_run(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not (find_spec("mypy") and find_spec("basedpyright")), reason="mypy and basedpyright: make lint")
def test_types_that_go_back_to_any_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import check_types

    text = (
        "# pyright: strict\nfrom typing import Any\nfrom typing_extensions import assert_type\nimport cyclotome as cy\n"
        "def f(x: Any, y: cy.EncryptedArray) -> None:\n    assert_type(x, cy.EncryptedArray)\n"
        "    assert_type(y / 2, int)\n"
    )
    (tmp_path / "case.py").write_text(text, encoding="utf-8")
    for said in (check_types.pyright(tmp_path), check_types.mypy([tmp_path / "case.py"], "--strict")):
        assert [line.split(":")[1] for line in said if "case.py" in line][:2] == ["6", "7"], said


def test_programs_come_out_of_pages_and_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import check_types

    text = ">>> x = 1\n>>> if x:\n...     y = 2\n>>> x / 0\nTraceback (most recent call last):\nError\n>>> y\n2\n"
    assert check_types.statements(text).splitlines() == ["x = 1", "if x:", "    y = 2", "", "", "", "y", ""]
    assert check_types.program([(2, "x = 1\n"), (5, ">>> y = 2\n")], "import z").splitlines() == [
        "import z",
        "",
        "x = 1",
        "",
        "",
        "y = 2",
    ]
    assert check_types.program([]) == ""
    assert len(check_types.pages()) > 30 and set(check_types.EXCUSED) <= set(check_types.pages())
    assert all((ROOT / source).is_file() for source in check_types.GRANTED)
