# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts of every plaintext modulus side by side, a *channel* for each; operations do the same in all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from . import _core
from .errors import MissingKeyError, TransparentError
from .layout import Indices
from .memory import announce_rest
from .reporting import Callback, Task
from .values import IntArray, residues

if TYPE_CHECKING:
    from .keys import EvaluationKeys, PublicKey

__all__ = [
    "Channels",
    "apply_galois",
    "concatenate",
    "each",
    "hidden",
    "in_pieces",
    "linear_combination",
    "multiply",
    "multiply_relinearized",
    "part",
    "pieces",
    "relinearize",
    "require_evaluation",
    "sum_slots",
    "take",
]

Channels = tuple[_core.Ciphertext, ...]

#: A long operation is cut into at most this many pieces, of at least so many ciphertexts each: on a GPU, which is busy
#: with large batches only, more than on a CPU.
_PIECES = 32
_SMALLEST_PIECE = {"cpu": 8, "cuda": 1024}


def each(function: Callable[..., _core.Ciphertext], *operands: Sequence[object]) -> Channels:
    """``function`` of the operands' channels, one channel after the other."""
    return tuple(function(*channel) for channel in zip(*operands, strict=True))


def take(a: Channels, indices: Indices) -> Channels:
    """The ciphertexts with these numbers, in this order; ``a`` itself if those are all of it."""
    wanted: list[int] = indices.ravel().tolist()
    if wanted == list(range(a[0].batch)):
        return a
    return tuple(_core.take(channel, wanted) for channel in a)


def concatenate(arrays: Sequence[Channels]) -> Channels:
    """One batch after the other."""
    if len(arrays) == 1:
        return arrays[0]
    return tuple(_core.concatenate(list(channels)) for channels in zip(*arrays, strict=True))


def pieces(total: int, engine: _core.Engine) -> Iterator[tuple[int, int]]:
    """Ranges that cover ``range(total)``, to be worked on one after the other by ``engine``."""
    smallest = _SMALLEST_PIECE.get(engine.name.partition(":")[0], _SMALLEST_PIECE["cpu"])
    size = max(smallest, -(-total // _PIECES))
    for start in range(0, total, size):
        yield start, min(start + size, total)


def part(a: _core.Ciphertext, start: int, stop: int) -> _core.Ciphertext:
    """Ciphertexts ``start`` to ``stop``; a batch of one, which is broadcast, as it is."""
    if a.batch == 1 or (start, stop) == (0, a.batch):
        return a
    return _core.take(a, list(range(start, stop)))


def _engine(a: Channels) -> _core.Engine:
    return a[0].context.engine


def in_pieces(
    what: str,
    engine: _core.Engine,
    batch: int,
    channels: int,
    function: Callable[[int, int, int], _core.Ciphertext],
    callback: Callback | None = None,
    *,
    whole: bool = False,
) -> Channels:
    """``function(channel, start, stop)`` for pieces of a batch (or all of it), joined; reports progress."""
    task = Task(what, batch * channels, callback)
    results = []
    for channel in range(channels):
        made = []
        for start, stop in [(0, batch)] if whole else pieces(batch, engine):
            made.append(function(channel, start, stop))
            if start == 0 and stop < batch:  # what follows, and all of it joined
                announce_rest(what, made[0], 2 * batch - stop)
            task.advance(stop - start)
        results.append(made[0] if len(made) == 1 else _core.concatenate(made))
    return tuple(results)


def linear_combination(a: Channels, matrix: IntArray) -> Channels:
    """``matrix`` (rows x batch, public integers) times the column of ciphertexts."""
    return tuple(_core.linear_combination(channel, residues(matrix, channel.plain_modulus)) for channel in a)


def require_evaluation(keys: EvaluationKeys | None, operation: str) -> EvaluationKeys:
    """``keys``, unless there are none.

    Raises:
        MissingKeyError: there are none; the message says where they come from.
    """
    if keys is None:
        raise MissingKeyError(
            f"{operation} takes evaluation keys, and none are attached to the operands; attach them with "
            "x = x.with_keys(evaluation), or cyclotome.load(path, keys=evaluation)"
        )
    return keys


def multiply(a: Channels, b: Channels) -> Channels:
    """Products of ciphertexts, of 3 parts; batches are equal or 1."""
    batch = max(a[0].batch, b[0].batch)

    def product(channel: int, start: int, stop: int) -> _core.Ciphertext:
        x = part(a[channel], start, stop)
        return _core.square(x) if a is b else _core.multiply(x, part(b[channel], start, stop))

    return in_pieces("multiplying", _engine(a), batch, len(a), product)


def multiply_relinearized(a: Channels, b: Channels, keys: EvaluationKeys) -> Channels:
    """The same, relinearised at once."""
    batch, native = max(a[0].batch, b[0].batch), keys._native

    def product(channel: int, start: int, stop: int) -> _core.Ciphertext:
        x = part(a[channel], start, stop)
        if a is b:
            return _core.square_relinearized(x, native)
        return _core.multiply_relinearized(x, part(b[channel], start, stop), native)

    return in_pieces("multiplying", _engine(a), batch, len(a), product)


def relinearize(a: Channels, keys: EvaluationKeys) -> Channels:
    """Products back to 2 parts."""

    def relinearized(channel: int, start: int, stop: int) -> _core.Ciphertext:
        return _core.relinearize(part(a[channel], start, stop), keys._native)

    return in_pieces("relinearising", _engine(a), a[0].batch, len(a), relinearized)


def sum_slots(a: Channels, keys: EvaluationKeys) -> Channels:
    """The sum of all slots, in every slot."""

    def total(channel: int, start: int, stop: int) -> _core.Ciphertext:
        return _core.sum_slots(part(a[channel], start, stop), keys._native)

    return in_pieces("summing over slots", _engine(a), a[0].batch, len(a), total)


def apply_galois(a: Channels, elements: Sequence[int], keys: EvaluationKeys) -> list[Channels]:
    """The automorphisms x -> x^element of ``a``, switched back to the secret key: one decomposition for all of them."""
    task = Task("rotating", a[0].batch * len(a) * len(elements))
    made: list[list[_core.Ciphertext]] = [[] for _ in elements]  # by element, then channel
    for channel in a:
        moved: list[list[_core.Ciphertext]] = [[] for _ in elements]
        for start, stop in pieces(channel.batch, channel.context.engine):
            turned = _core.apply_galois_hoisted(part(channel, start, stop), list(elements), keys._native)
            for parts, one in zip(moved, turned, strict=True):
                parts.append(one)
            task.advance((stop - start) * len(elements))
        for results, parts in zip(made, moved, strict=True):
            results.append(parts[0] if len(parts) == 1 else _core.concatenate(parts))
    return [tuple(results) for results in made]


def hidden(a: Channels, public: PublicKey | None, operation: str) -> Channels:
    """``a``, encrypted anew wherever it had come to hide nothing.

    Raises:
        TransparentError: that happened and there is no public key.
    """
    if not any(_core.is_transparent(channel) for channel in a):
        return a
    if public is None:
        raise TransparentError(
            f"{operation}: the result would be a ciphertext that hides nothing (as x - x and 0 * x are); attach the "
            "public key with x = x.with_keys(public), which encrypts such results anew, or leave the operation out"
        )
    return each(lambda channel: _core.rerandomize(channel, public._native), a)
