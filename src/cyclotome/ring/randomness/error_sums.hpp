// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cyclotome/ring/randomness/sampling.hpp"

namespace cyclotome {

/// How a ring draws Law::error: numbers 0 ... draws - 1 of the stream are centred binomials, and every coefficient is a
/// signed sum of `terms` of them, so that the error is as wide in every embedding. In x^n + 1 coefficient c is number
/// c; over Phi_m the polynomial is drawn modulo x^m - 1 and reduced (Ducas and Durmus, 2012).
struct ErrorSums {
  std::size_t draws = 0;
  std::size_t terms = 1;
  std::vector<std::uint32_t> addresses;  ///< [terms][degree]: which number; empty where terms is 1 and it is c

  /// Whether a term is subtracted: an odd number of its bits is set. Without std::popcount, which nvcc compiles to 0
  /// for a device, silently.
  CYCLOTOME_HD static constexpr bool negative(std::size_t term) noexcept {
    bool odd = false;
    for (; term != 0; term &= term - 1) odd = !odd;
    return odd;
  }
  /// The largest magnitude of a coefficient.
  std::uint64_t bound() const noexcept { return error_bound * std::uint64_t{terms}; }
};

}  // namespace cyclotome
