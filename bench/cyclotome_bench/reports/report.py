# SPDX-License-Identifier: Apache-2.0
"""A report: facts about the machine and a list of records; what `bench/results/<machine>.json` holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cyclotome.errors import FileError, FormatError, MismatchError
from cyclotome.whole_files import write_whole

from cyclotome_bench.kinds import kind_of_old
from cyclotome_bench.machine import machine
from cyclotome_bench.reports.cells import sides_of, why_no_ratio

__all__ = ["KEY", "REQUIRED", "Record", "Report", "key_fields", "key_of"]

#: One measured cell: numbers, names and nothing nested.
Record = dict[str, Any]

#: The fields by which a record is found again.
KEY = ("set", "scheme", "chain", "operation", "degree", "word", "log_q", "threads", "batch", "engine")
#: The fields that every record has; those of the peer are None where there was none, and "kind" is a `kinds.Kind`.
REQUIRED = (*KEY, "median_us", "min_us", "max_us", "samples", "peer", "peer_median_us", "ratio", "kind")

#: 2: every record says of what kind its times are. Files of 1 are read, and their records told by what measured then.
_SCHEMA = 2


@dataclass
class Report:
    """Facts (`machine.facts`), the plan's name, whether it was measured to its end, and the records."""

    plan: str
    facts: dict[str, Any]
    records: list[Record] = field(default_factory=list)
    complete: bool = False

    def keys(self) -> set[tuple[Any, ...]]:
        """The cells measured so far."""
        return {key_of(record) for record in self.records}

    def as_dict(self) -> dict[str, Any]:
        """As it is written: the fields of `facts` stand at the top."""
        head = {"schema": _SCHEMA, "plan": self.plan, "complete": self.complete}
        return {**head, **self.facts, "records": self.records}

    def save(self, path: Path) -> None:
        """Writes the file completely or not at all. Raises FileError."""
        self.facts["load"]["after"] = machine.load()
        lines = ",\n".join("    " + json.dumps(record) for record in self.records)
        head = json.dumps({**self.as_dict(), "records": []}, indent=2)
        text = head.replace('"records": []', f'"records": [\n{lines}\n  ]' if lines else '"records": []')
        write_whole(path, (text + "\n").encode())

    @classmethod
    def load(cls, path: Path) -> Report:
        """Reads a file that `save` wrote. Raises FileError, or FormatError for anything else."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise FileError(f"{path} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise FormatError(f"{path} is not JSON: {error}") from None
        if not isinstance(data, dict) or data.get("schema") not in (1, _SCHEMA):
            raise FormatError(f"{path} is not a report of `cyclotome bench` (schema 1 or {_SCHEMA})")
        if not isinstance(data.get("records"), list):
            raise FormatError(f"{path}: a report without records")
        records = data.pop("records")
        wanted = REQUIRED if data["schema"] == _SCHEMA else REQUIRED[:-1]
        missing = sorted({name for record in records for name in wanted if name not in record})
        if missing:
            raise FormatError(f"{path}: records lack {', '.join(missing)}")
        if data.pop("schema") == 1:
            _completed(data, records)
        return cls(data.pop("plan"), data, records, bool(data.pop("complete")))

    def require_same_build(self, facts: dict[str, Any]) -> None:
        """Raises MismatchError unless records of both belong into one report: machine, commit, versions, peer."""
        for name in ("machine", "commit", "versions", "compiler", "peer", "instruction_set"):
            if self.facts.get(name) != facts[name]:
                raise MismatchError(
                    f"the report to be continued has {name} {self.facts.get(name)!r}, this run has {facts[name]!r}; "
                    "start a new one"
                )


def _completed(data: dict[str, Any], records: list[Record]) -> None:
    """What files of schema 1 did not say, or said too well, made good: kinds, ratios, what the load means."""
    for record in records:
        record["kind"] = str(kind_of_old(record, data, str(data.get("plan"))))
        if "throughput_us" in record:
            record.setdefault("us_each", record["throughput_us"] / record["batch"])
        reason = None if record["ratio"] is None else why_no_ratio(*sides_of(record))
        if reason is not None:
            record |= {"ratio": None, "no_ratio": reason}
            record.pop("min_ratio", None)
    load = data.get("load")
    if isinstance(load, dict):
        load["note"] = machine.load_note(load.get("before"), data.get("threads"))


def key_fields(
    name: str,
    scheme: str | None,
    operation: str,
    degree: int,
    word: int,
    log_q: float,
    *,
    chain: str = "",
    engine: str = "cpu",
    threads: int = 1,
    batch: int = 1,
) -> Record:
    """A record of the set of this name that holds no more than `KEY`."""
    values = (name, scheme, chain, operation, degree, word, log_q, threads, batch, engine)
    return dict(zip(KEY, values, strict=True))


def key_of(record: Record) -> tuple[Any, ...]:
    """What tells a record from all others of a report."""
    return tuple(record[name] for name in KEY)
