# SPDX-License-Identifier: Apache-2.0
"""Say plainly which tests could not run in this environment, and why.

Usage: ``python tools/left_out.py [FILE]``, where FILE holds further lines, one for each thing left out, and may be
absent.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
from pathlib import Path

#: Optional modules and the tests that are skipped without them.
OPTIONAL = {
    "flint": "oracle tests against python-flint",
    "openfhe": "comparison with OpenFHE (its wheel fits Ubuntu's Python and C++ library only)",
    "pyarrow": "Parquet files on the command line",
    "sklearn": "tests of the main job on real data",
    "tenseal": "comparison with Microsoft SEAL (its package tenseal has wheels for some Pythons on Linux x86-64 only)",
}


def missing() -> list[str]:
    """One line for each optional module that is not installed here."""
    place = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return [
        f"{tests}: module {module} is not installed for {place}"
        for module, tests in OPTIONAL.items()
        if importlib.util.find_spec(module) is None
    ]


def main(arguments: list[str]) -> int:
    """Print what was left out; return the exit status, which is 0 either way."""
    lines = missing()
    for name in arguments:
        if Path(name).is_file():
            lines += Path(name).read_text(encoding="utf-8").splitlines()
    if not lines:
        print("Nothing was left out.")
    for line in lines:
        print(f"Left out: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
