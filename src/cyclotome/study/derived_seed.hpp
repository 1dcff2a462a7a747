// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "cyclotome/math/sha256.hpp"
#include "cyclotome/ring/randomness/seed.hpp"

namespace cyclotome::study {

/// A seed for one thing that is made of `master`: HMAC-SHA-256 over the scheme's name, what the seed is for, which key
/// it belongs to and the fingerprint of the parameters, each after its length as a byte.
Seed derive_seed(const Seed& master, std::string_view scheme, std::string_view purpose,
                 const std::array<std::uint8_t, 16>& key, const Digest& fingerprint);

}  // namespace cyclotome::study
