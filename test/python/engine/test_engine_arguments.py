# SPDX-License-Identifier: Apache-2.0
"""What does not fit is refused with a typed error that names it, and leaves the result as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ArgumentError, EngineError, RangeError
from residues import COEFFICIENT, TRANSFORM, in_host_memory, on, put, random_residues, ring_of

ENGINE = _core.CpuEngine(1)
RING = ring_of(32, 16, [97, 193])
OTHERS = {
    "one limb less": ring_of(32, 16, [97]),
    "another modulus": ring_of(32, 16, [97, 257]),
    "another order": ring_of(32, 16, [193, 97]),
    "another degree": ring_of(32, 8, [97, 193]),
    "another word": ring_of(64, 16, [97, 193]),
}


@pytest.fixture
def engine(each_engine: Any) -> Any:
    if not in_host_memory(each_engine):
        pytest.skip("operands are in host memory here, and what is checked is the same for every engine")
    return each_engine


def array(ring: Any = RING, batch: int = 2, parts: int = 2, domain: Any = COEFFICIENT) -> Any:
    return testing.PolyArray(ENGINE, ring, batch, parts, domain)


def refused(verb: Any, *arguments: Any, match: str = "") -> None:
    with pytest.raises(ArgumentError, match=f"^{verb.func.__name__}: .*{match}"):
        verb(*(a.view() if isinstance(a, testing.PolyArray) else a for a in arguments))


#: A composite's operands that are over other rings than its constants, or than each other.
OTHER_RINGS = "different rings|not the slice of|not over the conversion's bases|has none from|factors for|not below its"


def misfit(composite: Any, *arguments: Any, match: str) -> None:
    """A program of this one composite is refused when it is written or run."""
    with pytest.raises(ArgumentError, match=match):
        composite(*(a.view() if isinstance(a, testing.PolyArray) else a for a in arguments))


@pytest.mark.parametrize("verb", ["add", "subtract", "multiply", "multiply_accumulate"])
def test_two_operands_must_have_the_result_s_ring_shape_and_domain(engine: Any, verb: str) -> None:
    call = getattr(on(engine), verb)
    for ring in OTHERS.values():
        refused(call, array(), array(ring), array(), match="not the one this operation was prepared for")
        refused(call, array(), array(), array(ring), match="not the one this operation was prepared for")
    for shape in [(3, 2), (2, 3), (4, 1)]:
        refused(call, array(), array(RING, *shape), array(), match="batch and parts must be equal or 1")
        refused(call, array(), array(), array(RING, *shape), match="batch and parts must be equal or 1")
    refused(call, array(RING, 1, 2), array(), array(), match="does not fit")  # a result is never broadcast
    refused(call, array(), array(domain=TRANSFORM), array(), match="one domain")
    refused(call, array(), array(), array(domain=TRANSFORM), match="one domain")


@pytest.mark.parametrize("verb", ["copy", "negate"])
def test_one_operand_must_have_the_result_s_ring_shape_and_domain(engine: Any, verb: str) -> None:
    call = getattr(on(engine), verb)
    for ring in OTHERS.values():
        refused(call, array(), array(ring))
    refused(call, array(), array(RING, 3, 2))
    refused(call, array(), array(domain=TRANSFORM))


def test_multiply_scalars(engine: Any) -> None:
    refused(on(engine).multiply_scalars, array(), array(), [1], match="1 factors for 2 limbs")
    refused(on(engine).multiply_scalars, array(), array(), [1, 2, 3], match="3 factors for 2 limbs")
    refused(on(engine).multiply_scalars, array(), array(), [96, 193], match="factor 193 is not below its modulus 193")
    refused(on(engine).multiply_scalars, array(), array(OTHERS["another degree"]), [1, 1])


def test_automorphism(engine: Any) -> None:
    for element in (0, 2, 32, 33, 1 << 40):
        refused(on(engine).automorphism, array(), array(), element, match=f"{element} must be odd and below 2n = 32")
    same = array()
    refused(on(engine).automorphism, same, same, 3, match="must not be the operand")
    refused(on(engine).automorphism, array(), array(domain=TRANSFORM), 3, match="one domain")


def test_convert(engine: Any) -> None:
    target = ring_of(32, 16, [257, 12289])
    step = testing.BaseConversion(RING.basis, target.basis, testing.Lift.fast)
    for ring in OTHERS.values():
        refused(on(engine).convert, array(target), array(ring), step)
    refused(on(engine).convert, array(), array(), step)
    refused(on(engine).convert, array(target), array(domain=TRANSFORM), step, match="coefficient domain")
    refused(on(engine).convert, array(target, domain=TRANSFORM), array(), step, match="coefficient domain")
    refused(on(engine).convert, array(target), array(RING, 3, 2), step)
    same, swap = array(), testing.BaseConversion(RING.basis, RING.basis, testing.Lift.fast)
    refused(on(engine).convert, same, same, swap, match="must not be the operand")


def test_tensor_product(engine: Any) -> None:
    two, three = (array(RING, 2, parts, TRANSFORM) for parts in (2, 3))
    other = array(domain=TRANSFORM)
    misfit(on(engine).tensor_product, two, other, other, match="parts of 2 and 2 multiply to 3, not 2")
    four = array(RING, 2, 4, TRANSFORM)
    misfit(on(engine).tensor_product, four, other, other, match="parts of 2 and 2 multiply to 3, not 4")
    misfit(on(engine).tensor_product, three, array(), other, match="must be in one domain")
    misfit(on(engine).tensor_product, three, other, array(), match="must be in one domain")
    misfit(on(engine).tensor_product, three, array(), array(), match="another domain")
    misfit(on(engine).tensor_product, array(RING, 2, 3), other, other, match="ends in another domain")
    misfit(on(engine).tensor_product, three, other, array(RING, 3, 2, TRANSFORM), match="does not fit")
    one = array(RING, 2, 1, TRANSFORM)
    misfit(on(engine).tensor_product, three, three, one, match="tensor_product: the result must not overlap operand 1")
    for ring in OTHERS.values():
        misfit(on(engine).tensor_product, three, other, array(ring, domain=TRANSFORM), match=OTHER_RINGS)


def test_linear_combination(engine: Any) -> None:
    a = array(RING, 3, 2)
    refused(on(engine).linear_combination, array(), a, [1] * 5, match="2 rows and 3 columns has 6 entries, not 5")
    refused(on(engine).linear_combination, array(RING, 2, 1), a, [1] * 6)
    refused(on(engine).linear_combination, array(domain=TRANSFORM), a, [1] * 6)
    refused(on(engine).linear_combination, a, a, [1] * 9, match="must not be the operand")
    for ring in OTHERS.values():
        refused(on(engine).linear_combination, array(), array(ring, 3, 2), [1] * 6)


def test_sums_of_items(engine: Any) -> None:
    a, wide = array(RING, 3, 2), array(RING, 3, 3)
    verb = on(engine).sum_items
    for numbers, group in [([], 1), ([0, 1], 0), ([0, 1, 2], 2), ([0, 1, 2], 1), ([0, 1, 2, 0], 1)]:
        refused(verb, array(), a, a, numbers, group, match="items in groups of")
    refused(verb, array(), wide, a, [0, 4], 1, match="of 1 to 2 parts")
    refused(verb, array(domain=TRANSFORM), a, a, [0, 1], 1, match="one domain")
    refused(verb, a, a, a, [0, 1, 2], 1, match="must not be an item")
    for ring in OTHERS.values():
        refused(verb, array(), a, array(ring, 3, 2), [0, 4], 1)


def test_sums_of_products(engine: Any) -> None:
    a, out = array(RING, 3, 2, TRANSFORM), array(RING, 2, 3, TRANSFORM)
    verb = on(engine).sum_products
    refused(verb, out, a, a, [0, 1], [0], 1, match="items in groups of")
    refused(verb, out, a, a, [0, 1, 2], [0, 1, 2], 2, match="items in groups of")
    refused(verb, a, a, a, [0, 1], [0, 1], 1, match="must have 3 parts")
    refused(verb, out, array(RING, 3, 3, TRANSFORM), a, [0, 1], [3, 4], 1, match="of 2 to 2 parts")
    refused(verb, array(RING, 2, 3), array(RING, 3, 2), a, [0, 1], [0, 1], 1, match="must be transformed")
    refused(verb, out, array(RING, 3, 2), a, [0, 1], [3, 4], 1, match="one domain")
    for ring in OTHERS.values():
        refused(verb, out, a, array(ring, 3, 2, TRANSFORM), [0, 4], [0, 1], 1)


def test_key_switch_product(engine: Any) -> None:
    out, digits, key = (array(RING, batch, parts, TRANSFORM) for batch, parts in [(4, 2), (4, 3), (3, 2)])
    on(engine).key_switch_product(out.view(), digits.view(), key.view())
    for batch, parts in [(4, 2), (3, 3), (4, 4)]:
        misfit(on(engine).key_switch_product, out, array(RING, batch, parts, TRANSFORM), key, match="not fit")
    misfit(on(engine).key_switch_product, array(RING, 4, 3, TRANSFORM), digits, key, match="does not fit")
    misfit(on(engine).key_switch_product, out, array(RING, 4, 3), key, match="must be in one domain")
    misfit(on(engine).key_switch_product, out, digits, array(RING, 3, 2), match="must be in one domain")
    both = array(RING, 3, 3, TRANSFORM), array(RING, 3, 2)
    misfit(on(engine).key_switch_product, array(RING, 3, 2, TRANSFORM), *both, match="must be in one domain")
    misfit(on(engine).key_switch_product, key, array(RING, 3, 3, TRANSFORM), key, match="must not overlap operand 2")
    for ring in OTHERS.values():
        misfit(on(engine).key_switch_product, out, digits, array(ring, 3, 2, TRANSFORM), match=OTHER_RINGS)


def test_divide_and_round(engine: Any) -> None:
    special = ring_of(32, 16, [12289])
    step = testing.DivideAndRound(RING, special)
    for ring in OTHERS.values():
        misfit(on(engine).divide_and_round, array(ring), array(), array(special), step, match=OTHER_RINGS)
        misfit(on(engine).divide_and_round, array(), array(ring), array(special), step, match=OTHER_RINGS)
    misfit(on(engine).divide_and_round, array(), array(), array(ring_of(32, 16, [257])), step, match=OTHER_RINGS)
    misfit(on(engine).divide_and_round, array(), array(), array(ring_of(32, 8, [12289])), step, match=OTHER_RINGS)
    misfit(on(engine).divide_and_round, array(), array(), array(special, 3, 2), step, match="does not fit")
    misfit(on(engine).divide_and_round, array(), array(), array(special, 2, 3), step, match="does not fit")
    misfit(on(engine).divide_and_round, array(), array(RING, 3, 2), array(special, 3, 2), step, match="does not fit")
    domains = array(domain=TRANSFORM), array()
    misfit(on(engine).divide_and_round, *domains, array(special), step, match="another domain")
    misfit(on(engine).divide_and_round, *reversed(domains), array(special), step, match="another domain")
    misfit(on(engine).divide_and_round, array(), array(), array(special, domain=TRANSFORM), step, match="coefficient")


def test_behz_steps(engine: Any) -> None:
    auxiliary, plain = ring_of(32, 16, [12289, 7681, 40961]), ring_of(32, 16, [257])
    scale = testing.BehzScale(RING, auxiliary, 257)
    cases = [
        (on(engine).behz_lift, auxiliary, RING, testing.BehzLift(RING, auxiliary, 1 << 16)),
        (on(engine).behz_scale, RING, scale.joined, scale),
        (on(engine).scale_to_plain, plain, RING, testing.PlainScale(RING, plain, 12289)),
    ]
    for composite, out, source, step in cases:
        composite(array(out).view(), array(source).view(), step)
        for ring in [*OTHERS.values(), auxiliary if source is not auxiliary else RING]:
            if not ring.basis.equals(source.basis) or ring.degree != 16:
                misfit(composite, array(out), array(ring), step, match=OTHER_RINGS)
            if not ring.basis.equals(out.basis) or ring.degree != 16:
                misfit(composite, array(ring), array(source), step, match=OTHER_RINGS)
        misfit(composite, array(out), array(source, 3, 2), step, match="not fit|holds no number for each item")
        misfit(composite, array(out), array(source, 2, 3), step, match="not fit")
        misfit(composite, array(out, domain=TRANSFORM), array(source), step, match="ends in another domain")
        misfit(composite, array(out), array(source, domain=TRANSFORM), step, match="must be in coefficients")


def test_a_refused_verb_leaves_the_result_as_it_was(rng: np.random.Generator) -> None:
    engine, before = ENGINE, random_residues(rng, RING, 2, 2)
    out = put(engine, RING, before)
    refused(on(engine).add, out, array(), array(OTHERS["another modulus"]))
    assert np.array_equal(out.to_host(), before)


def test_arrays_of_residues(rng: np.random.Generator) -> None:
    engine = ENGINE
    for batch, parts in [(0, 1), (1, 0)]:
        with pytest.raises(ArgumentError, match="at least one batch item and one part"):
            testing.PolyArray(engine, RING, batch, parts)
    for batch, parts in [(1 << 62, 1), (1, 1 << 60), (1 << 32, 1 << 32), ((1 << 64) - 1, (1 << 64) - 1), (1 << 57, 4)]:
        with pytest.raises((ArgumentError, EngineError), match="smaller batch"):
            testing.PolyArray(engine, RING, batch, parts)
    with pytest.raises(EngineError, match="memory"):
        testing.PolyArray(engine, RING, 1 << 50, 1)
    values = random_residues(rng, RING, 2, 2)
    out = array()
    with pytest.raises(ArgumentError, match="64 residues were given for an array of 128"):
        out.from_host(values[0])
    out.from_host(values)
    values[1, 0, 1, 3] = 193
    with pytest.raises(RangeError, match="residue 193 at position 83 is not below its modulus 193"):
        out.from_host(values)
    values[1, 0, 1, 3] = (1 << 32) + 5  # would look small in a 32-bit word
    with pytest.raises(RangeError, match="4294967301"):
        out.from_host(values)


def test_secret_memory_is_zeroised_when_it_is_freed() -> None:
    """The pool hands the same block out again, to the next of its kind: of a secret nothing is left in it."""
    ring, engine = ring_of(64, 4096, [(1 << 61) - 1]), _core.CpuEngine(1)
    for secret in (False, True):
        held = testing.PolyArray(engine, ring, 1, 1, COEFFICIENT, secret)
        held.from_host(np.full((1, 1, 1, 4096), 0x1234567, dtype=np.uint64))
        del held
        again = testing.PolyArray(engine, ring, 1, 1, COEFFICIENT, secret)
        assert again.to_host().any() == (not secret)
        del again


def test_tiles_of_a_batch_fit_the_working_set(engine: Any) -> None:
    most = on(engine).working_set() >> 10
    assert on(engine).batch_tile(10, 1) == 10
    assert on(engine).batch_tile(10, 1 << 60) == 1
    assert on(engine).batch_tile(0, 0) == 1
    for batch in (most, most + 1, 3 * most - 1):  # tiles of one size, and no small one at the end
        tile = on(engine).batch_tile(batch, 1 << 10)
        tiles = -(-batch // most)
        assert tile == -(-batch // tiles) <= most
