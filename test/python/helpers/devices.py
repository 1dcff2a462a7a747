# SPDX-License-Identifier: Apache-2.0
"""The device that tests compare with the CPU: a GPU, or what CYCLOTOME_TEST_DEVICE names ("cpu:2" tries the tests)."""

from __future__ import annotations

import os

import pytest
from cyclotome.devices import contexts
from cyclotome.errors import EngineError

DEVICE = os.environ.get("CYCLOTOME_TEST_DEVICE", "cuda:0")


def missing(device: str) -> str:
    """Why a device can't be used; empty if it can."""
    try:
        contexts.engine_on(device)
    except EngineError as error:
        return str(error)
    return ""


_reason = missing(DEVICE)
needs_device = pytest.mark.skipif(bool(_reason), reason=_reason or "there")
needs_gpu = pytest.mark.skipif(
    bool(_reason) or not DEVICE.startswith("cuda"), reason=_reason or f"{DEVICE} is no GPU, and this is about GPUs"
)
