# SPDX-License-Identifier: Apache-2.0
"""What containers carry besides keys and ciphertexts: a JSON object in UTF-8.

Every kind may hold ``value_bits`` (see `Parameters`) and ``note``, an object of the user's. An array that is the digits
of numbers (`circuit.EncryptedNumbers`) has ``numbers``: their ``shape``, ``bits``, and ``signed`` and ``lists``; one
that is `EncryptedDigits` has ``digits``, with their ``base``.

What an encrypted array's ciphertexts mean stands in a section of its own; in format version 1 it stood here:

- ``shape``: list of lengths; ``packed``, ``slots``, ``clean``: booleans.
- ``bound``: the largest magnitude as a decimal string, or null where values wrap around.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from .. import _core
from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, CyclotomeError, FormatError
from ..functions.digit_arrays import DigitArray
from ..functions.digits import EncryptedDigits, fault_of
from ..functions.numbers import EncryptedNumbers
from ..parameters.parameters import Parameters
from ..text import integer

__all__ = [
    "Description",
    "of_digits",
    "of_parameters",
    "parse",
    "read_array",
    "read_base",
    "read_digits",
    "read_note",
    "read_value_bits",
    "write",
]

_MOST_AXES = 32


class Description(NamedTuple):
    """What an encrypted array's ciphertexts mean."""

    shape: tuple[int, ...]
    placement: _core.Placement
    clean: bool
    bound: int | None


def of_parameters(parameters: Parameters) -> dict[str, Any]:
    """What every object of these parameters carries."""
    return {} if parameters.value_bits is None else {"value_bits": parameters.value_bits}


def of_digits(numbers: DigitArray) -> dict[str, Any]:
    """What the file of these numbers' digits carries."""
    shared = of_parameters(numbers.parameters)
    return {**shared, **(_of_digits(numbers) if isinstance(numbers, EncryptedDigits) else _of_numbers(numbers))}


def _of_digits(numbers: EncryptedDigits) -> dict[str, Any]:
    return {"digits": {"base": numbers.base}}


def _of_numbers(numbers: Any) -> dict[str, Any]:
    facts = {
        "shape": list(numbers.shape),
        "bits": numbers.bits,
        "signed": numbers.signed,
        "lists": numbers.lists,
    }
    return {"numbers": facts}


def write(facts: Mapping[str, Any], note: Mapping[str, Any] | None = None) -> bytes:
    """The metadata as bytes.

    Raises:
        ArgumentError: a note that is no JSON object.
    """
    if not facts and note is None:
        return b""
    whole = dict(facts) if note is None else {**facts, "note": note}
    try:
        if not isinstance(note, (Mapping, type(None))):
            raise TypeError("it is no mapping")
        return json.dumps(whole, separators=(",", ":"), sort_keys=True, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"the note can't be written as a JSON object: {error}") from None


def read_note(facts: dict[str, Any]) -> dict[str, Any]:
    """The user's note; empty if there is none.

    Raises:
        FormatError: it is no JSON object.
    """
    note = facts.get("note", {})
    if not isinstance(note, dict):
        raise FormatError(f"the metadata's note is a {type(note).__name__}, not a JSON object")
    return note


def parse(data: bytes) -> dict[str, Any]:
    """The object; empty for no bytes.

    Raises:
        FormatError: no JSON object.
    """
    if not data:
        return {}
    try:
        facts = json.loads(data.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the metadata are no JSON ({error}); the file was written by something else") from None
    if not isinstance(facts, dict):
        raise FormatError(f"the metadata are a {type(facts).__name__}, not a JSON object")
    return facts


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _shown(value: object) -> str:
    """A value from outside as messages show it: not all of a megabyte, nor cut from the text of all of it."""
    if isinstance(value, (list, dict)):
        return f"a {type(value).__name__} of {len(value)} items"
    text = repr(value[:80] if isinstance(value, str) else value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _whole(value: object, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(f"the metadata's {name} is {_shown(value)}, not a whole number in [{low}, {high}]")
    return value


def read_value_bits(facts: dict[str, Any]) -> int | None:
    """Bits of the encrypted values, if they are stated."""
    value = facts.get("value_bits")
    return None if value is None else _whole(value, "value_bits", 1, 1024)


def read_base(facts: dict[str, Any], shape: tuple[int, ...], interval: tuple[int, int] | None) -> int | None:
    """The base of the digits that an array of this shape and interval is (`EncryptedDigits`), if the metadata say so.

    Raises:
        FormatError: they contradict themselves or the array.
    """
    about = facts.get("digits")
    if about is None:
        return None
    if facts.get("numbers") is not None:
        raise FormatError("the metadata speak of numbers in bits and in digits at once")
    if not isinstance(about, dict):
        raise FormatError(f"the metadata's digits are {_shown(about)}, not an object with a base")
    fault = fault_of(shape, interval, about.get("base"))
    if fault is not None:
        raise FormatError(f"the metadata speak of digits, but {fault}")
    return int(about["base"])


def read_digits(facts: dict[str, Any], array: EncryptedArray) -> DigitArray | None:
    """The numbers that an array holds the digits of, if the metadata say so.

    Raises:
        FormatError: they contradict themselves or the array.
    """
    if "digits" not in facts and "numbers" not in facts:
        return None
    base = read_base(facts, array.shape, array.interval)
    return EncryptedDigits(array, base) if base is not None else _read_numbers(facts, array)


def _read_numbers(facts: dict[str, Any], digits: EncryptedArray) -> EncryptedNumbers | None:
    about = facts.get("numbers")
    if about is None:
        return None
    if not isinstance(about, dict) or not isinstance(about.get("shape"), list):
        raise FormatError(f"the metadata's numbers are {_shown(about)}, not an object with a shape")
    facts_of: list[Any] = [about.get(name) for name in ("bits", "signed", "lists")]
    try:
        return EncryptedNumbers(digits, tuple(about["shape"]), *facts_of)
    except CyclotomeError as error:
        raise FormatError(f"the metadata speak of numbers, but {error}") from None


def read_array(facts: dict[str, Any], parameters: Parameters, batch: int) -> Description:
    """What the metadata of format version 1 say of an encrypted array of ``batch`` ciphertexts in each channel.

    Raises:
        FormatError: facts that are missing, contradict each other or don't fit the ciphertexts.
    """
    shape = facts.get("shape")
    if not isinstance(shape, list) or len(shape) > _MOST_AXES:
        raise FormatError(f"the metadata's shape is {_shown(shape)}; an encrypted array has a list of lengths there")
    lengths = tuple(_whole(length, "shape", 1, 2**40) for length in shape)
    packed, slots, clean = (facts.get(name) for name in ("packed", "slots", "clean"))
    if not all(isinstance(flag, bool) for flag in (packed, slots, clean)):
        raise FormatError("the metadata's packed, slots and clean are not all true or false")
    if packed and (not lengths or (slots and not parameters.has_slots) or not (slots or clean)):
        raise FormatError("the metadata describe a layout that these parameters can't have")
    width = parameters.slots if slots else parameters.degree
    rows = math.prod(lengths[:-1]) * -(-lengths[-1] // width) if packed else math.prod(lengths)
    if math.prod(lengths) > 2**60 or rows != batch:
        raise FormatError(f"the metadata describe shape {lengths}, but there are {batch} ciphertexts")
    kinds = _core.Placement
    placement = (kinds.slots if slots else kinds.coefficients) if packed else kinds.replicated
    return Description(lengths, placement, bool(clean), _read_bound(facts.get("bound", ""), parameters))


def _read_bound(text: object, parameters: Parameters) -> int | None:
    if text is None:
        return None
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()) or len(text) > 1000:
        raise FormatError(f"the metadata's bound is {_shown(text)}, not a string of decimal digits or null")
    bound = int(text)
    if bound > parameters.capacity:
        raise FormatError(
            f"the metadata's bound {integer(bound)} is more than these parameters hold, {integer(parameters.capacity)}"
        )
    return bound
