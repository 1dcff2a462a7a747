# SPDX-License-Identifier: Apache-2.0
"""Paper 004's products as a benchmark, at small sizes: rows, results that are checked, and tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cli_runner import run
from cyclotome import errors
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.papers.paper004 import measure_paper_004, tables_of_paper_004
from cyclotome_bench.peers.gmp import GmpProduct, gmp_available
from cyclotome_bench.peers.ntl import NtlProduct, ntl_available
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.products import products
from cyclotome_bench.products.plans import Block, ProductPlan, make_product_plan, paper_rows
from cyclotome_bench.products.products import measure_products
from cyclotome_bench.products.tables import product_plots, product_tables
from cyclotome_bench.reports.cells import why_no_ratio
from cyclotome_bench.reports.charts import Bars
from cyclotome_bench.reports.report import REQUIRED, Record, key_of
from cyclotome_study import ProductContext

BUDGET = Budget(seconds=0, fewest=1, most=1, sample_seconds=0)


def tiny(*tables: str) -> ProductPlan:
    plan = make_product_plan(quick=True).restricted(tables, [])
    return replace(plan, degree=64, budget=BUDGET, circuits=(), resources=(), encryption=False)


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return list(measure_products(tiny(), peer=True))


def test_the_papers_rows_are_complete_and_consistent() -> None:
    blocks = paper_rows()
    counts = {t: sum(len(b.rows) for b in blocks if b.table == t) for t in dict.fromkeys(b.table for b in blocks)}
    text = {"Table 6.11": 4, "Section 6.5.1": 3}
    assert counts == {"Table 6.5": 25, "Table 6.7": 9, "Table 6.8": 9, "Table 6.9": 26, **text}
    for block in blocks:
        assert block.measured[0].case == "CRT", "the row that ratios are to"
        assert len({row.label for row in block.rows}) == len(block.rows)
        for row in block.rows:
            assert sum(row.lengths) == row.modulus_bits and (row.paper_us or 1) > 0
    assert {block.degree for block in blocks if block.number not in ("6.11", "6.5.1")} == {16384}
    assert {block.degree for block in blocks if block.number in ("6.11", "6.5.1")} == {32768}
    (ntl,) = [row for block in blocks for row in block.rows if row.case == "NTL"]
    assert (ntl.label, ntl.paper_us, ntl.modulus_bits) == ("NTL", 404573, 1024)
    by_name = {block.name: block for block in blocks}
    last = by_name["004-6.9-512"].measured[-1]
    assert (last.label, last.paper_us) == ("CRT, GMP: 1 × 64 + 2 × 512 bits", 529330)


def test_every_row_is_measured_and_every_record_complete(records: list[Record]) -> None:
    assert len({key_of(record) for record in records}) == len(records)
    for record in records:
        assert set(REQUIRED) <= record.keys()
        assert 0 < record["min_us"] <= record["median_us"] <= record["max_us"]
    for block in tiny().blocks:
        chains = [r["chain"] for r in records if r["set"] == block.name]
        assert {row.label for row in block.measured} <= set(chains)
        assert sum(chain.startswith("engine") for chain in chains) == 2
        assert chains.count("FLINT") == 1
        by_gmp = [f"{row.label}, by GMP" for row in block.measured if "GMP" in row.case and gmp_available()]
        assert [chain for chain in chains if chain.endswith("by GMP")] == by_gmp
        assert chains.count("NTL") == int(ntl_available() and block.table != "Table 6.9")


def test_tables_show_every_row_of_the_paper(records: list[Record]) -> None:
    tables = {table.title: table for table in product_tables(records)}
    for block in tiny().blocks:
        table = tables[f"Paper 004, {block.table}"]
        assert table.columns[-1] == "code" and all(row[-1] for row in table.rows), "every row names its code"
        rows = [row for row in table.rows if row[0] == str(block.bits)]
        assert [row[1] for row in rows[: len(block.rows)]] == [row.label for row in block.rows]
        for row in rows[: len(block.rows)]:
            absent = row[1].startswith("FPGA") or (row[1] == "NTL" and not ntl_available())
            assert (row[5] == "–") is absent, "no circuit was simulated"
        first = next(r for r in records if (r["set"], r["chain"]) == (block.name, block.rows[0].label))
        assert rows[0][6] == ("–" if why_no_ratio(first) else "1.00×"), "a side that is no ratio's has none to itself"
        assert rows[0][4] == ("–" if block.rows[0].paper_us is None else "1.00×")
    # The paper's ratios are those of its own times.
    first = tables["Paper 004, Table 6.8"].rows
    assert first[1][4] == "3.47×"  # 336878 / 97100


def test_circuits_of_the_other_tables_stand_in_the_rows_of_the_fpga(records: list[Record]) -> None:
    circuit = {"table": "6.6", "case": "Pease (thesis)", "degree": 64, "circuit_us": 10.0, "transfer_us": 2.0}
    (table,) = [t for t in product_tables([*records, circuit]) if t.title.endswith("6.8")]
    (row,) = [row for row in table.rows if row[1].startswith("FPGA")]
    assert row[5] == "60.0 µs (assumed clock, 5 primes)" and row[6] == "–", "no ratio to what was measured"
    assert "assumed clock: no time of this machine" in table.note


def test_the_circuits_of_table_6_11_stand_for_all_primes(records: list[Record]) -> None:
    common = {"table": "6.11", "degree": 64, "transfer_us": 2.0, "log_q": 1088, "primes": 18}
    circuits = [
        {**common, "case": "Cooley–Tukey (thesis), a board for each prime", "circuit_us": 1.0},
        {**common, "case": "Cooley–Tukey (thesis)", "circuit_us": 10.0},
        {**common, "case": "Pease (thesis)", "circuit_us": 20.0},
    ]
    (table,) = [t for t in product_tables([*records, *circuits]) if t.title.endswith("6.11")]
    assert [row[5] for row in table.rows if row[1].startswith("FPGA")] == [
        f"{us} µs (assumed clock, 18 primes)" for us in ("22.0", "12.0")
    ]
    assert "without them it has Pease 115 ms and Cooley–Tukey 34.5 ms" in table.note
    figure = next(plot for plot in product_plots([*records, *circuits]) if "Figure 6.1" in plot.title)
    assert isinstance(figure, Bars)
    (cpu, _, fpga) = [values for _, values in figure.rows]
    assert cpu[0] == 97100 and cpu[1] is not None and fpga == [23270, None, None], (
        "no circuit of Table 6.6 was simulated"
    )
    assert figure.series[2] == "simulated ticks (assumed clock)"


def test_a_circuit_of_three_primes_does_not_stand_beside_rows_of_thirty_four(records: list[Record]) -> None:
    """A quick run once printed 121 us, 0.01 times, of a circuit of 181 bits beside a processor's 1088."""
    short = {"table": "6.11", "degree": 64, "transfer_us": 2.0, "log_q": 181, "primes": 3, "circuit_us": 119.0}
    circuits = [{**short, "case": "Cooley–Tukey (thesis)"}, {**short, "case": "Pease (thesis)"}]
    (table,) = [t for t in product_tables([*records, *circuits]) if t.title.endswith("6.11")]
    assert [row[5:7] for row in table.rows if row[1].startswith("FPGA")] == [("–", "–")] * 2


def test_measured_blocks_are_not_measured_again(records: list[Record]) -> None:
    known = {key_of(record) for record in records}
    assert list(measure_products(tiny(), peer=True, known=known)) == []
    fewer = {key for key in known if key[0] != "004-6.8-320"}
    again = list(measure_products(tiny(), peer=False, known=fewer))
    assert {r["set"] for r in again} == {"004-6.8-320"}
    assert not {"FLINT", "NTL"} & {r["chain"] for r in again}


@pytest.mark.parametrize("with_flint", [True, False])
def test_wrong_products_are_found(with_flint: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not with_flint:
        monkeypatch.setattr(products, "_flint_available", lambda: False)
    plan = tiny("6.8")
    assert len(list(measure_products(plan, peer=False))) == 4
    unpack = products.unpack

    def damaged(data: bytes, limbs: int) -> list[int]:
        values = unpack(data, limbs)
        return [values[0] ^ 1, *values[1:]]

    monkeypatch.setattr(products, "unpack", damaged)
    with pytest.raises(WrongResultError, match="is wrong"):
        list(measure_products(plan, peer=False))


@pytest.mark.skipif(not ntl_available(), reason="NTL (Debian: libntl-dev) is not installed")
def test_ntl_multiplies_and_ends() -> None:
    product = NtlProduct(97, [1, 2, 0, 0], [0, 0, 0, 3])
    wall, own = product.run(1, own_time=False), product.run(2, own_time=True)
    assert wall > 0 and own > 0
    assert product.result() == [91, 0, 0, 3]  # 3 x^3 + 6 x^4
    product.close()


@pytest.mark.skipif(not gmp_available(), reason="GMP (Debian: libgmp-dev) is not installed")
@pytest.mark.parametrize("converted", [False, True])
@pytest.mark.parametrize("lengths", [(20,), (24, 30), (64, 128, 128), (512,)])
def test_gmp_multiplies_and_ends(lengths: tuple[int, ...], converted: bool) -> None:
    """Against the definition; wide coefficients, which are reduced first, and products made twice."""
    context = ProductContext.of_lengths(16, lengths)
    a, b = ([(7 * i + j) ** 40 % (context.modulus + j) for i in range(16)] for j in (1, 3))
    product = GmpProduct(context, a, b, converted)
    wall, own = product.run(1, own_time=False), product.run(2, own_time=True)
    assert wall > 0 and own > 0
    expected = [0] * 16
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            expected[(i + j) % 16] += x * y if i + j < 16 else -x * y
    assert product.result() == [value % context.modulus for value in expected]
    product.close()


@pytest.mark.skipif(not gmp_available(), reason="GMP (Debian: libgmp-dev) is not installed")
def test_a_wrong_product_of_gmp_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    result = GmpProduct.result

    def damaged(self: GmpProduct) -> list[int]:
        first, *others = result(self)
        return [first ^ 1, *others]

    monkeypatch.setattr(GmpProduct, "result", damaged)
    with pytest.raises(WrongResultError, match="by GMP"):
        list(measure_products(tiny("6.8"), peer=True))


def test_a_missing_simulator_leaves_circuits_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise errors.EngineError("there is no simulator; install one")

    monkeypatch.setattr("cyclotome_bench.papers.paper004.measure_circuits", missing)
    told: list[str] = []
    plan = replace(make_product_plan(), blocks=(), circuits=("6.6",), resources=(), encryption=False)
    assert list(measure_paper_004(plan, False, None, told.append)) == []
    assert told[0].startswith("Table 6.6: Pease")
    assert told[1:] == ["circuits are left out: there is no simulator; install one"]


def test_circuits_become_records_and_are_not_simulated_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    from cyclotome.devices.contexts import device_name
    from cyclotome_bench.applications.circuits import CASES

    calls = []

    def simulated(quick: bool, cases: list[object]) -> list[Record]:
        calls.extend(cases)
        common = {"log_q": 181, "primes": 3, "critical_ticks": 1, "further_ticks": 1, "clock_mhz": 100}
        common |= {"circuit_us": 3.0, "transfer_us": 1.5, "products": 1, "transforms": 0}
        common |= {"simulation_seconds": 0.1, "simulation_processor_seconds": 0.1}
        return [
            {**common, "table": c.table, "case": c.name, "degree": c.degree, "operation": operation}
            | {"engine": device_name(c.device)}
            for c in cases
            for operation in c.operations
        ]

    monkeypatch.setattr("cyclotome_bench.papers.paper004.measure_circuits", simulated)
    plan = replace(make_product_plan(), blocks=(), resources=(), encryption=False)
    records = list(measure_paper_004(plan, False, None, print))
    assert calls == list(CASES)
    assert all(set(REQUIRED) <= r.keys() and r["median_us"] == 4.5 for r in records)
    assert {r["kind"] for r in records} == {"assumed clock"}
    keys = {key_of(r) for r in records}
    assert len(keys) == len(records)
    assert list(measure_paper_004(plan, False, keys, print)) == [] and len(calls) == len(CASES)
    assert [t.title.split(":")[0] for t in tables_of_paper_004(records)] == [
        f"Paper 004, Table {n}" for n in ("6.6", "6.10", "6.11", "6.12")
    ]


@pytest.mark.parametrize("block", paper_rows(), ids=lambda block: block.name)
def test_every_block_has_primes_at_the_papers_degree(block: Block) -> None:
    """A full run ended at Table 6.11: of the engine's shortest primes N = 32768 has none."""
    bits = max(row.modulus_bits for row in block.measured)
    for longest in products._ENGINE_BITS:
        assert products._engine_context(block.degree, bits, longest).modulus.bit_length() >= bits


def test_plans_know_their_tables() -> None:
    full = make_product_plan()
    assert full.degree is None and len(full.blocks) == 17 and not full.quick
    quick = make_product_plan(quick=True)
    assert quick.quick and {b.table for b in quick.blocks} == {b.table for b in full.blocks}
    assert {quick.degree_of(b) for b in quick.blocks} == {1024}
    assert {b.table for b in full.restricted(["6.7"], []).blocks} == {"Table 6.7"}
    assert full.restricted(["6.12"], []).circuits == ("6.12",) and full.restricted(["6.12"], []).encryption
    only = full.restricted(["6.4"], [])
    assert only.resources == ("6.4",) and not (only.blocks or only.circuits or only.encryption)
    with pytest.raises(errors.ArgumentError, match=r"no table '6\.13'; it has 6\.1, 6\.2, .*6\.9, 6\.10, 6\.11, 6\.12"):
        full.restricted(["6.13"], [])
    with pytest.raises(errors.ArgumentError, match="no scheme"):
        full.restricted([], ["bgv"])
    with pytest.raises(errors.ArgumentError, match="positive"):
        make_product_plan(seconds=0)


def test_the_command_prints_saves_and_shows(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    arguments = ("bench", "--paper", "004", "--quick", "--set", "6.8", "--no-peer", "--seconds", "0.001")
    done = run(*arguments, "--output", str(path))
    assert done.code == 0, done.text
    assert "Paper 004, Table 6.8" in done.text and "CRT: 10 × 32 bits" in done.text
    assert json.loads(path.read_text())["plan"] == "paper-004, quick (6.8 only)"
    shown = run("bench", "--show", str(path), "--paper", "004")
    assert "Paper 004, Table 6.8" in shown.text
    assert run("bench", "--show", str(path)).code == 0, "a report of products alone has no other tables"
    assert run("bench", "--paper", "005").code != 0
