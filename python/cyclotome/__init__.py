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

from . import _core, bfv, bgv, circuit, errors, fpga, study, threshold
from .array import EncryptedArray
from .contraction import convolution_matrix, einsum
from .decryption import decrypt, noise_budget, reveal
from .digits import EncryptedDigits, decrypt_digits, encrypt_digits
from .encryption import encrypt
from .errors import CyclotomeError
from .files import from_bytes, load, save, to_bytes
from .fixed_point import FixedPoint
from .frame_columns import EncryptedCategories, EncryptedColumn
from .frame_decryption import decrypt_frame
from .frames import EncryptedFrame, encrypt_frame
from .functions import (
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
from .inspection import Inspection, inspect
from .key_files import KeyFiles, save_keys
from .keys import EvaluationKeys, Keys, PublicKey, RekeyingKey, SecretKey, keygen, sum_rotations, trace_elements
from .matrices import Matrix
from .memory import memory_limit, set_memory_limit
from .options import allow_undecryptable, progress
from .parameters import Parameters
from .plain import PlainArray, plain
from .plan import Operand, Plan, plan
from .polynomials import convolve, expand, negacyclic_product, pack
from .rekeying import rekey, rekeying_key, rerandomize
from .selections import one_hot
from .shaping import concatenate, stack
from .sharding import ShardedArray, encrypt_sharded, shard
from .suggestions import suggest

__version__ = _core.version()

__all__ = [
    "CyclotomeError",
    "EncryptedArray",
    "EncryptedCategories",
    "EncryptedColumn",
    "EncryptedDigits",
    "EncryptedFrame",
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
    "RekeyingKey",
    "SecretKey",
    "ShardedArray",
    "__version__",
    "allow_undecryptable",
    "argmax",
    "argmin",
    "bfv",
    "bgv",
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
    "encrypt_sharded",
    "equal",
    "errors",
    "expand",
    "fpga",
    "from_bytes",
    "inspect",
    "is_zero",
    "keygen",
    "less",
    "load",
    "lookup",
    "maximum",
    "memory_limit",
    "minimum",
    "negacyclic_product",
    "noise_budget",
    "one_hot",
    "pack",
    "plain",
    "plan",
    "polyval",
    "progress",
    "rekey",
    "rekeying_key",
    "rerandomize",
    "reveal",
    "save",
    "save_keys",
    "set_memory_limit",
    "shard",
    "sort",
    "stack",
    "study",
    "suggest",
    "sum_rotations",
    "threshold",
    "to_bytes",
    "top_k",
    "trace_elements",
    "where",
]
