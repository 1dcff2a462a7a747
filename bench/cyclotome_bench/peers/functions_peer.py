# SPDX-License-Identifier: Apache-2.0
"""SEAL's side of the set functions: a polynomial of degree 7 and plain products as its users write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cyclotome as cy
import numpy as np

__all__ = ["SEAL_BITS", "Peer", "same_lengths"]

#: SEAL's default for n = 8192: 218 bits in all, one of its primes for key switching.
SEAL_BITS = (43, 43, 44, 44, 44)


def same_lengths(
    scheme: str, degree: int, plain: int, bits: Sequence[int] = SEAL_BITS, *, secure: bool = True
) -> cy.Parameters:
    """Moduli of these lengths, the last one special."""
    primes = cy.bfv.find_primes(degree, list(bits), avoid=(plain,))
    return cy.Parameters(
        degree=degree,
        plain_moduli=(plain,),
        moduli=primes[:-1],
        special_moduli=primes[-1:],
        scheme=scheme,
        table="he-standard-2018",
        security=128 if secure else 0,
        allow_insecure=not secure,
    )


class Peer:
    """SEAL with as many primes of the same lengths; operands encrypted and encoded once."""

    def __init__(self, parameters: cy.Parameters, x: Any, w: Any) -> None:
        import tenseal.sealapi as api

        self.api, self.scheme = api, parameters.scheme
        scheme = api.SCHEME_TYPE.BFV if parameters.scheme == "bfv" else api.SCHEME_TYPE(3)
        made = api.EncryptionParameters(scheme)
        made.set_poly_modulus_degree(parameters.degree)
        made.set_coeff_modulus(api.CoeffModulus.Create(parameters.degree, list(SEAL_BITS)))
        made.set_plain_modulus(parameters.plain_moduli[0])
        self.context = api.SEALContext(made, True, api.SEC_LEVEL_TYPE.NONE)
        generator = api.KeyGenerator(self.context)
        public, self.relinearization = api.PublicKey(), api.RelinKeys()
        generator.create_public_key(public)
        generator.create_relin_keys(self.relinearization)
        self.encoder, self.evaluator = api.BatchEncoder(self.context), api.Evaluator(self.context)
        self.decryptor = api.Decryptor(self.context, generator.secret_key())
        self.x, self.w = api.Ciphertext(), self.encoded(w)
        api.Encryptor(self.context, public).encrypt(self.encoded(x), self.x)

    def encoded(self, values: Any) -> Any:
        plain = self.api.Plaintext()
        self.encoder.encode([int(v) for v in values], plain)
        return plain

    def opened(self, x: Any) -> Any:
        plain = self.api.Plaintext()
        self.decryptor.decrypt(x, plain)
        return np.array(self.encoder.decode_int64(plain))

    def product(self, a: Any, b: Any) -> Any:
        out = self.api.Ciphertext()
        self.evaluator.multiply(a, b, out)
        self.evaluator.relinearize_inplace(out, self.relinearization)
        return out

    def plain_product(self) -> Any:
        out = self.api.Ciphertext()
        self.evaluator.multiply_plain(self.x, self.w, out)
        return out

    def lowered(self, x: Any, like: Any) -> Any:
        """x at the level of another; in BFV it has it."""
        if self.scheme == "bfv":
            return x
        out = self.api.Ciphertext()
        self.evaluator.mod_switch_to(x, like.parms_id(), out)
        return out

    def next(self, x: Any) -> Any:
        """A product of BGV one level lower, which SEAL leaves to its user: else its noise outgrows the modulus."""
        if self.scheme == "bgv":
            self.evaluator.mod_switch_to_next_inplace(x)
        return x

    def polynomial(self, coefficients: Sequence[int]) -> Any:
        """Of degree 7 by the same four products: x^2, x^3, x^4, and (x^3 + ...) x^4 + ..., with scalars as constant
        plaintexts."""
        two = self.next(self.product(self.x, self.x))
        three, four = self.next(self.product(two, self.lowered(self.x, two))), self.next(self.product(two, two))
        powers = [self.lowered(self.x, three), self.lowered(two, three), three, four]
        upper = self.product(self.form(powers, coefficients[:4]), four)
        out = self.api.Ciphertext()
        self.evaluator.add(upper, self.form(powers, coefficients[4:]), out)
        return out

    def form(self, powers: Sequence[Any], coefficients: Sequence[int]) -> Any:
        total = None
        for power, c in zip(powers, reversed(coefficients[:-1]), strict=False):
            term = self.api.Ciphertext()
            self.evaluator.multiply_plain(power, self.api.Plaintext(f"{c:x}"), term)
            if total is None:
                total = term
            else:
                self.evaluator.add_inplace(total, term)
        self.evaluator.add_plain_inplace(total, self.api.Plaintext(f"{coefficients[-1]:x}"))
        return total
