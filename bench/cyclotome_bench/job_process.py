# SPDX-License-Identifier: Apache-2.0
"""Whole jobs, as somebody who starts Python runs them: parameters, keys, encryption, the computation, decryption.

``python -m cyclotome_bench.job_process WHO NAME SIZE DEVICE STARTED`` runs one and prints a line of JSON: what each
phase took, and whether the result is right. A process does one job, so that nothing is warm that a user's would find
cold. WHO is "cyclotome" or "tenseal"; STARTED is the clock on the wall, in nanoseconds, before the process was started.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["JOBS", "PHASES", "TENSEAL", "Outcome", "Stopwatch"]

#: In the order in which they come. "start": until Python and the library are there; "encode": of public operands, once.
PHASES = ("start", "suggest", "plan", "keys", "encode", "encrypt", "compute", "decrypt")

#: What a job gives: its parameters, or None, and whether the result is NumPy's.
Outcome = tuple[Any, bool]


class Stopwatch:
    """Nanoseconds by phase: processor time of all threads of this process, or by the wall on devices that are no cores
    and are waited for. What lies outside of phases, such as making data and checking results, does not count."""

    def __init__(self, device: str, started: int) -> None:
        self.device = device
        self._wait: Callable[[], None] = lambda: None
        self._now = time.process_time_ns
        if not device.startswith("cpu"):
            self._now, self._wait = time.perf_counter_ns, _waiting_for(device)
        self.spent = {"start": self._now() - (0 if device.startswith("cpu") else started)}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Counts what is done within."""
        before = self._now()
        yield
        self._wait()
        self.spent[name] = self.spent.get(name, 0) + self._now() - before


def _waiting_for(device: str) -> Callable[[], None]:
    from cyclotome.devices.contexts import engine_on

    engine = engine_on(device)
    return lambda: engine.synchronize()


def _computed(watch: Stopwatch, compute: Callable[..., Any], bound: Any, inputs: list[Any], expected: Any) -> Outcome:
    """A function of encrypted inputs, in suggested parameters."""
    import cyclotome as cy

    operands = [cy.Operand(each.shape, bound=bound) for each in inputs]
    with watch.phase("suggest"):
        parameters = cy.suggest(compute=compute, inputs=operands)
    with watch.phase("plan"):
        wanted = cy.plan(compute, parameters, operands).keygen()
    with watch.phase("keys"):
        keys = cy.keygen(parameters, **wanted, device=watch.device)
    with watch.phase("encrypt"):
        arrays = [cy.encrypt(each, keys.public, bound=bound) for each in inputs]
    with watch.phase("compute"):
        results = compute(*arrays)
    several = results if isinstance(results, tuple) else (results,)
    with watch.phase("decrypt"):
        found = [cy.decrypt(each, keys.secret) for each in several]
    return parameters, all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def _dot(watch: Stopwatch, size: int, rng: np.random.Generator) -> Outcome:
    a, b = rng.integers(-1000, 1001, (2, size))
    return _computed(watch, lambda x, y: x @ y, 1000, [a, b], [a @ b])


def _less(watch: Stopwatch, size: int, rng: np.random.Generator) -> Outcome:
    import cyclotome as cy

    a, b = rng.integers(0, size + 1, (2, size))
    return _computed(watch, lambda x, y: cy.less(x, y), (0, size), [a, b], [(a < b).astype(int)])


def _table(watch: Stopwatch, size: int, rng: np.random.Generator) -> Outcome:
    """Ten columns: their sums, and those of the products of each two, as for means and covariances."""
    table = rng.integers(0, 1000, (10, size))
    i, j = np.triu_indices(10)
    expected = [table.sum(axis=1), (table[i] * table[j]).sum(axis=1)]
    return _computed(watch, lambda x: (x.sum(axis=-1), (x[i] * x[j]).sum(axis=-1)), (0, 999), [table], expected)


def _matrix(watch: Stopwatch, size: int, rng: np.random.Generator) -> Outcome:
    import cyclotome as cy

    matrix, vector = rng.integers(-100, 101, (size, size)), rng.integers(-100, 101, size)
    operand = cy.Operand((size,), bound=100)
    with watch.phase("suggest"):
        parameters = cy.suggest(compute=lambda x: matrix @ x, inputs=[operand])
    with watch.phase("plan"):
        wanted = cy.plan(lambda x: matrix @ x, parameters, [operand]).keygen()
    with watch.phase("keys"):
        keys = cy.keygen(parameters, **wanted, device=watch.device)
    with watch.phase("encode"):
        prepared = cy.Matrix(matrix, parameters, device=watch.device).prepared()
    with watch.phase("encrypt"):
        x = cy.encrypt(vector, keys.public, bound=100)
    with watch.phase("compute"):
        y = prepared @ x
    with watch.phase("decrypt"):
        found = cy.decrypt(y, keys.secret)
    return parameters, np.array_equal(found, matrix @ vector)


def _logistic(watch: Stopwatch, size: int, rng: np.random.Generator) -> Outcome:
    """Labels of a logistic regression over 30 features, with weights that are drawn: fitting is no part of the job. Of
    few rows, fewer features and coarser scores."""
    import cyclotome as cy
    from cyclotome.models.features import Features
    from cyclotome.models.linear import LinearClassifier, Quantised

    count, bits, score_bits = (30, 5, 10) if size >= 1000 else (3, 2, 6)
    rows = rng.normal(size=(size, count))
    features, limit = Features.over(rows, bits), 2**score_bits - 1
    weights = Quantised.of(rng.normal(size=(1, count)), rng.normal(size=1), features, limit, differences=False)
    model = LinearClassifier(features, np.array([0, 1]), weights.scale, weights, None)
    with watch.phase("suggest"):
        parameters = model.suggest(rows=size)
    with watch.phase("plan"):
        wanted = model.plan(parameters, rows=size).keygen()
    with watch.phase("keys"):
        keys = cy.keygen(parameters, **wanted, device=watch.device)
    with watch.phase("encrypt"):
        x = model.encrypt(rows, keys.public)
    with watch.phase("compute"):
        y = model.predict(x)
    with watch.phase("decrypt"):
        found = model.decrypt(y, keys.secret)
    return parameters, np.array_equal(found, model.predict_clear(rows))


#: Of the retrieval: words of 16 bits in a record, the ring, the plaintext modulus, and bits of q, which serve ten steps
#: of expansion and a sum of 1024 plain products.
_WORDS, _DEGREE, _PLAIN, _BITS = 128, 8192, 65537, 100


def _retrieval(watch: Stopwatch, size: int, rng: np.random.Generator, prepared: bool = False) -> Outcome:
    """One of so many records of 256 bytes, without saying which: 64 records lie in a row of plaintext."""
    import cyclotome as cy

    in_row = _DEGREE // _WORDS
    records = rng.integers(0, 1 << 16, (-(-size // in_row) * in_row, _WORDS))
    rows, wanted = records.reshape(-1, _DEGREE), 2 * size // 3
    with watch.phase("suggest"):
        parameters = cy.Parameters.from_modulus_bits(degree=_DEGREE, modulus_bits=_BITS, plain_moduli=[_PLAIN])
    with watch.phase("keys"):
        keys = cy.keygen(parameters, galois_elements=cy.polynomials.trace_elements(parameters), device=watch.device)
    held: Any = rows
    if prepared:
        with watch.phase("encode"):
            held = cy.plain(rows, parameters, device=watch.device)
    with watch.phase("encrypt"):
        one = cy.one_hot(wanted // in_row, len(rows))
        query = cy.encrypt(one, keys.public, encoding="coefficients", wrap=True)
    with watch.phase("compute"):
        answer = (cy.polynomials.expand(query)[:, None] * held).sum(axis=0)
    with watch.phase("decrypt"):
        row = np.asarray(cy.decrypt(answer, keys.secret)) % _PLAIN
    return parameters, np.array_equal(row.reshape(in_row, _WORDS)[wanted % in_row], records[wanted])


def _prepared_retrieval(watch: Stopwatch, size: int, rng: np.random.Generator) -> Outcome:
    return _retrieval(watch, size, rng, prepared=True)


#: What a job is, its usual size, and a size for trying it.
JOBS: dict[str, tuple[Callable[[Stopwatch, int, np.random.Generator], Outcome], int, int]] = {
    "dot product of 10^4": (_dot, 10**4, 100),
    "dot product of 10^6": (_dot, 10**6, 200),
    "less of 1000": (_less, 1000, 5),
    "256 x 256 matrix": (_matrix, 256, 8),
    "sums and products of 10 columns of 10^4": (_table, 10**4, 50),
    "logistic labels of 1000 rows": (_logistic, 1000, 5),
    "one of 10^4 records of 256 bytes": (_retrieval, 10**4, 100),
    "the same, records encoded once": (_prepared_retrieval, 10**4, 100),
}


# --- the peer ---------------------------------------------------------------------------------------------------------
def _tenseal_dot(watch: Stopwatch, size: int, rng: np.random.Generator) -> Outcome:
    """As its users write it: vectors of half a ciphertext, whose dot products are added up, modulo one prime that holds
    the sum."""
    import tenseal
    from cyclotome.parameters.checks import find_primes

    a, b = rng.integers(-1000, 1001, (2, size))
    (plain,) = find_primes(_DEGREE, [(2 * 10**6 * size).bit_length() + 1])
    starts = range(0, size, _DEGREE // 2)
    with watch.phase("keys"):
        context = tenseal.context(tenseal.SCHEME_TYPE.BFV, _DEGREE, plain_modulus=plain, n_threads=1)
        context.generate_galois_keys()
    with watch.phase("encrypt"):
        x, y = ([tenseal.bfv_vector(context, v[i : i + _DEGREE // 2].tolist()) for i in starts] for v in (a, b))
    with watch.phase("compute"):
        total = x[0].dot(y[0])
        for u, v in zip(x[1:], y[1:], strict=True):
            total += u.dot(v)
    with watch.phase("decrypt"):
        found = total.decrypt()[0]
    return None, int(found) == int(a @ b)


#: Jobs that TenSEAL does too.
TENSEAL = {"dot product of 10^4": _tenseal_dot}


def _peak() -> int | None:
    """Bytes of memory that the process held at most; None where its system does not tell."""
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return None


def _main(who: str, name: str, size: int, device: str, started: int) -> None:
    if who == "tenseal":
        import tenseal  # noqa: F401 - a part of its start
    else:
        import cyclotome  # noqa: F401
    job = TENSEAL[name] if who == "tenseal" else JOBS[name][0]
    watch = Stopwatch(device, started)
    parameters, right = job(watch, size, np.random.default_rng(20260101))
    told: dict[str, Any] = {"spent": watch.spent, "right": right, "peak_bytes": _peak()}
    if parameters is not None:
        told |= {"scheme": parameters.scheme, "degree": parameters.degree, "word": parameters.word}
        told |= {"log_q": parameters.modulus_bits, "parameters": parameters.summary()}
    print(json.dumps(told))


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
