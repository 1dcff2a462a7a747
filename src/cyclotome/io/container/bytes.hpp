// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome::io {

/// The bytes of one object. They may be a secret key's, so they are wiped with their vector; those that are known to be
/// lie in locked memory.
using Bytes = ZeroisingVector<std::uint8_t>;

}  // namespace cyclotome::io
