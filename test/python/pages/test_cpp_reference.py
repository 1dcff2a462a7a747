# SPDX-License-Identifier: Apache-2.0
"""The C++ interface: its names, its reference, which has a word on each of them, and what a shared library exports."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pages import program

ROOT = Path(__file__).resolve().parents[3]
HEADER = (ROOT / "src/cyclotome/cyclotome.hpp").read_text(encoding="utf-8")


def test_every_using_declaration_is_on_the_page() -> None:
    names = program("tools/cpp_names.py")
    page = names.page(HEADER, "1.2.3")
    declared = re.findall(r"^using ([\w:]+);$", HEADER, re.MULTILINE)
    assert len(declared) > 100
    for name in declared:
        assert f'\\ref cyclotome::{name} "{name.split("::")[-1]}"' in page
    assert '"CircuitWriter"' in page and '"scheme_named"' in page and "1.2.3" in page


def test_the_public_header_takes_no_name_of_a_room_twice() -> None:
    """Functions of several rooms may share a name, if they take other operands; types may not."""
    declared = re.findall(r"^using ([\w:]+);$", HEADER, re.MULTILINE)
    assert len(set(declared)) == len(declared)
    short = [name.split("::")[-1] for name in declared if name.split("::")[-1][0].isupper()]
    assert len(set(short)) == len(short)


def test_the_filter_spells_out_what_comments_imply() -> None:
    spelt_out = program("tools/doxygen_filter.py").spelt_out
    text = """\
namespace cyclotome {
/// The sum.
int add(int a, int b);
int add(int a);
int other(int a);

int add(long a);
struct Pair {
  /// Both count.
  int first, second = 2;
  Pair(int from,
       int upto);
  Pair(Pair&&) = default;
  const int& degree() const {
    return degree(1);
  }

  int number() const;
};
}
"""
    lines = spelt_out(text).splitlines()
    assert lines[1:5] == ["/// The sum.", "int add(int a, int b);", "/// The sum.", "int add(int a);"]
    assert lines[5:7] == ["/// Beside `add`: The sum.", "int other(int a);"]
    assert lines[7:9] == ["", "int add(long a);"]  # another block: what it is must be said again
    assert lines[10:14] == ["  /// Both count.", "  int first;", "  /// Both count.", "  int second = 2;"]
    assert lines[14:19] == [
        "  /// From its parts.",
        "  Pair(int from,",
        "       int upto);",
        "  /// Moves.",
        "  Pair(Pair&&) = default;",
    ]
    assert lines[19:21] == ["  /// The degree n of the ring.", "  const int& degree() const {"]
    assert "  int number() const;" in lines and "  /// " not in lines[lines.index("  int number() const;") - 1]


def test_exports_are_judged() -> None:
    offences = program("tools/check_exports.py").offences
    good = [f"{name}..." for name in program("tools/check_exports.py").NEEDED]
    assert offences(good) == []
    assert offences([*good, "cyclotome::make_cpu_engine(std::optional<cyclotome::cpu::InstructionSet>)"]) == []
    assert len(offences([*good, "std::vector<int>::push_back(int&&)"])) == 1
    assert len(offences([*good, "typeinfo for std::exception"])) == 1
    assert len(offences([*good, "cyclotome::cpu::forward(unsigned long*)"])) == 1
    assert len(offences([*good, "vtable for cyclotome::fpga::CircuitPool"])) == 1
    assert len(offences(good[1:])) == 1


@pytest.mark.skipif(shutil.which("doxygen") is None, reason="there is no Doxygen")
def test_every_public_name_is_documented(tmp_path: Path) -> None:
    """Doxygen ends with an error where one is not, or where a link leads nowhere."""
    names = program("tools/cpp_names.py")
    (tmp_path / "names.md").write_text(names.page(HEADER, "0"), encoding="utf-8")
    places = {"HEADERS": " ".join(names.headers(ROOT)), "PAGES": str(tmp_path), "OUTPUT": str(tmp_path), "VERSION": "0"}
    done = subprocess.run(
        ["doxygen", "doc/Doxyfile"], cwd=ROOT, env={**os.environ, **places}, capture_output=True, text=True, check=False
    )
    assert done.stderr == "" and done.returncode == 0
    index = (tmp_path / "cpp/index.html").read_text(encoding="utf-8")
    assert "EncryptedArray" in index and "Everything that programs call" in index
