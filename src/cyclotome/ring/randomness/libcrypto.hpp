// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "cyclotome/ring/randomness/secure_memory.hpp"

// What passphrases and the identities of parties need, from the system's OpenSSL: libcrypto is looked for when it is
// first needed, so that neither building this library nor using it without these takes OpenSSL. All functions throw
// EngineError, saying what to install, where there is none or it refuses.
namespace cyclotome::libcrypto {

/// "ready", or why there is no libcrypto for passphrases.
std::string state();
/// The same for the curves below, which take OpenSSL 1.1.1.
std::string curves_state();

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

inline constexpr std::size_t curve_key_bytes = 32, signature_bytes = 64;

/// Ed25519 (RFC 8032): the public key of a secret one, a signature, and whether one is that of a message. What is no
/// signature, of any length or bytes, is none. A public key of small order, for which signatures can be made without a
/// secret, is refused elsewhere (rlwe/joint/identity.hpp).
std::array<std::uint8_t, curve_key_bytes> ed25519_public(std::span<const std::uint8_t, curve_key_bytes> secret);
std::array<std::uint8_t, signature_bytes> ed25519_sign(std::span<const std::uint8_t, curve_key_bytes> secret,
                                                       std::span<const std::uint8_t> text);
bool ed25519_verify(std::span<const std::uint8_t, curve_key_bytes> key, std::span<const std::uint8_t> text,
                    std::span<const std::uint8_t> signature);

/// X25519 (RFC 7748): the public key of a secret one, and what the owners of two keys share, in locked memory. Empty
/// for another's key of small order, with which everybody would share the same.
std::array<std::uint8_t, curve_key_bytes> x25519_public(std::span<const std::uint8_t, curve_key_bytes> secret);
ZeroisingVector<std::uint8_t> x25519_shared(std::span<const std::uint8_t, curve_key_bytes> secret,
                                            std::span<const std::uint8_t, curve_key_bytes> other);

}  // namespace cyclotome::libcrypto
