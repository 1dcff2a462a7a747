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
from cyclotome.errors import CyclotomeError
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
        return {**self._calls(), **self._files(), **self._commands()}

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


def _lax() -> dict[str, Any]:
    return {"allow_insecure": True, "device": "cpu:1"}
