# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables.

README.md in this folder says where to begin.
"""

from __future__ import annotations

from .frame import EncryptedFrame, encrypt_frame

__all__ = ["EncryptedFrame", "encrypt_frame"]
