# SPDX-License-Identifier: Apache-2.0
"""What paper 003 leaves open (its section 6.2), measured: ring products, relinearisation, limbs, and auxiliary moduli.

As in `fermat`: all ways of a cell work on the same residues, in alternation, and agree bit for bit or with integers.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome.errors import ParameterError
from cyclotome.parameters.parameters import find_primes
from cyclotome_study import fermat

from cyclotome_bench.fermat.plans import Cell, FermatPlan
from cyclotome_bench.fermat.records import FLINT, polynomial, records_of, uniform
from cyclotome_bench.machine.timing import Timing, alternate
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.report import Record

__all__ = ["QUESTIONS"]

#: Ways to multiply polynomials modulo wide limbs.
PRODUCTS = ("primes", "tree", "kronecker", "schoenhage")
#: Relinearisation: digit_bits and special_bits, the latter None for as many as the longest digit has, and one more.
RELINEARISATIONS = {
    "one digit a limb, as printed": (0, 0),
    "30-bit digits": (30, 0),
    "59-bit digits, a special prime of 60 bits": (59, 60),
    "one digit a limb, special primes": (0, None),
}
_SLOT_PRIME, _SLOTTED = 163841, 786433
_INSECURE: dict[str, Any] = {"security": 0, "allow_insecure": True}
_PRIME_BITS = (60, 45, 30)


def _products(cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    """One negacyclic product modulo all limbs; FLINT's of the integers in [0, q), without reduction, beside them."""
    engine = engine_on(plan.device)
    made = {way: _core.FermatProduct(cell.x, cell.degree, way, engine) for way in PRODUCTS}
    words = made["primes"].words
    a, b = uniform(cell, words, 1), uniform(cell, words, 2)
    for one in made.values():
        one.load(a, b)
    actions: list[Callable[[], Any]] = [one.run for one in made.values()]
    chains = list(PRODUCTS)
    try:
        flint = importlib.import_module("flint")
    except ModuleNotFoundError:  # an extra of the benchmarks
        flint = None
    if flint is not None:
        rng = np.random.default_rng(cell.bits)
        x, y = (
            flint.fmpz_poly([int.from_bytes(rng.bytes(cell.bits // 8), "little") for _ in range(cell.degree)])
            for _ in range(2)
        )
        actions.append(lambda: x * y)
        chains.append(FLINT)
    timings = alternate(actions, plan.budget)
    first = made["primes"].result()
    for way in PRODUCTS[1:]:
        if not np.array_equal(made[way].result(), first):
            raise WrongResultError(f"ring products, {way}, n = {cell.degree}, {cell.bits} bits: not those of primes")
    yield from records_of("products", cell, plan, chains, timings, "product")


def _relinearisations(cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    """Products with each relinearisation, and what the bound and the ciphertexts say of depth."""
    most = cell.bits // 2 + 2
    facts, chains, actions = [], [], []
    values = polynomial(cell.degree, _SLOTTED)
    for way, (digit_bits, special) in RELINEARISATIONS.items():
        params = fermat.Parameters(
            cell.degree,
            cell.x,
            _SLOTTED,
            digit_bits=digit_bits,
            special_bits=most if special is None else special,
            device=plan.device,
            **_INSECURE,
        )
        keys = fermat.keygen(params)
        x = fermat.encrypt(values, keys.public, wrap=True)
        chains.append(way)
        facts.append(_relinearisation_facts(params, keys, x, values))
        actions.append(lambda x=x: x * x)
    timings = alternate(actions, plan.budget)
    for record, fact in zip(records_of("relinearisation", cell, plan, chains, timings, "multiply"), facts, strict=True):
        yield {**record, **fact}


def _relinearisation_facts(
    params: fermat.Parameters, keys: fermat.Keys, x: fermat.FermatArray, values: np.ndarray[Any, Any]
) -> Record:
    """Headroom before and after a product by the bound, squarings that it allows, and squarings that came out right."""
    one = x * x
    measured, power, expected, t = 0, x, values % _SLOTTED, _SLOTTED
    while measured < 64:
        power, expected = power * power, expected * expected % t
        right = keys.secret.native.decrypt_unchecked(power.native, True).view(np.int64)[0] % t
        if not np.array_equal(right, expected):
            break
        measured += 1
    return {
        "key_bits": params.native.key_bits,
        "security": params.native.security_reached,
        "headroom_fresh": round(x.headroom, 1),
        "headroom_product": round(one.headroom, 1),
        "depth": params.depth,
        "depth_measured": measured,
        "relinearization_key_bytes": keys.evaluation.native.bytes,
    }


def _splits(cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    """Decryption and products, "both", for every f that Lemma 1 allows, from the paper's least to the smallest limb."""
    values = polynomial(cell.degree, 1024)
    chains, products, decryptions = [], [], []
    for f in range(1, cell.x):
        if cell.bits >> f < f:
            break
        params = fermat.Parameters(
            cell.degree, cell.x, 1024, splits=f, digit_bits=59, version="both", device=plan.device, **_INSECURE
        )
        keys = fermat.keygen(params)
        x = fermat.encrypt(values, keys.secret, wrap=True, encoding="coefficients").native
        chains.append(f"f = {f}, last limb of {cell.bits >> f} bits")
        key = keys.evaluation.native
        products.append(lambda x=x, key=key: x.multiply(x, key))
        decryptions.append(lambda x=x, key=keys.secret.native: key.decrypt(x, False))
    for operation, actions in (("decrypt", decryptions), ("multiply", products)):
        timings = alternate(actions, plan.budget)
        if operation == "decrypt":
            for chain, timing in zip(chains, timings, strict=True):
                if not np.array_equal(timing.result[0].view(np.int64) % 1024, values % 1024):
                    raise WrongResultError(f"decryption, {chain}: not what was encrypted")
        yield from records_of("splits", cell, plan, chains, timings, operation)


def _targets(cell: Cell, plan: FermatPlan) -> Iterator[Record]:
    """FastBConv from q to auxiliary moduli: B_sk of primes of 60, 45 and 30 bits, with and without m~, and gamma."""
    q = 2**cell.bits - 1
    needed = cell.bits + 20
    families: dict[str, list[int]] = {}
    for bits in _PRIME_BITS:
        count = -(-needed * 100 // (bits * 100 - 1))
        try:
            primes = [p for p in find_primes(cell.degree, [bits] * (count + 8)) if q % p][:count]
        except ParameterError:  # there are not so many of so few bits
            continue
        families[f"B_sk, {count} primes of {bits} bits"] = primes
    first = next(iter(families.values()))
    families["the same of 60 bits, and m~ = 2^32"] = [*first, 2**32]
    families["the same, and m~ a prime of 32 bits"] = [*first, 4294967291]
    families["t = 163841 and gamma = 2^31 - 1"] = [_SLOT_PRIME, 2**31 - 1]
    families["t = 163841 and gamma a prime of 60 bits"] = [_SLOT_PRIME, first[0]]
    families["t = 163841 and gamma = 2^31"] = [_SLOT_PRIME, 2**31]
    made, actions = [], []
    for targets in families.values():
        conversion = _core.FermatConversion(cell.x, "both", targets, cell.degree, engine_on(plan.device))
        conversion.load(uniform(cell, conversion.words, 3))
        made.append(conversion)
        actions.append(conversion.run)
    timings: list[Timing] = alternate(actions, plan.budget)
    yield from records_of("targets", cell, plan, list(families), timings, "FastBConv")


#: By the name of a cell's figure.
QUESTIONS: dict[str, Callable[[Cell, FermatPlan], Iterator[Record]]] = {
    "products": _products,
    "relinearisation": _relinearisations,
    "splits": _splits,
    "targets": _targets,
}
