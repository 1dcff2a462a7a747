# SPDX-License-Identifier: Apache-2.0
"""Other ways to multiply polynomials, and contexts of products as paper 004 makes them, for comparison."""

from __future__ import annotations

from .product_context import Arithmetic, ProductContext, integer_product, needed_modulus, pack, unpack

__all__ = ["Arithmetic", "ProductContext", "integer_product", "needed_modulus", "pack", "unpack"]
