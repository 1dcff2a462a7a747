# SPDX-License-Identifier: Apache-2.0
"""This library as a contestant."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from cyclotome import _core

from cyclotome_bench.peers.truth import Truth
from cyclotome_bench.sets import Chain, Problem

__all__ = ["Ours"]

Values = np.ndarray[Any, np.dtype[np.int64]]


class Ours:
    """One problem on one chain of primes: keys, operands and the operations, ready to be timed.

    Args:
        problem: the work.
        chain: the primes to do it with.
        engine: where; its number of threads is that of the measurement.
        batch: how many ciphertexts one call works on, all with the same values.
    """

    library = "cyclotome"

    def __init__(self, problem: Problem, chain: Chain, engine: _core.Engine, batch: int = 1) -> None:
        self.problem, self.chain, self.engine, self.batch = problem, chain, engine, batch
        self.truth = Truth(problem)
        self.parameters = problem.parameters(chain)
        self.context = _core.Context(self.parameters, engine)
        self.secret, self.public = self._keys()
        self.element = _core.negacyclic_ring(problem.degree).galois.row_rotation(1)
        self.plain = self._encoded(self.truth.x)
        self.other = self._encoded(self.truth.y)
        self.factor = _core.prepared(self.other)
        self.x = _core.encrypt(self.plain, self.public)
        self.y = _core.encrypt(self.other, self.public)
        # Of its own: what is multiplied by plaintexts again and again keeps its transform beside it.
        self.factored = _core.encrypt(self.plain, self.public)
        self.transformed = _core.transformed(self.x)
        self.rows = self._rows(self.truth.x)
        self.operations: dict[str, Callable[[], Any]] = {
            "encode": lambda: _core.encode_residues(self.context, 0, problem.slots, self.rows),
            "decode": lambda: _core.decode_residues(self.plain, problem.slots),
            "key_generation": self._keys,
            "relinearization_key": self._relinearization_key,
            "encrypt": lambda: _core.encrypt(self.plain, self.public),
            "decrypt": lambda: _core.decrypt(self.x, self.secret),
            "add": lambda: _core.add(self.x, self.y),
            "multiply_plain": lambda: _core.multiply_plain(self.factored, self.factor),
            "multiply_plain_transformed": lambda: _core.multiply_plain(self.transformed, self.factor),
            "multiply": lambda: _core.multiply(self.x, self.y),
            "relinearize": lambda: _core.relinearize(self.product, self.relinearization),
            "multiply_relinearize": self._multiply_relinearize,
            "rotate": lambda: _core.apply_galois(self.x, self.element, self.galois),
            "multiply_behz": lambda: _core.multiply_by("behz", self.x, self.y, None),
            "multiply_relinearize_behz": lambda: _core.multiply_by("behz", self.x, self.y, self.relinearization),
        }

    # What not every operation needs is made on first use.

    @cached_property
    def relinearization(self) -> _core.EvaluationKeys:
        return self._relinearization_key()

    @cached_property
    def galois(self) -> _core.EvaluationKeys:
        return _core.EvaluationKeys.generate(self.secret, False, [self.element])

    @cached_property
    def product(self) -> _core.Ciphertext:
        return _core.multiply(self.x, self.y)

    def _keys(self) -> tuple[_core.SecretKey, _core.PublicKey]:
        return _core.generate_key_pair(self.context)

    def _relinearization_key(self) -> _core.EvaluationKeys:
        return _core.EvaluationKeys.generate(self.secret, True, [])

    def _multiply_relinearize(self) -> _core.Ciphertext:
        return _core.multiply_relinearized(self.x, self.y, self.relinearization)

    def _rows(self, values: Values) -> Values:
        return np.tile(self.truth.centred(values), (self.batch, 1))

    def _encoded(self, values: Values) -> _core.Plaintext:
        return _core.encode_residues(self.context, 0, self.problem.slots, self._rows(values))

    def verify(self, operation: str, result: Any, noise: bool = True) -> dict[str, int]:
        """Decrypts what a timed run returned and compares it with NumPy.

        Returns:
            "noise_left", bits of noise budget (unless not `noise`), and "limbs", ciphertext primes, of a resulting
            ciphertext; else nothing.

        Raises:
            WrongResultError: it is wrong.
        """
        secret = self.secret
        if operation == "key_generation":
            secret, public = result
            result = _core.encrypt(self.plain, public)
        elif operation == "relinearization_key":
            result = _core.relinearize(self.product, result)
        elif operation in ("encode", "decrypt"):
            self._check(operation, result)
            return {}
        elif operation == "decode":
            for row in result:
                self.truth.check(self.library, operation, row)
            return {}
        self._check(operation, _core.decrypt(result, secret))
        if operation in ("key_generation", "relinearization_key"):
            return {}
        limb_bytes = result.batch * result.parts * self.problem.degree * self.chain.word // 8
        left = {"noise_left": min(_core.noise_budget(result, secret))} if noise else {}
        return {**left, "limbs": result.nbytes // limb_bytes}

    def _check(self, operation: str, plaintext: _core.Plaintext) -> None:
        for row in _core.decode_residues(plaintext, self.problem.slots):
            self.truth.check(self.library, operation, row)

    def sizes(self) -> dict[str, int]:
        """Bytes in memory of a fresh ciphertext and of the keys."""
        return {
            "ciphertext_bytes": self.x.nbytes // self.batch,
            "public_key_bytes": self.public.nbytes,
            "relinearization_key_bytes": self.relinearization.nbytes,
            "galois_key_bytes": self.galois.nbytes,
        }

    def memory(self, operation: str) -> dict[str, int]:
        """The most bytes that the engine holds at any time of an operation on x and y beyond what it held before.

        Returns:
            "operands_bytes" (x and y), "result_bytes" and "peak_bytes": operands, scratch and result together. Tables
            that the first run makes are not counted: they belong to the context.
        """
        self.operations[operation]()
        before, _ = _core.engine_memory(self.engine)
        _core.reset_engine_memory_peak(self.engine)
        result = self.operations[operation]()
        _, peak = _core.engine_memory(self.engine)
        operands = self.x.nbytes + self.y.nbytes
        return {"operands_bytes": operands, "result_bytes": result.nbytes, "peak_bytes": peak - before + operands}
