// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/math/word.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/functions/few_values.hpp"
#include "cyclotome/value/layout/residues.hpp"

namespace cyclotome::value {

namespace {

// --- powers ---

/// Powers of one array, each computed once.
class Powers {
 public:
  Powers(const EncryptedArray& x, const Options& options) : options_(options) { made_.emplace(1, x); }

  const EncryptedArray& of(std::int64_t exponent) {
    if (const auto found = made_.find(exponent); found != made_.end()) return found->second;
    const EncryptedArray& lower = of(exponent / 2);
    EncryptedArray result =
        exponent % 2 == 0 ? multiply(lower, lower, options_) : multiply(lower, of(exponent - exponent / 2), options_);
    return made_.emplace(exponent, std::move(result)).first->second;
  }

 private:
  const Options& options_;
  std::map<std::int64_t, EncryptedArray> made_;
};

/// The least exponent from 1 on that gives the same: exponents repeat after `period`.
std::int64_t repeated(std::int64_t exponent, std::int64_t period) { return (exponent - 1) % period + 1; }

std::int64_t reduced_exponent(const EncryptedArray& x, std::int64_t exponent) {
  const rlwe::Parameters& parameters = x.parameters();
  const Bound& bound = x.bound();
  if (bound.is_bits()) return 1;
  if (const FieldSlotsPtr& slots = parameters.field_slots(); slots != nullptr) {
    return repeated(exponent, (std::int64_t{1} << slots->field().degree()) - 1);
  }
  if (bound.wraps()) {
    const std::vector<std::uint64_t>& moduli = parameters.plain_moduli();
    return moduli.size() == 1 && is_prime(moduli[0]) ? repeated(exponent, static_cast<std::int64_t>(moduli[0]) - 1)
                                                     : exponent;
  }
  if (bound.largest() > BigUnsigned(1)) return exponent;
  return bound.starts_at_zero() ? 1 : repeated(exponent, 2);
}

// --- polynomials ---

/// Coefficients by ascending power.
std::vector<Integer> ascending(const Integers& coefficients) {
  if (coefficients.ndim() != 1 || coefficients.size() == 0) {
    throw ArgumentError(message("polyval: coefficients of shape ", to_string(coefficients.shape()),
                                "; they are a row of at least one, that of the highest power first"));
  }
  std::vector<Integer> result;
  for (std::size_t i = coefficients.size(); i-- > 0;) result.push_back(coefficients[i]);
  while (result.size() > 1 && result.back().magnitude.is_zero()) result.pop_back();
  return result;
}

i128 wide(const Integer& value) {
  u128 magnitude = 0;
  for (std::size_t i = value.magnitude.limbs().size(); i-- > 0;)
    magnitude = magnitude << 64 | value.magnitude.limbs()[i];
  return value.negative ? -static_cast<i128>(magnitude) : static_cast<i128>(magnitude);
}

Integer narrow(i128 value) {
  const u128 size = static_cast<u128>(value < 0 ? -value : value);
  const std::uint64_t limbs[] = {static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(size >> 64)};
  return Integer(BigUnsigned::from_limbs(limbs), value < 0);
}

/// The values within the operand's bound: by trying all of them, where they are few; else by Horner's rule.
Bound bound_of_values(const std::vector<Integer>& f, const EncryptedArray& x) {
  const std::size_t last = x.layout().last();
  if (x.bound().wraps()) return x.bound();
  const std::size_t capacity_bits = capacity(x.parameters()).bit_length();
  Interval most{0, 0};
  for (std::size_t i = f.size(); i-- > 0;) {
    most = most * x.bound().values() + Interval{f[i], f[i]};
    // Far beyond what fits, so that no work goes into numbers that are refused anyway.
    if (most.largest().bit_length() > 2 * capacity_bits + 512) return Bound(most, last);
  }
  const std::optional<Range> range = range_of(x.bound());
  // Horner's rule passes sums of magnitudes no larger than this on its way.
  BigUnsigned sum;
  for (std::size_t i = f.size(); i-- > 0;) sum = sum * x.bound().largest() + f[i].magnitude;
  if (!range || sum.bit_length() > 120 || range->count() * f.size() > std::size_t{1} << 26) return Bound(most, last);
  std::vector<i128> coefficients;
  for (const Integer& c : f) coefficients.push_back(wide(c));
  const auto value_at = [&](std::int64_t v) {
    i128 value = 0;
    for (std::size_t i = coefficients.size(); i-- > 0;) value = value * v + coefficients[i];
    return value;
  };
  i128 lowest = value_at(range->low), highest = lowest;
  for (std::int64_t v = range->low + 1; v <= range->high; ++v) {
    const i128 value = value_at(v);
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  return Bound(Interval{narrow(lowest), narrow(highest)}, last);
}

/// The polynomial modulo t, of the least degree that has the same values.
FunctionPlanPtr plan_of_polynomial(const std::vector<Integer>& f, const Bound& bound, const PlainModulus& t) {
  const bool is_field = is_prime(t.value());
  ResiduePolynomial residues;
  for (const Integer& c : f) {
    const std::uint64_t residue = c.magnitude.mod(t.value());
    residues.push_back(c.negative ? t.negate(residue) : residue);
  }
  if (is_field && residues.size() > t.value()) {  // x^t = x
    const std::size_t period = t.value() - 1;
    for (std::size_t i = residues.size(); i-- > t.value();) {
      residues[i - period] = t.add(residues[i - period], residues[i]);
      residues.pop_back();
    }
  }
  residues = trimmed(std::move(residues));
  std::optional<Range> range = range_of(bound);
  if (range && !(is_field && range->count() <= t.value() && range->count() < 2 * residues.size())) range.reset();
  const Range known = range.value_or(Range{0, -1});  // where nothing is known: of no values
  FunctionKey key{FunctionKey::Kind::polynomial, t.value(), known.low, known.high};
  key.values.assign(residues.begin(), residues.end());
  return kept_plan(std::move(key), [&] {
    EvaluationDomain domain{{}, is_field};
    if (range) {
      domain.vanishing = vanishing(points_of(*range, t), t);
      residues = divided(residues, domain.vanishing, t).remainder;
    }
    const ResiduePolynomial polynomials[] = {residues};
    return FunctionPlan{evaluation_plan(polynomials, t, domain)};
  });
}

// --- selections ---

bool is_mask(const Bound& bound) { return bound.starts_at_zero() && bound.largest() <= BigUnsigned(1); }

std::size_t last_of(const Shape& shape) { return shape.empty() ? 1 : shape.back(); }

Bound bound_at(const EncryptedArray& x, std::size_t length) { return x.bound().broadcast(x.layout().last(), length); }
Bound bound_at(const Integers& w, std::size_t length) { return bound_of(w, length); }

EncryptedArray freed(const EncryptedArray& x) { return without_bound(x); }
Integers freed(const Integers& w) { return w; }
bool wraps(const EncryptedArray& x) { return x.bound().wraps(); }
bool wraps(const Integers&) { return false; }

/// Of the values that a mask of zeros and ones chooses: whole rows where it has one value for each.
Bound chosen_bound(const EncryptedArray& mask, const Bound& a, const Bound& b, std::size_t length) {
  return (mask.layout().last() == 1 ? joint_bound : mixed_bound)("where", a, b, length);
}

/// b + mask (a - b), whose values are some of both.
template <class A, class B>
EncryptedArray selected(const EncryptedArray& mask, const A& a, const B& b, const Options& options) {
  const Shape both = broadcast_shape("where", a.shape(), b.shape());
  const std::size_t length = last_of(broadcast_shape("where", mask.shape(), both));
  const bool free = wraps(a) || wraps(b);
  if (!free && !is_mask(mask.bound())) return add(multiply(mask, subtract(a, b, options), options), b, options);
  const Bound bound = free ? Bound::wrapping() : chosen_bound(mask, bound_at(a, length), bound_at(b, length), length);
  require_within("where", bound, mask.parameters());
  const auto x = freed(a);
  const auto y = freed(b);
  return with_bound(add(multiply(freed(mask), subtract(x, y, options), options), y, options), bound);
}

}  // namespace

EncryptedArray power(const EncryptedArray& x, std::int64_t exponent, const Options& options) {
  if (exponent < 0) throw ArgumentError(message("x ** ", exponent, ": exponents are whole numbers from 0 on"));
  if (exponent == 0) return add(multiply(x, 0, options), 1, options);
  const std::int64_t least = reduced_exponent(x, exponent);
  const Bound& bound = x.bound();
  if (!bound.wraps() && bound.largest() > BigUnsigned(1)) {
    const double bits = static_cast<double>(least) * bound.largest().log2();
    if (bits > capacity(x.parameters()).log2() + 1) {
      throw RangeError(message("power: values within ", shown(bound.largest()), " to the power ", exponent,
                               " take about ", std::ceil(bits), " bits; these parameters hold up to ",
                               shown(capacity(x.parameters())), ". State a tighter bound, encrypt with wrap=True for ",
                               "powers modulo T, or take parameters for wider results: suggest(result_bits=...)"));
    }
  }
  return Powers(x, options).of(least);
}

EncryptedArray polyval(const Integers& coefficients, const EncryptedArray& x, const Options& options) {
  const std::vector<Integer> f = ascending(coefficients);
  if (f.size() <= 2) {
    const EncryptedArray linear = f.size() == 1 ? multiply(x, 0, options) : multiply(x, f[1], options);
    return f[0].magnitude.is_zero() ? linear : add(linear, f[0], options);
  }
  Computation computation{"polyval", {}, {bound_of_values(f, x)}, f[0].magnitude.is_zero()};
  computation.function = [&](const Ciphertext& channel) {
    return by_plan(plan_of_polynomial(f, x.bound(), modulus_of(channel)));
  };
  return computed(x, computation, options).front();
}

EncryptedArray lookup(const Integers& table, const EncryptedArray& x, const Options& options) {
  if (table.ndim() != 1 || table.size() == 0) {
    throw ArgumentError(message("lookup: a table of shape ", to_string(table.shape()), "; it is a row of values"));
  }
  const auto size = static_cast<std::int64_t>(table.size());
  const std::optional<Range> range = range_of(x.bound());
  if (!range || range->high >= size || range->low < -size) {
    throw RangeError(message(
        "lookup: a table of ", size, " values, and an operand that ",
        x.bound().wraps() ? std::string("has no bound") : message("may be as large as ", shown(x.bound().largest())),
        "; encrypt with the bound of the last entry, at most ", most_values / 2, ": bound=(0, ", size - 1, ")"));
  }
  require_distinct("lookup", *range, x.parameters());
  Indices numbers;
  for (std::int64_t v = range->low; v <= range->high; ++v) {
    numbers.push_back(static_cast<std::size_t>(v < 0 ? v + size : v));
  }
  const Integers values = table.taken(numbers, {numbers.size()});
  const Bound bound = bound_of(values, numbers.size());
  Computation computation{"lookup", {}, {Bound(bound.values(), x.layout().last())}};
  computation.keeps_zero = table.magnitude(0).is_zero();
  computation.function = [&](const Ciphertext& channel) {
    const PlainModulus t = modulus_of(channel);
    const Residues residues = centred_residues(values, t);
    const std::vector<std::int64_t> column[] = {{residues.begin(), residues.end()}};
    return by_plan(plan_of_values(*range, column, t));
  };
  if (range->count() == 1) return add(multiply(x, 0, options), values[0], options);
  return computed(x, computation, options).front();
}

EncryptedArray where(const EncryptedArray& mask, const EncryptedArray& a, const EncryptedArray& b,
                     const Options& options) {
  return selected(mask, a, b, options);
}

EncryptedArray where(const EncryptedArray& mask, const EncryptedArray& a, const Integers& b, const Options& options) {
  return selected(mask, a, b, options);
}

EncryptedArray where(const EncryptedArray& mask, const Integers& a, const EncryptedArray& b, const Options& options) {
  return selected(mask, a, b, options);
}

EncryptedArray where(const EncryptedArray& mask, const Integers& a, const Integers& b, const Options& options) {
  const Shape both = broadcast_shape("where", a.shape(), b.shape());
  const std::size_t length = last_of(broadcast_shape("where", mask.shape(), both));
  const Bound bound = chosen_bound(mask, bound_of(a, length), bound_of(b, length), length);
  if (mask.bound().wraps() || !is_mask(mask.bound())) {
    return add(multiply(mask, a, options), multiply(subtract(1, mask, options), b, options), options);
  }
  require_within("where", bound, mask.parameters());
  const EncryptedArray free = without_bound(mask), rest = subtract(1, free, options);
  return with_bound(add(multiply(free, a, options), multiply(rest, b, options), options), bound);
}

}  // namespace cyclotome::value
