// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/noise.hpp"

#include <algorithm>
#include <cmath>

namespace cyclotome::study::ltv {

namespace {

constexpr double deviations = 14;

double log2_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return high + std::log2(1 + std::exp2(low - high));
}

}  // namespace

NoiseModel::NoiseModel(const CyclotomicPolynomial& ring) : degree_(static_cast<double>(ring.degree())) {
  const std::vector<double> ones(ring.degree(), 1.0);
  ones_ = ring.mean_square(ones);  // n for x^n + 1, 1 for prime m: what the mean of digits and bits weighs
  ternary_ = degree_ * (2.0 / 3);
  secret_ = 4 * ternary_ + 1;  // f = 2f' + 1
  log2_secret_ = std::log2(secret_);
  const double bits = (degree_ + ones_) / 4;
  fresh_ = std::log2(4 * ternary_ * (ternary_ + secret_) + secret_ * bits);
  // Coefficients in the normal basis have the variance V 2^k/m, k the number of prime factors.
  basis_ = static_cast<double>(ring.units().axes().size()) - std::log2(static_cast<double>(ring.index()));
}

double NoiseModel::sum(double log2_a, double log2_b) noexcept { return 2 * log2_sum(log2_a / 2, log2_b / 2); }

Estimate NoiseModel::added(const Estimate& a, const Estimate& b) const noexcept {
  const unsigned power = std::max(a.key_power, b.key_power);
  const auto seen = [&](const Estimate& e) { return e.key_power == power ? e.log2_phase : raised(e.log2_phase); };
  return {power, sum(seen(a), seen(b))};
}

Estimate NoiseModel::with_plain(const Estimate& a, double mean_square) const noexcept {
  const double added = std::log2(std::max(mean_square, 1e-300)) + a.key_power * std::log2(secret_);
  return {a.key_power, sum(a.log2_phase, added)};
}

double NoiseModel::key_switch(double log2_v, unsigned log2_q, unsigned window) const noexcept {
  double squares = 0;  // of a digit's values: variance and mean, as polynomials
  for (unsigned first = 0; first < log2_q; first += window) {
    const double digit = std::exp2(2.0 * std::min(window, log2_q - first));
    squares += digit * (degree_ / 12 + ones_ / 4);
  }
  return log2_sum(log2_v, std::log2(squares * 4 * ternary_ * (ternary_ + secret_)));
}

double NoiseModel::switched(double log2_v, double log2_p, unsigned key_power) const noexcept {
  return log2_sum(log2_v - 2 * log2_p, std::log2(degree_ / 3) + key_power * log2_secret_);
}

double NoiseModel::largest_coefficient(double log2_v) const noexcept {
  return std::log2(deviations) + (log2_v + basis_) / 2;
}

}  // namespace cyclotome::study::ltv
