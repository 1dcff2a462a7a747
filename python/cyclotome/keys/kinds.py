# SPDX-License-Identifier: Apache-2.0
"""Keys: who holds which one decides who can do what.

- `SecretKey`: decrypts (and encrypts). Stays with its owner.
- `PublicKey`: encrypts. For everybody.
- `EvaluationKeys`: multiplies, rotates and sums. For the side that computes, which can never decrypt with them.
- `RekeyingKey`: turns arrays under one secret key into arrays under another; see `rekeying_key` before giving it away.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeVar
from weakref import WeakValueDictionary

from .. import _core
from ..devices.contexts import Context, context_from, context_on
from ..errors import ArgumentError, SecrecyError
from ..numbers.values import word
from ..parameters.parameters import Parameters, required_parameters
from ..pickling import pickled_as_file
from ..text import byte_size, html_table, plural
from ..whole_files import path_text

__all__ = [
    "EvaluationKeys",
    "Keys",
    "PublicKey",
    "Refreshing",
    "RekeyingKey",
    "Reveals",
    "SecretKey",
    "planned_reveals",
]

_MOST_REVEALS = 1 << 60


_K = TypeVar("_K", bound="_Key")
_moving = threading.RLock()


class _Key:
    """What all keys share: parameters, a device, and the id of the secret key they belong to."""

    def __init__(self, parameters: Parameters, context: Context, core: Any) -> None:
        self._parameters, self._context, self._native = parameters, context, core
        # The same key wherever it is in use, by device, so that it lies on each one only once.
        self._replicas: WeakValueDictionary[str, _Key] = WeakValueDictionary({context.device: self})

    def _moved(self: _K, device: str, moved: Callable[[Context], _K]) -> _K:
        """This key on another device: a replica that is in use, or what `moved` makes."""
        context = context_from(self._context, device, self._parameters)
        with _moving:
            replica = self._replicas.get(context.device)
            if replica is None:
                replica = moved(context)
                replica._replicas = self._replicas
                self._replicas[context.device] = replica
            assert isinstance(replica, type(self))
            return replica

    def for_parameters(self: _K, parameters: Parameters) -> _K:
        """The same key for parameters of the same lattice with other plaintext moduli: BFV's keys don't depend on them,
        so those of one secret serve all. Residues are shared; of a public key, without the evaluation keys that it is
        linked to.

        Raises:
            MismatchError: parameters that differ in anything else; or of BGV, whose keys do depend on the modulus.
        """
        context = context_on(self.device, required_parameters("for_parameters", parameters))
        return type(self)(parameters, context, self._native.on_context(context.native))

    @property
    def context(self) -> Context:
        """Where it lies; for the library itself."""
        return self._context

    @property
    def parameters(self) -> Parameters:
        """The parameters that the key was made for."""
        return self._parameters

    @property
    def device(self) -> str:
        """Where the key computes: "cpu", "cpu:<threads>", "cuda:<index>"."""
        return self._context.device

    @property
    def key_id(self) -> str:
        """32 hexadecimal digits, random, the same for a secret key and everything made from it. Not a secret."""
        identity: bytes = self._native.id
        return identity.hex()

    def _facts(self) -> dict[str, str]:
        """What may be shown of it, by name."""
        return {"id": self.key_id[:8]}

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self._facts().items())
        return f"{type(self).__name__}({facts}, {self._parameters.summary()})"

    def _repr_html_(self) -> str:
        return html_table(type(self).__name__, {**self._facts(), "parameters": self._parameters.summary()})


def planned_reveals(ciphertexts: object, what: str) -> int:
    """A number of ciphertexts that may be planned; for the library itself.

    Raises:
        ArgumentError: it may not.
    """
    planned = word(ciphertexts, what)
    if not 1 <= planned <= _MOST_REVEALS:
        raise ArgumentError(f"{what} is {planned}, and must lie in [1, 2^60]; 2^20 is usual")
    return planned


class Reveals(NamedTuple):
    """Ciphertexts of one plaintext modulus that a key opens for others to see."""

    planned: int
    spent: int
    #: The file that has the count; None: this process alone.
    kept_in: str | None

    @property
    def left(self) -> int:
        """How many more `reveal` opens."""
        return max(self.planned - self.spent, 0)


class SecretKey(_Key):
    """Decrypts. Made by `keygen`; written to a file of mode 0600 by ``save``; never copied, pickled or shown."""

    _native: _core.SecretKey

    @property
    def native(self) -> _core.SecretKey:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def reveals(self) -> Reveals:
        """What `reveal` has opened with this key, and how much was planned for its life."""
        planned, spent = self._native.reveals
        return Reveals(planned, spent, self._native.reveals_kept_in or None)

    def plan_reveals(self, ciphertexts: int) -> None:
        """Plans another number of ciphertexts that `reveal` may open in this key's life, those of before included.

        What comes out of all of them depends on the key with probability below ciphertexts 2^-flooding_bits: twice as
        many cost a bit.

        Raises:
            ArgumentError: not from 1 to 2^60.
            FileError, FormatError, MismatchError: as `keep_reveals`.
        """
        self._native.plan_reveals(planned_reveals(ciphertexts, "plan_reveals: ciphertexts"))

    def keep_reveals(self, path: str | os.PathLike[str]) -> None:
        """Counts in this file what `reveal` opens, in place of the one beside the key's file: for keys whose folder
        can't be written, and for copies of a key on one machine that shall share a count.

        The file is made at the first `reveal`, which afterwards raises FileError where it can't be written, FormatError
        where it is damaged, and MismatchError where it is another key's, before anything is decrypted.
        """
        self._native.keep_reveals(path_text(path))

    def to(self, device: str) -> SecretKey:
        """This key on another device, where it decrypts and encrypts then."""
        return self._moved(device, lambda c: SecretKey(self._parameters, c, self._native.to(c.native)))

    def _refuse(self, *_: object) -> NoReturn:
        raise SecrecyError(
            "a secret key is not copied or pickled, so that it cannot end up where it should not be; pass the object "
            "itself, or use cyclotome.save(path, key), which writes a file that only you can read"
        )

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = __getstate__ = _refuse


@pickled_as_file
class PublicKey(_Key):
    """Encrypts, and hides again what a computation laid bare. Made by `keygen`; may be given to anybody."""

    _native: _core.PublicKey

    @property
    def native(self) -> _core.PublicKey:
        """What the library computes with; for the library itself."""
        return self._native

    def __init__(
        self,
        parameters: Parameters,
        context: Context,
        core: _core.PublicKey,
        evaluation: EvaluationKeys | None = None,
    ) -> None:
        super().__init__(parameters, context, core)
        self._evaluation = evaluation

    @property
    def evaluation(self) -> EvaluationKeys | None:
        """The evaluation keys generated with it, which arrays encrypted with this key use; None after loading."""
        return self._evaluation

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    def to(self, device: str) -> PublicKey:
        """This key, and the evaluation keys it is linked to, on another device."""

        def moved(context: Context) -> PublicKey:
            evaluation = None if self._evaluation is None else self._evaluation.to(device)
            return PublicKey(self._parameters, context, self._native.to(context.native), evaluation)

        return self._moved(device, moved)


class Refreshing(NamedTuple):
    """What `EncryptedArray.refreshed` takes and leaves, by the parameters alone."""

    #: Coefficients other than 0 of the sparse secret.
    weight: int
    #: Products of ciphertexts in one refresh.
    products: int
    #: Bits of noise headroom of every refreshed array.
    headroom_after: float
    #: Bits of noise headroom that an array needs which shall be refreshed.
    headroom_needed: float


@pickled_as_file
class EvaluationKeys(_Key):
    """Relinearises products and rotates slots. Made by `keygen`; for the side that computes."""

    _native: _core.EvaluationKeys

    @property
    def native(self) -> _core.EvaluationKeys:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def relinearization(self) -> bool:
        """True if encrypted values can be multiplied with each other."""
        return self._native.has_relinearization

    @cached_property
    def rotations(self) -> tuple[int, ...]:
        """The steps by which slots can be rotated at once, those to the right negative."""
        group = self._parameters.slot_ring.galois
        wanted, row = set(self._native.galois_elements), group.row_length
        steps, element, factor = [], 1, group.row_rotation(1)
        for step in range(1, row):
            element = group.product(element, factor)
            if element in wanted:
                steps.append(step if step <= row // 2 else step - row)
        return tuple(sorted(steps, key=lambda step: (abs(step), step < 0)))

    @property
    def galois_elements(self) -> tuple[int, ...]:
        """The automorphisms x -> x^g that can be applied at once, those of rotations among them."""
        return tuple(self._native.galois_elements)

    @property
    def columns(self) -> bool:
        """True if the two rows of slots can be swapped."""
        return self._native.has_galois(self._parameters.slot_ring.galois.column_rotation())

    @property
    def refreshes(self) -> bool:
        """True if there are keys that lead through a sparse secret: arrays can be `EncryptedArray.refreshed`."""
        return self._native.refreshes

    @cached_property
    def refreshing(self) -> Refreshing:
        """What a refresh takes and leaves with these parameters; takes seconds the first time.

        Raises:
            UnsupportedError: parameters that can't be refreshed.
            SecurityError: no sparse secret is known to be secure for them.
        """
        facts = _core.refresh_facts(self._context.native)
        return Refreshing(facts.weight, facts.products, facts.refreshed_headroom, facts.least_headroom)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    def joined(self, other: EvaluationKeys) -> EvaluationKeys:
        """The keys of both, without copying any.

        Raises:
            MismatchError: they belong to different secret keys, parameters or devices.
        """
        joined = self._native.joined(other._native)
        if joined.nbytes == self.nbytes:
            return self
        return EvaluationKeys(self._parameters, self._context, joined)

    def to(self, device: str) -> EvaluationKeys:
        """These keys on another device."""
        return self._moved(device, lambda c: EvaluationKeys(self._parameters, c, self._native.to(c.native)))

    def _facts(self) -> dict[str, str]:
        return {"for": _purposes(self), "size": byte_size(self.nbytes), **super()._facts()}


def _purposes(keys: EvaluationKeys) -> str:
    held = ["relinearisation"] if keys.relinearization else []
    if keys.rotations:
        held.append(plural(len(keys.rotations), "rotation"))
    if keys.columns:
        held.append("columns")
    if keys.refreshes:
        held.append("refreshing (experimental)")
    return ", ".join(held) or "nothing"


@pickled_as_file
class RekeyingKey(_Key):
    """Turns arrays under one secret key into arrays under another: `cyclotome.rekeying.rekey`. Made by `rekeying_key`;
    its ``key_id`` is where it leads."""

    _native: _core.RekeyingKey

    @property
    def native(self) -> _core.RekeyingKey:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def source_id(self) -> str:
        """Id of the secret key whose arrays it takes."""
        return self._native.source_id.hex()

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    def to(self, device: str) -> RekeyingKey:
        """This key on another device."""
        return self._moved(device, lambda c: RekeyingKey(self._parameters, c, self._native.to(c.native)))

    def _facts(self) -> dict[str, str]:
        return {"from": self.source_id[:8], "to": self.key_id[:8]}


class Keys(NamedTuple):
    """What `keygen` makes: ``secret, public, evaluation = keygen(parameters)``."""

    secret: SecretKey
    public: PublicKey
    evaluation: EvaluationKeys

    def __repr__(self) -> str:
        of = {"secret": "decrypts", "public": "encrypts", "evaluation": _purposes(self.evaluation)}
        roles = ", ".join(f"{name}: {role}" for name, role in of.items())
        return f"Keys(id {self.secret.key_id[:8]}, {roles}; {self.secret.parameters.summary()})"

    def _repr_html_(self) -> str:
        return "".join(key._repr_html_() for key in self)
