# SPDX-License-Identifier: Apache-2.0
"""`cyclotome threshold`: three people with a folder each, of whom any two decrypt, or all three."""

from __future__ import annotations

import itertools
import stat
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest

pytest.importorskip("typer")

from cli_runner import run, succeed
from cyclotome import _core
from joint_keys import first_round

PARTIES = (1, 2, 3)
INSECURE = "--allow-insecure"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Small parameters, and numbers."""
    primes = cy.bfv.find_primes(64, [50, 50, 50, 51], avoid=[786433])
    small = cy.Parameters(
        degree=64,
        plain_moduli=[786433],
        moduli=primes[:3],
        special_moduli=primes[3:],
        security=0,
        allow_insecure=True,
        value_bits=8,
        parties=3,
    )
    cy.save(tmp_path / "params.ct", small)
    (tmp_path / "v.csv").write_text("x,y\n3.5,4\n-1.25,7\n")
    return tmp_path


def folders(place: Path) -> dict[int, Path]:
    return {party: place / f"party{party}" for party in PARTIES}


def shown(session: Path, folders: dict[int, Path], *options: object) -> list[Path]:
    """First shares of all parties, after all have tossed, committed, and shown their coins."""
    paths: list[Path] = []
    for verb, name in (("toss", "toss"), ("commit", "commit"), ("coin", "coin"), ("share", "first")):
        for party, folder in folders.items():
            clear = ["--deal-in-clear"] if verb == "share" else []
            words = "threshold", verb, session, *paths, "--party", party, "--out", folder, INSECURE, *clear, *options
            succeed(*words)
            options = ()
        paths = [folder / f"{name}-{party}.ct" for party, folder in folders.items()]
    return paths


def make_keys(place: Path, threshold: int, *options: object) -> Any:
    """Every message goes where its receivers are; secrets stay in their folders."""
    session = place / "session.ct"
    made = succeed(
        "threshold",
        "new",
        place / "params.ct",
        "--parties",
        3,
        "--threshold",
        threshold,
        "-o",
        session,
        INSECURE,
        "--json",
        *options,
    )
    assert made.data["parties"] == [1, 2, 3]
    assert made.data["threshold"] == threshold
    first = shown(session, folders(place))
    second = []
    for party, folder in folders(place).items():
        secret = folder / "secret.key"
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        second.append(folder / f"second-{party}.ct")
        own = "--party", party, "--secret", secret, INSECURE
        succeed("threshold", "answer", session, *first, *own, "-o", second[-1])
        if threshold < 3:
            dealt = [folders(place)[other] / f"dealt-{other}-to-{party}.key" for other in PARTIES]
            assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in dealt)
            succeed("threshold", "receive", session, *dealt, *own, "-o", folder / "share.key")
    unsaid = succeed("threshold", "combine", session, *first, *second, "--out", place / "early", INSECURE)
    assert "not accepted" in unsaid.text
    words = []
    for party, folder in folders(place).items():
        words.append(folder / f"accept-{party}.ct")
        own = "--party", party, "--secret", folder / "secret.key", INSECURE
        succeed("threshold", "accept", session, *first, *second, *own, "-o", words[-1])
    said = succeed(
        "threshold", "combine", session, *first, *second, *words, "--out", place / "keys", INSECURE, "--json"
    )
    assert said.data["accepted"] is True
    one = run("threshold", "combine", session, *first, *second, words[0], "--out", place / "late", INSECURE)
    assert (one.code, "party 2" in one.text) == (2, True)
    return made.data


def decrypt_share(place: Path, party: int, active: tuple[int, ...], shared: bool, *options: object) -> Path:
    folder = folders(place)[party]
    output = folder / f"decrypt-{party}-{''.join(map(str, active))}.ct"
    share = ("--share", folder / "share.key") if shared else ()
    succeed(
        "threshold", "decrypt-share", place / "session.ct", place / "result.ct", "--party", party,
        "--with", ",".join(map(str, active)), "--secret", folder / "secret.key", *share, "-o", output, INSECURE,
        *options,
    )  # fmt: skip
    return output


@pytest.mark.parametrize("threshold", [2, 3])
def test_three_people_with_folders(place: Path, threshold: int) -> None:
    make_keys(place, threshold)
    session, result = place / "session.ct", place / "result.ct"
    key = "--key", place / "keys/public.key", INSECURE
    succeed("encrypt", place / "v.csv", *key, "--scale", 4, "-o", place / "v.ct")
    evaluation = "--keys", place / "keys/evaluation.key", INSECURE
    succeed("eval", "x * x", "-i", f"x={place / 'v.ct'}", *evaluation, "-o", result)
    subsets = [subset for size in range(threshold, 4) for subset in itertools.combinations(PARTIES, size)]
    for active in subsets:
        shares = [decrypt_share(place, party, active, threshold < 3) for party in active]
        found = succeed("threshold", "decrypt", session, result, *shares, INSECURE)
        assert "x,y\n12.25,16\n1.5625,49\n" in found.text
        missing = run("threshold", "decrypt", session, result, *shares[1:], INSECURE)
        assert missing.code == 2
        assert "nothing of party" in missing.text
    output = place / "out.csv"
    succeed("threshold", "decrypt", session, result, *shares, "-o", output, INSECURE)
    assert output.read_text() == "x,y\n12.25,16\n1.5625,49\n"


def test_a_session_plans_how_much_is_decrypted(place: Path) -> None:
    """Each process counts in secret.key, and --force is no way round it."""
    assert make_keys(place, 2, "--decryptions", 4)["decryptions"] == 4
    secret = folders(place)[1] / "secret.key"

    def encrypted() -> None:
        key = "--key", place / "keys/public.key", INSECURE
        succeed("encrypt", place / "v.csv", *key, "--scale", 4, "-o", place / "result.ct", "--force")

    encrypted()
    for _ in range(2):
        decrypt_share(place, 1, (1, 2), True, "--force")
    share, words = folders(place)[1] / "share.key", ("--party", 1, "--with", "1,2", "--secret", secret, INSECURE)
    ask = "threshold", "decrypt-share", place / "session.ct", place / "result.ct", *words, "--share", share, "--force"
    left = [succeed(*ask, "-o", place / "s.ct", "--json").data["decryptions_left"]]
    encrypted()
    left.append(succeed(*ask, "-o", place / "s.ct", "--json").data["decryptions_left"])
    assert left == [2, 0]
    encrypted()
    kept = secret.read_bytes()
    refused = run(*ask, "-o", place / "beyond.ct")
    assert (refused.code, "begin a new session" in " ".join(refused.text.split())) == (5, True)
    assert secret.read_bytes() == kept and not (place / "beyond.ct").exists()
    none = run("threshold", "new", place / "params.ct", "--parties", 2, "--decryptions", 0, "-o", place / "t", INSECURE)
    assert (none.code, "2^60" in none.text) == (2, True)


def test_a_round_that_is_repeated_gets_no_second_answer(place: Path) -> None:
    """Somebody's folder is lost and made anew, and the others answer again, as they are told."""
    session, one, two = place / "session.ct", place / "one", place / "two"
    succeed("threshold", "new", place / "params.ct", "--parties", 2, "-o", session, INSECURE)
    first = shown(session, {1: one, 2: two})
    answer = "threshold", "answer", session, *first, "--party", 1, "--secret", one / "secret.key", INSECURE, "-o"
    succeed(*answer, place / "second-1.ct")
    succeed(*answer, place / "again.ct")
    assert (place / "again.ct").read_bytes() == (place / "second-1.ct").read_bytes()
    kept = (one / "secret.key").read_bytes()

    for path in two.iterdir():
        path.unlink()
    succeed("threshold", "toss", session, "--party", 2, "--out", two, INSECURE)
    tosses = one / "toss-1.ct", two / "toss-2.ct"
    before = first[0].read_bytes()
    for force in ((), ("--force",)):
        again = run("threshold", "commit", session, *tosses, "--party", 1, "--out", one, INSECURE, *force)
        assert again.code == (5 if force else 2)
        assert ("begin a new session" in " ".join(again.text.split())) == bool(force)
    # The other one shows its share all the same, in the name of whoever relays: it is not the one committed to.
    lone = place / "lone"
    lone.mkdir()
    (lone / "secret.key").write_bytes((two / "secret.key").read_bytes())
    (lone / "secret.key").chmod(0o600)
    ada = place / "ada"
    rogue = shown(session, {1: ada, 2: lone})[1]
    other = run(*answer[:3], first[0], rogue, *answer[5:], place / "other.ct", "--force")
    assert (other.code, "party 2 committed to another first share" in " ".join(other.text.split())) == (3, True)
    assert not (place / "other.ct").exists()
    assert ((one / "secret.key").read_bytes(), first[0].read_bytes()) == (kept, before)
    # What is asked for again is the same party, also when its messages are written over.
    assert run("threshold", "toss", session, "--party", 1, "--out", one, INSECURE).code == 2
    succeed("threshold", "toss", session, "--party", 1, "--out", one, INSECURE, "--force")
    assert (one / "secret.key").read_bytes() == kept


@pytest.mark.parametrize("threshold", [2, 3])
def test_three_people_who_only_do_what_is_next(place: Path, threshold: int) -> None:
    """Each runs `step` whenever something came; files go where their receivers are."""
    session, inbox = place / "session.ct", place / "inbox"
    inbox.mkdir()
    options = "--parties", 3, "--threshold", threshold, "--rotations", "none", "-o", session, INSECURE
    succeed("threshold", "new", place / "params.ct", *options)
    found = {}
    for _ in range(7):
        for party, folder in folders(place).items():
            words = "threshold", "step", session, "--party", party, "--in", inbox, "--out", folder, INSECURE, "--json"
            clear = ["--deal-in-clear"] if party != 2 else []
            found[party] = succeed(*words, *clear).data
        for folder in folders(place).values():
            for path in folder.glob("*.ct"):
                (inbox / path.name).write_bytes(path.read_bytes())
    assert {each["waits_for"] for each in found.values()} == {"done"}
    assert len({(each["transcript"], each["key_id"]) for each in found.values()}) == 1
    facts = succeed("threshold", "status", session, "--in", inbox, INSECURE, "--json").data
    assert [facts[stage] for stage in ("toss", "commit", "coin", "first", "second", "accept")] == [[1, 2, 3]] * 6
    shares = sorted(inbox.glob("first-*")) + sorted(inbox.glob("second-*"))
    said = succeed("threshold", "transcript", session, *shares, INSECURE)
    assert said.text.replace(" ", "").strip() == found[1]["transcript"]
    publics = {(folder / "public.key").read_bytes() for folder in folders(place).values()}
    assert len(publics) == 1
    dealt = [folder / f"dealt-{party}-to-1.key" for party, folder in folders(place).items()]
    assert [path.exists() for path in dealt] == [threshold == 2, False, threshold == 2]

    # Somebody sends another share than it committed to, last.
    (inbox / "first-3.ct").unlink()
    agreed = cy.load(session, allow_insecure=True)
    three = [cy.threshold.Party(agreed, number) for number in PARTIES]
    cy.save(inbox / "first-3.ct", first_round(*three)[2])
    for path in inbox.glob("second-*"):
        path.unlink()
    folder = folders(place)[1]
    rogue = run("threshold", "step", session, "--party", 1, "--in", inbox, "--out", folder, INSECURE)
    assert (rogue.code, "party 3" in rogue.text) == (3, True)


def test_three_people_who_sign(place: Path) -> None:
    """Each signs what it sends; a message that a relay made in a party's name is refused, and nobody is blamed."""
    session, inbox, who = place / "session.ct", place / "inbox", place / "who.txt"
    inbox.mkdir()
    succeed("threshold", "new", place / "params.ct", "--parties", 3, "--rotations", "none", "-o", session, INSECURE)
    lines = []
    for party, folder in folders(place).items():
        folder.mkdir()
        made = succeed("threshold", "identity", "-o", folder / "me.id", "--json").data
        lines.append(f"{party} {made['public']}")
    who.write_text("\n".join(lines) + "\n")

    def stepped(party: int, *more: object) -> tuple[object, ...]:
        folder = folders(place)[party]
        words = "threshold", "step", session, "--party", party, "--in", inbox, "--out", folder, INSECURE
        return (*words, "--identity", folder / "me.id", "--identities", who, *more)

    def delivered() -> None:
        for folder in folders(place).values():
            for path in folder.glob("*.ct"):
                (inbox / path.name).write_bytes(path.read_bytes())

    for party in PARTIES:
        succeed(*stepped(party))
    delivered()
    true = (inbox / "toss-3.ct").read_bytes()
    agreed = cy.load(session, allow_insecure=True)
    cy.save(inbox / "toss-3.ct", cy.threshold.Party(agreed, 3).toss())
    relayed = run(*stepped(1))
    assert relayed.code == 5 and "party 3" in relayed.text and not (folders(place)[1] / "commit-1.ct").exists()
    (inbox / "toss-3.ct").write_bytes(true)
    for _ in range(6):
        found = [succeed(*stepped(party, "--json")).data for party in PARTIES]
        delivered()
    assert {each["waits_for"] for each in found} == {"done"} and len({each["transcript"] for each in found}) == 1
    half = run(*stepped(1)[:-2])
    assert (half.code, "does both" in half.text) == (2, True)
    who.write_text(lines[0] + "\n" + lines[0] + "\n")
    twice = run(*stepped(1))
    assert (twice.code, "there twice" in twice.text) == (2, True)


def test_advice_on_messages(place: Path) -> None:
    corpus = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"
    answers = [corpus / "joint1-answers-1", corpus / "joint1-answers-2"]
    found = run("threshold", "advise", *answers, "--json")
    assert (found.code, '"secret_is_public": true' in found.text) == (3, True)
    assert "PUBLIC" in run("threshold", "advise", *answers).text
    once = succeed("threshold", "advise", answers[0], corpus / "joint1-session", "--json")
    assert [(each["party"], each["secret_is_public"]) for each in once.data["parties"]] == [(1, False)]
    old = run("threshold", "toss", corpus / "joint1-session", "--party", 1, "--out", place / "one", INSECURE)
    assert (old.code, "cyclotome threshold advise" in " ".join(old.text.split())) == (3, True)


def test_mistakes_have_one_message_and_a_code(place: Path) -> None:
    make_keys(place, 2)
    session, folder = place / "session.ct", folders(place)[1]
    again = run("threshold", "toss", session, "--party", 1, "--out", folder, INSECURE)
    assert (again.code, "exists" in again.text) == (2, True)
    early = run("threshold", "commit", session, "--party", 1, "--out", place / "early", INSECURE)
    assert (early.code, "nothing of party 1" in early.text) == (2, True)
    plain = place / "plain.ct"
    succeed("threshold", "new", place / "params.ct", "--parties", 2, "--audit", 1, "-o", plain, INSECURE)
    coinless = run("threshold", "toss", plain, "--party", 1, "--out", place / "coinless", INSECURE)
    assert (coinless.code, "has no audit" in coinless.text) == (2, True)
    succeed("threshold", "commit", plain, "--party", 1, "--out", place / "plain1", INSECURE)
    succeed("threshold", "commit", plain, "--party", 2, "--out", place / "plain2", INSECURE)
    plainly = [place / f"plain{party}/commit-{party}.ct" for party in (1, 2)]
    succeed("threshold", "share", plain, *plainly, "--party", 1, "--out", place / "plain1", INSECURE)
    stranger = run("threshold", "toss", session, "--party", 4, "--out", place / "four", INSECURE)
    assert (stranger.code, "party 4" in stranger.text) == (2, True)
    wrong = run(
        "threshold", "answer", session, folder / "first-1.ct", "--party", 2, "--secret", folder / "secret.key",
        "-o", place / "s.ct", INSECURE,
    )  # fmt: skip
    assert wrong.code == 5
    assert run("threshold", "new", place / "params.ct", "--parties", "x", "-o", place / "t.ct", INSECURE).code == 2
    assert run("threshold", "new", place / "params.ct", "--parties", 4, "-o", place / "t.ct", INSECURE).code == 2
    file = run("threshold", "combine", session, folder / "secret.key", "--out", place / "k", INSECURE)
    assert (file.code, "what a party of a joint key keeps" in file.text) == (3, True)
    for name, kind in [
        (folder / "secret.key", "party"),
        (session, "session"),
        (folder / "first-1.ct", "key share"),
        (folder / "coin-1.ct", "coin"),
        (folder / "share.key", "secret share"),
    ]:
        assert kind in succeed("inspect", name).text


@pytest.mark.skipif(_core.passphrases() != "ready", reason=_core.passphrases())
def test_a_partys_secret_under_a_passphrase(place: Path) -> None:
    session, folder, phrase = place / "session.ct", place / "one", place / "phrase"
    phrase.write_text("correct horse\n")
    succeed("threshold", "new", place / "params.ct", "--parties", "1,2", "-o", session, INSECURE)
    two = place / "two"
    protected = "--passphrase-file", phrase
    paths: tuple[Path, ...] = ()
    for verb, name in (("toss", "toss"), ("commit", "commit"), ("coin", "coin"), ("share", "first")):
        succeed("threshold", verb, session, *paths, "--party", 1, "--out", folder, *protected, INSECURE)
        succeed("threshold", verb, session, *paths, "--party", 2, "--out", two, INSECURE)
        paths = folder / f"{name}-1.ct", two / f"{name}-2.ct"
    first = paths
    own = "--party", 1, "--secret", folder / "secret.key", "-o", place / "second.ct", INSECURE
    succeed("threshold", "answer", session, *first, *own, "--passphrase-file", phrase)
    assert cy.inspect(folder / "secret.key").protection is not None
    phrase.write_text("another\n")
    assert run("threshold", "answer", session, *first, *own, "--passphrase-file", phrase, "--force").code == 5


@pytest.mark.skipif(_core.passphrases() != "ready", reason=_core.passphrases())
def test_a_partys_share_under_a_passphrase(place: Path) -> None:
    session, phrase, other = place / "session.ct", place / "phrase", place / "other"
    phrase.write_text("correct horse\n")
    other.write_text("another\n")
    succeed(
        "threshold", "new", place / "params.ct", "--parties", 3, "--threshold", 2, "--rotations", "none",
        "-o", session, INSECURE,
    )  # fmt: skip
    keys = shown(session, {party: place / str(party) for party in PARTIES})
    dealt = [place / str(party) / f"dealt-{party}-to-1.key" for party in PARTIES]
    secret = place / "1/secret.key"
    own = "--party", 1, "--secret", secret, INSECURE
    share = place / "1/share.key"
    succeed("threshold", "receive", session, *dealt, *own, "-o", share, "--passphrase-file", phrase)
    assert cy.inspect(share).kind == "protected secret share"
    x = place / "x.ct"
    parameters = cy.load(session, allow_insecure=True).parameters
    second = [place / str(party) / "second.ct" for party in PARTIES]
    for party, file in zip(PARTIES, second, strict=True):
        succeed(
            "threshold", "answer", session, *keys, "--party", party, "--secret", place / str(party) / "secret.key",
            "-o", file, INSECURE,
        )  # fmt: skip
    succeed("threshold", "combine", session, *keys, *second, "--out", place / "joint", INSECURE)
    cy.save(x, cy.encrypt([1, 2], cy.load(place / "joint/public.key", expect=parameters)))
    answer = "threshold", "decrypt-share", session, x, *own, "--share", share, "--with", "1,2", "-o", place / "d.ct"
    refused = run(*answer, "--passphrase-file", other)
    assert refused.code == 5 and "another" not in refused.text.split(":")[0] and not (place / "d.ct").exists()
    succeed(*answer, "--passphrase-file", phrase)
    assert cy.inspect(place / "d.ct").kind == "decryption share"
