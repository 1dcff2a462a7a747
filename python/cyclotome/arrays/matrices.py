# SPDX-License-Identifier: Apache-2.0
"""Public matrices that are multiplied with many encrypted arrays."""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

from .. import _core
from ..devices.contexts import Context, context_for
from ..errors import ArgumentError
from ..numbers.values import IntArray, integers, native
from ..options import current
from ..parameters.parameters import Parameters, required_parameters
from ..text import byte_size
from .array import Distributed, EncryptedArray

__all__ = ["Matrix"]


class Matrix(Distributed):
    """A public matrix that is encoded once and multiplied with many packed arrays: ``matrix @ x`` for vectors, and ``x
    @ matrix``.

    Values, bounds and errors are those of the integers themselves, ``values @ x``, which encode the matrix each time.
    What is prepared, on the first product from either side, takes memory: ``nbytes``. Immutable; threads may share it.

    Args:
        values: integers with two axes.
        parameters: those of the arrays.
        device: of those arrays; on others the matrix is prepared when it first meets them.

    Raises:
        ArgumentError: values that have not two axes, or none at all.
        UnsupportedError: values that are no integers; parameters without slots in two rows: coefficients only, and
            those over Phi_m.
        MemoryLimitError: what is prepared does not fit into memory; the integers themselves do.

    Example:
        >>> import cyclotome as cy, numpy as np
        >>> params = cy.Parameters.suggest(depth=1, value_bits=4, terms=4)
        >>> secret, public, evaluation = cy.keygen(params, matrices=[(3, 4)])
        >>> weights = cy.Matrix([[1, 2, 3, 4], [0, -1, 0, 1], [5, 5, 5, 5]], params)
        >>> cy.decrypt(weights @ cy.encrypt([1, 2, 3, 4], public), secret)
        array([30,  2, 50])
    """

    __slots__ = ("_home", "_lock", "_natives", "_parameters", "_values")
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __init__(self, values: object, parameters: Parameters, *, device: str = "cpu") -> None:
        self._values: IntArray = integers(values, "Matrix")
        if self._values.ndim != 2:
            raise ArgumentError(f"Matrix: a matrix has two axes, not shape {self._values.shape}")
        if not self._values.size:
            raise ArgumentError(f"Matrix: shape {self._values.shape} has no values")
        required_parameters("Matrix", parameters)
        self._parameters = parameters
        self._lock = threading.RLock()  # reentrant, as that of plain operands
        self._natives: WeakKeyDictionary[Context, _core.Matrix] = WeakKeyDictionary()
        self._home = context_for(device, parameters)
        self._on(self._home)

    def _on(self, context: Context) -> _core.Matrix:
        """Where an array's context is, if the parameters are these; else at home, which refuses the others."""
        if context.native.parameters.fingerprint != self._parameters.native.fingerprint:
            context = self._home
        with self._lock:
            found = self._natives.get(context)
            if found is None:
                found = self._natives[context] = _core.Matrix(context.native, native(self._values))
            return found

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self._values.shape
        return rows, columns

    @property
    def values(self) -> IntArray:
        """The matrix: a copy."""
        copied: IntArray = self._values.copy()
        return copied

    @property
    def parameters(self) -> Parameters:
        """Those of the arrays that it is multiplied with."""
        return self._parameters

    @property
    def nbytes(self) -> int:
        """Bytes that were prepared so far, on all devices."""
        return sum(each.nbytes for each in self._natives.values())

    def prepared(self, *, right: bool = False) -> Matrix:
        """The matrix itself, prepared now for ``matrix @ x``; right: for ``x @ matrix``."""
        self._on(self._home).prepare(right)
        return self

    def __matmul__(self, x: EncryptedArray) -> EncryptedArray:
        if not isinstance(x, EncryptedArray):
            return NotImplemented
        return x.derived(_core.matmul(self._on(x.context), x.native, current.get().native))

    def __rmatmul__(self, x: EncryptedArray) -> EncryptedArray:
        if not isinstance(x, EncryptedArray):
            return NotImplemented
        return x.derived(_core.matmul(x.native, self._on(x.context), current.get().native))

    def __repr__(self) -> str:
        return f"Matrix(shape={self.shape}, {byte_size(self.nbytes)} prepared, {self._parameters.summary()})"
