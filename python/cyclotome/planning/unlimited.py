# SPDX-License-Identifier: Apache-2.0
"""Parameters for computations without end, whose operations refresh by themselves (`cyclotome.bootstrap`)."""

from __future__ import annotations

from ..errors import NoiseError, ParameterError, RangeError
from ..options import bootstrap
from ..parameters.parameters import Parameters
from ..parameters.unlimited import DEGREES, require_refreshable
from .measured import fastest_of
from .moduli import fits
from .trials import Search

__all__ = ["cheapest_unlimited"]


def cheapest_unlimited(search: Search, word: int | None, min_degree: int, scheme: str | None) -> Parameters:
    """Of the sets that can be refreshed the one that takes the least work for the computation, refreshes included.

    Raises:
        ParameterError: what is asked for is nothing that can be refreshed, or more slots than there are.
        RangeError, NoiseError: what the computation raises with each of them, with the larger one.
    """
    require_refreshable(
        security=search.security,
        table=search.table,
        word=word,
        slots=search.slots,
        scheme=scheme,
        strict=search.strict,
        parties=search.parties,
    )
    found: list[tuple[float, Parameters]] = []
    refused: RangeError | NoiseError | None = None
    with bootstrap("auto"):
        for degree in DEGREES:
            parameters = Parameters.bootstrappable(degree, value_bits=search.value_bits)
            other = search.plain_moduli is not None and search.plain_moduli != tuple(parameters.plain_moduli)
            if degree < min_degree or other or not fits(search, degree):
                continue
            try:
                search.headroom(parameters)
            except (RangeError, NoiseError) as error:
                refused = error
                continue
            found.append((search.cost(parameters), parameters))
    search.finished()
    if found:
        ranked = [parameters for _, parameters in sorted(found, key=lambda each: each[0])]
        if not search.measure:
            return ranked[0]
        with bootstrap("auto"):
            return fastest_of(ranked, search.compute, search.inputs)
    if refused is not None:
        raise refused
    raise ParameterError(
        f"suggest: no parameters that can be refreshed have {max(min_degree, 1)} slots and the plaintext moduli that "
        f"are asked for; there are those of degrees {' and '.join(map(str, DEGREES))} (Parameters.bootstrappable)"
    )
