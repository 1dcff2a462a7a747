// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/reals/real_functions.hpp"

#include <algorithm>
#include <bit>
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

/// Complex numbers no farther from [-1, 1] than a distance: within the ellipse with foci at its ends where
/// |T_k| <= cosh(k eta), cosh(eta) = 1 + distance.
class Nearby {
 public:
  explicit Nearby(double distance) : eta_(std::acosh(1 + distance) * (1 + 0x1p-40)) {}

  /// |T_k| at most.
  double most(std::size_t k) const { return eta_ == 0 ? 1 : std::cosh(static_cast<double>(k) * eta_) * (1 + 0x1p-40); }
  /// What a sum of Chebyshev polynomials rises by at most: T_k' = 2k (T_(k-1) + T_(k-3) + ...), the last half if T_0.
  double slope(const std::vector<double>& c) const {
    std::vector<double> d(c.size() + 1, 0);
    double sum = 0;
    for (std::size_t k = c.size() - 1; k >= 1; --k) {
      d[k - 1] = (k + 1 < d.size() ? d[k + 1] : 0) + 2 * static_cast<double>(k) * c[k];
      sum += std::abs(d[k - 1]) * most(k - 1) / (k == 1 ? 2 : 1);
    }
    return sum * (1 + 0x1p-30);
  }

 private:
  double eta_;
};

/// Chebyshev polynomials of t, each made once: T_(a+b) = 2 T_a T_b - T_(a-b).
class Basis {
 public:
  Basis(const RealArray& t, const Nearby& nearby) : nearby_(nearby) { powers_.emplace(1, t); }

  const RealArray& at(std::size_t k) {
    if (const auto found = powers_.find(k); found != powers_.end()) return found->second;
    const std::size_t low = k / 2, high = k - low;
    const RealArray& b = at(low);
    const RealArray& a = at(high);
    const RealArray twice = multiply(multiply(a, b), scalar(2));
    const RealArray made = high == low ? add(twice, scalar(-1)) : subtract(twice, at(1));
    return powers_.emplace(k, made.assume_bound(nearby_.most(k))).first->second;
  }

 private:
  Nearby nearby_;
  std::map<std::size_t, RealArray> powers_;
};

/// Baby steps T_1 ... T_(m-1), and giant steps T_m, T_2m, T_4m, ...
class Evaluation {
 public:
  Evaluation(const RealArray& t, std::size_t degree, const Nearby& nearby) : basis_(t, nearby) {
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

/// A polynomial may be up to so many times as large beside its interval as within.
constexpr double most_beyond = 4;

/// The same ciphertexts, taken for numbers that are what they hold: x and its error.
RealArray without_error(const RealArray& x) {
  const ckks::Approximation about{{}, x.bound() + x.error().max};
  return {ckks::with_phase(x.numbers().ciphertext, about, "polynomial"), x.layout(), x.field(), x.keys()};
}

/// `result` of x without its error, as that of x, which lies away by that times `slope` at most; up to `largest`.
RealArray with_error_of(const RealArray& result, const RealArray& x, double slope, double largest) {
  const rlwe::NoiseCalculus& noise = x.parameters().noise();
  ckks::Approximate numbers = result.numbers();
  const double root = std::sqrt(static_cast<double>(x.parameters().degree()));
  const double unit = std::max(slope, 0x1p-900) * numbers.scale() / root;
  const ckks::Error own = x.error();
  const rlwe::NoiseBound away = noise.bound(root * unit * own.max, unit * own.rms, unit * own.max);
  numbers.about = {noise.sum(numbers.about.error, away), std::min(numbers.about.bound, std::max(largest, 0x1p-900))};
  return {ckks::with_phase(numbers.ciphertext, numbers.about, "polynomial"), x.layout(), x.field(), x.keys()};
}

/// x in units of the interval: within [-1, 1], or near it.
RealArray reduced(const RealArray& x, const RealInterval& interval, const Nearby& nearby) {
  const double factor = 1 / interval.radius();
  const RealArray scaled = factor == 1 ? x : multiply(x, scalar(factor));
  const double shift = -interval.centre() / interval.radius();
  return (shift == 0 ? scaled : add(scaled, scalar(shift))).assume_bound(nearby.most(1));
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
  // x with its error is the exact input of a computation without one, which is nearly within the interval; what its
  // result is away from that of x is the error times what the polynomial rises at most. That is less than what products
  // make of the error one after the other.
  const Nearby nearby(x.error().max / interval.radius());
  const bool rebased = nearby.most(c.size() - 1) <= most_beyond;
  const RealArray t = rebased ? reduced(without_error(x), interval, nearby) : reduced(x, interval, Nearby(0));
  Value value = Evaluation(t, c.size() - 1, rebased ? nearby : Nearby(0)).of(c);
  if (!value.encrypted) value.encrypted = multiply(t, scalar(0));
  RealArray result = value.constant == 0 ? *value.encrypted : add(*value.encrypted, scalar(value.constant));
  if (rebased) result = with_error_of(result, x, nearby.slope(c) / interval.radius(), largest);
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

namespace {

/// The least s with erfc(s gap) <= precision.
double steepness_of(double gap, double precision) {
  double low = 0, high = 1;
  while (std::erfc(high) > precision) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle) > precision ? low : high) = middle;
  }
  return high / gap;
}

struct Step {
  Fit polynomial;
  double error;  ///< beside the gap
};

Step step_of(double bound, double gap, double precision, double low, double high) {
  const double half = std::abs(high - low) / 2, steepness = steepness_of(gap, precision / 2 / half);
  Fit found = fit(step(steepness, low, high), {-bound, bound}, precision / 2);
  const double error = found.error + half * std::erfc(steepness * gap) * (1 + 0x1p-40);
  return {std::move(found), error};
}

/// A polynomial near a function that is at most `most` for all x up to `bound`.
RealArray within(const RealArray& x, const Fit& near, double bound, double most) {
  return chebyshev(x, near.coefficients, {-bound, bound}).assume_bound(most + near.error);
}

std::size_t levels_of(const Fit& polynomial) { return std::bit_width(polynomial.coefficients.size() - 1); }

/// A first polynomial that brings what is `gap` away from 0 as far from it as the second takes it.
struct Widened {
  Fit first;
  double bound;
  Step second;
};

std::optional<Widened> widened(double bound, double gap, double precision, double low, double high) {
  std::optional<Widened> best;
  for (double rise = 2; rise <= 64; rise *= 1.25) {
    const double reached = std::erf(rise * gap / bound);
    try {
      Fit first = fit(step(rise / bound, -1, 1), {-bound, bound}, reached / 16);
      const double most = 1 + first.error;
      Step second = step_of(most, reached - first.error, precision, low, high);
      if (!best || levels_of(first) + levels_of(second.polynomial) <
                       levels_of(best->first) + levels_of(best->second.polynomial)) {
        best = Widened{std::move(first), most, std::move(second)};
      }
    } catch (const ArgumentError&) {
      continue;  // one of both would be longer than what is looked for
    }
  }
  return best;
}

}  // namespace

RealArray step(const RealArray& x, double gap, double precision, double low, double high) {
  const double bound = x.bound(), most = std::max(std::abs(low), std::abs(high));
  if (!(gap > 0) || !(gap < bound) || !(precision > 0) || !(precision < std::abs(high - low))) {
    throw ArgumentError(message("sign: a gap of ", gap, " and a precision of ", precision, " for numbers up to ", bound,
                                "; a gap lies between 0 and the bound, and a precision between 0 and the step"));
  }
  try {
    const Step one = step_of(bound, gap, precision, low, high);
    return farther(within(x, one.polynomial, bound, most), one.error);
  } catch (const ArgumentError&) {
    const std::optional<Widened> two = widened(bound, gap, precision, low, high);
    if (!two) {
      throw ArgumentError(message("sign: a gap of ", gap, " of numbers up to ", bound, " and a precision of ",
                                  precision,
                                  " take polynomials beyond degree 255, also two one after the other; state a tighter ",
                                  "bound, a wider gap, or less precision"));
    }
    const RealArray wide = within(x, two->first, bound, 1);
    return farther(within(wide, two->second.polynomial, two->bound, most), two->second.error);
  }
}

RealArray relu(const RealArray& x, double precision) {
  const double bound = x.bound(), steepness = relu_distance(1) * 2 / precision;
  const Fit near = fit(ramp(steepness), {-bound, bound}, precision / 2);
  return farther(within(x, near, bound, bound), near.error + relu_distance(steepness));
}

RealArray absolute(const RealArray& x, double precision) {
  const double bound = x.bound(), steepness = relu_distance(1) * 4 / precision;
  const Fit near = fit(magnitude(steepness), {-bound, bound}, precision / 2);
  return farther(within(x, near, bound, bound), near.error + 2 * relu_distance(steepness));
}

}  // namespace cyclotome::value
