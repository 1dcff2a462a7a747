// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "cyclotome/scheme/deterministic.hpp"

namespace cyclotome::check {

/// One seed for each number.
inline Seed seed(std::uint8_t first) {
  std::array<std::uint8_t, 32> bytes{};
  bytes[0] = first;
  return Seed(bytes);
}

}  // namespace cyclotome::check
