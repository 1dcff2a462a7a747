# SPDX-License-Identifier: Apache-2.0
"""The CUDA engine beside other libraries that use the same GPUs: they find their device and their work as they left it.
Each part needs its library, and all a GPU."""

from __future__ import annotations

import threading
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.devices import cuda
from small import parameters

# What other libraries warn about when they are imported is not this one's.
pytestmark = [
    pytest.mark.skipif(not cuda.usable(), reason="there is no GPU"),
    pytest.mark.filterwarnings("ignore"),
]


def use_the_engine(device: str) -> None:
    """Keys, encryption, operations that come again, decryption, and everything freed on another thread."""
    secret, public, evaluation = cy.keygen(parameters(degree=1024), device=device)
    values = np.arange(8)
    owned: list[Any] = [secret, public, evaluation]
    for _ in range(3):
        x = cy.encrypt(values, public, bound=7)
        owned.append(x * x + x)
        assert cy.decrypt(owned[-1], secret).tolist() == (values * values + values).tolist()
    cuda.facts()
    del secret, public, evaluation, x
    freeing = threading.Thread(target=owned.clear)
    freeing.start()
    freeing.join()


@pytest.mark.parametrize("device", cuda.usable())
def test_beside_torch(device: str) -> None:
    torch = pytest.importorskip("torch")
    for current in range(torch.cuda.device_count()):
        torch.cuda.set_device(current)
        a = torch.arange(1000, device="cuda")
        use_the_engine(device)
        assert torch.cuda.current_device() == current
        b = torch.arange(1000, device="cuda")
        assert b.device.index == current and int((a * b).sum()) == sum(i * i for i in range(1000))


@pytest.mark.parametrize("device", cuda.usable())
def test_beside_cupy(device: str) -> None:
    cupy = pytest.importorskip("cupy")
    for current in range(cupy.cuda.runtime.getDeviceCount()):
        with cupy.cuda.Device(current):
            a = cupy.arange(1000)
            use_the_engine(device)
            assert cupy.cuda.runtime.getDevice() == current
            assert int((a * cupy.arange(1000)).sum()) == sum(i * i for i in range(1000))
