# SPDX-License-Identifier: Apache-2.0
"""What client and server agree on about a model: how rows become integers, and integers answers."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.array import EncryptedArray
from ..arrays.decryption import decrypt
from ..arrays.encryption import encrypt_integers
from ..errors import FormatError, RangeError, UnsupportedError
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.values import IntArray
from ..options import Callback
from ..planning.dry_runs import Operand
from .features import Features

__all__ = ["Interface"]

_MOST_FEATURES = 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Interface:
    """The client's part of a model: public, and without its weights."""

    #: How rows become integers: public, for the client.
    features: Features
    #: What the answers 0, 1, … of a classifier stand for; None: answers are numbers, integer / scale.
    labels: NDArray[Any] | None
    #: Of numbers; a float, as it is whatever makes weights as fine as they may be.
    scale: float

    # --- the client ---------------------------------------------------------------------------------------------------
    def encode(self, rows: object, *, clip: bool = False) -> IntArray:
        """Rows as integers; see `Features.encode`."""
        return self.features.encode(rows, clip=clip)

    def encrypt(
        self,
        rows: object,
        key: PublicKey | SecretKey,
        *,
        clip: bool = False,
        progress: Callback | None = None,
    ) -> EncryptedArray:
        """Encoded rows, less ``features.centre``, encrypted, of shape (features, samples), with their bound.

        Raises:
            RangeError, ArgumentError, UnsupportedError: see `Features.encode` and `encrypt`.
        """
        centred = self.encode(rows, clip=clip) - self.features.centre[:, None]
        return encrypt_integers(centred, key, bound=self.features.bound, progress=progress)

    def decrypt(self, answers: EncryptedArray, key: SecretKey) -> NDArray[Any]:
        """Labels, or numbers as floats: what `predict` of the estimator gives, for the quantised model.

        Raises:
            RangeError: a label that there is not: the answers are another model's, or forged.
            MismatchError, NoiseError, ContradictionError: see `decrypt`.
        """
        return self._read(np.asarray(decrypt(answers, key)))

    def _read(self, answers: Any) -> NDArray[Any]:
        if self.labels is None:
            return np.asarray(np.asarray(answers, dtype=np.float64) / self.scale)
        if ((answers < 0) | (answers >= len(self.labels))).any():
            raise RangeError(f"an answer that is none of {len(self.labels)} labels; these are another model's answers")
        chosen: NDArray[Any] = self.labels[answers.astype(np.int64)]
        return chosen

    def operand(self, rows: int) -> Operand:
        """What `encrypt` makes of so many rows, for `plan` and `suggest`."""
        return Operand((self.features.count, rows), bound=self.features.bound)

    # --- to be sent ---------------------------------------------------------------------------------------------------
    def to_json(self) -> str:
        """A text that `from_json` reads: ranges, levels, labels, scale.

        Raises:
            UnsupportedError: labels that are neither texts nor whole numbers nor truths.
        """
        labels = None if self.labels is None else self.labels.tolist()
        if labels is not None and not all(isinstance(label, (str, int)) for label in labels):
            raise UnsupportedError("to_json: labels are texts, whole numbers or truths; others can't be sent")
        facts = {
            "low": self.features.low.tolist(),
            "step": self.features.step.tolist(),
            "levels": self.features.levels.tolist(),
            "labels": labels,
            "scale": self.scale,
        }
        return json.dumps(facts, allow_nan=False)

    @staticmethod
    def from_json(text: str) -> Interface:
        """What `to_json` wrote, checked.

        Raises:
            FormatError: something else.
        """
        try:
            facts = json.loads(text)
            low, step = (_numbers(facts[name]) for name in ("low", "step"))
            levels, labels, scale = facts["levels"], facts["labels"], float(facts["scale"])
            whole = all(type(level) is int and 0 <= level < 1 << 16 for level in levels)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise FormatError(f"from_json: no interface of a model ({type(error).__name__})") from None
        if not whole or not 1 <= len(levels) == len(low) == len(step) <= _MOST_FEATURES or not (step > 0).all():
            raise FormatError("from_json: ranges, steps and levels that do not fit each other")
        if not 0 < scale < math.inf:
            raise FormatError(f"from_json: a scale of {scale}")
        known = labels is None or (isinstance(labels, list) and 2 <= len(labels) <= _MOST_FEATURES)
        kinds = set() if labels is None or not known else {type(label) for label in labels}
        if not known or not (kinds <= {str} or kinds <= {int} or kinds <= {bool}):
            raise FormatError("from_json: labels that are not two or more texts, whole numbers or truths")
        if kinds == {int} and not all(abs(label) < 2**63 for label in labels):
            raise FormatError("from_json: a label of more than 64 bits")
        chosen = None if labels is None else np.array(labels)
        return Interface(Features(low, step, np.array(levels, dtype=np.int64)), chosen, scale)

    def describe(self) -> str:
        """A line about it."""
        what = "numbers" if self.labels is None else f"{len(self.labels)} labels"
        return f"{type(self).__name__} of {self.features.count} features, {what}"

    def __repr__(self) -> str:
        return f"<{self.describe()}>"


def _numbers(values: Any) -> NDArray[np.float64]:
    array = np.array([float(value) for value in values], dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("not finite")
    return array
