# SPDX-License-Identifier: Apache-2.0
"""Mean and variance of columns that the computing side cannot read, exactly.

Needs scikit-learn for its diabetes patients.
"""

from fractions import Fraction

import cyclotome as cy
import numpy as np
from sklearn.datasets import load_diabetes

bunch = load_diabetes(scaled=False)
names, scale = ["bmi", "bp"], 100  # two decimals
columns = [bunch.feature_names.index(name) for name in names]
values = np.rint(bunch.data[:, columns].T * scale).astype(int)
records = values.shape[1]

# The client. n sum(x^2) has about 46 bits: wider than one plaintext modulus, so there are several.
params = cy.Parameters.suggest(depth=1, value_bits=14, result_bits=47, terms=1 << 21, plain_products=0)
secret, public, evaluation = cy.keygen(params)
x = cy.encrypt(values, public)

# The server: n, sum(x) and n sum(x^2) - sum(x)^2, which is n^2 times the variance. No division is needed.
sums = x.sum(axis=1)
spread = records * (x * x).sum(axis=1) - sums * sums

# The client divides, in the clear and exactly.
for name, total, numerator, column in zip(
    names, cy.decrypt(sums, secret), cy.decrypt(spread, secret), values, strict=True
):
    mean = Fraction(int(total), records * scale)
    variance = Fraction(int(numerator), (records * scale) ** 2)
    print(f"{name:>4}: mean {float(mean):.4f}, variance {float(variance):.4f}")
    exact = [Fraction(int(value), scale) for value in column]
    assert mean == sum(exact) / records
    assert variance == sum((value - mean) ** 2 for value in exact) / records
