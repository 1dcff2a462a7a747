# SPDX-License-Identifier: Apache-2.0
"""Logs as one JSON object a line. They say who asked for what and how it ended: never what was sent."""

from __future__ import annotations

import json
import logging
import logging.config
import time
from typing import Any

__all__ = ["LOGGER", "configure", "event"]

LOGGER = logging.getLogger("cyclotome.service")

#: What an event may say. Others are left out, so that no caller logs bytes by mistake.
_FIELDS = frozenset(
    {"address", "bytes_in", "bytes_out", "client", "error", "function", "functions", "keys", "method", "path", "pids"}
    | {"planned_seconds", "replaced", "request_id", "seconds", "status", "version", "workers"}
)
_LONGEST = 200


class _Lines(logging.Formatter):
    """One line for each record."""

    def format(self, record: logging.LogRecord) -> str:
        """As the base class."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {"time": f"{stamp}.{int(record.msecs):03}Z", "level": record.levelname.lower()}
        line["logger"], line["event"] = record.name, record.getMessage()[:_LONGEST]
        line |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__  # not its message, which may quote what was sent
        return json.dumps(line, default=str)


def configure(level: str = "INFO") -> None:
    """Sends the service's and uvicorn's logs to standard error. Those of requests are the service's own."""
    lines = {"()": f"{__name__}._Lines"}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"lines": lines},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
            "loggers": {
                LOGGER.name: {"handlers": ["stderr"], "level": level, "propagate": False},
                "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
            },
        }
    )


def event(name: str, level: int = logging.INFO, **fields: Any) -> None:
    """Logs what happened. Texts are cut, and fields that are none are left out."""
    told = {key: _told(value) for key, value in fields.items() if key in _FIELDS and value is not None}
    LOGGER.log(level, name, extra={"fields": told})


def _told(value: Any) -> Any:
    if isinstance(value, str):
        return value[:_LONGEST]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"{len(value)} bytes"
    return round(value, 6) if isinstance(value, float) else value
