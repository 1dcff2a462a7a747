# SPDX-License-Identifier: Apache-2.0
"""Public integers that are encoded once."""

from __future__ import annotations

import threading
import warnings
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .. import _core
from ..devices.contexts import Context, context_for
from ..errors import ArgumentError, PreparedWarning, UnsupportedError
from ..memory import level_of_caller
from ..numbers.values import IntArray, frozen, integers, native
from ..options import current
from ..parameters.parameters import Parameters, required_parameters
from ..pickling import pickled_as_file

__all__ = ["PlainArray", "plain"]


@pickled_as_file
class PlainArray:
    """Public integers, encoded for slots and transformed once, made by `plain`: ``x * w``, ``x + w``, ``x - w``,
    ``w - x`` and ``x.sum_of_products(w)`` then cost what ciphertexts cost, with the same bits as for the integers,
    where x is in slots and its last axis as long, or has one value for each row, as what
    `cyclotome.polynomials.expand` makes. Everything else takes the integers, and says so with a `PreparedWarning`.
    Immutable. `save`, `load` and pickles take them; files hold the integers, which are encoded when they are read.
    """

    __slots__ = ("_lock", "_natives", "parameters", "values")

    # Operators are the encrypted array's.
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __init__(self, parameters: Parameters, values: object) -> None:
        """For the library itself; `plain` makes them."""
        required_parameters("plain", parameters)
        if not parameters.has_slots or parameters.field_degree is not None:
            raise UnsupportedError(
                f"plain: {parameters.summary()} have no slots of integers; products by constants take the integers"
            )
        #: The parameters they are encoded for.
        self.parameters = parameters
        #: The integers, a copy that nobody can change, as their encodings would not change with it.
        self.values = frozen(integers(values, "plain"))
        if not self.values.size:
            raise ArgumentError("plain: there are no values")
        # Reentrant, since encoding calls whoever watches its progress.
        self._lock = threading.RLock()
        self._natives: WeakKeyDictionary[Context, _core.PlainArray] = WeakKeyDictionary()

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(self.values.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of what is encoded, on all devices that it met arrays on."""
        with self._lock:
            return sum(each.nbytes for each in self._natives.values())

    def on(self, context: Context) -> _core.PlainArray:
        """Encoded where a context is; for the library itself."""
        with self._lock:
            found = self._natives.get(context)
            if found is None:
                found = _core.PlainArray(context.native, native(self.values), current.get().native)
                self._natives[context] = found
            return found

    def require_met(self, operation: str, x: _core.EncryptedArray, encoded: _core.PlainArray) -> None:
        """Warns if an array did not meet what is encoded; for the library itself."""
        if encoded.prepared and not encoded.meets(x):
            self._warn(operation, f"an array of shape {tuple(x.shape)} whose last axis is not its own")

    def unused(self, operation: str) -> IntArray:
        """The integers, for an operation that takes these, with a warning; for the library itself."""
        if self.values.ndim > 0 and self.values.shape[-1] > 1:
            self._warn(operation, "an operation that takes the integers")
        return self.values

    def _warn(self, operation: str, what: str) -> None:
        advice = (
            "cy.Matrix(values, parameters) prepares a matrix for products"
            if operation == "matmul"
            else "rows of cy.plain meet arrays in slots that are as long, and one value for each row"
        )
        warnings.warn(
            f"{operation}: {self!r} was prepared, and meets {what}: it is encoded again; {advice}",
            PreparedWarning,
            stacklevel=level_of_caller(),
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> IntArray:
        """The integers, read-only; a copy where NumPy asks for one, which it then makes none of."""
        if copy or (dtype is not None and np.dtype(dtype) != self.values.dtype):
            if copy is False:
                raise ValueError(f"integers of {self.values.dtype} are none of {np.dtype(dtype)} without a copy")
            return self.values.astype(self.values.dtype if dtype is None else dtype)
        return self.values

    def __repr__(self) -> str:
        return f"PlainArray(shape={self.shape}, {self.parameters.summary()})"


def public_integers(values: object, operation: str) -> IntArray:
    """Integers that an operation takes as they are; it says so where they were prepared."""
    return values.unused(operation) if isinstance(values, PlainArray) else integers(values, operation)


def plain(values: object, parameters: Parameters, *, device: str = "cpu") -> PlainArray:
    """Public integers as operands of many operations: encoded now, not each time.

    Args:
        values: integers of any shape; the last axis goes into slots, as `encrypt` puts it there.
        parameters: of the arrays that they will meet.
        device: of those arrays; on others they are encoded when they are first met.

    Raises:
        UnsupportedError: values that are no integers; parameters without slots of integers.
        ArgumentError: no values.
        MemoryLimitError: there is no memory for it; each row takes half of a ciphertext's.

    Example:
        >>> import cyclotome as cy
        >>> params = cy.Parameters.suggest(depth=0, value_bits=7, scheme="bgv")
        >>> secret, public, _ = cy.keygen(params, rotations=[])
        >>> weights = cy.plain([2, -1, 3], params)
        >>> for values in ([1, 2, 3], [4, 5, 6]):
        ...     print(cy.decrypt(cy.encrypt(values, public) * weights, secret))
        [ 2 -2  9]
        [ 8 -5 18]
    """
    made = PlainArray(parameters, values)
    made.on(context_for(device, parameters))
    return made
