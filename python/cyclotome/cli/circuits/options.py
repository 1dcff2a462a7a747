# SPDX-License-Identifier: Apache-2.0
"""What ``cyclotome prince`` and ``cyclotome sort`` both take: one definition of every option, and of the parameters
that it leads to."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import cyclotome as cy
from cyclotome.cli.common import with_options
from cyclotome.cli.console import DebugFlag, ForceFlag, InsecureFlag, JsonFlag
from cyclotome.cli.failures import UsageError
from cyclotome.devices.contexts import device_name
from cyclotome.errors import SecurityError

__all__ = ["CircuitOptions", "takes_circuit_options"]


@dataclass(frozen=True)
class CircuitOptions:
    """What was asked for. Each field is an option of the command line."""

    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file; by default results are printed.")] = (
        None
    )
    security: Annotated[
        int, typer.Option("--security", help="Bits; 0 with --allow-insecure: a small ring, for trying out.")
    ] = 128
    degree: Annotated[int | None, typer.Option("--degree", help="n of x^n + 1; by default the smallest that does.")] = (
        None
    )
    cyclotomic: Annotated[
        int | None, typer.Option("--cyclotomic", help="m of Phi_m: many blocks, or lists, at once; 21845 or 65535.")
    ] = None
    scheme: Annotated[
        str, typer.Option("--scheme", help='"bgv" or "bfv"; or "ltv", of paper 002, which is BROKEN.')
    ] = "bgv"
    acknowledge_broken: Annotated[
        bool, typer.Option("--acknowledge-broken", help="Run --scheme ltv although it is broken.")
    ] = False
    ltv: Annotated[str | None, typer.Option("--ltv", help="LTV's primes, m, bits of primes, window.")] = None
    plan: Annotated[bool, typer.Option("--plan", help="Show what it takes, layer by layer, and compute nothing.")] = (
        False
    )
    allow_insecure: InsecureFlag = False
    device: Annotated[
        str,
        typer.Option("--device", help='Where to compute, or several that share the work: "cuda:0,cuda:1".'),
    ] = "cpu"
    force: ForceFlag = False
    json: JsonFlag = False
    debug: DebugFlag = False

    @functools.cached_property
    def devices(self) -> list[str]:
        """Full names; the first makes the keys.

        Raises:
            EngineError: an unknown one.
        """
        return [device_name(name.strip()) for name in self.device.split(",")]

    @property
    def only_device(self) -> str:
        """The one that LTV computes on.

        Raises:
            UsageError: there are several.
        """
        if len(self.devices) > 1:
            raise UsageError(f"--device {self.device}: --scheme ltv computes on one device")
        return self.devices[0]

    @property
    def is_ltv(self) -> bool:
        """Whether the broken scheme was asked for.

        Raises:
            UsageError: an unknown scheme, or a plan, which LTV does not have.
        """
        if self.scheme not in ("bgv", "bfv", "ltv"):
            raise UsageError(f"--scheme {self.scheme}: there are bgv, bfv and ltv")
        if self.scheme == "ltv" and self.plan:
            raise UsageError("--plan is for --scheme bgv and bfv; LTV has estimates of noise only")
        return self.scheme == "ltv"

    def parameters(self, circuit: cy.circuit.Circuit) -> cy.Parameters:
        """Those that carry a circuit.

        Raises:
            SecurityError: below 128 bits without --allow-insecure.
            ParameterError: no ring carries it.
        """
        if self.security < 128 and not self.allow_insecure:
            raise SecurityError(f"--security {self.security} is below 128 bits; --allow-insecure takes it all the same")
        return circuit.parameters(
            scheme=self.scheme, security=self.security, degree=self.degree, cyclotomic=self.cyclotomic
        )


#: For commands that take these as ``how``.
takes_circuit_options = with_options(CircuitOptions, "how")
