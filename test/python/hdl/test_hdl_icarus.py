# SPDX-License-Identifier: Apache-2.0
"""The Verilog of circuits under another simulator, Icarus, with a test bench that knows nothing but the ports: products
that the schoolbook gives, in the ticks that the formulas say."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from circuits import Words, expected, label, polynomials, root_of
from cyclotome_hdl.designs.design import PRODUCT, Circuit, Design, Layout, build
from cyclotome_hdl.verilog.emit import to_verilog
from oracles.integers import some_primes

#: Icarus takes minutes for long words.
BITS = 24
#: Every design, and the one with several pipes, which is built otherwise.
DESIGNS = [
    Design("pease", 64, 1, BITS),
    Design("cooley-tukey", 64, 1, BITS),
    Design("cooley-tukey", 64, 2, BITS),
    Design("iterative", 64, 1, BITS),
    Design("streaming", 64, 1, BITS),
]
PRODUCTS = 2

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("iverilog") is None, reason="there is no iverilog (Debian: iverilog)"),
]

#: Tables a word a tick and lane, some ticks of rest, then products as fast as they are taken.
BENCH = """
module bench;
  reg clk = 0;
  reg [{modulus} - 1:0] modulus = 0;
  reg [1:0] operation = 0;
  reg [{tables} - 1:0] table_enable = 0, table_bank = 0;
  reg [32 * {tables} - 1:0] table_address = 0;
  reg [64 * {tables} - 1:0] table_data = 0;
  reg input_bank = 0, input_valid = 0;
  reg [64 * {lanes_in} - 1:0] in = 0;
  wire input_ready, output_valid;
  wire [64 * {lanes_out} - 1:0] out;
  reg [97 * {tables} - 1:0] writes [0:{written} - 1];
  reg [64 * {lanes_in} - 1:0] words [0:{sent} - 1];
  integer tick = 0, taken = 0, got = 0, i, lane;

  {top} circuit(.clk(clk), .modulus(modulus), .operation(operation), .table_enable(table_enable),
    .table_bank(table_bank), .table_address(table_address), .table_data(table_data), .input_bank(input_bank),
    .input_valid(input_valid), .\\input (in), .input_ready(input_ready), .output_valid(output_valid), .\\output (out));

  task step; begin
    #1 clk = 1;
    #1 clk = 0;
    tick = tick + 1;
  end endtask

  initial begin
    $readmemh("tables.hex", writes);
    $readmemh("words.hex", words);
    modulus = {p};
    for (i = 0; i < {written}; i = i + 1) begin
      {{table_enable, table_address, table_data}} = writes[i];
      step;
    end
    table_enable = 0;
    repeat (16) step;
    while (got < {wanted} && tick < {patience}) begin
      if (output_valid) begin
        $display("out %0d %h", tick, out);
        got = got + 1;
      end
      input_valid = taken < {sent};
      if (input_valid && input_ready) begin
        $display("in %0d", tick);
        in = words[taken];
        taken = taken + 1;
      end
      step;
    end
    $finish;
  end
endmodule
"""


def in_lanes(values: list[int], bits: int) -> int:
    return sum(value << bits * lane for lane, value in enumerate(values))


def table_words(layout: Layout, p: int, root: int) -> list[str]:
    """For each tick the lanes' enables, addresses and words, in hexadecimal. A negative exponent stands for p."""
    lanes, longest = layout.tables, max(len(lane.address) for lane in layout.tables)
    lines = []
    for i in range(longest):
        there = [i < len(lane.address) for lane in lanes]
        addresses = [int(lane.address[i]) if t else 0 for lane, t in zip(lanes, there, strict=True)]
        data = [
            (p if lane.exponent[i] < 0 else pow(root, int(lane.exponent[i]), p) * pow(2, int(lane.power[i]), p) % p)
            if t
            else 0
            for lane, t in zip(lanes, there, strict=True)
        ]
        count = len(lanes)
        enables = in_lanes([int(t) for t in there], 1)
        whole = enables << 96 * count | in_lanes(addresses, 32) << 64 * count | in_lanes(data, 64)
        lines.append(f"{whole:x}")
    return lines


def simulated(circuit: Circuit, folder: Path, p: int, a: Words, b: Words) -> tuple[list[list[int]], int, int]:
    """Products, the ticks of the first one, and those from the last but one to the last."""
    layout, design = circuit.layout(), circuit.design
    order = layout.orders[PRODUCT]
    tables = table_words(layout, p, root_of(design, p))
    sent = []
    for x, y in zip(a, b, strict=True):
        both = [*map(int, x), *map(int, y)]
        sent += [f"{in_lanes([both[i] if i >= 0 else 0 for i in beat], 64):x}" for beat in order.inputs.tolist()]
    beats = len(order.outputs)
    (folder / "tables.hex").write_text("\n".join(tables))
    (folder / "words.hex").write_text("\n".join(sent))
    text = to_verilog(circuit)
    assert "\\$" not in text  # legal in backslashes, but Icarus takes such functions for the system's
    (folder / "circuit.v").write_text(text)
    bench = BENCH.format(
        modulus=design.word_bits,
        tables=circuit.table_lanes,
        lanes_in=circuit.lanes_in,
        lanes_out=circuit.lanes_out,
        written=len(tables),
        sent=len(sent),
        top=circuit.name,
        p=f"{design.word_bits}'d{p}",
        wanted=len(a) * beats,
        patience=len(tables) + 100 + len(a) * (circuit.product_ticks() + 4096),
    )
    (folder / "bench.v").write_text(bench)
    subprocess.run(["iverilog", "-g2012", "-o", "bench.vvp", "bench.v", "circuit.v"], cwd=folder, check=True)
    done = subprocess.run(["vvp", "-n", "bench.vvp"], cwd=folder, check=True, capture_output=True, text=True)
    first = int(re.findall(r"^in (\d+)$", done.stdout, re.MULTILINE)[0])
    found = re.findall(r"^out (\d+) ([0-9a-f]+)$", done.stdout, re.MULTILINE)
    assert len(found) == len(a) * beats, done.stdout[-2000:]
    products = np.zeros((len(a), design.degree), dtype=object)
    for beat, (_, text) in enumerate(found):
        for lane, i in enumerate(order.outputs[beat % beats].tolist()):
            if i >= 0:
                products[beat // beats, i] = int(text, 16) >> 64 * lane & 2**64 - 1
    ends = [int(found[(k + 1) * beats - 1][0]) for k in range(len(a))]
    return products.tolist(), ends[0] - first + 1, ends[-1] - ends[-2]


@pytest.mark.parametrize("design", DESIGNS, ids=label)
def test_icarus_computes_products_in_the_ticks_of_the_formulas(
    design: Design, tmp_path: Path, rng: np.random.Generator
) -> None:
    circuit = build(design)
    (p,) = some_primes(BITS, 2 * design.degree, 1, int(rng.integers(4)))
    a, b = (polynomials(rng, design, p, PRODUCTS) for _ in range(2))
    products, ticks, interval = simulated(circuit, tmp_path, p, a, b)
    assert products == expected(a, b, p)
    assert (ticks, interval) == (circuit.product_ticks(), circuit.product_interval())
