// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/word.hpp"

// Arithmetic modulo P = 2^64 - 2^32 + 1, the field that carries products of polynomials: 2^64 = 2^32 - 1, 2^96 = -1,
// and 2 has order 192, so products by roots of order up to 192 are shifts (paper 002, 4.3). Host and device compute
// with the same functions. All values are in [0, P), arguments and results.
namespace cyclotome::study::ltv::carrier {

inline constexpr std::uint64_t modulus = 0xffffffff00000001ULL;
/// 2^64 mod P.
inline constexpr std::uint64_t wrap = 0xffffffffULL;
/// Generates the multiplicative group.
inline constexpr std::uint64_t generator = 7;
/// 2^shift_order = 1.
inline constexpr unsigned shift_order = 192;

CYCLOTOME_HD constexpr std::uint64_t add(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t room = modulus - b;
  return a - room + (a < room ? modulus : 0);
}

CYCLOTOME_HD constexpr std::uint64_t subtract(std::uint64_t a, std::uint64_t b) noexcept {
  return a - b + (a < b ? modulus : 0);
}

/// Any high 2^64 + low.
CYCLOTOME_HD constexpr std::uint64_t reduce(std::uint64_t high, std::uint64_t low) noexcept {
  const std::uint64_t top = high >> 32, middle = high & wrap;  // top 2^96 = -top
  std::uint64_t sum = low - top - (low < top ? wrap : 0);
  const std::uint64_t product = (middle << 32) - middle;  // middle (2^32 - 1)
  sum += product;
  sum += sum < product ? wrap : 0;
  return sum - (sum >= modulus ? modulus : 0);
}

CYCLOTOME_HD constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) noexcept {
  return reduce(multiply_high(a, b), a * b);
}

/// a 2^Shift.
template <unsigned Shift>
CYCLOTOME_HD constexpr std::uint64_t shifted(std::uint64_t a) noexcept {
  static_assert(Shift < shift_order);
  if constexpr (Shift >= 96) {
    return shifted<Shift - 96>(subtract(0, a));
  } else if constexpr (Shift == 0) {
    return a;
  } else if constexpr (Shift < 64) {
    return reduce(a >> (64 - Shift), a << Shift);
  } else if constexpr (Shift == 64) {
    return reduce(a, 0);
  } else {  // (high 2^64 + low) 2^64 with 2^128 = -2^32
    return subtract(reduce(a << (Shift - 64), 0), (a >> (128 - Shift)) << 32);
  }
}

CYCLOTOME_HD constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) noexcept {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

/// The root of order `points`, a power of two of at least 64, whose power of order 64 is 8: the paper's root of shifts.
constexpr std::uint64_t root_of_order(std::uint64_t points) noexcept {
  const std::uint64_t any = power(generator, (modulus - 1) / points), square = multiply(any, any);
  std::uint64_t root = any;
  while (power(root, points / 64) != 8) root = multiply(root, square);
  return root;
}

}  // namespace cyclotome::study::ltv::carrier
