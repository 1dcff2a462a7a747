// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/layout/integers.hpp"

namespace cyclotome::value {

/// Whole numbers from `low` to `high`, both included; low is never above high. Sums, differences and products hold
/// what those of any two members are (interval arithmetic, as of Moore, Interval Analysis, 1966).
struct Interval {
  Integer low, high;

  /// From -largest to largest.
  static Interval around_zero(const BigUnsigned& largest) { return {Integer(largest, true), Integer(largest)}; }

  /// The largest magnitude of a member.
  const BigUnsigned& largest() const noexcept {
    return low.magnitude < high.magnitude ? high.magnitude : low.magnitude;
  }
  /// Whether it is around_zero(largest()).
  bool is_symmetric() const { return low == -high; }
  /// What both have in common, where that is anything: else this one.
  Interval within(const Interval& other) const;
  /// The least that holds both.
  Interval hull(const Interval& other) const;
  /// What sums of `count` members are.
  Interval times(std::size_t count) const;
  Interval operator-() const { return {-high, -low}; }
  bool operator==(const Interval&) const noexcept = default;
};
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);

/// Numbers for people: "within +-9", or "from 0 to 9".
std::string shown(const Interval& interval);

/// The least interval that holds some public integers (none: 0): it branches on them.
Interval interval_of(const Integers& values);
/// Number of the first value that is not in the interval; size() if all are. Branches on none but the one it names.
std::size_t first_outside(const Integers& values, const Interval& interval);

}  // namespace cyclotome::value
