# SPDX-License-Identifier: Apache-2.0
"""Standard streams that whoever started this process closed (``>&-``), for which Python has None: nothing else may get
their numbers, and whoever uses one is told that it can't."""

from __future__ import annotations

import os
import sys

__all__ = ["hold_closed_streams"]


def hold_closed_streams() -> None:
    """Puts something in place of each that can't be read or written: an error of the system, as for any bad file. What
    would go to a closed standard error goes nowhere."""
    for number, (name, mode, flags) in enumerate(
        (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    ):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, flags)  # the lowest number that is free
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
