// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/rlwe/keys/keys.hpp"

// A secret key as it is stored, which is the same for all schemes, as rlwe::SecretKey is: 2 bits of two's complement
// for each coefficient, 0 -> 00, 1 -> 01, -1 -> 11. No branch depends on one.
namespace cyclotome::io {

std::size_t packed_key_bytes(const rlwe::Parameters& parameters);

/// packed: packed_key_bytes() bytes.
void pack_key(std::span<std::uint8_t> packed, const rlwe::SecretKey& key);
/// Throws FormatError for the code 10, and for a key that fails the check.
rlwe::SecretKey unpack_key(std::span<const std::uint8_t> packed, const rlwe::ContextPtr& context, const rlwe::KeyId& id,
                           rlwe::KeyCheck check);

}  // namespace cyclotome::io
