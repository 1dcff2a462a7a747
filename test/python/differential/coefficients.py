# SPDX-License-Identifier: Apache-2.0
"""Operations on polynomials: arrays whose last axis is coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .recording import api
from .verbs import Verb, integers_text, table_of

_DEGREE = 16  # programs.DEGREE, which this module is below


def _filled(x: Any) -> Any:
    """Coefficients up to the ring's degree."""
    return np.concatenate([x, np.zeros((*x.shape[:-1], _DEGREE - x.shape[-1]), dtype=object)], axis=-1)


def _negacyclic(x: Any, y: Any, relinearize: bool = True) -> Any:
    a, b = np.broadcast_arrays(_filled(x), _filled(y))
    product = np.zeros(a.shape, dtype=object)
    for i in range(_DEGREE):
        for j in range(_DEGREE):
            sign = -1 if i + j >= _DEGREE else 1
            product[..., (i + j) % _DEGREE] += sign * a[..., i] * b[..., j]
    return product


def _convolved(x: Any, y: Any, relinearize: bool = True) -> Any:
    count = x.shape[-1] + y.shape[-1] - 1
    if count > _DEGREE:
        raise ValueError("more coefficients than the ring has")
    return _negacyclic(x, y)[..., :count]


def _turned(x: Any, element: int) -> Any:
    a, turned = _filled(x), np.zeros((*x.shape[:-1], _DEGREE), dtype=object)
    for i in range(_DEGREE):
        place = i * element % (2 * _DEGREE)
        turned[..., place % _DEGREE] += -a[..., i] if place >= _DEGREE else a[..., i]
    return turned


def _expanded(x: Any, scaled: bool) -> Any:
    steps = (x.shape[-1] - 1).bit_length()
    return x * 2**steps if scaled else x


def _room(name: str) -> Any:
    """Where users find a product: `convolve` in the package, others with the polynomials."""
    return api if name == "convolve" else api.polynomials


def _product(name: str, clear: Callable[..., Any]) -> Verb:
    return Verb(
        2,
        clear,
        lambda world, x, y, relinearize: getattr(_room(name), name)(x, y, relinearize=relinearize),
        {"relinearize": st.booleans()},
        lambda relinearize: str(int(relinearize)),
    )


def _product_with(name: str, clear: Callable[..., Any]) -> Verb:
    return Verb(
        1,
        lambda x, w: clear(x, np.asarray(w, dtype=object)),
        lambda world, x, w: getattr(_room(name), name)(x, w),
        {"w": table_of(None)},
        lambda w: integers_text(w),
    )


COEFFICIENTS: dict[str, Verb] = {
    "negacyclic_product": _product("negacyclic_product", _negacyclic),
    "convolve": _product("convolve", _convolved),
    "negacyclic_with": _product_with("negacyclic_product", _negacyclic),
    "convolve_with": _product_with("convolve", _convolved),
    "relinearized": Verb(1, lambda x: x, lambda world, x: x.relinearized(), cpp=lambda: ""),
    "automorphism": Verb(
        1,
        _turned,
        lambda world, x, element: x.automorphism(element),
        {"element": st.sampled_from([3, 5, 9, 17])},
        lambda element: str(element),
    ),
    "trace": Verb(1, lambda x: np.asarray(x[..., 0] * _DEGREE, dtype=object), lambda world, x: x.trace()),
    "expand": Verb(
        1,
        _expanded,
        lambda world, x, scaled: api.polynomials.expand(x, scaled=scaled),
        {"scaled": st.booleans()},
        lambda scaled: str(int(scaled)),
    ),
    "pack": Verb(
        1,
        lambda x, scaled: x,
        lambda world, x, scaled: api.polynomials.pack(api.polynomials.expand(x), scaled=scaled),
        {"scaled": st.booleans()},
    ),
}
