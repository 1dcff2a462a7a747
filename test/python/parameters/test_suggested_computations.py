# SPDX-License-Identifier: Apache-2.0
"""Parameters that `suggest(compute=...)` gives never refuse the same computation: random computations, on values at
the ends of their bounds, and what they decrypt to is NumPy's.

What is refused follows from public numbers, which are the same when it is planned and when it is done, and from whether
a result hides nothing, which the planning engine gets wrong with a chance of about 2^-61 for each; that noise exceeds
its bound is rarer than 2^-40 by the margins of the bounds (doc/noise.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import cyclotome as cy
import numpy as np
import pytest
from small import HOME

#: Of a test, and the most that are drawn for them: what suggest refuses itself is drawn anew.
COMPUTATIONS, DRAWN = 4, 40

Compute = Callable[..., Any]


class Term(NamedTuple):
    """A part of a computation: of encrypted operands, and of NumPy's."""

    encrypted: Compute
    clear: Compute
    text: str


def leaf(number: int) -> Term:
    def take(*operands: Any) -> Any:
        return operands[number]

    return Term(take, take, "xyz"[number])


def both(text: str, function: Callable[..., Any], *terms: Term, clear: Callable[..., Any] | None = None) -> Term:
    clearly = clear or function
    return Term(
        lambda *operands: function(*(term.encrypted(*operands) for term in terms)),
        lambda *operands: clearly(*(term.clear(*operands) for term in terms)),
        f"{text}({', '.join(term.text for term in terms)})",
    )


def linear(rng: np.random.Generator, terms: list[Term], length: int) -> Term:
    a, b = (terms[int(i)] for i in rng.integers(0, len(terms), 2))
    c, w = int(rng.integers(-5, 6)), rng.integers(-4, 5, length)
    square = rng.integers(-3, 4, (length, length))
    choices: list[Callable[[], Term]] = [
        lambda: both("add", lambda p, q: p + q, a, b),
        lambda: both("subtract", lambda p, q: p - q, a, b),
        lambda: both("negative", lambda p: -p, a),
        lambda: both(f"{c} *", lambda p: p * c, a),
        lambda: both(f"{c} -", lambda p: c - p, a),
        lambda: both("w *", lambda p: p * w, a),
        lambda: both("w +", lambda p: p + w, a),
        lambda: both("W @", lambda p: square @ p, a),
        lambda: both("@ W", lambda p: p @ square, a),
        lambda: both("reversed", lambda p: p[::-1], a),
    ]
    return choices[int(rng.integers(0, len(choices)))]()


def deep(rng: np.random.Generator, terms: list[Term]) -> Term:
    a, b = (terms[int(i)] for i in rng.integers(0, len(terms), 2))
    c = int(rng.integers(-5, 6))
    choices: list[Callable[[], Term]] = [
        lambda: both("multiply", lambda p, q: p * q, a, b),
        lambda: both("power", lambda p: p**3, a),
        lambda: both("polyval", lambda p: cy.polyval([2, -1, c], p), a, clear=lambda p: 2 * p * p - p + c),
        lambda: both("x - x", lambda p: p * p - p * p, a),
        lambda: both("less", cy.less, a, b, clear=lambda p, q: (p < q).astype(object)),
        lambda: both("equal", lambda p: cy.equal(p, c), a, clear=lambda p: (p == c).astype(object)),
        lambda: both(
            "where", lambda p, q: cy.where(cy.less(p, c), p, q), a, b, clear=lambda p, q: np.where(p < c, p, q)
        ),
        lambda: both("maximum", cy.maximum, a, b, clear=np.maximum),
    ]
    return choices[int(rng.integers(0, len(choices)))]()


def ending(rng: np.random.Generator, a: Term, b: Term) -> Term:
    choices: list[Callable[[], Term]] = [
        lambda: a,
        lambda: both("sum", lambda p: p.sum(), a),
        lambda: both("dot", lambda p, q: p @ q, a, b),
        lambda: both("sum of products", lambda p, q: (p * q).sum(), a, b),
    ]
    return choices[int(rng.integers(0, len(choices)))]()


def some_computation(rng: np.random.Generator) -> tuple[Term, list[cy.Operand], list[Any]]:
    length = int(rng.integers(2, 9))
    operands, values, terms = [], [], []
    for number in range(int(rng.integers(1, 4))):
        low, high = sorted(int(end) for end in rng.integers(-12, 13, 2))
        bound = [(low, high), (0, abs(high)), max(abs(low), abs(high))][int(rng.integers(0, 3))]
        least, largest = bound if isinstance(bound, tuple) else (-bound, bound)
        operands.append(cy.Operand((length,), bound=bound))
        drawn = rng.integers(least, largest + 1, length)
        drawn[0], drawn[-1] = least, largest
        values.append(drawn.astype(object))
        terms.append(leaf(number))
    for step in range(int(rng.integers(1, 4))):
        terms.append(deep(rng, terms) if step == 1 else linear(rng, terms, length))
    return ending(rng, terms[-1], terms[int(rng.integers(0, len(terms)))]), operands, values


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("flooding_bits", [0, 40])
def test_computations_are_never_refused(rng: np.random.Generator, scheme: str, flooding_bits: int) -> None:
    done = 0
    for _ in range(DRAWN):
        computation, operands, values = some_computation(rng)
        print(computation.text, operands)
        try:
            parameters = cy.suggest(
                compute=computation.encrypted, inputs=operands, scheme=scheme, flooding_bits=flooding_bits
            )
        except (cy.errors.RangeError, cy.errors.ParameterError):
            continue  # more values than a comparison takes, and the like
        plan = cy.plan(computation.encrypted, parameters, operands)
        keys = cy.keygen(parameters, **plan.keygen(), device=HOME)
        arguments = [
            cy.encrypt(value, keys.public, bound=operand.bound) for value, operand in zip(values, operands, strict=True)
        ]
        result, expected = computation.encrypted(*arguments), np.asarray(computation.clear(*values))
        assert abs(result.noise_headroom - plan.noise_headroom) < 1e-6 and result.shape == plan.shapes[0]
        opened = cy.reveal(result, keys.secret, flooding_bits=40) if flooding_bits else cy.decrypt(result, keys.secret)
        assert np.array_equal(np.asarray(opened), expected)
        low, high = result.interval
        assert (expected >= low).all() and (expected <= high).all()
        done += 1
        if done == COMPUTATIONS:
            return
    pytest.fail(f"suggest took {done} of {DRAWN} computations")


def test_results_that_hide_nothing_are_encrypted_anew_with_room_for_it() -> None:
    """x - x: the public key is at hand, and adds noise that parameters have to carry."""
    for scheme in ("bfv", "bgv"):
        operands = [cy.Operand((8,), bound=3)]
        for compute in (lambda x: x - x, lambda x: 0 * x, lambda x: x * x - x * x, lambda x: (x + 1) - x):
            parameters = cy.suggest(compute=compute, inputs=operands, scheme=scheme)
            plan = cy.plan(compute, parameters, operands)
            keys = cy.keygen(parameters, **plan.keygen(), device=HOME)
            x = cy.encrypt(range(-3, 4), keys.public, bound=3)
            result = compute(x)
            assert result.noise_headroom == plan.noise_headroom
            np.testing.assert_array_equal(cy.decrypt(result, keys.secret), compute(np.arange(-3, 4)))


def test_joint_keys_and_flooding() -> None:
    operands = [cy.Operand((8,), bound=3)]

    def compute(x: Any) -> Any:
        return (x * x).sum()

    alone = cy.suggest(compute=compute, inputs=operands, scheme="bfv")
    joint = cy.suggest(compute=compute, inputs=operands, scheme="bfv", parties=5, flooding_bits=64)
    assert (alone.parties, joint.parties) == (1, 5) and joint.modulus_bits >= alone.modulus_bits + 60
    assert cy.plan(compute, joint, operands).noise_headroom >= 64
    for wrong in (-1, 129, 0.5):
        with pytest.raises(cy.errors.ArgumentError):
            cy.suggest(compute=compute, inputs=operands, flooding_bits=wrong)  # type: ignore[arg-type]
    with pytest.raises(cy.errors.ParameterError, match="parties"):
        cy.suggest(compute=compute, inputs=operands, parties=0)


def test_progress_is_told() -> None:
    """Of the search alone: what it runs, it only counts."""
    told: list[tuple[int, int, str]] = []
    with cy.progress(lambda done, total, what: told.append((done, total, what))):
        cy.suggest(compute=lambda x: (x * x).sum(), inputs=[cy.Operand((8,), bound=3)])
    assert {what for _, _, what in told} == {"trying parameters"}
    done = [each for each, _, _ in told]
    assert done == sorted(done) and done[0] == 0 and told[-1][0] == told[-1][1] and len(set(done)) > 10


def test_a_search_is_interrupted() -> None:
    """Ctrl-C, which Python raises wherever the search is, ends it and leaves nothing that the next would find."""
    operands = [cy.Operand((8,), bound=3)]
    calls = []

    def compute(x: Any) -> Any:
        calls.append(x)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return (x * x).sum()

    with pytest.raises(KeyboardInterrupt):
        cy.suggest(compute=compute, inputs=operands)
    assert cy.suggest(compute=compute, inputs=operands) == cy.suggest(compute=lambda x: (x * x).sum(), inputs=operands)
