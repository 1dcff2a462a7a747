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
    params = cy.Parameters.suggest(depth=6, value_bits=12, result_bits=40)
    secret, public, _ = cy.keygen(params)
    columns = {"price": [12.5, 0.99, 3.0], "sold": [3, 7, 1], "shop": ["A", "B", "A"]}
    sales = cy.encrypt_frame(columns, public, categories={"shop": ["A", "B"]}, bounds={"sold": (0, 9)})
    assert_type(sales, cy.EncryptedFrame)
    assert_type(sales["price"], "cy.EncryptedColumn | cy.EncryptedCategories")
    assert_type(sales[["price", "sold"]], cy.EncryptedFrame)
    assert_type(sales["price"].sum(), cy.EncryptedColumn)
    assert_type(1 - sales["sold"], cy.EncryptedColumn)
    assert_type(sales["price"].values, cy.EncryptedArray)
    assert_type(sales.groupby("shop").sum("sold"), cy.EncryptedFrame)
    assert sales[["price", "sold"]].columns.keys() == {"price", "sold"}

    assert cy.decrypt_frame(revenue(sales, "A"), secret) == Decimal("40.5")
    assert_type(sales["sold"].mean(), cy.EncryptedStatistics)
    assert_type(sales["sold"] / 4, cy.EncryptedColumn)
    assert_type(sales["sold"] > 2, cy.EncryptedColumn)
    assert_type((sales["sold"] > 2) & (sales["shop"] != "A"), cy.EncryptedColumn)
    assert_type(sales[sales["shop"] == "A"], cy.EncryptedFrame)
    assert_type(sales.groupby("shop")["sold"].mean(), cy.EncryptedStatistics)
    assert_type(sales.groupby("shop").agg({"sold": ["mean", "max"]}), cy.EncryptedStatistics)
    assert_type(sales.describe(), cy.EncryptedStatistics)
    assert_type(sales.fit("sold", ["price"]), cy.EncryptedStatistics)
    assert_type(sales.merge({"shop": ["A", "B"], "rent": [1, 2]}, on="shop"), cy.EncryptedFrame)
    assert_type(sales.loc[0:1], cy.EncryptedFrame)
    assert cy.decrypt_frame(sales[sales["shop"] == "A"]["sold"].mean(), secret) == 2.0
    assert cy.frame_options(columns, params).get("categories") == {"shop": ["A", "B"]}
    count = sales["sold"].count()
    assert_type(count, "int | cy.EncryptedColumn")
    assert cy.decrypt_frame(count, secret) == 3


if __name__ == "__main__":
    main()
