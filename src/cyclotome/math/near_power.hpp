// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "cyclotome/math/bits.hpp"

namespace cyclotome {

/// Moduli q = 2^b - d just below a power of two, as the largest primes of a length are: 2^b is d modulo q, so what a
/// product has above 2^b is multiplied by d and added, and there is no quotient to find.
struct NearPower {
  static constexpr unsigned least_bits = 50;
  /// Inclusive.
  static constexpr std::uint64_t most_below = std::uint64_t{1} << 26;

  /// Whether q is one of `least_bits` or more.
  static constexpr bool includes(std::uint64_t q) noexcept {
    const auto bits = static_cast<unsigned>(std::bit_width(q));
    return bits >= least_bits && bits < 64 && (std::uint64_t{1} << bits) - q <= most_below;
  }

  unsigned bits;
  std::uint64_t below;  ///< d
  constexpr explicit NearPower(std::uint64_t q) noexcept
      : bits(static_cast<unsigned>(std::bit_width(q))), below((std::uint64_t{1} << bits) - q) {}

  /// Where halves of a factor are parted, so that what is above the higher half and 32 bits is above 2^b.
  constexpr unsigned low_bits() const noexcept { return bits - 32; }

  constexpr std::uint64_t value() const noexcept { return (std::uint64_t{1} << bits) - below; }

  /// w in [0, q) -> 2^shift w modulo q, shift <= 32.
  constexpr std::uint64_t lift(std::uint64_t w, unsigned shift = 32) const noexcept {
    const std::uint64_t parts = (std::uint64_t{1} << (bits - shift)) - 1, all = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t folded = (w >> (bits - shift)) * below + ((w & parts) << shift);  // below 2^58 + 2^b
    const std::uint64_t rest = (folded & all) + (folded >> bits) * below;                 // below 2 q
    return rest - (value() & mask_if<std::uint64_t>(rest >= value()));
  }

  /// 2^exponent modulo q, exponent < bits + 16.
  constexpr std::uint64_t power(unsigned exponent) const noexcept {
    return exponent < bits ? std::uint64_t{1} << exponent : below << (exponent - bits);
  }

  /// w in [0, q) -> W = w or w - q as two signed numbers of 32 bits in a word: W = high 2^low + rest, |rest| <= 2^(low
  /// - 1), low >= bits - 32. W is about q/2 at most, and w - q where `high` would not fit otherwise.
  constexpr std::uint64_t halves(std::uint64_t w, unsigned low) const noexcept {
    const std::uint64_t round = std::uint64_t{1} << (low - 1), half = std::uint64_t{1} << (bits - 1);
    const bool negative = w > value() / 2 || w >= half - round;
    const auto whole = static_cast<std::int64_t>(w - (value() & mask_if<std::uint64_t>(negative)));
    const std::int64_t high = (whole + static_cast<std::int64_t>(round)) >> low;
    const auto rest = static_cast<std::uint32_t>(whole - (high << low));
    return static_cast<std::uint64_t>(high) << 32 | rest;
  }
  constexpr std::uint64_t halves(std::uint64_t w) const noexcept { return halves(w, low_bits()); }
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
