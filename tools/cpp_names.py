# SPDX-License-Identifier: Apache-2.0
"""The first page of the C++ reference: every name of the public header, in its sections, with what it is.

Reads the using-declarations of ``src/cyclotome/cyclotome.hpp``. Usage: ``python tools/cpp_names.py [ROOT]`` prints the
page; ``--headers`` prints the headers that the reference covers: those that the public header includes, and those that
``value/value.hpp`` does.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SECTION = re.compile(r"^// --- (.+?) -*$")
USING = re.compile(r"^using (?P<name>[\w:]+);$|^using (?P<alias>\w+) = (?P<of>[\w:]+);$|^inline .*?(?P<function>\w+)\(")
INCLUDE = re.compile(r'^#include "(cyclotome/[^"]+)"', re.MULTILINE)

#: Besides what the public header includes itself: what programs meet in what these functions take and return.
MET = (
    "circuit/algebra.hpp",
    "circuit/circuit.hpp",
    "circuit/counts.hpp",
    "circuit/running/course.hpp",
    "circuit/running/evaluation.hpp",
    "circuit/reports.hpp",
    "circuit/writer.hpp",
    "engine/cpu/instruction_set.hpp",
    "engine/fpga/options.hpp",
    "engine/fpga/statistics.hpp",
    "io/container/bytes.hpp",
    "io/files/file.hpp",
    "io/files/file_options.hpp",
    "io/joint/identity_io.hpp",
    "io/keys/key_files.hpp",
    "io/container/limits.hpp",
    "io/joint/party_file.hpp",
    "rlwe/ciphertext.hpp",
    "rlwe/context.hpp",
    "rlwe/joint/acceptance.hpp",
    "rlwe/joint/identity.hpp",
    "rlwe/keys/keys.hpp",
    "rlwe/switching/level.hpp",
    "rlwe/joint/dealing/messages.hpp",
    "rlwe/joint/dealing/round.hpp",
    "rlwe/joint/joint_coins.hpp",
    "rlwe/joint/joint_errors.hpp",
    "rlwe/parameters/parameters.hpp",
    "rlwe/joint/party_state.hpp",
    "rlwe/scheme.hpp",
    "rlwe/joint/secret_sharing.hpp",
    "rlwe/parameters/security.hpp",
    "rlwe/joint/threshold_keys.hpp",
    "rlwe/joint/threshold_session.hpp",
    "scheme/ckks/noise.hpp",
    "scheme/ckks/part.hpp",
    "scheme/scheme.hpp",
    "study/transform/design.hpp",
    "value/layout/bound.hpp",
    "value/arrays/encrypted_array.hpp",
    "value/layout/integers.hpp",
    "value/joint/joint_party.hpp",
    "value/arrays/keyring.hpp",
    "value/layout/layout.hpp",
    "value/matrices/matrix.hpp",
    "value/reals/chebyshev.hpp",
    "value/reals/real_arithmetic.hpp",
    "value/reals/real_array.hpp",
    "value/arrays/options.hpp",
    "value/layout/shape.hpp",
    "value/joint/threshold_decryption.hpp",
    "value/joint/mac_key.hpp",
    "value/joint/pledge.hpp",
)


def sections(header: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The header's sections, and for each what programs write and the name behind it."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in header.splitlines():
        if title := SECTION.match(line):
            found.append((title[1], []))
        elif found and (match := USING.match(line)):
            full = match["name"] or match["of"] or match["function"]
            found[-1][1].append((match["alias"] or full.split("::")[-1], f"cyclotome::{full}"))
    return found


def page(header: str, version: str) -> str:
    """The page, in Doxygen's Markdown."""
    lines = [
        f"# cyclotome {version} in C++ {{#mainpage}}",
        "",
        "Everything that programs call is `#include <cyclotome/cyclotome.hpp>` and a name in `cyclotome::`.",
        "These are they; links lead to the rooms that they come from. Errors are classes of their own, derived from",
        "cyclotome::Error.",
        "",
    ]
    for title, names in sections(header):
        lines += [f"## {title[0].upper()}{title[1:]}", "", "| name | |", "|---|---|"]
        lines += [f'| \\ref {full} "{name}" | \\copybrief {full} |' for name, full in dict(names).items()]
        lines.append("")
    return "\n".join(lines)


def headers(root: Path) -> list[str]:
    """The headers that the reference covers, from the root."""
    source = root / "src"
    found = ["cyclotome/cyclotome.hpp", *(f"cyclotome/{name}" for name in MET)]
    for parent in ("cyclotome/cyclotome.hpp", "cyclotome/value/value.hpp"):
        found += INCLUDE.findall((source / parent).read_text(encoding="utf-8"))
    return sorted({f"src/{name}" for name in found})


def main(arguments: list[str]) -> int:
    """Print the page, or the headers; return the exit status."""
    places = [argument for argument in arguments if not argument.startswith("-")]
    root = Path(places[0]) if places else Path(__file__).resolve().parents[1]
    if "--headers" in arguments:
        print("\n".join(headers(root)))
        return 0
    version = re.search(r'^version = "([^"]+)"', (root / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    print(page((root / "src/cyclotome/cyclotome.hpp").read_text(encoding="utf-8"), version[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
