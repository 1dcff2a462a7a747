// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/word.hpp"

namespace cyclotome {

/// A modulus q with what Barrett reduction needs. q need not be prime or odd: 2 <= q < max_modulus<W>.
///
/// Two reductions are kept apart by the range of what they take:
///  - `multiply` takes reduced factors (a, b < q). 64-bit words use paper 001, Algorithm 7 as corrected by erratum
///  001-1:
///    mu = floor(2^(2w+1)/q), shifts w-2 and w+3, where w is the bit length of q. The value before the single
///    conditional subtraction is below 1.75 q. (As printed, mu = floor(2^(2w)/q) with shifts w-2 and w+2, it
///    reaches 2.19 q.)
///  - `reduce_wide` takes any double word, by Algorithm 6 with a full-width reciprocal: one conditional subtraction.
/// Neither branches on data.
template <LimbWord W>
class Modulus {
 public:
  constexpr Modulus() = default;

  /// Precondition: 2 <= value < max_modulus<W>; `Basis` checks it and throws, this class does not.
  CYCLOTOME_HD constexpr explicit Modulus(W value) noexcept : value_(value), bits_(bit_length(value)) {
    if constexpr (sizeof(W) == 4) {
      // floor(2^64 / q) for q >= 2; exact power-of-two divisors included.
      ratio_low_ = ~std::uint64_t{0} / value + (~std::uint64_t{0} % value + 1 == value ? 1 : 0);
    } else {
      const u128 all_ones = ~static_cast<u128>(0);
      const u128 ratio = all_ones / value + (all_ones % value + 1 == value ? 1 : 0);
      ratio_low_ = static_cast<std::uint64_t>(ratio);
      ratio_high_ = static_cast<std::uint64_t>(ratio >> 64);
      product_ratio_ = static_cast<std::uint64_t>((static_cast<u128>(1) << (2 * bits_ + 1)) / value);
    }
  }

  CYCLOTOME_HD constexpr W value() const noexcept { return value_; }
  CYCLOTOME_HD constexpr unsigned bits() const noexcept { return bits_; }
  /// floor(2^64/q) for 32-bit words; the low and high word of floor(2^128/q) for 64-bit words. For code that reduces
  /// many values at once.
  CYCLOTOME_HD constexpr std::uint64_t ratio_low() const noexcept { return ratio_low_; }
  CYCLOTOME_HD constexpr std::uint64_t ratio_high() const noexcept { return ratio_high_; }

  /// a, b in [0, q) -> [0, q).
  CYCLOTOME_HD constexpr W add(W a, W b) const noexcept { return subtract_if_reaches(static_cast<W>(a + b)); }
  /// a, b in [0, q) -> [0, q).
  CYCLOTOME_HD constexpr W subtract(W a, W b) const noexcept {
    const W difference = static_cast<W>(a - b);
    return static_cast<W>(difference + (value_ & mask_if<W>(a < b)));
  }
  /// a in [0, q) -> [0, q).
  CYCLOTOME_HD constexpr W negate(W a) const noexcept { return static_cast<W>((value_ - a) & mask_if<W>(a != 0)); }

  /// a, b in [0, q) -> [0, q).
  CYCLOTOME_HD constexpr W multiply(W a, W b) const noexcept {
    if constexpr (sizeof(W) == 4) {
      return reduce_wide(static_cast<std::uint64_t>(a) * b);
    } else {
      const u128 product = static_cast<u128>(a) * b;
      const auto top = static_cast<std::uint64_t>(product >> (bits_ - 2));
      const auto quotient = static_cast<std::uint64_t>((static_cast<u128>(top) * product_ratio_) >> (bits_ + 3));
      return subtract_if_reaches(static_cast<W>(static_cast<W>(product) - quotient * value_));
    }
  }

  /// Any double word -> [0, q).
  CYCLOTOME_HD constexpr W reduce_wide(Wide<W> x) const noexcept {
    if constexpr (sizeof(W) == 4) {
      const auto quotient = multiply_high(static_cast<std::uint64_t>(x), ratio_low_);
      return subtract_if_reaches(static_cast<W>(x - quotient * value_));
    } else {
      // floor(x * ratio / 2^128) from three partial products; the dropped one loses less than one unit.
      const auto low = static_cast<std::uint64_t>(x);
      const auto high = static_cast<std::uint64_t>(x >> 64);
      const std::uint64_t carry = multiply_high(low, ratio_low_);
      const u128 middle1 = static_cast<u128>(low) * ratio_high_ + carry;
      const u128 middle2 = static_cast<u128>(high) * ratio_low_ + static_cast<std::uint64_t>(middle1);
      const std::uint64_t quotient =
          high * ratio_high_ + static_cast<std::uint64_t>(middle1 >> 64) + static_cast<std::uint64_t>(middle2 >> 64);
      return subtract_if_reaches(low - quotient * value_);
    }
  }

  /// Any word -> [0, q).
  CYCLOTOME_HD constexpr W reduce(W x) const noexcept { return reduce_wide(x); }

  /// Any 64-bit signed integer -> [0, q). No branch on the sign.
  CYCLOTOME_HD constexpr W reduce_signed(std::int64_t x) const noexcept {
    const auto sign = static_cast<std::uint64_t>(x >> 63);  // 0 or all ones
    const std::uint64_t magnitude = (static_cast<std::uint64_t>(x) ^ sign) - sign;
    const W residue = reduce_wide(magnitude);
    const W negative = negate(residue);
    return static_cast<W>(residue ^ ((residue ^ negative) & static_cast<W>(sign)));
  }

  /// base^exponent; base in [0, q).
  CYCLOTOME_HD constexpr W power(W base, std::uint64_t exponent) const noexcept {
    W result = reduce(1);
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result = multiply(result, base);
      base = multiply(base, base);
    }
    return result;
  }

  CYCLOTOME_HD constexpr bool operator==(const Modulus& other) const noexcept { return value_ == other.value_; }

  /// x in [0, 2q) -> [0, q), without a branch.
  CYCLOTOME_HD constexpr W subtract_if_reaches(W x) const noexcept {
    return static_cast<W>(x - (value_ & mask_if<W>(x >= value_)));
  }

 private:
  W value_ = 0;
  unsigned bits_ = 0;
  std::uint64_t ratio_low_ = 0;      // floor(2^64/q) for 32-bit words; low half of floor(2^128/q) for 64-bit words
  std::uint64_t ratio_high_ = 0;     // high half of floor(2^128/q)
  std::uint64_t product_ratio_ = 0;  // floor(2^(2w+1)/q), for `multiply`
};

/// Inverse of `a` modulo `modulus`, or 0 if gcd(a, modulus) != 1. Extended Euclid; not constant-time: public values
/// only.
constexpr std::uint64_t inverse_or_zero(std::uint64_t a, std::uint64_t modulus) noexcept {
  if (modulus < 2) return 0;
  i128 r0 = modulus, r1 = a % modulus, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const i128 quotient = r0 / r1;
    const i128 r2 = r0 - quotient * r1;
    const i128 t2 = t0 - quotient * t1;
    r0 = r1;
    r1 = r2;
    t0 = t1;
    t1 = t2;
  }
  if (r0 != 1) return 0;
  return static_cast<std::uint64_t>(t0 < 0 ? t0 + static_cast<i128>(modulus) : t0);
}

/// Greatest common divisor.
constexpr std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) noexcept {
  while (b != 0) {
    const std::uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

}  // namespace cyclotome
