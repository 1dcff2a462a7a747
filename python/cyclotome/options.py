# SPDX-License-Identifier: Apache-2.0
"""What operations on encrypted arrays are told besides their operands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from . import _core
from .reporting import Callback, current_callback

__all__ = ["allow_undecryptable", "options"]

_allowed: ContextVar[bool] = ContextVar("cyclotome_allow_undecryptable", default=False)


@contextmanager
def allow_undecryptable() -> Iterator[None]:
    """Within this context, operations of this thread or task give results that could not be decrypted, too, and such
    arrays can be stored. Otherwise they raise `NoiseError` at once, at whoever computes: for measurements, where the
    noise itself is the result.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=2))
        >>> x = cy.encrypt([1, 0], public, bound=1)
        >>> with cy.allow_undecryptable():
        ...     while x.noise_headroom >= 0:
        ...         x = x * x
        >>> x.noise_headroom < 0  # `decrypt` raises NoiseError
        True
    """
    token = _allowed.set(True)
    try:
        yield
    finally:
        _allowed.reset(token)


def options(progress: Callback | None = None) -> _core.Options:
    """For the library's operations: the callback given, or else that of `progress`, and `allow_undecryptable`."""
    return _core.Options(current_callback() if progress is None else progress, _allowed.get())
