// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "cyclotome/ring/view.hpp"

namespace cyclotome {

/// What an engine offers whose memory this processor addresses: values on their way into polynomials modulo one prime
/// t, and back, in one pass and without copies in between. Arrays have one part and one limb, and an item for each row
/// of `width` <= n values; positions[j], or j where there are none, is where value j of a row stands. No branch and no
/// address depends on a value, and what is staged is wiped.
class HostValues {
 public:
  virtual ~HostValues() = default;
  /// out = values modulo t, and 0 beside them. Whether all lie in [-t/2, t/2]; if not, out holds nothing of meaning.
  virtual bool place(View out, std::span<const std::int64_t> values, std::size_t width,
                     std::span<const std::uint32_t> positions) = 0;
  /// values = the representatives in [-t/2, t/2).
  virtual void collect(std::span<std::int64_t> values, ConstView a, std::size_t width,
                       std::span<const std::uint32_t> positions) = 0;
};

}  // namespace cyclotome
