# SPDX-License-Identifier: Apache-2.0
"""``cyclotome seal``: what SEAL wrote is imported, computed on and decrypted; what it is to have is exported."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cli_runner import run, succeed
from cyclotome.interop import seal
from seal_files import TABLE, SealUser
from seal_party import sealapi


@pytest.fixture(scope="module", params=["bfv", "bgv"])
def user(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SealUser:
    return SealUser(request.param, 4096, tmp_path_factory.mktemp("seal"))


def written(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


@pytest.fixture
def imported(user: SealUser, tmp_path: Path) -> Path:
    """A folder with SEAL's parameters and secret key as files of this library."""
    parameters = written(tmp_path, "parameters.seal", user.sent(user.parameters))
    secret = written(tmp_path, "secret.seal", user.sent(user.secret))
    succeed("seal", "params", parameters, "-o", tmp_path / "params.ct", "--security-table", TABLE)
    options = ["--security-table", TABLE, "--allow-unfit-key"]
    succeed("seal", "keys", tmp_path / "params.ct", secret, "--out", tmp_path / "keys", *options)
    return tmp_path


def test_a_seal_users_table_is_computed_on(user: SealUser, imported: Path) -> None:
    x = np.arange(10)
    data = written(imported, "x.seal", user.sent(user.encrypted([*x, *[0] * (user.n - 10)])))
    assert stat.S_IMODE((imported / "keys/secret.key").stat().st_mode) == 0o600
    table = ["--security-table", TABLE]
    options = ["--key", imported / "keys/public.key", "--length", 10, "--bound", 9, *table]
    refused = run("seal", "import", data, "-o", imported / "x.ct", *options)
    assert refused.code == 2 and "nothing says how noisy" in refused.text
    shown = succeed("seal", "import", data, "-o", imported / "x.ct", "--fresh", "--json", *options).data
    assert shown["shape"] == [10] and shown["bound"] == 9
    evaluated = imported / "y.ct"
    keys = ["--keys", imported / "keys/evaluation.key", *table]
    succeed("eval", "x * 3 + 1", "-i", f"x={imported / 'x.ct'}", "-o", evaluated, *keys)
    array = cy.load(evaluated, security_table=TABLE)
    assert array.bound == 28
    exported = ["seal", "export", evaluated, "-o", imported / "y.seal", "--seal-version", user.version, *table]
    succeed(*exported)
    back = user.got("Ciphertext", (imported / "y.seal").read_bytes())
    assert user.decrypted(back)[:10].tolist() == (3 * x + 1).tolist()
    assert run(*exported).code == 2
    secret = ["--key", imported / "keys/secret.key", *table]
    succeed("seal", "import", data, "-o", imported / "measured.ct", "--length", 10, *secret)


def test_everything_is_exported(user: SealUser, imported: Path) -> None:
    options = ["--seal-version", user.version, "--security-table", TABLE]
    succeed("seal", "export", imported / "params.ct", "-o", imported / "p", *options)
    back = sealapi.EncryptionParameters(user.parameters.scheme())
    user.files.loaded(back, (imported / "p").read_bytes())
    assert user.sent(back) == user.sent(user.parameters)
    succeed("seal", "export", imported / "keys/secret.key", "-o", imported / "s", "--compression", "zstd", *options)
    assert stat.S_IMODE((imported / "s").stat().st_mode) == 0o600
    assert user.sent(user.got("SecretKey", (imported / "s").read_bytes())) == user.sent(user.secret)
    succeed("seal", "export", imported / "keys/public.key", "-o", imported / "pk", *options)
    assert user.got("PublicKey", (imported / "pk").read_bytes())
    shown: dict[str, Any] = json.loads(
        succeed("seal", "export", imported / "keys/evaluation.key", "-o", imported / "e", "--json", *options).text
    )
    assert shown["files"] == [str(imported / "e.relin"), str(imported / "e.galois")]
    assert user.got("RelinKeys", (imported / "e.relin").read_bytes())
    assert user.got("GaloisKeys", (imported / "e.galois").read_bytes()).has_key(3)
    public = cy.load(imported / "keys/public.key", security_table=TABLE)
    cy.save(imported / "two.ct", cy.encrypt([[1, 2], [3, 4]], public))
    succeed("seal", "export", imported / "two.ct", "-o", imported / "two", *options)
    for i, expected in enumerate(([1, 2], [3, 4])):
        got = user.got("Ciphertext", (imported / f"two.{i}").read_bytes())
        assert user.decrypted(got)[:2].tolist() == expected


def test_exit_codes_mean_what_they_mean_elsewhere(user: SealUser, imported: Path) -> None:
    data = user.sent(user.encrypted([1]))
    cut = written(imported, "cut", data[:-1])
    key = ["--key", imported / "keys/secret.key", "--security-table", TABLE, "-o", imported / "out"]
    assert run("seal", "import", cut, *key).code == 3
    assert run("seal", "import", imported / "none", *key).code == 3
    assert run("seal", "params", cut, "-o", imported / "out").code == 3
    whole = written(imported, "whole", data)
    assert run("seal", "import", whole, "--fresh", "--noise-budget", 3, *key).code == 2
    assert run("seal", "import", whole, "--bound", user.t, *key).code == 6
    made = seal.make_parameters(4096, plain_bits=20, modulus_bits=100)
    cy.save(imported / "made.ct", made)
    assert run("seal", "export", imported / "made.ct", "-o", imported / "out", "--compression", "lzma").code == 2
    cy.save(imported / "bits.ct", cy.Parameters.suggest(bits=True, depth=1))
    assert run("seal", "export", imported / "bits.ct", "-o", imported / "out").code == 4
    assert not (imported / "out").exists()
