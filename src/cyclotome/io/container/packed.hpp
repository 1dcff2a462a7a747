// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace cyclotome::io {

/// Packed residues in a container, and where they start in it.
struct Packed {
  std::span<const std::uint8_t> bytes;
  std::uint64_t offset = 0;
};

}  // namespace cyclotome::io
