# SPDX-License-Identifier: Apache-2.0
"""Proofs of second shares (doc/threshold.md, "Proved shares"): checked anew in Python integers from the files alone;
what a party that draws its shares otherwise can prove; and that answers tell nothing of what is proved."""

from __future__ import annotations

import hashlib
import math
import struct
from pathlib import Path
from typing import Any, NamedTuple

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import put_together, taken_apart
from cyclotome._core import testing
from cyclotome.devices.contexts import context_on
from cyclotome.errors import BlameError, EngineError, FormatError, MismatchError
from joint_keys import Joint, first_round, parameters, product, secret_of
from oracles import wire_format
from oracles.integers import compose, integers
from small import HOME
from test_threshold_attacks import Onlooker
from test_threshold_audit import content_of, raised_by_multiples, sealed
from test_threshold_signatures import resealed
from test_wire_format import coefficients
from test_wire_format_joint import derived, residues_digest

SCHEMES = ["bfv", "bgv"]
Share = cy.threshold.KeyShare


class Shape(NamedTuple):
    """Sizes of a session's proofs."""

    repetitions: int
    mask_bits: int
    low_bits: int
    secret_reach: int
    error_reach: int
    log2_slack: float


def shape_of(session: cy.threshold.Session) -> Shape:
    return Shape(*testing.threshold.proof_shape(session.native))


def expected_shape(n: int, digits: int) -> Shape:
    """What the page says of x^n + 1."""
    repetitions = math.ceil(100 / math.log2(2 * n))
    mask = math.ceil(math.log2(4 * 2 * repetitions * n))
    low = math.ceil(math.log2(4 * 2 * (1 + 3 * digits) * repetitions * n * 63))
    return Shape(repetitions, mask, low, 1, 63, low + math.log2(n))


class Checker:
    """Reads a session, the first shares of all and an answer to them, and looks at proofs, in Python integers."""

    def __init__(self, session: cy.threshold.Session, first: list[Share], second: Share) -> None:
        self.onlooker = Onlooker(session)
        self.p, self.n, self.digits = self.onlooker.p, self.onlooker.n, self.onlooker.digits
        self.moduli = list(self.p.key_moduli)
        self.q = math.prod(self.moduli)
        self.shape = expected_shape(self.n, self.digits)
        self.factor = self.p.plain_moduli[0] if self.p.scheme == "bgv" else 1
        self.first = {share.party: [self.whole(body) for body in self.onlooker.polynomials(share)] for share in first}
        file = self.onlooker.file
        reference = file.sections[0][1][:32]
        # Of the first round: test_wire_format_joint.py holds it to the page.
        basis = self.digest = content_of(second, "KSHA")[40:72]
        joint = hashlib.sha256(
            f"cyclotome joint key 2\n{self.onlooker.session.hex()}\n{basis.hex()}\n".encode()
        ).digest()[:16]
        self.a = self.expanded(derived(reference, file, 13, 0, file.key_id), 1)[0]
        self.common = self.expanded(derived(reference, file, 15, 0, file.key_id), self.digits)
        answer = self.expanded(derived(basis, file, 16, 0, joint), self.digits)
        sums = [sum(rows[i] for rows in self.first.values()) for i in range(1 + 2 * self.digits)]
        self.p_j = [(sums[1 + j] - answer[j]) % self.q for j in range(self.digits)]
        self.k_j = [sums[1 + self.digits + j] % self.q for j in range(self.digits)]

    def expanded(self, seed: bytes, count: int) -> list[Any]:
        return [self.whole(wire_format.expand(seed, 4, item, self.n, self.moduli)) for item in range(count)]

    def whole(self, body: Any) -> Any:
        """The integers of a polynomial in transforms."""
        return np.array(
            [int(x) for x in compose(coefficients([list(limb) for limb in body], self.moduli), self.moduli)],
            dtype=object,
        )

    def gadget(self, j: int) -> int:
        special, per_digit = math.prod(self.p.special_moduli), -(-len(self.p.moduli) // self.digits)
        residues = [
            [special % q if q in self.p.moduli[j * per_digit : (j + 1) * per_digit] else 0] for q in self.moduli
        ]
        return int(compose(residues, self.moduli)[0])

    def times(self, a: Any, b: Any) -> Any:
        return product(a, b) % self.q

    def rows(self, s: Any, u: Any) -> list[Any]:
        """What the rows make of two polynomials."""
        d = range(self.digits)
        return [
            -self.times(self.a, s),
            *(-self.times(self.common[j], u) + self.gadget(j) * s for j in d),
            *(-self.times(self.common[j], s) for j in d),
            *(self.times(self.p_j[j], s) - self.times(self.k_j[j], u) for j in d),
        ]

    def answers(self, share: Share) -> tuple[bytes, list[tuple[Any, Any]]]:
        """The hash that challenges come of, and the answers of all repetitions."""
        data = content_of(share, "KPRF")
        width, count = self.shape.mask_bits + 1, 2 * self.shape.repetitions * self.n
        bits = np.unpackbits(np.frombuffer(data[32:], dtype=np.uint8), bitorder="little")
        assert len(bits) - 7 <= width * count <= len(bits) and not bits[width * count :].any()
        numbers = bits[: width * count].reshape(count, width).astype(object) @ np.array(
            [1 << i for i in range(width)], dtype=object
        )
        polynomials = (numbers - (1 << self.shape.mask_bits)).reshape(-1, self.n)
        return data[:32], [(polynomials[i], polynomials[i + 1]) for i in range(0, len(polynomials), 2)]

    def challenge(self, digest: bytes, repetition: int) -> Any:
        text = f"cyclotome joint challenge 2\nrepetition {repetition}\n".encode()
        number = int.from_bytes(hashlib.sha256(text + digest).digest()[:8], "little") % (2 * self.n)
        c = np.zeros(self.n, dtype=object)
        c[number // 2] = 1 - 2 * (number % 2)
        return c

    def holds(self, share: Share) -> bool:
        """Whether the proof is one."""
        data = content_of(share, "KSHA")
        digest, answers = self.answers(share)
        sent = [*self.first[share.party][: 1 + 2 * self.digits], *map(self.whole, self.onlooker.polynomials(share))]
        residues = residues_digest(data[80:], struct.unpack_from("<Q", data, 72)[0], self.p)
        seen = hashlib.sha256(f"cyclotome joint proof 2\nparty {share.party}\n".encode())
        seen.update(self.onlooker.session + self.digest + residues)
        inverse, words = pow(self.factor, -1, self.q), -(-self.q.bit_length() // 64)
        most = (1 << self.shape.mask_bits) - self.shape.secret_reach
        for number, (z_s, z_u) in enumerate(answers):
            if min(z_s.min(), z_u.min()) < -most or max(z_s.max(), z_u.max()) >= most:
                return False
            c = self.challenge(digest, number)
            for made, row in zip(self.rows(z_s, z_u), sent, strict=True):
                rest = (made - self.times(c, row)) * inverse % self.q
                high = [int(x) >> self.shape.low_bits << self.shape.low_bits for x in rest]
                for word in range(words):
                    seen.update(b"".join(struct.pack("<Q", x >> (64 * word) & (2**64 - 1)) for x in high))
        return seen.digest() == digest


def joint_of(scheme: str, **options: Any) -> Joint:
    options.setdefault("audit", 1)
    return Joint(parameters(scheme, 16, 2, (97,), width=options.pop("width", 50)), rotations=[], **options)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("width", "audit"), [(50, 1), (28, 8)])
def test_proofs_hold_in_python_integers(scheme: str, width: int, audit: int) -> None:
    """Every honest proof, and none of another share: all numbers from the files and the page."""
    joint = joint_of(scheme, width=width, audit=audit)
    assert shape_of(joint.session) == pytest.approx(expected_shape(16, joint.session.parameters.digits))
    checker = Checker(joint.session, joint.first, joint.second[0])
    for share in joint.second:
        assert checker.holds(share)
        assert len(content_of(share, "KPRF")) == 32 + -(
            -2 * checker.shape.repetitions * 16 * (checker.shape.mask_bits + 1) // 8
        )
    one, two = joint.second
    assert not checker.holds(sealed(one, {"KPRF": content_of(two, "KPRF")}))
    bodies = raised_by_multiples(97, 0)(checker.onlooker, checker.onlooker.polynomials(one), [])
    assert not checker.holds(checker.onlooker.forged(one, bodies))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_malformed_second_share_names_its_party(scheme: str, tmp_path: Path) -> None:
    """Whatever is added to it, by `combine`, by the party's own next step, and by whoever takes no part; and nothing is
    accepted."""
    joint = joint_of(scheme, audit=8)
    onlooker = Onlooker(joint.session)
    for by in (1, 97 << 54, onlooker.q // 3):
        bodies = raised_by_multiples(by, 0)(onlooker, onlooker.polynomials(joint.second[1]), [])
        second = [joint.second[0], onlooker.forged(joint.second[1], bodies)]
        calls = [
            lambda second=second: cy.threshold.combine(joint.session, joint.first, second),
            lambda second=second: joint.parties[1].accept(joint.first, second),
            lambda second=second: joint.parties[1].next(
                [*joint.tosses, *joint.commitments, *joint.coins, *joint.first, *second]
            ),
        ]
        for call in calls:
            with pytest.raises(BlameError, match="share of party 2 is not proved by what it carries") as caught:
                call()  # type: ignore[no-untyped-call]
            assert (caught.value.parties, caught.value.stage) == ((2,), "second")
            assert {one.party for one in caught.value.messages if isinstance(one, Share) and one.round == 1} == {1, 2}
    assert not joint.parties[1].accepted


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_share_without_proof_or_with_another_ones_is_refused(scheme: str) -> None:
    """An earlier version's, replays from another session, party or first round, and every changed bit."""
    joint, other = joint_of(scheme), joint_of(scheme)
    share = joint.second[1]
    header, sections = taken_apart(cy.to_bytes(share))
    bare = cy.from_bytes(put_together(header, [one for one in sections if one[0] != "KPRF"]), allow_insecure=True)
    with pytest.raises(BlameError, match="carries no proof"):
        cy.threshold.combine(joint.session, joint.first, [joint.second[0], bare])
    proof = content_of(share, "KPRF")
    rng = np.random.default_rng(int(joint.session.id[:15], 16))
    changed = [bytearray(proof) for _ in range(12)]
    for number, each in enumerate(changed):
        each[int(rng.integers(32 if number < 4 else len(proof)))] ^= 1 << int(rng.integers(8))
    wrong = [content_of(joint.second[0], "KPRF"), content_of(other.second[1], "KPRF"), proof[:-1], proof + b"\0"]
    for data in (*map(bytes, changed), *wrong):
        with pytest.raises(BlameError, match="is not proved"):
            cy.threshold.combine(joint.session, joint.first, [joint.second[0], sealed(share, {"KPRF": data})])
    with pytest.raises(FormatError, match="proof"):
        sealed(share, {"KPRF": proof[:32]})
    first_header, first_sections = taken_apart(cy.to_bytes(joint.first[0]))
    with pytest.raises(FormatError, match="only second shares"):
        cy.from_bytes(put_together(first_header, [*first_sections, ("KPRF", proof)]), allow_insecure=True)


def test_the_proof_belongs_to_one_first_round() -> None:
    """The same party, with another first round: other masks, and its proof shows nothing about the first."""
    session = cy.threshold.Session.create(parameters("bfv", 16, 2, (97,)), parties=2, rotations=[], audit=1)
    context = context_on("cpu", session.parameters)
    ada = cy.threshold.Party(session, 1)
    rounds, answers = [], []
    for _ in range(2):
        ben = cy.threshold.Party(session, 2)
        donor = [ada.commit(), ben.commit()]
        shares = [
            Share(session.parameters, context, testing.threshold.candidate(session.native, 1, ada.secret.native)),
            ben.first_share(donor),
        ]
        shares = Onlooker(session).standing([*shares])
        rounds.append(shares)
        natives = [one.on(context) for one in shares]
        answers.append(
            Share(
                session.parameters,
                context,
                testing.threshold.second_share(session.native, context.native, 1, ada.secret.native, natives),
            )
        )
    one, two = (content_of(each, "KPRF") for each in answers)
    same = sum(a == b for a, b in zip(one[32:], two[32:], strict=True))
    assert same < len(one) / 8  # by chance 1 in 256
    with pytest.raises((BlameError, MismatchError)):
        cy.threshold.combine(session, rounds[0], [answers[1], answers[0]])


def cheating(
    session: cy.threshold.Session, first: list[Share], party: cy.threshold.Party, by: int, device: str = HOME
) -> Share:
    """A party's second share with `by` added to it, and the best proof that its secrets allow."""
    number, secret = party.number, party.secret.native
    context = context_on(device, session.parameters)
    natives = [one.on(context) for one in first]
    honest = Share(
        session.parameters,
        context,
        testing.threshold.unproved_share(session.native, context.native, number, secret, natives),
    )
    onlooker = Onlooker(session)
    changed = onlooker.forged(honest, raised_by_multiples(by, 0)(onlooker, onlooker.polynomials(honest), []))
    proved = testing.threshold.proved_share(session.native, context.native, secret, natives, changed.on(context))
    return Share(session.parameters, context, proved)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_added_can_be_proved_only_while_it_is_small(scheme: str) -> None:
    """A party that knows its secrets and runs the honest prover on a share to which it added something: it finds a
    proof while that is within what a row's low bits hide, and none beyond the slack that the page states."""
    joint = joint_of(scheme)
    shape, t = shape_of(joint.session), 97 if scheme == "bgv" else 1
    small = cheating(joint.session, joint.first, joint.parties[2], t << 4)
    cy.threshold.combine(joint.session, joint.first, [joint.second[0], small])
    for bits in (math.ceil(shape.log2_slack) + 1, 100):
        with pytest.raises(EngineError, match="attempts to prove"):
            cheating(joint.session, joint.first, joint.parties[2], t << bits)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_unproved_share_is_evidence(scheme: str) -> None:
    """To anybody who has the first shares of all, and nothing where one of them is missing or all is right."""

    class Trusting:
        def verify(self, domain: str, text: bytes, signature: bytes, /) -> bool:
            return bool(domain and text and len(signature) == 64)

    joint = joint_of(scheme)
    onlooker = Onlooker(joint.session)
    bodies = raised_by_multiples(97 << 40, 0)(onlooker, onlooker.polynomials(joint.second[1]), [])
    wrong = resealed(onlooker.forged(joint.second[1], bodies), bytes(64))
    first = [resealed(one, bytes(64)) for one in joint.first]
    known = {1: Trusting(), 2: Trusting()}
    assert cy.threshold.verify([*first, wrong], joint.session, known) == (
        2,
        "its second share is not proved by what it carries",
    )
    assert cy.threshold.verify([*first, resealed(joint.second[1], bytes(64))], joint.session, known) is None
    assert cy.threshold.verify([first[1], wrong], joint.session, known) is None


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "options",
    [
        {"parties": 10, "depth": 1, "value_bits": 8, "terms": 4},
        {"parties": 3, "depth": 1, "value_bits": 8, "terms": 16, "flooding_bits": 64},
        {"parties": 3, "depth": 2, "value_bits": 8, "terms": 16, "flooding_bits": 64},
    ],
)
def test_the_slack_of_a_proof_costs_few_bits(scheme: str, options: dict[str, Any]) -> None:
    """The largest errors of a second share that have a proof add, digits and all in the worst case, this to the noise
    bound of a first product: less than two bits for each party that lies."""
    params = cy.Parameters.suggest(scheme=scheme, **options)  # type: ignore[arg-type]
    session = cy.threshold.Session.create(params, parties=params.parties, rotations=[])
    x = cy.encrypt([1], cy.keygen(params, rotations=[]).public, bound=255)
    bound = (x * x).native.channels[0].noise[0]
    per_digit = -(-len(params.moduli) // params.digits)
    widest = max(
        math.log2(math.prod(params.moduli[first : first + per_digit]))
        for first in range(0, len(params.moduli), per_digit)
    )
    multiple = math.log2(params.plain_moduli[0]) if scheme == "bgv" else 0
    error = shape_of(session).log2_slack + multiple
    # d digits of at most D/2, times an error in every coefficient, over P.
    added = (
        math.log2(params.digits)
        + math.log2(params.degree)
        + widest
        - 1
        + error
        - math.log2(math.prod(params.special_moduli))
    )
    assert math.log2(1 + 2 ** (added - bound)) < 2


def test_answers_do_not_depend_on_the_secret() -> None:
    """Answers are y + c s with y uniform, kept only where every one lies so that it could come of any s: they are
    uniform in what is left, and don't go along with c s. Both statistics fail by a chance below 10^-9."""
    session = cy.threshold.Session.create(parameters("bfv", 16, 2, (97,)), parties=2, rotations=[], audit=1)
    shape = shape_of(session)
    most = (1 << shape.mask_bits) - shape.secret_reach
    along, squares, count = 0.0, 0.0, 0
    for _ in range(12):
        one, two = cy.threshold.Party(session, 1), cy.threshold.Party(session, 2)
        first = first_round(one, two)
        for party in (one, two):
            second = party.second_share(first)
            checker = Checker(session, first, second)
            digest, answers = checker.answers(second)
            s = integers(secret_of(party))
            for number, (z_s, z_u) in enumerate(answers):
                assert -most <= min(z_s.min(), z_u.min()) and max(z_s.max(), z_u.max()) < most
                moved = product(checker.challenge(digest, number), s)
                along += float((moved * z_s).sum()) / most
                squares += float((moved * moved).sum()) / 3
                count += 1
    assert count == 24 * shape.repetitions
    assert abs(along) < 6.3 * math.sqrt(squares)


def kept_monomials(element: int, n: int) -> list[int]:
    """Exponents i below 2n, x^n = -1, of the monomials that x -> x^element leaves as they are."""
    return [i for i in range(2 * n) if element * i % (2 * n) == i]


def test_what_a_proof_of_rotation_keys_would_take(rng: np.random.Generator) -> None:
    """The figures of the page, and that a row of a rotation key lets just those challenges through: what the row makes
    of y + c s, less c times what it makes of s, does not depend on c."""
    params = cy.Parameters.suggest(parties=10, depth=1, value_bits=8, terms=4)
    session = cy.threshold.Session.create(params, parties=10, threshold=5)
    n, shape = params.degree, shape_of(session)
    kept = sorted(math.gcd(element - 1, 2 * n) for element in session.galois_elements)
    assert n == 8192 and len(kept) == 13
    assert kept[:4] == [2, 2, 8, 16] and kept[-1] == n
    shared = math.ceil(100 / math.log2(8 + 1))  # 8 monomials and 0, for eleven elements
    polynomials = shared + 2 * shape.repetitions
    assert (shared, polynomials) == (32, 48)
    assert round(polynomials * n * (shape.mask_bits + 1) / 8 / 1e6, 2) == 0.98

    n, q = 16, 97

    def times(a: Any, b: Any) -> Any:
        whole = np.convolve(a, b)
        whole = np.append(whole, np.zeros(2 * n - len(whole), dtype=np.int64))
        return (whole[:n] - whole[n:]) % q

    def turned(a: Any, element: int) -> Any:
        found = np.zeros(n, dtype=np.int64)
        for i, number in enumerate(a):
            place = element * i % (2 * n)
            found[place % n] += number if place < n else -number
        return found % q

    def monomial(i: int) -> Any:
        return (1 if i < n else -1) * np.eye(n, dtype=np.int64)[i % n]

    a, y = (rng.integers(0, q, n) for _ in range(2))
    s, w = rng.integers(-1, 2, n), 31
    for element in (3, 9, 17, 2 * n - 1):

        def row(z: Any, element: int = element) -> Any:
            return (w * turned(z, element) - times(a, z)) % q

        through = [
            i
            for i in range(2 * n)
            if np.array_equal((row(y + times(monomial(i), s)) - times(monomial(i), row(s))) % q, row(y))
        ]
        assert through == kept_monomials(element, n) and len(through) == math.gcd(element - 1, 2 * n)
