// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cyclotome/io/container/bytes.hpp"
#include "cyclotome/io/container/limits.hpp"
#include "cyclotome/io/files/file_options.hpp"
#include "cyclotome/rlwe/joint/identity.hpp"

// Files of parties' identities: both public keys, and the seed of the secret ones, which may be under a passphrase.
namespace cyclotome::io {

/// The most bytes that such a file has.
inline constexpr std::uint64_t max_identity_bytes = 4096;

/// Secret, in locked memory, unless there is a passphrase. Throws ArgumentError for an empty one; EngineError where
/// there is no OpenSSL.
Bytes serialize(const rlwe::Identity& identity,
                const std::optional<std::span<const std::uint8_t>>& passphrase = std::nullopt);

/// Whether these bytes begin as those of an identity.
bool names_identity(std::span<const std::uint8_t> bytes) noexcept;

/// What such bytes say without a passphrase.
struct IdentityFacts {
  rlwe::PublicIdentity identity;  ///< what others know of it
  bool is_protected;              ///< under a passphrase
};
/// Throws FormatError for bytes that are no whole, undamaged identity.
IdentityFacts inspect_identity(std::span<const std::uint8_t> bytes);

/// Throws FormatError, also where the seed is not that of the public keys; PassphraseError where one is needed, or
/// another one.
rlwe::Identity read_identity(std::span<const std::uint8_t> bytes,
                             const std::optional<std::span<const std::uint8_t>>& passphrase = std::nullopt);

/// Writes it for its owner only. Throws FileError; then a file that was there is as it was.
void write_identity(const std::string& path, const rlwe::Identity& identity,
                    const std::optional<std::span<const std::uint8_t>>& passphrase = std::nullopt,
                    Existing existing = Existing::refused);

/// Reads what `write_identity` wrote. Throws FileError as well.
rlwe::Identity load_identity(const std::string& path,
                             const std::optional<std::span<const std::uint8_t>>& passphrase = std::nullopt);

}  // namespace cyclotome::io
