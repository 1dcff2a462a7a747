// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/io/container/envelope.hpp"

// What a secret under a passphrase, a key or a share, says in the clear: how it is protected, and what a guess costs.
namespace cyclotome::io {

/// What a guess at a passphrase costs: memory of 128 r 2^log2_n bytes, p times. The default takes 128 MiB, and some
/// 0.4 s of a core.
struct ScryptCost {
  std::uint32_t log2_n = 17, r = 8, p = 1;
};
/// The most that a reader computes for a file: 1 GiB, 4 times.
inline constexpr ScryptCost least_scrypt_cost{10, 8, 1}, most_scrypt_cost{20, 8, 4};

/// Throws ArgumentError for a cost out of bounds.
void require_possible(const ScryptCost& cost);

/// The only method: scrypt, then ChaCha20-Poly1305.
inline constexpr std::uint32_t scrypt_and_chacha = 1;

/// The one section of such a container, all of it views of the container's bytes.
struct SealedPayload {
  ScryptCost cost;
  std::span<const std::uint8_t> salt, nonce, text, tag;
  std::span<const std::uint8_t> header;  ///< all bytes of the container before the text
};

/// What the section SEAL of an object has, which must end its bytes but for the checksum. what: the object, for
/// messages. text_bytes: how long the secret is, of so many bytes that are left, the tag's included. Throws
/// FormatError, also for a cost out of bounds.
SealedPayload sealed_section(const Section& section, const std::string& what,
                             const std::function<std::size_t(std::size_t rest)>& text_bytes);

/// The same of a container. Throws FormatError.
SealedPayload sealed_payload(const Envelope& envelope);

}  // namespace cyclotome::io
