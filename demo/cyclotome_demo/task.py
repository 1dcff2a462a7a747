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

    @abc.abstractmethod
    def parameters(self) -> cy.Parameters:
        """The parameters both sides agree on."""

    @abc.abstractmethod
    def client_data(self, quick: bool) -> dict[str, Array]:
        """The client's data: "questions", integers to encrypt, and what it needs to read the answer."""

    @abc.abstractmethod
    def server_data(self, quick: bool) -> dict[str, Array]:
        """What the server holds in the clear."""

    @abc.abstractmethod
    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        """The server's work on encrypted questions."""

    def answer(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        """What the server sends: `compute`'s result, in the fewest primes that decrypt."""
        return self.compute(questions, held).switch_to_least_level()

    @abc.abstractmethod
    def expected(self, questions: Array, held: Arrays) -> Array:
        """The same answer from numbers in the clear, in exact integers."""

    @abc.abstractmethod
    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        """What the client learns from its decrypted answers, as facts for the report."""
