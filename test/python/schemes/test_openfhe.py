# SPDX-License-Identifier: Apache-2.0
"""The same programs in OpenFHE's BFV and BGV give the same numbers. Runs where OpenFHE's wheel can be imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest

openfhe = pytest.importorskip(
    "openfhe", reason="OpenFHE's wheel fits one Python and one C++ library only", exc_type=ImportError
)

T = 65537  # = 2^16 + 1: slots in both libraries up to degree 32768
LENGTH = 100

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "-x": lambda x, y: -x,
    "x * y": lambda x, y: x * y,
    "x * y - x": lambda x, y: x * y - x,
    "(x * y) * (x + y)": lambda x, y: (x * y) * (x + y),
    "((x * x) * y) * y": lambda x, y: ((x * x) * y) * y,
}


class Peer:
    """One of OpenFHE's exact schemes, with operators."""

    def __init__(self, scheme: str) -> None:
        parameters = openfhe.CCParamsBFVRNS() if scheme == "bfv" else openfhe.CCParamsBGVRNS()
        parameters.SetPlaintextModulus(T)
        parameters.SetMultiplicativeDepth(3)
        self.context = openfhe.GenCryptoContext(parameters)
        features = openfhe.PKESchemeFeature
        for feature in (features.PKE, features.KEYSWITCH, features.LEVELEDSHE):
            self.context.Enable(feature)
        self.keys = self.context.KeyGen()
        self.context.EvalMultKeyGen(self.keys.secretKey)

    def encrypt(self, values: np.ndarray) -> Operand:
        plaintext = self.context.MakePackedPlaintext(values.tolist())
        return Operand(self.context, self.context.Encrypt(self.keys.publicKey, plaintext))

    def decrypt(self, x: Operand) -> list[int]:
        plaintext = self.context.Decrypt(self.keys.secretKey, x.ciphertext)
        plaintext.SetLength(LENGTH)
        return list(plaintext.GetPackedValue())


class Operand:
    def __init__(self, context: Any, ciphertext: Any) -> None:
        self.context, self.ciphertext = context, ciphertext

    def __add__(self, other: Operand) -> Operand:
        return Operand(self.context, self.context.EvalAdd(self.ciphertext, other.ciphertext))

    def __sub__(self, other: Operand) -> Operand:
        return Operand(self.context, self.context.EvalSub(self.ciphertext, other.ciphertext))

    def __neg__(self) -> Operand:
        return Operand(self.context, self.context.EvalNegate(self.ciphertext))

    def __mul__(self, other: Operand) -> Operand:
        return Operand(self.context, self.context.EvalMult(self.ciphertext, other.ciphertext))


@pytest.fixture(scope="module", params=["bfv", "bgv"])
def both(request: pytest.FixtureRequest) -> tuple[Peer, cy.SecretKey, cy.PublicKey]:
    """The same scheme in both libraries."""
    module = cy.bfv if request.param == "bfv" else cy.bgv
    parameters = module.Parameters(
        degree=16384,
        plain_moduli=[T],
        moduli=module.find_primes(16384, [50] * 6),
        special_moduli=module.find_primes(16384, [51]),
    )
    secret, public, _ = cy.keygen(parameters, rotations=[])
    return Peer(request.param), secret, public


@pytest.mark.parametrize("program", PROGRAMS)
def test_openfhe_computes_the_same(both: tuple[Peer, cy.SecretKey, cy.PublicKey], program: str) -> None:
    """Values modulo T: ours wrap on purpose, as OpenFHE's always do."""
    peer, secret, public = both
    random = np.random.default_rng(20)
    x, y = (random.integers(-(T // 2), T // 2 + 1, LENGTH) for _ in range(2))
    run = PROGRAMS[program]
    ours = cy.decrypt(run(cy.encrypt(x, public, wrap=True), cy.encrypt(y, public, wrap=True)), secret)
    theirs = peer.decrypt(run(peer.encrypt(x), peer.encrypt(y)))
    expected = [int(v) % T for v in run(x.astype(object), y.astype(object))]
    assert [int(v) % T for v in ours] == expected
    assert [v % T for v in theirs] == expected
