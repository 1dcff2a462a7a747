# SPDX-License-Identifier: Apache-2.0
"""Whether public and evaluation keys belong to a secret key: by the noise of what is computed with them."""

from __future__ import annotations

import secrets

import numpy as np

from .. import _core
from ..errors import MismatchError
from ..keys.kinds import SecretKey

__all__ = ["require_own_evaluation", "require_own_public"]

#: What rounding the logarithms of a measurement and of a bound may differ by.
_ROUNDING = 1e-6


def require_own_public(key: _core.PublicKey, secret: SecretKey) -> None:
    """Raises MismatchError unless what the public key encrypts is an encryption under the secret key."""
    _require_own("public key", _core.encrypt(_zero(secret), key), secret)


def require_own_evaluation(keys: _core.EvaluationKeys, secret: SecretKey) -> None:
    """Raises MismatchError unless every one of the keys switches to the secret key, and from where it should."""
    if keys.has_relinearization:
        _require_own("relinearisation key", _relinearised_zero(keys, secret), secret)
    fresh = _core.encrypt(_zero(secret), secret.native)
    for element in keys.galois_elements:
        _require_own(f"key of Galois element {element}", _core.apply_galois(fresh, element, keys), secret)


def _require_own(what: str, computed: _core.Ciphertext, secret: SecretKey) -> None:
    if max(_core.measured_noise(computed, secret.native)) > computed.noise[0] + _ROUNDING:
        raise MismatchError(
            f"the {what} does not belong to the secret key that this owner has read; use an Owner for each key"
        )


def _zero(secret: SecretKey) -> _core.Plaintext:
    zeros = np.zeros((1, secret.parameters.degree), dtype=np.int64)
    return _core.encode_residues(secret.context.native, 0, False, zeros)


def _relinearised_zero(keys: _core.EvaluationKeys, secret: SecretKey) -> _core.Ciphertext:
    """(0, 0, c) less what it is relinearised to, for a random c: zero with a key switch's noise."""
    context, identity, transformed = secret.context.native, secret.native.id, secret.parameters.scheme == "bgv"
    moduli = np.array(secret.parameters.moduli, dtype=np.uint64)[:, None]
    random = np.random.default_rng(secrets.randbits(128))
    parts = np.zeros((1, 3, len(moduli), secret.parameters.degree), dtype=np.uint64)
    parts[0, 2] = random.integers(0, moduli, parts.shape[2:], dtype=np.uint64)
    result = _core.relinearize(_core.ciphertext_of(context, identity, parts, transformed, [0.0, 0.0, 0.0]), keys)
    parts[:, :2] = (moduli - np.asarray(_core.residues_of(result))) % moduli
    return _core.ciphertext_of(context, identity, parts, transformed, list(result.noise))
