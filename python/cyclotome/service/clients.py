# SPDX-License-Identifier: Apache-2.0
"""Who asks: by a token, or by the address that a request comes from."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from ..errors import FileError, FormatError, UnauthorizedError

__all__ = ["Clients"]

_LINE = re.compile(r"([A-Za-z0-9_.-]{1,64}):([0-9a-f]{64})")


class Clients:
    """Names of clients, for quotas and logs.

    ``tokens``: a file with a line ``name:sha256`` for each token, the digest in hexadecimal, so that whoever reads it
    can't ask in a client's name; `printf %s TOKEN | sha256sum` makes one. None: everybody may ask, and is named by
    address.
    """

    def __init__(self, tokens: Path | None = None) -> None:
        # By digest: a lookup takes the same time for a million of them, and what it tells by its time is about
        # digests, which no token follows from.
        self._names = None if tokens is None else _read(tokens)

    def name(self, request: Any) -> str:
        """Of whoever sends this request. Its health and figures are everybody's to see.

        Raises:
            UnauthorizedError: nobody.
        """
        if self._names is None or request.url.path in ("/healthz", "/readyz", "/metrics"):
            return request.client.host if request.client is not None else "unknown"
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        found = self._names.get(hashlib.sha256(token.strip().encode()).digest())
        if kind.lower() != "bearer" or found is None:
            raise UnauthorizedError("a token is needed: Authorization: Bearer ...")
        return found


def _read(path: Path) -> dict[bytes, str]:
    """Names by their tokens' digests."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path} is no text") from None
    found: dict[bytes, str] = {}
    names: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None or match[1] in names or bytes.fromhex(match[2]) in found:
            raise FormatError(f"{path}, line {number}: a line is name:sha256, with 64 digits, each name and token once")
        names.add(match[1])
        found[bytes.fromhex(match[2])] = match[1]
    if not found:
        raise FormatError(f"{path} has no tokens")
    return found
