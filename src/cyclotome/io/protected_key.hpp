// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container.hpp"
#include "cyclotome/rlwe/keys.hpp"

// Secret keys under a passphrase: scrypt makes a key of it, ChaCha20-Poly1305 encrypts the coefficients with that and
// vouches for the rest of the file. Both come from the system's OpenSSL (io/libcrypto.hpp).
namespace cyclotome::io {

/// What a guess at a passphrase costs: memory of 128 r 2^log2_n bytes, p times. The default takes 128 MiB, and some
/// 0.4 s of a core.
struct ScryptCost {
  std::uint32_t log2_n = 17, r = 8, p = 1;
};
/// The most that a reader computes for a file: 1 GiB, 4 times.
inline constexpr ScryptCost least_scrypt_cost{10, 8, 1}, most_scrypt_cost{20, 8, 4};

/// As `serialize` of a secret key, under a passphrase: bytes as they are typed, by convention UTF-8. The result is no
/// secret to those who can't guess the passphrase. Throws ArgumentError for an empty passphrase or a cost out of
/// bounds; EngineError where there is no OpenSSL.
Bytes serialize_protected(const rlwe::SecretKey& key, std::span<const std::uint8_t> passphrase,
                          std::span<const std::uint8_t> metadata = {}, const ScryptCost& cost = {});

/// What such a container says in the clear. Throws FormatError as all readers do, and for a cost out of bounds.
ScryptCost protection_of(const Container& container);

/// Throws PassphraseError for another passphrase than it was written with; a file that somebody altered looks the same.
/// Otherwise throws what read_secret_key does.
rlwe::SecretKey read_protected_key(const Container& container, const rlwe::ContextPtr& context,
                                   std::span<const std::uint8_t> passphrase,
                                   rlwe::KeyCheck check = rlwe::KeyCheck::required);

}  // namespace cyclotome::io
