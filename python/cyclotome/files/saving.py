# SPDX-License-Identifier: Apache-2.0
"""Parameters, keys and arrays as files and bytes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .. import _core, streams
from ..arrays.array import EncryptedArray
from ..arrays.plain import PlainArray
from ..errors import ArgumentError, FileError, SecrecyError
from ..frames import layout
from ..frames.table import Table
from ..functions.digit_arrays import DigitArray
from ..keys import passphrases
from ..keys.kinds import EvaluationKeys, PublicKey, RekeyingKey, SecretKey
from ..keys.passphrases import Passphrase
from ..parameters.parameters import Parameters
from ..reals.array import RealArray
from ..streams import Writable
from ..threshold.dealing import DealingMessage
from ..threshold.identities import Identity
from ..threshold.messages import Acceptance, Coin, Commitment, DecryptionShare, KeyShare, SecretShare, Session
from ..whole_files import is_stream, path_text, write_whole
from . import metadata
from .stored_objects import described, how

__all__ = ["Path", "Storable", "refuse_existing", "save", "to_bytes", "to_view"]

Path = str | os.PathLike[str]
Keys = SecretKey | PublicKey | EvaluationKeys | RekeyingKey
Messages = Session | Acceptance | Coin | Commitment | KeyShare | SecretShare | DecryptionShare
Arrays = EncryptedArray | RealArray | DigitArray | Table | PlainArray
Storable = Parameters | Keys | Arrays | Messages | DealingMessage | Identity


def refuse_existing(name: str, secret: bool = False) -> None:
    """Raises FileError if there is anything of this name."""
    if os.path.lexists(name) and (secret or not is_stream(name)):
        way_out = "which keeps another secret key's file as a backup" if secret else "to replace it"
        raise FileError(f"{name} exists: choose another path, or say overwrite=True, {way_out}")


def save(
    path: Path | Writable,
    obj: Storable,
    *,
    note: Mapping[str, Any] | None = None,
    overwrite: bool | None = None,
    passphrase: Passphrase | None = None,
) -> None:
    """Writes an object to a file: whole, or not at all, whatever happens meanwhile.

    Secret keys, shares and identities get a file of mode 0600; one that held another secret key stays beside it, as
    ``path.bak-ID`` with the first digits of that key's id. Keys that an array carries in memory are not written with
    it.

    Args:
        path: where to; or a binary file object, to which the same bytes are written, without a promise to be whole.
            Several objects one after the other make a stream, which `load` reads one by one. A pipe, and an open file
            by its name, as ``/dev/stdout``, get the bytes without that promise, too; devices are refused.
        obj: parameters, a key, an encrypted array, numbers in digits (`encrypt_digits`, `circuit.encrypt`), what
            `threshold` makes, or an encrypted frame, whose names of columns, categories, groups, scales and public
            masks whoever has the file reads.
        note: a JSON object to keep beside it, in the clear; `inspect` shows it. At most 1 MiB.
        overwrite: whether a file may be there already. None: yes, except for secret keys.
        passphrase: of a secret key, a share of a joint one, or an identity: encrypts it in the file. Text, bytes, or a
            function that returns either. Whoever has the file can try passphrases, at 128 MiB each (scrypt),
            so choose one that is hard to guess. Needs OpenSSL's libcrypto.

    Raises:
        FileError: it can't be written; a file that was there is as it was.
        ArgumentError: a note that is no JSON object or too long; a passphrase for what is no secret; a path with a
            zero byte.
        SecrecyError: a secret key, and a file object in place of a path.
        NoiseError: an array that could not be decrypted; see `allow_undecryptable`.
        UnsupportedError: nothing that can be stored.
        PassphraseError: an empty passphrase.
        EngineError: a passphrase, and the system has no libcrypto.
    """
    if isinstance(path, Writable):
        if passphrase is not None:
            raise ArgumentError(
                "a passphrase protects files of secret keys and shares, which are written to a path only"
            )
        for piece in _pieces(obj, note):
            streams.write_all(path, piece)
        return
    name = path_text(path)
    secret = isinstance(obj, (SecretKey, SecretShare, Identity))
    if passphrase is not None and not secret:
        raise ArgumentError(
            f"a passphrase protects secret keys, shares and identities, not {type(obj).__name__}, which may be public"
        )
    replace = not secret if overwrite is None else bool(overwrite)
    if not replace:
        refuse_existing(name, secret)
    if isinstance(obj, Table):
        write_whole(name, to_view(obj, note=note), overwrite=replace)
        return
    if isinstance(obj, Identity):
        if note is not None:
            raise ArgumentError("an identity's file has no room for a note")
        with passphrases.typed_if_any(passphrase, name) as typed:
            _core.write_identity(name, obj.native, replace, typed)
        return
    native, facts = described(obj)
    if isinstance(obj, DealingMessage):
        _core.write_dealing(name, native, obj.parameters.native, metadata.write(facts, note), replace)
        return
    if secret:
        write = _core.write_secret_share if isinstance(obj, SecretShare) else _core.write_secret_key
        with passphrases.typed_if_any(passphrase, name) as typed:
            write(name, native, metadata.write(facts, note), replace, typed)
        return
    _core.write_file(name, native, metadata.write(facts, note), replace, *how(obj))


def to_bytes(obj: Storable, *, note: Mapping[str, Any] | None = None) -> bytes:
    """The bytes that `save` would write, of public objects.

    Raises:
        SecrecyError: a secret key.
        ArgumentError: a note that is no JSON object or too long.
        NoiseError: an array that could not be decrypted; see `allow_undecryptable`.
        UnsupportedError: nothing that can be stored.
    """
    return b"".join(_pieces(obj, note))


def to_view(obj: Storable, *, note: Mapping[str, Any] | None = None) -> memoryview:
    """The bytes of `to_bytes`, where the library wrote them: nothing is copied into an object of Python's, except of a
    frame, whose containers are joined; `save` writes them to a stream one by one.

    Raises:
        SecrecyError, ArgumentError, NoiseError, UnsupportedError: as `to_bytes`.
    """
    pieces = _pieces(obj, note)
    return pieces[0] if len(pieces) == 1 else memoryview(b"".join(pieces))


def _pieces(obj: Storable, note: Mapping[str, Any] | None) -> list[memoryview]:
    """The containers of an object: several of a frame."""
    if isinstance(obj, (SecretKey, SecretShare, Identity)):
        raise SecrecyError(
            "a secret key, share or identity is written to a file only, which no one else can read: "
            "cyclotome.save(path, key)"
        )
    if isinstance(obj, Table):
        facts, containers = layout.parts(obj, to_view)
        parameters = obj.parameters
        about = layout.require_short(metadata.write({**metadata.of_parameters(parameters), **facts}, note))
        return [memoryview(_core.to_view(parameters.native, about)), *containers]
    native, facts = described(obj)
    if isinstance(obj, DealingMessage):
        return [memoryview(_core.dealing_view(native, obj.parameters.native, metadata.write(facts, note)))]
    return [memoryview(_core.to_view(native, metadata.write(facts, note), *how(obj)))]
