# SPDX-License-Identifier: Apache-2.0
"""Arrays of encrypted integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn

import numpy as np

from . import _core
from .contexts import Context, context_from
from .errors import ArgumentError, MismatchError, UnsupportedError
from .keyring import Keyring
from .memory import warn_of_spread
from .options import current
from .parameters import Parameters
from .pickling import pickled_as_file
from .plain_arrays import PlainArray
from .shapes import Selection, require_rows, reshaped, selected, taken
from .text import byte_size, extent_of, html_table, plural
from .values import index, integers, interval_of, magnitude_of, native, word

__all__ = ["Distributed", "EncryptedArray"]

_REFUSALS = {
    "division": "results of divisions are no integers; decrypt and divide there, or multiply by a scaled reciprocal",
    "comparison": "an answer in the clear would reveal them; cyclotome.equal, less and maximum give encrypted ones. "
    "(Two arrays are the same object if `x is y`)",
    "truth": "whether an encrypted value is zero can't be told without the secret key; decrypt first",
    "conversion": "an encrypted value has no number to show; use cyclotome.decrypt(x, secret)",
    "mean": "a mean is no integer; use x.sum(axis) and divide by the count after decryption",
    "powers": "powers of plaintext numbers with encrypted exponents don't exist in this scheme",
}

#: Operations that take what `plain` encoded; others take the integers.
_ENCODED = ("add", "subtract", "multiply")


class Distributed:
    """Several arrays that act as one, or a prepared operand: operators of an `EncryptedArray` leave it to their
    reflected methods."""

    __slots__ = ()


def _is_scalar(value: object) -> bool:
    return value.ndim == 0 if isinstance(value, EncryptedArray) else np.ndim(integers(value, "dot")) == 0


def _judged(product: EncryptedArray) -> EncryptedArray:
    """A matrix product, with a remark where it is larger than it need be."""
    if product is not NotImplemented and product.parameters.has_slots and product.encoding == "slots":
        batch = product.native.batch
        warn_of_spread("matmul", product.shape, batch, product.parameters.slots, product.nbytes, stacklevel=3)
    return product


@pickled_as_file
class EncryptedArray:
    """An n-dimensional array of encrypted integers, made by `encrypt`.

    It follows NumPy where that makes sense: ``shape``, broadcasting, ``+ - * ** @``, ``sum(axis)``, indexing,
    transposing and reshaping, which cost something along the last axis only, as it lies within ciphertexts. Operands
    may be encrypted arrays, NumPy arrays of integers and Python integers. Arrays are immutable; operations return new
    ones.

    What is public about an array: its shape, parameters, ``bound``, noise headroom and the operations that made it.
    What is
    hidden: its values. Plaintext operands are not hidden from whoever decrypts.

    Results are exact or refused: every array has a public ``bound``, the largest magnitude that its values may have,
    which grows with each operation; one whose result could leave what the parameters hold raises `RangeError`, and one
    whose result could not be decrypted `NoiseError`. Layouts, bounds and which operands can meet are the C++ library's
    (``src/cyclotome/value``), the same for every language.
    """

    __slots__ = ("_context", "_keyring", "_native", "_parameters")

    # NumPy and pandas hand every operation with such an operand over to this class.
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __init__(self, parameters: Parameters, context: Context, native: _core.EncryptedArray, keys: Keyring) -> None:
        """For the library itself; `encrypt` and `load` make arrays. ``native`` carries the same keys."""
        self._parameters, self._context, self._native, self._keyring = parameters, context, native, keys

    # --- facts --------------------------------------------------------------------------------------------------------
    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes, as in NumPy."""
        return self._native.shape

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
        """ "int": integers of any width; "bool": bits; "GF(2^r)", such as "GF(2^16)": elements of a field."""
        if self._parameters.field_degree is None and not self.is_bits:
            return "int"
        return "bool" if self.is_bits else f"GF(2^{self._parameters.field_degree})"

    @property
    def layout(self) -> str:
        """ "packed": the last axis lies in slots (or coefficients); "replicated": one ciphertext for each value."""
        return "replicated" if self._native.placement == _core.Placement.replicated else "packed"

    @property
    def encoding(self) -> str:
        """ "slots": arithmetic value by value; "coefficients": sums and scalar products only."""
        return "coefficients" if self._native.placement == _core.Placement.coefficients else "slots"

    @property
    def bound(self) -> int | None:
        """The largest magnitude that a value may have; None if values wrap around modulo T by intent. Public."""
        return None if self.wrap else self._native.bound.largest

    @property
    def interval(self) -> tuple[int, int] | None:
        """The least and the largest value that there may be; None if values wrap around. Public."""
        return None if self.wrap else self._native.bound.values

    @property
    def l1_bound(self) -> int | None:
        """The largest sum of magnitudes along the last axis; None if values wrap around. Public."""
        return None if self.wrap else self._native.bound.row

    @property
    def wrap(self) -> bool:
        """True for values modulo T, in [0, T), and for bits and elements of GF(2^r)."""
        return self._native.bound.wraps

    @property
    def is_bits(self) -> bool:
        """True for bits, which `decrypt` gives as booleans: of parameters with plaintext modulus 2, what was not
        encrypted as elements of the field over Phi_m, or with ``wrap=True``, and traces."""
        return self._native.bound.is_bits

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
        """Bytes of its ciphertexts in memory, with the transforms that products with plaintexts keep."""
        return self._native.nbytes

    @property
    def ciphertexts(self) -> int:
        """Number of ciphertexts, those of every plaintext modulus counted."""
        return self._native.batch * len(self._parameters.plain_moduli)

    @property
    def noise_headroom(self) -> float:
        """Bits by which the public bound on the noise may grow until `decrypt` refuses; negative: it refuses."""
        return self._native.noise_headroom

    @property
    def level(self) -> int:
        """Number of ciphertext primes. `switch_to_level` lowers it, and in BGV products do; where plaintext moduli
        differ in it, the highest."""
        return self._native.level

    @property
    def is_transformed(self) -> bool:
        """Whether its ciphertexts are transforms: BGV's always, BFV's after products with plaintexts, and sums of
        these, until something needs coefficients, which brings them back by itself. Files are the same either way."""
        return self._native.is_transformed

    def transformed(self, wanted: bool = True) -> EncryptedArray:
        """The same array with its ciphertexts transformed, or for False as files have them: what operations do by
        themselves, done once before many of them. Products with plaintexts, best made by `plain`, want transforms (as
        after SEAL's ``transform_to_ntt``); BFV's products of encrypted arrays, rotations and levels want coefficients.
        In BGV, which has transforms throughout, it is the array itself. Results are the same bits.

        Example:
            >>> import cyclotome as cy
            >>> params = cy.Parameters.suggest(depth=1, value_bits=7)
            >>> secret, public, _ = cy.keygen(params, rotations=[])
            >>> x = cy.encrypt([1, 2, 3], public).transformed()
            >>> sums = [x * cy.plain(row, params) + row for row in ([1, 0, 2], [3, 4, 5])]
            >>> cy.decrypt(sums[0], secret), sums[1].is_transformed
            (array([2, 0, 8]), True)
        """
        return self.derived(self._native.transformed() if wanted else self._native.in_native_domain())

    def switch_to_level(self, level: int) -> EncryptedArray:
        """The same values in at most ``level`` ciphertext primes: smaller to send, and in BGV faster to compute with.

        BGV's products choose the level that keeps most noise headroom by themselves; BFV's take all primes, and come
        back to the lower level of their operands. The noise grows to a floor of its own at low levels.

        Raises:
            ArgumentError: above the present level or below 1.
        """
        wanted = max(word(level, "switch_to_level"), 0)  # the library counts from 0
        return self.derived(self._native.switch_to_level(wanted))

    def switch_to_least_level(self, headroom: float = 0) -> EncryptedArray:
        """The same values in the fewest primes that leave ``headroom`` bits of noise headroom, for a result that is
        only sent: what goes home is as small as its noise allows. As it is where no lower level does.

        Raises:
            ArgumentError: a headroom that is no number.

        Example:
            >>> import cyclotome as cy
            >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=2, value_bits=7))
            >>> x = cy.encrypt([1, 2, 3], public)
            >>> y = (x * x).switch_to_least_level()
            >>> y.nbytes < x.nbytes, cy.decrypt(y, secret)
            (True, array([1, 4, 9]))
        """
        if isinstance(headroom, bool) or not isinstance(headroom, (int, float)) or math.isnan(headroom):
            raise ArgumentError(f"switch_to_least_level: headroom {headroom!r} is no number of bits")
        return self.derived(self._native.switch_to_least_level(float(headroom)))

    # --- for the library itself ---------------------------------------------------------------------------------------
    @property
    def native(self) -> _core.EncryptedArray:
        """What the library computes with; it carries the keys of `keyring`."""
        return self._native

    @property
    def context(self) -> Context:
        """Where it lies."""
        return self._context

    @property
    def keyring(self) -> Keyring:
        """The keys it knows."""
        return self._keyring

    def derived(self, native: _core.EncryptedArray, keys: Keyring | None = None) -> EncryptedArray:
        """What the library made of this array, and of others whose keys are joined in ``keys``."""
        return EncryptedArray(self._parameters, self._context, native, self._keyring if keys is None else keys)

    # --- keys and devices ---------------------------------------------------------------------------------------------
    def with_keys(self, *keys: object) -> EncryptedArray:
        """The same array that knows these public and evaluation keys too: what products, sums over slots and rotations
        take.

        Raises:
            MismatchError: keys of another secret key or other parameters.
            UnsupportedError: a secret key.
        """
        ring = Keyring.of(*keys)
        ring.require(self.key_id, self._parameters)
        return self._holding(self._native, ring.to(self.device).joined(self._keyring))

    def _holding(self, native: _core.EncryptedArray, keys: Keyring) -> EncryptedArray:
        return self.derived(native.with_keys(keys.native()), keys)

    def to(self, device: str) -> EncryptedArray:
        """The same array, its keys included, on another device; the same bits come out of every one."""
        context = context_from(self._context, device, self._parameters)
        if context is self._context:
            return self
        keys = self._keyring.to(context.device)
        moved = self._native.to(context.native).with_keys(keys.native())
        return EncryptedArray(self._parameters, context, moved, keys)

    def assume_bound(self, bound: int | tuple[int, int], *, l1_bound: int | None = None) -> EncryptedArray:
        """The same array with a tighter bound that you know to hold, in place of what follows from the operations: as a
        selection by comparisons holds one entry of 1 in each row. Nothing can check it while values are encrypted, as
        with the bounds that `encrypt` is told; a wrong one makes wrong results possible, which decryption refuses only
        where the values that it sees are beyond it. A looser one changes nothing. Values that wrap around modulo T get
        a bound, as integers around 0.

        Args:
            bound: the largest magnitude of a value, or the least and the largest value, ``(0, 9)``.
            l1_bound: the largest sum of magnitudes along the last axis; None: what ``bound`` implies.

        Raises:
            ArgumentError: no whole numbers; a magnitude below 0, or an interval whose least comes last.
            RangeError: more than the parameters hold; an interval that has nothing in common with the array's.
            UnsupportedError: bits, and elements of a field.
        """
        low, high = interval_of("assume_bound", bound)
        return self.derived(_core.assume_bound(self._native, (low, high), magnitude_of("assume_bound", l1_bound)))

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _binary(self, operation: str, function: Callable[..., _core.EncryptedArray], other: object) -> EncryptedArray:
        """``function`` of this array and another operand, encrypted or plain; what it computes, refuses and bounds is
        the library's."""
        if isinstance(other, Distributed):
            return NotImplemented  # type: ignore[no-any-return]  # as operators may
        keys = self._keyring
        if isinstance(other, EncryptedArray):
            if other._keyring is not keys:
                keys = keys.joined(other._keyring)
            result = function(self._native, other._native, current.get().native)
        elif isinstance(other, PlainArray) and operation in _ENCODED:
            if other.parameters != self._parameters:
                raise MismatchError(f"{operation}: {other!r} meets an array of {self._parameters.summary()}")
            result = function(self._native, other.on(self._context), current.get().native)
        else:
            result = function(self._native, native(integers(other, operation)), current.get().native)
        return EncryptedArray(self._parameters, self._context, result, keys)

    def __neg__(self) -> EncryptedArray:
        return self.derived(_core.negate(self._native))

    def __pos__(self) -> EncryptedArray:
        return self

    def __add__(self, other: object) -> EncryptedArray:
        return self._binary("add", _core.add, other)

    __radd__ = __add__

    def __sub__(self, other: object) -> EncryptedArray:
        return self._binary("subtract", _core.subtract, other)

    def __rsub__(self, other: object) -> EncryptedArray:
        return self.derived(_core.subtract(native(integers(other, "subtract")), self._native, current.get().native))

    def __mul__(self, other: object) -> EncryptedArray:
        return self._binary("multiply", _core.multiply, other)

    __rmul__ = __mul__

    def __pow__(self, exponent: object) -> EncryptedArray:
        if isinstance(exponent, EncryptedArray) or not hasattr(exponent, "__index__"):
            raise UnsupportedError(f"x ** {exponent!r}: exponents are whole numbers, and public")
        return self.derived(_core.power(self._native, word(exponent, "an exponent"), current.get().native))

    def __matmul__(self, other: object) -> EncryptedArray:
        """As `numpy.matmul`, with encrypted and public operands. A public matrix times packed values gives packed
        values again, by diagonals and rotations: ``keygen(matrices=[shape])`` makes the keys that serve a shape best,
        and `Matrix` is one that is encoded once for many products.

        Warns:
            PaddingWarning: a result of more than 4 MiB that an eighth of its ciphertexts could hold.
        """
        return _judged(self._binary("matmul", _core.matmul, other))

    def __rmatmul__(self, other: object) -> EncryptedArray:
        return _judged(
            self.derived(_core.matmul(native(integers(other, "matmul")), self._native, current.get().native))
        )

    def dot(self, other: object) -> EncryptedArray:
        """``self @ other``, or the product with a scalar."""
        return self * other if self.ndim == 0 or _is_scalar(other) else self @ other

    def sum(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> EncryptedArray:
        """Sums over all axes, or those given. Over the last axis of a packed array it takes log2(n) rotations for each
        row.

        Raises:
            ArgumentError: no such axis.
            MissingKeyError: the rotations' keys are not attached (`keygen` makes them unless told otherwise).
            RangeError: the sum could leave what the parameters hold.
            NoiseError: the result could not be decrypted.
        """
        chosen = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = [word(entry, "sum: an axis") for entry in chosen]
        return self.derived(_core.sum(self._native, axes, bool(keepdims), current.get().native))

    def sum_of_products(self, other: EncryptedArray, axis: int | Sequence[int] | None = None) -> EncryptedArray:
        """``(self * other).sum(axis)``, which relinearises every product, several times faster: each factor is prepared
        once, and each sum is rounded and relinearised once. Shapes broadcast; other noise, no more than that of the
        products one by one.

        Args:
            other: an encrypted array.
            axis: those of the product to sum over; None: all.

        Raises:
            As ``*`` and `sum`.
        """
        if not isinstance(other, EncryptedArray):
            raise UnsupportedError("sum_of_products takes two encrypted arrays; public integers are multiplied with @")
        every = range(max(self.ndim, other.ndim)) if axis is None else axis if isinstance(axis, Sequence) else (axis,)
        axes = [word(entry, "sum_of_products: an axis") for entry in every]
        return self._binary("sum_of_products", lambda x, y, how: _core.sum_of_products(x, y, axes, how), other)

    def rotate_rows(self, steps: int | Sequence[int]) -> EncryptedArray:
        """Every ciphertext's k slots, two rows of k/2, both moved to the left by ``steps`` (to the right if negative).
        Several steps give one array for each along a new first axis, which costs less than one rotation after the other
        (hoisting): ``weights @ x.rotate_rows([0, 1, 2])`` is a convolution.

        The last axis must fill ciphertexts exactly (see `padded`), so that slots and values are the same:
        ``x.reshape(..., 2, parameters.slots // 2)`` becomes ``np.roll(x, -steps, axis=-1)``.

        Raises:
            ArgumentError: an axis that does not fill its ciphertexts; steps that are no whole numbers, or none.
            MissingKeyError: no key for these steps; ask ``keygen(rotations=[...])`` for them.
        """
        row = self._parameters.slot_ring.galois.row_length  # further steps are the same again
        if isinstance(steps, (Sequence, np.ndarray)) and getattr(steps, "ndim", None) != 0:
            several = [index(step, "rotate_rows: steps") % row for step in steps]
            return self.derived(_core.rotate_rows(self._native, several, current.get().native))
        return self.derived(
            _core.rotate_rows(self._native, index(steps, "rotate_rows: steps") % row, current.get().native)
        )

    def rotate_columns(self) -> EncryptedArray:
        """Every ciphertext's two rows of slots swapped; as `rotate_rows`."""
        return self.derived(_core.rotate_columns(self._native, current.get().native))

    # --- polynomials --------------------------------------------------------------------------------------------------
    def automorphism(self, element: int) -> EncryptedArray:
        """Of polynomials, arrays in coefficients: a(x) becomes a(x^element), whose n coefficients are those of a with
        signs, since x^n is -1: coefficient i goes to place i*element modulo 2n. Products of polynomials, traces and
        packing: `negacyclic_product`, `trace`, `expand`, `pack`.

        Raises:
            ArgumentError: an even element; rows of several polynomials that don't fill their ciphertexts.
            MissingKeyError: no key for it; ask ``keygen(galois_elements=[element])``.
            UnsupportedError: an array in slots, which `rotate_rows` rotates, or a replicated one.
        """
        how = current.get().native
        return self.derived(_core.automorphism(self._native, word(element, "automorphism: an element"), how))

    def relinearized(self) -> EncryptedArray:
        """A product that was made with ``relinearize=False``, in ciphertexts of two parts; others are returned as they
        are. What is added up before costs one relinearisation for all.

        Raises:
            MissingKeyError: no relinearisation key is attached.
        """
        return self.derived(_core.relinearized(self._native, current.get().native))

    # --- bits and elements of GF(2^r) ---------------------------------------------------------------------------------
    def _of_field(self, operation: str) -> EncryptedArray:
        if self._parameters.field_degree is None:
            raise UnsupportedError(
                f"{operation} of encrypted integers; for bits take parameters with plaintext modulus 2 over Phi_m: "
                "Parameters.suggest(bits=True)"
            )
        return self

    def _of_bits(self, operation: str) -> EncryptedArray:
        return self if self.is_bits else self._of_field(operation)

    def __xor__(self, other: object) -> EncryptedArray:
        """Sums of bits, and of elements of GF(2^r)."""
        return self._of_bits("exclusive or") + other

    __rxor__ = __xor__

    def __and__(self, other: object) -> EncryptedArray:
        """Products of bits; of elements of GF(2^r) the product is ``*``."""
        if not self._of_bits("and").is_bits or (isinstance(other, EncryptedArray) and not other.is_bits):
            raise UnsupportedError("and of elements of GF(2^r), which are no bits; their product is x * y")
        return self._binary("and", _core.multiply, other)

    __rand__ = __and__

    def __or__(self, other: object) -> EncryptedArray:
        """x or y is x + y + x y."""
        return (self ^ other) ^ (self & other)

    __ror__ = __or__

    def __invert__(self) -> EncryptedArray:
        """Bits negated: x + 1."""
        if not self._of_bits("not").is_bits:
            raise UnsupportedError("not of elements of GF(2^r), which are no bits; for x + 1 write x ^ 1")
        return self + 1

    def roll(self, steps: int, dimension: int = -1) -> EncryptedArray:
        """Every ciphertext's slots, a box of shape ``parameters.slot_shape``, rolled along one dimension by ``steps``
        to the left (to the right if negative): for one ciphertext ``x.reshape(slot_shape)`` becomes ``np.roll(x,
        -steps, axis=dimension)``. The last dimension of Phi_21845 and Phi_65535 takes two rotations and two masks.

        The last axis must fill ciphertexts exactly (see `padded`).

        Raises:
            ArgumentError: an axis that does not fill its ciphertexts; no such dimension.
            MissingKeyError: the rotations' keys are not attached (`keygen` makes them unless told otherwise).
            UnsupportedError: encrypted integers; theirs is `rotate_rows`.
        """
        self._of_field("roll")
        how = current.get().native
        return self.derived(
            _core.roll(self._native, word(dimension, "roll: dimension"), word(steps, "roll: steps"), how)
        )

    def frobenius(self, power: int = 1) -> EncryptedArray:
        """x^(2^power), element by element; bits stay what they are. Powers may be negative."""
        self._of_field("frobenius")
        return self.derived(_core.frobenius(self._native, word(power, "frobenius: power"), current.get().native))

    def trace(self) -> EncryptedArray:
        """Of elements of GF(2^r): x + x^2 + x^4 + ... + x^(2^(r-1)), element by element: bits. Of polynomials, arrays
        in coefficients: the sum of a(x^g) over all odd g modulo 2n, which is n times the constant term, one replicated
        value for each; it takes ``keygen(galois_elements=cy.trace_elements(parameters))``.
        """
        if self._native.placement == _core.Placement.coefficients:
            return self.derived(_core.coefficient_trace(self._native, current.get().native))
        self._of_field("trace")
        return self.derived(_core.trace(self._native, current.get().native))

    # --- shape --------------------------------------------------------------------------------------------------------
    def __len__(self) -> int:
        if not self.shape:
            raise UnsupportedError("a scalar has no length")
        return self.shape[0]

    def __getitem__(self, key: object) -> EncryptedArray:
        """As NumPy's. What takes values out of a packed axis moves them between slots: a beginning of rows is free, a
        slice within one row of slots takes one rotation, and other choices a rotation and a product with a mask for
        each way that values go.
        """
        return self._taken(selected(key, self.shape, self._native.outer))

    def _taken(self, selection: Selection) -> EncryptedArray:
        if selection.rows or not self.shape:
            return self.derived(_core.select(self._native, selection.numbers, selection.shape))
        how = current.get().native
        return self.derived(_core.rearranged(self._native, selection.numbers, selection.shape, how))

    def __iter__(self) -> Iterator[EncryptedArray]:
        require_rows(self.shape, self._native.outer)
        return (self[i] for i in range(len(self)))

    def reshape(self, *shape: int | tuple[int, ...]) -> EncryptedArray:
        """Another shape. Where the packed axis stays as long as it is, nothing is computed; else values move between
        slots, as `transpose` says.
        """
        wanted = reshaped(self.shape, shape)
        if self._native.outer == self.shape or wanted[-1:] == list(self.shape[-1:]):
            return self.derived(_core.reshape(self._native, wanted))
        places = np.arange(math.prod(self.shape)).reshape(wanted)
        return self._taken(taken(places, self.shape, self._native.outer))

    def transpose(self, *axes: int | tuple[int, ...]) -> EncryptedArray:
        """Axes in another order, reversed by default. Without a packed axis among them it costs nothing; else values
        move between slots: where a packed axis and the one before it, of lengths r and c, trade places, r + c rotations
        and r c products with masks. Encrypt transposed what is wanted so.

        Raises:
            ArgumentError: no such axes.
            UnsupportedError: values in coefficients, or in slots that are no two rows of integers.
            MissingKeyError: the rotations' keys are not attached.
            NoiseError: the result could not be decrypted.
        """
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        try:
            places = np.arange(math.prod(self.shape)).reshape(self.shape).transpose(*order)
        except (ValueError, TypeError) as error:
            raise ArgumentError(f"transpose: axes {order!r} of shape {self.shape}: {error}") from None
        return self._taken(taken(places, self.shape, self._native.outer))

    def diagonal(self, *, axis1: int = 0, axis2: int = 1) -> EncryptedArray:
        """The values whose places along two axes are equal, along a new last axis, as NumPy's. It costs what
        `transpose` says where one of them is packed.

        Raises:
            ArgumentError: axes that there are not, or one axis twice.
            UnsupportedError, MissingKeyError, NoiseError: as `transpose`.
        """
        try:
            places = np.arange(math.prod(self.shape)).reshape(self.shape).diagonal(0, axis1, axis2)
        except (ValueError, TypeError) as error:
            raise ArgumentError(f"diagonal: axes {axis1!r}, {axis2!r} of shape {self.shape}: {error}") from None
        return self._taken(taken(places, self.shape, self._native.outer))

    @property
    def T(self) -> EncryptedArray:  # NumPy's name
        """Axes reversed: `transpose`."""
        return self.transpose()

    def padded(self) -> EncryptedArray:
        """The last axis filled up with zeros to whole ciphertexts, a multiple of n: what `rotate_rows` asks for."""
        return self.derived(_core.padded(self._native, current.get().native))

    def packed(self) -> EncryptedArray:
        """A replicated array with its last axis moved into slots; costs a plaintext product for each value."""
        if self.layout == "packed":
            return self
        return self.derived(_core.packed(self._native, current.get().native))

    # --- what encrypted integers can't do -----------------------------------------------------------------------------
    def _refuse(self, what: str) -> NoReturn:
        raise UnsupportedError(f"{what} of encrypted arrays: {_REFUSALS[what]}")

    def __truediv__(self, other: object) -> NoReturn:
        self._refuse("division")

    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __truediv__

    def __rpow__(self, other: object) -> NoReturn:
        self._refuse("powers")

    def __eq__(self, other: object) -> NoReturn:
        self._refuse("comparison")

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __eq__
    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        self._refuse("truth")

    def __int__(self) -> NoReturn:
        self._refuse("conversion")

    __float__ = __complex__ = __index__ = __int__

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        self._refuse("conversion")

    def __array_function__(self, function: Any, _: Any, arguments: Any, options: Any) -> Any:
        """NumPy's functions (NEP 18): those that `numpy_functions` has. Found when called, as they build on this."""
        return import_module("cyclotome.numpy_functions").call(function, arguments, options)

    def mean(self, *_: Any, **__: Any) -> NoReturn:
        """Refused: a mean is no integer. Use ``sum`` and divide after decryption."""
        self._refuse("mean")

    # --- display and pickling -----------------------------------------------------------------------------------------
    def _facts(self) -> dict[str, str]:
        headroom = self.noise_headroom
        extent = f"{plural(self.ciphertexts, 'ciphertext')}, {byte_size(self.nbytes)}"
        if self._parameters.has_levels or self.level < len(self._parameters.moduli):
            extent += f", level {self.level} of {len(self._parameters.moduli)}"
        return {
            "shape": str(self.shape),
            "values": "bits"
            if self.is_bits
            else f"in {self.dtype}"
            if self._parameters.field_degree is not None
            else "modulo T"
            if self.bound is None
            else extent_of(*self._native.bound.values),
            "layout": f"{self.layout} in {self.encoding}, {extent}",
            "noise headroom": f"{headroom:.0f} bits" if headroom >= 0 else f"none ({headroom:.0f} bits): undecryptable",
            "key": self.key_id[:8],
            "parameters": self._parameters.summary(),
        }

    def __repr__(self) -> str:
        facts = self._facts()
        return (
            f"EncryptedArray(shape={facts['shape']}, {facts['values']}, {facts['layout']}, noise headroom "
            f"{facts['noise headroom']}, {facts['parameters']})"
        )

    def _repr_html_(self) -> str:
        return html_table("EncryptedArray", self._facts())
