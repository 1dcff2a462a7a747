# SPDX-License-Identifier: Apache-2.0
"""What operations are told besides their operands: whom to report to, and what may come out of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from . import _core
from .progress_bars import bars

__all__ = ["Callback", "Options", "allow_undecryptable", "current", "options", "product_method", "progress"]

#: Called as ``callback(done, total, what)`` from the thread that works, with ``0 <= done <= total``: at the beginning,
#: after every step and at the end. What it raises ends the work.
Callback = Callable[[int, int, str], None]


class Options:
    """What holds for the operations of a thread or task; `native` is the same for the library."""

    __slots__ = ("allow_undecryptable", "native", "product_method", "progress")

    def __init__(
        self, progress: Callback | None = None, allow_undecryptable: bool = False, product_method: str = ""
    ) -> None:
        self.progress = progress
        self.allow_undecryptable = allow_undecryptable
        self.product_method = product_method
        self.native = _core.Options(progress, allow_undecryptable, product_method)

    def with_progress(self, callback: Callback | None) -> Options:
        """The same with another callback."""
        return Options(callback, self.allow_undecryptable, self.product_method)

    def with_undecryptable(self, allowed: bool) -> Options:
        """The same, and whether results may be undecryptable."""
        return Options(self.progress, allowed, self.product_method)

    def with_product_method(self, method: str) -> Options:
        """The same with another way to multiply."""
        return Options(self.progress, self.allow_undecryptable, method)


#: Of this thread or task. Operations take ``current.get().native``. Nobody changes one: others take its place.
current: ContextVar[Options] = ContextVar("cyclotome_options", default=Options())  # noqa: B039


@contextmanager
def progress(callback: Callback | Literal["auto"] | None = "auto") -> Iterator[None]:
    """Within this context, long operations of this thread or task report to ``callback(done, total, what)``.

    Without a callback, bars are drawn, in a notebook or a terminal, by tqdm or rich. None silences what an outer
    context set. An operation's own ``progress=`` argument goes before it.

    Raises:
        MissingPackageError: bars are to be drawn, and neither tqdm nor rich is installed.

    Example:
        >>> import cyclotome as cy
        >>> steps = []
        >>> with cy.progress(lambda done, total, what: steps.append((done, total, what))):
        ...     keys = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=8), rotations=[1])
        >>> steps[-1]
        (4, 4, 'generating keys')
    """
    if callback == "auto":
        with bars() as show, progress(show):
            yield
        return
    before = current.get().progress
    current.set(current.get().with_progress(callback))
    try:
        yield
    finally:  # what else was set stays, in whatever order contexts end
        current.set(current.get().with_progress(before))


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
    before = current.get().allow_undecryptable
    current.set(current.get().with_undecryptable(True))
    try:
        yield
    finally:
        current.set(current.get().with_undecryptable(before))


@contextmanager
def product_method(method: str) -> Iterator[None]:
    """Within this context, this thread's or task's products of encrypted arrays are computed by ``method``, one that
    their scheme knows (`cyclotome.bfv.METHODS`); "" for its own choice. Results are the same; noise and time differ.
    """
    before = current.get().product_method
    current.set(current.get().with_product_method(method))
    try:
        yield
    finally:
        current.set(current.get().with_product_method(before))


def options(progress: Callback | None) -> _core.Options:
    """For an operation with an argument ``progress``, which goes before the context's."""
    now = current.get()
    return now.native if progress is None else now.with_progress(progress).native
