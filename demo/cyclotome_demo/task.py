# SPDX-License-Identifier: Apache-2.0
"""What client, server and referee share about a task: its public parameters and its mathematics, no data."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, ClassVar

import cyclotome as cy
import numpy as np

Array = np.ndarray[Any, Any]
Arrays = Mapping[str, Array]


class Task(abc.ABC):
    """One job: the client's numbers go in encrypted, the server's answer comes back encrypted.

    The parties call the methods of their own side only; the referee, who sees both sides, calls `expected` and
    `findings`.
    """

    #: Short name, used in file names.
    key: ClassVar[str]
    #: For people: what it is, what is asked, who holds what.
    title: ClassVar[str]
    asks: ClassVar[str]
    client_holds: ClassVar[str]
    server_holds: ClassVar[str]
    #: Largest magnitude of the client's numbers: public, part of the service's description.
    bound: ClassVar[int]
    #: Whether sums over slots are needed, whose rotation keys are the largest.
    rotations: ClassVar[bool] = False
    #: Whether encrypted numbers are multiplied with each other.
    products: ClassVar[bool] = False
    #: Whether one ciphertext is expanded into many, which takes keys of automorphisms.
    expansion: ClassVar[bool] = False
    #: Whether answers are encrypted anew, with the public key, so that nobody but the client can tell what made them.
    rerandomized: ClassVar[bool] = False
    #: Bits of noise headroom that answers keep: what the client's way to decrypt takes.
    headroom: ClassVar[float] = 0

    @abc.abstractmethod
    def parameters(self) -> cy.Parameters:
        """The parameters both sides agree on."""

    @abc.abstractmethod
    def client_data(self, quick: bool) -> dict[str, Array]:
        """The client's data: "questions", integers to encrypt, and what it needs to read the answer."""

    @abc.abstractmethod
    def server_data(self, quick: bool) -> dict[str, Array]:
        """What the server holds in the clear."""

    def keys(self, parameters: cy.Parameters, device: str) -> cy.Keys:
        """The client's keys: those that the server's work takes, and no others."""
        rotations: list[int] | None = None if self.rotations else []
        automorphisms = cy.polynomials.trace_elements(parameters) if self.expansion else []
        return cy.keygen(
            parameters,
            rotations=rotations,
            relinearization=self.products,
            galois_elements=automorphisms,
            device=device,
        )

    def encrypt(self, data: Arrays, public: cy.PublicKey) -> cy.EncryptedArray:
        """What the client sends."""
        return cy.encrypt(data["questions"], public, bound=self.bound)

    def decrypt(self, answers: cy.EncryptedArray, secret: cy.SecretKey, data: Arrays) -> Array:
        """What the client reads out of the server's answer, knowing its own data."""
        return np.asarray(cy.decrypt(answers, secret))

    @abc.abstractmethod
    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        """The server's work on encrypted questions."""

    def answer(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        """What the server sends: `compute`'s result, in the fewest primes that decrypt."""
        result = self.compute(questions, held)
        if self.rerandomized:
            result = cy.rekeying.rerandomize(result)
        return result.switch_to_least_level(self.headroom)

    @abc.abstractmethod
    def expected(self, questions: Array, held: Arrays) -> Array:
        """The same answer from numbers in the clear, in exact integers."""

    @abc.abstractmethod
    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        """What the client learns from its decrypted answers, as facts for the report."""
