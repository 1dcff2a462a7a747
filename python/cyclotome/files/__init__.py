# SPDX-License-Identifier: Apache-2.0
"""Parameters, keys and arrays out of files and bytes: everything that comes from outside is checked. What writes them
is here too, by name (`saving`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar, overload

from .. import _core, streams
from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, FileError, FormatError, MismatchError, ParameterError, SecretFileWarning
from ..frames import layout
from ..frames.table import Table
from ..functions.digit_arrays import DigitArray
from ..keys import passphrases
from ..keys.held import held_for, unpickling_device
from ..keys.keyring import Keyring
from ..keys.kinds import SecretKey
from ..keys.passphrases import Passphrase
from ..parameters.parameters import Parameters
from ..reals.array import RealArray
from ..streams import Buffer, Readable, Source
from ..threshold.identities import Identity, is_identity_file
from ..whole_files import path_text
from . import metadata
from .saving import Path, Storable, refuse_existing, save, to_bytes, to_view
from .stored_objects import read

__all__ = [
    "MAX_BYTES",
    "Path",
    "Storable",
    "from_bytes",
    "load",
    "next_object",
    "reduced",
    "refuse_existing",
    "save",
    "to_bytes",
    "to_view",
]

#: Bytes that `load`, `inspect` and `from_bytes` take unless told otherwise: 4 GiB, which may expand to 16 GiB.
MAX_BYTES = 4 << 30
_EXPANSION = 4

_T = TypeVar("_T")


@overload
def load(
    path: Path | Readable,
    *,
    kind: type[_T],
    expect: Parameters | None = None,
    keys: object = (),
    device: str = "cpu",
    allow_insecure: bool = False,
    allow_unfit_key: bool = False,
    security_table: str | None = None,
    max_bytes: int = MAX_BYTES,
    passphrase: Passphrase | None = None,
) -> _T: ...
@overload
def load(
    path: Path | Readable,
    *,
    kind: None = None,
    expect: Parameters | None = None,
    keys: object = (),
    device: str = "cpu",
    allow_insecure: bool = False,
    allow_unfit_key: bool = False,
    security_table: str | None = None,
    max_bytes: int = MAX_BYTES,
    passphrase: Passphrase | None = None,
) -> Any: ...
def load(
    path: Path | Readable,
    *,
    kind: type[Any] | None = None,
    expect: Parameters | None = None,
    keys: object = (),
    device: str = "cpu",
    allow_insecure: bool = False,
    allow_unfit_key: bool = False,
    security_table: str | None = None,
    max_bytes: int = MAX_BYTES,
    passphrase: Passphrase | None = None,
) -> Any:
    """Reads an object that `save` wrote; what it is says the file, and ``kind`` what it must be: ``cy.load("x.ct",
    kind=cy.EncryptedArray)`` is one to type checkers too.

    Nothing is trusted: lengths, residues and descriptions are checked, and nothing larger is allocated than the bytes
    justify. The checksum detects damage; it does not tell who wrote the file.

    Args:
        path: the file; or a binary file object, from which the next object is read, and no byte more. Secret keys are
            read from a path better, which keeps their bytes in locked memory.
        kind: the class that it must be of. None: any.
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
        passphrase: of a secret key, share or identity that was saved with one: text, bytes, or a function that returns
            either, which is called if the file needs it. Other files take no notice.

    Returns:
        `Parameters`, `SecretKey`, `PublicKey`, `EvaluationKeys`, `RekeyingKey`, `EncryptedArray`, `EncryptedDigits`,
        `circuit.EncryptedNumbers`, `EncryptedFrame`, or a `threshold.Session`, its parties' messages and their
        `threshold.Identity`.

    Raises:
        FileError: no such file, or it can't be read; a stream that is at its end.
        FormatError: damaged, cut off, too long, or not written by this library.
        SecurityError: INSECURE parameters, or parameters that are below 128 bits by ``security_table``.
        MismatchError: another kind, or other parameters or keys than expected.
        PassphraseError: a passphrase is needed, or another one.
        EngineError: a passphrase is needed, and the system has no libcrypto.

    Warns:
        SecretFileWarning: a secret key that others may read.
    """
    _require_class(kind, "load")
    ring = Keyring.of(*keys) if isinstance(keys, (tuple, list)) else Keyring.of(keys)
    given = ring.keys()
    expected = [*([] if expect is None else [expect]), *(key.parameters for key in given)]
    limits = _limits(
        max_bytes, allow_insecure or any(each.allow_insecure for each in expected), _judge(security_table, expected)
    )
    if isinstance(path, Readable):
        obj, name = _next_in(path, device, limits, passphrase, allow_unfit_key), "the stream"
    else:
        name = path_text(path)
        if is_identity_file(name):
            return _of_kind(_identity(name, passphrase, bool(expected)), kind, name)
        obj = _in_file(name, device, limits, passphrase, allow_unfit_key)
    return _expected(_of_kind(obj, kind, name), name, expected, given)


def _require_class(kind: object, operation: str) -> None:
    if kind is not None and not isinstance(kind, type):
        raise ArgumentError(f"{operation}: kind {kind!r:.60}; it is a class, such as cy.EncryptedArray")


def _of_kind(obj: Any, kind: type[Any] | None, name: str) -> Any:
    """The object. Raises MismatchError where it is of another kind than was asked for."""
    if kind is None or isinstance(obj, kind):
        return obj
    raise MismatchError(
        f"{name} holds an object of {type(obj).__name__}, not of {kind.__name__}; without kind any is taken"
    )


def _identity(name: str, passphrase: Passphrase | None, expected: bool) -> Identity:
    """The identity of a party, which belongs to no parameters."""
    if expected:
        raise MismatchError(f"{name} holds the identity of a party, which belongs to no parameters or keys")
    _warn_if_shown(name, "the identity of a party")
    if passphrase is None or _core.inspect_file(name, MAX_BYTES)["kind"] == "identity":
        return Identity(_core.load_identity(name, None))
    with passphrases.typed(passphrase, name) as typed:
        return Identity(_core.load_identity(name, typed))


def _warn_if_shown(name: str, what: str) -> None:
    if not _core.file_is_private(name):
        warnings.warn(
            f"{name} holds {what} and others may read it; `chmod 600` it, and make a new one if that may have happened",
            SecretFileWarning,
            stacklevel=4,
        )


def _in_file(name: str, device: str, limits: dict[str, Any], passphrase: Passphrase | None, unfit: bool) -> Any:
    with layout.table_in_file(name) as following:
        if following is not None:
            return _whole_table(following, device, limits)
    container = _core.Container.from_file(name, **limits)
    if container.is_secret:
        _warn_if_shown(name, "a secret key")
    obj = read(container, device, passphrase, name, unfit)
    if isinstance(obj, SecretKey):
        obj.native.keep_reveals_beside(name)
    return obj


def _next_in(stream: Readable, device: str, limits: dict[str, Any], passphrase: Passphrase | None, unfit: bool) -> Any:
    """The next object of a stream, which is left behind it: a table's arrays belong to it."""
    following = partial(streams.read_one, stream)
    head = following(limits["max_bytes"])
    if head is None:
        raise FileError("the stream is at its end: there is no further object")
    container = _core.Container.from_bytes(head, **limits)
    if container.kind == "parameters" and layout.describes_table(metadata.parse(container.metadata)):
        return _table(container, len(head), following, device, limits)
    return read(container, device, passphrase, "the stream", unfit)


def _whole_table(following: Source, device: str, limits: dict[str, Any]) -> Table:
    """The table that all these containers are."""
    head = following(limits["max_bytes"]) or b""
    frame = _table(_core.Container.from_bytes(head, **limits), len(head), following, device, limits)
    layout.require_end(following)
    return frame


def _table(first: _core.Container, used: int, following: Source, device: str, limits: dict[str, Any]) -> Table:
    """The table that these parameters, of ``used`` bytes, describe: as many further containers are taken as it has."""
    facts = metadata.parse(first.metadata)
    about = layout.description(facts)
    arrays, room = [], limits["max_expanded_bytes"]
    for data in layout.containers(following, about, limits["max_bytes"] - used):
        container = _core.Container.from_bytes(data, **{**limits, "max_expanded_bytes": room})
        array = read(container, device) if container.kind == "encrypted array" else None
        if not isinstance(array, EncryptedArray):
            raise FormatError(f"the table's file holds a {container.kind}, or numbers of bits, among its arrays")
        arrays.append(array)
        room = max(room - array.nbytes, 0)
    frame = layout.read(about, arrays)
    if frame.parameters != Parameters.of_native(first.parameters, metadata.read_value_bits(facts)):
        raise FormatError("the table's arrays are of other parameters than its file")
    return frame


def _expected(obj: Any, name: str, expected: list[Parameters], keys: Sequence[object]) -> Any:
    """What was read, with keys. Raises MismatchError where it belongs to other parameters."""
    own = obj if isinstance(obj, Parameters) else obj.parameters
    for parameters in expected:
        if own != parameters:
            raise MismatchError(f"{name} belongs to {own.summary()}, not to {parameters.summary()}")
    held = keys and isinstance(obj, (EncryptedArray, RealArray, DigitArray, Table))
    return obj.with_keys(*keys) if held else obj


def _limits(max_bytes: int, allow_insecure: bool, table: str) -> dict[str, Any]:
    """What `_core.Container` takes from outside."""
    return {
        "max_bytes": max_bytes,
        "max_expanded_bytes": _EXPANSION * max_bytes,
        "allow_insecure": allow_insecure,
        "security_table": table,
    }


@overload
def from_bytes(
    data: Buffer,
    allow_insecure: bool = False,
    *,
    kind: type[_T],
    security_table: str | None = None,
    device: str = "cpu",
    max_bytes: int = MAX_BYTES,
) -> _T: ...
@overload
def from_bytes(
    data: Buffer,
    allow_insecure: bool = False,
    *,
    kind: None = None,
    security_table: str | None = None,
    device: str = "cpu",
    max_bytes: int = MAX_BYTES,
) -> Any: ...
def from_bytes(
    data: Buffer,
    allow_insecure: bool = False,
    *,
    kind: type[Any] | None = None,
    security_table: str | None = None,
    device: str = "cpu",
    max_bytes: int = MAX_BYTES,
) -> Any:
    """The object that `to_bytes` made these bytes of; checked as by `load`.

    Args:
        data: bytes, or whatever lends some: a `memoryview`, an `mmap.mmap`, a `bytearray`, all read in place. What
            changes meanwhile is refused, or gives other residues; a mapped file that another process makes shorter
            ends this one (SIGBUS), as for every reader of mapped files.
        allow_insecure, kind, security_table, device, max_bytes: as for `load`.
    """
    _require_class(kind, "from_bytes")
    limits = _limits(max_bytes, allow_insecure, _judge(security_table, []))
    following = layout.table_in_buffer(data)
    if following is not None:
        obj: Any = _whole_table(following, device, limits)
    else:
        obj = read(_core.Container.from_bytes(streams.view_of(data), **limits), device)
    return _of_kind(obj, kind, "the data")


def next_object(
    following: Source,
    *,
    device: str,
    max_bytes: int = MAX_BYTES,
    allow_insecure: bool = False,
    expect: Parameters | None = None,
) -> tuple[Any, dict[str, Any]] | None:
    """The object that the next containers are, one or as many as a table has, and the note beside it; None at the end.
    For the library itself.

    Raises:
        FormatError, SecurityError: as `from_bytes`.
        MismatchError: other parameters than expected.
    """
    expected = [] if expect is None else [expect]
    insecure = allow_insecure or any(each.allow_insecure for each in expected)
    limits = _limits(max_bytes, insecure, _judge(None, expected))
    head = following(max_bytes)
    if head is None:
        return None
    container = _core.Container.from_bytes(streams.view_of(head), **limits)
    if expect is not None and container.parameters.fingerprint != expect.native.fingerprint:
        raise MismatchError(f"the data belongs to other parameters than {expect.summary()}")
    facts = metadata.parse(container.metadata)
    if container.kind == "parameters" and layout.describes_table(facts):
        return _table(container, len(head), following, device, limits), metadata.read_note(facts)
    return read(container, device), metadata.read_note(facts)


def reduced(obj: Any, written: Callable[[Any], Any] = to_bytes) -> tuple[Any, ...]:
    """What `pickling` makes pickles and copies of: the bytes of a file. A pickle, which runs whatever it says anyway,
    keeps what its writer accepted.

    Args:
        obj: it.
        written: gives the bytes, in a form that the pickle takes.
    """
    parameters = obj if isinstance(obj, Parameters) else obj.parameters
    array = _first_array(obj)
    ring = Keyring() if array is None else array.keyring
    return _restored, (written(obj), parameters.allow_insecure, parameters.table, bool(ring.keys()))


def _first_array(obj: Any) -> EncryptedArray | RealArray | None:
    """An array of what consists of some, all under the same keys."""
    if isinstance(obj, Table):
        return obj.arrays()[0]
    array = obj.digits if isinstance(obj, DigitArray) else obj
    return array if isinstance(array, (EncryptedArray, RealArray)) else None


def _restored(data: Buffer, allow_insecure: bool, table: str, knew_keys: bool = False) -> Any:
    """``knew_keys``: an array that had keys has them again where this process holds them."""
    obj = from_bytes(data, allow_insecure, security_table=table, device=unpickling_device())
    array = _first_array(obj)
    if not knew_keys or array is None:
        return obj
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
