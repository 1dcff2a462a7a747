// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace cyclotome {

/// What an engine's memory is like at this moment.
struct MemoryState {
  std::uint64_t held = 0;             ///< bytes that its buffers hold
  std::optional<std::uint64_t> free;  ///< bytes that it could still give, about; nothing where that is not known
};

}  // namespace cyclotome
