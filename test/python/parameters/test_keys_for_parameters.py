# SPDX-License-Identifier: Apache-2.0
"""What is encoded for parameters, not for keys, says where a key has them."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import pytest


@pytest.mark.parametrize("make", [lambda given: cy.Matrix([[1, 2]], given), lambda given: cy.plain([1, 2], given)])
def test_a_key_in_place_of_parameters_is_refused_with_the_way_out(make: Any) -> None:
    parameters = cy.Parameters.suggest(depth=0, value_bits=4)
    keys = cy.keygen(parameters, rotations=[])
    for key in keys:
        with pytest.raises(cy.errors.UnsupportedError, match=r"takes Parameters, not \w+; give its .parameters"):
            make(key)
    with pytest.raises(cy.errors.UnsupportedError, match=r"takes Parameters, not int$"):
        make(3)
    assert make(keys.public.parameters).parameters == parameters
