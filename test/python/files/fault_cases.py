# SPDX-License-Identifier: Apache-2.0
"""What the fault injection runs: calls and commands, each with what it needs, what it should give, and which files it
may leave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import cyclotome as cy
import numpy as np
from cli_runner import run
from cyclotome import _core
from cyclotome.errors import CyclotomeError
from joint_keys import parameters as joint_parameters
from small import parameters

VALUES = [3, 1, 2]
PHRASE = "correct horse"


class CommandFailed(CyclotomeError):
    """A command that said what was wrong, by an exit code that means something."""


class Case(NamedTuple):
    """One call: `act` in a folder that `prepare` has filled gives something that `right` knows; `files` are what may be
    there afterwards."""

    act: Callable[[Path], Any]
    right: Callable[[Any], bool]
    files: tuple[str, ...] = ()
    prepare: Callable[[Path], object] = lambda _: None
    slow: bool = False
    #: Files that may have gone on though the call ended in an error, and what holds of the folder then.
    spent: tuple[str, ...] = ()
    still: Callable[[Path], bool] = lambda _: True


class World:
    """Keys, arrays and files that are there before anything fails."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Their own: whatever a context keeps is made within the case.
        self.parameters = parameters(degree=32)
        self.keys = cy.keygen(self.parameters, device="cpu:1")
        self.array = cy.encrypt(VALUES, self.keys.public, bound=9)
        self.frame = cy.encrypt_frame({"a": VALUES}, self.keys.public, bounds={"a": 9})
        self.data = cy.to_bytes(self.array)
        cy.save(folder / "x.ct", self.array)
        cy.save(folder / "t.ct", self.frame)
        cy.save(folder / "p.ct", self.parameters)
        cy.save_keys(folder, self.keys)
        cy.save(folder / "phrase.key", self.keys.secret, passphrase=PHRASE)
        (folder / "d.csv").write_text("a\n3\n1\n2\n", encoding="utf-8")
        # What is imported on first use, once for all children.
        cy.decrypt_frame(self.frame, self.keys.secret)
        run("inspect", folder / "x.ct", "--json")

    def load(self, name: str, **options: Any) -> Any:
        return cy.load(self.folder / name, allow_insecure=True, device="cpu:1", **options)

    def opened(self, array: Any) -> list[int]:
        return [int(value) for value in np.ravel(cy.decrypt(array, self.keys.secret))]

    def cases(self) -> dict[str, Case]:
        return {
            **self._calls(),
            **self._files(),
            **self._commands(),
            **self._reveals(),
            **JointWorld(self.folder).cases(),
        }

    def _reveals(self) -> dict[str, Case]:
        """A count of what a key opens, beside its file: counted before values leave."""

        cost = len(self.parameters.plain_moduli)

        def key_of(folder: Path) -> cy.SecretKey:
            found: cy.SecretKey = cy.load(folder / "r.key", **_lax())
            return found

        def revealed(folder: Path) -> tuple[list[int], int]:
            key = key_of(folder)
            return list(cy.reveal(cy.load(folder / "r.ct", **_lax()), key, flooding_bits=40)), key.reveals.spent

        def prepared(folder: Path, times: int) -> None:
            keys = cy.keygen(self.parameters, device="cpu:1")  # which nobody has opened anything with
            cy.save(folder / "r.key", keys.secret)
            cy.save(folder / "r.ct", cy.encrypt(VALUES, keys.public, bound=9))
            for _ in range(times):
                revealed(folder)

        def reveals(times: int) -> Case:
            return Case(
                revealed,
                lambda found: found == (VALUES, (times + 1) * cost),
                ("r.key", "r.ct", "reveals-*.count"),
                lambda folder: prepared(folder, times),
                spent=("reveals-*.count",),
                still=lambda folder: times * cost <= key_of(folder).reveals.spent <= (times + 1) * cost,
            )

        return {"reveal for the first time": reveals(0), "reveal once more": reveals(2)}

    def _calls(self) -> dict[str, Case]:
        x, keys, opened = self.array, self.keys, self.opened

        def holds(*values: int) -> Callable[[Any], bool]:
            return lambda array: opened(array) == list(values)

        with_keys = x.with_keys(keys.evaluation)
        return {
            "keygen": Case(
                lambda _: cy.keygen(self.parameters, rotations=[1], device="cpu:1"),
                lambda made: list(cy.decrypt(cy.encrypt([5], made.public), made.secret)) == [5],
            ),
            "keygen on another engine": Case(
                lambda _: cy.keygen(self.parameters, device="cpu:3"),
                lambda made: list(cy.decrypt(cy.encrypt([5], made.public), made.secret)) == [5],
            ),
            "encrypt": Case(lambda _: cy.encrypt(VALUES, keys.public), holds(*VALUES)),
            "decrypt": Case(lambda _: cy.decrypt(x, keys.secret), lambda found: list(found) == VALUES),
            "add": Case(lambda _: x + x, holds(6, 2, 4)),
            "add public": Case(lambda _: x + np.array([1, 2, 3]), holds(4, 3, 5)),
            "multiply": Case(lambda _: with_keys * with_keys, holds(9, 1, 4)),
            "sum": Case(lambda _: with_keys.sum(), holds(6)),
            "plain": Case(lambda _: x * cy.plain([1, 2, 3], self.parameters, device="cpu:1"), holds(3, 2, 6)),
            "with wide integers": Case(lambda _: x + 10**6, lambda found: opened(found) == [10**6 + v for v in VALUES]),
            "plan": Case(lambda _: cy.plan(lambda a: a * a, self.parameters, [x]), lambda found: found is not None),
            "parameters": Case(
                lambda _: parameters(degree=32), lambda made: made.fingerprint == self.parameters.fingerprint
            ),
            "frame": Case(
                lambda _: cy.encrypt_frame({"a": VALUES}, keys.public, bounds={"a": 9}),
                lambda found: list(cy.decrypt_frame(found, keys.secret)["a"]) == VALUES,
            ),
            "to bytes": Case(lambda _: cy.to_bytes(x), lambda found: opened(cy.from_bytes(found, **_lax())) == VALUES),
            "from bytes": Case(lambda _: cy.from_bytes(self.data, **_lax()), holds(*VALUES)),
        }

    def _files(self) -> dict[str, Case]:
        x, keys = self.array, self.keys
        others = cy.keygen(self.parameters, rotations=[1], device="cpu:1")
        other = others.secret

        def saved(folder: Path, name: str, obj: Any, **options: Any) -> Path:
            cy.save(folder / name, obj, **options)
            return folder / name

        def same_key(path: Path, **options: Any) -> bool:
            return bool(cy.load(path, **_lax(), **options).key_id == keys.secret.key_id)

        return {
            "load array": Case(lambda _: self.load("x.ct"), lambda found: self.opened(found) == VALUES),
            "load frame": Case(
                lambda _: self.load("t.ct"),
                lambda found: list(cy.decrypt_frame(found, keys.secret)["a"]) == VALUES,
            ),
            "load secret": Case(lambda _: self.load("secret.key"), lambda found: list(cy.decrypt(x, found)) == VALUES),
            "load evaluation": Case(lambda _: self.load("evaluation.key"), lambda found: found.rotations is not None),
            "load under a passphrase": Case(
                lambda _: self.load("phrase.key", passphrase=PHRASE),
                lambda found: list(cy.decrypt(x, found)) == VALUES,
                slow=True,
            ),
            "inspect": Case(lambda _: cy.inspect(self.folder / "x.ct"), lambda found: found.kind == "encrypted array"),
            "save array": Case(
                lambda folder: saved(folder, "y.ct", x),
                lambda path: self.opened(cy.load(path, **_lax())) == VALUES,
                ("y.ct",),
            ),
            "save frame": Case(
                lambda folder: saved(folder, "f.ct", self.frame),
                lambda path: list(cy.decrypt_frame(cy.load(path, **_lax()), keys.secret)["a"]) == VALUES,
                ("f.ct",),
            ),
            "save secret": Case(lambda folder: saved(folder, "s.key", keys.secret), same_key, ("s.key",)),
            "save secret over another": Case(
                lambda folder: saved(folder, "s.key", keys.secret, overwrite=True),
                same_key,
                ("s.key", "s.key.bak*"),
                lambda folder: cy.save(folder / "s.key", other),
            ),
            "save array over a file": Case(
                lambda folder: saved(folder, "y.ct", x),
                lambda path: self.opened(cy.load(path, **_lax())) == VALUES,
                ("y.ct",),
                lambda folder: cy.save(folder / "y.ct", x + x),
            ),
            "save frame over a file": Case(
                lambda folder: saved(folder, "f.ct", self.frame),
                lambda path: list(cy.decrypt_frame(cy.load(path, **_lax()), keys.secret)["a"]) == VALUES,
                ("f.ct",),
                lambda folder: cy.save(folder / "f.ct", self.array),
            ),
            "save keys over others": Case(
                lambda folder: cy.save_keys(folder, keys, overwrite=True),
                lambda found: same_key(Path(found.secret)),
                ("secret.key", "public.key", "evaluation.key", "secret.key.bak*"),
                lambda folder: cy.save_keys(folder, others),
            ),
            "save under a passphrase": Case(
                lambda folder: saved(folder, "s.key", keys.secret, passphrase=PHRASE),
                lambda path: same_key(path, passphrase=PHRASE),
                ("s.key",),
                slow=True,
            ),
            "save keys": Case(
                lambda folder: cy.save_keys(folder, keys),
                lambda found: same_key(Path(found.secret)),
                ("secret.key", "public.key", "evaluation.key"),
            ),
        }

    def _commands(self) -> dict[str, Case]:
        here = self.folder

        def made(*words: object) -> Callable[[Path], Path]:
            def act(folder: Path) -> Path:
                result = run(*(folder / word[2:] if str(word).startswith("@/") else word for word in words))  # type: ignore[index]
                if result.code != 0:
                    if "Traceback" in result.text or "not happen" in result.text or "error: " not in result.text:
                        raise AssertionError(result.text)
                    raise CommandFailed(result.text)
                return folder

            return act

        insecure = "--allow-insecure"

        def opened(folder: Path) -> list[int]:
            return self.opened(cy.load(folder / "y.ct", **_lax()))

        return {
            "cyclotome keygen": Case(
                made("keygen", here / "p.ct", "--out", "@/.", insecure),
                lambda folder: cy.inspect(folder / "secret.key").kind == "secret key",
                ("secret.key", "public.key", "evaluation.key"),
            ),
            "cyclotome encrypt": Case(
                made("encrypt", here / "d.csv", "-k", here / "public.key", "-o", "@/y.ct", insecure),
                lambda folder: opened(folder) == VALUES,
                ("y.ct",),
            ),
            "cyclotome decrypt": Case(
                made("decrypt", here / "x.ct", "-k", here / "secret.key", "-o", "@/y.csv", insecure),
                lambda folder: (folder / "y.csv").read_bytes().split() == [b"result", b"3", b"1", b"2"],
                ("y.csv",),
            ),
            "cyclotome eval": Case(
                made(
                    "eval", "x + 1", "-k", here / "evaluation.key", "-i", f"x={here / 'x.ct'}", "-o", "@/y.ct", insecure
                ),
                lambda folder: opened(folder) == [4, 2, 3],
                ("y.ct",),
            ),
            "cyclotome inspect": Case(made("inspect", here / "x.ct", "--json"), lambda folder: folder.is_dir()),
        }


class JointWorld:
    """A session of two parties that live in files, at each of its stages, and what identities keep."""

    def __init__(self, folder: Path) -> None:
        params = joint_parameters(degree=32, parties=2)
        self.session = cy.threshold.Session.create(params, parties=2, rotations=[], audit=2)
        self.identity = cy.threshold.Identity.create() if _core.identities() == "ready" else None
        self.file = folder / "one.party"
        #: The first party's file before each stage.
        self.kept: dict[str, bytes] = {}
        one, two = self._party(self.file, 1), self._party(None, 2)
        self.tosses = [one.toss(), two.toss()]
        self.kept["commit"] = self.file.read_bytes()
        self.commitments = [one.commit(self.tosses), two.commit(self.tosses)]
        self.kept["coin"] = self.file.read_bytes()
        self.coins = [one.show_coin(self.commitments), two.show_coin(self.commitments)]
        self.kept["first"] = self.file.read_bytes()
        self.first = [one.first_share(self.coins), two.first_share(self.coins)]
        self.kept["second"] = self.file.read_bytes()
        self.second = [one.second_share(self.first), two.second_share(self.first)]
        self.kept["accept"] = self.file.read_bytes()
        self.words = [one.accept(self.first, self.second), two.accept(self.first, self.second)]
        self.kept["seal"] = self.file.read_bytes()
        one.seal(self.words)
        self.kept["done"] = self.file.read_bytes()
        self.keys = cy.threshold.combine(self.session, self.first, self.second, device="cpu:1")
        self.array = cy.encrypt(VALUES, self.keys.public, bound=9)
        self.share = two.decryption_share(self.array, flooding_bits=40)

    def _party(self, file: Path | None, number: int = 1) -> cy.threshold.Party:
        return cy.threshold.Party(self.session, number, file=file, device="cpu:1")

    def _at(self, stage: str) -> Callable[[Path], object]:
        """A folder with the party's file as it was then."""

        def prepared(folder: Path) -> None:
            (folder / "one.party").write_bytes(self.kept[stage])
            (folder / "one.party").chmod(0o600)

        return prepared

    def _step(self, stage: str, act: Callable[[cy.threshold.Party], Any], right: Callable[[Any], bool]) -> Case:
        """A call of the party that its file gives. After an error the same file answers the same, bit for bit."""
        return Case(
            lambda folder: act(self._party(folder / "one.party")),
            right,
            ("one.party",),
            self._at(stage),
            spent=("one.party",),
            still=lambda folder: right(act(self._party(folder / "one.party"))),
        )

    def cases(self) -> dict[str, Case]:
        session, messages = self.session, [*self.tosses, *self.commitments, *self.coins, *self.first, *self.second]
        messages += self.words

        def bits_of(message: Any) -> Callable[[Any], bool]:
            return lambda found: cy.to_bytes(found) == cy.to_bytes(message)

        def values(share: Any) -> list[int]:
            return [int(v) for v in cy.threshold.decrypt(self.array, [share, self.share], session)]

        def saved(folder: Path, obj: Any) -> Path:
            cy.save(folder / "saved", obj)
            return folder / "saved"

        def loads(what: Any) -> Callable[[Path], bool]:
            return lambda path: cy.to_bytes(cy.load(path, **_lax())) == cy.to_bytes(what)

        cases = {
            "joint party that is new": Case(
                lambda folder: self._party(folder / "one.party").number,
                lambda number: number == 1,
                ("one.party",),
                spent=("one.party",),  # there, and goes on, or not yet
                still=lambda folder: self._party(folder / "one.party").toss().party == 1,
            ),
            "joint commitment": self._step("commit", lambda one: one.commit(self.tosses), bits_of(self.commitments[0])),
            "joint coin": self._step("coin", lambda one: one.show_coin(self.commitments), bits_of(self.coins[0])),
            "joint first share": self._step("first", lambda one: one.first_share(self.coins), bits_of(self.first[0])),
            "joint second share": self._step(
                "second", lambda one: one.second_share(self.first), bits_of(self.second[0])
            ),
            "joint acceptance": self._step(
                "accept", lambda one: one.accept(self.first, self.second), bits_of(self.words[0])
            ),
            "joint seal": self._step("seal", lambda one: (one.seal(self.words), one.accepted)[1], bool),
            "joint step": self._step(
                "first",
                lambda one: one.next(messages),
                lambda found: found.keys.public.key_id == self.keys.public.key_id,
            ),
            "joint decryption share": self._step(
                "done", lambda one: one.decryption_share(self.array, flooding_bits=40), lambda x: values(x) == VALUES
            ),
            "joint keys": Case(
                lambda _: cy.threshold.combine(session, self.first, self.second, device="cpu:1"),
                lambda keys: keys.public.key_id == self.keys.public.key_id,
            ),
            "joint decryption": Case(
                lambda _: cy.threshold.decrypt(self.array, [self._again, self.share], session),
                lambda found: list(found) == VALUES,
            ),
            "save session": Case(lambda folder: saved(folder, session), loads(session), ("saved",)),
            "save key share": Case(lambda folder: saved(folder, self.first[0]), loads(self.first[0]), ("saved",)),
        }
        self._again = self._party(self.file).decryption_share(self.array, flooding_bits=40)
        return {**cases, **self._of_identities()}

    def _of_identities(self) -> dict[str, Case]:
        identity = self.identity
        if identity is None:
            return {}

        def saved(folder: Path) -> Path:
            cy.save(folder / "own.key", identity)
            return folder / "own.key"

        def signs(found: Any) -> bool:
            return bool(identity.public.verify("a test", b"text", found.sign("a test", b"text")))

        return {
            "identity that is new": Case(
                lambda _: cy.threshold.Identity.create(),
                lambda made: made.public.verify("a test", b"text", made.sign("a test", b"text")),
            ),
            "save identity": Case(saved, lambda path: signs(cy.load(path)), ("own.key",)),
            "load identity": Case(
                lambda folder: cy.load(folder / "own.key"), signs, ("own.key",), prepare=lambda folder: saved(folder)
            ),
            "identity that opens": Case(
                lambda _: identity.open(identity.public.seal(b"text", b"context"), b"context"),
                lambda text: text == b"text",
            ),
        }


def _lax() -> dict[str, Any]:
    return {"allow_insecure": True, "device": "cpu:1"}
