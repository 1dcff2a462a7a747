# SPDX-License-Identifier: Apache-2.0
"""Arrays and keys of this library as SEAL's objects."""

from __future__ import annotations

import os
from functools import partial

import numpy as np

from .. import _core
from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, MissingKeyError, NoiseError, UnsupportedError
from ..keys.kinds import EvaluationKeys, PublicKey, SecretKey
from ..options import current
from ..whole_files import write_whole
from .seal_chain import Chain
from .seal_frame import VERSION, Writer
from .seal_objects import Ciphertext, Residues, write_ciphertext, write_key_list, write_secret

__all__ = ["save_secret_key", "write_array", "write_galois_keys", "write_public_key", "write_relin_keys"]


def _seal_order(residues: Residues) -> Residues:
    """Residues [..., limb, coefficient] of a key, with the special prime's limb last, as SEAL has it."""
    return np.roll(residues, -1, axis=-2) if residues.shape[-2] > 1 else residues


def write_array(x: EncryptedArray, *, compression: str = "zlib", version: str = VERSION) -> list[bytes]:
    """An encrypted array as SEAL's Ciphertexts, in the order of its batch: packed values n by n along the last axis, of
    replicated ones each in one of its own.

    Values stand modulo t and in SEAL's order of slots. What SEAL does not keep is lost: shape, bound and noise bound.

    Args:
        x: of 2 parts, or of 3 before relinearisation.
        compression: "none", "zlib" or "zstd", which needs the extra ``seal``.
        version: of the SEAL that is to read it; before 4.4 each reads its own only. `version_of` says what wrote an
            object.

    Raises:
        ParameterError: parameters that SEAL can't have; `make_parameters` makes some that fit.
        NoiseError: an array that could not be decrypted; see `cyclotome.allow_undecryptable`.
        UnsupportedError: something else than an array.
        ArgumentError, MissingPackageError: an unknown compression or version; zstd without the extra ``seal``.
    """
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError(f"write_array takes an EncryptedArray, not {type(x).__name__}")
    chain, writer = Chain.of(x.parameters), Writer(compression, version)
    if x.noise_headroom < 0 and not current.get().allow_undecryptable:
        raise NoiseError(f"the array has {-x.noise_headroom:.1f} bits of noise more than decryption corrects")
    (channel,) = x.native.channels
    transformed = chain.scheme == "bgv"
    items = []
    for number in range(channel.batch):  # one at a time: few of them are held twice
        residues = np.asarray(_core.residues_of(_core.take(channel, [number])))[0]
        body = write_ciphertext(writer, chain, Ciphertext(residues, transformed, channel.correction))
        items.append(bytes(writer.outer(body)))
    return items


def write_public_key(key: PublicKey, *, compression: str = "zlib", version: str = VERSION) -> bytes:
    """The bytes that SEAL's PublicKey.load takes.

    Raises:
        ParameterError, ArgumentError, MissingPackageError: as `write_array`.
        UnsupportedError: another key.
    """
    if not isinstance(key, PublicKey):
        raise UnsupportedError(f"write_public_key takes a PublicKey, not {type(key).__name__}")
    chain, writer = Chain.of(key.parameters), Writer(compression, version)
    (pair,) = _seal_order(np.asarray(_core.residues_of(key.native)))
    return bytes(writer.outer(write_ciphertext(writer, chain, Ciphertext(pair, True, 1))))


def _native(key: EvaluationKeys, function: str) -> tuple[Chain, _core.EvaluationKeys]:
    if not isinstance(key, EvaluationKeys):
        raise UnsupportedError(f"{function} takes EvaluationKeys, not {type(key).__name__}")
    chain = Chain.of(key.parameters)
    if len(chain.primes) == 1:
        raise ArgumentError("SEAL has no switching keys for parameters of one prime")
    return chain, key.native


def write_relin_keys(keys: EvaluationKeys, *, compression: str = "zlib", version: str = VERSION) -> bytes:
    """The bytes that SEAL's RelinKeys.load takes.

    Raises:
        MissingKeyError: they hold no relinearisation key.
        ParameterError, ArgumentError, MissingPackageError, UnsupportedError: as `write_public_key`.
    """
    (chain, native), writer = _native(keys, "write_relin_keys"), Writer(compression, version)
    key = _seal_order(np.asarray(_core.residues_of(native, None)))
    return bytes(writer.outer(write_key_list(writer, chain, 1, {0: lambda: key})))


def write_galois_keys(keys: EvaluationKeys, *, compression: str = "zlib", version: str = VERSION) -> bytes:
    """The bytes that SEAL's GaloisKeys.load takes: the rotations and automorphisms that these keys can do.

    Raises:
        MissingKeyError: they hold no Galois key.
        ParameterError, ArgumentError, MissingPackageError, UnsupportedError: as `write_public_key`.
    """
    (chain, native), writer = _native(keys, "write_galois_keys"), Writer(compression, version)

    def of(element: int) -> Residues:
        return _seal_order(np.asarray(_core.residues_of(native, element)))

    numbers = {(element - 1) // 2: partial(of, element) for element in native.galois_elements}
    if not numbers:
        raise MissingKeyError("these evaluation keys hold no Galois keys; ask keygen for rotations=[...]")
    return bytes(writer.outer(write_key_list(writer, chain, chain.degree, numbers)))


def save_secret_key(
    path: str | os.PathLike[str],
    key: SecretKey,
    *,
    compression: str = "none",
    version: str = VERSION,
    overwrite: bool = False,
) -> None:
    """Writes the file that SEAL's SecretKey.load takes: of mode 0600, whole or not at all. It is not encrypted.

    Raises:
        FileError: it can't be written, or there is a file and no ``overwrite``; then that is as it was.
        ParameterError, ArgumentError, MissingPackageError: as `write_array`.
        UnsupportedError: another key.
    """
    if not isinstance(key, SecretKey):
        raise UnsupportedError(f"save_secret_key takes a SecretKey, not {type(key).__name__}")
    chain, writer = Chain.of(key.parameters), Writer(compression, version)
    residues = _seal_order(np.asarray(_core.residues_of(key.native))[0, 0])
    body = write_secret(writer, chain, residues)
    residues[...] = 0
    try:
        data = writer.outer(body)
    finally:
        body[:] = bytes(len(body))
    try:
        write_whole(path, data, secret=True, overwrite=overwrite)
    finally:
        data[:] = bytes(len(data))
