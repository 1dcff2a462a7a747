// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <type_traits>

#include "cyclotome/math/word.hpp"

namespace cyclotome {

/// Number of bits of `value`: 0 for 0, k for 2^(k-1) <= value < 2^k.
CYCLOTOME_HD constexpr unsigned bit_length(std::uint64_t value) noexcept {
  unsigned bits = 0;
  while (value != 0) {
    value >>= 1;
    ++bits;
  }
  return bits;
}

/// True for 1, 2, 4, 8, ...
CYCLOTOME_HD constexpr bool is_power_of_two(std::uint64_t value) noexcept {
  return value != 0 && (value & (value - 1)) == 0;
}

/// Reverses the lowest `bits` bits of `value`; `value` must be below 2^bits.
CYCLOTOME_HD constexpr std::uint64_t reverse_bits(std::uint64_t value, unsigned bits) noexcept {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i) {
    result = (result << 1) | (value & 1);
    value >>= 1;
  }
  return result;
}

/// All ones if `condition`, else zero; compiles to no branch.
template <LimbWord W>
CYCLOTOME_HD constexpr W mask_if(bool condition) noexcept {
  W mask = static_cast<W>(W{0} - static_cast<W>(condition));
#if defined(__clang__) && !defined(__CUDACC__)
  // Clang makes a branch of `x - (q & mask)` where it sees what the mask is made of; GCC does not, and vectorises.
  if (!std::is_constant_evaluated()) asm("" : "+r"(mask));
#endif
  return mask;
}

}  // namespace cyclotome
