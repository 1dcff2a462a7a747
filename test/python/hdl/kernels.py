# SPDX-License-Identifier: Apache-2.0
"""Runs a circuit's kernel tick by tick in Amaranth's simulator, with every claim about ranges checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

pytest.importorskip("amaranth", reason="amaranth, which makes the circuits, is not installed")

from amaranth.hdl import Fragment
from amaranth.sim import Simulator
from cyclotome_hdl.kernels.elaboration import Checking
from cyclotome_hdl.kernels.flow import Kernel


def outputs(
    kernel: Kernel, inputs: Sequence[Mapping[str, int]], static: Mapping[str, int] | None = None
) -> list[dict[str, int]]:
    """The kernel's outputs for one set of inputs each tick, read `latency` ticks after them."""
    results: list[dict[str, int]] = []

    async def bench(context: Any) -> None:
        for name, value in (static or {}).items():
            context.set(kernel.port[name], value)
        for tick in range(len(inputs) + kernel.latency):
            for name, value in inputs[min(tick, len(inputs) - 1)].items():
                context.set(kernel.port[name], value)
            if tick >= kernel.latency:
                results.append({port.name: context.get(kernel.port[port.name]) for port in kernel.outputs})
            await context.tick()

    simulator = Simulator(Fragment.get(kernel, Checking()))
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return results
