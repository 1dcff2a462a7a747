# SPDX-License-Identifier: Apache-2.0
"""Objects and the one container of each."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..arrays.array import EncryptedArray
from ..arrays.plain import PlainArray
from ..devices.contexts import context_on
from ..errors import FormatError, UnsupportedError
from ..frames import layout
from ..functions.digit_arrays import DigitArray
from ..keys import passphrases
from ..keys.keyring import Keyring
from ..keys.kinds import EvaluationKeys, PublicKey, RekeyingKey, SecretKey
from ..keys.passphrases import Passphrase
from ..numbers.values import from_native, native
from ..options import current
from ..parameters.parameters import Parameters
from ..reals.array import RealArray
from ..threshold.dealing import Complaint, Dealing, DealingMessage, ReceivingKeys, SealedShare
from ..threshold.messages import Acceptance, Coin, Commitment, DecryptionShare, KeyShare, SecretShare, Session
from . import metadata

__all__ = ["described", "how", "read"]

_DEALING = {kind.__name__: kind for kind in (ReceivingKeys, Dealing, SealedShare, Complaint)}
#: Messages of `threshold`.
_MESSAGES = (Session, Acceptance, Coin, Commitment, KeyShare, SecretShare, DecryptionShare)


def described(obj: object) -> tuple[Any, dict[str, Any]]:
    """The library's object behind ``obj``, and what its metadata say; not of frames, which are several.

    Raises:
        UnsupportedError: nothing that can be stored.
    """
    if isinstance(obj, Parameters):
        return obj.native, metadata.of_parameters(obj)
    if isinstance(obj, (SecretKey, PublicKey, EvaluationKeys, RekeyingKey, EncryptedArray, RealArray, *_MESSAGES)):
        return obj.native, metadata.of_parameters(obj.parameters)
    if isinstance(obj, DealingMessage):
        return obj.native, metadata.of_parameters(obj.parameters)
    if isinstance(obj, DigitArray):
        return obj.digits.native, metadata.of_digits(obj)
    if isinstance(obj, PlainArray):
        values = _core.PlainValues(obj.parameters.native, native(obj.values))
        return values, metadata.of_parameters(obj.parameters)
    raise UnsupportedError(
        "parameters, keys, encrypted arrays, plain arrays, numbers and frames can be stored, not "
        f"{type(obj).__name__}; a column by "
        'itself as cy.EncryptedFrame({"name": column})'
    )


def how(obj: object) -> tuple[_core.Options, ...]:
    """The options that its writer takes."""
    return (current.get().native,) if isinstance(obj, (EncryptedArray, DigitArray)) else ()


def read(
    container: _core.Container,
    device: str,
    passphrase: Passphrase | None = None,
    name: str = "the data",
    allow_unfit_key: bool = False,
) -> Any:
    """What a checked container holds.

    Args:
        container: it; of a table's several, one.
        device: where it shall compute.
        passphrase: of a secret key or share, as for `load`.
        allow_unfit_key: of a secret key, likewise.
        name: what messages call it.

    Raises:
        FormatError: residues or descriptions that no writer makes; a table without its arrays.
        PassphraseError, EngineError: as `load`.
    """
    facts = metadata.parse(container.metadata)
    parameters = Parameters.of_native(container.parameters, metadata.read_value_bits(facts))
    if container.kind == "parameters":
        if layout.describes_table(facts):
            raise FormatError("the table's arrays are missing: the data is cut off after its description")
        return parameters
    if container.kind in ("party", "protected party"):
        raise FormatError(
            f"{name} holds what a party of a joint key keeps: cy.threshold.Party(session, number, file=...) opens it"
        )
    if container.kind in ("ciphertext", "plaintext"):
        raise FormatError(f"the file holds a {container.kind}, which only the C++ library reads")
    if container.kind == "dealing message":
        dealt = container.read_dealing_message()
        return _DEALING[type(dealt).__name__](parameters, dealt)
    # Tables of primes take time and memory: what can be refused without them has been, before they are made.
    reals = _core.holds_reals(container.parameters)
    first = container.kind == "encrypted array" and container.version == 1 and not reals
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
    if container.kind == "coin":
        return Coin(parameters, container.read_coin())
    if container.kind == "acceptance":
        return Acceptance(parameters, container.read_acceptance())
    if container.kind == "commitment":
        return Commitment(parameters, container.read_key_commitment())
    if container.kind == "key share":
        return KeyShare(parameters, context, container.read_key_share(context.native))
    if container.kind == "secret share":
        return SecretShare(parameters, context, container.read_secret_share(context.native))
    if container.kind == "protected secret share":
        with passphrases.typed(passphrase, name) as typed:
            return SecretShare(parameters, context, container.read_protected_share(context.native, typed))
    if container.kind == "decryption share":
        return DecryptionShare(parameters, context, container.read_decryption_share(context.native))
    if container.kind == "plain array":
        plain = PlainArray(parameters, from_native(container.read_plain_values().values))
        plain.on(context)
        return plain
    if container.kind == "rekeying key":
        return RekeyingKey(parameters, context, container.read_rekeying_key(context.native))
    if reals:
        return RealArray(parameters, context, container.read_real_array(context.native), Keyring())
    if described is None:
        stored = container.read_array(context.native)
    else:
        stored = _core.EncryptedArray(container.read_bundle(context.native), *described)
    array = EncryptedArray(parameters, context, stored, Keyring())
    return metadata.read_digits(facts, array) or array


def _described_array(container: _core.Container, parameters: Parameters, facts: dict[str, Any]) -> metadata.Description:
    """What an array of format 1 is, by its metadata and the shape of what is stored; later formats say it in a section
    of their own, which is checked with the rest."""
    arrays = container.arrays
    if [plain for plain, _ in arrays] != list(range(len(parameters.plain_moduli))):
        raise FormatError("the file holds ciphertexts for other plaintext moduli than its parameters have")
    if len({batch for _, batch in arrays}) != 1:
        raise FormatError("the file's ciphertexts do not form one array")
    return metadata.read_array(facts, parameters, arrays[0][1])
