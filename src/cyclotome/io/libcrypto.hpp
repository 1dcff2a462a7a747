// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "cyclotome/ring/secure_memory.hpp"

// What passphrases need, from the system's OpenSSL: libcrypto is looked for when it is first needed, so that neither
// building this library nor using it without passphrases takes OpenSSL. All functions throw EngineError, saying what to
// install, where there is none or it refuses.
namespace cyclotome::io::libcrypto {

/// "ready", or why there is no libcrypto.
std::string state();

/// scrypt (RFC 7914) with N = 2^log2_n: `bytes` bytes, in locked memory. Takes 128 r N bytes of memory.
ZeroisingVector<std::uint8_t> scrypt(std::span<const std::uint8_t> passphrase, std::span<const std::uint8_t> salt,
                                     std::uint32_t log2_n, std::uint32_t r, std::uint32_t p, std::size_t bytes);

inline constexpr std::size_t aead_key_bytes = 32, aead_nonce_bytes = 12, aead_tag_bytes = 16;

/// ChaCha20-Poly1305 (RFC 8439): `text` is encrypted in place, and the tag vouches for it and for `header`.
std::array<std::uint8_t, aead_tag_bytes> seal(std::span<const std::uint8_t> key, std::span<const std::uint8_t> nonce,
                                              std::span<const std::uint8_t> header, std::span<std::uint8_t> text);
/// The reverse. Returns false, and leaves nothing in `text`, if the tag fits neither.
bool open(std::span<const std::uint8_t> key, std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> header,
          std::span<std::uint8_t> text, std::span<const std::uint8_t> tag);

}  // namespace cyclotome::io::libcrypto
