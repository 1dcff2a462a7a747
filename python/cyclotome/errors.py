# SPDX-License-Identifier: Apache-2.0
"""What this library raises. Every message says what was given, what the limit is and what to do.

All classes derive from `CyclotomeError`, and each from the closest builtin class
too, so that ``except ValueError`` does what a reader expects.
"""

from __future__ import annotations

from typing import Any

from . import _core

__all__ = [
    "ArgumentError",
    "BlameError",
    "BudgetError",
    "BusyError",
    "ContradictionError",
    "CyclotomeError",
    "EngineError",
    "FileError",
    "FormatError",
    "FunctionError",
    "MemoryLimitError",
    "MismatchError",
    "MissingKeyError",
    "NoiseError",
    "PaddingWarning",
    "ParameterError",
    "PassphraseError",
    "PreparedWarning",
    "QuotaError",
    "RangeError",
    "RepeatedAnswerError",
    "SecrecyError",
    "SecretFileWarning",
    "SecurityError",
    "ServiceError",
    "TimeLimitError",
    "TransparentError",
    "UnauthorizedError",
    "UnknownKeysError",
    "UnsupportedError",
    "WorkerLostError",
]


class CyclotomeError(Exception):
    """Base of everything this library raises."""


class ParameterError(CyclotomeError, ValueError):
    """Parameters that contradict each other or a precondition of an algorithm."""


class SecurityError(ParameterError):
    """Parameters below the demanded security level."""


class ArgumentError(CyclotomeError, ValueError):
    """Arguments that do not fit an operation: shapes, axes, indices."""


class UnsupportedError(CyclotomeError, TypeError):
    """An operation or type that encrypted integers do not have (division, comparison, floats); the message says what
    to do in its place."""


class MismatchError(CyclotomeError, ValueError):
    """Objects of different parameters, keys or devices that meet."""


class MissingKeyError(CyclotomeError):
    """The operation needs a key that is not there."""


class PassphraseError(MissingKeyError):
    """The file of a secret key or share that needs a passphrase, or another one than was given."""


class NoiseError(CyclotomeError, ArithmeticError):
    """The noise may be above what decryption corrects, so the result could be wrong and is not given."""


class ContradictionError(CyclotomeError, ValueError):
    """The noise that decryption met contradicts the bound that the ciphertext states: it was altered, or made by
    something else. Like everything that comes of decrypting, that it happened is for the key's owner alone."""


class BlameError(CyclotomeError, ValueError):
    """A message of a joint key's making, or of shares that are dealt, that nobody sends who follows the protocol.

    Attributes:
        parties: numbers of those to blame.
        stage: of which stage: "toss", "commit", "coin", "first", "second", "accept" or "deal"; of checked decryption
            "mac", "share" or "check".
        evidence: digests that contradict each other, in hexadecimal, of a candidate that was opened also its number and
            seed; of "deal" a tuple of `threshold.Complaint`.
        messages: what shows it to anybody, if the parties sign: for `threshold.verify`. To be saved one by one.
    """

    parties: tuple[int, ...] = ()
    stage: str = ""
    evidence: Any = ""
    messages: tuple[Any, ...] = ()


class RepeatedAnswerError(CyclotomeError, ValueError):
    """A party of a joint key was asked to answer a second, other first round of its session. It answers one; begin a
    new session."""


class BudgetError(CyclotomeError):
    """More than was planned for the life of a key: decryptions for others to see, of which each costs a little of what
    hides the key (`SecretKey.plan_reveals`). Counted before anything is decrypted, and made of public numbers."""


class RangeError(CyclotomeError, OverflowError, ValueError):
    """Values, or what values may become, that do not fit."""


class TransparentError(CyclotomeError, ValueError):
    """A result that would hide nothing (``x - x``, ``0 * x``), and no public key at hand to hide it again."""


class SecrecyError(CyclotomeError, TypeError):
    """A secret key was about to be copied or pickled."""


class FormatError(CyclotomeError, ValueError):
    """Bytes from outside that are not what they claim to be."""


class FileError(CyclotomeError, OSError):
    """A file that cannot be read or written."""


class EngineError(CyclotomeError, RuntimeError):
    """A device that is absent or out of resources."""


class MissingPackageError(EngineError, ImportError):
    """Something that a package of its own brings, which is not installed; the message names the extra that installs
    it."""


class MemoryLimitError(EngineError, MemoryError):
    """Work that takes more memory than there is, or than `set_memory_limit` allows; refused before it begins."""


class UnknownKeysError(MissingKeyError):
    """A server that does not hold the keys that a request names: never sent, or given up since; send them again."""


class QuotaError(CyclotomeError, ValueError):
    """More bytes or more work than a server takes; the same again will be refused again."""


class TimeLimitError(QuotaError, TimeoutError):
    """A job that ran for longer than a server lets one, and was ended."""


class BusyError(CyclotomeError, TimeoutError):
    """A server that has too much to do; the same may do later."""

    #: Seconds after which it may, as far as whoever refuses can tell; None: nobody knows.
    retry_after: float | None = None


class FunctionError(CyclotomeError, RuntimeError):
    """A server's or a worker's own function failed, or its process died; nothing is wrong with what it was given, as
    far as this library can tell."""


class WorkerLostError(FunctionError):
    """The process that worked on it ended: killed, out of memory, or crashed."""


class UnauthorizedError(CyclotomeError, PermissionError):
    """A server that wants to know who asks, and got no token, or one of nobody's."""


class ServiceError(CyclotomeError, ConnectionError):
    """A server that can't be reached, or answers what no server of this library does."""


class PaddingWarning(UserWarning):
    """Ciphertexts that hold almost nothing but padding; the message says how to lay the values out."""


class PreparedWarning(UserWarning):
    """What was prepared once (`cyclotome.plain`) can't be used by an operation, which takes the integers and prepares
    them again; the message says what would."""


class SecretFileWarning(UserWarning):
    """A secret key's file that others may read."""


_core.set_error_classes(
    error=CyclotomeError,
    parameter=ParameterError,
    security=SecurityError,
    argument=ArgumentError,
    mismatch=MismatchError,
    missing_key=MissingKeyError,
    passphrase=PassphraseError,
    noise=NoiseError,
    range=RangeError,
    format=FormatError,
    engine=EngineError,
    memory=MemoryLimitError,
    file=FileError,
    unsupported=UnsupportedError,
    transparent=TransparentError,
    contradiction=ContradictionError,
    repeated_answer=RepeatedAnswerError,
    blame=BlameError,
    budget=BudgetError,
)
