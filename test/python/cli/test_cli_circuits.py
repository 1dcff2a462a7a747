# SPDX-License-Identifier: Apache-2.0
"""``cyclotome prince`` and ``cyclotome sort``, and what they refuse. In small rings that hide nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import run, succeed
from cyclotome.cli.circuits import ltv_jobs
from cyclotome_study import ltv

SMALL = ("--security", 0, "--allow-insecure")


@pytest.fixture
def prince_files(tmp_path: Path) -> tuple[Path, Path]:
    key, blocks = tmp_path / "key.txt", tmp_path / "blocks.txt"
    key.write_text("0000000000000000\nfedcba9876543210\n")
    blocks.write_text("0123456789abcdef\n")
    return key, blocks


@pytest.mark.slow
def test_prince_both_ways(prince_files: tuple[Path, Path], tmp_path: Path) -> None:
    key, blocks = prince_files
    enciphered = tmp_path / "enciphered.txt"
    facts = succeed("prince", key, blocks, *SMALL, "-o", enciphered, "--json").data
    assert enciphered.read_text() == "ae25ad3ca8fa9ccf\n"
    assert (facts["depth"], facts["products"], facts["relinearizations"]) == (24, 1824, 1152)
    assert "INSECURE" in facts["parameters"] and facts["noise_headroom_bits"] > 0
    assert succeed("prince", key, enciphered, *SMALL, "--decrypt").text.startswith("0123456789abcdef\n")


def test_prince_tells_what_it_takes(prince_files: tuple[Path, Path]) -> None:
    facts = succeed("prince", *prince_files, *SMALL, "--plan", "--json").data
    assert [layer["layer"] for layer in facts["layers"]] == list(range(25))
    assert sum(layer["products"] for layer in facts["layers"]) == 1824 and facts["peak_bytes"] > 0


def test_prince_refuses_what_is_no_key_or_block(prince_files: tuple[Path, Path], tmp_path: Path) -> None:
    key, blocks = prince_files
    wrong = tmp_path / "wrong.txt"
    for content in ("0123456789abcde\n", "", "0123456789abcdeg", "0123456789abcdef " * 3):
        wrong.write_text(content)
        refused = run("prince", wrong, blocks, *SMALL)
        assert refused.code == 3 and "0123" not in refused.text.replace(str(wrong), "")
    assert run("prince", key, tmp_path / "none.txt", *SMALL).code == 3
    assert run("prince", key, blocks, "--security", 0).code == 4
    assert run("prince", key, blocks, "--degree", 1024).code == 4


def test_rows_are_sorted(tmp_path: Path) -> None:
    lists = tmp_path / "lists.csv"
    lists.write_text("0.5,-1,2.25\n3,3,-7\n")
    facts = succeed("sort", lists, "--no-header", *SMALL, "--bits", 12, "--json").data
    assert facts["lists"] == [[-100, 50, 225], [-700, 300, 300]] and facts["scale"] == "100"
    printed = succeed("sort", lists, "--no-header", *SMALL, "--bits", 12, "--top", 2).text
    assert "2.25,0.5" in printed.splitlines() and "3,3" in printed.splitlines()


def test_one_column_is_one_list(tmp_path: Path) -> None:
    lists, output = tmp_path / "lists.csv", tmp_path / "sorted.csv"
    lists.write_text("x\n2\n1\n0\n1\n")
    succeed("sort", lists, *SMALL, "--bits", 2, "--descending", "-o", output)
    assert output.read_text().splitlines()[-1] == "2,1,1,0"
    assert run("sort", lists, *SMALL, "--bits", 2, "-o", output).code == 2  # it exists


def test_sort_refuses_what_it_can_not_do(tmp_path: Path) -> None:
    lists = tmp_path / "lists.csv"
    lists.write_text(",".join(map(str, range(65))) + "\n")
    refused = run("sort", lists, "--no-header", *SMALL)
    assert refused.code == 2 and "at most 64" in refused.text
    lists.write_text("1,2\n")
    assert run("sort", lists, "--no-header", *SMALL, "--bits", 1).code == 6
    assert run("sort", lists, "--no-header", *SMALL, "--top", 3).code == 2
    assert run("sort", lists, "--no-header", "--security", 100).code == 4
    lists.write_text("1e30,2\n")
    assert run("sort", lists, "--no-header", *SMALL).code == 6


def test_ltv_sorts_with_primes_for_the_depth_of_its_network() -> None:
    for lists, ring in ((1, 8191), (630, 8191), (631, 21845), (1024, 21845), (2048, 65535)):
        first, *others = ltv_jobs.sorting_sets(ltv, 7, lists)
        assert (first.levels, first.cyclotomic) == (8, ring) and first.slots.count >= lists
        assert all(other.levels > 8 for other in others) and others[-1].levels == 25
    assert [len(ltv_jobs.sorting_sets(ltv, depth, 5000)) for depth in (7, 30)] == [1, 1]  # there is no such ring


@pytest.mark.slow
def test_ltv_does_the_same_where_it_is_acknowledged(prince_files: tuple[Path, Path], tmp_path: Path) -> None:
    small = ("--scheme", "ltv", "--ltv", "26,105,24,8")
    refused = run("prince", *prince_files, *small)
    assert refused.code == 4 and "BROKEN" in refused.text
    found = succeed("prince", *prince_files, *small, "--acknowledge-broken", "--json").data
    assert found["blocks"] == ["ae25ad3ca8fa9ccf"] and "BROKEN" in found["parameters"]
    lists = tmp_path / "lists.csv"
    lists.write_text("2,0,1\n3,1,3\n")
    broken = (*small[:2], "--ltv", "8,105,22,8", "--acknowledge-broken")
    assert succeed("sort", lists, "--no-header", "--bits", 2, *broken, "--json").data["lists"] == [[0, 1, 2], [1, 3, 3]]
    chosen = succeed("sort", lists, "--no-header", "--bits", 2, *small[:2], "--acknowledge-broken", "--json").data
    assert chosen["lists"] == [[0, 1, 2], [1, 3, 3]]
    assert f" {chosen['depth'] + 1} primes " in chosen["parameters"] and "m=8191 " in chosen["parameters"]
    assert run("sort", lists, "--no-header", "--scheme", "rsa").code == 2
    assert run("sort", lists, "--no-header", *broken, "--top", 1).code == 2
    assert run("prince", *prince_files, *small[:2], "--ltv", "1,2", "--acknowledge-broken").code == 2
