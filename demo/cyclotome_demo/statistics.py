# SPDX-License-Identifier: Apache-2.0
"""Private statistics: sums, means, variances and covariances of an encrypted table."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import cyclotome as cy
import numpy as np

from cyclotome_demo import datasets
from cyclotome_demo.task import Array, Arrays, Task

#: Decimals kept of every column, so that each number of the table is an integer.
DECIMALS = 4


def pairs(columns: int) -> tuple[list[int], list[int]]:
    """First and second column of every pair, a column with itself included."""
    chosen = list(itertools.combinations_with_replacement(range(columns), 2))
    return [a for a, _ in chosen], [b for _, b in chosen]


class Statistics(Task):
    """For n records: the sums Σx of all columns, then n Σxy − Σx Σy for all pairs, which is n² times the covariance.

    The numerators have about 60 bits, wider than any one plaintext modulus: each number stands modulo several, and the
    client puts the answer together again (Chinese remainders).
    """

    key = "statistics"
    title = "Private statistics"
    asks = "What are the means, variances and covariances of this table?"
    client_holds = "a table of patients"
    server_holds = "nothing but the number of records"
    bound = 4_000_000  # 400 with four decimals
    rotations = True
    products = True

    def parameters(self) -> cy.Parameters:
        # 442^2 records squared times (2^22)^2 is an honest bound for any table; noise grows by the slots and 442.
        return cy.Parameters.suggest(depth=1, value_bits=22, result_bits=63, terms=1 << 22, plain_products=0)

    def client_data(self, quick: bool) -> dict[str, Array]:
        table, names = datasets.patients()
        chosen = [names.index(name) for name in ("bmi", "bp", "progress")] if quick else list(range(len(names)))
        questions = np.rint(table[:, chosen].T * 10**DECIMALS).astype(np.int64)
        return {"questions": questions, "names": np.array([names[i] for i in chosen])}

    def server_data(self, quick: bool) -> dict[str, Array]:
        return {}

    def compute(self, questions: cy.EncryptedArray, held: Arrays) -> cy.EncryptedArray:
        columns, records = questions.shape
        first, second = pairs(columns)
        sums = questions.sum(axis=-1)
        products = (questions[first] * questions[second]).sum(axis=-1)
        return cy.concatenate([sums, records * products - sums[first] * sums[second]])

    def expected(self, questions: Array, held: Arrays) -> Array:
        table = [[int(value) for value in column] for column in questions]
        records = len(table[0])
        means = [Fraction(sum(column), records) for column in table]
        answers: list[int] = [sum(column) for column in table]
        for a, b in zip(*pairs(len(table)), strict=True):
            products = sum((x - means[a]) * (y - means[b]) for x, y in zip(table[a], table[b], strict=True))
            answers.append(int(products * records))  # an integer: records * products has no denominator left
        return np.array(answers, dtype=object)

    def findings(self, answers: Array, client: Arrays, held: Arrays) -> dict[str, Any]:
        names = [str(name) for name in client["names"]]
        records = client["questions"].shape[1]
        unit = 10**DECIMALS
        covariance: dict[tuple[int, int], Fraction] = {}
        for a, b, value in zip(*pairs(len(names)), answers[len(names) :], strict=True):
            covariance[a, b] = Fraction(int(value), (records * unit) ** 2)
        last = len(names) - 1
        columns = [
            {
                "name": name,
                "mean": float(Fraction(int(answers[i]), records * unit)),
                "deviation": float(covariance[i, i]) ** 0.5,
                "correlation": float(covariance[min(i, last), last])
                / (float(covariance[i, i]) * float(covariance[last, last])) ** 0.5,
            }
            for i, name in enumerate(names)
        ]
        widest = max(int(value).bit_length() for value in answers)
        return {"records": int(records), "covariances": len(covariance), "widest_bits": widest, "columns": columns}
