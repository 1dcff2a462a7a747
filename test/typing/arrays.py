# SPDX-License-Identifier: Apache-2.0
# pyright: strict
"""Arrays, as somebody writes them whose editor wants everything typed. What is asserted may not fall back to Any."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import cyclotome as cy
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: object, _: object) -> object:
        return value


def scores(x: cy.EncryptedArray) -> cy.EncryptedArray:
    return (x * x + 3 * x).sum()


def halves(weights: NDArray[np.int64], x: cy.EncryptedArray, keys: cy.Keys) -> None:
    """Public arrays stand on either side."""
    assert_type(weights @ x, cy.EncryptedArray)
    assert_type(weights * x, cy.EncryptedArray)
    assert_type(weights + x - weights, cy.EncryptedArray)
    assert_type(np.int64(3) * x, cy.EncryptedArray)
    assert_type(x @ weights.T, cy.EncryptedArray)
    matrix = cy.Matrix(weights, x.parameters)
    assert_type(matrix @ x, cy.EncryptedArray)
    assert_type(x @ cy.Matrix(weights.T, x.parameters), cy.EncryptedArray)
    factor = cy.plain(weights[0], x.parameters)
    assert_type(factor * x, cy.EncryptedArray)
    assert_type(x - factor, cy.EncryptedArray)
    assert (cy.decrypt(matrix @ x, keys.secret) == cy.decrypt(weights @ x, keys.secret)).all()


def selections(x: cy.EncryptedArray, keys: cy.Keys) -> None:
    """What takes part of an array, and what puts arrays together."""
    assert_type(x[1:], cy.EncryptedArray)
    assert_type(x.reshape(2, 2), cy.EncryptedArray)
    assert_type(list(cy.stack([x, x])), list[cy.EncryptedArray])
    assert_type(cy.concatenate([cy.stack([x]), cy.stack([x])]), cy.EncryptedArray)
    assert_type(cy.einsum("i,i->", x, x), cy.EncryptedArray)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.bound, "int | None")
    spread = cy.sharding.shard(cy.stack([x, x]), ["cpu:1", "cpu:1"])
    assert_type(x * spread, cy.sharding.ShardedArray)
    assert_type(spread + 1, cy.sharding.ShardedArray)
    assert_type(cy.decrypt(spread, keys.secret), NDArray[Any])


def compared(keys: cy.Keys) -> None:
    """Comparisons and digits."""
    x = cy.encrypt([1, 0, 1], keys.public, bound=(0, 1))
    digits = cy.encrypt_digits([60, 5], keys.public, base=4, digits=3)
    if TYPE_CHECKING:  # deeper than these keys
        assert_type(cy.less(x, 3), cy.EncryptedArray)
        assert_type(cy.maximum(x, [1, 2, 3]), cy.EncryptedArray)
        assert_type(cy.maximum(digits, digits), cy.EncryptedDigits)
        assert_type(cy.where(cy.less(digits, digits), digits, digits), cy.EncryptedDigits)
        assert_type(cy.sort(digits), cy.EncryptedDigits)
    assert_type(cy.where(x, x, 0), cy.EncryptedArray)
    assert_type(cy.decrypt_digits(digits, keys.secret), NDArray[Any])


def stored(folder: Path, x: cy.EncryptedArray, keys: cy.Keys) -> None:
    """Files say what they hold, and so may whoever reads one."""
    cy.save(folder / "x.ct", x)
    cy.save(folder / "secret.key", keys.secret)
    again = cy.load(folder / "x.ct", kind=cy.EncryptedArray)
    assert_type(again, cy.EncryptedArray)
    secret = cy.load(folder / "secret.key", kind=cy.SecretKey)
    assert_type(secret, cy.SecretKey)
    assert_type(cy.from_bytes(cy.to_bytes(x), kind=cy.EncryptedArray), cy.EncryptedArray)
    assert cy.decrypt(again, secret).tolist() == [1, 2, 3, 4]


def main() -> None:
    params = cy.Parameters.suggest(depth=1, value_bits=7, terms=4)
    assert_type(params, cy.Parameters)
    keys = cy.keygen(params)
    assert_type(keys, cy.Keys)
    assert_type(keys.evaluation, cy.EvaluationKeys)
    x = cy.encrypt([1, 2, 3, 4], keys.public)
    assert_type(x, cy.EncryptedArray)
    assert_type([2, 3, 4, 5] - x, cy.EncryptedArray)

    values = cy.decrypt(x, keys.secret)
    assert_type(values, "NDArray[Any] | Any")
    assert values.sum() == 10 and values[0] == 1 and values.tolist() == [1, 2, 3, 4]
    total = cy.decrypt(scores(x), keys.secret)
    assert total == 60 and f"{total / 4:.1f}" == "15.0" and int(total) == 60

    plan = cy.plan(scores, params, [cy.Operand((4,), bound=127)])
    assert_type(plan, cy.Plan)
    assert_type(cy.keygen(params, **plan.keygen()), cy.Keys)
    assert_type(cy.suggest(compute=scores, inputs=cy.Operand((4,), bound=127)), cy.Parameters)
    assert_type(cy.map(scores, [x], workers=1), list[cy.EncryptedArray])

    halves(np.arange(16, dtype=np.int64).reshape(4, 4), x, keys)
    selections(x, keys)
    compared(keys)
    with TemporaryDirectory() as folder:
        stored(Path(folder), x, keys)


if __name__ == "__main__":
    main()
