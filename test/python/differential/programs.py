# SPDX-License-Identifier: Apache-2.0
"""Programs of arrays: what they are, how they are drawn, and the keys that they run with."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
from hypothesis import strategies as st
from small import HOME

from .coefficients import COEFFICIENTS
from .recording import api
from .shapes import MOVES, SAME
from .verbs import ARITHMETIC, FUNCTIONS, Verb

#: By the encoding of a program's arrays: a polynomial's product is no array's.
VERBS: dict[str, dict[str, Verb]] = {
    "slots": {**ARITHMETIC, **FUNCTIONS, **MOVES, **SAME},
    "coefficients": {
        **{name: ARITHMETIC[name] for name in ("add", "subtract", "negate")},
        **{name: SAME[name] for name in ("switch_to_level", "rerandomize", "rekey", "stored")},
        **COEFFICIENTS,
    },
}

#: Schemes and plaintext moduli: one prime, two, and one whose values end soon.
SETTINGS = {
    f"{scheme} {' '.join(map(str, plain))}": (scheme, plain)
    for scheme in ("bfv", "bgv")
    for plain in ((65537,), (40961, 65537), (97,))
}
DEGREE = 16
MOST_STEPS = 6


@dataclass(frozen=True)
class Input:
    """An array that is encrypted: values, and what `encrypt` is told beside them."""

    shape: list[int]
    values: list[int]
    interval: tuple[int, int]
    layout: str
    encoding: str
    by_secret: bool
    states_l1: bool

    def clear(self) -> Any:
        return np.array(self.values, dtype=object).reshape(self.shape)


@dataclass(frozen=True)
class Step:
    """A verb of operands, which are numbers of arrays so far, counted around."""

    verb: str
    operands: list[int]
    options: dict[str, Any]


@dataclass(frozen=True)
class Program:
    """Inputs, and steps one after the other; what a step gives is an operand of later ones."""

    setting: str
    encoding: str
    inputs: list[Input]
    steps: list[Step]

    def text(self) -> str:
        """A line that `read` makes a program of again."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Program:
        facts = json.loads(text)
        inputs = [Input(**{**each, "interval": tuple(each["interval"])}) for each in facts["inputs"]]
        return cls(facts["setting"], facts["encoding"], inputs, [Step(**each) for each in facts["steps"]])


class World:
    """Keys of one setting, in memory and in files, and a second owner's."""

    def __init__(self, setting: str) -> None:
        scheme, plain = SETTINGS[setting]
        primes = api.bfv.find_primes(DEGREE, [*[50] * 8, 51], avoid=plain)
        self.device = HOME
        self.parameters = api.Parameters(
            degree=DEGREE,
            plain_moduli=plain,
            moduli=primes[:-1],
            special_moduli=primes[-1:],
            security=0,
            allow_insecure=True,
            scheme=scheme,
        )
        options = {"galois_elements": api.polynomials.trace_elements(self.parameters), "device": HOME}
        self.keys, self.other = (
            api.keygen(self.parameters, matrices=[(k, 3) for k in (1, 2, 3)] + [(3, k) for k in (1, 2)], **options)
            for _ in range(2)
        )
        self.there = api.rekeying.rekeying_key(self.keys.secret, self.other.secret)
        self.back = api.rekeying.rekeying_key(self.other.secret, self.keys.secret)
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        for name in ("secret", "public", "evaluation"):
            api.save(self.folder / f"{name}.key", getattr(self.keys, name))

    @property
    def capacity(self) -> int:
        return (int(self.parameters.plain_product) - 1) // 2

    def encrypted(self, given: Input) -> cy.EncryptedArray:
        key = self.keys.secret if given.by_secret else self.keys.public
        l1 = largest_row(given.clear()) if given.states_l1 else None
        x = api.encrypt(
            given.clear(), key, bound=given.interval, l1_bound=l1, layout=given.layout, encoding=given.encoding
        )
        return x.with_keys(self.keys.public, self.keys.evaluation)


@cache
def world(setting: str) -> World:
    return World(setting)


def largest_row(values: Any) -> int:
    rows = np.abs(values.reshape(-1, values.shape[-1] if values.ndim else 1))
    return int(rows.sum(axis=-1).max())


@st.composite
def inputs(draw: Any, encoding: str) -> Input:
    low = draw(st.integers(-9, 9))
    high = draw(st.one_of(st.just(low), st.just(abs(low)), st.integers(low, 9)))
    low, high = draw(st.sampled_from([(low, max(low, high)), (0, 1), (-1, 1), (0, max(0, high))]))
    shapes = [[3], [1], [2, 3], [1, 3], [2, 1], [3, 3], []] if encoding == "slots" else [[4], [DEGREE], [2, 4], [1]]
    shape = draw(st.sampled_from(shapes))
    count = int(np.prod(shape, dtype=int))
    value = st.one_of(st.sampled_from([low, high]), st.integers(low, high))
    return Input(
        shape,
        draw(st.lists(value, min_size=count, max_size=count)),
        (low, high),
        draw(st.sampled_from(["packed", "replicated"])) if encoding == "slots" and shape else "packed",
        encoding,
        draw(st.booleans()),
        draw(st.booleans()),
    )


@st.composite
def steps(draw: Any, encoding: str, verb: str | None = None) -> Step:
    verbs = VERBS[encoding]
    name = verb or draw(st.sampled_from(sorted(verbs)))
    operands = draw(st.lists(st.integers(0, 7), min_size=verbs[name].arity, max_size=verbs[name].arity))
    return Step(name, operands, {key: draw(each) for key, each in verbs[name].options.items()})


@st.composite
def programs(draw: Any, verb: str | None = None, encoding: str | None = None) -> Program:
    """A program; with ``verb`` one that begins with it."""
    encoding = encoding or draw(st.sampled_from(["slots", "slots", "slots", "coefficients"]))
    given = draw(st.lists(inputs(encoding), min_size=2, max_size=3))
    first = [draw(steps(encoding, verb))] if verb else []
    rest = draw(st.lists(steps(encoding), min_size=0 if verb else 1, max_size=MOST_STEPS))
    return Program(draw(st.sampled_from(sorted(SETTINGS))), encoding, given, first + rest)
