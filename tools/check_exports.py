# SPDX-License-Identifier: Apache-2.0
"""Refuse names that the shared library should not export, and miss those that it must.

Usage: ``python tools/check_exports.py LIBRARY``. Reads the library's dynamic symbols with ``nm``; prints one line per
offence and exits with 1 when there is one.
"""

from __future__ import annotations

import re
import subprocess
import sys

#: What only the library itself calls: kernels, pools and circuits' plumbing, studies; and other libraries' names.
INTERNAL = re.compile(r"cyclotome::(?:cpu::(?!instruction_sets|name_of)|fpga::|study::(?:fermat|ltv)::)")
OWN = re.compile(
    r"(?:(?:typeinfo(?: name)?|vtable|VTT|guard variable|TLS \w+ function) for |.*thunk to )?(cyclotome::.*"
    r"|cyclotome_\w+)"
)

#: Some that every program needs: functions, a member, what exceptions are known by, one copy of what is inline.
NEEDED = (
    "cyclotome::make_cpu_engine(",
    "cyclotome_keygen",
    "cyclotome::value::keygen(",
    "cyclotome::value::EncryptedArray::noise_headroom(",
    "cyclotome::io::StoredObject::load(",
    "cyclotome::InterruptState::scope",
    "typeinfo for cyclotome::RangeError",
    "vtable for cyclotome::rlwe::Context",
)


def offences(names: list[str]) -> list[str]:
    """What is wrong with a library that exports these names."""
    found = []
    for name in names:
        own = OWN.match(name)
        if own is None:
            found.append(f"exports {name}, which is not its own")
        elif INTERNAL.match(own[1]):
            found.append(f"exports {name}, which is internal")
    found += [f"does not export {need}" for need in NEEDED if not any(name.startswith(need) for name in names)]
    return found


def main(arguments: list[str]) -> int:
    """Check the library at ``arguments[0]``; return the exit status."""
    listed = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--demangle", "--format=posix", arguments[0]],
        check=True,
        capture_output=True,
        text=True,
    )
    names = [re.sub(r" [A-Za-z] [0-9a-f]+(?: [0-9a-f]+)?\s*$", "", line) for line in listed.stdout.splitlines()]
    found = offences(names)
    for offence in found:
        print(offence)
    print(f"exports: {len(names)} names, {len(found)} offence{'' if len(found) == 1 else 's'}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
