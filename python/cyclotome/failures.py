# SPDX-License-Identifier: Apache-2.0
"""What each kind of error is outside of Python: the exit code of a command, and the status of an HTTP answer."""

from __future__ import annotations

from typing import NamedTuple

from . import errors

__all__ = [
    "BAD_FILE",
    "BAD_KEY",
    "BAD_PARAMETERS",
    "OTHER",
    "OUTCOMES",
    "OUT_OF_RANGE",
    "USAGE",
    "Outcome",
    "exit_code",
    "http_status",
]

OTHER, USAGE, BAD_FILE, BAD_PARAMETERS, BAD_KEY, OUT_OF_RANGE = 1, 2, 3, 4, 5, 6


class Outcome(NamedTuple):
    """How an error ends a command, and a request."""

    kind: type[Exception]
    exit_code: int
    #: 4xx: what was sent is at fault, and will be refused again; 5xx: the server is, or has too much to do.
    http_status: int


#: The first class that fits decides.
OUTCOMES: tuple[Outcome, ...] = (
    Outcome(errors.SecrecyError, OTHER, 400),
    Outcome(errors.UnsupportedError, USAGE, 422),
    Outcome(errors.ArgumentError, USAGE, 422),
    Outcome(errors.UnauthorizedError, BAD_KEY, 401),
    Outcome(errors.ServiceError, BAD_FILE, 502),
    Outcome(errors.FileError, BAD_FILE, 507),
    Outcome(errors.ContradictionError, BAD_FILE, 400),
    Outcome(errors.FormatError, BAD_FILE, 400),
    Outcome(errors.ParameterError, BAD_PARAMETERS, 422),
    Outcome(errors.MismatchError, BAD_KEY, 409),
    Outcome(errors.RepeatedAnswerError, BAD_KEY, 409),
    Outcome(errors.BlameError, BAD_FILE, 400),
    Outcome(errors.UnknownKeysError, BAD_KEY, 404),
    Outcome(errors.MissingKeyError, BAD_KEY, 409),
    Outcome(errors.BudgetError, BAD_KEY, 429),
    Outcome(errors.TransparentError, BAD_KEY, 409),  # the public key is what is missing
    Outcome(errors.NoiseError, OUT_OF_RANGE, 422),
    Outcome(errors.RangeError, OUT_OF_RANGE, 422),
    Outcome(errors.TimeLimitError, OTHER, 504),
    Outcome(errors.QuotaError, OTHER, 413),
    Outcome(errors.BusyError, OTHER, 503),
    Outcome(errors.MemoryLimitError, OTHER, 503),
    Outcome(errors.FunctionError, OTHER, 500),
)


def exit_code(error: BaseException) -> int:
    """The exit code of an error; 1 for those without one of their own."""
    return next((each.exit_code for each in OUTCOMES if isinstance(error, each.kind)), OTHER)


def http_status(error: BaseException) -> int:
    """The HTTP status of an error; 500 for those without one of their own."""
    return next((each.http_status for each in OUTCOMES if isinstance(error, each.kind)), 500)
