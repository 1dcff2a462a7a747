# SPDX-License-Identifier: Apache-2.0
"""Files and bytes of parameters, keys and arrays; everything that comes from outside is checked."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from . import _core, metadata, passphrases, streams
from .array import EncryptedArray
from .contexts import context_on
from .encrypted_numbers import EncryptedNumbers
from .errors import (
    ArgumentError,
    FileError,
    FormatError,
    MismatchError,
    ParameterError,
    SecrecyError,
    SecretFileWarning,
    UnsupportedError,
)
from .held_keys import held_for, unpickling_device
from .keyring import Keyring
from .keys import EvaluationKeys, PublicKey, RekeyingKey, SecretKey
from .options import current
from .parameters import Parameters
from .passphrases import Passphrase
from .streams import Buffer, Readable, Writable
from .threshold_messages import DecryptionShare, KeyShare, SecretShare, Session

__all__ = ["from_bytes", "load", "reduced", "save", "to_bytes", "to_view"]

Path = str | os.PathLike[str]
Storable = (
    Parameters
    | SecretKey
    | PublicKey
    | EvaluationKeys
    | RekeyingKey
    | EncryptedArray
    | EncryptedNumbers
    | Session
    | KeyShare
    | SecretShare
    | DecryptionShare
)
#: Messages of `threshold`.
MESSAGES = (Session, KeyShare, SecretShare, DecryptionShare)

#: Bytes that `load`, `inspect` and `from_bytes` take unless told otherwise: 4 GiB, which may expand to 16 GiB.
MAX_BYTES = 4 << 30
_EXPANSION = 4


# --- writing ----------------------------------------------------------------------------------------------------------
def _described(obj: object) -> tuple[Any, dict[str, Any]]:
    """The library's object behind ``obj``, and what its metadata say."""
    if isinstance(obj, Parameters):
        return obj.native, metadata.of_parameters(obj)
    if isinstance(obj, (SecretKey, PublicKey, EvaluationKeys, RekeyingKey, EncryptedArray, *MESSAGES)):
        return obj.native, metadata.of_parameters(obj.parameters)
    if isinstance(obj, EncryptedNumbers):
        return obj.digits.native, metadata.of_numbers(obj)
    raise UnsupportedError(f"parameters, keys and encrypted arrays and numbers can be stored, not {type(obj).__name__}")


def _how(obj: object) -> tuple[_core.Options, ...]:
    return (current.get().native,) if isinstance(obj, (EncryptedArray, EncryptedNumbers)) else ()


def refuse_existing(name: str, secret: bool = False) -> None:
    """Raises FileError if there is anything of this name."""
    if os.path.lexists(name):
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

    Secret keys and shares get a file of mode 0600; one that held another secret key stays beside it, as ``path.bak-ID``
    with the first digits of that key's id. Keys that an array carries in memory are not written with it.

    Args:
        path: where to; or a binary file object, to which the same bytes are written, without a promise to be whole.
            Several objects one after the other make a stream, which `load` reads one by one.
        obj: parameters, a key, an encrypted array, encrypted numbers of `circuit`, or what `threshold` makes.
        note: a JSON object to keep beside it, in the clear; `inspect` shows it. At most 1 MiB.
        overwrite: whether a file may be there already. None: yes, except for secret keys.
        passphrase: of a secret key: encrypts it in the file. Text, bytes, or a function that returns either. Whoever
            has the file can try passphrases, at some 0.4 s and 128 MiB each (scrypt), so choose one that is hard to
            guess. Needs OpenSSL's libcrypto.

    Raises:
        FileError: it can't be written; a file that was there is as it was.
        ArgumentError: a note that is no JSON object or too long; a passphrase for something else than a secret key.
        SecrecyError: a secret key, and a file object in place of a path.
        NoiseError: an array that could not be decrypted; see `allow_undecryptable`.
        PassphraseError: an empty passphrase.
        EngineError: a passphrase, and the system has no libcrypto.
    """
    if isinstance(path, Writable):
        if passphrase is not None:
            raise ArgumentError("a passphrase protects files of secret keys, which are written to a path only")
        streams.write_whole(path, to_view(obj, note=note))
        return
    name = os.fspath(path)
    native, facts = _described(obj)
    secret = isinstance(obj, (SecretKey, SecretShare))
    replace = not secret if overwrite is None else bool(overwrite)
    if not replace:
        refuse_existing(name, secret)
    if isinstance(obj, SecretShare):
        if passphrase is not None:
            raise ArgumentError("a passphrase protects secret keys; keep secret shares on an encrypted disk")
        _core.write_secret_share(name, native, metadata.write(facts, note), replace)
        return
    if secret:
        with passphrases.typed_if_any(passphrase, name) as typed:
            _core.write_secret_key(name, native, metadata.write(facts, note), replace, typed)
        return
    if passphrase is not None:
        raise ArgumentError(f"a passphrase protects secret keys, not {type(obj).__name__}, which may be public")
    _core.write_file(name, native, metadata.write(facts, note), replace, *_how(obj))


def to_bytes(obj: Storable, *, note: Mapping[str, Any] | None = None) -> bytes:
    """The bytes that `save` would write, of public objects.

    Raises:
        SecrecyError: a secret key.
        ArgumentError: a note that is no JSON object or too long.
        NoiseError: an array that could not be decrypted; see `allow_undecryptable`.
    """
    return bytes(to_view(obj, note=note))


def to_view(obj: Storable, *, note: Mapping[str, Any] | None = None) -> memoryview:
    """The bytes of `to_bytes`, where the library wrote them: nothing is copied into an object of Python's.

    Raises:
        SecrecyError, ArgumentError, NoiseError: as `to_bytes`.
    """
    if isinstance(obj, (SecretKey, SecretShare)):
        raise SecrecyError(
            "a secret key or share is written to a file only, which no one else can read: cyclotome.save(path, key)"
        )
    native, facts = _described(obj)
    return memoryview(_core.to_view(native, metadata.write(facts, note), *_how(obj)))


# --- reading ----------------------------------------------------------------------------------------------------------
def load(
    path: Path | Readable,
    *,
    expect: Parameters | None = None,
    keys: object = (),
    device: str = "cpu",
    allow_insecure: bool = False,
    allow_unfit_key: bool = False,
    security_table: str | None = None,
    max_bytes: int = MAX_BYTES,
    passphrase: Passphrase | None = None,
) -> Any:
    """Reads an object that `save` wrote; what it is says the file.

    Nothing is trusted: lengths, residues and descriptions are checked, and nothing larger is allocated than the bytes
    justify. The checksum detects damage; it does not tell who wrote the file.

    Args:
        path: the file; or a binary file object, from which the next object is read, and no byte more. Secret keys are
            read from a path better, which keeps their bytes in locked memory.
        expect: the parameters it must belong to.
        keys: a public or evaluation key, or several, that a loaded array shall know.
        device: where it shall compute.
        allow_insecure: take INSECURE parameters (implied by ``expect`` or ``keys`` that are).
        allow_unfit_key: take a secret key that fails the check on which noise bounds rest, as one in twenty of format
            version 1 does: to decrypt what there is. Generate a new key and encrypt anew with it.
        security_table: the table by which parameters are judged, whatever table the file names: a file can't choose a
            weaker one by itself. None: that of ``expect`` or ``keys`` if it is weaker than "guidelines-2024", else
            "guidelines-2024". See `Parameters`.
        max_bytes: refuse longer files; they may expand to four times as much.
        passphrase: of a secret key that was saved with one: text, bytes, or a function that returns either, which is
            called if the file needs it. Other files take no notice.

    Returns:
        `Parameters`, `SecretKey`, `PublicKey`, `EvaluationKeys`, `RekeyingKey`, `EncryptedArray`,
        `circuit.EncryptedNumbers`, or a `threshold.Session` and its parties' messages.

    Raises:
        FileError: no such file, or it can't be read; a stream that is at its end.
        FormatError: damaged, cut off, too long, or not written by this library.
        SecurityError: INSECURE parameters, or parameters that are below 128 bits by ``security_table``.
        MismatchError: other parameters or keys than expected.
        PassphraseError: a passphrase is needed, or another one.
        EngineError: a passphrase is needed, and the system has no libcrypto.

    Warns:
        SecretFileWarning: a secret key that others may read.
    """
    ring = Keyring.of(*keys) if isinstance(keys, (tuple, list)) else Keyring.of(keys)
    given = ring.keys()
    expected = [*([] if expect is None else [expect]), *(key.parameters for key in given)]
    limits = _limits(
        max_bytes, allow_insecure or any(each.allow_insecure for each in expected), _judge(security_table, expected)
    )
    container, name = _opened(path, max_bytes, limits)
    in_file = not isinstance(path, Readable)
    if (
        container.kind in ("secret key", "protected secret key", "secret share")
        and in_file
        and not _core.file_is_private(name)
    ):
        warnings.warn(
            f"{name} holds a secret key and others may read it; `chmod 600` it, and make new keys if that may have "
            "happened",
            SecretFileWarning,
            stacklevel=2,
        )
    obj = _read(container, device, passphrase, name, allow_unfit_key)
    own = obj if isinstance(obj, Parameters) else obj.parameters
    for parameters in expected:
        if own != parameters:
            raise MismatchError(f"{name} belongs to {own.summary()}, not to {parameters.summary()}")
    return obj.with_keys(*given) if given and isinstance(obj, (EncryptedArray, EncryptedNumbers)) else obj


def _limits(max_bytes: int, allow_insecure: bool, table: str) -> dict[str, Any]:
    """What `_core.Container` takes from outside."""
    return {
        "max_bytes": max_bytes,
        "max_expanded_bytes": _EXPANSION * max_bytes,
        "allow_insecure": allow_insecure,
        "security_table": table,
    }


def _opened(path: Path | Readable, max_bytes: int, limits: dict[str, Any]) -> tuple[_core.Container, str]:
    """What a file, or a stream next, holds, and its name for messages."""
    if not isinstance(path, Readable):
        name = os.fspath(path)
        return _core.Container.from_file(name, **limits), name
    data = streams.read_one(path, max_bytes)
    if data is None:
        raise FileError("the stream is at its end: there is no further object")
    return _core.Container.from_bytes(data, **limits), "the stream"


def from_bytes(
    data: Buffer,
    allow_insecure: bool = False,
    *,
    security_table: str | None = None,
    device: str = "cpu",
    max_bytes: int = MAX_BYTES,
) -> Any:
    """The object that `to_bytes` made these bytes of; checked as by `load`.

    Args:
        data: bytes, or whatever lends some: a `memoryview`, an `mmap.mmap`, a `bytearray`, all read in place. What
            changes meanwhile is refused, or gives other residues; a mapped file that another process makes shorter
            ends this one (SIGBUS), as for every reader of mapped files.
        allow_insecure, security_table, device, max_bytes: as for `load`.
    """
    return _read(_lent(data, _limits(max_bytes, allow_insecure, _judge(security_table, []))), device)


def from_bytes_with_note(data: Buffer, expect: Parameters, device: str, max_bytes: int) -> tuple[Any, dict[str, Any]]:
    """The same, of these parameters, and the note beside it; for the library itself.

    Raises:
        MismatchError: other parameters.
    """
    container = _lent(data, _limits(max_bytes, expect.allow_insecure, _judge(None, [expect])))
    if container.parameters.fingerprint != expect.native.fingerprint:
        raise MismatchError(f"the data belongs to other parameters than {expect.summary()}")
    return _read(container, device), metadata.read_note(metadata.parse(container.metadata))


def _lent(data: Buffer, limits: dict[str, Any]) -> _core.Container:
    try:
        return _core.Container.from_bytes(data, **limits)
    except (BufferError, TypeError) as error:
        raise ArgumentError(f"from_bytes: bytes in one piece are wanted, not {type(data).__name__}: {error}") from None


def reduced(obj: Any) -> tuple[Any, ...]:
    """What `pickling` makes pickles and copies of: the bytes of a file. A pickle, which runs whatever it says anyway,
    keeps what its writer accepted."""
    parameters = obj if isinstance(obj, Parameters) else obj.parameters
    array = obj.digits if isinstance(obj, EncryptedNumbers) else obj
    ring = array.keyring if isinstance(array, EncryptedArray) else Keyring()
    return _restored, (to_bytes(obj), parameters.allow_insecure, parameters.table, bool(ring.keys()))


def _restored(data: bytes, allow_insecure: bool, table: str, knew_keys: bool = False) -> Any:
    """``knew_keys``: an array that had keys has them again where this process holds them."""
    obj = from_bytes(data, allow_insecure, security_table=table, device=unpickling_device())
    if not knew_keys:
        return obj
    array = obj.digits if isinstance(obj, EncryptedNumbers) else obj
    held = held_for(array.key_id, array.parameters.native.fingerprint)
    return obj if held is None else obj.with_keys(*held.keys())


def _judge(named: str | None, expected: list[Parameters]) -> str:
    """The table that judges what is loaded: the caller's, else the weakest of the default and what is at hand."""
    if named is not None:
        if not isinstance(named, str):
            raise ParameterError(f"security_table is a name, not {named!r}")
        return named
    table: str = _core.default_security_table()
    for parameters in expected:
        table = _core.weaker_table(table, parameters.table)
    return table


def _read(
    container: _core.Container,
    device: str,
    passphrase: Passphrase | None = None,
    name: str = "the data",
    allow_unfit_key: bool = False,
) -> Storable:
    facts = metadata.parse(container.metadata)
    parameters = Parameters.of_native(container.parameters, metadata.read_value_bits(facts))
    if container.kind == "parameters":
        return parameters
    if container.kind in ("ciphertext", "plaintext"):
        raise FormatError(f"the file holds a {container.kind}, which only the C++ library reads")
    # Tables of primes take time and memory: what can be refused without them has been, before they are made.
    first = container.kind == "encrypted array" and container.version == 1
    described = _described_array(container, parameters, facts) if first else None
    context = context_on(device, parameters)
    if container.kind == "secret key":
        return SecretKey(parameters, context, container.read_secret_key(context.native, allow_unfit_key))
    if container.kind == "protected secret key":
        with passphrases.typed(passphrase, name) as typed:
            return SecretKey(parameters, context, container.read_protected_key(context.native, typed, allow_unfit_key))
    if container.kind == "public key":
        return PublicKey(parameters, context, container.read_public_key(context.native))
    if container.kind == "evaluation keys":
        return EvaluationKeys(parameters, context, container.read_evaluation_keys(context.native))
    if container.kind == "session":
        return Session(parameters, container.read_threshold_session())
    if container.kind == "key share":
        return KeyShare(parameters, context, container.read_key_share(context.native))
    if container.kind == "secret share":
        return SecretShare(parameters, context, container.read_secret_share(context.native))
    if container.kind == "decryption share":
        return DecryptionShare(parameters, context, container.read_decryption_share(context.native))
    if container.kind == "rekeying key":
        return RekeyingKey(parameters, context, container.read_rekeying_key(context.native))
    if described is None:
        native = container.read_array(context.native)
    else:
        native = _core.EncryptedArray(container.read_bundle(context.native), *described)
    array = EncryptedArray(parameters, context, native, Keyring())
    return metadata.read_numbers(facts, array) or array


def _described_array(container: _core.Container, parameters: Parameters, facts: dict[str, Any]) -> metadata.Description:
    """What an array of format 1 is, by its metadata and the shape of what is stored; later formats say it in a section
    of their own, which is checked with the rest."""
    arrays = container.arrays
    if [plain for plain, _ in arrays] != list(range(len(parameters.plain_moduli))):
        raise FormatError("the file holds ciphertexts for other plaintext moduli than its parameters have")
    if len({batch for _, batch in arrays}) != 1:
        raise FormatError("the file's ciphertexts do not form one array")
    return metadata.read_array(facts, parameters, arrays[0][1])
