# SPDX-License-Identifier: Apache-2.0
"""Encryption parameters of SEAL and of this library: read, written, and made for both."""

from __future__ import annotations

import operator

from .. import _core
from ..parameters.parameters import Parameters, find_primes
from .seal_chain import WIDEST_PRIME, Chain
from .seal_frame import VERSION, Data, Writer, opened

__all__ = ["make_parameters", "read_parameters", "write_parameters"]

_MOST_BYTES = 1 << 16
_DEFAULT_TABLE = "guidelines-2024"
#: SEAL's primes have this many bits at most.
_WIDEST = WIDEST_PRIME - 1


def read_parameters(
    data: Data,
    *,
    security: int = 128,
    security_table: str = _DEFAULT_TABLE,
    allow_insecure: bool = False,
    value_bits: int | None = None,
) -> Parameters:
    """SEAL's EncryptionParameters as parameters of this library: the same primes, the last of them special.

    Args:
        data: bytes, or the path of a file.
        security: 128, 192 or 256 demanded bits; 0 for none, which needs ``allow_insecure``.
        security_table: what judges them. SEAL's own defaults follow "he-standard-2018", which grants some sets more
            than "guidelines-2024" does; whoever takes it says so.
        allow_insecure: take parameters below ``security``.
        value_bits: see `cyclotome.Parameters`.

    Raises:
        FormatError: no such object of SEAL 4, or damaged.
        UnsupportedError: CKKS.
        ParameterError: primes that this library does not take, such as a special one that is narrower than others.
        SecurityError: below ``security``.
        FileError, MissingPackageError: no such file; compressed by zstd without the extra ``seal``.
    """
    chain = Chain.read(opened(data, "encryption parameters", _MOST_BYTES))
    return chain.parameters(security, security_table, allow_insecure, value_bits)


def write_parameters(parameters: Parameters, *, compression: str = "zlib", version: str = VERSION) -> bytes:
    """The bytes that SEAL's EncryptionParameters.load takes.

    Args:
        parameters: of the shape that SEAL has: one special prime, one digit for each other prime, words of 64 bits, one
            plaintext modulus.
        compression: "none", "zlib" or "zstd", which needs the extra ``seal``.
        version: of the SEAL that is to read it; before 4.4 each reads its own only. `version_of` says what wrote an
            object.

    Raises:
        ParameterError: of another shape; `make_parameters` makes some that fit.
        ArgumentError, MissingPackageError: an unknown compression or version; zstd without the extra ``seal``.
    """
    return Chain.of(parameters).write(Writer(compression, version))


def make_parameters(
    degree: int,
    *,
    plain_modulus: int | None = None,
    plain_bits: int = 20,
    modulus_bits: int | None = None,
    scheme: str = "bfv",
    security: int = 128,
    security_table: str = _DEFAULT_TABLE,
    value_bits: int | None = None,
) -> Parameters:
    """Parameters that this library and SEAL take: primes of about equal width, the last of them special.

    Args:
        degree: a power of two; SEAL has 1024 to 32768.
        plain_modulus: t; None: the largest prime of ``plain_bits`` bits that has slots.
        plain_bits: see above.
        modulus_bits: bits of all primes; None: as many as ``security`` allows.
        scheme: "bfv" or "bgv".
        security: 128, 192 or 256 bits.
        security_table: see `cyclotome.Parameters`.
        value_bits: see `cyclotome.Parameters`.

    Raises:
        ParameterError: too few primes of the widths that come out, or an unknown scheme or table.
        SecurityError: ``modulus_bits`` is more than ``security`` allows.

    Example:
        >>> p = make_parameters(8192, plain_bits=20)
        >>> [m.bit_length() for m in (*p.moduli, *p.special_moduli)], p.digits
        ([42, 43, 43, 43, 43], 4)
    """
    n = operator.index(degree)
    cap = int(_core.max_modulus_bits(n, security, security_table))
    total = cap if modulus_bits is None else operator.index(modulus_bits)
    t = find_primes(n, [plain_bits])[0] if plain_modulus is None else operator.index(plain_modulus)
    primes = find_primes(n, _widths(total), avoid=[t])
    chain = Chain(scheme, n, tuple(primes), t)
    return chain.parameters(security, security_table, False, value_bits)


def _widths(total: int) -> list[int]:
    """Bits of primes that have so many in all, the last as wide as any: few bits are the special one's where there are
    few, and few primes make fast products where there are many. One prime where two would leave next to nothing."""
    if total < 80:
        return [total]
    aim = 43 if total <= 220 else 55
    count = max(2, -(-total // _WIDEST), round(total / aim))
    narrow, wider = divmod(total, count)
    return [narrow] * (count - wider) + [narrow + 1] * wider
