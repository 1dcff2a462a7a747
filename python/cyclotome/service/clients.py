# SPDX-License-Identifier: Apache-2.0
"""Who asks: by a token, or by the address that a request comes from."""

from __future__ import annotations

import hashlib
import hmac
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
        self._digests = None if tokens is None else _read(tokens)

    def name(self, request: Any) -> str:
        """Of whoever sends this request. Its health and figures are everybody's to see.

        Raises:
            UnauthorizedError: nobody.
        """
        if self._digests is None or request.url.path in ("/healthz", "/readyz", "/metrics"):
            return request.client.host if request.client is not None else "unknown"
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        digest = hashlib.sha256(token.strip().encode()).hexdigest()
        found = None
        for name, own in self._digests.items():  # all of them, whichever fits
            if hmac.compare_digest(own, digest):
                found = name
        if kind.lower() != "bearer" or found is None:
            raise UnauthorizedError("a token is needed: Authorization: Bearer ...")
        return found


def _read(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path} is no text") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None or match[1] in found:
            raise FormatError(f"{path}, line {number}: a line is name:sha256, with 64 digits, and each name once")
        found[match[1]] = match[2]
    if not found:
        raise FormatError(f"{path} has no tokens")
    return found
