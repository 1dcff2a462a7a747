# SPDX-License-Identifier: Apache-2.0
"""One function of many batches, by a pool of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import chain
from typing import Any, TypeVar

from ..devices.contexts import ACCOUNT
from ..errors import ArgumentError, UnsupportedError
from .batches import arrays_within, keys_of
from .pool import Pool, devices_of, ring_of

__all__ = ["map"]

_Batch = TypeVar("_Batch")
_Result = TypeVar("_Result")

ENGINES = ("local", "ray")
_NOTHING: Any = object()


def map(
    function: Callable[[_Batch], _Result],
    batches: Iterable[_Batch],
    *,
    engine: str = "local",
    workers: int | None = None,
    device: str | Sequence[str] = "cpu:1",
    keys: object = None,
    retries: int = 2,
) -> list[_Result]:
    """``[function(batch) for batch in batches]``, computed by several processes at once: the same values, in the same
    order. Locally it is `Pool.map` of a pool that ends with it: who maps more than once keeps a pool.

    Args:
        function, batches: as for `Pool.map`; Ray takes any function.
        engine: "local", processes of this machine; "ray", those of a Ray cluster (extra "ray"): the one that the
            program or RAY_ADDRESS has joined, or one of this machine that is started now and ended afterwards.
            Ciphertexts go through its object store, and are read where they lie there.
        workers: as for `Pool`; None on Ray: as many as the cluster has cores, or GPUs, for.
        device: as for `Pool`; on Ray "cuda" is a GPU for each worker, which Ray tells apart.
        keys, retries: as for `Pool`.

    Returns:
        What the function returned, in the order of the batches; arrays in it know the keys.

    Raises:
        ArgumentError: another engine; as for `Pool`.
        FunctionError, UnsupportedError: as for `Pool` and `Pool.map`.
        MissingPackageError: engine "ray", and the extra is not installed.

    Example:
        >>> import cyclotome as cy
        >>> from operator import neg
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=7), rotations=[])
        >>> batches = [cy.encrypt([i, 2 * i], public) for i in range(3)]
        >>> [cy.decrypt(y, secret).tolist() for y in cy.map(neg, batches, workers=1)]
        [[0, 0], [-1, -2], [-2, -4]]
    """
    if engine not in ENGINES:
        raise ArgumentError(f"map: engine {engine!r}; there are 'local' and 'ray'")
    given = iter(batches)
    first = next(given, _NOTHING)
    of_plan = first is not _NOTHING and any(array.device == ACCOUNT for array in arrays_within(first))
    with Pool(workers=workers, device=device, keys=keys, retries=retries) as pool:
        if first is _NOTHING:
            return []
        if engine == "local" or of_plan:
            return pool.map(function, batches if isinstance(batches, Sized) else chain([first], given))
    from .ray_workers import Work, ray_map

    if not callable(function):
        raise UnsupportedError(f"map takes a function, not {type(function).__name__}")
    ring = keys_of(first) if keys is None else ring_of(keys)
    (where,) = devices_of(device, 1)
    return ray_map(Work(function, ring, where, retries), workers, chain([first], given))
