// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cyclotome {

/// Overwrites memory with zeros in a way that the compiler must not remove.
void secure_zero(void* data, std::size_t bytes) noexcept;

}  // namespace cyclotome
