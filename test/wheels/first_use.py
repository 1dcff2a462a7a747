# SPDX-License-Identifier: Apache-2.0
"""The first program of a README, with whatever package is installed: it must print what its last line says.

Usage: ``python test/wheels/first_use.py README.md``; for places where there is nothing but the package and NumPy.
"""

import contextlib
import io
import re
import sys
from pathlib import Path


def program(readme: str) -> tuple[str, str]:
    """The first program of a page, and what the comment at its end says that it prints."""
    found = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    if found is None:
        raise ValueError("there is no program in this page")
    return found[1], found[1].rstrip().rpartition("#")[2].strip()


def main(page: str) -> int:
    """Runs it; the exit status."""
    lines, expected = program(Path(page).read_text(encoding="utf-8"))
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(lines, page, "exec"), {"__name__": "__main__"})
    if output.getvalue().strip() != expected:
        print(f"{page} says it prints {expected}; it prints {output.getvalue()}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
