# SPDX-License-Identifier: Apache-2.0
"""The papers' transforms on a GPU, as the benchmark times them."""

from __future__ import annotations

import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError, EngineError
from devices import needs_gpu

DESIGNS = [name for name, _, _ in _core.transform_designs()]


def test_without_a_gpu_nothing_is_timed() -> None:
    if any(not device["problem"] for device in _core.cuda_facts()["devices"]):
        pytest.skip("there is a GPU")
    with pytest.raises(EngineError):
        _core.cuda_study_engine("D5")
    with pytest.raises(EngineError):
        _core.cuda_transform_times("D5", 4096, 30)
    with pytest.raises(EngineError):
        _core.cuda_reconstruction_time(4096, 31, 2)


@pytest.mark.skipif(not _core.cuda_built, reason="this build has no CUDA engine")
def test_unknown_designs_and_wrong_uses_are_refused() -> None:
    with pytest.raises(ArgumentError, match="D6"):
        _core.cuda_study_engine("D6")
    with pytest.raises(ArgumentError, match="Gaussian"):
        _core.cuda_transform_times("D5", 4096, 30, gaussian=True)
    with pytest.raises(ArgumentError, match="power of two"):
        _core.cuda_transform_times("D5", 4095, 30)
    with pytest.raises(ArgumentError, match="Gaussian"):
        _core.cuda_transform_times("stockham", 4096, 30, gaussian=True)
    assert _core.cuda_transform_times("D3", 16384, 30) is None
    assert _core.cuda_transform_times("D3", 8192, 61) is None


@needs_gpu
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("bits", [30, 61])
def test_every_design_transforms_as_the_cpu_does(design: str, bits: int) -> None:
    engine, cpu = _core.cuda_study_engine(design), _core.CpuEngine(1)
    for degree in (1024, 2048, 4096, 32768):
        if design == "d3" and degree > (8192 if bits == 30 else 4096):
            continue
        primes = _core.primes_congruent_to_one(bits, 2 * degree, 3, [])
        bench = _core.TransformBench(engine, 32 if bits == 30 else 64, primes, degree, 5)
        assert bench.agrees_with(cpu)


@needs_gpu
def test_times_are_positive_and_grow_with_the_work() -> None:
    for design in DESIGNS:
        times = _core.cuda_transform_times(design, 4096, 30)
        assert times is not None and min(times) > 0
    for design in ("dgt", "dgt-stockham"):
        gaussian = _core.cuda_transform_times(design, 4096, 31, limbs=6, gaussian=True)
        assert gaussian is not None and min(gaussian) > 0
    few, many = (_core.cuda_reconstruction_time(8192, 31, limbs, batch=16) for limbs in (2, 24))
    assert 0 < few < many
