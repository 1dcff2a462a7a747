# SPDX-License-Identifier: Apache-2.0
"""Beside public GPU libraries: sets are no easier than theirs, every figure has a row, ratios are theirs / ours."""

from __future__ import annotations

import math
from typing import Any

import pytest
from cyclotome.devices.contexts import engine_on
from cyclotome.errors import ArgumentError
from cyclotome_bench.papers.device import measure_on_device
from cyclotome_bench.papers.device_plans import DevicePlan, make_device_plan
from cyclotome_bench.papers.device_tables import device_tables
from cyclotome_bench.peers.ours import Ours
from cyclotome_bench.peers.public_libraries import compared, figures, public_problems, transform_figures
from cyclotome_bench.reports.report import Record, key_of

DEGREES = (4096, 8192, 16384, 32768)
#: The largest log2(QP) of the HE Standard at 128 bits, which is what the libraries take whole.
CAPS = dict(zip(DEGREES, (109, 218, 438, 881), strict=True))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    plan = make_device_plan("standard", "cpu:1", seconds=0.002).restricted(["public-4096-*"], [])
    return list(measure_on_device(plan))


def test_every_figure_has_a_set_that_is_no_easier() -> None:
    """At least the library's log2(q), no more log2(QP), 128 bits of security; as short as any set that serves it."""
    problems = {(p.name, p.scheme): p for p in public_problems(["bfv", "bgv"], DEGREES)}
    assert len({(f.set_name, f.scheme, f.operation, f.kind) for f in figures()}) == len(figures()) == 39
    assert set(problems) == {(f.set_name, f.scheme) for f in figures()}
    for figure in figures():
        problem = problems[figure.set_name, figure.scheme]
        (chain,) = problem.chains
        parameters = problem.parameters(chain)
        assert problem.degree == figure.degree and problem.log_q == CAPS[figure.degree]
        assert math.prod(chain.moduli) >= 2**figure.log_q
        assert math.prod(chain.moduli + chain.special_moduli) < 2 ** CAPS[figure.degree]
        assert parameters.security_reached >= 128 and not parameters.insecure and problem.slots
        assert chain.special_moduli and figure.operation in problem.operations
        shorter = [p for p in problems.values() if p.degree == figure.degree and p.scheme == figure.scheme]
        lengths = [p.chains[0].modulus_bits for p in shorter if p.chains[0].modulus_bits >= figure.log_q]
        assert chain.modulus_bits <= min(lengths) + 0.5


def test_what_a_library_has_left_for_its_ciphertexts() -> None:
    lengths = {(f.degree, f.library.split(",")[0], f.special_primes): f.log_q for f in figures()}
    assert lengths[4096, "HEonGPU", 1] == 109 - 37
    assert lengths[8192, "Troy-Nova", 1] == 218 - 44
    assert lengths[16384, "HEonGPU", 3] == 438 - 3 * 49
    assert lengths[32768, "HEonGPU", 3] == 881 - 3 * 59
    assert lengths[32768, "HEonGPU", 5] == 881 - 5 * 59
    assert lengths[32768, "Phantom", 1] == 881 - 56


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_special_primes_are_what_q_leaves_room_for(scheme: str) -> None:
    """Special primes and digits, as the planner chose them."""
    shapes = {
        problem.name: (len(chain.special_moduli), problem.parameters(chain).digits)
        for problem in public_problems([scheme], DEGREES)
        for chain in problem.chains
    }
    expected = {"public-4096-72": (1, 3), "public-8192-174": (1, 6), "public-16384-389": (1, 13)}
    expected["public-32768-825"] = (2, 16)
    if scheme == "bfv":
        expected |= {"public-16384-291": (4, 3), "public-32768-590": (7, 3), "public-32768-704": (5, 5)}
    assert shapes == expected


@pytest.mark.slow
@pytest.mark.parametrize("degree", DEGREES)
def test_every_set_computes_rightly_and_leaves_noise_budget(degree: int) -> None:
    for problem in public_problems(["bfv", "bgv"], [degree]):
        ours = Ours(problem, problem.chains[0], engine_on("cpu"))
        for operation in problem.operations:
            assert ours.verify(operation, ours.operations[operation]())["noise_left"] >= 4


def test_only_a_key_switch_and_a_product_are_measured(records: list[Record]) -> None:
    wanted = {"relinearize", "multiply_relinearize", "rotate"}
    cells = {(r["scheme"], r["operation"], r["batch"]) for r in records}
    assert cells == {(s, o, b) for s in ("bfv", "bgv") for o in wanted for b in (1, 16)}
    assert len({key_of(r) for r in records}) == len(records) == len(cells)
    assert all(r["set"] == "public-4096-72" and r["digits"] == 3 for r in records)


def test_records_hold_the_ratios(records: list[Record]) -> None:
    for r in records:
        own = [f for f in figures() if (f.degree, f.scheme, f.operation) == (4096, r["scheme"], r["operation"])]
        for kind, ours in (("latency", r["median_us"]), ("throughput", r["us_each"])):
            theirs = [f for f in own if f.kind == kind]
            if not theirs or (kind == "latency" and r["batch"] > 1):
                assert f"public_{kind}_us" not in r
                continue
            assert r[f"public_{kind}_us"] == theirs[0].us and theirs[0].library in r[f"public_{kind}_by"]
            assert r[f"public_{kind}_ratio"] == pytest.approx(theirs[0].us / ours, abs=0.006)


def test_a_record_holds_the_figure_of_its_set() -> None:
    record: Record = {"operation": "relinearize", "scheme": "bfv", "set": "public-32768-704", "batch": 1}
    found = compared({**record, "median_us": 120.0, "us_each": 60.0})
    assert found == {
        "public_latency_us": 240,
        "public_latency_by": "HEonGPU, log q = 704, 3 special primes",
        "public_latency_ratio": 2.0,
    }
    assert compared({**record, "set": "seal-32768", "median_us": 120.0, "us_each": 60.0}) == {}


def test_every_figure_has_a_row(records: list[Record]) -> None:
    """The table of what was measured shows its figures; one with records of all sets, all of them."""

    def rows_of(found: list[Record]) -> tuple[tuple[str, ...], ...]:
        (table,) = [t for t in device_tables(found) if "bits of security" in t.title]
        assert all(len(row) == len(table.columns) for row in table.rows)
        return table.rows

    shown = rows_of(records)
    assert len(shown) == sum(f.degree == 4096 for f in figures())
    made: list[Record] = [
        {**r, "set": p.name, "degree": p.degree, "log_q": p.log_q}
        for p in public_problems(["bfv", "bgv"], DEGREES)
        for r in records
        if r["scheme"] == p.scheme
    ]
    everything = rows_of(made)
    assert len(everything) == len(figures()) == len(set(everything))
    latency = next(row for row in shown if row[0] == "BFV multiply relinearize, latency")
    one = next(r for r in records if (r["scheme"], r["operation"], r["batch"]) == ("bfv", "multiply_relinearize", 1))
    assert latency[4:6] == ("HEonGPU", "83.9 µs") and latency[-1] == str(one["noise_left"])
    assert latency[-2] == (f"{83.9 / one['median_us']:.2f}×")


def transform(degree: int, bits: int, batch: int, us_each: float) -> Record:
    name = f"transform-{bits}"
    return {"operation": "ntt", "scheme": None, "set": name, "degree": degree, "log_q": bits, "batch": batch,
            "word": 32 if bits < 32 else 64, "us_each": us_each, "median_us": 1.0}  # fmt: skip


def test_transforms_are_compared_by_bits_of_modulus() -> None:
    """The fastest library with as many polynomials or fewer: Phantom's 64-bit transforms of 2^15 stop at 256."""
    found = transform_figures(32768, 1024)
    assert found[32] == (pytest.approx(518e3 / 1024 / 30), "GPU-NTT")
    assert found[64] == (pytest.approx(200e3 / 256 / 60), "Phantom")
    assert transform_figures(4096, 1)[64] == (pytest.approx(4980 / 60), "GPU-NTT")
    assert transform_figures(1 << 17, 1024) == {}
    ours = transform(32768, 30, 1024, 0.3)  # 10 ns per bit
    assert compared(ours)["public_64_ratio"] == pytest.approx(1.30)
    assert compared({**ours, "operation": "intt"}) == {}
    _, table = device_tables([transform(32768, 30, 64, 9.0), ours])
    assert table.rows == (("2^15", "30", "1024", "10.00", "GPU-NTT", "16.86", "1.69×", "Phantom", "13.02", "1.30×"),)


def test_patterns_choose_sets_and_leave_studies_out() -> None:
    full = make_device_plan("full", "cpu:1")
    chosen = full.restricted(["public-*"], ["bgv"])
    assert isinstance(chosen, DevicePlan) and not chosen.studies and not chosen.transforms
    assert [p.name for p in chosen.problems] == [
        f"public-{name}" for name in ("4096-72", "8192-174", "16384-389", "32768-825")
    ]
    assert full.restricted([], []).studies == full.studies
    with pytest.raises(ArgumentError, match="no set 'publik-"):
        full.restricted(["publik-*"], [])
    quick: Any = make_device_plan("quick", "cpu:1")
    assert not any(p.name.startswith("public") for p in quick.problems)
