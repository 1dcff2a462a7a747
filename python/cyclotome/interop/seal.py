# SPDX-License-Identifier: Apache-2.0
"""Microsoft SEAL 4: its parameters, plaintexts, ciphertexts and keys of BFV and BGV, read and written.

    >>> import cyclotome as cy
    >>> from cyclotome.interop import seal
    >>> parameters = seal.make_parameters(8192, plain_bits=20)
    >>> secret, public, evaluation = cy.keygen(parameters)
    >>> for_seal = seal.write_array(cy.encrypt([3, 4], public))  # bytes that Ciphertext.load takes
    >>> owner = seal.Owner.of(secret)
    >>> x = owner.read_array(for_seal, length=2, bound=4)
    >>> cy.decrypt(x * x, secret)
    array([ 9, 16])

SEAL's objects say neither whose key they belong to, nor how much noise they have, nor how large their values are.
An `Owner` stands for one secret key; the noise and the values are the caller's statements, or measured where the
secret key is at hand. Slots are in SEAL's order, row after row of its matrix, so that nothing is moved.
"""

from __future__ import annotations

from .seal_frame import version_of
from .seal_keys import make_keys
from .seal_owner import Owner
from .seal_parameters import make_parameters, read_parameters, write_parameters
from .seal_values import read_plaintext, write_plaintext
from .seal_writing import (
    save_secret_key,
    write_array,
    write_galois_keys,
    write_public_key,
    write_relin_keys,
)

__all__ = [
    "Owner",
    "make_keys",
    "make_parameters",
    "read_parameters",
    "read_plaintext",
    "save_secret_key",
    "version_of",
    "write_array",
    "write_galois_keys",
    "write_parameters",
    "write_plaintext",
    "write_public_key",
    "write_relin_keys",
]
