// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/study/derived_seed.hpp"
#include "cyclotome/study/ltv/parameters.hpp"

namespace cyclotome::study::ltv {

using KeyId = std::array<std::uint8_t, 16>;

/// A seed for one thing that is made of `master` (study/derived_seed.hpp).
Seed derive_seed(const Seed& master, const Parameters& parameters, std::string_view purpose, const KeyId& key);

/// n values of -1, 0, 1, uniform: the paper's chi. Addressed as the library's draws are (ring/randomness/sampling.hpp).
ZeroisingVector<std::int64_t> draw_ternary(const Parameters& parameters, const Seed& seed, Stream stream,
                                           std::uint32_t item);

}  // namespace cyclotome::study::ltv
