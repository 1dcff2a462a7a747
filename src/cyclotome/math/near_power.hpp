// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/word.hpp"

namespace cyclotome {

/// Moduli q = 2^b - d just below a power of two, as the largest primes of a length are: 2^b is d modulo q, so what a
/// product has above 2^b is multiplied by d and added, and there is no quotient to find.
struct NearPower {
  static constexpr unsigned least_bits = 50;
  /// Inclusive.
  static constexpr std::uint64_t most_below = std::uint64_t{1} << 26;

  /// Whether q is one of `least_bits` or more.
  static constexpr bool includes(std::uint64_t q) noexcept {
    const unsigned bits = bit_length(q);
    return bits >= least_bits && bits < 64 && (std::uint64_t{1} << bits) - q <= most_below;
  }

  unsigned bits;
  std::uint64_t below;  ///< d
  constexpr explicit NearPower(std::uint64_t q) noexcept : bits(bit_length(q)), below((std::uint64_t{1} << bits) - q) {}

  /// Where halves of a factor are parted, so that what is above the higher half and 32 bits is above 2^b.
  constexpr unsigned low_bits() const noexcept { return bits - 32; }

  constexpr std::uint64_t value() const noexcept { return (std::uint64_t{1} << bits) - below; }

  /// w in [0, q) -> 2^32 w modulo q.
  constexpr std::uint64_t lift(std::uint64_t w) const noexcept {
    const std::uint64_t parts = (std::uint64_t{1} << low_bits()) - 1, all = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t folded = (w >> low_bits()) * below + ((w & parts) << 32);  // below 2^58 + 2^b
    const std::uint64_t rest = (folded & all) + (folded >> bits) * below;          // below 2 q
    return rest - (value() & mask_if<std::uint64_t>(rest >= value()));
  }

  /// 2^exponent modulo q, exponent < bits + 16.
  constexpr std::uint64_t power(unsigned exponent) const noexcept {
    return exponent < bits ? std::uint64_t{1} << exponent : below << (exponent - bits);
  }

  /// w in [0, q) -> W = w or w - q as two signed numbers of 32 bits in a word: W = high 2^low_bits + low, |low| <=
  /// 2^(low_bits - 1). W is about q/2 at most, and w - q where `high` would not fit otherwise.
  constexpr std::uint64_t halves(std::uint64_t w) const noexcept {
    const std::uint64_t q = value(), round = std::uint64_t{1} << (low_bits() - 1);
    const std::uint64_t half = std::uint64_t{1} << (bits - 1);
    const bool negative = w > q / 2 || w >= half - round;
    const auto value = static_cast<std::int64_t>(negative ? w - q : w);
    const std::int64_t high = (value + static_cast<std::int64_t>(round)) >> low_bits();
    const auto low = static_cast<std::uint32_t>(value - (high << low_bits()));
    return static_cast<std::uint64_t>(high) << 32 | low;
  }
};

/// A fixed factor w modulo such a q for products by halves of 32 bits: x = x1 2^32 + x0 times w is x0 w + x1 (2^32 w).
/// Both as NearPower::halves.
struct HalvedFactor {
  std::uint64_t factor = 0, lifted = 0;

  constexpr HalvedFactor() = default;
  constexpr HalvedFactor(std::uint64_t w, const NearPower& q) noexcept
      : factor(q.halves(w)), lifted(q.halves(q.lift(w))) {}
};

}  // namespace cyclotome
