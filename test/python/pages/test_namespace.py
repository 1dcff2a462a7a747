# SPDX-License-Identifier: Apache-2.0
"""What `cyclotome` shows and when it loads: public names only, and nothing before it is used."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import cyclotome as cy
import pytest


def printed(program: str) -> str:
    """What a process of its own prints: this one has loaded everything."""
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def test_every_public_name_is_there() -> None:
    for name in cy.__all__:
        assert getattr(cy, name) is not None, name
    assert set(cy.__all__) <= set(dir(cy))
    with pytest.raises(AttributeError, match="no attribute 'array'"):
        cy.array([1, 2])  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", cy._MOVED)
def test_names_that_moved_into_rooms_still_work_and_warn_once(name: str) -> None:
    room = cy._MOVED[name]
    value = getattr(getattr(cy, room), name)
    assert name in getattr(cy, room).__all__
    assert name not in dir(cy) and name not in cy.__all__
    vars(cy).pop(name, None)  # as if nobody had looked for it yet
    expected = rf"^cyclotome\.{name} is cyclotome\.{room}\.{name} now"
    with pytest.warns(DeprecationWarning, match=expected) as caught:
        assert getattr(cy, name) is value
    assert [each.filename for each in caught] == [__file__]
    assert getattr(cy, name) is value  # warnings are errors here
    vars(cy).pop(name)
    with pytest.warns(DeprecationWarning, match=expected) as caught:
        exec(f"from cyclotome import {name} as found", {}, found := {})
    assert found["found"] is value and len(caught) == 1
    vars(cy).pop(name)


def test_pickles_know_nothing_of_names_that_moved() -> None:
    """They name modules, so that those of before are read."""
    written = pickle.dumps(
        [cy.sessions.Quotas, cy.polynomials.expand, cy.rekeying.RekeyingKey, cy.sharding.ShardedArray]
    )
    for module in (
        b"cyclotome.sessions.quotas",
        b"cyclotome.polynomials",
        b"cyclotome.keys.kinds",
        b"cyclotome.arrays.sharded",
    ):
        assert module in written


def test_type_checkers_read_what_is_loaded() -> None:
    """The imports that only a type checker sees, and the table that the interpreter uses."""
    tree = ast.parse(Path(cy.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 1]
    seen = {alias.name: node.module for node in imports for alias in node.names}
    assert {name: module for name, module in seen.items() if module} == cy._HOME
    modules = {name for name, module in seen.items() if not module} - {"_core"}
    assert modules | set(cy._HOME) | {"__version__"} == set(cy.__all__)
    assert not modules & set(cy._HOME)
    files = {path.stem for path in Path(cy.__file__).parent.glob("*.py")}
    assert not files & set(cy._HOME), "a module would take the place of the name of the same spelling"


def test_no_private_module_looks_like_a_function() -> None:
    shown = [n for n, v in vars(cy).items() if isinstance(v, ModuleType) and not n.startswith("_")]
    assert [n for n in shown if n not in (*cy.__all__, "cli", "service")] == []
    assert printed(
        "import cyclotome as cy, cyclotome.arrays.array as a; from cyclotome import keys;"
        "print(a.__name__, keys.__name__, hasattr(cy, 'array'), hasattr(cy, 'keys'))"
    ) == ("cyclotome.arrays.array cyclotome.keys False False")


@pytest.mark.parametrize("program", ["import cyclotome", "import cyclotome; cyclotome.__version__"])
def test_nothing_is_loaded_before_it_is_used(program: str) -> None:
    assert printed(f"{program}; import sys; print('numpy' in sys.modules)") == "False"


def test_arrays_do_not_load_circuits() -> None:
    program = "import cyclotome as cy, sys; cy.encrypt, cy.keygen; print([m for m in sys.modules if 'cyclotome' in m])"
    assert "circuit" not in printed(program)


def test_a_first_result_loads_nothing_that_takes_long() -> None:
    """Modules of Python and NumPy that take milliseconds each, and that keys, encryption and decryption do without.
    NumPy imports some by itself, in some versions."""
    slow = "('numpy.ma', 'numpy.typing', 'concurrent.futures', 'logging', 'importlib.metadata', 'html')"
    program = (
        "import numpy as np, sys; before = set(sys.modules); import cyclotome as cy;"
        "p = cy.Parameters.suggest(depth=1, value_bits=4); k = cy.keygen(p, rotations=[]);"
        "x = cy.encrypt([1, 2], k.public); print(cy.decrypt(x * x, k.secret).tolist());"
        f"print([m for m in {slow} if m in sys.modules and m not in before])"
    )
    assert printed(program).splitlines() == ["[1, 4]", "[]"]


def test_masked_arrays_are_still_refused() -> None:
    program = (
        "import sys, cyclotome as cy; from cyclotome.numbers.values import integers, is_masked;"
        "print(is_masked([1]), 'numpy.ma' in sys.modules); import numpy as np;"
        "masked = np.ma.masked_array([1, 2], [True, False]); print(is_masked(masked));"
        "\ntry: integers(masked, 'here')\nexcept cy.errors.UnsupportedError as error: print(error)"
    )
    assert printed(program).splitlines() == [
        "False False",
        "True",
        "here: a masked array; fill it first: array.filled(value)",
    ]


def test_the_version_is_said_without_loading_commands() -> None:
    program = "import sys; sys.argv[1:] = ['--version']; from cyclotome.cli import main; main();"
    loaded = printed(
        program + "print([m for m in ('numpy', 'typer', 'rich', 'cyclotome.cli.app') if m in sys.modules])"
    )
    assert loaded.splitlines() == [f"cyclotome {cy.__version__}", "[]"]


def test_names_come_with_a_star() -> None:
    assert printed("from cyclotome import *; print(encrypt.__module__, plan.__module__, plain.__module__)") == (
        "cyclotome.arrays.encryption cyclotome.planning.plans cyclotome.arrays.plain"
    )
