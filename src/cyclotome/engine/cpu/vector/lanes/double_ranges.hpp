// SPDX-License-Identifier: Apache-2.0
#pragma once

// No code, only bounds: safe to include anywhere.

#include "cyclotome/engine/cpu/vector/lanes/range_plans.hpp"

namespace cyclotome::cpu {
namespace {

/// What residues of either sign are below in transforms on doubles modulo q < 2^bits, in units of q / 256
/// (lanes_double.hpp). A quotient of a product is off by `roundings` of 2^-53 of itself and must be at most
/// 2^quotient_bits.
template <unsigned roundings, unsigned quotient_bits, unsigned bits>
struct DoubleRanges : RangePlans<DoubleRanges<roundings, quotient_bits, bits>> {
  static constexpr unsigned unit = 256;
  /// After a reduction: half of q and 2^-47 of it.
  static constexpr unsigned reduced = unit / 2 + 1;
  /// Whether passes take their factors from [-q/2, q/2], which halves quotients. Short moduli don't gain by it.
  static constexpr bool centred = bits > 47;

  /// What is multiplied must be below: quotients are at most |x|, or |x| / 2, and sums below 2^53.
  static constexpr unsigned widest(bool by_centred) {
    const unsigned most_bits = quotient_bits + (by_centred ? 1 : 0);
    return unit << ((most_bits < 53 ? most_bits : 53) - bits);
  }
  /// A product of what is below x: half of q, and how far the quotient is off.
  static constexpr unsigned product(unsigned x, bool by_centred) {
    const unsigned shift = 53 - bits + (by_centred ? 1 : 0);
    return unit / 2 + ((roundings * x + (1U << shift) - 1) >> shift);
  }

  /// Whether a transform ends with a quotient rounded down (LanesDouble::left_whole), and what it takes then: less half
  /// of q it must be below 2^52, or 2^51 where quotients are rounded twice.
  static constexpr bool whole = roundings == 2 || bits < 50;
  static constexpr unsigned forward_end =
      whole ? (unit << ((roundings == 2 ? 52 : 51) - bits)) - unit / 2 : widest(true);

  /// Between passes, and before leaves.
  static constexpr unsigned forward_between = widest(false);
  /// Between passes of an inverse transform, and after leaves.
  static constexpr unsigned inverse_between = widest(centred) / 4;
};

}  // namespace
}  // namespace cyclotome::cpu
