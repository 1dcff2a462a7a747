# SPDX-License-Identifier: Apache-2.0
"""``cyclotome circuit``: the jobs of ``prince`` and ``sort`` in two roles, which share files.

A client chooses parameters, makes keys (``cyclotome keygen``), encrypts and decrypts; a server, which has the
evaluation keys and ciphertexts, computes. Files hold `circuit.EncryptedNumbers`, with a note of what they are.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import cyclotome as cy
from cyclotome import text
from cyclotome.cli import kinds, passphrases
from cyclotome.cli.circuits.circuits import hexadecimal, read_lists, width_for
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import (
    DebugFlag,
    ForceFlag,
    InsecureFlag,
    JsonFlag,
    account,
    emit,
    note,
    progress_bar,
    vacant,
    write_whole,
)
from cyclotome.cli.failures import UsageError, command, put
from cyclotome.cli.keys import load_as, parameter_facts
from cyclotome.cli.tables import notes, tables
from cyclotome.cli.tables.arrays import HeaderOption
from cyclotome.cli.visible import shortened, visible
from cyclotome.devices.contexts import device_name
from cyclotome.errors import FormatError, SecurityError

__all__ = ["app"]

Numbers = cy.circuit.EncryptedNumbers
#: What a file holds, as its note says.
KEY, BLOCKS, LISTS = "prince key", "blocks", "lists"

app = typer.Typer(
    name="circuit",
    help="PRINCE and sorting for a client, who has the keys, and a server, who computes: in files that both share.",
    epilog="params, then `cyclotome keygen`, encrypt, and decrypt are the client's; prince and sort the server's.",
    no_args_is_help=True,
)

EvaluationOption = Annotated[Path, typer.Option("--keys", "-k", help="The client's evaluation.key.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="The encrypted result.")]
DevicesOption = Annotated[
    str, typer.Option("--device", help='Where to compute, or several that share the work: "cuda:0,cuda:1".')
]


def _devices(names: str) -> list[str]:
    return [device_name(name.strip()) for name in names.split(",")]


def _load(path: Path, kind: str, **options: Any) -> tuple[Numbers, Fraction]:
    """Encrypted numbers of this kind, and their scale.

    Raises:
        FormatError: the file holds something else, or its note makes no sense.
    """
    loaded: Numbers = cy.load(path, **options)
    kinds.require(loaded, Numbers, path, f"{kind} of `cyclotome circuit encrypt`")
    facts = cy.inspect(path).note
    if facts.get("kind", kind) != kind:  # numbers that a program saved say nothing
        raise FormatError(f"{path} holds {shortened(str(facts['kind']))}, where {kind} must be")
    return loaded, notes.read_note({"scale": facts.get("scale", "1")}, loaded.shape, str(path))["scale"]


def _save(path: Path, numbers: Numbers, kind: str, scale: Fraction, force: bool, json: bool, **facts: Any) -> None:
    cy.save(path, numbers, note={"kind": kind, "scale": str(scale)}, overwrite=force)
    shape = " × ".join(map(str, numbers.shape))
    size = path.stat().st_size
    told = {"file": str(path), "kind": kind, "shape": list(numbers.shape), "bits": numbers.bits, "bytes": size, **facts}
    emit(told, json, f"{visible(str(path))}: {kind}, {shape} numbers of {numbers.bits} bits, {text.byte_size(size)}")


@app.command("params")
@command
def params(
    job: Annotated[str, typer.Argument(help='"prince" or "sort".')],
    output: Annotated[Path, typer.Option("--output", "-o", help="The parameters' file, for example params.ct.")],
    count: Annotated[int | None, typer.Option(help="sort: numbers in a list, at most.")] = None,
    bits: Annotated[int | None, typer.Option(help="sort: of each number, at most.")] = None,
    signed: Annotated[bool, typer.Option("--signed", help="sort: numbers may be negative.")] = False,
    scheme: Annotated[str, typer.Option(help='"bgv" or "bfv".')] = "bgv",
    security: Annotated[int, typer.Option(help="Bits; 0 with --allow-insecure: a small ring, for trying out.")] = 128,
    degree: Annotated[int | None, typer.Option(help="n of x^n + 1; by default the smallest that does.")] = None,
    cyclotomic: Annotated[
        int | None, typer.Option(help="m of Phi_m: many blocks, or lists, at once; 21845 or 65535.")
    ] = None,
    allow_insecure: InsecureFlag = False,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Client: choose parameters that carry a job, both ways of PRINCE, or sorting lists of one size."""
    vacant(output, force)
    if security < 128 and not allow_insecure:
        raise SecurityError(f"--security {security} is below 128 bits; --allow-insecure takes it all the same")
    if job == "prince":
        if count is not None or bits is not None or signed:
            raise UsageError("--count, --bits and --signed are for sort; PRINCE has blocks of 64 bits")
        circuit = cy.circuit.Circuit.prince()
    elif job == "sort":
        if count is None or bits is None:
            raise UsageError("params sort: say --count, numbers in a list, and --bits, of each of them")
        circuit = cy.circuit.Circuit.sort(count=count, bits=bits, signed=signed)
    else:
        raise UsageError(f"params {shortened(job)}: there are prince and sort")
    chosen = circuit.parameters(scheme=scheme, security=security, degree=degree, cyclotomic=cyclotomic)
    cy.save(output, chosen, overwrite=force)
    emit({**parameter_facts(chosen), "file": output}, json, f"{chosen.summary()}\n{circuit.plan(chosen)}")
    note(f"written to {output}; next: cyclotome keygen {output} --out keys --rotations none")


@app.command("encrypt")
@command
@with_common
def encrypt(
    file: Annotated[Path, typer.Argument(help="Lists: a .csv, .npy or .parquet file; or hexadecimal text.")],
    key: Annotated[Path, typer.Option("--key", "-k", help="public.key; or secret.key, whose files are half as large.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The encrypted file.")],
    prince_key: Annotated[
        bool, typer.Option("--prince-key", help="The file has PRINCE's key: k0 and k1, 16 hexadecimal digits each.")
    ] = False,
    blocks: Annotated[
        bool, typer.Option("--blocks", help="The file has blocks of 16 hexadecimal digits, one a line.")
    ] = False,
    bits: Annotated[
        int | None, typer.Option(help="Of each number of lists; by default 8, 16, 32 or 64, as they need.")
    ] = None,
    signed: Annotated[bool, typer.Option("--signed", help="Numbers may be negative, also if these are not.")] = False,
    header: HeaderOption = None,
    device: Annotated[str, typer.Option("--device", help="Where to compute.")] = "cpu",
    *,
    common: Common,
) -> None:
    """Client: encrypt PRINCE's key, blocks, or lists, bit by bit."""
    vacant(output, common.force)
    if prince_key and blocks:
        raise UsageError("--prince-key and --blocks: a file holds one of them")
    if (prince_key or blocks) and (bits is not None or signed or header is not None):
        raise UsageError("--bits, --signed and --header are for lists; PRINCE's key and blocks have 64 bits")
    words = hexadecimal(file, 16) if prince_key or blocks else []
    if prince_key and len(words) != 2:
        raise FormatError(f"{file}: PRINCE's key is two words, k0 and k1, not {len(words)}")
    if blocks and not words:
        raise FormatError(f"{file}: there are no blocks")
    lists, scale = (None, Fraction(1)) if words else read_lists(file, header)
    owner = load_as((cy.PublicKey, cy.SecretKey), key, **common.trust, device=device)
    with progress_bar(), account(device):
        if prince_key:
            kind, numbers = KEY, cy.circuit.prince_key(words[0], words[1], owner)
        elif lists is None:
            kind, numbers = BLOCKS, cy.circuit.encrypt(np.array(words, dtype=object), owner, bits=64)
        else:
            negative = signed or bool((lists < 0).any())
            wide = width_for(lists, negative) if bits is None else bits
            kind, numbers = LISTS, cy.circuit.encrypt_lists(lists, owner, bits=wide, signed=negative)
        _save(output, numbers, kind, scale, common.force, common.json)


@app.command("prince")
@command
@with_common
def prince(
    key: Annotated[Path, typer.Argument(help="PRINCE's key, as the client encrypted it.")],
    file: Annotated[Path, typer.Argument(help="Blocks, as encrypted; with --public-key: hexadecimal text.")],
    keys: EvaluationOption,
    output: OutputOption,
    public_key: Annotated[
        Path | None, typer.Option("--public-key", help="The client's public.key: the blocks are public, in plain text.")
    ] = None,
    decrypt: Annotated[bool, typer.Option("--decrypt", help="The other way: from PRINCE to numbers.")] = False,
    device: DevicesOption = "cpu",
    *,
    common: Common,
) -> None:
    """Server: PRINCE of blocks under the client's encrypted key, without learning either.

    With --decrypt and --public-key, blocks that a small device sent under PRINCE become homomorphic ciphertexts.
    """
    vacant(output, common.force)
    devices = _devices(device)
    trust = {**common.trust, "device": devices[0]}
    words = [] if public_key is None else hexadecimal(file, 16)
    if public_key is not None and not words:
        raise FormatError(f"{file}: there are no blocks")
    known = [load_as(cy.EvaluationKeys, keys, **trust)]
    if public_key is not None:
        known.append(load_as(cy.PublicKey, public_key, **trust))
    secret_key, _ = _load(key, KEY, keys=known, device=devices[0])
    blocks: Any = np.array(words, dtype=object)
    if public_key is None:
        blocks, _ = _load(file, BLOCKS, keys=known, device=devices[0])
    with progress_bar(), account(devices[0]):
        result = cy.circuit.prince(blocks, secret_key, decrypt=decrypt, devices=devices)
    _save(output, result, BLOCKS, Fraction(1), common.force, common.json, noise_headroom_bits=result.noise_headroom)


@app.command("sort")
@command
@with_common
def sort(
    file: Annotated[Path, typer.Argument(help="Lists, as the client encrypted them.")],
    keys: EvaluationOption,
    output: OutputOption,
    top: Annotated[int | None, typer.Option("--top", help="Only so many of the largest, the largest first.")] = None,
    descending: Annotated[bool, typer.Option("--descending", help="The largest first.")] = False,
    device: DevicesOption = "cpu",
    *,
    common: Common,
) -> None:
    """Server: sort the client's lists without seeing them."""
    vacant(output, common.force)
    devices = _devices(device)
    trust = {**common.trust, "device": devices[0]}
    known = load_as(cy.EvaluationKeys, keys, **trust)
    lists, scale = _load(file, LISTS, keys=known, device=devices[0])
    with progress_bar(), account(devices[0]):
        if top is None:
            chosen = cy.circuit.sort(lists, descending=descending, devices=devices)
        else:
            chosen = cy.circuit.top_k(lists, top, devices=devices)
    assert isinstance(chosen, Numbers)  # nothing is carried along
    _save(output, chosen, LISTS, scale, common.force, common.json, noise_headroom_bits=chosen.noise_headroom)


@app.command("decrypt")
@command
@with_common
def decrypt(
    file: Annotated[Path, typer.Argument(help="An encrypted result.")],
    key: Annotated[Path, typer.Option("--key", "-k", help="Your secret.key.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file; by default results are printed.")] = (
        None
    ),
    passphrase_file: passphrases.FileOption = None,
    device: Annotated[str, typer.Option("--device", help="Where to compute.")] = "cpu",
    *,
    common: Common,
) -> None:
    """Client: decrypt a result: blocks in hexadecimal, lists as CSV; exactly, or a refusal."""
    if output is not None:
        vacant(output, common.force)
    secret = load_as(
        cy.SecretKey,
        key,
        passphrase=passphrases.to_open(str(key), passphrase_file),
        **common.trust,
        device=device,
    )
    kind = cy.inspect(file).note.get("kind")
    kind = kind if kind in (KEY, BLOCKS) else LISTS
    numbers, scale = _load(file, kind, expect=secret.parameters, allow_insecure=common.allow_insecure, device=device)
    if kind != LISTS and (numbers.bits != 64 or numbers.signed):
        raise FormatError(
            f"{file}: the note speaks of {kind}, but numbers have {numbers.bits} bits, not 64 unsigned ones"
        )
    with progress_bar(), account(device):
        values = cy.circuit.decrypt(numbers, secret)
    if kind == LISTS:
        rows = values.reshape(-1, values.shape[-1] if numbers.lists else 1)
        facts: dict[str, Any] = {"lists": rows.tolist(), "scale": str(scale)}
        lines = tables.csv_text(rows.T, scale)
    else:
        words = [f"{int(value):016x}" for value in values.ravel()]
        facts, lines = {"blocks": words}, "".join(f"{word}\n" for word in words)
    if output is not None:
        write_whole(output, lines.encode())
        emit({"file": str(output), **facts}, common.json, f"{visible(str(output))}: {kind}")
    elif common.json:
        emit(facts, True)
    else:
        put(lines)
