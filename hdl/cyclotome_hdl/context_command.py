# SPDX-License-Identifier: Apache-2.0
"""``cyclotome fpga context``: primes for circuits, generated, exported, imported, and used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import cyclotome as cy
import numpy as np
import typer
from cyclotome.cli.console import DebugFlag, ForceFlag, InsecureFlag, JsonFlag, emit, note, vacant, write_whole
from cyclotome.cli.failures import UsageError, command
from cyclotome.errors import EngineError, FileError, FormatError
from cyclotome_study import ProductContext

from . import exchange
from .products import design_for, multiply

app = typer.Typer(
    name="context",
    help="Contexts of polynomial products, as paper 004 generates them for its circuits.",
    no_args_is_help=True,
    add_completion=False,
)

ContextArgument = Annotated[Path, typer.Argument(help="A file of `context generate` or `import`.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]

#: Bytes of an export that are read at most: 18 primes of N = 32768 with all powers have 50 million.
MAXIMAL_BYTES = 1 << 30


@app.command("generate")
@command
def generate(
    output: OutputOption,
    degree: Annotated[int, typer.Option(help="N, a power of two.")] = 32768,
    modulus_bits: Annotated[int, typer.Option(help="The least bits of q, the product of the primes.")] = 1088,
    prime_bits: Annotated[
        str, typer.Option(help="Bits of the primes: 61, or the least and the largest, 40,61.")
    ] = "61",
    search: Annotated[
        str, typer.Option(help='"above": 2^(bits-1) + c with a small c, for folding; "below": as large as can be.')
    ] = "above",
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Generate primes p = 2N r + 1 with prime r, generators and roots (Algorithm 9 and Figure 5.2, corrected)."""
    vacant(output, force)
    if search not in ("above", "below"):
        raise UsageError(f"--search {search}: above or below")
    try:
        lengths = [int(each) for each in prime_bits.split(",")]
    except ValueError:
        lengths = []
    if len(lengths) not in (1, 2):
        raise UsageError(f"--prime-bits {prime_bits}: give one length, such as 61, or two, such as 40,61")
    context = ProductContext.generate(degree, modulus_bits, (lengths[0], lengths[-1]), search=search)  # type: ignore[arg-type]
    _save(context, output)
    emit(_facts(context, output), json)


@app.command("export")
@command
def export(
    context: ContextArgument,
    output: OutputOption,
    powers: Annotated[
        bool, typer.Option("--powers", help="Also the powers that circuits are loaded with: megabytes for each prime.")
    ] = False,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Write a context as JSON with hexadecimal numbers, for other programs and drivers of boards."""
    vacant(output, force)
    found = ProductContext.load(context)
    write_whole(output, exchange.to_text(found, powers=powers).encode())
    emit(_facts(found, output), json)


@app.command("import")
@command
def import_(
    text: Annotated[Path, typer.Argument(help="A file of `context export`.")],
    output: OutputOption,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Read JSON of `context export`, check every number in it, and write the context's own file."""
    vacant(output, force)
    try:
        if text.stat().st_size > MAXIMAL_BYTES:
            raise FormatError(f"{text} has more than {MAXIMAL_BYTES} bytes; no export is as large")
        content = text.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"{text} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{text} is no text: {error}") from error
    found = exchange.from_text(content)
    _save(found, output)
    emit(_facts(found, output), json)


@app.command("parameters")
@command
def parameters(
    context: ContextArgument,
    output: OutputOption,
    plain_modulus: Annotated[int, typer.Option(help="t: values are computed modulo it.")] = 2,
    scheme: Annotated[str, typer.Option(help='"bgv", paper 004\'s, or "bfv".')] = "bgv",
    security: Annotated[int, typer.Option(help="128, 192 or 256 bits; 0, with --allow-insecure, for none.")] = 128,
    allow_insecure: InsecureFlag = False,
    force: ForceFlag = False,
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Make encryption parameters of a context's primes: for keygen, encrypt, and --device fpga:sim."""
    vacant(output, force)
    chosen = cy.Parameters.from_context(
        ProductContext.load(context),
        plain_moduli=[plain_modulus],
        scheme=scheme,
        security=security,
        allow_insecure=allow_insecure,
    )
    cy.save(output, chosen, overwrite=force)
    facts = {"degree": chosen.degree, "modulus_bits": chosen.modulus_bits, "primes": len(chosen.moduli)}
    emit({**facts, "file": str(output)}, json, chosen.explain())


@app.command("check")
@command
def check(
    context: ContextArgument,
    design: Annotated[str, typer.Option(help="pease, cooley-tukey, iterative or streaming.")] = "iterative",
    pipes: Annotated[int, typer.Option(help="1, 2 or 4.")] = 1,
    reduction: Annotated[
        str, typer.Option(help='"montgomery", or "fold" for primes that were searched above a power of two.')
    ] = "montgomery",
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Multiply two random polynomials on the simulated circuit and on the processor, and compare.

    Primes may have 63 bits here. Needs the extra "fpga" and a C++ compiler.
    """
    found = ProductContext.load(context)
    circuit = design_for(found, design, pipes, reduction)
    rng = np.random.default_rng()
    size = (found.modulus.bit_length() + 7) // 8
    a, b = ([int.from_bytes(rng.bytes(size), "big") % found.modulus for _ in range(found.degree)] for _ in range(2))
    made = multiply(found, a, b, circuit, progress=note)
    if made.coefficients != found.multiply(a, b):
        raise EngineError(f"the circuit {circuit.title} gave a product that is not the processor's")
    facts: dict[str, Any] = {"circuit": circuit.title, "pipes": pipes, "word_bits": circuit.word_bits}
    emit({**facts, "primes": len(found.primes), "ticks": made.ticks, "equal": True}, json)


def _save(context: ProductContext, output: Path) -> None:
    write_whole(output, context.to_bytes())


def _facts(context: ProductContext, output: Path) -> dict[str, Any]:
    lengths = sorted({p.bit_length() for p in context.primes})
    return {
        "degree": context.degree,
        "modulus_bits": context.modulus.bit_length(),
        "primes": len(context.primes),
        "prime_bits": lengths,
        "file": str(output),
    }
