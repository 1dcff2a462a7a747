# SPDX-License-Identifier: Apache-2.0
"""Arrays cut along their first axis, for several devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .arrays.array import EncryptedArray
from .arrays.encryption import EncryptOptions, encrypt_integers
from .arrays.sharded import ShardedArray
from .arrays.side_by_side import at_once
from .devices.contexts import device_name
from .errors import ArgumentError, UnsupportedError
from .keys.kinds import PublicKey, SecretKey
from .numbers.values import integers

if TYPE_CHECKING:  # of Python 3.11; type checkers bring it along
    from typing_extensions import Unpack

__all__ = ["ShardedArray", "encrypt_sharded", "shard"]


def _cuts(length: int, devices: Sequence[str]) -> list[tuple[int, int, str]]:
    """Consecutive pieces of nearly equal length, one for each device while there are rows left."""
    if isinstance(devices, str) or not devices:
        raise ArgumentError(f"devices={devices!r}: name at least one, such as ['cuda:0', 'cuda:1']")
    names = [device_name(device) for device in devices][:length]
    ends = [length * (i + 1) // len(names) for i in range(len(names))]
    return list(zip([0, *ends], ends, names, strict=False))


def shard(x: EncryptedArray, devices: Sequence[str]) -> ShardedArray:
    """``x`` cut along its first axis, the pieces moved to ``devices``, keys to each of them.

    Args:
        x: an array whose first axis is not the packed one: at least two axes, or layout "replicated".
        devices: full or short names, such as ["cuda:0", "cuda:1"]; a device that is named twice gets two pieces.

    Raises:
        ArgumentError: no devices, or an array that can't be cut.
        EngineError: an unknown or absent device.

    Example:
        >>> import cyclotome as cy, numpy as np
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=7, terms=16))
        >>> x = cy.sharding.shard(cy.encrypt(np.arange(12).reshape(4, 3), public), devices=["cpu:1", "cpu:2"])
        >>> cy.decrypt((x * x).sum(axis=0), secret)
        array([126, 166, 214])
    """
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError(f"shard takes an EncryptedArray, not {type(x).__name__}")
    if not x.native.outer:
        raise ArgumentError(
            f"shard: an array of shape {x.shape}, layout {x.layout}, has no axis that numbers ciphertexts; encrypt the "
            "values with a leading axis, such as values.reshape(-1, n)"
        )

    def moved(start: int, stop: int, device: str) -> Callable[[], EncryptedArray]:
        return lambda: x[start:stop].to(device)

    return ShardedArray(at_once([moved(*cut) for cut in _cuts(len(x), devices)]))


def encrypt_sharded(
    values: object, key: PublicKey | SecretKey, devices: Sequence[str], **options: Unpack[EncryptOptions]
) -> ShardedArray:
    """`encrypt` along the first axis on several devices, each encrypting its own piece.

    Args:
        values, key, options: as for `encrypt`; the key is copied to every device.
        devices: as for `shard`.

    Raises:
        ArgumentError: values without a first axis to cut.
    """
    numbers = integers(values, "encrypt_sharded", named_rows=True)
    packed = options.get("layout", "packed") == "packed"
    if numbers.ndim < (2 if packed else 1) or numbers.size == 0:
        raise ArgumentError(
            f"encrypt_sharded: values of shape {numbers.shape} have no axis that numbers ciphertexts; give them a "
            "leading axis"
        )

    def encrypted(start: int, stop: int, device: str) -> Callable[[], EncryptedArray]:
        return lambda: encrypt_integers(numbers[start:stop], key.to(device), **options)

    return ShardedArray(at_once([encrypted(*cut) for cut in _cuts(len(numbers), devices)]))
