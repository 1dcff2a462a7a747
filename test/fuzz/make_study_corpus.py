# SPDX-License-Identifier: Apache-2.0
"""Writes the first inputs for the readers of what is there for study: small objects of LTV and on Fermat moduli.

python test/fuzz/make_study_corpus.py; to be run again when these formats change.
"""

from __future__ import annotations

from pathlib import Path

from cyclotome_study import fermat, ltv

FOLDER = Path(__file__).with_name("study_corpus")


def main() -> None:
    keys = ltv.keygen(ltv.Parameters(2, 15, 20, 8), acknowledge_broken=True)
    array = ltv.encrypt([1, 0], keys.public)
    for name, thing in (("secret", keys.secret), ("public", keys.public), ("evaluation", keys.evaluation)):
        ltv.save(FOLDER / f"ltv-{name}", thing, overwrite=True)
    ltv.save(FOLDER / "ltv-array", array, overwrite=True)
    params = fermat.Parameters(16, 7, 97, security=0, allow_insecure=True)
    own = fermat.keygen(params)
    rows = fermat.encrypt([1, -2, 3], own.public, bound=10)
    for label, object_ in (("parameters", params), ("secret", own.secret), ("public", own.public), ("array", rows)):
        fermat.save(FOLDER / f"fermat-{label}", object_, overwrite=True)
    fermat.save(FOLDER / "fermat-evaluation", own.evaluation, overwrite=True)


if __name__ == "__main__":
    main()
