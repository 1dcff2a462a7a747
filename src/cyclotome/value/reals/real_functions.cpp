// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/reals/real_functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

namespace {

using ckks::Approximate;

Reals scalar(double value) { return {{}, {value}, Field::real}; }

/// x off by `largest` more than it was, as what it should be is another by so much.
RealArray farther(const RealArray& x, double largest) {
  ckks::Approximate numbers = x.numbers();
  const rlwe::Parameters& parameters = x.parameters();
  numbers.about.error =
      parameters.noise().sum(numbers.about.error, ckks::slot_error(parameters, largest, numbers.scale()));
  numbers.about.bound += largest;
  return {ckks::with_phase(numbers.ciphertext, numbers.about, "polynomial"), x.layout(), x.field(), x.keys()};
}

/// A polynomial's value: a ciphertext that may be missing, and a number.
struct Value {
  std::optional<RealArray> encrypted;
  double constant = 0;
};

/// Chebyshev polynomials of t, each made once: T_(a+b) = 2 T_a T_b - T_(a-b). All are within [-1, 1] where t is.
class Basis {
 public:
  explicit Basis(const RealArray& t) { powers_.emplace(1, t); }

  const RealArray& at(std::size_t k) {
    if (const auto found = powers_.find(k); found != powers_.end()) return found->second;
    const std::size_t low = k / 2, high = k - low;
    const RealArray& b = at(low);
    const RealArray& a = at(high);
    const RealArray twice = multiply(multiply(a, b), scalar(2));
    const RealArray made = high == low ? add(twice, scalar(-1)) : subtract(twice, at(1));
    return powers_.emplace(k, made.assume_bound(1)).first->second;
  }

 private:
  std::map<std::size_t, RealArray> powers_;
};

/// Baby steps T_1 ... T_(m-1), and giant steps T_m, T_2m, T_4m, ...
class Evaluation {
 public:
  Evaluation(const RealArray& t, std::size_t degree) : basis_(t) {
    while (babies_ * babies_ < degree + 1) babies_ *= 2;
  }

  Value of(std::vector<double> c) {
    while (c.size() > 1 && c.back() == 0) c.pop_back();
    const std::size_t degree = c.size() - 1;
    if (degree < babies_) return small(c);
    std::size_t giant = babies_;
    while (2 * giant <= degree) giant *= 2;
    // c = quotient T_giant + rest, as T_k = 2 T_giant T_(k-giant) - T_(2 giant - k) for k above giant.
    std::vector<double> quotient(degree - giant + 1, 0),
        rest(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(giant));
    quotient[0] = c[giant];
    for (std::size_t k = giant + 1; k <= degree; ++k) {
      quotient[k - giant] += 2 * c[k];
      rest[2 * giant - k] -= c[k];
    }
    const Value high = of(std::move(quotient)), low = of(std::move(rest));
    const RealArray& step = basis_.at(giant);
    RealArray sum =
        high.encrypted
            ? multiply(high.constant == 0 ? *high.encrypted : add(*high.encrypted, scalar(high.constant)), step)
            : multiply(step, scalar(high.constant));
    if (low.encrypted) sum = add(sum, *low.encrypted);
    return {std::move(sum), low.constant};
  }

 private:
  Value small(const std::vector<double>& c) {
    std::vector<const Approximate*> terms;
    std::vector<double> factors;
    const RealArray* like = nullptr;
    for (std::size_t k = 1; k < c.size(); ++k) {
      if (c[k] == 0) continue;
      like = &basis_.at(k);
      terms.push_back(&like->numbers());
      factors.push_back(c[k]);
    }
    if (like == nullptr) return {std::nullopt, c[0]};
    return {RealArray(ckks::weighted_sum(terms, factors), like->layout(), like->field(), like->keys()), c[0]};
  }

  Basis basis_;
  std::size_t babies_ = 2;
};

void require_real(const char* operation, const RealArray& x, std::span<const double> coefficients) {
  if (x.field() != Field::real) {
    throw UnsupportedError(message(operation, " of complex numbers; it is for real ones"));
  }
  const auto finite = [](double c) { return std::isfinite(c); };
  if (coefficients.empty() || !std::ranges::all_of(coefficients, finite)) {
    throw ArgumentError(message(operation, ": ", coefficients.size(), " coefficients, all of which have to be finite"));
  }
}

/// x in units of the interval: within [-1, 1].
RealArray reduced(const RealArray& x, const RealInterval& interval) {
  const double factor = 1 / interval.radius();
  const RealArray scaled = factor == 1 ? x : multiply(x, scalar(factor));
  const double shift = -interval.centre() / interval.radius();
  return (shift == 0 ? scaled : add(scaled, scalar(shift))).assume_bound(1);
}

}  // namespace

RealArray chebyshev(const RealArray& x, std::span<const double> coefficients, const RealInterval& interval) {
  require_real("polynomial", x, coefficients);
  if (!(interval.low < interval.high) || !std::isfinite(interval.radius())) {
    throw ArgumentError(
        message("polynomial: an interval from ", interval.low, " to ", interval.high, " has no length"));
  }
  std::vector<double> c(coefficients.begin(), coefficients.end());
  double largest = 0;
  for (const double each : c) largest += std::abs(each);
  const RealArray t = reduced(x, interval);
  Value value = Evaluation(t, c.size() - 1).of(c);
  if (!value.encrypted) value.encrypted = multiply(t, scalar(0));
  const RealArray result = value.constant == 0 ? *value.encrypted : add(*value.encrypted, scalar(value.constant));
  // Sums of coefficients in doubles, and the affine map's.
  const double degree = static_cast<double>(c.size());
  const double rounding = largest * degree * degree * 0x1p-50;
  return farther(largest > 0 ? result.assume_bound(largest) : result, rounding);
}

RealArray polynomial(const RealArray& x, std::span<const double> coefficients) {
  require_real("polynomial", x, coefficients);
  // Powers in units of the bound are sums of Chebyshev polynomials: x T_k = (T_(k+1) + T_|k-1|)/2.
  const double unit = x.bound();
  std::vector<double> all{0.0}, power{1.0};
  double factor = 1, size = 0;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    size += std::abs(coefficients[k]) * factor;
    if (all.size() < power.size()) all.resize(power.size(), 0);
    for (std::size_t j = 0; j < power.size(); ++j) all[j] += coefficients[k] * factor * power[j];
    std::vector<double> next(power.size() + 1, 0);
    for (std::size_t j = 0; j < power.size(); ++j) {
      next[j + 1] += j == 0 ? power[j] : power[j] / 2;
      if (j > 0) next[j - 1] += power[j] / 2;
    }
    power = std::move(next);
    factor *= unit;
  }
  // What doubles are off by in that, which may cancel in `all`.
  const double degree = static_cast<double>(coefficients.size());
  return farther(chebyshev(x, all, {-unit, unit}), size * degree * degree * 0x1p-50);
}

RealArray apply(const RealArray& x, std::string_view name, const RealInterval& interval, double precision) {
  const Fit near = fit(analytic(name), interval, precision);
  return farther(chebyshev(x, near.coefficients, interval), near.error);
}

}  // namespace cyclotome::value
