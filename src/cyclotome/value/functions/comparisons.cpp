// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/comparisons.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/elementwise/shaping.hpp"
#include "cyclotome/value/functions/comparison_ways.hpp"
#include "cyclotome/value/functions/few_values.hpp"
#include "cyclotome/value/functions/functions.hpp"

namespace cyclotome::value {

namespace {

// --- what is compared ---

/// An array whose values are within a range, or anything modulo its one plaintext modulus; its bound says nothing.
struct Ranged {
  EncryptedArray x;
  std::optional<Range> range;
};

/// The value, or the end of what is far more than any plaintext modulus tells apart: its sign stays.
std::int64_t small(const Integer& value) {
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  const auto magnitude = static_cast<std::int64_t>(std::min(value.magnitude, BigUnsigned(most)).mod(most + 1));
  return value.negative ? -magnitude : magnitude;
}

Range range_of_interval(const Interval& values) { return {small(values.low), small(values.high)}; }
const Interval& interval_in(const EncryptedArray& x) { return x.bound().values(); }
Interval interval_in(const Integers& w) { return interval_of(w); }

bool wraps(const EncryptedArray& x) { return x.bound().wraps(); }
bool wraps(const Integers&) { return false; }
EncryptedArray freed(const EncryptedArray& x) { return without_bound(x); }
Integers freed(const Integers& w) { return w; }

/// x - y, which may go beyond the capacity: only whether its values are told apart matters.
template <class X, class Y>
Ranged difference(const char* operation, const X& x, const Y& y, const Options& options) {
  if (wraps(x) || wraps(y)) {
    EncryptedArray d = subtract(x, y, options);
    return {std::move(d), std::nullopt};
  }
  static_cast<void>(broadcast_shape(operation, x.shape(), y.shape()));
  return {subtract(freed(x), freed(y), options), range_of_interval(interval_in(x) - interval_in(y))};
}

// --- arrays ---

Computation of_masks(const char* operation, const Ranged& d, std::size_t count,
                     ChannelFunction (*function)(const std::optional<Range>&, const Ciphertext&)) {
  const std::vector<Bound> bounds(count, bound_of_masks(d.x.layout().last()));
  return {operation, [range = d.range, function](const Ciphertext& channel) { return function(range, channel); },
          bounds};
}

EncryptedArray zero_of(const char* operation, const Ranged& d, const Options& options) {
  if (d.range) {
    if (d.range->low > 0 || d.range->high < 0) {
      return with_bound(multiply(d.x, 0, options), bound_of_masks(d.x.layout().last()));
    }
    require_distinct(operation, *d.range, d.x.parameters());
  } else if (d.x.parameters().plain_moduli().size() != 1) {
    throw UnsupportedError(message(operation, " of values that wrap around takes one plaintext modulus, not ",
                                   d.x.parameters().plain_moduli().size(), "; encrypt them with a bound"));
  } else {
    require_distinct(operation, {0, 0}, d.x.parameters());
  }
  return computed(d.x, of_masks(operation, d, 1, zero_function), options).front();
}

EncryptedArray negative_of(const char* operation, const Ranged& d, const Options& options) {
  if (!d.range) refuse_range(operation, d.range);
  const Bound bound = bound_of_masks(d.x.layout().last());
  if (d.range->low >= 0) return with_bound(multiply(d.x, 0, options), bound);
  if (d.range->high < 0) return with_bound(add(multiply(d.x, 0, options), 1, options), bound);
  require_distinct(operation, *d.range, d.x.parameters());
  return computed(d.x, of_masks(operation, d, 1, negative_function), options).front();
}

Ranged ranged(const EncryptedArray& x) {
  if (x.bound().wraps()) return {x, std::nullopt};
  return {without_bound(x), range_of_interval(interval_in(x))};
}

template <class Y>
EncryptedArray chosen(const EncryptedArray& x, const Y& y, const EncryptedArray& mask, const Options& options) {
  return where(mask, y, x, options);
}

void require_digits(const char* operation, const EncryptedArray& x) {
  const std::size_t within = x.layout().packed() ? 1 : 0;  // the axis that digits can't stand along
  if (x.ndim() > within && !x.bound().wraps() && x.bound().starts_at_zero()) return;
  throw ArgumentError(message(
      operation, ": an array of shape ", to_string(x.shape()), " whose values ",
      x.bound().wraps() ? "have no bound" : "may be negative",
      " holds no digits; they stand along the first axis, each from 0 to b - 1: ", "encrypt_digits makes them"));
}

/// Numbers of digits whose other axes broadcast as those of numbers do: axes of length 1 behind that of the digits.
EncryptedArray with_axes(const EncryptedArray& x, std::size_t axes) {
  Shape shape = x.shape();
  if (shape.size() < axes) shape.insert(shape.begin() + 1, axes - shape.size(), 1);
  return reshape(x, shape);
}

struct Pair {
  EncryptedArray x, y;
};

Pair aligned_digits(const char* operation, const EncryptedArray& x, const EncryptedArray& y) {
  for (const EncryptedArray* const each : {&x, &y}) require_digits(operation, *each);
  if (x.shape()[0] != y.shape()[0]) {
    throw ArgumentError(message(operation, ": numbers of ", x.shape()[0], " and of ", y.shape()[0],
                                " digits; encrypt both with the same number of them"));
  }
  const std::size_t axes = std::max(x.ndim(), y.ndim());
  return {with_axes(x, axes), with_axes(y, axes)};
}

EncryptedArray as_mask(const EncryptedArray& x) { return with_bound(x, bound_of_masks(x.layout().last())); }

}  // namespace

EncryptedArray is_zero(const EncryptedArray& x, const Options& options) {
  return zero_of("is_zero", ranged(x), options);
}

EncryptedArray is_negative(const EncryptedArray& x, const Options& options) {
  return negative_of("is_negative", ranged(x), options);
}

EncryptedArray equal(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  return zero_of("equal", difference("equal", x, y, options), options);
}

EncryptedArray equal(const EncryptedArray& x, const Integers& y, const Options& options) {
  return zero_of("equal", difference("equal", x, y, options), options);
}

EncryptedArray less(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  return negative_of("less", difference("less", x, y, options), options);
}

EncryptedArray less(const EncryptedArray& x, const Integers& y, const Options& options) {
  return negative_of("less", difference("less", x, y, options), options);
}

EncryptedArray less(const Integers& x, const EncryptedArray& y, const Options& options) {
  return negative_of("less", difference("less", x, y, options), options);
}

EncryptedArray maximum(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  return chosen(x, y, less(x, y, options), options);
}

EncryptedArray maximum(const EncryptedArray& x, const Integers& y, const Options& options) {
  return chosen(x, y, less(x, y, options), options);
}

EncryptedArray minimum(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  return chosen(x, y, less(y, x, options), options);
}

EncryptedArray minimum(const EncryptedArray& x, const Integers& y, const Options& options) {
  return chosen(x, y, less(y, x, options), options);
}

Compared compare(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  const Ranged d = difference("compare", x, y, options);
  if (!d.range) refuse_range("compare", d.range);
  require_distinct("compare", *d.range, d.x.parameters());
  std::vector<EncryptedArray> made = computed(d.x, of_masks("compare", d, 2, both_function), options);
  return {made[0], made[1]};
}

EncryptedArray equal_digits(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  const Pair pair = aligned_digits("equal", x, y);
  const EncryptedArray same = equal(pair.x, pair.y, options);
  std::vector<EncryptedArray> digits;
  for (std::size_t i = 0; i < same.shape()[0]; ++i) digits.push_back(item(same, static_cast<std::int64_t>(i)));
  while (digits.size() > 1) {
    std::vector<EncryptedArray> next;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) next.push_back(multiply(digits[i], digits[i + 1], options));
    if (digits.size() % 2 == 1) next.push_back(digits.back());
    digits = std::move(next);
  }
  return digits.front();
}

EncryptedArray less_digits(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  const Pair pair = aligned_digits("less", x, y);
  const Compared all = compare(pair.x, pair.y, options);
  std::vector<Compared> digits;
  for (std::size_t i = 0; i < all.less.shape()[0]; ++i) {
    const auto number = static_cast<std::int64_t>(i);
    digits.push_back({item(all.less, number), item(all.equal, number)});
  }
  while (digits.size() > 1) {
    std::vector<Compared> next;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      const Compared &low = digits[i], &high = digits[i + 1];
      const EncryptedArray below = multiply(high.equal, low.less, options);
      const bool lowest = i == 0;  // whether all lower digits are equal is asked of no one
      next.push_back(
          {as_mask(add(high.less, below, options)), lowest ? high.equal : multiply(high.equal, low.equal, options)});
    }
    if (digits.size() % 2 == 1) next.push_back(digits.back());
    digits = std::move(next);
  }
  return digits.front().less;
}

}  // namespace cyclotome::value
