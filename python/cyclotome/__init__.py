# SPDX-License-Identifier: Apache-2.0
"""Computing on encrypted integers, exactly.

    >>> import numpy as np, cyclotome as cy
    >>> params = cy.Parameters.suggest(depth=1, value_bits=10, terms=1000, security=128)
    >>> secret, public, evaluation = cy.keygen(params)
    >>> x = cy.encrypt(np.arange(1000), public)
    >>> y = (x * x + 3 * x).sum()
    >>> cy.decrypt(y, secret)
    334332000

Whoever has the public key encrypts; whoever has the evaluation keys computes; only the secret key decrypts. Values that
would not fit, noise that would not decrypt and objects that do not belong together end in typed errors
(`cyclotome.errors`), never in wrong results. The scheme is IND-CPA secure: see `decrypt` for what that leaves to its
user.
"""

from __future__ import annotations

from importlib import import_module
from sys import meta_path, modules
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _core as _core
    from . import (
        bfv,
        bgv,
        circuit,
        errors,
        extension_slots,
        fpga,
        integrity,
        interop,
        models,
        pir,
        polynomials,
        rekeying,
        search,
        sessions,
        sharding,
        study,
        threshold,
    )
    from .arrays.array import EncryptedArray
    from .arrays.contraction import convolution_matrix, einsum
    from .arrays.decryption import decrypt, noise_budget, reveal
    from .arrays.encryption import encrypt
    from .arrays.matrices import Matrix
    from .arrays.plain import PlainArray, plain
    from .arrays.selections import one_hot
    from .arrays.shaping import concatenate, stack
    from .errors import CyclotomeError
    from .files import from_bytes, load, save, to_bytes, to_view
    from .files.inspection import Inspection, inspect
    from .files.key_files import KeyFiles, save_keys
    from .frames.columns import EncryptedCategories, EncryptedColumn
    from .frames.decryption import decrypt_frame
    from .frames.encrypting import encrypt_frame
    from .frames.frame import EncryptedFrame
    from .frames.proposals import frame_options
    from .frames.statistics.deferred import EncryptedStatistics
    from .functions.digits import EncryptedDigits, decrypt_digits, encrypt_digits
    from .functions.functions import (
        argmax,
        argmin,
        equal,
        is_zero,
        less,
        lookup,
        maximum,
        minimum,
        polyval,
        sort,
        top_k,
        where,
    )
    from .keys.generation import keygen, sum_rotations
    from .keys.kinds import EvaluationKeys, Keys, PublicKey, SecretKey
    from .memory import memory_limit, set_memory_limit
    from .numbers.fixed_point import FixedPoint
    from .options import allow_undecryptable, bootstrap, progress, relinearize_at_once
    from .parameters.parameters import Parameters
    from .planning.dry_runs import Operand
    from .planning.plans import Plan, plan
    from .planning.suggestions import suggest
    from .polynomials import convolve
    from .reals.array import RealArray
    from .sessions.client import Client
    from .sessions.mapping import map
    from .sessions.server import Server

    __version__: str

__all__ = [
    "Client",
    "CyclotomeError",
    "EncryptedArray",
    "EncryptedCategories",
    "EncryptedColumn",
    "EncryptedDigits",
    "EncryptedFrame",
    "EncryptedStatistics",
    "EvaluationKeys",
    "FixedPoint",
    "Inspection",
    "KeyFiles",
    "Keys",
    "Matrix",
    "Operand",
    "Parameters",
    "PlainArray",
    "Plan",
    "PublicKey",
    "RealArray",
    "SecretKey",
    "Server",
    "__version__",
    "allow_undecryptable",
    "argmax",
    "argmin",
    "bfv",
    "bgv",
    "bootstrap",
    "circuit",
    "concatenate",
    "convolution_matrix",
    "convolve",
    "decrypt",
    "decrypt_digits",
    "decrypt_frame",
    "einsum",
    "encrypt",
    "encrypt_digits",
    "encrypt_frame",
    "equal",
    "errors",
    "extension_slots",
    "fpga",
    "frame_options",
    "from_bytes",
    "inspect",
    "integrity",
    "interop",
    "is_zero",
    "keygen",
    "less",
    "load",
    "lookup",
    "map",
    "maximum",
    "memory_limit",
    "minimum",
    "models",
    "noise_budget",
    "one_hot",
    "pir",
    "plain",
    "plan",
    "polynomials",
    "polyval",
    "progress",
    "rekeying",
    "relinearize_at_once",
    "reveal",
    "save",
    "save_keys",
    "search",
    "sessions",
    "set_memory_limit",
    "sharding",
    "sort",
    "stack",
    "study",
    "suggest",
    "sum_rotations",
    "threshold",
    "to_bytes",
    "to_view",
    "top_k",
    "where",
]

#: Where each name lives. A module is imported when one of its names is first used, so that neither `import cyclotome`
#: nor `cyclotome --version` waits for NumPy, circuits, or what else the program never calls.
_MODULES = {
    "arrays.array": "EncryptedArray",
    "arrays.contraction": "convolution_matrix einsum",
    "arrays.decryption": "decrypt noise_budget reveal",
    "arrays.encryption": "encrypt",
    "arrays.matrices": "Matrix",
    "arrays.plain": "PlainArray plain",
    "arrays.selections": "one_hot",
    "arrays.shaping": "concatenate stack",
    "errors": "CyclotomeError",
    "files": "from_bytes load save to_bytes to_view",
    "files.inspection": "Inspection inspect",
    "files.key_files": "KeyFiles save_keys",
    "frames.columns": "EncryptedCategories EncryptedColumn",
    "frames.decryption": "decrypt_frame",
    "frames.encrypting": "encrypt_frame",
    "frames.frame": "EncryptedFrame",
    "frames.proposals": "frame_options",
    "frames.statistics.deferred": "EncryptedStatistics",
    "functions.digits": "EncryptedDigits decrypt_digits encrypt_digits",
    "functions.functions": "argmax argmin equal is_zero less lookup maximum minimum polyval sort top_k where",
    "keys.generation": "keygen sum_rotations",
    "keys.kinds": "EvaluationKeys Keys PublicKey SecretKey",
    "memory": "memory_limit set_memory_limit",
    "numbers.fixed_point": "FixedPoint",
    "options": "allow_undecryptable bootstrap progress relinearize_at_once",
    "parameters.parameters": "Parameters",
    "planning.dry_runs": "Operand",
    "planning.plans": "Plan plan",
    "planning.suggestions": "suggest",
    "polynomials": "convolve",
    "reals.array": "RealArray",
    "sessions.client": "Client",
    "sessions.mapping": "map",
    "sessions.server": "Server",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

#: Names that stood here once and stand in rooms now; here they still work, and warn once.
_ROOMS = {
    "extension_slots": "ExtensionArray ExtensionSlots",
    "polynomials": "expand negacyclic_product pack trace_elements",
    "rekeying": "RekeyingKey rekey rekeying_key rerandomize",
    "sessions": "Quotas hold_keys release_keys",
    "sharding": "ShardedArray encrypt_sharded shard",
}
_MOVED = {name: room for room, names in _ROOMS.items() for name in names.split()}


def _moved(name: str) -> Any:
    """What stands in a room now, with a warning for whoever looked for it here."""
    room = _MOVED[name]
    import_module("warnings").warn(
        f"cyclotome.{name} is cyclotome.{room}.{name} now; the old name goes with version 1.0",
        DeprecationWarning,
        stacklevel=3,
    )
    return getattr(import_module(f"{__name__}.{room}"), name)


if not TYPE_CHECKING:  # to a type checker, any name would be one of this module's

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        elif name in _MOVED:
            value = _moved(name)
        elif name == "__version__":
            value = import_module(f"{__name__}._core").version()
        elif name in __all__ or name == "_core":
            value = import_module(f"{__name__}.{name}")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__file__", "__name__", "__path__"]


class _Package(ModuleType):
    """A package whose rooms are no attributes: `cy.keys(...)` would look like a function and be none. They can be
    imported all the same."""

    def __reduce__(self) -> tuple[Any, ...]:
        """By name: pickles of functions that name it, as cloudpickle makes them, know modules by their exact type."""
        return import_module, (self.__name__,)

    def __setattr__(self, name: str, value: object) -> None:
        if name in (*__all__, "cli", "service") or name.startswith("_") or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


modules[__name__].__class__ = _Package
# Pickles name modules as they were called when they were written.
meta_path.append(import_module(f"{__name__}.former").Former())

# An extension with the CUDA engine comes before the package's own, where it is installed.
__path__ = import_module(f"{__name__}.cuda_wheel").search_path(__path__)
