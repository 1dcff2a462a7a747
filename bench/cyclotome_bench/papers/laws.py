# SPDX-License-Identifier: Apache-2.0
"""What papers' laws cost and what noise they make, beside this library's; and textbook FV (000, Figure 2)."""

from __future__ import annotations

import math
import random
import secrets
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome_study.laws import BINARY, BINOMIAL, LAWS, TERNARY, ZERO_ONE, Law, box_muller, inverse_cdf
from cyclotome_study.textbook import TextbookBGV, TextbookFV, flint_available

from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.papers.study_records import study_record
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.report import Record

__all__ = ["LAW_ROWS", "draws", "noises", "textbook"]

_CODE = "src/cyclotome/study/laws.cpp"
_TEXTBOOK = "study/cyclotome_study/textbook.py"
#: Numbers of one draw.
_COUNT = 1 << 14
#: What each paper draws, by the paper and the use.
LAW_ROWS: dict[str, tuple[tuple[str, Law], ...]] = {
    "000": (("secret, mask", BINARY), ("errors", box_muller(8, 48)), ("errors", box_muller(3.2)), ("mask", ZERO_ONE)),
    "001": (("secret, mask", TERNARY), ("errors", inverse_cdf(3.2)), ("errors", BINOMIAL)),
}
#: w of relinearisation.
_BASE_BITS = 32


def draws(paper: str, device: str, budget: Budget) -> Iterator[Record]:
    """The time of 2^14 numbers on one core, of 2^20 on a GPU, their measured deviation and largest magnitude; this
    library's laws beside, as its engine draws them."""
    kind = device.partition(":")[0]
    count, engine = (_COUNT if kind == "cpu" else 1 << 20), engine_on(device)
    samples = max(3, budget.fewest)
    for use, law in LAW_ROWS[paper]:
        if kind == "cpu":
            numbers, code = law.draw(1 << 18), _CODE
        elif law in (TERNARY, BINOMIAL):  # the engine's own rows below
            continue
        else:
            drawn = _core.draw_on(engine, law.name, law.deviation, law.bound, secrets.token_bytes(32), 1 << 18)
            numbers, code = np.array(drawn, np.int32), "src/cyclotome/engine/cuda/study/paper_kernels.cu"
        found = [law.nanoseconds(count, 3, device) * count / 1000 for _ in range(samples)]
        yield _law_record(paper, f"{law}", use, kind, count, found, numbers, code)
    for use, law in (("cyclotome, secret, mask", TERNARY), ("cyclotome, errors", BINOMIAL)):
        numbers = law.draw(1 << 18)
        found = [_core.engine_draw_nanoseconds(engine, law.name, count, 3) * count / 1000 for _ in range(samples)]
        code = f"src/cyclotome/engine/{'cpu/sample.hpp' if kind == 'cpu' else 'cuda/steps/sample.cuh'}"
        yield _law_record(paper, f"{law}, engine", use, kind, count, found, numbers, code)


def _law_record(
    paper: str,
    chain: str,
    use: str,
    engine: str,
    count: int,
    found: list[float],
    numbers: np.ndarray[Any, np.dtype[np.int32]],
    code: str,
) -> Record:
    return study_record(
        paper,
        "draw",
        chain,
        count,
        0,
        found,
        code=code,
        engine=engine,
        use=use,
        deviation=round(float(numbers.std()), 3),
        largest=int(np.abs(numbers).max()),
    )


def _multiplied(x: list[int], y: list[int], t: int) -> list[int]:
    """x y modulo x^n + 1 and t, by FLINT."""
    import flint

    product, n = [int(c) for c in (flint.fmpz_poly(x) * flint.fmpz_poly(y)).coeffs()], len(x)
    folded = product[:n] + [0] * (n - len(product))
    for i, coefficient in enumerate(product[n:]):
        folded[i] -= coefficient
    return [c % t for c in folded]


def _textbook_run(paper: str, name: str, degree: int, log_q: int, t: int, repetitions: int) -> Iterator[Record]:
    rng, scheme = random.Random(degree), TextbookFV(degree, 1 << log_q, t, 1 << _BASE_BITS, LAWS[name])
    key = scheme.generate_key()
    x, y = ([rng.randrange(t) for _ in range(degree)] for _ in range(2))
    cipher_x, cipher_y = scheme.encrypt(x, key), scheme.encrypt(y, key)
    spent: dict[str, list[float]] = {"decrypt": [], "multiply_relinearize": []}
    product = cipher_x
    for _ in range(repetitions):
        start = time.thread_time_ns()
        product = scheme.multiply(cipher_x, cipher_y, key)
        middle = time.thread_time_ns()
        plain = scheme.decrypt(cipher_x, key)
        spent["decrypt"].append((time.thread_time_ns() - middle) / 1000)
        spent["multiply_relinearize"].append((middle - start) / 1000)
        if plain != x or scheme.decrypt(product, key) != _multiplied(x, y, t):
            raise WrongResultError(f"textbook FV decrypts wrongly at n = {degree}, log q = {log_q}, laws of {name}")
    fresh, after = scheme.noise(cipher_x, key), scheme.noise(product, key)
    for operation, found in spent.items():
        yield study_record(
            paper,
            operation,
            f"textbook, {name}",
            degree,
            log_q,
            found,
            code=_TEXTBOOK,
            engine="flint",
            plain_modulus=t,
            fresh_noise=round(fresh[0], 2),
            fresh_noise_by_law=round(scheme.fresh_noise(), 2),
            product_noise=round(after[0], 2),
            noise_limit=round(math.log2((1 << log_q) / (2 * t)), 2),
        )


def textbook(budget: Budget, sets: tuple[tuple[int, int], ...]) -> Iterator[Record]:
    """000, Figure 2: decryption and products of textbook FV, with the paper's laws; nothing without python-flint."""
    if not flint_available():
        return
    for degree, log_q in sets:
        yield from _textbook_run("000", "000", degree, log_q, 2, 1 if degree > 4096 else 2)


def _bgv_run(paper: str, degree: int, log_q: int, t: int) -> Iterator[Record]:
    rng, scheme = random.Random(degree), TextbookBGV(degree, (1 << log_q) - 1, t, LAWS["004"])
    key = scheme.generate_key()
    x, y = ([rng.randrange(t) for _ in range(degree)] for _ in range(2))
    cipher_x, cipher_y = scheme.encrypt(x, key), scheme.encrypt(y, key)
    start = time.thread_time_ns()
    product = scheme.multiply(cipher_x, cipher_y)
    found = [(time.thread_time_ns() - start) / 1000]
    if scheme.decrypt(cipher_x, key) != x or scheme.decrypt(product, key) != _multiplied(x, y, t):
        raise WrongResultError(f"textbook BGV decrypts wrongly at n = {degree}, log q = {log_q}")
    yield study_record(
        paper,
        "multiply_relinearize",
        "textbook, 004 in BGV",
        degree,
        log_q,
        found,
        code=_TEXTBOOK,
        engine="flint",
        plain_modulus=t,
        fresh_noise=round(scheme.noise(cipher_x, key)[0], 2),
        fresh_noise_by_law=round(scheme.fresh_noise(), 2),
        product_noise=round(scheme.noise(product, key)[0], 2),
        noise_limit=float(log_q - 1),
    )


def noises(paper: str, budget: Budget) -> Iterator[Record]:
    """The noise that each paper's laws make, at one small set of the paper; nothing without python-flint."""
    if not flint_available():
        return
    for name in LAWS:
        if (paper, name) != ("000", "000"):  # `textbook` has measured it
            yield from _textbook_run(paper, name, 2048, 62 if paper == "000" else 54, 2, 1)
    yield from _bgv_run(paper, 2048, 62 if paper == "000" else 54, 2)
