// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// Writing: ArgumentError for metadata that is too long. Reading: FormatError for a container of another kind or with
// bad contents, or one that expands beyond its limits; MismatchError if the context has other parameters.
namespace cyclotome::io {

/// The coefficients of the secret, 2 bits each. The bytes are the secret, in locked memory: keep them in a file written
/// with Privacy::secret, or under a passphrase (io/keys/protected_key.hpp).
Bytes serialize(const rlwe::SecretKey& key, std::span<const std::uint8_t> metadata = {});
/// The seed of the uniform half, and the other half.
Bytes serialize(const rlwe::PublicKey& key, std::span<const std::uint8_t> metadata = {});
/// For each key the seed of its uniform half, and the other half.
Bytes serialize(const rlwe::EvaluationKeys& keys, std::span<const std::uint8_t> metadata = {});
/// The id of the secret key that it leads from, the seed of its uniform half, and the other half.
Bytes serialize(const rlwe::RekeyingKey& key, std::span<const std::uint8_t> metadata = {});

rlwe::SecretKey read_secret_key(const Container& container, const rlwe::ContextPtr& context,
                                rlwe::KeyCheck check = rlwe::KeyCheck::required);
rlwe::PublicKey read_public_key(const Container& container, const rlwe::ContextPtr& context);
rlwe::EvaluationKeys read_evaluation_keys(const Container& container, const rlwe::ContextPtr& context);
rlwe::RekeyingKey read_rekeying_key(const Container& container, const rlwe::ContextPtr& context);

}  // namespace cyclotome::io
