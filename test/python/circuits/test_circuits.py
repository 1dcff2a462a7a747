# SPDX-License-Identifier: Apache-2.0
"""Circuits from Python: numbers encrypted bit by bit, sorted, compared and enciphered, against NumPy and PRINCE's
published vectors. What circuits compute and what noise they have is tested in C++ (test/cpp/test_circuit_*.cpp)."""

from __future__ import annotations

import json
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import with_metadata
from cyclotome.circuit import Circuit

PRINCE = [
    (0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x818665AA0D02DFDA),
    (0xFFFFFFFFFFFFFFFF, 0x0000000000000000, 0x0000000000000000, 0x604AE6CA03C20ADA),
    (0x0000000000000000, 0xFFFFFFFFFFFFFFFF, 0x0000000000000000, 0x9FB51935FC3DF524),
    (0x0000000000000000, 0x0000000000000000, 0xFFFFFFFFFFFFFFFF, 0x78A54CBE737BB7EF),
    (0x0123456789ABCDEF, 0x0000000000000000, 0xFEDCBA9876543210, 0xAE25AD3CA8FA9CCF),
]


@cache
def small_keys(depth: int = 9) -> cy.Keys:
    """Keys modulo 2 in a small ring that hides nothing, for about ``depth`` products one after the other."""
    primes = cy.bgv.find_primes(1024, [29] * (depth + 2))
    return cy.keygen(
        cy.Parameters(
            scheme="bgv",
            degree=1024,
            plain_moduli=[2],
            moduli=primes[1:],
            special_moduli=primes[:1],
            word=32,
            security=0,
            allow_insecure=True,
        ),
        rotations=[],
    )


@cache
def slot_keys(scheme: str) -> cy.Keys:
    """The same modulo 65537, with slots."""
    primes = cy.bgv.find_primes(1024, [55] * 10)
    return cy.keygen(
        cy.Parameters(
            scheme=scheme,
            degree=1024,
            plain_moduli=[65537],
            moduli=primes[1:],
            special_moduli=primes[:1],
            word=64,
            security=0,
            allow_insecure=True,
        ),
        rotations=[],
    )


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("signed", [False, True])
def test_lists_are_sorted_as_numpy_does(count: int, signed: bool, rng: np.random.Generator) -> None:
    keys = small_keys()
    low, high = (-4, 4) if signed else (0, 8)
    values = rng.integers(low, high, size=(2, count))
    x = cy.circuit.encrypt_lists(values, keys.public, bits=3, signed=signed)
    found = cy.circuit.sort(x)
    assert np.array_equal(cy.circuit.decrypt(found, keys.secret), np.sort(values, kind="stable"))
    assert found.shape == values.shape and found.noise_headroom > 0


def test_equal_numbers_keep_their_order_and_take_things_along() -> None:
    keys = small_keys()
    values = np.array([2, 1, 2, 0, 1])
    x = cy.circuit.encrypt_lists(values, keys.public, bits=2)
    places = cy.circuit.encrypt_lists(np.arange(5), keys.public, bits=3)
    for descending in (False, True):
        order = np.argsort(-values if descending else values, kind="stable")
        ordered, moved = cy.circuit.sort(x, carry=places, descending=descending)
        assert np.array_equal(cy.circuit.decrypt(ordered, keys.secret), values[order])
        assert np.array_equal(cy.circuit.decrypt(moved, keys.secret), order)


@pytest.mark.parametrize("values", [[3, 3, 3, 3], [0, 1, 2, 3], [3, 2, 1, 0]])
def test_the_same_the_sorted_and_the_reversed(values: list[int]) -> None:
    keys = small_keys()
    x = cy.circuit.encrypt_lists(values, keys.public, bits=2)
    assert cy.circuit.decrypt(cy.circuit.sort(x), keys.secret).tolist() == sorted(values)


def test_sixty_four_numbers_without_encryption(rng: np.random.Generator) -> None:
    values = rng.integers(0, 50, size=64)
    bits = ((values[:, None] >> np.arange(8)) & 1).reshape(-1).tolist()
    outputs = Circuit.sort(count=64, bits=8).native.compute_plain([bits], 1)[0]
    found = (np.array(outputs).reshape(64, 8) << np.arange(8)).sum(axis=1)
    assert np.array_equal(found, np.sort(values, kind="stable"))


def test_the_largest_ones_and_the_place_of_the_first(rng: np.random.Generator) -> None:
    keys = small_keys()
    values = rng.integers(-4, 4, size=(2, 5))
    x = cy.circuit.encrypt_lists(values, keys.public, bits=3, signed=True)
    top = cy.circuit.decrypt(cy.circuit.top_k(x, 2), keys.secret)
    assert np.array_equal(top, -np.sort(-values, kind="stable")[:, :2])
    place = cy.circuit.argmax(x)
    assert place.shape == (2,)
    assert np.array_equal(cy.circuit.decrypt(place, keys.secret), values.argmax(axis=-1))


def test_numbers_are_compared_one_by_one(rng: np.random.Generator) -> None:
    keys = small_keys()
    x, y = rng.integers(-8, 8, size=(2, 3, 2))
    y[0] = x[0]
    a, b = (cy.circuit.encrypt(v, keys.public, bits=4, signed=True) for v in (x, y))
    assert np.array_equal(cy.circuit.decrypt(cy.circuit.less(a, b), keys.secret), x < y)
    assert np.array_equal(cy.circuit.decrypt(cy.circuit.equal(a, b), keys.secret), x == y)


@pytest.mark.slow
def test_every_slot_of_phi_m_has_a_block_of_its_own(rng: np.random.Generator) -> None:
    parameters = Circuit.prince().parameters(cyclotomic=255, security=0)
    assert parameters.slots == 16
    keys = cy.keygen(parameters, rotations=[])
    blocks = [PRINCE[4][3], *(int(v) for v in rng.integers(2**63, size=18))]  # more than one ciphertext's slots
    key = cy.circuit.prince_key(PRINCE[4][1], PRINCE[4][2], keys.public)
    opened = cy.circuit.prince(blocks, key, decrypt=True)
    assert opened.digits.ciphertexts == 2 * 64
    values = cy.circuit.decrypt(opened, keys.secret).tolist()
    assert values[0] == PRINCE[4][0]
    # The others by the circuit itself, without encryption.
    bits = [
        [value >> (63 - i) & 1 for i in range(64) for value in some] for some in (blocks, [0] * 19, [PRINCE[4][2]] * 19)
    ]
    (plain,) = Circuit.prince(decrypt=True).native.compute_plain(bits, 19)
    assert values == [sum(plain[i * 19 + lane] << (63 - i) for i in range(64)) for lane in range(19)]


def test_both_directions_of_prince_take_the_same_parameters() -> None:
    """From whichever one asks; of two circuits it is the more demanding that decides."""
    for ring in ({"cyclotomic": 255}, {"degree": 1024}):
        one, other = (Circuit.prince(decrypt=way).parameters(security=0, **ring) for way in (False, True))
        assert one == other and all(Circuit.prince(decrypt=way).plan(one).carried for way in (False, True))
    small, large = Circuit.less(bits=2), Circuit.sort(count=4, bits=4)
    both = small.parameters(security=0, also=[large])
    assert both == large.parameters(security=0, also=[small]) == large.parameters(security=0)
    assert not large.plan(small.parameters(security=0)).carried
    with pytest.raises(cy.errors.MismatchError, match="modulo 65537"):
        small.parameters(security=0, also=[Circuit.less(bits=2, modulus=65537)])


@pytest.mark.slow
def test_a_server_decrypts_blocks_and_encrypts_them_again_under_one_key(tmp_path: Path) -> None:
    """The client makes keys and one encrypted key of PRINCE; the server has files only, none of them secret."""
    client = cy.keygen(Circuit.prince().parameters(cyclotomic=255, security=0), rotations=[])
    k0, k1 = PRINCE[4][1], PRINCE[4][2]
    cy.save(tmp_path / "key", cy.circuit.prince_key(k0, k1, client.public))
    for name, key in (("public", client.public), ("evaluation", client.evaluation)):
        cy.save(tmp_path / name, key)

    def load(name: str) -> Any:
        return cy.load(tmp_path / name, allow_insecure=True)

    plain = [*(PRINCE[4][:1]), *range(20, 38)]  # more blocks than slots
    blocks = [_enciphered(block, k0, k1) for block in plain]
    assert blocks[0] == PRINCE[4][3]
    key = load("key").with_keys(load("public"), load("evaluation"))
    opened = cy.circuit.prince(blocks, key, decrypt=True)
    cy.save(tmp_path / "opened", opened)
    assert cy.circuit.decrypt(load("opened"), client.secret).tolist() == plain
    again = cy.circuit.prince(plain, key)
    assert cy.circuit.decrypt(again, client.secret).tolist() == blocks


def _enciphered(block: int, k0: int, k1: int) -> int:
    bits = [[value >> (63 - i) & 1 for i in range(64)] for value in (block, k0, k1)]
    (plain,) = Circuit.prince().native.compute_plain(bits, 1)
    return sum(bit << (63 - i) for i, bit in enumerate(plain))


def test_numbers_are_stored_with_what_they_are(tmp_path: Path, rng: np.random.Generator) -> None:
    keys = small_keys()
    lists, single = rng.integers(-4, 4, (3, 5)), rng.integers(0, 8, (2, 2))
    x = cy.circuit.encrypt_lists(lists, keys.public, bits=3, signed=True)
    for numbers, values in (
        (x, lists),
        (cy.circuit.encrypt(single, keys.public, bits=3), single),
        (cy.circuit.top_k(x, 2), -np.sort(-lists)[:, :2]),
        (cy.circuit.argmax(x), lists.argmax(axis=-1)),
    ):
        cy.save(tmp_path / "numbers", numbers, overwrite=True, note={"unit": "m"})
        for again in (
            cy.load(tmp_path / "numbers", keys=keys.evaluation), cy.from_bytes(cy.to_bytes(numbers), True),
            pickle.loads(pickle.dumps(numbers)),
        ):  # fmt: skip
            assert isinstance(again, cy.circuit.EncryptedNumbers)
            facts = [(each.shape, each.bits, each.signed, each.lists) for each in (numbers, again)]
            assert facts[0] == facts[1]
            assert np.array_equal(cy.circuit.decrypt(again, keys.secret), values)
        assert cy.inspect(tmp_path / "numbers").note == {"unit": "m"}
    stored = cy.load(tmp_path / "numbers", keys=keys.evaluation)
    assert stored.digits.keyring.evaluation is not None
    loaded = cy.load(_written(tmp_path, x), keys=keys.evaluation)
    assert np.array_equal(cy.circuit.decrypt(cy.circuit.sort(loaded), keys.secret), np.sort(lists))


def _written(folder: Path, numbers: cy.circuit.EncryptedNumbers) -> Path:
    cy.save(folder / "lists", numbers, overwrite=True)
    return folder / "lists"


@pytest.mark.parametrize(
    "about",
    [
        0, [], {}, {"shape": [5]}, {"shape": [4]}, {"shape": [5], "lists": True}, {"shape": [1, 5], "lists": False},
        {"shape": [2, 5]}, {"shape": []}, {"shape": [5, 1]}, {"bits": 2}, {"bits": 0}, {"bits": 65}, {"bits": True},
        {"bits": "3"}, {"signed": 1}, {"lists": None}, {"shape": [-1, -5]}, {"shape": [0]}, {"shape": [1] * 40},
        {"shape": 5}, {"shape": [5.0]}, {"shape": [True, 5]}, {"shape": [1 << 70]},
    ],
)  # fmt: skip
def test_forged_descriptions_of_numbers_are_refused(about: Any) -> None:
    keys = small_keys()
    x = cy.circuit.encrypt_lists([1, 2, 3, 4, 5], keys.public, bits=3)
    data = cy.to_bytes(x)
    facts = {"shape": [5], "bits": 3, "signed": False, "lists": True}
    assert cy.from_bytes(with_metadata(data, json.dumps({"numbers": facts}).encode()), True).shape == (5,)
    if isinstance(about, dict) and about in ({"shape": [5]}, {"shape": [5], "lists": True}):
        about = {**about, "bits": 4}
    forged = {**facts, **about} if isinstance(about, dict) and about else about
    with pytest.raises(cy.errors.FormatError):
        cy.from_bytes(with_metadata(data, json.dumps({"numbers": forged}).encode()), True)


def test_slots_of_phi_m_sort_compare_and_select(rng: np.random.Generator) -> None:
    keys = cy.keygen(Circuit.sort(count=3, bits=3, carried=2).parameters(cyclotomic=255, security=0), rotations=[])
    values = rng.integers(-4, 4, size=(20, 3))
    x = cy.circuit.encrypt_lists(values, keys.public, bits=3, signed=True)
    places = cy.circuit.encrypt_lists(np.tile(np.arange(3), (20, 1)), keys.public, bits=2)
    ordered, order = cy.circuit.sort(x, carry=places)
    assert np.array_equal(cy.circuit.decrypt(ordered, keys.secret), np.sort(values, axis=-1))
    assert np.array_equal(cy.circuit.decrypt(order, keys.secret), np.argsort(values, axis=-1, kind="stable"))
    assert np.array_equal(cy.circuit.decrypt(cy.circuit.argmax(x), keys.secret), values.argmax(axis=-1))
    a, b = (cy.circuit.encrypt(column, keys.public, bits=3, signed=True) for column in values.T[:2])
    assert np.array_equal(cy.circuit.decrypt(cy.circuit.less(a, b), keys.secret), values[:, 0] < values[:, 1])


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_slots_sort_lists_of_their_own(scheme: str, rng: np.random.Generator) -> None:
    keys = slot_keys(scheme)
    values = rng.integers(0, 8, size=(1500, 3))  # more lists than slots
    x = cy.circuit.encrypt_lists(values, keys.public, bits=3)
    assert x.digits.ciphertexts == 2 * 9
    found = cy.circuit.sort(x)
    assert np.array_equal(cy.circuit.decrypt(found, keys.secret), np.sort(values, axis=-1))
    assert np.array_equal(cy.circuit.decrypt(cy.circuit.argmax(x), keys.secret), values.argmax(axis=-1))
    with pytest.raises(cy.errors.ArgumentError, match="words of several bits"):
        cy.circuit.sort(found)


def test_unsigned_numbers_of_64_bits_come_back() -> None:
    keys = small_keys()
    values = [0, 2**64 - 1, 2**63, 12345678901234567890]
    x = cy.circuit.encrypt(values, keys.public, bits=64)
    assert cy.circuit.decrypt(x, keys.secret).tolist() == values
    low = cy.circuit.encrypt([-(2**63), 2**63 - 1, -1], keys.public, bits=64, signed=True)
    assert cy.circuit.decrypt(low, keys.secret).tolist() == [-(2**63), 2**63 - 1, -1]


@pytest.mark.parametrize(("plain", "k0", "k1", "cipher"), PRINCE)
def test_prince_without_encryption(plain: int, k0: int, k1: int, cipher: int) -> None:
    def bits(value: int) -> list[int]:
        return [value >> (63 - i) & 1 for i in range(64)]

    for circuit, given, wanted in ((Circuit.prince(), plain, cipher), (Circuit.prince(decrypt=True), cipher, plain)):
        (found,) = circuit.native.compute_plain([bits(given), bits(k0), bits(k1)], 1)
        assert found == bits(wanted)


@pytest.mark.slow
def test_a_server_decrypts_prince_under_an_encrypted_key() -> None:
    keys = cy.keygen(Circuit.prince(decrypt=True).parameters(security=0), rotations=[])
    plain, k0, k1, cipher = PRINCE[4]
    key = cy.circuit.prince_key(k0, k1, keys.public)
    steps: list[tuple[int, int, str]] = []
    result = cy.circuit.prince([cipher], key, decrypt=True, progress=lambda *step: steps.append(step))
    assert cy.circuit.decrypt(result, keys.secret).tolist() == [plain]
    assert steps[-1] == (1824 + 1152, 1824 + 1152, "layer 24 of 24")
    assert {what for _, _, what in steps} == {f"layer {layer} of 24" for layer in range(1, 25)}


def test_a_plan_says_what_will_be(rng: np.random.Generator) -> None:
    circuit = Circuit.prince()
    assert (circuit.depth, circuit.products, circuit.relinearizations) == (24, 1824, 1152)
    parameters = small_keys().public.parameters
    plan = circuit.plan(parameters)
    assert not plan.carried and len(plan.layers) == 25
    assert sum(layer.products for layer in plan.layers) == 1824
    assert "do not carry it" in str(plan)
    sort = Circuit.sort(count=3, bits=3)
    plan = sort.plan(parameters)
    assert plan.carried and plan.headroom > 0 and plan.peak_bytes > 0
    keys = small_keys()
    found = cy.circuit.sort(cy.circuit.encrypt_lists([1, 2, 0], keys.public, bits=3))
    assert found.level == plan.level and found.noise_headroom == pytest.approx(plan.headroom, abs=1e-6)
    # More lists at once take more memory, not more noise.
    assert sort.plan(parameters, lanes=4).peak_bytes > plan.peak_bytes


def test_parameters_are_found_that_carry_a_circuit() -> None:
    circuit = Circuit.less(bits=8)
    parameters = circuit.parameters()
    assert parameters.scheme == "bgv" and parameters.security_reached >= 128 and parameters.plain_moduli == (2,)
    assert circuit.plan(parameters).carried
    with pytest.raises(cy.errors.ParameterError, match="no degree of 1024 to 1024 carries"):
        Circuit.prince().parameters(degree=1024)


def test_what_parameters_do_not_carry_is_refused_before_work_starts() -> None:
    keys = small_keys()
    x = cy.circuit.encrypt_lists([3, 1, 2], keys.public, bits=8)
    low = cy.circuit.EncryptedNumbers(x.digits.switch_to_level(3), x.shape, x.bits, x.signed, x.lists)
    steps: list[object] = []
    with pytest.raises(cy.errors.NoiseError, match="7 products one after the other need 8 levels"):
        cy.circuit.sort(low, progress=lambda *step: steps.append(step))
    assert steps == []


def test_memory_that_is_not_there_is_refused_before_work_starts() -> None:
    keys = small_keys()
    x = cy.circuit.encrypt_lists([3, 1, 2], keys.public, bits=3)
    needed = Circuit.sort(count=3, bits=3).plan(keys.public.parameters).peak_bytes
    cy.set_memory_limit(needed // 2)
    try:
        with pytest.raises(cy.errors.MemoryLimitError, match="sorting 3 numbers"):
            cy.circuit.sort(x)
    finally:
        cy.set_memory_limit(None)


def test_numbers_that_do_not_fit_are_refused() -> None:
    public = small_keys().public
    for values, bits, signed, message in (
        ([8], 3, False, "8 is no number of 3 bits, which are 0 to 7"),
        ([-1], 3, False, "or signed=True"),
        ([4], 3, True, "-4 to 3"),
        ([2], 1, False, "2 is no number of 1 bits"),
    ):
        with pytest.raises(cy.errors.RangeError, match=message):
            cy.circuit.encrypt(values, public, bits=bits, signed=signed)
    with pytest.raises(cy.errors.ArgumentError, match="1 to 64 bits"):
        cy.circuit.encrypt([1], public, bits=65)
    with pytest.raises(cy.errors.ArgumentError, match="no values"):
        cy.circuit.encrypt([], public, bits=8)
    with pytest.raises(cy.errors.UnsupportedError):
        cy.circuit.encrypt([0.5], public, bits=8)


def test_results_are_the_same_bytes_on_every_number_of_threads(rng: np.random.Generator) -> None:
    keys = small_keys()
    x = cy.circuit.encrypt_lists(rng.integers(0, 4, size=(3, 4)), keys.public, bits=2)
    results = [cy.circuit.sort(x.to(device)) for device in ("cpu:1", "cpu:3")]
    assert len({cy.to_bytes(each.digits.to("cpu")) for each in results}) == 1


def test_wrong_uses_are_refused() -> None:
    keys = small_keys()
    x = cy.circuit.encrypt([1, 2], keys.public, bits=3)
    lists = cy.circuit.encrypt_lists([[1, 2]], keys.public, bits=3)
    with pytest.raises(cy.errors.ArgumentError, match="takes lists"):
        cy.circuit.sort(x)
    with pytest.raises(cy.errors.ArgumentError, match="number by number"):
        cy.circuit.less(lists, lists)
    with pytest.raises(cy.errors.ArgumentError, match="same shape"):
        cy.circuit.less(x, cy.circuit.encrypt([1, 2], keys.public, bits=4))
    with pytest.raises(cy.errors.ArgumentError, match=r"k 3 must lie in \[1, 2\]"):
        cy.circuit.top_k(lists, 3)
    with pytest.raises(cy.errors.ArgumentError, match="at most 64"):
        Circuit.sort(count=65, bits=8)
    with pytest.raises(cy.errors.ArgumentError, match="prince_key"):
        cy.circuit.prince([1], x)
    with pytest.raises(cy.errors.MissingKeyError):
        cy.circuit.sort(cy.circuit.encrypt_lists([1, 2], keys.secret, bits=3))
    with pytest.raises(cy.errors.MissingKeyError, match="attach the public key"):
        cy.circuit.prince([1], cy.circuit.prince_key(0, 0, keys.secret))
    other = cy.keygen(keys.public.parameters, rotations=[])
    with pytest.raises(cy.errors.MismatchError):
        cy.circuit.less(x, cy.circuit.encrypt([1, 2], other.public, bits=3))
    with pytest.raises(cy.errors.MismatchError, match="modulo 2"):
        Circuit.sort(count=3, bits=3).plan(slot_keys("bgv").public.parameters)
    with pytest.raises(cy.errors.ParameterError, match="one plaintext modulus"):
        Circuit.less(bits=8).plan(cy.Parameters.suggest(depth=2, value_bits=50))
