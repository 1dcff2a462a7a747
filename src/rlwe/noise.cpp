// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise.hpp"

#include <complex>
#include <numbers>
#include <utility>
#include <vector>

namespace cyclotome::rlwe {

double key_switch_deviation(std::size_t degree, std::span<const double> log2_digits, double log2_special,
                            double error_multiplier, double preserved) noexcept {
  const auto n = static_cast<double>(degree);
  const double rounding = preserved * rounding_deviation(degree), error = error_multiplier * error_deviation;
  double variance = log2_special == 0 ? 0 : rounding * rounding;
  for (const double digit : log2_digits) variance += n / 12 * error * error * std::exp2(2 * (digit - log2_special));
  return std::sqrt(variance);
}

double canonical_norm(std::span<const std::int64_t> coefficients) {
  // m(zeta) for zeta = exp(i pi (2k+1)/n) is the Fourier transform of m_j exp(i pi j/n).
  const std::size_t n = coefficients.size();
  std::vector<std::complex<double>> x(n);
  double magnitude = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double angle = std::numbers::pi * static_cast<double>(j) / static_cast<double>(n);
    x[j] = static_cast<double>(coefficients[j]) * std::polar(1.0, angle);
    magnitude += std::abs(static_cast<double>(coefficients[j]));
  }
  for (std::size_t i = 1, j = 0; i < n; ++i) {  // bit reversal
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<std::complex<double>> roots(n / 2 + 1);
  for (std::size_t k = 0; k < roots.size(); ++k) {
    roots[k] = std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    for (std::size_t start = 0; start < n; start += length) {
      for (std::size_t k = 0; k < length / 2; ++k) {
        const std::complex<double> even = x[start + k], odd = x[start + k + length / 2] * roots[k * (n / length)];
        x[start + k] = even + odd;
        x[start + k + length / 2] = even - odd;
      }
    }
  }
  double largest = 0;
  for (const auto& value : x) largest = std::max(largest, std::abs(value));
  return largest + 1e-12 * magnitude;  // rounding of log2(n) stages
}

}  // namespace cyclotome::rlwe
