// SPDX-License-Identifier: Apache-2.0
#pragma once

// No code, only bounds: safe to include anywhere.

#include <cstddef>

namespace cyclotome::cpu {
namespace {

/// Of transforms by ranges: rings have no longer ones (kernels.cpp asserts it).
inline constexpr unsigned most_stages = 17;

/// Which stages of transforms reduce, so that values stay in the range of their lanes and only what would leave it is
/// reduced. All of it is known to the compiler, which refuses a plan that a bound breaks. Values are of either sign;
/// `Bounds` has, in its units,
///  - `unit`: residues are below; `reduced`: what has been reduced is;
///  - widest(by_centred): what is multiplied must be below, and every sum;
///  - product(x, by_centred): products of what is below x are below; by_centred: by factors that `centred` passes take;
///  - `forward_between`, `inverse_between`: values between passes, and before or after leaves; `forward_end`: what a
///    transform's end takes.
template <class Bounds>
struct RangePlans {
  /// Forward transforms never reduce, if they need not.
  static constexpr bool never_reduces = [] {
    unsigned below = Bounds::unit;
    for (unsigned stage = 0; stage < most_stages; ++stage) {
      if (below > Bounds::widest(false)) return false;
      below += Bounds::product(below, false);
    }
    return below <= Bounds::forward_end;
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
        const unsigned allowed = stage + 1 == stages ? end : Bounds::widest(by_centred),
                       next = Bounds::product(below, by_centred);
        holds = holds && below <= Bounds::widest(by_centred);
        reduces[stage] = below + next > allowed;
        below = (reduces[stage] ? Bounds::reduced : below) + next;
        holds = holds && below <= allowed;
      }
    }
  };

  /// Sums that the next stage takes: their differences may be multiplied, and those products are within what passes
  /// take.
  static constexpr unsigned widest_sum(bool by_centred) {
    unsigned sum = Bounds::widest(by_centred) / 2;
    while (Bounds::product(2 * sum, by_centred) > Bounds::inverse_between) sum /= 2;
    return sum;
  }
  /// One stage of pairs that are all below `below`.
  static constexpr bool reduces_sum(unsigned below) { return 2 * below > widest_sum(false); }
  static constexpr unsigned after_inverse_stage(unsigned below) {
    const unsigned sum = reduces_sum(below) ? Bounds::reduced : 2 * below,
                   product_below = Bounds::product(2 * below, false);
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
        const unsigned allowed = last ? Bounds::inverse_between : widest_sum(by_centred);
        for (std::size_t x = 0; x < rows; ++x) {
          if ((x & half) != 0) continue;
          const unsigned sum = below[x] + below[x + half];
          if (last && sum > last_difference) last_difference = sum;
          reduces[stage][x] = sum > allowed;
          below[x] = reduces[stage][x] ? Bounds::reduced : sum;
          below[x + half] = Bounds::product(sum, by_centred);
          holds = holds && sum <= Bounds::widest(by_centred) && below[x] <= allowed &&
                  below[x + half] <= Bounds::inverse_between;
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
