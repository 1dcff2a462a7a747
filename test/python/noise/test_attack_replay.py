# SPDX-License-Identifier: Apache-2.0
"""The verdict of an outside referee on decryptions of forged ciphertexts is the one that doc/noise.md reports."""

from __future__ import annotations

import pytest
from pages import ROOT, program


@pytest.mark.full
def test_the_replay_of_an_attack_finds_what_the_page_says() -> None:
    pytest.importorskip("fhe_attack_replay", reason="pip install fhe-attack-replay")
    assert program("test/referees/attack_replay.py").main() == 0


def test_the_page_reports_it() -> None:
    text = " ".join((ROOT / "doc" / "noise.md").read_text(encoding="utf-8").split())
    assert "`fhe-attack-replay` 0.1.3" in text and "finds `decrypt` and `reveal` *vulnerable*" in text
