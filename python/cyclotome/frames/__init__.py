# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables.

README.md in this folder says where to begin.
"""

from __future__ import annotations

from .encrypting import encrypt_frame
from .frame import EncryptedFrame

__all__ = ["EncryptedFrame", "encrypt_frame"]
