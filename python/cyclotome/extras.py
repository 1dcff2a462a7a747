# SPDX-License-Identifier: Apache-2.0
"""Packages beside this one, in distributions of their own: what they bring, and how they are found.

None of them is imported before what it brings is asked for; all of them import this package freely.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from types import ModuleType

from .errors import MissingPackageError

__all__ = ["BENCH", "DEMO", "EXTRAS", "FPGA", "RAY", "SEAL", "SERVE", "STUDY", "Extra", "Needs"]


@dataclass(frozen=True)
class Extra:
    """One of them."""

    #: The extra of this distribution that installs it.
    name: str
    #: What is imported.
    package: str
    #: What it brings, for messages.
    brings: str
    #: Folders of a checkout to install it from.
    folders: str

    @property
    def installed(self) -> bool:
        """Whether there is such a package."""
        return importlib.util.find_spec(self.package) is not None

    @property
    def advice(self) -> str:
        """How to install it; no index has it."""
        return (
            f"pip install '.[{self.name}]' {self.folders} in a checkout, or, with the wheels of `make wheels`, "
            f"pip install --find-links dist 'cyclotome[{self.name}]'"
        )

    def load(self, module: str) -> ModuleType:
        """One of its modules, imported now.

        Raises:
            MissingPackageError: it is not installed; the message says how to.
        """
        if not self.installed:
            raise MissingPackageError(f"{self.brings} is not installed: {self.advice}")
        return importlib.import_module(f"{self.package}.{module}")


BENCH = Extra("bench", "cyclotome_bench", "the benchmark", "./bench ./study")
DEMO = Extra("demo", "cyclotome_demo", "the main job on real data", "./demo")
FPGA = Extra("fpga", "cyclotome_hdl", "the generator of circuits", "./hdl ./study")
STUDY = Extra("study", "cyclotome_study", "the comparison of products of polynomials", "./study")

EXTRAS = (BENCH, DEMO, FPGA, STUDY)


@dataclass(frozen=True)
class Needs:
    """Packages of others that a part of this library needs."""

    #: The extra of this distribution that installs them.
    name: str
    #: What is imported.
    packages: tuple[str, ...]
    #: What it brings, for messages.
    brings: str

    @property
    def missing(self) -> list[str]:
        """Those that are not installed."""
        return [package for package in self.packages if importlib.util.find_spec(package) is None]

    def require(self) -> None:
        """Raises MissingPackageError where one of them is not installed; the message says how to."""
        if missing := self.missing:
            raise MissingPackageError(
                f"{self.brings} needs {', '.join(missing)} (extra {self.name}): pip install {' '.join(missing)}"
            )


SERVE = Needs("serve", ("fastapi", "uvicorn", "httpx", "prometheus_client"), "the service over HTTP, and its client,")
RAY = Needs("ray", ("ray",), 'map(..., engine="ray")')
SEAL = Needs("seal", ("zstandard",), "reading or writing what zstd compressed")
