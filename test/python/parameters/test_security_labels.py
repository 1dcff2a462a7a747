# SPDX-License-Identifier: Apache-2.0
"""The security table in Python and on the command line: named where it is shown, and never chosen by a file."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
from cyclotome.errors import MismatchError, ParameterError, SecurityError
from oracles.security_tables import QUANTUM

SEAL = cy.Parameters.preset("seal-4096", value_bits=8)
QUANTUM_SET = cy.Parameters.suggest(depth=0, value_bits=8, table="quantum-guidelines-2024")
KEYS = cy.keygen(SEAL, rotations=[])
STANDARD = "classical security by he-standard-2018"


def stored() -> dict[str, Any]:
    x = cy.encrypt([1, 2, 3], KEYS.public)
    return {"params": SEAL, "public": KEYS.public, "evaluation": KEYS.evaluation, "array": x}


def shown(x: Any) -> str:
    html = getattr(x, "_repr_html_", None)
    return repr(x) + (html() if html is not None else "")


class TestShown:
    def test_another_table_is_named_everywhere(self, tmp_path: Path) -> None:
        for name, obj in {**stored(), "secret": KEYS.secret}.items():
            for text in (repr(obj), getattr(obj, "_repr_html_", lambda obj=obj: repr(obj))()):
                assert f"128-bit {STANDARD}" in text, name
            cy.save(tmp_path / name, obj)
            found = cy.inspect(tmp_path / name)
            assert f"128-bit {STANDARD}" in str(found)
            assert "by guidelines-2024, the default table: below 128 bits of classical security; load it with" in str(
                found
            )
            facts = json.loads(json.dumps(found.asdict()))["parameters"]
            assert (facts["security_table"], facts["attacks"], facts["security"]) == (
                "he-standard-2018",
                "classical",
                128,
            )

    def test_the_default_table_is_not(self) -> None:
        params = cy.Parameters.suggest(depth=0, value_bits=8)
        assert f"{params.security_reached}-bit classical security" in repr(params) and " by " not in repr(params)
        assert params.attacks == "classical" and params.table == "guidelines-2024"

    def test_quantum_security_is_called_so(self, tmp_path: Path) -> None:
        assert "128-bit quantum security by quantum-guidelines-2024" in shown(QUANTUM_SET)
        assert QUANTUM_SET.attacks == "quantum" and "classical" not in repr(QUANTUM_SET)
        assert QUANTUM_SET.key_modulus_bits <= QUANTUM[QUANTUM_SET.degree]
        cy.save(tmp_path / "q", QUANTUM_SET)
        assert cy.load(tmp_path / "q") == QUANTUM_SET  # stricter than the default: nothing to ask
        assert re.search(r"by guidelines-2024, the default table: (128|192|256)", str(cy.inspect(tmp_path / "q")))
        assert "load it with" not in str(cy.inspect(tmp_path / "q"))


class TestLoading:
    @pytest.mark.parametrize("name", ["params", "public", "evaluation", "array", "secret"])
    def test_a_weaker_table_has_to_be_named(self, tmp_path: Path, name: str) -> None:
        obj = KEYS.secret if name == "secret" else stored()[name]
        cy.save(tmp_path / "x", obj)
        refusal = r"table guidelines-2024 allows 106 of its 109 bits .*security_table=\"he-standard-2018\""
        with pytest.raises(SecurityError, match=refusal):
            cy.load(tmp_path / "x")
        with pytest.raises(SecurityError, match="quantum-guidelines-2024 allows 80"):
            cy.load(tmp_path / "x", security_table="quantum-guidelines-2024")
        for options in (
            {"security_table": "he-standard-2018"},
            {"allow_insecure": True},
            {"expect": SEAL},
            {"keys": KEYS.evaluation},
        ):
            loaded = cy.load(tmp_path / "x", **options)
            assert (loaded if name == "params" else loaded.parameters) == SEAL
        with pytest.raises(SecurityError):  # what is named counts, not what is at hand
            cy.load(tmp_path / "x", expect=SEAL, security_table="guidelines-2024")
        with pytest.raises(SecurityError):
            cy.load(tmp_path / "x", expect=QUANTUM_SET)
        for wrong in ("seal", "", 2, b"he-standard-2018"):
            with pytest.raises(ParameterError, match=r"security.table"):
                cy.load(tmp_path / "x", security_table=wrong)  # type: ignore[arg-type]

    def test_bytes_are_judged_in_the_same_way(self) -> None:
        for obj in stored().values():
            data = cy.to_bytes(obj)
            with pytest.raises(SecurityError, match="he-standard-2018"):
                cy.from_bytes(data)
            assert type(cy.from_bytes(data, security_table="he-standard-2018")) is type(obj)
            assert type(cy.from_bytes(data, True)) is type(obj)

    def test_pickles_keep_what_their_writer_accepted(self) -> None:
        for obj in (*stored().values(), QUANTUM_SET):
            copy = pickle.loads(pickle.dumps(obj))
            assert type(copy) is type(obj) and "by " in repr(copy)

    def test_expected_parameters_of_a_stricter_table_do_not_hide_a_mismatch(self, tmp_path: Path) -> None:
        other = cy.Parameters.suggest(depth=1, value_bits=8)
        cy.save(tmp_path / "x", other)
        with pytest.raises(MismatchError):
            cy.load(tmp_path / "x", expect=QUANTUM_SET)
        if other.security_by("quantum-guidelines-2024") == 0:
            with pytest.raises(SecurityError, match="128-bit quantum security"):
                cy.load(tmp_path / "x", security_table="quantum-guidelines-2024")


class TestMaking:
    @pytest.mark.parametrize("level", [192, 256])
    def test_the_quantum_table_has_128_bits_only(self, level: int) -> None:
        options = {"table": "quantum-guidelines-2024", "security": level}
        calls: list[Callable[[], Any]] = [
            lambda: cy.Parameters.suggest(depth=0, **options),
            lambda: cy.Parameters.from_modulus_bits(degree=8192, modulus_bits=60, plain_moduli=[2], **options),
            lambda: cy.Parameters(
                degree=8192, plain_moduli=[2], moduli=cy.bfv.find_primes(8192, [50]), allow_insecure=True, **options
            ),
        ]
        for call in calls:
            with pytest.raises(ParameterError, match=f"128 bits of quantum security only, not for {level}"):
                call()

    def test_modulus_bits_at_the_quantum_cap_and_one_more(self) -> None:
        options: dict[str, Any] = {"degree": 4096, "plain_moduli": [40961], "table": "quantum-guidelines-2024"}
        assert cy.Parameters.from_modulus_bits(modulus_bits=80, **options).key_modulus_bits == 80
        with pytest.raises(ParameterError, match="allows log2 QP up to 80"):
            cy.Parameters.from_modulus_bits(modulus_bits=81, **options)

    def test_the_fingerprint_is_the_hash_of_what_the_documentation_says(self) -> None:
        """Byte for byte what other versions computed: labels for people are no part of it."""
        for params in (SEAL, QUANTUM_SET, cy.Parameters.suggest(depth=0, value_bits=8)):
            plain, moduli, special = (
                ",".join(map(str, m)) for m in (params.plain_moduli, params.moduli, params.special_moduli)
            )
            text = (
                f"cyclotome parameters 1\nscheme {params.scheme}\ndegree {params.degree}\nplain {plain}\n"
                f"moduli {moduli}\nspecial {special}\ndigits {params.digits}\nword {params.word}\n"
                f"secret ternary\nerror cbd21\nsecurity {params.security} {params.table}\n"
            )
            assert params.fingerprint == hashlib.sha256(text.encode()).hexdigest()

    def test_modules_of_a_scheme_make_no_other(self) -> None:
        literal: dict[str, Any] = {"degree": 4096, "plain_moduli": [2], "moduli": cy.bfv.find_primes(4096, [40])}
        for module, own, other in ((cy.bfv, "bfv", "bgv"), (cy.bgv, "bgv", "bfv")):
            assert module.Parameters(**literal).scheme == module.Parameters(**literal, scheme=own).scheme == own
            for wrong in (other, "ckks", None, 1):
                with pytest.raises(ParameterError, match=rf"cyclotome.{own}.Parameters are for {own}, not for"):
                    module.Parameters(**literal, scheme=wrong)

    @pytest.mark.parametrize("wrong", ["tfhe", "BFV", "bfv ", "", "3"])
    def test_no_scheme_stands_in_for_an_unknown_one(self, wrong: str) -> None:
        literal: dict[str, Any] = {"degree": 4096, "plain_moduli": [2], "scheme": wrong}
        for call in (
            lambda: cy.Parameters(moduli=cy.bfv.find_primes(4096, [40]), **literal),
            lambda: cy.Parameters.from_modulus_bits(modulus_bits=60, **literal),
            lambda: cy.Parameters.suggest(scheme=wrong),
        ):
            known = "there are 'bfv', 'bgv' and 'ckks'"
            with pytest.raises(ParameterError, match=rf"scheme '{wrong}' is not known; {known}"):
                call()


class TestCommands:
    def test_no_scheme_stands_in_for_an_unknown_one(self, tmp_path: Path) -> None:
        pytest.importorskip("typer")
        from cli_runner import run

        refused = run("params", "--scheme", "tfhe", "-o", tmp_path / "p")
        assert refused.code == 4 and "scheme 'tfhe' is not known; there are 'bfv', 'bgv' and 'ckks'" in refused.text
        assert not (tmp_path / "p").exists()

    def test_files_of_another_table_take_naming_it(self, tmp_path: Path) -> None:
        pytest.importorskip("typer")
        from cli_runner import CSV, run, succeed

        params, keys, data = tmp_path / "params.ct", tmp_path / "keys", tmp_path / "data.csv"
        data.write_text(CSV, encoding="utf-8")
        made = succeed("params", "--preset", "seal-4096", "--value-bits", 8, "-o", params)
        assert "take --security-table he-standard-2018" in made.text and STANDARD in made.text
        assert STANDARD in succeed("inspect", params).text
        named = ("--security-table", "he-standard-2018")
        x, y = tmp_path / "x.ct", tmp_path / "y.ct"
        for command in (
            ("keygen", params, "--out", keys, "--rotations", "none"),
            ("encrypt", data, "--columns", "age", "--key", keys / "public.key", "-o", x),
            ("eval", "x + x", "-i", f"x={x}", "-k", keys / "evaluation.key", "-o", y, "--public", keys / "public.key"),
            ("decrypt", y, "-k", keys / "secret.key"),
        ):
            refused = run(*command)
            assert refused.code == 4 and "--security-table he-standard-2018" in refused.text
            assert run(*command, "--security-table", "seal").code == 4
            told = succeed(*command, *named).text
        assert "72" in told and "82" in told and "170" in told

    def test_parameters_for_quantum_attacks(self, tmp_path: Path) -> None:
        pytest.importorskip("typer")
        from cli_runner import run, succeed

        options = ("params", "--depth", 0, "--security-table", "quantum-guidelines-2024")
        facts = succeed(*options, "-o", tmp_path / "p", "--json").data
        assert (facts["security_table"], facts["attacks"], facts["security"]) == (
            "quantum-guidelines-2024",
            "quantum",
            128,
        )
        assert "128-bit quantum security" in succeed(*options).text
        succeed("keygen", tmp_path / "p", "--out", tmp_path / "keys", "--rotations", "none")
        refused = run(*options, "--security", 192)
        assert refused.code == 4 and "128 bits of quantum security only" in refused.text
        both = run("params", "--preset", "seal-4096", "--security-table", "he-standard-2018")
        assert both.code == 2 and "leave out --security-table" in both.text
