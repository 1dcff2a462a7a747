# SPDX-License-Identifier: Apache-2.0
"""The one way to write files: whole, with the rights that were there, under every name that the system takes; never
over a device, and never under another name than the one that was said."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cli_runner import run
from cyclotome import whole_files
from cyclotome.errors import ArgumentError, EngineError, FileError, SecrecyError
from cyclotome.interop import seal
from cyclotome_study.product_context import ProductContext
from small import parameters

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names and files of POSIX")

#: Legal, and no UTF-8.
LATIN = os.fsdecode(b"caf\xe9")


class Made:
    """One of everything that has a file."""

    def __init__(self) -> None:
        self.keys = cy.keygen(parameters(), device="cpu:1")
        self.array = cy.encrypt([1, 2, 3], self.keys.public, bound=9)
        self.frame = cy.encrypt_frame({"a": [1, 2], "b": [3, 4]}, self.keys.public, bounds={"a": 9, "b": 9})
        self.sealed = cy.keygen(seal.make_parameters(2048, plain_bits=14), device="cpu:1").secret
        self.context = ProductContext.generate(8, 80, (30, 50))

    def writers(self) -> dict[str, Callable[[Any], object]]:
        """What writes to a path that is given, of what is no secret."""
        return {
            "array": lambda path: cy.save(path, self.array, overwrite=True),
            "frame": lambda path: cy.save(path, self.frame, overwrite=True),
            "parameters": lambda path: cy.save(path, self.array.parameters, overwrite=True),
            "public key": lambda path: cy.save(path, self.keys.public, overwrite=True),
            "context": lambda path: self.context.save(path),
            "bytes": lambda path: whole_files.write_whole(path, b"bytes"),
        }

    def secret_writers(self) -> dict[str, Callable[[Any], object]]:
        return {
            "secret key": lambda path: cy.save(path, self.keys.secret, overwrite=True),
            "seal": lambda path: seal.save_secret_key(path, self.sealed, overwrite=True),
            "secret bytes": lambda path: whole_files.write_whole(path, bytearray(b"bytes"), secret=True),
        }

    def readers(self) -> dict[str, Callable[[Any], object]]:
        return {
            "load": cy.load,
            "inspect": cy.inspect,
            "context": ProductContext.load,
            "seal": lambda path: seal.read_parameters(path),
            "key files": lambda path: cy.save_keys(path, self.keys),
        }


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


@contextlib.contextmanager
def reading(pipe: Path) -> Iterator[list[bytes]]:
    """What comes out of a pipe, when the block is left."""
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    thread.start()
    yield found
    thread.join(60)


def all_writers(made: Made) -> dict[str, Callable[[Any], object]]:
    return {**made.writers(), **made.secret_writers()}


def test_devices_stay_what_they_are(made: Made, tmp_path: Path) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except OSError:
        device = Path(os.devnull)  # whose folder this process may not write to
    for name, write in all_writers(made).items():
        with pytest.raises(FileError, match="not a regular file"):
            write(device)
        assert stat.S_ISCHR(device.stat().st_mode), name
    with pytest.raises(FileError, match="is a folder"):
        whole_files.write_whole(tmp_path, b"")


def test_pipes_are_written_through(made: Made, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name, write in made.writers().items():
        with reading(pipe) as found:
            write(pipe)
        assert stat.S_ISFIFO(pipe.stat().st_mode) and len(found[0]) > 4, name
    with reading(pipe) as found:
        cy.save(pipe, made.array, overwrite=False)  # nothing is replaced
    assert np.array_equal(cy.decrypt(cy.from_bytes(found[0], allow_insecure=True), made.keys.secret), [1, 2, 3])
    for write in made.secret_writers().values():
        with pytest.raises(FileError, match=r"name a file|pipe"):
            write(pipe)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_reader_that_leaves_is_an_error(tmp_path: Path) -> None:
    """And no signal: programs that have no handler for it go on."""
    program = (
        "import os, signal, sys, threading\n"
        "from cyclotome import errors, whole_files\n"
        "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
        "reader = threading.Thread(target=lambda: os.close(os.open(sys.argv[1], os.O_RDONLY)))\n"
        "reader.start()\n"
        "try:\n"
        "    whole_files.write_whole(sys.argv[1], bytes(10_000_000))\n"
        "except errors.FileError as error:\n"
        "    print(error)\n"
    )
    os.mkfifo(tmp_path / "pipe")
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "pipe"], capture_output=True, text=True)
    assert done.returncode == 0 and "Broken pipe" in done.stdout, done


def test_standard_output_has_a_name(made: Made, tmp_path: Path) -> None:
    cy.save(tmp_path / "x.ct", made.array)
    cy.save(tmp_path / "s.key", made.keys.secret)
    program = "import sys, cyclotome as cy; cy.save(sys.argv[2], cy.load(sys.argv[1], allow_insecure=True))"
    words = [sys.executable, "-c", program, str(tmp_path / "x.ct")]
    (tmp_path / "link").symlink_to("/dev/fd/1")
    for name in ("/dev/stdout", "/proc/self/fd/1", str(tmp_path / "link")):
        out = subprocess.run([*words, name], capture_output=True, check=True).stdout
        assert out == (tmp_path / "x.ct").read_bytes()
    # A file that it was sent to is the same file afterwards, and keeps what was there.
    with (tmp_path / "log").open("ab") as log:
        log.write(b"before")
        log.flush()
        subprocess.run([*words, "/dev/stdout"], stdout=log, check=True)
        log.write(b"after")
    assert (tmp_path / "log").read_bytes() == b"before" + out + b"after"
    command = [
        sys.executable,
        "-m",
        "cyclotome",
        "decrypt",
        str(tmp_path / "x.ct"),
        "--key",
        str(tmp_path / "s.key"),
        "--allow-insecure",
    ]
    dash, named = (subprocess.run([*command, "-o", to], capture_output=True) for to in ("-", "/dev/stdout"))
    assert dash.returncode == named.returncode == 0 and dash.stdout == named.stdout and b"1" in dash.stdout
    os.mkfifo(tmp_path / "out.csv")
    with reading(tmp_path / "out.csv") as found:
        assert (
            run(
                "decrypt",
                tmp_path / "x.ct",
                "--key",
                tmp_path / "s.key",
                "-o",
                tmp_path / "out.csv",
                "--allow-insecure",
            ).code
            == 0
        )
    assert found[0] == dash.stdout
    with pytest.raises(FileError, match="open"):
        whole_files.write_whole("/dev/stdout", b"s", secret=True)


@pytest.mark.parametrize("name", ["x\0", "x\0.png", "\0", "\0x"])
def test_a_zero_byte_ends_no_name(made: Made, tmp_path: Path, name: str) -> None:
    for kind, write in all_writers(made).items():
        (tmp_path / "x").write_bytes(b"mine")
        for path in (
            str(tmp_path / name) if name[0] != "\0" else f"{tmp_path}/{name}",
            os.fsencode(f"{tmp_path}/{name}"),
        ):
            if isinstance(path, bytes) and kind in ("seal", "context"):
                path = os.fsdecode(path)
            with pytest.raises(ArgumentError, match="zero byte"):
                write(path)
        assert os.listdir(tmp_path) == ["x"] and (tmp_path / "x").read_bytes() == b"mine", kind
    (tmp_path / "x").unlink()
    cy.save(tmp_path / "x", made.array)
    for read in made.readers().values():
        with pytest.raises(ArgumentError, match="zero byte"):
            read(f"{tmp_path}/{name}")


def test_the_extension_refuses_zero_bytes_too(made: Made, tmp_path: Path) -> None:
    """As C++ programs meet it."""
    core = cy._core
    path = f"{tmp_path}/x\0y"
    for call in (
        lambda: core.write_bytes(path, b"", False, True),
        lambda: core.names_stream(path),
        lambda: core.file_is_private(path),
        lambda: core.inspect_file(path, 1 << 20),
        lambda: core.ProductContext.read_file(path),
        lambda: core.write_file(path, made.array.parameters.native, b"{}", True),
        lambda: core.write_secret_key(path, made.keys.secret.native, b"{}", True, None),
    ):
        with pytest.raises(ArgumentError, match="zero byte"):
            call()
    assert os.listdir(tmp_path) == []
    with pytest.raises(EngineError, match="zero byte"):
        cy.keygen(cy.Parameters.suggest(depth=0, value_bits=4), device="fpga:sim:library=/lib/x\0y")


@pytest.mark.parametrize("path", ["\ud800", 3, None, [], object()])
def test_what_is_no_path_is_refused(made: Made, path: Any) -> None:
    for read in (cy.load, cy.inspect):
        with pytest.raises(ArgumentError, match="path"):
            read(path)
    with pytest.raises(ArgumentError, match="path"):
        cy.save(path, made.array)


def test_names_that_are_no_utf8(made: Made, tmp_path: Path) -> None:
    folder = tmp_path / LATIN
    folder.mkdir()
    for name, write in all_writers(made).items():
        path = folder / f"{LATIN} {name}"
        write(path)
        write(str(path))
        assert path.is_file()
    assert sorted(os.listdir(os.fsencode(folder))) == sorted(b"caf\xe9 " + name.encode() for name in all_writers(made))
    for path in (folder / f"{LATIN} array", os.fsencode(folder / f"{LATIN} array")):
        assert np.array_equal(cy.decrypt(cy.load(path, allow_insecure=True), made.keys.secret), [1, 2, 3])
        assert cy.inspect(path).kind == "encrypted array"
    assert list(cy.decrypt_frame(cy.load(folder / f"{LATIN} frame", allow_insecure=True), made.keys.secret)["a"]) == [
        1,
        2,
    ]
    assert ProductContext.load(folder / f"{LATIN} context").to_bytes() == made.context.to_bytes()
    cy.save_keys(folder, made.keys)
    written = cy.save_keys(folder, cy.keygen(parameters(), device="cpu:1"), overwrite=True)
    assert written.backup is not None and cy.inspect(written.backup).key_id == made.keys.secret.key_id
    with pytest.raises(FileError, match=r"caf\\xe9 absent"):
        cy.load(folder / f"{LATIN} absent")


def test_commands_take_names_that_are_no_utf8(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/d\xff.csv", "w") as table:
        table.write("a,b\n1,2\n3,4\n")
    command = [os.fsencode(sys.executable), b"-m", b"cyclotome"]

    def done(*words: bytes) -> subprocess.CompletedProcess[bytes]:
        result = subprocess.run([*command, *words], capture_output=True, cwd=folder)
        assert result.returncode == 0, result
        return result

    done(b"params", b"--depth", b"0", b"--value-bits", b"8", b"-o", b"p\xff.ct")
    done(b"keygen", b"p\xff.ct", b"--out", b".")
    done(b"encrypt", b"d\xff.csv", b"-k", b"public.key", b"-o", b"x\xff.ct")
    done(b"inspect", b"x\xff.ct")
    done(b"decrypt", b"x\xff.ct", b"-k", b"secret.key", b"-o", b"y\xff.csv")
    with open(folder + b"/y\xff.csv") as table:
        assert table.read() == "a,b\n1,2\n3,4\n"
    refused = subprocess.run([*command, b"inspect", b"absent\xff"], capture_output=True, cwd=folder)
    assert refused.returncode == 3 and b"Traceback" not in refused.stderr


def test_rights_are_kept_and_the_umask_is_never_touched(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0o026)
    try:
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask is every thread's"))
        for name, write in made.writers().items():
            path = tmp_path / name
            write(path)
            assert stat.S_IMODE(path.stat().st_mode) == 0o640
            for mode in (0o600, 0o644, 0o444, 0o666):
                path.chmod(mode)
                write(path)
                assert stat.S_IMODE(path.stat().st_mode) == mode
            write(tmp_path / "absent")
        for name, write in made.secret_writers().items():
            path = tmp_path / name
            path.write_bytes(b"")
            path.chmod(0o666)
            write(path)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        monkeypatch.undo()
        os.umask(before)


def test_links_are_followed_whatever_they_lead_to(made: Made, tmp_path: Path) -> None:
    for number, write in enumerate(all_writers(made).values()):
        folder = tmp_path / str(number)
        (folder / "below").mkdir(parents=True)
        (folder / "link").symlink_to("below/next")
        (folder / "below/next").symlink_to("target")
        write(folder / "link")  # to nothing yet
        assert (folder / "link").is_symlink() and (folder / "below/next").is_symlink()
        first = (folder / "below/target").stat().st_ino
        write(folder / "link")
        assert not (folder / "below/target").is_symlink() and (folder / "below/target").stat().st_ino != first
        assert os.listdir(folder / "below") == ["next", "target"] or sorted(os.listdir(folder / "below")) == [
            "next",
            "target",
        ]
    with pytest.raises((FileError, SecrecyError)):
        cy.save(tmp_path / "0/link", made.keys.secret)  # there is something, and it was not to be replaced
    (tmp_path / "nowhere").symlink_to("absent")
    with pytest.raises(FileError, match="exists"):
        whole_files.write_whole(tmp_path / "nowhere", b"", overwrite=False)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileError):
        whole_files.write_whole(tmp_path / "loop", b"")


def test_what_commands_write_goes_the_same_way(tmp_path: Path) -> None:
    """No other module opens a file of a user's for writing."""
    root = Path(cy.__file__).parent
    words = ("mkstemp", "os.replace", "NamedTemporaryFile", "write_bytes(", "write_text(", '"wb"', 'open("w"')
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if any(word in path.read_text(encoding="utf-8").replace("_core.write_bytes(", "") for word in words)
    }
    # An uploaded key set arrives in pieces, and its store's folder is the service's own.
    assert found <= {"sessions/key_folder.py", "sessions/key_store.py"}, json.dumps(sorted(found))
