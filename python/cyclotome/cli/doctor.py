# SPDX-License-Identifier: Apache-2.0
"""``cyclotome doctor``: what this installation and this machine have, and whether they compute correctly."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import time
from typing import Any

import numpy as np
import typer

import cyclotome as cy
from cyclotome import _core, text
from cyclotome.cli.console import DebugFlag, JsonFlag, emit
from cyclotome.cli.failures import OTHER, command
from cyclotome.devices import cuda, fpga
from cyclotome.extras import EXTRAS

#: Optional modules and the extras that install them.
OPTIONAL = {"pandas": "frames", "pyarrow": "parquet", "zstandard": "seal"}


def cores() -> int:
    """Cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def memory() -> int | None:
    """Bytes of physical memory, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def devices() -> dict[str, str]:
    """Each device, and "ready" or what is missing."""
    return {"cpu": "ready", "cuda": cuda.state(), "fpga:sim": fpga.state()}


def extras() -> dict[str, str]:
    """Each extra, and "installed" or how to do that."""
    found = {extra.name: "installed" if extra.installed else extra.advice for extra in EXTRAS}
    for module, name in OPTIONAL.items():
        found[name] = "installed" if importlib.util.find_spec(module) else f"pip install {module}"
    return found


def self_test() -> dict[str, Any]:
    """Encrypts, multiplies, sums and decrypts at 128 bits of security in both word sizes, on the CPU and every GPU that
    can be used; compares with NumPy."""
    start = time.perf_counter()
    wrong = {}
    tested = ["cpu", *cuda.usable()]
    for device in tested:
        try:
            if not _computes(device):
                wrong[device] = "wrong results"
        except cy.CyclotomeError as error:
            wrong[device] = str(error)
    return {
        "passed": not wrong,
        "seconds": round(time.perf_counter() - start, 3),
        "devices": tested,
        "failed": wrong,
    }


def _computes(device: str) -> bool:
    values = np.random.default_rng().integers(-100, 100, 50)
    right = True
    for word in (32, 64):
        parameters = cy.Parameters.suggest(depth=1, value_bits=7, terms=64, word=word)
        secret, public, _ = cy.keygen(parameters, device=device)
        x = cy.encrypt(values, public)
        right &= bool(np.array_equal(cy.decrypt(x * x - 3 * x, secret), values * values - 3 * values))
        right &= int(cy.decrypt(x.sum(), secret)) == int(values.sum())
    return right


def secrets() -> dict[str, Any]:
    """How secrets are kept here: whether what lives long stays out of swap, and whether passphrases and
    parties' identities work."""
    use = _core.secret_memory()
    limit = _lock_limit()
    return {
        "memory": "locked" if use["refused"] == 0 else "NOT all locked: it may reach swap; raise `ulimit -l`",
        "lock_limit": limit,
        "refused": use["refused"],
        "passphrases": _core.passphrases(),
        "identities": _core.identities(),
    }


def _lock_limit() -> int | None:
    """Bytes that may be locked; None for any number, and where the system has no such limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _secret_words(facts: dict[str, Any]) -> str:
    limit = "none" if facts["lock_limit"] is None else text.byte_size(facts["lock_limit"])
    return (
        f"memory of keys: {facts['memory']} (limit: {limit}); passphrases: {facts['passphrases']}; "
        f"identities: {facts['identities']}"
    )


@command
def doctor(json: JsonFlag = False, debug: DebugFlag = False) -> None:
    """Show what this installation and this machine have, and run a self-test."""
    total = memory()
    sets = _core.instruction_sets()
    facts: dict[str, Any] = {
        "cyclotome": cy.__version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": _core.compiler(),
        "instruction_sets": sets,
        "threads": cores(),
        "memory": None if total is None else text.byte_size(total),
        "extras": extras(),
        "devices": devices(),
        "self_test": self_test(),
    }
    facts["secrets"] = secrets()  # after the test, which had keys in memory
    passed = facts["self_test"]["passed"]
    if json:
        emit(facts, True)
    else:
        shown = dict(facts)
        shown["instruction_sets"] = f"{', '.join(sets)} (used: {sets[-1]})"
        for group in ("extras", "devices"):
            shown[group] = "; ".join(f"{name}: {state}" for name, state in facts[group].items())
        shown["secrets"] = _secret_words(facts["secrets"])
        test = facts["self_test"]
        failed = "; ".join(f"{device}: {reason}" for device, reason in test["failed"].items())
        outcome = "passed" if passed else f"FAILED: do not trust results on this machine: {failed}"
        shown["self_test"] = f"{outcome} ({', '.join(test['devices'])}; {test['seconds']} s)"
        emit(shown, False)
    if not passed:
        raise typer.Exit(OTHER)
