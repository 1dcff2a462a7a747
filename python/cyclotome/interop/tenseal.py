# SPDX-License-Identifier: Apache-2.0
"""TenSEAL's contexts and BFV vectors: protocol buffers around SEAL's objects.

    >>> from cyclotome.interop import tenseal  # doctest: +SKIP
    >>> context = tenseal.read_context("context.tenseal", security_table="he-standard-2018")
    >>> x = context.read_vector("vector.tenseal", fresh=True, bound=100)

A context that holds the secret key gives everything that TenSEAL makes of it; a public one what was saved with it.
CKKS contexts and vectors are refused: there are exact integers here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, FormatError
from ..keys.kinds import EvaluationKeys, PublicKey, SecretKey
from ..parameters.parameters import Parameters
from .protobuf import Message, field, varint
from .seal_frame import Data, view_of
from .seal_keys import new_evaluation_keys
from .seal_owner import MAX_BYTES, Owner
from .seal_parameters import read_parameters
from .seal_writing import write_array

__all__ = ["Context", "read_context", "write_vector"]

# Numbers of fields, of TenSEAL's tensealcontext.proto and tensors.proto.
_PARAMETERS, _PUBLIC, _PRIVATE = 1, 2, 3
_PUBLIC_KEY, _RELIN_KEYS, _GALOIS_KEYS = 1, 4, 5
_SECRET_KEY, _HAS_RELIN, _HAS_GALOIS = 1, 2, 3
_SIZES, _CIPHERTEXTS = 1, 2


@dataclass(frozen=True)
class Context:
    """What a TenSEAL context holds. The keys are None where it has none."""

    owner: Owner
    secret: SecretKey | None
    public: PublicKey | None
    evaluation: EvaluationKeys | None

    @property
    def parameters(self) -> Parameters:
        """Of all its objects."""
        return self.owner.parameters

    def read_vector(
        self,
        data: Data,
        *,
        fresh: bool = False,
        noise_budget: int | None = None,
        noise_bits: float | None = None,
        bound: int | None = None,
        wrap: bool = False,
    ) -> EncryptedArray:
        """A BFVVector, as `BFVVector.serialize` gives it: an array of one axis.

        The slots behind its values hold no zeros: TenSEAL repeats the values there.

        Args:
            data: bytes, or the path of a file.
            fresh, noise_budget, noise_bits, bound, wrap: see `seal.Owner.read_array`.

        Raises:
            FormatError: no such vector, or damaged.
            ArgumentError, NoiseError, RangeError, MissingKeyError, FileError: see `seal.Owner.read_array`.
        """
        message = Message(view_of(data, "vector", MAX_BYTES), "vector")
        sizes, ciphertexts = message.numbers(_SIZES), message.all_bytes(_CIPHERTEXTS)
        n = self.parameters.slots
        full = sizes[:-1] == [n] * (len(sizes) - 1)
        if not sizes or len(sizes) != len(ciphertexts) or not full or not 1 <= sizes[-1] <= n:
            raise FormatError(
                f"the vector has {len(ciphertexts)} ciphertexts for {len(sizes)} sizes, of {n} values but the last: "
                "the data is damaged, or no BFVVector of these parameters"
            )
        stated: dict[str, Any] = {"fresh": fresh, "noise_budget": noise_budget, "noise_bits": noise_bits}
        return self.owner.read_array(ciphertexts, **stated, bound=bound, wrap=wrap, length=sum(sizes))


def read_context(
    data: Data,
    *,
    security: int = 128,
    security_table: str = "guidelines-2024",
    allow_insecure: bool = False,
    allow_unfit_key: bool = False,
    device: str = "cpu",
    key_id: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Context:
    """A TenSEAL context, as `Context.serialize` gives it.

    Where it holds the secret key, TenSEAL does not store evaluation keys but makes them anew; so does this, if it had
    some. A context without a public key is read too.

    Args:
        data: bytes, or the path of a file.
        security, security_table, allow_insecure: see `seal.read_parameters`.
        allow_unfit_key, device, key_id, max_bytes: see `seal.Owner`.

    Raises:
        FormatError: no context, or damaged.
        UnsupportedError: a CKKS context.
        SecurityError, ParameterError: see `seal.read_parameters`.
        MismatchError, MissingKeyError, FileError: see `seal.Owner`.
    """
    message = Message(view_of(data, "context", max_bytes), "context")
    if not message.has(_PARAMETERS):
        raise FormatError("the context holds no encryption parameters; the data is damaged or something else")
    public, private = Message(message.bytes(_PUBLIC), "context"), Message(message.bytes(_PRIVATE), "context")
    parameters = read_parameters(
        message.bytes(_PARAMETERS), security=security, security_table=security_table, allow_insecure=allow_insecure
    )
    owner = Owner(parameters, device=device, key_id=key_id, allow_unfit_key=allow_unfit_key, max_bytes=max_bytes)
    secret = owner.read_secret_key(private.bytes(_SECRET_KEY)) if private.has(_SECRET_KEY) else None
    relin, galois = (public.bytes(number) if public.has(number) else None for number in (_RELIN_KEYS, _GALOIS_KEYS))
    if relin or galois:
        owner.read_evaluation_keys(relin or None, galois or None)
    wanted = private.number(_HAS_RELIN) != 0, private.number(_HAS_GALOIS) != 0
    if secret is not None and any(wanted) and len(parameters.special_moduli) == 1:
        owner.add_evaluation_keys(new_evaluation_keys(secret, *wanted))
    if public.bytes(_PUBLIC_KEY):
        owner.read_public_key(public.bytes(_PUBLIC_KEY))
    return Context(owner, secret, owner.public, owner.evaluation)


def write_vector(x: EncryptedArray, *, compression: str = "zlib", version: str = "4.3") -> bytes:
    """An array of one packed axis as a BFVVector: what `tenseal.bfv_vector_from` takes with a context of the same keys.

    ``version`` is that of the SEAL in the TenSEAL that is to read it: `seal.version_of` of an object within.

    Behind the values are zeros, or what operations left there, where TenSEAL repeats the values.

    Raises:
        ArgumentError: another shape or layout.
        ParameterError, NoiseError, MissingPackageError: see `seal.write_array`.
    """
    if not isinstance(x, EncryptedArray) or x.ndim != 1 or x.layout != "packed" or x.encoding != "slots":
        raise ArgumentError("a BFVVector is an array of one axis, packed in slots")
    n, length = x.parameters.slots, x.shape[0]
    sizes = [min(n, length - start) for start in range(0, length, n)]
    message = field(_SIZES, b"".join(map(varint, sizes)))
    return message + b"".join(
        field(_CIPHERTEXTS, item) for item in write_array(x, compression=compression, version=version)
    )
