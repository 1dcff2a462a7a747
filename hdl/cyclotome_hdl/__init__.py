# SPDX-License-Identifier: Apache-2.0
"""Circuits for polynomial products: described in Python, simulated tick by tick, synthesised by open tools.

The device "fpga:sim" of `cyclotome` builds its circuits with it (`device`), and ``cyclotome fpga`` is its command
(`command`). It comes with the extra ``fpga`` (in a checkout ``pip install '.[fpga]' ./hdl ./study``).
``doc/fpga.md`` says what there is and what was measured.
"""

from __future__ import annotations

from cyclotome.errors import EngineError

try:
    import amaranth as _amaranth  # noqa: F401
except ImportError as _cause:
    raise EngineError("the circuit generator needs amaranth, which is not installed: pip install amaranth") from _cause
