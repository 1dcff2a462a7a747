# SPDX-License-Identifier: Apache-2.0
"""The files of keys that were made together."""

from __future__ import annotations

import os
from typing import NamedTuple

from .. import _core
from ..keys import passphrases
from ..keys.kinds import Keys
from ..keys.passphrases import Passphrase
from ..whole_files import path_text
from . import Path, metadata, refuse_existing

__all__ = ["KeyFiles", "save_keys"]


class KeyFiles(NamedTuple):
    """Where `save_keys` wrote: the three files, and the old secret key's, if it replaced one."""

    secret: str
    public: str
    evaluation: str
    backup: str | None


def save_keys(folder: Path, keys: Keys, *, overwrite: bool = False, passphrase: Passphrase | None = None) -> KeyFiles:
    """Writes keys as `secret.key`, `public.key` and `evaluation.key` to a folder: all three, or none.

    The files get their names when all of them are on the disk. Whatever fails before leaves what was there complete.
    With ``overwrite`` a secret key that was there stays as ``secret.key.bak-ID``, with the first digits of its id.

    Args:
        folder: where to; it must exist.
        keys: what `keygen` made.
        overwrite: whether files of these names may be there already.
        passphrase: encrypts the secret key's file, see `save`.

    Raises:
        FileError: a file can't be written, or is there already.
        MismatchError: keys that do not belong together.
        PassphraseError, EngineError: as `save`.
    """
    secret, public, evaluation = (os.path.join(path_text(folder), f"{part}.key") for part in Keys._fields)
    if not overwrite:
        for name in (secret, public, evaluation):
            refuse_existing(name, name == secret)
    described = metadata.write(metadata.of_parameters(keys.secret.parameters))
    native = keys.secret.native, keys.public.native, keys.evaluation.native
    with passphrases.typed_if_any(passphrase, secret) as typed:
        backup = _core.write_keys((secret, public, evaluation), *native, described, overwrite, typed)
    return KeyFiles(secret, public, evaluation, backup or None)
