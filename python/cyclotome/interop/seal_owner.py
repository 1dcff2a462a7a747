# SPDX-License-Identifier: Apache-2.0
"""Whoever holds one SEAL secret key: what was made from it or encrypted under it, read for this library."""

from __future__ import annotations

import math
import os
import secrets
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from ..arrays.array import EncryptedArray
from ..devices.contexts import context_on
from ..errors import ArgumentError, FormatError, MissingKeyError, NoiseError, SecretFileWarning
from ..keys.keyring import Keyring
from ..keys.kinds import EvaluationKeys, PublicKey, SecretKey
from ..options import current
from ..parameters.parameters import Parameters
from ..whole_files import path_text
from .seal_chain import Chain
from .seal_checks import require_own_evaluation, require_own_public
from .seal_frame import Data, opened
from .seal_noise import Noise, bounds_of
from .seal_objects import Ciphertext, Residues, read_ciphertext, read_key_list, read_secret
from .seal_reading import alike, layout_of, one_ciphertext, stated

__all__ = ["Owner"]

#: As `cyclotome.load`.
MAX_BYTES = 4 << 30


def key_order(residues: Residues) -> Residues:
    """Residues [..., limb, coefficient] with SEAL's last limb, the special prime's, first, as keys have it here."""
    return np.ascontiguousarray(np.roll(residues, 1, axis=-2)) if residues.shape[-2] > 1 else residues


class Owner:
    """One holder of a SEAL secret key, and what belongs to that key.

    SEAL's objects don't say whose they are, so whoever reads them does: what one owner reads belongs together, has one
    ``key_id`` and meets in computations; objects of two owners are refused (`MismatchError`). What a wrong
    statement leads to is found when it is decrypted, as more noise than was stated.

    Noise bounds of this library rest on a check that its own secret keys pass and that one in twenty of SEAL's does not
    (doc/noise.md). An owner whose secret key was read has passed it; without the key at hand, ``allow_unfit_key=True``
    says to go on without that knowledge.

    Args:
        parameters: of the objects, see `read_parameters`.
        device: where they compute: "cpu", "cuda", as everywhere.
        key_id: 32 hexadecimal digits, that of another `Owner` for the same key, in this process or elsewhere. None: a
            new one at random.
        allow_unfit_key: take keys and ciphertexts of a secret key that may fail that check; bounds are then proven for
            keys that pass it only.
        max_bytes: refuse longer objects.

    Raises:
        ParameterError: parameters that SEAL can't have.
        ArgumentError: a key id of another form.
    """

    def __init__(
        self,
        parameters: Parameters,
        *,
        device: str = "cpu",
        key_id: str | None = None,
        allow_unfit_key: bool = False,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._chain = Chain.of(parameters)
        self._parameters, self._device, self._max_bytes = parameters, device, max_bytes
        self._context = context_on(device, parameters)
        self._id = secrets.token_bytes(16) if key_id is None else _identity(key_id)
        self._allow_unfit = bool(allow_unfit_key)
        self._secret: SecretKey | None = None
        self._ring = Keyring()

    @classmethod
    def of(cls, key: SecretKey | PublicKey | EvaluationKeys, **options: Any) -> Owner:
        """The owner of a key of this library, for what SEAL made with what `write_public_key` and the like gave it. Its
        secret key passed the check when it was made. ``options`` as in the constructor."""
        owner = cls(key.parameters, device=options.pop("device", key.device), key_id=key.key_id, **options)
        owner._allow_unfit = True  # the check was passed elsewhere, so it is not asked for again
        if isinstance(key, SecretKey):
            owner._secret = key.to(owner._device)
        else:
            owner._ring = Keyring.of(key).to(owner._device)
        return owner

    @property
    def parameters(self) -> Parameters:
        """Those of all its objects."""
        return self._parameters

    @property
    def key_id(self) -> str:
        """What names the secret key in all its objects. Not a secret."""
        return self._id.hex()

    @property
    def secret(self) -> SecretKey | None:
        """The secret key that was read."""
        return self._secret

    @property
    def public(self) -> PublicKey | None:
        """The public key that was read, with the evaluation keys that were read before it."""
        return self._ring.public

    @property
    def evaluation(self) -> EvaluationKeys | None:
        """The evaluation keys that were read, all together."""
        return self._ring.evaluation

    def __repr__(self) -> str:
        return f"Owner(id {self.key_id[:8]}, {self._parameters.summary()})"

    # --- keys ---------------------------------------------------------------------------------------------------------
    def read_secret_key(self, data: Data) -> SecretKey:
        """SEAL's SecretKey. From now on noise that is not stated is measured with it.

        What Python itself copies while it reads is not wiped; the key that comes out lies in locked memory as all do.

        Raises:
            FormatError: none of these parameters, damaged, or unfit (see above) and ``allow_unfit_key`` is not set.
            FileError, MissingPackageError: no such file; zstd without the extra ``seal``.

        Warns:
            SecretFileWarning: a file that others may read.
        """
        residues = read_secret(opened(data, "secret key", self._limit(1)), self._chain)
        if isinstance(data, (str, os.PathLike)) and not _core.file_is_private(path_text(data)):
            warnings.warn(
                f"{os.fspath(data)} holds a secret key and others may read it; `chmod 600` it, and make new keys "
                "if that may have happened",
                SecretFileWarning,
                stacklevel=2,
            )
        ordered = key_order(residues)
        try:
            native = _core.secret_key_of(self._context.native, self._id, ordered[None, None], self._allow_unfit)
        finally:
            residues[...] = 0
            ordered[...] = 0
        self._secret = SecretKey(self._parameters, self._context, native)
        return self._secret

    def read_public_key(self, data: Data) -> PublicKey:
        """SEAL's PublicKey, of `KeyGenerator.create_public_key` or its Serializable.

        Raises:
            FormatError: none of these parameters, or damaged.
            MismatchError: not of the secret key that was read.
            MissingKeyError: the secret key was not read, and ``allow_unfit_key`` is not set.
            FileError, MissingPackageError: as `read_secret_key`.
        """
        self._require_fit("a public key")
        body = opened(data, "public key", self._limit(2))
        key = read_ciphertext(body, self._chain, "public key", keys=True)
        body.finish()
        native = _core.public_key_of(self._context.native, self._id, key_order(key.residues)[None])
        public = PublicKey(self._parameters, self._context, native, self._ring.evaluation)
        if self._secret is not None:
            require_own_public(native, self._secret)
        self._ring = Keyring(public, self._ring.evaluation)
        return public

    def read_evaluation_keys(self, relinearization: Data | None = None, galois: Data | None = None) -> EvaluationKeys:
        """SEAL's RelinKeys and GaloisKeys, either or both, of `KeyGenerator` or its Serializable.

        Raises:
            ArgumentError: neither was given, or the parameters have one prime and thus no switching keys.
            FormatError, MismatchError, MissingKeyError, FileError, MissingPackageError: as `read_public_key`.
        """
        self._require_fit("evaluation keys")
        if relinearization is None and galois is None:
            raise ArgumentError("neither relinearization nor galois was given: name one, or both")
        if len(self._chain.primes) == 1:
            raise ArgumentError("SEAL has no switching keys for parameters of one prime")
        keys: _core.EvaluationKeys | None = None
        if relinearization is not None:
            body = opened(relinearization, "relinearisation keys", self._max_bytes)
            for _, key in read_key_list(body, self._chain, "relinearisation keys", 1):
                keys = _core.evaluation_keys_of(self._context.native, self._id, key_order(key), {})
        if galois is not None:
            body = opened(galois, "Galois keys", self._max_bytes)
            for number, key in read_key_list(body, self._chain, "Galois keys", self._chain.degree):
                keys = self._with_galois(keys, 2 * number + 1, key)
        if keys is None:
            raise FormatError("the Galois keys hold one for the element 1 only, which moves nothing")
        evaluation = EvaluationKeys(self._parameters, self._context, keys)
        if self._secret is not None:
            require_own_evaluation(keys, self._secret)
        return self.add_evaluation_keys(evaluation)

    def add_evaluation_keys(self, keys: EvaluationKeys) -> EvaluationKeys:
        """Keys of this library for the same secret key, beside those that were read; all of them together.

        Raises:
            MismatchError: for another secret key, other parameters or another device.
        """
        before = self._ring.evaluation
        joined = keys if before is None else before.joined(keys)
        Keyring(None, joined).require(self.key_id, self._parameters)
        self._ring = Keyring(self._ring.public, joined)
        return joined

    def _with_galois(
        self, keys: _core.EvaluationKeys | None, element: int, key: Residues
    ) -> _core.EvaluationKeys | None:
        """One more: they are joined one by one, so that no more than one is held twice. SEAL makes a key for the
        element 1 if it is told to, which is left out: it moves nothing."""
        if element == 1:
            return keys
        one = _core.evaluation_keys_of(self._context.native, self._id, None, {element: key_order(key)})
        return one if keys is None else keys.joined(one)

    # --- arrays -------------------------------------------------------------------------------------------------------
    def read_array(
        self,
        data: Data | Sequence[Data],
        *,
        fresh: bool = False,
        noise_budget: int | None = None,
        noise_bits: float | None = None,
        bound: int | None = None,
        wrap: bool = False,
        length: int | None = None,
        encoding: str | None = None,
        clean: bool = False,
    ) -> EncryptedArray:
        """One of SEAL's Ciphertexts, or several as one array. It knows the keys that this owner has read.

        How noisy they are is one of these; without any, it is measured if the secret key was read.

        Args:
            data: bytes or the path of a file, or a list of them: ciphertexts of one level.
            fresh: they are encryptions as SEAL's Encryptor made them, and nothing was computed with them.
            noise_budget: what SEAL's Decryptor.invariant_noise_budget says of them, the least of all.
            noise_bits: log2 of the largest coefficient of their errors: of the phase's distance from (q/t) m in BFV, of
                the phase in BGV.
            bound: the largest magnitude that a value may have, of n values each between −t/2 and t/2. None: t/2, with
                which sums and products are refused, as nobody knows whether they fit.
            wrap: values and results are meant modulo t, as in SEAL; they have no bound.
            length: how many values there are in all, the first ones of every ciphertext but the last filling it; None:
                n for each ciphertext, shape (n,) or (ciphertexts, n).
            encoding: "slots" as BatchEncoder makes them; "coefficients". None: slots if the parameters have them.
            clean: there are zeros in the slots behind the values, if ``length`` leaves some.

        Raises:
            FormatError: none of these parameters, or damaged.
            ArgumentError: statements that contradict each other or the ciphertexts, or no word on the noise.
            NoiseError: too much of it to decrypt; see `cyclotome.allow_undecryptable`.
            RangeError: a bound beyond t/2.
            UnsupportedError: more than 3 parts.
            MissingKeyError: the secret key was not read, and ``allow_unfit_key`` is not set.
            FileError, MissingPackageError: as `read_secret_key`.
        """
        self._require_fit("ciphertexts")
        several = isinstance(data, (list, tuple))
        items = [one_ciphertext(item, self._chain, self._limit(4)) for item in _listed(data)]
        first = alike(items)
        shape, placement, full = layout_of(self._parameters, len(items), several, length, encoding)
        noise = stated(self._chain, first, fresh, noise_budget, noise_bits)
        if noise is None and self._secret is None:
            raise ArgumentError(
                "nothing says how noisy the ciphertexts are: state fresh=True for encryptions as SEAL made them, "
                "noise_budget for what the key's owner measured in SEAL, or read the secret key, with which it is "
                "measured"
            )
        stacked = np.stack([item.residues for item in items])
        native = self._native(stacked, first, self._worst(first) if noise is None else noise)
        if noise is None:
            native = self._native(stacked, first, self._measured(native))
        largest = None if wrap else self._parameters.capacity if bound is None else bound
        if wrap and bound is not None:
            raise ArgumentError(f"wrap=True with bound={bound}; values modulo t have none")
        array = _core.EncryptedArray([native], shape, placement, clean or full, largest)
        if array.noise_headroom < 0 and not current.get().allow_undecryptable:
            raise NoiseError(
                f"the ciphertexts have {-array.noise_headroom:.1f} bits of noise more than decryption corrects, by "
                "what was stated or measured: take a closer bound, an earlier result, or parameters with more primes"
            )
        return EncryptedArray(self._parameters, self._context, array.with_keys(self._ring.native()), self._ring)

    def _native(self, residues: Residues, like: Ciphertext, noise: Noise) -> _core.Ciphertext:
        return _core.ciphertext_of(
            self._context.native, self._id, residues, like.transformed, list(noise), like.correction
        )

    # --- noise --------------------------------------------------------------------------------------------------------
    def _worst(self, like: Ciphertext) -> Noise:
        """Of anything at this level: what stands for a bound until it is measured."""
        return bounds_of(self._chain, math.log2(math.prod(self._chain.primes[: like.limbs])))

    def _measured(self, native: _core.Ciphertext) -> Noise:
        """A whole number of bits above the measured noise, so that little is told of it."""
        assert self._secret is not None
        largest = max(_core.measured_noise(native, self._secret.native))
        return bounds_of(self._chain, max(0.0, math.floor(largest) + 1.0))

    # --- what belongs to the secret key -------------------------------------------------------------------------------
    def _limit(self, parts: int) -> int:
        """Bytes that an object of so many polynomials over all primes can have, compressed badly."""
        size = 9 * parts * len(self._chain.primes) * self._chain.degree + (1 << 16)
        return min(size, self._max_bytes)

    def _require_fit(self, what: str) -> None:
        if self._secret is None and not self._allow_unfit:
            raise MissingKeyError(
                f"{what} of SEAL, and nothing says that their secret key passes the check on which noise bounds rest, "
                "as 19 of 20 do: read the secret key first, where it is, or say Owner(..., allow_unfit_key=True)"
            )


def _listed(data: Data | Sequence[Data]) -> Sequence[Data]:
    return data if isinstance(data, (list, tuple)) else [data]  # type: ignore[list-item]


def _identity(text: str) -> bytes:
    try:
        identity = bytes.fromhex(text)
    except (TypeError, ValueError):
        identity = b""
    if len(identity) != 16:
        raise ArgumentError(f"key_id {text!r}; it is 32 hexadecimal digits, as Owner.key_id gives them")
    return identity
