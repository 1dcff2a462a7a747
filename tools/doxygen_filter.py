# SPDX-License-Identifier: Apache-2.0
"""What Doxygen reads in place of a header: the same, with the house's way of commenting spelt out for it.

- A comment above several declarations of one name, without a blank line between them, is about each of them.
- A declaration without a comment in a block that begins with one stands beside what that is about, and is said to.
- A comment on several variables, ``std::size_t rows, columns;``, is about each of them.
- An accessor whose name says it all has no comment in the source; here it gets the sentence of a vocabulary. So do
  constructors from parts, comparisons and operators.

Usage: ``python tools/doxygen_filter.py HEADER``, as ``INPUT_FILTER`` of ``doc/Doxyfile``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

#: What is said of a name that has no comment, wherever it stands.
VOCABULARY = {
    "at_level": "Its part over the ciphertext primes of a level.",
    "allow_insecure": "Whether parameters below 128 bits of security were asked for.",
    "batch": "How many polynomials, or ciphertexts, there are.",
    "bound": "How large values may be: public.",
    "channels": "Its ciphertexts, for each plaintext modulus.",
    "clean": "Whether zeros stand beside the values.",
    "context": "Parameters on the engine that computes.",
    "data": "All words, value after value.",
    "degree": "The degree n of the ring.",
    "depth": "The most products on any way to it.",
    "device": "The design.",
    "engine": "The engine that computes.",
    "free_locked": "Gives memory of locked pages back, wiped.",
    "galois": "The automorphisms of the ring.",
    "generate": "Made from the secret key, with randomness from the operating system.",
    "has_galois": "Whether there is a key for this Galois element.",
    "has_relinearization": "Whether there is a relinearisation key.",
    "all_galois": "All Galois keys, by element.",
    "id": "Id of the secret key that it belongs to: random, and no secret.",
    "key": "The switching key itself.",
    "keys": "The public keys that it knows.",
    "key_modulus_bits": "Bit length of QP, which security depends on.",
    "key_ring": "The ring of keys, over all primes.",
    "encryption_ring": "The ring that public-key encryption works in.",
    "lattice": "What parameters of every scheme have.",
    "layout": "Where values stand in ciphertexts.",
    "level": "The number of its ciphertext primes, as a level.",
    "log2_special_modulus": "log2 of the product of the special primes.",
    "max_level": "The level of fresh ciphertexts: all ciphertext primes.",
    "memory_limit": "The limit that is set; nothing if none is.",
    "moduli": "The ciphertext primes.",
    "modulus": "The plaintext modulus t.",
    "name": "Its name.",
    "native_domain": "The domain that ciphertexts are kept in.",
    "ndim": "The number of axes.",
    "packed": "Whether the last axis lies within ciphertexts.",
    "parameters": "The parameters.",
    "part": "What the scheme's parameters have beside the lattice.",
    "parties": "Secret keys that a joint one is the sum of at most.",
    "parts": "How many polynomials each ciphertext has: 2, or 3 after a product that was not relinearised.",
    "placed": "Ciphertexts, and where values stand in them.",
    "placement": "How values are packed.",
    "plain": "The number of the plaintext modulus.",
    "plain_count": "How many plaintext moduli there are.",
    "plain_moduli": "The plaintext moduli: values live modulo their product.",
    "plain_modulus": "The plaintext modulus.",
    "polynomials": "The polynomials, in the engine's memory.",
    "prime": "The prime.",
    "primes_per_digit": "Primes in each digit of key switching.",
    "product_cost": "The work of one product.",
    "row": "The largest sum of magnitudes along the last axis.",
    "scheme": "The scheme.",
    "security": "The level of security that was demanded.",
    "shape": "Its shape, as in NumPy.",
    "size": "How many there are.",
    "slots": "Whether values stand in slots.",
    "special_limbs": "How many special primes there are.",
    "special_moduli": "The special primes of key switching.",
    "strict": "Whether noise bounds assume nothing of rounding errors.",
    "table": "The table that security is judged by.",
    "to": "Id of the secret key that it leads to.",
    "to_string": "In digits, for people.",
    "uniform_seed": "The seed that the uniform half expands from.",
    "value_words": "The words of one value.",
    "values": "The public integers.",
    "widths": "How many values a ciphertext holds, by how they are packed.",
    "width": "How many values a ciphertext holds.",
    "with_clean": "The same, clean or not.",
    "with_shape": "The same with another shape.",
    "word": "The words that residues are kept in.",
    "words": "64-bit words for each value.",
    "operator==": "Compares.",
    "operator<=>": "Compares.",
    "operator<<": "Writes the number.",
}

OPENS = re.compile(r"^(?:class|struct) (?:\[\[.*?\]\] )?(\w+)")
NAME = re.compile(r"(operator\s?[^\s\w(]+|~?\w+)\s*\(")
VARIABLE = re.compile(r"(\w+)(?:\[\])?(?:\s*=.*|\{.*)?;")
NEVER = re.compile(
    r"\s*(?:$|//|#|[{}]|public:|protected:|private:|using |namespace |enum |class |struct |template|requires"
    r"|friend class|friend struct|typedef |static_assert|: )"
)


def starts_declaration(line: str, before: str) -> bool:
    """Whether a line begins a declaration at the level of a namespace or of a class."""
    indent = len(line) - len(line.lstrip())
    if indent > 2 or NEVER.match(line):
        return False
    return before == "" or before.endswith((";", "}", "{", ":")) or before.lstrip().startswith(("//", "#"))


SEVERAL = re.compile(r"^(\s*)([\w:<>]+) (\w+(?: = \w+)?(?:, \w+(?: = \w+)?)+);(\s*///<.*)?$")


def one_by_one(text: str) -> str:
    """The text with a line for each variable where one declares several."""
    lines: list[str] = []
    for line in text.splitlines():
        if several := SEVERAL.match(line):
            indent, kind, names, after = several.groups()
            above: list[str] = []
            for before in reversed(lines):
                if not before.strip().startswith("///"):
                    break
                above.insert(0, before)
            for i, name in enumerate(names.split(", ")):
                lines += [*(above if i > 0 else []), f"{indent}{kind} {name};{after or ''}"]
        else:
            lines.append(line)
    return "\n".join(lines)


def spelt_out(text: str) -> str:
    """The text of a header with the comments that its own imply."""
    lines, out = one_by_one(text).splitlines(), []
    comment: list[str] = []  # the last one, of the declaration `name` in this block
    name, owner, before = "", "", ""
    pending: list[str] = []
    for line in lines:
        stripped = line.strip()
        if opened := OPENS.match(stripped):
            owner = opened[1]
        if stripped == "":
            comment, name, pending = [], "", []
        elif stripped.startswith("///"):
            pending.append(line)
        elif starts_declaration(line, before.rstrip()):
            found = NAME.search(line) or VARIABLE.search(line)
            declared = found[1].replace(" ", "") if found else ""
            if pending:
                comment, name, pending = pending, declared, []
            elif declared and "///<" not in line:
                indent = line[: len(line) - len(line.lstrip())]
                if declared == name and comment:
                    out += comment
                elif declared in VOCABULARY:
                    out.append(f"{indent}/// {VOCABULARY[declared]}")
                elif owner == "Context":
                    made = declared.endswith("_from")
                    out.append(f"{indent}/// {'What draws, from a seed.' if made else f'As scheme::{declared}.'}")
                elif declared == owner:
                    out.append(f"{indent}/// {'Moves.' if '&&' in line else 'From its parts.'}")
                elif declared == "operator=":
                    out.append(f"{indent}/// Moves.")
                elif comment and name:
                    out += [f"{indent}/// Beside `{name}`: {comment[0].strip()[4:]}", *comment[1:]]
        elif not stripped.startswith("//"):
            pending = []
        out.append(line)
        before = line.split("//")[0] if not stripped.startswith("//") else line
    return "\n".join(out) + "\n"


def main(arguments: list[str]) -> int:
    """Print the header at ``arguments[0]`` as Doxygen shall read it; return the exit status."""
    print(spelt_out(Path(arguments[0]).read_text(encoding="utf-8")), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
