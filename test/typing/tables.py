# SPDX-License-Identifier: Apache-2.0
# pyright: strict
"""A table of sales, as somebody writes it whose editor wants everything typed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import cyclotome as cy

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: object, _: object) -> object:
        return value


def revenue(sales: cy.EncryptedFrame, shop: str) -> cy.EncryptedColumn:
    """The server's work: what one shop earned."""
    earned = sales["price"] * sales["sold"]
    assert_type(earned, cy.EncryptedColumn)
    here = sales["shop"] == shop
    assert_type(here, cy.EncryptedColumn)
    return (earned * here).sum()


def main() -> None:
    params = cy.Parameters.suggest(depth=2, value_bits=12, result_bits=40)
    secret, public, _ = cy.keygen(params)
    columns = {"price": [12.5, 0.99, 3.0], "sold": [3, 7, 1], "shop": ["A", "B", "A"]}
    sales = cy.encrypt_frame(columns, public, categories={"shop": ["A", "B"]})
    assert_type(sales, cy.EncryptedFrame)
    assert_type(sales["price"], "cy.EncryptedColumn | cy.EncryptedCategories")
    assert_type(sales[["price", "sold"]], cy.EncryptedFrame)
    assert_type(sales["price"].sum(), cy.EncryptedColumn)
    assert_type(1 - sales["sold"], cy.EncryptedColumn)
    assert_type(sales["price"].values, cy.EncryptedArray)
    assert_type(sales.groupby("shop").sum("sold"), cy.EncryptedFrame)
    assert sales[["price", "sold"]].columns.keys() == {"price", "sold"}

    assert cy.decrypt_frame(revenue(sales, "A"), secret) == Decimal("40.5")
    count = sales["sold"].count()
    assert_type(count, "int | cy.EncryptedColumn")
    assert cy.decrypt_frame(count, secret) == 3


if __name__ == "__main__":
    main()
