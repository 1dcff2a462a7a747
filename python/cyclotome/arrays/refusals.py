# SPDX-License-Identifier: Apache-2.0
"""What encrypted arrays can't do, though numbers can: each says why, and what does instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from ..errors import UnsupportedError

__all__ = ["NoNumber", "unknown"]

_REFUSALS = {
    "division": "results of divisions are no integers; decrypt and divide there, or multiply by a scaled reciprocal; "
    "x // 7 and x % 7 by public numbers are",
    "comparison": "an answer in the clear would reveal them; cyclotome.equal, less and maximum give encrypted ones. "
    "(Two arrays are the same object if `x is y`)",
    "truth": "whether an encrypted value is zero can't be told without the secret key; decrypt first",
    "conversion": "an encrypted value has no number to show; use cyclotome.decrypt(x, secret)",
    "mean": "a mean is no integer; use x.sum(axis) and divide by the count after decryption",
    "powers": "powers of plaintext numbers with encrypted exponents don't exist in this scheme",
}


#: What does instead of NumPy's methods that there are not.
_INSTEAD = {
    **dict.fromkeys(("max", "min"), "cyclotome.top_k, sort, maximum and minimum give encrypted ones"),
    **dict.fromkeys(("argmax", "argmin", "sort"), "cyclotome has a function of this name"),
    **dict.fromkeys(("var", "std"), "decrypt x.sum() and (x * x).sum(), and divide there"),
    "clip": "cyclotome.minimum and maximum do it",
    **dict.fromkeys(("prod", "cumprod", "cumsum"), "products and sums of parts are written out, x[0] * x[1]"),
    **dict.fromkeys(("tolist", "item", "astype", "view", "tobytes"), "decrypt first: cyclotome.decrypt(x, secret)"),
    **dict.fromkeys(("any", "all", "nonzero"), "cyclotome.is_zero gives encrypted answers, which sums count"),
    **dict.fromkeys(("ravel", "flatten", "squeeze"), "x.reshape does it"),
}


def unknown(obj: object, name: str, instead: str) -> AttributeError:
    """The error for an attribute that there is not, with a way out where somebody wrote the name."""
    advice = "" if name.startswith("_") else f"; {instead}"
    return AttributeError(f"{type(obj).__name__!r} object has no attribute {name!r}{advice}", name=name, obj=obj)


class NoNumber:
    """The part of `EncryptedArray` that refuses: what would need the values."""

    __slots__ = ()

    def _refuse(self, what: str) -> NoReturn:
        raise UnsupportedError(f"{what} of encrypted arrays: {_REFUSALS[what]}")

    def __eq__(self, other: object) -> NoReturn:
        self._refuse("comparison")

    __ne__ = __contains__ = __eq__
    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        self._refuse("truth")

    def mean(self, *_: object, **__: object) -> NoReturn:
        """Refused: a mean is no integer. Use ``sum`` and divide after decryption."""
        self._refuse("mean")

    # To a type checker what is refused is not there: ``x / 2`` is an error where it is written, and NumPy's stubs don't
    # take an encrypted array for what they can convert, so that ``matrix @ x`` has the type that ``x`` gives it.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise unknown(self, name, _INSTEAD.get(name, "what it has says help(cyclotome.EncryptedArray)"))

        def __truediv__(self, other: object) -> NoReturn:
            self._refuse("division")

        __rtruediv__ = __rfloordiv__ = __rmod__ = __rdivmod__ = __truediv__

        def __rpow__(self, other: object) -> NoReturn:
            self._refuse("powers")

        def __lt__(self, other: object) -> NoReturn:
            self._refuse("comparison")

        __le__ = __gt__ = __ge__ = __lt__

        def __int__(self) -> NoReturn:
            self._refuse("conversion")

        __float__ = __complex__ = __index__ = __int__

        def __array__(self, *_: object, **__: object) -> NoReturn:
            self._refuse("conversion")
