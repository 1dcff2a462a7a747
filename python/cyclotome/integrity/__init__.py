# SPDX-License-Identifier: Apache-2.0
"""Results of a server that may cheat: checked against numbers that it can't know, so that a wrong one passes with a
probability that is stated.

    >>> import cyclotome as cy
    >>> secret, public, evaluation = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=8, terms=16))
    >>> key = cy.integrity.IntegrityKey(secret.parameters, degree=2)
    >>> x, receipt = key.encrypt([3, 5, 7], public, bound=10)
    >>> y = cy.integrity.each(lambda x: (x * x).sum(), x)  # the server
    >>> key.decrypt(y, secret, lambda x: (x * x).sum(), receipt)
    83

`IntegrityKey` for sums and products of few factors, of values that whoever checks need not have; `LinearCheck` for
public matrices that it need not have. What each of them rests on, what it costs and where it does not hold:
doc/integrity.md.
"""

from __future__ import annotations

from .copies import each
from .key import IntegrityKey
from .linear import LinearCheck
from .receipts import Receipt

__all__ = ["IntegrityKey", "LinearCheck", "Receipt", "each"]
