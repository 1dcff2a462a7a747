// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cyclotome/math/zeroising_allocator.hpp"

namespace cyclotome::io {

/// The bytes of one object. They may be those of a secret key, so no copy of them outlives its vector.
using Bytes = std::vector<std::uint8_t, ZeroisingAllocator<std::uint8_t>>;

}  // namespace cyclotome::io
