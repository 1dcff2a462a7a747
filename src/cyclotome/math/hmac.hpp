// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/sha256.hpp"

namespace cyclotome {

/// HMAC-SHA-256 (RFC 2104, FIPS 198-1), a pseudorandom function of its key. Constant time in key and message, and
/// nothing of the key is left in memory.
Digest hmac_sha256(std::span<const std::uint8_t> key, std::span<const std::uint8_t> message) noexcept;

}  // namespace cyclotome
