# SPDX-License-Identifier: Apache-2.0
"""What a file says about itself, without any key."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from .. import _core
from ..errors import FormatError
from ..frames import layout
from ..parameters.parameters import Parameters
from ..streams import Source
from ..text import byte_size, extent_of, plural
from ..whole_files import path_text
from . import MAX_BYTES, Path, metadata

__all__ = ["Inspection", "inspect"]

#: What is said of objects that have no parameters of this library's: fields of an `Inspection`.
_WITHOUT_PARAMETERS = ("broken", "study", "identity", "product_context")


@dataclass(frozen=True)
class Inspection:
    """What a file says about itself. ``print`` it for people; `asdict` for machines."""

    #: "parameters", "secret key", "protected secret key", "public key", "evaluation keys", "rekeying key",
    #: "encrypted array", "encrypted frame", "plain array", "ciphertext", "plaintext" or "product context"; of
    #: `threshold`, "session", "key share", "secret share" and "decryption share"; of `cyclotome_study.ltv`,
    #: "LTV secret key" and the like; of `cyclotome_study.fermat`, "Fermat array"; "identity" and "protected identity".
    kind: str
    #: None for a product context, an identity, and objects of studied schemes, which have none of this library's.
    parameters: Parameters | None
    #: Bytes of the file, and of what it expands to in memory.
    nbytes: int
    expanded_nbytes: int
    format_version: int
    #: Of the secret key that the object belongs to; None for parameters and what is not encrypted.
    key_id: str | None = None
    #: Of `EncryptedDigits`, whose array this is: the base that its digits are in; None otherwise.
    digits_base: int | None = None
    #: Of an encrypted or a plain array; None otherwise.
    shape: tuple[int, ...] | None = None
    layout: str | None = None
    encoding: str | None = None
    bound: int | None = None
    #: The largest sum of magnitudes along the last axis; files of version 1 don't say it.
    l1_bound: int | None = None
    #: The least and the largest value, where they are not -bound and bound.
    interval: tuple[int, int] | None = None
    #: "bits", "elements of GF(2^r)", "real numbers" or "complex numbers"; None of integers.
    elements: str | None = None
    #: Of real numbers: the largest magnitude, and how wrong they are, each at most and their root mean square.
    real_bound: float | None = None
    error: tuple[float, float] | None = None
    ciphertexts: int | None = None
    #: Bits of headroom by the public noise bound.
    noise_headroom: float | None = None
    #: Of an encrypted frame: its rows, and a line for each column: name, and scale or categories. None otherwise.
    rows: int | None = None
    columns: tuple[str, ...] | None = None
    #: Of evaluation keys; None otherwise.
    relinearization: bool | None = None
    galois_keys: int | None = None
    #: Whether arrays can be refreshed with them.
    refreshes: bool | None = None
    #: Of a rekeying key: id of the secret key whose arrays it takes; ``key_id`` is where it leads. None otherwise.
    rekeys_from: str | None = None
    #: Of a protected secret key or share: what turns its passphrase into a key, and the cipher; None otherwise.
    protection: str | None = None
    #: The product context, which `cyclotome_study.ProductContext.load` computes with; None for everything else.
    product_context: _core.ProductContext | None = None
    #: Of objects of LTV: what they are, and that they are BROKEN; None for everything else.
    broken: str | None = None
    #: Of objects on Fermat moduli (`cyclotome_study.fermat`): their parameters, in one line; None for everything else.
    study: str | None = None
    #: The public half of a party's identity (`threshold.Identity`), as text; None for everything else.
    identity: str | None = None
    #: What `save` was given as a note.
    note: dict[str, Any] = field(default_factory=dict)

    def asdict(self) -> dict[str, Any]:
        """Plain numbers, strings and lists, without what does not apply."""
        facts = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        facts = {name: value for name, value in facts.items() if value is not None}
        if self.parameters is not None:
            facts["parameters"] = _parameter_facts(self.parameters)
        if self.product_context is not None:
            facts["product_context"] = _product_facts(self.product_context)
        return facts

    def __str__(self) -> str:
        studied = self.broken or self.study
        if studied is not None:
            key = "" if self.key_id is None else f"\n  id {self.key_id}"
            return f"{self.kind}, {byte_size(self.nbytes)} in the file\n  {studied}{key}"
        if self.identity is not None:
            return f"{self.kind}, {byte_size(self.nbytes)} in the file, SECRET\n  public {self.identity}"
        if self.product_context is not None:
            return f"{self.kind}, {byte_size(self.nbytes)} in the file\n{_product_lines(self.product_context)}"
        lines = [f"{self.kind}, {byte_size(self.nbytes)} in the file, {byte_size(self.expanded_nbytes)} in memory"]
        if self.shape is not None and self.layout is None:
            lines.append(f"  shape {self.shape}, public integers")
        elif self.shape is not None:
            reals = "" if self.error is None else f" up to {self.real_bound:.3g}, off by {self.error[0]:.3g} at most"
            values = (
                f"{self.elements}{reals}"
                if self.elements is not None
                else (
                    "values modulo T"
                    if self.bound is None
                    else f"values {extent_of(*(self.interval or (-self.bound, self.bound)))}"
                )
            )
            lines.append(f"  shape {self.shape}, {values}, {self.layout} in {self.encoding}")
        if self.digits_base is not None and self.shape is not None:
            digits = plural(self.shape[0], "digit")
            lines.append(f"  numbers of shape {self.shape[1:]}, each of {digits} in base {self.digits_base}")
        if self.columns is not None:
            lines.append(f"  {plural(self.rows or 0, 'row')}")
            lines += [f"  {line}" for line in self.columns]
        if self.ciphertexts is not None and self.noise_headroom is not None:
            lines.append(f"  {plural(self.ciphertexts, 'ciphertext')}, noise headroom {self.noise_headroom:.0f} bits")
        if self.galois_keys is not None:
            held = "relinearisation key" if self.relinearization else "no relinearisation key"
            more = ", keys that refresh (experimental)" if self.refreshes else ""
            lines.append(f"  {held}, {plural(self.galois_keys, 'rotation key')}{more}")
        if self.protection is not None:
            lines.append(f"  encrypted with a passphrase: {self.protection}")
        if self.rekeys_from is not None:
            lines.append(f"  from key {self.rekeys_from[:8]}")
        if self.key_id is not None:
            lines.append(f"  key {self.key_id[:8]}")
        if self.parameters is not None:
            lines.append(f"  parameters {self.parameters.fingerprint[:16]}: {self.parameters.summary()}")
            lines += _judgement(self.parameters)
        return "\n".join(lines)


def _parameter_facts(parameters: Parameters) -> dict[str, Any]:
    return {
        "summary": parameters.summary(),
        "fingerprint": parameters.fingerprint,
        "degree": parameters.degree,
        "cyclotomic": parameters.cyclotomic,
        "plain_moduli": list(parameters.plain_moduli),
        "insecure": parameters.insecure,
        "security": parameters.security_reached,
        "security_table": parameters.table,
        "attacks": parameters.attacks,
        "value_bits": parameters.value_bits,
    }


def _judgement(parameters: Parameters) -> list[str]:
    """What the table that judges files says, where another one is the parameters' own."""
    judge = _core.default_security_table()
    if parameters.table == judge:
        return []
    granted = parameters.security_by(judge)
    level = f"{granted} bits" if granted else "below 128 bits"
    asked = "" if granted >= max(128, parameters.security) else f'; load it with security_table="{parameters.table}"'
    return [f"  by {judge}, the default table: {level} of classical security{asked}"]


def _product_facts(context: _core.ProductContext) -> dict[str, Any]:
    """Integers of any length as decimal digits: not every reader of JSON takes long numbers."""
    return {
        "degree": context.degree,
        "modulus_bits": context.modulus.bit_length(),
        "prime_bits": [prime.bit_length() for prime in context.primes],
        "primes": [str(prime) for prime in context.primes],
        "generators": [str(generator) for generator in context.generators],
    }


def _product_lines(context: _core.ProductContext) -> str:
    primes = [
        f"    {p:#x}, {p.bit_length()} bits, generator {g}"
        for p, g in zip(context.primes, context.generators, strict=True)
    ]
    ring = f"  products in Z_q[x]/(x^{context.degree} + 1), q of {context.modulus.bit_length()} bits"
    return "\n".join([ring, f"  {plural(len(primes), 'prime')} 2N r + 1 with r prime:", *primes])


def _array_facts(found: dict[str, Any], facts: dict[str, Any], parameters: Parameters) -> dict[str, Any]:
    """What an encrypted array's ciphertexts mean."""
    if "reals" in found:
        is_complex, packed, bound, largest, rms = found["reals"]
        return {
            "shape": found["shape"],
            "layout": "packed" if packed else "replicated",
            "encoding": "slots",
            "elements": "complex numbers" if is_complex else "real numbers",
            "real_bound": bound,
            "error": (largest, rms),
        }
    if found["version"] > 1:
        shape, placement, bound = found["shape"], found["placement"], found["bound"]
        largest, row = (None, None) if bound.wraps else (bound.largest, bound.row)
        interval = None if bound.wraps or bound.values == (-bound.largest, bound.largest) else bound.values
    else:
        row = interval = None
        shape, placement, _, largest = metadata.read_array(facts, parameters, found["arrays"][0]["batch"])
    return {
        "shape": shape,
        "layout": "replicated" if placement == _core.Placement.replicated else "packed",
        "encoding": "coefficients" if placement == _core.Placement.coefficients else "slots",
        "bound": largest,
        "l1_bound": row,
        "interval": interval,
        "elements": "bits"
        if found["version"] > 1 and found["bound"].is_bits
        else None
        if parameters.field_degree is None
        else f"elements of GF(2^{parameters.field_degree})",
    }


def _frame(following: Source, max_bytes: int) -> Inspection:
    """Of a table's file."""
    head = following(max_bytes) or b""
    first = _core.inspect_bytes(head, max_bytes)
    facts = metadata.parse(first["metadata"])
    about = layout.description(facts)
    rows, columns = layout.outline(about)
    nbytes, found = len(head), []
    for data in layout.containers(following, about, max_bytes - len(head)):
        nbytes += len(data)
        found.append(_core.inspect_bytes(data, max_bytes))
    layout.require_end(following)
    if any(each["kind"] != "encrypted array" or each["key_id"] != found[0]["key_id"] for each in found):
        raise FormatError("the table's file holds something else than encrypted arrays of one key")
    return Inspection(
        kind="encrypted frame",
        parameters=Parameters.of_native(first["parameters"], metadata.read_value_bits(facts)),
        nbytes=nbytes,
        expanded_nbytes=sum(each["expanded_nbytes"] for each in found),
        format_version=first["version"],
        key_id=found[0]["key_id"].hex(),
        rows=rows,
        columns=columns,
        ciphertexts=sum(array["batch"] for each in found for array in each["arrays"]),
        noise_headroom=min(array["headroom"] for each in found for array in each["arrays"]),
        note=metadata.read_note(facts),
    )


def inspect(path: Path, *, max_bytes: int = MAX_BYTES) -> Inspection:
    """What is in a file, without any key, and without expanding it. INSECURE parameters, and those of
    a weaker security table, are shown, not refused. A product context (`cyclotome_study`) is checked in full.

    Raises:
        FileError: no such file, or it can't be read.
        FormatError: damaged, cut off, too long, or not written by this library.
    """
    name = path_text(path)
    with layout.table_in_file(name) as following:
        if following is not None:
            return _frame(following, max_bytes)
    found = _core.inspect_file(name, max_bytes)
    key_id = found["key_id"].hex() if any(found.get("key_id", b"")) else None
    alone = {name: found[name] for name in _WITHOUT_PARAMETERS if name in found}
    if alone:
        return Inspection(
            kind=found["kind"],
            parameters=None,
            nbytes=found["nbytes"],
            expanded_nbytes=found["nbytes"],
            format_version=found["version"],
            key_id=key_id,
            **alone,
        )
    facts = metadata.parse(found["metadata"])
    parameters = Parameters.of_native(found["parameters"], metadata.read_value_bits(facts))
    about: dict[str, Any] = {}
    arrays = found["arrays"]
    if found["kind"] == "encrypted array":
        about = _array_facts(found, facts, parameters)
    if found["kind"] == "encrypted array" and "reals" not in found:
        low_high = (-(about["bound"] or 0), about["bound"] or 0) if about["interval"] is None else about["interval"]
        wraps = about["bound"] is None
        about["digits_base"] = metadata.read_base(facts, about["shape"], None if wraps else low_high)
    if found["kind"] == "plain array":
        about["shape"] = found["shape"]
    if arrays and found["kind"] != "plaintext":
        about["ciphertexts"] = sum(array["batch"] for array in arrays)
        about["noise_headroom"] = min(array["headroom"] for array in arrays)
    if found["kind"] == "evaluation keys":
        about["relinearization"] = found["relinearization"]
        about["refreshes"] = found["refreshes"]
        about["galois_keys"] = len(found["galois_elements"])
    if "rekeys_from" in found:
        about["rekeys_from"] = found["rekeys_from"].hex()
    if "protection" in found:
        log2_n, r, p = found["protection"]
        about["protection"] = f"scrypt (N = 2^{log2_n}, r = {r}, p = {p}), ChaCha20-Poly1305"
    return Inspection(
        kind=found["kind"],
        parameters=parameters,
        nbytes=found["nbytes"],
        expanded_nbytes=found["expanded_nbytes"],
        format_version=found["version"],
        key_id=key_id,
        note=metadata.read_note(facts),
        **about,
    )
