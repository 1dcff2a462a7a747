# SPDX-License-Identifier: Apache-2.0
"""Sessions: a client that holds the secret key, and a server that holds evaluation keys and registered functions.

They exchange bytes: keys once, then requests and answers. The server runs in this process, in processes of its own, or
behind HTTP (`cyclotome.service`).
"""

from __future__ import annotations

from ..keys.held import hold_keys, release_keys
from .quotas import Quotas
from .served import ServedDatabase

__all__ = ["Quotas", "ServedDatabase", "hold_keys", "release_keys"]
