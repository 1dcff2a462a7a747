# SPDX-License-Identifier: Apache-2.0
"""Compare two builds of ``test/timing/operations``: the bits of every result, and times in interleaved pairs.

Usage: ``python tools/compare_builds.py OLD NEW [--operations GLOB ...] [--rounds N] [--limit PERCENT]``. Both programs
run at once, one operation at a time, now the one first and now the other; what is compared is the median of the
differences of the thread's CPU time, so that a machine that others use does not matter much. Where the system puts a
process's memory moves some operations by several percent, for as long as the process lives: an operation over the limit
is measured again in new pairs of processes, and the median over the pairs decides. Exits with 1 if a result differs, or
if an operation is slower by more than the limit.
"""

from __future__ import annotations

import argparse
import fnmatch
import statistics
import subprocess
import sys


class Served:
    """One program that runs operations by name."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen([program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def microseconds(self, operation: str) -> float:
        """Thread CPU time of one call of ``operation``."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(operation + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """Ends the program."""
        self._process.communicate()


def lines(program: str, mode: str) -> dict[str, str]:
    """What a program prints for each operation in ``mode``."""
    output = subprocess.run([program, mode], check=True, capture_output=True, text=True).stdout
    return {name: value for name, _, value in (line.partition(" ") for line in output.splitlines())}


#: Pairs of processes that decide on an operation which the first pair found too slow, the first among them.
STARTS = 5


def paired(old: Served, new: Served, operation: str, rounds: int) -> tuple[float, float, float]:
    """Medians of the old time, the new time and their difference, in microseconds."""
    before, after = [], []
    for turn in range(rounds):
        if turn % 2 == 0:
            before.append(old.microseconds(operation))
            after.append(new.microseconds(operation))
        else:
            after.append(new.microseconds(operation))
            before.append(old.microseconds(operation))
    difference = statistics.median(b - a for a, b in zip(before, after, strict=True))
    return statistics.median(before), statistics.median(after), difference


def over_starts(programs: tuple[str, str], operation: str, rounds: int, first: float) -> float:
    """Median of what an operation got slower by, in percent: ``first``, and what further pairs of processes find."""
    found = [first]
    for _ in range(STARTS - 1):
        old, new = (Served(program) for program in programs)
        before, _, difference = paired(old, new, operation, rounds)
        found.append(100 * difference / before)
        old.close()
        new.close()
    print(f"{operation:36} over {STARTS} starts: {', '.join(f'{percent:+.2f}' for percent in found)} %", flush=True)
    return statistics.median(found)


def main(arguments: list[str]) -> int:
    """Compare the programs that ``arguments`` name; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--operations", nargs="+", default=["*-4096/*"], help="names as the programs list them")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--limit", type=float, help="percent that an operation may be slower by")
    parser.add_argument("--digests", action="store_true", help="compare every result's bits first")
    options = parser.parse_args(arguments)
    failures = 0
    if options.digests:
        old_digests, new_digests = lines(options.old, "digests"), lines(options.new, "digests")
        for name in sorted(old_digests.keys() | new_digests.keys()):
            if old_digests.get(name) != new_digests.get(name):
                print(f"{name}: results differ")
                failures += 1
        print(f"{len(new_digests)} results compared, {failures} differ")
    names = sorted(lines(options.new, "list"))
    chosen = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in options.operations)]
    old, new = Served(options.old), Served(options.new)
    for name in chosen if options.rounds else []:
        before, after, difference = paired(old, new, name, options.rounds)
        percent = 100 * difference / before
        print(
            f"{name:36} {before:10.1f} -> {after:10.1f} us, paired {difference:+9.1f} us ({percent:+.2f} %)", flush=True
        )
        if options.limit is not None and percent > options.limit:
            median = over_starts((options.old, options.new), name, options.rounds, percent)
            if median > options.limit:
                print(f"{name}: {median:+.2f} % is over the limit of {options.limit:g} %")
                failures += 1
    old.close()
    new.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
