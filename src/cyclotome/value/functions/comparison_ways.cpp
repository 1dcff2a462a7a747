// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/comparison_ways.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/value/functions/evaluation.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

using Kind = FunctionKey::Kind;

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

Way by_polynomial(const FunctionPlanPtr& kept, const Ciphertext& channel) {
  const EvaluationPlan& plan = kept->plan;
  return {by_plan(kept), plan.products, plan.depth, headroom_after(plan, channel)};
}

/// What a product with a residue, and a sum, take of the room of a ciphertext.
double reserve_of(const Ciphertext& a) { return std::log2(static_cast<double>(a.plain_modulus().value)) + 2; }

/// A residue modulo the plaintext modulus of a, as small as it can be.
std::int64_t centred(const Ciphertext& a, std::uint64_t residue) {
  const std::uint64_t t = a.plain_modulus().value;
  return static_cast<std::int64_t>(residue) - (residue > t / 2 ? static_cast<std::int64_t>(t) : 0);
}

Ciphertext times_constant(const Ciphertext& a, std::uint64_t constant) {
  return rlwe::multiply_scalar(a, centred(a, constant));
}

Ciphertext plus_constant(const Ciphertext& a, std::uint64_t constant) {
  const std::int64_t value = centred(a, constant);
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
FunctionPlanPtr zero_plan_of_square(std::int64_t largest, const PlainModulus& t) {
  return kept_plan({Kind::zero_of_square, t.value(), -largest, largest}, [&] {
    const std::vector<std::uint64_t> points = squares(largest, t, false);
    std::vector<std::uint64_t> values(points.size());
    values[0] = 1;
    const ResiduePolynomial f[] = {interpolated(points, values, t)};
    return FunctionPlan{evaluation_plan(f, t, {vanishing(points, t)})};
  });
}

/// 1 - d^(t - 1).
FunctionPlanPtr fermat_plan(const PlainModulus& t) {
  return kept_plan({Kind::fermat, t.value()}, [&] {
    ResiduePolynomial f(t.value());
    f.front() = 1;
    f.back() = t.negate(1);
    const ResiduePolynomial all[] = {f};
    return FunctionPlan{evaluation_plan(all, t)};
  });
}

ChannelFunction of_square(FunctionPlanPtr plan) {
  const auto headroom = [plan](const Ciphertext& d) { return headroom_after(plan->plan, d, true); };
  return {[plan = std::move(plan)](const Ciphertext& d, const rlwe::EvaluationKeys& keys, const Options& options) {
            const Ciphertext y = RoomyProducts("a comparison", keys, options, reserve_of(d)).product(d, d, true);
            return evaluate(plan->plan, y, keys, options);
          },
          headroom};
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

/// q of 1/2 - e q(e^2)/2, negated and halved, for odd e up to the largest.
FunctionPlanPtr sign_plan(std::int64_t largest, const PlainModulus& t) {
  return kept_plan({Kind::sign, t.value(), -largest, largest}, [&] {
    const std::uint64_t half = (t.value() + 1) / 2;
    std::vector<std::uint64_t> values;
    for (std::int64_t v = 1; v <= largest; v += 2) {
      const std::uint64_t inverse = t.power(t.reduce_signed(v), t.value() - 2);
      values.push_back(t.negate(t.multiply(inverse, half)));
    }
    const std::vector<std::uint64_t> points = squares(largest, t, true);
    const ResiduePolynomial f[] = {interpolated(points, values, t)};
    return FunctionPlan{evaluation_plan(f, t, {vanishing(points, t)})};
  });
}

/// d < 0 as 1/2 - e q(e^2)/2, where e = 2 d + 1 is odd, and e q(e^2) its sign.
std::optional<Way> negative_by_sign(const Range& range, const Ciphertext& channel) {
  const PlainModulus t = modulus_of(channel);
  const std::int64_t largest = largest_magnitude({2 * range.low + 1, 2 * range.high + 1});
  if (2 * largest >= static_cast<std::int64_t>(t.value()) || largest / 2 >= static_cast<std::int64_t>(most_values)) {
    return std::nullopt;
  }
  const std::uint64_t half = (t.value() + 1) / 2;
  const FunctionPlanPtr kept = sign_plan(largest, t);
  const EvaluationPlan& plan = kept->plan;
  const auto function = [kept, half](const Ciphertext& d, const rlwe::EvaluationKeys& keys, const Options& options) {
    RoomyProducts products("a comparison", keys, options, reserve_of(d));
    const Ciphertext e = plus_constant(rlwe::multiply_scalar(d, 2), 1);
    const Ciphertext y = products.product(e, e, true);
    const Ciphertext q = evaluate(kept->plan, y, keys, options).front();
    return std::vector{plus_constant(products.product(e, q, true), half)};
  };
  const auto headroom = [kept](const Ciphertext& d) { return headroom_after(kept->plan, d, true); };
  return Way{{function, headroom}, plan.products + 2, plan.depth + 2, headroom(channel)};
}

/// E and q of both_by_sign, up to the largest magnitude; where q is a constant it is the slope.
FunctionPlanPtr both_plan(std::int64_t largest, const PlainModulus& t) {
  return kept_plan({Kind::both, t.value(), -largest, largest}, [&] {
    const std::uint64_t half = (t.value() + 1) / 2;
    const std::vector<std::uint64_t> points = squares(largest, t, false);
    std::vector<std::uint64_t> zero(points.size()), sign(points.size());
    zero[0] = 1;
    for (std::size_t v = 1; v < points.size(); ++v) {
      sign[v] = t.negate(t.multiply(t.power(v % t.value(), t.value() - 2), half));
    }
    // Where d is 0, so is d q, whatever q is there: one point less. Of bits it leaves a constant, which takes no
    // product.
    const std::span<const std::uint64_t> nonzero = std::span(points).subspan(1), signs = std::span(sign).subspan(1);
    const std::vector<ResiduePolynomial> f{interpolated(points, zero, t),
                                           nonzero.empty() ? ResiduePolynomial() : interpolated(nonzero, signs, t)};
    FunctionPlan made;
    if (f[1].size() <= 1) made.slope = f[1].empty() ? 0 : f[1][0];
    made.plan = evaluation_plan(std::span(f).first(made.slope ? 1 : 2), t, {vanishing(points, t)});
    return made;
  });
}

/// d < 0 and d = 0: with E = [d = 0] and the sign d q(d^2) of the same powers, 1/2 - E/2 - d q(d^2)/2, and E.
std::optional<Way> both_by_sign(const Range& range, const Ciphertext& channel) {
  const PlainModulus t = modulus_of(channel);
  const std::int64_t largest = largest_magnitude(range);
  if (!fits(largest, t)) return std::nullopt;
  const std::uint64_t half = (t.value() + 1) / 2;
  const FunctionPlanPtr kept = both_plan(largest, t);
  const EvaluationPlan& plan = kept->plan;
  const auto function = [kept, half, t](const Ciphertext& d, const rlwe::EvaluationKeys& keys, const Options& options) {
    RoomyProducts products("a comparison", keys, options, reserve_of(d));
    const Ciphertext y = products.product(d, d, true);
    const std::vector<Ciphertext> made = evaluate(kept->plan, y, keys, options);
    const Ciphertext product = kept->slope ? times_constant(d, *kept->slope) : products.product(d, made[1], true);
    const Ciphertext zero = products.with_room(made[0], reserve_of(d));
    return std::vector{plus_constant(scheme::add(product, times_constant(zero, t.negate(half))), half), zero};
  };
  const std::size_t more = kept->slope ? 1 : 2;
  const auto headroom = [kept](const Ciphertext& d) { return headroom_after(kept->plan, d, true); };
  return Way{{function, headroom}, plan.products + more, plan.depth + static_cast<unsigned>(more), headroom(channel)};
}

}  // namespace

void refuse_range(const char* operation, const std::optional<Range>& range) {
  throw RangeError(
      message(operation, ": ",
              range ? message("differences from ", range->low, " to ", range->high, " are more than the ", most_values,
                              " values that a comparison is interpolated through")
                    : std::string("values that wrap around have no order"),
              "; state tighter bounds when encrypting, bound=(0, largest) above all, or compare numbers of ",
              "several digits (encrypt_digits), or of bits (circuit.less)"));
}

ChannelFunction zero_function(const std::optional<Range>& range, const Ciphertext& channel) {
  const PlainModulus t = modulus_of(channel);
  std::vector<Way> ways;
  if (range) {
    const std::int64_t largest = largest_magnitude(*range);
    if (auto way = by_values(*range, channel, [](std::int64_t v) { return v == 0; })) ways.push_back(*way);
    if (fits(largest, t) && range->low < 0) {
      const FunctionPlanPtr kept = zero_plan_of_square(largest, t);
      const EvaluationPlan& plan = kept->plan;
      ways.push_back({of_square(kept), plan.products + 1, plan.depth + 1, headroom_after(plan, channel, true)});
    }
  }
  if (t.value() <= largest_fermat) ways.push_back(by_polynomial(fermat_plan(t), channel));
  if (ways.empty()) refuse_range("equal", range);
  return best_of(ways).function;
}

ChannelFunction negative_function(const std::optional<Range>& range, const Ciphertext& channel) {
  std::vector<Way> ways;
  if (auto way = by_values(*range, channel, [](std::int64_t v) { return v < 0; })) ways.push_back(*way);
  if (auto way = negative_by_sign(*range, channel)) ways.push_back(*way);
  if (auto way = both_by_sign(*range, channel)) ways.push_back(*way);
  if (ways.empty()) refuse_range("less", range);
  const ChannelFunction function = best_of(ways).function;
  const auto first = [function](const Ciphertext& x, const rlwe::EvaluationKeys& keys, const Options& options) {
    return std::vector{function.compute(x, keys, options).front()};
  };
  return {first, function.headroom};
}

ChannelFunction both_function(const std::optional<Range>& range, const Ciphertext& channel) {
  const std::optional<Way> way = range ? both_by_sign(*range, channel) : std::nullopt;
  if (!way) refuse_range("compare", range);
  return way->function;
}

}  // namespace cyclotome::value
