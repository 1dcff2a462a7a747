# SPDX-License-Identifier: Apache-2.0
"""SHA-256 and HMAC against hashlib, ChaCha20 against the vectors of RFC 8439 and a second implementation."""

from __future__ import annotations

import hashlib
import hmac
import re

import pytest
from cyclotome._core import testing
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.chacha20 import block
from pages import ROOT


@pytest.mark.parametrize("length", [0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000, 100_001])
def test_sha256_at_the_edges_of_its_blocks(length: int) -> None:
    data = bytes(i * 7 % 251 for i in range(length))
    assert testing.sha256(data) == hashlib.sha256(data).digest()


@settings(max_examples=100)
@given(st.lists(st.binary(max_size=150), max_size=8))
def test_sha256_in_pieces_equals_sha256_of_the_whole(pieces: list[bytes]) -> None:
    assert testing.sha256_pieces(pieces) == hashlib.sha256(b"".join(pieces)).digest()


@settings(max_examples=100)
@given(st.binary(max_size=150), st.binary(max_size=300))
def test_hmac_of_any_key_and_text(key: bytes, text: bytes) -> None:
    assert testing.hmac_sha256(key, text) == hmac.new(key, text, hashlib.sha256).digest()


@pytest.mark.parametrize("length", [0, 31, 32, 63, 64, 65, 131])
def test_hmac_at_the_edges_of_its_keys(length: int) -> None:
    key = bytes(range(1, length + 1))
    assert testing.hmac_sha256(key, b"Hi There") == hmac.new(key, b"Hi There", hashlib.sha256).digest()


# RFC 8439, section 2.3.2 and appendix A.1, test vectors 1 to 5: key, counter, nonce, the first bytes of the block.
ZERO, ONE_KEY = bytes(32), bytes(31) + b"\x01"
RFC8439 = [
    (
        bytes(range(32)),
        1,
        "000000090000004a00000000",
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c06803 0422aa9ac3d46c4e",
    ),
    (ZERO, 0, "00" * 12, "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"),
    (ZERO, 1, "00" * 12, "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"),
    (ONE_KEY, 1, "00" * 12, "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"),
    (b"\x00\xff" + bytes(30), 2, "00" * 12, "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"),
    (ZERO, 0, "00" * 11 + "02", "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"),
]


@pytest.mark.parametrize(("key", "counter", "nonce", "start"), RFC8439)
def test_chacha20_blocks_of_rfc8439(key: bytes, counter: int, nonce: str, start: str) -> None:
    expected = bytes.fromhex(start)
    assert testing.chacha20_block(key, counter, bytes.fromhex(nonce))[: len(expected)] == expected
    assert block(key, counter, bytes.fromhex(nonce))[: len(expected)] == expected  # the oracle is right too


def test_chacha20_complete_block_of_rfc8439_2_3_2() -> None:
    stream = testing.chacha20_block(bytes(range(32)), 1, bytes.fromhex("000000090000004a00000000"))
    assert stream.hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


@settings(max_examples=50)
@given(st.binary(min_size=32, max_size=32), st.integers(0, (1 << 32) - 1), st.binary(min_size=12, max_size=12))
def test_chacha20_of_any_address(key: bytes, counter: int, nonce: bytes) -> None:
    assert testing.chacha20_block(key, counter, nonce) == block(key, counter, nonce)


#: A text for people within what hashes: `message` gives what it could hold where memory ends, `whole_text` all.
CUT_OFF = re.compile(r"(?:update|digest_of|hash_of|labelled_seed|sha256)\([^;{]*\bmessage\(")


def test_what_is_hashed_is_a_whole_text() -> None:
    assert CUT_OFF.search('update(hash, message("a", 1))') and not CUT_OFF.search('update(h); throw E(message("a"))')
    sources = [*(ROOT / "src").rglob("*.cpp"), *(ROOT / "src").rglob("*.hpp"), *(ROOT / "python").rglob("*.cpp")]
    assert len(sources) > 300
    assert [path.name for path in sources if CUT_OFF.search(path.read_text(encoding="utf-8"))] == []
