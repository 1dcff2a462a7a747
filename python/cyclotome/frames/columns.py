# SPDX-License-Identifier: Apache-2.0
"""The columns of tables: of numbers, dates and booleans, or of categories."""

from __future__ import annotations

from .categories import EncryptedCategories
from .column import EncryptedColumn

__all__ = ["Column", "EncryptedCategories", "EncryptedColumn"]

Column = EncryptedColumn | EncryptedCategories
