# SPDX-License-Identifier: Apache-2.0
"""Keys: what is made, what each may do, and that a secret one goes nowhere unasked."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, CyclotomeError, EngineError, ParameterError, SecrecyError, SecurityError
from small import DEGREE, HOME, NARROW, keys, parameters


def test_keygen_makes_the_keys_of_sums_by_default() -> None:
    secret, public, evaluation = made = keys()
    assert made.secret is secret
    assert evaluation.relinearization and evaluation.columns
    assert evaluation.rotations == (1, 2, 4) == tuple(cy.sum_rotations(parameters()))
    assert public.evaluation is evaluation
    assert secret.key_id == public.key_id == evaluation.key_id
    assert len(secret.key_id) == 32
    assert {key.parameters for key in made} == {parameters()}
    assert {key.device for key in made} == {HOME}


@pytest.mark.parametrize(
    ("options", "rotations", "columns", "relinearization"),
    [
        ({"rotations": []}, (), False, True),
        ({"rotations": [], "relinearization": False}, (), False, False),
        ({"rotations": [3, -1, 3]}, (-1, 3), False, True),
        ({"rotations": [1 + DEGREE // 2]}, (1,), False, True),
        ({"rotations": [], "columns": True}, (), True, True),
        ({"columns": False}, (1, 2, 4), False, True),
        ({"rotations": np.array([2])}, (2,), False, True),
    ],
)
def test_keygen_makes_what_is_asked_for(
    options: dict[str, Any], rotations: tuple[int, ...], columns: bool, relinearization: bool
) -> None:
    evaluation = cy.keygen(parameters(), device="cpu:1", **options).evaluation
    assert evaluation.rotations == rotations
    assert (evaluation.columns, evaluation.relinearization) == (columns, relinearization)


def test_parameters_without_slots_get_no_rotations() -> None:
    assert keys((1024,)).evaluation.rotations == ()


@pytest.mark.parametrize("step", [0, DEGREE // 2, 1.5, "1", True])
def test_rotations_that_are_none(step: Any) -> None:
    with pytest.raises(ArgumentError, match="steps are whole numbers"):
        cy.keygen(parameters(), rotations=[step])


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"rotations": [1 << 70]}, "far out of range"),
        ({"galois_elements": [-3]}, r"element -3 must be odd and below 2n"),
        ({"galois_elements": [1 << 64]}, "far out of range"),
        ({"matrices": [(0, 3)]}, r"\(0, 3\) has no values"),
        ({"matrices": [(3, -1)]}, r"\(3, -1\) has no values"),
        ({"matrices": [3]}, r"shapes \(rows, columns\)"),
        ({"matrices": [(3, 2.5)]}, "is a whole number"),
    ],
)
def test_keys_that_cannot_be(options: dict[str, Any], what: str) -> None:
    with pytest.raises(ArgumentError, match=what):
        cy.keygen(parameters(), **options)


def test_every_key_generation_is_fresh() -> None:
    ids = {cy.keygen(parameters(), rotations=[], device="cpu:1").secret.key_id for _ in range(8)}
    assert len(ids) == 8


def test_joined_keys_hold_both() -> None:
    secret, _, evaluation = cy.keygen(parameters(), rotations=[3], device="cpu:1")
    more = cy.EvaluationKeys(
        parameters(), evaluation.context, cy._core.EvaluationKeys.generate(secret.native, False, [2 * DEGREE - 1])
    )
    both = evaluation.joined(more)
    assert (both.rotations, both.columns, both.relinearization) == ((3,), True, True)
    assert more.joined(evaluation).rotations == (3,)
    assert evaluation.joined(evaluation) is evaluation
    assert both.joined(more) is both


class TestSecretKey:
    secret = keys().secret

    @pytest.mark.parametrize(
        "leak",
        [
            pickle.dumps,
            lambda key: pickle.dumps(key, protocol=0),
            lambda key: pickle.dumps({"keys": [key]}),
            copy.copy,
            copy.deepcopy,
            cy.to_bytes,
        ],
    )
    def test_is_not_copied_or_pickled(self, leak: Callable[[Any], Any]) -> None:
        with pytest.raises(SecrecyError, match=r"cyclotome\.save"):
            leak(self.secret)

    def test_shows_nothing(self) -> None:
        assert repr(self.secret) == f"SecretKey(id {self.secret.key_id[:8]}, {parameters().summary()})"
        public = {name for name in dir(self.secret) if not name.startswith("_")}
        assert public == {
            "parameters",
            "for_parameters",
            "device",
            "key_id",
            "to",
            "native",
            "context",
            "reveals",
            "plan_reveals",
            "keep_reveals",
        }
        native = {name for name in dir(self.secret.native) if not name.startswith("_")}
        counted = {"reveals", "reveals_kept_in", "plan_reveals", "keep_reveals", "keep_reveals_beside"}
        assert native == {"generate", "context", "id", "to", "on_context", *counted}


def test_public_objects_survive_pickling() -> None:
    made = keys()
    x = cy.encrypt([[1, 2, 3]], made.public, bound=50)
    copies = pickle.loads(pickle.dumps([made.public, made.evaluation, x, made.public.parameters]))
    public, evaluation, y, params = copies
    assert params == parameters() and public.key_id == made.public.key_id
    assert evaluation.rotations == made.evaluation.rotations
    assert (y.shape, y.bound, y.layout, y.key_id) == (x.shape, 50, "packed", x.key_id)
    product = y.with_keys(evaluation, public) * y
    assert cy.decrypt(product, made.secret).tolist() == [[1, 4, 9]]
    z = cy.encrypt([4], public, bound=5)
    assert cy.decrypt(z, made.secret).tolist() == [4]
    assert copy.deepcopy(x).shape == x.shape


class TestDevices:
    def test_names(self) -> None:
        assert cy.keygen(parameters(), rotations=[]).secret.device == "cpu"
        assert cy.keygen(parameters(), rotations=[], device="auto").secret.device in ("cpu", "cuda:0")

    @pytest.mark.parametrize("device", ["cuda:999", "gpu"])
    def test_gpus_are_named_as_missing(self, device: str) -> None:
        with pytest.raises(EngineError, match="cyclotome doctor"):
            cy.keygen(parameters(), device=device)

    @pytest.mark.parametrize("device", ["tpu", "cpu:", "cpu:0", "cpu:-1", "cuda:", "cuda:-1", "cuda:00", "", None, 1])
    def test_unknown_devices(self, device: Any) -> None:
        with pytest.raises(EngineError, match="is unknown"):
            cy.keygen(parameters(), device=device)

    def test_more_threads_than_an_engine_takes(self) -> None:
        with pytest.raises(CyclotomeError, match="1024"):
            cy.keygen(parameters(), device="cpu:9999")

    def test_a_key_lies_on_each_device_once(self) -> None:
        made = cy.keygen(parameters(), device="cpu:1")
        public = made.public.to("cpu:2")
        assert public is made.public.to("cpu:2") and public.to("cpu:1") is made.public
        assert made.public.to("cpu:1") is made.public
        assert public.evaluation is made.evaluation.to("cpu:2")
        x, y = (cy.encrypt([i], made.public).to("cpu:2") for i in (3, 4))
        assert x.keyring.evaluation is y.keyring.evaluation is public.evaluation

    def test_secret_keys_move(self) -> None:
        made = cy.keygen(parameters(), rotations=[], device="cpu:1")
        secret = made.secret.to("cpu:2")
        assert secret.device == "cpu:2" and secret.key_id == made.secret.key_id
        assert cy.decrypt(cy.encrypt([1, -2], made.public, bound=9), secret).tolist() == [1, -2]
        assert cy.decrypt(cy.encrypt([3, -4], secret, bound=9), made.secret).tolist() == [3, -4]

    def test_arrays_move_with_their_keys(self) -> None:
        made = keys()
        x = cy.encrypt([1, 2, 3], made.public, bound=9)
        y = x.to("cpu:2")
        assert (x.device, y.device) == (HOME, "cpu:2") and x.to(HOME) is x
        assert cy.decrypt((y * y).sum(), made.secret) == 14
        with pytest.raises(cy.errors.MismatchError, match=r"\.to\(device\)"):
            x + y
        assert cy.decrypt(x + y.to(HOME), made.secret).tolist() == [2, 4, 6]
        assert made.public.to("cpu:2").evaluation.device == "cpu:2"  # type: ignore[union-attr]


class TestParameters:
    def test_equal_by_fingerprint(self) -> None:
        again = cy.Parameters.preset("seal-8192", value_bits=5)
        assert again == cy.Parameters.preset("seal-8192") and hash(again) == hash(cy.Parameters.preset("seal-8192"))
        assert again != cy.Parameters.preset("seal-4096") and again != "seal-8192"

    def test_explain_themselves(self) -> None:
        params = cy.Parameters.suggest(depth=1, value_bits=10)
        assert f"n={params.degree}" in repr(params) and "values of 10 bits" in repr(params)
        assert "INSECURE" not in repr(params) + params.explain()
        assert params.default_bound == 1023 and params.security_reached >= 128
        assert params._repr_html_().startswith("<pre>")

    def test_insecure_ones_say_so_everywhere(self) -> None:
        params = parameters()
        x = cy.encrypt([1], keys().public, bound=1)
        for text in (
            repr(params),
            str(params),
            params.explain(),
            params._repr_html_(),
            repr(x),
            x._repr_html_(),
            *map(repr, keys()),
        ):
            assert "INSECURE" in text

    def test_presets(self) -> None:
        assert "seal-8192" in cy.Parameters.presets()
        with pytest.raises(ParameterError, match="seal-8192"):
            cy.Parameters.preset("none")
        with pytest.raises(SecurityError):
            cy.Parameters.preset("000-4096-180")
        assert cy.Parameters.preset("000-4096-180", allow_insecure=True).insecure

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"degree": 17}, "power of two"),
            ({"degree": "big"}, "degree is a whole number"),
            ({"degree": 4096.0}, "degree is a whole number"),
            ({"plain_moduli": [-3]}, r"plain_moduli\[0\] = -3"),
            ({"plain_moduli": 7}, "sequence"),
            ({"moduli": []}, "at least one"),
            ({"table": "mine"}, "mine"),
            ({"scheme": "tfhe"}, "'bfv', 'bgv' and 'ckks'"),
            ({"scheme": "ckks"}, "suggest"),
            ({"value_bits": 0}, "value_bits = 0"),
            ({"word": 16}, "32 or 64"),
        ],
    )
    def test_contradictions_are_named(self, change: dict[str, Any], message: str) -> None:
        literal: dict[str, Any] = {
            "degree": DEGREE,
            "plain_moduli": NARROW,
            "moduli": parameters().moduli,
            "special_moduli": parameters().special_moduli,
            "security": 0,
            "allow_insecure": True,
        }
        assert cy.Parameters(**literal) == parameters()
        with pytest.raises(ParameterError, match=message):
            cy.Parameters(**{**literal, **change})

    def test_security_is_switched_off_by_name_only(self) -> None:
        strong = cy.Parameters.preset("seal-4096")
        literal: dict[str, Any] = {"degree": 4096, "plain_moduli": strong.plain_moduli, "moduli": strong.moduli}
        with pytest.raises(SecurityError, match="allow_insecure=True"):
            cy.Parameters(**literal, security=0)
        assert not cy.Parameters(**literal, security=0, allow_insecure=True).insecure  # 72 bits at 4096 are secure
        with pytest.raises(SecurityError, match="at most"):
            cy.Parameters(**literal, special_moduli=cy.bfv.find_primes(4096, [50, 51], avoid=strong.moduli))

    def test_suggestions_that_can_not_be(self) -> None:
        with pytest.raises(ParameterError, match="depth = 99"):
            cy.Parameters.suggest(depth=99)
        with pytest.raises(ParameterError, match="lower depth"):
            cy.Parameters.suggest(depth=60, value_bits=500, result_bits=1000)
