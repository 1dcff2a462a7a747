# SPDX-License-Identifier: Apache-2.0
"""Private information retrieval: one record out of many, and the server does not learn which."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np

from cyclotome_demo.task import Array, Arrays, Task

DEGREE = 8192
#: A record is words of 16 bits, each below the plaintext modulus.
PLAIN_MODULUS = 65537
RECORD_WORDS = 128
#: Records side by side in the slots of one plaintext row.
IN_ROW = DEGREE // RECORD_WORDS
#: Rows that are multiplied before they are added up: what bounds memory.
BLOCK = 64


class Retrieval(Task):
    """Records lie in rows, plaintexts with a record every 128 slots. A query is one ciphertext whose coefficients are 0
    but for a 1 at the wanted row. The server expands it into a ciphertext for each row, which holds that coefficient
    alone (SealPIR: Angel, Chen, Laine and Setty 2018), and sends Σ coefficient × row: the wanted row.

    Who learns what. The server sees public keys and ciphertexts: as long as it is not told what decrypted (IND-CPA),
    nothing about which record it was. The client gets the whole row, 64 records, and the noise of the answer depends on
    the other rows: this hides the question, not the records, which are the server's to show. Onlookers cannot tell
    which row made the answer, since it is encrypted anew. Sums are modulo 65537 (`wrap`): a client who encrypts
    something else than a one-hot row gets a linear combination of rows.
    """

    key = "retrieval"
    title = "Private information retrieval"
    asks = "What does this record say? (I won't tell which)"
    client_holds = "the numbers of some records"
    server_holds = "all records, in the clear"
    bound = 1
    expansion = True
    rerandomized = True

    def parameters(self) -> cy.Parameters:
        # Ten steps of expansion, a plain product by 16 bits, a sum of 1024: 100 bits leave some for larger tables.
        return cy.Parameters.from_modulus_bits(degree=DEGREE, modulus_bits=100, plain_moduli=[PLAIN_MODULUS])

    @staticmethod
    def records(quick: bool) -> int:
        """How many records there are: public."""
        return 1 << (10 if quick else 16)

    def client_data(self, quick: bool) -> dict[str, Array]:
        count = self.records(quick)
        return {
            "questions": np.array([0, 2 * count // 3, count - 1])[: 2 if quick else 3],
            "rows": np.array(count // IN_ROW),
        }

    def server_data(self, quick: bool) -> dict[str, Array]:
        random = np.random.default_rng(16)
        return {"records": random.integers(0, 1 << 16, (self.records(quick), RECORD_WORDS), dtype=np.uint16)}

    def encrypt(self, data: Arrays, public: cy.PublicKey) -> cy.EncryptedArray:
        rows = cy.one_hot(data["questions"] // IN_ROW, int(data["rows"]))
        return cy.encrypt(rows, public, encoding="coefficients", wrap=True)

    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        rows = held["records"].reshape(-1, DEGREE)
        if questions.ndim != 2 or questions.shape[1] != len(rows):
            raise cy.errors.ArgumentError(
                f"queries of shape {questions.shape}: they must be rows of {len(rows)} values, one for each row"
            )
        return cy.concatenate([retrieved(query, rows)[None] for query in questions])

    def decrypt(self, answers: cy.EncryptedArray, secret: cy.SecretKey, data: Arrays) -> Array:
        rows = np.asarray(cy.decrypt(answers, secret)) % PLAIN_MODULUS
        chosen = data["questions"] % IN_ROW
        found: Array = rows.reshape(len(rows), IN_ROW, RECORD_WORDS)[np.arange(len(rows)), chosen]
        return found

    def expected(self, questions: Array, held: Arrays) -> Array:
        return held["records"][questions]

    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        return {
            "queries": len(answers),
            "records": len(held["records"]),
            "record_bytes": 2 * RECORD_WORDS,
        }


def retrieved(query: cy.EncryptedArray, rows: Array) -> cy.EncryptedArray:
    """Σ coefficient × row: the row that a query asks for.

    Args:
        query: coefficients of one polynomial, one for each row.
        rows: whole numbers below the plaintext modulus, (rows, n).
    """
    selectors = cy.polynomials.expand(query)
    blocks = range(0, len(rows), BLOCK)
    parts = [(selectors[i : i + BLOCK, None] * rows[i : i + BLOCK].astype(np.int64)).sum(axis=0) for i in blocks]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
