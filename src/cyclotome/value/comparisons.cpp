// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/comparisons.hpp"

#include <algorithm>
#include <tuple>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/value/elementwise.hpp"
#include "cyclotome/value/evaluation.hpp"
#include "cyclotome/value/few_values.hpp"
#include "cyclotome/value/functions.hpp"
#include "cyclotome/value/shaping.hpp"

namespace cyclotome::value {

namespace {

// --- what is compared -------------------------------------------------------------------------------------------------

/// An array whose values are within a range, or anything modulo its one plaintext modulus; its bound says nothing.
struct Ranged {
  EncryptedArray x;
  std::optional<Range> range;
};

std::int64_t small(const BigUnsigned& value) {
  return static_cast<std::int64_t>(std::min(value, BigUnsigned(std::uint64_t{1} << 62)).mod(std::uint64_t{1} << 63));
}

Range range_of_bound(const Bound& bound) {
  const std::int64_t largest = small(bound.largest());
  return {bound.starts_at_zero() ? 0 : -largest, largest};
}

Range range_of_values(const EncryptedArray& x) { return range_of_bound(x.bound()); }
Range range_of_values(const Integers& w) {
  Range range{std::int64_t{1} << 62, -(std::int64_t{1} << 62)};
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::int64_t value = w[i].negative ? -small(w[i].magnitude) : small(w[i].magnitude);
    range = {std::min(range.low, value), std::max(range.high, value)};
  }
  return range;
}

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
  const Range a = range_of_values(x), b = range_of_values(y);
  return {subtract(freed(x), freed(y), options), Range{a.low - b.high, a.high - b.low}};
}

[[noreturn]] void refuse_range(const char* operation, const std::optional<Range>& range) {
  throw RangeError(message(operation, ": ",
                           range ? message("differences from ", range->low, " to ", range->high, " are more than the ",
                                           most_values, " values that a comparison is interpolated through")
                                 : std::string("values that wrap around have no order"),
                           "; state tighter bounds when encrypting, bound=(0, largest) above all, or compare numbers of ",
                           "several digits (encrypt_digits), or of bits (circuit.less)"));
}

// --- polynomials ------------------------------------------------------------------------------------------------------

/// One way to compute a function of d, and what it takes.
struct Way {
  ChannelFunction function;
  std::size_t products;
  unsigned depth;
  double headroom;
};

const Way& best_of(const std::vector<Way>& ways) {
  const auto rank = [](const Way& way) { return std::tuple(way.headroom < 0, way.products, way.depth); };
  return *std::ranges::min_element(ways, [&](const Way& a, const Way& b) { return rank(a) < rank(b); });
}

Way by_polynomial(const EvaluationPlan& plan, const Ciphertext& channel) {
  return {by_plan(plan), plan.products, plan.depth, headroom_after(plan, channel)};
}

Ciphertext plus_constant(const Ciphertext& a, std::uint64_t constant) {
  const std::uint64_t t = a.plain_modulus().value;
  const auto value = static_cast<std::int64_t>(constant) - (constant > t / 2 ? static_cast<std::int64_t>(t) : 0);
  return scheme::add_plain(
      a, encode_residues(a.context(), a.plain(), Encoding::Kind::constants, std::span(&value, 1), 1, 1));
}

/// 0^2, 1^2, ..., largest^2 modulo t; or the odd ones alone.
std::vector<std::uint64_t> squares(std::int64_t largest, const PlainModulus& t, bool odd) {
  std::vector<std::uint64_t> points;
  for (std::int64_t v = odd ? 1 : 0; v <= largest; v += odd ? 2 : 1) {
    const std::uint64_t residue = t.reduce_signed(v);
    points.push_back(t.multiply(residue, residue));
  }
  return points;
}

std::int64_t largest_magnitude(const Range& range) { return std::max(std::abs(range.low), std::abs(range.high)); }
/// Whether numbers within +-largest are told apart modulo t.
bool fits(std::int64_t largest, const PlainModulus& t) {
  return 2 * largest < static_cast<std::int64_t>(t.value()) && largest < static_cast<std::int64_t>(most_values);
}

/// Whether d is 0, as a polynomial in its square.
EvaluationPlan zero_plan_of_square(std::int64_t largest, const PlainModulus& t) {
  const std::vector<std::uint64_t> points = squares(largest, t, false);
  std::vector<std::uint64_t> values(points.size());
  values[0] = 1;
  const ResiduePolynomial f[] = {interpolated(points, values, t)};
  return evaluation_plan(f, t, {vanishing(points, t)});
}

/// 1 - d^(t - 1).
EvaluationPlan fermat_plan(const PlainModulus& t) {
  ResiduePolynomial f(t.value());
  f.front() = 1;
  f.back() = t.negate(1);
  const ResiduePolynomial all[] = {f};
  return evaluation_plan(all, t);
}

ChannelFunction of_square(EvaluationPlan plan) {
  return [plan = std::move(plan)](const Ciphertext& d, const rlwe::EvaluationKeys& keys, const Options& options) {
    return evaluate(plan, scheme::multiply_by(options.product_method, d, nullptr, &keys), keys, options);
  };
}

/// Whether `holds` of d, by a polynomial in d itself.
std::optional<Way> by_values(const Range& range, const Ciphertext& channel, bool (*holds)(std::int64_t)) {
  const PlainModulus t = modulus_of(channel);
  const std::int64_t below = std::max<std::int64_t>(0, -range.low), above = std::max<std::int64_t>(0, range.high);
  const bool worth_it = range.count() <= 64 || 4 * std::min(below, above) < std::max(below, above);
  if (!worth_it || range.count() > t.value() || range.count() > most_values) return std::nullopt;
  std::vector<std::int64_t> values[1];
  for (std::int64_t v = range.low; v <= range.high; ++v) values[0].push_back(holds(v) ? 1 : 0);
  return by_polynomial(plan_of_values(range, values, t), channel);
}

constexpr std::uint64_t largest_fermat = std::uint64_t{1} << 20;

ChannelFunction zero_function(const Ranged& d, const Ciphertext& channel) {
  const PlainModulus t = modulus_of(channel);
  std::vector<Way> ways;
  if (d.range) {
    const std::int64_t largest = largest_magnitude(*d.range);
    if (auto way = by_values(*d.range, channel, [](std::int64_t v) { return v == 0; })) ways.push_back(*way);
    if (fits(largest, t) && d.range->low < 0) {
      const EvaluationPlan plan = zero_plan_of_square(largest, t);
      ways.push_back({of_square(plan), plan.products + 1, plan.depth + 1, headroom_after(plan, channel, true)});
    }
  }
  if (t.value() <= largest_fermat) ways.push_back(by_polynomial(fermat_plan(t), channel));
  if (ways.empty()) refuse_range("equal", d.range);
  return best_of(ways).function;
}

/// d < 0 as 1/2 - e q(e^2)/2, where e = 2 d + 1 is odd, and e q(e^2) its sign.
std::optional<Way> negative_by_sign(const Range& range, const Ciphertext& channel) {
  const PlainModulus t = modulus_of(channel);
  const std::int64_t largest = largest_magnitude({2 * range.low + 1, 2 * range.high + 1});
  if (2 * largest >= static_cast<std::int64_t>(t.value()) || largest / 2 >= static_cast<std::int64_t>(most_values)) {
    return std::nullopt;
  }
  const std::uint64_t half = (t.value() + 1) / 2;
  std::vector<std::uint64_t> values;
  for (std::int64_t v = 1; v <= largest; v += 2) {
    const std::uint64_t inverse = t.power(t.reduce_signed(v), t.value() - 2);
    values.push_back(t.negate(t.multiply(inverse, half)));
  }
  const std::vector<std::uint64_t> points = squares(largest, t, true);
  const ResiduePolynomial f[] = {interpolated(points, values, t)};
  const EvaluationPlan plan = evaluation_plan(f, t, {vanishing(points, t)});
  const auto function = [plan, half](const Ciphertext& d, const rlwe::EvaluationKeys& keys, const Options& options) {
    const Ciphertext e = plus_constant(rlwe::multiply_scalar(d, 2), 1);
    const Ciphertext y = scheme::multiply_by(options.product_method, e, nullptr, &keys);
    const Ciphertext q = evaluate(plan, y, keys, options).front();
    return std::vector{plus_constant(scheme::multiply_by(options.product_method, e, &q, &keys), half)};
  };
  const double left = headroom_after(plan, channel, true);
  return Way{function, plan.products + 2, plan.depth + 2, left};
}

/// d < 0 and d = 0: with E = [d = 0] and the sign d q(d^2) of the same powers, 1/2 - E/2 - d q(d^2)/2, and E.
std::optional<Way> both_by_sign(const Range& range, const Ciphertext& channel) {
  const PlainModulus t = modulus_of(channel);
  const std::int64_t largest = largest_magnitude(range);
  if (!fits(largest, t)) return std::nullopt;
  const std::uint64_t half = (t.value() + 1) / 2;
  const std::vector<std::uint64_t> points = squares(largest, t, false);
  std::vector<std::uint64_t> zero(points.size()), sign(points.size());
  zero[0] = 1;
  for (std::size_t v = 1; v < points.size(); ++v) {
    sign[v] = t.negate(t.multiply(t.power(v % t.value(), t.value() - 2), half));
  }
  const ResiduePolynomial f[] = {interpolated(points, zero, t), interpolated(points, sign, t)};
  const EvaluationPlan plan = evaluation_plan(f, t, {vanishing(points, t)});
  const std::uint64_t minus_half = t.negate(half);
  const auto function = [plan, half, minus_half, t](const Ciphertext& d, const rlwe::EvaluationKeys& keys,
                                                    const Options& options) {
    const Ciphertext y = scheme::multiply_by(options.product_method, d, nullptr, &keys);
    const std::vector<Ciphertext> made = evaluate(plan, y, keys, options);
    const auto factor = static_cast<std::int64_t>(minus_half) - static_cast<std::int64_t>(t.value());
    const Ciphertext centred = rlwe::multiply_scalar(
        made[0], minus_half > t.value() / 2 ? factor : static_cast<std::int64_t>(minus_half));
    const Ciphertext product = scheme::multiply_by(options.product_method, d, &made[1], &keys);
    return std::vector{plus_constant(scheme::add(product, centred), half), made[0]};
  };
  return Way{function, plan.products + 2, plan.depth + 2, headroom_after(plan, channel, true)};
}

ChannelFunction negative_function(const Ranged& d, const Ciphertext& channel) {
  std::vector<Way> ways;
  if (auto way = by_values(*d.range, channel, [](std::int64_t v) { return v < 0; })) ways.push_back(*way);
  if (auto way = negative_by_sign(*d.range, channel)) ways.push_back(*way);
  if (auto way = both_by_sign(*d.range, channel)) ways.push_back(*way);
  if (ways.empty()) refuse_range("less", d.range);
  return best_of(ways).function;
}

// --- arrays -----------------------------------------------------------------------------------------------------------

Computation of_masks(const char* operation, const Ranged& d, std::size_t count,
                     ChannelFunction (*function)(const Ranged&, const Ciphertext&)) {
  const std::vector<Bound> bounds(count, bound_of_masks(d.x.layout().last()));
  return {operation, [&d, function](const Ciphertext& channel) { return function(d, channel); }, bounds};
}

EncryptedArray zero_of(const char* operation, const Ranged& d, const Options& options) {
  if (d.range) {
    require_distinct(operation, *d.range, d.x.parameters());
    const std::int64_t least = std::max<std::int64_t>(0, std::max(d.range->low, -d.range->high));
    if (least > 0) return with_bound(multiply(d.x, 0, options), bound_of_masks(d.x.layout().last()));
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
  require_distinct(operation, *d.range, d.x.parameters());
  const Bound bound = bound_of_masks(d.x.layout().last());
  if (d.range->low >= 0) return with_bound(multiply(d.x, 0, options), bound);
  if (d.range->high < 0) return with_bound(add(multiply(d.x, 0, options), 1, options), bound);
  Computation computation = of_masks(operation, d, 1, [](const Ranged& of, const Ciphertext& channel) {
    const ChannelFunction function = negative_function(of, channel);
    return ChannelFunction([function](const Ciphertext& x, const rlwe::EvaluationKeys& keys, const Options& how) {
      return std::vector{function(x, keys, how).front()};
    });
  });
  return computed(d.x, computation, options).front();
}

Ranged ranged(const EncryptedArray& x) {
  if (x.bound().wraps()) return {x, std::nullopt};
  return {without_bound(x), range_of_bound(x.bound())};
}

template <class Y>
EncryptedArray chosen(const EncryptedArray& x, const Y& y, const EncryptedArray& mask, const Options& options) {
  return where(mask, y, x, options);
}

void require_digits(const char* operation, const EncryptedArray& x) {
  const std::size_t within = x.layout().packed() ? 1 : 0;  // the axis that digits can't stand along
  if (x.ndim() > within && !x.bound().wraps() && x.bound().starts_at_zero()) return;
  throw ArgumentError(message(operation, ": an array of shape ", to_string(x.shape()), " whose values ",
                              x.bound().wraps() ? "have no bound" : "may be negative",
                              " holds no digits; they stand along the first axis, each from 0 to b - 1: ",
                              "encrypt_digits makes them"));
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
  const auto function = [](const Ranged& of, const Ciphertext& channel) {
    const std::optional<Way> way = both_by_sign(*of.range, channel);
    if (!way) refuse_range("compare", of.range);
    return way->function;
  };
  std::vector<EncryptedArray> made = computed(d.x, of_masks("compare", d, 2, function), options);
  return {made[0], made[1]};
}

EncryptedArray equal_digits(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  for (const EncryptedArray* const each : {&x, &y}) require_digits("equal", *each);
  const EncryptedArray same = equal(x, y, options);
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
  for (const EncryptedArray* const each : {&x, &y}) require_digits("less", *each);
  const Compared all = compare(x, y, options);
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
      next.push_back({as_mask(add(high.less, below, options)),
                      lowest ? high.equal : multiply(high.equal, low.equal, options)});
    }
    if (digits.size() % 2 == 1) next.push_back(digits.back());
    digits = std::move(next);
  }
  return digits.front().less;
}

}  // namespace cyclotome::value
