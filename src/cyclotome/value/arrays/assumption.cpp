// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/assumption.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

bool are_possible(const Interval& values, std::size_t length, const BigUnsigned& row) {
  const bool holds_zero = values.low <= Integer(0) && values.high >= Integer(0);
  const BigUnsigned least = holds_zero ? BigUnsigned(0) : std::min(values.low.magnitude, values.high.magnitude);
  return least * BigUnsigned(length) <= row;
}

EncryptedArray assume_bound(const EncryptedArray& x, const BigUnsigned& largest,
                            const std::optional<BigUnsigned>& row) {
  return assume_bound(x, Interval::around_zero(largest), row);
}

EncryptedArray assume_bound(const EncryptedArray& x, const Interval& values, const std::optional<BigUnsigned>& row) {
  if (x.bound().is_bits() || x.parameters().field_slots() != nullptr) {
    throw UnsupportedError("assume_bound: bits and elements of GF(2^r) are no integers with a bound");
  }
  if (values.low > values.high) {
    throw ArgumentError(message("assume_bound: values from ", shown(values.low), " to ", shown(values.high),
                                "; the least comes first"));
  }
  const std::size_t length = x.layout().last();
  const Bound stated(values, length, row);
  require_within("assume_bound", stated, x.parameters());
  const auto with = [&](const Interval& held, const BigUnsigned& most) {
    if (are_possible(held, length, most)) return x.with_bound(Bound(held, length, most));
    throw RangeError(message("assume_bound: ", length, " values ", shown(held), " have magnitudes that add up to more ",
                             "than ", shown(most), "; state a larger sum, or values next to 0"));
  };
  if (x.bound().wraps()) return with(values, stated.row());
  const Interval both{std::max(values.low, x.bound().values().low), std::min(values.high, x.bound().values().high)};
  if (both.low > both.high) {
    throw RangeError(message("assume_bound: values ", shown(values), ", of an array whose values are ",
                             shown(x.bound().values()), "; no value is both"));
  }
  return with(both, std::min(stated.row(), x.bound().row()));
}

}  // namespace cyclotome::value
