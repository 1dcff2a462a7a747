# SPDX-License-Identifier: Apache-2.0
"""Arrays of encrypted real and complex numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from .. import _core
from ..devices.contexts import Context, context_from
from ..errors import ArgumentError, MismatchError, UnsupportedError
from ..keys.keyring import Keyring
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.values import index, word
from ..options import Callback
from ..parameters.parameters import Parameters
from ..pickling import pickled_as_file
from ..reporting import Task
from ..text import byte_size, plural
from .indexing import indexed
from .values import native, number, numbers_of

__all__ = ["REALS_AND_INTEGERS", "Error", "RealArray"]

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    #: What an operator takes.
    Operand: TypeAlias = "RealArray | ArrayLike"

#: What an operator says to both.
REALS_AND_INTEGERS = (
    "encrypted real numbers and encrypted integers are of different schemes and can't meet; encrypt both under one set "
    "of parameters"
)
_HIDDEN = (
    "an encrypted number can't be compared, tested or shown without the secret key; decrypt first, "
    "cyclotome.decrypt(x, secret)"
)


class Error(NamedTuple):
    """How wrong the numbers of an array can be."""

    #: Any of them, at most.
    max: float
    #: Their root mean square over a ciphertext, at most.
    rms: float


@pickled_as_file
class RealArray:
    """An n-dimensional array of encrypted real or complex numbers, made by `encrypt` of floats under parameters for
    them. EXPERIMENTAL.

    It follows NumPy where that makes sense: ``shape``, broadcasting, ``+ - * / **``, ``sum(axis)``, indexing, ``@``
    with public matrices, ``np.exp(x)``, ``np.dot(w, x)``. Operands may be encrypted arrays and public numbers. Arrays
    are immutable.

    Every array says how wrong its numbers can be: ``error.max`` bounds the distance of each from what exact arithmetic
    gives on the numbers that were encrypted, for every computation and all data within the stated bounds (doc/reals.md
    says with which probability). Products take a level each; results that could leave what the parameters hold raise
    `RangeError`, and products for which no level is left `NoiseError`.

    What is public: shape, parameters, ``bound``, ``error`` and the operations that made it. What is hidden: its values.
    """

    __slots__ = ("_context", "_keyring", "_native", "_parameters")

    __pandas_priority__ = 5000

    def __init__(self, parameters: Parameters, context: Context, native: _core.RealArray, keys: Keyring) -> None:
        """For the library itself; `encrypt` and `load` make arrays. ``native`` carries the same keys."""
        self._parameters, self._context, self._native, self._keyring = parameters, context, native, keys

    @classmethod
    def encrypt(
        cls,
        values: object,
        key: PublicKey | SecretKey,
        *,
        bound: float | None = None,
        progress: Callback | None = None,
    ) -> RealArray:
        """What `cyclotome.encrypt` does under parameters for real numbers.

        Args:
            values: a number, an array of numbers, or nested lists of them.
            key: a public key, or the secret key: then errors are smaller and files take half the space.
            bound: the largest magnitude that the numbers may have, for these and any other data in their place. It is
                public, and the smaller it is, the smaller are errors of products. None: ``parameters.real_bound``.
            progress: called as ``progress(done, total, what)``.

        Raises:
            RangeError: NaN, an infinity, a number beyond the bound, or a bound beyond what the parameters hold.
            UnsupportedError: values that are no numbers; missing ones.
            ArgumentError: no values.
            MismatchError: a key of parameters for integers.

        Example:
            >>> import cyclotome as cy
            >>> params = cy.Parameters.suggest(scheme="ckks", precision=1e-3, depth=1)
            >>> secret, public, _ = cy.keygen(params)
            >>> x = cy.RealArray.encrypt([0.5, 0.25, -1.0], public)
            >>> y = cy.decrypt(x * x + 1, secret)
            >>> bool(abs(y - [1.25, 1.0625, 2.0]).max() <= (x * x + 1).error.max <= 1e-3)
            True
        """
        if not isinstance(key, (PublicKey, SecretKey)):
            raise UnsupportedError(f"encrypt takes a public or secret key, not {type(key).__name__}")
        if isinstance(values, RealArray):
            raise UnsupportedError("encrypt: the values are encrypted already")
        numbers = native(numbers_of(values, "encrypt"))
        largest = None if bound is None else number(bound, "encrypt: bound")
        task = Task("encrypting", 1, progress)
        array = _core.encrypt_reals(numbers, key.native, largest)
        task.advance()
        keys = Keyring() if isinstance(key, SecretKey) else Keyring.of(key)
        return cls(key.parameters, key.context, array.with_keys(keys.native()), keys)

    # --- facts --------------------------------------------------------------------------------------------------------
    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes, as in NumPy."""
        return tuple(self._native.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> str:
        """ "float" or "complex"."""
        return "complex" if self._native.complex else "float"

    @property
    def error(self) -> Error:
        """How wrong its numbers can be: any of them, and their root mean square over a ciphertext. Public."""
        return Error(*self._native.error)

    @property
    def bound(self) -> float:
        """The largest magnitude that a number may have. Public."""
        return self._native.bound

    @property
    def level(self) -> int:
        """Products that are left, one after the other."""
        return self._native.level - 1

    @property
    def parameters(self) -> Parameters:
        """The parameters it was encrypted under."""
        return self._parameters

    @property
    def device(self) -> str:
        """Where it computes: "cpu", "cpu:<threads>"."""
        return self._context.device

    @property
    def key_id(self) -> str:
        """Id of the secret key that decrypts it."""
        return self._native.key.hex()

    @property
    def nbytes(self) -> int:
        """Bytes of its ciphertexts."""
        return self._native.nbytes

    @property
    def ciphertexts(self) -> int:
        """Number of ciphertexts."""
        return self._native.batch

    # --- for the library itself ---------------------------------------------------------------------------------------
    @property
    def native(self) -> _core.RealArray:
        """What the library computes with; it carries the keys of `keyring`; for the library itself."""
        return self._native

    @property
    def context(self) -> Context:
        """Where it lies; for the library itself."""
        return self._context

    @property
    def keyring(self) -> Keyring:
        """The keys it knows; for the library itself."""
        return self._keyring

    def derived(self, native: _core.RealArray, keys: Keyring | None = None) -> RealArray:
        """What the library made of this array, and of others whose keys are joined in ``keys``,
        for the library itself."""
        return RealArray(self._parameters, self._context, native, self._keyring if keys is None else keys)

    # --- keys, devices, bounds ----------------------------------------------------------------------------------------
    def with_keys(self, *keys: object) -> RealArray:
        """The same array that knows these public and evaluation keys too.

        Raises:
            MismatchError: keys of another secret key or other parameters.
            UnsupportedError: a secret key.
        """
        ring = Keyring.of(*keys)
        ring.require(self.key_id, self._parameters)
        joined = ring.to(self.device).joined(self._keyring)
        return self.derived(self._native.with_keys(joined.native()), joined)

    def to(self, device: str) -> RealArray:
        """The same array, its keys included, on another device; the same bits come out of every one."""
        context = context_from(self._context, device, self._parameters)
        if context is self._context:
            return self
        keys = self._keyring.to(context.device)
        moved = self._native.to(context.native, keys.native())
        return RealArray(self._parameters, context, moved, keys)

    def assume_bound(self, bound: float) -> RealArray:
        """The same array with a tighter bound that you know to hold, in place of what follows from the operations, as
        that of a product of numbers from 0 to 1. Errors of later products follow from it, and hold as long as it does.
        A looser one changes nothing.

        Raises:
            RangeError: a bound that is not above 0.
        """
        return self.derived(self._native.assume_bound(number(bound, "assume_bound: a bound")))

    def switch_to_level(self, level: int) -> RealArray:
        """The same numbers with so many products left: smaller, and faster to compute with.

        Raises:
            ArgumentError: above the present level or below 0.
        """
        return self.derived(self._native.switch_to_level(max(word(level, "switch_to_level"), -1) + 1))

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _binary(self, operation: str, function: Callable[..., _core.RealArray], other: object) -> RealArray:
        if isinstance(other, RealArray):
            keys = self._keyring.joined(other._keyring)
            return self.derived(function(self._native, other._native), keys)
        if hasattr(other, "parameters"):
            raise MismatchError(f"{operation}: {REALS_AND_INTEGERS}")
        return self.derived(function(self._native, native(numbers_of(other, operation))))

    def __neg__(self) -> RealArray:
        return self.derived(_core.negate(self._native))

    def __pos__(self) -> RealArray:
        return self

    def __add__(self, other: Operand) -> RealArray:
        return self._binary("add", _core.add, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> RealArray:
        return self._binary("subtract", _core.subtract, other)

    def __rsub__(self, other: Operand) -> RealArray:
        return -self + other

    def __mul__(self, other: Operand) -> RealArray:
        return self._binary("multiply", _core.multiply, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> RealArray:
        if isinstance(other, RealArray):
            raise UnsupportedError("x / y of encrypted numbers: x * y.inverse((low, high)), where y lies in between")
        divisors = numbers_of(other, "divide")
        if not divisors.all():
            raise ArgumentError("divide: by zero")
        return self * (1 / divisors)

    def __rtruediv__(self, other: object) -> NoReturn:
        raise UnsupportedError("a / x of encrypted numbers: a * x.inverse((low, high)), where x lies in between")

    def __pow__(self, exponent: object) -> RealArray:
        if isinstance(exponent, bool) or not hasattr(exponent, "__index__"):
            raise UnsupportedError(f"x ** {exponent!r}: exponents are whole numbers from 1 on, and public")
        return self.derived(_core.power(self._native, word(exponent, "an exponent")))

    def __matmul__(self, other: ArrayLike) -> RealArray:
        """``x @ w`` with a public vector or matrix: one level, by rotations."""
        if isinstance(other, RealArray):
            raise UnsupportedError("x @ y of encrypted numbers: (x * y).sum(-1) for vectors")
        return self._binary("matmul", _core.matmul, other)

    def __rmatmul__(self, other: ArrayLike) -> RealArray:
        matrix = numbers_of(other, "matmul")
        if self.ndim != 1 or matrix.ndim > 2:
            raise UnsupportedError(
                f"w @ x of shapes {matrix.shape} and {self.shape}: x is a vector; rows are multiplied by x @ w.T"
            )
        return self.__matmul__(matrix.T)

    def dot(self, other: Operand) -> RealArray:
        """The scalar product with a vector, encrypted or public, along the last axis."""
        if isinstance(other, RealArray):
            return (self * other).sum(-1)
        return self @ other

    def conj(self) -> RealArray:
        """The complex conjugates: no level."""
        return self.derived(_core.conjugate(self._native))

    def sum(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> RealArray:
        """Sums over all axes, or those given. Along the last axis of a packed array log2(n) rotations; no level,
        unless there is something beside the numbers that has to go.

        Raises:
            ArgumentError: no such axis.
            MissingKeyError: the rotations' keys are not attached.
            RangeError: the sum could leave what the parameters hold.
        """
        chosen = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = [word(entry, "sum: an axis") for entry in chosen]
        return self.derived(_core.sum(self._native, axes, bool(keepdims)))

    def mean(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> RealArray:
        """Means over all axes, or those given: sums and one level."""
        total: RealArray = self.sum(axis, keepdims=keepdims)
        return total * (total.size / self.size)

    def convolve(self, kernel: ArrayLike, mode: str = "full") -> RealArray:
        """Along the last axis with a public list of numbers, as `numpy.convolve`: one matrix product, one level.

        Args:
            kernel: of one axis.
            mode: "full", "same" or "valid", as NumPy has them.

        Raises:
            ArgumentError: another mode, a scalar, or a kernel of more axes.
        """
        weights = numbers_of(kernel, "convolve")
        if not self.shape or weights.ndim != 1:
            raise ArgumentError(f"convolve: shapes {self.shape} and {weights.shape}; both have an axis, a kernel one")
        if mode not in ("full", "same", "valid"):
            raise ArgumentError(f"convolve: mode {mode!r}; there are 'full', 'same' and 'valid'")
        rows = np.eye(self.shape[-1], dtype=weights.dtype)
        matrix = np.stack([np.convolve(row, weights, mode) for row in rows])  # type: ignore[call-overload]
        result: RealArray = self @ matrix
        return result

    def roll(self, shift: int) -> RealArray:
        """As `numpy.roll` along the last axis: one level."""
        length = self.shape[-1] if self.shape else 1
        steps = index(shift, "roll: a shift") % length
        return self if steps == 0 else self[..., [(i - steps) % length for i in range(length)]]

    def __getitem__(self, key: object) -> RealArray:
        return self.derived(indexed(self._native, key))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an encrypted scalar")
        return self.shape[0]

    # --- functions ----------------------------------------------------------------------------------------------------
    def polynomial(self, coefficients: Sequence[float], interval: tuple[float, float] | None = None) -> RealArray:
        """A polynomial with public coefficients.

        Args:
            coefficients: without an interval of the powers, ``c[0] + c[1] x + ...``; with one, of the Chebyshev
                polynomials in units of it, ``c[0] + c[1] T_1(t) + ...``, t from -1 to 1.
            interval: within which x lies, which you state, as with `assume_bound`.

        Returns:
            An array that takes about log2 of the degree, and two, levels.

        Raises:
            UnsupportedError: complex numbers.
            NoiseError: too few levels.
        """
        listed = [float(c) for c in numbers_of(coefficients, "polynomial").ravel()]
        if interval is None:
            return self.derived(_core.polynomial(self._native, listed))
        low, high = _interval("polynomial", interval)
        return self.derived(_core.chebyshev(self._native, listed, low, high))

    def _applied(self, name: str, interval: tuple[float, float] | None, precision: float) -> RealArray:
        low, high = (-self.bound, self.bound) if interval is None else _interval(name, interval)
        least = number(precision, f"{name}: a precision")
        return self.derived(_core.apply_function(self._native, name, low, high, least))

    def exp(self, interval: tuple[float, float] | None = None, precision: float = 1e-4) -> RealArray:
        """e to the power of numbers within ``interval``, which you state, by a polynomial that is certified to be off
        by ``precision`` at most; `error` holds that and all else. None: within `bound`, whatever they are.

        Raises:
            ArgumentError: no polynomial of degree up to 255 is certified so far.
            NoiseError: too few levels.
        """
        return self._applied("exp", interval, precision)

    def log(self, interval: tuple[float, float], precision: float = 1e-4) -> RealArray:
        """Logarithms of numbers within ``interval``, above 0; as `exp`."""
        return self._applied("log", interval, precision)

    def sqrt(self, interval: tuple[float, float], precision: float = 1e-4) -> RealArray:
        """Square roots of numbers within ``interval``, above 0; as `exp`."""
        return self._applied("sqrt", interval, precision)

    def inverse(self, interval: tuple[float, float], precision: float = 1e-4) -> RealArray:
        """1/x of numbers within ``interval``, above 0; as `exp`."""
        return self._applied("inverse", interval, precision)

    def sigmoid(self, interval: tuple[float, float] | None = (-8.0, 8.0), precision: float = 1e-3) -> RealArray:
        """1/(1 + e^-x) of numbers within ``interval``; as `exp`."""
        return self._applied("sigmoid", interval, precision)

    def tanh(self, interval: tuple[float, float] | None = (-4.0, 4.0), precision: float = 1e-3) -> RealArray:
        """Hyperbolic tangents of numbers within ``interval``; as `exp`."""
        return self._applied("tanh", interval, precision)

    def _stepped(self, name: str, gap: float, precision: float, low: float, high: float) -> RealArray:
        width, least = number(gap, f"{name}: a gap"), number(precision, f"{name}: a precision")
        return self.derived(_core.step(self._native, width, least, low, high))

    def sign(self, gap: float, precision: float = 1e-3) -> RealArray:
        """-1 for numbers up to -``gap``, and 1 for those from ``gap`` on, off by ``precision`` at most; `error` holds
        that and all else. Of numbers nearer to 0 it is something from -1 to 1, and `error` says nothing. The smaller
        the gap is beside `bound`, the more levels it takes: 8 or 9 for a tenth, some 14 for a hundredth.

        Raises:
            ArgumentError: a gap that is not between 0 and `bound`; one that two polynomials of degree up to 255, one
                after the other, don't reach.
            UnsupportedError: complex numbers.
            NoiseError: too few levels.
        """
        return self._stepped("sign", gap, precision, -1.0, 1.0)

    def greater(self, other: Operand, gap: float, precision: float = 1e-3) -> RealArray:
        """1 where numbers are larger than ``other`` by ``gap`` or more, and 0 where they are smaller by as much; as
        `sign` of the difference."""
        return (self - other)._stepped("greater", gap, precision, 0.0, 1.0)

    def relu(self, precision: float | None = None) -> RealArray:
        """max(x, 0), off by ``precision`` at most for every x up to `bound` (None: a hundredth of it); `error` holds
        that and all else.

        Raises:
            ArgumentError: no polynomial of degree up to 255 is as near: below some 0.007 of the bound.
            UnsupportedError: complex numbers.
            NoiseError: too few levels.
        """
        least = self.bound / 100 if precision is None else number(precision, "relu: a precision")
        return self.derived(_core.relu(self._native, least))

    def __abs__(self) -> RealArray:
        return self.absolute()

    def absolute(self, precision: float | None = None) -> RealArray:
        """|x| of real numbers; as `relu`, of which it has twice the precision: a fiftieth of the bound for None."""
        least = self.bound / 50 if precision is None else number(precision, "absolute: a precision")
        return self.derived(_core.absolute(self._native, least))

    def maximum(self, other: Operand, precision: float | None = None) -> RealArray:
        """The larger of each pair: ``other`` plus `relu` of the difference, off by ``precision`` at most (None: a
        hundredth of the bound of the difference)."""
        return (self - other).relu(precision) + other

    def minimum(self, other: Operand, precision: float | None = None) -> RealArray:
        """The smaller of each pair; as `maximum`."""
        return self - (self - other).relu(precision)

    def softmax(self, interval: tuple[float, float] | None = None, precision: float = 1e-3) -> RealArray:
        """e^x over its sum along the last axis, for numbers within ``interval`` (None: within `bound`). Both functions
        are right to ``precision`` of what they can be; `error` holds what follows for the quotient.

        Raises:
            ArgumentError: a scalar; an interval so wide that no polynomial is certified, some 5 long.
            NoiseError: too few levels.
        """
        if not self.shape:
            raise ArgumentError("softmax: a scalar has no axis to sum over")
        low, high = (-self.bound, self.bound) if interval is None else _interval("softmax", interval)
        middle, count = (low + high) / 2, self.shape[-1]
        # Powers of e around 1, and their mean, which is as far from 0 as any of them.
        least, most = math.exp(low - middle), math.exp(high - middle)
        powers = (self - middle).exp((low - middle, high - middle), precision * least)
        mean = powers.sum(-1, keepdims=True) * (1 / count)
        shares = powers * mean.inverse((least, most), precision / most)
        return (shares * (1 / count)).assume_bound(1.0)

    # --- NumPy --------------------------------------------------------------------------------------------------------
    def __array_ufunc__(self, function: Any, method: str, *operands: Any, **options: Any) -> Any:
        """NumPy's ufuncs (NEP 13): those that `numpy_functions` has. Found when called, as they build on this."""
        return import_module("cyclotome.reals.numpy_functions").applied(function, method, operands, options)

    def __array_function__(self, function: Any, _: Any, arguments: Any, options: Any) -> Any:
        """NumPy's other functions (NEP 18), likewise."""
        return import_module("cyclotome.reals.numpy_functions").called(function, arguments, options)

    # --- what there is not --------------------------------------------------------------------------------------------
    def __eq__(self, other: object) -> NoReturn:
        raise UnsupportedError(_HIDDEN)

    __ne__ = __contains__ = __eq__
    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise UnsupportedError(_HIDDEN)

    if not TYPE_CHECKING:

        def __lt__(self, other: object) -> NoReturn:
            raise UnsupportedError(_HIDDEN)

        __le__ = __gt__ = __ge__ = __lt__

        def __float__(self) -> NoReturn:
            raise UnsupportedError(_HIDDEN)

        __int__ = __complex__ = __index__ = __float__

        def __array__(self, *_: object, **__: object) -> NoReturn:
            raise UnsupportedError(_HIDDEN)

    # --- display ------------------------------------------------------------------------------------------------------
    def __repr__(self) -> str:
        error = self.error
        return (
            f"RealArray(shape={self.shape}, {self.dtype}, up to {self.bound:.3g}, {power(error.max)} each, "
            f"{power(error.rms)} rms, {plural(self.level, 'level')}, {plural(self.ciphertexts, 'ciphertext')}, "
            f"{byte_size(self.nbytes)}, {self._parameters.summary()})"
        )


def power(error: float) -> str:
    """An error as people read it: "±2^-21.3"."""
    return f"±2^{np.log2(error):.1f}" if error > 0 else "±0"


def _interval(operation: str, interval: object) -> tuple[float, float]:
    if not isinstance(interval, (tuple, list)) or len(interval) != 2:
        raise ArgumentError(f"{operation}: an interval is (low, high), not {interval!r}")
    return number(interval[0], f"{operation}: low"), number(interval[1], f"{operation}: high")
