// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/division.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/functions/few_values.hpp"

namespace cyclotome::value {

namespace {

std::int64_t floored(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return quotient * divisor != value && (value < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

Range checked_range(const EncryptedArray& x, std::int64_t divisor) {
  if (divisor == 0) throw ArgumentError("floor_divide: there is no division by 0");
  const std::optional<Range> range = range_of(x.bound());
  if (!range) {
    throw RangeError(message(
        "floor_divide: an operand that ",
        x.bound().wraps() ? std::string("has no bound") : message("may be as large as ", shown(x.bound().largest())),
        "; quotients are a table of at most ", most_values,
        " values: encrypt with a tighter bound, bound=(0, largest) where no value is negative, or say one that you "
        "know to hold, x.assume_bound((least, largest))"));
  }
  return *range;
}

/// The quotients of those values: one that all of them have, or a table.
EncryptedArray quotients(const EncryptedArray& x, const Range& range, std::int64_t divisor, const Options& options) {
  const std::int64_t first = floored(range.low, divisor), last = floored(range.high, divisor);
  const Bound bound(Interval{std::min(first, last), std::max(first, last)}, x.layout().last());
  if (first == last) return with_bound(add(multiply(x, 0, options), first, options), bound);
  require_distinct("floor_divide", range, x.parameters());
  std::vector<std::int64_t> values[1];
  for (std::int64_t v = range.low; v <= range.high; ++v) values[0].push_back(floored(v, divisor));
  Computation computation{"floor_divide", {}, {bound}};
  computation.keeps_zero = true;
  computation.function = [&](const Ciphertext& channel) {
    return by_plan(plan_of_values(range, values, modulus_of(channel)));
  };
  return computed(x, computation, options).front();
}

}  // namespace

EncryptedArray floor_divide(const EncryptedArray& x, std::int64_t divisor, const Options& options) {
  return quotients(x, checked_range(x, divisor), divisor, options);
}

Divided divide(const EncryptedArray& x, std::int64_t divisor, const Options& options) {
  const Range range = checked_range(x, divisor);
  EncryptedArray quotient = quotients(x, range, divisor, options);
  // What the remainder may be says the divisor, or values that are all below it.
  Range rest = divisor > 0 ? Range{0, divisor - 1} : Range{divisor + 1, 0};
  if (floored(range.low, divisor) == floored(range.high, divisor)) {
    const std::int64_t less = divisor * floored(range.low, divisor);
    rest = {range.low - less, range.high - less};
  }
  const EncryptedArray products = multiply(without_bound(quotient), divisor, options);
  const Bound bound(Interval{rest.low, rest.high}, x.layout().last());
  return {std::move(quotient), with_bound(subtract(without_bound(x), products, options), bound)};
}

EncryptedArray remainder(const EncryptedArray& x, std::int64_t divisor, const Options& options) {
  return divide(x, divisor, options).remainder;
}

}  // namespace cyclotome::value
