# SPDX-License-Identifier: Apache-2.0
"""Parameters for a computation, found by running it on an engine that only keeps account (`plan`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from ..errors import ArgumentError, PaddingWarning, ParameterError
from ..numbers.values import index
from ..options import bootstrap, current
from ..parameters.parameters import Parameters
from .dry_runs import Operand
from .moduli import MOST_BITS
from .search import cheapest
from .trials import Search
from .unlimited import cheapest_unlimited

__all__ = ["suggest"]


def suggest(
    *,
    compute: Callable[..., object] | None = None,
    inputs: Operand | Sequence[Operand] | None = None,
    value_bits: int | None = None,
    security: int = 128,
    table: str = "guidelines-2024",
    word: int | None = None,
    min_degree: int = 0,
    slots: bool = True,
    scheme: str | None = None,
    strict: bool = False,
    plain_moduli: Sequence[int] | None = None,
    flooding_bits: int = 0,
    parties: int = 1,
    depth: int | Literal["unlimited"] | None = None,
    measure: bool = False,
    **intent: Any,
) -> Parameters:
    """The cheapest parameters that serve a computation, given as a function; `Parameters.suggest` finds them for one
    that is described.

    ``compute`` is run, on an engine that only keeps account, with one set of parameters after the other: depth,
    sums, rotations, values and noise are its own, and nothing has to be said about them. What comes out never refuses
    the same computation of the same inputs.

    Cheapest is what takes the least time by a model of one class of processors, so that everybody who asks the same
    gets the same: of degrees, schemes, words, plaintext moduli and lengths of the modulus, among these also longer ones
    than are needed, with which operations may take other ways. Takes from a tenth of a second to some seconds, of which
    `progress` is told, and hears Ctrl-C.

    Args:
        compute: a function of encrypted arrays that returns some, alone or in lists and dicts. It is run several times.
        inputs: for each argument an `Operand`, which says what `encrypt` will be told: shape and bound above all.
        value_bits: the default bound of `encrypt` with these parameters; None: whatever they hold.
        security, table, word, strict: see `Parameters`.
        min_degree: at least this many slots.
        slots: False for arrays in coefficients, whose plaintext moduli need no slots. Otherwise they have n of them, or
            are a shorter prime with fewer, at least 64, where that takes less work in all.
        scheme: "bfv" or "bgv"; None: the one that takes less time, by a model.
        plain_moduli: take these and no others, as for values that wrap around.
        flooding_bits: each result can be given to others with `reveal` and this flooding, up to 128 bits; 0: they
            can't.
        parties: of a joint key (`threshold`), at most; with ``flooding_bits`` all of them can decrypt the results
            together with this flooding.
        depth: "unlimited" for a computation whose operations refresh by themselves, ``with cy.bootstrap("auto")``: the
            one of `Parameters.bootstrappable` that takes the least work, refreshes included. Within that context it is
            what is looked for where no parameters carry the computation otherwise. EXPERIMENTAL.
        measure: choose by the time that the computation's work takes on one core of this machine, of the sets that the
            model ranks first: other machines may then have other parameters. Takes some seconds more, of which
            `progress` is told; what was measured is kept, for this build of the library, in the user's cache
            (``$XDG_CACHE_HOME/cyclotome``).
        intent: without ``compute``, what `Parameters.suggest` takes: another name of that, with a warning.

    Raises:
        ParameterError: no supported degree carries it.
        RangeError: values that no plaintext moduli hold; with ``plain_moduli``, that these don't.
        Whatever else the computation raises by itself.

    Example:
        >>> import cyclotome as cy
        >>> params = cy.suggest(compute=lambda x, y: (x * y).sum(), inputs=[cy.Operand((64,), bound=99)] * 2)
        >>> secret, public, _ = cy.keygen(params)
        >>> x, y = (cy.encrypt(range(64), public, bound=99) for _ in range(2))
        >>> int(cy.decrypt((x * y).sum(), secret))
        85344
    """
    if depth is not None and (compute is None or depth != "unlimited"):
        intent["depth"] = depth
    if compute is None:
        warnings.warn(
            "suggest without compute is cyclotome.Parameters.suggest, of the same arguments; this name for it "
            "goes with version 1.0",
            DeprecationWarning,
            stacklevel=2,
        )
        if inputs is not None or plain_moduli is not None or measure:
            raise ArgumentError("suggest: inputs, plain_moduli and measure go with compute, the function of inputs")
        shared: dict[str, Any] = {
            "security": security,
            "table": table,
            "word": word,
            "min_degree": min_degree,
            "slots": slots,
            "flooding_bits": flooding_bits,
            "parties": parties,
        }
        return Parameters.suggest(
            value_bits=16 if value_bits is None else value_bits,
            scheme=scheme,
            strict=strict,
            **shared,
            **intent,
        )
    if intent:
        raise ArgumentError(
            f"suggest: {', '.join(sorted(intent))} say what compute takes, which is found by running it; leave them out"
        )
    every = (inputs,) if isinstance(inputs, Operand) else tuple(inputs or ())
    if not every or not all(isinstance(each, Operand) for each in every):
        raise ArgumentError("suggest: say what compute is given: inputs=[cy.Operand(shape, bound=...), ...]")
    if value_bits is not None and not 1 <= index(value_bits, "suggest: value_bits") <= MOST_BITS:
        raise ParameterError(f"suggest: value_bits = {value_bits} must lie in [1, {MOST_BITS}]")
    if value_bits is not None:
        every = tuple(
            each if each.bound is not None or each.wrap or each.digits else replace(each, bound=2**value_bits - 1)
            for each in every
        )
    moduli = None
    if plain_moduli is not None:
        if isinstance(plain_moduli, (str, bytes)) or not isinstance(plain_moduli, Iterable) or not list(plain_moduli):
            raise ArgumentError(f"suggest: plain_moduli {plain_moduli!r}; they are a list of at least one number")
        moduli = tuple(index(each, "suggest: a plaintext modulus") for each in plain_moduli)
    if not 0 <= index(flooding_bits, "suggest: flooding_bits") <= 128:
        raise ArgumentError(f"suggest: flooding_bits {flooding_bits} must lie in [0, 128]; 64 is usual, and 0 is none")
    search = Search(
        compute,
        every,
        value_bits,
        security,
        table,
        strict,
        moduli,
        slots,
        index(flooding_bits, "suggest"),
        parties,
        bool(measure),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PaddingWarning)  # of parameters that are only tried
        if depth == "unlimited":
            return cheapest_unlimited(search, word, min_degree, scheme)
        try:
            with bootstrap("never"):
                return cheapest(search, [32, 64] if word is None else [word], min_degree, scheme)
        except ParameterError as error:
            if current.get().refresh_operands:
                return cheapest_unlimited(search, word, min_degree, scheme)
            raise type(error)(f"{error}; or take depth='unlimited', and cy.bootstrap") from None
