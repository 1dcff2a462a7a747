# SPDX-License-Identifier: Apache-2.0
"""Where a party of a joint key is kept; `threshold` says what for."""

from __future__ import annotations

import os
import warnings

from .. import _core
from ..errors import FormatError, SecretFileWarning
from ..keys import passphrases
from ..keys.passphrases import Passphrase
from ..whole_files import path_text
from .messages import Session

__all__ = ["Path", "party_store"]

Path = str | os.PathLike[str]

#: Far more than there is to keep.
_MOST_BYTES = 4 << 20


def party_store(session: Session, number: int, file: Path | None, passphrase: Passphrase | None) -> _core.PartyStore:
    """The party of a file, or a new one: in a new file, or in memory.

    Raises:
        ArgumentError: a number that takes no part.
        MismatchError: a file of another session.
        FormatError, FileError, PassphraseError, EngineError: as `load` and `save`.
    """
    if file is None:
        return _core.party_in_memory(session.native, number)
    name = path_text(file)
    if not os.path.lexists(name):
        with passphrases.typed_if_any(passphrase, name) as typed:
            return _core.create_party_file(name, session.native, number, typed)
    if not _core.file_is_private(name):
        warnings.warn(f"{name} is a party's file, and others may read it: chmod 600 {name}", SecretFileWarning, 4)
    needed = passphrase if _is_protected(name) else None
    with passphrases.typed_if_any(needed, name) as typed:
        return _core.open_party_file(name, session.native, typed)


def _is_protected(name: str) -> bool:
    """Whether the file is under a passphrase, so that nobody is asked for one in vain."""
    table = _core.default_security_table()
    limits = {"max_bytes": _MOST_BYTES, "max_expanded_bytes": _MOST_BYTES}
    try:
        container = _core.Container.from_file(name, allow_insecure=True, security_table=table, **limits)
    except FormatError as error:
        raise FormatError(f"{name} holds nothing that a party of a joint key keeps: {error}") from None
    return container.kind == "protected party"
