# SPDX-License-Identifier: Apache-2.0
"""Joint keys for tests: small sessions, all parties at one place, and the joint secret that outside of tests nobody
ever has, with the exact noise that it shows in Python integers."""

from __future__ import annotations

import hashlib
import math
import struct
from functools import cache
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe, threshold
from cyclotome.devices.contexts import context_on
from cyclotome.keys.kinds import EvaluationKeys, PublicKey
from exact_noise import NAMES, TOLERANCE, norms_of_rows
from numpy.typing import NDArray
from oracles.integers import Integers, centred, compose, integers
from small import HOME

#: The statistical security of flooding in tests.
BITS = 64


@cache
def parameters(
    scheme: str = "bfv",
    degree: int = 16,
    parties: int = 3,
    plain_moduli: tuple[int, ...] = (786433,),
    special: int = 1,
    primes: int = 5,
    width: int = 50,
    strict: bool = False,
) -> cy.Parameters:
    found = cy.bfv.find_primes(degree, [width] * primes + [width + 1] * special, avoid=plain_moduli)
    return cy.Parameters(
        degree=degree,
        plain_moduli=plain_moduli,
        moduli=found[:primes],
        special_moduli=found[primes:],
        security=0,
        allow_insecure=True,
        scheme=scheme,
        parties=parties,
        strict=strict,
        word=32 if width < 30 else 64,
    )


def session_id(session: cy.threshold.Session) -> str:
    """What files of a session carry where those of a key have its id."""
    return hashlib.sha256(f"cyclotome session\n{session.id}\n".encode()).hexdigest()[:32]


def commitments_of(*parties: cy.threshold.Party) -> list[cy.threshold.Commitment]:
    """Of all parties, after they have tossed a coin where the session has one."""
    tosses = [party.toss() for party in parties] if parties[0].session.audit > 1 else []
    return [party.commit(tosses) for party in parties]


def first_round(*parties: cy.threshold.Party) -> list[cy.threshold.KeyShare]:
    """First shares of all parties, after they have committed, and shown their coins where the session has one."""
    commitments = commitments_of(*parties)
    if parties[0].session.audit == 1:
        return [party.first_share(commitments) for party in parties]
    coins = [party.show_coin(commitments) for party in parties]
    return [party.first_share(coins) for party in parties]


def unchecked(
    session: cy.threshold.Session, first: list[cy.threshold.KeyShare], second: list[cy.threshold.KeyShare]
) -> cy.threshold.JointKeys:
    """The keys of these shares, as if nobody looked at their proofs."""
    params, context = session.parameters, context_on("cpu", session.parameters)
    natives = [[one.on(context) for one in each] for each in (first, second)]
    made = testing.threshold.unchecked_keys(session.native, context.native, *natives)
    evaluation = EvaluationKeys(params, context, made)
    public = _core.FirstRound(session.native, context.native, natives[0]).public_key()
    return cy.threshold.JointKeys(PublicKey(params, context, public, evaluation), evaluation)


class Joint:
    """A session, all of its parties, and the joint keys."""

    def __init__(
        self, params: cy.Parameters, threshold: int | None = None, folder: Path | None = None, **options: Any
    ) -> None:
        """folder: where the parties' files are; None: they live in memory."""
        options.setdefault("parties", params.parties)
        self.session = cy.threshold.Session.create(params, threshold=threshold, **options)
        self.parties = {
            number: cy.threshold.Party(self.session, number, file=folder and folder / f"{number}.party", device=HOME)
            for number in self.session.parties
        }
        parties = list(self.parties.values())
        audited = self.session.audit > 1
        self.tosses = [party.toss() for party in parties] if audited else []
        self.commitments = [party.commit(self.tosses) for party in parties]
        self.coins = [party.show_coin(self.commitments) for party in parties] if audited else []
        self.first = [party.first_share(self.coins or self.commitments) for party in parties]
        self.second = []
        for party in self.parties.values():
            if self.session.relinearization:
                self.second.append(party.second_share(self.first))
            else:
                party.agree(self.first)
        self.keys = cy.threshold.combine(self.session, self.first, self.second, device=HOME)
        if self.session.shares_secrets:
            dealt = [party.deal() for party in self.parties.values()]
            for number, party in self.parties.items():
                party.receive([shares[number] for shares in dealt])

    def encrypt(self, values: object, **options: Any) -> cy.EncryptedArray:
        return cy.encrypt(values, self.keys.public, **options)

    def shares(self, x: cy.EncryptedArray, *active: int, bits: int = BITS) -> list[cy.threshold.DecryptionShare]:
        who = active or self.session.parties
        return [self.parties[one].decryption_share(x, active=who, flooding_bits=bits) for one in who]

    def decrypt(self, x: cy.EncryptedArray, *active: int, bits: int = BITS) -> Any:
        return cy.threshold.decrypt(x, self.shares(x, *active, bits=bits), self.session)

    @property
    def secret(self) -> Integers:
        """The coefficients of the sum of all secrets."""
        return sum(secret_of(party) for party in self.parties.values())  # type: ignore[return-value]


def secret_of(party: cy.threshold.Party) -> Integers:
    return integers(rlwe.coefficients(party.secret.native))


def product(a: Integers, b: Integers) -> Integers:
    """a b modulo x^n + 1."""
    n, whole = len(a), np.convolve(a, b)
    whole = np.concatenate([whole, np.zeros(2 * n - len(whole), dtype=object)])
    return whole[:n] - whole[n:]


def phases(joint: Joint, ciphertext: Any) -> tuple[Integers, int]:
    """Sum of c_j s^j modulo q, one row for each item, and q."""
    params = joint.session.parameters
    moduli = list(params.moduli)[: ciphertext.limbs]
    q = math.prod(moduli)
    parts = compose(rlwe.coefficients(ciphertext), moduli)
    rows = []
    secret = joint.secret
    for item in parts:
        total, power = item[0], secret
        for part in item[1:]:
            total = total + product(part, power)
            power = product(power, secret)
        rows.append(total % q)
    return np.array(rows, dtype=object), q


def gaps(joint: Joint, x: cy.EncryptedArray) -> NDArray[np.float64]:
    """Bits that the bound is above the noise there is, by norm, for the worst ciphertext; never negative."""
    params = joint.session.parameters
    worst = np.full(3, np.inf)
    for plain, channel in enumerate(x.native.channels):
        rows, q = phases(joint, channel)
        t = params.plain_moduli[plain]
        noise, divisor = (centred(rows, q), 1) if params.scheme == "bgv" else (centred(rows * t, q), t)
        measured = norms_of_rows(noise, divisor).max(axis=0)
        found = np.array(channel.noise) - measured
        assert found.min() >= -TOLERANCE, f"{NAMES[int(found.argmin())]}: 2^{measured}, bound 2^{channel.noise}"
        worst = np.minimum(worst, found)
    return worst


def shares_digest(shares: list[cy.threshold.DecryptionShare], key_id: str) -> bytes:
    """What is committed to before decryption shares are shown: what they are asked for, their shape and residues."""
    whole = hashlib.sha256()
    for share in shares:
        facts = share.native.session + bytes.fromhex(key_id) + share.native.array
        facts += b"".join(struct.pack("<I", one) for one in (share.flooding_bits, share.epoch, *share.active))
        whole.update(hashlib.sha256(b"cyclotome joint question 2\n" + facts).digest())
        moduli, degree = share.parameters.moduli, share.parameters.degree
        width, count = 4 if max(moduli) < 1 << 32 else 8, len(share.parameters.plain_moduli)
        whole.update(struct.pack("<II", share.party, count))
        channels = []
        for place in range(count):
            limbs = threshold.decryption_share_limbs(share.native, place)
            channels.append(np.array(threshold.decryption_share_residues(share.native, place), dtype=f"<u{width}"))
            whole.update(struct.pack("<QQQ", channels[-1].size // degree // limbs, 1, limbs))
        for residues in channels:
            whole.update(residues.tobytes())
    return whole.digest()
