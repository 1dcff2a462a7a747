# SPDX-License-Identifier: Apache-2.0
"""What operations are told besides their operands: whom to report to, and what may come out of them.

An option holds for what runs within its ``with``. Python's context variables are not enough for that: a generator
shares its caller's context, so that what it sets would hold for its caller whenever it is suspended. So a setting knows
the generator that it was made in, if any, and holds only while that one runs; and one that has ended holds nowhere,
though tasks and threads may have copied the context that it was in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any, Literal, TypeVar

from . import _core
from .errors import ArgumentError
from .progress_bars import bars

__all__ = [
    "Callback",
    "Options",
    "allow_undecryptable",
    "bootstrap",
    "current",
    "options",
    "product_method",
    "progress",
    "relinearize_at_once",
]

_T = TypeVar("_T")

#: Called as ``callback(done, total, what)`` from the thread that works, with ``0 <= done <= total``: at the beginning,
#: after every step and at the end. What it raises ends the work.
Callback = Callable[[int, int, str], None]


class Options:
    """What holds for the operations of a thread or task; `native` is the same for the library. Nobody changes one."""

    __slots__ = (
        "allow_undecryptable",
        "native",
        "product_method",
        "progress",
        "refresh_operands",
        "relinearize_products",
    )

    def __init__(
        self,
        progress: Callback | None = None,
        allow_undecryptable: bool = False,
        product_method: str = "",
        relinearize_products: bool = False,
        refresh_operands: bool = False,
    ) -> None:
        self.progress = progress
        self.allow_undecryptable = allow_undecryptable
        self.product_method = product_method
        self.relinearize_products = relinearize_products
        self.refresh_operands = refresh_operands
        self.native = _core.Options(
            progress, allow_undecryptable, product_method, relinearize_products, refresh_operands
        )

    def with_progress(self, callback: Callback | None) -> Options:
        """The same with another callback."""
        return Options(
            callback,
            self.allow_undecryptable,
            self.product_method,
            self.relinearize_products,
            self.refresh_operands,
        )


_UNTOLD = Options()


class _Setting:
    """One option, from the beginning of its ``with`` to the end."""

    __slots__ = ("ended", "field", "generator", "value")

    def __init__(self, field: str, value: object, generator: FrameType | None) -> None:
        self.field, self.value, self.generator = field, value, generator
        self.ended = False

    @property
    def holds(self) -> bool:
        """Whether what asks runs within it."""
        return not self.ended and (self.generator is None or _is_running(self.generator))


#: Of this thread or task, the innermost last.
_settings: ContextVar[tuple[_Setting, ...]] = ContextVar("cyclotome_options", default=())


class _Current:
    """The options of whoever asks."""

    def get(self) -> Options:
        """Those that hold here and now."""
        settings = _settings.get()
        if not settings:
            return _UNTOLD
        told: dict[str, Any] = {each.field: each.value for each in settings if each.holds}
        return Options(**told) if told else _UNTOLD

    def carried(self, work: Callable[[], _T]) -> Callable[[], _T]:
        """``work`` with what holds here and now, for a thread that does it for this one, in a context of its own: there
        are none of this one's generators on its stack."""
        held = tuple(_Setting(each.field, each.value, None) for each in _settings.get() if each.holds)

        def told() -> _T:
            _settings.set(held)
            return work()

        return told


#: Operations take ``current.get().native``.
current = _Current()


def _is_running(generator: FrameType) -> bool:
    """Whether it is among the callers: not suspended, and not ended."""
    frame = inspect.currentframe()
    while frame is not None and frame is not generator:
        frame = frame.f_back
    return frame is not None


def _generator_of(frame: FrameType | None) -> FrameType | None:
    """The generator whose code asks, as far as it is one that its caller runs on while it is suspended. Those of
    `contextlib.contextmanager` are run by a ``with``: what they set is their user's. Coroutines have contexts of their
    own, as their tasks do."""
    while frame is not None:
        driver = frame.f_back
        if frame.f_globals.get("__name__") == "contextlib":
            frame = driver
        elif not frame.f_code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
            return None
        elif driver is None or driver.f_globals.get("__name__") != "contextlib":
            return frame
        else:
            frame = driver
    return None


@contextmanager
def _told(field: str, value: object) -> Iterator[None]:
    setting = _Setting(field, value, _generator_of(inspect.currentframe()))
    _settings.set((*_settings.get(), setting))
    try:
        yield
    finally:  # what else was set stays, in whatever order contexts end
        setting.ended, setting.generator = True, None
        _settings.set(tuple(each for each in _settings.get() if not each.ended))


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
    with _told("progress", callback):
        yield


def allow_undecryptable() -> AbstractContextManager[None]:
    """Within this context, operations of this thread or task give results that could not be decrypted, too, and such
    arrays can be stored. Otherwise they raise `NoiseError` at once, at whoever computes: for measurements, where the
    noise itself is the result.

    It ends with its ``with``, for tasks that were begun within it too. Within a generator it holds for the generator's
    own operations, and not for those of whoever it yields to (as with `progress`): a fixture of pytest that yields
    within it does nothing for the test, which says it itself; functions of `contextlib.contextmanager` pass it on.

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
    return _told("allow_undecryptable", True)


def product_method(method: str) -> AbstractContextManager[None]:
    """Within this context, this thread's or task's products of encrypted arrays are computed by ``method``, one that
    their scheme knows (`cyclotome.bfv.METHODS`); "" for its own choice. Results are the same; noise and time differ.
    """
    return _told("product_method", method)


def relinearize_at_once() -> AbstractContextManager[None]:
    """Within this context, this thread's or task's products ``x * y`` of encrypted arrays are relinearised at once.

    Otherwise a product keeps three parts until something else than a sum wants two, so that a sum of products takes one
    relinearisation. Values are the same either way; bits, noise and time of sums of products are not. It saves memory
    where many products are kept and each is used by itself: one that waited holds both forms, two and a half times as
    much.

    Example:
        >>> import cyclotome as cy
        >>> params = cy.Parameters.suggest(depth=1, value_bits=7)
        >>> def compute(x, y):
        ...     return (x * y).sum(0)
        >>> def at_once(x, y):
        ...     with cy.relinearize_at_once():
        ...         return compute(x, y)
        >>> plans = [cy.plan(f, params, [cy.Operand((16, 64), bound=7)] * 2) for f in (compute, at_once)]
        >>> plans[1].relinearizations == 16 * plans[0].relinearizations
        True
    """
    return _told("relinearize_products", True)


def bootstrap(when: Literal["auto", "never"] = "auto") -> AbstractContextManager[None]:
    """Within this context, operations of this thread or task refresh their operands by themselves
    (`EncryptedArray.refreshed`), so that no computation ends for noise. EXPERIMENTAL, as refreshing is.

    An operation whose result could not be refreshed any more refreshes first those of its operands that are out of
    room: as late as possible, as bounds say, so that `plan` of the same computation within this context refreshes at
    the same places. What was refreshed is kept by the array, and serves its other uses within this context: nothing is
    refreshed twice. Functions of deep polynomials (`polyval`, comparisons, sorting) also refresh on their way.
    Progress shows "refreshing for multiply", and what else there is.

    Args:
        when: "auto"; "never", the usual, within another context.

    Raises:
        ArgumentError: another word.

    Within it operations raise `MissingKeyError` where a result would not decrypt and there are no keys of
    ``keygen(..., bootstrap=True)``, `UnsupportedError` for parameters that can't be refreshed, and `NoiseError` for
    operands that came too late, made outside of it.

    Example:
        >>> import cyclotome as cy
        >>> params = cy.Parameters.bootstrappable(256, allow_insecure=True)  # a test size
        >>> secret, public, _ = cy.keygen(params, bootstrap=True, rotations=[])
        >>> x = cy.encrypt([2, 3], public, wrap=True)
        >>> with cy.bootstrap("auto"):
        ...     for _ in range(20):
        ...         x = x * x
        >>> bool((cy.decrypt(x, secret) % 65537 == [pow(v, 2**20, 65537) for v in (2, 3)]).all())
        True
    """
    if when not in ("auto", "never"):
        raise ArgumentError(f'bootstrap: {when!r}; it is "auto" or "never"')
    return _told("refresh_operands", when == "auto")


def options(progress: Callback | None) -> _core.Options:
    """For an operation with an argument ``progress``, which goes before the context's."""
    now = current.get()
    return now.native if progress is None else now.with_progress(progress).native
