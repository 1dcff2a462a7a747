# SPDX-License-Identifier: Apache-2.0
"""Plaintext operands as rows beside ciphertexts, and ciphertexts in the order of a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from .channels import Channels, in_pieces, part, take
from .errors import UnsupportedError
from .layout import Indices, Layout
from .values import IntArray, residues

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["broadcast", "order", "require_slots", "rows_of", "with_rows"]


def order(x: Layout, out: Layout) -> Indices:
    """Number of the ciphertext of ``x`` behind every ciphertext of ``out``."""
    indices = x.indices()
    if out.packed and not x.packed:  # the last axis, of length 1 or missing, stands where the slots are
        indices = indices.reshape((*x.shape[:-1], 1))
    return np.broadcast_to(indices, (*out.outer, out.chunks)).ravel()


def broadcast(x: EncryptedArray, out: Layout) -> Channels:
    """The ciphertexts of ``x`` in the order of a result; a single one stays single, which the library broadcasts."""
    if x._layout.batch == 1:
        return x._channels
    return take(x._channels, order(x._layout, out))


def rows_of(layout: Layout, w: IntArray) -> tuple[IntArray, bool]:
    """``w`` as rows to encode, one for each ciphertext or one for all, and whether in slots (or coefficients)."""
    if not layout.packed:  # constants
        return np.broadcast_to(w, layout.shape).reshape((-1, 1)), False
    if layout.chunks == 1 and all(length == 1 for length in w.shape[:-1]):
        layout, w = layout.reshaped((layout.length,)), w.ravel()
    return layout.rows(np.broadcast_to(w, layout.shape)), layout.slots


def with_rows(
    what: str,
    function: Callable[[_core.Ciphertext, _core.Plaintext], _core.Ciphertext],
    x: EncryptedArray,
    layout: Layout,
    rows: IntArray,
    slots: bool,
) -> Channels:
    """``function`` of every ciphertext of ``x``, in the order of ``layout``, and its row."""
    channels, context = broadcast(x, layout), x._context.native
    single = [_encoded(context, i, rows, slots) for i in range(len(channels))] if len(rows) == 1 else []

    def combine(channel: int, start: int, stop: int) -> _core.Ciphertext:
        plain = single[channel] if single else _encoded(context, channel, rows[start:stop], slots)
        return function(part(channels[channel], start, stop), plain)

    return in_pieces(what, x._context.engine, layout.batch, len(channels), combine)


def _encoded(context: _core.Context, channel: int, rows: IntArray, slots: bool) -> _core.Plaintext:
    return _core.encode(context, channel, slots, residues(rows, context.parameters.plain_moduli[channel]))


def require_slots(operation: str, layout: Layout) -> None:
    """Refuses values in coefficients.

    Raises:
        UnsupportedError: they are there.
    """
    if not layout.slots:
        raise UnsupportedError(
            f"{operation}: the array lies in coefficients, which know sums, and products with scalars only. For "
            "operations value by value take plaintext moduli with slots (Parameters.suggest chooses such), or "
            "encrypt(..., layout='replicated'), one ciphertext for each value"
        )
