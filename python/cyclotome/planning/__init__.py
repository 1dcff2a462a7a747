# SPDX-License-Identifier: Apache-2.0
"""What a computation takes, and parameters for it.

README.md in this folder says where to begin.
"""

from __future__ import annotations

from .plans import Operation, Plan, plan

__all__ = ["Operation", "Plan", "plan"]
