# SPDX-License-Identifier: Apache-2.0
"""Values into slots, out of them into all slots, and rotations of slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from .channels import Channels, apply_galois, concatenate, require_evaluation, sum_slots, take
from .errors import ArgumentError, MissingKeyError
from .layout import Layout
from .rows import require_slots, rows_of, with_rows
from .values import index

if TYPE_CHECKING:
    from .array import EncryptedArray
    from .keys import EvaluationKeys

__all__ = ["cleaned", "packed", "padded", "rotate_columns", "rotate_rows", "spread"]


def cleaned(x: EncryptedArray) -> EncryptedArray:
    """A packed array with nothing but zeros beside its values: by a product with a mask, where it takes one."""
    if x._layout.zero_padded:
        return x
    rows, slots = rows_of(x._layout, np.ones((x.shape[-1],), dtype=np.int64))
    masked = with_rows("masking", _core.multiply_plain, x, x._layout, rows, slots)
    return x._derived(masked, layout=x._layout.reshaped(x.shape, clean=True), bound=x.bound)


def padded(x: EncryptedArray) -> EncryptedArray:
    """x.padded()."""
    if not x._layout.packed:
        raise ArgumentError("padded: every value of a replicated array fills its ciphertext already")
    shape = (*x.shape[:-1], x._layout.chunks * x._layout.width)
    return x._derived(cleaned(x)._channels, layout=x._layout.reshaped(shape), bound=x.bound)


def spread(x: EncryptedArray) -> EncryptedArray:
    """A packed array whose last axis has length 1 with its values in all slots: the same shape, replicated."""
    keys = require_evaluation(x._keys.evaluation, "broadcasting a packed column")
    require_slots("broadcasting a packed column", x._layout)
    layout = x._layout.reshaped(x.shape, packed=False)
    return x._result("broadcasting", sum_slots(cleaned(x)._channels, keys), layout=layout, bound=x.bound)


def packed(x: EncryptedArray) -> EncryptedArray:
    """x.packed(): value i of the last axis times the unit vector e_i, added up."""
    if x._layout.packed:
        return x
    if not x.shape or not x.parameters.has_slots:
        raise ArgumentError("packed: takes an array with at least one axis, and plaintext moduli with slots")
    layout = Layout(x.shape, x._layout.width, packed=True, slots=True)
    length, width = layout.length, layout.width
    by_row = x._layout.indices().reshape((-1, length))
    chunks = []
    for start in range(0, length, width):
        count = min(width, length - start)
        column = x._layout.reshaped((len(by_row), count, 1))
        values = x._derived(take(x._channels, by_row[:, start : start + count]), layout=column, bound=x.bound)
        full = Layout((len(by_row), count, width), width, packed=True, slots=True)
        rows, slots = rows_of(full, np.eye(count, width, dtype=np.int64))
        placed = with_rows("packing", _core.multiply_plain, values, full, rows, slots)
        chunks.append(tuple(_core.sum_groups(channel, count) for channel in placed))
    order = np.arange(layout.batch).reshape((layout.chunks, -1)).T
    return x._result("packed", take(concatenate(chunks), order), layout=layout, bound=x.bound)


def rotate_rows(x: EncryptedArray, steps: int | Sequence[int]) -> EncryptedArray:
    """x.rotate_rows(steps): by the keys that are there, one rotation after the other where none fits at once."""
    keys = _rotatable(x, "rotate_rows")
    half = x.parameters.degree // 2
    if not isinstance(steps, (Sequence, np.ndarray)):
        wanted = index(steps, "rotate_rows: steps") % half
        return x._derived(_rotated(x._channels, [wanted], keys, half)[wanted], bound=x.bound)
    several = [index(step, "rotate_rows: steps") % half for step in steps]
    if not several:
        raise ArgumentError("rotate_rows: no steps were given; take at least one")
    made = _rotated(x._channels, several, keys, half)
    layout = x._layout.reshaped((len(several), *x.shape))
    return x._derived(concatenate([made[step] for step in several]), layout=layout, bound=x.bound)


def _rotated(a: Channels, steps: list[int], keys: EvaluationKeys, half: int) -> dict[int, Channels]:
    """``a`` rotated by each of ``steps``, on ways that share what they can: all that starts from one array takes one
    decomposition."""
    ways: dict[int, dict[int, int]] = {}  # from what is rotated, to what: by how much at once
    for step in steps:
        reached = 0
        for turn in _composed(step, keys, half):
            ways.setdefault(reached, {})[reached + turn] = turn
            reached += turn
    made = {0: a}
    for start in sorted(ways):  # turns are positive: what is started from was made before
        elements = [_core.row_rotation_element(2 * half, turn) for turn in ways[start].values()]
        made.update(zip(ways[start], apply_galois(made[start], elements, keys), strict=True))
    return made


def rotate_columns(x: EncryptedArray) -> EncryptedArray:
    """x.rotate_columns()."""
    keys = _rotatable(x, "rotate_columns")
    element = _core.column_rotation_element(x.parameters.degree)
    return x._derived(apply_galois(x._channels, [element], keys)[0], bound=x.bound)


def _rotatable(x: EncryptedArray, operation: str) -> EvaluationKeys:
    if not x._layout.packed or not x._layout.slots or not x._layout.full:
        raise ArgumentError(
            f"{operation} takes a packed array in slots whose last axis fills its ciphertexts, a multiple of "
            f"{x.parameters.degree} values; this one has shape {x.shape}, {x.layout} in {x.encoding}. x.padded() fills "
            "it up"
        )
    return require_evaluation(x._keys.evaluation, operation)


def _composed(steps: int, keys: EvaluationKeys, half: int) -> list[int]:
    """Steps that there are keys for and that make ``steps`` together: one, or powers of two."""
    available = {step % half for step in keys.rotations}
    if steps == 0:
        return []
    if steps in available:
        return [steps]
    powers = [1 << i for i in range(steps.bit_length()) if steps >> i & 1]
    if all(power in available for power in powers):
        return powers
    raise MissingKeyError(
        f"rotate_rows: no keys for {steps} steps (there are some for {keys.rotations}); ask for this rotation when the "
        f"keys are generated, keygen(parameters, rotations=[{steps}]), or for powers of two, "
        "cyclotome.sum_rotations(parameters)"
    )
