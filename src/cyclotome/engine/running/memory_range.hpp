// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "cyclotome/ring/view.hpp"

namespace cyclotome {

/// The memory from the first to the last residue of a view; what lies between its items belongs to it.
struct MemoryRange {
  const std::byte *begin, *end;

  explicit MemoryRange(ConstView view) noexcept : begin(static_cast<const std::byte*>(view.data)), end(begin) {
    const std::size_t words =
        (view.batch - 1) * view.batch_stride + (view.parts - 1) * view.part_stride + view.limbs() * view.limb_words();
    end += words * bytes_of(view.word());
  }

  bool contains(const MemoryRange& other) const noexcept { return begin <= other.begin && other.end <= end; }
  bool overlaps(const MemoryRange& other) const noexcept { return begin < other.end && other.begin < end; }
};

}  // namespace cyclotome
