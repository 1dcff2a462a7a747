# SPDX-License-Identifier: Apache-2.0
"""What the protocol's first version made: messages are refused with advice, keys and arrays load and compute, and it is
seen who answered twice."""

from __future__ import annotations

import shutil
from pathlib import Path

import cyclotome as cy
import pytest
from cyclotome.errors import FormatError
from joint_keys import Joint, parameters

CORPUS = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"
OLD = ["session", "first_share", "second_share", "dealt_share", "secret_share", "decryption_share"]


@pytest.mark.parametrize("name", OLD)
def test_what_the_first_version_made_is_refused_with_advice(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    shutil.copy(CORPUS / f"joint1-{name}", path)
    path.chmod(0o600)
    with pytest.raises(FormatError, match=r"can publish secrets if a round is repeated.*cyclotome threshold advise"):
        cy.load(path, allow_insecure=True, device="cpu:1")
    assert cy.inspect(path).key_id  # what it is can be seen still


def test_keys_and_arrays_of_the_first_version_load_and_compute() -> None:
    public, evaluation, x = (
        cy.load(CORPUS / f"joint1-{name}", allow_insecure=True, device="cpu:1")
        for name in ("public_key", "evaluation_keys", "array")
    )
    assert public.key_id == evaluation.key_id == x.key_id
    assert (x.with_keys(public, evaluation) + 1).key_id == x.key_id


def test_advice_on_old_messages(tmp_path: Path) -> None:
    once = cy.threshold.advise([CORPUS / "joint1-session", CORPUS / "joint1-answers-1", CORPUS / "joint1-first_share"])
    assert [(one.party, one.protocol, one.answers, one.secret_is_public) for one in once] == [(1, 1, 1, False)]
    assert "new key" in once[0].words
    twice = cy.threshold.advise([CORPUS / "joint1-answers-1", CORPUS / "joint1-answers-2", CORPUS / "joint1-answers-1"])
    assert [(one.party, one.answers, one.secret_is_public) for one in twice] == [(1, 2, True)]
    assert "PUBLIC" in twice[0].words
    joint = Joint(parameters("bfv", 16, 2), rotations=[], audit=1)
    for number, share in enumerate([*joint.first, *joint.second]):
        cy.save(tmp_path / f"{number}", share)
    now = cy.threshold.advise(sorted(tmp_path.iterdir()))
    assert [(one.session, one.party, one.protocol, one.answers) for one in now] == [
        (joint.session.id, party, 2, 1) for party in (1, 2)
    ]
    assert not any(one.secret_is_public for one in now)
