# SPDX-License-Identifier: Apache-2.0
# pyright: strict
"""A client, a server and a circuit, as somebody writes them whose editor wants everything typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import cyclotome as cy
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: object, _: object) -> object:
        return value


def doubled(x: cy.EncryptedArray) -> cy.EncryptedArray:
    return 2 * x


FUNCTIONS: dict[str, Callable[..., cy.EncryptedArray]] = {"double": doubled}


def served(keys: cy.Keys) -> None:
    """Bytes there and back."""
    client, server = cy.Client(None, keys), cy.Server(FUNCTIONS)
    name, request = server.add_keys(client.key_bytes()), client.request([1, 2, 3], bound=3)
    assert_type(request, bytes)
    assert_type(client.encrypt([1, 2], layout="packed"), cy.EncryptedArray)
    assert client.read(server.call("double", request, name), "double", request).tolist() == [2, 4, 6]


def revealed(keys: cy.Keys) -> None:
    """A result for others to see."""
    values = cy.reveal(cy.encrypt([1, 2, 3], keys.secret), keys.secret)
    assert_type(values, "NDArray[Any] | Any")
    assert values.max() == 3
    try:
        cy.reveal(cy.encrypt([1], keys.secret), keys.secret, flooding_bits=128)
    except cy.errors.NoiseError as error:
        assert_type(error, cy.errors.NoiseError)
    except cy.CyclotomeError as error:
        raise AssertionError from error


def sorted_bits(keys: cy.Keys) -> None:
    """Circuits over bits say whether one comes out, or two."""
    numbers = cy.circuit.encrypt_lists([2, 1], keys.public, bits=2)
    assert_type(numbers, cy.circuit.EncryptedNumbers)
    if TYPE_CHECKING:
        assert_type(cy.circuit.sort(numbers), cy.circuit.EncryptedNumbers)
        assert_type(
            cy.circuit.sort(numbers, carry=numbers), "tuple[cy.circuit.EncryptedNumbers, cy.circuit.EncryptedNumbers]"
        )
    assert_type(cy.circuit.decrypt(numbers, keys.secret), NDArray[Any])


def main() -> None:
    params = cy.Parameters.suggest(depth=1, value_bits=7, flooding_bits=64)
    keys = cy.keygen(params, rotations=[])
    served(keys)
    revealed(keys)
    circuit = cy.circuit.Circuit.sort(count=2, bits=2)
    sorted_bits(cy.keygen(circuit.parameters(), rotations=[]))
    steps = cy.FixedPoint(bits=4)
    assert_type(steps.decode(8), float)
    assert steps.decode(8) == 0.5


if __name__ == "__main__":
    main()
