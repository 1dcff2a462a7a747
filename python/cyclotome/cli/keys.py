# SPDX-License-Identifier: Apache-2.0
"""``cyclotome params`` and ``cyclotome keygen``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import cyclotome as cy
from cyclotome.cli import kinds, passphrases
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import (
    DebugFlag,
    DeviceOption,
    ForceFlag,
    InsecureFlag,
    JsonFlag,
    account,
    emit,
    note,
    progress_bar,
    vacant,
)
from cyclotome.cli.failures import UsageError, command
from cyclotome.cli.option_words import in_options
from cyclotome.planning.measured import suggest_measured

#: Options of `params` that say what is computed; none of them goes with --preset or --bootstrappable.
INTENT = (
    "depth",
    "value_bits",
    "result_bits",
    "terms",
    "plain_products",
    "security",
    "security_table",
    "word",
    "scheme",
    "flooding_bits",
    "strict",
    "bits",
    "cyclotomic",
    "parties",
    "measure",
)


@command
def params(
    ctx: typer.Context,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the parameters to this file, for example params.ct.")
    ] = None,
    depth: Annotated[int, typer.Option(help="Products of encrypted values in a row.")] = 1,
    value_bits: Annotated[int, typer.Option(help="Encrypted values have at most this many bits, without sign.")] = 16,
    result_bits: Annotated[int | None, typer.Option(help="All results have at most this many bits.")] = None,
    terms: Annotated[
        int | None, typer.Option(help="At most this many values are added up; by default 16384, of bits 16.")
    ] = None,
    plain_products: Annotated[int, typer.Option(help="Products with plain vectors or matrices in a row.")] = 1,
    security: Annotated[int, typer.Option(help="128, 192 or 256 bits.")] = 128,
    security_table: Annotated[
        str,
        typer.Option(help='Where limits come from: also "he-standard-2018", and "quantum-guidelines-2024" (128 bits).'),
    ] = "guidelines-2024",
    word: Annotated[int | None, typer.Option(help="32 or 64 bits; by default whichever is cheaper.")] = None,
    scheme: Annotated[
        str | None,
        typer.Option(help='"bfv", or "bgv", whose ciphertexts shrink with every product; by default bfv, of bits bgv.'),
    ] = None,
    flooding_bits: Annotated[
        int,
        typer.Option(help="Results can be revealed to others with this flooding (decrypt --reveal); 0: they can't."),
    ] = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Noise bounds without any assumption, for some bits of modulus more.")
    ] = False,
    bits: Annotated[
        bool, typer.Option("--bits", help="Bits and elements of GF(2^16), over Phi_m, instead of integers.")
    ] = False,
    cyclotomic: Annotated[
        int | None, typer.Option(help="m of Phi_m, for bits: 4369, 21845 or 65535; by default what serves.")
    ] = None,
    parties: Annotated[
        int, typer.Option(help="Parties of a joint key, at most (cyclotome threshold); with --flooding-bits.")
    ] = 1,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Of words and schemes that are left open, those that take least time on one core of this machine.",
        ),
    ] = False,
    preset: Annotated[str | None, typer.Option(help="A named set of the literature, in place of all of these.")] = None,
    bootstrappable: Annotated[
        int | None,
        typer.Option(
            metavar="DEGREE",
            help="32768 or 65536: parameters whose arrays can be refreshed, in place of all of these; experimental.",
        ),
    ] = None,
    list_presets: Annotated[bool, typer.Option("--list", help="List the presets.")] = False,
    allow_insecure: InsecureFlag = False,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Choose parameters from what will be computed, and explain them."""
    if list_presets:
        emit({"presets": cy.Parameters.presets()}, json, "\n".join(cy.Parameters.presets()))
        return
    if output is not None:
        vacant(output, force)
    if preset is not None or bootstrappable is not None:
        option = "--bootstrappable" if preset is None else "--preset"
        given = [name for name in INTENT if str(ctx.get_parameter_source(name)).endswith("COMMANDLINE")]
        if set(given) - {"value_bits"} or None not in (preset, bootstrappable):
            raise UsageError(f"{option} fixes everything but --value-bits; leave out {', '.join(given) or 'the other'}")
        stated = value_bits if given else None
        if bootstrappable is not None:
            chosen = cy.Parameters.bootstrappable(bootstrappable, allow_insecure=allow_insecure, value_bits=stated)
        elif preset is not None:
            chosen = cy.Parameters.preset(preset, allow_insecure=allow_insecure, value_bits=stated)
    else:
        intent: dict[str, Any] = {
            "depth": depth,
            "value_bits": value_bits,
            "result_bits": result_bits,
            "terms": terms,
            "plain_products": plain_products,
            "security": security,
            "table": security_table,
            "word": word,
            "scheme": scheme,
            "flooding_bits": flooding_bits,
            "strict": strict,
            "parties": parties,
        }
        if measure and (bits or cyclotomic is not None):
            raise UsageError(
                "--measure chooses words and schemes for integers; leave it out, or --bits and --cyclotomic"
            )
        if measure:
            with progress_bar():
                chosen = suggest_measured(**intent)
        else:
            chosen = cy.Parameters.suggest(**intent, bits=bits, cyclotomic=cyclotomic)
    if output is not None:
        cy.save(output, chosen, overwrite=force)
    emit({**parameter_facts(chosen), "file": output}, json, chosen.explain())
    if output is not None:
        note(f"written to {output}")
        if chosen.security_by("guidelines-2024") < 128 <= chosen.security_reached:
            note(f"commands that read it, or keys made from it, take --security-table {chosen.table}")


def parameter_facts(parameters: cy.Parameters) -> dict[str, Any]:
    """Parameters for machines."""
    return {
        "scheme": parameters.scheme,
        "degree": parameters.degree,
        "cyclotomic": parameters.cyclotomic,
        "slots": parameters.slots,
        "plain_moduli": list(parameters.plain_moduli),
        "moduli": list(parameters.moduli),
        "special_moduli": list(parameters.special_moduli),
        "digits": parameters.digits,
        "word": parameters.word,
        "value_bits": parameters.value_bits,
        "security": parameters.security_reached,
        "security_table": parameters.table,
        "attacks": parameters.attacks,
        "insecure": parameters.insecure,
        "strict": parameters.strict,
        "parties": parameters.parties,
        "name": parameters.name,
        "fingerprint": parameters.fingerprint,
    }


def rotation_steps(text: str) -> list[int] | None:
    """What --rotations says: None for those that sums need, else a list of steps. Raises UsageError."""
    if text == "sums":
        return None
    if text == "none":
        return []
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--rotations {text!r}: write sums, none, or steps such as 1,2,-3") from None


def galois_elements(text: str, parameters: cy.Parameters) -> list[int]:
    """What --galois says. Raises UsageError."""
    if text == "none":
        return []
    if text == "traces":
        return cy.polynomials.trace_elements(parameters)
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--galois {text!r}: write none, traces, or exponents such as 3,5,9") from None


@command
@with_common
def keygen(
    parameters: Annotated[Path, typer.Argument(help="A file that `cyclotome params` wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the keys; made if it does not exist.")],
    rotations: Annotated[
        str, typer.Option(help='Rotation keys: "sums" for what sums need, "none", or steps such as 1,2,-3.')
    ] = "sums",
    galois: Annotated[
        str,
        typer.Option(
            help='Keys for automorphisms of polynomials: "none", "traces" for those of trace, expand and pack, '
            "or exponents such as 3,5,9."
        ),
    ] = "none",
    bootstrap: Annotated[
        bool,
        typer.Option(help="Keys that refresh arrays too, for `params --bootstrappable`; experimental, and large."),
    ] = False,
    reveals: Annotated[
        int, typer.Option(help="Ciphertexts that `decrypt --reveal` shall open in this key's life, and no more.")
    ] = 1 << 20,
    passphrase: passphrases.Flag = False,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Make keys: secret.key (yours alone), public.key (for who encrypts), evaluation.key (for who computes).

    All three files appear together, or none. With --force a secret key that was there stays as secret.key.bak-ID.
    """
    steps = rotation_steps(rotations)
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out names a folder")
    chosen = load_as(cy.Parameters, parameters, **common.trust)
    turned = galois_elements(galois, chosen)
    out.mkdir(parents=True, exist_ok=True)
    paths = [vacant(out / f"{name}.key", common.force) for name in ("secret", "public", "evaluation")]
    phrase = passphrases.wanted(str(paths[0]), passphrase, passphrase_file)
    with progress_bar(), account(device):
        keys = cy.keygen(
            chosen,
            rotations=steps,
            galois_elements=turned,
            bootstrap=bootstrap,
            reveals=reveals,
            device=device,
        )
    written = cy.save_keys(out, keys, overwrite=common.force, passphrase=phrase)
    facts: dict[str, Any] = {"parameters": chosen.summary(), "key_id": keys.secret.key_id}
    facts["files"] = [str(path) for path in paths]
    if written.backup is not None:
        facts["backup"] = written.backup
    emit(facts, common.json)
    if written.backup is not None:
        note(f"the secret key that was there is now {written.backup}: what was encrypted for it needs it")
    what = "with its passphrase" if phrase is not None else "and is not encrypted"
    note(f"{paths[0]} decrypts everything {what}: keep it to yourself (its mode is 0600)")


def load_as(kind: type[Any] | tuple[type[Any], ...], path: Path, **options: Any) -> Any:
    """The object in a file, which must be of this kind; asks for a passphrase if the file needs one.

    Raises:
        MismatchError, FormatError: it is of another kind (`kinds.require`).
    """
    options.setdefault("passphrase", passphrases.to_open(str(path)))
    with noted_warnings():
        loaded = cy.load(path, **options)
    kinds.require(loaded, kind, path)
    return loaded


@contextmanager
def noted_warnings() -> Iterator[None]:
    """Says warnings as notes of the command."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        note(f"warning: {in_options(str(warning.message))}")
