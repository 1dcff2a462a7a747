# SPDX-License-Identifier: Apache-2.0
"""SEAL's plaintexts: a polynomial modulo t, whose slots or coefficients are the values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..devices.contexts import context_on
from ..errors import ArgumentError, RangeError
from ..numbers.values import integers
from ..parameters.parameters import Parameters
from .seal_chain import Chain
from .seal_frame import VERSION, Data, Writer, opened
from .seal_objects import read_plaintext as read_members
from .seal_objects import write_plaintext as write_members

__all__ = ["read_plaintext", "write_plaintext"]


def _slots(parameters: Parameters, encoding: str | None) -> bool:
    if encoding not in (None, "slots", "coefficients"):
        raise ArgumentError(f"encoding {encoding!r}; there are 'slots' and 'coefficients'")
    if encoding == "slots" and not parameters.has_slots:
        raise ArgumentError(
            f"plaintext modulus {parameters.plain_moduli[0]} has no slots at degree {parameters.degree}; use "
            "encoding='coefficients'"
        )
    return parameters.has_slots if encoding is None else encoding == "slots"


def read_plaintext(data: Data, parameters: Parameters, *, encoding: str | None = None) -> NDArray[np.int64]:
    """The n values of SEAL's Plaintext, between −t/2 and t/2.

    Args:
        data: bytes, or the path of a file.
        parameters: those of its SEALContext.
        encoding: "slots": what BatchEncoder.decode gives, n values, its matrix row after row. "coefficients": of the
            polynomial. None: slots if the parameters have them.

    Raises:
        FormatError: no Plaintext, or damaged.
        UnsupportedError: a plaintext in transform (NTT) form.
        ArgumentError, FileError, MissingPackageError: an encoding that is not there; no such file; zstd without the
            extra ``seal``.
    """
    chain, slots = Chain.of(parameters), _slots(parameters, encoding)
    words = read_members(opened(data, "plaintext", 64 * chain.degree + 4096), chain)
    t = chain.plain_modulus
    signed = words.astype(np.int64)
    centred = np.where(signed > t // 2, signed - t, signed)
    return _slot_values(parameters, centred) if slots else centred


def _slot_values(parameters: Parameters, coefficients: NDArray[np.int64]) -> NDArray[np.int64]:
    """The slots of a polynomial."""
    context = context_on("cpu", parameters)
    plaintext = _core.encode_residues(context.native, 0, False, coefficients[None])
    slots: NDArray[np.int64] = np.asarray(_core.decode_residues(plaintext, True))[0]
    return slots


def write_plaintext(
    values: object,
    parameters: Parameters,
    *,
    encoding: str | None = None,
    compression: str = "zlib",
    version: str = VERSION,
) -> bytes:
    """The bytes that SEAL's Plaintext.load takes, for up to n values between −t/2 and t/2; the others are zeros.

    Raises:
        RangeError: values beyond t/2.
        ArgumentError: more than n values, or not a list of them.
        ParameterError, MissingPackageError: as `write_parameters`.
    """
    chain, slots, writer = Chain.of(parameters), _slots(parameters, encoding), Writer(compression, version)
    numbers = np.atleast_1d(integers(values, "write_plaintext"))
    if numbers.ndim != 1 or len(numbers) > chain.degree:
        raise ArgumentError(f"values of shape {numbers.shape}; a plaintext holds a list of up to {chain.degree}")
    half = chain.plain_modulus // 2
    if len(numbers) and max(int(numbers.max()), -int(numbers.min())) > half:
        raise RangeError(f"values beyond ±{half}, half of the plaintext modulus {chain.plain_modulus}")
    row = np.zeros((1, chain.degree), dtype=np.int64)
    row[0, : len(numbers)] = numbers
    if slots:
        row = _coefficients(parameters, row)
    return bytes(writer.outer(write_members(writer, (row[0] % chain.plain_modulus).astype(np.uint64))))


def _coefficients(parameters: Parameters, row: NDArray[np.int64]) -> NDArray[np.int64]:
    context = context_on("cpu", parameters)
    return np.asarray(_core.decode_residues(_core.encode_residues(context.native, 0, True, row), False))
