# SPDX-License-Identifier: Apache-2.0
"""SEAL's ciphertexts on their way to one array: read alike, and what is said of their slots and their noise."""

from __future__ import annotations

import math

from .. import _core
from ..errors import ArgumentError, FormatError
from ..parameters.parameters import Parameters
from .seal_chain import Chain
from .seal_frame import Data, opened
from .seal_noise import Noise, bounds_of, fresh_bits, of_budget
from .seal_objects import Ciphertext, read_ciphertext

__all__ = ["alike", "layout_of", "one_ciphertext", "stated"]


def one_ciphertext(data: Data, chain: Chain, max_bytes: int) -> Ciphertext:
    """One Ciphertext and nothing behind it.

    Raises:
        FormatError, UnsupportedError, FileError, MissingPackageError: see `Owner.read_array`.
    """
    body = opened(data, "ciphertext", max_bytes)
    ciphertext = read_ciphertext(body, chain)
    body.finish()
    factor, t = ciphertext.correction, chain.plain_modulus
    if factor != 1 and (chain.scheme != "bgv" or factor >= t or math.gcd(factor, t) != 1):
        raise FormatError(
            f"correction factor {factor}; it is 1 in BFV and a unit below t = {t} in BGV: the data is damaged"
        )
    return ciphertext


def alike(items: list[Ciphertext]) -> Ciphertext:
    """The first of ciphertexts that can be one array.

    Raises:
        ArgumentError: there are none, or they differ in what an array has once.
    """
    if not items:
        raise ArgumentError("no ciphertexts were given")
    if len({(item.residues.shape, item.transformed, item.correction) for item in items}) > 1:
        raise ArgumentError(
            "the ciphertexts differ in parts, level, form or correction factor; read those that are alike together, "
            "and put the arrays together with cyclotome.concatenate"
        )
    return items[0]


def layout_of(
    parameters: Parameters, count: int, several: bool, length: int | None, encoding: str | None
) -> tuple[tuple[int, ...], _core.Placement, bool]:
    """Shape, placement, and whether values fill all of ``count`` ciphertexts.

    Raises:
        ArgumentError: an encoding that is not there, or a length that does not fit.
    """
    n, known = parameters.slots, ("slots", "coefficients") if parameters.has_slots else ("coefficients",)
    if encoding not in (None, *known):
        raise ArgumentError(f"encoding {encoding!r}; these parameters have {' and '.join(known)}")
    slots = parameters.has_slots if encoding is None else encoding == "slots"
    placement = _core.Placement.slots if slots else _core.Placement.coefficients
    if length is None:
        return ((count, n) if several else (n,)), placement, True
    if not (count - 1) * n < length <= count * n:
        raise ArgumentError(
            f"length {length}, but {count} ciphertexts of {n} values hold from {(count - 1) * n + 1} to {count * n}"
        )
    if not slots and length % n:
        raise ArgumentError(f"length {length} in coefficients, where arrays fill all {n} of them: leave it out")
    return (length,), placement, length % n == 0


def stated(chain: Chain, like: Ciphertext, fresh: bool, budget: int | None, bits: float | None) -> Noise | None:
    """What the caller says of the noise; None where nothing is said.

    Raises:
        ArgumentError: it is said twice, or can't be.
    """
    if bool(fresh) + (budget is not None) + (bits is not None) > 1:
        raise ArgumentError("fresh, noise_budget and noise_bits say the same in different ways; take one of them")
    if fresh:
        if len(like.residues) != 2 or like.limbs != len(chain.moduli) or like.correction != 1:
            raise ArgumentError(
                f"fresh=True, but a ciphertext of {len(like.residues)} parts and {like.limbs} primes was computed from "
                "others; state noise_budget, what SEAL's invariant_noise_budget says"
            )
        return bounds_of(chain, fresh_bits(chain))
    if budget is not None:
        return bounds_of(chain, of_budget(chain, like.limbs, budget))
    if bits is None:
        return None
    if not math.isfinite(bits):
        raise ArgumentError(f"noise_bits {bits} is no number of bits")
    return bounds_of(chain, max(0.0, float(bits)))
