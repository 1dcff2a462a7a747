# SPDX-License-Identifier: Apache-2.0
"""Statistics of encrypted tables.

README.md in this folder says where to begin.
"""

from __future__ import annotations

from .deferred import EncryptedStatistics

__all__ = ["EncryptedStatistics"]
