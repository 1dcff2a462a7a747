# SPDX-License-Identifier: Apache-2.0
"""How much is measured on a device of its own, such as a GPU."""

from __future__ import annotations

from dataclasses import dataclass

from cyclotome.devices.contexts import device_name
from cyclotome.errors import ArgumentError

from cyclotome_bench.machine.timing import cell_seconds
from cyclotome_bench.peers.public_libraries import public_problems
from cyclotome_bench.plans import Plan, make_plan
from cyclotome_bench.sets import scheme_available
from cyclotome_bench.transforms import Transform

__all__ = ["DevicePlan", "make_device_plan"]

#: 30-bit primes in 32-bit words, 50- and 60-bit primes in 64-bit words.
_PRIMES = ((30, 32), (50, 64), (60, 64))


@dataclass(frozen=True)
class DevicePlan(Plan):
    """A `Plan` with batches.

    Attributes:
        batches: ciphertexts in one call; papers' sets are measured with the first only.
        limbs: polynomials in one call of a transform.
        device: where; a full name.
    """

    batches: tuple[int, ...] = (1,)
    limbs: tuple[int, ...] = (1,)
    device: str = "cuda:0"


def make_device_plan(name: str, device: str, seconds: float | None = None) -> DevicePlan:
    """The plan of a name, as `make_plan`.

    Args:
        name: "quick", "standard" (n up to 8192), "full" (everything), "paper-000", "paper-001". The second and
            third hold sets to set beside public libraries too.
        device: as `contexts.device_name` takes it.
        seconds: time for each cell, one half for latency and one for throughput.

    Raises:
        ArgumentError: another name, or a time that is not positive.
        EngineError: an unknown device.
    """
    batches: tuple[int, ...] = (1, 16, 64)
    limbs: tuple[int, ...] = (1, 4, 16, 64, 256, 1024)
    studies: tuple[str, ...] = ()
    if name == "quick":
        degrees, batches, limbs = range(11, 12), (1, 2), (1, 16)
    elif name == "standard":
        degrees, batches, limbs = range(12, 15), (1, 16), (1, 64, 1024)
    elif name == "full":
        degrees, studies = range(11, 18), ("000", "001")
    elif (paper := name.removeprefix("paper-").removesuffix("-quick")) in ("000", "001") and name.startswith("paper-"):
        degrees, batches, limbs, studies = range(11, 17), (1,), (1,), (paper,)
    else:
        raise ArgumentError(f"the plan {name!r} is unknown here; there are quick, standard, full, paper-000, paper-001")
    base = make_plan(name, cell_seconds(seconds, 0.02 if name.endswith("quick") else 0.1), 1)
    schemes = [scheme for scheme in ("bfv", "bgv") if scheme_available(scheme)]
    beside: dict[str, tuple[int, ...]] = {"standard": (4096, 8192), "full": (4096, 8192, 16384, 32768)}
    problems = (*base.problems, *public_problems(schemes, beside.get(name, ())))
    singles = [Transform(1 << i, bits, word) for i in degrees for bits, word in _PRIMES]
    if name.startswith("paper"):
        singles = list(base.transforms)
    elif "001" in studies:  # its Table 6
        singles += [t for t in make_plan("paper-001").transforms if t.bits not in (bits for bits, _ in _PRIMES)]
    return DevicePlan(
        *(name, problems, tuple(singles), 1, base.budget, batches, limbs, device_name(device)), studies=studies
    )
