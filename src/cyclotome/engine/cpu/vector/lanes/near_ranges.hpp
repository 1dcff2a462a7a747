// SPDX-License-Identifier: Apache-2.0
#pragma once

// No code, only bounds: safe to include anywhere.

#include "cyclotome/engine/cpu/vector/lanes/range_plans.hpp"

namespace cyclotome::cpu {
namespace {

/// What residues of either sign are below in transforms modulo q = 2^b - d, b <= bits, d <= 2^26, on 64-bit lanes
/// (lanes64_near.hpp), in units of 2^(bits - 14). Lanes hold `room` 2^bits; a residue is below 2^bits.
template <unsigned bits>
struct NearRanges : RangePlans<NearRanges<bits>> {
  static constexpr unsigned unit = 1U << 14;
  static constexpr bool centred = false, whole = true;
  static constexpr unsigned room = 1U << (63 - bits);
  /// Whether products are parted at a multiple of 2^b next to them, not the next lower one: one operation more for half
  /// of 2^b less.
  static constexpr bool rounds = bits > 57;

  /// 2^63 less a little: halves of what is multiplied are signed numbers of 32 bits, and reductions add 2^(63 - b) q.
  static constexpr unsigned widest(bool) { return room * unit - 1; }
  /// What a reduction leaves: below 2^b + 2^(64 - b) d.
  static constexpr unsigned reduced = unit + 1;
  /// With h = |x| / 2^63: (1 + h) 2^b / 4 of low halves of the factor, the middle of 2^b or 2^b / 2, and what is above,
  /// (1 + h) 2^30, times d. And one unit for what roundings add to each.
  static constexpr unsigned product(unsigned x, bool) {
    const unsigned halves = unit + (x + room - 1) / room;
    return (rounds ? unit / 2 : unit) + (halves + 3) / 4 + ((halves << 6 >> (bits - 50)) + 1) + 1;
  }

  static constexpr unsigned forward_between = widest(false), forward_end = widest(false);
  /// Rows of a pass over three stages may be sums of eight; or what products are below, where that is no room.
  static constexpr unsigned inverse_between = widest(false) / 8 > product(widest(false), false)
                                                  ? widest(false) / 8
                                                  : product(widest(false), false);
};

}  // namespace
}  // namespace cyclotome::cpu
