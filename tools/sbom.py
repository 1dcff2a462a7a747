# SPDX-License-Identifier: Apache-2.0
"""Write what each wheel of the library is made of as a CycloneDX document, ``<wheel>.cdx.json``, beside it.

What pip installs with it is listed by cyclonedx-bom, from an environment with the wheel and the locked NumPy in it;
what is compiled or linked into the extension, which no tool sees, is added here: nanobind and libstdc++,
and NVIDIA's in the wheel with the CUDA engine. The same wheel gives the same document.

Usage: ``python tools/sbom.py [--wheels dist] [PYTHON ...]``, as for ``tools/make_wheels.py``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from make_wheels import BUILD, ROOT, Interpreter, builders, environment, interpreters, run


def locked(name: str, lock: str) -> str:
    """The version of a package in a lock file."""
    found = re.search(rf"^{name}==(\S+)", (ROOT / "requirements" / lock).read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        sys.exit(f"requirements/{lock} has no {name}; make lock writes it")
    return found[1]


def component(name: str, version: str, licence: str, purl: str, why: str) -> dict[str, Any]:
    """Something that is compiled or linked into the extension."""
    return {
        "bom-ref": purl,
        "type": "library",
        "name": name,
        "version": version,
        "description": why,
        "licenses": [{"expression": licence}],
        "purl": purl,
        "scope": "required",
    }


def linked_in(compiler: str, cuda: str | None) -> list[dict[str, Any]]:
    """What the extension holds of others."""
    nanobind = locked("nanobind", "build.txt")
    parts = [
        component("nanobind", nanobind, "BSD-3-Clause", f"pkg:pypi/nanobind@{nanobind}", "compiled into the extension")
    ]
    if gcc := re.search(r"(?:GCC|g\+\+) (\d+\.\d+\.\d+)", compiler):
        licence = "GPL-3.0-or-later WITH GCC-exception-3.1"
        parts.append(
            component("libstdc++", gcc[1], licence, f"pkg:generic/libstdc%2B%2B@{gcc[1]}", "linked into the extension")
        )
    if cuda is not None:
        licence = "LicenseRef-NVIDIA-CUDA-EULA"
        parts.append(
            component("cudart_static", cuda, licence, f"pkg:generic/cudart_static@{cuda}", "linked statically")
        )
    return parts


def document(python: Interpreter, wheel: Path, tools: Path, plain: Path) -> dict[str, Any]:
    """The document of one wheel, which `python` can install."""
    place = BUILD / f"environment-sbom-{python.name}"
    run(python.path, "-m", "venv", "--clear", "--without-pip", place)
    program = place / "bin" / "python"
    install = (tools / "python", "-m", "pip", "--python", program, "install", "--quiet", "--no-deps")
    run(*install, *numpy())
    run(*install, plain, *([] if wheel == plain else [wheel]))
    compiler, cuda = run(
        program,
        "-c",
        "from cyclotome import _core, cuda_device as c; print(_core.compiler()); print(c.facts()['runtime'] or '')",
    ).splitlines()
    made = run(tools / "cyclonedx-py", "environment", "--output-reproducible", "--of", "JSON", program)
    text: dict[str, Any] = json.loads(made)
    for part in text["components"]:  # where a wheel lay on this machine is nobody's business
        part.pop("externalReferences", None)
    text["components"] += linked_in(compiler, cuda or None)
    text["components"].sort(key=lambda part: str(part["name"]))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    own = "cyclotome" if wheel == plain else "cyclotome-cuda"
    text["metadata"]["component"] = {
        "type": "library",
        "name": own,
        "version": wheel.name.split("-")[1],
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    return text


def numpy() -> list[str]:
    """The locked NumPy, once for each range of interpreters; pip takes the one that fits."""
    lock = (ROOT / "requirements" / "test.txt").read_text(encoding="utf-8")
    return re.findall(r"^(numpy==.*?) \\$", lock, re.MULTILINE)


def main(arguments: list[str]) -> int:
    """Write the documents of all wheels there are; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wheels", type=Path, default=ROOT / "dist")
    parser.add_argument("pythons", nargs="*")
    given = parser.parse_args(arguments)
    found = interpreters(given.pythons)
    tools = environment("tools", found[-1].path, "wheels.txt")
    count = 0
    for python in builders(found):
        tag = f"cp{python.version[0]}{python.version[1]}-"
        for plain in given.wheels.resolve().glob(f"cyclotome-*-{tag}*.whl"):
            for wheel in (plain, *plain.parent.glob(f"cyclotome_cuda-*-{tag}*.whl")):
                text = document(python, wheel, tools, plain)
                target = wheel.with_suffix(".cdx.json")
                target.write_text(json.dumps(text, indent=2, sort_keys=True) + "\n", encoding="utf-8")
                print(f"{target.name}: {len(text['components'])} components")
                count += 1
    if count == 0:
        sys.exit(f"there are no wheels in {given.wheels}; make wheels builds them")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
