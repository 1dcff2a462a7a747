# SPDX-License-Identifier: Apache-2.0
"""Computations on an engine that only keeps account, of arguments that are known as far as they are public.

Arrays there have shapes, bounds, levels and noise like any others, and the same code decides about them, so that
whatever is refused with real ciphertexts is refused here, and nothing else.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..arrays.array import EncryptedArray, as_sent
from ..arrays.encryption import encrypt_shape
from ..devices.contexts import ACCOUNT, Context, engine_on
from ..errors import ArgumentError, MismatchError, MissingKeyError
from ..functions.digits import EncryptedDigits, encrypt_digits_shape
from ..keys.kinds import EvaluationKeys, PublicKey
from ..numbers.values import interval_of
from ..parameters.parameters import Parameters
from ..reals.array import RealArray
from ..reals.values import number
from ..text import plural

__all__ = ["DryRun", "Operand", "arrays_in", "results_of"]


@dataclass(frozen=True)
class Operand:
    """An encrypted argument of a computation, as far as it is public: what `encrypt` would be told.

    With ``digits`` and ``base`` it stands for `encrypt_digits`. Under parameters for real numbers it has a shape and a
    bound on magnitudes.
    """

    shape: tuple[int, ...] = ()
    bound: float | tuple[int, int] | None = None
    l1_bound: int | None = None
    wrap: bool = False
    layout: str = "packed"
    encoding: str | None = None
    digits: int | None = None
    base: int | None = None

    def encrypted(self, key: PublicKey) -> EncryptedArray | EncryptedDigits | RealArray:
        """What stands in its place: nothing of integers grows with the number of its values but one entry for each
        ciphertext."""
        reals = key.parameters.holds_reals
        if self.bound is not None and not reals:
            if isinstance(self.bound, float):
                raise ArgumentError(f"{self!r}: bound {self.bound!r} is no whole number, and bounds of integers are")
            interval_of("plan", self.bound)
        try:
            shape = np.empty(self.shape, dtype="V0").shape  # of values that take no memory
            np.broadcast_to(np.int64(0), shape)  # and can be counted
        except (TypeError, ValueError, MemoryError) as error:
            raise ArgumentError(f"{self!r}: {self.shape!r} is no shape of an array ({error})") from None
        if reals:
            return RealArray.encrypt(np.zeros(shape), key, bound=self.magnitude())
        if self.digits is not None or self.base is not None:
            if self.digits is None or self.base is None:
                raise ArgumentError(f"{self!r}: digits and base go together, as encrypt_digits takes them")
            if self.wrap or any(each is not None for each in (self.bound, self.l1_bound, self.encoding)):
                raise ArgumentError(f"{self!r}: numbers of digits have no other bound or encoding; leave those out")
            return encrypt_digits_shape(shape, key, base=self.base, digits=self.digits, layout=self.layout)
        return encrypt_shape(
            shape,
            key,
            bound=None if self.bound is None else interval_of("plan", self.bound),
            l1_bound=self.l1_bound,
            wrap=self.wrap,
            layout=self.layout,
            encoding=self.encoding,
        )

    def magnitude(self) -> float | None:
        """The bound of real numbers.

        Raises:
            ArgumentError: something that is said of integers alone.
        """
        if isinstance(self.bound, tuple) or (
            self.l1_bound,
            self.wrap,
            self.layout,
            self.encoding,
            self.digits,
            self.base,
        ) != (None, False, "packed", None, None, None):
            raise ArgumentError(f"{self!r}: of real numbers a shape and a bound on magnitudes are stated, nothing else")
        return None if self.bound is None else number(self.bound, f"{self!r}: a bound")


def arrays_in(results: object) -> Iterator[Any]:
    """The encrypted arrays, of integers or of reals, among what a computation returned."""
    if isinstance(results, (EncryptedArray, RealArray)):
        yield results
    elif isinstance(results, EncryptedDigits):
        yield results.digits
    elif isinstance(results, Mapping):
        for each in results.values():
            yield from arrays_in(each)
    elif isinstance(results, Sequence) and not isinstance(results, (str, bytes)):
        for each in results:
            yield from arrays_in(each)
    else:
        raise ArgumentError(
            f"plan: compute returned {type(results).__name__}; it returns encrypted arrays, alone or in lists and dicts"
        )


def results_of(compute: Callable[..., object], arguments: Sequence[Any]) -> list[Any]:
    """The encrypted arrays that a computation returns. Raises what it does.

    Raises:
        ArgumentError: it is no function, does not take so many arguments, takes other encrypted arrays than these, or
            returns something else or nothing.
    """
    if not callable(compute):
        raise ArgumentError(f"plan: compute is a function of encrypted arrays, not {type(compute).__name__}")
    try:
        inspect.signature(compute).bind(*arguments)
    except TypeError as error:
        raise ArgumentError(f"plan: compute of {plural(len(arguments), 'input')}: {error}") from None
    except ValueError:  # of functions that don't tell
        pass
    try:
        results = list(arrays_in(compute(*arguments)))
    except MismatchError as error:
        if ACCOUNT not in str(error):
            raise
        raise ArgumentError(
            "plan: compute takes an encrypted array that is none of its inputs; only inputs lie where it is planned: "
            "make it one of them"
        ) from None
    if not results:
        raise ArgumentError("plan: compute returned no encrypted array; it returns at least one")
    return [as_sent(x) if isinstance(x, EncryptedArray) else x for x in results]


#: What errors about missing keys say that keygen should make.
_ASKED = re.compile(r"galois_elements=\[(\d+)\]")
_MOST_ELEMENTS = 256


class DryRun:
    """A computation on an engine that only keeps account, with keys for everything it asks for."""

    def __init__(self, parameters: Parameters, known: _core.PlaintextMemory | None = None) -> None:
        """``known``: what runs before have found out about public values."""
        self.parameters = parameters
        self.engine = _core.DryEngine(engine_on("cpu:1"), known)
        self.context = Context(parameters.native, ACCOUNT, self.engine)
        self._secret = _core.SecretKey.generate(self.context.native)
        self._public = _core.PublicKey.generate(self._secret)
        turns = parameters.has_slots or parameters.holds_reals
        self._elements = sorted(set(parameters.native.slot_elements) - {1}) if turns else []
        self._refreshes = False
        self._make_keys()

    def _make_keys(self) -> None:
        native = _core.EvaluationKeys.generate(self._secret, True, self._elements)
        if self._refreshes:
            native = native.with_encapsulation(self._secret)
        self.evaluation = EvaluationKeys(self.parameters, self.context, native)
        self.public = PublicKey(self.parameters, self.context, self._public, self.evaluation)

    def run(
        self,
        compute: Callable[..., object],
        operands: Sequence[Operand],
        begun: Callable[[], object] = lambda: None,
    ) -> tuple[Any, list[Any]]:
        """Arguments and results. Raises what the computation does.

        Args:
            begun: called each time it begins: once more with every key that it turns out to take.

        Raises:
            ArgumentError: see `results_of`.
        """
        while True:
            arguments = [operand.encrypted(self.public) for operand in operands]
            self.engine.reset()
            begun()
            try:
                return arguments, results_of(compute, arguments)
            except MissingKeyError as error:
                if "bootstrap=True" in str(error) and not self._refreshes:
                    self._make_refreshing_keys()
                    continue
                asked = _ASKED.search(str(error))
                if asked is None or int(asked[1]) in self._elements or len(self._elements) > _MOST_ELEMENTS:
                    raise
                self._elements = sorted({*self._elements, int(asked[1])})
                self._make_keys()

    def _make_refreshing_keys(self) -> None:
        """With those that refresh, and the tables for it, which are no part of a computation.

        Raises:
            UnsupportedError: parameters that can't be refreshed.
        """
        refreshing = _core.galois_elements(self.parameters.native, [], False, [], [], True)
        self._elements = sorted({*self._elements, *refreshing})
        self._refreshes = True
        self._make_keys()
        _core.refresh_facts(self.context.native)
