// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/rlwe/keys.hpp"

// A secret key's coefficients as they are stored: 2 bits of two's complement each, 0 -> 00, 1 -> 01, -1 -> 11. No
// branch depends on one.
namespace cyclotome::io {

constexpr std::size_t packed_key_bytes(std::size_t degree) noexcept { return degree / 4; }

/// packed: packed_key_bytes(n) bytes.
void pack_key(std::span<std::uint8_t> packed, const rlwe::SecretKey& key);
/// Throws FormatError for the code 10, and for a key that fails the check.
rlwe::SecretKey unpack_key(std::span<const std::uint8_t> packed, const rlwe::ContextPtr& context, const rlwe::KeyId& id,
                           rlwe::KeyCheck check);

}  // namespace cyclotome::io
