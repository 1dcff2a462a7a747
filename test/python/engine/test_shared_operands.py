# SPDX-License-Identifier: Apache-2.0
"""Operands, keys and contexts that threads use at once, from the first use on: each gets the bits of one alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome._core.testing import shapes
from cyclotomic_party import smallest_primes

THREADS = 8
LENGTH = 40
#: Each makes something on first use: programs, tables, transforms, norms, encodings, diagonals.
OPERATIONS: dict[str, Callable[[Any], object]] = {
    "plain product": lambda o: o.x * o.w,
    "plain product of a transform": lambda o: o.moved * o.w,
    "plain sum": lambda o: o.x + o.w,
    "plain difference": lambda o: o.w - o.moved,
    "rows of a plain array": lambda o: o.x[:2] * o.rows,
    "integers": lambda o: o.x[1] * o.rows.values,
    "transformed": lambda o: o.x.transformed(),
    "back": lambda o: o.moved.transformed(False),
    "both domains": lambda o: o.x + o.moved,
    "product": lambda o: o.x * o.moved,
    "square": lambda o: o.x * o.x,
    "sum": lambda o: o.x.sum(),
    "level": lambda o: (o.x * o.w).switch_to_level(2),
    "decryption": lambda o: cy.decrypt(o.moved, o.keys.secret),
    "file": lambda o: cy.to_bytes(o.x),
    "facts": lambda o: (o.x.noise_headroom, o.x.shape, o.w.nbytes > 0, o.x.nbytes > 0),
}
#: Of rings with slots in two rows.
ROTATIONS: dict[str, Callable[[Any], object]] = {
    "matrix": lambda o: o.matrix @ o.x[0],
    "matrix from the right": lambda o: o.x @ o.matrix,
    "sums of rows": lambda o: o.x.sum(axis=1),
}


class Operands:
    """What threads share, none of it used before: everything is read anew, on a context that nobody else has."""

    def __init__(self, device: str, parameters: cy.Parameters, folder: Path, weights: Any) -> None:
        read: dict[str, Any] = {
            file.name: cy.load(file, allow_insecure=True, device=device) for file in folder.iterdir()
        }
        self.keys = cy.Keys(read["secret"], read["public"], read["evaluation"])
        self.x = read["x"].with_keys(self.keys.evaluation)
        self.moved = read["moved"].with_keys(self.keys.evaluation).transformed()
        self.w, self.rows = read["w"], read["rows"]
        self.matrix = cy.Matrix(weights, parameters, device=device) if weights is not None else None


def parameters(scheme: str, ring: str) -> cy.Parameters:
    if ring == "Phi_85":
        step = shapes.cyclotomic(85).transform_step
        plain_moduli, moduli = smallest_primes(step, 1, 2**16), smallest_primes(step, 6, 2**40)
        return cy.Parameters(cyclotomic=85, plain_moduli=plain_moduli, moduli=moduli[:5], special_moduli=moduli[5:],
            scheme=scheme, security=0, allow_insecure=True)  # fmt: skip
    moduli = cy.bfv.find_primes(128, [50] * 6, [65537, 40961])
    return cy.Parameters(degree=128, plain_moduli=[65537, 40961], moduli=moduli[:5], special_moduli=moduli[5:],
        scheme=scheme, security=0, allow_insecure=True)  # fmt: skip


def bits(result: object) -> object:
    """Something that equals only what is the same to the last bit."""
    if isinstance(result, cy.EncryptedArray):
        return cy.to_bytes(result), result.noise_headroom, result.is_transformed
    return result.tolist() if isinstance(result, np.ndarray) else result


@pytest.fixture
def impatient() -> Iterator[None]:
    """Python goes from thread to thread as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("device", ["cpu:1", "cpu:3"])
@pytest.mark.parametrize("scheme,ring", [("bfv", "two-power"), ("bgv", "two-power"), ("bfv", "Phi_85")])
def test_threads_get_the_bits_of_one(
    scheme: str, ring: str, device: str, rng: np.random.Generator, impatient: None, tmp_path: Path
) -> None:
    made = parameters(scheme, ring)
    own = cy.keygen(made, device="cpu:2")
    x = cy.encrypt(rng.integers(-9, 10, (3, LENGTH)), own.public, bound=9)
    y = cy.encrypt(rng.integers(-9, 10, (3, LENGTH)), own.public, bound=9)
    stored: dict[str, Any] = {name: getattr(own, name) for name in ("secret", "public", "evaluation")}
    stored |= {"x": x, "moved": y, "w": cy.plain(rng.integers(1, 99, LENGTH), made)}
    stored["rows"] = cy.plain(rng.integers(1, 99, (2, LENGTH)), made)
    for name, each in stored.items():
        cy.save(tmp_path / name, each)
    weights = rng.integers(-9, 10, (LENGTH, LENGTH)) if ring == "two-power" else None
    operations = OPERATIONS if weights is None else OPERATIONS | ROTATIONS
    alone = Operands("cpu:2", made, tmp_path, weights)
    expected = {name: bits(operation(alone)) for name, operation in operations.items()}
    orders = [[*operations][i % len(operations) :] + [*operations][: i % len(operations)] for i in range(THREADS)]
    for order in orders[::2]:
        rng.shuffle(order)
    for _ in range(3):
        shared = Operands(device, made, tmp_path, weights)
        start, wrong = threading.Barrier(THREADS), []

        def work(order: list[str], shared: Operands, start: threading.Barrier, wrong: list[str]) -> None:
            start.wait()
            for name in [*order, *order]:
                try:
                    if bits(operations[name](shared)) != expected[name]:
                        wrong.append(f"{name}: other bits")
                except Exception as error:
                    wrong.append(f"{name}: {error!r}")

        threads = [threading.Thread(target=work, args=(order, shared, start, wrong), daemon=True) for order in orders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
        assert not wrong


def test_a_matrix_tells_its_size_while_it_is_prepared(impatient: None) -> None:
    """On the main thread, which looks for signals with Python's lock, while others hold that to ask."""
    made = parameters("bfv", "two-power")
    stop = threading.Event()
    sizes: set[int] = set()
    matrices = [cy.Matrix(np.full((64, 64), i + 1), made, device="cpu:1") for i in range(20)]

    def ask() -> None:
        while not stop.is_set():
            sizes.update(matrix.nbytes for matrix in matrices)

    asker = threading.Thread(target=ask, daemon=True)
    asker.start()
    for matrix in matrices:
        matrix.prepared().prepared(right=True)
    stop.set()
    asker.join(60)
    assert not asker.is_alive() and max(matrix.nbytes for matrix in matrices) >= max(sizes)
