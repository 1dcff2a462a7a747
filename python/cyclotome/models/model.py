# SPDX-License-Identifier: Apache-2.0
"""What all quantised models share: encoding, encrypting, planning, answering."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, UnsupportedError
from ..numbers.values import IntArray, integers
from ..parameters.parameters import Parameters
from ..planning.plans import Plan, plan
from ..planning.suggestions import suggest
from .features import Features
from .interface import Interface

__all__ = ["Model"]


@dataclass(frozen=True, eq=False, repr=False)
class Model(Interface, abc.ABC):
    """A fitted model in integers, made by `from_sklearn`: it answers encrypted rows exactly as it answers rows in the
    clear. Rows lie in slots, features in ciphertexts of their own, so that as many rows as there are slots cost as much
    as one."""

    @property
    def interface(self) -> Interface:
        """What a client needs, without the model: it encrypts rows and decrypts answers. `Interface.to_json` sends
        it."""
        return Interface(self.features, self.labels, self.scale)

    # --- before -------------------------------------------------------------------------------------------------------
    def plan(self, parameters: Parameters, rows: int = 1, *, device: str = "cpu:1") -> Plan:
        """What `predict` of so many rows takes; ``plan.keygen()`` makes its keys. Errors: see `plan`."""
        return plan(self.predict, parameters, [self.operand(rows)], device=device)

    def suggest(self, rows: int = 1, **options: Any) -> Parameters:
        """Parameters that serve `predict`, found by running it without ciphertexts; options as for `suggest`:
        ``scheme``, ``security``, ``min_degree``, ... Errors: see `suggest`."""
        return suggest(compute=self.predict, inputs=[self.operand(rows)], **options)

    # --- the server ---------------------------------------------------------------------------------------------------
    def predict(self, x: EncryptedArray) -> EncryptedArray:
        """Answers, one for each row, to be read by `decrypt`. They are those of `predict_clear` where each feature lies
        within its own levels, as `encrypt` sees to; nothing can tell while they are encrypted.

        Raises:
            ArgumentError: an array that `encrypt` did not make for these features.
            RangeError, NoiseError, MissingKeyError: the parameters or keys are others than `suggest` and `plan` name.
        """
        if not isinstance(x, EncryptedArray):
            raise UnsupportedError(f"predict takes encrypted rows, not {type(x).__name__}; predict_clear takes others")
        if x.ndim != 2 or x.shape[0] != self.features.count or x.encoding != "slots":
            raise ArgumentError(
                f"predict: an array of shape {x.shape}; the model takes ({self.features.count}, rows), as "
                "model.encrypt makes it"
            )
        if x.bound is None or x.bound > self.features.bound:
            limits = "modulo T" if x.bound is None else f"within ±{x.bound}"
            raise ArgumentError(
                f"predict: values {limits}; features lie within ±{self.features.bound}, as model.encrypt makes them"
            )
        return self._compute(x)

    @abc.abstractmethod
    def _compute(self, x: EncryptedArray) -> EncryptedArray:
        """The answers."""

    # --- in the clear -------------------------------------------------------------------------------------------------
    def predict_clear(self, rows: object, *, clip: bool = False) -> NDArray[Any]:
        """The quantised model's answers to rows in the clear: what `decrypt` gives of encrypted ones."""
        return self._read(self.answers_clear(self.encode(rows, clip=clip)))

    def answers_clear(self, encoded: object) -> IntArray:
        """The integers that `predict` computes, of encoded rows in the clear."""
        return self._compute_clear(self.features.require(encoded).astype(object))

    @abc.abstractmethod
    def _compute_clear(self, q: IntArray) -> IntArray:
        """The answers, in Python's integers."""

    @property
    @abc.abstractmethod
    def error_bound(self) -> object:
        """How far the quantised model may be from the fitted one, for rows within the ranges."""


def combined(matrix: IntArray, offsets: IntArray, x: EncryptedArray, features: Features) -> EncryptedArray:
    """``matrix @ encoded + offsets`` of plain integers, of encrypted rows, which are centred."""
    moved = offsets + matrix @ features.centre
    product: EncryptedArray = matrix @ x
    return product + integers(moved[:, None], "predict")


def largest_scale(bound_at: Callable[[float], int], limit: int, first: float) -> float:
    """The largest scale, within a percent, at which integers stay within a limit.

    Raises:
        ArgumentError: no scale does.
    """
    scale = first
    for _ in range(2000):
        if bound_at(scale) <= limit:
            return scale
        scale *= 0.99
    raise ArgumentError(f"no weights keep scores within {limit}; give more score_bits, or fewer feature_bits")
