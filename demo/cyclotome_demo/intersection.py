# SPDX-License-Identifier: Apache-2.0
"""Private set intersection: which of my items do you have as well?"""

from __future__ import annotations

import secrets
from typing import Any, ClassVar, cast

import cyclotome as cy
import numpy as np

from cyclotome_demo import hashing
from cyclotome_demo.task import Array, Arrays, Task

DEGREE = 8192
#: The server's items in a bin, with what fills it up: every bin looks the same.
DEPTH = 24
#: The largest prime of 45 bits that is 1 modulo 2 * 8192, for slots.
PLAIN_MODULUS = 35184371613697
FLOODING_BITS = 64


class Intersection(Task):
    """Both sides hash their items into bins, one a slot: the client so that each bin has at most one item x, the server
    into all three places of each item (Chen, Laine and Rindal 2017). The client sends x, x², ..., x²⁴ of all bins, 24
    ciphertexts; the server computes r Π (x − y) over its items y of each bin, with the coefficients of the product in
    the clear and a fresh random r ≠ 0 for each bin. It is 0 where the client's item is among them.

    False positives: another item's fingerprint, of 45 bits, equals a given one with probability 1/(T − 2). Of m items
    of the client, at most 24 m / (T − 2) are expected to be found wrongly; none is ever missed.

    Who learns what. The server sees ciphertexts: nothing but the number of bins, as long as it does not learn what
    decrypts. Here it may learn that (who is found gets a message), so the client decrypts with `reveal`, whose noise
    flooding keeps the secret key out of it. The client's plaintext is 0, or random and not 0: nothing about the
    server's other items but how many there can be. The noise of the answer does depend on them, and it is not flooded
    against the holder of the secret key: a client who measures noise rather than decrypts may learn more, as may one
    who sends something else than powers of one item, or asks for every item there can be. Onlookers learn nothing: the
    answer is encrypted anew.
    """

    key = "intersection"
    title = "Private set intersection"
    asks = "Which of my contacts have an account with you?"
    client_holds = "addresses of its contacts"
    server_holds = "addresses of its accounts"
    bound = PLAIN_MODULUS // 2
    rerandomized = True
    headroom: ClassVar[float] = FLOODING_BITS + 14  # reveal: and log2 of the degree

    def parameters(self) -> cy.Parameters:
        # A plain product by 45 bits, a sum of 24, and 77 bits of flooding. No key switching, so no special primes.
        return cy.Parameters.from_modulus_bits(degree=DEGREE, modulus_bits=200, plain_moduli=[PLAIN_MODULUS])

    @staticmethod
    def bins(quick: bool) -> int:
        """How many bins: public."""
        return 256 if quick else DEGREE

    def client_data(self, quick: bool) -> dict[str, Array]:
        bins = self.bins(quick)
        contacts = [f"person-{3 * i}@example.org" for i in range(5 * bins // 8)]
        return {"questions": np.array(contacts), "bins": hashing.cuckoo(contacts, bins)}

    def server_data(self, quick: bool) -> dict[str, Array]:
        bins = self.bins(quick)
        accounts = [f"person-{2 * i + 1}@example.org" for i in range(5 * bins // 2)]
        roots = hashing.filled(accounts, bins, DEPTH, PLAIN_MODULUS)
        return {"accounts": np.array(accounts), "coefficients": hashing.polynomials(roots, PLAIN_MODULUS)}

    def encrypt(self, data: Arrays, public: cy.PublicKey) -> cy.EncryptedArray:
        marks = [hashing.fingerprint(str(contact), PLAIN_MODULUS) for contact in data["questions"]]
        x = np.array([marks[number] if number >= 0 else 0 for number in data["bins"]], dtype=object)
        powers = [x]
        for _ in range(DEPTH - 1):
            powers.append(powers[-1] * x % PLAIN_MODULUS)
        return cy.encrypt(np.array(powers), public, wrap=True)

    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        coefficients = held["coefficients"].astype(object)
        if questions.shape != (DEPTH, coefficients.shape[1]):
            raise cy.errors.ArgumentError(
                f"questions of shape {questions.shape}: they must be {DEPTH} powers in {coefficients.shape[1]} bins"
            )
        masks = [1 + secrets.randbelow(PLAIN_MODULUS - 1) for _ in range(coefficients.shape[1])]
        masked = (np.array(masks, dtype=object) * coefficients % PLAIN_MODULUS).astype(np.int64)
        return cast(cy.EncryptedArray, (questions * masked[1:]).sum(axis=0) + masked[0])

    def decrypt(self, answers: cy.EncryptedArray, secret: cy.SecretKey, data: Arrays) -> Array:
        values = np.asarray(cy.reveal(answers, secret, flooding_bits=FLOODING_BITS))
        found = np.zeros(len(data["questions"]), dtype=np.int64)
        numbers = data["bins"]
        found[numbers[(values == 0) & (numbers >= 0)]] = 1
        return found

    def expected(self, questions: Array, held: Arrays) -> Array:
        accounts = {str(account) for account in held["accounts"]}
        return np.array([int(str(contact) in accounts) for contact in questions])

    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        return {
            "asked": int(answers.size),
            "found": int(answers.sum()),
            "held": int(held["accounts"].size),
            "false_positives": DEPTH * answers.size / (PLAIN_MODULUS - 2),
        }
