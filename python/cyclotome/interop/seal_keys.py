# SPDX-License-Identifier: Apache-2.0
"""Public and evaluation keys of this library for a secret key that SEAL made."""

from __future__ import annotations

from .. import _core
from ..keys.generation import sum_rotations
from ..keys.kinds import EvaluationKeys, Keys, PublicKey, SecretKey

__all__ = ["make_keys", "new_evaluation_keys"]


def new_evaluation_keys(secret: SecretKey, relinearization: bool, galois: bool) -> EvaluationKeys:
    """The keys that SEAL makes unless it is told which: rotations by powers of two either way, and the swap of rows."""
    group, elements = secret.parameters.ring.galois, []
    if galois:
        steps = sum_rotations(secret.parameters)
        elements = [group.row_rotation(step) for step in (*steps, *(-step for step in steps))]
        elements.append(group.column_rotation())
    native = _core.EvaluationKeys.generate(secret.native, relinearization, elements)
    return EvaluationKeys(secret.parameters, secret.context, native)


def make_keys(secret: SecretKey, *, relinearization: bool = True, galois: bool = True) -> Keys:
    """Public and evaluation keys for a secret key that is there already, such as one of SEAL's.

    SEAL's own have no seed of this library, so `cyclotome.save` does not take them; these are stored as all others.

    Args:
        secret: from `Owner.read_secret_key`.
        relinearization: whether encrypted values can be multiplied with each other.
        galois: whether there shall be the keys for rotations by powers of two either way, and for the swap of rows,
            which SEAL makes unless it is told which.
    """
    evaluation = new_evaluation_keys(secret, relinearization, galois)
    native = _core.PublicKey.generate(secret.native)
    return Keys(secret, PublicKey(secret.parameters, secret.context, native, evaluation), evaluation)
