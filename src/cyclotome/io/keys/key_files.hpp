// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/io/files/file.hpp"
#include "cyclotome/rlwe/joint/secret_sharing.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::io {

/// How files of keys are written.
struct KeyFileOptions {
  /// Bytes of the caller's own, in the clear, beside each key.
  std::span<const std::uint8_t> metadata = {};
  /// The secret key or share is written under this passphrase (io/keys/protected_key.hpp), if there is one.
  std::optional<std::span<const std::uint8_t>> passphrase = std::nullopt;
  /// What becomes of files that have these names already. A secret key's file that is replaced by another key's stays
  /// beside it as NAME.bak-ID, with the first digits of its key's id; such a backup is never overwritten.
  Existing existing = Existing::refused;
};

/// Where keys that were made together are written.
struct KeyPaths {
  /// A path for each kind of key.
  std::string secret, public_key, evaluation;
};

/// Writes a secret key for its owner only. Returns the path of a replaced one's backup; empty if there is none. Throws
/// FileError; then everything is as it was.
std::string write_secret_key(const std::string& path, const rlwe::SecretKey& key, const KeyFileOptions& options = {});

/// Writes a share of a joint secret for its owner only; one that is replaced leaves no backup. Throws FileError; then
/// everything is as it was.
void write_secret_share(const std::string& path, const rlwe::SecretShare& share, const KeyFileOptions& options = {});

/// Writes keys that were made together, all or none. The secret key gets its place first: should the process be killed
/// between that and the rest, the old public keys belong to the backup, and by their ids never pass for the new one's.
/// Returns and throws as above.
std::string write_keys(const KeyPaths& paths, const rlwe::SecretKey& secret, const rlwe::PublicKey& public_key,
                       const rlwe::EvaluationKeys& evaluation, const KeyFileOptions& options = {});

}  // namespace cyclotome::io
