# SPDX-License-Identifier: Apache-2.0
"""Tables of what circuits cost, for those who want them made: what was synthesised once is kept beside the models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cyclotome.errors import CyclotomeError
from cyclotome.whole_files import write_whole

from ..boards.simulation import cache_folder
from .report import TABLES, Record, Reporter, ReportTable, recorded_table
from .synthesis import tool_name

__all__ = ["TABLES", "kept", "recorded_resource_table", "resource_table", "tool_name"]


def kept() -> Path:
    """The file of earlier syntheses; entries count for the very text and tool they were made from."""
    return cache_folder() / "synthesis.json"


def resource_table(number: str, progress: Callable[[str], None] | None = None) -> ReportTable:
    """One of `TABLES`, printed rows and estimates; synthesises what was not yet, seconds to a minute for each block.

    Args:
        number: such as "6.2".
        progress: told what is done next.

    Raises:
        ArgumentError: another table.
        EngineError: pyosys is missing or fails.
    """
    try:
        record = Record.load(kept())
    except CyclotomeError:
        record = Record()  # none yet, or one that this version can't read

    def keep(name: str) -> None:
        _write(record)
        if progress is not None:
            progress(name)

    table = Reporter(record, keep).table(number)
    _write(record)
    return table


def recorded_resource_table(number: str, file: Path) -> ReportTable | None:
    """One of `TABLES` as a file of `cyclotome fpga report --record` has it, in no time; None where it has none.

    Raises:
        ArgumentError: another table.
        FileError, FormatError: the file.
    """
    return recorded_table(number, Record.load(file))


def _write(record: Record) -> None:
    """Whole or not at all, since several processes may keep theirs."""
    kept().parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept(), record.text().encode())
