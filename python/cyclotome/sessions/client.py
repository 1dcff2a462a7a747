# SPDX-License-Identifier: Apache-2.0
"""A client: the one side that has the secret key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, runtime_checkable

from ..arrays import decryption, encryption
from ..arrays.array import EncryptedArray
from ..arrays.encryption import EncryptOptions
from ..errors import ArgumentError, MismatchError, UnknownKeysError, UnsupportedError
from ..files import to_bytes
from ..frames.decryption import decrypt_frame
from ..frames.encrypting import encrypt_frame
from ..frames.frame import EncryptedFrame
from ..frames.statistics.deferred import EncryptedStatistics
from ..frames.table import Table
from ..functions.digit_arrays import DigitArray
from ..functions.digits import EncryptedDigits, decrypt_digits, encrypt_digits
from ..functions.numbers import EncryptedNumbers
from ..keys.generation import keygen
from ..keys.kinds import Keys
from ..parameters.parameters import Parameters
from ..reals.array import RealArray
from ..streams import Buffer
from .messages import Encrypted, fingerprint, key_bytes, question, read_answer, require_key

if TYPE_CHECKING:  # of Python 3.11; type checkers bring it along
    from typing_extensions import Unpack

__all__ = ["Client", "Service", "answered"]


@runtime_checkable
class Service(Protocol):
    """What a client talks to: a `Server`, or what stands for one (`cyclotome.sessions.remote.Remote`)."""

    @property
    def parameters(self) -> Parameters | None:
        """Those that it computes with; None: any."""

    def add_keys(self, data: Buffer, /) -> str:
        """Holds keys; their fingerprint."""

    def call(self, function: str, request: Buffer, keys: str, /) -> bytes:
        """The answer to a request."""


def answered(
    server: Service, function: str, request: Buffer, name: str, key_bytes: Callable[[], Buffer], tries: int = 3
) -> bytes:
    """The answer to a request. Keys are sent where the server does not hold those of this name; more than once where it
    has lost them again before it had the answer."""
    while True:
        try:
            return server.call(function, request, name)
        except UnknownKeysError:
            tries -= 1
            if not tries:
                raise
            server.add_keys(key_bytes())


class Client:
    """Holds a secret key, encrypts requests, and decrypts answers. What it sends are ciphertexts and, once, evaluation
    and public keys; the secret key stays in this object.

    Args:
        server: a `Server`; the address of one, "https://host:port" (extra "serve"); or None for whoever carries the
            bytes of `key_bytes`, `request` and `read` some other way.
        keys: what `keygen` made. None: new ones, for the parameters that the server names.

    Raises:
        ArgumentError: no keys, and no server that names parameters.
        MismatchError: keys that do not belong together, or of other parameters than the server's.
        ServiceError: the server can't be reached.
        MissingPackageError: an address, and the extra "serve" is not installed.

    Example:
        >>> import cyclotome as cy
        >>> client = cy.Client(None, cy.keygen(cy.Parameters.suggest(depth=1, value_bits=7), rotations=[]))
        >>> server = cy.Server({"double": lambda x: 2 * x})
        >>> name, request = server.add_keys(client.key_bytes()), client.request([1, 2, 3])
        >>> client.read(server.call("double", request, name), "double", request)
        array([2, 4, 6])
    """

    def __init__(self, server: Service | str | None, keys: Keys | None = None, **options: Any) -> None:
        """``options``: of `Remote`, such as ``token`` and ``timeout``, where ``server`` is an address."""
        self._own: Any = None
        if isinstance(server, str):
            from .remote import Remote

            self._own = server = Remote(server, **options)
        elif options:
            raise ArgumentError(f"Client: {', '.join(options)}: options are for servers that have an address")
        if server is not None and not isinstance(server, Service):
            raise UnsupportedError(f"Client takes a Server, an address or None, not {type(server).__name__}")
        self._server = server
        self._keys = _keys(server, keys)
        self._fingerprint: str | None = None

    @property
    def parameters(self) -> Parameters:
        """Those of its keys."""
        return self._keys.secret.parameters

    @property
    def key_id(self) -> str:
        """Id of its secret key."""
        return self._keys.secret.key_id

    def key_bytes(self) -> bytes:
        """What a server is sent once: evaluation keys and the public key, nothing secret."""
        return key_bytes(self._keys.evaluation, self._keys.public)

    @property
    def fingerprint(self) -> str:
        """The name by which a server holds `key_bytes`."""
        if self._fingerprint is None:
            self._fingerprint = fingerprint(self.key_bytes())
        return self._fingerprint

    def encrypt(self, values: object, **options: Unpack[EncryptOptions]) -> EncryptedArray:
        """As `cyclotome.encrypt`, with the secret key, whose ciphertexts take half the space."""
        return encryption.encrypt(values, self._keys.secret, **options)

    def encrypt_frame(self, table: object, **options: Any) -> EncryptedFrame:
        """As `cyclotome.encrypt_frame`, with the secret key: an argument with columns, scales and missing values, which
        are public but for the values."""
        return encrypt_frame(table, self._keys.secret, **options)

    def encrypt_digits(self, values: object, *, base: int, digits: int, **options: Any) -> EncryptedDigits:
        """As `cyclotome.encrypt_digits`, with the secret key: an argument of numbers that are compared."""
        return encrypt_digits(values, self._keys.secret, base=base, digits=digits, **options)

    def request(self, *arguments: object, **options: Unpack[EncryptOptions]) -> bytes:
        """The bytes of a request: arguments that are encrypted already as they are, others by `encrypt` with these
        options."""
        encrypted = (EncryptedArray, RealArray, DigitArray, Table)
        arrays = [each if isinstance(each, encrypted) else self.encrypt(each, **options) for each in arguments]
        for each in arrays:
            require_key(each, self.key_id, "an argument")
        return b"".join(to_bytes(each) for each in arrays)

    def read(
        self,
        answer: Buffer,
        function: str | None = None,
        request: Buffer | None = None,
        *,
        keys: str | None = None,
        unbound: bool = False,
    ) -> Any:
        """The values of an answer: those of one array, a pandas DataFrame of a table, or a list where the function
        returned one. For this client alone, as `decrypt` says; so is whether it fails.

        An answer carries the digest of its question, so one that was meant for another, by a proxy that mixes answers
        up or a retry that crosses over, is refused. That is no proof against a server that lies.

        Args:
            answer: its bytes.
            function, request: the question: the function's name, and the bytes that were sent.
            keys: the fingerprint that was named with it; None: that of `key_bytes`.
            unbound: take the answer to whatever question, named or not; servers before this was there name none.

        Raises:
            ArgumentError: no question, and the answer is not to be taken unbound.
            FormatError: no answer, or a damaged one.
            MismatchError: an answer under another key, to another question, or to none that it names.
            NoiseError, ContradictionError, RangeError: as `decrypt`.
            MissingPackageError: a table, and pandas is not installed.
        """
        asked = None
        if not unbound:
            if function is None or request is None:
                raise ArgumentError(
                    "read: say which question the answer must be to, read(answer, function, request): one to another "
                    "question is a wrong number otherwise; unbound=True takes any"
                )
            asked = question(function, request, self.fingerprint if keys is None else keys)
        found = read_answer(answer, self.parameters, self.key_id, self._keys.secret.device, asked)
        return [self._opened(each) for each in found] if isinstance(found, Sequence) else self._opened(found)

    def _opened(self, x: Encrypted) -> Any:
        if isinstance(x, (EncryptedFrame, EncryptedStatistics)):
            return decrypt_frame(x, self._keys.secret)
        if isinstance(x, EncryptedDigits):
            return decrypt_digits(x, self._keys.secret)
        if isinstance(x, (EncryptedArray, RealArray)):
            return decryption.decrypt(x, self._keys.secret)
        from ..circuit import decrypt

        assert isinstance(x, EncryptedNumbers)
        return decrypt(x, self._keys.secret)

    def call(self, function: str, *arguments: object, **options: Unpack[EncryptOptions]) -> Any:
        """What the server's function makes of these arguments, decrypted. Sends the keys if the server does not hold
        them.

        Args:
            function: its name.
            arguments, options: as for `request`.

        Raises:
            ArgumentError: no server was given; no such function.
            Whatever the server refuses with, and `read` raises; ServiceError: it can't be reached.
        """
        if self._server is None:
            raise ArgumentError("Client: no server was given to call; send the bytes of request yourself")
        request = self.request(*arguments, **options)
        answer = answered(self._server, function, request, self.fingerprint, self.key_bytes)
        return self.read(answer, function, request)

    def send_keys(self) -> str:
        """Sends the keys now; `call` does it when they are missed. Their fingerprint."""
        if self._server is None:
            raise ArgumentError("Client: no server was given to send keys to; send key_bytes yourself")
        name = self._server.add_keys(self.key_bytes())
        if name != self.fingerprint:
            raise MismatchError(f"the server holds keys {name[:8]}, not the ones that were sent")
        return name

    def close(self) -> None:
        """Closes its connections, where ``server`` is an address; a `Server` goes on."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client(key {self.key_id[:8]}, {self.parameters.summary()})"

    def __reduce__(self) -> NoReturn:
        self._keys.secret.__reduce__()  # which refuses


def _keys(server: Service | None, keys: Keys | None) -> Keys:
    named = None if server is None else server.parameters
    if keys is None:
        if named is None:
            raise ArgumentError("Client: the server names no parameters to make keys for; give it keys=cy.keygen(...)")
        return keygen(named)
    if not isinstance(keys, Keys):
        raise UnsupportedError(f"Client takes what keygen made, not {type(keys).__name__}")
    if len({key.key_id for key in keys}) != 1:
        raise MismatchError("Client: the keys were not generated together")
    if named is not None and keys.secret.parameters != named:
        raise MismatchError(
            f"Client: the keys belong to {keys.secret.parameters.summary()}, the server computes with {named.summary()}"
        )
    return keys
