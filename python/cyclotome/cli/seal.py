# SPDX-License-Identifier: Apache-2.0
"""``cyclotome seal``: files of Microsoft SEAL in, and files for it out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import cyclotome as cy
from cyclotome import text
from cyclotome.cli import kinds
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import (
    DeviceOption,
    emit,
    note,
    vacant,
    write_whole,
)
from cyclotome.cli.failures import UsageError, command
from cyclotome.cli.keys import load_as, noted_warnings, parameter_facts
from cyclotome.cli.visible import visible
from cyclotome.errors import FormatError
from cyclotome.interop import seal

__all__ = ["app"]

app = typer.Typer(
    name="seal",
    help="Files of Microsoft SEAL 4 in, and files for it out: BFV and BGV.",
    epilog="params and keys once; then import what SEAL encrypted, and export what it is to have.",
    no_args_is_help=True,
)

UnfitFlag = Annotated[
    bool,
    typer.Option(
        "--allow-unfit-key",
        help="Take a secret key that fails the check on which noise bounds rest, as one in twenty of SEAL's does.",
    ),
]
CompressionOption = Annotated[str, typer.Option(help='"none", "zlib" or "zstd".')]
VersionOption = Annotated[
    str, typer.Option("--seal-version", help="Of the SEAL that reads it; before 4.4 each reads its own version only.")
]


@app.command("params")
@command
@with_common
def params(
    file: Annotated[Path, typer.Argument(help="What EncryptionParameters.save wrote.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The parameters' file, for example params.ct.")],
    *,
    common: Common,
) -> None:
    """SEAL's encryption parameters as parameters of this library.

    SEAL's defaults for n = 8192 and above need --security-table he-standard-2018, which SEAL follows.
    """
    vacant(output, common.force)
    chosen = seal.read_parameters(
        file, security_table=common.security_table or "guidelines-2024", allow_insecure=common.allow_insecure
    )
    cy.save(output, chosen, overwrite=common.force)
    emit({**parameter_facts(chosen), "file": str(output)}, common.json, chosen.explain())
    note(f"written to {output}")


@app.command("keys")
@command
@with_common
def keys(
    parameters: Annotated[Path, typer.Argument(help="A file that `cyclotome seal params` wrote.")],
    secret: Annotated[Path, typer.Argument(help="What SecretKey.save wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the keys; made if it does not exist.")],
    allow_unfit_key: UnfitFlag = False,
    *,
    common: Common,
) -> None:
    """SEAL's secret key as secret.key, and a public.key and evaluation.key for it that are made now.

    SEAL's own public and evaluation keys have no seed and don't fit into files of this library; programs read them with
    cyclotome.interop.seal.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out names a folder")
    chosen = load_as(cy.Parameters, parameters, **common.trust)
    owner = seal.Owner(chosen, allow_unfit_key=allow_unfit_key)
    with noted_warnings():
        made = seal.make_keys(owner.read_secret_key(secret))
    out.mkdir(parents=True, exist_ok=True)
    for name in ("secret", "public", "evaluation"):
        vacant(out / f"{name}.key", common.force)
    written = cy.save_keys(out, made, overwrite=common.force)
    facts: dict[str, Any] = {"parameters": chosen.summary(), "key_id": made.secret.key_id}
    facts["files"] = [str(out / f"{name}.key") for name in ("secret", "public", "evaluation")]
    if written.backup is not None:
        facts["backup"] = written.backup
    emit(facts, common.json)
    note(f"{out / 'secret.key'} decrypts everything and is not encrypted: keep it to yourself (its mode is 0600)")


@app.command("import")
@command
@with_common
def import_(
    files: Annotated[list[Path], typer.Argument(help="What Ciphertext.save wrote: ciphertexts of one array.")],
    key: Annotated[
        Path, typer.Option("--key", "-k", help="The secret.key of `cyclotome seal keys`, or its public.key.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The encrypted file, for example data.ct.")],
    fresh: Annotated[bool, typer.Option("--fresh", help="They are encryptions as SEAL made them.")] = False,
    noise_budget: Annotated[
        int | None, typer.Option(help="What SEAL's invariant_noise_budget says of them, the least of all.")
    ] = None,
    bound: Annotated[int | None, typer.Option(help="Largest magnitude of a value. Public. By default t/2.")] = None,
    wrap: Annotated[bool, typer.Option("--wrap", help="Values and results are meant modulo t, as in SEAL.")] = False,
    length: Annotated[int | None, typer.Option(help="How many values there are; by default all slots.")] = None,
    coefficients: Annotated[
        bool, typer.Option("--coefficients", help="Values are coefficients, not slots of BatchEncoder.")
    ] = False,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """SEAL's ciphertexts as an encrypted file, for eval and decrypt. With the secret key their noise is measured;
    with the public one --fresh or --noise-budget must say it."""
    vacant(output, common.force)
    owner = seal.Owner.of(
        load_as((cy.SecretKey, cy.PublicKey), key, allow_unfit_key=True, device=device, **common.trust)
    )
    array = owner.read_array(
        list(files) if len(files) > 1 else files[0],
        fresh=fresh,
        noise_budget=noise_budget,
        bound=bound,
        wrap=wrap,
        length=length,
        encoding="coefficients" if coefficients else None,
    )
    cy.save(output, array, overwrite=common.force)
    size = output.stat().st_size
    facts: dict[str, Any] = {"file": str(output), "shape": list(array.shape), "bound": array.bound, "bytes": size}
    facts |= {"noise_headroom": array.noise_headroom, "parameters": array.parameters.summary()}
    shape = " × ".join(map(str, array.shape))
    emit(facts, common.json, f"{visible(str(output))}: {shape} numbers, {text.byte_size(size)}")


@app.command("export")
@command
@with_common
def export(
    file: Annotated[Path, typer.Argument(help="Parameters, a key, or an encrypted file.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The file for SEAL; of several objects, its stem."),
    ],
    compression: CompressionOption = "zlib",
    seal_version: VersionOption = "4.1",
    *,
    common: Common,
) -> None:
    """A file of this library for SEAL: OUTPUT; of evaluation keys OUTPUT.relin and OUTPUT.galois, and of an array of
    several ciphertexts OUTPUT.0, OUTPUT.1, …"""
    loaded = load_as(object, file, **common.trust, allow_unfit_key=True)
    how = {"compression": compression, "version": seal_version}
    if isinstance(loaded, cy.SecretKey):
        vacant(output, common.force)
        seal.save_secret_key(output, loaded, overwrite=common.force, **how)
        written = [output]
        note(f"{output} decrypts everything and is not encrypted: keep it to yourself (its mode is 0600)")
    else:
        written = _write(_objects(loaded, file, output, how), common.force)
    facts = {"files": [str(path) for path in written], "bytes": sum(path.stat().st_size for path in written)}
    emit(facts, common.json, "\n".join(visible(str(path)) for path in written))


def _objects(loaded: Any, file: Path, output: Path, how: dict[str, Any]) -> dict[Path, bytes]:
    """What SEAL is to have, by file. Raises FormatError for what it has no object for."""
    if isinstance(loaded, cy.Parameters):
        return {output: seal.write_parameters(loaded, **how)}
    if isinstance(loaded, cy.PublicKey):
        return {output: seal.write_public_key(loaded, **how)}
    if isinstance(loaded, cy.EvaluationKeys):
        made = {}
        if loaded.relinearization:
            made[output.with_name(f"{output.name}.relin")] = seal.write_relin_keys(loaded, **how)
        if loaded.galois_elements:
            made[output.with_name(f"{output.name}.galois")] = seal.write_galois_keys(loaded, **how)
        return made
    if isinstance(loaded, cy.EncryptedArray):
        items = seal.write_array(loaded, **how)
        names = [output] if len(items) == 1 else [output.with_name(f"{output.name}.{i}") for i in range(len(items))]
        return dict(zip(names, items, strict=True))
    raise FormatError(f"{file} holds {kinds.words_of(type(loaded))}, for which SEAL has no object")


def _write(made: dict[Path, bytes], force: bool) -> list[Path]:
    for path in made:
        vacant(path, force)
    for path, data in made.items():
        write_whole(path, data)
    return list(made)
