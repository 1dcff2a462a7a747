// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/reals/chebyshev.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_degree = 255;

double wide(const RealInterval& i, double rho) { return i.radius() * (rho + 1 / rho) / 2; }
double tall(const RealInterval& i, double rho) { return i.radius() * (rho - 1 / rho) / 2; }

double most_exp(const RealInterval& i, double rho) { return std::exp(i.centre() + wide(i, rho)); }

/// The point of the ellipse nearest to 0 is its left end.
double left_end(const RealInterval& i, double rho) { return i.centre() - wide(i, rho); }

double most_inverse(const RealInterval& i, double rho) {
  return left_end(i, rho) > 0 ? 1 / left_end(i, rho) : infinity;
}
double most_log(const RealInterval& i, double rho) {
  if (!(left_end(i, rho) > 0)) return infinity;
  return std::max(std::abs(std::log(left_end(i, rho))), std::abs(std::log(i.centre() + wide(i, rho)))) +
         std::numbers::pi / 2;
}
double most_sqrt(const RealInterval& i, double rho) {
  return left_end(i, rho) > 0 ? std::sqrt(i.centre() + wide(i, rho)) : infinity;
}

/// |1 + e^-z| is at least 1 for |Im z| <= pi/2, and sin |Im z| up to pi.
double most_logistic(double height) {
  if (height <= std::numbers::pi / 2) return 1;
  return height < std::numbers::pi ? 1 / std::sin(height) : infinity;
}
double most_sigmoid(const RealInterval& i, double rho) { return most_logistic(tall(i, rho)); }
/// 2 sigmoid(2z) - 1.
double most_tanh(const RealInterval& i, double rho) { return 2 * most_logistic(2 * tall(i, rho)) + 1; }

/// |erf(x + iy)| <= |erf(x)| + (2/sqrt(pi)) e^-x^2 int_0^|y| e^t^2 dt.
double most_erf(double height) { return 1 + 1.13 * height * std::exp(height * height); }

double most_magnitude(const RealInterval& i) { return std::max(std::abs(i.low), std::abs(i.high)); }

const std::array<Analytic, 6>& table() {
  static const std::array<Analytic, 6> all{
      Analytic{"exp", [](double x) { return std::exp(x); }, most_exp},
      Analytic{"log", [](double x) { return std::log(x); }, most_log},
      Analytic{"sqrt", [](double x) { return std::sqrt(x); }, most_sqrt},
      Analytic{"inverse", [](double x) { return 1 / x; }, most_inverse},
      Analytic{"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, most_sigmoid},
      Analytic{"tanh", [](double x) { return std::tanh(x); }, most_tanh},
  };
  return all;
}

/// The least certified bound over ellipses, for a degree.
double remainder(const Analytic& f, const RealInterval& interval, std::size_t degree) {
  double least = infinity;
  for (double excess = 0x1p-8; excess < 1e4; excess *= 1.03) {
    const double rho = 1 + excess;
    const double bound = 4 * f.most(interval, rho) * std::pow(rho, -static_cast<double>(degree)) / excess;
    least = std::min(least, bound);
  }
  return least;
}

std::vector<double> interpolated(const Analytic& f, const RealInterval& interval, std::size_t degree) {
  const std::size_t count = degree + 1;
  std::vector<double> values(count), coefficients(count, 0);
  const double unit = std::numbers::pi / static_cast<double>(count);
  for (std::size_t k = 0; k < count; ++k) {
    values[k] = f.value(interval.centre() + interval.radius() * std::cos(unit * (static_cast<double>(k) + 0.5)));
  }
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t k = 0; k < count; ++k) {
      coefficients[j] += values[k] * std::cos(unit * static_cast<double>(j) * (static_cast<double>(k) + 0.5));
    }
    coefficients[j] *= (j == 0 ? 1.0 : 2.0) / static_cast<double>(count);
  }
  return coefficients;
}

}  // namespace

const Analytic& analytic(std::string_view name) {
  for (const Analytic& each : table()) {
    if (each.name == name) return each;
  }
  throw ArgumentError(
      message("there is no function '", name, "'; there are exp, log, sqrt, inverse, sigmoid and tanh"));
}

Analytic step(double steepness, double low, double high) {
  const double middle = low / 2 + high / 2, half = high / 2 - low / 2;
  return {"sign", [=](double x) { return middle + half * std::erf(steepness * x); },
          [=](const RealInterval& i, double rho) {
            return std::abs(middle) + std::abs(half) * most_erf(steepness * tall(i, rho));
          }};
}

Analytic ramp(double steepness) {
  return {"relu", [=](double x) { return x * (1 + std::erf(steepness * x)) / 2; },
          [=](const RealInterval& i, double rho) {
            const double size = most_magnitude(i) + wide(i, rho) + tall(i, rho);
            return size * (1 + most_erf(steepness * tall(i, rho))) / 2;
          }};
}

Analytic magnitude(double steepness) {
  return {"abs", [=](double x) { return x * std::erf(steepness * x); },
          [=](const RealInterval& i, double rho) {
            const double size = most_magnitude(i) + wide(i, rho) + tall(i, rho);
            return size * most_erf(steepness * tall(i, rho));
          }};
}

/// u erfc(u) is largest at u = 0.5316, where it is 0.24038.
double relu_distance(double steepness) { return 0.1202 / steepness; }

Fit fit(const Analytic& function, const RealInterval& interval, double precision) {
  if (!(interval.low < interval.high) || !std::isfinite(interval.radius()) || !(precision > 0)) {
    throw ArgumentError(message(function.name, ": an interval from ", interval.low, " to ", interval.high,
                                " and a precision of ", precision, "; ends ascend, and a precision is above 0"));
  }
  double best = infinity;
  for (std::size_t degree = 1; degree <= most_degree; ++degree) {
    const double bound = remainder(function, interval, degree);
    best = std::min(best, bound);
    if (bound > precision) continue;
    std::vector<double> coefficients = interpolated(function, interval, degree);
    double largest = 0;
    for (const double c : coefficients) largest += std::abs(c);
    // A value of f, a cosine and sums of so many products: some units of the last place for each coefficient.
    const double doubles = static_cast<double>((degree + 1) * (degree + 1)) * 0x1p-49 * largest;
    if (bound + doubles <= 2 * precision) return {std::move(coefficients), bound + doubles};
  }
  throw ArgumentError(message(
      function.name, ": no polynomial of degree ", most_degree, " or less is certified to be right to ", precision,
      " from ", interval.low, " to ", interval.high,
      std::isfinite(best) ? message("; the best is right to ", best) : message("; it is not analytic around it"),
      "; take a narrower interval, or less precision"));
}

}  // namespace cyclotome::value
