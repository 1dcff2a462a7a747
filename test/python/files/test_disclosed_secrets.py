# SPDX-License-Identifier: Apache-2.0
"""Whatever is secret is refused by a server as disclosed, of every kind that there is; and what functions raise that
would end a caller does not."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
from cyclotome import _core, errors
from cyclotome_study import fermat, ltv
from joint_keys import Joint
from joint_keys import parameters as joint_parameters
from small import keys, parameters

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"


#: What `inspect` calls those that one person may have, whatever else there is.
SECRET = {
    "secret key", "protected secret key", "secret share", "protected secret share", "party", "protected party",
    "identity", "protected identity", "LTV secret key", "Fermat secret key",
}  # fmt: skip


def secrets(folder: Path) -> dict[str, bytes]:
    """The bytes of a secret of each kind."""
    joint = Joint(joint_parameters(degree=16, parties=3), 2, rotations=[], relinearization=False)
    share = joint.parties[2].share
    toy = ltv.keygen(ltv.Parameters(3, 105, 22, 8), acknowledge_broken=True, rotations=[])
    study = fermat.keygen(fermat.Parameters(64, 7, 163841, security=0, allow_insecure=True))
    writers: dict[str, Any] = {
        "secret key": lambda path: cy.save(path, keys().secret),
        "protected secret key": lambda path: cy.save(path, keys().secret, passphrase="open"),
        "secret share": lambda path: cy.save(path, share),
        "protected secret share": lambda path: cy.save(path, share, passphrase="open"),
        "party": lambda path: cy.threshold.Party(joint.session, 1, file=path),
        "protected party": lambda path: cy.threshold.Party(joint.session, 1, file=path, passphrase="open"),
        "identity": lambda path: cy.save(path, cy.threshold.Identity.create()),
        "protected identity": lambda path: cy.save(path, cy.threshold.Identity.create(), passphrase="open"),
        "LTV secret key": lambda path: ltv.save(path, toy.secret),
        "Fermat secret key": lambda path: fermat.save(path, study.secret),
    }
    for kind, write in writers.items():
        write(folder / kind)
        assert cy.inspect(folder / kind).kind == kind
    found = {kind: (folder / kind).read_bytes() for kind in writers}
    for kind, name in (("party", "joint-party"), ("protected party", "protected_party")):
        found[kind] = (CORPUS / name).read_bytes()
    assert set(found) == SECRET
    return found


def test_every_kind_of_secret_is_refused_and_not_kept(tmp_path: Path) -> None:
    with cy.Server({"same": lambda x: x}, parameters=parameters(), allow_insecure=True) as server:
        client = cy.Client(server, keys())
        name = server.add_keys(client.key_bytes())
        held = Path(server.keys.path(name)).parent
        for kind, secret in secrets(tmp_path).items():
            for refused in (
                lambda secret=secret: server.add_keys(secret),
                lambda secret=secret: server.call("same", secret, name),
                lambda secret=secret: server.call("same", client.request([1], bound=5) + secret, name),
                lambda secret=secret: client.read(secret, unbound=True),
            ):
                with pytest.raises(errors.SecrecyError, match="treat it as disclosed"):
                    print(kind, refused())
            assert not any(secret[24:] in path.read_bytes() for path in held.iterdir())
        assert {path.name.partition(".")[0] for path in held.iterdir()} == {name}


def test_what_is_secret_is_said_in_one_place() -> None:
    """Files of every kind, by their names, against what the library says of their bytes."""
    seen = set()
    for path in sorted(CORPUS.iterdir()):
        try:
            kind = cy.inspect(path).kind
        except errors.FormatError:
            continue  # files that lie
        data = path.read_bytes()
        seen.add(kind)
        assert _core.names_secret(data) == (kind in SECRET), (path.name, kind)
        assert not _core.names_secret(b"X" + data[1:])
    assert {"secret key", "secret share", "party", "evaluation keys"} < seen
    for short in (b"", b"CYCLOTOM", b"CYCLOTOM\x02\x00\x02"):
        assert not _core.names_secret(short)


# --- what ends callers ------------------------------------------------------------------------------------------------
ENDINGS = [SystemExit, KeyboardInterrupt, GeneratorExit, BaseException, ValueError, MemoryError]


def raising(error: type[BaseException]) -> Any:
    def function(x: Any) -> Any:
        raise error

    return function


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C is heard, which a process that a shell began in the background ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("error", ENDINGS)
@pytest.mark.parametrize("aside", [False, True], ids=["main thread", "another thread"])
def test_functions_do_not_end_their_callers(error: type[BaseException], aside: bool) -> None:
    kind = errors.MemoryLimitError if error is MemoryError else errors.FunctionError
    with cy.Server({"end": raising(error)}, parameters=parameters(), allow_insecure=True) as server:
        client = cy.Client(server, keys())
        found: list[BaseException] = []

        def call() -> None:
            try:
                client.call("end", [1], bound=5)
            except BaseException as raised:
                found.append(raised)

        if aside:
            thread = threading.Thread(target=call)
            thread.start()
            thread.join()
        else:
            call()
        assert [type(each) for each in found] == [kind]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_the_caller() -> None:
    def slow(x: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10**6):
            x = x + 1 - 1
        return x

    with cy.Server({"slow": slow}, parameters=parameters(), allow_insecure=True) as server:
        client = cy.Client(server, keys())
        with pytest.raises(KeyboardInterrupt):
            client.call("slow", [1], bound=5)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("wrong", [None, 5, "text", [b"x"]])
def test_requests_are_bytes(wrong: Any) -> None:
    with cy.Server({"same": lambda x: x}, parameters=parameters(), allow_insecure=True) as server:
        name = server.add_keys(cy.Client(server, keys()).key_bytes())
        for call in (server.call, server.run):
            with pytest.raises(errors.ArgumentError, match="a request is bytes"):
                call("same", wrong, name)
        for keys_ in (wrong, None, b"x"):
            with pytest.raises((errors.UnknownKeysError, errors.ArgumentError)):
                server.call("same", b"x", keys_)  # type: ignore[arg-type]
