// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/math/bits.hpp"

namespace cyclotome {

/// Where slot i stands in a transform of length n: rows of n/2 slots; slot i of row 0 is the value at psi^(3^i), of row
/// 1 at psi^(-3^i), and a transform holds the value at psi^(2 br(k) + 1) at position k. SEAL orders slots in the same
/// way.
inline std::vector<std::size_t> slot_positions(std::size_t n) {
  const unsigned bits = bit_length(n) - 1;
  std::vector<std::size_t> positions(n);
  std::uint64_t exponent = 1;
  for (std::size_t i = 0; i < n / 2; ++i) {
    positions[i] = reverse_bits((exponent - 1) / 2, bits);
    positions[i + n / 2] = reverse_bits((2 * n - exponent - 1) / 2, bits);
    exponent = exponent * 3 % (2 * n);
  }
  return positions;
}

}  // namespace cyclotome
