# SPDX-License-Identifier: Apache-2.0
"""What parameters are made of and planned from, to be filled in one field after the other; the rest is the library's
default."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from cyclotome import _core


@dataclass
class ParametersLiteral:
    """The arguments of `_core.Parameters`."""

    scheme: str = "bfv"
    degree: int = 0
    plain_moduli: list[int] = field(default_factory=list)
    moduli: list[int] = field(default_factory=list)
    special_moduli: list[int] = field(default_factory=list)
    digits: int = 0
    word: int = 64
    security: int = 128
    table: str = field(default_factory=_core.default_security_table)
    allow_insecure: bool = False
    strict: bool = False
    name: str = ""
    cyclotomic: int = 0

    @classmethod
    def of(cls, parameters: Any) -> ParametersLiteral:
        """What would make the same parameters."""
        return cls(**{each.name: getattr(parameters, each.name) for each in fields(cls)})

    def made(self) -> Any:
        return _core.Parameters(**asdict(self))

    def with_modulus_bits(self, bits: int) -> Any:
        """The library chooses primes and digits, whatever stands here."""
        chosen = {"moduli", "special_moduli", "digits"}
        given = {name: value for name, value in asdict(self).items() if name not in chosen}
        return _core.with_modulus_bits(modulus_bits=bits, **given)


@dataclass
class Intent:
    """The arguments of `_core.suggest`."""

    depth: int = 1
    value_bits: int = 16
    result_bits: int = 0
    terms: int = 1 << 14
    plain_products: int = 1
    security: int = 128
    table: str = field(default_factory=_core.default_security_table)
    word: int | None = None
    min_degree: int = 0
    slots: bool = True
    scheme: str = "bfv"
    flooding_bits: int = 0
    strict: bool = False

    def suggested(self) -> Any:
        return _core.suggest(**asdict(self))
