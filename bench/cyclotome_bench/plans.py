# SPDX-License-Identifier: Apache-2.0
"""How much is measured."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from cyclotome.errors import ArgumentError

from cyclotome_bench.machine import machine
from cyclotome_bench.machine.timing import Budget, cell_seconds
from cyclotome_bench.sets import Problem, paper_problems, scheme_available, seal_problems, small_problem
from cyclotome_bench.transforms import Transform, transforms

__all__ = ["BATCHED", "Plan", "WholePlan", "make_plan"]

#: What is also measured in batches over all cores, against as many processes of the peer.
BATCHED = ("encrypt", "decrypt", "multiply_relinearize", "rotate")

#: The largest n of a paper's quick plan.
_QUICK_DEGREE = 8192


@dataclass(frozen=True)
class Plan:
    """What to measure and how long.

    Attributes:
        name: "quick", "standard", "full", or "paper-000", "paper-001" and these with "-quick".
        problems: measured on one thread with every chain; on all threads with the comparable chain, unless a paper's.
        transforms: single transforms, one thread.
        threads: how many "all threads" are; 1 leaves that part out.
        budget: for each cell.
        studies: papers whose kernels, laws and the like are measured too.
    """

    name: str
    problems: tuple[Problem, ...]
    transforms: tuple[Transform, ...]
    threads: int
    budget: Budget
    studies: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def quick(self) -> bool:
        """Whether it leaves out a paper's longest sets."""
        return "-quick" in self.name

    def restricted(self, sets: Sequence[str], schemes: Sequence[str]) -> Plan:
        """Only sets and schemes of these names; without any, all. "transforms" and "studies" are sets too, of no
        scheme. "seal-*" stands for all sets whose names begin so.

        Raises:
            ArgumentError: an unknown set, or nothing is left.
        """
        names = sorted({p.name for p in self.problems} | {"transforms"} | ({"studies"} if self.studies else set()))
        unknown = [pattern for pattern in sets if not fnmatch.filter(names, pattern)]
        if unknown:
            raise ArgumentError(f"the plan {self.name!r} has no set {unknown[0]!r}; it has {', '.join(names)}")
        chosen = {name for pattern in sets for name in fnmatch.filter(names, pattern)}
        problems = tuple(
            p for p in self.problems if (not sets or p.name in chosen) and (not schemes or p.scheme in schemes)
        )
        singles = self.transforms if "transforms" in chosen or not (sets or schemes) else ()
        studies = self.studies if "studies" in chosen or not (sets or schemes) else ()
        if not problems and not singles and not studies:
            raise ArgumentError(f"the plan {self.name!r} has nothing of scheme {', '.join(schemes)}")
        name = self.name + (f" ({', '.join((*sets, *schemes))} only)" if sets or schemes else "")
        return replace(self, name=name, problems=problems, transforms=singles, studies=studies)


_Whole = TypeVar("_Whole", bound="WholePlan")


@dataclass(frozen=True)
class WholePlan(Plan):
    """One set that is measured as a whole, by itself; its name is the plan's."""

    def restricted(self: _Whole, sets: Sequence[str], schemes: Sequence[str]) -> _Whole:
        """The plan itself.

        Raises:
            ArgumentError: other sets, or schemes, all of which are measured together.
        """
        if schemes or any(name != self.name for name in sets):
            raise ArgumentError(f"the set {self.name} is measured by itself: --set {self.name}, and no --scheme")
        return self


def make_plan(name: str, seconds: float | None = None, threads: int | None = None) -> Plan:
    """The plan of a name.

    Args:
        name: "quick" (tiny sets, seconds), "standard" (n up to 8192), "full" (everything), "paper-000", "paper-001",
            and "paper-000-quick", "paper-001-quick": sets with n up to 8192.
        seconds: time for each cell of the alternation; None for what suits the plan.
        threads: threads of the second half; None for all cores.

    Raises:
        ArgumentError: another name, or times and threads that are not positive.
    """
    seconds = cell_seconds(seconds, 0.02 if name.endswith("quick") else 0.3)
    if threads is not None and threads < 1:
        raise ArgumentError(f"{threads} threads: take 1 or more")
    schemes = [scheme for scheme in ("bfv", "bgv") if scheme_available(scheme)]
    problems: list[Problem]
    singles: list[Transform] = []
    studies: tuple[str, ...] = ()
    if name == "quick":
        problems = [small_problem(scheme) for scheme in schemes] + [small_problem("bfv", slots=False)]
        singles = transforms(range(11, 12))
    elif name == "standard":
        problems, singles = seal_problems(schemes, [4096, 8192]), transforms(range(12, 15))
    elif name == "full":
        problems = [*seal_problems(schemes, [4096, 8192, 16384, 32768]), *paper_problems("000"), *paper_problems("001")]
        singles = transforms(range(11, 18))
    elif (paper := name.removeprefix("paper-").removesuffix("-quick")) in ("000", "001") and name.startswith("paper-"):
        problems, studies = paper_problems(paper), (paper,)
        if name.endswith("-quick"):
            problems = [p for p in problems if p.degree <= _QUICK_DEGREE]
        if paper == "001":  # Table 6
            singles = [Transform(1 << i, bits, word) for i in range(11, 17) for bits, word in ((30, 32), (55, 64))]
        threads = 1
    else:
        raise ArgumentError(f"the plan {name!r} is unknown; there are quick, standard, full, paper-000 and paper-001")
    budget = Budget(seconds=seconds, fewest=2 if name.endswith("quick") else 3)
    return Plan(name, tuple(problems), tuple(singles), threads or machine.cores(), budget, studies=studies)
