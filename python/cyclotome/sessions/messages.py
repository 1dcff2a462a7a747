# SPDX-License-Identifier: Apache-2.0
"""What goes between client and server: stored objects one after the other, as `cyclotome.streams` reads them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from .. import _core
from ..arrays.array import EncryptedArray
from ..errors import FormatError, FunctionError, MismatchError, SecrecyError
from ..files import from_bytes, next_object, to_bytes, to_view
from ..frames.table import Table
from ..functions.digit_arrays import DigitArray
from ..keys.keyring import Keyring
from ..keys.kinds import EvaluationKeys, PublicKey
from ..parameters.parameters import Parameters
from ..reals.array import RealArray
from ..streams import Buffer, Parts, Source, parts

__all__ = [
    "Encrypted",
    "answer_bytes",
    "arrays_of",
    "fingerprint",
    "key_bytes",
    "question",
    "read_answer",
    "read_arguments",
    "read_keys",
    "require_key",
]

#: What functions take and return.
Encrypted = EncryptedArray | RealArray | DigitArray | Table
_KINDS = (EncryptedArray, RealArray, DigitArray, Table)
#: Objects in an answer.
_MOST_RESULTS = 4096


def fingerprint(keys: Buffer) -> str:
    """The name of a set of keys, 64 hexadecimal digits: SHA-256 of its bytes, so that nobody can put other keys in
    its place."""
    return hashlib.sha256(keys).hexdigest()


def key_bytes(evaluation: EvaluationKeys, public: PublicKey | None = None) -> bytes:
    """What a server is sent once: evaluation keys, and the public key for results that have to be hidden anew."""
    return b"".join(to_view(key) for key in (evaluation, public) if key is not None)


def question(function: str, request: Buffer, keys: str) -> str:
    """The name of a question, 64 hexadecimal digits: SHA-256 of the function, the arguments in their order and the
    keys' fingerprint. Its answer carries it, so that an answer to another one is not taken for it."""
    digest = hashlib.sha256(b"cyclotome question 1\0")
    for part in (function.encode("utf-8", "surrogatepass"), keys.encode("utf-8", "surrogatepass")):
        digest.update(len(part).to_bytes(8, "little") + part)
    digest.update(request)
    return digest.hexdigest()


def _refuse_secrets(data: memoryview) -> None:
    if _core.names_secret(data):
        raise SecrecyError(
            "this is a secret key, a share of one, or what a party keeps: it must not leave its owner. It was not kept "
            "here, but treat it as disclosed: make new keys, and encrypt anew with them"
        )


def read_keys(data: Buffer, *, max_bytes: int, device: str, allow_insecure: bool) -> Keyring:
    """The keys in what `key_bytes` made, checked as any file is.

    Raises:
        SecrecyError: a secret key among them.
        FormatError: something else, or not evaluation keys and perhaps a public key, in this order.
        MismatchError: keys that do not belong together.
    """
    found: list[Any] = []
    for part in parts(data, max_bytes, 2):
        _refuse_secrets(part)
        found.append(from_bytes(part, allow_insecure, device=device, max_bytes=max_bytes))
    if [type(key) for key in found] not in ([EvaluationKeys], [EvaluationKeys, PublicKey]):
        raise FormatError("keys for a server are evaluation keys, and perhaps a public key, in this order")
    ring = Keyring.of(*found)
    ring.require(found[0].key_id, found[0].parameters)
    return ring


def _containers(data: Buffer) -> Source:
    """The containers in these bytes, a secret key refused wherever it stands."""
    lying = Parts(data)

    def following(limit: int) -> memoryview | None:
        part = lying.following(limit)
        if part is not None:
            _refuse_secrets(part)
        return part

    return following


def read_arguments(data: Buffer, *, max_bytes: int, most: int, device: str, allow_insecure: bool) -> list[Encrypted]:
    """The encrypted arrays, numbers and tables of a request.

    Raises:
        SecrecyError: a secret key.
        FormatError: something else, too many, or a table that is not as its description says.
    """
    found: list[Encrypted] = []
    following = _containers(data)
    while (
        read := next_object(following, device=device, max_bytes=max_bytes, allow_insecure=allow_insecure)
    ) is not None:
        obj = read[0]
        if not isinstance(obj, _KINDS):
            raise FormatError(f"a request has encrypted arrays and tables, and this one {type(obj).__name__}")
        if len(found) == most:
            raise FormatError(f"the request has more than the {most} arguments that one may have")
        found.append(obj)
    return found


def arrays_of(x: Encrypted) -> list[Any]:
    """The arrays, of integers or of reals, that hold its ciphertexts."""
    return [x] if isinstance(x, (EncryptedArray, RealArray)) else x.arrays()


def require_key(x: Encrypted, key_id: str, what: str) -> None:
    """Raises MismatchError for ciphertexts of another secret key."""
    for array in arrays_of(x):
        if array.key_id != key_id:
            raise MismatchError(f"{what} is encrypted under key {array.key_id[:8]}, not under yours, {key_id[:8]}")


def answer_bytes(result: object, asked: str) -> list[bytes]:
    """What a function returned, an array, a table or a sequence of them, as bytes that `read_answer` reads: the answer
    to the `question` of this name.

    Raises:
        FunctionError: it returned something else.
    """
    if isinstance(result, _KINDS):
        return [to_bytes(result, note={"question": asked})]
    several = isinstance(result, Sequence) and not isinstance(result, (str, bytes))
    if not several or not all(isinstance(each, _KINDS) for each in result):  # type: ignore[attr-defined]
        raise FunctionError(
            f"the function returned {type(result).__name__}; it must return encrypted arrays or tables, one or a list "
            'of them; a column by itself as cy.EncryptedFrame({"name": column})'
        )
    results: Sequence[Any] = result  # type: ignore[assignment]
    if not 0 < len(results) <= _MOST_RESULTS:
        raise FunctionError(f"the function returned {len(results)} arrays; there can be 1 to {_MOST_RESULTS}")
    facts = {"question": asked, "of": len(results)}
    return [to_bytes(each, note={**facts, "result": place}) for place, each in enumerate(results)]


def read_answer(
    data: Buffer, expect: Parameters, key_id: str, device: str, asked: str | None
) -> Encrypted | list[Encrypted]:
    """The arrays and tables of an answer: one, or a list, as the function returned them.

    Args:
        data: the answer.
        expect, key_id: of the arrays.
        device: where they shall compute.
        asked: the `question` that it must answer. None: any, all of it the same one.

    Raises:
        FormatError: no answer, or one of which results are missing.
        MismatchError: the answer to another question, or one that does not say to which; other parameters or keys.
    """
    found: list[Encrypted] = []
    whole = first = None
    following = _containers(data)
    while (read := next_object(following, device=device, expect=expect)) is not None:
        obj, note = read
        if not isinstance(obj, _KINDS):
            raise FormatError(f"an answer has encrypted arrays and tables, and this one {type(obj).__name__}")
        if len(found) == _MOST_RESULTS:
            raise FormatError(f"an answer of more than {_MOST_RESULTS} results")
        require_key(obj, key_id, "the answer")
        named = note.get("question")
        if asked is not None and named != asked:
            raise MismatchError(_unasked(named))
        if found and named != first:
            raise FormatError("the results of an answer are those of several questions")
        first = named
        whole = note.get("of") if not found else whole
        if note.get("of") != whole or note.get("result") != (None if whole is None else len(found)):
            raise FormatError("the results of an answer are not those of one call, or not in their order")
        found.append(obj)
    if len(found) != (1 if whole is None else whole):
        raise FormatError(f"the answer has {len(found)} results of {1 if whole is None else whole}: it was cut off")
    return found[0] if whole is None else found


def _unasked(named: object) -> str:
    """Why an answer is refused that names another question, or none."""
    if named is None:
        return (
            "the answer does not say which question it answers, as those of servers of older versions do not: an "
            "answer to another one could not be told from it. Renew the server; or take it on trust (unbound=True, "
            "--unbound)"
        )
    return (
        "this is the answer to another question: to another function or other arguments, or for other keys. A proxy, a "
        "balancer or a program in between has crossed, repeated or changed something; ask again"
    )
