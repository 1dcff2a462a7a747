// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "cyclotome/ring/view.hpp"

namespace cyclotome {

/// What an engine offers that takes values into polynomials modulo one prime t by itself, and back, in one pass and
/// without copies of residues in between. Arrays have one part and one limb, and an item for each row
/// of `width` <= n values, of which the last may have fewer; positions[j], or j where there are none, is where value j
/// of a row stands, for a ring always the same. No branch and no address depends on a value, and what is staged is
/// wiped.
class HostValues {
 public:
  virtual ~HostValues() = default;
  /// out = values modulo t, and 0 beside them. True, if they may be any (reduce) or all lie in [-t/2, t/2]; else out
  /// holds nothing of meaning.
  virtual bool place(View out, std::span<const std::int64_t> values, std::size_t width,
                     std::span<const std::uint32_t> positions, bool reduce) = 0;
  /// values = the representatives in [-t/2, t/2).
  virtual void collect(std::span<std::int64_t> values, ConstView a, std::size_t width,
                       std::span<const std::uint32_t> positions) = 0;
};

}  // namespace cyclotome
