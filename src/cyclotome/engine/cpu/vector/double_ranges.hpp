// SPDX-License-Identifier: Apache-2.0
#pragma once

// No code, only bounds: safe to include anywhere.

#include <cstddef>

namespace cyclotome::cpu {
namespace {

/// Of transforms on doubles: rings have no longer ones (kernels.cpp asserts it).
inline constexpr unsigned most_double_stages = 17;

/// What residues of either sign are below in transforms on doubles modulo q < 2^bits, in units of q / 256, so that
/// stages reduce only what would leave the range (lanes_double.hpp). All of it is known to the compiler, which refuses
/// a plan that a bound breaks. A quotient of a product is off by `roundings` of 2^-53 of itself and must be at most
/// 2^quotient_bits.
template <unsigned roundings, unsigned quotient_bits, unsigned bits>
struct DoubleRanges {
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

  /// Forward transforms never reduce, if they need not.
  static constexpr bool never_reduces = [] {
    unsigned below = unit;
    for (unsigned stage = 0; stage < most_double_stages; ++stage) {
      if (below > widest(false)) return false;
      below += product(below, false);
    }
    return below <= forward_end;
  }();

  /// Which stages of a pass, or of leaves, reduce their first operands. Values are below `begin`, and below `end` after
  /// the last one.
  template <unsigned stages>
  struct Forward {
    bool reduces[stages] = {};
    bool holds = true;
    constexpr Forward(unsigned begin, unsigned end, bool by_centred) {
      if (never_reduces) return;
      unsigned below = begin;
      for (unsigned stage = 0; stage < stages; ++stage) {
        const unsigned allowed = stage + 1 == stages ? end : widest(by_centred), next = product(below, by_centred);
        holds = holds && below <= widest(by_centred);
        reduces[stage] = below + next > allowed;
        below = (reduces[stage] ? reduced : below) + next;
        holds = holds && below <= allowed;
      }
    }
  };
  /// Between passes, and before leaves.
  static constexpr unsigned forward_between = widest(false);

  /// Between passes of an inverse transform, and after leaves.
  static constexpr unsigned inverse_between = widest(centred) / 4;
  /// Sums that the next stage takes: their differences may be multiplied, and those products are within what passes
  /// take.
  static constexpr unsigned widest_sum(bool by_centred) {
    unsigned sum = widest(by_centred) / 2;
    while (product(2 * sum, by_centred) > inverse_between) sum /= 2;
    return sum;
  }
  /// One stage of pairs that are all below `below`.
  static constexpr bool reduces_sum(unsigned below) { return 2 * below > widest_sum(false); }
  static constexpr unsigned after_inverse_stage(unsigned below) {
    const unsigned sum = reduces_sum(below) ? reduced : 2 * below, product_below = product(2 * below, false);
    return sum < product_below ? product_below : sum;
  }

  /// Rows of an inverse pass, stage by stage: which of their sums are reduced.
  template <unsigned stages>
  struct Inverse {
    static constexpr std::size_t rows = std::size_t{1} << stages;
    bool reduces[stages][rows] = {};
    bool holds = true;
    unsigned last_difference = 0;  // what the last stage multiplies is below
    constexpr Inverse(unsigned begin, bool by_centred) {
      unsigned below[rows] = {};
      for (unsigned& row : below) row = begin;
      for (unsigned stage = 0; stage < stages; ++stage) {
        const std::size_t half = std::size_t{1} << stage;
        const bool last = stage + 1 == stages;
        const unsigned allowed = last ? inverse_between : widest_sum(by_centred);
        for (std::size_t x = 0; x < rows; ++x) {
          if ((x & half) != 0) continue;
          const unsigned sum = below[x] + below[x + half];
          if (last && sum > last_difference) last_difference = sum;
          reduces[stage][x] = sum > allowed;
          below[x] = reduces[stage][x] ? reduced : sum;
          below[x + half] = product(sum, by_centred);
          holds = holds && sum <= widest(by_centred) && below[x] <= allowed && below[x + half] <= inverse_between;
        }
      }
    }
  };
};

/// Lanes of which transforms reduce by such ranges.
template <class L>
concept Ranged = requires { typename L::Ranges; };

}  // namespace
}  // namespace cyclotome::cpu
