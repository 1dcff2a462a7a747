# SPDX-License-Identifier: Apache-2.0
"""``cyclotome eval``: an expression over encrypted files, without any secret key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import cyclotome as cy
from cyclotome import text
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import (
    DeviceOption,
    account,
    emit,
    progress_bar,
    vacant,
)
from cyclotome.cli.evaluation import expression
from cyclotome.cli.failures import UsageError, command
from cyclotome.cli.keys import load_as
from cyclotome.cli.numbers import decimals
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.cli.tables import notes, tables
from cyclotome.cli.tables.arrays import HeaderOption, read_input
from cyclotome.cli.visible import visible
from cyclotome.planning.refreshes import PlannedRefresh, refreshes_of


def input_files(options: list[str]) -> dict[str, Path]:
    """--input NAME=FILE, as a dictionary. Raises UsageError."""
    files: dict[str, Path] = {}
    for option in options:
        name, separator, file = option.partition("=")
        if not separator or not name.isidentifier() or not file:
            raise UsageError(f"--input {option!r}: write NAME=FILE, with a name such as x")
        if name in files or name in expression.RESERVED:
            raise UsageError(f"--input {option!r}: the name {name} is taken")
        files[name] = Path(file)
    return files


def _load(
    path: Path, header: bool | None, keys: cy.EvaluationKeys, allow_insecure: bool, device: str
) -> Quantity | cy.EncryptedFrame:
    if path.suffix.lower() in tables.SUFFIXES:
        table = read_input(path, None, header if path.suffix.lower() == ".csv" else None)
        integers, scale = decimals.quantise(table.values, automatic=True, fractions=True)
        return Quantity(integers, scale, table.columns)
    options = {"expect": keys.parameters, "allow_insecure": allow_insecure, "device": device}
    loaded = notes.load(path, keys=keys, **options)
    return loaded if isinstance(loaded, cy.EncryptedFrame) else notes.quantity_of(path, loaded)


@contextmanager
def _refreshes(when: Literal["auto", "never"]) -> Iterator[list[PlannedRefresh]]:
    """Within it operations refresh by themselves, or not; what is refreshed."""
    with cy.bootstrap(when), refreshes_of() as found:
        yield found


@command
@with_common
def evaluate(
    formula: Annotated[str, typer.Argument(metavar="EXPRESSION", help="For example 'x * x + 3 * x', 'mean(x)'.")],
    keys: Annotated[Path, typer.Option("--keys", "-k", help="evaluation.key of whoever encrypted.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The encrypted result, for example result.ct.")],
    inputs: Annotated[
        list[str] | None, typer.Option("--input", "-i", help="NAME=FILE: encrypted, or plain .csv, .npy, .parquet.")
    ] = None,
    header: HeaderOption = None,
    public: Annotated[
        Path | None, typer.Option("--public", help="public.key: hides results anew that would hide nothing (x − x).")
    ] = None,
    product_method: Annotated[
        str | None,
        typer.Option(help=f"How products of BFV are computed: {', '.join(cy.bfv.METHODS)}; results are the same."),
    ] = None,
    relinearize: Annotated[
        bool,
        typer.Option(
            "--relinearize/--no-relinearize",
            help="Leave products of polynomials as they are, of three parts: for parameters without room for more.",
        ),
    ] = True,
    smallest: Annotated[
        bool,
        typer.Option("--smallest", help="Store the result in the fewest primes that decrypt."),
    ] = False,
    bootstrap: Annotated[
        bool,
        typer.Option("--bootstrap", help="Refresh what has no room left for an operation; experimental."),
    ] = False,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Compute on encrypted files.

    There are + - * ** @, division by public numbers, x["column"], x[0:2], and sum, mean, var, cov, dot over the last
    axis (axis=0, axis=None as in numpy), and number by number equal(a, b), less(a, b), maximum, minimum and
    where(mask, a, b). Shapes broadcast as in numpy; a table's first axis numbers its columns.
    Results are exact, and names of columns stay with the axis they name. Of a table whose columns have scales of their
    own there are x["column"], with missing values filled(x["column"]), which takes them as 0, and present(x["column"]);
    sum(x["category"] * x["column"]) is a sum by groups. Of polynomials (encrypt --polynomials) there
    are negacyclic(a, b), convolve(a, b), turn(a, 3) for a(x^3), trace, expand and pack.
    refresh(a) gives the same numbers fresh noise, and --bootstrap does so where it is needed (experimental).
    """
    files = input_files(inputs or [])
    used = expression.names(formula)
    if used - files.keys():
        missing = sorted(used - files.keys())[0]
        raise UsageError(f"the expression uses {missing}: add --input {missing}=FILE")
    if not any(files[name].suffix.lower() not in tables.SUFFIXES for name in used):
        raise UsageError("nothing encrypted takes part in the expression; add an encrypted --input")
    if header is not None and not any(files[name].suffix.lower() == ".csv" for name in used):
        raise UsageError("--header and --no-header are for plain .csv inputs; there is none")
    if product_method is not None and product_method not in cy.bfv.METHODS:
        raise UsageError(f"--product-method {product_method}: there are {', '.join(cy.bfv.METHODS)}")
    vacant(output, common.force)
    trust = {**common.trust, "device": device}
    evaluation = load_as(cy.EvaluationKeys, keys, **trust)
    values = {name: _load(files[name], header, evaluation, common.allow_insecure, device) for name in sorted(used)}
    if public is not None:
        hiding = load_as(cy.PublicKey, public, **trust)
        values = {name: q.with_keys(hiding) for name, q in values.items()}
    how: Literal["auto", "never"] = "auto" if bootstrap else "never"
    with progress_bar(), account(device), cy.bfv.product_method(product_method or ""), _refreshes(how) as refreshes:
        result = expression.evaluate(formula, values, relinearize)
        if not result.encrypted:
            raise UsageError("the result is not encrypted: nothing encrypted takes part in it")
        if smallest:
            result = replace(result, values=result.values.switch_to_least_level())
        notes.save_quantity(output, result, common.force)
    headroom, size = result.values.noise_headroom, output.stat().st_size
    facts: dict[str, Any] = {"file": str(output), "shape": list(result.shape), "columns": result.columns}
    facts |= {"axis": result.axis} if result.axis else {}
    facts |= {"scale": str(result.scale), "noise_headroom_bits": headroom, "bound": result.values.bound, "bytes": size}
    if refreshes:
        facts["refreshes"] = [{"operation": each.operation, "ciphertexts": each.ciphertexts} for each in refreshes]
    line = f"{visible(str(output))}: shape {result.shape}, noise headroom {headroom:.0f} bits, {text.byte_size(size)}"
    line += f", {text.plural(sum(each.ciphertexts for each in refreshes), 'ciphertext')} refreshed" if refreshes else ""
    emit(facts, common.json, line)
